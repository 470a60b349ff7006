"""How often intervals of ranks hold all true ranks together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr

from inspect_confidence.directions import direction_of
from inspect_confidence.metrics import (
    METRICS,
    ItemTables,
    bootstrap,
    count_balanced_units,
    ece_interval,
    interval_of,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.calibration import ece_of_tables
from inspect_confidence.metrics.discrimination import auroc_of_tables
from inspect_confidence.metrics.tables import ConfidenceTables
from inspect_confidence.overview.ranks import RankedValue, model_ranks
from inspect_confidence.studies.study import ResampledValue

pytestmark = pytest.mark.slow

VALUES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
STATED = np.array([0.05, 0.1, 0.1, 0.15, 0.25, 0.15, 0.2])
SAMPLES, RESAMPLES = 400, 1_000

TABLE_FUNCTIONS: dict[str, Callable[[ConfidenceTables], FloatArray]] = {
    "accuracy": lambda tables: tables.right.sum(axis=1) / tables.total,
    "overconfidence": lambda tables: (
        (tables.mass @ tables.values - tables.right.sum(axis=1)) / tables.total
    ),
    "ece": ece_of_tables,
    "auroc": auroc_of_tables,
}
"""Functions of count tables, by metric."""

DESIGNS: dict[str, tuple[str, FloatArray, dict[int, int]]] = {
    "auroc, 50 items": ("auroc", VALUES - 0.1, {50: 16}),
    "auroc, 200 items": ("auroc", VALUES - 0.1, {200: 16}),
    "accuracy .9, 200 items": ("accuracy", np.full(7, 0.9), {200: 16}),
    "accuracy .98, 100 items": ("accuracy", np.full(7, 0.98), {100: 16}),
    "overconfidence .1, 200 items": ("overconfidence", VALUES - 0.1, {200: 16}),
    "overconfidence 0, 200 items": ("overconfidence", VALUES, {200: 16}),
    "ece, 8 models on 400 items, 8 on 100": ("ece", VALUES - 0.03, {400: 8, 100: 8}),
    "ece, 200 items": ("ece", VALUES, {200: 16}),
}
"""Metric; share right at each value; models by number of items."""


def rank_simulated(metric: str, items: int, models: FloatArray, seed: int) -> list[RankedValue]:
    """Values of a metric with their resamples, as the ranks of a report have them.

    Args:
        metric: Name of the metric.
        items: Number of items.
        models: Indices of the stated values and outcomes, of shape (models, 2, items).
        seed: Seed of the resamples.
    """
    statistics, values = {}, []
    for number, (stated, is_right) in enumerate(models.astype(int)):
        tables = ItemTables.from_judgments(
            VALUES[stated], is_right.astype(float), np.arange(items), items
        )
        statistics[number] = tables.table_statistic.map(TABLE_FUNCTIONS[metric])
        values.append(float(statistics[number](np.ones((1, items)))[0]))
    draws = bootstrap(statistics, np.zeros(items, np.int64), resamples=RESAMPLES, seed=seed)
    ranked = []
    for number, (stated, is_right) in enumerate(models.astype(int)):
        ends = values[number], values[number]  # only those of ECE and of few items are used
        if metric == "ece":
            ends = ece_interval(VALUES[stated], is_right, np.arange(items))
        balanced_units = np.inf
        if metric == "auroc":
            balanced_units = count_balanced_units(items, is_right.mean())
            rule = METRICS["auroc"].interval
            ends, _ = interval_of(rule, values[number], draws[number], items, balanced_units)
        resampled = ResampledValue(draws[number], items, balanced_units=balanced_units)
        ranked.append(RankedValue(values[number], ends, resampled))
    return ranked


@pytest.mark.parametrize("design", list(DESIGNS))
def test_intervals_of_sixteen_equal_models_hold_all_ranks(
    design: str, record_property: Callable[[str, object], None]
) -> None:
    """All ranks are true ones: no interval may leave one out, in 95% of samples.

    Half of the variance of what is right is the items', which all models share.
    """
    metric, right_share, models_by_items = DESIGNS[design]
    rng = np.random.default_rng(0)
    together = of_first = 0
    for sample in range(SAMPLES):
        models: list[RankedValue] = []
        for items, count in models_by_items.items():
            stated = rng.choice(7, (count, items), p=STATED)
            hard = rng.normal(size=items)
            luck = ndtr(np.sqrt(0.5) * (hard + rng.normal(size=(count, items))))
            answers = np.stack([stated, luck < right_share[stated]], axis=1)
            models += rank_simulated(metric, items, answers, seed=sample)
        ranked = model_ranks(models, metric, direction_of(metric, {}))
        holds = [(rank.low, rank.high) == (1, len(models)) for rank in ranked]
        together += all(holds)
        of_first += holds[np.argmin([rank.rank for rank in ranked])]
    record_property(
        "figure",
        f"ranks of 16 equal models, {design}: all held in {together / SAMPLES:.3f}, "
        f"the first model's in {of_first / SAMPLES:.3f}",
    )
    allowed = 0.95 - 2.58 * np.sqrt(0.95 * 0.05 / SAMPLES)
    assert min(together, of_first) / SAMPLES >= allowed
