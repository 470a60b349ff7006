"""Tables of results by study, for the terminal and for files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from inspect_confidence.headlines import direction_of, headline_rows
from inspect_confidence.overview.numbers import format_interval, format_number
from inspect_confidence.results import OTHER_ITEMS
from inspect_confidence.studies import Study, View, all_studies
from inspect_confidence.studies.tables import NOTHING, Cell
from inspect_confidence.studies.toolbox import (
    CORRECTED_METRICS,
    corrected_views,
    extra_metric_views,
    means_as_headlines,
)
from inspect_confidence.studies.unread import (
    UNREAD_SHARE,
    ParseFailureSummary,
    nearly_all_unread,
    summarize_failures,
    without_unread,
)

_KEYS = ("model", "dataset", "variant", "judge")
_UNITS = r"^[^:()]*: | \(share\)"
"""Parts of a label that tables omit: the task, which is in the title, and `(share)`."""

_MANY = 0.05
"""Share of unread replies from which on they are reported in a line of their own."""


def views_of(results: pd.DataFrame) -> Iterator[tuple[Study, Sequence[View]]]:
    """Yield each study that has results with its tables.

    Args:
        results: A frame of results.
    """
    results = without_unread(results)
    for study in all_studies():
        tasks = [table.task for table in study.tables]
        study_results = results[results["task"].isin(tasks)]
        if study_results.empty:
            continue
        views = [*study.views(study_results), *extra_metric_views(study_results)]
        if views:
            yield study, views


def headline_metrics() -> set[str]:
    """Return the metrics of the tables of `headline_views`."""
    metrics = set(CORRECTED_METRICS)
    for study in all_studies():
        for headline in (*means_as_headlines(study), *study.headlines):
            metrics.add(headline.metric)
    return metrics


def headline_views(results: pd.DataFrame) -> Iterator[tuple[Study, Sequence[View]]]:
    """Yield each study that has results with tables of its headlines and further metrics.

    There is a table for each task and each group of data sets with equal headlines, and a table of
    values corrected for a judge's errors. Lines are models, and data sets, variants and judges if
    there are several; the last column is the share of unread replies. Captions explain undefined
    numbers and missing intervals, and describe frequent unread replies. A task without headlines
    has an empty table.

    Args:
        results: A frame of results.
    """
    rows = headline_rows(results, lambda study: [*means_as_headlines(study), *study.headlines])
    order = pd.Index(results["model"].unique())
    rows = rows.sort_values("model", key=order.get_indexer, kind="stable")
    rows["label"] = rows["label"].str.replace(_UNITS, "", regex=True)
    for study in all_studies():
        views: list[View] = []
        tasks = [table.task for table in study.tables if (results["task"] == table.task).any()]
        for task in tasks:
            task_rows = rows[rows["task"] == task]
            headlines = task_rows.groupby("dataset", sort=False)["label"].agg(frozenset)
            unread = summarize_failures(results[results["task"] == task])
            for _, group in task_rows.groupby(task_rows["dataset"].map(headlines), sort=False):
                views.append(_headlines(group, unread, results[results["task"] == task]))
            if task_rows.empty:
                views.append(View(task, pd.DataFrame(), f"No headline; see --study {study.name}."))
        views += corrected_views(results[results["task"].isin(tasks)])
        if tasks:
            yield study, views


def _headlines(
    rows: pd.DataFrame, unread: Sequence[ParseFailureSummary], results: pd.DataFrame
) -> View:
    """Build the table of a task's headlines with the shares of unread replies."""
    shares = {tuple(failures.group[1:]): failures.record for failures in unread}
    columns = [name for name in _KEYS if name == "model" or rows[name].nunique() > 1]
    shared = [rows[name].iloc[0] for name in _KEYS if name not in columns]
    defined = rows[rows["value"].notna()]
    labels = list(map(str, defined["label"].unique()))
    row_keys = set(rows[list(_KEYS[:3])].itertuples(index=False, name=None))
    has_unread = bool(shares.keys() & row_keys)
    lines = []
    for key, group in rows.groupby(list(_KEYS), sort=False) if labels else ():
        records = group.reset_index(names="row").to_dict("records")
        by_label = {record["label"]: record for record in records}
        names = dict(zip(_KEYS, map(str, key), strict=True))
        line: dict[str, Any] = {}
        for name in columns:
            line[name.replace("dataset", "data set")] = names[name] or "-"
        for label in labels:
            line[label] = _headline_cell(by_label.get(label))
        if has_unread:
            line["parse failures"] = _headline_cell(shares.get(tuple(names.values())[:3]))
        lines.append(line)
    unread_note = nearly_all_unread(results)
    notes = [f"{unread_note}."] if unread_note else [*_directions(defined), *_reasons(rows)]
    if rows["note"].str.contains(OTHER_ITEMS, regex=False).any():
        notes.append(f"{OTHER_ITEMS} on other items: n is below 90% of the largest of its column.")
    datasets = set(rows["dataset"])
    for failures in unread:
        if failures.group[2] in datasets:
            notes += _parse_failure_notes(failures)
    title = ", ".join(filter(None, [rows["task"].iloc[0], *shared]))
    return View(title, pd.DataFrame(lines, dtype=object), "\n".join(notes))


def _headline_cell(record: Mapping[Any, Any] | None) -> Cell:
    """Write a row's value as the report writes it; shares of parse failures have no interval."""
    if record is None:
        return NOTHING
    metric, value = str(record["metric"]), float(record["value"])
    text = format_number(metric, value, int(record["n"]))
    if metric != UNREAD_SHARE and not math.isnan(value):
        text += format_interval(metric, record)
        if OTHER_ITEMS in str(record["note"]):
            text += f" {OTHER_ITEMS}"
    return Cell(text, int(record["row"]), value, str(record["note"]))


def _directions(rows: pd.DataFrame) -> Iterator[str]:
    """Say which values of the metrics are better, one sentence for each direction."""
    labels: dict[str, dict[str, None]] = {}
    for row in rows.to_dict("records"):
        direction = direction_of(str(row["metric"]), str(row["condition"]))
        if direction.ordered:
            labels.setdefault(direction.label, {})[row["label"]] = None
    for direction_label, names in labels.items():
        yield f"{direction_label[:1].upper()}{direction_label[1:]}: {'; '.join(names)}."


_REASONS = {"undefined": "Undefined:", "no interval": "No interval of"}
"""Beginnings of the sentences on missing numbers, by the beginning of the note."""


def _reasons(rows: pd.DataFrame) -> Iterator[str]:
    """Explain undefined numbers and missing intervals, with the metrics of each reason."""
    labels_by_reason: dict[tuple[str, str], dict[str, None]] = {}
    for label, note in zip(rows["label"], rows["note"], strict=True):
        for part in note.split("; "):
            kind, _, reason = part.partition(": ")
            if kind in _REASONS:
                labels_by_reason.setdefault((kind, reason), {})[label] = None
    for kind, beginning in _REASONS.items():
        for (kind_of_reason, reason), labels in labels_by_reason.items():
            if kind_of_reason == kind:
                yield f"{beginning} {'; '.join(labels)}: {reason}."


def _parse_failure_notes(failures: ParseFailureSummary) -> Iterator[str]:
    """Describe unread replies that are frequent, and failures of the run."""
    failed = "without a reply" in str(failures.record["note"])
    if failed or failures.record["value"] >= _MANY:
        yield f"{' '.join(filter(None, failures.group[1:]))}: {failures.sentence}"
