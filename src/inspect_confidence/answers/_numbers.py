"""The forms of a number: a bare exponent, a power of ten, or another quantity.

`3` is an exponent. `10^3`, `2.5 × 10^4` and `1e4` are powers. `1,000`, `3 million`, `100 nm`,
`$20`, `3%`, `3rd` and `2^10` are quantities: never an answer, though some can confirm one.
"""  # noqa: RUF002 # times sign

import math
import re
from dataclasses import dataclass
from typing import Literal

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
