"""How often intervals of ranks hold all true ranks together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr

from inspect_confidence.directions import direction_of
from inspect_confidence.metrics import ece_interval
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.overview.ranks import RankedValue, model_ranks
from inspect_confidence.studies.study import ResampledValue

pytestmark = pytest.mark.slow

VALUES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
STATED = np.array([0.05, 0.1, 0.1, 0.15, 0.25, 0.15, 0.2])
SAMPLES, RESAMPLES = 400, 1_000

RankStatistic = Callable[[FloatArray, FloatArray], FloatArray]
"""Masses of wrong and of right answers at each value, of shape (..., 7), to a number."""


def accuracy(wrong: FloatArray, right: FloatArray) -> FloatArray:
    """Share of right answers."""
    return np.asarray(right.sum(-1) / (wrong + right).sum(-1))


def overconfidence(wrong: FloatArray, right: FloatArray) -> FloatArray:
    """Mean confidence less accuracy."""
    total = wrong + right
    return np.asarray(total @ VALUES / total.sum(-1) - accuracy(wrong, right))


def ece(wrong: FloatArray, right: FloatArray) -> FloatArray:
    """In ten bins of equal width, of which the last holds .9, .95 and 1."""
    gaps = right - (wrong + right) * VALUES
    binned = np.abs(gaps[..., :4]).sum(-1) + np.abs(gaps[..., 4:].sum(-1))
    return np.asarray(binned / (wrong + right).sum(-1))


def auroc(wrong: FloatArray, right: FloatArray) -> FloatArray:
    """Share of pairs in which the right answer has more confidence, ties half."""
    wrong_below = np.cumsum(wrong, -1) - wrong / 2
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (right * wrong_below).sum(-1) / (right.sum(-1) * wrong.sum(-1)), dtype=float
        )


DESIGNS: dict[str, tuple[RankStatistic, FloatArray, dict[int, int]]] = {
    "auroc, 50 items": (auroc, VALUES - 0.1, {50: 16}),
    "auroc, 200 items": (auroc, VALUES - 0.1, {200: 16}),
    "accuracy .9, 200 items": (accuracy, np.full(7, 0.9), {200: 16}),
    "accuracy .98, 100 items": (accuracy, np.full(7, 0.98), {100: 16}),
    "overconfidence .1, 200 items": (overconfidence, VALUES - 0.1, {200: 16}),
    "overconfidence 0, 200 items": (overconfidence, VALUES, {200: 16}),
    "ece, 8 models on 400 items, 8 on 100": (ece, VALUES - 0.03, {400: 8, 100: 8}),
    "ece, 200 items": (ece, VALUES, {200: 16}),
}
"""Statistic, named as its metric; share right at each value; models by number of items."""


def masses(cells: FloatArray, weights: FloatArray) -> list[FloatArray]:
    """Masses of wrong and right answers, each of shape (models, resamples, 7)."""
    sides = []
    for first in (0, 7):
        indicators = cells[..., None] == np.arange(first, first + 7)
        sides.append(np.array([weights @ model.astype(float) for model in indicators]))
    return sides


@pytest.mark.parametrize("design", list(DESIGNS))
def test_intervals_of_sixteen_equal_models_hold_all_ranks(
    design: str, record_property: Callable[[str, object], None]
) -> None:
    """All ranks are true ones: no interval may leave one out, in 95% of samples.

    Half of the variance of what is right is the items', which all models share.
    """
    statistic, right_share, models_by_items = DESIGNS[design]
    metric = statistic.__name__
    rng = np.random.default_rng(0)
    together = of_first = 0
    for _ in range(SAMPLES):
        models = []
        for items, count in models_by_items.items():
            stated = rng.choice(7, (count, items), p=STATED)
            hard = rng.normal(size=items)
            luck = ndtr(np.sqrt(0.5) * (hard + rng.normal(size=(count, items))))
            is_right = luck < right_share[stated]
            cells = stated + 7 * is_right
            # The weights of the Bayesian bootstrap.
            weights = items * rng.dirichlet(np.ones(items), RESAMPLES)
            values = statistic(*masses(cells, np.ones((1, items))))[:, 0]
            draws = statistic(*masses(cells, weights))
            for model in range(count):
                ends = values[model], values[model]  # read for ECE alone
                if metric == "ece":
                    ends = ece_interval(VALUES[stated[model]], is_right[model], np.arange(items))
                resampled = ResampledValue(draws[model], items)
                models.append(RankedValue(values[model], ends, resampled))
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
