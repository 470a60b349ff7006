"""How often intervals of decisions hold the true value, of items alone and of clusters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
import pytest

from build import numbered
from inspect_confidence import metrics
from inspect_confidence.metrics import Clusters, rate_difference_interval
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition, Key
from inspect_confidence.studies import estimate, study_of
from inspect_confidence.studies.decisions import numbers
from inspect_confidence.studies.study import Resampling
from validation.coverage import RUNS, Coverage, lacking

RESAMPLING = Resampling(resamples=300)
FEW = "few right or few wrong answers, or draws of an item on both sides of the difference"


def clustered(
    rng: np.random.Generator, shares: tuple[float, ...], units: int, size: int, repeated: float
) -> tuple[IntArray, IntArray]:
    """Kinds drawn with these shares, and their clusters; some are that of their cluster."""
    own = rng.choice(len(shares), (units, size), p=shares)
    of_cluster = rng.choice(len(shares), (units, 1), p=shares)
    kinds = np.where(rng.random((units, size)) < repeated, of_cluster, own)
    return kinds.ravel(), np.repeat(np.arange(units), size)


def printed_interval(
    metric: str, values: FloatArray, unit: IntArray, ends: tuple[float, float], *, is_cluster: bool
) -> tuple[float, float]:
    """The interval that the study prints for a mean."""
    units = int(unit.max()) + 1
    number = estimate.Estimate(Condition(), metric, len(values), unit_count=units)
    statistic = metrics.mean_of(values, unit, units, ends)
    clusters = (
        Clusters("clusters", estimate.MIN_CLUSTERS, are_declared=True) if is_cluster else None
    )
    resampled = estimate.resample(
        [estimate.Statistics([number], statistic)], units, RESAMPLING, clusters=clusters
    )
    (row,) = estimate.results_of(resampled, Key("abstain", "m", ""))
    return row.ci_low, row.ci_high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("units", "size", "repeated", "target"),
    [(40, 4, 0.4, 0.75), *product((30, 100, 300), [1], [0.0], (0.5, 0.75, 0.9)), (20, 5, 0.4, 0.5)],
)
def test_intervals_of_payoffs_cover(units: int, size: int, repeated: float, target: float) -> None:
    """60% right, 15% wrong and 25% declined; the first case is of clusters."""
    shares = 0.6, 0.15, 0.25
    points = np.array([1.0, -target / (1 - target), 0.0])
    truth, rng = float(points @ shares), np.random.default_rng([units, size, int(100 * target)])
    held = printed = 0
    for _ in range(RUNS):
        kinds, unit = clustered(rng, shares, units, size, repeated)
        ends = (points[1], 1.0)
        low, high = printed_interval("payoff", points[kinds], unit, ends, is_cluster=size > 1)
        held, printed = held + (low <= truth <= high), printed + np.isfinite(low)
    design = f"target {target:g}, {size} items a cluster, {repeated:g} alike"
    wide = "half a pseudo-cluster at either end weighs much beside so few" if units < 30 else ""
    assert not lacking([Coverage("payoff", design, units, truth, RUNS, int(printed), held, wide)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "draws", "accuracy", "repeated"),
    [(60, 3, 0.85, 0.5), *product((60, 100, 300), [1], (0.6, 0.87, 0.95), [0.0])],
)
def test_intervals_of_withdraw_deltas_cover(
    items: int, draws: int, accuracy: float, repeated: float
) -> None:
    """90% of right and 60% of wrong answers are kept; the first case has several draws an item."""
    shares = (0.9 * accuracy, 0.1 * accuracy, 0.6 * (1 - accuracy), 0.4 * (1 - accuracy))
    truth, rng = 30.0, np.random.default_rng([items, draws, int(100 * accuracy)])
    simulations = 5 * RUNS if draws == 1 else RUNS
    held = printed = undefined = 0
    for _ in range(simulations):
        kinds, unit = clustered(rng, shares, items, draws, repeated)
        correct, keep = (kinds < 2).astype(float), np.isin(kinds, (0, 2)).astype(float)
        low, high = rate_difference_interval(correct, keep, unit)
        undefined += int(correct.all() or not correct.any())
        held, printed = held + (low <= truth <= high), printed + np.isfinite(low)
    design = f"accuracy {accuracy:g}, {draws} draws an item, {repeated:g} alike"
    figure = Coverage(
        *("withdraw_delta", design, items, truth, simulations, int(printed), held, FEW),
        undefined=int(undefined),
    )
    assert not lacking([figure])


def pushed(rng: np.random.Generator, items: int, draws: int) -> Iterator[pd.DataFrame]:
    """Commitments of two models: items differ in how right, and how movable, answers are."""
    ease, hold = rng.beta(6, 2, (items, 1)), rng.beta(1, 2, (items, 1))
    for lead in (0.0, 0.1):
        right = rng.random((items, draws)) < ease
        keep = rng.random((items, draws)) < np.where(right, 0.85, 0.5 - lead)
        moved = rng.random((items, draws)) < np.clip(hold - lead * hold, 0, 1)
        before = rng.choice([0.5, 0.7, 0.9, 1.0], (items, draws))
        frame = pd.DataFrame(
            {
                "task": "commitment",
                "item": np.repeat(numbered("q", items), draws),
                "epoch": np.tile(np.arange(draws), items).astype(float),
                "draw": 0.0,
                "cluster": "",
                "status": "ok",
                "target": "A",
                "correct": right.ravel().astype(float),
                "keep": keep.ravel().astype(float),
                "moved": moved.ravel().astype(float),
                "confidence_before": before.ravel(),
                "confidence_after": (before - 0.3 * moved).ravel(),
                "pushback": "disagree",
            }
        )
        frame[["bet", "correct_after"]] = np.nan
        statuses = ("keep", "bet", "after", "confidence_before", "confidence_after")
        frame[[f"{name}_status" for name in statuses]] = ""
        yield frame


@pytest.mark.slow
@pytest.mark.parametrize(("items", "draws"), [(44, 5), (100, 1), (300, 2)])
def test_intervals_under_pushback_and_of_differences_cover(items: int, draws: int) -> None:
    """Capitulation, change of confidence and two models' paired differences, at several draws."""
    names = ("capitulation", "confidence_change", "withdraw_delta")
    whole = [values_of(side, names) for side in pushed(np.random.default_rng(0), 20_000, draws)]
    truths = {name: whole[0][name][0] for name in names}
    truths |= {f"difference: {name}": whole[0][name][0] - whole[1][name][0] for name in names}
    held, printed = dict.fromkeys(truths, 0), dict.fromkeys(truths, 0)
    rng, runs = np.random.default_rng([items, draws]), min(RUNS, 80) if draws == 5 else RUNS
    for _ in range(runs):
        first, second = pushed(rng, items, draws)
        intervals = {name: values_of(first, names)[name][1:] for name in names}
        for row in study_of("commitment").compare(first, second, RESAMPLING):
            intervals[f"difference: {row.metric}"] = (row.ci_low, row.ci_high)
        for name, truth in truths.items():
            low, high = intervals[name]
            held[name] += low <= truth <= high
            printed[name] += bool(np.isfinite(low))
    design = f"{draws} draws an item, under pushback"
    figures = []
    for name, truth in truths.items():
        wide = FEW if "delta" in name else ""
        figures.append(
            Coverage(name, design, items, truth, runs, printed[name], int(held[name]), wide)
        )
    assert not lacking(figures)


def values_of(rows: pd.DataFrame, names: tuple[str, ...]) -> dict[str, tuple[float, float, float]]:
    """The values and intervals that the study prints for these metrics."""
    units = pd.Index(rows["item"].unique())
    statistics = [
        part
        for part in numbers.commitment_statistics(rows, units, Condition())
        if part.estimates[0].metric in names
    ]
    settings = RESAMPLING if len(units) < 10_000 else Resampling(resamples=1)
    resampled = estimate.resample(statistics, len(units), settings)
    results = estimate.results_of(resampled, Key("commitment", "m", ""))
    return {row.metric: (row.value, row.ci_low, row.ci_high) for row in results}
