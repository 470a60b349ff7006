"""The hard-easy effect: overconfidence falls as items get easier."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from inspect_confidence.metrics.arrays import (
    FloatArray,
    IntArray,
    aligned,
    mean_or_nan,
    shares,
)
from inspect_confidence.metrics.registry import (
    BOOTSTRAP,
    INFINITY,
    About,
    metric,
    no_interval,
    numbers,
)
from inspect_confidence.metrics.resample import Statistic, means_of

__all__ = [
    "HardEasySlope",
    "confidence_truth_correlation",
    "correlation_of",
    "hard_easy_slope",
    "optimal_answer_gap",
    "slope_interval",
]

_ROUNDING = 1e-9
"""Values whose standard deviation is smaller are equal but for rounding."""


@metric(
    unit="correlation",
    direction="higher",
    undefined="confidence or true probability is the same for all, or no readable judgment",
    source="LifeEval",
)
def confidence_truth_correlation(confidence: ArrayLike, true_probability: ArrayLike) -> float:
    """Pearson correlation of confidence with the true probability of the answer.

    Both are in [0, 1]. Pairs with a NaN are left out; NaN if none is left or either is constant.

    Example:
        >>> round(confidence_truth_correlation([0.1, 0.5, 0.6], [0.2, 0.4, 0.3]), 12)
        0.755928946018
    """
    confidences, probabilities = shares(confidence=confidence, true_probability=true_probability)
    n = len(confidences)
    statistic = correlation_of(confidences, probabilities, np.arange(n), n)
    return float(statistic(np.ones((1, n)))[0])  # weights 1: the sample itself


def correlation_of(x: ArrayLike, y: ArrayLike, unit: IntArray, units: int) -> Statistic:
    """Return Pearson's correlation over judgments as a function of weights, (resamples, units).

    Its value is NaN where x or y is constant, or no pair is left.

    Args:
        x: One number per judgment; pairs with a NaN are left out.
        y: Another one, in the order of `x`.
        unit: Index of each judgment's unit.
        units: Number of units.
    """
    pairs = np.column_stack(aligned(x=x, y=y))
    present = ~np.isnan(pairs).any(axis=1)
    if not present.any():
        return lambda weights: np.full(len(weights), np.nan)
    # Centred first, so that little is lost in the differences of squares.
    a, b = (pairs[present] - pairs[present].mean(axis=0)).T
    moments = means_of(np.column_stack([a, b, a * a, b * b, a * b]), unit[present], units)
    return moments.map(_correlation_of_moments)


def _correlation_of_moments(means: FloatArray) -> FloatArray:
    """Return the correlation of a and b from the means of a, b, a^2, b^2 and ab (columns), by row.

    NaN where a or b is constant.
    """
    mean_a, mean_b, mean_aa, mean_bb, mean_ab = means.T
    variances = np.column_stack([mean_aa - mean_a**2, mean_bb - mean_b**2])
    # A variance of a constant is 0 or what rounding leaves.
    product = np.where((variances > _ROUNDING**2).all(axis=1), variances.prod(axis=1), np.nan)
    return np.asarray(np.clip((mean_ab - mean_a * mean_b) / np.sqrt(product), -1, 1))


_ZERO_EIGENVALUE = 1e-10
"""Eigenvalues of I - H_gg below it are 0: cluster g alone decides a coefficient."""


@dataclass(frozen=True)
class HardEasySlope:
    """A regression line of overconfidence on difficulty.

    Attributes:
        slope: Overconfidence gained from difficulty 0 to 1; 0 for a model whose confidence follows
            what can be known, 1 for one whose confidence doesn't depend on it.
        intercept: Overconfidence at difficulty 0.
        standard_error: Standard error of the slope, between clusters; NaN for fewer than two.
        ci_low: Lower end of its 95% interval.
        ci_high: Upper end.
        judgments: Number of judgments of the line.
        scores: What each cluster adds to the slope's error, by cluster. The squares sum to the
            variance; scores of models that answered the same items can be averaged.
    """

    slope: float
    intercept: float
    standard_error: float
    ci_low: float
    ci_high: float
    judgments: int
    scores: Mapping[Hashable, float]

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return len(self.scores)


@metric(
    unit="overconfidence per difficulty",
    direction="target=0",
    low=-INFINITY,
    undefined="fewer than two readable judgments, all equally difficult, or no maximum known",
    source="LifeEval",
    interval=BOOTSTRAP,
)
def hard_easy_slope(
    overconfidence: ArrayLike, difficulty: ArrayLike, clusters: Sequence[Hashable] | None = None
) -> HardEasySlope:
    """Least-squares slope of overconfidence on 1 - maximum achievable score.

    The line minimises sum_i (o_i - a - b d_i)^2. The slope's variance is the cluster-robust
    sandwich with Bell and McCaffrey's (2002) correction (CR2), residuals of a cluster being taken
    to be correlated; the interval has the t quantile at G - 1 degrees of freedom for G clusters.
    Repeating every judgment in its cluster changes nothing. The line is NaN if fewer than two
    judgments without a NaN are left or all are equally difficult.

    Args:
        overconfidence: Confidence less outcome, one per judgment.
        difficulty: In [0, 1]; in LifeEval 1 - the maximum achievable score, which is the greatest
            true probability of any answer.
        clusters: The cluster of each judgment, within which residuals are correlated. Each
            judgment is its own if None. LifeEval's results have an interval over ages instead.

    Raises:
        ValueError: Lengths differ, or a value is infinite.

    Example:
        >>> line = hard_easy_slope([0.1, 0.2, 0.3], difficulty=[0.2, 0.4, 0.6])
        >>> round(line.slope, 9), abs(round(line.intercept, 9))
        (0.5, 0.0)
    """
    all_y, all_x = aligned(overconfidence=overconfidence, difficulty=difficulty)
    for name, values in (("overconfidence", all_y), ("difficulty", all_x)):
        if np.isinf(values).any():
            raise ValueError(f"{name} holds an infinite value; give finite numbers, or NaN.")
    cluster_names = list(range(len(all_y))) if clusters is None else list(clusters)
    if len(cluster_names) != len(all_y):
        raise ValueError(f"{len(cluster_names)} clusters for {len(all_y)} judgments.")
    present = ~np.isnan(all_y + all_x)
    y, x = all_y[present], all_x[present]
    members: dict[Hashable, list[int]] = {}  # rows of x and y by cluster
    for row, k in enumerate(np.flatnonzero(present)):
        members.setdefault(cluster_names[k], []).append(row)
    nan = float("nan")
    if len(y) < 2 or np.ptp(x) < _ROUNDING:
        return HardEasySlope(nan, nan, nan, nan, nan, len(y), dict.fromkeys(members, nan))

    # The line. x is centred, so that nothing is lost where difficulties are nearly equal; `height`
    # is the line's value at their mean.
    design = np.column_stack([np.ones_like(x), x - x.mean()])
    inverse = np.asarray(np.linalg.inv(design.T @ design), np.float64)
    height, slope = map(float, inverse @ design.T @ y)
    residuals = np.asarray(y - design @ np.array([height, slope]), np.float64)
    intercept = height - slope * float(x.mean())

    # The slope's error, from what each cluster adds to it.
    scores = {
        name: _cluster_score(design[rows], inverse, residuals[rows])
        for name, rows in members.items()
    }
    error = float(np.linalg.norm(list(scores.values()))) if len(scores) > 1 else nan
    low, high = slope_interval(slope, error, len(scores))
    return HardEasySlope(slope, intercept, error, low, high, len(y), scores)


def slope_interval(slope: float, standard_error: float, clusters: int) -> tuple[float, float]:
    """Return the 95% interval of a slope by t with `clusters` - 1 degrees of freedom.

    NaN for fewer than two clusters.
    """
    half = float(stdtrit(clusters - 1, 0.975)) * standard_error if clusters > 1 else np.nan
    return slope - half, slope + half


def _cluster_score(design: FloatArray, inverse: FloatArray, residuals: FloatArray) -> float:
    """Return what a cluster g adds to the error of a regression slope; squares sum to its variance.

    It is the slope's row of (X'X)^-1 X_g' (I - H_gg)^-1/2 e_g, with H_gg = X_g (X'X)^-1 X_g'. The
    root undoes that the fitted line takes variance from the residuals (CR2; Bell and McCaffrey
    2002, Survey Methodology 28). A cluster that alone decides a coefficient adds nothing there.

    Args:
        design: X_g, the rows of the cluster's judgments: 1 and the centred difficulty.
        inverse: (X'X)^-1 of all judgments.
        residuals: e_g, the residuals of the cluster's judgments.
    """
    values, vectors = np.linalg.eigh(np.eye(len(residuals)) - design @ inverse @ design.T)
    root = np.where(values > _ZERO_EIGENVALUE, values, np.inf) ** -0.5  # 0 where an eigenvalue is 0
    adjusted = vectors @ (root * (vectors.T @ residuals))
    return float(inverse[1] @ design.T @ adjusted)


numbers(
    About(
        undefined="no item, or no maximum known",
        source="LifeEval",
        interval=no_interval("a constant of the life table"),
    ),
    maximum_achievable_score="Mean of the greatest true probability that any answer has (MAS).",
)


@metric(
    definition="Mean of the greatest true probability of any answer in whole years (maximum "
    "achievable score) less that of the model's answer. It can be slightly negative: the window of "
    "years in which an answer with decimals is right can contain one year more.",
    direction="lower",
    low=-1,
    undefined="no readable answer, or no maximum known",
    source="LifeEval",
)
def optimal_answer_gap(maximum: ArrayLike, true_probability: ArrayLike) -> float:
    """Mean of the maximum achievable score less the true probability of the answer given.

    In LifeEval answers are ages at death, and the maximum is the greatest true probability that any
    whole age has. Both are in [0, 1]. Pairs with a NaN are left out; NaN if none is left.

    Example:
        >>> round(optimal_answer_gap([0.5, 0.9], [0.4, 0.9]), 12)
        0.05
    """
    best, truth = shares(maximum=maximum, true_probability=true_probability)
    return mean_or_nan(best - truth)


numbers(
    About(
        undefined="no readable answer",
        unit="years",
        source="LifeEval",
        interval=no_interval("answers of one decade and radius depend on each other"),
    ),
    mean_answer="Mean of the ages at death that were answered.",
)
numbers(
    About(
        undefined="no item, or no best answer known",
        unit="years",
        source="LifeEval",
        interval=no_interval("a constant of the life table"),
    ),
    mean_best_answer="Mean of the lowest ages that have the maximum achievable score.",
)
