"""From statistics of item weights to rows of results and to paired differences."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from inspect_confidence._results import Result, encode_condition
from inspect_confidence.metrics import METRICS, Statistic, bootstrap, percentile_interval
from inspect_confidence.studies._study import Difference, Resampling

FloatArray = NDArray[np.float64]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Estimand:
    """A number to estimate.

    Attributes:
        condition: What the study varied.
        metric: Its name in the metric registry.
        statistic: How it follows from item weights.
        n: Judgments that it rests on.
        note: For the results.
        interval: Its 95% interval where that is not the bootstrap's.
    """

    condition: Mapping[str, object]
    metric: str
    statistic: Statistic
    n: int
    note: str
    interval: tuple[float, float] | None = None


def estimates(
    estimands: Iterable[Estimand],
    strata: NDArray[np.int64],
    run: Result,
    resampling: Resampling,
) -> list[Result]:
    """A row of results for each estimand, all intervals from the same resamples of the items.

    Args:
        estimands: What to estimate.
        strata: The stratum of each item; train and test items are drawn separately.
        run: A row whose task, model and dataset the results take over.
        resampling: Number and seed.
    """
    wanted = list(estimands)
    drawn = {i: one.statistic for i, one in enumerate(wanted) if one.interval is None}
    values = bootstrap(drawn, strata, resamples=resampling.resamples, seed=resampling.seed)
    everything = np.ones((1, len(strata)))
    results = []
    for i, one in enumerate(wanted):
        value = float(one.statistic(everything)[0])
        low, high = one.interval or percentile_interval(values[i])
        notes = [one.note]
        if np.isnan(value):
            low = high = float("nan")
            notes.insert(0, f"undefined: {METRICS[one.metric].undefined}")
        elif i in values and (undefined := int(np.isnan(values[i]).sum())):
            notes.append(f"undefined in {undefined} of {len(values[i])} resamples, left out there")
        results.append(
            replace(
                run,
                condition=encode_condition(one.condition),
                metric=one.metric,
                value=value,
                ci_low=low,
                ci_high=high,
                n=one.n,
                note="; ".join(note for note in notes if note),
            )
        )
    return results


def differences(
    statistics: Mapping[tuple[str, str], Statistic],
    items: Mapping[tuple[str, str], int],
    units: int,
    resampling: Resampling,
) -> list[Difference]:
    """Paired differences of two contenders on the same items.

    The statistics weigh 2n units: the n items of the first contender, then the same n of the
    second. Items are resampled together for the interval. For the p-value the two contenders are
    exchanged at random within each item.

    Args:
        statistics: By condition and metric.
        items: How many items each rests on.
        units: n.
        resampling: Number and seed of resamples, and of permutations.
    """
    first, second = np.zeros((2, 1, 2 * units))
    first[:, :units] = 1
    second[:, units:] = 1

    def paired(statistic: Statistic) -> Statistic:
        def difference(weights: FloatArray) -> FloatArray:
            nothing = np.zeros_like(weights)
            return statistic(np.hstack([weights, nothing])) - statistic(
                np.hstack([nothing, weights])
            )

        return difference

    drawn = bootstrap(
        {name: paired(statistic) for name, statistic in statistics.items()},
        np.zeros(units, np.int64),
        resamples=resampling.resamples,
        seed=resampling.seed,
    )
    p_values = _exchange(statistics, units, resampling)
    results = []
    for (condition, metric), statistic in statistics.items():
        one, other = float(statistic(first)[0]), float(statistic(second)[0])
        low, high = percentile_interval(drawn[condition, metric])
        results.append(
            Difference(
                condition,
                metric,
                one,
                other,
                one - other,
                low,
                high,
                p_values[condition, metric],
                items[condition, metric],
            )
        )
    return results


def _exchange(
    statistics: Mapping[Name, Statistic], units: int, resampling: Resampling
) -> dict[Name, float]:
    """Two-sided p-values of exchanging the contenders within items, the observed one counted."""
    rng = np.random.default_rng([resampling.seed, 1])
    observed = {
        name: abs(_swapped(statistic, np.zeros((1, units)))[0])
        for name, statistic in statistics.items()
    }
    extreme = dict.fromkeys(statistics, 0)
    done = 0
    while done < resampling.resamples:
        rows = min(500, resampling.resamples - done)
        swap = rng.integers(2, size=(rows, units)).astype(float)
        for name, statistic in statistics.items():
            values = np.abs(_swapped(statistic, swap))
            extreme[name] += int((values >= observed[name] - 1e-12).sum())
        done += rows
    return {
        name: (extreme[name] + 1) / (done + 1) if not np.isnan(observed[name]) else float("nan")
        for name in statistics
    }


def _swapped(statistic: Statistic, swap: FloatArray) -> FloatArray:
    """First less second contender after exchanging them where `swap` is 1."""
    return statistic(np.hstack([1 - swap, swap])) - statistic(np.hstack([swap, 1 - swap]))
