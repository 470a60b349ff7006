"""Calibration errors: distance of confidence from accuracy in bins or without, Brier score."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct
from scipy.sparse import csr_array
from scipy.special import ndtr

from inspect_confidence.metrics.arrays import (
    EDGE,
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_count,
    count_distinct,
    divide_or_nan,
    merge_into_steps,
    shares,
    unit_numbers,
    unit_sizes,
)
from inspect_confidence.metrics.inference import widened_quantile
from inspect_confidence.metrics.registry import (
    DEBIASED,
    FEW_WRONG,
    GROUPED,
    UNREAD,
    Interval,
    metric,
    no_interval,
)
from inspect_confidence.metrics.resample import clustered_wilson_interval
from inspect_confidence.metrics.tables import (
    ConfidenceTables,
    ItemTables,
    accuracy_of_tables,
    confidence_table,
    sum_by_table,
    sum_over_units,
    table_of_confidence,
)

__all__ = [
    "BrierParts",
    "bin_count",
    "brier",
    "brier_parts",
    "brier_reliability",
    "brier_resolution",
    "brier_uncertainty",
    "brier_uncertainty_interval",
    "debiased_squared_error",
    "debiased_squared_error_interval",
    "ece",
    "ece_interval",
    "hle_calibration_error",
    "log_score",
    "rms_calibration_error",
    "rms_calibration_error_interval",
    "smooth_ece",
    "smooth_ece_interval",
]

Binning = Literal["equal_width", "equal_mass", "own_top", "right_closed"]

_CONSERVATIVE_REASON = "as it holds whichever errors would give the observed one"


def ece_of_tables(
    tables: ConfidenceTables, *, bins: int = 10, binning: Binning = "equal_width"
) -> FloatArray:
    """Compute `ece` of each table: the mean over bins, by mass, of |confidence - accuracy|.

    NaN for a table without mass.
    """
    (gaps,) = sum_in_bins(tables, bins, binning, _gap_mass(tables))
    return divide_or_nan(np.abs(gaps).sum(axis=1), tables.total)


@metric(
    definition="Expected calibration error: mean over bins, weighted by their judgments, of |mean "
    "confidence - accuracy|. Unless the condition or the note names other bins, there are 10 of "
    "equal width; an edge belongs to the bin above it.",
    direction="lower",
    undefined=UNREAD,
    source="Naeini, Cooper and Hauskrecht (2015)",
    interval=Interval(
        "own",
        "The errors that would give the observed one in 95% of samples (`ece_interval`).",
        min_units=20,
        conservative=_CONSERVATIVE_REASON,
        is_wide=True,
        biased=True,
    ),
    of_tables=ece_of_tables,
)
def ece(
    confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10, binning: Binning = "equal_width"
) -> float:
    """Expected calibration error: sum over bins of (n_b / n) |mean confidence_b - accuracy_b|.

    n_b of the n judgments have a confidence in bin b, one of m bins.

    Kinds of bins:
        equal_width: [k/m, (k+1)/m), the last one closed.
        own_top: [k/m, (k+1)/m), and one bin more for a confidence of exactly 1, as in LifeEval.
        equal_mass: Equal numbers of judgments. Equal confidences go to one bin, that of the middle
            of their ranks, so that of 10 bins 5 may be filled (`bin_count` says how many).
            Resamples have bins of their own.
        right_closed: (k/m, (k+1)/m], as in Guo et al. (2017), to reproduce published numbers. A
            confidence of 0 lies in no bin and counts in n alone: its error is hidden.

    A confidence within 1e-9 of an edge lies on it. Biased upwards at few judgments a bin, as the
    absolute value of a noisy difference is.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        bins: m, at least 1.
        binning: Kind of bins, as above.

    Raises:
        ValueError: A value is not in [0, 1], `bins` is below 1 or `binning` is not known.

    Example:
        >>> round(ece([0.95, 0.95, 0.65, 0.65], correct=[1, 0, 1, 1]), 12)
        0.4
    """
    tables = confidence_table(confidence, correct)
    return float(ece_of_tables(tables, bins=bins, binning=binning)[0])


def sum_in_bins(
    tables: ConfidenceTables, bins: int, binning: Binning, *columns: FloatArray
) -> list[FloatArray]:
    """Sum columns over the values in each bin.

    Args:
        tables: Tables of answers by confidence (K distinct values) and outcome.
        bins: Number of bins, as in `ece`.
        binning: Kind of bins, as in `ece`.
        *columns: What each value adds, each of shape (resamples, K).

    Returns:
        For each column its sums, of shape (resamples, bins), in the order of bins. Bins without a
        value are missing, except with `equal_mass`; values in no bin (`right_closed`, a confidence
        of 0) are left out.
    """
    bin_of_value = bins_of_values(tables, bins, binning)
    if bin_of_value.ndim == 2:  # bins of equal mass, which differ by table
        return [sum_by_table(column, bin_of_value, bins) for column in columns]
    # Values ascend, and so do their bins: each bin is a run of values that starts at `starts`.
    bin_numbers, starts = np.unique(bin_of_value, return_index=True)
    return [np.add.reduceat(column, starts, axis=1)[:, bin_numbers >= 0] for column in columns]


DRAWS = 2_000
"""Simulated errors of calibration gaps, from which the ends of an interval are found."""


def ece_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
    bins: int = 10,
    binning: Binning = "equal_width",
) -> tuple[float, float]:
    """95% interval of `ece`: the true errors that would give the observed one in 95% of samples.

    ECE is biased upwards, and every resample adds the bias again, so that percentiles of resamples
    never hold the 0 of a calibrated model. Instead the sample's ECE is modelled as
    sum_b |g_b + e_b|, with the true gap g_b = (n_b / n) (mean confidence_b - accuracy_b) of each
    bin b and normal errors e_b, whose covariance is that of the gaps over items. Each end is the
    true ECE, sum_b |g_b|, of gaps that are assumed for it:

    At the upper end the model gives at most the observed ECE in 2.5% of 2,000 draws of errors. Its
    gaps are all the same number of standard errors, as so they hide best behind errors. An observed
    ECE below the median of draws without any gap is replaced by that median.

    At the lower end the model gives at least the observed ECE in 2.5% of draws; the end is 0 if
    errors alone do. Its gaps are proportional to max(|observed gap| - 2 standard errors, 0); if all
    of these are 0, only the bin whose observed gap has the most standard errors has a gap.

    The 2.5% are less for few items, as Student's t is wider than the normal. An end beyond the
    sample's ECE is moved there. Both are NaN if there are fewer than two items.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.
        bins: Number of bins; those of equal mass are the sample's.
        binning: Kind of bins, as in `ece`.

    Example:
        >>> low, high = ece_interval([0.75] * 40, [1, 1, 1, 0] * 10)
        >>> low, round(high, 1)
        (0.0, 0.2)
    """
    items = _group_by_item(confidence, correct, unit, counts)
    return gaps_interval(items, _bin_members(items, bins, binning), _gap_sum)


def _bin_members(items: ItemTables, bins: int, binning: Binning) -> BoolArray:
    """Return which of the K distinct confidences lie in each filled bin of `ece`: (bins, K)."""
    bin_of_value = bins_of_values(items.total_table(), bins, binning).ravel()  # -1: in no bin
    return np.asarray(bin_of_value == np.unique(bin_of_value[bin_of_value >= 0])[:, None])


Norm = Callable[[FloatArray, FloatArray], FloatArray]
"""Gaps of shape (bins, draws) and each bin's share of the judgments -> their size, (draws,)."""


def _gap_sum(gaps: FloatArray, _: FloatArray) -> FloatArray:
    """Return the sum of absolute gaps: the `Norm` of ECE, which doesn't use the bins' shares."""
    return np.asarray(np.abs(gaps).sum(axis=0))


def root_mean_square(gaps: FloatArray, share: FloatArray) -> FloatArray:
    """Return the root mean square over judgments of their bin's gap, for each draw.

    `gaps` are gaps g times the bin's `share` s of the judgments, of shape (bins, draws): the mean
    of g^2 is the sum of s g^2 = (s g)^2 / s.
    """
    return np.asarray(np.sqrt((gaps**2 / share[:, None]).sum(axis=0)))


class GapEnds(NamedTuple):
    """Calibration gaps of bins, each times the bin's share, at the ends of an interval."""

    gaps: FloatArray  # of the sample
    low: FloatArray  # at the lower end of the interval
    high: FloatArray  # at the upper end
    share: FloatArray  # of the judgments in each bin


def gaps_interval(items: ItemTables, inside: ArrayLike, norm: Norm) -> tuple[float, float]:
    """Return the 95% interval of the size of calibration gaps, by the method of `ece_interval`.

    Args:
        items: Judgments by item.
        inside: Share of the mass of each of the K confidences in each bin, of shape (bins, K).
        norm: Function that gives the size of gaps, such as their sum.

    Returns:
        Both ends, the upper one at most 1; NaN if there are fewer than two items.
    """
    ends = gap_ends(items, inside, norm)
    if ends is None:
        return float("nan"), float("nan")
    # `ends` has the gaps of the sample and those at both ends; their sizes are value and interval.
    value, low, high = norm(np.column_stack([ends.gaps, ends.low, ends.high]), ends.share)
    # An end that does not enclose the value is moved to it.
    return float(min(low, value)), float(min(max(high, value), 1))


def gap_ends(
    items: ItemTables, inside: ArrayLike, norm: Norm, smoothing: FloatArray | None = None
) -> GapEnds | None:
    """Return bins' gaps in the sample and at both ends of the interval of their size, such as ECE.

    The size of the gaps at an end is that end; `ece_interval` says how they are found, and why.
    None for fewer than two items.

    Args:
        items: Judgments by item.
        inside: Share of the mass of each of the K confidences in each bin, of shape (bins, K).
        norm: Function that gives the size of gaps, such as their sum.
        smoothing: Matrix (bins, bins) whose product with the sample's gaps has the signs of the
            gaps at the upper end; if None they have the signs of the sample's gaps.
    """
    sample = _bin_gaps(items, np.asarray(inside, float))
    if sample.items < 2:
        return None
    gaps, standard_errors = sample.gaps, np.sqrt(np.diag(sample.covariance))
    tail = float(ndtr(widened_quantile(sample.items)))  # 2.5%, less for few items
    noise = _GapNoise(_simulate_errors(sample.covariance), sample.share, norm, tail)
    value = float(norm(gaps[:, None], sample.share)[0])
    low = noise.smallest_gaps(_gaps_beyond_chance(gaps, standard_errors), value, "low")
    # At the upper end all gaps have the same number of standard errors. Their size is compared with
    # the observed one, or with the size that errors alone have in half of the draws if it is more.
    signed_gaps = gaps if smoothing is None else smoothing @ gaps
    high_direction = np.where(signed_gaps < 0, -standard_errors, standard_errors)
    size_of_errors = float(np.median(norm(noise.errors, sample.share)))
    high = noise.smallest_gaps(high_direction, max(value, size_of_errors), "high")
    return GapEnds(gaps, low, high, sample.share)


class _BinGaps(NamedTuple):
    """Calibration gaps of a sample's bins."""

    gaps: FloatArray  # mean confidence less accuracy of each bin, times the bin's share
    covariance: FloatArray  # of the gaps over items, of shape (bins, bins)
    share: FloatArray  # of the judgments in each bin
    items: int  # that have a judgment


def _bin_gaps(items: ItemTables, inside: FloatArray) -> _BinGaps:
    """Return the calibration gaps of bins, with their covariance over items.

    A gap is mean confidence less accuracy in the bin, times the bin's share of all mass.
    `inside` is the share of the mass of each of the K confidences in each bin, of shape (bins, K).
    `items.masses`, (2 K, items), are the masses of right, then of wrong answers at K confidences,
    and `items.sizes` tells how many equal items each column stands for.
    """
    sizes, item_mass = items.sizes, np.asarray(items.masses.sum(axis=0)).ravel()
    # Confidence less outcome of right, then of wrong answers, at each value: (bins, 2 K).
    cell_gaps = np.hstack([inside * (items.values - 1), inside * items.values])
    total = max((item_mass * sizes).sum(), 1e-300)  # not 0, as a divisor
    item_gaps = np.asarray(cell_gaps @ items.masses) / total  # (bins, items)
    gaps = (item_gaps * sizes).sum(axis=1)
    item_shares = np.asarray(np.hstack([inside, inside]) @ items.masses) / total
    share = (item_shares * sizes).sum(axis=1)
    # A gap is a ratio of sums over items; its variance is that of the linearised ratio.
    deviations = (item_gaps - np.outer(gaps, item_mass / total)) * np.sqrt(sizes)
    # With the pseudo-judgments of `bootstrap`, right and wrong at the least and at the greatest
    # confidence, each with the variance of a quarter judgment: errors of equal judgments aren't 0.
    pseudo_masses = items.extremes()[:, :-5]  # the last five columns are no masses by confidence
    pseudo_gaps = (cell_gaps @ pseudo_masses.T - gaps[:, None]) / total
    covariance = deviations @ deviations.T + pseudo_gaps @ pseudo_gaps.T / 4
    return _BinGaps(gaps, covariance, share, int(sizes[item_mass > 0].sum()))


def _simulate_errors(covariance: FloatArray) -> FloatArray:
    """Draw 2,000 normal errors of the bins' gaps with a covariance: an array (bins, draws)."""
    # By the symmetric root, which is unique, while signs of eigenvectors depend on rounding.
    variances, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(variances, 0)) @ vectors.T
    return np.asarray(root @ np.random.default_rng(0).standard_normal((len(covariance), DRAWS)))


def _gaps_beyond_chance(gaps: FloatArray, standard_errors: FloatArray) -> FloatArray:
    """Return the proportions of the bins' gaps at the lower end of `ece_interval`.

    Their size is found later. They are max(|gap| - 2 standard errors, 0) with the sign of the gap:
    only what is beyond chance is taken as true. If no gap is, the gap, or gaps, with the most
    standard errors become 1 or -1, the others 0.
    """
    standard_scores = np.abs(gaps) / np.maximum(standard_errors, EDGE)  # not 0, as a divisor
    excess = np.maximum(np.abs(gaps) - 2 * standard_errors, 0)
    sizes = excess if excess.any() else (standard_scores == standard_scores.max()) * 1.0
    return np.where(gaps < 0, -sizes, sizes)


class _GapNoise(NamedTuple):
    """Simulated errors of calibration gaps, from which the ends of an interval are found."""

    errors: FloatArray  # of shape (bins, draws)
    share: FloatArray  # of the judgments in each bin
    norm: Norm  # gives the size of gaps
    tail: float  # share of the draws beyond an end

    def smallest_gaps(
        self, direction: FloatArray, value: float, end: Literal["low", "high"]
    ) -> FloatArray:
        """Return the smallest gaps of bins, proportional to `direction`, for an end of an interval.

        Gaps plus simulated errors (`self.errors`) have a size (`self.norm`, from the bins' shares
        of judgments `self.share`) in each draw. For "low" it must reach the size `value` in at
        least the share `self.tail` of draws; for "high" it may be at or below `value` in less than
        that share. If errors alone are large enough, gaps are 0. `direction` is not 0 in all bins.
        """
        unit_gaps = direction[:, None] / self.norm(direction[:, None], self.share)  # of size 1
        if self._are_large_enough(0 * unit_gaps, value, end):
            return np.zeros(len(direction))
        # The size that just suffices lies in (low, high]: doubled to find it, then bisected.
        low, high = 0.0, value + EDGE  # above 0 also for a value of 0, so that doubling moves it
        while not self._are_large_enough(high * unit_gaps, value, end):
            low, high = high, 2 * high
        for _ in range(15):  # halves the bracket to 1/32,768
            middle = (low + high) / 2
            if self._are_large_enough(middle * unit_gaps, value, end):
                high = middle
            else:
                low = middle
        return np.asarray(high * unit_gaps[:, 0])

    def _are_large_enough(
        self, gaps: FloatArray, value: float, end: Literal["low", "high"]
    ) -> bool:
        """Return whether gaps, of shape (bins, 1), are large enough for an end of an interval.

        Gaps plus simulated errors (`self.errors`) have a size (`self.norm`, from the bins' shares
        of judgments `self.share`) in each draw. For "low" it reaches `value` in at least the share
        `self.tail` of draws; for "high" it is at or below `value` in less than that share.
        """
        excess = self.norm(gaps + self.errors, self.share) - value
        if end == "low":
            return bool((excess >= -EDGE).mean() >= self.tail)
        return bool((excess <= EDGE).mean() < self.tail)


def bin_count(confidence: ArrayLike, *, bins: int = 10, binning: Binning = "equal_width") -> int:
    """Return the number of bins of `ece` that hold a judgment; NaN is left out, 0 if none is left.

    Example:
        >>> bin_count([0.9, 0.9, 0.9, 1.0], binning="equal_mass")
        2
    """
    bin_of_value = bins_of_values(table_of_confidence(confidence), bins, binning)
    return count_distinct(bin_of_value[bin_of_value >= 0])


def bins_of_values(tables: ConfidenceTables, bins: int, binning: Binning) -> IntArray:
    """Return the number of each value's bin, from 0 (-1 for a value in no bin).

    The shape is (K,), or (resamples, K) for `equal_mass`, where bins depend on the masses. Kinds of
    bins are those of `ece`. ValueError if `binning` is none of them or `bins` is below 1.
    """
    check_count("bins", bins)
    check_choice("binning", binning, Binning)
    if binning == "equal_mass":
        mass = tables.mass
        middle = np.cumsum(mass, axis=1) - mass / 2  # the middle rank of equal confidences
        share = middle / np.maximum(tables.total[:, None], 1e-300)  # not 0, as a divisor
        last = bins - 1
    elif binning == "right_closed":  # (k/bins, (k+1)/bins]: 0 lies in none
        return np.ceil(tables.values * bins - EDGE).astype(np.int64) - 1
    else:
        share = tables.values
        last = bins if binning == "own_top" else bins - 1  # the bin of a confidence of 1
    return np.minimum(np.floor(share * bins + EDGE), last).astype(np.int64)


def brier_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier` of each table: the mean of (confidence - outcome)^2; NaN without mass."""
    # A credit y is y right and 1 - y wrong, which adds y (1 - y) too much: `credit_spread` in all.
    loss = tables.right @ (1 - tables.values) ** 2 + tables.wrong @ tables.values**2
    return divide_or_nan(loss - tables.credit_spread, tables.mass.sum(axis=1))


@metric(
    unit="squared share",
    direction="lower",
    undefined=UNREAD,
    source="Brier (1950)",
    interval=FEW_WRONG,
    of_tables=brier_of_tables,
)
def brier(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Brier score: mean squared difference of confidence and outcome.

    It is the mean of (confidence - outcome)^2 for partial credit, too. Where a study's outcomes are
    chances p of being right, its results have the expected score, which is higher by p (1 - p).

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the credit between.

    Example:
        >>> brier([1.0, 0.5], correct=[1, 0])
        0.125
    """
    return float(brier_of_tables(confidence_table(confidence, correct))[0])


def log_score_of_tables(tables: ConfidenceTables, *, step: float = 0.01) -> FloatArray:
    """Compute `log_score` of each table: the mean negative log probability of the outcome.

    Confidences are kept half a `step` of their scale from 0 and 1. NaN for a table without mass.
    """
    if not 0 < step <= 1:
        raise ValueError(f"step={step} is not above 0 and at most 1, as 0.01 for 0-100 is.")
    probability = np.clip(tables.values, step / 2, 1 - step / 2)
    loss = -(tables.right @ np.log(probability) + tables.wrong @ np.log1p(-probability))
    return divide_or_nan(loss, tables.mass.sum(axis=1))


@metric(
    definition="Mean negative log probability of the outcome. Confidence is kept half a step of "
    "its scale away from 0 and 1; if it is stated as a share, a step is .01.",
    unit="nats",
    direction="lower",
    undefined=UNREAD,
    source="Good (1952)",
    interval=FEW_WRONG,
    toolbox=True,
    of_tables=log_score_of_tables,
)
def log_score(confidence: ArrayLike, correct: ArrayLike, *, step: float = 0.01) -> float:
    """Logarithmic score: mean negative log probability of the outcome, in nats.

    -log c for a right answer stated with confidence c and -log(1 - c) for a wrong one; for an
    outcome that is a probability p, -p log c - (1 - p) log(1 - c). Confidence is first moved into
    [step/2, 1 - step/2], half a step of its scale from the ends, because a wrong answer stated with
    1 would make the mean infinite: 0 and 100 on a scale 0-100 count as .005 and .995. The score of
    an answer is thus at most -log(step/2), and scores of scales with different steps are not
    comparable where reports lie at the ends. log 2 = 0.693 for confidence that is always 0.5.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        step: Smallest step of the stated scale as a share of its width, above 0 and at most 1;
            1/20 for 0-20.

    Raises:
        ValueError: The step is not above 0 and at most 1, or a value is not in [0, 1].

    Example:
        >>> log_score([1.0, 0.5], correct=[1, 0])
        0.349...
    """
    return float(log_score_of_tables(confidence_table(confidence, correct), step=step)[0])


class BrierParts(NamedTuple):
    """Parts of the Brier score, each a metric: reliability - resolution + uncertainty."""

    reliability: float
    resolution: float
    uncertainty: float


def brier_parts(confidence: ArrayLike, correct: ArrayLike) -> BrierParts:
    """Murphy's decomposition of the Brier score, exact: by distinct confidence, without bins.

    Arguments and errors are those of `brier`. Judgments with a NaN are left out; the parts are NaN
    if none is left. Where most confidences are distinct, resolution and reliability are inflated.

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
    """Compute `brier_reliability` of each table: the mean of (confidence - accuracy at it)^2.

    NaN for a table without mass.
    """
    return _mean_squared_distance(tables, tables.values)


@metric(
    unit="squared share",
    direction="lower",
    undefined=GROUPED,
    source="Murphy (1973)",
    interval=Interval("debiased", min_units=300, compares_outcomes=True),
    of_tables=brier_reliability_of_tables,
)
def brier_reliability(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean squared distance of confidence from the accuracy at that confidence.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
    """
    return float(brier_reliability_of_tables(confidence_table(confidence, correct))[0])


def brier_resolution_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier_resolution` of each table: mean of (accuracy at a confidence - accuracy)^2.

    NaN for a table without mass.
    """
    return _mean_squared_distance(tables, accuracy_of_tables(tables)[:, None])


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
    """Mean squared distance of the accuracy at each confidence from the overall accuracy.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
    """
    return float(brier_resolution_of_tables(confidence_table(confidence, correct))[0])


AT_WILSON_LIMITS = Interval(
    "own",
    "What it is at the accuracies of Wilson's interval.",
    conservative="at few wrong or few right answers: the law of a count is discrete",
)
"""Rule of the variance of outcomes, which follows from the accuracy."""


def brier_uncertainty_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `brier_uncertainty` of each table, the variance of its outcomes; NaN without mass.

    It is a (1 - a) for accuracy a, less the mean of y (1 - y) where credits y lie between 0 and 1.
    """
    share = accuracy_of_tables(tables)
    credit_spread = np.broadcast_to(tables.credit_spread, tables.total.shape)
    return share * (1 - share) - divide_or_nan(credit_spread, tables.total)


@metric(
    unit="squared share",
    high=0.25,
    undefined=UNREAD,
    source="Murphy (1973)",
    interval=AT_WILSON_LIMITS,
    of_tables=brier_uncertainty_of_tables,
)
def brier_uncertainty(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Variance of the outcomes: accuracy times 1 - accuracy without partial credit.

    It is Murphy's third part: with partial credit, too, the Brier score is `brier_reliability` -
    `brier_resolution` + `brier_uncertainty`.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the credit between.
    """
    return float(brier_uncertainty_of_tables(confidence_table(confidence, correct))[0])


def brier_uncertainty_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
) -> tuple[float, float]:
    """95% interval of `brier_uncertainty`: its values a (1 - a) in Wilson's interval of accuracy a.

    Both ends are NaN without a judgment, or if an outcome is not 0 or 1.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.

    Example:
        >>> brier_uncertainty_interval([0.9] * 4, [1, 1, 0, 0])[1]
        0.25
    """
    confidences, outcomes = shares(confidence=confidence, correct=correct)
    present = ~np.isnan(confidences + outcomes)
    if not np.isin(outcomes[present], (0, 1)).all():
        return np.nan, np.nan
    item_numbers = unit_numbers(unit, len(confidences))
    items = int(item_numbers.max(initial=-1)) + 1
    right = np.bincount(item_numbers[present], outcomes[present], items)
    judgments = np.bincount(item_numbers[present], minlength=items)
    sizes = unit_sizes(item_numbers, counts, items)
    low, high = clustered_wilson_interval(right, judgments, counts=sizes)
    # a (1 - a) is greatest, 0.25, at a = 0.5, which may lie between the limits.
    ends = low * (1 - low), high * (1 - high)
    return min(ends), 0.25 if low <= 0.5 <= high else max(ends)


def _mean_squared_distance(tables: ConfidenceTables, centre: FloatArray) -> FloatArray:
    """Return the mean over judgments of (accuracy at their confidence - centre)^2, by table.

    The centre is each of the K confidences, for reliability, or the table's accuracy, (tables, 1),
    for resolution. NaN for a table without mass.
    """
    mass = tables.mass
    accuracy = divide_or_nan(tables.right, mass)  # at each value
    square = np.where(mass > 0, mass * (accuracy - centre) ** 2, 0)
    return divide_or_nan(square.sum(axis=1), tables.total)


TopBin = Literal["kept", "dropped"]

_ROOT_MEAN_SQUARE_INTERVAL = Interval(
    "own",
    "As that of `ece`, of the root mean square.",
    min_units=30,
    conservative=_CONSERVATIVE_REASON,
    is_wide=True,
    biased=True,
)


def rms_calibration_error_of_tables(
    tables: ConfidenceTables, *, bins: int = 10, binning: Binning = "equal_width"
) -> FloatArray:
    """Compute `rms_calibration_error` of each table: the root mean square over bins of their gap.

    The gap of a bin is its mean confidence less its accuracy, and bins weigh by their judgments.
    NaN for a table without mass.
    """
    # Of each bin, (tables, bins): the sum of confidence less outcome, and the number of judgments.
    gap, mass = sum_in_bins(tables, bins, binning, _gap_mass(tables), tables.mass)
    squares = np.where(mass > 0, gap**2 / np.where(mass > 0, mass, 1), 0)
    return np.sqrt(divide_or_nan(squares.sum(axis=1), tables.total))


@metric(
    definition="Root mean square over bins, weighted by their judgments, of mean confidence - "
    "accuracy; 10 bins of equal width.",
    direction="lower",
    undefined=UNREAD,
    source="Hendrycks, Mazeika and Dietterich (2019); Kumar, Liang and Ma (2019)",
    interval=_ROOT_MEAN_SQUARE_INTERVAL,
    toolbox=True,
    of_tables=rms_calibration_error_of_tables,
)
def rms_calibration_error(
    confidence: ArrayLike, correct: ArrayLike, *, bins: int = 10, binning: Binning = "equal_width"
) -> float:
    """L2 calibration error: sqrt(sum over bins of (n_b / n) (mean confidence_b - accuracy_b)^2).

    n_b of the n judgments have a confidence in bin b. It is at least `ece` in the same bins, as one
    bin that is far off weighs more. Biased upwards as ECE is.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        bins: Number of bins, at least 1.
        binning: Kind of bins, as in `ece`.

    Raises:
        ValueError: A value is not in [0, 1], `bins` is below 1 or `binning` is not known.

    Example:
        >>> round(rms_calibration_error([0.75, 0.75, 1.0, 1.0], correct=[1, 0, 1, 1]), 6)
        0.176777
    """
    tables = confidence_table(confidence, correct)
    return float(rms_calibration_error_of_tables(tables, bins=bins, binning=binning)[0])


def _gap_mass(tables: ConfidenceTables) -> FloatArray:
    """Return confidence less outcome, summed over the judgments at each value: (resamples, K)."""
    return tables.mass * tables.values - tables.right


SIZE = 100
"""Items in a bin of the calibration error of Humanity's Last Exam."""


def hle_calibration_error_of_tables(
    tables: ConfidenceTables, *, size: int = SIZE, top_bin: TopBin = "kept"
) -> FloatArray:
    """Compute `hle_calibration_error` of each table: the root mean square over bins by rank.

    A bin holds `size` items; NaN without mass, or if the only bin is dropped.
    """
    check_choice("top_bin", top_bin, TopBin)
    check_count("size", size)
    # Confidence less outcome, summed up to each rank (`mass` is the rank at which a value ends). It
    # is cut at the edges of bins by interpolation, which splits ties in proportion.
    cumulated_mass = np.cumsum(np.insert(tables.mass, 0, 0, axis=1), axis=1)
    cumulated_gap = np.cumsum(np.insert(_gap_mass(tables), 0, 0, axis=1), axis=1)
    squares = np.full(len(cumulated_mass), np.nan)
    for row, (mass, gap) in enumerate(zip(cumulated_mass, cumulated_gap, strict=True)):
        # A remainder of less than `size` items belongs to the last bin.
        starts = size * np.arange(max(1, np.floor(mass[-1] / size + EDGE)))
        edges = np.append(starts, mass[-1])
        bin_squares = divide_or_nan(np.diff(np.interp(edges, mass, gap)) ** 2, np.diff(edges))
        if mass[-1] > 0 and top_bin == "kept":
            squares[row] = bin_squares.sum()
        elif len(bin_squares) > 1:
            squares[row] = bin_squares[:-1].sum()
    return np.sqrt(divide_or_nan(squares, tables.total))


@metric(
    definition="Calibration error of Humanity's Last Exam: root of the mean square of mean "
    "confidence minus accuracy, over bins of 100 items in order of confidence (the last one has up "
    "to 199), weighted by their items. As in the authors' code, `top_bin=dropped` sets the last "
    "bin's error to 0.",
    direction="lower",
    undefined=f"{UNREAD}; with `top_bin=dropped`, fewer than 200 items (one bin)",
    source="Phan et al. (2025); Hendrycks, Mazeika and Dietterich (2019)",
    interval=no_interval(
        "its bins move with the sample; no method tried contains the true value often enough"
    ),
    toolbox=True,
    of_tables=hle_calibration_error_of_tables,
)
def hle_calibration_error(
    confidence: ArrayLike, correct: ArrayLike, *, size: int = SIZE, top_bin: TopBin = "kept"
) -> float:
    """Calibration error of Humanity's Last Exam: root mean square over bins by rank.

    sqrt(sum over bins of (n_b / n) (mean confidence_b - accuracy_b)^2), with n_b of n items in bin
    b. In order of confidence each bin holds 100 items (`size`), and the last one also what remains:
    100 to 199, or all where there are fewer. `top_bin="kept"` is the form of inspect_evals. The
    published figures come from code that leaves out the last bin, which holds the surest answers,
    from the sum and not from n: `top_bin="dropped"`, which is NaN if there is one bin only.

    Equally sure judgments that fall in two bins count in each with the mean outcome of all of them,
    so that their order doesn't matter; in inspect_evals it does. In results of studies the epochs
    of an item count as one item; inspect_evals, and this function, count each judgment.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        size: Number of items in a bin, at least 1.
        top_bin: Whether the last bin is `kept` or `dropped`.

    Raises:
        ValueError: A value is not in [0, 1], `size` is below 1 or `top_bin` is not known.

    Example:
        >>> hle_calibration_error([0.9, 0.9, 0.5, 0.5], correct=[1, 1, 1, 0], size=2)
        0.07...
    """
    tables = confidence_table(confidence, correct)
    return float(hle_calibration_error_of_tables(tables, size=size, top_bin=top_bin)[0])


@metric(
    definition="Mean squared distance of each distinct confidence from the accuracy of its "
    "answers, minus its upward bias: 0 on average for calibrated confidence, and below 0 by "
    "chance. A confidence that only one item has is merged with the next one.",
    unit="squared share",
    direction="target=0",
    low=-1,
    undefined=f"{UNREAD}, only one item, or outcomes that are not 0 or 1",
    source="Kumar, Liang and Ma (2019); Bröcker (2012)",
    interval=Interval(
        "own",
        "As that of `ece`, of the mean square, which is no error below 0.",
        min_units=30,
        conservative=_CONSERVATIVE_REASON,
        is_wide=True,
    ),
    toolbox=True,
)
def debiased_squared_error(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
) -> float:
    """Squared calibration error without the bias that chance adds to it, by distinct confidence.

    At a confidence c with n_c judgments and accuracy a the squared gap (c - a)^2 is on average a (1
    - a) / n_c too large; sum over c of (n_c / n) ((c - a)^2 - a (1 - a) / (n_c - 1)) is not. It is
    `brier_reliability` debiased, computed as the mean over pairs of different items at c of the
    product of their differences c - y. A confidence that only one item has is merged with the next
    higher ones until there are two items, the highest with those below it.

    Where confidence is calibrated it is about 0, above or below: nothing is cut off at 0, and no
    root is taken. NaN if there are fewer than two items, or outcomes other than 0 and 1.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> debiased_squared_error([0.5, 0.5, 0.5, 0.5], correct=[1, 1, 1, 0])
        0.0
    """
    items = _group_by_item(confidence, correct, unit, counts)
    group_of_value = _groups_of_values(items)
    if not items.binary or not len(group_of_value):
        return float("nan")
    k, values = len(group_of_value), items.values
    # Matrices (groups, 2 K) that sum over the values of each group what its K right, then its K
    # wrong answers add: 1 to the mass, c - 1 or c to the gap. Sums have the shape (groups, items).
    entries = (np.tile(group_of_value, 2), np.arange(2 * k))
    shape = int(group_of_value[-1]) + 1, 2 * k
    mass = csr_array((np.ones(2 * k), entries), shape=shape) @ items.masses
    gap = csr_array((np.append(values - 1, values), entries), shape=shape) @ items.masses
    group_gap, group_mass = (sum_over_units(cells, items.sizes) for cells in (gap, mass))
    # Over pairs of different items: the square of the sum less the squares.
    product = group_gap**2 - sum_over_units(gap.power(2), items.sizes)
    pairs = group_mass**2 - sum_over_units(mass.power(2), items.sizes)
    return float((group_mass * product / pairs).sum() / group_mass.sum())


def _group_by_item(
    confidence: ArrayLike, correct: ArrayLike, unit: IntArray | None, counts: IntArray | None
) -> ItemTables:
    """Group judgments by item, of index `unit`; each is an item of its own if that is None.

    `counts` is the number of equal items that each judgment stands for; 1 if None.
    """
    if unit is None:
        return ItemTables.from_judgments(confidence, correct, counts=counts)
    numbers = unit_numbers(unit, np.size(confidence))
    units = int(np.max(numbers, initial=-1)) + 1
    return ItemTables.from_judgments(confidence, correct, numbers, units, counts=counts)


def _groups_of_values(cells: ItemTables) -> IntArray:
    """Return the number of each confidence's group: neighbours that have at least two items.

    So each group has a pair of items to compare. Groups are as small as possible, and the last one
    joins the one below if it has one item. Empty if there are fewer than two items.
    """
    k = len(cells.values)
    items_of_value = [set[int]() for _ in range(k)]
    # `masses` is sparse, (2 k, items): `indices[start:end]` are the items in a row. Row k + i has
    # the wrong answers of the value whose right ones are in row i. `sizes` are items per column.
    for row, (start, end) in enumerate(itertools.pairwise(cells.masses.indptr)):
        items_of_value[row % k].update(cells.masses.indices[start:end].tolist())
    group, group_items, number = np.zeros(k, np.int64), set[int](), 0
    for column, items in enumerate(items_of_value):
        group[column] = number
        group_items |= items
        if cells.sizes[list(group_items)].sum() > 1:
            group_items, number = set(), number + 1
    return np.minimum(group, number - 1) if number else group[:0]


def rms_calibration_error_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
    bins: int = 10,
    binning: Binning = "equal_width",
) -> tuple[float, float]:
    """95% interval of `rms_calibration_error` by the method of `ece_interval`; NaN for 0 or 1 item.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.
        bins: Number of bins; those of equal mass are the sample's.
        binning: Kind of bins, as in `ece`.
    """
    items = _group_by_item(confidence, correct, unit, counts)
    return gaps_interval(items, _bin_members(items, bins, binning), root_mean_square)


MOST_GROUPS = 200
"""Groups of confidences up to which there is an interval: memory grows with their square."""

_MIN_PER_GROUP = 5
"""Smallest number of judgments of a group from which its error can be estimated."""


def debiased_squared_error_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
) -> tuple[float, float]:
    """95% interval of `debiased_squared_error`: that of a root mean square, with its ends squared.

    The root mean square is that of the gaps (confidence less accuracy) of groups of neighbouring
    confidences; its interval is found as that of `ece` (`ece_interval`).

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.

    Returns:
        Both ends, the value between them; NaN where outcomes are not 0 or 1, and where confidences
        form no group of two items, more than 200, or groups of fewer than five items on average.
    """
    items = _group_by_item(confidence, correct, unit, counts)
    group_of_confidence = _groups_of_values(items)
    groups = int(group_of_confidence.max(initial=-1)) + 1
    (n_items,) = items.total_table().total  # an item's masses add up to 1, on average
    if not items.binary or not 0 < groups <= min(MOST_GROUPS, n_items / _MIN_PER_GROUP):
        return np.nan, np.nan
    in_group = group_of_confidence == np.arange(groups)[:, None]  # (groups, K)
    low, high = gaps_interval(items, in_group, root_mean_square)
    value = debiased_squared_error(confidence, correct, unit, counts=counts)
    return min(low**2, value), max(high**2, value)


GRID = 500
"""Number of points at which the smoothed gap is computed."""

LEAST_BANDWIDTH = 0.008
"""Least bandwidth, four steps of the grid: the grid can't represent a narrower kernel."""

_MOST_VALUES, _FINE_STEPS = 5_000, 2_400
"""Distinct confidences from which on they are rounded, and the steps from 0 to 1 that are left."""

_CHUNK = 2_000_000
"""Cosines held in memory at once, 16 MB."""


_SMOOTH = Interval(
    "own",
    "As that of `ece`, of smoothed gaps in bins around multiples of .05.",
    min_units=30,
    conservative=_CONSERVATIVE_REASON,
    is_wide=True,
    biased=True,
)


def smooth_ece_of_tables(tables: ConfidenceTables, *, bandwidth: float | None = None) -> FloatArray:
    """Compute `smooth_ece` of each table, from the cosine coefficients of its gaps.

    The kernel's width is `bandwidth`; if None, the number that equals the error with that width, at
    least 0.008. NaN for a table without mass.
    """
    if bandwidth is not None and not LEAST_BANDWIDTH <= bandwidth < np.inf:
        raise ValueError(f"bandwidth={bandwidth} is below {LEAST_BANDWIDTH}, or infinite.")
    cosines = _gap_cosines(tables)
    if bandwidth is not None:
        return _smoothed_size(cosines, np.full(len(cosines), bandwidth))
    # The error falls as the width grows, down to the absolute mean gap. So the width that equals
    # its error lies between that gap, `low`, and the error with the width `low`.
    low = np.maximum(np.abs(cosines[:, 0]), LEAST_BANDWIDTH)
    error_at_low = _smoothed_size(cosines, low)
    width = _solve_width(cosines, low, np.maximum(error_at_low, low))
    # If that error is not above `low`, no greater width equals its error: it is the result.
    return np.where(error_at_low > low, width, error_at_low)


def _gap_cosines(tables: ConfidenceTables) -> FloatArray:
    """Return the cosine coefficients of each table's gaps: sum over c of gap(c) cos(pi m c).

    gap(c) is confidence less outcome, summed over answers with confidence c, over the table's total
    mass. Columns are m = 0 to 499; a table without mass is NaN. With them smoothing is a product:
    the kernel multiplies coefficient m by a number.
    """
    values, gap_mass = tables.values, _gap_mass(tables)
    # Very many values are merged into fine steps, to save time.
    if len(values) > _MOST_VALUES:
        step_of_value, values = merge_into_steps(values, np.ones(len(values)), _FINE_STEPS)
        starts = np.searchsorted(step_of_value, np.arange(len(values)))
        gap_mass = np.add.reduceat(gap_mass, starts, axis=1)  # sums over the values of each step
    gaps = divide_or_nan(gap_mass, tables.total[:, None])
    cosines = np.tile(np.where(tables.total > 0, 0, np.nan)[:, None], GRID)
    # Values in chunks, to bound the size of their matrix of cosines.
    chunk_size = max(1, _CHUNK // GRID)
    for start in range(0, gaps.shape[1], chunk_size):
        chunk = slice(start, start + chunk_size)
        cosines += gaps[:, chunk] @ np.cos(np.pi * np.outer(values[chunk], np.arange(GRID)))
    return cosines


def _smoothed_size(cosines: FloatArray, width: FloatArray) -> FloatArray:
    """Return the mean absolute gap after smoothing, by table, from the result of `_gap_cosines`.

    The Gaussian kernel of a table's `width`, its standard deviation, multiplies coefficient m by
    exp(-(width pi m)^2 / 2).
    """
    damped = cosines * np.exp(-(np.outer(width, np.pi * np.arange(GRID)) ** 2) / 2)
    # The cosine transform of type 3 sums the series at the midpoints of 500 steps.
    return np.asarray(np.abs(dct(damped, type=3)).mean(axis=1))


@metric(
    definition="Smooth calibration error: confidence - outcome is smoothed over confidence by a "
    "Gaussian kernel; the error is the mean of its absolute value. The kernel's width equals the "
    "error.",
    direction="lower",
    undefined=UNREAD,
    source="Blasiok and Nakkiran (2023)",
    interval=_SMOOTH,
    toolbox=True,
    of_tables=smooth_ece_of_tables,
)
def smooth_ece(
    confidence: ArrayLike, correct: ArrayLike, *, bandwidth: float | None = None
) -> float:
    """Smooth ECE (smECE): the integral over t of |mean of K(t, c) (c - y)|, without bins.

    c is confidence and y the outcome. K is the Gaussian kernel of standard deviation s, on the
    scale of confidence and reflected at 0 and 1. s is the number for which the error equals s:
    there is just one, as the error falls when s grows, so that nothing is left to choose. If
    confidence moves little, so does the error, unlike ECE. Biased upwards at few judgments.

    Computed on a grid of 500 points, by cosines, in which the kernel is exp(-(s pi m)^2 / 2); s
    is at least 0.008, so that errors below are those at 0.008. More than 5,000 distinct confidences
    are taken in steps of 1/2,400, a twentieth of the narrowest kernel.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.
        bandwidth: s, from 0.008 on; chosen if None.

    Raises:
        ValueError: The bandwidth is below 0.008, or a value is not in [0, 1].

    Example:
        >>> round(smooth_ece([0.75] * 4, [1, 1, 0, 0]), 3)
        0.25
    """
    tables = confidence_table(confidence, correct)
    return float(smooth_ece_of_tables(tables, bandwidth=bandwidth)[0])


def _solve_width(cosines: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the kernel width, from `low` to `high`, that equals the smoothed size with this width.

    The smoothed size is that of each table's gaps (row of `cosines`), smoothed by a kernel of the
    width; `high` is the smoothed size with the width `low`. By false position with the Illinois
    rule, which halves the excess at an end that was kept twice. The excess is the smoothed size
    less the width; it falls as the width grows. After 50 steps the last proposed width is returned.
    """
    # Row 0 has the low ends, with an excess of at least 0, and row 1 the high ends.
    ends = np.array([low, high])
    end_excess = np.array([high - low, _smoothed_size(cosines, high) - high])
    tables, previous_side = np.arange(len(low)), np.full(len(low), -1)
    for _ in range(_MOST_STEPS):
        fall = end_excess[0] - end_excess[1]  # 0 if both ends are the solution
        middle = ends[0] + np.ptp(ends, axis=0) * end_excess[0] / np.where(fall > 0, fall, 1)
        excess = _smoothed_size(cosines, middle) - middle
        side = (excess <= 0).astype(np.int64)  # the row of the end that `middle` replaces
        end_excess[1 - side, tables] *= np.where(side == previous_side, 0.5, 1)
        ends[side, tables], end_excess[side, tables], previous_side = middle, excess, side
        if not (np.abs(excess) > _LARGEST_EXCESS).any():
            break
    return np.asarray(middle)


_LARGEST_EXCESS, _MOST_STEPS = 1e-10, 50
"""Excess at which the search for the width ends, and its steps at most."""


def smooth_ece_interval(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    counts: IntArray | None = None,
) -> tuple[float, float]:
    """95% interval of `smooth_ece`, by the method of `ece_interval`.

    Bins lie around the multiples of .05, and each gap lies at its bin's mean confidence. The size
    of gaps is their smooth ECE with the kernel of the sample, or of width 0.05 if that is wider.
    Each end is the smooth ECE, with a kernel of its own, of the gaps that the method finds for it;
    the upper end is their size with the sample's kernel if that is greater, and at most 1. NaN for
    0 or 1 item.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.
        unit: Index of each judgment's item; each is an item of its own if None.
        counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if None.
    """
    items = _group_by_item(confidence, correct, unit, counts)
    tables = items.total_table()
    (value,) = smooth_ece_of_tables(tables)
    if np.isnan(value):
        return np.nan, np.nan
    # Bins around the multiples of .05 that have values.
    place = np.round(tables.values * _NARROW_BINS)
    inside = (place == np.unique(place)[:, None]) * 1.0  # 1 for a value in a bin, else 0: (bins, K)
    mass = inside @ tables.mass[0]
    bin_confidence = inside @ (tables.mass[0] * tables.values) / mass
    # The bins' gaps at both ends of the interval.
    width, grid = max(value, _LEAST_WIDTH), (np.arange(_RESOLUTION) + 0.5) / _RESOLUTION
    # The size of gaps is their mean absolute smoothed value at 40 points. Gaps at the upper end get
    # the signs of smoothed gaps, because neighbours of opposite signs would cancel each other.
    norm = _SmoothedNorm(_smoothing_matrix(grid, bin_confidence, width))
    ends = gap_ends(items, inside, norm, _smoothing_matrix(bin_confidence, bin_confidence, width))
    if ends is None:
        return np.nan, np.nan
    share = ends.share
    # Tables with these gaps: confidence less outcome, summed over the mass of a bin.
    right = share * bin_confidence - np.array([ends.low, ends.high])
    low, high = smooth_ece_of_tables(ConfidenceTables(bin_confidence, right, share - right))
    return float(min(low, value)), float(min(max(high, value, norm(ends.high, share)), 1))


@dataclass(frozen=True)
class _SmoothedNorm:
    """The `Norm` of `smooth_ece_interval`."""

    smoothing: FloatArray  # maps gaps of bins to smoothed gaps at points, (points, bins)

    def __call__(self, gaps: FloatArray, _: FloatArray) -> FloatArray:
        """Return the mean absolute smoothed gap of each column of gaps, (bins, draws)."""
        return np.asarray(np.abs(self.smoothing @ gaps).mean(axis=0))


def _smoothing_matrix(points: FloatArray, centres: FloatArray, width: float) -> FloatArray:
    """Return the Gaussian kernel reflected at 0 and 1, around centres at points: (points, centres).

    At a point x and for a centre c it is 1 + 2 sum_m exp(-(width pi m)^2 / 2) cos(pi m x)
    cos(pi m c), with the standard deviation `width`. The sum ends at m = 39, beyond which terms are
    below 1e-8 for a width of .05 or more.
    """
    waves = np.arange(_RESOLUTION)
    factors = np.where(waves == 0, 1, 2)
    damping = np.exp(-((width * np.pi * waves) ** 2) / 2) * factors
    centre_waves = np.cos(np.pi * np.outer(waves, centres)) * damping[:, None]
    return np.asarray(np.cos(np.pi * np.outer(points, waves)) @ centre_waves)


_NARROW_BINS, _RESOLUTION, _LEAST_WIDTH = 20, 40, 0.05
"""For `smooth_ece_interval`: bins in [0, 1], grid points and cosines, least width of the kernel."""
