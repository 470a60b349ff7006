"""Internal confidence behind each marker, as hills over one axis."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._fit import LINE, folded, kept, stacked
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import FAINT, SERIES, shortened, styled

_BY = ("model", "variant", "judge", "dataset")
_MOST_MARKERS = 20


@styled
def mic_densities(rows: pd.DataFrame) -> Figure:
    """Shares of each marker's sentences over bins of internal confidence.

    A panel a model, variant and judge; the markers from the most to the least confident, all on
    one scale: a hill as high as the space between two markers holds all sentences in one bin.

    Args:
        rows: Of `detail`, of `hedge_markers`; its rows of `confidence_share` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "hedge_markers", ["confidence_share"], ("judge", "marker", "bin"))
    edges = there["bin"].str.split("-", expand=True).astype(float)
    there = there.assign(low=edges[0], high=edges[1]).sort_values("low", kind="stable")
    panels = list(groups(there, _BY))
    heights = [0.34 * min(some["marker"].nunique(), _MOST_MARKERS) + 0.3 for _, some in panels]
    titles = [folded(title, 1.8) for title, _ in panels]
    lines = sum(title.count("\n") + 1 for title in titles)
    figure, axes = stacked(heights, LINE * lines + 0.85 * len(panels))
    for ax, (_, some), title in zip(axes, panels, titles, strict=True):
        _hills(ax, some)
        ax.set_title(title)
    return figure


def _hills(ax: Axes, rows: pd.DataFrame) -> None:
    sizes = rows.groupby("marker")["n"].max().sort_values(ascending=False, kind="stable")
    commonest, remark = kept(list(sizes.index), _MOST_MARKERS, "rarer markers")
    middles = rows["value"] * (rows["low"] + rows["high"]) / 2
    means = middles.groupby(rows["marker"]).sum()[commonest]
    markers = means.sort_values(ascending=False, kind="stable").index
    for place, marker in enumerate(markers):
        mine = rows[rows["marker"] == marker].drop_duplicates("bin")
        base = -float(place)
        edges = np.append(mine["low"].to_numpy(float), mine["high"].iloc[-1])
        top = base + 0.95 * mine["value"].to_numpy(float)
        ax.axhline(base, color=FAINT, linewidth=0.6)
        ax.stairs(top, edges, baseline=base, fill=True, color=SERIES[0], alpha=0.35)
        ax.stairs(top, edges, baseline=base, color=SERIES[0], linewidth=1.2)
    labels = [f"{shortened(str(marker), 18)} ({sizes[marker]})" for marker in markers]
    ax.set_yticks(-np.arange(len(markers)), labels)
    ax.set(xlim=(0, 1), ylim=(-len(markers) + 0.9, 1.05))
    ax.set_xlabel(f"internal confidence\n(in brackets: sentences){remark}")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
