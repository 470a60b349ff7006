"""The interval (Winkler) score: width plus a penalty for each miss."""

from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import FloatArray, aligned, checked_level, mean_or_nan


def interval_scores(
    lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float
) -> FloatArray:
    """The interval score of each judgment; NaN where a bound or the truth is."""
    low, high, target = aligned(lower=lower, upper=upper, truth=truth)
    alpha = (100 - checked_level(level)) / 100
    below = (low - target).clip(min=0)
    above = (target - high).clip(min=0)
    scores: FloatArray = (high - low) + 2 / alpha * (below + above)
    return scores


def interval_score(lower: ArrayLike, upper: ArrayLike, truth: ArrayLike, level: float) -> float:
    r"""Mean interval score (Winkler score); lower is better.

    $$S_\alpha(l, u; y) = (u - l) + \frac{2}{\alpha}(l - y)_+ + \frac{2}{\alpha}(y - u)_+,
    \quad \alpha = 1 - \text{level}/100$$

    Source: Winkler (1972); Gneiting and Raftery (2007), section 6.2. It is 2/alpha times the sum
    of the pinball losses of the two bounds as quantiles at alpha/2 and 1 - alpha/2.

    Args:
        lower: Lower bounds, one a judgment.
        upper: Upper bounds, likewise.
        truth: True values, likewise.
        level: Nominal level in percent, between 0 and 100.

    Returns:
        A number >= 0 in the unit of the bounds (FermiEval: orders of magnitude); infinite where
        an interval has an infinite width. Judgments with a NaN are left out; NaN if none is left.

    Example:
        >>> interval_score([1], [3], truth=[4], level=90)  # 2 + 2/0.1 * 1
        22.0
    """
    return mean_or_nan(interval_scores(lower, upper, truth, level))
