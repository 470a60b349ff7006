"""Names in figures: where they are broken or cut, and how models look."""

from __future__ import annotations

import pytest

from inspect_confidence.plots.layout import tick_labels
from inspect_confidence.plots.style import INK, MARKERS, SERIES, in_order, mark_of
from inspect_confidence.plots.text import inches_of, wrapped

SIZE = 9.5
"""In points."""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("google/gemini-2.5-flash (n = 1,361)", ["google/gemini-2.5-", "flash (n = 1,361)"]),
        ("openai/gpt-4o-mini, MMLU", ["openai/gpt-4o-mini,", "MMLU"]),
        ("Meta-Llama-3.1-70B-Instruct", ["Meta-Llama-3.1-70B-", "Instruct"]),
    ],
)
def test_a_model_name_is_broken_at_its_joints_and_never_within_a_part(
    text: str, lines: list[str]
) -> None:
    """A slash, space, hyphen or underscore is a joint."""
    assert wrapped(text, 1.5, SIZE) == lines


@pytest.mark.parametrize("inches", [0.4, 0.8, 1.5, 3.0])
def test_no_line_is_wider_than_asked_for(inches: float) -> None:
    """Nor are there more lines; a part that is too wide alone is broken at a letter."""
    for text in ("incomprehensibilities", "anthropic/claude-opus-4-5@20251101 (n = 1,500)"):
        lines = wrapped(text, inches, SIZE)
        assert len(lines) <= 2
        assert max(inches_of(line, SIZE) for line in lines) <= inches


def test_a_label_of_an_axis_loses_its_provider_before_letters_of_its_name() -> None:
    """Two models of a provider and a date would else have the same label."""
    names = ["openai/gpt-4o", "anthropic/claude-3-haiku", "anthropic/claude-opus-4-5@20251101"]
    assert tick_labels(names) == ["openai/gpt-4o", "claude-3-haiku", "claude-o\u202620251101"]


def test_what_is_no_model_has_no_colour_of_a_model() -> None:
    """Surveyed people and means over models have the colour of text, each a marker of its own."""
    with in_order(["a", "b"]):
        assert mark_of("b", 0) == {"color": SERIES[1], "marker": MARKERS[1]}
        assert mark_of("people surveyed", 0) == {"color": INK, "marker": MARKERS[2]}
        assert mark_of("mean of all models", 1) == {"color": INK, "marker": MARKERS[3]}
    assert mark_of("people surveyed", 0) == {"color": SERIES[0], "marker": MARKERS[0]}
