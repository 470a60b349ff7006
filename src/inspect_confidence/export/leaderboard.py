"""The leaderboard in Markdown and as a page."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.export.material import Material
from inspect_confidence.export.tables import markdown_escaped, paragraph, table_of
from inspect_confidence.export.text import shortened, templates
from inspect_confidence.headlines import Direction, FloatArray, direction_of, headline_rows
from inspect_confidence.metrics import METRICS, Metric, percentile_interval
from inspect_confidence.overview.front import front_of
from inspect_confidence.overview.matrix import Ranks
from inspect_confidence.results import without
from inspect_confidence.studies import all_studies
from inspect_confidence.writing import put

_EQUAL = 1e-12
"""Values that differ by less differ by rounding."""


@dataclass(frozen=True)
class Rank:
    """A model's place, 1 and the number of models that are better, with its 95% interval.

    NaN where the value has none; `note` says why, and what was left out.
    """

    rank: float
    low: float = nan
    high: float = nan
    note: str = ""


def ranks(
    values: FloatArray,
    intervals: Sequence[tuple[float, float]],
    draws: Sequence[FloatArray | None],
    direction: Direction,
) -> list[Rank]:
    """The rank of each model, with the percentile interval of its rank over resamples.

    Models that tie share the best of their ranks. A resample in which the value of any model is
    undefined has no ranks. A model without draws stays at its value.

    Args:
        values: Of the models; NaN where undefined.
        intervals: Of the values: those of numbers that resampling doesn't move.
        draws: Their values over the same resamples.
        direction: Of the metric.
    """
    if not direction.ordered:
        return [Rank(nan, note=f"not ranked: {direction.text}")] * len(values)
    there = [i for i, value in enumerate(values) if not isnan(value)]
    why = {i: _why_still(draws[i], intervals[i]) for i in there}
    moved = {i: draw for i in there if (draw := draws[i]) is not None and not why[i]}
    resamples = next(map(len, moved.values()), 0)
    drawn = np.array([moved.get(i, np.full(resamples, values[i])) for i in there])
    drawn = drawn.reshape(len(there), resamples).T
    whole = drawn[~np.isnan(drawn).any(axis=1)]
    places = _places(direction.badness(values[there])[None])[0]
    over = _places(direction.badness(whole))
    lost = resamples - len(whole)
    note = f"{lost} of {resamples} resamples, undefined for a model, left out" if lost else ""
    found = [Rank(nan, note="not ranked: undefined")] * len(values)
    for column, i in enumerate(there):
        known = i in moved and len(whole)
        low, high = percentile_interval(over[:, column]) if known else (nan, nan)
        found[i] = Rank(float(places[column]), low, high, why[i] or note)
    return found


def _places(badness: FloatArray) -> FloatArray:
    """Ranks within rows: 1 and how many are better by more than rounding."""
    better = [(badness < column[:, None] - _EQUAL).sum(axis=1) for column in badness.T]
    return np.asarray(1 + np.array(better).reshape(badness.shape[::-1]).T, float)


def _why_still(draws: FloatArray | None, interval: tuple[float, float]) -> str:
    """Why draws don't say how uncertain a value is; empty where they do.

    A number with an interval of another kind, as a regression's, is the same in all resamples, and
    so is one that rests on a single item, which has no interval.
    """
    if draws is None:
        return "no rank interval: this number isn't resampled by items"
    if np.isnan(draws).all():
        return "no rank interval: undefined in every resample"
    still = np.nanmin(draws) == np.nanmax(draws) and interval[0] != interval[1]
    return "no rank interval: resampling the items doesn't move this number" if still else ""


_HEADER = ("rank", "rank, 95% interval", "model", "variant", "value [95% interval]", "n", "note")


@dataclass(frozen=True)
class Board:
    """The models by one number on one data set; `lines` are by rank, as text under `header`."""

    study: str
    title: str
    where: str
    metric: Metric
    better: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]


def _boards(material: Material, results: pd.DataFrame) -> tuple[list[Board], Ranks]:
    """A table for each headline number, data set and condition, and the rank intervals by row.

    Means over models have no rank.
    """
    rows = headline_rows(results[results["model"].isin(material.models())])
    shared = [without(text, "variant") for text in rows["condition"]]
    keys = ["study", "task", "label", "metric", "dataset", "shared"]
    boards, intervals = [], {}
    for _, mine in rows.assign(shared=shared).groupby(keys, sort=False):
        found = _ranked(mine, [material.draws[row] for row in mine.index])
        boards.append(_board(mine, found))
        for row, rank in zip(mine.index, found, strict=True):
            intervals[int(row)] = (rank.low, rank.high)
    return boards, intervals


def _ranked(rows: pd.DataFrame, draws: Sequence[FloatArray | None]) -> list[Rank]:
    metric, condition = (str(rows[name].iloc[0]) for name in ("metric", "shared"))
    intervals = list(zip(rows["ci_low"], rows["ci_high"], strict=True))
    direction = direction_of(metric, condition)
    return ranks(rows["value"].to_numpy(float), intervals, draws, direction)


def _board(rows: pd.DataFrame, found: Sequence[Rank]) -> Board:
    study, task, title, metric, dataset, condition = (
        str(rows[name].iloc[0])
        for name in ("study", "task", "label", "metric", "dataset", "shared")
    )
    direction = direction_of(metric, condition)
    placed = zip(found, rows.to_dict("records"), strict=True)
    lines = [
        list(_cells(rank, row))
        for rank, row in sorted(placed, key=lambda one: (isnan(one[0].rank), one[0].rank))
    ]
    # A column that is empty in all lines says nothing.
    said = [k for k in range(len(_HEADER)) if any(line[k] not in ("", "-") for line in lines)]
    kept = said if direction.ordered else [k for k in said if k]
    return Board(
        study=study,
        title=title,
        where=", ".join(filter(None, (task, f"data set {shortened(dataset)}", condition))),
        metric=METRICS[metric],
        better=f"{direction.text[0].upper()}{direction.text[1:]}.",
        header=[_HEADER[k] for k in kept],
        lines=[[line[k] for k in kept] for line in lines],
    )


def _cells(rank: Rank, row: Mapping[Hashable, Any]) -> Iterator[str]:
    value, low, high = (float(row[name]) for name in ("value", "ci_low", "ci_high"))
    yield "-" if isnan(rank.rank) else f"{rank.rank:g}"
    yield "-" if isnan(rank.low) else f"{rank.low:g} to {rank.high:g}"
    yield shortened(row["model"])
    yield shortened(row["variant"])
    interval = "" if isnan(low) else f" [{low:.3g}, {high:.3g}]"
    yield "-" if isnan(value) else f"{value:.3g}{interval}"
    yield f"{row['n']}"
    yield "; ".join(filter(None, (rank.note, row["note"])))


_METHOD = (
    "A rank is 1 and the number of models that are better; models that tie share a rank. Its "
    "interval is that of the rank over {resamples} bootstrap resamples of the items. Models that "
    "answered the same items are resampled together, others by themselves; one without an interval "
    "of its rank counts at its value in those of others. Means over models are not ranked. Nothing "
    "corrects for the number of models: of many alike, one will be first."
)
_NOTHING = "None of the numbers that stand for a study is in these results."


def write_leaderboard(material: Material, directory: Path) -> list[Path]:
    """`leaderboard.md` and `leaderboard.html`."""
    method = _METHOD.format(resamples=f"{material.resamples:,}")
    results = material.results.reset_index(drop=True)
    boards, intervals = _boards(material, results)
    titles = {one.name: one.title for one in all_studies()}
    by_study = groupby(boards, lambda one: one.study)
    sections = [(study, titles[study], list(some)) for study, some in by_study]
    frames = material.frames.values()
    models = list(dict.fromkeys(str(name) for frame in frames for name in frame["model"]))
    html = (
        templates("inspect_confidence.export", "")
        .get_template("leaderboard.html.j2")
        .render(
            front=front_of(results, models, intervals),
            sections=sections,
            method=method,
            nothing=_NOTHING,
            version=__version__,
        )
    )
    return [
        put(directory / "leaderboard.md", _markdown(sections, method)),
        put(directory / "leaderboard.html", html),
    ]


def _markdown(sections: Sequence[tuple[str, str, Sequence[Board]]], method: str) -> str:
    parts = ["# Leaderboard", paragraph(method)]
    for _, title, boards in sections:
        parts.append(f"## {markdown_escaped(title)}")
        for board in boards:
            what = f"{board.where}. {board.metric.name}: {board.metric.definition} {board.better}"
            table = table_of(board.header, board.lines, left=0)
            parts += [f"### {markdown_escaped(board.title)}", paragraph(what), table]
    return "\n\n".join(parts if sections else [*parts, _NOTHING]) + "\n"
