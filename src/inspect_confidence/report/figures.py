"""Figures of the report: the rows, the files and the caption of each figure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO, StringIO
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import plots
from inspect_confidence.answers import INSTRUMENT_STATUSES, REPLY_STATUSES, RUN_STATUSES
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.plots.intervals import rows_of_drawn_splits
from inspect_confidence.plots.models import rows_of_first_split
from inspect_confidence.plots.style import in_order
from inspect_confidence.plots.words import rows_of_drawn_modes
from inspect_confidence.printing import counted, shortened
from inspect_confidence.report.svg import inline
from inspect_confidence.results import COLUMNS, as_csv, conditions_of, with_parts
from inspect_confidence.studies import FigureSpec, Study, all_studies
from inspect_confidence.studies.notes import reason_in
from inspect_confidence.studies.workers import Progress, run_tasks
from inspect_confidence.writing import put

FORMATS = ("png", "pdf")
"""Optional formats of pictures besides svg. A pdf doubles the time of a figure, for its fonts."""
PAGE, FIGURES = "index.html", "figures"
"""Names of the page and of the folder of its figures."""
_GENERATOR = '<meta name="generator" content="inspect_confidence '
_HEAD_CHARACTERS = 2_000  # number of characters of a page that include its generator
_PIXELS_PER_INCH = 200
_MAX_SERIAL = 60
"""Maximum number of figures drawn in this process: others take two seconds to start."""


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the page.

    Attributes:
        name: Anchor, a valid identifier.
        title: Title of the figure.
        reads: Description of what the figure shows.
        reads_panels: Sentences on the panels.
        remarks: Sentences on intervals, number of judgments, and exclusions.
        metrics: Metrics that the figure draws.
        rows: Rows that the figure draws; their index is the page's `row`.
        plot: Name of the function of `inspect_confidence.plots`.
        directory: Folder of the files: the picture, and the rows as csv.
        formats: Formats of the picture besides svg: png, pdf.
        models: Models in the order of the page and of their colours.
        leads: Whether the figure is the study's main figure.
        svg: Picture; empty if the figure can't be drawn.
        n_panels: Number of panels of the picture.
        reason: Reason why the figure can't be drawn.
    """

    name: str
    title: str
    reads: str
    reads_panels: str
    remarks: str
    metrics: Sequence[Metric]
    rows: pd.DataFrame
    plot: str
    directory: Path
    formats: Sequence[str]
    models: Sequence[str] = ()
    leads: bool = False
    svg: str = ""
    n_panels: int = 0
    reason: str = ""

    @property
    def caption(self) -> str:
        """Description and remarks; sentences on panels only if there are several."""
        on_panels = self.reads_panels if self.n_panels > 1 else ""
        return " ".join(filter(None, (self.reads, on_panels, self.remarks)))

    @property
    def endings(self) -> str:
        """Formats of the picture, separated by commas."""
        return ", ".join(("svg", *self.formats))

    def file(self, ending: str) -> Path:
        """Return the path of the figure's file with this ending."""
        return self.directory / f"{self.name}.{ending}"


def plan_figures(
    study: Study,
    rows: pd.DataFrame,
    directory: Path,
    formats: Sequence[str],
    models: Sequence[str] = (),
) -> list[ReportFigure]:
    """Return a study's figures without pictures, and write the rows of each figure to `directory`.

    `rows` are the study's results and its details, numbers for figures and counts of judgments;
    the column `row` has their numbers on the page.
    """
    planned: list[ReportFigure] = []
    for spec in study.figures:
        metrics = [METRICS[name] for name in spec.metrics]
        for title, group_rows in _figure_groups(spec, rows):
            figure_rows, empty_panels = _without_empty_panels(spec, group_rows)
            remarks = (
                _drawn_intervals(spec, figure_rows),
                _judgment_counts(spec, group_rows, rows),
                empty_panels,
            )
            figure = ReportFigure(
                name=f"{spec.task}-{spec.plot}-{len(planned) + 1}".replace("_", "-"),
                title=title,
                reads=spec.reads,
                reads_panels=spec.reads_panels,
                remarks=" ".join(filter(None, remarks)),
                metrics=metrics,
                rows=figure_rows,
                plot=spec.plot,
                directory=directory,
                formats=formats,
                models=models,
                leads=spec.leads,
                reason=_missing_reason(spec, figure_rows),
            )
            put(figure.file("csv"), as_csv(figure_rows[COLUMNS], "row"))
            planned.append(figure)
    return planned


def _without_empty_panels(spec: FigureSpec, rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the rows without panels that have no number, and a sentence that names those.

    If no panel has a number, all rows are returned and there is no sentence. A panel is named by
    its values of the columns `spec.panels`, such as model and data set.
    """
    keys = list(spec.panels)
    panels = with_parts(rows, [name for name in keys if name not in COLUMNS])[keys]
    names = [tuple(map(str, values)) for values in panels.itertuples(index=False)]
    defined = rows["value"].notna()
    drawn_panels = set(compress(names, defined))
    all_panels = list(dict.fromkeys(names))
    empty_panels = [panel for panel in all_panels if panel not in drawn_panels]
    if not drawn_panels or not empty_panels:
        return rows, ""
    drawn_rows = rows[[name in drawn_panels for name in names]]
    return drawn_rows, f"No number of: {'; '.join(_panel_names(all_panels, empty_panels))}."


def _panel_names(
    all_panels: Sequence[tuple[str, ...]], empty_panels: Sequence[tuple[str, ...]]
) -> Iterator[str]:
    """Yield names of the empty panels; a value is named alone if all panels with it are empty.

    A panel is a tuple of values, such as model and data set. Values that all panels share are not
    named.
    """
    varied_columns = []
    for column, values in enumerate(zip(*all_panels, strict=True)):
        if len(set(values)) > 1:
            varied_columns.append(column)
    drawn_panels = set(all_panels) - set(empty_panels)
    unnamed = list(empty_panels)
    for column in varied_columns:
        drawn_values = {panel[column] for panel in drawn_panels}
        for value in dict.fromkeys(panel[column] for panel in unnamed):
            if value and value not in drawn_values:
                yield _short_name(value)
                unnamed = [panel for panel in unnamed if panel[column] != value]
    for panel in unnamed:
        varied_values = [panel[column] for column in varied_columns]
        yield ", ".join(map(_short_name, filter(None, varied_values)))


def _missing_reason(spec: FigureSpec, rows: pd.DataFrame) -> str:
    """Return the reason why a figure can't be drawn; else "".

    It needs `spec.needs` defined numbers, one of them of its main metric, the first one, if that
    has rows. The most frequent first part of the notes on this metric's undefined numbers follows.
    """
    of_main_metric = rows[rows["metric"] == spec.metrics[0]]
    is_defined, count = of_main_metric["value"].notna(), int(rows["value"].notna().sum())
    if count < spec.needs:
        needed = counted(spec.needs, "number")
        reason = f"Too little data: the figure needs {needed} and has {count or 'none'}."
    elif len(of_main_metric) and not is_defined.any():
        reason = f"Not drawn: its {len(of_main_metric)} numbers are undefined."
    else:
        return ""
    notes = of_main_metric.loc[~is_defined, "note"].str.split(";").str[0]
    counts = notes[notes != ""].value_counts()
    if not len(counts):
        return reason
    return f"{reason} Most frequent reason: {shortened(str(counts.index[0]), 200)}."


def _figure_groups(spec: FigureSpec, rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the title and the rows of each figure of a specification; none without rows.

    There is a figure for each combination of the values of `spec.by`, columns and parts of the
    condition. Rows of the model `spec.beside`, such as surveyed people, are in every figure. The
    filter `spec.keep` of conditions may leave out rows. The column `row`, the row's number on the
    page, becomes the index. Rows that the plot leaves out (`_DRAWN_ROWS`) are
    left out here, too.
    """
    select = _DRAWN_ROWS.get(spec.plot, pd.DataFrame.copy)
    rows = rows[rows["task"].isin((spec.task, *spec.tasks)) & rows["metric"].isin(spec.metrics)]
    if spec.keep is not None:
        rows = rows[list(map(spec.keep, conditions_of(rows)))]
    if rows.empty:
        return
    rows = with_parts(rows, [name for name in spec.by if name not in COLUMNS]).set_index("row")
    if not spec.by:
        yield spec.title, select(rows[COLUMNS])
        return
    shared = rows["model"] == spec.beside
    for values, group in rows[~shared].groupby(list(spec.by), sort=False):
        names = ", ".join(map(_short_name, filter(None, values)))
        title = f"{spec.title}: {names}" if names else spec.title
        yield title, select(pd.concat([group, rows[shared]])[COLUMNS])


_DRAWN_ROWS: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "coverage_of_models": rows_of_first_split,
    **dict.fromkeys(("coverage", "tunnel", "interval_score"), rows_of_drawn_splits),
    **dict.fromkeys(("consistency", "consistency_slices"), rows_of_drawn_modes),
}
"""By plot that draws one of several splits or modes: the function that selects its rows."""


def _drawn_intervals(spec: FigureSpec, rows: pd.DataFrame) -> str:
    """Return a sentence on how many numbers of a figure have their 95% interval drawn.

    It is empty if no number is of a metric whose intervals the figure shows (`spec.intervals`). If
    no number has an interval, the most frequent reason in their notes is given. Expected values of
    random choices (`baseline`), which are drawn as lines, do not count.
    """
    numbers = rows[rows["metric"].isin(spec.intervals) & rows["value"].notna()]
    numbers = numbers.loc[["baseline" not in parts for parts in conditions_of(numbers)]]
    if numbers.empty:
        return ""
    with_interval = numbers[numbers["ci_low"].notna()]
    is_wide = any(METRICS[metric].interval.is_wide for metric in with_interval["metric"].unique())
    wide_text = "; they are often wider than 95% needs" if is_wide else ""
    if len(with_interval) == len(numbers):
        return f"95% intervals are drawn{wide_text}."
    if len(with_interval):
        counts = f"{len(with_interval)} of {len(numbers)}"
        return f"95% intervals are drawn for {counts} numbers{wide_text}."
    reasons = numbers["note"].map(partial(reason_in, missing="no interval")).value_counts()
    reason = f": {reasons.index[0]}" if len(reasons) else ""
    return f"No 95% interval is drawn{reason}."


def _judgment_counts(spec: FigureSpec, figure_rows: pd.DataFrame, rows: pd.DataFrame) -> str:
    """Return a sentence with the number of judgments, and of those without an answer by status.

    It is empty if `rows`, the study's results and details, have no counts (`status_count`) of the
    figure's lines. A line is a model and variant, with the columns and parts of the condition by
    which figures are split (`spec.by`). A model drawn beside the others, such as surveyed people,
    is not counted.
    """
    # The keys of the figure's lines. One that is not split by data set counts the judgments of all.
    parts = [name for name in spec.by if name not in COLUMNS and name != "variant"]
    keys = ["model", "variant", *(["dataset"] if "dataset" in spec.by else []), *parts]
    model_rows = with_parts(figure_rows[figure_rows["model"] != spec.beside], ["variant", *parts])
    lines = set(model_rows[keys].astype(str).itertuples(index=False, name=None))
    # The counts of these lines, added up by status.
    is_count = rows["task"].isin((spec.task, *spec.tasks)) & (rows["metric"] == "status_count")
    count_rows = with_parts(rows[is_count], ["variant", *parts, "status"])
    in_figure = [_is_of_figure(row, keys, lines) for row in count_rows.to_dict("records")]
    counts = count_rows[np.array(in_figure, bool)].groupby("status", sort=False)["value"].sum()
    if counts.empty:
        return ""
    total = int(counts.sum())
    declined = int(counts.get("declined", 0))
    unread = counts[counts.index.isin(REPLY_STATUSES)]
    ungraded = counts[counts.index.isin(RUN_STATUSES | INSTRUMENT_STATUSES)]
    phrases = [f"{total:,} judgment{'' if total == 1 else 's'}"]
    if declined:
        phrases.append(f"{declined:,} declined")
    if len(ungraded):
        phrases.append(_describe_failures(ungraded, "without a reply or its grade"))
    phrases.append(_describe_failures(unread, "could not be read") if len(unread) else "all read")
    # A filter may drop judgments, such as those on other scales, which counts do not tell apart.
    extent = " in all settings of the task, drawn here or not" if spec.keep else ""
    return f"Asked{extent}: {', '.join(phrases)}."


def _describe_failures(counts: pd.Series, failure: str) -> str:
    """Return the number of failures by status, such as "3 could not be read (2 echo, 1 refusal)".

    `counts` has the number of judgments by status; `failure` says what failed. A single status has
    no number of its own.
    """
    statuses = ", ".join(f"{count:,.0f} {status}" for status, count in counts.items())
    if len(counts) == 1:
        statuses = str(counts.index[0])
    statuses = statuses.replace("_", " ")
    return f"{counts.sum():,.0f} {failure} ({statuses})"


def _short_name(name: object) -> str:
    return shortened(str(name), 60)


def _is_of_figure(row: Mapping[Any, Any], keys: Sequence[str], lines: set[tuple[str, ...]]) -> bool:
    """Return whether a count of judgments belongs to one of a figure's lines.

    Model and variant must be equal; another key must be equal unless it is empty in the count.
    `keys` are columns of the count's row: `model`, `variant`, and further ones; `lines` has the
    values of these columns in the lines of the figure.
    """
    model, variant, *values = (str(row[name]) for name in keys)
    for line_model, line_variant, *line_values in lines:
        if (line_model, line_variant) != (model, variant):
            continue
        pairs = zip(values, line_values, strict=True)
        if all(value in ("", line_value) for value, line_value in pairs):
            return True
    return False


def draw_figures(
    figures: Sequence[ReportFigure], workers: int, progress: Progress = iter
) -> dict[str, ReportFigure]:
    """Return the figures with their pictures, by name, drawn by at most this number of processes.

    Few figures are drawn in this process, because others take two seconds to start.
    """
    processes = workers if len(figures) > _MAX_SERIAL else 1
    arguments = [(figure,) for figure in figures]
    pictures = run_tasks(_draw_figure, arguments, processes, progress)
    return {figure.name: figure for figure in pictures}


def _draw_figure(figure: ReportFigure) -> ReportFigure:
    """Draw a figure, and write its files, unless it lacks data or its plot refuses the rows."""
    if figure.reason:
        return figure
    try:
        with in_order(figure.models):  # each model has one colour in all figures
            picture = getattr(plots, figure.plot)(figure.rows)
    except InvalidArgument as error:
        return replace(figure, reason=str(error))
    with plots.style():
        # The layout is computed once for all files; without dates, equal rows give equal files.
        if engine := picture.get_layout_engine():
            engine.execute(picture)
        picture.set_layout_engine("none")
        for ending in figure.formats:
            undated = {"CreationDate": None} if ending == "pdf" else None
            content = BytesIO()
            picture.savefig(content, format=ending, dpi=_PIXELS_PER_INCH, metadata=undated)
            put(figure.file(ending), content.getvalue())
        text = StringIO()
        picture.savefig(text, format="svg", metadata={"Date": None})
    put(figure.file("svg"), text.getvalue())
    svg = inline(text.getvalue(), figure.name, figure.title)
    return replace(figure, svg=svg, n_panels=len(picture.axes))


def list_figure_files(directory: Path) -> list[Path]:
    """Return the files of the figures in a report's folder, such as those of an earlier report.

    The list is empty if this package did not write the page in the folder, and has only files
    whose names are those of a study's figures: the others may be the user's.
    """
    try:
        with (directory / PAGE).open(encoding="utf-8", errors="replace") as page:
            if _GENERATOR not in page.read(_HEAD_CHARACTERS):
                return []
        files = list((directory / FIGURES).iterdir())
    except OSError:
        return []
    names: list[str] = []
    for study in all_studies():
        names += [f"{spec.task}-{spec.plot}".replace("_", "-") for spec in study.figures]
    pattern = re.compile(rf"(?:{'|'.join(names)})-\d+\.(?:svg|png|pdf|csv)")
    return [file for file in files if pattern.fullmatch(file.name)]


def format_ranges(rows: Sequence[int]) -> str:
    """Return row numbers as ranges.

    Example:
        >>> format_ranges([3, 4, 5, 9])
        '3-5 9'
    """
    ranges: list[list[int]] = []
    for row in sorted(rows):
        if ranges and row == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], row]
        else:
            ranges.append([row])
    return " ".join("-".join(map(str, ends)) for ends in ranges)
