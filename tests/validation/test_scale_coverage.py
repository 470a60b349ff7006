"""Bootstrap of tables, coverage of the shape of reports, and the bias of ECE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pytest
from scipy.stats import ks_2samp, norm

from build import map_values
from figures import Record
from inspect_confidence import metrics
from inspect_confidence.metrics import METRICS, ConfidenceTables, ItemTables, ValueTables, bootstrap
from inspect_confidence.metrics.arrays import FloatArray
from validation.coverage import RUNS, SIZES, Coverage, lacking
from validation.laws import LAWS, VALUES, Observer, tables

Estimator = Callable[[ConfidenceTables], FloatArray]

RESAMPLES = 250

ESTIMATORS: Mapping[str, Estimator] = {
    "accuracy": metrics.TABLE_FUNCTIONS["accuracy"],
    "auroc": metrics.TABLE_FUNCTIONS["auroc"],
    "type2_dprime .5": lambda t: metrics.TABLE_FUNCTIONS["type2_dprime"](t, threshold=0.5),
    "type2_dprime .75": lambda t: metrics.TABLE_FUNCTIONS["type2_dprime"](t, threshold=0.75),
    "overconfidence": metrics.TABLE_FUNCTIONS["overconfidence"],
    "mean_confidence": metrics.TABLE_FUNCTIONS["mean_confidence"],
    "brier": metrics.TABLE_FUNCTIONS["brier"],
    "meta_d_ideal .5": lambda t: metrics.TABLE_FUNCTIONS["meta_d_ideal"](t, threshold=0.5),
    "meta_d_ideal .75": lambda t: metrics.TABLE_FUNCTIONS["meta_d_ideal"](t, threshold=0.75),
    "meta_information": metrics.TABLE_FUNCTIONS["meta_information"],
    "ece": metrics.TABLE_FUNCTIONS["ece"],
}


def exact_values(observer: Observer) -> dict[str, float]:
    """The exact values of what `ESTIMATORS` estimate, by formula."""
    right, _, wrong = observer.cells()
    total = right + wrong
    # A pair of a right and a wrong answer: surer when right, or as sure.
    wins = np.sign(VALUES[:, None] - VALUES)
    joint, product = np.array([right, wrong]), np.outer([right.sum(), wrong.sum()], total)
    is_possible = joint > 0
    bins = np.minimum(np.arange(21) // 2, 9)
    gaps = np.bincount(bins, total * VALUES - right)
    truths = {
        "accuracy": observer.accuracy,
        "auroc": 0.5 + right @ wins @ wrong / (2 * right.sum() * wrong.sum()),
        "overconfidence": total @ VALUES - observer.accuracy,
        "mean_confidence": total @ VALUES,
        "brier": right @ (1 - VALUES) ** 2 + wrong @ VALUES**2,
        "meta_d_ideal .5": observer.meta_d,
        "meta_d_ideal .75": observer.meta_d,
        "meta_information": np.sum(
            joint[is_possible] * np.log2(joint[is_possible] / product[is_possible])
        ),
        "ece": np.abs(gaps).sum(),
    }
    for threshold in (0.5, 0.75):
        hit = right[threshold <= VALUES].sum() / right.sum()
        false_alarm = wrong[threshold <= VALUES].sum() / wrong.sum()
        truths[f"type2_dprime {threshold:g}".replace("0.", ".")] = norm.ppf(hit) - norm.ppf(
            false_alarm
        )
    return map_values(float, truths)


def test_truths_of_laws_are_the_exact_values() -> None:
    """Those of 100,000 judgments in exact proportions are the formulas', but for rounding."""
    exact = exact_values(Observer(0.75, 1.5, 0))
    truths = {
        (name, str(condition)): value
        for (name, condition), value in LAWS["observer, accuracy .75"].truths.items()
    }
    for name in ("accuracy", "auroc", "overconfidence", "mean_confidence", "brier", "ece"):
        assert truths[name, ""] == pytest.approx(exact[name], abs=3e-5), name
    assert truths["type2_dprime", "threshold=0.5"] == pytest.approx(
        exact["type2_dprime .5"], abs=1e-3
    )


@pytest.mark.slow
def test_gamma_weights_of_cells_are_the_bayesian_bootstrap_of_items() -> None:
    """Tables with a weight for each cell and tables of weighted items have the same law."""
    rng = np.random.default_rng(1)
    probabilities = np.concatenate(Observer(0.75, 1.5, 0.5).cells()[[0, 2]])
    cell = rng.choice(42, size=1_000, p=probabilities / probabilities.sum())
    confidence, correct = VALUES[cell % 21], (cell < 21).astype(float)
    cells = ItemTables.from_judgments(confidence, correct)
    by_items = bootstrap(
        {
            name: lambda weights, estimator=estimator: estimator(cells.tables(weights))  # type: ignore[misc]
            for name, estimator in ESTIMATORS.items()
        },
        np.zeros(1_000, np.int64),
        resamples=10_000,
    )
    counts = np.bincount(cell, minlength=42)
    resampled_tables = tables(1_000 * rng.dirichlet(np.maximum(counts, 1e-9), 10_000))
    for name, estimator in ESTIMATORS.items():
        p = ks_2samp(by_items[name], estimator(resampled_tables)).pvalue
        assert p > 0.01 / len(ESTIMATORS), name


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
def test_shape_of_reports(items: int) -> None:
    """The used share of the scale, an interquartile range, is discrete."""
    rng = np.random.default_rng(items)
    steep = np.exp(-np.arange(101) / 12)
    shares = {"101 values, steep": steep, "11 values": np.eye(11).sum(0), "3 values": [90, 5, 5]}
    metric = "utilization"
    statistic = partial(metrics.TABLE_FUNCTIONS[metric], low=0, high=100)
    figures = []
    for design, weights in shares.items():
        mass = np.asarray(weights, float)
        share = mass / mass.sum()
        values = np.arange(len(share), dtype=float)
        truth = float(statistic(ValueTables(values, 1e9 * share[None]))[0])
        printed = holding = 0
        for counts in rng.multinomial(items, share, size=RUNS).astype(float):
            value = float(statistic(ValueTables(values, counts[None]))[0])
            resampled_counts = rng.multinomial(items, counts / items, size=RESAMPLES).astype(float)
            draws = statistic(ValueTables(values, resampled_counts))
            rule = METRICS[metric].interval
            (low, high), reason = metrics.interval_of(rule, value, draws, items)
            printed += not reason
            holding += not reason and low - 1e-9 <= truth <= high + 1e-9
        counts = RUNS, printed, holding
        figures.append(Coverage(metric, design, items, truth, *counts, "discrete"))
    assert not lacking(figures)


@pytest.mark.slow
def test_bias_of_ece(record_property: Record) -> None:
    """The mean ECE of a perfectly calibrated observer, which should be 0, goes as 1/sqrt(n)."""
    # A bin's gap is about normal with variance sum m v (1 - v) / n over its values v of share m, so
    # that ECE's mean is about sum sqrt(2 / pi) sd over the bins.
    rng = np.random.default_rng(3)
    mass = np.sum(Observer(0.75, 1.5, 0.5).cells(), axis=0)
    probabilities = np.concatenate([mass * VALUES, mass * (1 - VALUES)])
    for bins in (10, 20):
        place = np.minimum(np.arange(21) * bins // 20, bins - 1)
        spread = np.sqrt(np.bincount(place, mass * VALUES * (1 - VALUES)))
        texts = []
        for items in (50, 100, 200, 500, 1_000):
            counts = rng.multinomial(items, probabilities / probabilities.sum(), size=10_000)
            errors = metrics.TABLE_FUNCTIONS["ece"](tables(counts.astype(float)), bins=bins)
            texts.append(f"{items:,}: {errors.mean():.4f} (sd {errors.std():.4f})")
            expected = np.sqrt(2 / np.pi / items) * spread.sum()
            assert errors.mean() == pytest.approx(expected, rel=0.05 if items < 500 else 0.01)
        record_property(
            "figure",
            f"ECE of a perfectly calibrated observer, {bins} bins, mean of 10,000 at n = "
            f"{', '.join(texts)}",
        )
