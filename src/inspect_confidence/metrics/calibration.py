"""Expected calibration error, by how confidences are put into bins."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.answers import REPLY_STATUSES, STATUSES
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.confidence_tables import (
    ConfidenceTables,
    accuracy_of,
    divided,
    one_table,
)


def format_failure_rate(statuses: Iterable[str]) -> float:
    """Share of replies that hold no readable answer.

    Counted as failures: `invalid_response_format, refusal, no_response, truncated, out_of_range,
    echo, ambiguous`. Judgments with a status of the run or of the instrument (`sample_error`,
    `content_filter`, `grader_failed`, ...) have no reply to judge and are left out.

    Args:
        statuses: The status of each judgment.

    Returns:
        A share in [0, 1]; NaN if there is no reply.

    Raises:
        ValueError: A status is none of those in docs/judgments.md.

    Example:
        >>> format_failure_rate(["ok", "refusal", "ok", "truncated", "sample_error"])
        0.5
    """
    statuses = list(statuses)
    if unknown := set(statuses) - STATUSES:
        raise ValueError(f"Unknown status {min(unknown)!r}; known: {', '.join(sorted(STATUSES))}.")
    replies = [status for status in statuses if status == "ok" or status in REPLY_STATUSES]
    failures = sum(status != "ok" for status in replies)
    return failures / len(replies) if replies else float("nan")


class BrierParts(NamedTuple):
    """Brier score = reliability - resolution + uncertainty.

    Attributes:
        reliability: Mean squared distance of confidence from the accuracy at that confidence.
        resolution: Mean squared distance of the accuracy at each confidence from the accuracy.
        uncertainty: accuracy (1 - accuracy).
    """

    reliability: float
    resolution: float
    uncertainty: float


def brier(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier score: mean of p (1 - confidence)^2 + (1 - p) confidence^2, p the outcome.

    For outcomes of 0 and 1 that is the mean squared difference of confidence and outcome.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability p of being right, by expectation.

    Returns:
        In [0, 1]. Judgments with a NaN are left out; NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Source: Brier (1950).

    Example:
        >>> brier([1.0, 0.5], correct=[1, 0])
        0.125
    """
    return float(brier_of(one_table(confidence, correct))[0])


def brier_parts(confidence: ArrayLike, correct: ArrayLike) -> BrierParts:
    """Murphy's decomposition of the Brier score, exact: by distinct confidence, without bins.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability of being right.

    Returns:
        Reliability, resolution and uncertainty. Judgments with a NaN are left out; NaN if none is
        left. Where most confidences are distinct, resolution and reliability are both inflated.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Source: Murphy (1973).

    Example:
        >>> brier_parts([1.0, 1.0, 0.5, 0.5], correct=[1, 1, 1, 0])
        BrierParts(reliability=0.0, resolution=0.0625, uncertainty=0.1875)
    """
    table = one_table(confidence, correct)
    return BrierParts(
        float(reliability_of(table)[0]),
        float(resolution_of(table)[0]),
        float(uncertainty_of(table)[0]),
    )


def brier_of(tables: ConfidenceTables) -> FloatArray:
    """`brier` of each table."""
    loss = tables.right @ (1 - tables.values) ** 2 + tables.wrong @ tables.values**2
    return divided(loss, tables.mass.sum(axis=1))


def reliability_of(tables: ConfidenceTables) -> FloatArray:
    """The reliability of each table."""
    return _mean_square(tables, tables.values)


def resolution_of(tables: ConfidenceTables) -> FloatArray:
    """The resolution of each table."""
    return _mean_square(tables, accuracy_of(tables)[:, None])


def uncertainty_of(tables: ConfidenceTables) -> FloatArray:
    """The uncertainty of each table."""
    share = accuracy_of(tables)
    return share * (1 - share)


def _mean_square(tables: ConfidenceTables, centre: FloatArray) -> FloatArray:
    """Mean squared distance of the accuracy at each value from a centre."""
    mass = tables.mass
    at_value = np.where(mass > 0, tables.right / np.where(mass > 0, mass, 1), 0)
    square = np.where(mass > 0, mass * (at_value - centre) ** 2, 0)
    return divided(square.sum(axis=1), mass.sum(axis=1))


Binning = Literal["equal_width", "equal_mass", "own_top", "right_closed"]

_EDGE = 1e-9
"""A confidence this near to an edge lies on it: 0.29 * 100 is 28.999999999999996."""


def ece(
    confidence: ArrayLike,
    correct: ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "equal_width",
) -> float:
    """Expected calibration error: sum over bins of (n_b / n) |mean confidence_b - accuracy_b|.

    `equal_width` bins are [k/m, (k+1)/m), the last one closed. `own_top` has these, all half-open,
    and one bin more for a confidence of exactly 1 (LifeEval's form is 10 + 1). `equal_mass` bins
    hold equal numbers of judgments as far as ties allow: equal confidences go where the middle of
    their ranks falls, so that 10 bins asked for may become 5 (`bin_count` says how many).
    `right_closed` bins are (k/m, (k+1)/m], so that a confidence of 0 lies in none: it adds nothing
    to the sum and counts in n. That reproduces published numbers; it hides what 0 gets wrong.

    Biased upwards at few judgments a bin, as the absolute value of a noisy difference is.

    Args:
        confidence: In [0, 1], one a judgment; one within 1e-9 of an edge lies on the edge, so that
            whole numbers on any scale fall where exact arithmetic puts them.
        correct: 1 right, 0 wrong, or the probability of being right.
        bins: m, at least 1.
        binning: As above.

    Returns:
        In [0, 1]. Judgments with a NaN are left out; NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], lengths differ, `bins` is below 1 or `binning` is
            not known.

    Source: Naeini, Cooper and Hauskrecht (2015); Guo et al. (2017), whose bins are (k/m, (k+1)/m].

    Example:
        >>> round(ece([0.95, 0.95, 0.65, 0.65], correct=[1, 0, 1, 1]), 12)
        0.4
    """
    return float(ece_of(one_table(confidence, correct), bins=bins, binning=binning)[0])


def bin_count(confidence: ArrayLike, *, bins: int = 10, binning: Binning = "equal_width") -> int:
    """How many bins of `ece` hold a judgment.

    Args:
        confidence: In [0, 1], one a judgment; NaN is left out.
        bins: As asked for.
        binning: As in `ece`.

    Example:
        >>> bin_count([0.9, 0.9, 0.9, 1.0], binning="equal_mass")
        2
    """
    stated = np.asarray(confidence, float)
    place = _places(one_table(stated, np.zeros_like(stated)), bins, binning)
    return len(np.unique(place[place >= 0]))


def ece_of(
    tables: ConfidenceTables, *, bins: int = 10, binning: Binning = "equal_width"
) -> FloatArray:
    """`ece` of each table; bins of equal mass are found anew in each."""
    place = _places(tables, bins, binning)
    gap = tables.mass * tables.values - tables.right
    if place.ndim == 1:
        used, first = np.unique(place, return_index=True)  # both ascend, as the values do
        within = np.add.reduceat(gap, first, axis=1)[:, used >= 0]
    else:
        cell = place + (bins + 1) * np.arange(len(gap))[:, None]
        size = len(gap) * (bins + 1)
        within = np.bincount(cell.T.ravel(), gap.T.ravel(), size).reshape(len(gap), bins + 1)
    return divided(np.abs(within).sum(axis=1), tables.total)


def _places(tables: ConfidenceTables, bins: int, binning: Binning) -> NDArray[np.int64]:
    """The bin of each value, of shape (K,), or (resamples, K) where it depends on the masses."""
    if bins < 1:
        raise ValueError(f"bins={bins} is below 1.")
    if binning not in get_args(Binning):
        raise ValueError(f"binning={binning!r} is not one of {', '.join(get_args(Binning))}.")
    if binning == "equal_mass":
        mass = tables.mass
        middle = np.cumsum(mass, axis=1) - mass / 2
        share = middle / np.maximum(tables.total[:, None], 1e-300)
        last = bins - 1
    elif binning == "right_closed":
        return np.ceil(tables.values * bins - _EDGE).astype(np.int64) - 1
    else:
        share = tables.values
        last = bins if binning == "own_top" else bins - 1
    places: NDArray[np.int64] = np.minimum(np.floor(share * bins + _EDGE), last).astype(np.int64)
    return places
