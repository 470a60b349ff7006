"""A fixed order of judgments, so that no number depends on the order in which they are read."""

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from inspect_confidence.metrics.arrays import IntArray

_FIRST = ("model", "variant", "dataset", "split", "item", "epoch", "draw")
_LAST = ("status", "reason", "task_version", "package_version", "run", "uuid")
"""Columns that no number depends on; they are compared last."""


def sort_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the judgments sorted by model, variant, data set and item, then by all other columns.

    Numbers are in numerical order, missing numbers last; texts in the order of their characters.
    Judgments that are equal in every column keep their order.

    Args:
        frame: Typed judgments of one task.
    """
    middle = [name for name in frame if name not in (*_FIRST, *_LAST)]
    rank, distinct = np.zeros(len(frame), np.int64), 1
    columns = [column for column in (*_FIRST, *middle, *_LAST) if column in frame]
    for name in columns:
        if distinct >= len(frame):
            break
        codes, values = _codes(frame[name])
        if values > 1:
            _, rank = np.unique(rank * values + codes, return_inverse=True)
            distinct = int(rank.max()) + 1
    if (np.diff(rank) >= 0).all():
        return frame
    return frame.take(np.argsort(rank, kind="stable")).reset_index(drop=True)


def _codes(column: pd.Series) -> tuple[IntArray, int]:
    """Return the rank of each value among the column's values, and the number of values."""
    if not is_numeric_dtype(column):
        column = column.map(str) if column.dtype == object else column.astype(str)
    codes, values = pd.factorize(column, sort=True, use_na_sentinel=True)
    return np.where(codes < 0, len(values), codes), len(values) + 1
