"""Dots with their intervals beside names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from inspect_confidence.plots.style import FAINT, MARKERS, PAPER, SERIES, WIDTH, canvas, shortened
from inspect_confidence.plots.text import LINE, folded, kept, legend

_COLUMNS = 2
_MOST = 40
_LONGEST = 18
_SPACES = {1: 2.3, 2: 1.3}
"""Inches that a panel's title has, by how many panels stand beside each other."""


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
    columns = min(_COLUMNS, len(panels))
    below = {panel.label for panel in panels}
    # What is the same below all panels stands once, at the foot.
    foot = (below.pop() if len(below) == 1 else "") + remark
    titles = [folded(panel.title, _SPACES[columns]) for panel in panels]
    labels = [folded(panel.label, _SPACES[columns]) if below else "" for panel in panels]
    figure, axes = canvas(
        -(-len(panels) // columns),
        columns,
        width=WIDTH,
        height=_height(panels, len(shown), columns, [titles, labels], foot),
    )
    for ax in axes[len(panels) :]:
        ax.remove()
    for place, (ax, panel) in enumerate(zip(axes, panels, strict=False)):
        _draw(ax, panel, shown)
        named = [shortened(name, _LONGEST) for name in shown] if place % columns == 0 else []
        ax.set_yticks(range(len(shown)), named or [""] * len(shown))
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.set(title=titles[place], xlabel=labels[place])
    _scale(panels, axes, 5 if columns == 1 else 3)
    if len(panels) == 1:
        axes[0].set_xlabel(foot)
    elif foot:
        figure.supxlabel(foot.strip(), x=0.65, fontsize=9.5)  # below the middle of the axes
    handles, said = axes[0].get_legend_handles_labels()
    legend(figure, dict(zip(said, handles, strict=True)), "upper")
    return figure


def _height(
    panels: Sequence[Panel], names: int, columns: int, texts: Sequence[Sequence[str]], foot: str
) -> float:
    """Of the figure, in inches."""
    series = max(len(panel.series) for panel in panels)
    starts = range(0, len(panels), columns)
    lines = sum(
        max(text.count("\n") + 1 for text in some[start : start + columns] if some[start])
        for some in texts
        if any(some)
        for start in starts
    )
    legend = series // 2 + 1 if series > 1 else 0
    lines += legend + (foot.count("\n") + 1 if foot else 0)
    return len(starts) * (names * (0.13 + 0.06 * series) + 0.45) + LINE * lines + 0.1


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
        value, low, high = (mine[name].to_numpy(float) for name in ("value", "ci_low", "ci_high"))
        # An interval that is limited may leave out its value: its arm is then of no length.
        arms = np.nan_to_num(np.clip([value - low, high - value], 0, None))
        look: dict[str, Any] = {"color": SERIES[i % 6], "linestyle": "none"}
        ax.errorbar(value, y, xerr=arms, elinewidth=1, **look)
        filled = mine["filled"].to_numpy(bool) if "filled" in mine else np.ones(len(mine), bool)
        look |= {"marker": MARKERS[i % 6], "markersize": 4.5}
        ax.plot(value[~filled], y[~filled], markerfacecolor=PAPER, **look)
        ax.plot(value[filled], y[filled], label=label or None, **look)
