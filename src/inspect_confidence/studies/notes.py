"""Notes on the judgments that an estimate leaves out."""

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.answers import READ_STATUSES, REPLY_STATUSES
from inspect_confidence.metrics.arrays import FloatArray, IntArray, count_flags
from inspect_confidence.printing import counted

COUNT = "count"
"""Column with the number of equal judgments, of different items, that a row stands for."""

IN_FILE = " in the file"
"""End of the reason of a judgment that is not `ok` because of an empty cell of a user's file."""


UNNAMED_DATASET = "the data set without a name"
"""Data set whose name is empty, in a sentence."""


def join_notes(*parts: str) -> str:
    """Join the parts of a note with semicolons; empty parts are left out."""
    return "; ".join(filter(None, parts))


def reason_in(note: str, missing: str) -> str | None:
    """Return the reason that a note's part gives for what is missing; None without such a part.

    Example:
        >>> reason_in("undefined: every answer is right; 3 of 9 judgments left out", "undefined")
        'every answer is right'
    """
    return dict(part.partition(": ")[::2] for part in note.split("; ")).get(missing)


_WHOLE_NUMBER = re.compile(r"(?<![\w.,-])\d+(?![\w%]|[.,]\d)")  # not the 5 of 0.5 or of 5%


_TOO_FEW_BY_RANGE = re.compile(r"^fewer than (\d+ to \d+) (.+)$")
"""Joint reason of metrics that need different numbers of items, before it is worded."""


def merge_reasons(reasons: Iterable[str]) -> dict[str, str]:
    """Return a joint reason for each reason: those that differ only in whole numbers have one.

    The joint reason has the smallest and the largest of the numbers. If these are least numbers of
    items, it says that they differ by metric.

    Example:
        >>> merge_reasons(["3 of 9 items", "5 of 9 items"])
        {'3 of 9 items': '3 to 5 of 9 items', '5 of 9 items': '3 to 5 of 9 items'}
        >>> set(merge_reasons(["fewer than 20 items", "fewer than 30 items"]).values())
        {'fewer items than the metric needs (20 to 30)'}
    """
    # By the texts between the numbers, one more than there are numbers.
    reasons_by_text: dict[tuple[str, ...], list[str]] = {}
    for reason in dict.fromkeys(reasons):
        reasons_by_text.setdefault(tuple(_WHOLE_NUMBER.split(reason)), []).append(reason)
    joint_reasons = {}
    for texts, alike_reasons in reasons_by_text.items():
        # A row for each reason, a column for each of its numbers (as texts).
        numbers = np.array([_WHOLE_NUMBER.findall(reason) for reason in alike_reasons], object)
        ranges = []
        for values in numbers.T:
            low, high = min(values, key=int), max(values, key=int)
            ranges.append(low if low == high else f"{low} to {high}")
        pieces = zip(texts, [*ranges, ""], strict=True)  # no number follows the last text
        joint_reason = "".join(text + number for text, number in pieces)
        joint_reason = _TOO_FEW_BY_RANGE.sub(r"fewer \2 than the metric needs (\1)", joint_reason)
        joint_reasons.update(dict.fromkeys(alike_reasons, joint_reason))
    return joint_reasons


_PANDAS_FROM = 1_000
"""Number of texts above which pandas counts faster than Python."""


def judgment_counts(rows: pd.DataFrame) -> IntArray | None:
    """Return for how many equal judgments each row stands; None if each stands for itself."""
    if COUNT not in rows or not (rows[COUNT] > 1).any():
        return None
    return rows[COUNT].to_numpy(np.int64)


def count_texts(texts: Iterable[str], counts: IntArray | None = None) -> Counter[str]:
    """Count how often each text occurs.

    With `counts`, each entry of `texts` counts as many times as its number there. Long columns are
    counted by pandas, which is then faster.
    """
    if counts is not None:
        totals: Counter[str] = Counter()
        for text, n in zip(texts, counts.tolist(), strict=True):
            totals[text] += n
        return totals
    if isinstance(texts, pd.Series) and len(texts) > _PANDAS_FROM:
        return Counter({str(text): int(n) for text, n in texts.value_counts().items()})
    return Counter(texts)


def describe_left_out(statuses: Iterable[str], counts: IntArray | None = None) -> str:
    """Describe how many judgments are left out, by status; empty if all are `ok`.

    `counts` has for each status how many equal judgments have it; one each if None.

    Example:
        >>> describe_left_out(["ok", "no_response", "ok"])
        '1 of 3 judgments left out: 1 no_response'
    """
    totals = count_texts(statuses, counts)
    excluded = {status: n for status, n in sorted(totals.items()) if status != "ok"}
    if not excluded:
        return ""
    reasons = ", ".join(f"{n} {status}" for status, n in excluded.items())
    judgments = counted(totals.total(), "judgment")
    return f"{sum(excluded.values())} of {judgments} left out: {reasons}"


def statuses_of_estimate(
    rows: pd.DataFrame, present: "pd.Series[bool] | NDArray[np.bool_]"
) -> "pd.Series[str]":
    """Return each judgment's status for an estimate: `ok` if `present` says that it counts.

    A judgment that is `ok` but does not count has the status `without a value`.
    """
    status = rows["status"].where(rows["status"] != "ok", "without a value")
    return status.where(~present, "ok")


def describe_counts(rows: pd.DataFrame, present: "pd.Series[bool] | NDArray[np.bool_]") -> str:
    """Describe how many judgments an estimate leaves out, by status, and how many items it has.

    `present` says which judgments count. Items are named only if they are fewer than the judgments
    that count.
    """
    counts = judgment_counts(rows)
    items = rows.loc[present, "item"].nunique()
    # Judgments that a row counts together (`counts`) are of different items.
    has_fewer_items = counts is None and items < present.sum()
    return join_notes(
        describe_left_out(statuses_of_estimate(rows, present), counts),
        counted(items, "item") if has_fewer_items else "",
    )


def describe_missing(rows: pd.DataFrame, values: FloatArray) -> str:
    """Describe how many judgments have NaN among the values of a metric, by status."""
    statuses = statuses_of_estimate(rows, ~np.isnan(values))
    return describe_left_out(statuses, judgment_counts(rows))


_PARTIAL_GRADES = "grades between 0 and 1"


def describe_partial_grades(grades: FloatArray, counts: IntArray | None = None) -> str:
    """Describe how many grades are neither 0 nor 1; empty if there are none.

    `counts` has for each grade how many equal judgments have it; one each if None.

    Example:
        >>> describe_partial_grades(np.array([1, 0.5, np.nan, 0]))
        '1 of 3 grades between 0 and 1'
    """
    is_graded = ~np.isnan(grades)
    partial = count_flags(is_graded & ~np.isin(grades, (0, 1)), counts)
    total = count_flags(is_graded, counts)
    return f"{partial} of {total} {_PARTIAL_GRADES}" if partial else ""


def has_partial_grades(note: str) -> bool:
    """Return whether an accuracy with this note is a mean score, not a share of right answers."""
    return _PARTIAL_GRADES in note


def reasons_in_file(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return the reason of each judgment whose file has an empty cell; empty for the others."""
    return rows["reason"].where(rows["reason"].str.endswith(IN_FILE), "")


def has_reply(statuses: "pd.Series[str]") -> NDArray[np.bool_]:
    """Return which judgments have a reply, readable or not."""
    return statuses.isin(READ_STATUSES | REPLY_STATUSES).to_numpy(bool)


def unread_flags(statuses: "pd.Series[str]") -> NDArray[np.float64]:
    """Return 1 where a reply could not be read, 0 where it could, NaN where there was none.

    A reply was read even if the model declined in it, or if the grader of its answer failed.
    """
    return np.where(has_reply(statuses), statuses.isin(REPLY_STATUSES), np.nan)
