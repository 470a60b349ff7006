"""Settings of a run as text that can be published: no keys, no addresses, no folders."""

import re
from collections.abc import Mapping
from typing import Any

from inspect_confidence._arguments import fingerprint

_HIDDEN = re.compile(
    r"key|token|secret|password|url|header|credential|auth|endpoint|host|proxy|account|project",
    re.IGNORECASE,
)
"""Names of model arguments that may hold what is nobody else's business."""

_LONGEST = 60


def model_arguments(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Arguments of a model, without what may be secret, and without nested ones, which may be."""
    return {
        name: setting_text(value)
        for name, value in arguments.items()
        if not _HIDDEN.search(name) and isinstance(value, str | int | float | bool)
    }


def model_name(name: str) -> str:
    """A model's name; of one on disk, the last part of its place."""
    provider, _, rest = name.partition("/")
    local = rest.startswith(("/", "~", ".", "\\")) or rest[1:3] in (":\\", ":/")
    return f"{provider}/{_last(rest)}" if local else name


def setting_text(value: object) -> str:
    """A setting as text without folders or addresses; what is long, as its fingerprint."""
    if isinstance(value, list | tuple):
        return ",".join(map(setting_text, value))
    if isinstance(value, Mapping):
        return f"(set; sha256 {fingerprint(str(value))})"
    text = str(value)
    if "://" in text:
        return "(an address)"
    if _is_path(text):
        return _last(text)
    if len(text) > _LONGEST or "\n" in text:
        return f"(text; sha256 {fingerprint(text)})"
    return ",".join(map(_last, text.split(",")))


def _is_path(text: str) -> bool:
    return "\n" not in text and bool(re.match(r"[~.]?[/\\]|[A-Za-z]:[/\\]", text))


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
