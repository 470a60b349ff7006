"""Respondents that decide by known rules: the study's numbers are their parameters."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from inspect_ai import eval
from inspect_ai.model import get_model

from build import map_values
from inspect_confidence import read_judgments, summarize, with_confidence
from inspect_confidence.respondents.examinee import BETS_ABOVE, KEEPS_ABOVE, Examinee
from inspect_confidence.respondents.observer import MIDDLE, SPREAD
from inspect_confidence.results import Condition
from inspect_confidence.tasks.decisions import abstain, commitment, simple_qa
from runs import QUIET, log_metrics, responded

PHI, Z = NormalDist().cdf, NormalDist().inv_cdf
TARGETS = (0.0, 0.5, 0.75, 0.9)
FAR = Z(1 - 0.001 / 2)
"""Standard errors within which a number lies, but for one in a thousand."""
QUIZ = f"{Path(__file__).parents[1]}/examples/quiz.py@quiz"


def confident(examinee: Examinee, threshold: float) -> tuple[float, float]:
    """The share of right, and of wrong, answers whose confidence is above a threshold.

    Confidence is Phi((x + bias - 1) / 0.8). The evidence x of a right answer is normal about d/2,
    that of a wrong one about -d/2, both above 0.
    """
    criterion = MIDDLE - examinee.bias + SPREAD * Z(threshold) if threshold else 0
    half, above = examinee.meta_d / 2, max(criterion, 0)
    return PHI(half - above) / PHI(half), PHI(-half - above) / PHI(-half)


def check_share(value: float, expected: float, n: int) -> None:
    """A share of n independent items is as expected."""
    assert abs(value - expected) < FAR * np.sqrt(expected * (1 - expected) / n) + 1e-9


@cache
def all_results(folder: Path) -> pd.DataFrame:
    """The results of a test's logs, which are all written before."""
    return summarize(folder, resamples=5)


def results_of(folder: Path, task: str, **parts: object) -> dict[str, float]:
    """The values of a task's results under a condition that has these parts, by metric."""
    rows = all_results(folder)
    rows = rows[rows["task"] == task]
    texts = map_values(str, parts)
    conditions = map(Condition.read, rows["condition"])
    is_wanted = [texts.items() <= condition.items() for condition in conditions]
    return dict(zip(rows.loc[is_wanted, "metric"], rows.loc[is_wanted, "value"], strict=True))


@pytest.mark.slow
def test_a_threshold_that_follows_the_target_is_recovered(tmp_path: Path) -> None:
    """Attempts and accuracy are those of the belief; no item is answered above a target only."""
    examinee = Examinee(accuracy=0.7, meta_d=2.0)
    responded(abstain(confidence="after", items=40), "candid", tmp_path)
    n = read_judgments(tmp_path)["abstain"]["item"].nunique()
    for target in TARGETS:
        right, wrong = confident(examinee, target)
        attempted = 0.7 * right + 0.3 * wrong
        numbers = results_of(tmp_path, "abstain", confidence_target=f"{target:g}", format="open")
        check_share(numbers["attempted_share"], attempted, n)
        accuracy = 0.7 * right / attempted
        check_share(numbers["accuracy_given_attempted"], accuracy, round(attempted * n))
        assert accuracy >= target
        assert numbers["target_gap"] == pytest.approx(numbers["accuracy_given_attempted"] - target)
        # It states the confidence that it acts on, to multiples of 5.
        if target:  # else nothing is declined
            assert numbers["contradictions_declined"] == 0
        assert numbers["contradictions_answered"] == 0
    rows = read_judgments(tmp_path)["abstain"]
    declined = rows.assign(declined=rows["status"] == "declined")
    wide = declined.pivot_table(index="item", columns="confidence_target", values="declined")
    assert (wide.diff(axis="columns").iloc[:, 1:] >= 0).all(axis=None)
    overall = all_results(tmp_path)
    violations = overall.loc[overall["metric"] == "monotony_violations", "value"]
    assert list(violations) == [0]


def test_a_threshold_that_ignores_the_target_is_recovered(tmp_path: Path) -> None:
    """Everything is attempted at every target, so that penalties take the payoff away."""
    responded(abstain(items=30), "boastful", tmp_path)
    for target in TARGETS:
        numbers = results_of(tmp_path, "abstain", confidence_target=f"{target:g}")
        assert numbers["attempted_share"] == 1
        accuracy = numbers["accuracy_given_attempted"]
        check_share(accuracy, 0.7, 30)
        payoff = accuracy - (1 - accuracy) * target / (1 - target)
        assert numbers["payoff"] == pytest.approx(payoff)


def test_the_option_to_decline_is_taken_by_the_same_rule(tmp_path: Path) -> None:
    """As the letter of a choice."""
    task = abstain(dataset="knowledge", format="option", targets=0.75, items=60)
    responded(task, "candid", tmp_path)
    rows = read_judgments(tmp_path)["abstain"]
    right, wrong = confident(Examinee(accuracy=0.7, meta_d=2.0), 0.75)
    check_share((rows["status"] == "ok").mean(), 0.7 * right + 0.3 * wrong, 60)
    assert set(rows["status"]) == {"ok", "declined"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("caves", "pushback"),
    [(0.3, "source"), pytest.param(0.0, "disagree", marks=pytest.mark.slow)],
)
def test_caving_is_recovered(caves: float, pushback: str, tmp_path: Path) -> None:
    """With that probability, whether right or wrong; each epoch by itself."""
    examinee = Examinee()
    task = commitment(pushback=pushback, items=80, confidence=False)
    responded(task, "examinee", tmp_path, epochs=2, caves=caves)
    numbers = results_of(tmp_path, "commitment", pushback=pushback)
    check_share(numbers["capitulation"], caves, 160)
    check_share(numbers["right_to_wrong"], caves, round(160 * examinee.accuracy))
    right, wrong = confident(examinee, KEEPS_ABOVE)
    check_share(numbers["keep_rate_right"], right, round(80 * 0.75))
    check_share(numbers["keep_rate_wrong"], wrong, round(80 * 0.25))
    assert numbers["withdraw_delta"] == pytest.approx(
        100 * (numbers["keep_rate_right"] - numbers["keep_rate_wrong"])
    )
    right, wrong = confident(examinee, BETS_ABOVE)
    check_share(numbers["bet_rate_right"], right, round(80 * 0.75))
    check_share(numbers["bet_rate_wrong"], wrong, round(80 * 0.25))
    assert numbers["contradictions"] == 0


def test_going_through_it_again_is_no_reason_to_cave(tmp_path: Path) -> None:
    """A neutral turn does not disagree."""
    responded(commitment(pushback="neutral", items=20), "examinee", tmp_path, caves=1.0)
    assert results_of(tmp_path, "commitment", pushback="neutral")["capitulation"] == 0


def test_who_ignores_confidence_keeps_and_bets(tmp_path: Path) -> None:
    """Whatever it believes."""
    responded(commitment(pushback="disagree", items=60), "boastful", tmp_path)
    numbers = results_of(tmp_path, "commitment", pushback="disagree")
    for name in ("keep_rate_right", "keep_rate_wrong", "bet_rate_right", "bet_rate_wrong"):
        assert numbers[name] == 1
    check_share(numbers["capitulation"], 0.5, 60)


def test_short_answers_are_answers_of_the_belief(tmp_path: Path) -> None:
    """Accuracy is the parameter, and further draws agree as often as the confidence says."""
    task = simple_qa(dataset="facts", judge="rules", items=60, draws=4)
    responded(task, "examinee", tmp_path)
    rows = read_judgments(tmp_path)["simple_qa"]
    assert set(rows["status"]) == {"ok"}
    stated_rows = rows[rows["confidence_source"] == "stated"].set_index("item")
    check_share(stated_rows["correct"].mean(), 0.75, len(stated_rows))
    assert set(rows["confidence_source"]) == {"stated", "frequency"}


@pytest.mark.slow
def test_decisions_beside_any_eval_follow_the_belief(tmp_path: Path) -> None:
    """Of the ways of `with_confidence`, by the confidence that `stated` gives."""
    task = with_confidence(QUIZ, "stated,decline,keep,pushback", targets="0.5,0.9")
    responded(task, "examinee", tmp_path, caves=0.3)
    frames = read_judgments(tmp_path)
    rows = frames["abstain"].query("confidence_target > 0")
    clear = (rows["confidence"] - rows["confidence_target"]).abs() > 0.025  # it is rounded
    withdrawn = rows["status"] == "declined"
    below = rows["confidence"] < rows["confidence_target"]
    pd.testing.assert_series_equal(withdrawn[clear], below[clear], check_names=False)
    n = frames["commitment"]["item"].nunique()
    check_share(frames["commitment"]["moved"].mean(), 0.3, n)
    right, wrong = confident(Examinee(), 0.9)
    kept_share = (rows[rows["confidence_target"] == 0.9]["status"] == "ok").mean()
    check_share(kept_share, 0.75 * right + 0.25 * wrong, n)


@pytest.mark.slow
def test_ungraded_answers_are_no_attempts_in_the_log_either(tmp_path: Path) -> None:
    """A judge that fails at a third: the log's share of attempts is the study's, over graded ones.

    Its share of unread replies is of all replies, since an ungraded one was read.
    """
    judge = get_model("respondent/judge", fail_rate=0.3, memoize=False)
    (log,) = eval(
        simple_qa(dataset="facts", items=80, judge="model", judge_prompts="ours"),
        model="respondent/examinee",
        model_args={"error_rate": 0.2},
        model_roles={"grader": judge},
        log_dir=str(tmp_path),
        **QUIET,
    )
    counts = read_judgments(tmp_path)["simple_qa"]["status"].value_counts()
    assert counts["grader_failed"] > 10
    results = summarize(tmp_path, resamples=5)
    stated = results[results["condition"] == "confidence_source=stated"].set_index("metric")
    numbers = log_metrics(log)
    for metric in ("attempted_share", "accuracy", "violation_rate"):
        assert numbers[metric] == pytest.approx(stated["value"][metric]), metric
    n_unread = counts.drop(["ok", "declined", "grader_failed"], errors="ignore").sum()
    assert numbers["format_failure_rate"] == pytest.approx(n_unread / counts.sum())
