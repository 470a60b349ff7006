"""Reader of the exact number with which a reply answers a maths problem."""

import re
from dataclasses import dataclass
from fractions import Fraction

from inspect_confidence.answers.clean import CUT
from inspect_confidence.answers.labels import ParsedText
from inspect_confidence.answers.numbers import LONGEST, numbers_in
from inspect_confidence.answers.reading import (
    agreed_value,
    ambiguous,
    invalid,
    read_stated,
    text_without,
)
from inspect_confidence.answers.status import ParseFailure
from inspect_confidence.answers.values import ABOUT

# ruff: noqa: RUF001 # dashes and times signs, as they are written

_REMARK = re.compile(r"(?<![\w×*+/^=-])(?<![×*+/^=-] )\(([^()\n]*)\)(?! ?[×*+/^=])")
"""Brackets that are no part of a calculation, unlike those of `10^(3)`, `f(2)` and `5(2)`."""
_ALTERNATIVE = re.compile(r"\s*(?:or|and|to|maybe|perhaps)\b|\s*±", re.IGNORECASE)
_DEGREES = re.compile(r"\^ ?\(? ?\\circ\b ?\)?")
_UNSOLVED = re.compile(r"(?:-|-?[0-9.]+)[ ]?[a-z]|.*[!<>≠]", re.IGNORECASE)
_SEVERAL = re.compile(r"[,;](?:\s|$)|\b(?:or|and)\b", re.IGNORECASE)
_FRACTION_WORDS = (
    r"\b(?:half|halves|(?:thir|four|fif|six|eigh|ten)(?:d|th)s?|quarters?|twice|double"
    r"|dozens?(?= and))\b"
)
_NOT_BEFORE_NUMBER = re.compile(
    rf"[(+*/⁄^×÷√≠<>≤≥±\\{{}}]|[-–—]\s*$|{_FRACTION_WORDS}"
    r"|\b(?:between|from|not|than|least|most|over|under|above|below|except|to|or|neither|either"
    r"|sqrt|log|ln|sin|cos|tan|infinity)\b",
    re.IGNORECASE,
)
_OPERAND = re.compile(r"(?:\b[a-z]|pi|[π)]) *$", re.IGNORECASE)
_AMBIGUOUS = re.compile(
    r".*(?:[0-9][ ]?(?:[kKMBT]|bn|mn|Mio\.?|Mrd\.?)|\bout of\b.*|\b(?:lakh|crore)s?)"
    r"|[0-9]+ in [0-9]+"
    r"|0,[0-9]+|[0-9]+,[0-9]+(?<!,[0-9]{3})|[0-9']*'[0-9]{3}|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}"
)
_MILLIONS = re.compile(r"[$€£¥₹].*[0-9][ ]?m(?!\w)")
_ANOTHER_NUMBER = re.compile(
    r"[ ]?(?:[-–—~±…]|\.\.|\+/-|\bto\b)[ ]?[$€£]?[.0-9]|[,.'][0-9]|[ ][$€£]?[.0-9]"
    rf"|.*\b(?:or|at (?:least|most)|r[0-9]+|remainder)\b|.*{_FRACTION_WORDS}",
    re.IGNORECASE,
)
_CALCULATION = re.compile(
    r"[ ]?(?:[-–—](?![A-Za-z])|[+*×÷^!√π∞]|/[ ]?[0-9(]|\(|\\(?!circ|degree))"
    r"|[ ]?(?:sqrt|pi|root|times|plus|minus|divided|over|squared|cubed|factorial|[xyz](?!/))\b"
    r"|-?(?:st|nd|rd|th)\b|[ni]\b",
    re.IGNORECASE,
)
_NUMBER_END = re.compile(r"[ -]?(?:[^\W\d_]|[°%$€£¥₹/\"'\\])|[ ]?[,;.:\"')\]|。]|$")
_LEAD_TO_UNIT_COUNT = re.compile(
    r"\b(?:in|per|for|every|each|after|during|within|over|at|on|by|with)(?: the)? [$€£]?$", re.I
)
_STARTS_WITH_NUMBER = re.compile(rf"(?:[ =~≈]|{ABOUT})*(?:[-+]?[$€£¥₹]?[-.]?[0-9]|[A-Za-z]+$)")


@dataclass(frozen=True)
class StatedAmount:
    """A number exactly as the reply states it; a percentage is its number, 25 for "25%"."""

    value: Fraction


def read_amount(reply: str, *, truncated: bool = False) -> StatedAmount | ParseFailure:
    r"""Read the exact number with which a reply answers a maths problem.

    Labels are `Final Answer:`, `Answer:`, `#### ` before a number, and LaTeX's box. Of several
    labelled answers the last one counts if the others agree with it or if it is called final.
    Without a label, "the answer is 18" is read if nothing contradicts it, and so is a reply that is
    only a number with a unit. A failure is `no_response`, `refusal`, `truncated`, `ambiguous` or
    `invalid_response_format` (also for a number of more than a thousand digits).

    Example:
        >>> read_amount("Solution: 9 * 2 = 18\nFinal Answer: $18 per day\nConfidence: 95")
        StatedAmount(value=Fraction(18, 1))
        >>> read_amount(r"The total is \boxed{\frac{3}{4}}.")
        StatedAmount(value=Fraction(3, 4))
        >>> read_amount("Final Answer: 18 or 19").status
        'ambiguous'
    """
    amount = read_stated(reply, _labelled_or_alone, keys=("answer",), truncated=truncated)
    return amount if isinstance(amount, ParseFailure) else StatedAmount(amount)


def _labelled_or_alone(parsed: ParsedText) -> Fraction | ParseFailure:
    amount = agreed_value(parsed, ("answer",), exact_number_in)
    return alone_amount(text_without(parsed, "confidence", "reason")) if amount is None else amount


def alone_amount(text: str) -> Fraction | ParseFailure:
    """Return the number that is the whole text, with up to three words; else a failure."""
    words = re.findall(r"[^\W\d_]+", text[:200])
    if (
        "\n" in text
        or len(text) > 2 * LONGEST  # for speed: a number has at most `LONGEST` digits
        or len(words) > 3
        or not _STARTS_WITH_NUMBER.match(text)  # "18 km", "about $5", "ten"
    ):
        return invalid("no labelled answer")
    return exact_number_in(text)


def exact_number_in(value: str) -> Fraction | ParseFailure:
    """Return the exact number in a label's value; a failure if it may be several or a calculation.

    An equation counts by its right side: 18 in "9 * 2 = 18".
    """
    if CUT in value:
        return invalid("the number may be cut off")
    if re.search("[0-9]:[0-9]", value):
        return invalid("a time or a ratio")
    bare = _without_remarks(_DEGREES.sub("°", value.strip()))
    # "18 (or 19)"; "18.(3)", where a digit recurs
    if bare is None or re.search(r"[0-9]\.[0-9]*\([0-9]+\)", value):
        return ambiguous("several numbers")
    # The exact number of "11/36 ≈ 0.306" is 11/36.
    *left_sides, right_side = re.split("[=≡]", re.sub(r"(?<=[0-9)]) ?(?:≈|\\approx).*", "", bare))
    right_number = _number_without_equation(right_side)
    if not left_sides or isinstance(right_number, ParseFailure):
        return right_number
    left_number = _number_without_equation(left_sides[-1])
    # A left side that is a number itself, not a calculation, must be the same one.
    differs = isinstance(left_number, Fraction) and left_number != right_number
    # Unsolved: "2x = 10", where the value of x is asked.
    if differs or _UNSOLVED.fullmatch(left_sides[-1].strip()) or _SEVERAL.search(bare):
        return ambiguous("an unsolved equation, or several numbers")
    return right_number


def _without_remarks(value: str) -> str | None:
    """Return the value without remarks in brackets; None for an alternative, as in "18 (or 19)".

    A value that is wholly in brackets loses only the brackets.
    """
    if whole := re.fullmatch(r"\(([^()\n]*)\)[ .]*", value):
        return whole[1]
    if any(map(_ALTERNATIVE.match, _REMARK.findall(value))):
        return None
    return " ".join(_REMARK.sub(" ", value).split())


def _number_without_equation(value: str) -> Fraction | ParseFailure:  # noqa: PLR0911 # each has a reason of its own
    """Return the only number of a text without an equals sign, or why it has no single number."""
    value = value.strip(" \"'`|[]~≈").rstrip(" \"'`,;:|$")
    if value.endswith("..."):
        return ambiguous("a number without an end")
    value = value.rstrip(" .")
    # The word "one", a pronoun in prose, is a number only at the start.
    numbers = [number for number in numbers_in(value) if not (number.is_pronoun and number.start)]
    if not numbers:
        return invalid("no number")
    first, *later_numbers = numbers
    before, tail, digits = value[: first.start], value[first.end :], value[first.start : first.end]
    if first.value is None:  # it can't be read, such as 1.2.3
        # Commas, or several points, may part thousands: then it is a number of several meanings.
        is_grouped = "," in value[: first.end] or re.match(r"[0-9]+(?:\.[0-9]+){2}", digits)
        return ambiguous("no plain number") if is_grouped else invalid("no plain number")
    if digits[0] in "+-" and _OPERAND.search(before):  # "x -3"
        return ambiguous("a calculation, not a number")
    if _NOT_BEFORE_NUMBER.search(before):  # "between", "sqrt", "half"
        return ambiguous("not certainly one number")
    is_price = "€" in digits + tail[:2]  # with a decimal comma: 2,50 €; else "2,50" is ambiguous
    # "5k", "2,50", "3 out of 4"; "$5 m"
    if (_AMBIGUOUS.fullmatch(digits) and not is_price) or _MILLIONS.match(digits + tail[:3]):
        return ambiguous("a magnitude, a unit or decimals")
    is_repeated = {number.value for number in later_numbers} == {first.value}
    # "18 - 20" and "18 remainder 2" are two numbers, "1/2 or 0.5" is one.
    if _ANOTHER_NUMBER.match(tail) and not (is_repeated and re.match(" (?:or|=) ", tail)):
        return ambiguous("several numbers")
    if _CALCULATION.match(tail):  # "18 * 2", "18th", "5 pi"
        return invalid("a calculation, not a number")
    if not _NUMBER_END.match(tail):  # neither a unit nor punctuation
        return invalid("a number that goes on")
    for number in later_numbers:
        # The second number of "18 km per 2 hours", after "per", counts units: no other answer,
        # unless a comma, "or" or "and" follows the first. A 1 never is another answer.
        lead = value[max(first.end, number.start - 12) : number.start]
        is_other = number.value not in (first.value, 1)
        if is_other and (_SEVERAL.search(tail) or not _LEAD_TO_UNIT_COUNT.search(lead)):
            return ambiguous("several numbers")
    return first.value
