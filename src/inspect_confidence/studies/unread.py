"""Unread replies: their share by condition, and a summary of it.

Metrics rest on the replies that could be read. If the share of these depends on the condition, a
comparison of conditions may be a comparison of formats.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import cluster_names, condition_groups
from inspect_confidence.studies.notes import count_texts, has_reply, join_notes, unread_flags
from inspect_confidence.studies.study import TaskTable
from inspect_confidence.studies.tables import ResultRow, ResultTable

SHARE = "unread_share"
ALL_DATASETS = "all"
"""Value of `dataset` in results over all data sets."""


def unread(table: TaskTable, judgments: pd.DataFrame) -> Iterator[Result]:
    """Yield the share of unread replies of each model and variant, overall and by condition.

    Judgments without a reply (a failure of the run or the instrument) are left out and counted.
    """
    rows = table.replies(judgments)
    was_answered = has_reply(rows["status"])
    rows = rows.assign(
        asked=was_answered,
        lost=unread_flags(rows["status"]) == 1,
        unit=rows.groupby([rows["dataset"], cluster_names(rows)]).ngroup(),
    )
    for key, condition, group in condition_groups(rows, ("model", "variant")):
        datasets = list(group.groupby("dataset"))
        for dataset, dataset_rows in datasets:
            dataset_key = replace(key, dataset=str(dataset))
            yield _overall(dataset_rows, dataset_key, condition)
            for column in table.varied:
                yield from _by_column(dataset_rows, column, dataset_key, condition)
        if len(datasets) > 1:
            yield _overall(group, replace(key, dataset=ALL_DATASETS), condition)


def _overall(rows: pd.DataFrame, key: Key, condition: Condition) -> Result:
    status = rows["status"]
    unread_statuses = _status_counts(status[rows["lost"]])
    without_reply = _status_counts(status[~rows["asked"]])
    counts = _counts(rows, np.zeros(len(rows), np.int64))
    (share,) = _shares(counts, key, [condition])
    remark = f"without a reply: {without_reply}" if without_reply else ""
    return replace(share, note=join_notes(share.note, unread_statuses, remark))


def _status_counts(statuses: "pd.Series[str]") -> str:
    counts = count_texts(statuses)
    return ", ".join(f"{counts[name]:,} {name}" for name in sorted(counts))


def _by_column(rows: pd.DataFrame, column: str, key: Key, condition: Condition) -> Iterator[Result]:
    """Yield the share for each value of a column; no share if the column has fewer than two."""
    code, levels = pd.factorize(rows[column].mask(rows[column] == ""), sort=True)
    if len(levels) < 2:
        return
    counts = _counts(rows[code >= 0], code[code >= 0])
    yield from _shares(counts, key, [condition.but(**{column: level}) for level in levels])


@dataclass(frozen=True)
class _Counts:
    """Numbers of unread replies, and of replies, by item (row) and condition (column)."""

    unread: FloatArray
    replies: FloatArray


def _counts(rows: pd.DataFrame, code: Any) -> _Counts:
    """Count by item and by the code of the condition."""
    unit = np.unique(rows["unit"], return_inverse=True)[1]
    shape = (int(unit.max(initial=-1)) + 1, int(code.max(initial=0)) + 1)
    unread_replies, replies = np.zeros(shape), np.zeros(shape)
    np.add.at(unread_replies, (unit, code), rows["lost"].astype(float))
    np.add.at(replies, (unit, code), rows["asked"].astype(float))
    return _Counts(unread_replies, replies)


def _shares(counts: _Counts, key: Key, conditions: Sequence[Condition]) -> Iterator[Result]:
    """Yield the unread share in each column of the counts, with Wilson's interval over items."""
    total = counts.replies.sum(axis=0)
    share = divided(counts.unread.sum(axis=0), total)
    squares = np.square(counts.unread - share * counts.replies).sum(axis=0)
    items = (counts.replies > 0).sum(axis=0).astype(float)
    with_unread = (counts.unread > 0).sum(axis=0)
    rarer = np.minimum(with_unread, (counts.unread < counts.replies).sum(axis=0)).astype(float)
    variances = divided(squares, np.square(total))
    intervals = wilson_limits(share, variances, total, items, rarer=rarer)
    for condition, value, interval, n in zip(conditions, share, intervals, total, strict=True):
        note = "undefined: no reply" if np.isnan(value) else ""
        yield key.result(condition, SHARE, value, interval, n=int(n), note=note)


def without_unread(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results without the metrics of this module."""
    return results[results["metric"] != SHARE]


def answering_models(results: pd.DataFrame) -> list[str]:
    """Return the models that gave replies, without means over models and the like.

    Every model with judgments has a share of parse failures; if the results have none of them, all
    models are returned.
    """
    shares = results[results["metric"] == SHARE]
    models = shares["model"] if len(shares) else results["model"]
    return list(map(str, models.unique()))


NEARLY_ALL = 0.9
"""Share of unread replies from which on a run has next to no numbers."""


def nearly_all_unread(results: pd.DataFrame) -> str:
    """Return a sentence if nearly all replies of the results are unread, otherwise nothing."""
    replies = unread_replies = 0.0
    for failures in summarize_failures(results):
        share, n = float(failures.record["value"]), float(failures.record["n"])
        if n and failures.group[2] != ALL_DATASETS:
            replies += n
            unread_replies += share * n
    if not replies or unread_replies < NEARLY_ALL * replies:
        return ""
    return (
        f"{unread_replies:,.0f} of {replies:,.0f} replies could not be read, so that next to no "
        "number is defined. Look at them with: inspect-confidence unread LOGS"
    )


@dataclass(frozen=True)
class ParseFailureSummary:
    """The unread replies of a model on a data set, in words.

    Attributes:
        group: Task, model, data set and variant.
        record: The row of results with the share.
        share: The share and the statuses.
        extremes: The conditions with the least and the greatest share, for each varied column with
            different shares.
    """

    group: Sequence[str]
    record: Mapping[Any, Any]
    share: str
    extremes: str

    @property
    def sentence(self) -> str:
        """Share and extremes as a sentence."""
        return f"Parse failures: {'; '.join(filter(None, (self.share, self.extremes)))}."


def summarize_failures(results: pd.DataFrame) -> list[ParseFailureSummary]:
    """Summarize the unread replies of each model, data set and variant.

    Args:
        results: Results of a study.
    """
    table = ResultTable.from_frame(results[results["metric"].eq(SHARE)])
    summaries = []
    for group, rows in table.groups(*_GROUP):
        rows_by_column: dict[str, list[ResultRow]] = {}
        for row in rows:
            varied = [name for name in row.parts if name not in (*_GROUP, "metric")]
            rows_by_column.setdefault(",".join(varied), []).append(row)
        overall = rows_by_column.pop("", [])
        extremes = [_extremes(column, levels) for column, levels in rows_by_column.items()]
        for row in overall:
            text = "; ".join(filter(None, extremes))
            summaries.append(ParseFailureSummary(group, row.record, _share(row), text))
    return summaries


_GROUP = ("task", "model", "dataset", "variant")
_LABELS = {"choice_set": "choice set", "cot": "chain of thought"}


def _share(row: ResultRow) -> str:
    n, value = int(row.record["n"]), row.value
    remark = f" ({row.note})" if row.note else ""
    if not n:
        return f"no reply came{remark}"
    share = {0.0: "none", 1.0: "all"}.get(value, _percent(value))
    return f"{share} of {n:,} repl{'y' if n == 1 else 'ies'}{remark}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.2g}%"


def _extremes(column: str, rows: Sequence[ResultRow]) -> str:
    """Return the levels of a column with the least and the greatest share; empty if all agree."""
    defined = sorted((row for row in rows if not np.isnan(row.value)), key=lambda row: row.value)
    if not defined or defined[0].value == defined[-1].value:
        return ""
    least, greatest = defined[0], defined[-1]
    label = _LABELS.get(column, column)
    return (
        f"by {label} {_percent(least.value)} ({least[column]}) to {_percent(greatest.value)} "
        f"({greatest[column]})"
    )
