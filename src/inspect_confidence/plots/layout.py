"""Many small panels in one figure of one column's width."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.style import FAINT, WIDTH
from inspect_confidence.plots.text import inches_of, lines_of, wrapped
from inspect_confidence.printing import shortened
from inspect_confidence.results import conditions_of, with_parts

PlottedT = TypeVar("PlottedT")


def select_rows(
    rows: pd.DataFrame,
    task: str | Sequence[str],
    metrics: Sequence[str],
    parts: Sequence[str],
    excluded_parts: Collection[str] = (),
) -> pd.DataFrame:
    """Return the rows of one or several tasks that have a value of one of the metrics.

    `parts` of the condition become columns, beside `variant`; a column is empty in rows without the
    part. Rows whose condition has one of the parts in `excluded_parts` are left out.

    Raises:
        InvalidArgument: No such row has a value; an infinite value counts.
    """
    tasks = [task] if isinstance(task, str) else list(task)
    matching = rows[rows["task"].isin(tasks) & rows["metric"].isin(metrics)]
    matching = matching[matching["value"].notna()]
    if excluded_parts:
        conditions = conditions_of(matching)
        matching = matching.loc[
            [condition.keys().isdisjoint(excluded_parts) for condition in conditions]
        ]
    if matching.empty:
        raise InvalidArgument(
            f"There is nothing to draw: no row of {' or '.join(tasks)} has a value of "
            f"{', '.join(metrics)}. Give the frame that `summarize` or `detail` makes."
        )
    return with_parts(matching, ["variant", *parts])


def select_against(
    rows: pd.DataFrame, task: str | Sequence[str], metric: str, x: str, parts: Sequence[str]
) -> pd.DataFrame:
    """Return the rows of one metric, with the value of another metric in the column `x`.

    `metric` and `x` are names of metrics; both values are of the same task, model, data set and
    condition. `x_ci_low` and `x_ci_high` are the ends of the interval of `x`. Rows that lack either
    value are left out; `parts` are as for `select_rows`.
    """
    key = ["task", "model", "dataset", "condition"]
    selected = select_rows(rows, task, [metric], parts)
    abscissas = select_rows(rows, task, [x], parts=[])
    x_columns = {"value": "x", "ci_low": "x_ci_low", "ci_high": "x_ci_high"}
    return selected.merge(abscissas[[*key, *x_columns]].rename(columns=x_columns), on=key)


def panels(
    rows: pd.DataFrame,
    columns: Sequence[str],
    *,
    always_in_title: Sequence[str] = (),
    title_of_one: bool = True,
    value_text: Callable[[str, str], str] = lambda _, value: shortened(value),
    separator: str = "\n",
) -> list[tuple[str, pd.DataFrame]]:
    """Return a title and the rows of each combination of the columns' values.

    Args:
        rows: As `select_rows` gives them.
        columns: Columns in the order in which titles name them. A column with one value in all
            rows is left out; if nothing varies, titles name the first column.
        always_in_title: Columns that each title names.
        title_of_one: Whether a single panel has a title; otherwise its title is empty.
        value_text: Function that returns the text of a column's value, given the column's name and
            the value; an empty text is left out of the title.
        separator: Separator between the parts of a title.
    """
    varied = [name for name in columns if name in always_in_title or rows[name].nunique() > 1]
    titled_panels = []
    for values, panel_rows in rows.groupby(list(columns), sort=False):
        values_by_column = dict(zip(columns, map(str, values), strict=True))
        texts = (value_text(name, values_by_column[name]) for name in varied or columns[:1])
        titled_panels.append((separator.join(filter(None, texts)), panel_rows))
    if title_of_one or len(titled_panels) > 1:
        return titled_panels
    return [("", panel_rows) for _, panel_rows in titled_panels]


def with_counts(
    titled: Iterable[tuple[str, pd.DataFrame]], *, combine_n: Callable[["pd.Series[int]"], int]
) -> list[tuple[str, pd.DataFrame]]:
    """Return titled panels with a sample size in each title, such as `gpt-4o (n = 1,200)`.

    `combine_n` computes it from the column `n` of the panel's rows: `max`, if each row rests on all
    judgments, or `sum`, if rows are parts.
    """
    counted = []
    for title, panel_rows in titled:
        counted.append((f"{title} (n = {combine_n(panel_rows['n']):,})", panel_rows))
    return counted


def with_both_intervals(ax: Axes, rows: pd.DataFrame, **look: Any) -> None:
    """Draw points at the columns `x` and `value`, with the 95% intervals of both.

    `x_ci_low` and `x_ci_high` are the ends of the interval of `x`; `look` are arguments of
    matplotlib's `errorbar`.
    """
    across = rows[["x", "x_ci_low", "x_ci_high"]].set_axis(["value", "ci_low", "ci_high"], axis=1)
    ax.errorbar(
        rows["x"],
        rows["value"],
        xerr=interval_lengths(across),
        yerr=interval_lengths(rows),
        linestyle="none",
        **look,
    )


def interval_lengths(rows: pd.DataFrame, beyond: float = 0) -> np.ndarray:
    """Return how far each interval reaches below and above its finite value, of shape (2, rows).

    The length is 0 for a missing end. It is also 0 for an end on the wrong side of the value: an
    interval that is limited to a range may leave out its value. `beyond` is the length for an
    infinite end.
    """
    value, low, high = rows[["value", "ci_low", "ci_high"]].to_numpy(float).T
    lengths: np.ndarray = np.nan_to_num([value - low, high - value], posinf=beyond)
    return lengths.clip(min=0)


def with_intervals(ax: Axes, x: "pd.Series[float]", rows: pd.DataFrame, **look: object) -> None:
    """Draw points with their 95% intervals; a point without an interval has no bar.

    `x` is the position of each row; `look` are arguments of matplotlib's `errorbar`. Points whose
    value is not finite are not drawn.
    """
    finite = np.isfinite(rows["value"].to_numpy(float))
    ax.errorbar(
        np.asarray(x, float)[finite],
        rows["value"].to_numpy(float)[finite],
        yerr=interval_lengths(rows[finite]),
        **{"capsize": 2.5, "elinewidth": 1, **look},  # type: ignore[arg-type]
    )


def share_ticks(ax: Axes, *names: Literal["x", "y"]) -> None:
    """Set the ticks of an axis of shares: one at every quarter, a number at every second one."""
    for name in names:
        ax.set(**{f"{name}ticks": [0, 0.25, 0.5, 0.75, 1]})
        ax.set(**{f"{name}ticklabels": ["0", "", "0.5", "", "1"]})


_LEGEND_SIZE = 9.0  # points
_EM_INCHES = _LEGEND_SIZE / 72
_HANDLE, _PAD, _BETWEEN, _LEGEND_EDGE = 2.4, 0.6, 1.2, 0.4  # in ems, as matplotlib has them
_LEGEND_ROW = 0.2  # inches
_TITLE, _LABEL, _TICK, _REMARK = 10.0, 9.5, 9.0, 8.5  # points
_LINE_HEIGHTS = {_TITLE: 0.18, _LABEL: 0.17, _REMARK: 0.16}  # inches a line
_RIGHT, _FOOT, _HEAD = 0.12, 0.5, 0.06  # inches; the foot with one line
_EDGE = 0.04
_OVERHANG = 0.08  # inches by which text above a panel may be wider than the panel
_TICK_SPACE = 0.1  # inches of a tick and the space to its label
_TICK_ROW = 0.26  # inches that tick labels take between a panel and the next
_PANEL_HEIGHTS = {1: 2.3, 2: 1.6, 3: 1.45, 4: 1.45}  # inches, by number of panels
_PANEL_HEIGHT = 1.2  # inches, if there are more panels
_MOST_NAME_CHARACTERS, _NAME_WIDTH = 20, 1.45  # characters and inches of a name beside an axis
_MOST_REMARK_LINES = 9  # lines of a remark beneath a title

Shared = Literal["both", "values", "none"]


def facets(
    titled_panels: Sequence[tuple[str, PlottedT]],
    draw: Callable[[Axes, PlottedT], object],
    x: str,
    y: str,
    *,
    columns: int = 2,
    panel_inches: float | Sequence[float] | None = None,
    shared: Shared = "both",
    legend: Sequence[str] = (),
    handles: Callable[[list[Axes]], Sequence[Any]] | None = None,
    looks: Iterable[Mapping[str, Any]] = (),
    tick_inches: float = 0.3,
    least_tick_inches: float = 0,
    remarks: Sequence[str] | Callable[[PlottedT], str] = (),
    inches_below: float | None = None,
    most_lines: int = 2,
    finish: Callable[[list[Axes]], object] = list,
) -> Figure:
    """Draw a figure with one panel for each title.

    With `shared="both"` panels share both axes, with "values" the vertical axis, with "none" no
    axis. If panels share an axis, only the outer panels have its tick labels; with "none" titles
    begin above the tick labels. The name of each axis occurs once, `x` at the foot and `y` at the
    left.

    The margins are set in inches, by the known sizes of labels: matplotlib's own layout measures
    labels, which makes saving a figure of 39 panels two to three times as long.

    Args:
        titled_panels: Title of each panel, at least one, and its content: what `draw` takes.
        draw: Function that draws a panel's content on its axes; it is called once for each panel.
        x: Name of the horizontal axes.
        y: Name of the vertical axes.
        columns: Maximum number of panels side by side.
        panel_inches: Height in inches of a panel, or of each row of panels.
        shared: Axes that panels share.
        legend: Names in the legend. Its marks are `looks` if there are any, else `handles`, else
            the drawn artists with these labels.
        handles: Function that returns the artists of the legend, given all axes, once drawn.
        looks: Arguments of matplotlib's `Line2D` for the mark of each name in the legend.
        tick_inches: Expected width in inches of tick labels of the vertical axis.
        least_tick_inches: Minimum width in inches kept free for these labels.
        remarks: Remark in faint type between each title and its panel, or a function that returns
            the remark on a content.
        inches_below: Inches that labels take below each panel; None for those of usual tick labels.
        most_lines: Maximum number of lines for each line of a title.
        finish: Function that adjusts all axes after they are drawn; `list` changes nothing.
    """
    n_panels = len(titled_panels)
    n_columns = min(columns, n_panels)
    panel_width = _panel_width(
        _left_margin(tick_inches, 1), n_columns, _panel_gap(shared, tick_inches)
    )
    # Without shared axes each panel has tick labels. Its title begins above them, up to 0.3 inches
    # left of the panel.
    title_shift = 0 if shared != "none" else min(tick_inches, 0.3)
    headings = _headings(titled_panels, remarks, panel_width + _OVERHANG, title_shift, most_lines)

    # Margins: each row of panels has below it tick labels, and the headings of the next row.
    head_height = max(heading.height for heading in headings)
    space_below = 0.1 if shared == "both" else _TICK_ROW
    if inches_below is not None:
        space_below = inches_below
    heights = _Heights(
        top=_legend_height(legend) + _HEAD + head_height,
        panels=panel_inches or _PANEL_HEIGHTS.get(n_panels, _PANEL_HEIGHT),
        between_rows=head_height + space_below,
        foot=_FOOT if inches_below is None else inches_below + _EDGE,
    )

    figure, axes = _panel_grid(n_panels, n_columns, heights, shared)
    for k, (ax, heading) in enumerate(zip(axes, headings, strict=True)):
        heading.write(ax, title_x=-title_shift / panel_width)
        # The lowest panel of each column, also where the last row has fewer panels than columns.
        if shared == "both" and k + n_columns >= n_panels:
            ax.tick_params(labelbottom=True)
        _, content = titled_panels[k]
        draw(ax, content)
    finish(axes)
    if legend:
        artists: list[Any] = [Line2D([], [], **look) for look in looks]
        if handles and not artists:
            artists = list(handles(axes))
        _draw_legend(figure, artists or _labelled_artists(axes, legend), legend)
    _name_axes(figure, x, y=y, shared=shared, least_tick_inches=least_tick_inches)
    return figure


@dataclass(frozen=True)
class _Heading:
    """Lines of text above a panel: its title, and between title and panel a remark."""

    title: list[str]
    remark: list[str]

    @property
    def title_pad(self) -> float:
        """Points between the panel and its title, where the remark stands."""
        lines = len(self.remark)
        return 4 + 72 * _LINE_HEIGHTS[_REMARK] * lines + (2 if lines else 0)

    @property
    def height(self) -> float:
        """Inches that the heading takes above the panel."""
        return _LINE_HEIGHTS[_TITLE] * len(self.title) + self.title_pad / 72 + 0.02

    def write(self, ax: Axes, title_x: float) -> None:
        """Write the heading above its panel; the title begins at `title_x` in panel widths."""
        ax.set_title("\n".join(self.title), linespacing=1.1, pad=self.title_pad, x=title_x)
        if self.remark:
            small: dict[str, Any] = {"color": FAINT, "fontsize": _REMARK, "linespacing": 1.15}
            # At the panel's upper left corner, four points above it.
            anchor: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
            ax.annotate("\n".join(self.remark), (0, 1), (0, 4), va="bottom", **anchor, **small)


def _headings(
    titled_panels: Sequence[tuple[str, PlottedT]],
    remarks: Sequence[str] | Callable[[PlottedT], str],
    inches: float,
    title_shift: float,
    most_lines: int,
) -> list[_Heading]:
    """Return each panel's heading; remarks are at most `inches` wide, titles `title_shift` more.

    `remarks` are one for each panel, none, or a function that returns the remark on a panel's
    content. Each line of a title is broken into at most `most_lines` lines.
    """
    headings = []
    for k, (title, content) in enumerate(titled_panels):
        remark = ""
        if callable(remarks):
            remark = remarks(content)
        elif remarks:
            remark = remarks[k]
        title_lines = lines_of(title, inches + title_shift, _TITLE, most_lines)
        remark_lines = lines_of(remark, inches, _REMARK, _MOST_REMARK_LINES)
        headings.append(_Heading(title_lines, remark_lines))
    return headings


@dataclass(frozen=True)
class _Heights:
    """Heights in inches of the parts of a figure, from the top down."""

    top: float  # the legend, and the headings of the first row of panels
    panels: float | Sequence[float]  # each panel, or each row of panels
    between_rows: float  # tick labels of a row, and headings of the next
    foot: float  # tick labels of the last row, and the name of the axis


def _panel_grid(
    n_panels: int, n_columns: int, heights: _Heights, shared: Shared
) -> tuple[Figure, list[Axes]]:
    """Return a figure with empty panels in rows of `n_columns`, and its panels row by row.

    `heights` are the inches above the rows of panels, of a row (`panels`: one number, or one for
    each row), between the rows and below them. Panels fill the rows; places left over stay empty.
    """
    n_rows = math.ceil(n_panels / n_columns)
    mean_height = float(np.mean(heights.panels))
    gaps = (n_rows - 1) * heights.between_rows
    figure_height = heights.top + n_rows * mean_height + gaps + heights.foot
    figure = Figure(figsize=(WIDTH, figure_height))
    grid = figure.subplots(
        n_rows,
        n_columns,
        squeeze=False,
        sharex=shared == "both",
        sharey=shared != "none",
        height_ratios=None if isinstance(heights.panels, float | int) else heights.panels,
    )
    bottom, top = heights.foot / figure_height, 1 - heights.top / figure_height
    figure.subplots_adjust(bottom=bottom, top=top, hspace=heights.between_rows / mean_height)
    for unused in grid.flat[n_panels:]:
        unused.remove()
    return figure, list(grid.flat[:n_panels])


def _labelled_artists(axes: Iterable[Axes], labels: Iterable[str]) -> list[Any]:
    """Return an artist with each label, the last one that was drawn; None if none has the label."""
    artist_by_label: dict[object, Any] = {}
    for ax in axes:
        artists: list[Any] = [*ax.lines, *ax.containers, *ax.collections]
        for artist in artists:
            artist_by_label[artist.get_label()] = artist
    return list(map(artist_by_label.get, labels))


def _legend_height(names: Sequence[str]) -> float:
    """Return the height in inches of a legend with these names; 0 without any."""
    if not names:
        return 0.0
    rows = math.ceil(len(names) / _legend_columns(_fitted_names(names)))
    return _LEGEND_ROW * rows + 0.06


def _draw_legend(figure: Figure, handles: Iterable[Any], names: Sequence[str]) -> None:
    """Draw the legend, at the upper left of the figure."""
    fitted = _fitted_names(names)
    figure.legend(
        list(handles),
        fitted,
        loc="upper left",
        ncols=_legend_columns(fitted),
        handlelength=_HANDLE,
        handletextpad=_PAD,
        columnspacing=_BETWEEN,
        borderaxespad=_LEGEND_EDGE,
        borderpad=0,
    )


def _fitted_names(names: Sequence[str]) -> list[str]:
    """Return the names of a legend; a name wider than the figure loses its middle."""
    room = WIDTH - _EM_INCHES * (_HANDLE + _PAD + 2 * _LEGEND_EDGE)
    return [wrapped(name, room, _LEGEND_SIZE, limit=1)[0] for name in names]


def _legend_columns(names: Sequence[str]) -> int:
    """Return the largest number of columns with which a legend of names fits the figure's width.

    Matplotlib fills column by column; each column is as wide as the longest of its names.
    """
    for count in range(len(names), 1, -1):
        width_of_names = 0.0
        for column in np.array_split(np.array(names), count):
            width_of_names += max(inches_of(str(name), _LEGEND_SIZE) for name in column)
        width = count * (_HANDLE + _PAD + _BETWEEN) - _BETWEEN + 2 * _LEGEND_EDGE  # in ems
        if width_of_names + _EM_INCHES * width <= WIDTH:
            return count
    return 1


def _name_axes(figure: Figure, x: str, y: str, shared: Shared, least_tick_inches: float) -> None:
    """Write the names of the axes at the foot and at the left, and set the margins for them.

    This comes after the panels are drawn, since only then the tick labels are known. The figure
    becomes higher if the name `x` needs several lines; panels keep their heights. The left margin
    becomes as wide as the name `y` and the tick labels need, which have at least
    `least_tick_inches` inches.
    """
    axes, margins = figure.axes, figure.subplotpars
    tick_inches = max(least_tick_inches, *(map(_widest_tick, axes)))

    # Heights in inches: the foot, below the panels, grows with the lines of `x`.
    old_height = float(figure.get_figheight())
    x_lines = lines_of(x, WIDTH - 2 * _EDGE, _LABEL)
    old_foot = foot = margins.bottom * old_height
    if x_lines:
        foot = _FOOT + _LINE_HEIGHTS[_LABEL] * (len(x_lines) - 1)
    new_height = old_height + foot - old_foot

    # Widths in inches: the left margin grows with the lines of `y`, and panels become narrower.
    y_lines = lines_of(y, new_height - 2 * _EDGE, _LABEL)
    left_edge = _left_margin(tick_inches, len(y_lines))
    n_columns = len({ax.get_position().x0 for ax in axes})
    gap = _panel_gap(shared, tick_inches)
    panel_width = _panel_width(left_edge, n_columns, gap)

    # Matplotlib takes margins as shares of the figure, and gaps as shares of a panel.
    figure.set_figheight(new_height)
    bottom, top = foot / new_height, 1 - (1 - margins.top) * old_height / new_height
    left, right, wspace = left_edge / WIDTH, 1 - _RIGHT / WIDTH, gap / panel_width
    figure.subplots_adjust(left=left, right=right, bottom=bottom, top=top, wspace=wspace)

    # Each name is centred beside the panels, or moved so that it stays within the figure.
    if x_lines:
        x_centre = _centre_within((left_edge + WIDTH - _RIGHT) / 2, x_lines, WIDTH) / WIDTH
        figure.text(x_centre, _EDGE / new_height, "\n".join(x_lines), ha="center", va="bottom")
    if y_lines:
        y_centre = _centre_within((bottom + top) / 2 * new_height, y_lines, new_height) / new_height
        words = "\n".join(y_lines)
        figure.text(
            _EDGE / WIDTH, y_centre, words, ha="left", va="center", ma="center", rotation=90
        )


def _left_margin(tick_inches: float, lines: int) -> float:
    """Return the inches left of the panels: tick labels of `tick_inches`, and lines of a name."""
    return _EDGE + _LINE_HEIGHTS[_LABEL] * lines + 0.05 + tick_inches + _TICK_SPACE


def _panel_width(left_margin: float, n_columns: int, gap: float) -> float:
    """Return the width in inches of each panel, if `n_columns` are side by side with gaps."""
    return (WIDTH - left_margin - _RIGHT - (n_columns - 1) * gap) / n_columns


def _panel_gap(shared: Shared, tick_inches: float) -> float:
    """Return the inches between panels side by side."""
    return {"both": 0.14, "values": 0.3, "none": tick_inches + _TICK_SPACE + 0.08}[shared]


def _widest_tick(ax: Axes) -> float:
    """Return the width in inches of the widest label of the vertical axis."""
    formatter = ax.yaxis.get_major_formatter()
    return tick_width(formatter.format_ticks(list(ax.yaxis.get_majorticklocs())))


def _centre_within(position: float, lines: Sequence[str], inches: float) -> float:
    """Return `position`, moved so that a label centred on it lies between 0 and `inches`."""
    half = max(inches_of(line, _LABEL) for line in lines) / 2 + _EDGE
    return min(max(position, half), inches - half) if 2 * half < inches else inches / 2


def label_height(lines: int) -> float:
    """Return the inches below a panel for tick labels and `lines` lines of its own label."""
    return _TICK_ROW + _LINE_HEIGHTS[_LABEL] * lines


def label_lines(text: str, inches: float) -> list[str]:
    """Return the lines of an axis' label that is `inches` long at most."""
    return lines_of(text, inches, _LABEL, limit=3)


def tick_labels(names: Iterable[str]) -> list[str]:
    """Return names as labels of an axis.

    A name that is too long loses its part up to the last slash, as a model's provider. What is then
    still too long, or too wide for one line, loses its middle.
    """
    labels = []
    for name in names:
        own_name = name.rpartition("/")[2] if len(name) > _MOST_NAME_CHARACTERS else name
        label = shortened(own_name, _MOST_NAME_CHARACTERS)
        labels.append(wrapped(label, _NAME_WIDTH, _TICK, limit=1)[0])
    return labels


def tick_width(labels: Iterable[str]) -> float:
    """Return the width of the widest label in inches."""
    return max((inches_of(label, _TICK) for label in labels), default=0.0)
