"""Nominal against observed coverage."""

import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._interval_lines import canvas_of, draw_lines, levels_of, lines
from inspect_confidence.plots._small_multiples import name_axes
from inspect_confidence.plots._style import FAINT, styled


@styled
def coverage(rows: pd.DataFrame) -> Figure:
    """Observed coverage by nominal level, before and after adjustment.

    A panel a model, data set, variant and method. On the dashed line intervals hold the truth as
    often as they are said to; below it they are overconfident. Where there is a test split, it
    alone is drawn, since adjustments were learned on the train split.

    Args:
        rows: Results of `fermi_eval`; its rows of `coverage` are drawn with their intervals.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = lines(rows, ["coverage"])
    levels = levels_of(there)
    figure, panels = canvas_of(there)
    for ax, some in panels:
        nominal = [level / 100 for level in levels]
        ax.plot(range(len(levels)), nominal, color=FAINT, linewidth=1, linestyle=(0, (3, 2)))
        draw_lines(ax, some, levels, 1)
    panels[0][0].set_ylim(0, 1.03)
    name_axes(figure, "nominal level (%)", "observed coverage")
    return figure
