"""The one grammar of numbers: digits, powers, percentages, fractions, English and Chinese words.

A number includes its sign, currency, percent sign and magnitude. Text that only looks like a number
(a date, a version, an index, 2x) is a number without a value, so that no part of it is read.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Literal

# ruff: noqa: RUF001 # dashes, times signs and full-width signs, as they are written

Style = Literal["plain", "grouped", "power", "fraction", "percent", "scaled", "word", "odd"]

LONGEST = 1000
"""Digits of the longest number that is read; Python refuses to convert much longer ones."""
MOST = 200
"""Largest number of numbers that are read in one text; a text with more is no answer."""

# fmt: off
ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]
# fmt: on
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MAGNITUDES = {
    **{"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7},
    **{"milliard": 9, "billion": 9, "trillion": 12, "quadrillion": 15, "万": 4, "亿": 8},
}
_SHORT_MAGNITUDES = {"k": 3, "K": 3, "M": 6, "mn": 6, "Mio": 6, "B": 9, "bn": 9, "Mrd": 9, "T": 12}
_EQUAL_PARTS = {"h": 2, "t": 3, "q": 4, "f": 4}
_HAN_DIGITS = dict(zip("零一二三四五六七八九两〇", [*range(10), 2, 0], strict=True))
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10000}


def _number_words() -> Iterator[tuple[str, int]]:
    """Yield the number words below a hundred with their values."""
    yield from zip(ONES, range(20), strict=True)
    for ten, word in zip(range(20, 100, 10), _TENS, strict=True):
        yield word, ten
        for unit in range(1, 10):
            yield f"{word}-{ONES[unit]}", ten + unit


_WORDS = dict(_number_words())

_DIGITS = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}(?![0-9]))+|[0-9]{1,3}(?:[ '_\u202f][0-9]{3}(?![0-9]))+"
    r"|[0-9]{1,2}(?:,[0-9]{2}){1,6},[0-9]{3}(?![0-9])|[0-9]+(?![0-9]))"
)
_DECIMAL = rf"(?:{_DIGITS}(?:\.[0-9]+(?![0-9]))?|\.[0-9]+(?![0-9]))"
_AMOUNT = (
    rf"(?:[0-9]{{1,3}}(?:[ .][0-9]{{3}})+,[0-9]{{1,2}}(?![0-9])|{_DECIMAL}"
    r"|[0-9]+,[0-9]+(?![0-9]))"
)
_BEGIN = r"(?<![A-Za-z0-9_.,^\\À-ɏ])(?<![0-9][:/])"
_UNIT = r"(?:kg|km|cm|mm|mg|ml|g|m|s|h|l|min|km/h|mph|lbs?|ft|hrs?|yrs?|yo)(?![\w^])"
_END = rf"(?!(?!{_UNIT})[a-zA-Z0-9_^′″‰])(?![.:/,][0-9]|⁄)"
_SIGN = (
    r"(?P<sign>(?<![A-Za-z0-9_)%\]-])(?<![0-9)%][ ])[-+][ ]?(?=[.0-9$€£¥₹])"
    r"|\b(?:minus|negative)[ ]|负)?"
)
_CURRENCY = r"(?:(?:US)?[$€£¥₹][ ]?(?P<after>-)?)?"
_PERCENT = r"[ ]?(?:%|percent(?:age points?)?\b|per[ ]cent\b|pct\b|Prozent\b|pour[ ]?cents?\b)"
_MAGNITUDE = "|".join(sorted(_MAGNITUDES, key=len, reverse=True))
_WORD = "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)).replace(r"\-", "[ -]")

_IN_DIGITS: dict[Style, str] = {
    "power": rf"(?:(?:(?P<mantissa>{_DECIMAL})[ ]?[xX×][ ]?)?"
    r"10[ ]?\^[ ]?(?P<open>\([ ]?)?(?P<raised>[-+]?[ ]?[0-9]+(?:\.[0-9]+)?)(?(open)[ ]?\))"
    r"|(?P<significand>[0-9]+(?:\.[0-9]+)?)[eE](?P<shift>[-+]?[0-9]{1,4}))(?![\w^⁄])(?!\.[0-9])",
    "fraction": r"(?:(?:(?P<whole>[0-9]+)[ ](?:and[ ])?)?"
    r"(?P<top>[0-9]{1,9}(?:\.[0-9]{1,9})?)[ ]?[/⁄][ ]?(?P<bottom>[0-9]{1,9})(?![ ]?[/⁄]|[.,]?[0-9])"
    rf"(?P<vulgar_percent>(?:(?<=⁄[0-9])|(?<=⁄10)){_PERCENT})?"
    rf"|(?P<part>{_DECIMAL}(?=[ ]out)|[0-9]+)[ ](?:out[ ]of[ ](?:an?[ ]|the[ ])?"
    r"|in[ ](?=[0-9]+(?:[ ]chances?\b|[ ]*(?:[^\w\s.]|\.?$))))"
    rf"(?P<of>{_DIGITS})(?![.%]?[0-9])(?![ ]?%)"
    r"|(?P<under>[零一二两三四五六七八九十百千万]{1,9})分之"
    r"(?P<over>[〇零一二两三四五六七八九十百点]{1,9}|[0-9]+(?:\.[0-9]+)?))",
    "percent": rf"(?P<hundredths>{_AMOUNT}){_PERCENT}",
    "scaled": rf"(?P<amount>{_AMOUNT})"
    rf"(?:[ -]?(?P<magnitudes>(?:{_MAGNITUDE})(?:e?n|s)?(?:[ ](?:{_MAGNITUDE})s?)*)"
    r"(?![^\W\d_一-龥])|[ ]?(?P<short>(?-i:k|K|M|Mio\.?|mn|bn|B|Mrd\.?|T))(?!\w))",
    "plain": rf"(?![0-9.]+[ ]?成)(?P<digits>{_AMOUNT}){_END}",
}
_IN_WORDS = (
    r"百分(?P<all>百)|"
    r"(?<!and )(?<![\w-])(?P<parts>one|two|three)[ -]"
    r"(?P<equal>half|(?:third|quarter|fourth)s?)(?!\w)|"
    rf"(?<![\w-])(?P<spelled>(?:an?[ ](?=(?:{_MAGNITUDE})\b))?"
    rf"(?:{_WORD}|{_MAGNITUDE})"
    rf"(?=(?P<more_words>(?:(?:[ -]|[ ]and[ ])(?:{_WORD}|{_MAGNITUDE})){{0,6}}))(?P=more_words))"
    rf"(?:e?n|s)?(?!\w)(?P<spelled_percent>{_PERCENT})?"
    r"|(?P<tenths>[一二两三四五六七八九十]|(?<![0-9.])[0-9](?:\.[0-9])?)成(?![不功立本员就长绩果])"
    r"(?P<more>[一二三四五六七八九半])?"
    r"|(?P<han>[零一二两三四五六七八九十百千]{1,9}(?:点[零一二三四五六七八九]{1,9})?)"
    r"(?=%|[^\w]|$|左右|[的吧岁年])(?P<han_percent>%)?"
)
_ODD = r"(?<![\w^])\.?[0-9](?:[\w.,:/⁄^'°]*[\w⁄^°])?"
_NUMBER = re.compile(
    # The first sign alone rules most places out.
    rf"(?=[-+\w$€£¥₹]|\.[0-9])(?:{_SIGN}{_CURRENCY}{_BEGIN}(?:"
    + "|".join(f"(?P<{style}>{pattern})" for style, pattern in _IN_DIGITS.items())
    + f")|(?P<word>{_IN_WORDS})|(?P<odd>{_ODD}))",
    re.IGNORECASE,
)
_SCALED_WORDS = re.compile(rf"{_WORD}|{_MAGNITUDE}", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A number as the text writes it, from its sign to its percent sign or magnitude.

    A text that only looks like a number (a date, a version) has the style "odd" and the value None.
    The value of a percentage is the number before the percent sign. `whole` is the whole that a
    part is stated of: 10 in "7/10".
    """

    style: Style
    value: Fraction | None
    start: int
    end: int
    whole: Fraction | None = None

    @property
    def is_integer(self) -> bool:
        """Whether the value is a whole number."""
        return self.value is not None and self.value.denominator == 1

    @property
    def is_pronoun(self) -> bool:
        """Whether the number is the word "one", which in prose is seldom a number."""
        return self.style == "word" and self.value == 1

    @property
    def log10(self) -> float | None:
        """Logarithm of the value to base ten; None without a value, for zero and for less."""
        if self.value is None or self.value <= 0:
            return None
        # A number of 1000 digits is too large for a float, but its logarithm is not.
        numerator, denominator = self.value.numerator, self.value.denominator
        return math.log10(numerator) - math.log10(denominator)


def numbers_in(text: str, start: int = 0) -> list[Number]:
    """Return at most `MOST` numbers of a text, from a position on, in their order."""
    return list(map(_number_of_match, islice(_NUMBER.finditer(text, start), MOST)))


def number_at(text: str, start: int) -> Number | None:
    """Return the number that begins at a position; None if no number begins there."""
    match = _NUMBER.match(text, start)
    return _number_of_match(match) if match else None


def _number_of_match(match: re.Match[str]) -> Number:
    """Return the number of a match of `_NUMBER`, which has a group for each style of writing.

    A number that can't be read has the style `odd` and no value.
    """
    style: Style = next(style for style in _VALUES if match[style] is not None)
    start, end = match.span()
    value = _VALUES[style](match) if end - start <= LONGEST else None
    if value is None:
        return Number("odd", None, start, end)
    # The minus may stand before the currency's sign or after it ("after").
    if match["after"] or (match["sign"] or "+").strip() != "+":
        value = -value
    # "7 out of 10" and "7/10" are parts of 10; "1 1/2" (the group "whole" is its 1) and "½ percent"
    # are no parts of 2.
    is_part = not (match["whole"] or match["vulgar_percent"])
    whole = match["of"] or (match["bottom"] if is_part else None)
    whole_value = _decimal(whole) if whole else None
    return Number(_style(match, style), value, start, end, whole=whole_value)


def _style(match: re.Match[str], style: Style) -> Style:
    """Return the style of a number: that of its pattern, unless a part of it says more.

    Words with a percent sign are "percent", "two thirds" is a "fraction", and plain digits with
    separators of thousands are "grouped".
    """
    signs = match.group("spelled_percent", "han_percent", "vulgar_percent", "tenths", "all")
    if match["under"] == "百" or any(signs):  # 百分之七十 is seventy of a hundred
        return "percent"
    if match["parts"]:
        return "fraction"
    grouped = style == "plain" and re.search(r"^(?!0,).*[0-9][,' _\u202f][0-9]{3}", match["digits"])
    return "grouped" if grouped else style


def _decimal(digits: str) -> Fraction:
    """Return the value of digits with thousands separators or decimals.

    A comma is a decimal comma if it can't be a thousands separator, as in 0,5 and 2,50.
    """
    digits = re.sub(r"[ '_\u202f]|\.(?=[0-9.]+,)", "", digits)  # "1 000", the point of "1.000,5"
    if re.fullmatch(r"0,[0-9]+|[0-9]+,(?![0-9]{3}$)[0-9]+", digits):
        return Fraction(digits.replace(",", "."))
    return Fraction(digits.replace(",", ""))


def _power(match: re.Match[str]) -> Fraction | None:
    """Return the value of a power of ten: 2 x 10^5, 2e5; None if the exponent is too large.

    The groups of the match are `mantissa` x 10^`raised`, or `significand` e `shift`.
    """
    exponent = Fraction((match["raised"] or match["shift"]).replace(" ", ""))
    mantissa = _decimal(match["mantissa"] or match["significand"] or "1")
    if exponent.denominator == 1:
        return mantissa * Fraction(10) ** int(exponent) if abs(exponent) <= LONGEST else None
    # Powers that are no whole numbers are floats, which end at 10^308.
    return mantissa * Fraction(10 ** float(exponent)) if abs(exponent) < 300 else None


def _fraction(match: re.Match[str]) -> Fraction | None:
    """Return the value of a part of a whole: 1 1/2, 3 out of 4; None if it has no single value.

    Of 百分之七十 (70 of 100) the value is 70, as of a percentage. The match has the groups `whole`
    `top`/`bottom`, `part` out of `of`, or, with the denominator first, `under` 分之 `over`.
    """
    top = _digits_or_chinese(match["top"] or match["part"] or match["over"])
    bottom = _digits_or_chinese(match["bottom"] or match["of"] or match["under"])
    if top is None or not bottom:
        return None
    share = top / bottom * (100 if match["under"] == "百" else 1)
    return Fraction(match["whole"] or 0) + share


def _scaled(match: re.Match[str]) -> Fraction:
    """Return the value of digits with a magnitude: 2 million, 5k, 3 hundred thousand."""
    value = _decimal(match["amount"])  # the magnitudes of both tables are exponents of ten
    if match["short"]:
        return value * Fraction(10) ** _SHORT_MAGNITUDES[match["short"].rstrip(".")]
    for magnitude in re.findall(_MAGNITUDE, match["magnitudes"].lower()):
        value *= 10 ** _MAGNITUDES[magnitude]
    return value


def _number_in_words(match: re.Match[str]) -> Fraction | None:
    """Return the value of a number in English or Chinese words; None if it is not certain."""
    if match["spelled"]:
        is_plural = match["spelled"].lower() in _MAGNITUDES and match[0].lower().endswith("s")
        if is_plural:  # "millions" is no number
            return None
        return _english_number(match["spelled"].lower())
    if match["tenths"]:  # 七成半 is seven tenths and a half: 75 percent
        tenths, more = _digits_or_chinese(match["tenths"]), match["more"] or "零"
        return None if tenths is None else 10 * tenths + (5 if more == "半" else _HAN_DIGITS[more])
    if match["parts"]:  # "two thirds"
        return Fraction(_WORDS[match["parts"].lower()], _EQUAL_PARTS[match["equal"][0].lower()])
    # The group "all" is 百分百, a hundred percent.
    return Fraction(100) if match["all"] else _chinese_numeral(match["han"])


def _english_number(words: str) -> Fraction | None:
    """Return the value of English number words: "two hundred thousand", "twenty-five".

    None for "nineteen eighty", which may be a year.
    """
    total = Fraction(0)
    part: Fraction | None = None  # of the words since "thousand" or the like; None without any
    for word in _SCALED_WORDS.findall(words):
        value = _WORDS.get(word.replace(" ", "-"))
        if value is not None:
            # A word after a unit, or tens after tens, would begin a second number.
            if part and (part % 10 or (value >= 10 and part % 100)):
                return None
            part = value + (part or Fraction(0))
        elif _MAGNITUDES[word] == 2:  # "hundred", 10^2, multiplies what precedes it
            part = Fraction(100) if part is None else part * 100
        else:  # "thousand" and more end a part of the sum
            factor = 1 if part is None else part
            total, part = total + factor * 10 ** _MAGNITUDES[word], None
    return total + (part or 0)


def _digits_or_chinese(digits: str) -> Fraction | None:
    return _decimal(digits) if digits[0] in "0123456789." else _chinese_numeral(digits)


def _chinese_numeral(numeral: str) -> Fraction | None:
    """Return the value of a Chinese numeral below a hundred thousand, with decimals or without.

    None for a numeral of two values, such as "七八十" (seventy or eighty). 三百二十 is 3 hundred 2
    ten: a digit multiplies the unit after it, and the products are added up.
    """
    whole, _, decimals = numeral.partition("点")  # the decimal point
    is_unsure = re.search("[百千][一二三四五六七八九]$", whole)  # 一百五 is 150 to some, else 105
    if not whole or is_unsure or set(decimals) - set(_HAN_DIGITS):
        return None
    total, digit = 0, None
    for sign in whole:
        if sign in _HAN_UNITS:
            total += (1 if digit is None else digit) * _HAN_UNITS[sign]  # 十 alone is ten
            digit = None
        elif digit:  # two digits in a row; only 零 (zero) may precede one, as in 一百零五 (105)
            return None
        else:
            digit = _HAN_DIGITS[sign]
    digits = "".join(str(_HAN_DIGITS[sign]) for sign in decimals)
    return Fraction(total + (digit or 0)) + Fraction(f"0.{digits or 0}")


_VALUES: dict[Style, Callable[[re.Match[str]], Fraction | None]] = {
    "power": _power,
    "fraction": _fraction,
    "percent": lambda match: _decimal(match["hundredths"]),
    "scaled": _scaled,
    "plain": lambda match: _decimal(match["digits"]),
    "word": _number_in_words,
    "odd": lambda _: None,
}
