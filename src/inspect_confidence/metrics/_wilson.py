"""Wilson's interval for a share whose judgments come in items."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import aligned


def clustered_wilson_interval(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95
) -> tuple[float, float]:
    """Wilson's score interval with the effective sample size of clustered judgments.

    The share is p = sum(successes)/sum(trials). Its variance over items is
    v = sum((successes - p trials)^2) / sum(trials)^2, and Wilson's interval is taken at the
    sample size n = p (1 - p) / v at which independent judgments would vary as much. At one
    judgment an item n is the number of items and the interval is Wilson's own; judging every
    item twice with the same outcome changes nothing. Where items don't vary (v = 0, as for a share
    of 0 or 1), n is the number of items. n never exceeds the number of judgments.

    Args:
        successes: Number of successes of each item.
        trials: Number of judgments of each item; items with none, or with a NaN, are left out.
        confidence: Of the interval, between 0 and 1.

    Returns:
        Lower and upper limit, in [0, 1]; NaN if there is no judgment.

    Raises:
        ValueError: There are more successes than trials, or fewer than none, or the confidence is
            not between 0 and 1.

    Example:
        >>> low, high = clustered_wilson_interval([1, 0, 1, 1], [1, 1, 1, 1])
        >>> print(f"{low:.4f} {high:.4f}")
        0.3006 0.9544
    """
    # Imported here because it takes a second and brings pandas, which no other metric needs.
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

    hits, total = aligned(successes=successes, trials=trials)
    there = (total > 0) & ~np.isnan(hits)
    hits, total = hits[there], total[there]
    if ((hits < 0) | (hits > total)).any():
        raise ValueError("successes must lie between 0 and trials for every item.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence} is not between 0 and 1, as 0.95 is.")
    if not len(total):
        return float("nan"), float("nan")
    share = hits.sum() / total.sum()
    variance = np.square(hits - share * total).sum() / total.sum() ** 2
    independent = share * (1 - share) / total.sum()
    # A tolerance, because rounding leaves 1e-17 where items don't vary at all.
    varies = variance > 1e-9 * independent
    n = min(share * (1 - share) / variance, total.sum()) if varies else len(total)
    low, high = proportion_confint(share * n, n, alpha=1 - confidence, method="wilson")
    # Rounding leaves 1e-18 where the limit is exactly 0 or 1.
    return (0.0 if share == 0 else float(low)), (1.0 if share == 1 else float(high))
