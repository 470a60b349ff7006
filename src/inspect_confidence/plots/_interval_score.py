"""The interval score by level and method."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from inspect_confidence.plots._fitting import brief
from inspect_confidence.plots._interval_lines import (
    canvas_of,
    ceiling_of,
    draw_lines,
    levels_of,
    lines,
)
from inspect_confidence.plots._small_multiples import name_axes
from inspect_confidence.plots._style import styled

_WIDE = 5  # times: a range that a linear axis would press together
_MANY = 200  # times: above, labels at 2 and 5 would be too many


@styled
def interval_score(rows: pd.DataFrame) -> Figure:
    """Mean interval score by nominal level, before and after adjustment; lower is better.

    A panel a model, data set, variant and method, all on one axis, which is logarithmic where
    scores differ more than fivefold. Where there is a test split, it alone is drawn.

    Args:
        rows: Results of `fermi_eval`; its rows of `interval_score` are drawn with their intervals.
            Infinite ones are named above their panel.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = lines(rows, ["interval_score"])
    top, levels = ceiling_of(there), levels_of(there)
    figure, panels = canvas_of(there)
    for ax, some in panels:
        draw_lines(ax, some, levels, top)
    _scaled(panels[0][0], there, top)
    name_axes(figure, "nominal level (%)", "interval score")
    return figure


def _scaled(ax: Axes, rows: pd.DataFrame, top: float) -> None:
    """The axis that suits the range of the finite values."""
    values, ends = rows["value"].to_numpy(float), rows["ci_low"].to_numpy(float)
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() <= 0 or finite.max() < _WIDE * finite.min():
        ax.set_ylim(0, top)
    else:
        # An interval may reach 0, which has no place on the axis.
        least = ends[ends > finite.min() / _WIDE].min(initial=finite.min())
        low, high = min(finite.min() / 2, 0.9 * least), 1.3 * top
        ax.set_yscale("log")
        ax.set_ylim(low, high)
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _MANY * low else (1,)))
        ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: brief(value)))
