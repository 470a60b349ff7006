"""Marker internal confidence, by data set and split."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._cells import Table, cells
from inspect_confidence.plots._fit import kept
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import shortened, styled

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
