"""Dots with their intervals beside names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.plots.layout import (
    facets,
    interval_lengths,
    label_height,
    label_lines,
    tick_labels,
    tick_width,
)
from inspect_confidence.plots.style import DASHED, PAPER, WIDTH, mark, mark_of
from inspect_confidence.plots.text import first_names

_ROW_HEIGHT = 0.19  # inches of a name's row with one series
_FEW_NAMES = 6
"""Number of names up to which rows of several series are higher, so that they stand apart."""
_SPREAD = 0.7  # share of a row's height over which its series are spread


@dataclass(frozen=True)
class Panel:
    """Content of one panel: a row for each name, with one or several series.

    Attributes:
        label: Label of the axis of values.
        series: Rows with `name`, `value`, `ci_low`, `ci_high` and perhaps `filled`, by their label;
            a series with an empty label is not in the legend.
        reference: Value at which a line is drawn, if any; panels with the same reference, or with
            none, share their axis of values.
        within: Lowest and highest value that the axis contains at least.
        models: Model of each series, if each series has one; it sets colour and marker.
        names_are_models: Whether the names of a single series set its colours and markers.
    """

    title: str
    label: str
    series: Sequence[tuple[str, pd.DataFrame]]
    reference: float | None
    within: tuple[float, float] | None = None
    models: Sequence[str] = ()
    names_are_models: bool = False


def series_by(
    rows: pd.DataFrame, column: str, labels: Mapping[str, str]
) -> list[tuple[str, pd.DataFrame]]:
    """Return a series of a panel, its label and rows, for each value of a column in `labels`.

    A value that does not occur has a series without rows.
    """
    return [(label, rows[rows[column] == value]) for value, label in labels.items()]


def dots(panels: Sequence[Panel], names: Sequence[str], noun: str, most_names: int = 40) -> Figure:
    """Draw panels, at most two side by side, with values along x and the same names in rows.

    `names` go from top to bottom. Only the first `most_names` are shown, with a remark on the
    number left out, for which `noun` is the plural noun. `InvalidArgument` is raised without a
    panel.
    """
    if not panels:
        raise InvalidArgument("There is nothing to draw: no row has a value.")
    shown_names, remark = first_names(names, most_names, noun)
    name_labels = tick_labels(shown_names)
    columns, tick_inches = min(2, len(panels)), tick_width(name_labels)
    most_ticks = 5 if columns == 1 else 3
    axis_labels = {panel.label for panel in panels}
    # A label that all panels share is written once, at the foot.
    common_label = panels[0].label if len(axis_labels) == 1 else ""
    room = (WIDTH - tick_inches) / columns - 0.3  # inches for the label of an axis
    inches_below = None  # as for tick labels alone
    if not common_label:
        inches_below = label_height(max(len(label_lines(label, room)) for label in axis_labels))
    # A row has room for its name, and more for the marks of many series below each other.
    series = max(len(panel.series) for panel in panels)
    row_height = max(_ROW_HEIGHT, 0.1 + 0.05 * series)
    if len(shown_names) <= _FEW_NAMES and series > 1:
        row_height *= 1.5
    return facets(
        [(panel.title, panel) for panel in panels],
        partial(_draw_panel, names=shown_names, label_room=None if common_label else room),
        x=common_label,
        y="",
        columns=columns,
        panel_inches=len(shown_names) * row_height + 0.05,
        shared="values",
        legend=[label for label, _ in panels[0].series if label],
        tick_inches=tick_inches,
        remarks=[remark, *[""] * (len(panels) - 1)],
        inches_below=inches_below,
        most_lines=8,
        finish=partial(_set_axes, panels=panels, labels=name_labels, most_ticks=most_ticks),
    )


def _set_axes(
    axes: Sequence[Axes], panels: Sequence[Panel], labels: Sequence[str], most_ticks: int
) -> None:
    """Label the rows of drawn panels, and let panels with the same reference share their x axis.

    `axes` are those of `panels`; `labels` are the rows' names, which all panels share. The
    reference is the value at which a panel has a line, None if it has none. A shared axis also
    contains the limits `within` of its first panel.
    """
    axes[0].set_yticks(range(len(labels)), labels)
    axes[0].set_ylim(len(labels) - 0.4, -0.6)
    first_by_reference: dict[float | None, Axes] = {}
    for ax, panel in zip(axes, panels, strict=True):
        first = first_by_reference.setdefault(panel.reference, ax)
        if first is not ax:
            ax.sharex(first)
    for reference, ax in first_by_reference.items():
        ax.autoscale(axis="x")
        limits = next(panel.within for panel in panels if panel.reference == reference)
        low, high = ax.get_xlim()
        if limits:
            ax.set_xlim(min(low, limits[0]), max(high, limits[1]))
        ax.xaxis.set_major_locator(MaxNLocator(most_ticks, steps=[1, 2, 2.5, 5, 10]))


def _draw_panel(ax: Axes, panel: Panel, names: Sequence[str], label_room: float | None) -> None:
    """Draw each series of a panel at the heights of the names; rows of other names are left out.

    `label_room` is the length in inches for the label of the axis of values; None if all panels
    share a label, which stands at the foot of the figure. If names are models and there is one
    series, each name has the look of its model; otherwise each series has one look.
    """
    if label_room is not None:
        ax.set_xlabel("\n".join(label_lines(panel.label, label_room)))
    if panel.reference is not None:
        ax.axvline(panel.reference, **DASHED)
    places = {name: place for place, name in enumerate(names)}
    for i, (label, rows) in enumerate(panel.series):
        shown_rows = rows[rows["name"].isin(places)].drop_duplicates("name")
        shift = _SPREAD * ((i + 0.5) / len(panel.series) - 0.5)
        y = np.asarray(shown_rows["name"].map(places), np.float64) + shift
        if panel.names_are_models and len(panel.series) == 1:
            for k, name in enumerate(shown_rows["name"]):
                row = slice(k, k + 1)
                _draw_series(ax, shown_rows[row], y[row], label="", series_look=mark_of(name, k))
        else:
            look = mark_of(panel.models[i], i) if panel.models else mark(i)
            _draw_series(ax, shown_rows, y=y, label=label, series_look=look)


def _draw_series(
    ax: Axes, rows: pd.DataFrame, y: FloatArray, label: str, series_look: Mapping[str, Any]
) -> None:
    """Draw the values of rows at heights `y`, with intervals; marks not `filled` are hollow.

    Without a column `filled` all marks are filled. The legend has `label`, if any, with a filled
    mark.
    """
    value = rows["value"].to_numpy(float)
    look: dict[str, Any] = {**series_look, "linestyle": "none", "markersize": 4.5}
    ax.errorbar(value, y, xerr=interval_lengths(rows), elinewidth=1, **look | {"marker": "None"})
    filled = rows["filled"].to_numpy(bool) if "filled" in rows else np.ones(len(rows), bool)
    ax.plot(value[~filled], y[~filled], markerfacecolor=PAPER, **look)
    ax.plot(value[filled], y[filled], label=label or None, **look)
