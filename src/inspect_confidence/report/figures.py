"""The report's figures: which rows each one draws, its files, and its caption."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import plots
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.plots import shortened
from inspect_confidence.plots.style import in_order
from inspect_confidence.report.svg import inline
from inspect_confidence.results import COLUMNS, Condition, as_csv, with_parts
from inspect_confidence.studies import FigureSpec, Study, all_studies
from inspect_confidence.studies.workers import Progress, spread
from inspect_confidence.writing import put

FORMATS = ("png", "pdf")
"""Of pictures beside svg. A pdf takes as long as all else of its figure, for its fonts."""
PAGE, FIGURES = "index.html", "figures"
"""What the page and the folder of its figures are called."""
_OURS = '<meta name="generator" content="inspect_confidence '
_HEAD = 2_000
"""Characters of a page in which it says what made it."""
_RESOLUTION = 200
_FEW = 12
"""Figures that are not worth a second process."""


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the page.

    Attributes:
        name: Its anchor, a valid identifier.
        caption: What it shows, how many judgments, what was left out.
        rows: What it draws, their index what the page calls the row.
        plot: The function of `inspect_confidence.plots`.
        directory: Where its files go: the picture, and the rows as csv.
        formats: Of the picture beside svg: png, pdf.
        models: In the page's order, which is that of their colours.
        leads: Whether it carries the study's finding.
        svg: The picture; empty where there is none, for this `reason`.
    """

    name: str
    title: str
    caption: str
    metrics: Sequence[Metric]
    rows: pd.DataFrame
    plot: str
    directory: Path
    formats: Sequence[str]
    models: Sequence[str] = ()
    leads: bool = False
    svg: str = ""
    reason: str = ""

    @property
    def endings(self) -> str:
        """The picture's formats, for people."""
        return ", ".join(("svg", *self.formats))

    def file(self, ending: str) -> Path:
        """Its file of that kind."""
        return self.directory / f"{self.name}.{ending}"

    def write_rows(self) -> None:
        """Write what it draws."""
        put(self.file("csv"), as_csv(self.rows[COLUMNS], "row"))


def planned(
    study: Study,
    rows: pd.DataFrame,
    directory: Path,
    formats: Sequence[str],
    models: Sequence[str] = (),
) -> list[ReportFigure]:
    """The study's figures, not drawn yet, of its results and details."""
    found: list[ReportFigure] = []
    for spec in study.figures:
        metrics = [METRICS[name] for name in spec.metrics]
        for title, mine in _groups(spec, rows):
            name = f"{spec.task}-{spec.plot}-{len(found) + 1}".replace("_", "-")
            figure = ReportFigure(
                *(name, title, _caption(spec, mine, rows), metrics, mine, spec.plot),
                *(directory, formats, models),
                leads=spec.leads,
                reason=_why_not(spec, mine),
            )
            figure.write_rows()
            found.append(figure)
    return found


_MOSTLY = 0.25
"""A figure of which less is defined would be one of empty panels."""


def _why_not(spec: FigureSpec, rows: pd.DataFrame) -> str:
    """Why there would be nothing to see; empty where there is something."""
    first = rows[rows["metric"] == spec.metrics[0]]
    there, finite = first["value"].notna(), int(rows["value"].notna().sum())
    if finite < spec.needs:
        said = f"Too little data: {finite} of the {spec.needs} numbers that it takes."
    elif len(first) and there.mean() < _MOSTLY:
        said = f"Not drawn: {(~there).sum()} of its {len(first)} numbers are undefined."
    else:
        return ""
    notes = first.loc[~there, "note"].str.split(";").str[0]
    why = notes[notes != ""].value_counts()
    return f"{said} Mostly: {shortened(str(why.index[0]), 200)}." if len(why) else said


def _groups(spec: FigureSpec, rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each figure that the specification asks for, with its title."""
    mine = rows[rows["task"].isin((spec.task, *spec.tasks)) & rows["metric"].isin(spec.metrics)]
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
    tasks = (spec.task, *spec.tasks)
    asked = rows[rows["task"].isin(tasks) & (rows["metric"] == "status_count")]
    counted = with_parts(asked, ["variant", *parts, "status"])
    # Rows over all data sets name none of them.
    keys = ["model", "variant", *(name for name in ("dataset",) if name in spec.by), *parts]
    there = {tuple(values) for values in own[keys].astype(str).to_numpy()}
    known = [_agrees(row, keys, there) for row in counted.to_dict("records")]
    counts = counted[np.array(known, bool)].groupby("status", sort=False)["value"].sum()
    if counts.empty:
        return spec.reads
    total, left = int(counts.sum()), counts[counts.index != "ok"].astype(int)
    why = ", ".join(f"{count:,} {status}" for status, count in left.items())
    read = f"; {left.sum():,} could not be read ({why})" if why else ", all read"
    said = f"Asked: {total:,} judgment{'' if total == 1 else 's'}{read}"
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


def drawn(
    figures: Sequence[ReportFigure], workers: int, progress: Progress = iter
) -> dict[str, ReportFigure]:
    """The figures with their pictures, by name; so many processes draw at once."""
    several = workers if len(figures) > _FEW else 1
    found = spread(_draw, [(one,) for one in figures], several, progress)
    return {one.name: one for one in found}


def _draw(figure: ReportFigure) -> ReportFigure:
    """Draw a figure, unless it lacks data, and write its files."""
    if figure.reason:
        return figure
    try:
        with in_order(figure.models):
            picture = getattr(plots, figure.plot)(figure.rows)
    except InvalidArgument as error:
        return replace(figure, reason=str(error))
    with plots.style():
        # Laid out once, not once a file; undated, so that the same rows give the same file.
        picture.draw_without_rendering()
        picture.set_layout_engine("none")
        for ending in figure.formats:
            undated = {"CreationDate": None} if ending == "pdf" else None
            content = BytesIO()
            picture.savefig(content, format=ending, dpi=_RESOLUTION, metadata=undated)
            put(figure.file(ending), content.getvalue())
        text = StringIO()
        picture.savefig(text, format="svg", metadata={"Date": None})
    put(figure.file("svg"), text.getvalue())
    return replace(figure, svg=inline(text.getvalue(), figure.name, figure.title))


def of_report(directory: Path) -> list[Path]:
    """The figures of the report in a folder; none where no page of ours is."""
    try:
        with (directory / PAGE).open(encoding="utf-8", errors="replace") as page:
            if _OURS not in page.read(_HEAD):
                return []
        there = list((directory / FIGURES).iterdir())
    except OSError:
        return []
    plots_of = "|".join(
        f"{spec.task}-{spec.plot}".replace("_", "-")
        for study in all_studies()
        for spec in study.figures
    )
    named = re.compile(rf"(?:profile|{plots_of})-\d+\.(?:svg|png|pdf|csv)")
    return [file for file in there if named.fullmatch(file.name)]


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
