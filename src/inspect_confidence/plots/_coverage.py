"""Nominal against observed coverage."""

import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._rows import drawn, groups, with_intervals
from inspect_confidence.plots._style import FAINT, MARKERS, SERIES, canvas, styled

_NAMES = {"direct": "as stated", "conformal": "after conformal adjustment"}


@styled
def coverage(rows: pd.DataFrame) -> Figure:
    """Nominal against observed coverage, before and after conformal adjustment.

    A panel a model, data set and variant. The diagonal is where intervals are what they are said
    to be; below it they are overconfident. Where there is a test split, it alone is drawn, since
    the adjustment was learned on the train split.

    Args:
        rows: Results of `fermi_eval`; its rows of `coverage` are drawn with their intervals.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    parts = ("level", "method", "split", "base", "scaling", "decoding", "traces")
    there = drawn(rows, "fermi_eval", ["coverage"], parts)
    there = there[(there["level"] != "") & (there["traces"] == "")]
    if (there["split"] == "test").any():
        there = there[there["split"] == "test"]
    panels = list(groups(there, ["model", "dataset", "variant"]))
    figure, axes = canvas(len(panels), height=3.6 * len(panels))
    for ax, (title, some) in zip(axes, panels, strict=True):
        named = _methods(some).assign(level=some["level"].astype(float) / 100)
        for i, (name, line) in enumerate(named.sort_values("level").groupby("name", sort=False)):
            # A little aside, so that intervals at one level don't hide each other.
            x = line["level"] + 0.002 * i
            look = {"color": SERIES[i % 6], "marker": MARKERS[i % 6], "label": name}
            with_intervals(ax, x, line, **look)
        levels = sorted(there["level"].astype(float) / 100)
        low = min(levels) - 0.02
        ax.plot([low, 1], [low, 1], color=FAINT, linewidth=1, linestyle="--")
        ax.annotate("nominal", (low, low), color=FAINT, xytext=(2, -10), textcoords="offset points")
        ax.set(title=title, xlabel="nominal level", ylabel="observed coverage", ylim=(0, 1.03))
        ax.set_xticks(sorted(set(levels)), [f"{100 * level:g}%" for level in sorted(set(levels))])
        ax.legend(loc="lower right")
    return figure


def _methods(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the name of their method: what it is based on or scaled by in brackets."""
    names = [
        _NAMES.get(row["method"], row["method"])
        + "".join(f" ({row[part]})" for part in ("base", "scaling", "decoding") if row[part])
        for row in rows.to_dict("records")
    ]
    return rows.assign(name=names)
