"""Groups of items against items one by one: the variance of draws, the coverage of intervals."""

from collections.abc import Callable

import numpy as np
import pytest

from inspect_confidence.metrics import (
    ConfidenceTables,
    ItemTables,
    SumStatistic,
    bootstrap,
    interval_of,
    resampled_as,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.calibration import ece_of_tables
from inspect_confidence.metrics.discrimination import auroc_of_tables
from inspect_confidence.metrics.registry import Interval
from inspect_confidence.metrics.tables import accuracy_of_tables

RecordProperty = Callable[[str, object], None]

VALUES = np.linspace(0.5, 1, 11)
RIGHT = 0.2 + 0.4 * VALUES
"""Probability of being right: overconfident by .1 to .4, so that no gap is hidden by errors."""

NAMES = ("ECE", "AUROC", "accuracy")


def numbers(tables: ConfidenceTables) -> FloatArray:
    """The three numbers of each table."""
    return np.column_stack(
        [ece_of_tables(tables), auroc_of_tables(tables), accuracy_of_tables(tables)]
    )


def sample(items: int, seed: int) -> SumStatistic[FloatArray]:
    """The numbers of judgments of so many items."""
    rng = np.random.default_rng(seed)
    level = rng.integers(len(VALUES), size=items)
    return ItemTables.from_judgments(
        VALUES[level], (rng.random(items) < RIGHT[level]) * 1.0
    ).table_statistic.map(numbers)


def draws(
    sums: SumStatistic[FloatArray], items: int, resamples: int, seed: int, method: str
) -> FloatArray:
    """The numbers over resamples, drawn in groups, as patterns or one by one."""
    strata, greatest = np.zeros(items, np.int64), items if method == "one by one" else 0
    resampled = resampled_as(
        [sums], strata, seed, patterns=method == "patterns", max_units=greatest
    )
    return bootstrap({"x": sums}, strata, resamples=resamples, seed=seed, sampling=resampled)["x"]


@pytest.mark.slow
@pytest.mark.parametrize("items", [5_000, 20_000])
def test_variances_are_those_of_items(items: int, record_property: RecordProperty) -> None:
    """Over 60 samples, each with its own groups, within 3%: 3.5 standard errors."""
    variances = []
    for seed in range(60):
        sums = sample(items, seed)
        draws_by_method = [
            draws(sums, items, 2_000, seed, method)
            for method in ("groups", "patterns", "one by one")
        ]
        variances.append([method_draws.var(axis=0) for method_draws in draws_by_method])
    groups, patterns, items_ = np.mean(variances, axis=0)
    for method, variance in (("groups", groups), ("patterns", patterns)):
        ratio = variance / items_
        ratios_text = ", ".join(f"{name} {x:.3f}" for name, x in zip(NAMES, ratio, strict=True))
        record_property(
            "figure", f"variance of {method}, {items:,} items, to one by one: {ratios_text}"
        )
        np.testing.assert_allclose(ratio, 1, atol=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("items", [5_000, 20_000])
def test_intervals_hold_the_truth(items: int, record_property: RecordProperty) -> None:
    """Percentile intervals of 1,000 samples, by groups and by patterns."""
    (truth,) = numbers(ConfidenceTables(VALUES, RIGHT[None], 1 - RIGHT[None]))
    for method in ("groups", "patterns"):
        holding = np.zeros(3)
        for seed in range(1_000):
            sums = sample(items, seed)
            method_draws, value = (
                draws(sums, items, 500, seed, method),
                sums(np.ones((1, items)))[0],
            )
            for k in range(3):
                (low, high), _ = interval_of(
                    Interval("bootstrap"), value[k], method_draws[:, k], items
                )
                holding[k] += low <= truth[k] <= high
        shares_text = ", ".join(
            f"{name} {x / 1_000:.3f}" for name, x in zip(NAMES, holding, strict=True)
        )
        record_property(
            "figure", f"95% intervals by {method}, {items:,} items, hold it: {shares_text}"
        )
        assert ((holding >= 930) & (holding <= 970)).all()
