"""The report's figures: which rows each one draws, its files, and its caption."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import plots
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots import COLOURS, shortened
from inspect_confidence.results import COLUMNS, Condition, as_csv, with_parts
from inspect_confidence.studies import FigureSpec, Study, all_studies
from inspect_confidence.studies.estimate import spread

_HEAD = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_DROPPED = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)
_OPENING = re.compile(r"<svg[^>]*>")
_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_POINTS_TO_PIXELS = 96 / 72


def inline(svg: str, name: str, title: str) -> str:
    """An SVG file's text as an element of a page.

    Its colours become the page's variables, its identifiers begin with the figure's name, and
    screen readers are told the title.

    Args:
        svg: As matplotlib writes it.
        name: Of the figure; a valid identifier, used once in the page.
        title: What the figure is.
    """
    body = _DROPPED.sub("", _HEAD.sub("", svg))
    body = re.sub(r"\n\s*", "\n", body)
    body = re.sub(r'(\sid=")', rf"\g<1>{name}-", body)
    body = re.sub(r"(url\(#)", rf"\g<1>{name}-", body)
    body = re.sub(r'(?:xlink:)?href="#', f'href="#{name}-', body)
    for colour, variable in COLOURS.items():
        body = re.sub(colour, f"var({variable})", body, flags=re.IGNORECASE)
    box = _BOX.search(body)
    if box is None:
        raise ValueError(f"The figure {name} has no viewBox.")
    width, height = (float(side) * _POINTS_TO_PIXELS for side in box.groups())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[0][9:-1]}" '
        f'style="width: {width:.0f}px; aspect-ratio: {width:.0f} / {height:.0f}" role="img" '
        f'aria-labelledby="{name}-name"><title id="{name}-name">{escape(title)}</title>'
    )
    return _OPENING.sub(lambda _: opening, body, count=1)


_RESOLUTION = 200
_FEW = 12
"""Figures that are not worth a second process."""


@dataclass(frozen=True)
class Job:
    """A figure to draw.

    Attributes:
        name: Its anchor in the page.
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
            (directory / f"{name}.csv").write_text(as_csv(mine, "row"), encoding="utf-8")
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
        mine = mine[[spec.keep(Condition.read(text)) for text in mine["condition"]]]
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
    """What it shows, how many judgments were asked for, and how many could not be read and why."""
    parts = [name for name in spec.by if name not in COLUMNS and name != "variant"]
    own = with_parts(mine[mine["model"] != spec.beside], ["variant", *parts])
    asked = rows[(rows["task"] == spec.task) & (rows["metric"] == "status_count")]
    counted = with_parts(asked, ["variant", *parts, "status"])
    # Rows over all data sets name none of them.
    keys = ["model", "variant", *(name for name in ("dataset",) if name in spec.by), *parts]
    there = {tuple(values) for values in own[keys].astype(str).to_numpy()}
    known = [_agrees(row, keys, there) for row in counted.to_dict("records")]
    counts = counted[np.array(known, bool)].groupby("status", sort=False)["value"].sum()
    if counts.empty:
        return spec.reads
    total, left = int(counts.sum()), counts[counts.index != "ok"].astype(int)
    said = f"Asked: {total:,} judgment{'' if total == 1 else 's'}"
    if len(left):
        why = ", ".join(f"{count:,} {status}" for status, count in left.items())
        said += f"; {left.sum():,} could not be read ({why})"
    else:
        said += ", all read"
    numbers = own.groupby("model", sort=False)["value"].count()
    missing = [shortened(str(name), 60) for name in numbers.index[numbers == 0]]
    nothing = f" No number of: {', '.join(missing)}." if missing and (numbers > 0).any() else ""
    return f"{spec.reads} {said}.{nothing}"


def _agrees(row: Mapping[Any, Any], keys: Sequence[str], there: set[tuple[str, ...]]) -> bool:
    """Whether a count of judgments belongs to a figure; what it doesn't say is open."""
    said = [str(row[name]) for name in keys]
    return any(
        all(not mine or mine == other for mine, other in zip(said[2:], one[2:], strict=True))
        and said[:2] == list(one[:2])
        for one in there
    )


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
    several = workers if len(jobs) > _FEW else 1
    return dict(zip(names, spread(draw, [(job,) for job in jobs], several), strict=True))


def draw(job: Job) -> tuple[str, str]:
    """Draw a figure and write its files.

    Returns:
        The picture for the page, and the reason where there is none.
    """
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


def remove_figures(directory: Path) -> None:
    """Remove the figures of an earlier report from its folder, and nothing else."""
    plots_of = "|".join(
        f"{spec.task}-{spec.plot}".replace("_", "-")
        for study in all_studies()
        for spec in study.figures
    )
    ours = re.compile(rf"(?:profile|{plots_of})-\d+\.(?:svg|png|pdf|csv)")
    for file in directory.iterdir():
        if ours.fullmatch(file.name):
            file.unlink()


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
