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
from inspect_confidence.grades import Grade, grade, read_grade, read_number, read_three_way
from inspect_confidence.scorers.graded import eval_grades, grades_of

DECLINED = ParseFailure("declined", "the model gave no answer")
TRUTHS: dict[str, Grade] = {
    **{"C": 1.0, "P": 0.5, "I": 0.0, "yes": 1.0, "TRUE": 1.0, "No": 0.0, "false": 0.0},
    **{"0.25": 0.25, "1": 1.0, "0": 0.0, "1e-1": 0.1, "N": DECLINED},
}
"""Texts that Inspect documents a number for; for N that number is 0."""


@pytest.mark.parametrize(("text", "expected"), TRUTHS.items())
def test_texts_that_inspect_reads_are_grades(text: str, expected: Grade) -> None:
    """The constants, words for truth in any case, and digits; N is no answer and not wrong."""
    assert grades_of(text) == {"": expected}
    assert grade({"match": grades_of(text)}) == expected


@pytest.mark.parametrize("text", ["NOT-ATTEMPTED", "Not Attempted", "not_attempted", "no_answer"])
def test_words_of_a_grade_are_joined_in_any_way(text: str) -> None:
    """By blanks, hyphens and underscores."""
    assert read_grade(text) == DECLINED
    assert read_grade("Partially-Correct") == 0.5


@pytest.mark.parametrize("value", ["", "good", "nan", "inf", "-Infinity", "B", ["C"], [], [85]])
def test_what_means_no_grade_is_not_wrong(value: Any) -> None:
    """Inspect itself would warn and take 0."""
    correctness = grade({"match": grades_of(value)})
    assert isinstance(correctness, ParseFailure)
    assert correctness.status == "scoring_failed"
    assert correctness.reason.startswith("the eval's score match: ")


@pytest.mark.parametrize(("value", "right"), [(0, 0.0), (0.4, 0.4), (1, 1.0), (False, 0.0)])
def test_fractions_stay(value: float, right: float) -> None:
    """And 0 is wrong, not missing."""
    assert grade({"f1": grades_of(value)}) == right


@pytest.mark.parametrize("value", [1.5, -0.1, 7, "85"])
def test_other_ranges_are_no_correctness(value: float | str) -> None:
    """What they would be in [0, 1] isn't guessed; the reason has the number and the name."""
    correctness = grade({"points": grades_of(value)})
    assert isinstance(correctness, ParseFailure)
    assert f"points, {float(value):g}, is not between 0 and 1" in correctness.reason


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("grader_failed", "grader_failed"),
        ("scoring_failed", "scoring_failed"),
        ("refusal", "refusal"),
        ("grader_parse_failure", "scoring_failed"),
        ("ok", "scoring_failed"),
    ],
)
def test_an_unscored_answer_has_the_status_that_its_eval_recorded(reason: str, status: str) -> None:
    """The reason of an unscored value becomes the status; one that is unknown is the scorer's."""
    for value in (Score.unscored(reason=reason).value, {"score": math.nan, "confidence": 100}):
        correctness = grade({"judge": grades_of(value, reason)})
        assert isinstance(correctness, ParseFailure)
        assert (correctness.status, reason in correctness.reason) == (status, True)
    assert grade({"judge": grades_of("C", reason)}) == 1


THREE = ("correct", "incorrect", "not_attempted")


@pytest.mark.parametrize("prefix", ["", "is_"])
@pytest.mark.parametrize(("place", "expected"), [(0, 1.0), (1, 0.0), (2, DECLINED)])
def test_a_score_of_three_keys_is_one_grade(prefix: str, place: int, expected: Grade) -> None:
    """As SimpleQA's scorers write it, beside a confidence or not."""
    value: dict[str, Any] = {f"{prefix}{key}": float(k == place) for k, key in enumerate(THREE)}
    assert grade({"simpleqa_scorer": grades_of(value)}) == expected
    assert grade({"simpleqa_scorer": grades_of({**value, "confidence": 80})}) == expected


@pytest.mark.parametrize(
    "parts", [(0, 0, 0), (1, 1, 0), (0.5, 0.5, 0), (1, 0, math.nan), (2, -1, 0)]
)
def test_three_keys_that_contradict_each_other_are_scoring_failed(parts: Any) -> None:
    """None is chosen among them."""
    correctness = read_three_way(dict(zip(THREE, parts, strict=True)))
    assert isinstance(correctness, ParseFailure)
    assert correctness.status == "scoring_failed"
    assert read_three_way({"correct": 1, "incorrect": 0}) is None


@pytest.mark.parametrize("key", ["confidence", "stated_confidence", "Confidence_Score"])
def test_a_confidence_is_no_candidate_for_correctness(key: str) -> None:
    """HLE and BrowseComp have both in one score; named, it is taken at its word."""
    scores = {"judge": grades_of({"score": "C", key: 0.25})}
    assert grade(scores) == 1
    assert grade(scores, f"judge.{key}") == 0.25


@pytest.mark.parametrize("scorer", ["abstention_bench_scorer", "Refusal", "did_abstain"])
@pytest.mark.parametrize("value", ["Yes", "No", 1])
def test_a_verdict_on_abstention_is_no_correctness_until_it_is_named(
    scorer: str, value: Any
) -> None:
    """Yes means there that the model abstained."""
    scores = {scorer: grades_of(value)}
    correctness = grade(scores)
    assert isinstance(correctness, ParseFailure)
    assert "name by --score the score that says what is right" in correctness.reason
    assert grade(scores, scorer) == float(value != "No")


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
        ("quality.style", "the eval's score quality.style: vivid is no grade"),
        ("quality", "has no score quality; it has match, quality.style, quality.truth"),
        ("confidence.correct", "has no score confidence.correct"),
        (None, "has the scores match, quality.style, quality.truth: name one of them by score="),
    ],
)
def test_of_several_one_is_named(score_label: str | None, says: float | str) -> None:
    """By scorer, or by scorer and key; ours are never the eval's own."""
    correctness = grade(eval_grades(SEVERAL), score_label)
    if isinstance(correctness, ParseFailure):
        assert isinstance(says, str)
        assert says in correctness.reason
    else:
        assert correctness == says


def test_no_score_says_so() -> None:
    """A sample that its scorer gave none, or that none was asked of."""
    for scores in (None, {}, {"confidence": SEVERAL["confidence"]}, {"a": Score(value={})}):
        correctness = grade(eval_grades(scores))
        assert correctness == ParseFailure("scoring_failed", "the eval has no score")


atoms = some.one_of(
    some.floats(), some.integers(), some.booleans(), some.text(), some.sampled_from([*TRUTHS])
)
values = some.one_of(atoms, some.lists(atoms), some.dictionaries(some.text(), atoms | some.none()))


@given(values)
def test_any_value_is_a_number_in_range_or_has_a_reason(value: Any) -> None:
    """Each key of a score has the grade of its own value, or a failure with a reason."""
    grades = grades_of(value)
    for name in [None, *(f"own.{key}" if key else "own" for key in grades)]:
        correctness = grade({"own": grades}, name)
        if isinstance(correctness, ParseFailure):
            assert correctness.status in ("scoring_failed", "declined")
            assert correctness.reason
            continue
        assert 0 <= correctness <= 1
        parts = list(value.values()) if isinstance(value, dict) else [value]
        if isinstance(value, dict) and name:
            parts = [part for key, part in value.items() if name in (f"own.{key}", "own")]
        assert correctness in list(map(read_grade, parts))


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
    for text in (*texts, *map(str.lower, texts), *map(" {} ".format, texts)):
        assert read_grade(text) == expected


def test_grades_of_types_other_than_text_are_numbers() -> None:
    """Of Python, numpy and JSON."""
    values = [True, False, 1, 0.25, np.bool_(True), np.int64(0), np.float32(0.5)]
    assert list(map(read_grade, values)) == [1, 0, 1, 0.25, 1, 0, 0.5]


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
