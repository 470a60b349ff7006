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
    facets,
    label_height,
    label_lines,
    tick_labels,
    tick_width,
)
from inspect_confidence.plots.style import DASHED, PAPER, WIDTH, mark, mark_of
from inspect_confidence.plots.text import kept


@dataclass(frozen=True)
class Panel:
    """What stands on one pair of axes: a row a name, one series or several.

    Attributes:
        label: Of the axis of values, which holds `within` at least.
        series: Rows with `name`, `value`, `ci_low`, `ci_high` and perhaps `filled`, by their label;
            one whose label is empty stays out of the legend.
        reference: Where a line is drawn, if any; panels with the same one, or with none, share
            their axis of values.
        models: Of which model each series is, where each is of one: it has that model's look.
    """

    title: str
    label: str
    series: Sequence[tuple[str, pd.DataFrame]]
    reference: float | None
    within: tuple[float, float] | None = None
    models: Sequence[str] = ()


def dots(panels: Sequence[Panel], names: Sequence[str], what: str, most: int = 40) -> Figure:
    """Panels, at most two beside each other, values along x, the names in rows from the top.

    Where there are more than `most`, it is said how many of `what` are left out.
    """
    shown, remark = kept(names, most, what)
    named = tick_labels(shown)
    columns, ticks = min(2, len(panels)), tick_width(named)
    most_ticks = 5 if columns == 1 else 3
    labels = {panel.label for panel in panels}
    # What is the same below all panels stands once, at the foot.
    common = panels[0].label if len(labels) == 1 else ""
    room = (WIDTH - ticks) / columns - 0.3
    series = max(len(panel.series) for panel in panels)

    def draw(ax: Axes, panel: Panel) -> None:
        _draw(ax, panel, shown)
        ax.set_xlabel("" if common else "\n".join(label_lines(panel.label, room)))

    def finish(axes: Sequence[Axes]) -> None:
        axes[0].set_yticks(range(len(shown)), named)
        axes[0].set_ylim(len(shown) - 0.4, -0.6)
        # The axis of values is the same where the reference is.
        first: dict[float | None, Axes] = {}
        for ax, panel in zip(axes, panels, strict=True):
            if first.setdefault(panel.reference, ax) is not ax:
                ax.sharex(first[panel.reference])
        for reference, ax in first.items():
            ax.autoscale(axis="x")
            within = next(one.within for one in panels if one.reference == reference)
            low, high = ax.get_xlim()
            if within:
                ax.set_xlim(min(low, within[0]), max(high, within[1]))
            ax.xaxis.set_major_locator(MaxNLocator(most_ticks, steps=[1, 2, 2.5, 5, 10]))

    return facets(
        [(panel.title, panel) for panel in panels],
        draw,
        common,
        "",
        columns=columns,
        height=len(shown) * (0.13 + 0.06 * series) + 0.05,
        shared="values",
        legend=[label for label, _ in panels[0].series if label],
        ticks=ticks,
        beneath=[remark, *[""] * (len(panels) - 1)],
        below=None if common else label_height(max(len(label_lines(one, room)) for one in labels)),
        most=8,
        finish=finish,
    )


def _draw(ax: Axes, panel: Panel, names: Sequence[str]) -> None:
    if panel.reference is not None:
        ax.axvline(panel.reference, **DASHED)
    where = {name: place for place, name in enumerate(names)}
    for i, (label, some) in enumerate(panel.series):
        mine = some[some["name"].isin(where)].drop_duplicates("name")
        shift = 0.5 * ((i + 0.5) / len(panel.series) - 0.5)
        y = mine["name"].map(where).to_numpy(float) + shift
        value = mine["value"].to_numpy(float)
        own = mark_of(panel.models[i], i) if panel.models else mark(i)
        look: dict[str, Any] = {**own, "linestyle": "none", "markersize": 4.5}
        ax.errorbar(value, y, xerr=arms(mine), elinewidth=1, **look | {"marker": "None"})
        filled = mine["filled"].to_numpy(bool) if "filled" in mine else np.ones(len(mine), bool)
        ax.plot(value[~filled], y[~filled], markerfacecolor=PAPER, **look)
        ax.plot(value[filled], y[filled], label=label or None, **look)
