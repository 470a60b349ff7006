"""What numbers say, in sentences: of each model over all studies, and of each study over models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.headlines import decoded
from inspect_confidence.overview.matrix import (
    Line,
    Matrix,
    Number,
    Who,
    with_whose,
)
from inspect_confidence.overview.numbers import written
from inspect_confidence.plots import shortened
from inspect_confidence.results import Condition
from inspect_confidence.studies import Clause, all_studies

_OVER_SETS = ("pooled", "mean", "all")
_FIRST = ("calibration", "ranking")
_LONGEST = 60
"""Characters of a name."""
_MOST = 5
"""Clauses of a sentence."""


@dataclass(frozen=True)
class Part:
    """A piece of a sentence; `row` is the row of the results whose number it is."""

    text: str
    row: int | None = None


Sentence = Sequence[Part]


def of_models(results: pd.DataFrame, matrix: Matrix) -> list[tuple[Who, Sentence]]:
    """A sentence of each line of the matrix that there is something to say of."""
    wanted = {
        (clause.task, metric, str(Condition(where)))
        for clause in _clauses()
        for metric, where in clause.numbers
    }
    mine = results["model"].isin({line.who.model for line in matrix.lines})
    rows = decoded(results[mine & results["metric"].isin({metric for _, metric, _ in wanted})])
    keys = zip(rows["task"], rows["metric"], rows["where"], strict=True)
    told = np.array([key in wanted for key in keys], bool)  # of no row, too
    rows = with_whose(rows[told])
    known: dict[tuple[Who, str, str, str], list[dict[Any, Any]]] = {}
    for row in rows.to_dict("records"):
        known.setdefault((row["who"], row["task"], row["metric"], row["where"]), []).append(row)
    found = ((line.who, _sentence(line.who, known)) for line in matrix.lines)
    return [(who, said) for who, said in found if said]


def _clauses() -> list[Clause]:
    """Of all studies; first what most of them ask for."""
    every = [clause for study in all_studies() for clause in study.clauses]
    return sorted(every, key=lambda one: _FIRST.index(one.about) if one.about in _FIRST else 9)


Known = Mapping[tuple[Who, str, str, str], Sequence[Mapping[Any, Any]]]


def _sentence(who: Who, known: Known) -> list[Part]:
    said: dict[str, list[Part]] = {}
    for clause in _clauses():
        if clause.about not in said and len(said) < _MOST:
            rows = _numbers(who, clause, known)
            if rows:
                said[clause.about] = [*_filled(clause, rows)]
    parts = [part for k, one in enumerate(said.values()) for part in ([Part("; ")] * (k > 0) + one)]
    return [*parts, Part(".")] if parts else []


def _numbers(who: Who, clause: Clause, known: Known) -> list[Mapping[Any, Any]]:
    """The clause's rows, all of one data set; none where one is missing."""
    found = [
        {
            row["dataset"]: row
            for row in known.get((who, clause.task, metric, str(Condition(where))), ())
            if not isnan(row["value"])
        }
        for metric, where in clause.numbers
    ]
    shared = [name for name in found[0] if all(name in one for one in found)]
    first = next((name for name in (*_OVER_SETS, *shared) if name in shared), None)
    return [one[first] for one in found] if first is not None else []


def _filled(clause: Clause, rows: Sequence[Mapping[Any, Any]]) -> Iterator[Part]:
    text = clause.text
    said = text if isinstance(text, str) else text(*(float(row["value"]) for row in rows))
    pieces = said.split("{}")
    for piece, row in zip(pieces, rows, strict=False):
        yield Part(piece)
        number = written(str(row["metric"]), float(row["value"]), int(row["n"]))
        yield Part(number, int(row["row"]))
    yield Part(pieces[-1])


def of_column(matrix: Matrix, column: int) -> Sentence:
    """Who is best in a column and who is worst, and of how many that can't be said."""
    mine = [
        (line, number)
        for line in matrix.lines
        if (number := line.numbers[column]) is not None and not isnan(number.value)
    ]
    what = matrix.columns[column]
    name = what.heading[:1].upper() + what.heading[1:]
    if not mine:
        return []
    if len(mine) == 1:
        return [Part(f"{name} of {_name(mine[0][0])}: "), *_shown(mine[0][1]), Part(".")]
    values = np.array([number.value for _, number in mine])
    badness = what.direction.badness(values) if what.direction.ordered else values
    order = np.argsort(badness, kind="stable")
    first, last = mine[order[0]], mine[order[-1]]
    words = _ENDS.get(what.direction.name if what.direction.ordered else "none", _ENDS["none"])
    target = f"{what.direction.target:g}"
    said = [
        Part(f"{name}: {words[0].format(target)} for {_name(first[0])}, "),
        *_shown(first[1]),
        Part(f"; {words[1].format(target)} for {_name(last[0])}, "),
        *_shown(last[1]),
    ]
    return [*said, Part(f"{_alike(mine, first)}.")]


_ENDS = {
    "higher": ("highest", "lowest"),
    "lower": ("lowest", "highest"),
    "target": ("nearest to {}", "farthest from it"),
    "none": ("lowest", "highest"),
}


def _shown(number: Number) -> list[Part]:
    interval = f" [{number.interval}]" if number.interval else ""
    return [Part(f"{number.text}{interval}", number.row)]


def _name(line: Line) -> str:
    said = filter(None, (line.who.model, line.who.variant, line.who.judge))
    return ", ".join(shortened(one, _LONGEST) for one in said)


def _alike(mine: Sequence[tuple[Line, Number]], best: tuple[Line, Number]) -> str:
    """How many others can't be told from the best one."""
    others = [number for line, number in mine if line is not best[0]]
    ranked = [number for number in others if not isnan(number.low)]
    if isnan(best[1].low) or not ranked:
        return ""
    alike = sum(number.low <= 1 for number in ranked)
    if len(ranked) == 1:
        return f"; their intervals {'overlap' if alike else 'lie apart'}"
    if not alike:
        return "; its interval lies apart from all others'"
    return f"; {alike} of the {len(ranked)} others can't be told from the first"


def of_unread(matrix: Matrix) -> Sentence:
    """How much of each model's replies couldn't be read, from the matrix of a study."""
    shares = [
        (line, {one.unread_row: one for one in line.numbers if one and one.unread_row is not None})
        for line in matrix.lines
    ]
    if not any(known for _, known in shares):
        return []
    lost = [
        (line, max(known.values(), key=_share), len(known))
        for line, known in shares
        if any(map(_share, known.values()))
    ]
    if not lost:
        return [Part("All replies could be read.")]
    lost.sort(key=lambda one: -_share(one[1]))
    parts: list[Part] = []
    for line, most, several in lost[:_FEW]:
        parts += [Part(", " if parts else "Could not be read: ")]
        parts += [Part("up to ")] if several > 1 else []
        parts += [Part(most.unread, most.unread_row), Part(f" of {_name(line)}'s replies")]
    more = f", and some of {len(lost) - _FEW} others" if len(lost) > _FEW else ""
    return [*parts, Part(f"{more}.")]


_FEW = 3


def _share(number: Number) -> float:
    return float(number.unread.rstrip("%"))


def of_study(matrix: Matrix) -> list[Sentence]:
    """Two or three sentences on a study, of the matrix of its numbers alone.

    They are of a number of each task before they are of a second one of a task.
    """
    places: dict[tuple[int, str], int] = {}
    for k, column in enumerate(matrix.columns):
        nth = sum(task == column.task for _, task in places)
        metrics = {matrix.columns[one].metric for one in places.values()}
        if column.metric not in metrics:
            places[nth, column.task] = k
    told = [of_column(matrix, places[one]) for one in sorted(places, key=lambda one: one[0])[:2]]
    return [one for one in [*told, of_unread(matrix)] if one]
