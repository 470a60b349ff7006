"""Unread replies: their share by condition, a test of its dependence on it, and a summary.

Metrics rest on the replies that could be read. If the share of these depends on the condition, a
comparison of conditions may be a comparison of formats.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import condition_groups
from inspect_confidence.studies.notes import noted, replied, tallied
from inspect_confidence.studies.study import Resampling, TaskTable
from inspect_confidence.studies.tables import ResultRow, ResultTable

SHARE, DEPENDENCE = METRICS = ("unread_share", "unread_dependence")
ALL_DATASETS = "all"
"""Value of `dataset` in results over all data sets."""

_LEAST, _MOST = 999, 2_000_000
"""Least permutations, and permuted values from which on there are fewer than requested."""


def unread(table: TaskTable, judgments: pd.DataFrame, resampling: Resampling) -> Iterator[Result]:
    """Yield the share of unread replies of each model and variant, overall and by condition.

    For each varied column, the data set among them, a p tests whether the share depends on it.
    Judgments without a reply (a failure of the run or the instrument) are left out and counted.
    """
    rows = table.replies(judgments)
    has_reply = replied(rows["status"])
    rows = rows.assign(
        asked=has_reply,
        lost=has_reply & (rows["status"] != "ok"),
        unit=rows.groupby(["dataset", "item"]).ngroup(),
    )
    # Sorted throughout, so that the order of logs changes no permutation.
    for key, condition, group in condition_groups(rows, ("model", "variant")):
        datasets = list(group.groupby("dataset"))
        for dataset, dataset_rows in datasets:
            dataset_key = replace(key, dataset=str(dataset))
            yield _overall(dataset_rows, dataset_key, condition)
            for column in table.varied:
                yield from _by_column(dataset_rows, column, dataset_key, condition, resampling)
        if len(datasets) > 1:
            all_key = replace(key, dataset=ALL_DATASETS)
            yield _overall(group, all_key, condition)
            yield from _by_column(group, "dataset", all_key, condition, resampling)


def _overall(rows: pd.DataFrame, key: Key, condition: Condition) -> Result:
    status = rows["status"]
    unread_statuses = _status_counts(status[rows["lost"]])
    without_reply = _status_counts(status[~rows["asked"]])
    counts = _counts(rows, np.zeros(len(rows), np.int64))
    (share,) = _shares(counts, key, [condition])
    remark = f"without a reply: {without_reply}" if without_reply else ""
    return replace(share, note=noted(share.note, unread_statuses, remark))


def _status_counts(statuses: "pd.Series[str]") -> str:
    counts = tallied(statuses)
    return ", ".join(f"{counts[name]:,} {name}" for name in sorted(counts))


def _by_column(
    rows: pd.DataFrame, column: str, key: Key, condition: Condition, resampling: Resampling
) -> Iterator[Result]:
    """Yield the share for each value of a column, and p; nothing if it has fewer than two."""
    code, levels = pd.factorize(rows[column].mask(rows[column] == ""), sort=True)
    if len(levels) < 2:
        return
    counts = _counts(rows[code >= 0], code[code >= 0])
    if column != "dataset":  # the data sets' shares are results of their own already
        yield from _shares(counts, key, [condition.but(**{column: level}) for level in levels])
    unread_replies, replies = counts.unread, counts.replies
    cells = int((replies > 0).sum())
    resamples = min(resampling.resamples, max(_LEAST, _MOST // max(1, cells)))
    p = metrics.unread_dependence(
        unread_replies, replies, resamples=resamples, seed=resampling.seed
    )
    recurring = int(((replies > 0).sum(axis=1) > 1).sum())
    permuted = f"within {recurring} items" if recurring else f"of {len(replies)} whole items"
    note = f"{resamples:,} permutations {permuted}"
    if np.isnan(p):
        note = f"undefined: {_undefined_reason(counts)}"
    n = int(replies.sum())
    yield key.result(condition.but(by=column), DEPENDENCE, p, n=n, note=note)


@dataclass(frozen=True)
class _Counts:
    """Numbers of unread replies, and of replies, by item (row) and condition (column)."""

    unread: FloatArray
    replies: FloatArray


def _undefined_reason(counts: _Counts) -> str:
    if (counts.unread == counts.replies).all():
        return "no reply was read"
    if not counts.unread.any():
        return "every reply was read"
    return metrics.METRICS[DEPENDENCE].undefined


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
    intervals = wilson_limits(share, divided(squares, np.square(total)), total, items)
    for condition, value, interval, n in zip(conditions, share, intervals, total, strict=True):
        note = "undefined: no reply" if np.isnan(value) else ""
        yield key.result(condition, SHARE, value, interval, n=int(n), note=note)


def without_unread(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results without the metrics of this module."""
    return results[~results["metric"].isin(METRICS)]


@dataclass(frozen=True)
class ParseFailureSummary:
    """The unread replies of a model on a data set, in words.

    Attributes:
        group: Task, model, data set and variant.
        record: The row of results with the share.
        share: The share and the statuses.
        dependence: What the share depends on and what not; empty if nothing was tested.
    """

    group: Sequence[str]
    record: Mapping[Any, Any]
    share: str
    dependence: str

    @property
    def sentence(self) -> str:
        """Share and dependence as a sentence."""
        return f"Unread: {'; '.join(filter(None, (self.share, self.dependence)))}."


def summarize_failures(results: pd.DataFrame) -> tuple[list[ParseFailureSummary], str]:
    """Summarize the unread replies of each model, with a remark on all their p.

    Args:
        results: Results of a study.
    """
    table = ResultTable.from_frame(results[results["metric"].isin(METRICS)])
    tests = [row for row in table.matching(metric=DEPENDENCE) if not np.isnan(row.value)]
    adjusted = metrics.holm([row.value for row in tests])
    adjusted_p = {_result_index(row): float(p) for row, p in zip(tests, adjusted, strict=True)}
    summaries = []
    for group, rows in table.groups("task", "model", "dataset", "variant"):
        p_by_column = []
        for row in rows:
            if _result_index(row) in adjusted_p:
                label = _LABELS.get(row["by"], row["by"])
                p_by_column.append((label, adjusted_p[_result_index(row)]))
        for row in rows.matching(metric=SHARE):
            if set(row.parts) <= {"task", "model", "dataset", "metric", "variant"}:
                dependence = _dependence(p_by_column)
                summaries.append(ParseFailureSummary(group, row.record, _share(row), dependence))
    remark = f"p after Holm's adjustment over {len(tests)} tests." if len(tests) > 1 else ""
    return summaries, remark


_ALPHA = 0.05
_LABELS = {"choice_set": "choice set", "cot": "chain of thought", "dataset": "data set"}


def _result_index(row: ResultRow) -> int:
    return int(row.record["row"])


def _share(row: ResultRow) -> str:
    n, value = int(row.record["n"]), row.value
    remark = f" ({row.note})" if row.note else ""
    if not n:
        return f"no reply came{remark}"
    share = {0.0: "none", 1.0: "all"}.get(value, f"{_percent(value)}%")
    return f"{share} of {n:,} repl{'y' if n == 1 else 'ies'}{remark}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"


def _dependence(p_by_column: Sequence[tuple[str, float]]) -> str:
    significant = [(label, p) for label, p in p_by_column if p < _ALPHA]
    insignificant = [(label, p) for label, p in p_by_column if p >= _ALPHA]
    sentences = []
    if significant:
        labels = " or ".join(label for label, _ in significant)
        sentences.append(
            f"the share depends on {_with_p(significant, ' and ')}: comparisons by {labels} may be "
            "comparisons of format"
        )
    if insignificant:
        sentences.append(f"no sign that it depends on {_with_p(insignificant, ' or ')}")
    return "; ".join(sentences)


def _with_p(tests: Sequence[tuple[str, float]], conjunction: str) -> str:
    return conjunction.join(f"the {label} ({_p(p)})" for label, p in tests)


def _p(p: float) -> str:
    digits = 2 if p >= 0.1 else 3
    return "p < .001" if p < 0.0005 else f"p = {p:.{digits}f}".replace("0.", ".", 1)
