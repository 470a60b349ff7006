"""Choice of a temperature on train items, and its metrics on test items.

The metrics describe the chosen temperature on new items, so only test items are resampled. There
are two kinds: a temperature that scales distributions of tokens, and a temperature at which replies
were sampled (decoding).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    constant_statistic,
    means,
)
from inspect_confidence.studies.intervals import Intervals


@dataclass(frozen=True)
class SplitDistributions:
    """Distributions of one split, one for each item and epoch that could be read.

    Attributes:
        distributions: Probabilities of integers.
        truth: True values.
        unit_index: The index of each distribution's item.
        unit_count: How many items there are, of both splits.
        n_asked: How many items and epochs the split has.
    """

    distributions: Sequence[Mapping[int, float]]
    truth: FloatArray
    unit_index: IntArray
    unit_count: int
    n_asked: int


@dataclass(frozen=True)
class LikeliestTemperature:
    """Statistic of the likeliest temperature on the grid: item weights -> (resamples,).

    Attributes:
        losses: Negative log-likelihood of each train judgment, of shape (judgments, temperatures).
        unit_index: The index of each judgment's item.
        order: Positions of the temperatures in order of preference, for ties; nearest to 1 first.
    """

    losses: FloatArray
    unit_index: IntArray
    order: IntArray = field(default_factory=lambda: metrics.NEAREST_TO_ONE)

    @classmethod
    def from_train(cls, train: SplitDistributions) -> "LikeliestTemperature":
        """Compute how unlikely each true value is at each temperature (`losses`).

        Judgments whose true value has no probability are left out: no temperature gives it one.
        """
        values, masses = metrics.ranked(train.distributions)
        is_seen = metrics.truth_seen(values, masses, train.truth)
        values, masses, truth = values[is_seen], masses[is_seen], train.truth[is_seen]
        losses = []  # by temperature: the negative log-likelihood of each true value
        for temperature in metrics.TEMPERATURES:
            losses.append(metrics.negative_log_likelihood(values, masses, truth, temperature))
        return cls(np.stack(losses, axis=1), train.unit_index[is_seen])

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return the temperature of the grid with the smallest weighted loss in each resample.

        `weights` are those of items, of shape (resamples, items). Of temperatures whose losses
        agree to nine decimals the one nearest to 1 is returned. It is NaN without train judgments.
        """
        judgment_weights = weights[:, self.unit_index]
        # Losses have the shape (judgments, temperatures), sums (resamples, temperatures). `order`
        # puts temperatures near 1 first, as `argmin` takes the first of ties.
        sums = np.round((judgment_weights @ self.losses)[:, self.order], 9)
        temperatures = metrics.TEMPERATURES[self.order[sums.argmin(axis=1)]]
        return np.where(judgment_weights.sum(axis=1) > 0, temperatures, np.nan)


def scaled_statistics(
    test: SplitDistributions,
    level: float,
    temperature: float,
    condition: Mapping[str, object],
    note: str,
) -> Iterator[Statistics]:
    """Yield the metrics of test items' prediction sets at a temperature above 0.

    The temperature T changes a probability p to p^(1/T), normalised. An item's set has its most
    probable integers, the fewest that together exceed the level in percent. The metrics of
    intervals are those of the sets' hulls, from the smallest to the greatest integer. The share of
    sets that contain the true value is `set_coverage`.
    """
    values, masses = metrics.ranked(test.distributions)
    scaled = metrics.tempered(masses, temperature)
    low, high = metrics.set_hulls(values, scaled, level)
    hulls = Intervals(
        level=level,
        unit_index=test.unit_index,
        unit_count=test.unit_count,
        lower=low,
        upper=high,
        truth=test.truth,
        epoch=np.ones(len(low)),  # only `first_epochs` needs the real ones
        empty=np.zeros(len(low), bool),
    )
    yield from hulls.all_statistics(condition, test.n_asked, note)
    # Items that could not be read follow as NaN, so that they count as asked but in no mean; the
    # unit that padding gives them, 0, has no effect.
    covered = np.full(test.n_asked, np.nan)
    covered[: len(low)] = metrics.set_covers(values, scaled, level, test.truth)
    unit_index = np.pad(test.unit_index, (0, test.n_asked - len(low)))
    yield means(condition, {"set_coverage": covered}, unit_index, test.unit_count, note)


def scaled_temperatures(
    train: SplitDistributions,
    test: SplitDistributions,
    levels: Sequence[float],
    condition: Mapping[str, object],
) -> Iterator[Statistics]:
    """Yield the metrics of test items' prediction sets at temperatures chosen on the train items.

    There are two rules, named in the condition: `score` minimizes the mean interval score over
    `levels`, `nll` maximizes the likelihood. Both choose from a grid of temperatures. The chosen
    temperature comes first; its interval is of `nll` only, which chooses anew in each resample.
    Test items' metrics take the temperature of the sample; there are none if it is NaN, for lack of
    train items.
    """
    # A true value to which no token gave a probability has the likelihood 0 at any temperature.
    is_seen = metrics.truth_seen(*metrics.ranked(train.distributions), train.truth)
    likeliest = metrics.temperature_nll(train.distributions, train.truth)
    least_score = constant_statistic(
        metrics.temperature_score(train.distributions, train.truth, levels)
    )
    likeliest_note = (
        f"maximum likelihood on train ({likeliest:.4g} off the grid); {(~is_seen).sum()} train "
        "items whose truth was not seen left out"
    )
    # By rule: its temperature as a statistic, the units of the judgments that choose it, a remark.
    rules: dict[str, tuple[metrics.Statistic, IntArray, str]] = {
        "score": (least_score, train.unit_index, "least mean interval score on train"),
        "nll": (LikeliestTemperature.from_train(train), train.unit_index[is_seen], likeliest_note),
    }
    for rule, (statistic, unit_index, remark) in rules.items():
        rule_condition = {**condition, "scaling": rule, "split": "test"}
        note = f"one temperature, on a grid 2.3% apart: {remark}"
        described = Estimate(
            rule_condition,
            f"temperature_{rule}",
            n=len(unit_index),
            note=note,
            n_asked=train.n_asked,
            unit_count=len(np.unique(unit_index)),
        )
        yield Statistics([described], statistic)
        temperature = float(statistic(np.ones((1, train.unit_count)))[0])
        for level in () if np.isnan(temperature) else levels:
            yield from scaled_statistics(
                test, level, temperature, condition={**rule_condition, "level": level}, note=note
            )


def objectives(candidates: Sequence[Intervals], penalty: float) -> FloatArray:
    """Return mean interval score + penalty * max(0, nominal - coverage) of each candidate.

    Candidates are the intervals at each temperature; the lowest value is the best. The score alone
    would accept intervals that cover too rarely. The value is NaN without readable intervals.
    """
    unit_weights = np.ones((1, candidates[0].unit_count))
    values = []
    for intervals in candidates:
        statistics = intervals.statistics()
        coverage_gap = float(statistics["coverage_gap"](unit_weights)[0])  # coverage - nominal
        undercoverage = max(-coverage_gap, 0)
        score = float(statistics["interval_score"](unit_weights)[0])
        values.append(score + penalty * undercoverage)
    return np.array(values)


def decoding_temperatures(
    frames: Mapping[float, pd.DataFrame],
    units: pd.Index,
    condition: Mapping[str, object],
    penalty: float,
) -> Iterator[Statistics]:
    """Yield metrics of test items at the sampling temperature that train items choose.

    The temperature is chosen for each level, and once for all levels by the sum of their
    objectives. If an objective is undefined, so is the temperature, which then has no metrics. Of
    temperatures whose objectives agree to nine decimals, the lowest is chosen. Nothing is yielded
    without a level that all temperatures have.

    `frames` are, by temperature, the intervals of `sampling`, one for each item, epoch and level;
    `penalty` is the weight p in the objective, interval score + p * undercoverage.
    """
    temperatures = sorted(frames)
    levels = sorted(set.intersection(*(set(frame["level"]) for frame in frames.values())))
    if not levels:
        return
    ordered = [frames[temperature] for temperature in temperatures]
    train, by_level = {}, {}  # by level: intervals of train items, and each temperature's objective
    for level in levels:
        train[level] = _intervals_of_common_items(ordered, level, "train", units)
        by_level[level] = objectives(train[level].intervals, penalty)
    grid = ", ".join(map("{:g}".format, temperatures))
    note = f"chosen on train among {grid} by interval score + {penalty:g} * undercoverage"
    per_level = {**condition, "split": "test", "decoding": "per_level"}
    all_levels = {**per_level, "decoding": "all_levels"}
    overall = np.sum(list(by_level.values()), axis=0)
    # Of the choice for all levels the results show the counts of the first level.
    yield _chosen_temperature(temperatures, overall, train[levels[0]], all_levels, note)
    for level in levels:
        level_condition = {**per_level, "level": level}
        yield _chosen_temperature(
            temperatures, by_level[level], train[level], level_condition, note
        )
        test = _intervals_of_common_items(ordered, level, "test", units)
        # The metrics of the test items, at the temperature chosen by either way.
        for choice_condition, objective in ((all_levels, overall), (per_level, by_level[level])):
            if not np.isnan(objective).any():
                intervals = test.intervals[_index_of_least(objective)]
                at_level = {**choice_condition, "level": level}
                yield from intervals.all_statistics(at_level, test.n_asked, note)


def _chosen_temperature(
    temperatures: Sequence[float],
    objective: FloatArray,
    train: "_IntervalsByTemperature",
    condition: Mapping[str, object],
    note: str,
) -> Statistics:
    """Return the temperature with the smallest objective; NaN if an objective is undefined.

    `objective` has a value for each temperature: interval score and penalty of undercoverage.
    `train` has the intervals of the same train items at each temperature; those of the first
    temperature give the counts.
    """
    is_undefined = np.isnan(objective).any()
    temperature = np.nan if is_undefined else temperatures[_index_of_least(objective)]
    estimate = Estimate(
        condition,
        "decoding_temperature",
        n=len(train.intervals[0].unit_index),
        note=note,
        n_asked=train.n_asked,
    )
    return Statistics([estimate], constant_statistic(temperature))


@dataclass(frozen=True)
class _IntervalsByTemperature:
    """Intervals of the same items at each temperature, and how many items were asked for."""

    intervals: Sequence[Intervals]
    n_asked: int


def unsent_temperatures(rows: pd.DataFrame, condition: Mapping[str, object]) -> Statistics:
    """Return the chosen sampling temperature as undefined, because no request contained one.

    `rows` are judgments of runs in which several temperatures were set but not sent.
    """
    values = sorted(rows["unsent_temperature"].dropna().unique())
    tried = ", ".join(map("{:g}".format, values))
    reason = f"temperature not sent to the model; {tried} were set, and the provider's own held"
    # The same condition as that of a temperature chosen for all levels together.
    scope = {**condition, "split": "test", "decoding": "all_levels"}
    items = rows["item"].nunique()
    estimate = Estimate(scope, "decoding_temperature", n=0, undefined_reason=reason, n_asked=items)
    return Statistics([estimate], constant_statistic(np.nan))


def _index_of_least(objective: FloatArray) -> int:
    """Return the index of the smallest objective; of ties to nine decimals, the first."""
    return int(np.round(objective, 9).argmin())


def _intervals_of_common_items(
    frames: Sequence[pd.DataFrame], level: float, split: str, units: pd.Index
) -> _IntervalsByTemperature:
    """Return the intervals of a level and split of items with a readable one in every frame.

    `frames` are the intervals at each temperature. Of several epochs of an item, the first readable
    one counts. The number of items that were asked comes with the intervals.
    """
    chosen, readable = [], []
    for frame in frames:
        rows = frame[(frame["level"] == level) & (frame["split"] == split)]
        chosen.append(rows)
        readable.append(rows[rows["status"] == "ok"].drop_duplicates("item").set_index("item"))
    common = sorted(set.intersection(*(set(frame.index) for frame in readable)))
    intervals = []
    for frame in readable:
        rows = frame.loc[common].rename_axis("item").reset_index()
        # Without common items the rows name no level.
        intervals.append(replace(Intervals.from_frame(rows, units), level=level))
    return _IntervalsByTemperature(intervals, pd.concat(chosen)["item"].nunique())
