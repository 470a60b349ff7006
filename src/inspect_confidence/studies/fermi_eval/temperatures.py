"""Choosing a temperature on train items and judging it on test items.

What is measured at a temperature is of that temperature, on new items: test items alone are
resampled. Two uses: temperatures that scale distributions of tokens, and temperatures that replies
were sampled at.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    constant,
    means,
    single_statistic,
)
from inspect_confidence.studies.intervals import Intervals

Choice = Callable[[FloatArray], IntArray]
"""Item weights (resamples, units) -> the column chosen in each resample."""

UNDEFINED = -1
"""A choice where no train judgment was drawn: what follows from it is NaN."""


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


@dataclass(frozen=True)
class Scored:
    """A distribution for each judgment that was read of those asked.

    Attributes:
        distributions: Of each judgment.
        truth: Of each.
        unit: The number of its item, of `units` in all.
        asked: How many judgments were asked for.
    """

    distributions: Sequence[Mapping[int, float]]
    truth: FloatArray
    unit: IntArray
    units: int
    asked: int


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


def scaled_estimands(
    test: Scored, level: float, temperature: float, condition: Mapping[str, object], note: str
) -> Iterator[Statistics]:
    """The metrics of test items' hulls and sets at a temperature above 0."""
    values, masses = metrics.ranked(test.distributions)
    scaled = metrics.tempered(masses, temperature)
    low, high = metrics.set_hulls(values, scaled, level)
    first = np.ones(len(low))
    hulls = Intervals(level, test.unit, test.units, low, high, test.truth, first, first == 0)
    yield from hulls.estimands(condition, test.asked, note)
    held = np.full(test.asked, np.nan)
    held[: len(low)] = metrics.set_covers(values, scaled, level, test.truth)
    unit = np.pad(test.unit, (0, test.asked - len(low)))
    yield means(condition, {"set_coverage": held}, unit, test.units, note)


def scaled_temperatures(
    train: Scored, test: Scored, levels: Sequence[float], condition: Mapping[str, object]
) -> Iterator[Statistics]:
    """The metrics of test sets at temperatures chosen on the train items, by either rule."""
    seen = metrics.truth_seen(*metrics.ranked(train.distributions), train.truth)
    exact = metrics.temperature_nll(train.distributions, train.truth)
    likeliest = chosen_value(metrics.TEMPERATURES, likelihood_choice(train))
    score = metrics.temperature_score(train.distributions, train.truth, levels)
    likeliest_note = (
        f"maximum likelihood on train ({exact:.4g} off the grid); {(~seen).sum()} train items "
        "whose truth was not seen left out"
    )
    rules = {
        "score": (constant(score), train.unit, "least mean interval score on train"),
        "nll": (likeliest, train.unit[seen], likeliest_note),
    }
    for rule, (statistic, unit, why) in rules.items():
        where = {**condition, "scaling": rule, "split": "test"}
        note, items = f"one temperature, on a grid 2.3% apart: {why}", len(np.unique(unit))
        number = Estimate(
            *(where, f"temperature_{rule}", len(unit), note), n_asked=train.asked, units=items
        )
        yield Statistics([number], statistic)
        temperature = float(statistic(np.ones((1, train.units)))[0])
        for level in levels if temperature > 0 else ():
            yield from scaled_estimands(test, level, temperature, {**where, "level": level}, note)


def objectives(candidates: Sequence[Intervals], penalty: float) -> FloatArray:
    """Mean interval score + penalty * max(0, nominal - coverage) of each candidate's intervals.

    The penalty, lambda, is in units of the score.
    """
    everything = np.ones((1, candidates[0].units))
    found = []
    for one in candidates:
        statistics = one.statistics()
        short = max(-float(statistics["coverage_gap"](everything)[0]), 0)
        found.append(float(statistics["interval_score"](everything)[0]) + penalty * short)
    return np.array(found)


def decoding_temperatures(
    frames: Mapping[float, pd.DataFrame],
    units: pd.Index,
    condition: Mapping[str, object],
    penalty: float,
) -> Iterator[Statistics]:
    """Test metrics at the decoding temperature chosen on train, per level and over all levels.

    Over all levels the objectives are added up; of those that agree to nine decimals the lowest
    temperature is chosen. `frames` are intervals of sampling at each temperature, one an item,
    epoch and level.
    """
    temperatures = sorted(frames)
    levels = sorted(set.intersection(*(set(frame["level"]) for frame in frames.values())))
    if not levels:
        return
    ordered = [frames[temperature] for temperature in temperatures]
    sides = {
        split: {level: _common(ordered, level, split, units) for level in levels}
        for split in ("train", "test")
    }
    found = {level: objectives(each, penalty) for level, (each, _) in sides["train"].items()}
    tried = ", ".join(f"{temperature:g}" for temperature in temperatures)
    note = f"chosen on train among {tried} by interval score + {penalty:g} * undercoverage"

    def chosen(objective: FloatArray, level: float, where: Mapping[str, object]) -> Statistics:
        (train, *_), asked = sides["train"][level]
        best = np.nan if np.isnan(objective).any() else temperatures[_best(objective)]
        metric, n = "decoding_temperature", len(train.unit)
        return single_statistic(where, metric, constant(best), n, note, n_asked=asked)

    each = {**condition, "split": "test", "decoding": "per_level"}
    together = {**each, "decoding": "all_levels"}
    overall = np.sum(list(found.values()), axis=0)
    yield chosen(overall, levels[0], together)
    for level in levels:
        yield chosen(found[level], level, {**each, "level": level})
        tests, asked = sides["test"][level]
        for where, objective in ((together, overall), (each, found[level])):
            if not np.isnan(objective).any():
                at = {**where, "level": level}
                yield from tests[_best(objective)].estimands(at, asked, note)


def unsent_temperatures(rows: pd.DataFrame, condition: Mapping[str, object]) -> Estimand:
    """The decoding temperature where several were set and none was sent: it is undefined."""
    values = sorted(rows["unsent_temperature"].dropna().unique())
    tried = ", ".join(f"{value:g}" for value in values)
    reason = f"temperature not sent to the model; {tried} were set, and the provider's own held"
    scope = {**condition, "split": "test", "decoding": "all_levels"}
    items = rows["item"].nunique()
    number = Number(scope, "decoding_temperature", 0, why=reason, asked=items)
    return Estimand([number], constant(np.nan))


def _best(objective: FloatArray) -> int:
    return int(np.round(objective, 9).argmin())


def _common(
    frames: Sequence[pd.DataFrame], level: float, split: str, units: pd.Index
) -> tuple[list[Intervals], int]:
    """Intervals of the items that every temperature has one of, and how many items were asked.

    Of an item with several epochs the first readable one counts.
    """
    mine = [frame[(frame["level"] == level) & (frame["split"] == split)] for frame in frames]
    read = [
        frame[frame["status"] == "ok"].drop_duplicates("item").set_index("item") for frame in mine
    ]
    common = sorted(set.intersection(*(set(frame.index) for frame in read)))
    asked = len(set().union(*(frame["item"] for frame in mine)))
    made = [frame.loc[common].rename_axis("item").reset_index() for frame in read]
    return [replace(Intervals.of(frame, units), level=level) for frame in made], asked
