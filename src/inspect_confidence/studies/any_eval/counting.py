"""Counts of equal judgments of any eval, from which its numbers follow if nothing is paired."""

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import MOST_VALUES
from inspect_confidence.metrics.resample import MOST_PATTERNS, MOST_UNITS
from inspect_confidence.studies.any_eval.judgments import EPOCHS, complete_scales, is_ordinal
from inspect_confidence.studies.estimate import field_values
from inspect_confidence.studies.notes import COUNT, reasons_in_file
from inspect_confidence.studies.study import NEEDS_ROWS, SEVERAL_SCALES, Counting, too_different

_EQUALITY_COLUMNS = (
    *("method", "scale", "by", "raw", "low", "high", "confidence", "correct", "status"),
    *("choices", "target", "agreement", "ordinal"),
)
"""Columns of completed judgments that numbers depend on, beside the model and the data set."""

_FEW_JUDGMENTS = f"calibration_p, because a data set has at most {MOST_UNITS:,} readable judgments"
"""Problem of few judgments, for each of which the test draws a random number."""


def count_equal(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with equal ones as one row, the first, and their number in `count`.

    The judgments of a model, variant and data set stay as they are, with a count of 1, if numbers
    need each of them. Counts of counted judgments stay. All judgments are returned unchanged if
    there are at most 4,000 (`MOST_UNITS`), or if none can be merged.
    """
    if _total(judgments) <= MOST_UNITS:
        return judgments
    parts = []
    for _, rows in judgments.groupby(["model", "variant", "dataset"], sort=False):
        merged, problem = _merge_if_exact(rows)
        parts.append(rows if problem else merged)
    if all(len(part) == _total(part) for part in parts):
        return judgments
    counted = pd.concat(parts, ignore_index=True)
    return counted.assign(**{COUNT: counted[COUNT].fillna(1).astype(np.int64)})


def why_not_counted(rows: pd.DataFrame) -> str:
    """Return which metrics of a model, variant and data set need each judgment, and why.

    The text is empty if none does. Rows may have counts already; only judgments of different items
    are counted.
    """
    return _merge_if_exact(rows)[1]


def _merge_if_exact(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return a data set's judgments with equal ones as one row, their number in `count`, and "".

    If numbers or their intervals need each judgment, return the rows unchanged, with the reason
    instead of "". That is so for few judgments, for each of which a test draws a random number, for
    clusters or several judgments of an item, for too many different values, and for several scales.
    """
    if _total(rows) <= MOST_UNITS:
        return rows, _FEW_JUDGMENTS
    # Equal judgments are exchangeable only if each is of an item of its own, by one method.
    # Rows of the method EPOCHS are answers to an item, which later become one judgment.
    methods = rows["method"].unique()
    has_clusters = bool((rows["cluster"] != "").any())
    if len(methods) > 1 or EPOCHS in methods or has_clusters or not rows["item"].is_unique:
        return rows, NEEDS_ROWS
    merged = _merge_equal(complete_scales(rows))
    if problem := _variety_problem(merged):
        return rows, problem
    # A score of which only the order counts (`ordinal`) has no `confidence`, and is readable.
    has_confidence = merged["confidence"].notna() | merged["ordinal"]
    is_readable = (merged["status"] == "ok") & has_confidence & merged["correct"].notna()
    # Few judgments in any part with numbers of its own are a reason too: all judgments first, then
    # those with each value of a field that `--by` names.
    for _, is_chosen in field_values(merged):
        if _total(merged[is_chosen & is_readable]) <= MOST_UNITS:
            return rows, _FEW_JUDGMENTS
    return merged, ""


def _variety_problem(merged: pd.DataFrame) -> str:
    """Return why rows with counts can't stand for the judgments; empty if they can.

    `merged` has a row for all judgments that are equal, with their number. It gives their intervals
    only with at most `MOST_PATTERNS` rows, at most `MOST_VALUES` different values of a column, and
    one scale.
    """
    if len(merged) > MOST_PATTERNS:
        return too_different(MOST_PATTERNS)
    if merged[["raw", "confidence", "correct"]].nunique().max() > MOST_VALUES:
        return too_different(MOST_VALUES, "confidences or grades")
    return SEVERAL_SCALES if merged["scale"].nunique() > 1 else ""


def _merge_equal(completed: pd.DataFrame) -> pd.DataFrame:
    """Return the first of all completed judgments that are equal, with their number in `count`.

    Equal are those with the same values in all columns that numbers and their notes depend on;
    `choices` and `target` are emptied where no number depends on them.
    """
    rows = completed.assign(ordinal=is_ordinal(completed))
    has_parts = (rows["by"] != "").any()  # in a part, items may have the same number of choices
    if rows["choices"].nunique(dropna=False) > 1 and not has_parts:
        rows["choices"] = np.nan  # metrics use a number of choices only if all items have it
    # The right choice matters for questions with two choices alone.
    rows["target"] = rows["target"].where(rows["choices"] == 2, "")
    keys = [*map(rows.get, _EQUALITY_COLUMNS), reasons_in_file(rows)]
    group = rows.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    counts = np.bincount(group, rows.get(COUNT))  # without counts, a row is one judgment
    is_first = ~pd.Series(group).duplicated().to_numpy()
    return rows[is_first].assign(**{COUNT: counts.astype(np.int64)})


def _total(rows: pd.DataFrame) -> int:
    """Return the number of judgments: the sum of the counts, or of rows without counts."""
    return int(rows[COUNT].sum()) if COUNT in rows else len(rows)


COUNTING = Counting(
    columns={
        **{name: f'"{name}"' for name in _EQUALITY_COLUMNS if name != "scale"},
        "target": "case when choices = 2 then target else '' end",
        "scorer": "scorer",
    },
    # A missing grade may follow from the answer and the target.
    needs_row=f"cluster <> '' or method = '{EPOCHS}' "
    "or (coalesce(isnan(correct), true) and scorer = '' and answer <> '' and target <> '')",
    count_equal=count_equal,
    problem=why_not_counted,
)
