"""How often intervals of ranks hold all true ranks together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr

from inspect_confidence.metrics import rank_intervals
from inspect_confidence.metrics.arrays import FloatArray

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
    """Share of pairs in which the right answer has more confidence, ties half; negated."""
    wrong_below = np.cumsum(wrong, -1) - wrong / 2
    with np.errstate(invalid="ignore"):
        return np.asarray(
            -(right * wrong_below).sum(-1) / (right.sum(-1) * wrong.sum(-1)), dtype=float
        )


DESIGNS: dict[str, tuple[RankStatistic, float | None, FloatArray, dict[int, int]]] = {
    "auroc, 50 items": (auroc, None, VALUES - 0.1, {50: 16}),
    "auroc, 200 items": (auroc, None, VALUES - 0.1, {200: 16}),
    "accuracy .9, 200 items": (accuracy, None, np.full(7, -0.9), {200: 16}),
    "accuracy .98, 100 items": (accuracy, None, np.full(7, -0.98), {100: 16}),
    "overconfidence .1, 200 items": (overconfidence, 0, VALUES - 0.1, {200: 16}),
    "overconfidence 0, 200 items": (overconfidence, 0, VALUES, {200: 16}),
    "ece, 8 models on 400 items, 8 on 100": (ece, None, VALUES - 0.03, {400: 8, 100: 8}),
    "ece, 200 items": (ece, None, VALUES, {200: 16}),
}
"""Statistic, its target, share right at each value, and number of models by number of items."""


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
    statistic, target, right_share, models_by_items = DESIGNS[design]
    rng = np.random.default_rng(0)
    share = np.abs(right_share)
    together = of_first = 0
    for _ in range(SAMPLES):
        values, draws, units = [], [], []
        for items, models in models_by_items.items():
            stated = rng.choice(7, (models, items), p=STATED)
            hard = rng.normal(size=items)
            luck = ndtr(np.sqrt(0.5) * (hard + rng.normal(size=(models, items))))
            cells = stated + 7 * (luck < share[stated])
            weights = rng.multinomial(items, np.full(items, 1 / items), RESAMPLES).astype(float)
            values.append(statistic(*masses(cells, np.ones((1, items))))[:, 0])
            draws.append(statistic(*masses(cells, weights)).T)
            units += [items] * models
        value = np.concatenate(values)
        best, worst = rank_intervals(value, np.hstack(draws), units, target=target)
        holds = (best == 1) & (worst == len(value))
        together += holds.all()
        of_first += holds[np.argmin(value if target is None else np.abs(value - target))]
    record_property(
        "figure",
        f"ranks of 16 equal models, {design}: all held in {together / SAMPLES:.3f}, "
        f"the first model's in {of_first / SAMPLES:.3f}",
    )
    allowed = 0.95 - 2.58 * np.sqrt(0.95 * 0.05 / SAMPLES)
    assert min(together, of_first) / SAMPLES >= allowed
