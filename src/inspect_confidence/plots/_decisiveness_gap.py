"""How far a marker's decisiveness lies from the confidence behind it; and dots beside names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._divergence import kept
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import (
    FAINT,
    MARKERS,
    PAPER,
    SERIES,
    canvas,
    shortened,
    styled,
)

_PARTS = ("judge", "split", "marker", "marker_threshold")
_BY = ("model", "variant", "judge", "marker_threshold", "dataset")
_MOST_MARKERS, _MOST_NAMES = 15, 40


@styled
def decisiveness_gap(rows: pd.DataFrame) -> Figure:
    """Mean distance of decisiveness from internal confidence, by marker, with 95% intervals.

    A panel a model and data set, a mark a split; the markers from the commonest to the rarest.

    Args:
        rows: Results of `hedge_markers`; its rows of `decisiveness_gap` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "hedge_markers", ["decisiveness_gap"], _PARTS)
    there = there.assign(name=there["marker"])
    sizes = there.groupby("marker", sort=False)["n"].sum()
    order = sizes.sort_values(ascending=False, kind="stable").index
    names = [str(name) for name in order]
    return dots(list(_panels(there)), names, "rarer markers", _MOST_MARKERS)


@dataclass(frozen=True)
class Panel:
    """What stands on one pair of axes: a row a name, one series or several.

    Attributes:
        title: Above it.
        label: Of the axis of values.
        series: Rows with `name`, `value`, `ci_low`, `ci_high` and perhaps `filled`, by their label;
            one whose label is empty stays out of the legend.
        reference: Where a line is drawn; panels with the same one share their axis of values.
    """

    title: str
    label: str
    series: Sequence[tuple[str, pd.DataFrame]]
    reference: float


def _panels(rows: pd.DataFrame) -> Iterator[Panel]:
    splits = list(dict.fromkeys(rows["split"]))
    for title, some in groups(rows, _BY):
        series = [
            (
                f"split {shortened(split, 12)}" if len(splits) > 1 else "",
                some[some["split"] == split],
            )
            for split in splits
        ]
        yield Panel(title, "mean distance", series, 0)


def dots(
    panels: Sequence[Panel], names: Sequence[str], what: str, most: int = _MOST_NAMES
) -> Figure:
    """Panels beside each other, values along x, the names in rows.

    Args:
        panels: At least one.
        names: In their order, from the top.
        what: What they are: said where some are left out.
        most: How many are shown.
    """
    shown, remark = kept(names, most, what)
    columns = min(3, len(panels))
    lines = -(-len(panels) // columns)
    series = max(len(panel.series) for panel in panels)
    height = len(shown) * (0.16 + 0.06 * series) + 1.1
    figure, axes = canvas(lines, columns, width=6.4, height=height * lines)
    for ax in axes[len(panels) :]:
        ax.remove()
    first: dict[float, Axes] = {}
    for place, (ax, panel) in enumerate(zip(axes, panels, strict=False)):
        _draw(ax, panel, shown)
        if first.setdefault(panel.reference, ax) is not ax:
            ax.sharex(first[panel.reference])
        labels = [shortened(name, 28) for name in shown] if place % columns == 0 else []
        ax.set_yticks(range(len(shown)), labels or [""] * len(shown))
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.set_title(fill(panel.title, 66 // columns))
        ax.set_xlabel(panel.label + remark)
    for ax in first.values():
        ax.autoscale(axis="x")
    handles, labels = axes[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(handles))
    return figure


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
