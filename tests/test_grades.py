"""What an eval's own scores say of an answer: a number in [0, 1], or why there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from inspect_ai.scorer import Score

from inspect_confidence.answers import ParseFailure
from inspect_confidence.grades import grade, read_grade, read_number
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


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("C", "correct", "CORRECT", "Yes", "y", "TRUE", "t", "pass", "1", "1.0", "100%"), 1.0),
        (("I", "incorrect", "INCORRECT", "No", "FALSE", "f", "wrong", "fail", "0", "0 %"), 0.0),
        (("P", "PARTIAL", "partially correct", "0.5", ".5", "0,5", "50%", "5e-1"), 0.5),
    ],
)
def test_words_letters_and_numbers_are_read_as_the_same_grade(
    texts: tuple[str, ...], expected: float
) -> None:
    """Letter case and surrounding blanks are ignored."""
    for text in (*texts, *map(str.lower, texts), *(f" {text} " for text in texts)):
        assert read_grade(text) == expected


def test_grades_of_types_other_than_text_are_numbers() -> None:
    """Of Python, numpy and JSON."""
    values = [True, False, 1, 0.25, np.bool_(True), np.int64(0), np.float32(0.5)]
    assert [read_grade(value) for value in values] == [1, 0, 1, 0.25, 1, 0, 0.5]


@pytest.mark.parametrize(
    "value", [None, math.nan, np.float32("nan"), "", " ", "None", "null", "N/A", "-"]
)
def test_a_missing_grade_is_scoring_failed_without_a_value(value: object) -> None:
    """It is never a wrong answer."""
    grade_read = read_grade(value)
    assert grade_read == ParseFailure("scoring_failed", "there is no grade")
    assert math.isnan(read_number(value))


@pytest.mark.parametrize("text", ["N", "NOANSWER", "NOT_ATTEMPTED", "not attempted", "Declined"])
def test_grades_of_no_answer_are_declined(text: str) -> None:
    """They are neither right nor wrong."""
    grade_read = read_grade(text)
    assert isinstance(grade_read, ParseFailure)
    assert grade_read.status == "declined"


def test_n_is_no_only_beside_y() -> None:
    """Inspect writes N for no answer."""
    assert read_grade("N", no_is_n=True) == 0


@pytest.mark.parametrize(
    "value", ["maybe", "A", "[1]", "1/2", "1 0", "inf", [1], {"c": 1}, math.inf]
)
def test_what_is_no_grade_is_scoring_failed_and_named(value: object) -> None:
    """Nothing is guessed from a part of it."""
    grade_read = read_grade(value)
    assert isinstance(grade_read, ParseFailure)
    assert (grade_read.status, str(value)[:40] in grade_read.reason) == ("scoring_failed", True)


@pytest.mark.parametrize(
    ("text", "number", "semicolons"),
    [
        ("85%", 0.85, 0.85),
        ("85,5 %", 0.855, 0.855),
        ("1,000", 1000, 1),
        ("1,234,567.5", 1234567.5, math.nan),
        ("0,850", 0.85, 0.85),
        ("12,5", 12.5, 12.5),
        ("1.234,5", 1234.5, 1234.5),
        ("1.500", 1.5, 1.5),
        ("-0.25", -0.25, -0.25),
        ("\N{MINUS SIGN}3", -3, -3),
        ("1e-3", 0.001, 0.001),
        ("1e999", math.nan, math.nan),
        ("1_000", math.nan, math.nan),
        ("0x10", math.nan, math.nan),
        ("12,34,56", math.nan, math.nan),
    ],
)
def test_commas_part_thousands_unless_only_a_decimal_comma_fits(
    text: str, number: float, semicolons: float
) -> None:
    """In files with semicolons every single comma is a decimal one."""
    assert read_number(text) == pytest.approx(number, nan_ok=True)
    assert read_number(text, decimal_comma=True) == pytest.approx(semicolons, nan_ok=True)


@given(some.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_any_number_is_read_as_that_number(number: float) -> None:
    """As Python writes it."""
    assert read_number(repr(number)) == number
