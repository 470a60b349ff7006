"""Choosing a temperature on train items and judging it on test items, in every resample anew."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import (
    NEAREST_TO_ONE,
    TEMPERATURES,
    Statistic,
    covered,
    interval_scores,
    negative_log_likelihood,
    ranked,
    set_covers,
    set_hulls,
    temperature_scores,
    tempered,
    truth_seen,
)
from inspect_confidence.studies.estimate import Estimand
from inspect_confidence.studies.intervals import shifted

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Choice = Callable[[FloatArray], IntArray]
"""Item weights (resamples, units) -> the column chosen in each resample."""


@dataclass(frozen=True)
class Scored:
    """Distributions of items, with their truths.

    Attributes:
        distributions: One a judgment.
        truth: True values.
        unit: The number of each judgment's item.
    """

    distributions: Sequence[Mapping[int, float]]
    truth: FloatArray
    unit: IntArray


UNDEFINED = -1
"""A choice where no train judgment was drawn: what follows from it is NaN."""


def by_column(table: FloatArray, unit: IntArray, choice: Choice) -> Statistic:
    """The mean over judgments of the column that is chosen in each resample.

    Args:
        table: Of shape (judgments, columns).
        unit: The number of each judgment's item.
        choice: Which column, from the same weights.
    """

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


def score_choice(train: Scored, levels: Sequence[float]) -> Choice:
    """The temperature with the least mean interval score over train items and levels."""
    values, masses = ranked(train.distributions)
    table = temperature_scores(values, masses, train.truth, levels)
    return least(table, train.unit, NEAREST_TO_ONE)


def likelihood_choice(train: Scored) -> Choice:
    """The temperature of maximum likelihood on the grid.

    Judgments whose truth was not seen are left out; where that leaves none, nothing is chosen.
    """
    values, masses = ranked(train.distributions)
    seen = truth_seen(values, masses, train.truth)
    losses = [
        negative_log_likelihood(values[seen], masses[seen], train.truth[seen], temperature)
        for temperature in TEMPERATURES
    ]
    return least(np.stack(losses, axis=1), train.unit[seen], NEAREST_TO_ONE)


def scaled_statistics(test: Scored, level: float, choice: Choice) -> dict[str, Statistic]:
    """The metrics of test items' hulls and sets at the temperature chosen on train items."""
    values, masses = ranked(test.distributions)
    tables: dict[str, list[FloatArray]] = {
        name: [] for name in ("coverage", "interval_score", "mean_width", "set_coverage")
    }
    for temperature in TEMPERATURES:
        scaled = tempered(masses, temperature)
        low, high = set_hulls(values, scaled, level)
        tables["coverage"].append(covered(low, high, test.truth))
        tables["interval_score"].append(interval_scores(low, high, test.truth, level))
        tables["mean_width"].append(high - low)
        tables["set_coverage"].append(set_covers(values, scaled, level, test.truth))
    return {
        name: by_column(np.stack(columns, axis=1), test.unit, choice)
        for name, columns in tables.items()
    }


def chosen_value(options: FloatArray, choice: Choice) -> Statistic:
    """The option that is chosen, as a number."""

    def statistic(weights: FloatArray) -> FloatArray:
        column = choice(weights)
        return np.where(column == UNDEFINED, np.nan, options[column])

    return statistic


@dataclass(frozen=True)
class Candidate:
    """Train judgments at one level, a column for each way of answering.

    Attributes:
        level: Nominal level in percent.
        scores: Interval scores, of shape (judgments, columns).
        inside: Whether they cover, likewise.
        unit: The number of each judgment's item.
    """

    level: float
    scores: FloatArray
    inside: FloatArray
    unit: IntArray


def penalised(candidates: Sequence[Candidate], penalty: float) -> Choice:
    """The column with the least mean interval score + penalty * max(0, nominal - coverage).

    Args:
        candidates: One a level; their objectives are added up, and sums that agree to nine
            decimals are ties, of which the first column is taken.
        penalty: Lambda, in units of the score.
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


Columns = tuple[NDArray[np.int64], dict[str, FloatArray]]


def decoding_temperatures(
    frames: Mapping[float, pd.DataFrame],
    units: pd.Index,
    condition: Mapping[str, object],
    penalty: float,
) -> Iterator[Estimand]:
    """Test metrics at the decoding temperature chosen on train, per level and over all levels.

    Args:
        frames: Intervals of sampling at each temperature: one an item, epoch and level.
        units: The items, in the weights' order.
        condition: What all rows have in common.
        penalty: Lambda of the rule.
    """
    temperatures = np.array(sorted(frames))
    levels = sorted(set.intersection(*(set(frame["level"]) for frame in frames.values())))
    if not levels:
        return
    ordered = [frames[temperature] for temperature in temperatures]
    train = {level: _columns(ordered, level, "train", units) for level in levels}
    test = {level: _columns(ordered, level, "test", units) for level in levels}
    candidates = {
        level: Candidate(level, columns["interval_score"], columns["coverage"], unit)
        for level, (unit, columns) in train.items()
    }
    overall = penalised(list(candidates.values()), penalty)
    tried = ", ".join(f"{temperature:g}" for temperature in temperatures)
    note = f"chosen on train among {tried} by interval score + {penalty:g} * undercoverage"
    where = {**condition, "split": "test"}
    yield Estimand(
        {**where, "decoding": "all_levels"},
        "decoding_temperature",
        chosen_value(temperatures, overall),
        len(next(iter(train.values()))[0]),
        note,
    )
    for level in levels:
        alone = penalised([candidates[level]], penalty)
        unit, columns = test[level]
        yield Estimand(
            {**where, "decoding": "per_level", "level": level},
            "decoding_temperature",
            chosen_value(temperatures, alone),
            len(train[level][0]),
            note,
        )
        rules: Sequence[tuple[str, Choice]] = (("all_levels", overall), ("per_level", alone))
        for rule, choice in rules:
            at = {**where, "decoding": rule, "level": level}
            for metric, table in columns.items():
                yield Estimand(at, metric, by_column(table, unit, choice), len(unit), note)
            gap = shifted(by_column(columns["coverage"], unit, choice), -level / 100)
            yield Estimand(at, "coverage_gap", gap, len(unit), note)


def _columns(frames: Sequence[pd.DataFrame], level: float, split: str, units: pd.Index) -> Columns:
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
    rows = [frame.loc[common] for frame in read]
    tables: dict[str, list[FloatArray]] = {"coverage": [], "interval_score": [], "mean_width": []}
    for one in rows:
        low, high, truth = (one[name].to_numpy(float) for name in ("lower", "upper", "truth"))
        tables["coverage"].append(covered(low, high, truth))
        tables["interval_score"].append(interval_scores(low, high, truth, level))
        tables["mean_width"].append(high - low)
    unit = units.get_indexer(pd.Index(common)).astype(np.int64)
    return unit, {name: np.stack(columns, axis=1) for name, columns in tables.items()}
