"""Unread replies: their share by condition, and its summary in words.

Metrics are computed from the replies that could be read. If their share depends on the condition, a
comparison of conditions may be a comparison of formats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import count_flags
from inspect_confidence.results import Condition, Key, Result, ResultRow, ResultTable
from inspect_confidence.studies.estimate import cluster_names, condition_groups, wilson_interval
from inspect_confidence.studies.notes import (
    count_texts,
    has_reply,
    join_notes,
    judgment_counts,
    reasons_in_file,
    unread_flags,
)
from inspect_confidence.studies.study import TaskTable

UNREAD_SHARE = "unread_share"
ALL_DATASETS = "all"
"""Value of `dataset` in results over all data sets."""


def unread_shares(table: TaskTable, judgments: pd.DataFrame) -> Iterator[Result]:
    """Yield the share of unread replies of each model and variant, overall and by condition.

    Judgments without a reply, because the run, a grader or a scorer failed, are left out and
    counted. The task's table gives a row for each reply (`replies`), and the columns of conditions
    by which shares are given on each data set (`varied`).
    """
    rows = table.replies(judgments)
    # An item, or cluster, is a unit of its own in each data set.
    rows = rows.assign(unit=rows.groupby([rows["dataset"], cluster_names(rows)]).ngroup())
    for key, condition, group in condition_groups(rows, ("model", "variant")):
        datasets = list(group.groupby("dataset"))
        for dataset, dataset_rows in datasets:
            dataset_key = replace(key, dataset=str(dataset))
            yield _overall_share(dataset_rows, dataset_key, condition)
            for column in table.varied:
                yield from _shares_by_column(dataset_rows, column, dataset_key, condition)
        if len(datasets) > 1:
            yield _overall_share(group, replace(key, dataset=ALL_DATASETS), condition)


def _overall_share(rows: pd.DataFrame, key: Key, condition: Condition) -> Result:
    """Return the share of unread replies of all rows, with their statuses as its note.

    The note also counts the judgments without a reply, which the share leaves out.
    """
    share = _unread_share(rows, key, condition)
    unread_statuses = _describe_statuses(rows[unread_flags(rows["status"]) == 1])
    without_reply = _describe_statuses(rows[~has_reply(rows["status"])])
    remark = f"not counted: {without_reply}" if without_reply else ""
    return replace(share, note=join_notes(share.note, unread_statuses, remark))


def _describe_statuses(rows: pd.DataFrame) -> str:
    """Return how often each status occurs, such as "2 echo, 1 no_response".

    For an empty cell of a file, which is no fault of the model, the reason is counted in place of
    the status: "2 with no confidence in the file".
    """
    reasons = reasons_in_file(rows)
    causes = rows["status"].mask(reasons != "", "with " + reasons)
    totals = count_texts(causes, judgment_counts(rows))
    return ", ".join(f"{totals[name]:,} {name}" for name in sorted(totals))


def _shares_by_column(
    rows: pd.DataFrame, column: str, key: Key, condition: Condition
) -> Iterator[Result]:
    """Yield the unread share for each value of a column; nothing with fewer than two values."""
    # NaN and "" are missing values, whose rows count only in the overall share.
    values = rows.loc[rows[column] != "", column].dropna().unique()
    if len(values) < 2:
        return
    for value in sorted(values):
        yield _unread_share(rows[rows[column] == value], key, condition.but(**{column: value}))


def _unread_share(rows: pd.DataFrame, key: Key, condition: Condition) -> Result:
    """Return the share of unread replies, with Wilson's interval over items or clusters.

    `rows` are judgments with their item or cluster as `unit`. A row with a `count` stands for so
    many equal judgments, each of an item of its own. A share without replies is undefined.
    """
    flags, counts = unread_flags(rows["status"]), judgment_counts(rows)
    unit_index, units = pd.factorize(rows["unit"])
    n = count_flags(~np.isnan(flags), counts)
    share = count_flags(flags == 1, counts) / n if n else np.nan
    interval = wilson_interval(flags, unit_index, len(units), counts)
    note = "" if n else "undefined: no reply"
    return key.result(condition, UNREAD_SHARE, share, interval, n=n, note=note)


def without_unread(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results without shares of unread replies."""
    return results[results["metric"] != UNREAD_SHARE]


def answering_models(results: ResultTable) -> list[str]:
    """Return the models that were asked, without names such as that of a mean over models.

    A model that was asked has a share of unread replies, undefined if no reply came. If the results
    have no such share, all names are returned.
    """
    shares = results.matching(metric=UNREAD_SHARE)
    return (shares if len(shares) else results).values("model")


_NEARLY_ALL = 0.9
"""Share of unread replies from which on a run is reported as having next to no numbers."""


def nearly_all_unread(results: pd.DataFrame) -> str:
    """Return a warning if at least 90% of the replies of the results are unread, otherwise ""."""
    replies = unread_replies = 0.0
    for failures in summarize_failures(results):
        row = failures.row
        # A share over all data sets would count the replies of each of them again.
        if row.n and row["dataset"] != ALL_DATASETS:
            replies += row.n
            unread_replies += row.value * row.n
    if not replies or unread_replies < _NEARLY_ALL * replies:
        return ""
    return (
        f"{unread_replies:,.0f} of {replies:,.0f} replies could not be read, so that next to no "
        "number is defined. Look at them with: inspect-confidence unread LOGS"
    )


def results_of_readable_tasks(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results without those of tasks of which nearly all replies are unread.

    A sentence on the few replies that were read would pass for one on the model.
    """
    unread_tasks = [task for task, rows in results.groupby("task") if nearly_all_unread(rows)]
    return results[~results["task"].isin(unread_tasks)]


@dataclass(frozen=True)
class ParseFailureSummary:
    """The unread replies of a model on a data set, in words.

    Attributes:
        group: Task, model, data set and variant.
        row: The row of results with the share.
        share: Text with the share and the statuses.
        extremes: Text with the conditions of the least and the greatest share, for each varied
            column whose shares differ.
    """

    group: Sequence[str]
    row: ResultRow
    share: str
    extremes: str

    @property
    def sentence(self) -> str:
        """Sentence with the share and the extremes."""
        return f"Parse failures: {'; '.join(filter(None, (self.share, self.extremes)))}."


def summarize_failures(results: pd.DataFrame) -> list[ParseFailureSummary]:
    """Describe the share of unread replies in results, by task, model, data set and variant.

    A summary has the overall share and, for each column of conditions by which shares are given,
    the values with the least and the greatest one, unless all shares are equal. The list is empty
    if there are no shares.
    """
    table = ResultTable.from_frame(results[results["metric"].eq(UNREAD_SHARE)])
    summaries = []
    for group, rows in table.groups(*_GROUP_PARTS):
        rows_by_column: dict[str, list[ResultRow]] = {}
        for row in rows:
            # Its column is the part beside the group and the metric; the overall share has none.
            varied = [name for name in row.parts if name not in (*_GROUP_PARTS, "metric")]
            rows_by_column.setdefault(",".join(varied), []).append(row)
        overall = rows_by_column.pop("", [])
        extremes = [_describe_extremes(name, rows) for name, rows in rows_by_column.items()]
        extremes_text = "; ".join(filter(None, extremes))
        for row in overall:  # one, if the results are those of one `summarize`
            summaries.append(ParseFailureSummary(group, row, _describe_share(row), extremes_text))
    return summaries


_GROUP_PARTS = ("task", "model", "dataset", "variant")
_COLUMN_LABELS = {"choice_set": "choice set", "cot": "chain of thought"}


def _describe_share(row: ResultRow) -> str:
    """Return a share in words, such as "2.5% of 80 replies (2 echo)"."""
    n, value = row.n, row.value
    remark = f" ({row.note})" if row.note else ""
    if not n:
        return f"no reply counts{remark}: `inspect-confidence unread` says why"
    share = {0.0: "none", 1.0: "all"}.get(value, _percent(value))
    return f"{share} of {n:,} repl{'y' if n == 1 else 'ies'}{remark}"


def _percent(share: float) -> str:
    """Return a share as a whole percentage, below 10% with two significant digits.

    From 99% on what is missing to 100% has two significant digits: 249 of 250 are 99.6%.
    """
    if 0.99 < share < 1:
        return f"{100 - float(f'{100 * (1 - share):.2g}'):.10g}%"
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.2g}%"


def _describe_extremes(column: str, rows: Sequence[ResultRow]) -> str:
    """Describe for which values of a column the share of unread replies is least and greatest.

    The text is empty if all defined shares are equal, or none is defined.
    """
    defined = sorted((row for row in rows if not np.isnan(row.value)), key=lambda row: row.value)
    if not defined or defined[0].value == defined[-1].value:
        return ""
    least, greatest = defined[0], defined[-1]
    label = _COLUMN_LABELS.get(column, column)
    return (
        f"by {label} {_percent(least.value)} ({least[column]}) to {_percent(greatest.value)} "
        f"({greatest[column]})"
    )
