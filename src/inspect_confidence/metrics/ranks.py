"""Ranks of models by a number, with intervals that hold all true ranks together."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from inspect_confidence.metrics.arrays import FloatArray

__all__ = ["rank_intervals", "ranks"]

EQUAL = 1e-12
"""Differences below this are rounding errors."""


def ranks(loss: ArrayLike) -> FloatArray:
    """Return ranks: 1 plus the number of smaller losses; equal ones share the best of their ranks.

    Args:
        loss: Numbers that are smaller for better models; differences below 1e-12 are rounding.

    Example:
        >>> ranks([0.2, 0.1, 0.2]).tolist()
        [2.0, 1.0, 2.0]
    """
    losses = np.asarray(loss, float)
    better = losses[None, :] < losses[:, None] - EQUAL
    return np.asarray(1 + better.sum(axis=1), float)


def rank_intervals(
    values: ArrayLike,
    draws: ArrayLike,
    units: ArrayLike,
    *,
    target: float | None = None,
    level: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """Return the best and the worst rank of each model; all of these intervals hold together.

    With probability `level` every model's true rank lies in its interval, whatever the number of
    models. This also holds for the model that happens to be first. If models are equal, each of
    their shared ranks counts as true.

    A model is surely better than another if the simultaneous interval of the difference of their
    numbers lies entirely on the better side of 0. For the pair of j and k it is
    value_j - value_k -+ t s, where s is the standard deviation of the difference over resamples,
    times sqrt(n/(n - 1)), and t the quantile 1 - (1 - level)/(2 P) of Student's distribution with
    n - 1 degrees of freedom, for P pairs (Bonferroni) and the smaller n. It is lengthened to hold
    the difference less twice what resampling adds to it, since numbers such as the calibration
    error are biased, more so for a smaller n. If v of K models are surely better than a model and w
    surely worse, its ranks go from 1 + v to K - w.

    With a `target`, the better model is nearer to it. |a| < |b| just where a - b and a + b have
    opposite signs: both intervals must leave out 0.

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries, Review of Economic
    Studies 91; Klein, Wright and Wieczorek (2020), Journal of the Royal Statistical Society A 183.

    Args:
        values: Number of each model; smaller is better unless there is a `target`.
        draws: Numbers over resamples, of shape (resamples, models). Models that answered the same
            items should be resampled together, which pairs their differences. Rows with a NaN are
            left out.
        units: Number of resampled units of each model.
        target: The best value; None if smaller is better.
        level: Probability that all intervals hold the true ranks, between 0 and 1.

    Returns:
        Best and worst ranks, each of shape (models,); 1 and K where fewer than two rows of draws
        are left.

    Example:
        >>> values = np.array([0.1, 0.3, 0.32])
        >>> draws = np.random.default_rng(0).normal(values, 0.03, (1_000, 3))
        >>> best, worst = rank_intervals(values, draws, [200] * 3)
        >>> best.tolist(), worst.tolist()
        ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    center = 0.0 if target is None else target
    values, draws = np.asarray(values, float) - center, np.asarray(draws, float) - center
    units, draws = np.asarray(units, float), draws[~np.isnan(draws).any(axis=1)]
    count = len(values)
    surely_better = np.zeros((count, count), bool)
    pairs = count * (count - 1) / 2
    for k in range(count if len(draws) > 1 else 0):
        freedom = np.maximum(np.minimum(units[k], units) - 1, 1)
        reach = -stdtrit(freedom, (1 - level) / 2 / max(pairs, 1)) * np.sqrt(1 + 1 / freedom)
        difference = _surely_signed(values[k] - values, draws[:, [k]] - draws, reach)
        if target is None:
            surely_better[k] = difference < 0
        else:
            total = _surely_signed(values[k] + values, draws[:, [k]] + draws, reach)
            surely_better[k] = difference * total < 0
    best, worst = 1 + surely_better.sum(axis=0), count - surely_better.sum(axis=1)
    return np.asarray(best, float), np.asarray(worst, float)


def _surely_signed(values: FloatArray, draws: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the sign of each number whose interval leaves out 0; 0 for the others.

    Args:
        values: Numbers.
        draws: Their values over resamples, of shape (resamples, numbers).
        reach: Standard deviations from each number to either end of its interval.
    """
    unbiased = values - 2 * (draws.mean(axis=0) - values)
    length = reach * draws.std(axis=0)
    is_negative = np.maximum(values, unbiased) + length < -EQUAL
    is_positive = np.minimum(values, unbiased) - length > EQUAL
    return np.asarray(is_positive.astype(float) - is_negative)
