"""The hard-easy effect: overconfidence against difficulty, item by item."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence._results import with_parts
from inspect_confidence.plots._legend import draw_legend, legend_height
from inspect_confidence.plots._profile_axis import number
from inspect_confidence.plots._rows import drawn
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, INK, MARKERS, SERIES, shortened, styled

_BY = ("model", "dataset", "variant", "window")
_ENDS = np.array([0.0, 1.0])
_MANY = 1500
"""So many marks are a picture within the figure: as shapes they take more than 100 bytes each."""
_RESOLUTION = 200
_LEAST = 0.1
"""The axis reaches so far from 0 at least: what is only rounding must not look like an effect."""


@styled
def hard_easy(rows: pd.DataFrame) -> Figure:
    """Overconfidence in each item against its difficulty, with the least-squares line.

    A panel a model, data set, variant and window. Marks and colours are the radii. The line has the
    slope of the results and goes through the means of all judgments; its band spans the slope's
    95% interval, which is also in words. Where there are very many marks, they are pixels, also in
    svg and pdf.

    Args:
        rows: What `detail` gives of `life_eval`, of which the rows of `item_overconfidence` are
            drawn, and its results, for `hard_easy_slope`.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no row of `item_overconfidence`.
    """
    parts = ("difficulty", "radius", "window")
    finite = rows[~np.isinf(rows["value"].to_numpy(float))]
    items = drawn(finite, "life_eval", ["item_overconfidence"], parts)
    items = items.assign(difficulty=items["difficulty"].astype(float))
    slopes = with_parts(
        rows[(rows["task"] == "life_eval") & (rows["metric"] == "hard_easy_slope")],
        ["variant", "window"],
    )
    slope_of = {tuple(row[name] for name in _BY): row for row in slopes.to_dict("records")}
    radii = sorted(items["radius"].unique(), key=float)
    panels = list(items.groupby(list(_BY), sort=False))
    varied = [name for name in _BY if items[name].nunique() > 1]
    titles = [_title(dict(zip(_BY, map(str, key), strict=True)), varied) for key, _ in panels]
    names = [f"radius {radius}" for radius in radii]
    apart = "\n" if len(panels) > 1 else " "
    said = [_said(slope_of.get(key), apart) for key, _ in panels]
    figure, axes = grid(titles, legend=legend_height(names), beneath=said)
    many = len(items) > _MANY
    if many:
        figure.set_dpi(_RESOLUTION)  # that of the pixels in svg
    for ax, (key, some) in zip(axes, panels, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--", zorder=0)
        for k, radius in enumerate(radii):
            mine = some[some["radius"] == radius]
            _marks(ax, mine, _look(k), names[k], pixels=many)
        _line(ax, some, slope_of.get(key))
    axes[0].set(xlim=(-0.03, 1.03), xticks=[0, 0.5, 1], xticklabels=["0", "0.5", "1"])
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(min(low, -_LEAST), max(high, _LEAST))
    draw_legend(figure, [Line2D([], [], **_look(k)) for k in range(len(radii))], names)
    name_axes(figure, "difficulty: 1 - maximum achievable score", "overconfidence")
    return figure


def _title(told: Mapping[str, str], varied: list[str]) -> str:
    return "\n".join(shortened(told[name]) for name in varied if told[name])


def _look(k: int) -> dict[str, Any]:
    return {"color": SERIES[k % 6], "marker": MARKERS[k % 6], "linestyle": "none"}


def _marks(
    ax: Axes, items: pd.DataFrame, look: dict[str, Any], label: str, *, pixels: bool
) -> None:
    thin: dict[str, Any] = {
        "markersize": 2.8,
        "markeredgewidth": 0,
        "alpha": 0.45,
        "rasterized": pixels,
    }
    ax.plot(items["difficulty"], items["value"], label=label, **look, **thin)


def _said(row: Mapping[Any, Any] | None, apart: str) -> str:
    """The slope with its interval in words."""
    if row is None:
        return "slope not given"
    slope, low, high = (float(row[name]) for name in ("value", "ci_low", "ci_high"))
    if not np.isfinite(slope):
        return "slope undefined"
    said = f"slope {number(slope, '.2f')}"
    if not np.isfinite([low, high]).all():
        return said
    return f"{said}{apart}[{number(low, '.2f')}, {number(high, '.2f')}]"


def _line(ax: Axes, items: pd.DataFrame, row: Mapping[Any, Any] | None) -> None:
    """The line and its band, where the slope is known."""
    slope = float(row["value"]) if row else np.nan
    if row is None or not np.isfinite(slope):
        return
    weights = items["n"].to_numpy(float)
    middle = np.average(items[["difficulty", "value"]].to_numpy(float), axis=0, weights=weights)
    low, high = float(row["ci_low"]), float(row["ci_high"])
    if np.isfinite([low, high]).all():
        ends = [middle[1] + one * (_ENDS - middle[0]) for one in (low, high)]
        ax.fill_between(_ENDS, *ends, color=INK, alpha=0.15, linewidth=0)
    ax.plot(_ENDS, middle[1] + slope * (_ENDS - middle[0]), color=INK)
