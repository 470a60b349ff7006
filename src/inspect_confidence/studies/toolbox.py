"""Tables of extra metrics, which no study prints, for every study with stated confidence.

The first table has the most informative metrics; the others are folded: they are printed with
`--full` and can be opened in the report.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from inspect_confidence.metrics import METRICS
from inspect_confidence.results import ResultRow, ResultTable
from inspect_confidence.studies.study import Headline, Study, View
from inspect_confidence.studies.tables import (
    Column,
    TableSpec,
    columns_with_numbers,
    line_labels,
    views_with_lines,
)

_OVERVIEW = (
    Column("corp_miscalibration", "CORP miscalibration", 3),
    Column("smooth_ece", "smooth ECE", 3),
    Column("calibration_p", "p, test of calibration", 3),
    Column("auroc", "AUROC"),
    Column("augrc", "AUGRC", 3),
)
_MEANS = {"accuracy": "accuracy", "mean_confidence": "mean confidence"}
"""Metrics that ECE and overconfidence compare, with their labels."""
_ECE_NAME = re.compile("ECE|expected calibration error", re.IGNORECASE)
_CORRECTIONS = {
    "accuracy": ("judge_corrected_accuracy", "accuracy"),
    "overconfidence": ("judge_corrected_overconfidence", "overconfidence"),
    "mean_internal_confidence": ("judge_corrected_internal_confidence", "internal confidence"),
}
"""By metric that is corrected for a judge's errors: the corrected metric, and the label of both."""

CORRECTED_METRICS = {*_CORRECTIONS, *(corrected for corrected, _ in _CORRECTIONS.values())}
"""Metrics of the table of values corrected for a judge's errors."""

_METRIC_WITHOUT_OPTIONS = "corp_miscalibration"
"""Metric whose parts of conditions make the lines; further parts of other metrics are in column
headings.
"""

_LINE_KEYS = ("model", "variant", "dataset")
_NOT_CONDITION = {"task", *_LINE_KEYS, "metric"}
_MAX_COLUMNS = 8

FURTHER_METRICS = "Further metrics"
"""Title of the tables of metrics beyond the study's own, without their number."""


_labels = partial(line_labels, {"dataset": "data set"})
_spec = partial(
    TableSpec,
    caption="Other metrics of confidence from the literature, computed from the same judgments; "
    "docs/metrics.md says when to use which.",
    layout=columns_with_numbers,
    interval_caption="95% intervals by the same methods as in the study's own tables.",
)


def extra_metric_views(results: pd.DataFrame, study: Study) -> list[View]:
    """Return the tables of metrics that no study prints, after that of corrected values.

    First comes the table of values corrected for a judge's errors, if there are any; then, if the
    results have metrics that no study prints, that of the most informative metrics and AUROC
    (`_OVERVIEW`), then tables of the others, folded, with at most 8 columns each. A line is a
    model, variant and data set, and the parts of the condition that all metrics share, such as the
    method: those of a metric without options. Other parts, such as the number of bins, are in the
    headings. Results omit default values, such as `stated` for the source of LifeEval; a line has
    them if they are the same for all tasks of `study` in the results.
    """
    corrected = corrected_views(results)
    results = results[~_is_corrected(results)]
    is_extra = [METRICS[name].toolbox for name in results["metric"]]
    if not any(is_extra):
        return corrected
    table = ResultTable.from_frame(results[np.array(is_extra) | (results["metric"] == "auroc")])
    line_parts = _condition_parts(table.matching(metric=_METRIC_WITHOUT_OPTIONS))
    lines = [*_LINE_KEYS, *line_parts]
    tasks = set(table.values("task"))
    defaults = [set(item.defaults.items()) for item in study.tables if item.task in tasks]
    shared_defaults = dict(set.intersection(*defaults))
    spec = partial(_spec, label=partial(_labels_with_defaults, shared_defaults))
    headline_spec = spec("Calibration and selective answers at a glance", table, lines, _OVERVIEW)
    headline_metrics = {column.metric for column in _OVERVIEW}
    columns = _columns([row for row in table if row["metric"] not in headline_metrics], line_parts)
    folded = []
    starts = range(0, len(columns), _MAX_COLUMNS)
    for number, start in enumerate(starts, start=1):
        title = f"{FURTHER_METRICS}, table {number} of {len(starts)}"
        folded.append(spec(title, table, lines, columns[start : start + _MAX_COLUMNS]))
    views = [replace(view, fold=True) for view in views_with_lines(folded)]
    return [*corrected, *views_with_lines([headline_spec]), *views]


def _labels_with_defaults(
    defaults: Mapping[str, str], line: Mapping[str, str]
) -> Mapping[str, str]:
    """Return a line's first cells by heading; a part without text has its value in `defaults`."""
    return _labels({name: text or defaults.get(name, "") for name, text in line.items()})


def corrected_views(results: pd.DataFrame) -> list[View]:
    """Return the table of metrics corrected for a judge's errors; none if no labels were given.

    Beside the corrected metrics it has the rows of the same task, model, data set and condition, in
    lines by model, variant, data set and condition.
    """
    is_corrected = _is_corrected(results)
    if not is_corrected.any():
        return []
    keys = results[["task", "model", "dataset", "condition"]].apply(tuple, axis=1)
    table = ResultTable.from_frame(results[keys.isin(keys[is_corrected])])
    columns = []
    for metric, (corrected_metric, label) in _CORRECTIONS.items():
        if corrected_metric in set(results["metric"]):
            columns.append(Column(metric, f"{label}, as judged", digits=3))
            columns.append(Column(corrected_metric, f"{label}, corrected", digits=3))
    spec = TableSpec(
        "Corrected for the judge's errors",
        table,
        [*_LINE_KEYS, *_condition_parts(table)],
        columns,
        "As the judge called them, then corrected by its labelled judgments, whose own error is in "
        "the interval. It is supposed to err as often whatever the confidence; the notes in the "
        "results say by which method, and how many labels there were.",
        label=_labels,
        layout=columns_with_numbers,
    )
    return views_with_lines([spec])


def _is_corrected(results: pd.DataFrame) -> "pd.Series[bool]":
    """Return which results are of metrics corrected for a judge's errors."""
    return results["metric"].str.startswith("judge_corrected_")


def means_as_headlines(study: Study) -> list[Headline]:
    """Return headlines of accuracy and mean confidence for a study whose headlines lack them.

    ECE compares both means. So each headline of ECE gives one for either mean, with its condition,
    and its label with the mean's name in place of ECE. A mean that already is a headline of the
    study is left out.
    """
    study_metrics = {headline.metric for headline in study.headlines}
    headlines = []
    for ece in study.headlines:
        if ece.metric != "ece":
            continue
        names = {**_MEANS, "accuracy": study.accuracy_names.get(ece.task, _MEANS["accuracy"])}
        for metric, name in names.items():
            if metric not in study_metrics:
                label = _ECE_NAME.sub(name, ece.label)
                headlines.append(Headline(ece.task, metric, label, dict(ece.where), each=ece.each))
    return headlines


def _condition_parts(table: ResultTable) -> list[str]:
    """Return the names of parts of the condition that any row has; the variant is not one of them.

    Parts of a row are also its task, model, data set and metric, which are left out.
    """
    names: dict[str, None] = {}
    for row in table:
        names |= dict.fromkeys(name for name, text in row.parts.items() if text)
    return [name for name in names if name not in _NOT_CONDITION]


def _columns(rows: Sequence[ResultRow], lines: Sequence[str]) -> list[Column]:
    """Return a column for each metric and each combination of the parts that lines don't name.

    `lines` are the names of the parts that make the lines. The parts in `_NOT_CONDITION`, such as
    the model and the metric, are in no combination.
    """
    # By metric and its parts, such as ("ece", (("bins", "15"),)).
    columns: dict[tuple[str, tuple[tuple[str, str], ...]], Column] = {}
    excluded = {*_NOT_CONDITION, *lines}
    for row in rows:
        condition = {
            name: text for name, text in row.parts.items() if text and name not in excluded
        }
        key = row["metric"], tuple(condition.items())
        heading = _heading(row["metric"], condition)
        columns.setdefault(key, Column(row["metric"], heading, digits=3, where=condition))
    return list(columns.values())


def _heading(metric: str, condition: Mapping[str, str]) -> str:
    """Return the words of a metric's name, with the parts of its condition.

    A part's name is left out if the metric's name already ends with it.

    Example:
        >>> _heading("risk_at_coverage", {"coverage": "0.5"}), _heading("prr", {})
        ('risk at coverage 0.5', 'PRR')
    """
    words = [_WORDS.get(word, word) for word in metric.split("_")]
    for name, text in condition.items():
        words += [text] if words[-1] == name else [name, text]
    return " ".join(words)


_WORDS = {"rms": "RMS", "hle": "HLE", "corp": "CORP", "prr": "PRR", "brier": "Brier"}
"""Words in names of metrics that are not in lower case."""
