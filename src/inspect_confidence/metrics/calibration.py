"""Distance of confidence from accuracy: expected calibration error and Brier score."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    IntArray,
    check_bins,
    check_choice,
    distinct,
    divided,
)
from inspect_confidence.metrics.confidence_tables import (
    ConfidenceTables,
    ItemTables,
    accuracy_of_tables,
    confidence_table,
    table_of_confidence,
)
from inspect_confidence.metrics.inference import widened
from inspect_confidence.metrics.registry import DEBIASED, GROUPED, UNREAD, Interval, metric
from inspect_confidence.metrics.resample import clustered_wilson_interval

__all__ = [
    "BrierParts",
    "bin_count",
    "brier",
    "brier_parts",
    "brier_reliability",
    "brier_resolution",
    "brier_uncertainty",
    "brier_uncertainty_interval",
    "ece",
    "ece_interval",
]

Binning = Literal["equal_width", "equal_mass", "own_top", "right_closed"]


def ece_of_tables(
    tables: ConfidenceTables, *, bins: int = 10, binning: Binning = "equal_width"
) -> FloatArray:
    """Compute `ece` of each table."""
    (gaps,) = in_bins(tables, bins, binning, tables.mass * tables.values - tables.right)
    return divided(np.abs(gaps).sum(axis=1), tables.total)


@metric(
    definition="Expected calibration error: mean over bins, by their judgments, of |mean "
    "confidence - accuracy|; the bins are in the condition or the note, else 10 of equal width.",
    direction="lower",
    undefined=UNREAD,
    source="Naeini, Cooper and Hauskrecht (2015)",
    interval=Interval(
        "own",
        "The errors that would give the observed one in 95% of samples (`ece_interval`).",
        min_units=20,
        min_rarest=5,
    ),
    of_tables=ece_of_tables,
)
def ece(
    confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10, binning: Binning = "equal_width"
) -> float:
    """Expected calibration error: sum over bins of (n_b / n) |mean confidence_b - accuracy_b|.

    `equal_width` bins are [k/m, (k+1)/m), the last one closed. `own_top` has these, all half-open,
    and one bin more for a confidence of exactly 1 (LifeEval's form is 10 + 1). `equal_mass` bins
    hold equal numbers of judgments as far as ties allow, found anew in each table: equal
    confidences go where the middle of their ranks falls, so that 10 bins asked for may become 5
    (`bin_count` says how many). `right_closed` bins are (k/m, (k+1)/m], as in Guo et al. (2017), so
    that a confidence of 0 lies in none: it adds nothing to the sum and counts in n. That reproduces
    published numbers; it hides what 0 gets wrong. A confidence within 1e-9 of an edge lies on it.

    Biased upwards at few judgments a bin, as the absolute value of a noisy difference is.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        bins: m, at least 1.
        binning: As above.

    Raises:
        ValueError: `bins` is below 1 or `binning` is not known.

    Example:
        >>> round(ece([0.95, 0.95, 0.65, 0.65], correct=[1, 0, 1, 1]), 12)
        0.4
    """
    return float(
        ece_of_tables(confidence_table(confidence, correct), bins=bins, binning=binning)[0]
    )


def in_bins(
    tables: ConfidenceTables, bins: int, binning: Binning, *columns: FloatArray
) -> list[FloatArray]:
    """Sum columns of shape (resamples, K) over the values in each bin."""
    bin_of_value = places(tables, bins, binning)
    if bin_of_value.ndim == 1:
        bin_numbers, starts = np.unique(
            bin_of_value, return_index=True
        )  # both ascend, as the values do
        return [np.add.reduceat(column, starts, axis=1)[:, bin_numbers >= 0] for column in columns]
    cell = (bin_of_value + (bins + 1) * np.arange(len(bin_of_value))[:, None]).T.ravel()
    shape = len(bin_of_value), bins + 1
    sums = (np.bincount(cell, column.T.ravel(), shape[0] * shape[1]) for column in columns)
    return [np.asarray(column, float).reshape(shape) for column in sums]


DRAWS = 2_000
"""Draws of the errors of gaps."""


def ece_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    bins: int = 10,
    binning: Binning = "equal_width",
) -> tuple[float, float]:
    """95% interval of `ece`: the true errors that would give the observed one in 95% of samples.

    Each resample adds to ECE what the sample already has too much, so that no percentiles of
    resamples hold the 0 of a calibrated model. Here the sample's ECE is taken for
    sum_b |g_b + e_b|, with true gaps g_b = (n_b / n) (mean confidence_b - accuracy_b) and normal
    errors e_b, whose covariance is that of the gaps over units. The upper end is the sum of gaps of
    one and the same number of standard errors that give no more than the observed ECE in alpha/2
    of 2,000 draws; spread so, gaps hide best behind their errors. An observed ECE below the median
    of what no gaps at all give is taken for that median. The lower end is the sum of gaps in
    proportion to max(|observed gap| - 2 standard errors, 0), or in the bin of most standard
    errors alone, that give no less in alpha/2; 0 where no gaps at all do. Tails are widened as in
    `resampled_interval`. An end beyond the sample's ECE is moved there.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        unit: The number of each judgment's item; each is an item of its own if None.
        bins: As in `ece`; those of equal mass are the sample's.
        binning: As in `ece`.

    Returns:
        Both ends; NaN where items don't differ, or there are fewer than two.

    Example:
        >>> low, high = ece_interval([0.75] * 40, [1, 1, 1, 0] * 10)
        >>> low, round(high, 1)
        (0.0, 0.2)
    """
    items = ItemTables.from_judgments(
        confidence, correct, unit, None if unit is None else len(np.bincount(unit))
    )
    place = places(items.total_table(), bins, binning).ravel()
    return gaps_interval(items, place == np.unique(place[place >= 0])[:, None], _sum)


Norm = Callable[[FloatArray, FloatArray], FloatArray]
"""Gaps of shape (bins, draws) and each bin's share of the judgments -> their size, (draws,)."""


def _sum(gaps: FloatArray, _: FloatArray) -> FloatArray:
    return np.asarray(np.abs(gaps).sum(axis=0))


def root_mean_square(gaps: FloatArray, share: FloatArray) -> FloatArray:
    """Return the root mean square of the gap per judgment of each bin."""
    return np.asarray(np.sqrt((gaps**2 / share[:, None]).sum(axis=0)))


class GapEnds(NamedTuple):
    """Calibration gaps of bins, each times its share, and those at the ends of an interval."""

    gaps: FloatArray
    low: FloatArray
    high: FloatArray
    share: FloatArray


def gaps_interval(items: ItemTables, inside: ArrayLike, norm: Norm) -> tuple[float, float]:
    """Return the 95% interval of the size of calibration gaps, as `ece_interval` of their sum.

    Args:
        items: Judgments by item.
        inside: The share of the mass of each value in each bin, of shape (bins, K).
        norm: The size of gaps.

    Returns:
        Both ends; NaN where items don't differ, or there are fewer than two.
    """
    ends = gap_ends(items, inside, norm)
    if ends is None:
        return float("nan"), float("nan")
    *three, share = ends
    value, low, high = norm(np.column_stack(three), share)
    return float(min(low, value)), float(max(high, value))


def gap_ends(
    items: ItemTables,
    inside: ArrayLike,
    norm: Norm,
    signs: Callable[[FloatArray], FloatArray] = np.sign,
) -> GapEnds | None:
    """Return the gaps whose sizes `gaps_interval` gives; None if items don't differ.

    `signs` maps the sample's gaps to the directions of the gaps at the upper end.
    """
    shares = np.asarray(inside, float)
    unit_mass = np.asarray(items.masses.sum(axis=0)).ravel()
    cell_gaps = np.hstack([shares * (items.values - 1), shares * items.values])
    total = max(unit_mass.sum(), 1e-300)
    unit_gaps = np.asarray(cell_gaps @ items.masses) / total
    share = np.asarray(np.hstack([shares, shares]) @ items.masses).sum(axis=1) / total
    gaps = unit_gaps.sum(axis=1)
    deviations = unit_gaps - np.outer(gaps, unit_mass / total)
    covariance = deviations @ deviations.T
    errors = np.sqrt(np.diag(covariance))
    if not (errors > EDGE).any():
        return None
    # By the symmetric root, which is the only one: signs of eigenvectors depend on rounding.
    variances, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(variances, 0)) @ vectors.T
    noise = root @ np.random.default_rng(0).standard_normal((len(gaps), DRAWS))

    def size(values: FloatArray) -> FloatArray:
        return norm(values, share)

    value = float(size(gaps[:, None])[0])
    reached = max(value, float(np.median(size(noise))))
    standard_scores = np.abs(gaps) / np.maximum(errors, EDGE)
    excess = np.maximum(np.abs(gaps) - 2 * errors, 0)
    low_direction = excess if excess.any() else (standard_scores == standard_scores.max()) * 1.0
    tail = float(ndtr(widened(int((unit_mass > 0).sum()))))
    low = _gaps_beyond(
        np.where(gaps < 0, -low_direction, low_direction), noise, value, tail, 1, size
    )
    high = _gaps_beyond(np.where(signs(gaps) < 0, -errors, errors), noise, reached, tail, -1, size)
    return GapEnds(gaps, low, high, share)


def _gaps_beyond(
    direction: FloatArray,
    errors: FloatArray,
    value: float,
    tail: float,
    side: int,
    size: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Return gaps in this direction whose size with errors is beyond the value in this tail."""
    direction = direction[:, None] / size(direction[:, None])

    def is_beyond(length: float) -> bool:
        sizes = size(length * direction + errors)
        often = (side * (sizes - value) >= -EDGE).mean() >= tail
        return bool(often) == (side > 0)

    if is_beyond(0):
        return np.zeros(len(direction))
    low, high = 0.0, value + EDGE
    while not is_beyond(high):
        low, high = high, 2 * high
    for _ in range(15):
        middle = (low + high) / 2
        low, high = (low, middle) if is_beyond(middle) else (middle, high)
    return np.asarray(high * direction[:, 0])


def bin_count(confidence: ArrayLike, *, bins: int = 10, binning: Binning = "equal_width") -> int:
    """Return the number of bins of `ece` that hold a judgment; NaN is left out.

    Example:
        >>> bin_count([0.9, 0.9, 0.9, 1.0], binning="equal_mass")
        2
    """
    place = places(table_of_confidence(confidence), bins, binning)
    return distinct(place[place >= 0])


def places(tables: ConfidenceTables, bins: int, binning: Binning) -> IntArray:
    """Return the bin of each value: (K,), or (resamples, K) if it depends on the masses."""
    check_bins(bins)
    check_choice("binning", binning, Binning)
    if binning == "equal_mass":
        mass = tables.mass
        middle = np.cumsum(mass, axis=1) - mass / 2
        share = middle / np.maximum(tables.total[:, None], 1e-300)
        last = bins - 1
    elif binning == "right_closed":
        return np.ceil(tables.values * bins - EDGE).astype(np.int64) - 1
    else:
        share = tables.values
        last = bins if binning == "own_top" else bins - 1
    return np.minimum(np.floor(share * bins + EDGE), last).astype(np.int64)


def brier_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier` of each table."""
    loss = tables.right @ (1 - tables.values) ** 2 + tables.wrong @ tables.values**2
    return divided(loss, tables.mass.sum(axis=1))


@metric(
    unit="squared share",
    direction="lower",
    undefined=UNREAD,
    source="Brier (1950)",
    interval=Interval(min_units=20, min_rarest=5),
    of_tables=brier_of_tables,
)
def brier(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier score: mean squared difference of confidence and outcome.

    For an outcome that is a probability p, p (1 - confidence)^2 + (1 - p) confidence^2.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> brier([1.0, 0.5], correct=[1, 0])
        0.125
    """
    return float(brier_of_tables(confidence_table(confidence, correct))[0])


class BrierParts(NamedTuple):
    """Brier score = reliability - resolution + uncertainty, which are metrics of their own."""

    reliability: float
    resolution: float
    uncertainty: float


def brier_parts(confidence: ArrayLike, correct: ArrayLike) -> BrierParts:
    """Murphy's decomposition of the Brier score, exact: by distinct confidence, without bins.

    Takes and refuses what `brier` does. Where most confidences are distinct, resolution and
    reliability are both inflated.

    Source: Murphy (1973).

    Example:
        >>> brier_parts([1.0, 1.0, 0.5, 0.5], correct=[1, 1, 1, 0])
        BrierParts(reliability=0.0, resolution=0.0625, uncertainty=0.1875)
    """
    return BrierParts(
        brier_reliability(confidence, correct),
        brier_resolution(confidence, correct),
        brier_uncertainty(confidence, correct),
    )


def brier_reliability_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier_reliability` of each table."""
    return _mean_square(tables, tables.values)


@metric(
    unit="squared share",
    direction="lower",
    undefined=GROUPED,
    source="Murphy (1973)",
    interval=DEBIASED,
    of_tables=brier_reliability_of_tables,
)
def brier_reliability(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean squared distance of confidence from the accuracy at that confidence.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
    """
    return float(brier_reliability_of_tables(confidence_table(confidence, correct))[0])


def brier_resolution_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier_resolution` of each table."""
    return _mean_square(tables, accuracy_of_tables(tables)[:, None])


@metric(
    unit="squared share",
    direction="higher",
    high=0.25,
    undefined=GROUPED,
    source="Murphy (1973)",
    interval=DEBIASED,
    of_tables=brier_resolution_of_tables,
)
def brier_resolution(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean squared distance of the accuracy at each confidence from the accuracy.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
    """
    return float(brier_resolution_of_tables(confidence_table(confidence, correct))[0])


def brier_uncertainty_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier_uncertainty` of each table."""
    share = accuracy_of_tables(tables)
    return share * (1 - share)


@metric(
    unit="squared share",
    high=0.25,
    undefined=UNREAD,
    source="Murphy (1973)",
    interval=Interval("own", "What it is at the accuracies of Wilson's interval."),
    of_tables=brier_uncertainty_of_tables,
)
def brier_uncertainty(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Accuracy times 1 - accuracy.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
    """
    return float(brier_uncertainty_of_tables(confidence_table(confidence, correct))[0])


def brier_uncertainty_interval(
    confidence: ArrayLike, correct: ArrayLike, unit: IntArray | None = None
) -> tuple[float, float]:
    """95% interval of `brier_uncertainty`: its values at the accuracies of Wilson's interval.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong.
        unit: The number of each judgment's item; each is an item of its own if None.

    Returns:
        Both ends; NaN where there is no judgment, or outcomes are not 0 or 1.

    Example:
        >>> brier_uncertainty_interval([0.9] * 4, [1, 1, 0, 0])[1]
        0.25
    """
    confidences, outcomes = np.asarray(confidence, float), np.asarray(correct, float)
    present = ~np.isnan(confidences + outcomes)
    if not np.isin(outcomes[present], (0, 1)).all():
        return np.nan, np.nan
    item_numbers = np.arange(len(confidences)) if unit is None else unit
    low, high = clustered_wilson_interval(
        np.bincount(item_numbers[present], outcomes[present]), np.bincount(item_numbers[present])
    )
    ends = low * (1 - low), high * (1 - high)
    return min(ends), 0.25 if low <= 0.5 <= high else max(ends)


def _mean_square(tables: ConfidenceTables, centre: FloatArray) -> FloatArray:
    """Return the mean squared distance of the accuracy at each value from a centre."""
    mass = tables.mass
    at_value = np.where(mass > 0, tables.right / np.where(mass > 0, mass, 1), 0)
    square = np.where(mass > 0, mass * (at_value - centre) ** 2, 0)
    return divided(square.sum(axis=1), mass.sum(axis=1))
