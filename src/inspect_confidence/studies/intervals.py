"""Interval judgments at one level, and the statistics of them over resampled items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import Estimate, Statistics, unit_indices, wilson

SHARES = ("coverage", "miss_below", "miss_above")
"""Metrics that are a share of judgments, with Wilson's interval."""

_ARRAYS = ("unit", "lower", "upper", "truth", "epoch", "empty")


@dataclass(frozen=True)
class Intervals:
    """Judgments at one nominal level in percent, as arrays with one entry a judgment.

    Attributes:
        level: In percent.
        unit: The number of the judgment's item, of `units` in all.
        lower: Lower bounds; NaN where the reply could not be read.
        upper: Upper bounds, likewise.
        empty: Whether an adjustment left nothing between the bounds, which are one point then.
    """

    level: float
    unit: IntArray
    units: int
    lower: FloatArray
    upper: FloatArray
    truth: FloatArray
    epoch: FloatArray
    empty: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: pd.DataFrame, units: pd.Index) -> "Intervals":
        """The judgments of a frame of one level; `units` are the items, in the weights' order.

        Where bounds cross, as after a conformal step, the set is empty; see `moved`.
        """
        ok = frame["status"] == "ok"
        lower, upper = (frame[name].where(ok).to_numpy(float) for name in ("lower", "upper"))
        truth, epoch = (frame[name].to_numpy(float) for name in ("truth", "epoch"))
        level = float(frame["level"].iloc[0]) if len(frame) else np.nan
        empty = np.zeros(len(frame), bool)
        unit = unit_indices(frame, units)
        return cls(level, unit, len(units), lower, upper, truth, epoch, empty).moved(0)

    def where(self, chosen: NDArray[np.bool_]) -> "Intervals":
        """The judgments chosen, over the same units."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _ARRAYS})

    def moved(self, offset: float) -> "Intervals":
        """Both bounds moved outwards by an offset, as conformal adjustment does.

        Where a negative offset would make them cross, the set is empty: it covers nothing, has no
        width, and its score and the side of its miss are those of its midpoint (above it, at a
        tie).
        """
        lower, upper = metrics.conformal_interval(self.lower, self.upper, offset)
        middle, empty = (self.lower + self.upper) / 2, lower > upper
        lower, upper = (np.where(empty, middle, bound) for bound in (lower, upper))
        return replace(self, lower=lower, upper=upper, empty=empty)

    def values(self) -> dict[str, FloatArray]:
        """What each judgment adds to the metrics that are means; NaN where it adds nothing."""
        bounds = (self.lower, self.upper, self.truth)
        inside = np.where(self.empty, 0, 1) * metrics.covered(*bounds)
        below, read = self.truth < self.lower, ~np.isnan(inside)
        return {
            "coverage": inside,
            "interval_score": metrics.interval_scores(*bounds, self.level),
            "mean_width": np.where(read, self.upper - self.lower, np.nan),
            "miss_below": np.where(read, below, np.nan),
            "miss_above": np.where(read, (inside == 0) & ~below, np.nan),
        }

    def statistics(self) -> dict[str, metrics.Statistic]:
        """Every metric of the judgments, as a statistic of item weights."""
        values = self.values()
        means = {name: metrics.mean_of(one, self.unit, self.units) for name, one in values.items()}
        return {
            **means,
            "coverage_gap": shifted(means["coverage"], -self.level / 100),
            "median_width": metrics.median_of(values["mean_width"], self.unit, self.units),
        }

    def estimands(
        self, condition: Mapping[str, object], asked: int, note: str = ""
    ) -> Iterator[Statistics]:
        """The metrics, with what their intervals go by: Wilson's where shares, misses for scores.

        Args:
            condition: Of all of them.
            asked: How many intervals were asked for.
            note: Of all of them.
        """
        values = self.values()
        own = {name: wilson(values[name], self.unit, self.units) for name in SHARES}
        low, high = (end - self.level / 100 for end in own["coverage"])
        own["coverage_gap"] = (low, high)
        about = self.about(asked)
        for metric, statistic in self.statistics().items():
            number = Estimate(condition, metric, note=note, interval=own.get(metric), **about)
            yield Statistics([number], statistic)

    def about(self, asked: int) -> dict[str, Any]:
        """What `Estimate` says of a metric of these judgments, of `asked` that were asked for."""
        read = ~np.isnan(self.values()["coverage"])
        items = len(np.unique(self.unit[read]))
        return {
            "n": int(read.sum()),
            "n_asked": asked,
            "units": items,
            "rarest": len(self.missed()),
        }

    def missed(self) -> set[int]:
        """The items of which an interval doesn't hold the truth."""
        return set(self.unit[self.values()["coverage"] == 0].tolist())

    def one_an_item(self) -> "Intervals":
        """The readable judgment of the lowest epoch of each item."""
        order = np.lexsort((self.epoch, self.unit))
        order = order[
            ~np.isnan(metrics.conformity_scores(self.lower, self.upper, self.truth))[order]
        ]
        _, first = np.unique(self.unit[order], return_index=True)
        chosen = np.zeros(len(self.unit), bool)
        chosen[order[first]] = True
        return self.where(chosen)


def plateau(coverages: Mapping[float, metrics.Statistic]) -> metrics.Statistic:
    """Mean over levels of coverage/level; levels with no coverage are left out."""

    def of(*shares: FloatArray) -> FloatArray:
        ratios = np.stack(
            [share / (level / 100) for level, share in zip(coverages, shares, strict=True)]
        )
        there = ~np.isnan(ratios)
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(there, ratios, 0).sum(axis=0) / there.sum(axis=0)
        return mean

    return metrics.CombinedStatistic(list(coverages.values()), of)


def shifted(statistic: metrics.Statistic, by: float) -> metrics.Statistic:
    """The statistic plus a constant."""
    return metrics.CombinedStatistic([statistic], lambda values: values + by)
