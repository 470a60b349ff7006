"""Text -> one exponent of ten, or an interval of two, or a typed failure.

A bare number is an exponent; a power of ten, or a number that is plainly a value (10,000; a
million), is its logarithm. Two different intervals, a bound that is itself a range, or a mixture of
exponents and values is `ambiguous`, never a guess.
"""

import math
import re
from dataclasses import dataclass
from itertools import pairwise

from inspect_confidence.answers.clean import CUT, declines
from inspect_confidence.answers.labels import Stated, stated_in
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
from inspect_confidence.answers.values import headed, tail_of

# ruff: noqa: RUF001 # dashes, as they are written

WIDEST_EXPONENT = 100.0
"""Bounds further than this from zero are out of range: twice the widest default set of truths."""
_ROUNDED = 0.05
"""Ten to an exponent of one decimal, as in 5.3 (200,000)."""


@dataclass(frozen=True)
class StatedExponent:
    """An exponent as it was stated.

    Attributes:
        value: What ten is raised to.
    """

    value: float


@dataclass(frozen=True)
class StatedInterval:
    """An interval as it was stated.

    Attributes:
        lower: The smaller bound, an exponent of ten.
        upper: The larger bound.
        reversed: Whether the larger one was given as the lower, or first where neither is named.
    """

    lower: float
    upper: float
    reversed: bool


@dataclass(frozen=True)
class _Bound:
    """A number as an exponent, and whether it was written as one."""

    exponent: float
    is_value: bool


def read_exponent(
    reply: str, *, truncated: bool = False, limit: float = WIDEST_EXPONENT
) -> StatedExponent | Unreadable:
    r"""Read one exponent of ten from a model's reply; never raises.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number that ends where the text ends may then
            be a part of one, and is not read.
        limit: An exponent with a greater absolute value is `out_of_range`.

    Returns:
        The exponent, or why there is none: `no_response`, `refusal`, `truncated`, `out_of_range`,
        `ambiguous` or `invalid_response_format`.

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
    r"""Read one interval of exponents of ten from a model's reply; never raises.

    Args:
        reply: The reply's text.
        truncated: Whether the model was cut off; a number that ends where the text ends may then
            be a part of one, and is not read.
        limit: Bounds with a greater absolute value are `out_of_range`.

    Returns:
        The interval with its bounds in order, or why there is none: `no_response`, `refusal`,
        `truncated`, `out_of_range`, `ambiguous` or `invalid_response_format`.

    Example:
        >>> read_interval("Lower: 3\nUpper: 5.5")
        StatedInterval(lower=3.0, upper=5.5, reversed=False)
        >>> read_interval("somewhere between 10^7 and 2 x 10^4")
        StatedInterval(lower=4.301029995663981, upper=7.0, reversed=True)
        >>> read_interval("Lower: 3-4, Upper: 9").status
        'ambiguous'
    """
    pair = read_stated(
        reply, _interval, keys=("lower", "upper", "low", "high"), truncated=truncated
    )
    if isinstance(pair, Unreadable):
        return pair
    first, second = (bound.exponent for bound in pair)
    if not (abs(first) <= limit and abs(second) <= limit):
        return Unreadable("out_of_range", f"beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedInterval(min(first, second), max(first, second), reversed=first > second)


def bound_of(number: Number) -> _Bound | None:
    """A number as an exponent; None if it is no power of ten."""
    if number.value is None or number.style in ("percent", "fraction"):
        return None
    if number.style == "plain" and number.value >= _THOUSAND and number.is_integer:
        return _Bound(number.log10 or 0.0, is_value=True)  # no exponent is so large
    if number.style == "plain" or (number.style == "word" and abs(number.value) < _HUNDRED):
        return _Bound(float(number.value) if abs(number.value) < _FAR else math.inf, is_value=False)
    log = number.log10
    return None if log is None else _Bound(log, is_value=True)


_HUNDRED, _THOUSAND, _FAR = 100, 1000, 10**9
_CONFIRMING = re.compile(
    r"[ ]?(?:[=→≈:|]|->|[(\[][ ]?(?:[=≈~]|i\.e\.,?)?|,? ?(?:i\.e\.|that is|or)[ ,]*)[ ]?"
)
_UNSURE = re.compile(
    r"[ ]?[(\[][ ]?(?:or|and|maybe|perhaps|to|up to|possibly|not)\b|[ ]?[(\[][ ]?[±+–]|\.[ ][0-9]"
    r"|[ -]?(?:hundred|thousand|million|billion|trillion)|[ ]and (?:an?|one) (?:half|third"
    r"|quarter)",
    re.IGNORECASE,
)
_UNITS = re.compile(r"[ ]?(?:orders? of magnitude|\(?log10\)?|digits)\b", re.IGNORECASE)
_UNIT = re.compile(r"[ -]?[A-Za-z$€£]")
_TELLING = re.compile(
    r"\W*(?:because|since|as|which|mean\w*|i\.e|for|given|correspond\w*|represent\w*|would|is|so"
    r"|and|but|if"
    r"|in|at|on|with|from|by|based|considering|assuming|equivalent|due|lower|upper|exponent|sure"
    r"|confident"
    r"|final|note)\b",
    re.IGNORECASE,
)


def _value(value: str) -> _Bound | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    """The bound with which a label's value begins; a note in brackets is an explanation."""
    cells = [cell for cell in value.split("|") if re.search("[0-9]", cell)]
    if len(cells) > 1:
        found = [_value(cell) for cell in cells]
        first = found[0]
        alike = [
            isinstance(one, _Bound) and isinstance(first, _Bound) and _agree(first, one)
            for one in found
        ]
        return first if all(alike) else ambiguous("several numbers")
    number, before, tail = headed(value)
    if number is None:
        return invalid("no number" if not re.search("[0-9]", value) else "no number at its start")
    written = value[number.start : number.end]
    bound = bound_of(number)
    if bound is None:
        return invalid(f"{written[:40]} is no power of ten")
    follows = tail_of(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound") or _UNSURE.match(tail):
        return ambiguous("not certainly one number")
    if confirming := _CONFIRMING.match(tail):
        again, _, _ = headed(tail[confirming.end() :])
        other = bound_of(again) if again else None
        log = number.log10
        if other and other.is_value and log and abs(log - other.exponent) <= _ROUNDED:
            return other
        if other and not _agree(bound, other) and tail.lstrip()[:1] not in ("(", "["):
            return ambiguous("two different numbers")
        return bound
    if _UNITS.match(tail):
        return bound
    if follows in ("other", "calculation"):
        return ambiguous("several numbers")
    has_unit = written[:1] in set("$€£") or (_UNIT.match(tail) and not _TELLING.match(tail))
    if not bound.is_value and (has_unit or re.fullmatch(r"[1-9][0-9]{0,2}\.000", written)):
        return ambiguous("a value or an exponent")
    return bound


def _agree(one: _Bound, other: _Bound) -> bool:
    if abs(one.exponent - other.exponent) <= _ROUNDED:
        return True
    value, exponent = (one, other) if one.is_value else (other, one)
    small = value.exponent  # "10^3 (1000)": a bare number may be the value
    return (
        one.is_value != other.is_value
        and exponent.exponent > 0
        and (abs(math.log10(exponent.exponent) - small) <= _ROUNDED)
    )


def _exponent(stated: Stated) -> _Bound | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    found = settled(stated, ("exponent", "answer"), _value, _agree)
    if found is not None:
        first = stated.text.split("\n")[0]
        opening = _value(first) if _BARE_LINE.fullmatch(first) else found
        is_prose = all(
            one.strength in ("prose", "inline")
            for one in stated.under("exponent", "answer", "choice")
        )
        if is_prose and isinstance(opening, _Bound) and opening != found:
            return ambiguous("several different exponents")
        return found
    if declines(stated.text):
        return invalid("no number is certainly an answer")
    text = without(stated, "reason", "confidence")
    numbers = [one for one in numbers_in(text) if one.style != "percent"]
    if not numbers:
        return invalid("no number in the reply")
    if _DENIED.search(text[: numbers[0].start]) or CUT in text[numbers[-1].end :][:12]:
        return ambiguous("no number in the reply is certainly its only answer")
    bounds = [bound_of(one) for one in numbers]
    powers = [bound_of(one) for one in numbers if one.style == "power"]
    lines = [_value(line) for line in text.split("\n") if _BARE_LINE.fullmatch(line)]
    alone = {one for one in lines if isinstance(one, _Bound)}
    if len(alone) == 1 and not is_revised(text):
        return next(iter(alone))
    if powers and powers[0] and all(one and _agree(powers[0], one) for one in bounds):
        return powers[0]
    return ambiguous("no number in the reply is certainly its only answer")


_DENIED = re.compile(r"\b(?:not|never|isn't|aren't|outside)[^.\n]{0,20}$", re.IGNORECASE)
_BARE_LINE = re.compile(
    r"[^\w\n]*(?:(?:about|approximately|roughly|~)[ ]*)?[-+]?[ ]?(?:\w+|[0-9.]+"
    r"|[0-9.]* ?[x×]? ?10 ?\^ ?\(?-?[0-9.]+\)?)[^\w\n]*"
)


_Pair = tuple[_Bound, _Bound]
_FINAL = re.compile(
    r"\bfinal(?: (?:answer|interval|estimate|range|response))?[ ]?(?::|is\b|(?=lower\b))",
    re.IGNORECASE,
)


def _interval(stated: Stated) -> _Pair | Unreadable:
    """The two bounds, as named or as a range."""
    if finals := list(_FINAL.finditer(stated.text)):
        final = finals[-1]
        rest = stated_in(stated.text[final.end() :])
        found = _interval_of(rest)
        if rest.under("lower", "upper") or not isinstance(found, Unreadable):
            return found
    return _interval_of(stated)


def _side(stated: Stated, name: str) -> _Bound | Unreadable | None:
    return settled(stated, (name,), _value, _agree)


def _interval_of(stated: Stated) -> _Pair | Unreadable:  # noqa: PLR0911 # each has a reason of its own
    for names in (("lower", "upper"), ("low", "high")):
        sides = [_side(stated, name) for name in names]
        if all(side is None for side in sides):
            continue
        failed = next((side for side in sides if isinstance(side, Unreadable)), None)
        loose = names == ("low", "high") and any(
            one.strength == "prose" for one in stated.under(*names)
        )
        if loose and len([one for one in numbers_in(stated.text) if one.style != "percent"]) > 2:
            break
        if failed or None in sides:
            if names == ("low", "high"):
                break
            pair = _ranges(stated) if None in sides else None
            return pair or failed or invalid("only one bound is named")
        lower, upper = (side for side in sides if isinstance(side, _Bound))
        if lower.is_value != upper.is_value:
            return ambiguous("one bound is an exponent, the other a value")
        last = max(one.end for one in stated.under(*names))
        again = _ranges(Stated(stated.text[last:], [])) if is_revised(stated.text[last:]) else None
        if isinstance(again, Unreadable) or (again and again != (lower, upper)):
            return again or (lower, upper)
        return lower, upper
    found = _ranges(stated)
    if found is not None:
        return found
    if any(is_template(one.value) for one in stated.under("lower", "upper")):
        return invalid("the template was echoed")
    return invalid("no interval of two exponents in the reply")


_JOIN = re.compile(
    r"[)\]]?(?:[ ](?!to|and|bis|und|et)[A-Za-z]+(?= (?:to|-|–)))?[ ]?(?:(?:-|–|—|~|→|--+|\.\.+|to"
    r"|bis|à|through|and|und|et|,|;|\||up to|<|≤|< ?\w+ ?<|≤ ?\w+ ?≤"
    r"|less than \w+ less than|到|至|\n)[ ]?)+(?:about |approximately |roughly |~)?[(\[]?",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"(?:between|from|zwischen|von|entre|range[sd]?|interval|exponents?|ci|is|介于)\W*(?:about "
    r"|of )?$|[\[(]$|^\W*$",
    re.I,
)
_ABOUT = re.compile(
    r"between|from|to|and|range|interval|exponents?|ci|confidence|credible|i|i'd|i'm|am|sure|say"
    r"|my|the|a|an|is|for"
    r"|of|power|powers|ten|answer|final|estimate|lower|upper|bounds?|would|be|it|lies|with|so"
    r"|approximately|about|base|or"
    r"|that|e|log|as|on|at|number|true|lie|guess|confident|sure|certain|m|d",
    re.I,
)


def _ranges(stated: Stated) -> _Pair | Unreadable | None:
    """The only interval that is written as a range, in values or anywhere; None for none."""
    values = [
        one.value
        for one in stated.under("answer", "choice", "confidence", "exponent", "interval")
        if one.value
    ]
    objects = [one.value for one in stated.statements if one.strength == "object"]
    if declines(stated.text) and not objects:
        return None
    for texts in (
        [one.value for one in stated.under("answer") if one.strength == "final"][-1:],
        values + objects,
        [stated.text],
    ):
        pairs = [pair for text in texts for pair in _pairs(text)]
        different = list(dict.fromkeys(pairs))
        if len(different) == 1:
            return different[0]
        if different and all(_alike(one, different[0]) for one in different):
            return different[0]
        if different:
            return ambiguous("several different intervals")
    return None


def _alike(one: _Pair, other: _Pair) -> bool:
    return _agree(one[0], other[0]) and _agree(one[1], other[1])


def _pairs(text: str) -> list[_Pair]:
    """Every two numbers that are joined to an interval; bare ones if the text is about no more."""
    numbers = [one for one in numbers_in(text) if one.style != "percent"]
    found: list[tuple[_Pair, Number]] = []
    taken: set[int] = set()
    for index, (first, second) in enumerate(pairwise(numbers)):
        one, other = bound_of(first), bound_of(second)
        if one and other and text[first.end : second.start].strip() == "±" and not one.is_value:
            low, high = one.exponent - other.exponent, one.exponent + other.exponent
            return [(_Bound(low, is_value=False), _Bound(high, is_value=False))]
        if one and other and one.is_value == other.is_value and _are_joined(text, first, second):
            if (
                one.is_value
                and one.exponent > other.exponent
                and re.search("[-–]", text[first.end : second.start])
            ):
                return []  # a difference
            if index in taken:
                return []  # three in a row
            taken |= {index, index + 1}
            found.append(((one, other), second))
    words = re.findall(r"[^\W\d_]+", text)
    is_bare = all(_ABOUT.fullmatch(word) for word in words) and len(numbers) == 2 * len(found)
    pairs = [pair for pair, _ in found if pair[0].is_value or is_bare]
    if pairs and pairs[0][0].is_value:
        last = found[-1][1].end
        later = [bound_of(one) for one in numbers if one.start >= last and one.style == "power"]
        low, high = sorted(bound.exponent for bound in pairs[-1])
        if any(one and not low <= one.exponent <= high for one in later):
            return []
    return pairs


def _are_joined(text: str, first: Number, second: Number) -> bool:
    gap, before = text[first.end : second.start], text[max(0, first.start - 30) : first.start]
    after = text[second.end : second.end + 14]
    if not _JOIN.fullmatch(gap) or _DENIED.search(before) or _TAIL.match(after):
        return False
    is_bare = first.style in ("plain", "word")
    if (gap == "-" and text[second.start] in "+-") or gap in (" -", "- "):
        return False
    if is_bare and (gap == "--" or text[first.start] in "$€£"):
        return False
    needs_opening = re.fullmatch(r"[ ]?(?:and|und|et|,|;)[ ]?", gap)
    return bool(not needs_opening or _OPENED.search(before))


_TAIL = re.compile(rf"[)\]]?[ ]?(?:%|million|thousand|billion|[,;] ?[0-9]|[.,]?{CUT}|[ ]?\w+{CUT})")
