"""Markers' internal confidences as the study draws them: how they lie, and what they go with."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.layout import drawn, facets, panels, share_ticks, tick_width
from inspect_confidence.plots.style import DASHED, FAINT, INK, SERIES, mark, shortened, styled
from inspect_confidence.plots.text import kept

_TASK = "hedge_markers"
_BY = ("model", "variant", "judge", "marker_threshold")
_PARTS = ("split", "marker", "outcome", "faithful", *_BY[2:])
_SIDES = {
    "": ("all", ""),
    "by correctness": ("correct", "incorrect"),
    "by faithfulness": ("yes", "no"),
}
"""What a panel is of: the sentences above its lines, and those below."""
_MOST_SETS, _MOST_SERIES = 24, 12


def _sided(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the `side` that they are of, and the `name` of their data set and split."""
    side = rows["outcome"].where(rows["outcome"] != "", rows["faithful"])
    side = side.where(side != "", "all").where(rows["metric"] == "mic", rows["metric"])
    split = rows["split"].map(lambda one: shortened(one, 6))
    name = rows["dataset"].map(lambda one: shortened(one, 13)) + " " + split
    # A data set's splits stand beside each other.
    places = pd.factorize(rows["dataset"])[0]
    return rows.assign(side=side, name=name.str.strip()).iloc[np.argsort(places, kind="stable")]


_BESIDE = {"accuracy": "o", "cmfg": "*"}
_NO_SPREAD = 1e-9
_NAMES = ("all, correct, faithful", "incorrect, unfaithful", "accuracy", "cMFG")


@styled
def mic_spread(rows: pd.DataFrame) -> Figure:
    """How the markers' internal confidences lie within each data set, with its accuracy and cMFG.

    A panel a model, variant, judge and threshold, of all sentences; one by correctness and one by
    faithfulness of the reply where rows have them, the correct and faithful above each line, the
    others below. A tick is a marker; hills are kernel densities, each as high as its row, with a
    bandwidth of .15 standard deviations, by Scott's rule where they are of two sides, and of .01
    at least. Where all markers have one value there is none.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` are drawn, and beside them those of
            `accuracy` and `cmfg`.
    """
    drawn(rows, _TASK, ["mic"], ())
    there = _sided(drawn(rows, _TASK, ["mic", *_BESIDE], _PARTS))
    found, remarks = [], []
    for title, some in panels(there, _BY, joint=", "):
        names, left = kept(list(dict.fromkeys(some["name"])), _MOST_SETS, "data sets")
        for what, sides in _SIDES.items():
            if some["side"].isin(sides).any():
                found.append((f"{title}\n{what}", (some, names, sides)))
                remarks.append(left)
    looks: list[dict[str, Any]] = [{"color": one, "linewidth": 5, "alpha": 0.5} for one in SERIES]
    looks[2:] = [{"color": INK, "marker": one, "linestyle": "none"} for one in _BESIDE.values()]
    return facets(
        found,
        lambda ax, one: _rows_of_hills(ax, *one),
        "internal confidence of markers",
        "",
        columns=1,
        height=[0.42 * len(names) + 0.1 for _, (_, names, _) in found],
        shared="none",
        ticks=max(tick_width(names) for _, (_, names, _) in found),
        legend=_NAMES,
        handles=lambda _: [Line2D([], [], **look) for look in looks],
        beneath=remarks,
    )


def _rows_of_hills(
    ax: Axes, rows: pd.DataFrame, names: Sequence[str], sides: tuple[str, str]
) -> None:
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats import gaussian_kde  # noqa: PLC0415

    two = sides[1] != ""
    for place, name in enumerate(names):
        mine, base = rows[rows["name"] == name], -float(place)
        ax.axhline(base, color=FAINT, linewidth=0.6)
        for k, side in enumerate(sides[: 1 + two]):
            values = mine.loc[mine["side"] == side, "value"].to_numpy(float)
            up, color = (-1 if k else 1), SERIES[k]
            ax.vlines(values, base, base + 0.1 * up, color=color, linewidth=1)
            spread = values.std(ddof=1) if len(values) > 1 else 0.0
            if spread > _NO_SPREAD:
                x, width = np.linspace(0, 1, 201), len(values) ** -0.2 if two else 0.15
                density = gaussian_kde(values, max(width, 0.01 / spread))(x)
                top = base + up * (0.42 if two else 0.85) * density / density.max()
                ax.fill_between(x, base, top, color=color, alpha=0.35, linewidth=0)
        for metric, look in _BESIDE.items():
            at = mine.loc[mine["side"] == metric, "value"].to_numpy(float)[:1]
            ax.plot(at, np.full(len(at), base), look, color=INK, zorder=3)
    ax.set_yticks(-np.arange(len(names)), names)
    ax.set(xlim=(-0.02, 1.02), ylim=(-len(names) + 0.45, 0.95 if not two else 0.55))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


_PAIRS = {
    ("correct", "incorrect"): "where correct (up) against incorrect",
    ("yes", "no"): "where faithful (up) against unfaithful",
    ("decisiveness_gap", "all"): "distance from decisiveness (up) against MIC",
}


@styled
def mic_pairs(rows: pd.DataFrame) -> Figure:
    """Each marker's internal confidence under one condition against another, a mark a data set's.

    Up to three panels a model, variant, judge and threshold: correct replies against incorrect
    ones, faithful against unfaithful, and the mean distance of decisiveness from internal
    confidence against the latter. Dashes are where both are the same.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` and `decisiveness_gap` are drawn.
    """
    there = _sided(drawn(rows, _TASK, ["mic", "decisiveness_gap"], _PARTS))
    key = [*_BY, "name", "dataset", "split", "marker"]
    wide = there.drop_duplicates([*key, "side"]).set_index([*key, "side"])["value"].unstack()
    wide = wide.reset_index()
    series, left = kept(list(dict.fromkeys(there["name"])), _MOST_SERIES, "data sets")
    found = list(_paired(wide[wide["name"].isin(series)]))
    if not found:
        raise InvalidArgument(
            "There is nothing to draw: no marker has a mic of correct and of incorrect replies, or "
            "of faithful and unfaithful ones, or a decisiveness_gap. Give what `summarize` makes."
        )
    looks: list[dict[str, Any]] = [{**mark(k), "linestyle": "none"} for k in range(len(series))]

    def draw(ax: Axes, pairs: pd.DataFrame) -> None:
        if not pairs["free"].any():
            ax.plot([0, 1], [0, 1], **DASHED, zorder=0)
        for name, look in zip(series, looks, strict=True):
            mine = pairs[pairs["name"] == name]
            ax.plot(mine["x"], mine["y"], **look, markersize=3.5, alpha=0.8)
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        share_ticks(ax, "x", "y")

    return facets(
        [(title, pairs) for title, pairs in found],
        draw,
        "internal confidence",
        "",
        height=1.5,
        legend=series,
        handles=lambda _: [Line2D([], [], **look) for look in looks],
        beneath=["\n".join(filter(None, (_said(pairs), left))) for _, pairs in found],
        most=4,
    )


def _paired(wide: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The markers that have both sides of a pair, of each model and pair."""
    for title, some in panels(wide, _BY, joint=", "):
        for (y, x), what in _PAIRS.items():
            if {x, y} <= set(some.columns):
                both = some[[x, y]].notna().all(axis=1)
                pairs = some[both].assign(x=some[x], y=some[y], free=x == "all")
                if len(pairs):
                    yield f"{title}\n{what}", pairs


def _said(pairs: pd.DataFrame) -> str:
    return f"{len(pairs)} pair{'' if len(pairs) == 1 else 's'}"
