"""Interval judgments at one level, and the statistics of them over resampled items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import places, replied, wilson

SHARES = ("coverage", "miss_below", "miss_above", "format_failure_rate")
"""Metrics that are a share of judgments, with Wilson's interval."""

_ARRAYS = ("unit", "lower", "upper", "truth", "failed", "epoch")


@dataclass(frozen=True)
class Intervals:
    """Judgments at one nominal level in percent, as arrays with one entry a judgment.

    Attributes:
        level: In percent.
        unit: The number of the judgment's item, of `units` in all.
        lower: Lower bounds; NaN where the reply could not be read.
        upper: Upper bounds, likewise.
        failed: 1 where the reply could not be read, 0 where it was, NaN where there was none.
    """

    level: float
    unit: IntArray
    units: int
    lower: FloatArray
    upper: FloatArray
    truth: FloatArray
    failed: FloatArray
    epoch: FloatArray

    @classmethod
    def of(cls, frame: pd.DataFrame, units: pd.Index) -> "Intervals":
        """The judgments of a frame of one level; `units` are the items, in the weights' order."""
        ok = frame["status"] == "ok"
        failed = np.where(replied(frame["status"]), ~ok, np.nan).astype(float)
        if "failed" in frame:  # an interval made of several replies
            failed = frame["failed"].to_numpy(float)
        lower, upper = (frame[name].where(ok).to_numpy(float) for name in ("lower", "upper"))
        truth, epoch = (frame[name].to_numpy(float) for name in ("truth", "epoch"))
        level = float(frame["level"].iloc[0]) if len(frame) else np.nan
        return cls(level, places(frame, units), len(units), lower, upper, truth, failed, epoch)

    def where(self, chosen: NDArray[np.bool_]) -> "Intervals":
        """The judgments chosen, over the same units."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _ARRAYS})

    def values(self) -> dict[str, FloatArray]:
        """What each judgment adds to the metrics that are means; NaN where it adds nothing."""
        bounds = (self.lower, self.upper, self.truth)
        inside = metrics.covered(*bounds)
        read = ~np.isnan(inside)
        return {
            "coverage": inside,
            "interval_score": metrics.interval_scores(*bounds, self.level),
            "mean_width": self.upper - self.lower,
            "miss_below": np.where(read, self.truth < self.lower, np.nan),
            "miss_above": np.where(read, self.truth > self.upper, np.nan),
            "format_failure_rate": self.failed,
        }

    def statistics(self) -> dict[str, metrics.Statistic]:
        """Every metric of the judgments, as a statistic of item weights."""
        means = {
            name: metrics.mean_of(values, self.unit, self.units)
            for name, values in self.values().items()
        }
        return {
            **means,
            "coverage_gap": shifted(means["coverage"], -self.level / 100),
            "median_width": metrics.median_of(self.upper - self.lower, self.unit),
        }

    def share_intervals(self) -> dict[str, tuple[float, float]]:
        """Wilson's intervals of the metrics that are shares, and of the coverage gap."""
        values = self.values()
        found = {name: wilson(values[name], self.unit, self.units) for name in SHARES}
        low, high = (end - self.level / 100 for end in found["coverage"])
        return {**found, "coverage_gap": (low, high)}

    def beside(self, other: "Intervals") -> "Intervals":
        """Both judgments of the same n items, over 2n units."""
        joined = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in _ARRAYS[1:]
        }
        unit = np.concatenate([self.unit, other.unit + self.units])
        return Intervals(self.level, unit, 2 * self.units, **joined)

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


def conformal_statistics(train: Intervals, test: Intervals) -> dict[str, metrics.Statistic]:
    """The conformal step as statistics of item weights, its offset learned anew in each resample.

    Where a negative offset would make bounds cross, the set is empty: it covers nothing, has no
    width, and its score and the side of its miss are those of its midpoint (above it, at a tie).
    """
    calibration = train.one_an_item()
    scores = metrics.conformity_scores(calibration.lower, calibration.upper, calibration.truth)
    order = np.argsort(scores)
    ranked, of_unit = scores[order], calibration.unit[order]

    def offset(weights: FloatArray) -> FloatArray:
        mass = np.cumsum(weights[:, of_unit], axis=1)
        total = mass[:, -1].astype(np.int64) if len(ranked) else np.zeros(len(weights), np.int64)
        rank = metrics.conformal_rank(total, test.level)
        enough = rank <= total
        place = (mass >= rank[:, None]).argmax(axis=1) if len(ranked) else 0
        return np.where(enough, np.append(ranked, np.inf)[place], np.inf)

    read = test.where(~np.isnan(metrics.conformity_scores(test.lower, test.upper, test.truth)))
    below, above = read.lower - read.truth, read.truth - read.upper
    width, middle = read.upper - read.lower, (read.upper + read.lower) / 2
    middle_width = metrics.middle_of(width, read.unit)

    def mean(values: Callable[[FloatArray], FloatArray]) -> metrics.Statistic:
        """The mean over test judgments of values that depend on the offset."""

        def statistic(weights: FloatArray) -> FloatArray:
            mine = weights[:, read.unit]
            shift = offset(weights)
            finite = np.isfinite(shift)
            with np.errstate(invalid="ignore"):
                sums = (mine * values(np.where(finite, shift, 0)[:, None])).sum(axis=1)
                means = sums / mine.sum(axis=1)
                # At an infinite offset a constant stands for all judgments: take one of them.
                endless = values(np.full((1, 1), np.inf))[0, :1] if len(middle) else np.nan
            return np.where(finite, means, np.where(mine.sum(axis=1) > 0, endless, np.nan))

        return statistic

    def widths(shift: FloatArray) -> FloatArray:
        return np.maximum(width + 2 * shift, 0)

    def missed(shift: FloatArray, distance: FloatArray, beside: NDArray[np.bool_]) -> FloatArray:
        return np.where(width + 2 * shift < 0, beside, distance > shift).astype(float)

    def median_width(weights: FloatArray) -> FloatArray:
        shift = offset(weights)
        low, high = (np.maximum(half + 2 * shift, 0) for half in middle_width(weights))
        return (low + high) / 2

    def score(shift: FloatArray) -> FloatArray:
        outside = np.maximum(np.maximum(below, above) - shift, 0)
        empty = width + 2 * shift < 0
        distance = np.where(empty, np.abs(read.truth - middle), outside)
        scores: FloatArray = widths(shift) + 200 / (100 - test.level) * distance
        return scores

    coverage = mean(lambda shift: (np.maximum(below, above) <= shift).astype(float))
    adjusted = mean(score)
    before = read.statistics()["interval_score"]
    return {
        "coverage": coverage,
        "coverage_gap": shifted(coverage, -test.level / 100),
        "interval_score": adjusted,
        "interval_score_change": lambda w: adjusted(w) - before(w),
        "mean_width": mean(widths),
        "median_width": median_width,
        "miss_below": mean(lambda shift: missed(shift, below, read.truth < middle)),
        "miss_above": mean(lambda shift: missed(shift, above, read.truth >= middle)),
        "conformal_offset": offset,
    }


def plateau(coverages: Mapping[float, metrics.Statistic]) -> metrics.Statistic:
    """Mean over levels of coverage/level; levels with no coverage are left out."""

    def statistic(weights: FloatArray) -> FloatArray:
        ratios = np.stack([cover(weights) / (level / 100) for level, cover in coverages.items()])
        there = ~np.isnan(ratios)
        with np.errstate(invalid="ignore"):
            mean: FloatArray = np.where(there, ratios, 0).sum(axis=0) / there.sum(axis=0)
        return mean

    return statistic


def shifted(statistic: metrics.Statistic, by: float) -> metrics.Statistic:
    """The statistic plus a constant."""
    return lambda weights: statistic(weights) + by
