"""Metacognitive efficiency by scale."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._legend import draw_legend, legend_height
from inspect_confidence.plots._panels import in_order
from inspect_confidence.plots._rows import drawn
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, MARKERS, SERIES, shortened, styled


@styled
def m_ratio(rows: pd.DataFrame) -> Figure:
    """M-ratio of every scale, the data sets side by side, with 95% intervals.

    A panel a model, variant, type-1 model and threshold. At 1 confidence makes as much of the
    answer's evidence as an ideal observer would; the mean over data sets is one of them.

    Args:
        rows: Results of `scale_variants`; its rows of `m_ratio` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "scale_variants", ["m_ratio"], ["scale", "type1", "threshold"])
    found = list(_groups(there))
    scales = in_order(there["scale"].unique())
    datasets = list(there["dataset"].unique())
    names = [shortened(name) for name in datasets] if len(datasets) > 1 else []
    figure, axes = grid(
        [title for title, _ in found],
        columns=1,
        height=0.2 + len(scales) * max(0.18, 0.09 * len(datasets)),
        legend=legend_height(names),
        ticks=0.6,
        beneath=[_infinite(some) for _, some in found],
    )
    ends = _ends(there)
    axes[0].set_xlim(ends)
    axes[0].set_yticks(range(len(scales)), [shortened(scale, 16) or "-" for scale in scales])
    axes[0].set_ylim(len(scales) - 0.5, -0.5)
    for ax, (_, some) in zip(axes, found, strict=True):
        _panel(ax, some, scales, datasets, ends)
    if names:
        draw_legend(figure, axes[0].containers, names)
    name_axes(figure, "M-ratio", "scale")
    return figure


def _ends(rows: pd.DataFrame) -> tuple[float, float]:
    """Of the axis that all panels share: all finite numbers, and 1."""
    numbers = rows[["value", "ci_low", "ci_high"]].to_numpy(float)
    shown = np.append(numbers[np.isfinite(numbers)], 1)
    margin = 0.04 * max(float(np.ptp(shown)), 0.1)
    return float(shown.min()) - margin, float(shown.max()) + margin


def _panel(
    ax: Axes,
    rows: pd.DataFrame,
    scales: list[str],
    datasets: list[str],
    ends: tuple[float, float],
) -> None:
    ax.axvline(1, color=FAINT, linewidth=1, linestyle="--")
    step = 0.7 / len(datasets)
    finite = rows[np.isfinite(rows["value"])]
    beyond = ends[1] - ends[0]
    for k, dataset in enumerate(datasets):
        mine = finite[finite["dataset"] == dataset]
        aside = (k - (len(datasets) - 1) / 2) * step
        y = [scales.index(scale) + aside for scale in mine["scale"]]
        value, low, high = (mine[name].to_numpy(float) for name in ("value", "ci_low", "ci_high"))
        # An interval without an end runs out of the panel; one that is missing is not drawn.
        arms = np.array([value - low, high - value])
        arms = np.clip(np.nan_to_num(arms, nan=0, posinf=beyond), 0, None)
        ax.errorbar(
            value,
            y,
            xerr=arms,
            color=SERIES[k % 6],
            marker=MARKERS[k % 6],
            linestyle="none",
            elinewidth=1,
        )
    ax.grid(visible=False, axis="y")


def _infinite(rows: pd.DataFrame) -> str:
    """Which values of a panel have no place in it."""
    there = dict.fromkeys(rows.loc[np.isinf(rows["value"]), "scale"])
    return f"infinite, not drawn: {', '.join(there)}" if there else ""


def _groups(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: the type-1 model and the threshold always."""
    varied = [name for name in ("model", "variant") if rows[name].nunique() > 1]
    for key, some in rows.groupby(["model", "variant", "type1", "threshold"], sort=False):
        named = dict(zip(("model", "variant", "type1", "threshold"), map(str, key), strict=True))
        said = f"type-1 model {named['type1']}"
        if named["threshold"]:
            said += f", sure from {named['threshold']} on"
        who = (shortened(named[name]) for name in varied)
        yield "\n".join(filter(None, (*who, said))), some
