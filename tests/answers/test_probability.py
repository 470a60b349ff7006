"""Probabilities come back as they were written, in digits and in Chinese."""

import sys
from fractions import Fraction
from unicodedata import decomposition, numeric

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers import (
    ParseFailure,
    StatedAmount,
    StatedProbability,
    read_amount,
    read_confidence,
    read_exponent,
    read_probability,
)


@given(st.floats(0, 1))
def test_any_float_from_0_to_1_is_read_exactly(value: float) -> None:
    """Any float between 0 and 1 is read as it was written."""
    assert read_probability(repr(value)) == StatedProbability(abs(value))
    assert read_probability(f"The probability is {value!r}.") == StatedProbability(abs(value))


@given(st.integers(0, 10000))
def test_a_percentage_is_divided_exactly(hundredths: int) -> None:
    """A percentage is divided exactly."""
    value = float(Fraction(hundredths, 10000))
    assert read_probability(f"{hundredths // 100}.{hundredths % 100:02d}%") == StatedProbability(
        value
    )


def test_whole_percentages_in_chinese_numerals_are_read() -> None:
    """Every whole percentage below a hundred in Chinese numerals."""
    digits = "零一二三四五六七八九"
    for percent in range(100):
        tens, ones = divmod(percent, 10)
        leading = "" if tens == 1 else digits[tens]
        numeral = f"{leading}十{digits[ones] if ones else ''}" if tens else digits[ones]
        assert read_probability(f"百分之{numeral}") == StatedProbability(percent / 100), numeral


VULGAR = {
    sign: Fraction(numeric(sign)).limit_denominator(10)
    for sign in map(chr, range(sys.maxunicode + 1))
    if decomposition(sign).startswith("<fraction>") and decomposition(sign)[-4:] != "2044"
}
"""Unicode's fractions of one character, and what they are."""


def test_unicode_fractions_are_read_alone_after_a_number_and_in_percent() -> None:
    """Alone, after a whole number, and as a part of one percent."""
    assert len(VULGAR) == 19
    for sign, share in VULGAR.items():
        assert read_probability(f"Probability: {sign}") == StatedProbability(float(share)), sign
        percent = StatedProbability(float(share / 100))
        assert read_probability(f"Probability: {sign}%") == percent, sign
        more = StatedProbability(float((97 + share) / 100))
        assert read_probability(f"The probability is 97{sign} percent.") == more, sign
        assert read_amount(f"Answer: {sign}") == StatedAmount(share), sign
        assert read_amount(f"Answer: 2{sign}") == StatedAmount(2 + share), sign


@pytest.mark.parametrize("number", ["⅟", "½/2", "1⁄", "10^½", "0x10", "0b11", "1e", "½⅓", "x⁄2"])  # noqa: RUF001 # as written
def test_a_part_of_a_number_is_not_read_as_the_number(number: str) -> None:
    """Half a fraction, one of a fraction, a power of one, and numbers to another base."""
    assert isinstance(read_probability(f"Probability: {number}"), ParseFailure)
    assert isinstance(read_amount(f"Answer: {number}"), ParseFailure)
    assert isinstance(read_exponent(f"Exponent: {number}"), ParseFailure)
    for low, high in ((0, 1), (0, 100)):
        assert isinstance(read_confidence(f"Confidence: {number}", low, high), ParseFailure)
