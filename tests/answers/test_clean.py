"""Tests of what comes before reading: a text is folded once and for all."""

from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers.clean import folded


@given(st.text())
def test_folding_is_done_once(text: str) -> None:
    """A text that is folded already stays as it is, and so does plain English."""
    assert folded(folded(text)) == folded(text)
    if text.isascii():
        assert folded(text) == text
