"""The studies' tables of results, for the terminal and for files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.headlines import headline_rows
from inspect_confidence.metrics import METRICS
from inspect_confidence.studies import Study, View, all_studies
from inspect_confidence.studies.tables import NOTHING, Cell, cell
from inspect_confidence.studies.toolbox import (
    corrected_views,
    extra_headlines,
    extra_metric_views,
)
from inspect_confidence.studies.unread import (
    ParseFailureSummary,
    summarize_failures,
    without_unread,
)

_WHOSE = ("model", "dataset", "variant", "judge")
_UNITS = r"^[^:()]*: | \(share\)"
"""What labels say beside the name: the task, which stands above, and that a share is one."""

_SMALL = 0.3
"""The largest of numbers that get three digits after the point."""

_MANY = 0.05
"""The share of unread replies from which on they are worth a line of their own."""


def views_of(results: pd.DataFrame) -> Iterator[tuple[Study, Sequence[View]]]:
    """The tables of every study that has results.

    Args:
        results: In the layout of results.
    """
    results = without_unread(results)
    for study in all_studies():
        mine = results[results["task"].isin([table.task for table in study.tables])]
        if len(mine) and (views := [*study.views(mine), *extra_metric_views(mine)]):
            yield study, views


def headline_views(results: pd.DataFrame) -> Iterator[tuple[Study, Sequence[View]]]:
    """Each study that has results with tables of its headlines and the toolbox's.

    A table a task, and another for data sets that have other headlines, and one of what was
    corrected for a judge's errors. Lines are models, and data
    sets, variants and judges where there are several; the last column is the share of replies that
    could not be read. Captions say why a number is undefined or has no interval, and on what many
    unread replies depend. A task without headlines has an empty table.

    Args:
        results: In the layout of results.
    """
    rows = headline_rows(results, lambda study: [*study.headlines, *extra_headlines(study)])
    order = {name: place for place, name in enumerate(results["model"].unique())}
    rows = rows.sort_values("model", key=lambda names: names.map(order), kind="stable")
    rows["label"] = rows["label"].str.replace(_UNITS, "", regex=True)
    for study in all_studies():
        views: list[View] = []
        tasks = [table.task for table in study.tables if (results["task"] == table.task).any()]
        for task in tasks:
            mine = rows[rows["task"] == task]
            alike = mine.groupby("dataset", sort=False)["label"].agg(frozenset)
            unread, _ = summarize_failures(results[results["task"] == task])
            for _, some in mine.groupby(mine["dataset"].map(alike), sort=False):
                views.append(_headlines(some, unread))
            if mine.empty:
                views.append(View(task, pd.DataFrame(), f"No headline; see --study {study.name}."))
        views += corrected_views(results[results["task"].isin(tasks)])
        if tasks:
            yield study, views


def _headlines(rows: pd.DataFrame, unread: Sequence[ParseFailureSummary]) -> View:
    """Those rows of a task as a table, beside the shares of unread replies."""
    shares = {tuple(one.group[1:]): one.record for one in unread}
    apart = [name for name in _WHOSE if name == "model" or rows[name].nunique() > 1]
    shared = [rows[name].iloc[0] for name in _WHOSE if name not in apart]
    defined = rows[rows["value"].notna()]
    labels = {label: _digits(some) for label, some in defined.groupby("label", sort=False)}
    asked = set(rows[list(_WHOSE[:3])].itertuples(index=False, name=None))
    lines = []
    for whose, some in rows.groupby(list(_WHOSE), sort=False) if labels else ():
        found = {one["label"]: one for one in some.reset_index(names="row").to_dict("records")}
        named = dict(zip(_WHOSE, map(str, whose), strict=True))
        lines.append(
            {name.replace("dataset", "data set"): named[name] or "-" for name in apart}
            | {label: cell(found.get(label), digits) for label, digits in labels.items()}
            | (
                {"unread": _percent(shares.get(tuple(named.values())[:3]))}
                if shares.keys() & asked
                else {}
            )
        )
    mine = [one for one in unread if one.group[2] in set(rows["dataset"])]
    notes = [*_reasons(rows), *(line for one in mine for line in _told(one))]
    title = ", ".join(filter(None, [rows["task"].iloc[0], *shared]))
    return View(title, pd.DataFrame(lines, dtype=object), "\n".join(notes))


def _digits(rows: pd.DataFrame) -> int:
    """After the point: none of counts, more of small numbers."""
    if METRICS[rows["metric"].iloc[0]].unit == "count":
        return 0
    return 3 if rows["value"].abs().replace(np.inf, np.nan).max() < _SMALL else 2


def _percent(record: Mapping[Any, Any] | None) -> Cell:
    made = cell(record, 1, factor=100, interval=False)
    return made if made == NOTHING else Cell(f"{made}%", made.row, made.value, made.note)


def _reasons(rows: pd.DataFrame) -> Iterator[str]:
    """Why which numbers are undefined, and why others have no interval."""
    undefined: dict[str, dict[str, None]] = {}
    bare: dict[str, None] = {}
    for label, note in zip(rows["label"], rows["note"], strict=True):
        for part in note.split("; "):
            kind, _, reason = part.partition(": ")
            if kind == "undefined":
                undefined.setdefault(reason, {})[label] = None
            elif kind == "no interval":
                bare[reason] = None
    for reason, labels in undefined.items():
        yield f"Undefined: {', '.join(labels)}: {reason}."
    if bare:
        yield f"No interval: {'; '.join(bare)}."


def _told(one: ParseFailureSummary) -> Iterator[str]:
    """What is said of many unread replies, of those that depend on what was asked, of failures."""
    failed = "without a reply" in str(one.record["note"])
    if failed or one.record["value"] >= _MANY or "the share depends" in one.dependence:
        yield f"{' '.join(filter(None, one.group[1:]))}: {one.sentence}"
