"""Intervals moved by what those of train items lacked: fitted, and judged on test items."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from inspect_confidence.commands.stated import Bounded
from inspect_confidence.metrics import (
    conformal_interval,
    conformal_offset,
    conformal_offset_interval,
)
from inspect_confidence.results import Result
from inspect_confidence.studies import Difference, Resampling, study_of
from inspect_confidence.studies.intervals import Intervals

JUDGED = ("coverage", "interval_score", "mean_width")


class Fitted(NamedTuple):
    """A map as the file has it, or why it is `refused`; what is told of it, and what it changes.

    What it changes is a number on test items as stated and after the map, and their paired
    difference.
    """

    entry: dict[str, Any]
    told: dict[str, Any]
    judged: list[tuple[Result, Result, Difference]]


def fitted(train: Bounded, test: Bounded, resampling: Resampling) -> Fitted:
    """The split-conformal map of the intervals of one level.

    Of a train item with several epochs the first readable interval counts.
    """
    if np.isnan(train.level):
        why = "intervals are made of several judgments, which `summarize` adjusts itself"
        return _refused(why)
    rows = train.pooled()
    known = Intervals.from_frame(rows, pd.Index(rows["item"].unique())).first_epochs()
    learned = (known.lower, known.upper, known.truth, train.level)
    offset = conformal_offset(*learned)
    if np.isinf(offset):
        needed = int(np.ceil(train.level / (100 - train.level) - 1e-9))
        return _refused(
            f"{train.items} train items with an interval; {train.level:g}% needs {needed}"
        )
    if not test.items:
        return _refused("no test item has an interval")
    low, high = conformal_offset_interval(*learned)
    return Fitted(
        {"method": "conformal", "kind": "interval", "level": train.level, "offset": offset},
        {"offset": offset, "ci_low": low, "ci_high": high},
        _judged(test, offset, resampling),
    )


def _refused(why: str) -> Fitted:
    return Fitted({"refused": why}, dict.fromkeys(("offset", "ci_low", "ci_high"), np.nan), [])


def moved(rows: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Judgments with both bounds moved outwards."""
    lower, upper = conformal_interval(rows["lower"], rows["upper"], offset)
    return rows.assign(lower=lower, upper=upper)


def _judged(
    test: Bounded, offset: float, resampling: Resampling
) -> list[tuple[Result, Result, Difference]]:
    """What the study itself makes of the judgments before and after."""
    before, study = test.pooled(), study_of(test.task)
    after = moved(before, offset)
    first, second = (
        {row.metric: row for row in study.summarize({test.task: rows}, resampling)}
        for rows in (before, after)
    )
    changes = {one.metric: one for one in study.compare(after, before, resampling)}
    return [(first[name], second[name], changes[name]) for name in JUDGED]
