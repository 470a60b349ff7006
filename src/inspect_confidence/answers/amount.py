"""A value -> the one number that it states, exactly."""

import re
from fractions import Fraction

from inspect_confidence.answers.clean import CUT
from inspect_confidence.answers.numbers import LONGEST, NUMBER, WORD, value_of, word_value
from inspect_confidence.answers.reading import ambiguous, invalid
from inspect_confidence.answers.status import Unreadable

_BRACKETS = re.compile(r"\((?P<inside>[^()\n]*)\)")
_ALTERNATIVE = re.compile(r"\s*(?:or|and|to|maybe|perhaps)\b|\s*±", re.IGNORECASE)
_TIME = re.compile(r"[0-9]:[0-9]")
_UNSOLVED = re.compile(r"-[ ]?[a-z]|-?[0-9.]+[ ]?[a-z]|.*[!<>≠]", re.IGNORECASE)
_EQUALS = re.compile("[=≡]")
_SEVERAL_AMOUNTS = re.compile(r"[,;]\s|[,;]$|\b(?:or|and)\b", re.IGNORECASE)
_NO_LEAD = re.compile(
    r"[(+*/^×÷√≠<>≤≥±\\{}]|[-–—]\s*$"  # noqa: RUF001 # dashes and times sign
    r"|\b(?:between|from|not|than|least|most|over|under|above|below|except|to|or|neither|either"
    r"|sqrt|log|ln|sin|cos|tan|infinity)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"[ ]?(?:[-–—~±…]|\.\.|\+/-)[ ]?[$€£]?[.0-9]|[,.'][0-9]|[ ][$€£]?[.0-9]"  # noqa: RUF001 # dashes
    r"|.*\b(?:or|at (?:least|most))\b",
    re.IGNORECASE,
)
_CALCULATION = re.compile(
    r"[ ]?(?:[-–—](?![A-Za-z])|[+*×÷^!√π∞]|/[ ]?[0-9(]|\(|\\(?!circ|degree))"  # noqa: RUF001
    r"|[ ]?(?:sqrt|pi|root|times|plus|minus|divided|over|squared|cubed|factorial)\b"
    r"|-?(?:st|nd|rd|th)\b|[ ]?[xyz]\b|[ni]\b",
    re.IGNORECASE,
)
_SHORT_MAGNITUDE = re.compile(r"[ ]?(?:[kKMBT]|bn|mn|mil)(?!\w)")
_MILLIONS = re.compile(r"[$€£¥₹].*[0-9][ ]?m(?!\w)")
_REMAINDER = re.compile(r"\br[0-9]|\bremainder\b", re.IGNORECASE)
_UNIT = re.compile(r"[ -]?(?:[^\W\d_]|[°%$€£¥₹/\"'\\])")
_LEAD_IN = re.compile(
    r"\b(?:in|per|for|every|each|after|during|within|at|on|by|with) [$€£]?", re.IGNORECASE
)
_DEGREES = re.compile(r"\^ ?\(? ?\\circ\b ?\)?")
_ENDED = re.compile(r"[ ]?[,;.:\"')\]|]|$")


def amount_of(value: str) -> Fraction | Unreadable:
    """The number in a label's value."""
    if CUT in value:
        return invalid("the number may be cut off")
    if _TIME.search(value):
        return invalid("a time or a ratio")
    bare = _without_remarks(_DEGREES.sub("°", value.strip()))
    if bare is None:
        return ambiguous("several numbers")
    *before, last = _EQUALS.split(bare)
    right = _single(last)
    if not before or isinstance(right, Unreadable):
        return right
    left = _single(before[-1])
    # A left side that is a number itself, not a calculation, must be the same one.
    is_unsolved = _UNSOLVED.fullmatch(before[-1].strip())
    if (
        is_unsolved
        or _SEVERAL_AMOUNTS.search(bare)
        or (isinstance(left, Fraction) and left != right)
    ):
        return ambiguous("an unsolved equation, or several numbers")
    return right


def alone_amount(text: str) -> Fraction | Unreadable:
    """The number that the whole reply is, with a unit at most."""
    number = NUMBER.search(text)
    words = re.findall(r"[^\W\d_]+", text[:200])
    before = text[: number.start()].strip(" =~≈") if number else ""
    if "\n" in text or len(text) > 2 * LONGEST or len(words) > 3 or before not in ("", "about"):
        return invalid("no labelled answer")
    return amount_of(text)


def _without_remarks(value: str) -> str | None:
    """The value without remarks in brackets; None if a remark is an alternative."""
    whole = _BRACKETS.fullmatch(value.rstrip(" ."))
    if whole:
        return whole["inside"].strip()
    remarks = list(_BRACKETS.finditer(value))
    if any(_ALTERNATIVE.match(remark["inside"]) for remark in remarks):
        return None
    kept = _BRACKETS.sub(lambda found: found[0] if _is_operand(found) else " ", value)
    return " ".join(kept.split())


def _is_operand(found: re.Match[str]) -> bool:
    """Whether a bracket is a part of a calculation: `3 × (4)`, `10^(3)`, `f(2)`, `5(2)`."""  # noqa: RUF002
    before = found.string[max(0, found.start() - 2) : found.start()]
    after = found.string[found.end() : found.end() + 2]
    return bool(re.search(r"[\w×*+/^=-]$|[×*+/^=-] $", before) or re.match(r" ?[×*+/^=]", after))  # noqa: RUF001


def _single(value: str) -> Fraction | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    """The number of a text without equations."""
    value = value.strip(" \"'`|[]~≈").rstrip(" \"'`,;:|$")
    if value.endswith("..."):
        return ambiguous("a number without an end")
    value = value.rstrip(" .")
    first = NUMBER.search(value)
    if not first:
        by_word = word_value(value)
        if by_word is None and WORD.search(value):
            return ambiguous("not certainly one number")
        return invalid("no number") if by_word is None else by_word
    if len(first[0]) > LONGEST:
        return invalid(f"a number of {len(first[0])} characters")
    amount = value_of(first)
    if amount is None:
        return invalid("a division by zero")
    before, tail = value[: first.start()], value[first.end() :]
    if len(before) > 200 or WORD.search(before) or _NO_LEAD.search(before):
        return ambiguous("not certainly one number")
    if _MILLIONS.match(first[0] + tail[:3]) or _SHORT_MAGNITUDE.match(tail):
        return ambiguous("a magnitude or a unit")
    if _RANGE.match(tail) or _REMAINDER.search(tail):
        return ambiguous("several numbers")
    if _CALCULATION.match(tail):
        return invalid("a calculation, not a number")
    if not (_UNIT.match(tail) or _ENDED.match(tail)):
        return invalid("a number that goes on")
    return _with_rest(amount, tail)


def _with_rest(amount: Fraction, tail: str) -> Fraction | Unreadable:
    """The amount, if nothing in the rest of the value is another answer."""
    words = {found[0].lower() for found in WORD.finditer(tail)} - {"one"}
    others = [number for number in NUMBER.finditer(tail) if value_of(number) != amount]
    if words:
        return ambiguous("several numbers")
    if not others:
        return amount
    belong = all(_LEAD_IN.fullmatch(tail, *_lead_in(tail, number)) for number in others)
    if belong and _UNIT.match(tail) and not _SEVERAL_AMOUNTS.search(tail):
        return amount
    return ambiguous("several numbers")


def _lead_in(tail: str, number: re.Match[str]) -> tuple[int, int]:
    begin = tail.rfind(" ", max(0, number.start() - 10), max(0, number.start() - 1)) + 1
    return begin, number.start()
