"""Redaction of keys, addresses and folders in values, names, conditions and frames."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
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
"""Names of arguments whose values are private or of no use to others; not `max_tokens`."""

_HOST = re.compile(rf"{SCHEME}\S*", re.IGNORECASE)
_ABSOLUTE_START = re.compile(r"(?:~|[A-Za-z]:)?[/\\]")
# One separator alone hides no folder: `\input{x}` is a name.
_NAME_PATH = re.compile(rf"{_ABSOLUTE_START.pattern}[^\n]*[/\\]")
_PATH_START = re.compile(r"(?:~[\w.-]*|\.{1,2}|[A-Za-z]:)?[/\\]|~\Z")
_PROVIDER = re.compile(r"[A-Za-z][\w-]*/")
_MAX_SETTING_LENGTH = 60


def scrub_value(value: Any, rename: Callable[[str], str] = str) -> Any:
    """Redact an argument's value; text that starts as a path is treated as one path.

    Entries with a private name, such as `api_key`, are left out.

    Args:
        value: A value nested as JSON is.
        rename: Function that is applied to each text first.

    Example:
        >>> scrub_value({"prompt": "/home/my texts/x.txt", "api_key": "abc", "items": [3]})
        {'prompt': 'x.txt', 'items': [3]}
    """
    if isinstance(value, Mapping):
        scrubbed = {}
        for name, part in value.items():
            if not SECRET_NAME.search(str(name)):
                scrubbed[scrub(str(name))] = scrub_value(part, rename)
        return scrubbed
    if isinstance(value, list | tuple):
        return [scrub_value(part, rename) for part in value]
    if isinstance(value, str):
        text = rename(value)
        return scrub(last_part(text) if _ABSOLUTE_START.match(text) else text)
    return value if value is None or isinstance(value, bool | int | float) else scrub(str(value))


def argument(value: Any) -> Any:
    """Redact an argument's value, in which texts may name models on disk."""
    return scrub_value(value, _without_folders)


def scrub_condition(condition: str) -> str:
    """Redact the `key=value` pairs of a condition or a variant.

    A text that has other parts than pairs is redacted as a whole; one without anything to redact is
    unchanged.

    Example:
        >>> scrub_condition("level=90;variant=prompt%3D/home/me/x.txt%3Bapi_key%3Dabc")
        'level=90;variant=api_key%3D[removed]%3Bprompt%3Dx.txt'
    """
    pairs = list(filter(None, condition.split(";")))
    if not pairs or not all("=" in pair for pair in pairs):
        return scrub(condition)
    parts = Condition.read(condition)
    clean = _scrub_parts(parts)
    return condition if clean == parts else str(clean)


def _scrub_parts(parts: Condition) -> Condition:
    return Condition({scrub(name): _scrub_part(name, value) for name, value in parts.items()})


def _scrub_part(name: str, value: str) -> str:
    """Redact a part of a condition; the whole value if its name is that of a secret."""
    if name == "variant":
        return scrub_condition(value)
    return REMOVED if SECRET_NAME.search(name) else str(scrub_value(value))


def scrubbed_names(names: Iterable[str], redactor: Callable[[str], str] = scrub) -> dict[str, str]:
    """Map names to redacted names; a later name that would equal another gets a suffix."""
    aliases: dict[str, str] = {}
    for name in dict.fromkeys(names):
        clean = redactor(name)
        if clean in aliases.values():
            clean = f"{clean}#{fingerprint(name)[:6]}"
        aliases[name] = clean
    return aliases


def scrubbed_conditions(conditions: Iterable[Condition]) -> dict[Condition, Condition]:
    """Map conditions to redacted ones, with a suffix where two variants would become equal."""
    distinct = dict.fromkeys(conditions)
    variants = filter(None, (condition.get("variant") for condition in distinct))
    variant_aliases = {"": "", **scrubbed_names(variants, scrub_condition)}
    aliases = {}
    for condition in distinct:
        # The variant, which is redacted above, is put back after the other parts are redacted.
        clean = _scrub_parts(condition.but(variant=""))
        aliases[condition] = clean.but(variant=variant_aliases[condition.get("variant", "")])
    return aliases


def stable_alias(name: str, redactor: Callable[[str], str]) -> str:
    """Redact a name; one that changes gets a suffix from the whole name, to be unique and stable.

    Example:
        >>> stable_alias("openai/gpt-4o", model_name)
        'openai/gpt-4o'
        >>> stable_alias("hf//home/me/llama", model_name)[:9]
        'hf/llama#'
    """
    clean = redactor(name)
    return name if clean == name else f"{clean}#{fingerprint(name)[:6]}"


def redact_path(name: str) -> str:
    r"""Redact a name; a name that is a path (which may have blanks) becomes its last part.

    Example:
        >>> redact_path("/home/my data/x.csv"), redact_path("\\input{x}"), redact_path("mmlu")
        ('x.csv', '\\input{x}', 'mmlu')
    """
    return str(scrub_value(name)) if _NAME_PATH.match(name) else scrub(name)


def model_name(name: str) -> str:
    """Redact a model's name; a model on disk keeps its provider and the last part of its path.

    Example:
        >>> model_name("hf//home/my models/llama"), model_name("azureai/https://me.example/x")
        ('hf/llama', 'azureai/[removed]')
    """
    return redact_path(_without_folders(name))


def _without_folders(name: str) -> str:
    """Return a model's name without folders: `hf//home/me/llama` becomes `hf/llama`.

    A second provider, as in `openai-api/ollama//x`, stays; so does text that names no provider.
    """
    if "\n" in name or not _PROVIDER.match(name):
        return name
    provider, _, path = name.partition("/")
    if _PROVIDER.match(path):
        return f"{provider}/{_without_folders(path)}"
    # `scrub` comes last, since it shortens a path only up to the first blank.
    return scrub(f"{provider}/{last_part(path)}" if _PATH_START.match(path) else name)


def model_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return a model's arguments as text, without private names and without nested values."""
    texts = {}
    for name, value in arguments.items():
        if not SECRET_NAME.search(name) and isinstance(value, str | int | float | bool):
            texts[scrub(name)] = setting_text(value)
    return texts


def setting_text(value: object) -> str:
    """Return a setting, such as an argument of a task, as redacted text.

    Text that is long or has several lines, and a mapping, are replaced by a fingerprint. Inspect's
    record of a registered object is replaced by the object's name.

    Example:
        >>> setting_text("/home/me/a.csv,cais/mmlu"), setting_text("Answer yes/no.")
        ('a.csv,cais/mmlu', 'Answer yes/no.')
    """
    if isinstance(value, list | tuple):
        return ",".join(map(setting_text, value))
    if isinstance(value, Mapping):
        if value.keys() >= {"type", "name", "params"}:  # a registered object, such as a scorer
            return setting_text(str(value["name"]))
        return f"(set; sha256 {fingerprint(str(value))})"
    text = str(value)
    # Items that are paths or addresses are shortened first. A text without such items stays in one
    # piece: a secret that contains a comma would not be recognised in parts.
    items = list(_split_comma_list(text))
    has_paths = any(_PATH_START.match(item) or _HOST.fullmatch(item) for item in items)
    redacted = scrub(",".join(map(_redact_item, items)) if has_paths else text)
    if "\n" in text or len(redacted) > _MAX_SETTING_LENGTH:
        return f"(text; sha256 {fingerprint(text)})"
    return redacted


def _split_comma_list(text: str) -> Iterator[str]:
    """Yield the items of a comma list; a comma in a folder's name doesn't separate items.

    So `/my, texts/a.csv,b` has the items `/my, texts/a.csv` and `b`. Of empty items only the last
    is kept.
    """
    pending = ""  # the item so far
    for item in text.split(","):
        # A path without a file suffix continues in the next item if that contains a slash.
        is_path_part = _PATH_START.match(pending) and not PureWindowsPath(pending).suffix
        if is_path_part and re.search(r"[/\\]", item) and not _PATH_START.match(item):
            pending = f"{pending},{item}"
            continue
        if pending:
            yield pending
        pending = item
    yield pending


def _redact_item(text: str) -> str:
    """Shorten an item of a comma list: an address becomes a note, a path its last part.

    Other items are returned unchanged.
    """
    if _HOST.fullmatch(text):
        return "(an address)"
    return last_part(text) if _PATH_START.match(text) else text


Redactors = Mapping[str, Callable[[Any], Any]]


def redactors(frames: Iterable[pd.DataFrame]) -> Redactors:
    """Return redactors by column, for the columns of names and notes of judgments and results.

    A redactor is a function from a cell's value to the redacted text. Names that differ stay
    different in all frames, except in the columns `a` and `b` of differences (both sides of a
    comparison), whose texts are redacted one by one.
    """
    sources = list(frames)
    conditions = {text: Condition.read(text) for text in _distinct_texts(sources, "condition")}

    # Names get an alias, the redacted name, that is the same in all frames.
    redact_by_column = {
        "model": model_name,
        "judge": model_name,
        "dataset": redact_path,
        "variant": scrub_condition,
    }
    aliases: dict[str, dict[str, str]] = {}  # alias by column and name
    for column, redact in redact_by_column.items():
        # The name may also stand in a condition: "judge=openai/gpt-4o".
        in_conditions = [condition.get(column, "") for condition in conditions.values()]
        aliases[column] = scrubbed_names(
            [*_distinct_texts(sources, column), *in_conditions], redact
        )

    # A judge in a condition gets the alias of the column `judge`; the rest is scrubbed after that.
    with_alias = {}
    for text, condition in conditions.items():
        judge = condition.get("judge", "")
        with_alias[text] = condition.but(judge=aliases["judge"][judge] if judge else "")
    redacted = scrubbed_conditions(with_alias.values())
    condition_aliases = {text: str(redacted[with_alias[text]]) for text in conditions}
    return {
        **{column: partial(_alias_of, names) for column, names in aliases.items()},
        "condition": condition_aliases.__getitem__,
        **dict.fromkeys(("a", "b"), _redact_contender),
        **dict.fromkeys(("reason", "note", "verdict"), scrub),
    }


def _distinct_texts(frames: Iterable[pd.DataFrame], column: str) -> list[str]:
    """Return the distinct values of a column in each of the frames that have it, as texts."""
    columns = (frame.get(column, pd.Series(dtype=object)) for frame in frames)
    return list(map(str, chain.from_iterable(map(pd.unique, columns))))


def _alias_of(aliases: Mapping[str, str], name: object) -> str:
    """Return the alias of a name that is known to have one."""
    return aliases[str(name)]


def redact_frame(
    frame: pd.DataFrame,
    redactors_by_column: Redactors,
    redact_text: Callable[[str], str] = without_keys,
) -> pd.DataFrame:
    """Redact names by the function for their column, and other texts by `redact_text`.

    Missing values, and columns of numbers, stay as they are.
    """

    def redact_other_value(value: object) -> object:
        return redact_text(value) if isinstance(value, str) else value

    columns = {}
    for name in map(str, frame.columns):
        if frame[name].dtype == object or pd.api.types.is_string_dtype(frame[name]):
            redactor = redactors_by_column.get(name, redact_other_value)
            # The cache redacts each distinct value once.
            columns[name] = frame[name].map(cache(redactor), na_action="ignore")
    return frame.assign(**columns)


def redact_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Redact a frame of judgments, results or differences."""
    return redact_frame(frame, redactors([frame]))


def _redact_contender(name: str) -> str:
    """Redact the name of a side of a comparison: a model with its variant and method."""
    # The first blank before `key=` ends the model's name.
    model, *parts = re.split(r" (?=[\w.]+=)", name, maxsplit=1)
    return " ".join([model_name(model), *map(scrub_condition, parts)])
