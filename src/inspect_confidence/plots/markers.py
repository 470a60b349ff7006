"""Marker internal confidence, by data set and split."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots.cells import Table, cells
from inspect_confidence.plots.dots import Panel, dots
from inspect_confidence.plots.layout import drawn, groups
from inspect_confidence.plots.style import FAINT, SERIES, shortened, styled
from inspect_confidence.plots.text import LINE, folded, kept, stacked

_GAP_PARTS = ("judge", "split", "marker", "marker_threshold")
_GAP_BY = ("model", "variant", "judge", "marker_threshold", "dataset")
_MOST_GAP_MARKERS = 15


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
    there = drawn(rows, "hedge_markers", ["decisiveness_gap"], _GAP_PARTS)
    there = there.assign(name=there["marker"])
    sizes = there.groupby("marker", sort=False)["n"].sum()
    order = sizes.sort_values(ascending=False, kind="stable").index
    names = [str(name) for name in order]
    return dots(list(_panels(there)), names, "rarer markers", _MOST_GAP_MARKERS)


def _panels(rows: pd.DataFrame) -> Iterator[Panel]:
    splits = list(dict.fromkeys(rows["split"]))
    for title, some in groups(rows, _GAP_BY):
        series = [
            (
                f"split {shortened(split, 12)}" if len(splits) > 1 else "",
                some[some["split"] == split],
            )
            for split in splits
        ]
        yield Panel(title, "mean distance", series, 0)


_DENSITY_BY = ("model", "variant", "judge", "dataset")
_MOST_DENSE_MARKERS = 20


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
    panels = list(groups(there, _DENSITY_BY))
    heights = [
        0.34 * min(some["marker"].nunique(), _MOST_DENSE_MARKERS) + 0.3 for _, some in panels
    ]
    titles = [folded(title, 1.8) for title, _ in panels]
    lines = sum(title.count("\n") + 1 for title in titles)
    figure, axes = stacked(heights, LINE * lines + 0.85 * len(panels))
    for ax, (_, some), title in zip(axes, panels, titles, strict=True):
        _hills(ax, some)
        ax.set_title(title)
    return figure


def _hills(ax: Axes, rows: pd.DataFrame) -> None:
    sizes = rows.groupby("marker")["n"].max().sort_values(ascending=False, kind="stable")
    commonest, remark = kept(list(sizes.index), _MOST_DENSE_MARKERS, "rarer markers")
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


_PARTS = ("judge", "split", "marker", "marker_threshold", "outcome", "faithful")
_BY = ("model", "variant", "judge", "marker_threshold")
_MOST_MARKERS, _MOST_COLUMNS = 25, 12


@styled
def mic(rows: pd.DataFrame) -> Figure:
    """Marker internal confidence: markers in rows, data sets and splits in columns.

    A table a model, variant, judge and threshold, in blocks of up to five columns. The commonest
    markers are shown, from the most to the least confident on average; a cell is blank where a
    marker has too few sentences.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` over all sentences are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    chosen = rows[rows["condition"].map(_plain).astype(bool)]
    there = drawn(chosen, "hedge_markers", ["mic"], _PARTS)
    return cells([_table(title, some) for title, some in groups(there, _BY)])


def _plain(condition: str) -> bool:
    """Whether it is a marker's, over all its sentences."""
    names = {part.split("=", 1)[0] for part in condition.split(";")}
    return "marker" in names and not names & {"outcome", "faithful"}


def _table(title: str, rows: pd.DataFrame) -> Table:
    """Markers in rows, data sets and splits in columns."""
    sizes = rows.groupby("marker", sort=False)["n"].sum().sort_values(ascending=False)
    markers, fewer = kept(list(sizes.index), _MOST_MARKERS, "rarer markers")
    # A data set's splits stand beside each other.
    pairs = [
        pair
        for _, some in rows.groupby("dataset", sort=False)
        for pair in dict.fromkeys(zip(some["dataset"], some["split"], strict=True))
    ]
    shown, left = kept(pairs, _MOST_COLUMNS, "columns")
    weighed = (rows["value"] * rows["n"]).groupby(rows["marker"]).sum() / sizes
    order = weighed[markers].sort_values(ascending=False, kind="stable").index
    wide = rows.pivot_table(
        index="marker", columns=["dataset", "split"], values="value", aggfunc="first"
    )
    values = wide.reindex(index=order, columns=pd.MultiIndex.from_tuples(shown)).to_numpy(float)
    blank = "blank: too few sentences" if np.isnan(values).any() else ""
    names = [
        " ".join(filter(None, (shortened(dataset, 13), shortened(split, 6))))
        for dataset, split in shown
    ]
    remark = f"{blank}{fewer}{left}".strip()
    return Table(title, values, list(map(str, order)), names, "{:.2f}".format, remark, (0, 1))
