"""Texts of figures: where a name that is wider than its line is broken."""

from __future__ import annotations

import pytest

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
