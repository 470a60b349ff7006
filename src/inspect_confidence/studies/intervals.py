"""Interval judgments at one nominal level, and their statistics over resampled items."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    estimate_counts,
    unit_indices,
    wilson_interval,
)

SHARE_METRICS = ("coverage", "miss_below", "miss_above")
"""Metrics that are a share of judgments, with Wilson's interval."""

_ARRAY_FIELDS = ("unit_index", "lower", "upper", "truth", "epoch", "empty")


@dataclass(frozen=True)
class Intervals:
    """Interval judgments at one nominal level, as arrays with one entry a judgment.

    Attributes:
        level: Nominal level in percent.
        unit_index: Position of the judgment's resampled unit: its item, or its cluster.
        unit_count: How many units there are.
        lower: Lower bounds; NaN where the reply could not be read.
        upper: Upper bounds; NaN where the reply could not be read.
        truth: True values.
        epoch: Epochs.
        empty: Whether the interval is empty because bounds crossed; both bounds are then its
            midpoint.
    """

    level: float
    unit_index: IntArray
    unit_count: int
    lower: FloatArray
    upper: FloatArray
    truth: FloatArray
    epoch: FloatArray
    empty: NDArray[np.bool_]

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, units: pd.Index) -> "Intervals":
        """Return a frame's judgments of one level; the level is NaN if the frame has no rows.

        `units` are the names of all resampled items, or of their clusters, in the order of their
        weights. An interval whose bounds cross, as after a conformal step, is empty: it covers
        nothing and has width 0.
        """
        ok = frame["status"] == "ok"
        intervals = cls(
            level=float(frame["level"].iloc[0]) if len(frame) else np.nan,
            unit_index=unit_indices(frame, units),
            unit_count=len(units),
            lower=frame["lower"].where(ok).to_numpy(float),
            upper=frame["upper"].where(ok).to_numpy(float),
            truth=frame["truth"].to_numpy(float),
            epoch=frame["epoch"].to_numpy(float),
            empty=np.zeros(len(frame), bool),
        )
        # Bounds stay; intervals whose bounds cross are marked as empty.
        return intervals.move_bounds(0)

    def select(self, chosen: NDArray[np.bool_]) -> "Intervals":
        """Return the chosen judgments; the units stay the same."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _ARRAY_FIELDS})

    def move_bounds(self, offset: float) -> "Intervals":
        """Return the intervals with both bounds moved outwards by `offset`, as conformal steps do.

        If a negative offset makes the bounds cross, the interval is empty. An empty interval covers
        nothing and has width 0. Its score and the side of its miss are those of its midpoint; a
        true value at the midpoint counts as above.
        """
        lower, upper = metrics.conformal_interval(self.lower, self.upper, offset)
        middle, empty = (self.lower + self.upper) / 2, lower > upper
        lower, upper = (np.where(empty, middle, bound) for bound in (lower, upper))
        return replace(self, lower=lower, upper=upper, empty=empty)

    def values(self) -> dict[str, FloatArray]:
        """Return a value for each judgment by metric; the metric is their mean.

        Values are NaN where the interval could not be read. An empty interval, whose bounds are its
        midpoint, misses every true value: those below the midpoint, and all others as above it.
        """
        bounds_and_truth = (self.lower, self.upper, self.truth)
        inside = np.where(self.empty, 0, 1) * metrics.covered(*bounds_and_truth)
        below, readable = self.truth < self.lower, ~np.isnan(inside)
        return {
            "coverage": inside,
            "interval_score": metrics.interval_scores(*bounds_and_truth, self.level),
            "mean_width": np.where(readable, self.upper - self.lower, np.nan),
            "miss_below": np.where(readable, below, np.nan),
            "miss_above": np.where(readable, (inside == 0) & ~below, np.nan),
        }

    def statistics(self) -> dict[str, metrics.Statistic]:
        """Return the metrics of these intervals, by name, as functions of the units' weights."""
        values = self.values()
        widths = values["mean_width"]  # of each interval
        means = {}
        for name, column in values.items():
            # Pseudo-units with the least and the greatest value widen the intervals of few units.
            extremes = self._extremes(name, column)
            means[name] = metrics.mean_of(column, self.unit_index, self.unit_count, extremes)
        return {
            **means,
            "coverage_gap": add_constant(means["coverage"], -self.level / 100),
            "median_width": metrics.median_of(widths, self.unit_index, self.unit_count),
        }

    def _extremes(self, metric: str, values: FloatArray) -> tuple[float, float]:
        """Return the least and the greatest value that pseudo-units of a metric's mean have.

        Resamples of a mean add these pseudo-units, so that intervals of few units are wide enough.
        They are 0 and 1 for shares and unbounded above for widths. Those of the interval score
        follow from the observed `values`; the greatest is at least the score of a miss by half the
        mean width.
        """
        if metric in SHARE_METRICS:
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
        """Yield each metric of these interval judgments, with the statistic that computes it.

        Shares (coverage and misses on either side) and the gap between coverage and nominal level
        have Wilson's interval; others are resampled. `condition` and `note` are those of all
        metrics, `n_asked` is how many intervals were asked for.
        """
        values = self.values()
        intervals = {
            name: wilson_interval(values[name], self.unit_index, self.unit_count)
            for name in SHARE_METRICS
        }
        low, high = intervals["coverage"]
        intervals["coverage_gap"] = (low - self.level / 100, high - self.level / 100)
        counts = self.estimate_counts(n_asked)
        for metric, statistic in self.statistics().items():
            interval = intervals.get(metric)
            estimate = Estimate(condition, metric, note=note, interval=interval, **counts)
            yield Statistics([estimate], statistic)

    def estimate_counts(self, n_asked: int) -> dict[str, Any]:
        """Return the fields `n`, `n_asked` and `unit_count` of an `Estimate` of these judgments."""
        readable = ~np.isnan(self.values()["coverage"])
        return {**estimate_counts(readable, self.unit_index), "n_asked": n_asked}

    def first_epochs(self) -> "Intervals":
        """Return the first readable judgment, by epoch, of each unit that has one."""
        is_readable = ~np.isnan(metrics.conformity_scores(self.lower, self.upper, self.truth))
        order = np.lexsort((self.epoch, self.unit_index))  # by unit, then by epoch
        order = order[is_readable[order]]
        _, first = np.unique(self.unit_index[order], return_index=True)
        chosen = np.zeros(len(self.unit_index), bool)
        chosen[order[first]] = True
        return self.select(chosen)


def plateau_statistic(coverages: Mapping[float, metrics.Statistic]) -> metrics.Statistic:
    """Return the mean over levels of coverage / nominal level.

    Levels whose coverage is NaN are left out; if all are, the plateau is NaN.

    Args:
        coverages: Statistic of coverage by nominal level in percent.
    """
    levels = np.array(list(coverages)) / 100

    def mean_ratio(*shares: FloatArray) -> FloatArray:
        """Return the mean over levels of coverage / nominal level in each resample, without NaN."""
        ratios = np.stack(shares) / levels[:, None]  # (levels, resamples)
        present = ~np.isnan(ratios)
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(present, ratios, 0).sum(axis=0) / present.sum(axis=0)
        return mean

    return metrics.CombinedStatistic(list(coverages.values()), mean_ratio)


def add_constant(statistic: metrics.Statistic, offset: float) -> metrics.Statistic:
    """Return the statistic plus a constant."""
    return metrics.CombinedStatistic([statistic], lambda values: values + offset)
