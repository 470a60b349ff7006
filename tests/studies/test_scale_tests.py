"""Scale against scale: differences on common items, their p values and the spread of accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from sklearn.metrics import brier_score_loss, roc_auc_score
from statsmodels.stats.multitest import multipletests

from build import column_of, condition_values, copies_with, rows_with
from inspect_confidence import summarize
from inspect_confidence.results import Condition
from studies.frames import NAN, Row, result_row, scale_rows, scaled, value

SCALES = ("0-100", "0-20", "60-100", "0-7")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Four scales over items that only partly overlap, each with unreadable replies."""
    judged_rows = []
    for seed, scale in enumerate(SCALES):
        judged_rows += scale_rows(scale, items=70, choices=4, seed=seed, unreadable=0.15)[
            seed * 5 :
        ]
    return judged_rows


@pytest.fixture(scope="module")
def results(rows: list[Row]) -> pd.DataFrame:
    """Their results."""
    return scaled(rows)


def readable(rows: list[Row], scale: str) -> dict[str, tuple[float, float]]:
    """Confidence and correctness by item on a scale, where both were read."""
    low, high = map(int, scale.split("-"))
    return {
        row["item"]: ((row["raw"] - low) / (high - low), row["correct"])
        for row in rows
        if (row["low"], row["high"]) == (low, high) and row["status"] == "ok"
    }


def by_hand(judgments: list[tuple[float, float]]) -> dict[str, float]:
    """The plain numbers of judgments."""
    sure, right = np.array(judgments).T
    place = np.minimum((sure * 10 + 1e-9).astype(int), 9)
    gaps = np.abs(np.bincount(place, sure - right))
    return {
        "accuracy": float(right.mean()),
        "mean_confidence": float(sure.mean()),
        "overconfidence": float(sure.mean() - right.mean()),
        "brier": float(brier_score_loss(right, sure)),
        "auroc": float(roc_auc_score(right, sure)),
        "ece": float(gaps.sum() / len(sure)),
    }


def test_difference_is_less_baseline_on_common_items(
    rows: list[Row], results: pd.DataFrame
) -> None:
    """Each difference is that of the items which both scales have readable."""
    base = readable(rows, "0-100")
    for scale in SCALES[1:]:
        one_scale = readable(rows, scale)
        common = sorted(one_scale.keys() & base.keys())
        assert 20 < len(common) < min(len(one_scale), len(base))
        scale_numbers = by_hand(list(map(one_scale.__getitem__, common)))
        base_numbers = by_hand(list(map(base.__getitem__, common)))
        for metric, number in scale_numbers.items():
            row = result_row(results, f"of={metric};scale={scale};versus=0-100", "difference")
            assert row["value"] == pytest.approx(number - base_numbers[metric], abs=1e-12), metric
            assert row["ci_low"] <= row["value"] <= row["ci_high"], (scale, metric)
            assert row["n"] == len(common), (scale, metric)
            assert row["note"] == f"on the {len(common)} items that both have"


def test_p_values_are_adjusted_over_the_scales(results: pd.DataFrame) -> None:
    """Holm's and Bonferroni's p are statsmodels', over the comparisons of one number."""
    for metric in ("accuracy", "ece", "brier", "mean_confidence"):
        conditions = [f"of={metric};scale={scale};versus=0-100" for scale in SCALES[1:]]
        chosen = results[results["condition"].isin(conditions)]
        table = chosen.pivot_table(index="condition", columns="metric", values="value")
        p = table["p_value"]
        for method in ("holm", "bonferroni"):
            adjusted = multipletests(p, method=method)[1]
            assert table[f"p_{method}"].to_numpy() == pytest.approx(adjusted, abs=1e-12)
        assert ((p > 0) & (p <= 1)).tolist() == [True] * 3
        notes = chosen["note"][chosen["metric"] == "p_holm"].tolist()
        assert notes == ["over 3 comparisons with 0-100"] * 3


def test_p_is_small_only_where_scales_differ() -> None:
    """A scale that is answered alike has p = 1 and no difference; a better one a small p."""
    base = scale_rows("0-100", items=100, unreadable=0)
    equal_rows, better = copies_with(base, high=50), copies_with(base, high=200, correct=1.0)
    for row, equal_row, better_row in zip(base, equal_rows, better, strict=True):
        equal_row["raw"], better_row["raw"] = row["raw"] / 2, 2 * row["raw"]
    resampled = scaled([*base, *equal_rows, *better], 200)
    condition = "of=accuracy;scale=0-50;versus=0-100"
    assert value(resampled, condition, "difference") == 0
    assert value(resampled, condition, "p_value") == 1
    ahead = "of=accuracy;scale=0-200;versus=0-100"
    assert value(resampled, ahead, "difference") > 0.1
    # Where no resample reaches 0 it is Student's; eight standard errors, one of 200 draws, give its
    # order of magnitude.
    fit: Any = ttest_1samp(1 - np.array(column_of(base, "correct")), 0)
    ratio = value(resampled, ahead, "p_value") / fit.pvalue
    assert 0.1 < ratio < 10
    # AUROC is undefined where every answer is right, and so is its difference.
    for metric in ("difference", "p_value", "p_holm", "p_bonferroni"):
        row = result_row(resampled, "of=auroc;scale=0-200;versus=0-100", metric)
        assert np.isnan([row["value"], row["ci_low"], row["ci_high"]]).all()
        assert row["note"].startswith("undefined: ")
    holm_row = result_row(resampled, "of=auroc;scale=0-50;versus=0-100", "p_holm")
    assert holm_row["note"] == "over 1 comparison with 0-100"


def test_scales_to_compare_with(rows: list[Row]) -> None:
    """The study's next scale where there is no 0-100; without common items there is no test."""
    results = scaled([row for row in rows if (row["low"], row["high"]) != (0, 100)])
    tests = results[results["metric"] == "difference"]["condition"]
    assert set(tests.str.extract("versus=(.*)")[0]) == {"0-20"}
    disjoint = [row for row in rows if (row["high"] == 100) == (row["item"] < "i035")]
    results = scaled(rows_with(disjoint, low=0))
    conditions = set(results["condition"])
    assert "scale=0-20" in conditions
    assert "versus=" not in " ".join(conditions)


def test_accuracy_spread_is_the_range_over_granularity_scales(results: pd.DataFrame) -> None:
    """In percentage points, others left out, without an interval."""
    values = [value(results, f"scale={scale}", "accuracy") for scale in ("0-100", "0-20")]
    other_values = [value(results, f"scale={scale}", "accuracy") for scale in ("60-100", "0-7")]
    assert not all(min(values) <= other_value <= max(values) for other_value in other_values)
    row = result_row(results, "", "accuracy_spread")
    assert row["value"] == pytest.approx(100 * (max(values) - min(values)))
    assert np.isnan([row["ci_low"], row["ci_high"]]).all()
    assert row["note"].startswith("over 2 of the 5 granularity scales")
    assert row["note"].endswith("no interval: a largest difference is above 0 by noise alone")
    # As printed of GPT-5.2: .812, .809, .815, .811, .810 spread 0.6 points.
    right = {"0-5": 812, "0-10": 809, "0-20": 815, "0-50": 811, "0-100": 810, "60-100": 500}
    printed = []
    for scale, count in right.items():
        rows = scale_rows(scale, 1000, unreadable=0, dataset="printed")
        printed += copies_with(rows[:count], correct=1.0)
        printed += copies_with(rows[count:], correct=0.0)
    spread = value(scaled(printed, 2), "", "accuracy_spread", dataset="printed")
    assert spread == pytest.approx(0.6)
    two_scales = scaled([*scale_rows("0-100"), *scale_rows("60-100")])
    assert "accuracy_spread" not in set(two_scales["metric"])
    single = scaled(scale_rows("0-100"))
    assert not set(single["metric"]) & {"accuracy_spread", "difference", "p_value"}


def test_results_are_the_seeds(rows: list[Row]) -> None:
    """One seed gives one table; another changes intervals and p, never a value."""
    zero_based = rows_with(rows, low=0)
    first = scaled(zero_based, seed=1, thresholds=[0.5])
    repeated = scaled(zero_based, seed=1, thresholds=[0.5])
    other_seed = scaled(zero_based, seed=2, thresholds=[0.5])
    pd.testing.assert_frame_equal(first, repeated)
    fixed = ~first["metric"].str.startswith("p_")
    pd.testing.assert_series_equal(first["value"][fixed], other_seed["value"][fixed])
    assert (first["ci_low"] != other_seed["ci_low"])[first["ci_low"].notna()].mean() > 0.3


def test_every_undefined_number_says_why() -> None:
    """All right, all sure, one item, nothing read: each NaN has a note with its reason."""
    right = copies_with(scale_rows("0-100", items=30), correct=1.0)
    sure = copies_with(scale_rows("0-20", items=30, unreadable=0), raw=20.0)
    unread = copies_with(
        scale_rows("0-10", items=30), raw=NAN, correct=NAN, answer="", status="refusal"
    )
    withheld = copies_with(unread, status="content_filter")
    single = scale_rows("0-50", items=1, unreadable=0)
    cases = ([*right, *sure], [*right, *unread], unread, withheld, single, [*right, *single])
    for case in cases:
        for choices in (2, 4, NAN):
            answers = scaled(copies_with(case, choices=choices), resamples=50)
            undefined = answers[answers["value"].isna()]
            assert len(undefined)
            silent = undefined[~undefined["note"].str.startswith("undefined: ")]
            assert silent.empty, silent[["condition", "metric", "note"]].to_string()
            assert undefined[["ci_low", "ci_high"]].isna().all(axis=None)
            assert (answers["note"].str.contains("undefined: ") <= answers["value"].isna()).all()


def _both_scales(items: int = 9, seed: int = 5) -> pd.DataFrame:
    """Judgments of the same items on 0-100 and 0-20, a few epochs and one parse failure."""
    draws = np.random.default_rng(seed)
    rows = []
    for high, item in product((100, 20), range(items)):
        for epoch in (1, 2):
            rows.append(
                {
                    "task": "scale_variants",
                    "model": "m",
                    "dataset": "d",
                    "item": f"q{item}",
                    "epoch": epoch,
                    "low": 0.0,
                    "high": float(high),
                    "raw": float(draws.integers(high + 1)),
                    "correct": float(draws.integers(2)),
                    "status": "refusal" if (item, epoch, high) == (8, 2, 20) else "ok",
                }
            )
    return pd.DataFrame(rows)


def test_permutation_p_is_the_share_of_exchanges_with_as_large_a_difference() -> None:
    """Of overconfidence: all 2^9 exchanges by hand; the drawn 20,000 are within their noise."""
    frame = _both_scales()
    options = {"scale_variants.test": "permutation"}
    results = summarize(frame, resamples=20_000, options=options)
    of_ece = results[results["condition"].str.contains("of=overconfidence")]
    p: dict[str, float] = dict(zip(of_ece["metric"], map(float, of_ece["value"]), strict=True))
    kept = frame[frame["status"] == "ok"].assign(
        gap=lambda rows: rows["raw"] / rows["high"] - rows["correct"]
    )
    sums = kept.pivot_table(index="item", columns="high", values="gap", aggfunc="sum")
    counts = kept.pivot_table(index="item", columns="high", values="gap", aggfunc="count")

    def difference(exchanged: Sequence[int]) -> float:
        swapped = np.array(exchanged, bool)
        means = []
        for own, other in ((20.0, 100.0), (100.0, 20.0)):
            total = np.where(swapped, sums[other], sums[own]).sum()
            n = np.where(swapped, counts[other], counts[own]).sum()
            means.append(total / n)
        return float(means[0] - means[1])

    observed = difference([0] * len(sums))
    assert p["difference"] == pytest.approx(observed)
    every = [abs(difference(exchange)) for exchange in product((0, 1), repeat=len(sums))]
    exact = np.mean(np.array(every) >= abs(observed) - 1e-12)
    assert p["p_value"] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
    assert p["p_bonferroni"] == p["p_holm"] == p["p_value"]
    (note,) = of_ece.loc[of_ece["metric"] == "p_value", "note"]
    assert "20,000 permutations" in note


def test_equal_scales_have_a_permutation_p_of_one_and_bonferroni_multiplies() -> None:
    """Replies that say the same on both scales can't be told apart; p is multiplied by scales."""
    frame = _both_scales()
    same = frame[frame["high"] == 100.0]
    halved = same.assign(high=50.0, raw=same["raw"] / 2)
    shifted = same.assign(high=20.0, raw=20.0)
    rows = pd.concat([same, halved, shifted])
    results = summarize(rows, resamples=500, options={"scale_variants.test": "permutation"})
    variants = set(condition_values(results, "variant"))
    assert variants == {"test=permutation"}
    of = results[results["condition"].str.contains("of=mean_confidence")]
    p: dict[tuple[str, str], float] = {}
    for row in of.to_dict("records"):
        p[Condition.read(row["condition"])["scale"], row["metric"]] = row["value"]
    assert p["0-50", "p_value"] == 1
    assert p["0-20", "p_bonferroni"] == pytest.approx(min(1, 2 * p["0-20", "p_value"]))
    assert p["0-20", "p_value"] < 0.05
