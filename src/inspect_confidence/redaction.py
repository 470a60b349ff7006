"""Redaction of keys, addresses and folders in text."""

import os
import re
from functools import cache

from inspect_confidence.printing import excerpt, one_line

REMOVED = "[removed]"

SCHEME = r"\b[a-z][a-z0-9+.-]{0,19}://"
_ADDRESS = re.compile(rf"{SCHEME}[^\s\"'<>;,)|]*", re.IGNORECASE)
_KEY = re.compile(
    r"\b(?:[sr]k-[\w*-]{12,}|hf_\w{16,}|gh[opsu]_\w{16,}|github_pat_\w{16,}|xox[abprs]-[\w-]{10,}"
    r"|AIza[\w-]{20,}|AKIA[A-Z0-9]{16}|ya29\.[\w-]{16,}|eyJ[\w-]{10,}\.[\w.-]+)"
    r"|\bbearer\s+\S+|\bauthorization\W{1,4}basic\s+\S+"
    # A name and a password before a host, in an address or without one.
    r"|(?<=://)[^\s/@]{1,200}@|\b[\w.+-]{1,60}:[^\s:@/]{1,200}@[\w.:-]+",
    re.IGNORECASE,
)
# In the text of a variant `=` is percent-encoded.
_NAMED_SECRET = re.compile(
    r"\b(\w{0,40}(?:api[_-]?key|secret|passw(?:or)?d|(?:access|auth)[_-]token|base_url)\w{0,40}"
    r"[\"']?\s{0,3}(?:=|:|%3D)\s{0,3}[\"']?)[^\s;,\"']+",
    re.IGNORECASE,
)
_PART = r"[^\s/\\;,\"'<>|]+"
_PATH = re.compile(
    rf"(?:(?<![\w.<:/~])|(?<=\w/))(?:~(?:/{_PART})+|(?:/{_PART}){{2,}})"
    rf"|\b[A-Za-z]:(?:[\\/]{{1,2}}{_PART})+"
    rf"|\\\\{_PART}(?:\\{_PART})+"
)
_USER = re.compile(rf"(?<![\w.])(?:/home/|/Users/|[A-Za-z]:[\\/]{{1,2}}Users[\\/]{{1,2}}){_PART}")
"""A user's home folder, which contains the user's name."""
_SECRET_VARIABLE = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_MIN_SECRET_LENGTH = 8
"""Length below which a variable's value can occur in a text by chance."""
_MIN_REDACTED_LENGTH = 5
"""Length of the shortest text that is redacted: a name and a password before a host, `a:b@c`."""
_MAX_ERROR_LENGTH, _MAX_FAILURE_LENGTH = 1_000, 160
_MIN_PASSAGE = 16
"""Number of successive characters that two texts don't share by chance."""


def without_keys(text: str) -> str:
    """Remove keys, passwords and home folders from a text; other addresses and paths stay.

    Values of environment variables with the name of a secret are removed too.

    Example:
        >>> without_keys("no log in /home/me/logs: 401 for sk-abcdefghijklmno")
        'no log in ~/logs: 401 for [removed]'
    """
    if len(text) < _MIN_REDACTED_LENGTH:  # `a:b@c` is the shortest text with a secret
        return text
    for secret in _secret_values():
        text = text.replace(secret, REMOVED)
    text = _KEY.sub(REMOVED, text)
    text = _NAMED_SECRET.sub(rf"\g<1>{REMOVED}", text)
    return _USER.sub("~", text)


def _secret_values() -> list[str]:
    """Return the values of environment variables that hold secrets, except short values."""
    values = (os.environ[name] for name in filter(_is_secret, os.environ))
    return [value for value in values if len(value) >= _MIN_SECRET_LENGTH]


@cache
def _is_secret(variable: str) -> bool:
    """Return whether a variable's name marks its value as secret; cached for speed."""
    return _SECRET_VARIABLE.search(variable) is not None


def failure(error: object, request: str = "") -> str:
    """Return a short, redacted text of a provider's error: type, status and start of its message.

    Args:
        error: An exception, or the text of one.
        request: The request; passages that the message repeats from it are left out.

    Example:
        >>> request = "Name the tallest of all."
        >>> failure(f"APIError(401, 'hf_abcdefghijklmnopqr: {request}')", request)
        "APIError(401, '[removed]: [...]')"
    """
    text = repr(error) if isinstance(error, BaseException) else str(error)
    text = scrub(one_line(text))[:_MAX_ERROR_LENGTH]  # a cut key would not be recognized
    return excerpt(_without_request(text, one_line(request)), _MAX_FAILURE_LENGTH)


def _without_request(text: str, request: str) -> str:
    """Replace passages of `_MIN_PASSAGE` and more characters that the request contains too.

    An error that quotes the request must not carry its text, such as a question, into a log.
    """
    pieces, start = [], 0
    while start < len(text):
        end = start + _MIN_PASSAGE
        if end > len(text) or text[start:end] not in request:
            pieces.append(text[start])
            start += 1
            continue
        while end < len(text) and text[start : end + 1] in request:
            end += 1
        pieces.append("[...]")
        start = end
    return "".join(pieces)


def scrub(text: str) -> str:
    """Remove keys and addresses from a text, and shorten absolute paths to the file's name.

    Example:
        >>> scrub("prompt=/home/me/x.txt; see http://localhost:8000/v1")
        'prompt=x.txt; see [removed]'
    """
    for secret in _secret_values():
        text = text.replace(secret, REMOVED)
    text = _ADDRESS.sub(REMOVED, text)
    text = _KEY.sub(REMOVED, text)
    text = _NAMED_SECRET.sub(rf"\g<1>{REMOVED}", text)
    return _PATH.sub(lambda path: last_part(path[0]), text)


def last_part(path: str) -> str:
    """Return the last part of a POSIX or Windows path, such as the file's name.

    A home folder's last part, which is the user's name, becomes `[removed]`.
    """
    if _USER.fullmatch(path.rstrip("/\\")):
        return REMOVED
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or REMOVED
