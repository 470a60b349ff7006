"""Text -> one exponent of ten, or an interval of two, or a typed failure.

A bare number is an exponent; a power of ten, or what is plainly a value (10,000; a million), is its
logarithm. Two intervals, a bound that is a range, or exponents beside values are `ambiguous`.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from inspect_confidence.answers.clean import CUT, declines
from inspect_confidence.answers.labels import I_CHANGE, Stated, stated_in
from inspect_confidence.answers.numbers import Number, numbers_in
from inspect_confidence.answers.reading import (
    ambiguous,
    invalid,
    is_revised,
    is_template,
    read_stated,
    settled,
    without,
)
from inspect_confidence.answers.status import Unreadable
from inspect_confidence.answers.values import ABOUT, has_unit, headed, tail_of

# ruff: noqa: RUF001 # dashes, as they are written

WIDEST_EXPONENT = 100.0
"""Bounds further than this from zero are out of range: twice the widest default set of truths."""
_ROUNDED = 0.05
"""Ten to an exponent of one decimal, as in 5.3 (200,000)."""
_Pair = tuple["_Bound", "_Bound"]
_FAR = Fraction(10**9)
"""No bare number is read as further from zero: Python's floats have an end."""
_CONFIRMING = re.compile(r"[ ]?(?:[=→≈:|]|->|[(\[]|,? ?(?:i\.e\.|that is|or)\b)[ ,]*")
_UNSURE = re.compile(
    r"[ ]?[(\[][ ]?(?:(?:or|and|maybe|perhaps|(?:up )?to|possibly|not)\b|[±+–])|\.[ ][0-9]"
    r"|[ -]?(?:hundred|thousand|[mbtr]+illion)|[ ]and (?:an?|one) (?:half|third|quarter)",
    re.IGNORECASE,
)
_NO_UNIT = re.compile(r"\W*(?:orders? of|and|but|so|in|at|on|by|with|which|lower|upper)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|isn't|aren't|outside)[^.\n]{0,20}$", re.IGNORECASE)
_CONCLUDED = re.compile(r"\b(?:so|hence|thus|therefore|that is)[:,]? (?:about )?", re.I)
_REMARK = re.compile(r"(?<=[0-9]) ?\([^()]*\)\W*$")
_DIGITS = r"[0-9](?:[0-9.]*[0-9])?"
"""From the first to the last: a full stop around them may as well be a sign of the line's."""
_BARE_LINE = re.compile(
    rf"[^\w\n]*(?:A: )?{ABOUT}?(?:\w+|[-+]?{_DIGITS}|[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+"
    rf"|(?:[0-9][0-9.]*)? ?[x×]? ?10 ?\^ ?\(?-?\.?{_DIGITS}\.?\)?)[^\w\n]*"
)
_FINAL = re.compile(
    r"\bfinal(?: (?:answer|interval|estimate|range))? ?(?::|is\b|(?=lower))"
    rf"|\b{I_CHANGE} (?:it|that|this|my (?:interval|answer|estimate|range)) to\b",
    re.IGNORECASE,
)
_JOIN = re.compile(
    r"[)\]]?(?: \((?:lower|min)[^()\n]{0,20}\))?(?:[ ][A-Za-z]+(?= (?:to|-|–)))?[ ]?"
    r"(?:(?:[-–—~→,;|\n到至]|to|bis|à|through|and|und|et"
    rf"|up to|(?:[<≤]|less than)(?: ?\w+ ?(?:[<≤]|less than))?)[ ]?){{1,8}}(?:{ABOUT}|~)?[(\[]?",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"(?:between|from|zwischen|von|entre|range[sd]?|interval|exponents?|ci|is|介于)\W*"
    rf"(?:{ABOUT}|of )?$|[\[(]$|^\W*$",
    re.IGNORECASE,
)
_ABOUT_IT = re.compile(
    r"between|from|to|and|range|interval|exponents?|ci|confidence|credible|i|am|sure|say|my|the|an?"
    r"|is|for|of|powers?|ten|answer|final|estimate|lower|upper|bounds?|would|be|it|lies?|with|so"
    r"|approximately|about|base|or|that|e|log|as|on|at|number|true|guess|confident|certain|m|d",
    re.IGNORECASE,
)
_TAIL = re.compile(rf"[)\]]?[ ]?(?:%|million|thousand|billion|[,;] ?[0-9]|[.,]?{CUT}|[ ]?\w+{CUT})")


@dataclass(frozen=True)
class StatedExponent:
    """An exponent as it was stated: what ten is raised to."""

    value: float


@dataclass(frozen=True)
class StatedInterval:
    """An interval of exponents of ten as it was stated, its smaller bound as `lower`.

    It is `reversed` if the larger one was given as the lower, or first where neither is named.
    """

    lower: float
    upper: float
    reversed: bool


class _Bound(NamedTuple):
    """A number as an exponent, and whether it was written as one."""

    exponent: float
    is_value: bool


def read_exponent(
    reply: str, *, truncated: bool = False, limit: float = WIDEST_EXPONENT
) -> StatedExponent | Unreadable:
    r"""Read one exponent of ten from a model's reply.

    A failure is `no_response`, `refusal`, `truncated`, `ambiguous`, `invalid_response_format`, or
    `out_of_range` for an exponent with a greater absolute value than `limit`.

    Example:
        >>> read_exponent("Exponent: 5")
        StatedExponent(value=5.0)
        >>> read_exponent(r"about $10^{5}$ piano tuners")
        StatedExponent(value=5.0)
        >>> read_exponent("100,000")
        StatedExponent(value=5.0)
        >>> read_exponent("5 or 6").status
        'ambiguous'
    """
    found = read_stated(reply, _exponent, keys=("exponent", "answer"), truncated=truncated)
    if isinstance(found, Unreadable):
        return found
    if not abs(found.exponent) <= limit:
        return Unreadable("out_of_range", f"beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedExponent(found.exponent)


def read_interval(
    reply: str, *, truncated: bool = False, limit: float = WIDEST_EXPONENT
) -> StatedInterval | Unreadable:
    r"""Read one interval of exponents of ten from a model's reply, with its bounds in order.

    Failures are those of `read_exponent`; the limit holds for each bound.

    Example:
        >>> read_interval("Lower: 3\nUpper: 5.5")
        StatedInterval(lower=3.0, upper=5.5, reversed=False)
        >>> read_interval("somewhere between 10^7 and 2 x 10^4")
        StatedInterval(lower=4.301029995663981, upper=7.0, reversed=True)
        >>> read_interval("Lower: 3-4, Upper: 9").status
        'ambiguous'
    """
    keys = ("lower", "upper", "low", "high")
    pair = read_stated(reply, _interval, keys=keys, truncated=truncated)
    if isinstance(pair, Unreadable):
        return pair
    first, second = (bound.exponent for bound in pair)
    if not (abs(first) <= limit and abs(second) <= limit):
        return Unreadable("out_of_range", f"beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedInterval(min(first, second), max(first, second), reversed=first > second)


def _exponent_of(number: Number) -> _Bound | None:
    """A number as an exponent; None if it is no power of ten."""
    if number.value is None or number.style in ("percent", "fraction"):
        return None
    is_small_word = number.style == "word" and abs(number.value) < 100
    is_large = number.value >= 1000 and number.is_integer  # no exponent is so large
    if is_small_word or (number.style == "plain" and not is_large):
        return _Bound(float(max(-_FAR, min(number.value, _FAR))), is_value=False)
    return None if number.log10 is None else _Bound(number.log10, is_value=True)


def _value(value: str) -> _Bound | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    """The bound with which a label's value begins; a note in brackets is an explanation."""
    number, before, tail = headed(value)
    if number is None:
        return invalid("no number at its start" if re.search("[0-9]", value) else "no number")
    written = value[number.start : number.end]
    bound = _exponent_of(number)
    if bound is None:
        return invalid(f"{written[:40]} is no power of ten")
    follows = tail_of(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound") or _UNSURE.match(tail):
        return ambiguous("not certainly one number")
    if confirming := _CONFIRMING.match(tail):
        return _confirmed(number, bound, tail[confirming.end() :], confirming[0])
    if follows in ("other", "calculation"):
        return ambiguous("several numbers")
    is_amount = written[:1] in set("$€£") or (has_unit(tail) and not _NO_UNIT.match(tail))
    if not bound.is_value and (is_amount or re.fullmatch(r"[1-9][0-9]{0,2}\.000", written)):
        return ambiguous("a value or an exponent")
    return bound


def _confirmed(number: Number, bound: _Bound, again: str, sign: str) -> _Bound | Unreadable:
    """A number that is said twice: 5 = 10^5, 20 (= 10^1.3)."""
    second, _, _ = headed(again)
    other = _exponent_of(second) if second else None
    if other is None:
        return bound
    if other.is_value and number.log10 and abs(number.log10 - other.exponent) <= _ROUNDED:
        return other
    if _agree(bound, other) or {*sign} & {*"([:"}:
        return bound
    return ambiguous("two different numbers")


def _agree(one: _Bound, other: _Bound) -> bool:
    """Whether two numbers are the same bound, a bare one perhaps as a value: 10^3 (1000)."""
    if abs(one.exponent - other.exponent) <= _ROUNDED:
        return True
    value, bare = (one, other) if one.is_value else (other, one)
    return (
        one.is_value != other.is_value
        and bare.exponent > 0
        and abs(math.log10(bare.exponent) - value.exponent) <= _ROUNDED
    )


def _numbers(text: str) -> list[Number]:
    """The numbers that may be bounds: percentages are confidences."""
    return [one for one in numbers_in(text) if one.style != "percent"]


def _exponent(stated: Stated) -> _Bound | Unreadable:
    """The labelled exponent; else the number of a line of its own, or the only power."""
    found = settled(stated, ("exponent", "answer"), _value, _agree)
    if found is None or (isinstance(found, Unreadable) and "no number" in found.reason):
        return _unlabelled(stated)
    firm = {one.strength for one in stated.under("exponent", "answer")}
    opening = None if firm - {"prose", "inline"} else _alone(stated.text.split("\n")[0])
    if opening in (None, found) or isinstance(found, Unreadable) or is_revised(stated.text):
        return found
    is_rounded = opening and abs(opening.exponent - found.exponent) < 1
    return opening if opening and is_rounded else ambiguous("several different exponents")


def _unlabelled(stated: Stated) -> _Bound | Unreadable:
    text = without(stated, "reason", "confidence")
    numbers = _numbers(text)
    if declines(stated.text) or not numbers:
        return invalid("no number in the reply")
    found = ambiguous("no number in the reply is certainly its only answer")
    if _DENIED.search(text[: numbers[0].start]) or CUT in text[numbers[-1].end :][:12]:
        return found
    alone = [(line, bound) for line in text.split("\n") if (bound := _alone(line))]
    for line, last in alone[-1:]:
        is_agreed = all(bound == last for _, bound in alone) or is_revised(text)
        if is_agreed and not is_revised(stated.text.rpartition(line)[2]):
            return last
    *so, end = _CONCLUDED.split(text[-80:])
    if so and not alone and (concluded := _alone(end)):
        return concluded
    power, *rest = sorted(numbers, key=lambda one: one.style != "power")
    bound = _exponent_of(power) if power.style == "power" else None
    if bound and all((other := _exponent_of(one)) and _agree(bound, other) for one in rest):
        return bound
    return found


def _alone(line: str) -> _Bound | None:
    """The number that a line is."""
    line = _REMARK.sub("", line)
    found = _value(line) if _BARE_LINE.fullmatch(line) else None
    return found if isinstance(found, _Bound) else None


def _interval(stated: Stated) -> _Pair | Unreadable:
    """The two bounds, as named or as a range; those that are called final before all others."""
    *_, final = [None, *_FINAL.finditer(stated.text)]
    if final:
        rest = stated_in(stated.text[final.end() :])
        found = _interval_of(rest)
        if rest.under("lower", "upper") or not isinstance(found, Unreadable):
            return found
    return _interval_of(stated)


def _interval_of(stated: Stated) -> _Pair | Unreadable:
    # In prose what is low or high may be anything, as a function's minimum.
    is_prose = any(one.strength == "prose" for one in stated.under("low", "high"))
    looser = None if is_prose else _named(stated, "low", "high")
    found = _named(stated, "lower", "upper")
    found = found or (None if isinstance(looser, Unreadable) else looser) or _ranges(stated)
    is_echo = any(is_template(one.value) for one in stated.under("lower", "upper"))
    reason = "the template was echoed" if is_echo else "no interval of two exponents in the reply"
    return found or invalid(reason)


def _named(stated: Stated, *names: str) -> _Pair | Unreadable | None:
    """The bounds under two labels; None if neither is there."""
    sides = [_side(stated, name) for name in names]
    failed = next((side for side in sides if isinstance(side, Unreadable)), None)
    match [side for side in sides if side is not None]:
        case []:
            return None
        case [_]:
            return _ranges(stated) or failed or invalid("only one bound is named")
        case [_Bound() as lower, _Bound() as upper] if lower.is_value == upper.is_value:
            return lower, upper
    return failed or ambiguous("one bound is an exponent, the other a value")


def _side(stated: Stated, name: str) -> _Bound | Unreadable | None:
    return settled(stated, (name,), _value, _agree)


def _ranges(stated: Stated) -> _Pair | Unreadable | None:
    """The only interval that is written as a range, in values or anywhere; None for none."""
    keys = ("answer", "choice", "confidence", "exponent", "interval")
    objects = [one.value for one in stated.statements if one.strength == "object"]
    if declines(stated.text) and not objects:
        return None
    for texts in ([*(one.value for one in stated.under(*keys)), *objects], [stated.text]):
        pairs = [pair for text in texts for pair in _pairs(text)]
        if any(not (_agree(low, pairs[0][0]) and _agree(high, pairs[0][1])) for low, high in pairs):
            return ambiguous("several different intervals")
        if pairs:
            return pairs[0]
    return None


def _pairs(text: str) -> list[_Pair]:
    """Every two numbers that are joined to an interval; bare ones if the text is about no more."""
    numbers, reached = _numbers(text), 0
    found: list[_Pair] = []
    for first, second in pairwise(numbers):
        one, other = _exponent_of(first), _exponent_of(second)
        gap = text[first.end : second.start]
        if one and other and gap.strip() == "±" and not one.is_value:
            middle, half = one.exponent, other.exponent
            return [(_Bound(middle - half, is_value=False), _Bound(middle + half, is_value=False))]
        if one and other and one.is_value == other.is_value and _are_joined(text, first, second):
            falls = one.is_value and one.exponent > other.exponent
            if (falls and re.search("[-–]", gap)) or first.start < reached:
                return []  # a difference, or three in a row
            found.append((one, other))
            reached = second.end
    words = re.findall(r"[^\W\d_]+", text)
    if len(numbers) != 2 * len(found) or not all(map(_ABOUT_IT.fullmatch, words)):
        found = [pair for pair in found if pair[0].is_value]
    if found and found[0][0].is_value:
        low, high = sorted(bound.exponent for bound in found[-1])
        later = [_exponent_of(one) for one in numbers_in(text, reached) if one.style == "power"]
        if any(one and not low <= one.exponent <= high for one in later):
            return []
    return found


def _are_joined(text: str, first: Number, second: Number) -> bool:
    """Whether what stands between two numbers, and around them, makes them an interval."""
    gap, before = text[first.end : second.start], text[max(0, first.start - 30) : first.start]
    if not _JOIN.fullmatch(gap) or _DENIED.search(before) or _TAIL.match(text, second.end):
        return False
    is_bare = first.style in ("plain", "word")
    if gap in (" -", "- ") or (is_bare and (gap == "--" or text[first.start] in "$€£")):
        return False
    is_weak = re.fullmatch(r"[ ]?(?:and|und|et|,|;)[ ]?", gap)
    return not is_weak or bool(_OPENED.search(before))
