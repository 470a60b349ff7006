"""What never leaves a log: keys, addresses and folders."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import PureWindowsPath
from typing import Any

import pandas as pd

from inspect_confidence.arguments import fingerprint
from inspect_confidence.redaction import REMOVED, SCHEME, last_part, scrub, without_keys
from inspect_confidence.results import Condition

SECRET_NAME = re.compile(
    r"key|token(?!s)|secret|passw|pwd|credential|auth|cookie|header"
    r"|url|endpoint|proxy|host|account|project",
    re.IGNORECASE,
)
"""Names of arguments whose values nobody else may see, or needs to; not `max_tokens`."""

_HOST = re.compile(rf"{SCHEME}\S*", re.IGNORECASE)
_WHOLE_PATH = re.compile(r"(?:~|[A-Za-z]:)?[/\\]")
# One separator alone hides no folder: `\input{x}` is a name.
_NAME_PATH = re.compile(rf"{_WHOLE_PATH.pattern}[^\n]*[/\\]")
_SHAREABLE_PATH = re.compile(r"(?:~[\w.-]*|\.{1,2}|[A-Za-z]:)?[/\\]|~\Z")
_PROVIDER = re.compile(r"[A-Za-z][\w-]*/")
_LONGEST = 60


def scrub_value(value: Any, named: Callable[[str], str] = str) -> Any:
    """The same of an argument's value, which is a path as a whole where it starts as one.

    Args:
        value: Nested as JSON is.
        named: What becomes of each text first.

    Example:
        >>> scrub_value({"prompt": "/home/my texts/x.txt", "api_key": "abc", "items": [3]})
        {'prompt': 'x.txt', 'items': [3]}
    """
    if isinstance(value, Mapping):
        return {
            scrub(str(name)): scrub_value(one, named)
            for name, one in value.items()
            if not SECRET_NAME.search(str(name))
        }
    if isinstance(value, list | tuple):
        return [scrub_value(one, named) for one in value]
    if isinstance(value, str):
        text = named(value)
        return scrub(last_part(text) if _WHOLE_PATH.match(text) else text)
    return value if value is None or isinstance(value, bool | int | float) else scrub(str(value))


def argument(value: Any) -> Any:
    """An argument's value without secrets; texts in it may name models on disk."""
    return scrub_value(value, _without_folders)


def scrub_condition(condition: str) -> str:
    """The same of `key=value` pairs, as a condition or a variant has them.

    Example:
        >>> scrub_condition("level=90;variant=prompt%3D/home/me/x.txt%3Bapi_key%3Dabc")
        'level=90;variant=api_key%3D[removed]%3Bprompt%3Dx.txt'
    """
    pairs = [pair for pair in condition.split(";") if pair]
    if not pairs or not all("=" in pair for pair in pairs):
        return scrub(condition)
    parts = Condition.read(condition)
    clean = {scrub(name): _scrub_part(name, value) for name, value in parts.items()}
    return condition if clean == parts else str(Condition(clean))


def _scrub_part(name: str, value: str) -> str:
    if name == "variant":
        return scrub_condition(value)
    return REMOVED if SECRET_NAME.search(name) else str(scrub_value(value))


def scrubbed_names(names: Iterable[str], cleaner: Callable[[str], str] = scrub) -> dict[str, str]:
    """Names without what is secret in them; two that would become one are told apart."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        clean = cleaner(name)
        if clean in found.values():
            clean = f"{clean}#{fingerprint(name)[:6]}"
        found[name] = clean
    return found


def scrubbed_conditions(conditions: Iterable[str]) -> dict[str, str]:
    """The same of conditions: variants that would become one are told apart."""
    decoded = {text: Condition.read(text) for text in dict.fromkeys(conditions)}
    variants = scrubbed_names(
        (parts["variant"] for parts in decoded.values() if "variant" in parts), scrub_condition
    )
    found = {}
    for text, parts in decoded.items():
        clean = Condition.read(scrub_condition(str(parts.but(variant=""))))
        found[text] = str(clean.but(variant=variants.get(parts.get("variant", ""), "")))
    return found


def lasting(name: str, cleaner: Callable[[str], str]) -> str:
    """A name without what is secret in it, the same wherever it stands and no other name's.

    Example:
        >>> lasting("openai/gpt-4o", model_name), lasting("hf//home/me/llama", model_name)[:9]
        ('openai/gpt-4o', 'hf/llama#')
    """
    clean = cleaner(name)
    return name if clean == name else f"{clean}#{fingerprint(name)[:6]}"


def place(name: str) -> str:
    r"""A name that may be a path as a whole, blanks included: its last part, without secrets.

    Example:
        >>> place("/home/my data/x.csv"), place("\\input{x}"), place("mmlu")
        ('x.csv', '\\input{x}', 'mmlu')
    """
    return str(scrub_value(name)) if _NAME_PATH.match(name) else scrub(name)


def model_name(name: str) -> str:
    """A model's name; of one on disk, the provider and the last part of the path.

    Example:
        >>> model_name("hf//home/my models/llama"), model_name("azureai/https://me.example/x")
        ('hf/llama', 'azureai/[removed]')
    """
    return place(_without_folders(name))


def _without_folders(name: str) -> str:
    """A model's name; services between provider and path, as in `openai-api/ollama//x`, stay."""
    if "\n" in name or not _PROVIDER.match(name):
        return name
    provider, _, rest = name.partition("/")
    if _PROVIDER.match(rest):
        return f"{provider}/{_without_folders(rest)}"
    # The whole is scrubbed last: that would shorten a path only up to the first blank.
    return scrub(f"{provider}/{last_part(rest)}" if _SHAREABLE_PATH.match(rest) else name)


def with_judge(condition: str, name: Callable[[str], str] = model_name) -> str:
    """The condition with its judge, if it has one, named by `name`."""
    parts = Condition.read(condition)
    return str(parts.but(judge=name(parts["judge"]))) if "judge" in parts else condition


def model_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Arguments of a model, without what may be secret, and without nested ones, which may be."""
    return {
        scrub(name): setting_text(value)
        for name, value in arguments.items()
        if not SECRET_NAME.search(name) and isinstance(value, str | int | float | bool)
    }


def setting_text(value: object) -> str:
    """A setting as text without folders or addresses; what is long, as its fingerprint.

    Example:
        >>> setting_text("/home/me/a.csv,cais/mmlu"), setting_text("Answer yes/no.")
        ('a.csv,cais/mmlu', 'Answer yes/no.')
    """
    if isinstance(value, list | tuple):
        return ",".join(map(setting_text, value))
    if isinstance(value, Mapping):
        # A task, scorer or the like that Inspect names.
        if value.keys() >= {"type", "name", "params"}:
            return setting_text(str(value["name"]))
        return f"(set; sha256 {fingerprint(str(value))})"
    text = str(value)
    # A secret may hold a comma, so the whole is scrubbed where no item is a place.
    items = list(_items(text))
    places = any(_SHAREABLE_PATH.match(item) or _HOST.fullmatch(item) for item in items)
    shown = scrub(",".join(map(_item, items)) if places else text)
    if "\n" in text or len(shown) > _LONGEST:
        return f"(text; sha256 {fingerprint(text)})"
    return shown


def _items(text: str) -> Iterator[str]:
    """Items of a comma list; a comma in the name of a path's folder doesn't part items."""
    before = ""
    for item in text.split(","):
        # A file has a suffix: a path without one goes on where a slash follows.
        goes_on = _SHAREABLE_PATH.match(before) and not PureWindowsPath(before).suffix
        if goes_on and re.search(r"[/\\]", item) and not _SHAREABLE_PATH.match(item):
            before = f"{before},{item}"
            continue
        if before:
            yield before
        before = item
    yield before


def _item(text: str) -> str:
    if _HOST.fullmatch(text):
        return "(an address)"
    return last_part(text) if _SHAREABLE_PATH.match(text) else text


Cleaners = Mapping[str, Callable[[Any], Any]]


def cleaners(frames: Iterable[pd.DataFrame]) -> Cleaners:
    """What becomes of the names in frames of judgments and of results, by column.

    Names that differ are told apart, whichever of the frames they stand in.
    """
    there = list(frames)
    said = dict.fromkeys(str(text) for frame in there for text in frame.get("condition", ()))

    def told_apart(column: str, cleaner: Callable[[str], str]) -> Callable[[Any], str]:
        named = (name for frame in there for name in frame.get(column, pd.Series()).unique())
        parts = (Condition.read(text).get(column, "") for text in said)
        found = scrubbed_names(map(str, (*named, *parts)), cleaner)
        return lambda name: found[str(name)]

    judge = told_apart("judge", model_name)
    named = {text: with_judge(text, judge) for text in said}
    conditions = scrubbed_conditions(named.values())
    return {
        "model": told_apart("model", model_name),
        "dataset": told_apart("dataset", place),
        "judge": judge,
        "condition": lambda text: conditions[named[text]],
        "variant": told_apart("variant", scrub_condition),
        **dict.fromkeys(("a", "b"), _contender),
        **dict.fromkeys(("reason", "note", "verdict"), scrub),
    }


def cleaned(
    frame: pd.DataFrame, ways: Cleaners, others: Callable[[str], str] = without_keys
) -> pd.DataFrame:
    """A frame with its names cleaned, and its other texts put through `others`."""
    columns = {}
    for name in map(str, frame.columns):
        if frame[name].dtype == object or pd.api.types.is_string_dtype(frame[name]):
            way = ways.get(name, lambda one: others(one) if isinstance(one, str) else one)
            columns[name] = frame[name].map(cache(way), na_action="ignore")
    return frame.assign(**columns)


def shareable(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of judgments, of results or of differences, for whoever reads it."""
    return cleaned(frame, cleaners([frame]))


def _contender(name: str) -> str:
    """A model with the variant and the method that tell it from another."""
    model, *rest = re.split(r" (?=[\w.]+=)", name, maxsplit=1)
    return " ".join([model_name(model), *map(scrub_condition, rest)])
