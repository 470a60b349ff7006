"""Tables of results by study, for the terminal and for files."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from inspect_confidence.directions import direction_of
from inspect_confidence.headlines import headline_rows, label_beside_task
from inspect_confidence.overview.numbers import format_interval, format_number
from inspect_confidence.results import OTHER_ITEMS, ResultRow, ResultTable
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
    headlines = headline_rows(
        ResultTable.from_frame(results),
        lambda study: [*means_as_headlines(study), *study.headlines],
    )
    order = list(results["model"].unique())
    rows = ResultTable([row.labelled(label=label_beside_task(row["label"])) for row in headlines])
    rows = rows.sorted_by(lambda row: order.index(row["model"]))
    for study in all_studies():
        views: list[View] = []
        tasks = [table.task for table in study.tables if (results["task"] == table.task).any()]
        for task in tasks:
            task_results = results[results["task"] == task]
            unread = summarize_failures(task_results)
            datasets_by_labels: dict[frozenset[str], list[str]] = {}
            for (dataset,), group in rows.matching(task=task).groups("dataset"):
                labels = frozenset(group.values("label"))
                datasets_by_labels.setdefault(labels, []).append(dataset)
            for datasets in datasets_by_labels.values():
                group = rows.matching(task=task).among("dataset", datasets)
                views.append(_headlines(group, unread, task_results))
            if not datasets_by_labels:
                views.append(View(task, pd.DataFrame(), f"No headline; see --study {study.name}."))
        views += corrected_views(results[results["task"].isin(tasks)])
        if tasks:
            yield study, views


def _headlines(
    rows: ResultTable, unread: Sequence[ParseFailureSummary], results: pd.DataFrame
) -> View:
    """Build the table of a task's headlines with the shares of unread replies."""
    shares = {tuple(failures.group[1:]): failures.row for failures in unread}
    columns = [name for name in _KEYS if name == "model" or len(rows.values(name)) > 1]
    shared = [rows.first[name] for name in _KEYS if name not in columns]
    labels = rows.defined().values("label")
    has_unread = any(tuple(key) in shares for key, _ in rows.groups(*_KEYS[:3]))
    lines = []
    for key, group in rows.groups(*_KEYS) if labels else ():
        by_label = {row["label"]: row for row in group}
        names = dict(zip(_KEYS, key, strict=True))
        line: dict[str, Any] = {}
        for name in columns:
            line[name.replace("dataset", "data set")] = names[name] or "-"
        for label in labels:
            line[label] = _headline_cell(by_label.get(label))
        if has_unread:
            line["parse failures"] = _headline_cell(shares.get(tuple(key[:3])))
        lines.append(line)
    unread_note = nearly_all_unread(results)
    notes = [f"{unread_note}."] if unread_note else [*_directions(rows.defined()), *_reasons(rows)]
    if any(OTHER_ITEMS in row.note for row in rows):
        notes.append(f"{OTHER_ITEMS} on other items: n is below 90% of the largest of its column.")
    for failures in unread:
        if failures.group[2] in rows.values("dataset"):
            notes += _parse_failure_notes(failures)
    title = ", ".join(filter(None, [rows.first["task"], *shared]))
    return View(title, pd.DataFrame(lines, dtype=object), "\n".join(notes))


def _headline_cell(row: ResultRow | None) -> Cell:
    """Write a row's value as the report writes it; shares of parse failures have no interval."""
    if row is None:
        return NOTHING
    text = format_number(row["metric"], row.value, row.n)
    if row["metric"] != UNREAD_SHARE and not math.isnan(row.value):
        text += format_interval(row)
        if OTHER_ITEMS in row.note:
            text += f" {OTHER_ITEMS}"
    return Cell(text, row.index, row.value, row.note)


def _directions(rows: ResultTable) -> Iterator[str]:
    """Say which values of the metrics are better, one sentence for each direction."""
    labels: dict[str, dict[str, None]] = {}
    for row in rows:
        direction = direction_of(row["metric"], row.condition)
        if direction.ordered:
            labels.setdefault(direction.label, {})[row["label"]] = None
    for direction_label, names in labels.items():
        yield f"{direction_label[:1].upper()}{direction_label[1:]}: {'; '.join(names)}."


_REASONS = {"undefined": "Undefined:", "no interval": "No interval of"}
"""Beginnings of the sentences on missing numbers, by the beginning of the note."""


def _reasons(rows: ResultTable) -> Iterator[str]:
    """Explain undefined numbers and missing intervals, with the metrics of each reason."""
    labels_by_reason: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        for part in row.note.split("; "):
            kind, _, reason = part.partition(": ")
            if kind in _REASONS:
                labels_by_reason.setdefault((kind, reason), {})[row["label"]] = None
    for kind, beginning in _REASONS.items():
        for (kind_of_reason, reason), labels in labels_by_reason.items():
            if kind_of_reason == kind:
                yield f"{beginning} {'; '.join(labels)}: {reason}."


def _parse_failure_notes(failures: ParseFailureSummary) -> Iterator[str]:
    """Describe unread replies that are frequent, and failures of the run."""
    if "without a reply" in failures.row.note or failures.row.value >= _MANY:
        yield f"{' '.join(filter(None, failures.group[1:]))}: {failures.sentence}"
