"""Text -> the members of the JSON objects in it, read from left to right without guesses.

What is read up to a place doesn't depend on what follows: a member is whole once the next key or
a closing brace has been reached. So a reply that was cut off reads like the whole one, or not.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import json_repair

from inspect_confidence.answers.clean import THOUGHT
from inspect_confidence.answers.reading import ambiguous, invalid
from inspect_confidence.answers.status import Unreadable

# ruff: noqa: RUF001 # quotes, colons and commas, as they are written

Scalar = str | int | float | bool | Unreadable | None
"""A value as it was parsed, or why it can't be told."""

LONGEST_NUMBER = 300
"""Digits of the longest number that becomes one; a longer one stays text."""

QUOTES = "\"'“”„‘’"

_BLANK = re.compile(r"(?:\s++|//[^\n]*+|#[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_KEY = re.compile(
    r"(?:\"(?P<double>(?:[^\"\\\n]|\\.){0,200}+)\"|'(?P<single>(?:[^'\\\n]|\\.){0,200}+)'"
    r"|[“”„](?P<smart>[^“”„\"\\\n]{0,200}+)[“”\"]|[‘’](?P<curly>[^‘’\\\n]{0,200}+)[‘’]"
    r"|(?P<bare>[^\W\d][\w -]{0,60}+))\s{0,20}+[:：]"
)
_STRING = re.compile(
    r"\"(?P<double>(?:[^\"\\]|\\.)*+)\"|'(?P<single>(?:[^'\\]|\\.)*+)'"
    r"|[“”„](?P<smart>(?:[^“”„\"\\]|\\.)*+)[“”\"]|[‘’](?P<curly>(?:[^‘’\\]|\\.)*+)[‘’]",
    re.DOTALL,
)
_BARE = re.compile(r"(?:(?!//|/\*|```)[^,，{}\[\]\"“”\n#])++")
_NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,5})?")
_ESCAPE = re.compile(
    r"\\(?:[\\/bfnrt\"]|u[0-9a-fA-F]{4}|(?P<quote>['“”‘’])|(?P<none>))|(?P<bare>\")"
)
_CONSTANTS: dict[str, Scalar] = {
    **dict.fromkeys(("null", "None", "undefined"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


def past_blank(text: str, position: int) -> int:
    """Where whitespace and comments end; an endless comment isn't one."""
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def key_at(text: str, position: int) -> tuple[str, int] | None:
    """The key that stands here with its colon, and where its value begins."""
    found = _KEY.match(text, position)
    if not found:
        return None
    written = next(part for part in found.groups() if part is not None)
    return plain_key(decoded(written)), found.end()


def plain_key(key: str) -> str:
    """The spelling under which a key is known."""
    return key.strip().casefold()


def scalar_at(text: str, position: int) -> tuple[Scalar, int] | None:
    """The string or bare value that begins here, and where it ends."""
    if text[position : position + 1] in set(QUOTES):
        string = _STRING.match(text, position)
        if not string:
            return None
        body = next(part for part in string.groups() if part is not None)
        return decoded(body), string.end()
    bare = _BARE.match(text, position)
    written = bare[0].rstrip() if bare else ""
    return (literal(written), position + len(written)) if written else None


def literal(written: str) -> Scalar:
    """What stands without quotes: a constant, a number, or else text."""
    if written in _CONSTANTS:
        return _CONSTANTS[written]
    if len(written) > LONGEST_NUMBER or not _NUMBER.fullmatch(written):
        return written
    digits = written.lstrip("+-")
    if digits.isdigit():
        return written if len(digits) > 1 and digits[0] == "0" else int(written)
    return float(written)


def decoded(body: str) -> str:
    """A string's text; a backslash that escapes nothing is one, as in LaTeX."""
    if "\\" not in body:
        return body
    text: str = json.loads(f'"{_ESCAPE.sub(_escape, body)}"', strict=False)
    return text


def _escape(found: re.Match[str]) -> str:
    if found["quote"]:
        return found["quote"]
    if found["none"] is not None:
        return "\\\\"
    return '\\"' if found["bare"] else found[0]


LONGEST = 100_000
"""Characters of the longest broken object that is looked at."""

MOST_BRACKETS = 200
"""`json_repair` takes seconds for thousands of them."""

_QUOTED_KEY = re.compile(r"[\"'“”](?P<key>[^\W\d][\w -]{0,40})[\"'“”]\s{0,20}[:：]\s{0,200}")
_ANY_KEY = re.compile(
    r"(?:(?<=[{,\n])|(?<=[{,\n] )|(?<=\n  )|(?<=\n    )|(?<=\n\t)|(?=[\"'“”]))"
    r"[\"'“”]?(?P<key>[^\W\d][\w -]{0,40})[\"'“”]?\s{0,20}[:：]\s{0,200}"
)
_IS_QUOTED = re.compile(r"\{\s*[\"'“”]")
_STRING_END = r"\s*+(?:[,\s]*+$|[}\]]|```|//)"
_BARE_END = re.compile(r"[}\n]|//|/\*|```")
_DIFFERENT = "the object is broken, and where this value ends isn't certain"


def repaired_members(text: str) -> list[tuple[str, Scalar]]:
    """The members of the object with which the text begins, and of what follows it."""
    keys = _IS_QUOTED.match(text)
    starts = list((_QUOTED_KEY if keys else _ANY_KEY).finditer(text[:LONGEST]))
    ends = [*(one.start() for one in starts[1:]), len(text)]
    guessed = _repaired(text)
    members: list[tuple[str, Scalar]] = []
    for start, end in zip(starts, ends, strict=False):
        key, value = plain_key(start["key"]), _written(text[start.end() : end])
        is_same = any(_agree(value, guess) for guess in guessed.get(key, []))
        members.append((key, value if is_same else invalid(_DIFFERENT)))
    return members


def _repaired(text: str) -> dict[str, list[object]]:
    """Every scalar that `json_repair` makes of the text, by key."""
    if len(text) > LONGEST or sum(map(text.count, "{[(")) > MOST_BRACKETS:
        return {}
    try:
        parsed: object = json_repair.loads(text, skip_json_loads=True)
    except Exception:  # It guesses at any text: whatever it stumbles over, nothing was read.
        return {}
    found: dict[str, list[object]] = {}
    for key, value in _scalars("", parsed):
        found.setdefault(key, []).append(value)
    return found


def _scalars(key: str, parsed: object) -> Iterator[tuple[str, object]]:
    if isinstance(parsed, dict):
        for name, value in parsed.items():
            yield from _scalars(plain_key(str(name)), value)
    elif isinstance(parsed, list):
        for value in parsed:
            yield from _scalars(key, value)
    else:
        yield key, parsed


def _written(value: str) -> Scalar:
    """What stands between a key and the next one."""
    quote = value[:1]
    if not quote or quote not in QUOTES:
        end = _BARE_END.search(value)
        return literal((value[: end.start()] if end else value).strip(" \t,"))
    closing = re.escape(quote) if quote in "\"'" else '[“”‘’"]'
    end = re.compile(closing + _STRING_END).search(value, 1)
    if end:
        return decoded(value[1 : end.start()].rstrip("\\"))
    return decoded(value[1:].rstrip(" \t\n,}]\\"))


def _agree(written: Scalar, guess: object) -> bool:
    if isinstance(guess, bool) or guess is None or not isinstance(written, str):
        return written == guess and type(written) is type(guess)
    if isinstance(guess, str):
        return written.split() == guess.split()
    # The parser drops what follows a number: a percent sign, a remark.
    return written.startswith(str(guess))


Member = tuple[str, Scalar]
End = Literal["none", "closed", "open", "broken"]


@dataclass
class Scanned:
    """An object as far as it could be read.

    Attributes:
        members: The whole members of it and of the objects in it, in order.
        end: "none" if no key was found, "closed" by its brace, "open" if the text ended, "broken"
            where something stands that no object has.
        position: Where it ends.
        key: The last key, if its value isn't certainly whole.
        last: What was read of that key's value, if anything.
    """

    members: list[Member] = field(default_factory=list)
    end: End = "none"
    position: int = 0
    key: str | None = None
    last: list[Scalar] = field(default_factory=list)


@dataclass
class _List:
    """A list that is open, and the scalars in it."""

    key: str
    scalars: list[Scalar] = field(default_factory=list)
    has_objects: bool = False

    def value(self) -> Scalar:
        if len(self.scalars) == 1:
            return self.scalars[0]
        return ambiguous("a list of several values") if self.scalars else invalid("an empty list")


class _Scan:
    """The state while one object is read."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.open: list[_List | None] = [None]
        self.result = Scanned(position=start + 1)

    def run(self) -> Scanned:
        result = self.result
        is_value_next = False
        while self.open:
            result.position = past_blank(self.text, result.position)
            sign = self.text[result.position : result.position + 1]
            if not sign or self.text.startswith("```", result.position):
                return self._ended("open")
            if sign in "}]":
                if is_value_next or not self._close(sign):
                    return self._ended("broken")
                continue
            if not (is_value_next or self.open[-1]):
                if not self._begin_member():
                    return self._ended("broken")
                is_value_next = True
                continue
            if not self._read_value(sign):
                return self._ended("broken")
            is_value_next = False
        return self._ended("closed")

    def _ended(self, end: End) -> Scanned:
        is_begun = self.result.key is not None or self.result.members
        self.result.end = end if is_begun or end == "closed" else "none"
        return self.result

    def _commit(self) -> None:
        if self.result.key is not None:
            self.result.members += [(self.result.key, one) for one in self.result.last]
        self.result.key, self.result.last = None, []

    def _close(self, sign: str) -> bool:
        innermost = self.open[-1]
        if (sign == "]") != isinstance(innermost, _List):
            return False
        self.open.pop()
        self._commit()
        self.result.position += 1
        if innermost and (innermost.scalars or not innermost.has_objects):
            self.result.members.append((innermost.key, innermost.value()))
        self._skip_comma()
        return True

    def _begin_member(self) -> bool:
        found = key_at(self.text, self.result.position)
        if not found:
            return False
        self._commit()
        self.result.key, self.result.position = found
        return True

    def _read_value(self, sign: str) -> bool:
        innermost = self.open[-1]
        if sign in "{[":
            key = innermost.key if innermost else (self.result.key or "")
            if innermost:
                innermost.has_objects = True
            self.open.append(_List(key) if sign == "[" else None)
            self.result.position += 1
            return True
        found = scalar_at(self.text, self.result.position)
        if not found:
            return False
        value, self.result.position = found
        if innermost:
            innermost.scalars.append(value)
        else:
            self.result.last = [value]
        return self._is_ended()

    def _is_ended(self) -> bool:
        """Whether a value ends where it seems to; passes the comma behind it."""
        if self._skip_comma():
            return True
        after = past_blank(self.text, self.result.position)
        sign = self.text[after : after + 1]
        if not sign or sign in "}]" or self.text.startswith("```", after):
            return True
        # A quotation in a string may hold a word and a colon, but hardly a key in quotes.
        return self.open[-1] is None and sign in QUOTES and key_at(self.text, after) is not None

    def _skip_comma(self) -> bool:
        after = past_blank(self.text, self.result.position)
        if self.text[after : after + 1] not in (",", "，"):
            return False
        self.result.position = after + 1
        return True


def scan_object(text: str, start: int) -> Scanned:
    """Read the object whose brace stands at `start`."""
    return _Scan(text, start).run()


_QUOTED_THOUGHT = re.compile(
    r"(?<=[\"'])<(think|thinking|reasoning)>(?:(?=[\"'])|(?P<inside>[^<]*+)</\1>)", re.IGNORECASE
)
_ASKED = re.compile("answer|confidence|[a-z]")
_ANGLED = re.compile(r"<(?!(?:true|false|yes|no)>)[^<>]*[^\W\d]{2}[^<>]*>", re.IGNORECASE)
_DOTS = re.compile(r"[.…]+")


@dataclass
class Found:
    """What was read of a reply.

    Attributes:
        members: The members of the objects that have an asked key.
        objects: How many objects there were.
        is_cut: Whether the last one isn't closed though the reply was cut off.
        unfinished: The key at whose value it was.
    """

    members: list[Member] = field(default_factory=list)
    objects: int = 0
    is_cut: bool = False
    unfinished: str | None = None


def without_thoughts(reply: str) -> str:
    """The reply without what the model thought aloud; a tag in a string is no thought."""
    reply = _QUOTED_THOUGHT.sub(lambda found: found["inside"] or "", reply)
    kept: list[str] = []
    reached, is_inside = 0, False
    for tag in THOUGHT.finditer(reply):
        if not tag["slash"]:
            if not is_inside:
                kept.append(reply[reached : tag.start()])
            is_inside = True
            continue
        if not is_inside:  # The prompt may have had the tag that opens.
            kept.clear()
        reached, is_inside = tag.end(), False
    return "".join(kept if is_inside else [*kept, reply[reached:]])


def members_of(text: str, *, truncated: bool) -> Found:
    """The members of all objects in a text; of a broken one, what is certain."""
    found = Found()
    start = text.find("{")
    while start >= 0:
        scanned = scan_object(text, start)
        if scanned.end == "none":
            start = text.find("{", start + 1)
            continue
        found.objects += 1
        members = scanned.members
        if scanned.end != "closed" and truncated:
            found.is_cut, found.unfinished = True, scanned.key
        elif scanned.end == "open" and scanned.key is not None:
            members += [(scanned.key, one) for one in scanned.last]
        elif scanned.end == "broken":
            members += repaired_members(text[start:])
        if any(map(is_asked, [*(key for key, _ in members), found.unfinished or ""])):
            found.members += members
        start = text.find("{", scanned.position) if scanned.end == "closed" else -1
    return found


def is_asked(key: str) -> bool:
    """Whether a protocol asks for the key."""
    return bool(_ASKED.fullmatch(key))


def is_placeholder(value: Scalar) -> bool:
    """Whether a value is the prompt's own, as `<your answer>` or dots."""
    if not isinstance(value, str):
        return False
    text = value[:1000].strip()
    return bool(_ANGLED.fullmatch(text) or _DOTS.fullmatch(text))


def merged(members: list[Member]) -> Mapping[str, Scalar]:
    """One value for each key: what all its values are, placeholders aside, or `ambiguous`."""
    by_key: dict[str, list[Scalar]] = {}
    for key, value in members:
        by_key.setdefault(key, []).append(value)
    return {key: _agreed(key, values) for key, values in by_key.items()}


def _agreed(key: str, values: list[Scalar]) -> Scalar:
    stated = [one for one in values if not is_placeholder(one)] or values[:1]
    if len({_sense(one) for one in stated}) == 1:
        return stated[0]
    return ambiguous(f"different values of {key[:40]!r}")


def _sense(value: Scalar) -> object:
    """What two spellings of one value have in common."""
    if value is None or isinstance(value, Unreadable):
        return value
    text = str(value).strip().casefold()
    try:
        return Fraction(text) if len(text) < 30 and "e" not in text else text
    except (ValueError, ZeroDivisionError):
        return text
