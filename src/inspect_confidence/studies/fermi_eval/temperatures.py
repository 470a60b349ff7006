"""Choosing a temperature on train items and judging it on test items, in every resample anew.

First the choice among columns of a table and what follows from it; then its two uses: temperatures
that scale distributions of tokens, and temperatures that replies were sampled at.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import Estimand, estimand
from inspect_confidence.studies.intervals import shifted

Choice = Callable[[FloatArray], IntArray]
"""Item weights (resamples, units) -> the column chosen in each resample."""

UNDEFINED = -1
"""A choice where no train judgment was drawn: what follows from it is NaN."""


def by_column(table: FloatArray, unit: IntArray, choice: Choice) -> metrics.Statistic:
    """The mean over judgments of the column of the table that is chosen in each resample."""

    def statistic(weights: FloatArray) -> FloatArray:
        mine, column = weights[:, unit], choice(weights)
        sums = np.take_along_axis(mine @ table, np.maximum(column, 0)[:, None], axis=1)[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(column == UNDEFINED, np.nan, sums / mine.sum(axis=1))

    return statistic


def least(objective: FloatArray, unit: IntArray, order: IntArray) -> Choice:
    """The column with the least sum of objectives; of ties the first in an order of preference.

    Sums that agree to nine decimals are ties.
    """

    def choice(weights: FloatArray) -> IntArray:
        mine = weights[:, unit]
        sums = np.round((mine @ objective)[:, order], 9)
        return np.where(mine.sum(axis=1) > 0, order[sums.argmin(axis=1)], UNDEFINED)

    return choice


def chosen_value(options: FloatArray, choice: Choice) -> metrics.Statistic:
    """The option that is chosen, as a number."""

    def statistic(weights: FloatArray) -> FloatArray:
        column = choice(weights)
        return np.where(column == UNDEFINED, np.nan, options[column])

    return statistic


def _judged(
    statistics: Mapping[str, metrics.Statistic],
    level: float,
    n: int,
    condition: Mapping[str, object],
    note: str,
) -> Iterator[Estimand]:
    """Test metrics at one level, and how far coverage is from it."""
    gap = {"coverage_gap": shifted(statistics["coverage"], -level / 100)}
    for metric, statistic in {**statistics, **gap}.items():
        yield estimand({**condition, "level": level}, metric, statistic, n, note)


def _interval_metrics(
    low: FloatArray, high: FloatArray, truth: FloatArray, level: float
) -> dict[str, FloatArray]:
    return {
        "coverage": metrics.covered(low, high, truth),
        "interval_score": metrics.interval_scores(low, high, truth, level),
        "mean_width": high - low,
    }


def _tables(columns: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    """Metrics of judgments, each of shape (judgments, columns)."""
    return {name: np.stack([one[name] for one in columns], axis=1) for name in columns[0]}


@dataclass(frozen=True)
class Scored:
    """A distribution for each judgment, with the truth and the number of its item."""

    distributions: Sequence[Mapping[int, float]]
    truth: FloatArray
    unit: IntArray


def score_choice(train: Scored, levels: Sequence[float]) -> Choice:
    """The temperature with the least mean interval score over train items and levels."""
    values, masses = metrics.ranked(train.distributions)
    table = metrics.temperature_scores(values, masses, train.truth, levels)
    return least(table, train.unit, metrics.NEAREST_TO_ONE)


def likelihood_choice(train: Scored) -> Choice:
    """The temperature of maximum likelihood on the grid.

    Judgments whose truth was not seen are left out; where that leaves none, nothing is chosen.
    """
    values, masses = metrics.ranked(train.distributions)
    seen = metrics.truth_seen(values, masses, train.truth)
    losses = [
        metrics.negative_log_likelihood(values[seen], masses[seen], train.truth[seen], temperature)
        for temperature in metrics.TEMPERATURES
    ]
    return least(np.stack(losses, axis=1), train.unit[seen], metrics.NEAREST_TO_ONE)


def scaled_statistics(test: Scored, level: float, choice: Choice) -> dict[str, metrics.Statistic]:
    """The metrics of test items' hulls and sets at the temperature chosen on train items."""
    values, masses = metrics.ranked(test.distributions)
    columns = []
    for temperature in metrics.TEMPERATURES:
        scaled = metrics.tempered(masses, temperature)
        low, high = metrics.set_hulls(values, scaled, level)
        inside = {"set_coverage": metrics.set_covers(values, scaled, level, test.truth)}
        columns.append(_interval_metrics(low, high, test.truth, level) | inside)
    tables = _tables(columns)
    return {name: by_column(table, test.unit, choice) for name, table in tables.items()}


def scaled_temperatures(
    train: Scored, test: Scored, levels: Sequence[float], condition: Mapping[str, object]
) -> Iterator[Estimand]:
    """The metrics of test sets at temperatures chosen on the train items, by either rule."""
    unseen = int((~metrics.truth_seen(*metrics.ranked(train.distributions), train.truth)).sum())
    exact = metrics.temperature_nll(train.distributions, train.truth)
    likeliest = (
        f"maximum likelihood on train ({exact:.4g} off the grid); {unseen} train items whose truth "
        "was not seen left out"
    )
    rules = {
        "score": (score_choice(train, levels), "least mean interval score on train"),
        "nll": (likelihood_choice(train), likeliest),
    }
    for rule, (choice, why) in rules.items():
        where = {**condition, "scaling": rule, "split": "test"}
        note = f"one temperature, on a grid 2.3% apart: {why}"
        value = chosen_value(metrics.TEMPERATURES, choice)
        yield estimand(where, f"temperature_{rule}", value, len(train.unit), note)
        for level in levels:
            statistics = scaled_statistics(test, level, choice)
            yield from _judged(statistics, level, len(test.unit), where, note)


@dataclass(frozen=True)
class Candidate:
    """Train judgments at one level in percent: interval scores, and whether they cover.

    Both are of shape (judgments, columns), a column for each way of answering.
    """

    level: float
    scores: FloatArray
    inside: FloatArray
    unit: IntArray


def penalised(candidates: Sequence[Candidate], penalty: float) -> Choice:
    """The column with the least mean interval score + penalty * max(0, nominal - coverage).

    Candidates, one a level, are added up; sums that agree to nine decimals are ties, of which the
    first column is taken. The penalty, lambda, is in units of the score.
    """

    def choice(weights: FloatArray) -> IntArray:
        total = np.round(sum(_objective(weights, one, penalty) for one in candidates), 9)
        undefined = np.isnan(total).all(axis=1)
        return np.where(undefined, UNDEFINED, total.argmin(axis=1))

    return choice


def _objective(weights: FloatArray, one: Candidate, penalty: float) -> FloatArray:
    mine = weights[:, one.unit]
    total = mine.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        short = np.maximum(one.level / 100 - mine @ one.inside / total, 0)
        objective: FloatArray = mine @ one.scores / total + penalty * short
    return objective


def decoding_temperatures(
    frames: Mapping[float, pd.DataFrame],
    units: pd.Index,
    condition: Mapping[str, object],
    penalty: float,
) -> Iterator[Estimand]:
    """Test metrics at the decoding temperature chosen on train, per level and over all levels.

    `frames` are intervals of sampling at each temperature, one an item, epoch and level.
    """
    temperatures = np.array(sorted(frames))
    levels = sorted(set.intersection(*(set(frame["level"]) for frame in frames.values())))
    if not levels:
        return
    ordered = [frames[temperature] for temperature in temperatures]
    train = {level: _of_split(ordered, level, "train", units) for level in levels}
    candidates = {
        level: Candidate(level, tables["interval_score"], tables["coverage"], unit)
        for level, (unit, tables) in train.items()
    }
    overall = penalised(list(candidates.values()), penalty)
    tried = ", ".join(f"{temperature:g}" for temperature in temperatures)
    note = f"chosen on train among {tried} by interval score + {penalty:g} * undercoverage"

    def chosen(choice: Choice, level: float, where: Mapping[str, object]) -> Estimand:
        value = chosen_value(temperatures, choice)
        return estimand(where, "decoding_temperature", value, len(train[level][0]), note)

    each = {**condition, "split": "test", "decoding": "per_level"}
    together = {**each, "decoding": "all_levels"}
    yield chosen(overall, levels[0], together)
    for level in levels:
        alone = penalised([candidates[level]], penalty)
        yield chosen(alone, level, {**each, "level": level})
        unit, tables = _of_split(ordered, level, "test", units)
        for where, choice in ((together, overall), (each, alone)):
            found = {name: by_column(table, unit, choice) for name, table in tables.items()}
            yield from _judged(found, level, len(unit), where, note)


def _of_split(
    frames: Sequence[pd.DataFrame], level: float, split: str, units: pd.Index
) -> tuple[IntArray, dict[str, FloatArray]]:
    """Metrics of the items that every temperature has an interval of, a column a temperature.

    Of an item with several epochs the first readable one counts.
    """
    read = [
        frame[(frame["level"] == level) & (frame["split"] == split) & (frame["status"] == "ok")]
        .drop_duplicates("item")
        .set_index("item")
        for frame in frames
    ]
    common = sorted(set.intersection(*(set(frame.index) for frame in read)))
    bounds = [frame.loc[common, ["lower", "upper", "truth"]].to_numpy(float).T for frame in read]
    tables = _tables([_interval_metrics(low, high, truth, level) for low, high, truth in bounds])
    return np.asarray(units.get_indexer(pd.Index(common)), np.int64), tables
