"""Leaderboard of models in Markdown and HTML."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from math import isnan, nan
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.export.material import Material
from inspect_confidence.export.tables import markdown_escaped, paragraph, table_of
from inspect_confidence.export.text import shortened, templates
from inspect_confidence.headlines import Direction, direction_of, headline_rows
from inspect_confidence.metrics import METRICS, Metric, percentile_interval
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.overview.front import front_of
from inspect_confidence.overview.matrix import Ranks
from inspect_confidence.results import drop_part
from inspect_confidence.studies import all_studies
from inspect_confidence.writing import put

_EQUAL = 1e-12
"""Differences below this are rounding errors."""


@dataclass(frozen=True)
class Rank:
    """A model's rank (1 plus the number of better models) with its 95% interval.

    Undefined ranks and intervals are NaN; `note` has the reason and exclusions.
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
    """Return the rank of each model, with the percentile interval of its rank over resamples.

    Tied models share the best of their ranks. A resample in which the value of any model is
    undefined has no ranks. A model without draws has its value in every resample.

    Args:
        values: Values of the models; NaN if undefined.
        intervals: Intervals of the values, to recognise numbers that resampling doesn't change.
        draws: Values of each model over the same resamples.
        direction: Direction of better values.
    """
    if not direction.ordered:
        return [Rank(nan, note=f"not ranked: {direction.label}")] * len(values)
    defined = np.flatnonzero(~np.isnan(values)).tolist()
    reasons = {i: _missing_interval(draws[i], intervals[i]) for i in defined}
    resampled = {i: draw for i in defined if (draw := draws[i]) is not None and not reasons[i]}
    resamples = next(map(len, resampled.values()), 0)
    values_over = np.empty((resamples, len(defined)))
    for column, i in enumerate(defined):
        values_over[:, column] = resampled.get(i, values[i])
    complete = values_over[~np.isnan(values_over).any(axis=1)]
    places = _places(direction.loss(values[defined])[None])[0]
    places_over = _places(direction.loss(complete))
    undefined = resamples - len(complete)
    note = ""
    if undefined:
        note = f"{undefined} of {resamples} resamples, undefined for a model, left out"
    model_ranks = [Rank(nan, note="not ranked: undefined")] * len(values)
    for column, i in enumerate(defined):
        low, high = nan, nan
        if i in resampled and len(complete):
            low, high = percentile_interval(places_over[:, column])
        model_ranks[i] = Rank(float(places[column]), low, high, reasons[i] or note)
    return model_ranks


def _places(badness: FloatArray) -> FloatArray:
    """Return ranks within rows: 1 plus the number of values that are better beyond rounding."""
    better = [(badness < column[:, None] - _EQUAL).sum(axis=1) for column in badness.T]
    return np.asarray(1 + np.array(better).reshape(badness.shape[::-1]).T, float)


def _missing_interval(draws: FloatArray | None, interval: tuple[float, float]) -> str:
    """Return the reason why draws give no rank interval, or an empty text.

    Numbers with another kind of interval, such as a regression's, are equal in all resamples. So
    are numbers of a single item, which have no interval.
    """
    if draws is None:
        return "no rank interval: this number isn't resampled by items"
    if np.isnan(draws).all():
        return "no rank interval: undefined in every resample"
    if np.nanmin(draws) == np.nanmax(draws) and interval[0] != interval[1]:
        return "no rank interval: resampling the items doesn't move this number"
    return ""


_HEADER = ("rank", "rank, 95% interval", "model", "variant", "value [95% interval]", "n", "note")


@dataclass(frozen=True)
class Board:
    """A table of models by a headline number on a data set.

    Attributes:
        study: Name of the study.
        title: Name of the number.
        subtitle: Task, data set and condition.
        metric: Metric of the number.
        better: Sentence on the direction of better values.
        header: Headings of the columns.
        lines: Cells of each model, in the order of ranks.
    """

    study: str
    title: str
    subtitle: str
    metric: Metric
    better: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]


def _boards(material: Material, results: pd.DataFrame) -> tuple[list[Board], Ranks]:
    """Return a board for each headline number, data set and condition, and rank intervals by row.

    Means over models have no rank.
    """
    rows = headline_rows(results[results["model"].isin(material.models())])
    shared = [drop_part(text, "variant") for text in rows["condition"]]
    keys = ["study", "task", "label", "metric", "dataset", "shared"]
    boards, intervals = [], {}
    for _, group in rows.assign(shared=shared).groupby(keys, sort=False):
        first = group.iloc[0]
        direction = direction_of(str(first["metric"]), str(first["shared"]))
        group_ranks = ranks(
            group["value"].to_numpy(float),
            list(zip(group["ci_low"], group["ci_high"], strict=True)),
            [material.draws[row] for row in group.index],
            direction,
        )
        boards.append(_board(group, group_ranks, direction))
        for row, rank in zip(group.index, group_ranks, strict=True):
            intervals[int(row)] = (rank.low, rank.high)
    return boards, intervals


def _board(rows: pd.DataFrame, model_ranks: Sequence[Rank], direction: Direction) -> Board:
    lines = []
    placed = list(zip(model_ranks, rows.to_dict("records"), strict=True))
    placed.sort(key=_by_rank)
    for rank, row in placed:
        lines.append(_cells(rank, row))
    table = pd.DataFrame(lines, columns=list(_HEADER), dtype=object)
    table = table.loc[:, ~table.isin(["", "-"]).all()]  # without empty columns
    if not direction.ordered:
        table = table.drop(columns="rank", errors="ignore")
    first = rows.iloc[0]
    dataset = f"data set {shortened(str(first['dataset']))}"
    return Board(
        study=str(first["study"]),
        title=str(first["label"]),
        subtitle=", ".join(filter(None, (str(first["task"]), dataset, str(first["shared"])))),
        metric=METRICS[str(first["metric"])],
        better=f"{direction.label[0].upper()}{direction.label[1:]}.",
        header=list(table.columns),
        lines=table.to_numpy().tolist(),
    )


def _by_rank(placed: tuple[Rank, object]) -> tuple[bool, float]:
    """Return a key that sorts undefined ranks last."""
    rank = placed[0].rank
    return isnan(rank), rank


def _cells(rank: Rank, row: Mapping[Hashable, Any]) -> list[str]:
    """Return the texts of a model's line, one for each entry of `_HEADER`."""
    value, low, high = float(row["value"]), float(row["ci_low"]), float(row["ci_high"])
    interval = "" if isnan(low) else f" [{low:.3g}, {high:.3g}]"
    return [
        "-" if isnan(rank.rank) else f"{rank.rank:g}",
        "-" if isnan(rank.low) else f"{rank.low:g} to {rank.high:g}",
        shortened(row["model"]),
        shortened(row["variant"]),
        "-" if isnan(value) else f"{value:.3g}{interval}",
        f"{row['n']}",
        "; ".join(filter(None, (rank.note, row["note"]))),
    ]


_METHOD = (
    "A rank is 1 plus the number of better models; tied models share a rank. Its interval is the "
    "interval of the rank over {resamples} bootstrap resamples of the items. Models that answered "
    "the same items are resampled together, others separately; a model without a rank interval has "
    "a fixed value in every resample. Means over models are not ranked. Nothing corrects for the "
    "number of models: among many equal models, one is first by chance."
)
_EMPTY = "These results have no headline number of any study."


def write_leaderboard(material: Material, directory: Path) -> list[Path]:
    """Write `leaderboard.md` and `leaderboard.html`."""
    method = _METHOD.format(resamples=f"{material.resamples:,}")
    results = material.results.reset_index(drop=True)
    boards, intervals = _boards(material, results)
    titles = {study.name: study.title for study in all_studies()}
    by_study = groupby(boards, attrgetter("study"))
    sections = [(study, titles[study], list(group)) for study, group in by_study]
    frames = material.frames.values()
    names = chain.from_iterable(frame["model"] for frame in frames)
    models = list(dict.fromkeys(map(str, names)))
    html = (
        templates("inspect_confidence.export", "")
        .get_template("leaderboard.html.j2")
        .render(
            front=front_of(results, models, intervals),
            sections=sections,
            method=method,
            empty_notice=_EMPTY,
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
            metric = board.metric
            caption = f"{board.subtitle}. {metric.name}: {metric.definition} {board.better}"
            table = table_of(board.header, board.lines, texts=0)
            parts += [f"### {markdown_escaped(board.title)}", paragraph(caption), table]
    return "\n\n".join(parts if sections else [*parts, _EMPTY]) + "\n"
