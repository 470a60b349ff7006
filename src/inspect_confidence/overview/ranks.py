"""Ranks of models by each headline number, as the report and the leaderboard show them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.directions import Direction, direction_of
from inspect_confidence.headlines import headline_rows
from inspect_confidence.results import OTHER_DATASETS, ResultRow, ResultTable
from inspect_confidence.studies.compare import joined_reach, p_of_difference, p_of_reach
from inspect_confidence.studies.study import ResampledValue

RANKING = (
    "A rank is 1 plus the number of models with better values; tied models share a rank. All 95% "
    "intervals of the ranks in a table hold together: they place a model below another only if a "
    "test, adjusted for the number of pairs, shows that it is worse. The test is paired for models "
    "that answered the same items. With fewer than 100 items the difference must also be shown if "
    "the answers of both models count as independent: `compare`, which does not ask for this, may "
    "then show a difference that ranks do not. A rank by a number over several data sets uses all "
    "of them; `compare` tests each data set alone, and adjusts over the pairs of all of them. "
    "Means over models are not ranked, nor are means over other data sets than most models have, "
    "nor models if no two of them answered the same item."
)
"""Definition of ranks and their intervals for readers."""

NO_COMMON_ITEM = "not ranked: no two models answered the same item"
"""Note on the ranks of a task whose models have no item in common."""

OTHER_MEAN = "not ranked: the mean is over other data sets than those of other models"
"""Note on the rank of a mean over other data sets than most models have."""

MIN_PAIRED_UNITS = 100
"""Units (items or clusters) from which on the resamples of two models are paired.

With fewer the pseudo-units, which both models share, hide that a difference varies: of 16 equal
models with 50 items, ranks by AUROC held in 92% of samples.
"""


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
        """`better` or `worse` if all ranks of the interval are in that half of the models.

        Otherwise, and without an interval, it is empty.
        """
        if self.high <= self.models / 2:
            return "better"
        return "worse" if self.low >= self.models / 2 + 1 else ""


Ranks = Mapping[int, Rank]
"""Rank by row of the results."""

ResampledByRow = Mapping[int, ResampledValue]
"""Values over the resamples, by row of the results."""


def tasks_without_common_items(frames: Mapping[str, pd.DataFrame]) -> set[str]:
    """Return the tasks of several models, or variants, of which no two answered the same item.

    An example is a file without a column of items: each of its rows is an item. `frames` has the
    judgments by task.
    """
    tasks = set()
    for task, frame in frames.items():
        answers = frame[["model", "variant", "dataset", "item"]].drop_duplicates()
        has_several = len(answers[["model", "variant"]].drop_duplicates()) > 1
        if has_several and not answers.duplicated(["dataset", "item"]).any():
            tasks.add(task)
    return tasks


def undefined_ranks(results: ResultTable, tasks: Collection[str]) -> dict[int, Rank]:
    """Return an undefined rank for each row of tasks whose models have no item in common."""
    return {row.index: Rank(nan, note=NO_COMMON_ITEM) for row in results.among("task", tasks)}


def headline_ranks(
    results: ResultTable,
    models: Sequence[str],
    draws: ResampledByRow,
    uncompared_tasks: Collection[str] = (),
) -> dict[int, Rank]:
    """Return the rank of each headline number, by its row, among all models that have this number.

    `models` are those that answered: means over models have no rank. `draws` has values over the
    resamples by row; numbers without them count as independent. Numbers of `uncompared_tasks`,
    whose models have no item in common, have no rank, nor have means over other data sets than
    those of most models (`OTHER_DATASETS` in their note).
    """
    by_row: dict[int, Rank] = {}
    for rows in headline_groups(headline_rows(results.among("model", models))):
        if rows[0]["task"] in uncompared_tasks:
            by_row |= undefined_ranks(ResultTable(rows), uncompared_tasks)
            continue
        other_means = [row for row in rows if OTHER_DATASETS in row.note]
        by_row |= {row.index: Rank(nan, note=OTHER_MEAN) for row in other_means}
        ranked_rows = [row for row in rows if OTHER_DATASETS not in row.note]
        metric = rows[0]["metric"]
        group_ranks = model_ranks(
            [
                RankedValue(row.value, (row.low, row.high), draws.get(row.index))
                for row in ranked_rows
            ],
            metric,
            direction_of(metric, rows[0].condition),
        )
        for row, rank in zip(ranked_rows, group_ranks, strict=True):
            by_row[row.index] = rank
    return by_row


def headline_groups(rows: ResultTable) -> list[Sequence[ResultRow]]:
    """Group rows of `headline_rows` (main numbers) by headline, data set and condition (settings).

    The variant does not count as a setting, since a group has the numbers that are ranked together:
    one for each model and variant.
    """
    groups: dict[object, list[ResultRow]] = {}
    for row in rows:
        headline = (row["study"], row["task"], row["label"], row["metric"])
        key = (headline, row["dataset"], row.condition.but(variant=""))
        groups.setdefault(key, []).append(row)
    return list(groups.values())


@dataclass(frozen=True)
class RankedValue:
    """A model's value.

    Attributes:
        value: The value; NaN if undefined.
        interval: Ends of its 95% interval; NaN without one.
        resampled: Its values over resamples; models with the same items have the same resamples.
            None if it was not resampled.
    """

    value: float
    interval: tuple[float, float]
    resampled: ResampledValue | None = None


def model_ranks(values: Sequence[RankedValue], metric: str, direction: Direction) -> list[Rank]:
    """Return the rank of each model, with simultaneous 95% intervals (`metrics.rank_intervals`).

    A value without an interval has no interval of its rank, and no model is surely better or worse
    than it. An undefined value has no rank; without a direction of better values none has.
    """
    if not direction.ordered:
        return [Rank(nan, note=f"not ranked: {direction.label}")] * len(values)
    # Smaller losses are better; those of undefined values are NaN.
    losses = direction.loss(np.array([value.value for value in values], float))
    defined = np.flatnonzero(~np.isnan(losses))
    # The p of each pair of models, in a symmetric matrix.
    p = np.full((len(values), len(values)), nan)
    for j, k in combinations(defined.tolist(), 2):
        p[j, k] = p[k, j] = _p_equally_good(values[j], values[k], metric, direction)
    ranks, low, high = np.full((3, len(values)), nan)
    ranks[defined] = metrics.ranks(losses[defined])
    low[defined], high[defined] = metrics.rank_intervals(
        losses[defined], p[np.ix_(defined, defined)]
    )
    ranked = []
    for k, value in enumerate(values):
        rank = Rank(float(ranks[k]), models=len(defined))
        if isnan(rank.rank):
            ranked.append(Rank(nan, note="not ranked: undefined"))
        elif isnan(value.interval[0]):
            ranked.append(replace(rank, note="no rank interval: the value has none"))
        else:
            ranked.append(replace(rank, low=float(low[k]), high=float(high[k])))
    return ranked


def _p_equally_good(
    first: RankedValue, second: RankedValue, metric: str, direction: Direction
) -> float:
    """Return the two-sided p that both models are equally good by the metric.

    Two values are equally good if they are equal. With a target they also are if their mean is the
    target, since both are then equally near to it; p is the larger one of these two hypotheses. p
    is NaN if a value has no interval, or if units (items or clusters) are too few for an interval
    of the difference.

    If both values were resampled, the test is paired: models with the same items have the same
    resamples. With fewer than 100 units it shows too many differences, so that p is at least that
    of a test that takes the values as independent. The latter alone counts without resamples, or if
    the metric's rule for differences needs none (`own`, `wilson`).
    """
    if isnan(first.interval[0]) or isnan(second.interval[0]):
        return nan
    difference = first.value - second.value
    mean = (first.value + second.value) / 2 - direction.target  # NaN without a target
    rule = metrics.METRICS[metric].interval
    # `biased`: chance moves the metric upwards, as it does ECE.
    p_equal, p_mean = _p_if_independent(first, second, difference, mean, biased=rule.biased)
    a, b = first.resampled, second.resampled
    if a is not None and b is not None and rule.of_difference().method not in ("own", "wilson"):
        rule = rule.over(a.clusters).of_difference()
        unit_count = min(a.unit_count, b.unit_count)
        if unit_count < rule.min_units:
            return nan
        balanced_units = min(a.balanced_units, b.balanced_units)
        p_paired, _ = p_of_difference(
            rule, difference, a.draws - b.draws, unit_count, balanced_units=balanced_units
        )
        p_equal = p_paired if unit_count >= MIN_PAIRED_UNITS else max(p_paired, p_equal)
        # On shared items the errors of both values tend to have one sign and add up in the mean,
        # which only a paired test takes into account: it counts alone, at any number of units.
        p_mean = metrics.resampled_p(mean, (a.draws + b.draws) / 2 - direction.target, unit_count)
    return p_equal if direction.name != "target" else max(p_equal, p_mean)


def _p_if_independent(
    first: RankedValue, second: RankedValue, difference: float, mean: float, *, biased: bool
) -> tuple[float, float]:
    """Return the p that the difference of two values is 0, and that their mean is.

    Both tests take the values as independent, and compute from their intervals how far the interval
    of the difference, or of the mean, reaches below and above it. `difference` is the first value
    less the second, `mean` the mean of both less the target of the metric. `biased` says whether
    chance moves the metric upwards, as it does ECE.
    """
    a, b = first.value, second.value
    a_ends, b_ends = np.array([first.interval, second.interval])
    reach = joined_reach((a, b), a_ends, b_ends, biased=biased)
    # a + b is the difference of a and -b, whose interval is mirrored; the mean is half of it.
    below, above = joined_reach((a, -b), a_ends, -b_ends[::-1], biased=biased)
    return p_of_reach(difference, reach), p_of_reach(mean, (below / 2, above / 2))
