"""Overconfidence by the width of the window."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._rows import drawn, groups, with_intervals
from inspect_confidence.plots._style import FAINT, MARKERS, RULE, SERIES, canvas, shortened, styled

_ALL = "all"
_PARTS = ("radius", "window", "age")
_LINE = 0.19
"""Height of a legend's line, in inches."""


@styled
def overconfidence(rows: pd.DataFrame) -> Figure:
    """Overconfidence by radius, models side by side, with 95% intervals.

    A panel a data set, variant and window. Above 0 confidence is too high. The last place is over
    all radii.

    Args:
        rows: Results of `life_eval`; its rows of `overconfidence` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "life_eval", ["overconfidence"], _PARTS)
    there = there[there["age"] == ""]
    radii = sorted({float(one) for one in there["radius"] if one})
    places = {f"{radius:g}": float(k) for k, radius in enumerate(radii)} | {"": float(len(radii))}
    models = list(there["model"].unique())
    panels = list(groups(there, ["dataset", "variant", "window"]))
    tall = 3.0 + _LINE * -(-len(models) // 2)
    figure, axes = canvas(len(panels), width=6.0, height=tall * len(panels))
    aside = np.linspace(-0.3, 0.3, len(models) + 2)[1:-1]
    for ax, (title, some) in zip(axes, panels, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--")
        for k, model in enumerate(models):
            mine = some[some["model"] == model]
            x = mine["radius"].map(places) + aside[k]
            with_intervals(ax, x, mine, linestyle="none", label=shortened(model, 38), **_look(k))
        _name_places(ax, places)
        ax.set_title(title if len(panels) > 1 else "", pad=6)
        ax.set(xlabel="radius (years on each side of the answer)", ylabel="overconfidence")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2)
    return figure


def _look(k: int) -> dict[str, str]:
    """Colour and mark of a series: no two of the first 36 have both in common."""
    return {"color": SERIES[k % 6], "marker": MARKERS[(k + k // 6) % 6]}


def _name_places(ax: Axes, places: Mapping[str, float]) -> None:
    """The radii, and all of them apart from each."""
    ax.set_xticks(list(places.values()), [name or _ALL for name in places])
    ax.set_xlim(-0.5, max(places.values()) + 0.5)
    ax.axvline(places[""] - 0.5, color=RULE, linewidth=1.5)
    ax.grid(visible=False, axis="x")
