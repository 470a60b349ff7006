"""What an eval's own scores say of an answer: a number in [0, 1], or why there is none."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from inspect_ai.scorer import Score

from inspect_confidence.answers import ParseFailure
from inspect_confidence.grades import grade
from inspect_confidence.scorers.graded import eval_scores, numbers_of

TRUTHS = {
    **{"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "TRUE": 1.0, "No": 0.0, "false": 0.0},
    **{"0.25": 0.25, "1": 1.0, "0": 0.0, "1e-1": 0.1},
}
"""Texts that Inspect documents a number for."""


@pytest.mark.parametrize(("text", "number"), TRUTHS.items())
def test_texts_that_mean_a_number(text: str, number: float) -> None:
    """The constants, words for truth in any case, and digits."""
    assert numbers_of(text) == {"": number}
    assert grade({"match": numbers_of(text)}) == number


@pytest.mark.parametrize("value", ["", "c", "p", "good", "nan", "inf", "-Infinity", "B", ["C"], []])
def test_what_means_no_number_is_not_wrong(value: Any) -> None:
    """Inspect itself would warn and take 0."""
    assert math.isnan(numbers_of(value)[""])
    correctness = grade({"match": numbers_of(value)})
    assert isinstance(correctness, ParseFailure)
    assert (correctness.status, "match is no number" in correctness.reason) == (
        "scoring_failed",
        True,
    )


@pytest.mark.parametrize(("value", "right"), [(0, 0.0), (0.4, 0.4), (1, 1.0), (False, 0.0)])
def test_fractions_stay(value: float, right: float) -> None:
    """And 0 is wrong, not missing."""
    assert grade({"f1": numbers_of(value)}) == right


@pytest.mark.parametrize("value", [1.5, -0.1, 7, "85", math.inf, -math.inf])
def test_other_ranges_are_no_correctness(value: float | str) -> None:
    """What they would be in [0, 1] isn't guessed; the reason has the number and the name."""
    correctness = grade({"points": numbers_of(value)})
    assert isinstance(correctness, ParseFailure)
    assert f"points, {float(value):g}, is not between 0 and 1" in correctness.reason


SEVERAL = {
    "match": Score(value="C"),
    "quality": Score(value={"style": "vivid", "truth": 0.75}),
    "confidence": Score(value={"correct": 0.0, "stated": 0.9}),
    "confidence1": Score(value={"correct": 0.0}),
}


@pytest.mark.parametrize(
    ("score_label", "says"),
    [
        ("match", 1.0),
        ("quality.truth", 0.75),
        ("quality.style", "the eval's score quality.style is no number"),
        ("quality", "has no score quality; it has match, quality.style, quality.truth"),
        ("confidence.correct", "has no score confidence.correct"),
        (None, "has the scores match, quality.style, quality.truth: name one of them by score="),
    ],
)
def test_of_several_one_is_named(score_label: str | None, says: float | str) -> None:
    """By scorer, or by scorer and key; ours are never the eval's own."""
    correctness = grade(eval_scores(SEVERAL), score_label)
    if isinstance(correctness, ParseFailure):
        assert isinstance(says, str)
        assert says in correctness.reason
    else:
        assert correctness == says


def test_no_score_says_so() -> None:
    """A sample that its scorer gave none, or that none was asked of."""
    for scores in (None, {}, {"confidence": SEVERAL["confidence"]}, {"a": Score(value={})}):
        correctness = grade(eval_scores(scores))
        assert correctness == ParseFailure("scoring_failed", "the eval has no score")


atoms = some.one_of(
    some.floats(), some.integers(), some.booleans(), some.text(), some.sampled_from([*TRUTHS])
)
values = some.one_of(atoms, some.lists(atoms), some.dictionaries(some.text(), atoms | some.none()))


@given(values)
def test_any_value_is_a_number_in_range_or_has_a_reason(value: Any) -> None:
    """0 only where something there is 0, wrong or no answer."""
    numbers = numbers_of(value)
    for name in [None, *(f"own.{key}" if key else "own" for key in numbers)]:
        correctness = grade({"own": numbers}, name)
        if isinstance(correctness, ParseFailure):
            assert (correctness.status, correctness.reason != "") == ("scoring_failed", True)
            continue
        assert 0 <= correctness <= 1
        numbers_held = [*value.values()] if isinstance(value, dict) else [value]
        if isinstance(value, dict) and name:
            numbers_held = [
                value_at_key for key, value_at_key in value.items() if name in (f"own.{key}", "own")
            ]
        assert any(correctness == number_of(value_at_key) for value_at_key in numbers_held)


def number_of(value: Any) -> float | None:
    """The number of a plain value; Python reads digits as Inspect does."""
    if not isinstance(value, str):
        return float(value) if isinstance(value, int | float) else None
    number_by_name = {name.casefold(): number for name, number in TRUTHS.items() if len(name) > 1}
    if value in TRUTHS or value.casefold() in number_by_name:
        return TRUTHS.get(value, number_by_name.get(value.casefold()))
    try:
        return float(value)
    except ValueError:
        return None
