"""Settings of a run as text that can be published: no keys, no addresses, no folders."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PureWindowsPath
from typing import Any

from inspect_confidence._arguments import fingerprint
from inspect_confidence._secrets import SECRET_NAME, scrub

_LONGEST = 60
_PATH = re.compile(r"(?:~[\w.-]*|\.{1,2}|[A-Za-z]:)?[/\\]|~\Z")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S*", re.IGNORECASE)


def model_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Arguments of a model, without what may be secret, and without nested ones, which may be."""
    return {
        scrub(name): setting_text(value)
        for name, value in arguments.items()
        if not SECRET_NAME.search(name) and isinstance(value, str | int | float | bool)
    }


def model_name(name: str) -> str:
    """A model's name; of one on disk, the last part of its place.

    Example:
        >>> model_name("vllm//home/me/llama"), model_name("azureai/https://me.example/x")
        ('vllm/llama', 'azureai/[removed]')
    """
    provider, slash, rest = name.partition("/")
    return scrub(f"{provider}{slash}{_last(rest)}" if _PATH.match(rest) else name)


def setting_text(value: object) -> str:
    """A setting as text without folders or addresses; what is long, as its fingerprint.

    Example:
        >>> setting_text("/home/me/a.csv,cais/mmlu"), setting_text("Answer yes/no.")
        ('a.csv,cais/mmlu', 'Answer yes/no.')
    """
    if isinstance(value, list | tuple):
        return ",".join(map(setting_text, value))
    if isinstance(value, Mapping):
        return f"(set; sha256 {fingerprint(str(value))})"
    text = str(value)
    # A secret may hold a comma, so the whole is scrubbed where no item is a place.
    items = list(_items(text))
    places = any(_PATH.match(item) or _ADDRESS.fullmatch(item) for item in items)
    shown = scrub(",".join(map(_item, items)) if places else text)
    if "\n" in text or len(shown) > _LONGEST:
        return f"(text; sha256 {fingerprint(text)})"
    return shown


def _items(text: str) -> Iterator[str]:
    """Items of a comma list; a comma in the name of a path's folder doesn't part items."""
    before = ""
    for item in text.split(","):
        # A file has a suffix: a path without one goes on where a slash follows.
        goes_on = _PATH.match(before) and not PureWindowsPath(before).suffix
        if goes_on and re.search(r"[/\\]", item) and not _PATH.match(item):
            before = f"{before},{item}"
            continue
        if before:
            yield before
        before = item
    yield before


def _item(text: str) -> str:
    if _ADDRESS.fullmatch(text):
        return "(an address)"
    return _last(text) if _PATH.match(text) else text


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
