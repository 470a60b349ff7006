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

COMPARED = ("coverage", "interval_score", "mean_width")


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
    """Fit the split-conformal map of the intervals of one level.

    The first readable interval of each train item counts, if there are several epochs.
    """
    if np.isnan(train.level):
        reason = "intervals are made of several judgments, which `summarize` adjusts itself"
        return _refused(reason)
    rows = train.pooled()
    intervals = Intervals.from_frame(rows, pd.Index(unit_names(rows).unique())).first_epochs()
    lower, upper, truth = intervals.lower, intervals.upper, intervals.truth
    offset = conformal_offset(lower, upper, truth, train.level)
    if np.isinf(offset):
        needed = int(np.ceil(train.level / (100 - train.level) - 1e-9))
        return _refused(
            f"{train.items} train items with an interval; {train.level:g}% needs {needed}"
        )
    if not test.items:
        return _refused("no test item has an interval")
    low, high = conformal_offset_interval(lower, upper, truth, train.level)
    return FittedMap(
        {"method": "conformal", "kind": "interval", "level": train.level, "offset": offset},
        {"offset": offset, "ci_low": low, "ci_high": high},
        _compare_intervals(test, offset, resampling),
    )


def _refused(reason: str) -> FittedMap:
    return FittedMap(
        {"refused": reason}, dict.fromkeys(("offset", "ci_low", "ci_high"), np.nan), []
    )


def move_bounds(rows: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Move both bounds of judgments outwards by an offset."""
    lower, upper = conformal_interval(rows["lower"], rows["upper"], offset)
    return rows.assign(lower=lower, upper=upper)


def _compare_intervals(
    test: IntervalGroup, offset: float, resampling: Resampling
) -> list[tuple[Result, Result, Difference]]:
    """Compute the study's own results before and after the map, and their differences."""
    before, study = test.pooled(), study_of(test.task)
    after = move_bounds(before, offset)
    first = {row.metric: row for row in study.summarize({test.task: before}, resampling)}
    second = {row.metric: row for row in study.summarize({test.task: after}, resampling)}
    differences = {row.metric: row for row in study.compare(after, before, resampling)}
    return [(first[name], second[name], differences[name]) for name in COMPARED]
