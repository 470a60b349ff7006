"""The numbers of any eval, from frames: what epochs say, ways of asking, fields, and evals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mode
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from build import column_of, copies_with, frame_rows, rows_with
from inspect_confidence import compare
from inspect_confidence.judgments.read import judgments_of
from inspect_confidence.results import Condition, Key, Result, results_frame
from inspect_confidence.studies.any_eval.judgments import complete_judgments
from inspect_confidence.studies.any_eval.shown import tables
from studies.frames import (
    NAN,
    Row,
    changed,
    frame,
    keyed,
    result_row,
    scale_rows,
    study_results,
    value,
)

TASK = "any_eval"
TOKENS = "method=logprob"


def results_of(
    rows: Sequence[Mapping[str, Any]], resamples: int = 50, **options: Any
) -> pd.DataFrame:
    """The results of rows of any eval's judgments."""
    return study_results(frame(rows, TASK), resamples=resamples, **options)


def asked_rows(method: str = "stated", items: int = 60, **settings: Any) -> list[Row]:
    """Rows on 0-100, by default, asked in a way; a few can't be read."""
    return copies_with(scale_rows(**{"items": items, **settings}), method=method)


def shares(method: str = "logprob", items: int = 60, values: int = 10**6) -> list[Row]:
    """Confidence that was never reported, of so many different values; by default nearly all."""
    rng = np.random.default_rng(items)
    sure = rng.integers(values, size=items) / values
    right = rng.uniform(size=items) < sure
    rows = pd.DataFrame({"confidence": sure, "correct": right.astype(float), "status": "ok"})
    return frame_rows(rows.assign(method=method, item=list(map("i{:03d}".format, range(items)))))


# Epochs


def epochs(answers: Sequence[str | None], item: str = "q", right: str = "x") -> list[Row]:
    """An item's epochs, None one that errored; a short answer is right or wrong."""
    rows: list[Row] = []
    for epoch, answer in enumerate(answers, 1):
        row: Row = {"item": item, "epoch": epoch, "method": "epochs", "confidence": NAN}
        row |= {"answer": answer or "", "correct": float(answer == right), "status": "ok"}
        if answer is None:
            row |= {"correct": NAN, "status": "sample_error"}
        rows.append(row)
    return rows


@pytest.mark.slow
@given(st.lists(st.sampled_from(["x", "y", "z", None]), min_size=1, max_size=9))
def test_the_share_of_the_commonest_answer(answers: list[str | None]) -> None:
    """Of those that came, the first of equally common ones; fewer than two say nothing of it."""
    rows = epochs(answers)
    (completed_row,) = complete_judgments(judgments_of(frame(rows[::-1], TASK))[TASK]).to_dict(
        "records"
    )
    given_answers = list(filter(None, answers))
    assert completed_row["draws"] == len(given_answers)
    if given_answers:
        assert completed_row["answer"] == mode(given_answers)
        assert completed_row["correct"] == (mode(given_answers) == "x")
    if len(given_answers) > 1:
        assert completed_row["status"] == "ok"
        assert completed_row["confidence"] == pytest.approx(
            given_answers.count(mode(given_answers)) / len(given_answers)
        )
        assert completed_row["agreement"] == "text"
    else:
        assert completed_row["status"] == "sample_error" if None in answers else "scoring_failed"
        assert (
            f"{len(given_answers)} of {len(answers)} epochs can be read" in completed_row["reason"]
        )
        assert np.isnan(completed_row["confidence"])


def test_answers_that_differ_in_writing_alone_are_one() -> None:
    """Case and the point at the end are no other answer; two thirds agree."""
    (completed_row,) = complete_judgments(
        judgments_of(frame(epochs(["Paris.", "rome", "paris"]), TASK))[TASK]
    )[["confidence", "answer"]].itertuples(index=False)
    assert completed_row == (pytest.approx(2 / 3), "Paris.")


def test_numbers_of_epochs_are_those_of_their_items() -> None:
    """Confidence 3/4, 1/2, 1; right 1, 0, 1: AUROC 1, overconfidence 1/12; one item has none."""
    rows = [
        *(*epochs(["x", "x", "y", "x"], "a"), *epochs(["y", "x"], "b")),
        *(*epochs(["x", "x"], "c"), *epochs(["x", None], "d")),
    ]
    results = results_of(rows)
    assert value(results, "method=epochs", "auroc") == 1
    overconfidence = value(results, "method=epochs", "overconfidence")
    assert overconfidence == pytest.approx(0.75 - 2 / 3)
    row = result_row(results, "method=epochs", "mean_confidence")
    assert (row["value"], row["n"], row["asked"]) == (0.75, 3, 4)
    assert "1 of 4 judgments left out: 1 sample_error" in row["note"]
    assert "share of the commonest answer, compared 3 by text" in row["note"]
    assert value(results, "method=epochs", "accuracy") == 3 / 4  # the answer that came counts


# All numbers


def test_every_number_of_the_scale_study() -> None:
    """Of the same reports the same metrics, with the same values and intervals."""
    rows = scale_rows(items=90)
    eval_numbers = keyed(results_of(copies_with(rows, method="stated")))
    study_numbers = keyed(study_results(frame(rows, "scale_variants"), resamples=50))
    stated_part = frozenset({("method", "stated")})
    expected = {
        (condition | stated_part, name): row
        for (condition, name), row in study_numbers.items()
        if name != "accuracy_spread"
    }
    assert {"meta_d", "m_ratio", "auprc_error", "aurc", "utilization"} <= set(
        column_of(expected, 1)
    )
    assert set(eval_numbers) == set(expected)
    for key, row in expected.items():
        for name in ("value", "ci_low", "ci_high", "n", "asked"):
            assert eval_numbers[key][name] == pytest.approx(row[name], nan_ok=True), (key, name)


def test_twice_the_same_replies_change_no_number() -> None:
    """Items are the sample, also where confidence takes any value; only counts double."""
    rows = [*asked_rows(), *shares(), *asked_rows("alone", unreadable=0.3, seed=4)]
    twice = [*rows, *copies_with(rows, epoch=2, uuid="")]
    assert changed(results_of(rows), results_of(twice)).empty


def test_a_field_has_the_numbers_of_its_items_alone() -> None:
    """Each value of each field asked for, whatever else was asked; the whole stays as it is."""
    rows = [*asked_rows(items=80), *shares(items=80)]
    for k, row in enumerate(rows):
        row["by"] = str(Condition(domain="sums; a=b" if k % 3 else "maps", level=f"{k % 2}"))
    results = results_of(rows)
    parts = ["by" in Condition.read(text) for text in results["condition"]]
    whole = results[np.logical_not(parts)].reset_index(drop=True)
    plain = results_of(frame_rows(pd.DataFrame(rows).drop(columns="by")))
    assert changed(plain, whole).empty
    for field, field_value in (("domain", "maps"), ("domain", "sums; a=b"), ("level", "1")):
        field_condition = str(Condition({field: field_value}))
        field_rows = [row for row in rows if Condition.read(row["by"])[field] == field_value]
        numbers_alone = keyed(results_of(copies_with(field_rows, by="")))
        assert numbers_alone
        part = {
            (condition - {("by", field_condition)}, name): row
            for (condition, name), row in keyed(results).items()
            if ("by", field_condition) in condition
        }
        assert set(part) == set(numbers_alone)
        for key, row in numbers_alone.items():
            # A p of simulations depends on the order in which items are drawn.
            error = 0.1 if key[1] == "calibration_p" else 0
            for name in ("value", "n", "asked"):
                expected = pytest.approx(row[name], nan_ok=True, abs=error or None)
                assert part[key][name] == expected, (key, name)


def test_the_mean_over_evals_is_unweighted() -> None:
    """Of evals of different size, by method; a method of one eval alone has no mean."""
    rows = [
        *asked_rows(items=60, dataset="a"),
        *asked_rows(items=20, seed=1, dataset="b"),
        *copies_with(shares(), dataset="a"),
    ]
    results = results_of(rows)
    condition = "method=stated;scale=0-100"
    for name in ("accuracy", "ece", "auroc", "brier"):
        values = [value(results, condition, name, dataset=dataset) for dataset in "ab"]
        assert value(results, condition, name, dataset="mean") == pytest.approx(np.mean(values)), (
            name
        )
    mean = results[results["dataset"] == "mean"]
    assert not mean["condition"].str.contains("logprob").any()
    assert not mean["metric"].isin(["n", "top1_value"]).any()


def test_partial_credit_is_a_fraction() -> None:
    """Brier is the squared difference from it; what needs right or wrong says so."""
    rows = [
        {"item": f"i{k}", "method": "stated", "low": 0, "high": 100, "raw": raw, "correct": part}
        for k, (raw, part) in enumerate([(100, 1), (50, 0.5), (0, 0.25), (50, 0)])
    ]
    results = results_of(rows)
    condition = "method=stated;scale=0-100"
    assert value(results, condition, "accuracy") == 1.75 / 4
    # (1 - 1)^2, (.5 - .5)^2, (0 - .25)^2, (.5 - 0)^2
    assert value(results, condition, "brier") == pytest.approx((0 + 0 + 0.0625 + 0.25) / 4)
    sure = [1, 0.5, 0, 0.5] * 2
    weights = [1, 0.5, 0.25, 0, 0, 0.5, 0.75, 1]
    area = roc_auc_score([1] * 4 + [0] * 4, sure, sample_weight=weights)
    assert value(results, condition, "auroc") == pytest.approx(area)
    dprime = result_row(results, f"{condition};threshold=0.5", "type2_dprime")
    assert np.isnan(dprime["value"])
    assert "undefined: " in dprime["note"]


# Groups of equal confidence


@pytest.mark.parametrize(
    ("rows", "undefined"),
    [
        (shares(items=60), True),
        (shares(items=19), False),  # so few may all differ by accident
        (shares(items=60, values=20), False),
        ([*shares(items=60), *copies_with(shares(items=60), epoch=2)], True),
    ],
)
def test_groups_of_one_say_nothing(rows: list[Row], undefined: bool) -> None:
    """Where most judgments have a confidence of their own, parts of the Brier score are undefined.

    Else reliability - resolution + uncertainty is the Brier score.
    """
    results = results_of(rows)
    parts = ("brier_reliability", "brier_resolution", "meta_information")
    numbers = [value(results, TOKENS, name) for name in parts]
    assert np.isnan(numbers).tolist() == [undefined] * 3
    different = len(set(column_of(rows, "confidence")))
    for name in parts:
        note = result_row(results, TOKENS, name)["note"]
        reason = f"undefined: {different} different confidences in {different} judgments"
        assert note.startswith(reason) == undefined
    uncertainty = value(results, TOKENS, "brier_uncertainty")
    brier = value(results, TOKENS, "brier")
    assert not np.isnan([uncertainty, brier]).any()
    if not undefined:
        assert numbers[0] - numbers[1] + uncertainty == pytest.approx(brier)


# Comparing


def test_methods_and_models_are_compared_on_their_common_items() -> None:
    """Two methods of a model, two models by a method; never both at once."""
    rows = [
        *copies_with([*asked_rows(items=60), *shares(items=80)], model="m"),
        *copies_with(asked_rows(items=70, seed=3), model="n"),
    ]
    for row in rows:
        row["dataset"] = "quiz"
    table = compare(frame(rows, TASK), resamples=50)
    pairs = set(zip(table["a"], table["b"], strict=True))
    assert pairs == {("m logprob", "m stated-0-100"), ("m stated-0-100", "n stated-0-100")}
    area = table[(table["metric"] == "auroc") & (table["a"] == "m logprob")].iloc[0]
    asked_judgments = pd.DataFrame(rows_with(rows, model="m", method="stated", status="ok"))
    tokens = (
        pd.DataFrame(rows_with(rows, method="logprob"))
        .set_index("item")
        .loc[asked_judgments["item"]]
    )
    of_tokens = roc_auc_score(tokens["correct"], tokens["confidence"])
    of_stated = roc_auc_score(asked_judgments["correct"], asked_judgments["raw"])
    assert [area["value_a"], area["value_b"]] == pytest.approx([of_tokens, of_stated])
    assert area["items"] == len(asked_judgments)
    bits = table[(table["metric"] == "meta_information") & (table["a"] == "m logprob")].iloc[0]
    assert np.isnan(bits["value_a"])
    assert bits["verdict"] == "undefined"


def test_a_caption_defines_only_the_numbers_that_the_table_shows() -> None:
    """ECE is defined where it has a number, and not where headings name the bins."""
    key = Key(TASK, "m", "d")
    rows = [
        key.result({}, "accuracy", 0.5, n=10),
        key.result({}, "ece", 0.1, n=10),
        key.result({"bins": 15}, "ece", 0.1, n=10),
    ]

    def captions(results: Sequence[Result]) -> dict[str, str]:
        return {view.title: view.caption for view in tables(results_frame(results))}

    definition = "ECE has 10 bins of equal width"
    assert definition in captions(rows)["Calibration and discrimination"]
    assert definition not in captions(rows)["Parts of the scores"]
    undefined = [rows[0], replace(rows[1], value=NAN)]
    assert definition not in captions(undefined)["Calibration and discrimination"]
