"""What other packages compute, put together where no one of them has it all."""

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any, TypeVar

from scipy.stats import chi2
from statsmodels.stats.proportion import proportion_confint

from build import column_of

RowT = TypeVar("RowT", bound=tuple[Any, ...])


def share_interval(hits: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of statsmodels as Brown, Cai and DasGupta (2001) mend it.

    Of up to three successes the lower limit is at most the Poisson one, chi2(2 hits) at
    1 - confidence over 2n; of up to three failures the upper one likewise.
    """
    low, high = proportion_confint(hits, n, alpha=1 - confidence, method="wilson")

    def poisson(count: float) -> float:
        return float(chi2.ppf(1 - confidence, 2 * count)) / (2 * n)

    failures = n - hits
    if 0 < hits <= 3 and hits < failures:
        low = min(low, poisson(hits))
    if 0 < failures <= 3 and failures < hits:
        high = max(high, 1 - poisson(failures))
    return float(low), float(high)


def falling_orders(rows: Iterable[RowT]) -> Iterator[tuple[RowT, ...]]:
    """Every order of judgments in which their confidences, which come first, never rise."""
    for order in permutations(rows):
        confidences = column_of(order, 0)
        if confidences == sorted(confidences, reverse=True):
            yield order
