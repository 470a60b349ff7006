"""Hedge markers: their internal confidence, and how decisive they are."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots.cells import Table, cells
from inspect_confidence.plots.dots import Panel, dots
from inspect_confidence.plots.layout import drawn, facets, panels, tick_width
from inspect_confidence.plots.style import FAINT, SERIES, shortened, styled
from inspect_confidence.plots.text import kept
from inspect_confidence.results import Condition

_TASK = "hedge_markers"
_BY = ("model", "variant", "judge", "marker_threshold")


@styled
def decisiveness_gap(rows: pd.DataFrame) -> Figure:
    """Mean distance of decisiveness from internal confidence, by marker, with 95% intervals.

    A panel a model and data set, a mark a split; the markers from the commonest to the rarest.

    Args:
        rows: Results of `hedge_markers`; its rows of `decisiveness_gap` are drawn.
    """
    there = drawn(rows, _TASK, ["decisiveness_gap"], ("split", "marker", *_BY[2:]))
    there = there.assign(name=there["marker"])
    sizes = there.groupby("marker", sort=False)["n"].sum()
    names = list(map(str, sizes.sort_values(ascending=False, kind="stable").index))
    splits = list(dict.fromkeys(there["split"]))
    said = {one: f"split {shortened(one, 12)}" if len(splits) > 1 else "" for one in splits}
    found = []
    for title, some in panels(there, (*_BY, "dataset"), joint=", "):
        series = [(label, some[some["split"] == one]) for one, label in said.items()]
        found.append(Panel(title, "mean distance", series, 0))
    return dots(found, names, "rarer markers", most=15)


@styled
def mic_densities(rows: pd.DataFrame) -> Figure:
    """Shares of each marker's sentences over bins of internal confidence.

    A panel a model, variant and judge; the markers from the most to the least confident, all on
    one scale: a hill as high as the space between two markers holds all sentences in one bin.

    Args:
        rows: Of `detail`, of `hedge_markers`; its rows of `confidence_share` are drawn.
    """
    there = drawn(rows, _TASK, ["confidence_share"], ("judge", "marker", "bin"))
    edges = there["bin"].str.split("-", expand=True).astype(float)
    there = there.assign(low=edges[0], high=edges[1]).sort_values("low", kind="stable")
    found = panels(there, (*_BY[:3], "dataset"), joint=", ")
    markers, remarks = zip(*(_most_confident(some) for _, some in found), strict=True)
    return facets(
        [(title, (some, shown)) for (title, some), shown in zip(found, markers, strict=True)],
        lambda ax, one: _hills(ax, *one),
        "internal confidence (in brackets: sentences)",
        "",
        columns=1,
        height=[0.34 * len(shown) + 0.3 for shown in markers],
        shared="none",
        ticks=max(tick_width(shown.values()) for shown in markers),
        beneath=remarks,
    )


def _most_confident(rows: pd.DataFrame) -> tuple[dict[str, str], str]:
    """The commonest markers' labels, the most confident first, and how many are left out."""
    sizes = rows.groupby("marker")["n"].max().sort_values(ascending=False, kind="stable")
    commonest, remark = kept(list(sizes.index), 20, "rarer markers")
    middles = rows["value"] * (rows["low"] + rows["high"]) / 2
    means = middles.groupby(rows["marker"]).sum()[commonest]
    order = means.sort_values(ascending=False, kind="stable").index
    return {one: f"{shortened(one, 18)} ({sizes[one]})" for one in map(str, order)}, remark


def _hills(ax: Axes, rows: pd.DataFrame, markers: Mapping[str, str]) -> None:
    for place, marker in enumerate(markers):
        mine = rows[rows["marker"] == marker].drop_duplicates("bin")
        base = -float(place)
        edges = np.append(mine["low"].to_numpy(float), mine["high"].iloc[-1])
        top = base + 0.95 * mine["value"].to_numpy(float)
        ax.axhline(base, color=FAINT, linewidth=0.6)
        ax.stairs(top, edges, baseline=base, fill=True, color=SERIES[0], alpha=0.35)
        ax.stairs(top, edges, baseline=base, color=SERIES[0], linewidth=1.2)
    ax.set_yticks(-np.arange(len(markers)), list(markers.values()))
    ax.set(xlim=(0, 1), ylim=(-len(markers) + 0.9, 1.05))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


@styled
def mic(rows: pd.DataFrame) -> Figure:
    """Marker internal confidence: markers in rows, data sets and splits in columns.

    A table a model, variant, judge and threshold, in blocks of up to five columns. The commonest
    markers are shown, from the most to the least confident on average; a cell is blank where a
    marker has too few sentences.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` over all sentences are drawn.
    """
    chosen = rows[rows["condition"].map(_plain).astype(bool)]
    there = drawn(chosen, _TASK, ["mic"], ("split", "marker", *_BY[2:]))
    return cells([_table(title, some) for title, some in panels(there, _BY, joint=", ")])


def _plain(condition: str) -> bool:
    """Whether it is a marker's, over all its sentences."""
    parts = Condition.read(condition)
    return "marker" in parts and not parts.keys() & {"outcome", "faithful"}


def _table(title: str, rows: pd.DataFrame) -> Table:
    """Markers in rows, data sets and splits in columns."""
    sizes = rows.groupby("marker", sort=False)["n"].sum().sort_values(ascending=False)
    markers, fewer = kept(list(sizes.index), 25, "rarer markers")
    shown, left = kept(_sets(rows), 12, "columns")
    weighed = (rows["value"] * rows["n"]).groupby(rows["marker"]).sum() / sizes
    order = weighed[markers].sort_values(ascending=False, kind="stable").index
    wide = rows.pivot_table(
        index="marker", columns=["dataset", "split"], values="value", aggfunc="first"
    )
    values = wide.reindex(index=order, columns=pd.MultiIndex.from_tuples(shown)).to_numpy(float)
    names, remark = _columns(shown), "\n".join((_blank(values), fewer, left))
    return Table(title, values, list(map(str, order)), names, "{:.2f}".format, remark, (0, 1))


def _sets(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Data sets and splits, a data set's splits beside each other."""
    return [
        pair
        for _, some in rows.groupby("dataset", sort=False)
        for pair in dict.fromkeys(zip(some["dataset"], some["split"], strict=True))
    ]


def _columns(shown: Sequence[tuple[str, str]]) -> list[str]:
    """What columns of data sets and splits are called."""
    return [
        " ".join(filter(None, (shortened(dataset, 13), shortened(split, 6))))
        for dataset, split in shown
    ]


def _blank(values: np.ndarray) -> str:
    return "blank: too few sentences" if np.isnan(values).any() else ""


@styled
def marker_counts(rows: pd.DataFrame) -> Figure:
    """How many sentences have each marker: markers in rows, data sets and splits in columns.

    A table a model, variant, judge and threshold, in blocks of up to five columns, the markers
    from the commonest to the rarest; a cell is blank where a marker has too few sentences.

    Args:
        rows: Results of `hedge_markers`; `n` of its rows of `mic` over all sentences is drawn.
    """
    chosen = rows[rows["condition"].map(_plain).astype(bool)]
    there = drawn(chosen, _TASK, ["mic"], ("split", "marker", *_BY[2:]))
    return cells([_counts(title, some) for title, some in panels(there, _BY, joint=", ")])


def _counts(title: str, rows: pd.DataFrame) -> Table:
    by = ["dataset", "split"]
    wide = rows.pivot_table(index="marker", columns=by, values="n", aggfunc="first", sort=False)
    order = wide.sum(axis=1).sort_values(ascending=False, kind="stable").index
    markers, fewer = kept(list(map(str, order)), 30, "rarer markers")
    shown, left = kept(_sets(rows), 12, "columns")
    values = wide.reindex(index=markers, columns=pd.MultiIndex.from_tuples(shown)).to_numpy(float)
    remark = "\n".join((_blank(values), fewer, left))
    return Table(title, values, markers, _columns(shown), "{:.0f}".format, remark)
