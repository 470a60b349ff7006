"""Probabilities come back as they were written, in digits and in Chinese."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers import StatedProbability, read_probability


@given(st.floats(0, 1))
def test_floats_round_trip(value: float) -> None:
    """Any float between 0 and 1 is read as it was written."""
    assert read_probability(repr(value)) == StatedProbability(abs(value))
    assert read_probability(f"The probability is {value!r}.") == StatedProbability(abs(value))


@given(st.integers(0, 10000))
def test_percentages_round_trip(hundredths: int) -> None:
    """A percentage is divided exactly."""
    value = float(Fraction(hundredths, 10000))
    assert read_probability(f"{hundredths // 100}.{hundredths % 100:02d}%") == StatedProbability(
        value
    )


def test_chinese_percentages() -> None:
    """Every whole percentage below a hundred in Chinese numerals."""
    digits = "零一二三四五六七八九"
    for percent in range(100):
        tens, ones = divmod(percent, 10)
        leading = "" if tens == 1 else digits[tens]
        numeral = f"{leading}十{digits[ones] if ones else ''}" if tens else digits[ones]
        assert read_probability(f"百分之{numeral}") == StatedProbability(percent / 100), numeral
