"""Tests of what comes before reading: one spelling, and refusals."""

# ruff: noqa: RUF001 # the tables hold dashes, minus and full-width signs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers import read_exponent, read_interval
from inspect_confidence.answers.clean import folded, is_refusal


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10⁻³", "10^-3"),
        ("10⁺¹²", "10^+12"),
        ("x² and y³", "x^2 and y^3"),
        ("−3 ﹣3 －3", "-3 -3 -3"),
        ("‐3 ‑3 ‒3 ₋3", "-3 -3 -3 -3"),
        ("“3” ‘7’", "\"3\" '7'"),
        ("Ｌｏｗｅｒ：３", "Lower:3"),
        ("3\u00a0to\u202f7", "3 to 7"),
        ("3–7", "3–7"),
    ],
)
def test_folded(text: str, plain: str) -> None:
    """Superscripts, signs, quotes and compatibility forms get one spelling; ranges keep dashes."""
    assert folded(text) == plain


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("I can't say", True),
        ("i cannot say", True),
        ("We can not say", True),
        ("I'm sorry", True),
        ("I am not able to say", True),
        ("We will not say", True),
        ("I do not have data", True),
        ("I don't know", True),
        ("As an AI model", True),
        ("I can say", False),
        ("I know, and I have data", False),
        ("Lower: 3\nUpper: 7", False),
        ("One cannot overlook the sorry state of the roads", False),
        ("such as an aim", False),
    ],
)
def test_is_refusal(text: str, refuses: bool) -> None:
    """Someone who won't or can't answer says so in the first person."""
    assert is_refusal(text) is refuses


@given(st.text())
def test_folding_is_done_once(text: str) -> None:
    """A text that is folded already stays as it is, and so does plain English."""
    assert folded(folded(text)) == folded(text)
    if text.isascii():
        assert folded(text) == text


def test_an_endless_entity_is_no_character() -> None:
    """Python can't convert a number of 5,000 digits; a reply that holds one is still read."""
    entity = "&#" + "9" * 5_000 + "; "
    assert read_exponent(entity + "\nExponent: 5") == read_exponent("Exponent: 5")
    assert read_interval(entity + "\nLower: 3\nUpper: 7") == read_interval("Lower: 3\nUpper: 7")
