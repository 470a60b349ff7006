"""Marker internal confidence, by data set and split."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._divergence import cells, kept
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import canvas, styled

_PARTS = ("judge", "split", "marker", "marker_threshold", "outcome", "faithful")
_BY = ("model", "variant", "judge", "marker_threshold")
_MOST_MARKERS, _MOST_COLUMNS = 25, 12


@styled
def mic(rows: pd.DataFrame) -> Figure:
    """Marker internal confidence: markers in rows, data sets and splits in columns.

    A panel a model, variant, judge and threshold. The commonest markers are shown, from the most
    to the least confident on average; a cell is blank where a marker has too few sentences.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` over all sentences are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    chosen = rows[rows["condition"].map(_plain).astype(bool)]
    there = drawn(chosen, "hedge_markers", ["mic"], _PARTS)
    panels = [(title, *_table(some)) for title, some in groups(there, _BY)]
    heights = [0.27 * len(table) + 1.7 for _, table, _ in panels]
    figure, axes = canvas(len(panels), width=6.2, height=sum(heights))
    for ax, (title, table, remark) in zip(axes, panels, strict=True):
        values = table.to_numpy(float)
        cells(ax, values, list(table.index), list(table.columns), "{:.2f}".format, (0, 1))
        blank = "blank: too few sentences" if np.isnan(values).any() else ""
        ax.set(title=title, xlabel=f"{blank}{remark}".strip())
    return figure


def _plain(condition: str) -> bool:
    """Whether it is a marker's, over all its sentences."""
    names = {part.split("=", 1)[0] for part in condition.split(";")}
    return "marker" in names and not names & {"outcome", "faithful"}


def _table(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Markers in rows, groups in columns; and a remark on what is left out."""
    sizes = rows.groupby("marker", sort=False)["n"].sum().sort_values(ascending=False)
    markers, fewer = kept(list(sizes.index), _MOST_MARKERS, "rarer markers")
    named = [
        " ".join(filter(None, pair)) for pair in zip(rows["dataset"], rows["split"], strict=True)
    ]
    mine = rows.assign(column=named)
    # A data set's splits stand beside each other.
    by_set = [name for _, some in mine.groupby("dataset", sort=False) for name in some["column"]]
    columns, left = kept(list(dict.fromkeys(by_set)), _MOST_COLUMNS, "columns")
    weighed = (mine["value"] * mine["n"]).groupby(mine["marker"]).sum() / sizes
    table = mine.pivot_table(index="marker", columns="column", values="value", aggfunc="first")
    order = weighed[markers].sort_values(ascending=False, kind="stable").index
    return table.reindex(index=order, columns=columns), fewer + left
