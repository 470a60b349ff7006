"""Text -> one exponent of ten, or an interval of two, or a typed failure.

A bare number is an exponent; a power of ten, or what is plainly a value (10,000; a million), is its
logarithm. Two intervals, a bound that is a range, or exponents beside values are `ambiguous`.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from typing import NamedTuple

from inspect_confidence.answers.clean import CUT, declines
from inspect_confidence.answers.labels import I_CHANGE, ParsedText, parse_statements
from inspect_confidence.answers.numbers import Number, numbers_in
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    is_revised,
    is_template,
    read_stated,
    text_without,
)
from inspect_confidence.answers.status import ParseFailure
from inspect_confidence.answers.values import (
    ABOUT,
    has_unit,
    is_bound,
    kind_of_tail,
    split_at_number,
)

# ruff: noqa: RUF001 # dashes, as they are written

WIDEST_EXPONENT = 100.0
"""Largest absolute exponent that is in range: twice the widest default range of true values."""
_ROUNDING_TOLERANCE = 0.05
"""Tolerance between an exponent of one decimal and its value, as in 5.3 (200,000)."""
_Pair = tuple["_Bound", "_Bound"]
_LARGEST_BARE = Fraction(10**9)
"""Limit of bare numbers, so that they can be converted to floats."""
_CONFIRMING = re.compile(r"[ ]?(?:[=→≈:|]|->|[(\[][ ]?=?|,? ?(?:i\.e\.|that is|or)\b)[ ,]*")
_UNCERTAIN_TAIL = re.compile(
    r"[ ]?[(\[][ ]?(?:(?:or|and|maybe|perhaps|(?:up )?to|possibly|not)\b|[±+–])|\.[ ][0-9]"
    r"|,? (?:but|or) (?:maybe|perhaps|possibly|could be|even) [0-9]"
    r"|[ -]?(?:hundred|thousand|[mbtr]+illion)|[ ]and (?:an?|one) (?:half|third|quarter)",
    re.IGNORECASE,
)
_NO_UNIT = re.compile(r"\W*(?:orders? of|and|but|so|in|at|on|by|with|which|lower|upper)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|isn't|aren't|outside)[^.\n]{0,20}$", re.IGNORECASE)
_CONCLUDED = re.compile(r"\b(?:so|hence|thus|therefore|that is)[:,]? (?:about )?", re.I)
_LOGARITHM = re.compile(
    r"\A[^\n=≈]{0,40}\blog[^\n=≈]{0,60}?(?:=|≈|\\approx|\b(?:is|gives|comes to|equals)\b)"
    rf"\s*{ABOUT}?(?P<result>-?[0-9]+(?:\.[0-9]+)?)\W*\Z",
    re.IGNORECASE,
)
"""A reply that consists of a logarithm and its result."""
_REMARK = re.compile(r"(?<=[0-9]) ?\([^()]*\)\W*$")
_DIGITS = r"[0-9](?:[0-9.]*[0-9])?"
"""Digits from the first to the last one: a full stop around them may be punctuation of the line."""
_BARE_LINE = re.compile(
    rf"[^\w\n]*(?:A: )?{ABOUT}?(?:\w+|[-+]?{_DIGITS}|[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+"
    rf"|(?:[0-9][0-9.]*)? ?[x×]? ?10 ?\^ ?\(?-?\.?{_DIGITS}\.?\)?)[^\w\n]*",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"\bfinal(?: (?:answer|interval|estimate|range))? ?(?::|is\b|(?=lower))"
    rf"|\b{I_CHANGE} (?:it|that|this|my (?:interval|answer|estimate|range)) to\b",
    re.IGNORECASE,
)
_JOINING_WORDS = re.compile(
    r"[)\]]?(?: \((?:lower|min)[^()\n]{0,20}\))?(?:[ ][A-Za-z]+(?= (?:to|-|–)))?[ ]?"
    r"(?:(?:[-–—~→,;|\n到至]|to|bis|à|through|and|und|et"
    rf"|up to|(?:[<≤]|less than)(?: ?\w+ ?(?:[<≤]|less than))?)[ ]?){{1,8}}(?:{ABOUT}|~)?[(\[]?",
    re.IGNORECASE,
)
_INTERVAL_OPENING = re.compile(
    r"(?:between|from|zwischen|von|entre|range[sd]?|interval|exponents?|ci|is|介于)\W*"
    rf"(?:{ABOUT}|of )?$|[\[(]$|^\W*$",
    re.IGNORECASE,
)
_WORD_ABOUT_EXPONENTS = re.compile(
    r"between|from|to|and|range|interval|exponents?|ci|confidence|credible|i|am|sure|say|my|the|an?"
    r"|is|for|of|powers?|ten|answer|final|estimate|lower|upper|bounds?|would|be|it|lies?|with|so"
    r"|approximately|about|base|or|that|e|log|as|on|at|number|true|guess|confident|certain|m|d|x|n|[到至从和在]|之间|介于",
    re.IGNORECASE,
)
_LIES_BETWEEN = re.compile(
    r"\bexponents?\b(?: [^.\n0-9]{0,90})? (?:is|lies|be|falls)(?: somewhere)? between $", re.I
)
_TAIL_OF_OTHER = re.compile(
    rf"[)\]]?[ ]?(?:%|million|thousand|billion|[,;] ?[0-9]|[.,]?{CUT}|[ ]?\w+{CUT})"
)


@dataclass(frozen=True)
class StatedExponent:
    """The exponent of ten that a reply states."""

    value: float


@dataclass(frozen=True)
class StatedInterval:
    """The interval of exponents of ten that a reply states; `lower` is the smaller bound.

    `reversed` says that the reply names the larger bound as the lower one, or states it first.
    """

    lower: float
    upper: float
    reversed: bool


class _Bound(NamedTuple):
    """A bound as an exponent of ten; `is_value` says that the text has 10^exponent itself."""

    exponent: float
    is_value: bool


def read_exponent(
    reply: str, *, truncated: bool = False, limit: float = WIDEST_EXPONENT
) -> StatedExponent | ParseFailure:
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
    reply = _LOGARITHM.sub(r"\g<result>", reply)  # "log10(200) = 2.3" is 2.3
    keys = ("exponent", "answer")
    bound = read_stated(reply, _stated_exponent, keys=keys, truncated=truncated)
    if isinstance(bound, ParseFailure):
        return bound
    if not abs(bound.exponent) <= limit:
        return ParseFailure("out_of_range", f"beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedExponent(bound.exponent)


def read_interval(
    reply: str, *, truncated: bool = False, limit: float = WIDEST_EXPONENT
) -> StatedInterval | ParseFailure:
    r"""Read one interval of exponents of ten from a model's reply, with its bounds in order.

    A bound with a greater absolute value than `limit` is `out_of_range`; the other failures are
    those of `read_exponent`, such as `ambiguous`. `truncated` says that the reply is cut off.

    Example:
        >>> read_interval("Lower: 3\nUpper: 5.5")
        StatedInterval(lower=3.0, upper=5.5, reversed=False)
        >>> read_interval("somewhere between 10^7 and 2 x 10^4")
        StatedInterval(lower=4.301029995663981, upper=7.0, reversed=True)
        >>> read_interval("Lower: 3-4, Upper: 9").status
        'ambiguous'
    """
    keys = ("lower", "upper", "low", "high")
    pair = read_stated(reply, _stated_interval, keys=keys, truncated=truncated)
    if isinstance(pair, ParseFailure):
        return pair
    first, second = (bound.exponent for bound in pair)
    if not (abs(first) <= limit and abs(second) <= limit):
        return ParseFailure("out_of_range", f"beyond 10^{limit:g} or 10^-{limit:g}")
    return StatedInterval(min(first, second), max(first, second), reversed=first > second)


def _number_as_bound(number: Number) -> _Bound | None:
    """Return a number as an exponent of ten; None for percentages, fractions and the like.

    A plain number is the exponent itself, unless it is an integer of 1000 or more; so is a word
    below one hundred. Other numbers are values: 1,000 is 10^3. A value must be positive.
    """
    if number.value is None or number.style in ("percent", "fraction"):
        return None
    is_small_word = number.style == "word" and abs(number.value) < 100
    # Nobody means 10^1000 by 1000; 1000.5 and -1000 stay exponents, which are out of range.
    is_large = number.value >= 1000 and number.is_integer
    if is_small_word or (number.style == "plain" and not is_large):
        # Clipped at a billion: a number of 400 digits does not fit into a float.
        return _Bound(float(max(-_LARGEST_BARE, min(number.value, _LARGEST_BARE))), is_value=False)
    return None if number.log10 is None else _Bound(number.log10, is_value=True)


def _bound_in_value(value: str) -> _Bound | ParseFailure:  # noqa: PLR0911 # each has a reason of its own
    """Return the bound with which a label's value begins, or why there is no certain bound.

    A bound is an exponent of ten, stated as such or as its value. A note in brackets counts as an
    explanation.
    """
    # Without braces around digits, which LaTeX leaves.
    number, before, tail = split_at_number(re.sub(r"\{([0-9.]+)\}", r"\1", value))
    if number is None:
        return invalid("no number at its start" if re.search("[0-9]", value) else "no number")
    digits = value[number.start : number.end]
    bound = _number_as_bound(number)
    if bound is None:
        return invalid(f"{digits[:40]} is no power of ten")
    follows = kind_of_tail(before, tail)
    if follows == "cut":
        return invalid("the number is cut off")
    if follows in ("range", "bound") or _UNCERTAIN_TAIL.match(tail):  # "5 (or 6)", "5 million"
        return ambiguous("not certainly one number")
    if confirming := _CONFIRMING.match(tail):  # "5 = 10^5", "5 (100,000)"
        return _bound_stated_twice(number, bound, tail[confirming.end() :], confirming[0])
    if follows in ("other", "calculation"):
        return ambiguous("several numbers")
    # "5.000" may be five thousand, written with a point.
    is_amount = digits[:1] in set("$€£") or (has_unit(tail) and not _NO_UNIT.match(tail))
    if not bound.is_value and (is_amount or re.fullmatch(r"[1-9][0-9]{0,2}\.000", digits)):
        return ambiguous("a value or an exponent")
    return bound


def _bound_stated_twice(
    number: Number, bound: _Bound, repetition: str, sign: str
) -> _Bound | ParseFailure:
    """Return the bound of a number that the reply states twice: 5 = 10^5, 20 (= 10^1.3).

    `bound` is the number as an exponent of ten, with a flag whether the text has the value itself
    (100,000). `repetition` begins with the second number, and `sign` is the text between. If the
    second number contradicts the first, the bound is ambiguous; but after a bracket or a colon the
    second number is a remark, and the first counts.
    """
    second, _before, _tail = split_at_number(repetition)
    repeated_bound = _number_as_bound(second) if second else None
    if repeated_bound is None:
        return bound
    if (  # "20 (= 10^1.3)": the bare number is a value, not an exponent
        repeated_bound.is_value
        and number.log10 is not None
        and abs(number.log10 - repeated_bound.exponent) <= _ROUNDING_TOLERANCE
    ):
        return repeated_bound
    if _is_same_bound(bound, repeated_bound) or any(mark in sign for mark in "([:"):
        return bound
    return ambiguous("two different numbers")


def _is_same_bound(first: _Bound, second: _Bound) -> bool:
    """Return whether two numbers are the same bound, up to rounding to one decimal.

    A bare number, read as an exponent, may be the value of the other one: 10^2 (100).
    """
    if abs(first.exponent - second.exponent) <= _ROUNDING_TOLERANCE:
        return True
    value, bare = (first, second) if first.is_value else (second, first)
    return (
        first.is_value != second.is_value
        and bare.exponent > 0
        and abs(math.log10(bare.exponent) - value.exponent) <= _ROUNDING_TOLERANCE
    )


def _possible_bounds(text: str) -> list[Number]:
    """Return the numbers that may be bounds: all but percentages, which are confidences."""
    return [number for number in numbers_in(text) if number.style != "percent"]


def _stated_exponent(parsed: ParsedText) -> _Bound | ParseFailure:
    """Return the exponent that a reply states, or why there is no single one.

    The labelled exponent counts first, then the number that is a line of its own, then the only
    power of ten. `parsed` is the cleaned text with its statements: labels with their values.
    """
    bound = agreed_value(parsed, ("exponent", "answer"), _bound_in_value, _is_same_bound)
    has_no_number = isinstance(bound, ParseFailure) and "no number" in bound.reason
    if bound is None or has_no_number:  # no label, or a label whose value has no number
        return _unlabelled_exponent(parsed)
    # A bare number that opens the reply may contradict an exponent that is stated in a sentence
    # ("prose") or within a line ("inline").
    is_weak = parsed.strengths_under("exponent", "answer") <= {"prose", "inline"}
    opening = _bare_bound(parsed.text.split("\n")[0]) if is_weak else None
    if opening in (None, bound) or isinstance(bound, ParseFailure) or is_revised(parsed.text):
        return bound
    # "5 ... so the exponent is 5.3": the opening number is the rounded answer.
    is_rounded = opening and abs(opening.exponent - bound.exponent) < 1
    return opening if opening and is_rounded else ambiguous("several different exponents")


def _unlabelled_exponent(parsed: ParsedText) -> _Bound | ParseFailure:  # noqa: PLR0911 # a ladder
    """Return the exponent of a reply without a label, or why there is none.

    A line that is only a number counts first, then the number of a conclusion at the end ("so about
    10^5"), then a power of ten with which all other numbers agree.
    """
    text = text_without(parsed, "reason", "confidence")
    numbers = _possible_bounds(text)
    if declines(parsed.text) or not numbers:
        return invalid("no number in the reply")
    failure = ambiguous("no number in the reply is certainly its only answer")
    is_denied = _DENIED.search(text[: numbers[0].start])  # "not 10^5"
    if is_denied or CUT in text[numbers[-1].end :][:12]:  # the reply is cut off here
        return failure
    bare_lines = [(line, bound) for line in text.split("\n") if (bound := _bare_bound(line))]
    if bare_lines:
        last_line, last_bound = bare_lines[-1]
        is_agreed = all(bound == last_bound for _, bound in bare_lines) or is_revised(text)
        later_text = parsed.text.rpartition(last_line)[-1]
        if is_agreed and not is_revised(later_text):
            return last_bound
    *premises, conclusion = _CONCLUDED.split(text[-80:])  # at "so", "therefore"
    if premises and not bare_lines and (concluded := _bare_bound(conclusion)):
        return concluded
    # A power of ten, if there is one, and all other numbers; False sorts before True.
    power, *other_numbers = sorted(numbers, key=lambda number: number.style != "power")
    power_bound = _number_as_bound(power) if power.style == "power" else None
    other_bounds = map(_number_as_bound, other_numbers)
    if is_bound(text[max(0, power.start - 20) : power.start]):  # "at least 10^5"
        return failure
    if power_bound and all(bound and _is_same_bound(power_bound, bound) for bound in other_bounds):
        return power_bound
    return failure


def _bare_bound(line: str) -> _Bound | None:
    """Return the bound that is a whole line; None if the line is more than a number."""
    number = _REMARK.sub("", line)  # without "(200,000)" after a number
    is_bare = _BARE_LINE.fullmatch(number) or _is_amount(number)
    bound = _bound_in_value(line) if is_bare else None
    return bound if isinstance(bound, _Bound) else None


def _is_amount(line: str) -> bool:
    """Return whether a line is a number in words, with a magnitude or with separators of thousands.

    Words such as "about" may precede it: "about 2.5 million".
    """
    number, before, tail = split_at_number(line)
    is_about = not re.search(r"[^\W\d_]", before) or re.fullmatch(rf"\W*{ABOUT}", before, re.I)
    styles = ("scaled", "grouped", "word")
    return bool(number and is_about and number.style in styles and not tail.strip(" .*"))


def _stated_interval(parsed: ParsedText) -> _Pair | ParseFailure:
    """Return the two bounds that a reply states, under labels or as a range.

    Bounds after the word "final" count before all others, also unreadable ones under labels.
    """
    *_, final = [None, *_FINAL.finditer(parsed.text)]  # the last match, or None
    if final:
        conclusion = parse_statements(parsed.text[final.end() :])
        pair = _labelled_or_ranged_interval(conclusion)
        if conclusion.statements_under("lower", "upper") or not isinstance(pair, ParseFailure):
            return pair
    return _labelled_or_ranged_interval(parsed)


def _labelled_or_ranged_interval(parsed: ParsedText) -> _Pair | ParseFailure:
    """Return the two bounds of an interval, or why there are none.

    Those under the labels lower and upper count first, then those under low and high (or minimum
    and maximum), then a range such as "10^3 to 10^5". Unreadable bounds
    under lower and upper are a failure; those under low and high are passed over.
    """
    pair = _named_bounds(parsed, "lower", "upper")
    # In prose what is low or high may be anything, as a function's minimum.
    if not pair and "prose" not in parsed.strengths_under("low", "high"):
        looser = _named_bounds(parsed, "low", "high")
        pair = None if isinstance(looser, ParseFailure) else looser
    if pair := pair or _only_range(parsed):
        return pair
    is_echo = any(map(is_template, parsed.values_under("lower", "upper")))
    reason = "the template was echoed" if is_echo else "no interval of two exponents in the reply"
    return invalid(reason)


def _named_bounds(parsed: ParsedText, low_key: str, high_key: str) -> _Pair | ParseFailure | None:
    """Return the bounds under two labels; None if the reply has neither label.

    If the reply has only one of the labels, a range in the reply counts instead. A bound has the
    flag `is_value` if the text has the value 10^3 and not the exponent 3; both must be alike.
    """
    sides = []
    for key in (low_key, high_key):
        side = agreed_value(parsed, (key,), _bound_in_value, _is_same_bound)
        if side is not None:
            sides.append(side)
    failed = next((side for side in sides if isinstance(side, ParseFailure)), None)
    match sides:
        case []:
            return None
        case [_]:
            return _only_range(parsed) or failed or invalid("only one bound is named")
        case [_Bound() as lower, _Bound() as upper] if lower.is_value == upper.is_value:
            return lower, upper
    return failed or ambiguous("one bound is an exponent, the other a value")


def _only_range(parsed: ParsedText) -> _Pair | ParseFailure | None:
    """Return the two bounds of the only range that a reply writes: "10^3 to 10^5".

    Ranges under labels and in JSON count before the rest of the text. The result is None if there
    is no range, or if the reply, without JSON, declines; different ranges are ambiguous.
    """
    # Not "lower" and "upper", whose values are single bounds.
    keys = ("answer", "choice", "confidence", "exponent", "interval")
    objects = [statement.value for statement in parsed.statements if statement.strength == "object"]
    if declines(parsed.text) and not objects:
        return None
    for texts in ([*parsed.values_under(*keys), *objects], [parsed.text]):
        pairs = list(chain.from_iterable(map(_intervals_in, texts)))
        for low, high in pairs:
            first_low, first_high = pairs[0]
            if not (_is_same_bound(low, first_low) and _is_same_bound(high, first_high)):
                return ambiguous("several different intervals")
        if pairs:
            return pairs[0]
    return None


def _intervals_in(text: str) -> list[_Pair]:
    """Return the intervals that a text writes as two joined numbers, "10^3 to 10^5".

    An interval is a pair of bounds: exponents, with the flag `is_value` if the text has the value
    10^3 and not the exponent 3. "5 ± 1" is the interval from 4 to 6. Bare numbers, "3 to 5", count
    only if all words of the text are about exponents. The list is empty if numbers form a
    difference or three in a row, or if a power of ten lies outside the last interval.
    """
    numbers, reached = _possible_bounds(text), 0
    pairs: list[_Pair] = []
    is_about_exponents = all(map(_WORD_ABOUT_EXPONENTS.fullmatch, re.findall(r"[^\W\d_]+", text)))
    for first, second in pairwise(numbers):
        lower, upper = _number_as_bound(first), _number_as_bound(second)
        if not lower or not upper:
            continue
        gap = text[first.end : second.start]
        if gap.strip() == "±" and not lower.is_value and is_about_exponents:
            middle, radius = lower.exponent, upper.exponent
            low, high = middle - radius, middle + radius
            return [(_Bound(low, is_value=False), _Bound(high, is_value=False))]
        # A value beside an exponent is no interval, nor are numbers without a joining word.
        if lower.is_value != upper.is_value or not _are_joined(text, first, second):
            continue
        falls = lower.is_value and lower.exponent > upper.exponent
        if (falls and re.search("[-–]", gap)) or first.start < reached:
            return []  # a difference ("10^5 - 10^3"), or three in a row ("10^3 to 10^4 to 10^5")
        if _LIES_BETWEEN.search(text[: first.start]):  # after "the exponent lies between"
            return [(lower, upper)]
        pairs.append((lower, upper))
        reached = second.end
    # Bare numbers beside others, or among other words, may count anything.
    if len(numbers) != 2 * len(pairs) or not is_about_exponents:
        pairs = [pair for pair in pairs if pair[0].is_value]
    if pairs and pairs[0][0].is_value and _has_power_beyond(text, reached, pairs[-1]):
        return []
    return pairs


def _has_power_beyond(text: str, start: int, pair: _Pair) -> bool:
    """Return whether a text, from `start` on, names a power of ten outside a pair of bounds."""
    low, high = sorted(bound.exponent for bound in pair)
    for number in numbers_in(text, start):
        bound = _number_as_bound(number) if number.style == "power" else None
        if bound and not low <= bound.exponent <= high:
            return True
    return False


def _are_joined(text: str, first: Number, second: Number) -> bool:
    """Return whether the text between and around two numbers joins them: "10^3 to 10^5"."""
    gap, before = text[first.end : second.start], text[max(0, first.start - 30) : first.start]
    if (
        not _JOINING_WORDS.fullmatch(gap)  # " to ", "-"
        or _DENIED.search(before)  # "not between"
        or _TAIL_OF_OTHER.match(text, second.end)  # "5%", "5 million", "5, 6"
    ):
        return False
    is_bare = first.style in ("plain", "word")
    # "3 -5" has a negative number, "$3 to 5" an amount of money.
    if gap in (" -", "- ") or (is_bare and (gap == "--" or text[first.start] in "$€£")):
        return False
    # "and" or a comma joins only after words such as "between", or in a bracket.
    is_weak = re.fullmatch(r"[ ]?(?:and|und|et|,|;)[ ]?", gap)
    return not is_weak or bool(_INTERVAL_OPENING.search(before))
