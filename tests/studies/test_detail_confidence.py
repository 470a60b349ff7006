"""Bins of confidence, type-2 rates and shares of reports."""

from collections.abc import Sequence
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid

from build import column_of, frame_rows, numbered, rows_by, values_by_key
from inspect_confidence import detail
from inspect_confidence.metrics import auroc, clustered_wilson_interval, ece
from inspect_confidence.results import results_frame, with_parts
from inspect_confidence.studies import Resampling
from inspect_confidence.studies.bins import (
    confidence_bins,
    corp_curve_rows,
    report_shares,
    type2_rates,
)
from metrics.oracles import share_interval

CORP_BAND = "consistency_band"

# Three items asked twice; of c one reply can't be read, and d's report is off the scale.
WORKED = pd.DataFrame(
    [
        ("a", 1, 90, 1.0, "ok"),
        ("a", 2, 90, 0.0, "ok"),
        ("b", 1, 95, 1.0, "ok"),
        ("b", 2, 30, 0.0, "ok"),
        ("c", 1, nan, nan, "invalid_response_format"),
        ("c", 2, 100, 1.0, "ok"),
        ("d", 1, 130, 1.0, "out_of_range"),
    ],
    columns=["item", "epoch", "raw", "correct", "status"],
).assign(task="scale_variants", model="m", dataset="own", low=0, high=100)
LEFT_OUT = "2 of 7 judgments left out: 1 invalid_response_format, 1 out_of_range; 3 items"


def part_of(rows: pd.DataFrame, metric: str, part: str) -> dict[str, dict[str, Any]]:
    """The rows of a metric by one part of their condition."""
    chosen = with_parts(rows[rows["metric"] == metric], [part])
    return rows_by(frame_rows(chosen), part)


def interval(row: dict[str, Any]) -> tuple[float, float]:
    """The interval of a row."""
    return row["ci_low"], row["ci_high"]


def judgments(
    confidence: Sequence[float], correct: Sequence[float], items: Sequence[str] = ()
) -> pd.DataFrame:
    """Readable judgments, each of an item of its own if none are named."""
    return pd.DataFrame(
        {
            "task": "question_sets",
            "model": "m",
            "dataset": "own",
            "variant": "",
            "source": "stated",
            "item": list(items) or numbered("i", len(confidence)),
            "status": "ok",
            "confidence": confidence,
            "correct": correct,
        }
    )


def random_judgments(seed: int) -> pd.DataFrame:
    """300 judgments of 120 items with ties, on whole percents."""
    rng = np.random.default_rng(seed)
    confidence = rng.integers(0, 21, 300) / 20
    right = (rng.random(300) < 0.3 + 0.5 * confidence).astype(float)
    return judgments(list(confidence), list(right), list(rng.choice(numbered("i", 120), size=300)))


def test_bins_of_the_worked_example() -> None:
    """Accuracy and mean confidence of the bins that hold judgments, two epochs among them."""
    rows = detail(WORKED)
    accuracy = part_of(rows, "bin_accuracy", "bin")
    confidence = part_of(rows, "bin_confidence", "bin")
    assert list(accuracy) == list(confidence) == ["0.3-0.4", "0.9-1"]
    top = accuracy["0.9-1"]
    # a: 1 of 2, b and c: 1 of 1. Over items the share varies by (.5^2 + 2 (.25)^2) / 16 = .0234,
    # as of 8 independent judgments; of one item with a wrong answer the 3 items count.
    assert top["value"] == 3 / 4
    assert interval(top) == pytest.approx(share_interval(9 / 4, 3), abs=1e-12)
    assert (top["n"], top["condition"], top["note"]) == (4, "bin=0.9-1;scale=0-100", LEFT_OUT)
    assert confidence["0.9-1"]["value"] == pytest.approx((0.9 + 0.9 + 0.95 + 1) / 4)
    assert isnan(confidence["0.9-1"]["ci_low"])
    low = accuracy["0.3-0.4"]
    assert (low["value"], low["n"]) == (0, 1)
    assert interval(low) == pytest.approx(share_interval(0, 1), abs=1e-12)


def test_type2_rates_of_the_worked_example() -> None:
    """Right at .9, .95 and 1, wrong at .9 and .3: the shares at or above each."""
    rows = detail(WORKED)
    hits = part_of(rows, "type2_hit_rate", "threshold")
    alarms = part_of(rows, "type2_false_alarm_rate", "threshold")
    assert list(hits) == ["1", "0.95", "0.9", "0.3"]
    assert column_of(hits.values(), "value") == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert column_of(alarms.values(), "value") == pytest.approx([0, 0, 1 / 2, 1])
    assert interval(hits["0.95"]) == pytest.approx(share_interval(2, 3), abs=1e-12)
    assert interval(alarms["0.9"]) == pytest.approx(share_interval(1, 2), abs=1e-12)
    assert set(column_of(hits.values(), "n")) == {3}
    assert set(column_of(alarms.values(), "n")) == {2}


def test_corp_curve_of_the_worked_example() -> None:
    """Wrong at .3; at .9 right and wrong, then right: 0, 1/2, 1, 1; the band holds the diagonal."""
    rows = detail(WORKED)
    curve = part_of(rows, "corp_accuracy", "confidence")
    band = part_of(rows, CORP_BAND, "confidence")
    assert values_by_key(curve) == pytest.approx({"0.3": 0, "0.9": 1 / 2, "0.95": 1, "1": 1})
    assert set(column_of(curve.values(), "n")) == {5}
    assert column_of(band.values(), "value") == list(map(float, curve))
    ends = pd.DataFrame(list(band.values()))
    assert ends["value"].between(ends["ci_low"], ends["ci_high"]).all()
    # Of an item alone at .3, x is 0 or 1; certainty is always right where it is calibrated.
    assert (band["0.3"]["ci_low"], interval(band["1"])) == (0, (1, 1))
    # Probabilities have a curve and no band.
    rows = results_frame(corp_curve_rows(judgments([0.2, 0.8], [0.5, 0.25]), [], Resampling()))
    assert set(rows["metric"]) == {"corp_accuracy"}
    assert rows["value"].tolist() == [0.375, 0.375]


def test_report_shares_of_the_worked_example() -> None:
    """Of six reports, one of them out of range, two are 90, both of one item."""
    shares = part_of(detail(WORKED), "report_share", "report")
    assert values_by_key(shares) == pytest.approx(
        {"30": 1 / 6, "90": 1 / 3, "95": 1 / 6, "100": 1 / 6, "130": 1 / 6}
    )
    # a: 2 of 2, b: 0 of 2, c and d: 0 of 1; (4^2 + 2^2 + 2 * 1^2) / 9 / 36 is its variance.
    n = 1 / 3 * 2 / 3 / (22 / 9 / 36)
    assert interval(shares["90"]) == pytest.approx(share_interval(n / 3, n), abs=1e-12)
    assert set(column_of(shares.values(), "n")) == {6}


@pytest.mark.parametrize("seed", range(3))
def test_the_area_under_type2_rates_is_auroc(seed: int) -> None:
    """Straight lines between the points, from (0, 0) on, also where outcomes are probabilities."""
    rows = random_judgments(seed)
    weights = rows.assign(correct=np.random.default_rng(seed).random(len(rows)))
    for judged_rows in (rows, weights):
        rates = results_frame(type2_rates(judged_rows, ["source"]))
        values = rates.groupby("metric", sort=False)["value"]
        hits = values.get_group("type2_hit_rate").to_numpy(float)
        alarms = values.get_group("type2_false_alarm_rate").to_numpy(float)
        area = trapezoid(np.append(0, hits), np.append(0, alarms))
        assert area == pytest.approx(
            auroc(judged_rows["confidence"], judged_rows["correct"]), abs=1e-12
        )


@pytest.mark.parametrize(("own_top", "binning"), [(False, "equal_width"), (True, "own_top")])
def test_bins_are_those_of_ece(own_top: bool, binning: Any) -> None:
    """The weighted mean of |accuracy - confidence| is ECE, with every whole percent on its side."""
    percent = np.arange(101)
    rows = judgments(list(percent / 100), list((percent % 3 == 0).astype(float)))
    bins = results_frame(confidence_bins(rows, ["source"], Resampling(), own_top=own_top))
    accuracy = with_parts(bins[bins["metric"] == "bin_accuracy"], ["bin"]).set_index("bin")
    mean = with_parts(bins[bins["metric"] == "bin_confidence"], ["bin"]).set_index("bin")
    gaps = accuracy["n"] * (accuracy["value"] - mean["value"]).abs()
    expected = ece(rows["confidence"], rows["correct"], binning=binning)
    assert gaps.sum() / 101 == pytest.approx(expected, abs=1e-12)
    assert ("1" in accuracy.index) == own_top


def test_intervals_are_those_of_single_shares() -> None:
    """Every interval is `clustered_wilson_interval` of the successes and trials of the items."""
    rows = random_judgments(7)
    place = np.minimum(np.floor(10 * rows["confidence"] + 1e-9), 9)
    right = rows["correct"] == 1
    finer_rows = results_frame(
        [
            *confidence_bins(rows, ["source"], Resampling()),
            *type2_rates(rows, ["source"]),
            *report_shares(rows.assign(raw=rows["confidence"]), ["source"]),
        ]
    )
    bins = part_of(finer_rows, "bin_accuracy", "bin")
    hits = part_of(finer_rows, "type2_hit_rate", "threshold")
    reports = part_of(finer_rows, "report_share", "report")
    cases: list[tuple[dict[str, Any], Any, Any]] = []
    for name, row in bins.items():
        cases.append((row, right, place == round(10 * float(name.split("-")[0]))))
    for name, row in hits.items():
        cases.append((row, rows["confidence"] >= float(name) - 1e-9, right))
    for name, row in reports.items():
        cases.append((row, np.isclose(rows["confidence"], float(name)), right | True))
    assert len(bins) == 10
    for row, success, counted in cases:
        items = rows[counted].assign(hit=success[counted]).groupby("item")["hit"]
        expected = clustered_wilson_interval(items.sum(), items.size())
        assert interval(row) == pytest.approx(expected, abs=1e-9)


def test_probabilities_of_being_right() -> None:
    """Their bins have a bootstrap interval, fewer than 20 items none, and their rates none."""
    rows = judgments([*[0.75] * 40, 0.25], [*[0.4, 0.8] * 20, 0.5])
    accuracy = part_of(
        results_frame(confidence_bins(rows, [], Resampling())), "bin_accuracy", "bin"
    )
    row = accuracy["0.7-0.8"]
    assert row["value"] == pytest.approx(0.6)
    # Student's: .6 -+ t(39) .2 / sqrt(39)
    reach = 2.0227 * 0.2 / np.sqrt(39)
    assert interval(row) == pytest.approx((0.6 - reach, 0.6 + reach), abs=0.011)
    assert "bootstrap" in row["note"]
    assert np.isnan(interval(accuracy["0.2-0.3"])).all()
    rates = part_of(results_frame(type2_rates(rows, [])), "type2_hit_rate", "threshold")
    assert rates["0.75"]["value"] == pytest.approx(24 / 24.5)
    assert isnan(rates["0.75"]["ci_low"])
    assert "no interval" in rates["0.75"]["note"]


def test_equal_partial_grades_of_a_bin_do_not_make_its_accuracy_certain() -> None:
    """30 answers with half credit: the interval has a width, as other grades were possible."""
    rows = judgments([0.95] * 30, [0.5] * 30)
    bins = results_frame(list(confidence_bins(rows, [], Resampling(200))))
    (row,) = frame_rows(bins[bins["metric"] == "bin_accuracy"])
    low, high = interval(row)
    assert 0 < low < 0.49 < row["value"] < 0.51 < high < 1


def test_what_is_missing_or_cannot_be_read() -> None:
    """A part of the condition, wrong answers, and replies: rows that say so."""
    # The rate is NaN and says why; the hit rate is there.
    finer_rows = results_frame(type2_rates(judgments([0.2, 0.8], [1, 1]), []))
    alarms = part_of(finer_rows, "type2_false_alarm_rate", "threshold")
    assert np.isnan(column_of(alarms.values(), "value")).all()
    assert alarms["0.8"]["note"] == "undefined: no wrong answer"
    assert part_of(finer_rows, "type2_hit_rate", "threshold")["0.8"]["value"] == 0.5
    # Judgments without a radius are a condition of their own, none is lost.
    rows = judgments([0.2, 0.8], [1, 0]).assign(radius=[nan, 5.0])
    finer_rows = results_frame(confidence_bins(rows, ["radius"], Resampling()))
    assert set(finer_rows["condition"]) == {"bin=0.2-0.3", "bin=0.8-0.9;radius=5"}
    # Their number is told as `status_count`; everything else is undefined, with the reason.
    rows = detail(WORKED[WORKED["status"] == "invalid_response_format"])
    counted = rows["metric"] == "status_count"
    assert rows.loc[counted, "value"].sum() == 1
    assert set(rows.loc[~counted, "metric"]) == {
        *("bin_accuracy", "bin_confidence", "report_share"),
        *("type2_hit_rate", "type2_false_alarm_rate"),
        *("corp_accuracy", "consistency_band"),
    }
    assert rows.loc[~counted, "value"].isna().all()
    assert rows.loc[~counted, "note"].str.startswith("undefined: no readable judgment").all()


def test_reports_over_all_data_sets_weigh_every_report_alike() -> None:
    """Of two sets with the same items: 90 twice and thrice of 6 and 4 reports, by scale."""
    other = WORKED.iloc[[0, 1, 2, 3]].assign(dataset="other", raw=[90.0, 90.0, 90.0, 10.0])
    rows = detail(pd.concat([WORKED, other], ignore_index=True))
    pooled = with_parts(rows[rows["dataset"] == "all"], ["report", "scale"])
    assert set(pooled["metric"]) == {"report_share"}
    shares = pooled.set_index(["scale", "report"])
    assert shares.loc[("0-100", "90"), "value"] == pytest.approx(5 / 10)
    assert shares.loc[("0-100", "10"), "value"] == pytest.approx(1 / 10)
    assert set(shares["n"]) == {10}
    assert shares["value"].sum() == pytest.approx(1)
    assert "all" not in set(detail(WORKED)["dataset"])
