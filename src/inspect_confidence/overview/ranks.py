"""Ranks of models by each headline number, as the report and the leaderboard show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from scipy.special import ndtri

from inspect_confidence import metrics
from inspect_confidence.directions import Direction, direction_of
from inspect_confidence.headlines import headline_rows
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import ResultRow, ResultTable

RANKING = (
    "A rank is 1 plus the number of better models; tied models share a rank. All 95% intervals of "
    "the ranks in a table hold together: a model surely ranks below another if the interval of "
    "their difference, adjusted for the number of pairs, leaves out 0. Differences between models "
    "that answered the same items are paired. Means over models are not ranked."
)
"""Definition of ranks and their intervals for readers."""

MOST_UNDEFINED = 0.05
"""Share of resamples in which a number with resamples of its own may be undefined."""

SIMULATED = 2_000
"""Number of normal draws for a number whose interval does not come from resamples."""


@dataclass(frozen=True)
class Rank:
    """A model's rank (1 plus the number of better models) with its 95% interval.

    Attributes:
        rank: Rank by value; NaN if the value is undefined or has no order.
        low: Best rank of the simultaneous interval; NaN without an interval of the value.
        high: Worst rank.
        models: Number of ranked models.
        note: Reason why the rank or its interval is undefined.
    """

    rank: float
    low: float = nan
    high: float = nan
    models: int = 0
    note: str = ""

    @property
    def shade(self) -> str:
        """`better` or `worse` if all ranks of the interval are in that half of the models."""
        if self.high <= self.models / 2:
            return "better"
        return "worse" if self.low >= self.models / 2 + 1 else ""


Ranks = Mapping[int, Rank]
"""Rank by row of the results."""

DrawsByRow = Mapping[int, FloatArray]
"""Values over the resamples, by row of the results."""


def headline_ranks(
    results: ResultTable, models: Sequence[str], draws: DrawsByRow
) -> dict[int, Rank]:
    """Return the rank of each headline number, among the models with the same number.

    Args:
        results: Results, of any metrics.
        models: Models that answered; means over models have no rank.
        draws: Values over the resamples, by row.
    """
    by_row: dict[int, Rank] = {}
    for rows in headline_groups(headline_rows(results.among("model", models))):
        group_ranks = model_ranks(
            values=np.array([row.value for row in rows]),
            intervals=np.array([(row.low, row.high) for row in rows]),
            draws=[draws.get(row.index) for row in rows],
            units=np.array([row.n for row in rows], float),
            direction=direction_of(rows[0]["metric"], rows[0].condition),
        )
        for row, rank in zip(rows, group_ranks, strict=True):
            by_row[row.index] = rank
    return by_row


def headline_groups(rows: ResultTable) -> list[Sequence[ResultRow]]:
    """Group rows of `headline_rows` by headline, data set and condition without the variant."""
    groups: dict[object, list[ResultRow]] = {}
    for row in rows:
        headline = (row["study"], row["task"], row["label"], row["metric"])
        key = (headline, row["dataset"], row.condition.but(variant=""))
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def model_ranks(
    values: FloatArray,
    intervals: FloatArray,
    draws: Sequence[FloatArray | None],
    units: FloatArray,
    direction: Direction,
) -> list[Rank]:
    """Return the rank of each model, with simultaneous 95% intervals (`metrics.rank_intervals`).

    Some resamples cannot be used: they are absent, all alike, or undefined in over 5%. The value is
    then taken to be normal with the width of its interval, and independent of the others. A value
    without an interval has no interval of its rank, and no model is surely better or worse than it.

    Args:
        values: Values of the models; NaN if undefined.
        intervals: 95% intervals of the values, of shape (models, 2).
        draws: Values over the resamples, of one array for each model. Models with the same items
            have the same resamples.
        units: Number of items of each value.
        direction: Direction of better values.
    """
    if not direction.ordered:
        return [Rank(nan, note=f"not ranked: {direction.label}")] * len(values)
    is_defined = ~np.isnan(values)
    has_interval = np.asarray(np.isfinite(intervals).all(axis=1))
    count = int(is_defined.sum())
    ranks = np.full(len(values), nan)
    ranks[is_defined] = metrics.ranks(direction.loss(values[is_defined]))
    low, high = np.full(len(values), nan), np.full(len(values), nan)
    compared = np.flatnonzero(is_defined & has_interval)
    if len(compared):
        # `rank_intervals` takes lower values to be better.
        sign = -1 if direction.name == "higher" else 1
        columns = [_complete_draws(values[k], intervals[k], draws[k], k) for k in compared.tolist()]
        size = min(map(len, columns))
        low[compared], high[compared] = metrics.rank_intervals(
            sign * values[compared],
            sign * np.column_stack([column[:size] for column in columns]),
            units[compared],
            target=direction.target if direction.name == "target" else None,
        )
        # Each model without an interval may be better.
        high[compared] += count - len(compared)
    ranked = []
    for k in range(len(values)):
        if isnan(values[k]):
            ranked.append(Rank(nan, note="not ranked: undefined"))
            continue
        note = "" if has_interval[k] else "no rank interval: the value has none"
        ranked.append(Rank(float(ranks[k]), float(low[k]), float(high[k]), count, note))
    return ranked


def _complete_draws(
    value: float, interval: FloatArray, draws: FloatArray | None, seed: int
) -> FloatArray:
    """Return a value's resamples without gaps, or normal draws as wide as its interval.

    An undefined resample is replaced by the value.

    Args:
        value: The value.
        interval: Both ends of its 95% interval.
        draws: Its values over the resamples; None without resamples.
        seed: Seed of the normal draws.
    """
    if draws is not None:
        undefined = np.isnan(draws)
        varies = not undefined.all() and np.nanmax(draws) > np.nanmin(draws)
        if varies and undefined.mean() <= MOST_UNDEFINED:
            return np.where(undefined, value, draws)
    standard_error = np.abs(interval - value).max() / -ndtri(0.025)
    return np.asarray(np.random.default_rng(seed).normal(value, standard_error, SIMULATED))
