"""Split-conformal maps of intervals, fitted on train items and compared on test items."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from inspect_confidence.commands.groups import IntervalGroup
from inspect_confidence.metrics import (
    conformal_interval,
    conformal_offset,
    conformal_offset_interval,
)
from inspect_confidence.results import Result
from inspect_confidence.studies import Difference, Resampling, study_of
from inspect_confidence.studies.estimate import unit_names
from inspect_confidence.studies.intervals import Intervals

COMPARED_METRICS = ("coverage", "interval_score", "mean_width")


class FittedMap(NamedTuple):
    """A fitted map, or the reason why it is `refused`.

    Attributes:
        entry: Fields of the map in the file.
        summary: Cells of the table of maps.
        changes: Results on test items as stated and after the map, and their paired difference.
    """

    entry: dict[str, Any]
    summary: dict[str, Any]
    changes: list[tuple[Result, Result, Difference]]


def fit_offset(train: IntervalGroup, test: IntervalGroup, resampling: Resampling) -> FittedMap:
    """Fit the split-conformal offset of the intervals of one level on the train items.

    The offset moves both bounds outwards, so that a new interval contains the true value with the
    probability of its level (see `metrics.conformal_offset`). If there are several epochs, the
    first readable interval of each train item counts. Without a level, with too few train items, or
    without a test item, the result has the reason in place of a map. On `test` the map is compared
    with the stated intervals.
    """
    if np.isnan(train.level):
        reason = "intervals are made of several judgments, which `summarize` adjusts itself"
        return _refused_map(reason)
    rows = train.pooled()
    intervals = Intervals.from_frame(rows, pd.Index(unit_names(rows).unique())).first_epochs()
    lower, upper, truth = intervals.lower, intervals.upper, intervals.truth
    offset = conformal_offset(lower, upper, truth, train.level)
    if np.isinf(offset):
        # The offset is the k-th smallest of n scores, k = ceil((n + 1) level / 100), and infinite
        # for k > n, that is for n < level / (100 - level); 1e-9 absorbs rounding.
        items_needed = int(np.ceil(train.level / (100 - train.level) - 1e-9))
        return _refused_map(
            f"{train.items} train items with an interval; {train.level:g}% needs {items_needed}"
        )
    if not test.items:
        return _refused_map("no test item has an interval")
    low, high = conformal_offset_interval(lower, upper, truth, train.level)
    return FittedMap(
        entry={"method": "conformal", "kind": "interval", "level": train.level, "offset": offset},
        summary={"offset": offset, "ci_low": low, "ci_high": high},
        changes=_compare_intervals(test, offset, resampling),
    )


def _refused_map(reason: str) -> FittedMap:
    """Return the record of a map that was not fitted for this reason."""
    empty_cells = dict.fromkeys(("offset", "ci_low", "ci_high"), np.nan)
    return FittedMap(entry={"refused": reason}, summary=empty_cells, changes=[])


def move_bounds(rows: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Return judgments with both bounds moved outwards by an offset (inwards if it is negative)."""
    lower, upper = conformal_interval(rows["lower"], rows["upper"], offset)
    return rows.assign(lower=lower, upper=upper)


def _compare_intervals(
    test: IntervalGroup, offset: float, resampling: Resampling
) -> list[tuple[Result, Result, Difference]]:
    """Return coverage, interval score and mean width on test items before and after the map.

    The map moves both bounds of an interval outwards by `offset`. Each metric has its two results
    and their paired difference, after minus before.
    """
    rows_before, study = test.pooled(), study_of(test.task)
    rows_after = move_bounds(rows_before, offset)
    before, after, differences = {}, {}, {}  # by metric
    for result in study.summarize({test.task: rows_before}, resampling):
        before[result.metric] = result
    for result in study.summarize({test.task: rows_after}, resampling):
        after[result.metric] = result
    for difference in study.compare(rows_after, rows_before, resampling):
        differences[difference.metric] = difference
    return [(before[name], after[name], differences[name]) for name in COMPARED_METRICS]
