"""The forms of a number, and its value.

Where a count of things is asked for, `NUMBER` and `value_of` give a number exactly, whatever its
form. Where an exponent of ten is, the form decides: `3` is an exponent. `10^3`, `2.5 × 10^4` and
`1e4` are powers. `1,000`, `3 million`, `100 nm`, `$20`, `3%`, `3rd` and `2^10` are quantities:
never an answer, though some can confirm one.
"""  # noqa: RUF002 # times sign

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

_INTEGER = (
    r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3}(?![0-9]))++|[1-9][0-9]{0,2}(?:[ ][0-9]{3}(?![0-9]))++|[0-9]++)"
)
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_BY_WORD = {word: Fraction(number) for number, word in enumerate(_WORDS)}
_MAGNITUDES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_CURRENCY = r"(?:(?:us)?[$€£¥₹][ ]?)"
_MAGNITUDE = "|".join(_MAGNITUDES)

NUMBER = re.compile(
    # Not within a word, an index or another number; "x - 5" has no negative number.
    r"(?<![\w.,^\\])"
    rf"(?P<sign>(?<![\w)%$] )(?:[-+–—](?=[ ]?{_CURRENCY}?[.0-9\\])|minus |negative )[ ]?)?"  # noqa: RUF001 # dashes
    rf"(?:{_CURRENCY}(?P<after>-)?)?"
    r"(?:(?:(?P<whole>[0-9]++)[ ]?(?:and )?(?=[0-9]++[ ]?\u2044|\\|(?<=[ ])[0-9]++/))?"
    r"(?:\\[dtc]?frac[ ]?\{(?P<top>[0-9]++)\}[ ]?\{(?P<bottom>[0-9]++)\}"
    rf"|(?P<over>{_INTEGER})[ ]?[/\u2044][ ]?(?P<under>{_INTEGER})(?![ ]?[0-9/\u2044]|[.,][0-9]))"
    rf"|(?P<integer>{_INTEGER})?(?:\.(?P<decimals>[0-9]++))?(?<=[0-9])"
    r"(?:[eE](?P<exponent>[-+]?[0-9]{1,3})(?![0-9.])"
    r"|[ ]?×[ ]?10[ ]?\^[ ]?\(?[ ]?(?P<power>[-+]?[0-9]{1,3})[ ]?\)?(?![0-9.]))?)"  # noqa: RUF001 # times sign
    rf"(?P<magnitudes>(?:[ -]?(?:{_MAGNITUDE})s?\b)*+)",
    re.IGNORECASE,
)
WORD = re.compile(
    rf"\b(?:{'|'.join(_WORDS)}|thirty|forty|fifty|sixty|seventy|eighty|ninety|(?:{_MAGNITUDE})s?"
    r"|quadrillion|lakhs?|crores?|half|halves|thirds?|fourths?|quarters?|(?:fif|six|eigh|ten)ths?"
    r"|twice|double)\b",
    re.IGNORECASE,
)
_ONLY_WORD = re.compile(
    r"(?:about |approximately |exactly )?(?P<word>[a-z]+)(?! of\b)(?: [a-z]+){0,3}", re.IGNORECASE
)
LONGEST = 1000
"""Digits of the longest number that is read; Python refuses to convert much longer ones."""


def value_of(number: re.Match[str]) -> Fraction | None:
    """The number's value; None for a division by zero or an endless number."""
    if len(number[0]) > LONGEST:
        return None
    if number["top"] or number["over"]:
        below = _integer(number["bottom"] or number["under"])
        if not below:
            return None
        value = _integer(number["whole"]) + _integer(number["top"] or number["over"]) / below
    else:
        decimals = number["decimals"] or "0"
        value = _integer(number["integer"]) + Fraction(int(decimals), 10 ** len(decimals))
        value *= Fraction(10) ** int(number["exponent"] or number["power"] or "0")
    for magnitude in re.findall(_MAGNITUDE, number["magnitudes"].lower()):
        value *= 10 ** _MAGNITUDES[magnitude]
    is_negative = (number["sign"] or "+").strip() != "+" or number["after"]
    return -value if is_negative else value


def _integer(digits: str | None) -> Fraction:
    return Fraction((digits or "0").replace(",", "").replace(" ", ""))


def word_value(text: str) -> Fraction | None:
    """One number word up to twenty, perhaps with a unit; None for any other text."""
    found = _ONLY_WORD.fullmatch(text)
    if not found or WORD.search(text, found.end("word")):
        return None
    return _BY_WORD.get(found["word"].lower())


Form = Literal["exponent", "power", "quantity", "measure"]

_DIGITS = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
_BEGIN = r"(?<![\w.^])"
# A sign follows no number: in "3-7" and "3 -7" the hyphen isn't one.
_SIGN = r"(?:(?<![\w)\].])(?<![0-9)] )[-+])?"
_END = r"(?![\w^°%]|[ ]?%|\.[0-9])"
_RAISED = r"(?:[-+][ ]?)?"
_SCALES = {
    "k": 3,
    "thousand": 3,
    "lakh": 5,
    "M": 6,
    "million": 6,
    "crore": 7,
    "B": 9,
    "bn": 9,
    "billion": 9,
    "trillion": 12,
    "quadrillion": 15,
}
_UNITS = r"(?:[fpnμmckMG]?(?:m|g|s|L|W|J|Hz|Pa|eV)|kg)(?:\^?[23])?"

POWER = (
    rf"{_BEGIN}(?:"
    rf"(?:{_SIGN}{_DIGITS}[ ]?[xX×][ ]?)?10[ ]?\^[ ]?"  # noqa: RUF001 # times sign
    rf"(?:\([ ]?{_RAISED}{_DIGITS}[ ]?\)|{_RAISED}{_DIGITS})"
    rf"|{_SIGN}{_DIGITS}[eE][-+]?[0-9]+"
    rf"){_END}"
)
_GROUPED = (
    r"[0-9]{1,3}(?:"
    r"(?:[ ',_][0-9]{3}(?![0-9]))+"
    r"|(?:,[0-9]{2}){1,6},[0-9]{3}(?![0-9])"  # 1,00,000: Indian
    r")"
)
QUANTITY = (
    rf"{_BEGIN}(?:(?:{_GROUPED}|{_DIGITS})[ ]?(?:{'|'.join(_SCALES)})s?(?!\w)"
    rf"|{_GROUPED}(?:\.[0-9]+)?(?![\w%])"
    r"|[1-9][0-9]{0,2}\.000(?![0-9]))"  # a thousand to many
)
MEASURE = rf"{_BEGIN}{_SIGN}{_DIGITS}[ ]?{_UNITS}(?!\w)"
EXPONENT = rf"{_BEGIN}{_SIGN}{_DIGITS}{_END}"
OTHER = r"(?:[-+]?[$€£¥₹][ ]?)?[-+]?\.?[0-9](?:[\w^%°']|[.,][0-9])*(?:[ ]?[%€£¥])?"

_POWER_PARTS = re.compile(
    rf"(?:(?P<mantissa>[-+]?{_DIGITS})[x×])?10\^(?P<power>[-+]?{_DIGITS})"  # noqa: RUF001 # times
    rf"|(?P<significand>[-+]?{_DIGITS})e(?P<shift>[-+]?[0-9]+)"
)
_QUANTITY_PARTS = re.compile(rf"(?P<amount>[0-9.]+)(?P<scale>{'|'.join(_SCALES)})?s?")
_ROUNDED = 0.05
"""Ten to an exponent of one decimal, as in 5.3 (200,000)."""


@dataclass(frozen=True)
class Number:
    """A number as it was written.

    Attributes:
        text: As written.
        form: What it was written as.
        exponent: What ten must be raised to for it; None where that isn't known, or impossible.
    """

    text: str
    form: Form
    exponent: float | None

    def confirms(self, stated: "Number") -> bool:
        """Whether this number, in an annotation, says the same as the one annotated.

        A measure says nothing of another unit. A bare number is either the exponent or the value.
        """
        if self.form == "measure":
            return True
        if self.exponent is None or stated.exponent is None:
            return False
        if self.form == "exponent":
            value = math.log10(self.exponent) if self.exponent > 0 else -math.inf
            return stated.exponent in (self.exponent, value)
        return abs(self.exponent - stated.exponent) <= _ROUNDED


def number(text: str, form: Form) -> Number:
    """The number that a piece of text in this form stands for."""
    if form == "exponent":
        return Number(text, form, float(text))
    if form == "power":
        return Number(text, form, _power(text))
    return Number(text, form, _quantity(text) if form == "quantity" else None)


def is_within(exponent: float, limit: float) -> bool:
    """Whether an exponent is finite, and no further than the limit from zero."""
    return math.isfinite(exponent) and abs(exponent) <= limit


def _power(text: str) -> float | None:
    parts = _POWER_PARTS.fullmatch(re.sub(r"[\s()]", "", text).replace("X", "x").replace("E", "e"))
    if parts is None:
        return None
    mantissa = float(parts["mantissa"] or parts["significand"] or 1)
    exponent = float(parts["power"] or parts["shift"])
    return math.log10(mantissa) + exponent if mantissa > 0 else None


def _quantity(text: str) -> float | None:
    parts = _QUANTITY_PARTS.fullmatch(re.sub(r"[\s,'_]", "", text))
    if parts is None or not re.fullmatch(_DIGITS, parts["amount"]):
        return None
    amount = float(parts["amount"])
    return math.log10(amount) + _SCALES.get(parts["scale"], 0) if amount > 0 else None
