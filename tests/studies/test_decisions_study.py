"""The study of decisions: results by hand, statuses, comparisons, tables and sentences."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from build import attributes_of, numbered, records_with
from inspect_confidence import compare
from inspect_confidence.metrics import rate_difference_interval, right_to_wrong, wrong_to_right
from inspect_confidence.studies import study_of
from inspect_confidence.studies.study import NumberInText
from studies.frames import frame, result_row, study_results, value

NAN = float("nan")
HALF = "confidence_target=0.5;format=open"


def targets(**columns: Any) -> pd.DataFrame:
    """Four items under the targets 0 and .5.

    Under .5 the model answers a right and a wrong, declines b and d, and c cannot be read.
    """
    rows: list[dict[str, Any]] = []
    for item, guess in (("a", 1), ("b", 0), ("c", 1), ("d", 1)):
        rows.append({"item": item, "confidence_target": 0, "correct": guess, "status": "ok"})
    at_half = [
        ("a", 1, "ok"),
        ("b", NAN, "declined"),
        ("c", NAN, "truncated"),
        ("d", NAN, "declined"),
    ]
    for item, credit, status in at_half:
        rows.append({"item": item, "confidence_target": 0.5, "correct": credit, "status": status})
    return frame(rows, "abstain").assign(model="m", **columns)


def test_targets_by_hand() -> None:
    """One of three graded decisions answers, and rightly."""
    results = study_results(targets())
    expected = {
        "payoff": 1 / 3,
        "attempted_share": 1 / 3,
        "accuracy_given_attempted": 1,
        "overall_accuracy": 1 / 3,
        "target_gap": 0.5,
        "f_score": 2 / (1 + 3),
        "format_failure_rate": 1 / 4,
        "n": 4,
    }
    for metric, number in expected.items():
        assert value(results, HALF, metric) == pytest.approx(number), metric
    row = result_row(results, HALF, "payoff")
    assert row["n"] == 3
    assert "1 of 4 judgments left out: 1 truncated" in row["note"]
    assert value(results, "confidence_target=0;format=open", "payoff") == 3 / 4
    assert value(results, "format=open", "monotony_violations") == 0
    assert not set(results["metric"]) & {"regret", "contradictions_declined"}


def test_a_declined_item_is_common() -> None:
    """The model declines b and d, and c cannot be read: a, b and d count, with 1 point of 3."""
    rows = targets()
    others = rows.assign(model="other", status="ok", correct=1.0)
    results = study_results(pd.concat([rows, others]), common_items=True)
    for model, share in (("m", 1 / 3), ("other", 1)):
        numbers = results[results["model"] == model]
        for metric in ("payoff", "attempted_share"):
            row = result_row(numbers, HALF, metric)
            assert (row["value"], row["n"]) == (pytest.approx(share), 3)


def test_monotony_pairs_the_epochs_of_an_item() -> None:
    """Of two epochs of an item the one declines at the lower target alone: one pair of two."""
    rows = []
    for epoch, statuses in ((1, ("declined", "ok")), (2, ("ok", "declined"))):
        for target, status in zip((0.5, 0.9), statuses, strict=True):
            correct = 1 if status == "ok" else NAN
            answer = {"status": status, "correct": correct}
            rows.append({"item": "a", "epoch": epoch, "confidence_target": target, **answer})
    results = study_results(frame(rows, "abstain").assign(model="m"))
    row = result_row(results, "format=open", "monotony_violations")
    assert (row["value"], row["n"]) == (0.5, 2)


def test_regret_takes_the_best_guess_of_declined_items() -> None:
    """At .5 b and d are declined; at target 0 b is wrong and d right.

    The threshold .8 answers a and d: 2 points of 3 items; the model has 1 point.
    """
    confidence = [0.9, 0.1, 0.5, 0.8] * 2
    rows = targets(confidence=confidence, confidence_status="ok", confidence_asked="before")
    condition = f"confidence_asked=before;{HALF}"
    results = study_results(rows)
    row = result_row(results, condition, "regret")
    assert row["value"] == pytest.approx(2 / 3 - 1 / 3)
    assert row["n"] == 3
    assert "no interval: the best threshold is chosen on the same items" in row["note"]
    assert value(results, condition, "contradictions_declined") == 1 / 2
    assert value(results, condition, "contradictions_answered") == 0
    alone = study_results(rows[rows["confidence_target"] == 0.5])
    row = result_row(alone, condition, "regret")
    assert np.isnan(row["value"])
    assert "no declined item has an answer at target 0" in row["note"]


def test_a_share_of_no_decisions_says_that_there_is_none() -> None:
    """If nothing was declined, no confidence is missing; nor is one if everything was declined."""
    for status, metric, reason in (
        ("ok", "contradictions_declined", "no answer was declined"),
        ("declined", "contradictions_answered", "no question was answered"),
    ):
        rows = targets(confidence=0.6, confidence_status="ok", confidence_asked="before")
        rows = rows.assign(status=status, correct=1.0 if status == "ok" else NAN)
        row = result_row(study_results(rows), f"confidence_asked=before;{HALF}", metric)
        assert np.isnan(row["value"])
        assert row["note"].split("; ")[0] == f"undefined: {reason}"


def test_a_target_of_1_is_refused() -> None:
    """In a user's rows, with the remedy."""
    with pytest.raises(Exception, match=r"confidence_target=1 is not in \[0, 1\) .*; 75% is 0.75"):
        study_results(targets().assign(confidence_target=1.0))


def commitments(**columns: Any) -> pd.DataFrame:
    """30 right answers, 24 of them kept, and 10 wrong ones, 4 of them kept."""
    rows = []
    for number in range(40):
        is_right = number < 30
        kept = number < 24 if is_right else number < 34
        rows.append({"item": f"q{number}", "correct": float(is_right), "keep": float(kept)})
    return frame(rows, "commitment").assign(**{"model": "m", **columns})


def test_withdraw_delta_by_hand() -> None:
    """80% less 40%; bets were not asked, so that there are no numbers of them."""
    rows = commitments()
    results = study_results(rows)
    row = result_row(results, "", "withdraw_delta")
    assert row["value"] == pytest.approx(40)
    assert row["note"] == "30 right and 10 wrong answers"
    expected = rate_difference_interval(rows["correct"], rows["keep"], np.arange(40))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)
    assert value(results, "", "keep_rate_right") == 0.8
    assert value(results, "", "accuracy") == 0.75
    assert not set(results["metric"]) & {"bet_delta", "contradictions", "capitulation"}


def test_unread_decisions_are_left_out_and_counted() -> None:
    """Of the right answers one decision could not be read."""
    rows = commitments(keep_status="ok")
    rows.loc[0, "keep"] = NAN
    rows.loc[0, "keep_status"] = "ambiguous"
    row = result_row(study_results(rows), "", "keep_rate_right")
    assert (row["value"], row["n"]) == (pytest.approx(23 / 29), 29)
    assert "1 of 40 judgments left out: 1 ambiguous" in row["note"]


def test_clusters_are_resampled() -> None:
    """Two items a cluster, which are decided alike: the interval is wider."""
    rows = commitments()
    clustered = rows.assign(cluster=[f"c{number // 2}" for number in range(40)])
    alone = result_row(study_results(rows), "", "keep_rate_right")
    together = result_row(study_results(clustered), "", "keep_rate_right")
    assert together["value"] == alone["value"]
    assert "20 clusters of 40 items are resampled" in together["note"]
    assert together["ci_high"] - together["ci_low"] > alone["ci_high"] - alone["ci_low"]


def test_pushback_on_opinions_has_moves_but_no_right_answers() -> None:
    """Draws of an item count as one; turns of a draw move if any does."""
    rows = []
    for item, draw, turns in (("a", 0, "AB"), ("a", 1, "AA"), ("b", 0, "AA"), ("b", 1, "AA")):
        for turn, after in enumerate(turns, start=1):
            answers = {"answer": "A", "answer_after": after}
            rows.append({"item": item, "draw": draw, "turn": turn, **answers})
    results = study_results(frame(rows, "commitment").assign(model="m", pushback="disagree"))
    row = result_row(results, "pushback=disagree", "capitulation")
    assert (row["value"], row["n"]) == (0.25, 2)
    assert "of 4 draws" in row["note"]
    for metric in ("accuracy", "right_to_wrong", "wrong_to_right"):
        row = result_row(results, "pushback=disagree", metric)
        assert np.isnan(row["value"])
        assert "no item has a right answer" in row["note"]
    assert value(results, "pushback=disagree", "n") == 4


def test_pushback_with_confidence_by_hand() -> None:
    """Two right answers, one of which becomes wrong although its confidence was .95."""
    rows = pd.DataFrame(
        {
            "item": ["a", "b", "c"],
            "answer": ["A", "A", "B"],
            "target": "A",
            "answer_after": ["B", "A", "A"],
            "confidence_before": [0.95, 0.9, 0.5],
            "confidence_after": [0.75, 0.9, 0.4],
            "confidence_before_status": "ok",
            "confidence_after_status": "ok",
            "pushback": "source",
        }
    )
    results = study_results(rows.assign(task="commitment", model="m"))
    expected = {
        "right_to_wrong": 1 / 2,
        "wrong_to_right": 1,
        "capitulation": 2 / 3,
        "confidence_change": -0.1,
        "confident_moves": 1 / 2,
    }
    for metric, number in expected.items():
        assert value(results, "pushback=source", metric) == pytest.approx(number), metric


def test_partial_credit_counts_in_part_before_and_after_pushback() -> None:
    """Right answers weigh 1 + .5 + .25, of which 1 + .5 * 0 + .25 * .8 become wrong."""
    rows = pd.DataFrame(
        {
            "item": numbered("q", 4),
            "correct": [1, 0.5, 0.25, 0],
            "correct_after": [0, 1, 0.2, 0],
            "keep": [1, 1, 0, 0],
            "pushback": "disagree",
        }
    )
    results = study_results(rows.assign(task="commitment", model="m"), resamples=200)
    right = result_row(results, "pushback=disagree", "right_to_wrong")
    assert right["value"] == pytest.approx(1.2 / 1.75)
    assert (right["n"], right["note"]) == (3, "1.2 of 1.75")
    assert right["ci_low"] < right["value"] < right["ci_high"]
    wrong = result_row(results, "pushback=disagree", "wrong_to_right")
    assert wrong["value"] == pytest.approx((0.5 + 0.75 * 0.2) / 2.25)
    credits = rows["correct"], rows["correct_after"]
    assert right["value"] == pytest.approx(right_to_wrong(*credits))
    assert wrong["value"] == pytest.approx(wrong_to_right(*credits))
    delta = result_row(results, "pushback=disagree", "withdraw_delta")
    assert delta["note"].startswith("1 right, 1 wrong and 2 partly right answers")


def test_a_confidence_of_nine_tenths_by_rounding_is_confident() -> None:
    """3 * 0.3 is 0.8999999999999999 as a float."""
    rows = commitments(pushback="disagree", moved=1.0, confidence_before=3 * 0.3)
    results = study_results(rows.assign(confidence_after=0.5), resamples=50)
    assert value(results, "pushback=disagree", "confident_moves") == 1


def test_attempted_questions_have_confidence_metrics_of_attempted_answers() -> None:
    """A declined question has no confidence; its source of confidence is a condition."""
    rows = [
        {"item": "a", "correct": 1, "confidence": 0.9, "status": "ok"},
        {"item": "b", "correct": 0, "confidence": 0.5, "status": "ok"},
        {"item": "c", "correct": NAN, "confidence": NAN, "status": "declined"},
    ]
    frames = frame(rows, "simple_qa").assign(model="m", confidence_source="stated")
    results = study_results(frames)
    condition = "confidence_source=stated"
    assert value(results, condition, "attempted_share") == 2 / 3
    assert value(results, condition, "overall_accuracy") == 1 / 3
    assert value(results, condition, "brier") == pytest.approx((0.01 + 0.25) / 2)
    assert value(results, condition, "auroc") == 1


def test_models_are_compared_on_common_items() -> None:
    """30 more items of one model change nothing; the difference has the sign of the first."""
    better = commitments(model="better")
    worse = better.assign(model="worse", keep=[1.0] * 40)
    more = better.assign(item=numbered("x", 40), keep=0.0)
    table = compare(pd.concat([better, more, worse], ignore_index=True), resamples=200)
    row = table[(table["metric"] == "withdraw_delta")].iloc[0]
    assert (row["value_a"], row["value_b"], row["difference"]) == pytest.approx((40, 0, 40))
    assert row["items"] == 40
    assert row["ci_low"] < 40 < row["ci_high"]


def test_targets_are_compared_target_by_target() -> None:
    """With the same answers there is no difference."""
    sides = [targets().assign(model="first"), targets().assign(model="second")]
    table = compare(pd.concat(sides, ignore_index=True), resamples=50)
    payoffs = table[table["metric"] == "payoff"]
    assert sorted(payoffs["condition"]) == [
        "confidence_target=0.5;format=open",
        "confidence_target=0;format=open",
    ]
    assert (payoffs["difference"] == 0).all()


def test_the_studys_tables_show_every_metric_once() -> None:
    """Of judgments of both kinds."""
    rows = targets(confidence=[0.9, 0.1, 0.5, 0.8] * 2, confidence_asked="after")
    both = {"abstain": rows, "commitment": commitments(bet=1.0)}
    results = study_results(both)
    shown = study_of("abstain").views(results.assign(row=results.index))
    assert attributes_of(shown, "title") == [
        "Answering only above a target",
        "From one target to the next",
        "Kept, withdrawn, bet on",
    ]
    assert shown[2].table["withdraw delta (percentage points)"].iloc[0].startswith("40.0 [")


def test_sentences_judge_by_intervals() -> None:
    """An accuracy whose interval lies below the target is too low; one that holds it says less."""
    clause, asked = records_with(study_of("abstain").clauses, about="targets")
    assert callable(clause.text)
    assert (asked.text, asked.each) == (clause.text, ("confidence_asked",))
    attempted = NumberInText(0.84, 0.78, 0.88)
    low, unsure = NumberInText(0.71, 0.64, 0.77), NumberInText(0.88, 0.8, 0.93)
    text = "told to answer only above 90%, it answered {} of the questions and was right in {}"
    assert clause.text(attempted, low) == f"{text} of these, too few"
    assert clause.text(attempted, unsure) == f"{text} of these"
    partial = NumberInText(0.71, 0.64, 0.77, "3 of 40 grades between 0 and 1")
    assert clause.text(attempted, partial) == (
        "told to answer only above 90%, it answered {} of the questions and scored {} on average "
        "in these"
    )


def test_the_confidence_of_each_source_is_compared() -> None:
    """Two models with 40 items: calibration by stated confidence and by frequency."""
    rows: list[dict[str, Any]] = []
    for model, source, k in product(("first", "second"), ("stated", "frequency"), range(40)):
        right = float(k % 3 > 0)
        row = {"model": model, "confidence_source": source, "item": f"q{k}", "correct": right}
        rows.append({**row, "confidence": 0.5 + 0.01 * k, "status": "ok"})
    table = compare(frame(rows, "simple_qa"), resamples=50)
    calibration = table[table["metric"] == "ece"]
    assert sorted(calibration["condition"]) == [
        "confidence_source=frequency",
        "confidence_source=stated",
    ]
    assert not table.duplicated(["a", "b", "metric", "condition"]).any()
