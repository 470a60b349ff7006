"""Temperature scaling of probabilities over whole numbers: p^(1/T) with one T."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from inspect_confidence.metrics._arrays import FloatArray
from inspect_confidence.metrics._interval_score import interval_scores
from inspect_confidence.metrics._prediction_set import ranked, set_hulls, tempered

TEMPERATURES: FloatArray = np.unique(np.append(np.geomspace(0.1, 10, 201), 1.0))
"""Where the score-optimal temperature is looked for: sets are discrete, so that the score has
steps, and a grid (2.3% apart, 1 among it) finds what a descent would not."""


NEAREST_TO_ONE: NDArray[np.int64] = np.argsort(np.abs(np.log(TEMPERATURES)), kind="stable")
"""Places on the grid, those nearest to no scaling first: the preference among equally good ones."""


def temperature_scores(
    values: FloatArray, masses: FloatArray, truth: ArrayLike, levels: Sequence[float]
) -> FloatArray:
    """Each item's interval score, averaged over levels, at each temperature of the grid.

    Returns:
        An array of shape (items, temperatures).
    """
    columns = []
    for temperature in TEMPERATURES:
        scaled = tempered(masses, temperature)
        hulls = (set_hulls(values, scaled, level) for level in levels)
        scores = [
            interval_scores(low, high, truth, level)
            for (low, high), level in zip(hulls, levels, strict=True)
        ]
        columns.append(np.mean(scores, axis=0))
    return np.stack(columns, axis=1)


def temperature_score(
    distributions: Sequence[Mapping[int, float]], truth: ArrayLike, levels: Sequence[float]
) -> float:
    """The temperature whose hulls have the least mean interval score over items and levels.

    The study's rule, on a grid from 0.1 to 10; of equally good temperatures the one nearest to 1
    (in ratio). It is biased upwards as an estimate of a distortion, because sets are discrete.

    Args:
        distributions: Probabilities of each item's values.
        truth: True values, one an item; items with a NaN are left out.
        levels: Nominal levels in percent, at least one.

    Returns:
        A temperature > 0; NaN where no item is left.

    Raises:
        ValueError: There is no level.
    """
    if not levels:
        raise ValueError("levels is empty; give percentages such as 90.")
    target = np.atleast_1d(np.asarray(truth, float))
    kept = [one for one, value in zip(distributions, target, strict=True) if not np.isnan(value)]
    if not kept:
        return float("nan")
    values, masses = ranked(kept)
    known = target[~np.isnan(target)]
    means = temperature_scores(values, masses, known, levels).mean(axis=0)
    place = NEAREST_TO_ONE[np.round(means[NEAREST_TO_ONE], 12).argmin()]
    return float(TEMPERATURES[place])


def truth_seen(values: FloatArray, masses: FloatArray, truth: ArrayLike) -> NDArray[np.bool_]:
    """Whether each row's truth is among its values with a probability above 0."""
    right = (values == np.asarray(truth, float)[:, None]) & (masses > 0)
    seen: NDArray[np.bool_] = right.any(axis=1)
    return seen


def negative_log_likelihood(
    values: FloatArray, masses: FloatArray, truth: ArrayLike, temperature: float
) -> FloatArray:
    """-log p_T(truth) of each row, in logarithms throughout; its truth must have been seen."""
    right = (values == np.asarray(truth, float)[:, None]) & (masses > 0)
    with np.errstate(divide="ignore"):
        scaled = np.log(masses) / temperature
    at_truth = np.where(right, scaled, 0).sum(axis=1)
    losses: FloatArray = np.logaddexp.reduce(scaled, axis=1) - at_truth
    return losses


def temperature_nll(distributions: Sequence[Mapping[int, float]], truth: ArrayLike) -> float:
    """The temperature of maximum likelihood: least mean of -log p_T(truth).

    Convex in 1/T. It undoes p^(1/T0) at T = 1/T0. Items whose truth has no probability among the
    values seen are left out: no temperature gives them one.

    Args:
        distributions: Probabilities of each item's values.
        truth: True values, one an item; items with a NaN are left out.

    Returns:
        A temperature between 0.01 and 100; NaN where no item is left, or where the likelihood
        doesn't depend on the temperature.

    Raises:
        ValueError: There are more or fewer truths than distributions.
    """
    if not len(distributions):
        return float("nan")
    target = np.atleast_1d(np.asarray(truth, float))
    if len(target) != len(distributions):
        raise ValueError(f"{len(distributions)} distributions, but {len(target)} truths.")
    values, masses = ranked(distributions)
    seen = truth_seen(values, masses, target)
    if not seen.any():
        return float("nan")

    def loss(log_temperature: float) -> float:
        losses = negative_log_likelihood(
            values[seen], masses[seen], target[seen], math.exp(log_temperature)
        )
        return float(losses.mean())

    low, high = math.log(0.01), math.log(100)
    found = minimize_scalar(loss, bounds=(low, high), method="bounded")
    if max(abs(loss(edge) - found.fun) for edge in (low, high)) < 1e-9:
        return float("nan")
    return float(np.exp(found.x))
