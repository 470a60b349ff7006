"""Runs that differ in no setting are pooled: each counts as further epochs of its items."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conftest import CHECKOUT
from inspect_confidence import Judgments, read_judgments
from studies.frames import frame, study_results

TASKS = (
    *("scale_variants", "fermi_eval", "wep_elicitation", "wep_choice", "life_eval"),
    *("question_sets", "hedge_markers"),
)


@pytest.fixture(scope="module")
def judgments_by_task() -> Judgments:
    """The judgments of the example logs."""
    return read_judgments(CHECKOUT / "examples" / "logs")


def runs_and_epochs(first: pd.DataFrame, second: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two runs of the same epochs, and the same rows as one run of twice as many epochs."""
    epochs = first["epoch"].max()
    runs = [first.assign(run="A"), second.assign(run="B")]
    of_one_run = [first.assign(run="A"), second.assign(run="A", epoch=second["epoch"] + epochs)]
    return pd.concat(runs, ignore_index=True), pd.concat(of_one_run, ignore_index=True)


def assert_equal_results(first: pd.DataFrame, second: pd.DataFrame, least: int) -> None:
    """Two runs have the results of twice as many epochs, which are at least this many numbers."""
    pooled, expected = (
        study_results(rows, resamples=20) for rows in runs_and_epochs(first, second)
    )
    # The random baseline draws choices by the order of rows, which the epoch changes.
    kept = ~expected["condition"].str.contains("baseline=random")
    assert len(expected[kept].dropna(subset="value")) >= least
    pd.testing.assert_frame_equal(
        pooled[kept].reset_index(drop=True), expected[kept].reset_index(drop=True)
    )


@pytest.mark.parametrize("task", TASKS)
def test_runs_of_each_task(judgments_by_task: Judgments, task: str) -> None:
    """The answers of two models as two runs of one, without the ids of samples, as in a file."""
    rows = judgments_by_task[task].assign(uuid="")
    boastful = rows["model"] == "respondent/boastful"
    assert_equal_results(rows[boastful], rows[~boastful].assign(model="respondent/boastful"), 10)


@pytest.mark.parametrize("task", TASKS)
def test_ids_of_runs_change_neither_numbers_nor_their_order(
    judgments_by_task: Judgments, task: str
) -> None:
    """Ids are random: with the ids of both models' runs exchanged, all rows are the same."""
    rows = judgments_by_task[task]
    boastful = rows["model"] == "respondent/boastful"
    results = study_results(rows.assign(run=np.where(boastful, "A", "B")), resamples=20)
    exchanged = study_results(rows.assign(run=np.where(boastful, "B", "A")), resamples=20)
    pd.testing.assert_frame_equal(results, exchanged)


@pytest.mark.parametrize("method", ["sampling", "tunnel", "logprob", "traces"])
def test_draws_of_two_runs_make_two_intervals(method: str) -> None:
    """Five draws a run and item; with ten draws together the interval would be another one."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for run in (0, 1):
        for number in range(20):
            for draw in range(5):
                lower = float(rng.integers(0, 4))
                shares = {str(exponent): 0.5 for exponent in rng.choice(8, 2, replace=False)}
                rows.append(
                    {
                        "run": run,
                        "item": f"q{number}",
                        "draw": float(draw),
                        "epoch": 1.0,
                        "split": "train" if number < 10 else "test",
                        "truth": float(rng.integers(0, 8)),
                        "level": 80.0,
                        "lower": lower,
                        "upper": lower + 1 + float(rng.integers(0, 4)),
                        "point": lower + 1,
                        "probabilities": json.dumps(shares),
                        "unseen_mass": 0.0,
                        "answer_tokens": 1.0,
                    }
                )
    judgments = frame(rows, "fermi_eval").assign(model="m", method=method)
    is_second = judgments["run"] == 1
    assert_equal_results(judgments[~is_second], judgments[is_second], 8)


def test_turns_of_two_runs_move_two_answers() -> None:
    """The answer moves in the second run alone: one of two moves, not the only one."""
    rows: list[dict[str, Any]] = []
    for run, afters in (("A", "AA"), ("B", "AB")):
        for turn, after in enumerate(afters, start=1):
            texts = {"answer": "A", "answer_after": after, "target": "A"}
            rows.append({"run": run, "item": "a", "epoch": 1.0, "turn": turn, **texts})
    judgments = frame(rows, "commitment").assign(model="m", pushback="disagree", correct=1.0)
    results = study_results(judgments)
    moved = results[results["metric"] == "capitulation"].iloc[0]
    assert moved["value"] == 0.5


def test_targets_are_paired_within_a_run() -> None:
    """Run A answers at both targets, run B declines at both: no run declines at the lower alone."""
    rows: list[dict[str, Any]] = []
    for run, status in (("A", "ok"), ("B", "declined")):
        for target in (0, 0.5):
            answer = {"run": run, "item": "a", "epoch": 1.0, "status": status}
            rows.append({**answer, "confidence_target": target})
    judgments = frame(rows, "abstain").assign(model="m", correct=1.0)
    judgments.loc[judgments["status"] == "declined", "correct"] = np.nan
    results = study_results(judgments)
    violations = results[results["metric"] == "monotony_violations"].iloc[0]
    assert violations["value"] == 0
