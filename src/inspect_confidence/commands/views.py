"""Tables of results by study, for the terminal and for files."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from inspect_confidence.directions import direction_of
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.headlines import (
    condition_label,
    headline_rows,
    label_and_unnamed_parts,
    label_beside_task,
    main_numbers,
)
from inspect_confidence.metrics import METRICS
from inspect_confidence.overview.matrix import OVER_SETS, dataset_text
from inspect_confidence.overview.numbers import format_number, format_with_interval
from inspect_confidence.printing import OFTEN_WIDE, counted
from inspect_confidence.results import OTHER_ITEMS, ResultRow, ResultTable
from inspect_confidence.studies import Study, View, all_studies
from inspect_confidence.studies.estimate import MEAN_NOTE
from inspect_confidence.studies.tables import NOTHING, Cell, explain_marks
from inspect_confidence.studies.toolbox import (
    CORRECTED_METRICS,
    corrected_views,
    extra_metric_views,
)
from inspect_confidence.studies.unread import (
    UNREAD_SHARE,
    ParseFailureSummary,
    answering_models,
    nearly_all_unread,
    summarize_failures,
    without_unread,
)

_KEY_COLUMNS = ("model", "dataset", "variant", "judge")
_MIN_REPORTED_SHARE = 0.05
"""Share of unread replies from which on they are reported in a line of their own."""
_MAX_SMALL = 3
"""Maximum number of smaller shares that a note names."""


def views_of(results: pd.DataFrame) -> Iterator[tuple[Study, Sequence[View]]]:
    """Yield each study that has results with its tables, without shares of unread replies.

    The study's own tables come first, then those of metrics that no study prints.
    """
    results = without_unread(results)
    for study in all_studies():
        study_results = results[results["task"].isin(study.tasks)]
        if study_results.empty:
            continue
        views = [*study.views(study_results), *extra_metric_views(study_results, study)]
        if views:
            yield study, views


def headline_metrics() -> set[str]:
    """Return the metrics of all main numbers, and those corrected for a judge's errors."""
    metrics = set(CORRECTED_METRICS)
    for study in all_studies():
        metrics.update(headline.metric for headline in main_numbers(study))
    return metrics


def select_metrics(
    results: pd.DataFrame, metrics: Collection[str], study: str | None = None
) -> pd.DataFrame:
    """Return the results of some metrics, and the shares of unread replies of their tasks.

    If `study` is the name of one, only its results are returned. A metric without a result is
    refused.
    """
    tasks_by_study = {item.name: item.tasks for item in all_studies()}
    if study in tasks_by_study:
        results = results[results["task"].isin(tasks_by_study[study])]
    selected = results[results["metric"].isin(metrics)]
    for metric in metrics:
        if metric not in set(selected["metric"]):
            of_study = f" in {study}" if study else ""
            raise InvalidArgument(
                f"--metric {metric}: these judgments have no result of it{of_study}; "
                "--csv FILE writes the results that there are."
            )
    is_unread = results["metric"].eq(UNREAD_SHARE) & results["task"].isin(selected["task"])
    return results[results["metric"].isin(metrics) | is_unread]


def headline_views(
    results: pd.DataFrame, metrics: Collection[str] = ()
) -> Iterator[tuple[Study, Sequence[View]]]:
    """Yield each study that has results with tables of its headlines (main numbers).

    There is a table for each task and each group of data sets with equal headlines, and a table of
    values corrected for a judge's errors. Lines are models, and data sets, variants and judges if
    there are several; the last line says which values are better, and the last column is the share
    of unread replies. Titles say how many judgments the numbers rest on. Captions explain undefined
    numbers and missing intervals, and describe frequent unread replies. A task without headlines
    has an empty table, and a caption on its unread replies.

    Args:
        results: A frame of results.
        metrics: Metrics whose numbers are shown, in all conditions; if empty, the headlines.
    """
    table = ResultTable.from_frame(results)
    rows = _labelled_rows(table, metrics)
    order = list(results["model"].unique())
    rows = rows.sorted_by(lambda row: order.index(row["model"]))
    for study in all_studies():
        views: list[View] = []
        for task in study.tasks:
            task_results = results[results["task"] == task]
            if task_results.empty:
                continue
            models = answering_models(table.matching(task=task))
            task_views = _headline_views_of_task(rows.matching(task=task), models, task_results)
            if not task_views and not metrics:
                notes = [f"No headline; see --study {study.name}."]
                notes += _parse_failure_notes(summarize_failures(task_results))
                views.append(View(task, pd.DataFrame(), "\n".join(notes)))
            views += task_views
        if not metrics:
            views += corrected_views(results[results["task"].isin(study.tasks)])
        if views:
            yield study, views


def _headline_views_of_task(
    rows: ResultTable, models: Collection[str], results: pd.DataFrame
) -> list[View]:
    """Return a table for each group of data sets whose headlines have the same labels.

    `rows` are the task's headlines, `results` all its results. `models` are those that gave
    replies; rows of other names are means over models.
    """
    unread, unread_warning = summarize_failures(results), nearly_all_unread(results)
    datasets_by_labels: dict[frozenset[str], list[str]] = {}
    for (dataset,), group in rows.groups("dataset"):
        labels = frozenset(group.values("label"))
        datasets_by_labels.setdefault(labels, []).append(dataset)
    views = []
    for datasets in datasets_by_labels.values():
        group = rows.among("dataset", datasets)
        views.append(_headline_view(group, models, unread, unread_warning))
    return views


def _labelled_rows(results: ResultTable, metrics: Collection[str]) -> ResultTable:
    """Return the rows of headlines (main numbers) with labels; all rows of `metrics` if given.

    A headline within one value of `--by` has the headline's label with this value, such as
    "Overconfidence, subject=law"; a number that is no headline, its metric and condition.
    """
    headlines = headline_rows(results, main_numbers)
    if not metrics:
        return ResultTable(
            [row.labelled(label=label_beside_task(row["label"])) for row in headlines]
        )
    headline_by_number = {}
    for row in headlines:
        headline_by_number[row["task"], row["metric"], row.shared] = row
    rows = []
    for row in results.among("metric", metrics):
        number = (row["task"], row["metric"], row.shared.but(by=""))
        headline = headline_by_number.get(number)
        if headline:
            value = row.condition.get("by", "")  # "FIELD=VALUE" of --by, or empty
            label = ", ".join(filter(None, (label_beside_task(headline["label"]), value)))
            rows.append(row.labelled(label=label, unit=headline["unit"]))
        else:
            label, parts = label_and_unnamed_parts(
                row["task"], row["metric"], row.shared.but(by=""), short=False
            )
            parts = parts.but(by=row.shared.get("by", ""))
            rows.append(row.labelled(label=condition_label(label, parts)))
    return ResultTable(rows)


def _headline_view(
    rows: ResultTable,
    models: Collection[str],
    unread: Sequence[ParseFailureSummary],
    unread_warning: str,
) -> View:
    """Build the table of a task's headlines with the shares of unread replies.

    `rows` are headlines with labels. `models` are those that gave replies; rows of other names are
    means over models. `unread` has the unread replies of each model and data set. `unread_warning`
    replaces the notes on single numbers if nearly all replies are unread; else it is empty.
    """
    rows, label_ending = _without_shared_ending(rows)  # the title has the ending
    columns = [name for name in _KEY_COLUMNS if name == "model" or len(rows.values(name)) > 1]
    lines = _headline_lines(rows, columns, unread)
    numbers = rows.defined().among("model", models)
    if lines:
        lines += [*_count_lines(lines[0], numbers), _better_line(lines[0], rows.defined())]
    # The notes below the table.
    if unread_warning:
        notes = [f"{unread_warning}."]
    else:
        notes = [*_reasons(rows), *_group_notes(rows), *_wide_notes(rows)]
    notes += explain_marks(rows)
    notes += _mean_notes(rows)
    uncounted = {}  # names for all data sets whose cell of parse failures is a dash (NOTHING)
    for line in lines:
        if line.get("Parse failures") == NOTHING and line.get("data set") in OVER_SETS:
            uncounted[line["data set"]] = True
    for name in uncounted:
        weights = ", each with the same weight" if name == "mean" else ""
        notes.append(
            f'Parse failures are counted on each data set, not for "{name}" ({OVER_SETS[name]}'
            f"{weights})."
        )
    datasets = rows.values("dataset")
    # Groups are task, model, data set and variant.
    notes += _parse_failure_notes([item for item in unread if item.group[2] in datasets])
    names = ", ".join(filter(None, [*_names_of_all(rows, columns), label_ending]))
    title = ": ".join(filter(None, (names, _describe_n(numbers))))
    return View(title, pd.DataFrame(lines, dtype=object), "\n".join(notes))


def _mean_notes(rows: ResultTable) -> Iterator[str]:
    """Yield a note for means over other data sets than those of the table's other lines.

    The data sets of a task that were asked in other ways have a table of their own.
    """
    own_datasets = set(rows.values("dataset")) - set(OVER_SETS)  # without "mean", "pooled", "all"
    dataset_lists = {}  # as texts
    for row in rows.matching(dataset="mean"):
        for part in row.note.split("; "):
            if part.startswith(MEAN_NOTE):
                dataset_lists[part.removeprefix(MEAN_NOTE).strip()] = True
    for dataset_list in dataset_lists:
        if set(dataset_list.split(", ")) != own_datasets:
            yield f'"mean" is the mean of {dataset_list}.'


def _names_of_all(rows: ResultTable, columns: Sequence[str]) -> Iterator[str]:
    """Yield the names that all rows share: the task, and the keys that are not in `columns`.

    A data set with the name of the task is not repeated.
    """
    task = rows.first["task"]
    yield task
    for name in _KEY_COLUMNS:  # model, data set, variant and judge
        if name not in columns and rows.first[name] not in ("", task):
            text = dataset_text(rows.first) if name == "dataset" else rows.first[name]
            yield f"judge {text}" if name == "judge" else text


def _headline_lines(
    rows: ResultTable, columns: Sequence[str], unread: Sequence[ParseFailureSummary]
) -> list[dict[str, Any]]:
    """Return the lines of a table of headlines; none if all numbers are undefined.

    `rows` are headlines with labels; `columns` are the keys that have a column, such as the model.
    Shares of unread replies have a column if there is any.
    """
    # Numbers that some model has, in the order of all rows: a first model without one keeps it.
    defined_labels = set(rows.defined().values("label"))
    labels = [label for label in rows.values("label") if label in defined_labels]
    if not labels:
        return []
    unread_shares = {}  # by model, data set and variant
    for failures in unread:
        unread_shares[tuple(failures.group[1:])] = failures.row  # the group begins with the task
    groups = list(rows.groups(*_KEY_COLUMNS))  # by model, data set, variant and judge
    has_unread = not unread_shares.keys().isdisjoint(tuple(key[:3]) for key, _ in groups)
    lines = []
    for key, group in groups:
        row_by_label = {row["label"]: row for row in group}
        names = dict(zip(_KEY_COLUMNS, key, strict=True))
        line: dict[str, Any] = {}
        for name in columns:
            line[name.replace("dataset", "data set")] = names[name] or "-"
        for label in labels:
            line[label] = _headline_cell(row_by_label.get(label))
        if has_unread:
            line["Parse failures"] = _headline_cell(unread_shares.get(tuple(key[:3])))
        lines.append(line)
    return lines


def _without_shared_ending(rows: ResultTable) -> tuple[ResultTable, str]:
    """Return rows without the ending that all their labels share, and this ending.

    An ending follows a comma, as in `ECE, direct`. The rows (at least one) are unchanged, and the
    ending is empty, if labels have different endings or none, or if the ending has brackets, which
    belong to the whole label.
    """
    endings = {row["label"].partition(", ")[2] for row in rows}
    ending = endings.pop()
    if endings or not ending or "(" in ending:
        return rows, ""
    shortened = [row.labelled(label=row["label"].partition(", ")[0]) for row in rows]
    return ResultTable(shortened), ending


def _describe_n(rows: ResultTable) -> str:
    """Return how many judgments, or other units, numbers rest on: "n = 28 to 60 judgments".

    Metrics that are counts are left out, since their n is not a number of judgments. The text is
    empty if all metrics are counts. Units that differ are all named.
    """
    value_rows = _without_counts(rows)
    if not value_rows:
        return ""
    # Only rows of main numbers (headlines) name a unit.
    units = dict.fromkeys(row["unit"] or "judgment" for row in value_rows)
    unit, plural = " or ".join(units), " or ".join(map("{}s".format, units))
    n = {row.n for row in value_rows}
    if len(n) > 1:
        return f"n = {_range_text(n)} {plural}"
    of_each = " of each model" if len(rows.values("model")) > 1 else ""
    return f"n = {counted(max(n), unit, plural, form=',')}{of_each}"


def _range_of_n(rows: ResultTable) -> str:
    """Return the n of numbers, as "80" or "28 to 60"; empty if all metrics are counts."""
    n = {row.n for row in _without_counts(rows)}
    return _range_text(n) if n else ""


def _range_text(numbers: Collection[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _without_counts(rows: ResultTable) -> list[ResultRow]:
    """Return the rows whose n is a number of judgments or other units: no metric is a count."""
    return [row for row in rows if METRICS[row["metric"]].unit != "count"]


def _count_lines(line: Mapping[str, Any], rows: ResultTable) -> Iterator[dict[str, str]]:
    """Yield a line with the n of each number, as "80" or "28 to 60", if they are not all equal.

    They differ if accuracy, for example, also rests on judgments without a confidence. `rows` are
    the numbers of the table. `line` is any other line, for its columns.
    """
    texts = dict.fromkeys(line, "")
    texts["model"] = "n"
    counts = {}
    for (label,), group in rows.groups("label"):
        if n_text := _range_of_n(group):  # the title names the unit
            counts[label] = n_text
    if len(set(counts.values())) > 1:
        yield texts | counts


def _better_line(line: Mapping[str, Any], rows: ResultTable) -> dict[str, str]:
    """Return the last line of a table: which values are better, `higher`, `lower` or `neither`.

    `rows` are the numbers of the table. `line` is any other line, for its columns; those that are
    not numbers are empty in the last line.
    """
    texts = dict.fromkeys(line, "")
    texts["model"] = "better"
    directions = {row["label"]: direction_of(row["metric"], row.condition) for row in rows}
    for label, direction in directions.items():
        is_better = direction.label.removesuffix(" is better")
        texts[label] = is_better if direction.ordered else "neither"
    return texts


def _headline_cell(row: ResultRow | None) -> Cell:
    """Return a cell of a value, its interval and its mark; a dash (`NOTHING`) without a row.

    A share of unread replies is written without its interval.
    """
    if row is None:
        return NOTHING
    if row["metric"] == UNREAD_SHARE:
        return Cell(format_number(UNREAD_SHARE, row.value, row.n), row.index, row.value)
    text, ends = format_with_interval(row["metric"], row.value, row.low, row.high, row.n)
    if not math.isnan(row.value):
        text += f" [{ends}]" if ends else ""
        if OTHER_ITEMS in row.note:  # fewer items, or other data sets, than those of other models
            text += f" {OTHER_ITEMS}"
    return Cell(text, row.index, row.value)


_REASONS = {"undefined": "Undefined", "no interval": "No interval"}
"""Beginnings of the sentences on missing numbers, by the beginning of the note."""
_REASON_OF_MEAN = re.compile(r"undefined in [^()]* \((?P<reason>.*)\)")
"""Reason of an undefined mean: its data sets, and in brackets the reason there."""


def _reasons(rows: ResultTable) -> Iterator[str]:
    """Explain undefined numbers and missing intervals, as `Undefined: AUROC. Reason: no error.`.

    A note has parts such as `undefined: no error`. Models are named where a reason holds for some.
    A mean over data sets is undefined for the reason of its data sets, which stands alone if it
    holds for the same numbers.
    """
    all_models = {label: set(group.values("model")) for (label,), group in rows.groups("label")}
    for kind, beginning in _REASONS.items():
        # The models (in their order) by label, by reason.
        models_by_reason: dict[str, dict[str, dict[str, None]]] = {}
        for row in rows:
            for part in row.note.split("; "):
                note_kind, _, reason = part.partition(": ")
                if note_kind == kind:
                    models_by_label = models_by_reason.setdefault(reason, {})
                    models_by_label.setdefault(row["label"], {})[row["model"]] = None
        for reason, models_by_label in models_by_reason.items():
            of_datasets = _REASON_OF_MEAN.fullmatch(reason)
            if of_datasets and models_by_reason.get(of_datasets["reason"]) == models_by_label:
                continue
            names = []
            for label, models in models_by_label.items():
                is_of_all = models.keys() == all_models[label]
                names.append(label if is_of_all else f"{label} of {' and '.join(models)}")
            yield f"{beginning}: {'; '.join(names)}. Reason: {reason}."


def _group_notes(rows: ResultTable) -> Iterator[str]:
    """Yield sentences on intervals over groups of judgments, which n does not count.

    A sentence is a part of notes, as "interval over 10 groups of like prompts", and the labels of
    the numbers that have it.
    """
    labels_by_part: dict[str, dict[str, None]] = {}
    for row in rows:
        for part in row.note.split("; "):
            if part.startswith("interval over "):
                labels_by_part.setdefault(part, {})[row["label"]] = None
    for part, labels in labels_by_part.items():
        start = part[:1].upper() + part[1:]
        yield f"{start}: {'; '.join(labels)}."


def _wide_notes(rows: ResultTable) -> Iterator[str]:
    """Yield a sentence on the intervals that are often wider than needed, if there are any.

    The sentence names the numbers, or says that all are meant if the table has several.
    """
    rows_with_interval = [row for row in rows if not math.isnan(row.low)]
    labels = dict.fromkeys(row["label"] for row in rows_with_interval)
    wide_labels: dict[str, None] = {}
    for row in rows_with_interval:
        if METRICS[row["metric"]].interval.is_wide:
            wide_labels[row["label"]] = None
    if wide_labels:
        are_all = len(labels) > 1 and wide_labels == labels
        yield f"{OFTEN_WIDE}: {'all of this table' if are_all else '; '.join(wide_labels)}."


def _parse_failure_notes(unread: Sequence[ParseFailureSummary]) -> Iterator[str]:
    """Describe the unread replies of each model and data set, if it has any.

    A share of at least 5% has a line, and so has one that leaves out judgments without a reply.
    Smaller shares above 0 have one line together, which names three and counts the rest.
    """
    small = []
    for failures in unread:
        names = " ".join(filter(None, failures.group[1:]))  # model, data set and variant
        has_missing_replies = "not counted" in failures.row.note
        if has_missing_replies or failures.row.value >= _MIN_REPORTED_SHARE:
            yield f"{names}: {failures.sentence}"
        elif failures.row.value > 0:
            small.append(f"{names} {failures.share}")
    if small:
        more = f"; and {len(small) - _MAX_SMALL} more" if len(small) > _MAX_SMALL else ""
        shares = "; ".join(small[:_MAX_SMALL])
        yield f"Parse failures below {_MIN_REPORTED_SHARE:.0%}: {shares}{more}."
