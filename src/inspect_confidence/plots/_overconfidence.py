"""Overconfidence by the width of the window."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._legend import draw_legend, legend_height
from inspect_confidence.plots._rows import drawn, groups, with_intervals
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, MARKERS, RULE, SERIES, shortened, styled

_ALL = "all"
_PARTS = ("radius", "window", "age")
_HIGH = 2.2  # inches a panel
_LEAST = 0.1
"""The axis reaches so far from 0 at least: what is only rounding must not look like an effect."""
_FEW = 5
"""Models whose marks have room for their full size side by side."""


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
    names = [shortened(model) for model in models]
    titles = [title if len(panels) > 1 else "" for title, _ in panels]
    figure, axes = grid(titles, columns=1, height=_HIGH, legend=legend_height(names))
    aside = np.linspace(-0.3, 0.3, len(models) + 2)[1:-1]
    for ax, (_, some) in zip(axes, panels, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--")
        for k, model in enumerate(models):
            mine = some[some["model"] == model]
            x = mine["radius"].map(places) + aside[k]
            with_intervals(ax, x, mine, label=names[k], **_look(k, len(models)))
        _name_places(ax, places)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(min(low, -_LEAST), max(high, _LEAST))
    draw_legend(figure, axes[0].containers, names)
    name_axes(figure, "radius (years on each side of the answer)", "overconfidence")
    return figure


def _look(k: int, of: int) -> dict[str, object]:
    """How a series is drawn: no two of the first 36 have colour and mark in common."""
    look: dict[str, object] = {"color": SERIES[k % 6], "marker": MARKERS[(k + k // 6) % 6]}
    look["linestyle"] = "none"
    return look if of <= _FEW else {**look, "markersize": 3.5, "capsize": 1.5}


def _name_places(ax: Axes, places: Mapping[str, float]) -> None:
    """The radii, and all of them apart from each."""
    ax.set_xticks(list(places.values()), [name or _ALL for name in places])
    ax.set_xlim(-0.5, max(places.values()) + 0.5)
    ax.axvline(places[""] - 0.5, color=RULE, linewidth=1.5)
    ax.grid(visible=False, axis="x")
