"""Ranks of models by a number, with intervals that hold all true ranks together."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import (
    FloatArray,
    aligned,
    check_open_share,
    double_array,
)
from inspect_confidence.metrics.resample import holm

__all__ = ["rank_intervals", "ranks"]

EQUAL = 1e-12
"""Differences below this are rounding errors."""


def ranks(loss: ArrayLike) -> FloatArray:
    """Return ranks: 1 plus the number of smaller losses; equal ones share the best of their ranks.

    Args:
        loss: Numbers, not NaN, that are smaller for better models; differences below 1e-12 are
            rounding.

    Raises:
        ValueError: A loss is NaN, or there are two dimensions.

    Example:
        >>> ranks([0.2, 0.1, 0.2]).tolist()
        [2.0, 1.0, 2.0]
    """
    losses = _checked_losses(loss)
    better = losses[None, :] < losses[:, None] - EQUAL
    return np.asarray(1 + better.sum(axis=1), float)


def rank_intervals(
    loss: ArrayLike, p: ArrayLike, *, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return best and worst ranks, (models,) each; all of these intervals hold together.

    With probability `level` every model's true rank lies in its interval, whatever the number of
    models. This also holds for the model that happens to be first. If models are equal, each of
    their shared ranks counts as true.

    A model is surely better than another if its loss is smaller and p of their equality, adjusted
    over all pairs by Holm's method, is below 1 - `level`. If v of K models are surely better than a
    model and w surely worse, its ranks go from 1 + v to K - w.

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to
    mobility across neighbourhoods and academic achievement across countries, Review of Economic
    Studies 91; Klein, Wright and Wieczorek (2020), Journal of the Royal Statistical Society A 183.

    Args:
        loss: Number of each model; smaller is better.
        p: Two-sided p that two models are equally good, of shape (models, models) and symmetric;
            NaN for a pair that is not tested, of which neither is surely better. The diagonal is
            not used.
        level: Probability that all intervals hold the true ranks, between 0 and 1.

    Raises:
        ValueError: A loss is NaN, `p` has another shape or `level` is not between 0 and 1.

    Example:
        >>> p = np.array([[1, 0.001, 0.002], [0.001, 1, 0.6], [0.002, 0.6, 1]])
        >>> best, worst = rank_intervals([0.1, 0.3, 0.32], p)
        >>> best.tolist(), worst.tolist()
        ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    check_open_share("level", level)
    losses, adjusted = _checked_losses(loss), double_array(p, "p").copy()
    count = len(losses)
    if adjusted.shape != (count, count):
        raise ValueError(
            f"p has the shape {adjusted.shape}; give a row for each of {count} models."
        )
    pairs = np.triu_indices(count, 1)
    adjusted[pairs] = holm(adjusted[pairs])
    adjusted.T[pairs] = adjusted[pairs]  # the lower triangle is the same
    # Whether the model of the row is surely better than that of the column.
    surely_better = (losses[:, None] < losses[None, :]) & (adjusted < 1 - level)
    best, worst = 1 + surely_better.sum(axis=0), count - surely_better.sum(axis=1)
    return np.asarray(best, float), np.asarray(worst, float)


def _checked_losses(loss: ArrayLike) -> FloatArray:
    """Return the losses as an array; ValueError if one is NaN, or there are two dimensions."""
    (losses,) = aligned(loss=loss)
    if np.isnan(losses).any():
        raise ValueError("loss holds NaN, which has no rank; leave these models out.")
    return losses
