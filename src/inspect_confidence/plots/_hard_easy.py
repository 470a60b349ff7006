"""The hard-easy effect: overconfidence against difficulty, item by item."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence._results import with_parts
from inspect_confidence.plots._rows import drawn
from inspect_confidence.plots._small_multiples import grid, name_axes, remark
from inspect_confidence.plots._style import FAINT, INK, MARKERS, SERIES, shortened, styled

_BY = ("model", "dataset", "variant", "window")
_ENDS = np.array([0.0, 1.0])


@styled
def hard_easy(rows: pd.DataFrame) -> Figure:
    """Overconfidence in each item against its difficulty, with the least-squares line.

    A panel a model, data set, variant and window. Marks and colours are the radii. The line has the
    slope of the results and goes through the means of all judgments; its band spans the slope's
    95% interval, which is also in words.

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
    figure, axes = grid(
        titles,
        columns=min(2, len(panels)),
        height=2.4 if len(panels) > 1 else 3.2,
        legend=0.3,
    )
    for ax, (key, some) in zip(axes, panels, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--")
        for k, radius in enumerate(radii):
            _marks(ax, some[some["radius"] == radius], k, f"{radius}")
        _line(ax, some, slope_of.get(key))
        ax.tick_params(axis="y", pad=2)
    axes[0].set_xlim(-0.03, 1.03)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=6, markerscale=2, columnspacing=1.2)
    name_axes(figure, "difficulty: 1 - maximum achievable score", "overconfidence")
    return figure


def _title(told: Mapping[str, str], varied: list[str]) -> str:
    return "\n".join(shortened(told[name], 40) for name in varied if told[name])


def _marks(ax: Axes, items: pd.DataFrame, k: int, radius: str) -> None:
    ax.plot(
        items["difficulty"],
        items["value"],
        color=SERIES[k % 6],
        marker=MARKERS[k % 6],
        linestyle="none",
        markersize=2.8,
        markeredgewidth=0,
        alpha=0.6,
        label=f"radius {radius}",
    )


def _line(ax: Axes, items: pd.DataFrame, row: Mapping[Any, Any] | None) -> None:
    """The line and its words; only words where the slope isn't known."""
    slope = float(row["value"]) if row else np.nan
    if not np.isfinite(slope):
        remark(ax, "slope undefined" if row else "slope not given", 0.02, 0.96, va="top")
        return
    assert row is not None
    weights = items["n"].to_numpy(float)
    middle = np.average(items[["difficulty", "value"]].to_numpy(float), axis=0, weights=weights)
    low, high = float(row["ci_low"]), float(row["ci_high"])
    said = f"slope {slope:.2f}"
    if np.isfinite([low, high]).all():
        ends = [middle[1] + one * (_ENDS - middle[0]) for one in (low, high)]
        ax.fill_between(_ENDS, *ends, color=INK, alpha=0.15, linewidth=0)
        said += f" [{low:.2f}, {high:.2f}]"
    ax.plot(_ENDS, middle[1] + slope * (_ENDS - middle[0]), color=INK)
    remark(ax, said, 0.02, 0.96, va="top", color=INK)
