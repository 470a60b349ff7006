"""Interval judgments at one level, and the statistics of them over resampled items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import Estimate, Statistics, unit_indices, wilson_interval

SHARES = ("coverage", "miss_below", "miss_above")
"""Metrics that are a share of judgments, with Wilson's interval."""

_ARRAYS = ("unit", "lower", "upper", "truth", "epoch", "empty")


@dataclass(frozen=True)
class Intervals:
    """Interval judgments at one nominal level, as arrays with one entry a judgment.

    Attributes:
        level: Nominal level in percent.
        unit: The index of the judgment's unit, its item or cluster, of `units` in all.
        units: How many units there are.
        lower: Lower bounds; NaN where the reply could not be read.
        upper: Upper bounds; NaN where the reply could not be read.
        truth: True values.
        epoch: Epochs.
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
    def from_frame(cls, frame: pd.DataFrame, units: pd.Index) -> "Intervals":
        """Take a frame's judgments of one level; `units` are the items, in the weights' order.

        Where bounds cross, as after a conformal step, the set is empty; see `moved`.
        """
        ok = frame["status"] == "ok"
        lower, upper = (frame[name].where(ok).to_numpy(float) for name in ("lower", "upper"))
        truth, epoch = (frame[name].to_numpy(float) for name in ("truth", "epoch"))
        level = float(frame["level"].iloc[0]) if len(frame) else np.nan
        empty = np.zeros(len(frame), bool)
        unit = unit_indices(frame, units)
        return cls(level, unit, len(units), lower, upper, truth, epoch, empty).moved(0)

    def select(self, chosen: NDArray[np.bool_]) -> "Intervals":
        """Return the chosen judgments, over the same units."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _ARRAYS})

    def moved(self, offset: float) -> "Intervals":
        """Return the intervals with both bounds moved outwards, as conformal adjustment does.

        Where a negative offset would make the bounds cross, the set is empty: it covers nothing,
        has no width, and its score and the side of its miss are those of its midpoint (above it,
        at a tie).
        """
        lower, upper = metrics.conformal_interval(self.lower, self.upper, offset)
        middle, empty = (self.lower + self.upper) / 2, lower > upper
        lower, upper = (np.where(empty, middle, bound) for bound in (lower, upper))
        return replace(self, lower=lower, upper=upper, empty=empty)

    def values(self) -> dict[str, FloatArray]:
        """Return each judgment's value of the metrics that are means; NaN where it has none."""
        bounds = (self.lower, self.upper, self.truth)
        inside = np.where(self.empty, 0, 1) * metrics.covered(*bounds)
        below, readable = self.truth < self.lower, ~np.isnan(inside)
        return {
            "coverage": inside,
            "interval_score": metrics.interval_scores(*bounds, self.level),
            "mean_width": np.where(readable, self.upper - self.lower, np.nan),
            "miss_below": np.where(readable, below, np.nan),
            "miss_above": np.where(readable, (inside == 0) & ~below, np.nan),
        }

    def statistics(self) -> dict[str, metrics.Statistic]:
        """Return every metric of the judgments as a statistic of item weights."""
        values = self.values()
        means = {}
        for name, column in values.items():
            ends = self._ends(name, column)
            means[name] = metrics.mean_of(column, self.unit, self.units, ends)
        return {
            **means,
            "coverage_gap": add_constant(means["coverage"], -self.level / 100),
            "median_width": metrics.median_of(values["mean_width"], self.unit, self.units),
        }

    def _ends(self, metric: str, values: FloatArray) -> tuple[float, float]:
        """Return the least and the greatest possible value of a metric, as far as they are known.

        The greatest score is at least that of a miss by half the mean width.
        """
        if metric in SHARES:
            return 0.0, 1.0
        finite, widths = values[np.isfinite(values)], self.upper - self.lower
        if metric != "interval_score" or not len(finite):
            return metrics.UNBOUNDED_ABOVE
        width = widths[np.isfinite(widths)].mean()
        miss = width + width / (1 - self.level / 100)  # 2/alpha times half the width
        low, high = metrics.extremes_of(finite, metrics.UNBOUNDED_ABOVE)
        return float(low), float(np.maximum(high, miss))

    def all_statistics(
        self, condition: Mapping[str, object], n_asked: int, note: str = ""
    ) -> Iterator[Statistics]:
        """Yield the metrics with their estimates; shares have Wilson's interval.

        Args:
            condition: Condition of all metrics.
            n_asked: How many intervals were asked for.
            note: Note of all metrics.
        """
        values = self.values()
        intervals = {name: wilson_interval(values[name], self.unit, self.units) for name in SHARES}
        low, high = intervals["coverage"]
        intervals["coverage_gap"] = (low - self.level / 100, high - self.level / 100)
        counts = self.counts(n_asked)
        for metric, statistic in self.statistics().items():
            interval = intervals.get(metric)
            estimate = Estimate(condition, metric, note=note, interval=interval, **counts)
            yield Statistics([estimate], statistic)

    def counts(self, n_asked: int) -> dict[str, Any]:
        """Return the counts of an `Estimate` of these judgments."""
        readable = ~np.isnan(self.values()["coverage"])
        return {
            "n": int(readable.sum()),
            "n_asked": n_asked,
            "units": len(np.unique(self.unit[readable])),
        }

    def first_epochs(self) -> "Intervals":
        """Return the readable judgment of the lowest epoch of each item, or of each cluster."""
        order = np.lexsort((self.epoch, self.unit))
        scores = metrics.conformity_scores(self.lower, self.upper, self.truth)
        order = order[~np.isnan(scores)[order]]
        _, first = np.unique(self.unit[order], return_index=True)
        chosen = np.zeros(len(self.unit), bool)
        chosen[order[first]] = True
        return self.select(chosen)


def plateau_statistic(coverages: Mapping[float, metrics.Statistic]) -> metrics.Statistic:
    """Return the mean over levels of coverage/level; levels with no coverage are left out."""
    levels = np.array(list(coverages))

    def mean_ratio(*shares: FloatArray) -> FloatArray:
        ratios = np.stack(shares) / (levels / 100)[:, None]
        present = ~np.isnan(ratios)
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(present, ratios, 0).sum(axis=0) / present.sum(axis=0)
        return mean

    return metrics.CombinedStatistic(list(coverages.values()), mean_ratio)


def add_constant(statistic: metrics.Statistic, offset: float) -> metrics.Statistic:
    """Return the statistic plus a constant."""
    return metrics.CombinedStatistic([statistic], lambda values: values + offset)
