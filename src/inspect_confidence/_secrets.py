"""What never leaves the logs: keys, addresses and local paths."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from inspect_confidence._arguments import fingerprint
from inspect_confidence._results import decode_condition, encode_condition

REMOVED = "[removed]"

SECRET_NAME = re.compile(
    r"key|token(?!s)|secret|passw|pwd|credential|auth|cookie|header"
    r"|url|endpoint|proxy|host|account|project",
    re.IGNORECASE,
)
"""Names of arguments whose values nobody else may see, or needs to; not `max_tokens`."""

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{0,19}://[^\s\"'<>;,)|]*", re.IGNORECASE)
_KEY = re.compile(
    r"\b(?:sk-[\w-]{16,}|hf_\w{16,}|gh[opsu]_\w{16,}|github_pat_\w{16,}|xox[abprs]-[\w-]{10,}"
    r"|AIza[\w-]{20,}|AKIA[A-Z0-9]{16}|ya29\.[\w-]{16,}|eyJ[\w-]{10,}\.[\w.-]+)"
    r"|\bbearer\s+\S+",
    re.IGNORECASE,
)
# In the text of a variant `=` is percent-encoded.
_NAMED = re.compile(
    r"\b(\w{0,40}(?:api_?key|secret|passw(?:or)?d|access_token|auth_token|base_url)\w{0,40}"
    r"\s{0,3}(?:=|:|%3D)\s{0,3})[^\s;,]+",
    re.IGNORECASE,
)
_PART = r"[^\s/\\;,\"'<>|]+"
_PATH = re.compile(
    rf"(?:(?<![\w.<:/~])|(?<=\w/))(?:~(?:/{_PART})+|(?:/{_PART}){{2,}})"
    rf"|\b[A-Za-z]:(?:[\\/]{_PART})+"
    rf"|\\\\{_PART}(?:\\{_PART})+"
)
_WHOLE_PATH = re.compile(r"(?:~|[A-Za-z]:)?[/\\]")


def scrub(text: str) -> str:
    """The text without keys and addresses, and with the file's name alone of absolute paths.

    Example:
        >>> scrub("prompt=/home/me/x.txt; see http://localhost:8000/v1")
        'prompt=x.txt; see [removed]'
    """
    text = _ADDRESS.sub(REMOVED, text)
    text = _KEY.sub(REMOVED, text)
    text = _NAMED.sub(rf"\g<1>{REMOVED}", text)
    return _PATH.sub(lambda found: _last(found[0]), text)


def scrub_value(value: Any) -> Any:
    """The same of an argument's value, which is a path as a whole where it starts as one.

    Example:
        >>> scrub_value({"prompt": "/home/my texts/x.txt", "api_key": "abc", "items": [3]})
        {'prompt': 'x.txt', 'items': [3]}
    """
    if isinstance(value, Mapping):
        return {
            scrub(str(name)): scrub_value(one)
            for name, one in value.items()
            if not SECRET_NAME.search(str(name))
        }
    if isinstance(value, list | tuple):
        return [scrub_value(one) for one in value]
    if isinstance(value, str):
        return scrub(_last(value) if _WHOLE_PATH.match(value) else value)
    return value if value is None or isinstance(value, bool | int | float) else scrub(str(value))


def scrub_condition(condition: str) -> str:
    """The same of `key=value` pairs, as a condition or a variant has them.

    Example:
        >>> scrub_condition("level=90;variant=prompt%3D/home/me/x.txt%3Bapi_key%3Dabc")
        'level=90;variant=api_key%3D[removed]%3Bprompt%3Dx.txt'
    """
    pairs = [pair for pair in condition.split(";") if pair]
    if not pairs or not all("=" in pair for pair in pairs):
        return scrub(condition)
    parts = decode_condition(condition)
    clean = {scrub(name): _scrub_part(name, value) for name, value in parts.items()}
    return condition if clean == parts else encode_condition(clean)


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
    decoded = {text: decode_condition(text) for text in dict.fromkeys(conditions)}
    variants = scrubbed_names(
        (parts["variant"] for parts in decoded.values() if "variant" in parts), scrub_condition
    )
    found = {}
    for text, parts in decoded.items():
        variant = parts.pop("variant", "")
        clean = scrub_condition(encode_condition(parts))
        if variant:
            clean = encode_condition({**decode_condition(clean), "variant": variants[variant]})
        found[text] = clean
    return found


def _last(path: str) -> str:
    name = PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
    return name or REMOVED
