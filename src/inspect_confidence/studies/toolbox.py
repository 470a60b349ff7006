"""Tables of the toolbox: numbers that no study prints, of every study with stated confidence.

The first table has what tells most at a glance; the others are folded: printed with `--full`, and
opened in the report.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from inspect_confidence.metrics import METRICS
from inspect_confidence.studies.study import Headline, Study, View
from inspect_confidence.studies.tables import (
    Column,
    Row,
    Rows,
    TableSpec,
    built,
    columns_with_numbers,
)

_HEADLINES = (
    Column("corp_miscalibration", "CORP miscalibration", 3),
    Column("smooth_ece", "smooth ECE", 3),
    Column("calibration_p", "calibrated? (p)", 3),
    Column("auroc", "AUROC"),
    Column("augrc", "AUGRC", 3),
)
_CORRECTED = {
    "accuracy": "accuracy",
    "overconfidence": "overconfidence",
    "mean_internal_confidence": "internal confidence",
}
"""What a judge's errors are taken out of: as judged, and what people call it."""

_ANCHOR = "corp_miscalibration"
"""The conditions that it has are lines; what others have beside is said above a column."""

_WHOSE = ("task", "model", "variant", "dataset")
_APART = {*_WHOSE, "metric"}
_MOST_COLUMNS = 8

CAPTION = (
    "Numbers of the field that no study prints: docs/metrics.md says when to use which. 95% "
    "intervals, over what the study's are; a dash is undefined, and the note in the results says "
    "why."
)


def toolbox_views(results: pd.DataFrame) -> list[View]:
    """The toolbox's tables of one study's results: its headlines, then all else, folded."""
    first = corrected_views(results)
    results = results[~_is_corrected(results)]
    there = results[[METRICS[name].toolbox or name == "auroc" for name in results["metric"]]]
    if not any(METRICS[name].toolbox for name in there["metric"]):
        return first
    rows = Rows.of(there)
    lines = [name for name in _parts(rows.where(metric=_ANCHOR)) if name not in _APART]
    whose = [name for name in _WHOSE if name != "task"]
    head = _spec(
        "Calibration and selective answers at a glance", rows, [*whose, *lines], _HEADLINES
    )
    shown = {column.metric for column in _HEADLINES}
    others = [row for row in rows if row["metric"] not in shown]
    columns = _columns(others, lines)
    folded = [
        _spec(f"Toolbox, {k // _MOST_COLUMNS + 1}", rows, [*whose, *lines], columns[k : k + 8])
        for k in range(0, len(columns), _MOST_COLUMNS)
    ]
    return [*first, *built([head]), *(View(*_fields(view), fold=True) for view in built(folded))]


def corrected_views(results: pd.DataFrame) -> list[View]:
    """The table of numbers corrected for a judge's errors, where labels of it were given."""
    corrected = _is_corrected(results)
    return built([_judged(results, corrected)]) if corrected.any() else []


def _is_corrected(results: pd.DataFrame) -> "pd.Series[bool]":
    return results["metric"].str.startswith("judge_corrected_")


def toolbox_headlines(study: Study) -> list[Headline]:
    """The numbers of the first table, under what the study's own headlines have an ECE of."""
    own = {one.metric for one in study.headlines}
    return [
        Headline(
            ece.task, one.metric, ", ".join([one.heading, *ece.where.values()]), dict(ece.where)
        )
        for ece in study.headlines
        if ece.metric == "ece"
        for one in _HEADLINES
        if one.metric not in own
    ]


def _judged(results: pd.DataFrame, corrected: "pd.Series[bool]") -> TableSpec:
    """Numbers of judged answers, as judged and corrected, under the conditions of the latter."""
    where = ["task", "model", "dataset", "condition"]
    mine = results[where].apply(tuple, axis=1)
    rows = Rows.of(results[mine.isin(mine[corrected])])
    lines = [name for name in _parts(rows) if name not in _APART]
    whose = [name for name in _WHOSE if name != "task"]
    columns = [
        Column(metric, f"{said}, {how}", 3)
        for name, said in _CORRECTED.items()
        if (made := f"judge_corrected_{name.removeprefix('mean_')}") in set(results["metric"])
        for metric, how in ((name, "as judged"), (made, "corrected"))
    ]
    return TableSpec(
        "Corrected for the judge's errors",
        rows,
        [*whose, *lines],
        columns,
        "As the judge called them, then corrected by its labelled judgments, whose own error is in "
        "the interval. It is supposed to err as often whatever the confidence; the notes in the "
        "results say by which method, and how many labels there were.",
        label=_labelled,
        layout=columns_with_numbers,
    )


def _fields(view: View) -> tuple[str, pd.DataFrame, str]:
    return view.title, view.table, view.caption


def _parts(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name, said in row.of.items() if said))


def _columns(rows: Sequence[Row], lines: Sequence[str]) -> list[Column]:
    """A column a metric, and each condition that only it has."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Column] = {}
    for row in rows:
        where = {
            name: said
            for name, said in row.of.items()
            if said and name not in _APART and name not in lines
        }
        said = " ".join(f"{name} {value}" for name, value in where.items())
        heading = f"{row['metric'].replace('_', ' ')} {said}".rstrip()
        key = row["metric"], tuple(where.items())
        found.setdefault(key, Column(row["metric"], heading, 3, where=where))
    return list(found.values())


def _spec(title: str, rows: Rows, lines: Sequence[str], columns: Sequence[Column]) -> TableSpec:
    return TableSpec(
        title, rows, lines, columns, CAPTION, label=_labelled, layout=columns_with_numbers
    )


def _labelled(line: Mapping[str, str]) -> Mapping[str, str]:
    named = {"dataset": "data set"}
    return {named.get(name, name): said or "-" for name, said in line.items()}
