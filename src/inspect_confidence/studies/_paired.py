"""Paired differences of two contenders on the same items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspect_confidence.metrics import bootstrap, percentile_interval
from inspect_confidence.studies._study import Difference, Resampling

FloatArray = NDArray[np.float64]
PairedStatistic = Callable[[FloatArray | None, FloatArray | None], FloatArray]
"""Weights of items as either contender answered them -> numbers, as `paired` says."""


@dataclass(frozen=True)
class Paired:
    """Differences of two contenders on the same items, over resamples and over exchanges.

    Attributes:
        first: Values of the first contender, one a number.
        second: Of the second.
        draws: first - second over resamples of the items, of shape (resamples, numbers).
        exchanged: first - second with the contenders exchanged at random within items, likewise;
            what it would be if it made no difference which contender answered.
    """

    first: FloatArray
    second: FloatArray
    draws: FloatArray
    exchanged: FloatArray

    @property
    def p_values(self) -> FloatArray:
        """Two-sided p of each difference, the observed exchange counted; NaN if undefined."""
        return permutation_p(self.first - self.second, self.exchanged)


def permutation_p(observed: FloatArray, exchanged: FloatArray) -> FloatArray:
    """Two-sided p of observed differences: (exchanges at least as far from 0 + 1) / (all + 1).

    Args:
        observed: One a number.
        exchanged: Of shape (permutations, numbers); an undefined one counts as far.
    """
    # The tolerance keeps exchanges that change nothing from being rounded below what they equal.
    nearer = np.abs(exchanged) < np.abs(observed) - 1e-12
    p = (len(exchanged) - nearer.sum(axis=0) + 1) / (len(exchanged) + 1)
    return np.where(np.isnan(observed), np.nan, p)


def paired(
    statistic: PairedStatistic, units: int, resampling: Resampling, stream: int | None = None
) -> Paired:
    """Two contenders' numbers on the same items, their differences resampled and exchanged.

    Args:
        statistic: Weights of the n items as the first contender answered them, and as the second
            did -> an array of shape (resamples, numbers); None stands for weights of 0.
        units: n.
        resampling: Number and seed of resamples, and of permutations.
        stream: Sets the draws of one data set apart from those of another.
    """
    streams = [] if stream is None else [stream]
    drawn = bootstrap(
        {"": lambda weights: statistic(weights, None) - statistic(None, weights)},
        np.zeros(units, np.int64),
        resamples=resampling.resamples,
        seed=[resampling.seed, *streams],
    )[""]
    rng = np.random.default_rng([resampling.seed, *streams, 1])
    exchanged = []
    for start in range(0, resampling.resamples, 500):
        rows = min(500, resampling.resamples - start)
        swap = _coins(rng, rows, units)
        stay = 1 - swap
        exchanged.append(statistic(stay, swap) - statistic(swap, stay))
    everything = np.ones((1, units))
    first, second = statistic(everything, None)[0], statistic(None, everything)[0]
    return Paired(first, second, drawn, np.concatenate(exchanged))


def _coins(rng: np.random.Generator, rows: int, units: int) -> FloatArray:
    """0 or 1 for each unit, stored unit by unit as bootstrap weights are."""
    coins = np.empty((units, rows))
    for first in range(0, rows, 50):  # a block at a time: it stays in the processor's cache
        block = rng.integers(2, size=(min(50, rows - first), units))
        coins[:, first : first + len(block)] = block.T
    return coins.T


def differences(
    statistic: PairedStatistic,
    names: Sequence[tuple[str, str]],
    items: int | Sequence[int],
    units: int,
    resampling: Resampling,
) -> list[Difference]:
    """Paired differences of two contenders, as `compare` shows them.

    Args:
        statistic: As in `paired`.
        names: Condition and metric of each number.
        items: How many items each rests on.
        units: n.
        resampling: Number and seed of resamples, and of permutations.
    """
    found = paired(statistic, units, resampling)
    counts = [items] * len(names) if isinstance(items, int) else items
    results = []
    for i, (condition, metric) in enumerate(names):
        low, high = percentile_interval(found.draws[:, i])
        one, other, p = (float(part[i]) for part in (found.first, found.second, found.p_values))
        results.append(
            Difference(condition, metric, one, other, one - other, low, high, p, counts[i])
        )
    return results
