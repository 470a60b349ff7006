"""Dots with their intervals beside names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from inspect_confidence.plots.layout import (
    arms,
    draw_legend,
    grid,
    label_height,
    label_lines,
    name_axes,
    tick_labels,
    tick_width,
)
from inspect_confidence.plots.style import FAINT, PAPER, WIDTH, mark
from inspect_confidence.plots.text import kept

_COLUMNS = 2
_MOST = 40
_LINES = 8


@dataclass(frozen=True)
class Panel:
    """What stands on one pair of axes: a row a name, one series or several.

    Attributes:
        title: Above it.
        label: Of the axis of values.
        series: Rows with `name`, `value`, `ci_low`, `ci_high` and perhaps `filled`, by their label;
            one whose label is empty stays out of the legend.
        reference: Where a line is drawn; panels with the same one share their axis of values.
        within: What the axis holds at least.
    """

    title: str
    label: str
    series: Sequence[tuple[str, pd.DataFrame]]
    reference: float
    within: tuple[float, float] | None = None


def dots(panels: Sequence[Panel], names: Sequence[str], what: str, most: int = _MOST) -> Figure:
    """Panels, at most two beside each other, values along x, the names in rows.

    Args:
        panels: At least one.
        names: In their order, from the top.
        what: What they are: said where some are left out.
        most: How many are shown.
    """
    shown, remark = kept(names, most, what)
    named = tick_labels(shown)
    columns, ticks = min(_COLUMNS, len(panels)), tick_width(named)
    below = {panel.label for panel in panels}
    # What is the same below all panels stands once, at the foot.
    common = below.pop() if len(below) == 1 else ""
    room = (WIDTH - ticks) / columns - 0.3
    labels = [[] if common else label_lines(panel.label, room) for panel in panels]
    legend = [label for label, _ in panels[0].series if label]
    series = max(len(panel.series) for panel in panels)
    figure, axes = grid(
        [panel.title for panel in panels],
        columns=columns,
        height=len(shown) * (0.13 + 0.06 * series) + 0.05,
        shared="values",
        legend=legend,
        ticks=ticks,
        beneath=[remark, *[""] * (len(panels) - 1)],
        below=None if common else label_height(max(map(len, labels))),
        most=_LINES,
    )
    for ax, panel, label in zip(axes, panels, labels, strict=True):
        _draw(ax, panel, shown)
        ax.set_xlabel("\n".join(label))
    axes[0].set_yticks(range(len(shown)), named)
    axes[0].set_ylim(len(shown) - 0.4, -0.6)
    _scale(panels, axes, 5 if columns == 1 else 3)
    draw_legend(figure, axes[0].get_legend_handles_labels()[0], legend)
    name_axes(figure, common, "", shared="values")
    return figure


def _scale(panels: Sequence[Panel], axes: Sequence[Axes], ticks: int) -> None:
    """The axes of values: the same where the reference is."""
    first: dict[float, Axes] = {}
    for ax, panel in zip(axes, panels, strict=False):
        if first.setdefault(panel.reference, ax) is not ax:
            ax.sharex(first[panel.reference])
    for ax, panel in zip(axes, panels, strict=False):
        if first[panel.reference] is ax:
            ax.autoscale(axis="x")
            low, high = ax.get_xlim()
            if panel.within:
                ax.set_xlim(min(low, panel.within[0]), max(high, panel.within[1]))
            ax.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 2.5, 5, 10]))


def _draw(ax: Axes, panel: Panel, names: Sequence[str]) -> None:
    ax.axvline(panel.reference, color=FAINT, linewidth=1, linestyle="--")
    where = {name: place for place, name in enumerate(names)}
    for i, (label, some) in enumerate(panel.series):
        mine = some[some["name"].isin(where)].drop_duplicates("name")
        shift = 0.5 * ((i + 0.5) / len(panel.series) - 0.5)
        y = mine["name"].map(where).to_numpy(float) + shift
        value = mine["value"].to_numpy(float)
        look: dict[str, Any] = {**mark(i), "linestyle": "none", "markersize": 4.5}
        ax.errorbar(value, y, xerr=arms(mine), elinewidth=1, **look | {"marker": "None"})
        filled = mine["filled"].to_numpy(bool) if "filled" in mine else np.ones(len(mine), bool)
        ax.plot(value[~filled], y[~filled], markerfacecolor=PAPER, **look)
        ax.plot(value[filled], y[filled], label=label or None, **look)
