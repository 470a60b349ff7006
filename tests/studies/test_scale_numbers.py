"""The scale study's results on frames and files of a user's own, and of a second epoch.

Items, not judgments, are the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import brier_score_loss, roc_auc_score

from build import column_of, copies_with, numbered, rows_with, slow_cases
from inspect_confidence import InvalidArgument, detail, read_judgments
from inspect_confidence.metrics import m_ratio, meta_d
from studies.frames import NAN, Row, changed, frame, result_row, scale_rows, scaled, value
from studies.frames import study_results as summarize

QUICK = 50


# Files with different columns


def of_file(folder: Path, **columns: Any) -> pd.DataFrame:
    """Results of a csv file with these columns."""
    pd.DataFrame(columns).to_csv(folder / "mine.csv", index=False)
    return summarize(folder / "mine.csv", resamples=QUICK)


def test_a_file_with_confidence_and_correct_alone(tmp_path: Path) -> None:
    """They are enough for everything that needs no raw report; the file says whose they are."""
    sure = [0.9, 0.8, 0.8, 0.6, 0.3, 0.55]
    right = [1, 1, 0, 1, 0, 0]
    results = of_file(
        tmp_path, task="scale_variants", item=range(6), confidence=sure, correct=right
    )
    assert value(results, "", "accuracy") == 0.5
    assert value(results, "", "mean_confidence") == pytest.approx(np.mean(sure))
    assert value(results, "", "auroc") == pytest.approx(roc_auc_score(right, sure))
    assert value(results, "", "brier") == pytest.approx(np.mean(np.subtract(sure, right) ** 2))
    assert value(results, "", "n") == 6
    assert not set(results["metric"]) & {"entropy_bits", "top1_share", "utilization"}
    violations = result_row(results, "", "violation_rate")
    assert np.isnan(violations["value"])
    assert "undefined: " in violations["note"]
    assert value(results, "", "format_failure_rate") == 0


def test_a_file_with_raw_reports(tmp_path: Path) -> None:
    """Raw reports become confidence: clipped within 5% of the width, left out beyond."""
    raw = [60, 80, 100, 58, 102, 57, 103, 200]
    right = [0, 1, 1, 0, 1, 1, 1, 0]
    results = of_file(tmp_path, item=list("abcdefgh"), raw=raw, correct=right, low=60, high=100)
    confidences = [0, 0.5, 1, 0, 1]
    condition = "scale=60-100"
    assert value(results, condition, "mean_confidence") == pytest.approx(np.mean(confidences))
    assert value(results, condition, "accuracy") == 5 / 8  # an answer counts without its confidence
    assert value(results, condition, "overconfidence") == pytest.approx(
        np.mean(confidences) - 3 / 5
    )
    assert value(results, condition, "violation_rate") == 3 / 8
    assert value(results, condition, "clip_rate") == 2 / 8
    assert value(results, condition, "format_failure_rate") == 0
    assert result_row(results, condition, "violation_rate")["note"] == "3 of 8"
    assert (
        "3 of 8 judgments left out: 3 out_of_range" in result_row(results, condition, "ece")["note"]
    )
    # Of the eight reports, all different, four are multiples of 5. Their quartiles lie between 58
    # and 60 and between 102 and 103: (102.5 - 59) / 40 of the scale.
    shape = {"unique_values": 8, "entropy_bits": 3, "top1_share": 1 / 8, "top3_share": 3 / 8}
    for metric, number in {**shape, "round_rate": 4 / 8, "utilization": 43.5 / 40}.items():
        row = result_row(results, condition, metric)
        assert (row["value"], row["n"]) == (pytest.approx(number), 8), metric
        note_start = "4 of 8" if metric == "round_rate" else "3 of 8 reports out of range, included"
        assert row["note"].startswith(note_start), metric
        assert np.isnan(row["ci_low"]) == (metric != "round_rate"), metric


def test_a_file_with_answers_and_targets(tmp_path: Path) -> None:
    """Correct follows from answer and target; a row without an answer is unreadable."""
    answers, targets, sure = ["A", "B", "18", ""], ["A", "C", "18", "B"], [0.9, 0.7, 0.5, 0.4]
    columns = {"confidence": sure, "answer": answers, "target": targets}
    results = of_file(tmp_path, task="scale_variants", item=list("abcd"), **columns)
    judgments = read_judgments(tmp_path / "mine.csv")["scale_variants"]
    assert list(judgments["status"]) == ["ok", "ok", "ok", "invalid_response_format"]
    assert value(results, "", "accuracy") == pytest.approx(2 / 3)
    assert value(results, "", "mean_confidence") == pytest.approx(0.7)
    assert value(results, "", "format_failure_rate") == 0.25


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    """A file that lacks a column is an error that names it."""
    cases: list[tuple[dict[str, list[float]], str]] = [
        ({"item": [1], "confidence": [0.5]}, "correct"),
        ({"item": [1], "raw": [5], "low": [0], "correct": [1]}, "high"),
        ({"confidence": [0.5], "correct": [1]}, "item"),
    ]
    for columns, missing in cases:
        with pytest.raises(InvalidArgument, match=f"lacks the column '{missing}'"):
            of_file(tmp_path, task="scale_variants", **columns)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_impossible_numbers_are_one_clean_error() -> None:
    """A confidence or correctness outside [0, 1] or a scale without width is a clean error."""
    cases: list[dict[str, float]] = [
        {"confidence": 85, "correct": 1},  # percent
        {"confidence": 0.5, "correct": 2},
        {"raw": 5, "low": 10, "high": 0, "correct": 1},
        {"raw": 5, "low": 5, "high": 5, "correct": 1},
    ]
    for columns in cases:
        with pytest.raises(InvalidArgument):
            scaled([{"item": "a", **columns}, {"item": "b", **columns}])


def test_numeric_and_unread_reports() -> None:
    """Numeric answers are numbers; reports that lack a raw value and unread scales are counted."""
    rows: list[Row] = [
        {"item": "a", "confidence": 0.5, "answer": 18.0, "target": 18},
        {"item": "b", "confidence": 0.5, "answer": NAN, "target": 20},
    ]
    assert value(scaled(rows), "", "accuracy") == 1
    # Two judgments of 40 with a confidence and no raw report leave 38 reports, and a note.
    rows = thirds()
    for row in rows[:2]:
        row |= {"raw": NAN, "confidence": 0.5}
    share = result_row(scaled(rows), "scale=0-100", "top1_share")
    assert share["n"] == 38
    assert "2 of 40 judgments left out: 2 without a value" in share["note"]
    # Accuracy is 26/40 on both readable scales, so it spreads 0 points over these two.
    unread: Row = {"raw": NAN, "correct": NAN, "answer": "", "status": "refusal"}
    rows = [*thirds(), *thirds(high=10), *copies_with(thirds(high=5), **unread)]
    spread = result_row(scaled(rows), "", "accuracy_spread")
    assert spread["value"] == 0
    assert "over 2 of the 5 granularity scales" in spread["note"]


# Kinds of item, data sets, models


def test_two_choices_give_meta_d() -> None:
    """Where every item has two choices, meta-d' is the maximum-likelihood fit of the ratings."""
    rows = scale_rows("0-5")
    results = scaled(rows)
    read = rows_with(rows, status="ok")
    values = sorted(set(column_of(read, "raw")))
    counts = np.zeros((2, 2 * len(values)))
    for row in read:
        k = values.index(row["raw"])
        place = len(values) - 1 - k if row["answer"] == "A" else len(values) + k
        counts["AB".index(row["target"]), place] += 1
    fit = meta_d(counts[0], counts[1], padding=1 / (2 * len(values)))
    assert value(results, "scale=0-5", "meta_d") == pytest.approx(float(fit.meta_d), abs=1e-9)
    ratio = result_row(results, "scale=0-5;type1=sdt", "m_ratio")
    assert ratio["value"] == pytest.approx(float(fit.m_ratio), abs=1e-9)
    assert "6 ratings" in ratio["note"]
    types = results[results["metric"] == "m_ratio"]["condition"].str.extract("type1=(.*)")[0]
    assert set(types) == {"sdt", "m_afc"}
    # At a threshold one row, which is also the number of the other two models of two choices.
    sure = np.array(column_of(read, "raw")) / 5
    right = column_of(read, "correct")
    for type1 in ("two_z", "two_afc"):
        expected = m_ratio(sure, right, type1=type1, threshold=0.5)
        number = value(results, "scale=0-5;threshold=0.5;type1=m_afc", "m_ratio")
        assert number == pytest.approx(expected, rel=1e-6), type1


def second_epoch(rows: Sequence[Row]) -> list[Row]:
    """The same judgments as those of epoch 2."""
    return [{**row, "epoch": 2, "uuid": f"{row['uuid']} again"} for row in rows]


def test_mean_over_data_sets_is_unweighted() -> None:
    """`mean` is the plain mean of the data sets' values, whatever their sizes, and says so."""
    rows = [
        *scale_rows("0-100", items=90, seed=5, dataset="large"),
        *scale_rows("0-10", items=90, seed=4, dataset="large"),
        *scale_rows("0-100", items=30, seed=7, dataset="small"),
        *scale_rows("0-10", items=30, seed=6, dataset="small"),
    ]
    results = scaled(rows)
    keyed: dict[str, dict[tuple[str, str], float]] = {"large": {}, "small": {}, "mean": {}}
    for row in results.to_dict("records"):
        keyed[row["dataset"]][row["condition"], row["metric"]] = row["value"]
    metrics_of_mean = set(column_of(keyed["mean"], 1))
    assert {"accuracy", "ece", "auroc", "violation_rate", "difference", "meta_d"} <= metrics_of_mean
    assert not metrics_of_mean & {"n", "top1_value"}
    for key, mean in keyed["mean"].items():
        if key[1] != "accuracy_spread" and not key[1].startswith("p_"):
            plain = (keyed["large"][key] + keyed["small"][key]) / 2
            assert mean == pytest.approx(plain, abs=1e-12, nan_ok=True), key
    notes = results[(results["dataset"] == "mean") & (results["metric"] == "accuracy")]["note"]
    assert len(notes) == 2
    assert notes.str.contains("unweighted mean of large, small").all()
    gap = keyed["mean"]["scale=0-100", "accuracy"] - keyed["mean"]["scale=0-10", "accuracy"]
    assert keyed["mean"]["", "accuracy_spread"] == pytest.approx(100 * abs(gap))


def test_mean_of_m_ratio_or_why_there_is_none() -> None:
    """Data sets with different numbers of choices have a mean; one without any has a reason."""
    rows = {
        "two": scale_rows("0-20", 60, 2, 1, dataset="two"),
        "four": scale_rows("0-20", 60, 4, 1, dataset="four"),
        "free": scale_rows("0-20", 60, NAN, 1, dataset="free"),
    }
    where, sdt = "scale=0-20;threshold=0.5;type1=m_afc", "scale=0-20;type1=sdt"
    results = scaled([*rows["two"], *rows["four"]], resamples=20)
    values = [value(results, where, "m_ratio", dataset=name) for name in ("two", "four")]
    mean = result_row(results, where, "m_ratio", dataset="mean")
    assert mean["value"] == pytest.approx(sum(values) / 2)
    # Only items with two choices have the M-ratio of all ratings.
    for metric, condition in (("m_ratio", sdt), ("meta_d", "scale=0-20")):
        row = result_row(results, condition, metric, dataset="mean")
        assert np.isnan(row["value"])
        assert row["note"].startswith("undefined: there is none of four"), row["note"]
    results = scaled(list(chain.from_iterable(rows.values())), resamples=20)
    row = result_row(results, where, "m_ratio", dataset="mean")
    assert np.isnan(row["value"])
    reason = "undefined: undefined in free (items have no choices, or different numbers of them)"
    assert row["note"].startswith(reason)


def test_items_that_are_not_common_are_counted() -> None:
    """Per scale and model, only where items differ; a mean has the sum over its data sets."""

    def asked(model: str, dataset: str, scale: str, items: int) -> list[Row]:
        rows = scale_rows(scale, items, model=model, dataset=dataset)
        return [*rows, *second_epoch(rows)]

    same_items = [*asked("a", "one", "0-100", 9), *asked("a", "one", "0-5", 9)]
    assert "items_not_common" not in set(scaled(same_items, 10)["metric"])
    # Of `one` only 6 items are everywhere; `two` is the same everywhere, and of model a alone.
    rows = [*same_items, *asked("b", "one", "0-100", 6), *asked("a", "two", "0-100", 4)]
    results = scaled(rows, 10)
    expected = {
        ("a", "one", "scale=0-100"): 3,
        ("a", "one", "scale=0-5"): 3,
        ("b", "one", "scale=0-100"): 0,
        ("a", "mean", "scale=0-100"): 3,
        ("a", "mean", "scale=0-5"): 3,
        ("a", "one", "scales=all"): 3,
        ("b", "one", "scales=all"): 0,
        ("a", "mean", "scales=all"): 3,
    }
    counted = results[results["metric"] == "items_not_common"]
    names = zip(counted["model"], counted["dataset"], counted["condition"], strict=True)
    assert dict(zip(names, counted["value"], strict=True)) == expected
    assert counted["note"].iloc[0].startswith("of 9 items")


def test_reports_on_a_scale_from_0_to_1_are_rounded_in_percent() -> None:
    """Of six reports all but .12 are multiples of 5%; on 0-100 none is a multiple of 5."""
    raw = [0.05, 0.1, 0.15, 0.12, 0.5, 1]
    rows = [
        {"item": f"i{k}", "low": 0, "high": 1, "raw": report, "correct": 1.0, "model": "m"}
        for k, report in enumerate(raw)
    ]
    results = scaled(rows, resamples=20)
    assert value(results, "scale=0-1", "round_rate") == pytest.approx(5 / 6)
    results = scaled(copies_with(rows, high=100), resamples=20)
    assert value(results, "scale=0-100", "round_rate") == 0


def test_entropy_and_m_ratio_correlate_over_models() -> None:
    """Over four models the correlation, its interval and n are those of scipy's pearsonr."""
    rows = []
    for seed in range(4):
        rows += scale_rows("0-20", items=150, choices=4, seed=seed, model=f"m{seed}")
    for row in rows_with(rows, model="m0", raw=10):
        rows.remove(row)
    results = scaled(rows, resamples=20)
    ratio = "scale=0-20;threshold=0.5;type1=m_afc"
    entropies, ratios = [], []
    for model in numbered("m", 4):
        entropies.append(value(results, "scale=0-20", "entropy_bits", model=model))
        ratios.append(value(results, ratio, "m_ratio", model=model))
    fit = pearsonr(entropies, ratios)
    row = result_row(results, ratio, "entropy_m_ratio_correlation", model="all")
    assert row["value"] == pytest.approx(fit.statistic)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(fit.confidence_interval()))
    assert row["n"] == 4
    two = scaled([*rows_with(rows, model="m1"), *rows_with(rows, model="m2")], resamples=20)
    row = result_row(two, ratio, "entropy_m_ratio_correlation", model="all")
    assert np.isnan(row["value"])
    assert row["note"].startswith("undefined: fewer than three models")


def thirds(items: int = 40, high: int = 100) -> list[Row]:
    """Two-choice judgments: every third answer wrong, confidence in steps of ten."""
    return [
        {
            "item": f"i{n}",
            "low": 0,
            "high": high,
            "raw": high * (n % 11) // 10,
            "choices": 2,
            "target": "AB"[n % 2],
            "answer": "AB"[(n + (n % 3 == 0)) % 2],
            "correct": float(n % 3 != 0),
            "status": "ok",
        }
        for n in range(items)
    ]


def test_where_meta_d_is_there() -> None:
    """Correctness gives a response; mixed numbers of choices and weights have none."""
    # Of two choices a wrong answer is the other one, so meta-d' needs no column of answers.
    rows = thirds()
    with_answers = result_row(scaled(rows), "scale=0-100", "meta_d")
    without_answers = result_row(scaled(copies_with(rows, answer="")), "scale=0-100", "meta_d")
    assert not np.isnan(with_answers["value"])
    assert with_answers["value"] == without_answers["value"]
    # Where items have different numbers of choices, or none, M-ratio is NaN and says why.
    mixed = [*scale_rows(choices=4, items=40), *scale_rows(choices=5, items=80)[40:]]
    for rows in (mixed, scale_rows(choices=NAN)):
        results = scaled(rows)
        ratios = results[results["metric"] == "m_ratio"]
        assert len(ratios) == 2  # one a threshold
        assert ratios["value"].isna().all()
        assert ratios["note"].str.startswith("undefined: ").all()
        assert ratios["note"].str.contains("items have no choices, or different numbers").all()
        assert "meta_d" not in set(results["metric"])
        assert np.isfinite(value(results, "scale=0-100;threshold=0.5", "type2_dprime"))
    four = scaled(scale_rows(choices=4))
    types = four[four["metric"] == "m_ratio"]["condition"].str.extract("type1=(.*)")[0]
    assert set(types) == {"m_afc"}
    # An outcome between right and wrong makes meta-d' undefined, with that reason.
    rows = thirds()
    rows[0]["correct"] = 0.5
    row = result_row(scaled(rows), "scale=0-100", "meta_d")
    assert np.isnan(row["value"])
    assert "outcomes are not all right or wrong" in row["note"]


# A model that always says 100


ITEMS = 20
TYPE2 = {"type2_dprime", "meta_d_ideal", "type2_criterion", "meta_d", "m_ratio"}
"""Type-2 sensitivity in all its forms, and its criterion."""


def stating(accuracy: float, raw: Callable[[int], int], high: int = 100) -> pd.DataFrame:
    """Judgments of two-choice questions, the first ones answered right."""
    targets = np.tile(["A", "B"], ITEMS // 2)
    right = np.arange(ITEMS) < round(accuracy * ITEMS)
    return pd.DataFrame(
        {
            "task": "scale_variants",
            "item": numbered("q", ITEMS),
            "low": 0,
            "high": high,
            "raw": list(map(raw, range(ITEMS))),
            "choices": 2,
            "target": targets,
            "answer": np.where(right, targets, np.roll(targets, 1)),
        }
    )


@pytest.mark.parametrize("accuracy", [0.1, 0.9, 1.0])
def test_no_sensitivity_without_variation(accuracy: float) -> None:
    """Every type-2 sensitivity is NaN with its reason; what doesn't need variation is exact."""
    results = summarize(stating(accuracy, lambda _: 100), resamples=50)
    type2 = results[results["metric"].isin(TYPE2)]
    assert set(type2["metric"]) == TYPE2
    # Each at two thresholds; meta-d' and its M-ratio over all ratings.
    assert len(type2) == 2 * 4 + 2
    assert type2[["value", "ci_low", "ci_high"]].isna().all(axis=None)
    one_class = "all answers are right" if accuracy == 1 else "every judgment lies at or above"
    for condition, metric, note in zip(
        type2["condition"], type2["metric"], type2["note"], strict=True
    ):
        by_threshold = "threshold=" in condition
        reason = one_class if by_threshold else "every judgment has the same confidence"
        assert note.startswith(f"undefined: {reason}"), (metric, note)
    plain_values = results[~results["condition"].str.contains("bin|threshold")].set_index("metric")[
        "value"
    ]
    expected = {
        "accuracy": accuracy,
        "mean_confidence": 1,
        "overconfidence": 1 - accuracy,
        "ece": 1 - accuracy,
        "brier": 1 - accuracy,
        "meta_information": 0,
        "auroc": np.nan if accuracy == 1 else 0.5,
        "top1_value": 100,
        "top1_share": 1,
        "entropy_bits": 0,
    }
    for name, number in expected.items():
        assert plain_values[name] == pytest.approx(number, nan_ok=True), name


@pytest.mark.parametrize("accuracy", [0.1, 0.9])
def test_no_difference_from_a_scale_that_varies(accuracy: float) -> None:
    """Against a scale that tells right from wrong, differences in sensitivity are NaN with reason.

    So are their p-values, adjusted ones too; a difference in AUROC is there.
    """
    varied = stating(accuracy, lambda k: 3 + 14 * (k % 3 == 0), high=20)
    results = summarize(pd.concat([varied, stating(accuracy, lambda _: 100)]), resamples=50)
    tests = results[results["condition"].str.contains("versus=0-100")]
    type2 = tests[tests["condition"].str.contains("of=(?:type2_dprime|meta_d_ideal|m_ratio)")]
    assert set(type2["metric"]) == {"difference", "p_value", "p_bonferroni", "p_holm"}
    assert type2["value"].isna().all()
    assert (type2["note"] == "undefined: either value is undefined").all()
    auroc = tests[tests["condition"].str.contains("of=auroc")]
    assert auroc["value"].notna().all()
    assert auroc.loc[auroc["metric"] == "difference", ["ci_low", "ci_high"]].notna().all(axis=None)


# Second epochs


def same_again(once: pd.DataFrame) -> pd.DataFrame:
    """Every judgment twice: the second as another epoch of the same item."""
    repeated = once.assign(epoch=2, uuid=once["uuid"] + " again")
    return pd.concat([once, repeated], ignore_index=True)


@pytest.mark.parametrize("choices", [4, *slow_cases((2, NAN))])
def test_second_epoch_of_the_same_answers_changes_no_row(choices: float) -> None:
    """Value and interval of every row stay: of sets, means, differences, p and correlations."""
    rows = []
    for scale in ("0-100", "0-10", "60-100"):
        rows += scale_rows(scale, 40, choices, seed=len(scale), dataset="one")
        rows += scale_rows(scale, 25, choices, seed=7 + len(scale), dataset="two")
    once = frame(rows, "scale_variants")
    # Out of range by little and by much, in some items only.
    once.loc[once.index % 9 == 0, "raw"] = once["high"] + 2
    once.loc[once.index % 13 == 0, "raw"] = once["high"] + 30
    once.loc[once["status"] != "ok", "raw"] = NAN
    first, second = summarize(once, resamples=100), summarize(same_again(once), resamples=100)
    wrong = changed(first, second)
    assert wrong.empty, wrong.to_string()
    metrics = set(first["metric"])
    assert {"type2_dprime", "aurc", "auprc_error", "p_value", "p_holm", "difference"} <= metrics
    assert {"entropy_bits", "violation_rate", "clip_rate", "accuracy_spread"} <= metrics
    assert ("meta_d" in metrics) == (choices == 2)
    counts = second[first["metric"] == "n"]["value"] / first[first["metric"] == "n"]["value"]
    assert set(counts) == {2.0}


def test_two_epochs_are_pooled() -> None:
    """Values over two epochs, unreadable replies among them, are those of all judgments at once."""
    rows = scale_rows("0-20", items=50, choices=4, seed=3, unreadable=0.2)
    second = scale_rows("0-20", items=50, choices=4, seed=4, unreadable=0.2)
    rows += second_epoch(second)
    results = scaled(rows)
    read = rows_with(rows, status="ok")
    assert 0 < len(rows) - len(read) < 40
    right = column_of(read, "correct")
    sure = np.array(column_of(read, "raw")) / 20
    condition = "scale=0-20"
    assert value(results, condition, "accuracy") == pytest.approx(np.mean(right))
    assert value(results, condition, "mean_confidence") == pytest.approx(np.mean(sure))
    assert value(results, condition, "auroc") == pytest.approx(roc_auc_score(right, sure))
    assert value(results, condition, "brier") == pytest.approx(brier_score_loss(right, sure))
    unread = 1 - len(read) / len(rows)
    assert value(results, condition, "format_failure_rate") == pytest.approx(unread)
    assert value(results, condition, "n") == 100
    reports = pd.Series(column_of(read, "raw")).value_counts(normalize=True)
    assert value(results, condition, "entropy_bits") == pytest.approx(
        -(reports * np.log2(reports)).sum()
    )
    assert value(results, condition, "top1_share") == pytest.approx(reports.iloc[0])
    note = result_row(results, condition, "ece")["note"]
    assert f"{len(rows) - len(read)} of 100 judgments left out" in note
    assert "50 items" in note


def test_reports_of_two_epochs_out_of_range_or_not() -> None:
    """Two items twice: 90 90 and 95 150 of 0-100; of a third, one unreadable, and 40."""
    reports = [("a", 90), ("a", 90), ("b", 95), ("b", 150), ("c", NAN), ("c", 40)]
    rows: list[Row] = []
    for (item, raw), epoch in zip(reports, (1, 2) * 3, strict=True):
        row: Row = {"item": item, "epoch": epoch, "low": 0, "high": 100, "raw": raw}
        rows.append({**row, "correct": 1.0, "status": "ok"})
    rows[4] |= {"correct": NAN, "status": "refusal"}
    results = scaled(rows)
    # 40, 90, 90, 95, 150: shares 2/5 and three times 1/5, all multiples of 5; Q1 90, Q3 95.
    bits = -(2 / 5 * np.log2(2 / 5) + 3 / 5 * np.log2(1 / 5))
    shape = {"top1_value": 90, "top1_share": 2 / 5, "top3_share": 4 / 5, "unique_values": 4}
    shape |= {"entropy_bits": bits, "round_rate": 1, "utilization": 5 / 100}
    for metric, number in shape.items():
        row = result_row(results, "scale=0-100", metric)
        assert (row["value"], row["n"]) == (pytest.approx(number), 5), metric
        assert row["asked"] == 6
        assert row["note"].startswith(
            "5 of 5"
            if metric == "round_rate"
            else "1 of 5 reports out of range, included; 1 of 6 judgments left out: 1 refusal; "
            "3 items; no interval: "
        )
    assert value(results, "scale=0-100", "mean_confidence") == pytest.approx(
        (0.9 + 0.9 + 0.95 + 0.4) / 4
    )
    assert result_row(results, "scale=0-100", "ece")["n"] == 4
    shares = detail(frame(rows, "scale_variants"))
    assert value(shares, "report=150;scale=0-100", "report_share") == 1 / 5


def test_only_a_second_epoch_that_differs_narrows_an_interval() -> None:
    """Two different answers to each item tell more than one, the same answer twice does not."""

    def width(rows: list[Row]) -> float:
        row = result_row(scaled(rows, 2000), "scale=0-20", "brier")
        return float(row["ci_high"] - row["ci_low"])

    items = scale_rows("0-20", items=200, choices=4, seed=5, unreadable=0)
    other_answers = scale_rows("0-20", items=200, choices=4, seed=6, unreadable=0)
    half, clones = second_epoch(other_answers[::2]), second_epoch(items[::2])
    assert width([*items[::2], *clones]) == pytest.approx(width(items[::2]), abs=1e-9)
    assert width([*items[::2], *half]) < width(items[::2])
