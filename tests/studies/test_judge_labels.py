"""Labels of a judge's judgments: how they are read, and what numbers they correct, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from build import numbered, prefixed, records_by, rows_with
from inspect_confidence import summarize
from inspect_confidence.cli import main
from inspect_confidence.commands.judge_labels import read_judge_labels
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.metrics import prediction_powered_mean
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import Resampling, estimate
from inspect_confidence.studies.any_eval.judgments import complete_judgments
from inspect_confidence.studies.judge_error import CONSISTENCY, CORRECTNESS, corrected_correctness
from metrics.oracles import share_interval
from studies.frames import frame, result_row

# Sensitivity 36/40 = .9, specificity 48/60 = .8.
LABELS = pd.DataFrame(
    {"judged": [1] * 36 + [0] * 4 + [1] * 12 + [0] * 48, "label": [1] * 40 + [0] * 60}
)
METHOD = "method=recorded"


def answers(**columns: Any) -> pd.DataFrame:
    """40 items, 24 of them called right, at two epochs alike, and 3 replies that can't be read."""
    item = np.arange(80) // 2
    rows = {"item": prefixed("i", item), "epoch": [1.0, 2.0] * 40, "confidence": 0.8}
    readable = pd.DataFrame({**rows, "correct": (item < 24) * 1.0, "status": "ok", **columns})
    unread = readable[:3].assign(
        item=["x", "x", "y"], confidence=np.nan, correct=np.nan, status="invalid_response_format"
    )
    return pd.concat([readable, unread]).assign(task="any_eval")


def corrected(run: pd.DataFrame, labels: pd.DataFrame = LABELS) -> dict[str, Result]:
    """The corrected numbers alone, by metric."""
    rows = complete_judgments(judgments_of(run)["any_eval"])
    units = pd.Index(rows["item"].unique())
    resampling = Resampling(resamples=200, judge_labels=read_judge_labels(labels))
    unit = estimate.unit_indices(rows, units)
    estimands = corrected_correctness(rows, unit, len(units), Condition(), resampling, "")
    drawn_estimands = estimate.resample(estimands, len(units), resampling)
    return records_by(estimate.results_of(drawn_estimands, Key("any_eval", "m", "d")), "metric")


def test_without_a_grade_the_corrected_accuracy_is_undefined() -> None:
    """Also if labels name items of the run."""
    of_items = LABELS.assign(item=[f"i{number % 40}" for number in range(len(LABELS))])
    for labels in (LABELS, of_items):
        results = corrected(answers(correct=np.nan), labels)
        assert list(results) == ["judge_corrected_accuracy"]
        accuracy = results["judge_corrected_accuracy"]
        assert np.isnan(accuracy.value)
        assert (accuracy.n, accuracy.note) == (0, "undefined: no answer has a grade")


def test_accuracy_and_overconfidence_are_corrected_by_rates() -> None:
    """Of .6 called right: (.6 + .8 - 1)/(.9 + .8 - 1) = 4/7, and .8 less it; the rest stays."""
    plain = summarize(answers(), resamples=200, judge_labels=None)
    results = summarize(answers(), resamples=200, judge_labels=LABELS)
    accuracy = result_row(results, METHOD, "judge_corrected_accuracy")
    assert accuracy["value"] == pytest.approx(4 / 7)
    assert accuracy["ci_low"] < 0.45
    assert accuracy["ci_high"] > 0.7
    assert accuracy["note"] == "Rogan-Gladen; judged as labelled: 48 of 60 wrong, 36 of 40 right"
    over = result_row(results, METHOD, "judge_corrected_overconfidence")
    assert over["value"] == pytest.approx(0.8 - 4 / 7)
    # Confidence doesn't vary: it is the interval of accuracy, turned round.
    assert 0.8 - over["ci_high"] == pytest.approx(accuracy["ci_low"], abs=1e-3)
    assert accuracy["n"] == 80
    naive = result_row(results, METHOD, "accuracy")
    assert accuracy["ci_high"] - accuracy["ci_low"] > naive["ci_high"] - naive["ci_low"]
    uncorrected = results[~results["metric"].str.startswith("judge_corrected_")].reset_index(
        drop=True
    )
    pd.testing.assert_frame_equal(uncorrected, plain)
    once = corrected(answers().query("epoch == 1"))["judge_corrected_accuracy"]
    assert once.ci_low == pytest.approx(accuracy["ci_low"], abs=0.03)


def test_labels_of_the_runs_items_need_no_rates() -> None:
    """Prediction-powered, of items; by the peer-checked mean. Labels of another model's don't."""
    verdicts = np.where(np.arange(200) % 10 < 6, 1.0, 0.0)
    truth = np.where(np.arange(200) % 7 == 0, 1 - verdicts, verdicts)
    items = numbered("i", 200)
    run = pd.DataFrame({"item": items, "correct": verdicts, "confidence": 0.7, "task": "any_eval"})
    run_labels = pd.DataFrame({"item": items[:80], "judged": verdicts[:80], "label": truth[:80]})
    expected = prediction_powered_mean(truth[:80], verdicts[:80], verdicts[80:])
    numbers = corrected(run, run_labels.astype(str))
    got = numbers["judge_corrected_accuracy"]
    assert got.value == pytest.approx(expected.value)
    assert (got.ci_low, got.ci_high) == pytest.approx(expected.share_interval)
    assert got.note.startswith("prediction-powered: 80 of 200 items labelled, lambda 0.")
    over = numbers["judge_corrected_overconfidence"]
    assert over.value == pytest.approx(0.7 - expected.value)
    few_labels = corrected(run, run_labels[:40])["judge_corrected_accuracy"]
    assert few_labels.note.endswith("no interval: fewer than 50 labelled items")
    # 57 of 60 labelled answers are wrong, then right.
    for labelled, rarer in ((np.arange(60) < 3, "right"), (np.arange(60) >= 3, "wrong")):
        one_sided = run_labels[:60].assign(label=labelled.astype(float))
        for number in corrected(run, one_sided).values():
            assert np.isnan([number.ci_low, number.ci_high]).all()
            assert number.note.endswith(f"no interval: fewer than 8 labelled items are {rarer}")
    # What another model answered, and what the judge said otherwise here, tells error rates alone.
    for elsewhere in (
        run_labels.assign(model="another"),
        run_labels.assign(judged=run_labels["judged"].to_numpy()[::-1]),
    ):
        label = elsewhere.assign(label=np.arange(80) % 2)
        note = corrected(run, label)["judge_corrected_accuracy"].note
        assert "Rogan-Gladen" in note, note


def test_corrected_numbers_stay_in_their_ranges() -> None:
    """The labelled answers called right are all of 2,000: lambda is 1, and the mean error 0.

    The judge erred once each way, so that the error isn't 0: Student's interval would exceed 1.
    """
    items, verdicts = numbered("i", 2_000), np.where(np.arange(2_000) < 8, 1.0, 0.0)
    truth = np.where((np.arange(60) >= 1) & (np.arange(60) < 9), 1.0, 0.0)
    run = pd.DataFrame({"item": items, "correct": verdicts, "confidence": 1.0, "task": "any_eval"})
    run_labels = pd.DataFrame({"item": items[:60], "judged": verdicts[:60], "label": truth})
    numbers = corrected(run, run_labels.astype(str))
    over, accuracy = (numbers[f"judge_corrected_{name}"] for name in ("overconfidence", "accuracy"))
    assert (over.value, over.ci_high) == (1, 1)
    assert over.ci_low < 1
    assert (accuracy.value, accuracy.ci_low) == (0, 0)
    assert accuracy.ci_high == pytest.approx(share_interval(0, 60)[1])


def hedged(**columns: Any) -> pd.DataFrame:
    """30 replies in ten of which the draws agree, in 20 not; one couldn't be judged."""
    rows = [
        {"item": f"h{k}", "uuid": f"u{k}", "sentence": 1, "marker": "maybe", "n_markers": 1}
        | {"consistent": 20.0 * (k < 10), "undecided": 0.0, "inconsistent": 20.0 * (k >= 10)}
        | {"correct": float(k < 18), "punt": 0.0, "judge": "m/judge", "status": "ok"}
        for k in range(30)
    ]
    unjudged = {
        "consistent": np.nan,
        "undecided": np.nan,
        "inconsistent": np.nan,
        "correct": np.nan,
    }
    rows.append({**rows[0], **unjudged, "item": "lost", "uuid": "lost", "status": "grader_failed"})
    return frame(rows, "hedge_markers").assign(**columns)


def test_internal_confidence_is_corrected_by_labels_of_agreement() -> None:
    """Of 1/3 judged to agree, with rates .9 and .8: (1/3 - .2)/.7 = 4/21; accuracy (.6 - .2)/.7."""
    words = {1: "yes", 0: "no"}
    agreement = LABELS.replace(words)
    results = summarize(
        hedged(), resamples=200, judge_labels=pd.concat([LABELS.astype(str), agreement])
    )
    rows = results.set_index("metric")
    assert rows.loc["judge_corrected_internal_confidence", "value"] == pytest.approx(4 / 21)
    assert rows.loc["judge_corrected_accuracy", "value"] == pytest.approx(4 / 7)
    undecided = hedged(undecided=1.0)
    with pytest.raises(InvalidArgument, match="0 of n/a are too few; give 20 of each"):
        summarize(undecided, resamples=50, judge_labels=agreement)


def test_labels_that_are_refused(tmp_path: Path) -> None:
    """One error with the value and the remedy."""
    rows = LABELS.astype(str)
    cases: list[tuple[pd.DataFrame, pd.DataFrame | str, str]] = [
        (answers(), LABELS[25:], "of 75 labels of correctness 15 of right are too few"),
        (answers(), LABELS[LABELS["label"] == 1], "0 of wrong are too few; give 20 of each, or"),
        (answers(), rows.assign(judge="x"), "of the judge x, but .* judged by an unnamed"),
        (answers(scorer="match"), LABELS, "rules, not a judge, decided which answers are right"),
        (answers(), LABELS.drop(columns="label"), "lacks the column 'label'"),
        (answers(), rows.assign(judged="perhaps"), "'perhaps' in the column 'judged'"),
        (answers(), rows.assign(judged="yes"), "use words of one kind in a row"),
        (answers(), rows.assign(judged=""), "has no labelled judgment"),
        (answers(), str(tmp_path / "none.csv"), "there is no file"),
    ]
    for run, labels, message in cases:
        with pytest.raises(InvalidArgument, match=message):
            summarize(run, resamples=20, judge_labels=labels)


def test_what_cannot_be_corrected() -> None:
    """Partial credit, and a judge that guesses: undefined, with the reason."""
    guesses = pd.DataFrame({"judged": [1, 0] * 40, "label": [1] * 40 + [0] * 40})
    for run, labels, reason in (
        (answers(correct=0.5), LABELS, "neither right nor wrong"),
        (answers(), guesses, "don't show that the judge tells answers apart"),
    ):
        row = corrected(run, labels)["judge_corrected_accuracy"]
        assert np.isnan(row.value)
        assert reason in row.note
    # 4 of 40 called right by a judge that calls right a fifth of what is wrong.
    low = corrected(answers(correct=(np.arange(80) < 8) * 1.0))["judge_corrected_accuracy"]
    assert low.value == 0
    assert low.note.endswith("; -0.143 before it was moved into the range")
    assert low.ci_low == 0 < low.ci_high < 0.3


def test_a_check_of_a_judge_and_a_file_are_read_alike(tmp_path: Path) -> None:
    """Judgments of `judge_check` by the judge's name; a file through the command, with a table."""
    words = ["correct", "punt", "incorrect", "correct"]
    check: dict[str, Any] = {
        "task": "judge_check",
        "item": ["a", "b", "c", "d"],
        "form": "correctness",
    }
    check |= {"model": ["m/x", "m/x", "m/x", "none"], "prompts": ["", "in one call", "", ""]}
    check |= {"variant": ["judge=model"] * 3 + ["judge=rules"], "verdict": 1.0}
    path = tmp_path / "check.csv"
    pd.DataFrame({**check, "label": words, "judged": [*words[:3], ""]}).to_csv(path, index=False)
    labels = read_judge_labels(path)
    assert labels is not None
    assert labels.rows["judge"].tolist() == ["m/x", "m/x in one call", "m/x"]
    assert labels.rows["label"].tolist() == [1, 0, 0]
    assert not len(labels.of_form(CONSISTENCY))
    assert len(labels.for_judge("m/x").of_form(CORRECTNESS)) == 2

    run, label_path = tmp_path / "run.csv", tmp_path / "labels.csv"
    answers().to_csv(run, index=False)
    LABELS.to_csv(label_path, index=False)
    arguments = ["summarize", str(run), "--resamples", "50", "--judge-labels", str(label_path)]
    result_rows = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).output)
    (row,) = rows_with(result_rows, metric="judge_corrected_accuracy")
    assert row["value"] == pytest.approx(4 / 7)
    output = CliRunner().invoke(main, arguments).output
    assert "Corrected for the judge's errors" in output
    assert "0.600 [" in output
    assert "0.571 [" in output
