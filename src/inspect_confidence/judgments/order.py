"""A fixed order of judgments, so that no number depends on the order in which they are read."""

from collections.abc import Container, Iterable

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from inspect_confidence.metrics.arrays import IntArray

_FIRST_COLUMNS = ("model", "variant", "dataset", "split", "item", "epoch", "draw")
_LAST_COLUMNS = ("status", "reason", "task_version", "package_version", "run", "uuid")
"""Columns that no number depends on; they are compared last."""


def columns_in(frame: Container[str], names: Iterable[str]) -> list[str]:
    """Return those of the names that a frame has as columns, in the order of the names."""
    return [name for name in names if name in frame]


def sort_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a task's judgments sorted by model, variant, data set and item, then by other columns.

    Numbers are in numerical order, missing numbers last; texts in the order of their characters.
    Judgments that are equal in every column keep their order.
    """
    other_columns = frame.columns.difference([*_FIRST_COLUMNS, *_LAST_COLUMNS], sort=False)
    # Ranks by the columns so far; rows of equal rank are not ordered yet.
    rank, n_ranks = np.zeros(len(frame), np.int64), 1
    for name in columns_in(frame, [*_FIRST_COLUMNS, *other_columns, *_LAST_COLUMNS]):
        if n_ranks >= len(frame):  # each row has a rank of its own
            break
        codes, n_codes = _rank_values(frame[name])
        if n_codes > 1:
            # A later column only breaks ties: its codes are below the step between two ranks.
            _, rank = np.unique(rank * n_codes + codes, return_inverse=True)
            n_ranks = int(rank.max()) + 1
    if (np.diff(rank) >= 0).all():
        return frame
    return frame.take(np.argsort(rank, kind="stable")).reset_index(drop=True)


def _rank_values(column: pd.Series) -> tuple[IntArray, int]:
    """Return the rank of each value of a column, from 0, and the number of possible ranks.

    Equal values have equal ranks; a missing number has the last rank.
    """
    if not is_numeric_dtype(column):
        column = column.map(str) if column.dtype == object else column.astype(str)
    codes, distinct = pd.factorize(column, sort=True, use_na_sentinel=True)
    return np.where(codes < 0, len(distinct), codes), len(distinct) + 1
