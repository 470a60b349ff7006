"""Right, wrong and declined answers: shares and F-score."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from inspect_ai.scorer import SampleScore, Score
from inspect_evals.simpleqa.scorer import simpleqa_metric

from build import copies_with
from inspect_confidence.metrics import (
    accuracy_given_attempted,
    attempted_share,
    clustered_wilson_interval,
    f_score,
    overall_accuracy,
)
from studies.frames import Row, frame, result_row, study_results

NAN = float("nan")
CONDITION = "method=stated;scale=0-100"
METRICS = ("attempted_share", "accuracy_given_attempted", "overall_accuracy", "f_score")


def test_shares_and_f_score_by_hand() -> None:
    """Of 8 graded answers 3 are right, 2 wrong and 3 declined; one was not graded."""
    correct = [1, 1, 1, 0, 0, NAN, NAN, 1, NAN]
    declined = [False] * 5 + [True, True, True, False]
    assert attempted_share(correct, declined) == 5 / 8
    assert accuracy_given_attempted(correct, declined) == 3 / 5
    assert overall_accuracy(correct, declined) == 3 / 8
    assert f_score(correct, declined) == pytest.approx(2 * 3 / (5 + 8))


def test_shares_of_nothing_are_undefined_and_an_f_score_of_no_right_answer_is_0() -> None:
    """Harmonic means of nothing attempted are undefined."""
    for function in (attempted_share, accuracy_given_attempted, overall_accuracy, f_score):
        assert np.isnan(function([], []))
        assert np.isnan(function([NAN], [False]))
    assert attempted_share([NAN], [True]) == overall_accuracy([NAN], [True]) == 0
    assert np.isnan(accuracy_given_attempted([NAN], [True]))
    assert np.isnan(f_score([NAN], [True]))
    assert f_score([0, NAN], [False, True]) == 0
    with pytest.raises(ValueError, match=r"correct=1\.5 is not in \[0, 1\]"):
        f_score([1.5], [False])


GRADES = some.lists(some.sampled_from(["correct", "incorrect", "not_attempted"]), min_size=1)


@given(GRADES)
def test_the_numbers_are_those_of_simpleqa_in_inspect_evals(grades: list[str]) -> None:
    """Except where inspect_evals takes 0 for a share of nothing."""
    scores = []
    for grade in grades:
        keys = ("correct", "incorrect", "not_attempted")
        value = {key: float(key == grade) for key in keys}
        scores.append(SampleScore(score=Score(value=cast(Any, value))))
    expected = cast(dict[str, float], simpleqa_metric()(cast(Any, scores)))
    declined = [grade == "not_attempted" for grade in grades]
    correct = [float(grade == "correct") for grade in grades]
    assert attempted_share(correct, declined) == pytest.approx(expected["attempted"])
    assert overall_accuracy(correct, declined) == pytest.approx(expected["correct"])
    if all(declined):
        assert np.isnan(f_score(correct, declined))
        return
    accuracy = accuracy_given_attempted(correct, declined)
    assert accuracy == pytest.approx(expected["correct_given_attempted"])
    assert f_score(correct, declined) == pytest.approx(expected["f_score"])


def three_way_rows(epochs: int) -> list[Row]:
    """40 right, 20 wrong, 30 declined and 10 unreadable replies; 5 graders failed."""
    parts = {"right": 40, "wrong": 20, "declined": 30, "unreadable": 10, "failed": 5}
    rows: list[Row] = []
    for kind, count in parts.items():
        for number in range(count):
            row: Row = {"item": f"{kind}{number}", "method": "stated", "low": 0, "high": 100}
            # What is said of an "I don't know" must change nothing.
            row["raw"] = 100 if kind == "declined" else 50 + number
            row["correct"] = {"right": 1.0, "wrong": 0.0, "unreadable": 1.0}.get(kind, NAN)
            statuses = {"declined": "declined", "failed": "grader_failed"}
            row["status"] = {**statuses, "unreadable": "refusal"}.get(kind, "ok")
            rows += [{**row, "epoch": epoch + 1} for epoch in range(epochs)]
    return rows


@pytest.mark.parametrize("epochs", [1, 2])
def test_declined_answers_are_counted_and_left_out_of_calibration(epochs: int) -> None:
    """50 of 100 graded are right, 20 wrong, 30 declined; intervals are Wilson's over items."""
    results = study_results(frame(three_way_rows(epochs), "any_eval"), resamples=200)
    right, attempted, graded = 50 * epochs, 70 * epochs, 100 * epochs
    expected = {
        "attempted_share": (attempted / graded, graded),
        "accuracy_given_attempted": (right / attempted, attempted),
        "overall_accuracy": (right / graded, graded),
        "f_score": (2 * right / (attempted + graded), graded),
    }
    for metric, (value, n) in expected.items():
        row = result_row(results, CONDITION, metric)
        assert (row["value"], row["n"]) == (pytest.approx(value), n)
        assert row["asked"] == 105 * epochs
        assert row["ci_low"] < value < row["ci_high"]
        assert f"{5 * epochs} grader_failed" in row["note"]
    interval = clustered_wilson_interval([1] * 70 + [0] * 30, [1] * 100)
    share = result_row(results, CONDITION, "attempted_share")
    assert (share["ci_low"], share["ci_high"]) == pytest.approx(interval)
    accuracy = result_row(results, CONDITION, "accuracy")
    assert (accuracy["value"], accuracy["n"]) == (pytest.approx(50 / 70), attempted)
    auroc = result_row(results, CONDITION, "auroc")
    assert auroc["n"] == 60 * epochs
    assert f"{30 * epochs} declined" in auroc["note"]
    unreadable = result_row(results, CONDITION, "format_failure_rate")
    # 10 of 105 replies an epoch: the five whose grader failed were read.
    assert (unreadable["value"], unreadable["n"]) == (pytest.approx(10 / 105), 105 * epochs)


@pytest.mark.parametrize("said", [0, 100])
def test_what_a_model_says_of_its_declined_answers_changes_no_number(said: float) -> None:
    """Neither calibration nor the shape of its reports."""
    rows = three_way_rows(1)
    changed = [{**row, "raw": said if row["status"] == "declined" else row["raw"]} for row in rows]
    first = study_results(frame(rows, "any_eval"), resamples=50)
    second = study_results(frame(changed, "any_eval"), resamples=50)
    assert first.equals(second)


def test_a_model_that_never_declines_has_the_shares_beside_one_that_does() -> None:
    """Both are in one ranking; without any declined answer the shares are left out."""
    rows = copies_with(three_way_rows(1), model="first")
    others = [{**row, "model": "second"} for row in rows if row["status"] == "ok"]
    both = study_results(frame([*rows, *others], "any_eval"), resamples=50)
    row = result_row(both, CONDITION, "attempted_share", model="second")
    assert (row["value"], row["n"]) == (1, 60)
    alone = study_results(frame(others, "any_eval"), resamples=50)
    assert not set(METRICS) & set(alone["metric"])
