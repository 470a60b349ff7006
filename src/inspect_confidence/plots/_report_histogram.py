"""The confidences that were reported, on their own scale."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from inspect_confidence.plots._fitting import brief, inches_of
from inspect_confidence.plots._panels import PARTS, ends_of, panels
from inspect_confidence.plots._rows import drawn
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, SERIES, styled

_TASKS = ("scale_variants", "question_sets", "life_eval")
_MOST_INTERVALS = 40
_TICK = 9.0  # points
_TWICE_THE_MARGIN = 0.3  # inches: half of a wider label would not fit beside the last panel
_MANY = 5  # panels, each of which has tick labels beneath it


@styled
def report_histogram(rows: pd.DataFrame) -> Figure:
    """How often each confidence was reported, on the scale that was asked for.

    A panel a model, data set, variant and condition (scale, source, radius), a bar a value, with
    its 95% interval up to 40 values.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets` or `life_eval`; its rows of
            `report_share` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, _TASKS, ["report_share"], ["report", *PARTS])
    found = panels(there, PARTS)
    titles = [f"{title} (n = {some['n'].max():,})" for title, some in found]
    # The more points a scale has, the less falls on each: a common axis would hide the shape.
    figure, axes = grid(titles, height=None if len(found) < _MANY else 1.0, shared=False, ticks=0.4)
    for ax, (_, some) in zip(axes, found, strict=True):
        _panel(ax, some)
    name_axes(figure, "reported confidence", "share of reports")
    return figure


def _panel(ax: Axes, rows: pd.DataFrame) -> None:
    share = rows["value"].to_numpy(float)
    finite = np.isfinite(share)
    reported = rows["report"].astype(float).to_numpy()[finite]
    low, high = ends_of(str(rows["scale"].iloc[0])) or (0.0, max(1.0, *reported))
    # As wide as the values leave room for, but neither too thin to be seen nor a block.
    room = 0.8 * np.diff(np.unique(reported)).min(initial=np.inf)
    width = float(np.clip(room, (high - low) / 100, max((high - low) / 30, 0.8 * (high > 1))))
    ax.bar(reported, share[finite], width, color=SERIES[0])
    if len(reported) <= _MOST_INTERVALS:
        interval = rows[["ci_low", "ci_high"]].to_numpy(float)[finite]
        ax.vlines(reported, *interval.T, color=FAINT, linewidth=0.9)
    beyond = width / 2 + 0.02 * (high - low)
    ax.set_xlim(min([low, *reported]) - beyond, max([high, *reported]) + beyond)
    ticks = [low, (low + high) / 2, high]
    labels = [brief(tick) for tick in ticks]
    wide = inches_of(labels[-1], _TICK) > _TWICE_THE_MARGIN
    ax.set_xticks(ticks, [labels[0], "" if wide else labels[1], labels[2]])
    if wide:
        ax.get_xticklabels()[-1].set_horizontalalignment("right")
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator(3))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
    ax.grid(visible=False, axis="x")
