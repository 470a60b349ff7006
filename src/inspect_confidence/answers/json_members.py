"""Text -> the JSON objects in it and their members, in strict JSON or as models write them."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from inspect_confidence.answers.clean import single_blanks
from inspect_confidence.answers.label_names import NAMES, plain_key

# ruff: noqa: RUF001 # colons and quotation marks, as they are written

_MOST_STARTS, _LONGEST_OBJECT, _MOST_MEMBERS = 50, 100_000, 1_000
"""Limits: places where an object may begin, characters of an object, members of a broken object."""
_LISTS = ("markers", "agreement")
"""Keys whose values are lists."""

_QUOTED = r"[\"'“”‘’][^\"'“”\n]{1,60}[\"'“”‘’]"
_BARE = r"(?<=[{,\n])\s*[^\W\d][\w -]{0,40}"
_QUOTES = "\"'“”„‘’"
_NEXT = rf"(?=\s*,?\s*(?:(?:{_QUOTED}|{_BARE})\s*[:：]|[}}\]]|```|\Z|#))"
_MEMBER = re.compile(
    rf"(?P<key>{_QUOTED}|{_BARE})\s*[:：]\s*(?:"
    rf"(?P<quote>[\"'])(?P<string>(?:(?!(?P=quote))[^\\]|\\.)*)(?P=quote){_NEXT}"
    r"|(?P<list>\[[^\[\]{}]*\])(?!\s*[,|;]?\s*\[|\s*[\"'\w])"
    rf"|(?P<plain>[^\s{_QUOTES}{{}}\[\],][^\n{{}}\[\]]{{0,400}}?)(?:{_NEXT}|(?=[ ]*\n))"
    rf"|[{_QUOTES}](?P<broken>[^\n{{]{{0,500}}?)[{_QUOTES}]{_NEXT}"
    rf"|[{_QUOTES}](?P<unclosed>[^\n{{}}\[\]{_QUOTES}]{{1,400}})(?=\n\s*\}})"
    r"|(?P<cut>[^{}\[\]]{0,2000})\Z"
    r"|)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\([\"'\\/])")
_LATEX = {"\b": r"\b", "\f": r"\f", "\t": r"\t"}
_UNESCAPED = re.compile(r"\x08(?=oxed)|\f(?=rac|box)|\t(?=ext|imes)")
"""Commands of LaTeX with one backslash, which JSON takes for a control character."""
_COMMENT = re.compile(r"/\*.{0,1000}?\*/|(?<![:\w\"'])//[^\n]*|(?<=[\d\"'])[ ]+#[^\n]*", re.DOTALL)
_OBJECT = re.compile(
    r"(?<![A-Za-z^_\\}])\{\s*(?=[\"'“”‘’{\[}]|[^\W\d][\w -]{0,40}\s*[:：]|//|/\*|#)"
)


class Member(NamedTuple):
    """A member of an object: its plain key, its value, and whether the value may go on."""

    key: str
    value: str
    is_open: bool = False


class ObjectSpan(NamedTuple):
    """Start and end of an object in the reply, and its members."""

    start: int
    end: int
    members: list[Member]


def objects_in(reply: str) -> Iterator[ObjectSpan]:
    """Yield the objects of a reply that have a label or a letter as a key, in their order."""
    # For speed, few objects are tried. An object that isn't strict JSON is read leniently, as a
    # whole. If this finds no label, neither would lenient readings of its parts; but a part may be
    # strict JSON, which alone is looked for up to the object's end (`lenient_end`).
    tries = yielded_end = lenient_end = 0
    for begin in _OBJECT.finditer(reply):  # a brace before a key
        start = begin.start()
        if start < yielded_end:  # within the last object that was yielded
            continue
        if tries == _MOST_STARTS:
            return
        tries += 1
        span = _decoded_object(reply, start)
        if not span and start >= lenient_end:
            span = _broken_object(reply, start)
            lenient_end = span.end
        if span and any(member.key in NAMES or len(member.key) == 1 for member in span.members):
            yielded_end = span.end
            yield span


class _Object(list[tuple[str, Any]]):
    """The members of an object, in order; a repeated key keeps every value."""


_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str, object_pairs_hook=_Object)


def _decoded_object(reply: str, start: int) -> ObjectSpan | None:
    """Return the object that begins at a position; None if it is not strict JSON, or too long."""
    try:
        parsed, length = _DECODER.raw_decode(reply[start : start + _LONGEST_OBJECT])
        # What can be decoded may still be too deep for the recursion over members.
        members = list(_scalar_members(parsed))
    except (ValueError, RecursionError):
        return None
    return ObjectSpan(start, start + length, members)


def _scalar_members(parsed: Any, key: str = "") -> Iterator[Member]:
    """Yield the scalars of parsed JSON under their keys; a list of scalars is one text.

    The only value of an object also counts under the object's own key: {"answer": {"letter": "B"}}
    has the answer B. The keys `markers` and `agreement` ask for lists (`_LISTS`): under them an
    object of several values counts as the list of those that are no objects themselves, and an
    object in a list as its first value. A scalar or list without any key is left out.

    Args:
        parsed: Parsed JSON, in which an object is a list of its (name, value) pairs.
        key: Key of the parsed value; empty for the whole text.
    """
    if isinstance(parsed, _Object):
        for name, value in parsed:
            yield from _scalar_members(value, plain_key(name))
        values = [value for _, value in parsed if not isinstance(value, _Object)]
        if key and len(parsed) == len(values) == 1:
            yield from _scalar_members(values[0], key)
        elif key in _LISTS and values:
            yield Member(key, _as_json(values))
    elif isinstance(parsed, list) and any(isinstance(entry, _Object) for entry in parsed):
        for value in parsed:
            yield from _scalar_members(value)
        if key in _LISTS:
            first_values = []
            for entry in parsed:
                has_value = isinstance(entry, _Object) and entry  # its first (name, value) pair
                first_values.append(entry[0][1] if has_value else entry)
            yield Member(key, _as_json(first_values))
    elif isinstance(parsed, list) and key in _LISTS:
        yield Member(key, _as_json(parsed))
    elif key:
        yield Member(key, _as_text(parsed))


def _as_text(value: object) -> str:
    r"""Return a value as text; a list of numbers, which are strings here, has no quotation marks.

    None is the empty text, and a list of one value is that value. JSON decodes the beginning of
    LaTeX's `\frac` as a form feed: such signs become commands again.
    """
    if not isinstance(value, list):
        return "" if value is None else _UNESCAPED.sub(lambda sign: _LATEX[sign[0]], str(value))
    if len(value) == 1:
        return _as_text(value[0])
    text = _as_json(value)
    return text if re.search(r"[^\W\d_]", text) else text.replace('"', "")


def _as_json(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False)


def _broken_object(reply: str, start: int) -> ObjectSpan:
    """Return the span and the members of an object that isn't strict JSON.

    It ends at the last closing brace of the reply or, without one, at the end of the reply, and is
    cut after a hundred thousand characters. A value is open if the reply seems to end within it.
    """
    close = reply.rfind("}", start, start + _LONGEST_OBJECT)
    end = close + 1 if close >= 0 else min(len(reply), start + _LONGEST_OBJECT)
    text = _COMMENT.sub(" ", single_blanks(reply[start:end])).rstrip()
    members = []
    for match in islice(_MEMBER.finditer(text), _MOST_MEMBERS):
        # The group names the form of the value: "string", "list", "plain" (no quotation marks),
        # "broken" (quotation marks that don't pair), "unclosed" (an opening mark alone, before a
        # line with the object's brace), "cut" (up to the text's end), or "key" (no value follows).
        group = match.lastgroup or ""
        value = "" if group == "key" else match[group].strip()
        if group in ("string", "broken"):
            value = _ESCAPED.sub(r"\1", value.replace("\\n", "\n"))
        is_last = close < 0 and not text[match.end() :].strip(" ,")
        is_open = group == "cut" or (is_last and group not in ("string", "list"))
        key = plain_key(match["key"].strip(f"{_QUOTES} \n"))
        members.append(Member(key, value.lstrip(_QUOTES), is_open))
    return ObjectSpan(start, end, members)
