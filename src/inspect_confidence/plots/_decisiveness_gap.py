"""How far a marker's decisiveness lies from the confidence behind it."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._dots import Panel, dots
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import shortened, styled

_PARTS = ("judge", "split", "marker", "marker_threshold")
_BY = ("model", "variant", "judge", "marker_threshold", "dataset")
_MOST_MARKERS = 15


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
