"""The report's figures: which rows each one draws, its files, and its caption."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import plots
from inspect_confidence._errors import InvalidArgument
from inspect_confidence._results import COLUMNS, decode_condition, with_parts
from inspect_confidence._spreadsheet import as_csv
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots import shortened
from inspect_confidence.report._svg import inline
from inspect_confidence.studies import FigureSpec, Study

_RESOLUTION = 200
_FEW = 12
"""Figures that are not worth a second process."""


@dataclass(frozen=True)
class Job:
    """A figure to draw.

    Attributes:
        name: Of its files, and its anchor in the page.
        plot: The function of `inspect_confidence.plots`.
        title: Above it.
        rows: What it draws.
        stem: Its files' path, without ending.
    """

    name: str
    plot: str
    title: str
    rows: pd.DataFrame
    stem: Path


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the page.

    Attributes:
        name: Its anchor.
        title: Above it.
        caption: What it shows, how many judgments, what was left out.
        definitions: Of the metrics that it draws: name and sentence.
        rows: What it draws.
        svg: The picture; empty where there was too little to draw.
        reason: Why there is no picture.
    """

    name: str
    title: str
    caption: str
    definitions: Sequence[tuple[str, str]]
    rows: pd.DataFrame
    svg: str = ""
    reason: str = ""


Planned = tuple[ReportFigure, Job | None]
"""A figure and what to draw for it; None where there is too little to draw."""


def planned(study: Study, rows: pd.DataFrame, directory: Path) -> list[Planned]:
    """The study's figures, not drawn yet.

    Args:
        study: Whose.
        rows: Results and details of the study, their index what the page calls the row.
        directory: Where files go: svg, png, pdf, and the rows as csv.
    """
    found: list[Planned] = []
    for spec in study.figures:
        for title, mine in _groups(spec, rows):
            name = f"{spec.task}-{spec.plot}-{len(found) + 1}".replace("_", "-")
            figure = ReportFigure(name, title, _caption(spec, mine, rows), _defined(spec), mine)
            finite = int(mine["value"].notna().sum())
            if finite < spec.needs:
                reason = f"Too little data: {finite} of the {spec.needs} numbers that it takes."
                found.append((replace(figure, reason=reason), None))
            else:
                found.append((figure, Job(name, spec.plot, title, mine, directory / name)))
    return found


def with_pictures(
    figures: Sequence[Planned], pictures: Mapping[str, tuple[str, str]]
) -> list[ReportFigure]:
    """The figures with what was drawn for them."""
    return [
        figure
        if job is None
        else replace(figure, svg=pictures[job.name][0], reason=pictures[job.name][1])
        for figure, job in figures
    ]


def _groups(spec: FigureSpec, rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each figure that the specification asks for, with its title."""
    mine = rows[(rows["task"] == spec.task) & rows["metric"].isin(spec.metrics)]
    if spec.keep is not None:
        mine = mine[[spec.keep(decode_condition(text)) for text in mine["condition"]]]
    if mine.empty:
        return
    mine = with_parts(mine, [name for name in spec.by if name not in COLUMNS]).set_index("row")
    if not spec.by:
        yield spec.title, mine[COLUMNS]
        return
    shared = mine["model"] == spec.beside
    for values, own in mine[~shared].groupby(list(spec.by), sort=False):
        some = pd.concat([own, mine[shared]])
        said = ", ".join(shortened(str(value), 60) for value in values if value)
        yield (f"{spec.title}: {said}" if said else spec.title), some[COLUMNS]


def _caption(spec: FigureSpec, mine: pd.DataFrame, rows: pd.DataFrame) -> str:
    """What it shows, of how many judgments, and how many of them were left out and why."""
    asked = rows[(rows["task"] == spec.task) & (rows["metric"] == "status_count")]
    keys = ["model", "dataset"]
    drawn = with_parts(mine, ["variant"])
    counted = with_parts(asked, ["variant", "status"])
    there = set(map(tuple, drawn[[*keys, "variant"]].to_numpy()))
    models = {(model, variant) for model, _, variant in there}
    sets = {name for _, name, _ in there} & set(asked["dataset"])
    own = [
        (row["model"], row["variant"]) in models and (not sets or row["dataset"] in sets)
        for row in counted.to_dict("records")
    ]
    counts = counted[np.array(own, bool)].groupby("status", sort=False)["value"].sum().astype(int)
    if counts.empty:
        return spec.reads
    left = counts[counts.index != "ok"]
    said = f"{counts.sum():,} judgments"
    if len(left):
        why = ", ".join(f"{count:,} {status}" for status, count in left.items())
        said += f"; {left.sum():,} left out of what needs an answer ({why})"
    else:
        said += ", none left out"
    return f"{spec.reads} {said}."


def _defined(spec: FigureSpec) -> list[tuple[str, str]]:
    return [(name, METRICS[name].definition) for name in spec.metrics]


def drawn(figures: Iterable[Planned], workers: int) -> dict[str, tuple[str, str]]:
    """What `draw` gives for every figure, by its name.

    Args:
        figures: What to draw.
        workers: Processes that draw at once.
    """
    jobs = [job for _, job in figures if job is not None]
    names = [job.name for job in jobs]
    if workers < 2 or len(jobs) <= _FEW:
        return dict(zip(names, map(draw, jobs), strict=True))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return dict(zip(names, pool.map(draw, jobs, chunksize=2), strict=True))


def draw(job: Job) -> tuple[str, str]:
    """Draw a figure and write its files.

    Returns:
        The picture for the page, and the reason where there is none.
    """
    job.stem.with_suffix(".csv").write_text(as_csv(job.rows, "row"), encoding="utf-8")
    try:
        figure = getattr(plots, job.plot)(job.rows)
    except InvalidArgument as error:
        return "", str(error)
    with plots.style():
        # Laid out once, not once a file.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        figure.savefig(job.stem.with_suffix(".png"), dpi=_RESOLUTION)
        figure.savefig(job.stem.with_suffix(".pdf"), metadata=_UNDATED_PDF)
        text = StringIO()
        figure.savefig(text, format="svg", metadata=_UNDATED_SVG)
    svg = text.getvalue()
    job.stem.with_suffix(".svg").write_text(svg, encoding="utf-8")
    return inline(svg, job.name, job.title), ""


_UNDATED_SVG: dict[str, Any] = {"Date": None}
_UNDATED_PDF: dict[str, Any] = {"CreationDate": None}
"""The same rows give the same file."""


def ranges(rows: Sequence[int]) -> str:
    """Numbers as ranges, for what a figure draws.

    Example:
        >>> ranges([3, 4, 5, 9])
        '3-5 9'
    """
    found: list[list[int]] = []
    for row in sorted(rows):
        if found and row == found[-1][1] + 1:
            found[-1][1] = row
        else:
            found.append([row, row])
    return " ".join(f"{low}-{high}" if high > low else str(low) for low, high in found)
