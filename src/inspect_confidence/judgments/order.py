"""The order of judgments: their own, so that no number depends on where they were read."""

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from inspect_confidence.metrics.arrays import IntArray

_FIRST = ("model", "variant", "dataset", "split", "item", "epoch", "draw")
_LAST = ("status", "reason", "task_version", "package_version", "run", "uuid")
"""What tells judgments apart that agree in everything that numbers rest on."""


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The judgments by model, variant, data set and item, then by all else that they say.

    Only judgments that are equal in every column keep the order that they have. Numbers are in
    theirs, missing ones last; text is in that of its characters.

    Args:
        frame: Of one task, its columns typed.
    """
    own = [name for name in frame if name not in (*_FIRST, *_LAST)]
    place, distinct = np.zeros(len(frame), np.int64), 1
    for name in [one for one in (*_FIRST, *own, *_LAST) if one in frame]:
        if distinct >= len(frame):
            break
        codes, values = _codes(frame[name])
        if values > 1:
            _, place = np.unique(place * values + codes, return_inverse=True)
            distinct = int(place.max()) + 1
    if (np.diff(place) >= 0).all():
        return frame
    return frame.take(np.argsort(place, kind="stable")).reset_index(drop=True)


def _codes(column: pd.Series) -> tuple[IntArray, int]:
    """The place of each value among the column's, and how many values there are."""
    if not is_numeric_dtype(column):
        column = column.map(str) if column.dtype == object else column.astype(str)
    codes, values = pd.factorize(column, sort=True, use_na_sentinel=True)
    return np.where(codes < 0, len(values), codes), len(values) + 1
