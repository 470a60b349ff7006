"""Stated confidence against the true probability."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._rows import drawn, with_intervals
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, RULE, SERIES, shortened, styled

_STRIP = 0.2
"""How far the counts reach below a confidence of 0."""
_WIDE = 0.09
_BY = ("model", "dataset", "variant", "window")


@styled
def confidence_truth(rows: pd.DataFrame) -> Figure:
    """Mean confidence in bins of the answers' true probability.

    A panel a model, data set, variant, window and radius, and one over all radii. Above the
    diagonal confidence is too high. Bars at the foot are the shares of judgments in the bins,
    each panel's largest at full height.

    Args:
        rows: What `detail` gives of `life_eval`; its rows of `truth_bin_probability` and
            `truth_bin_confidence` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    parts = ("bin", "radius", "window")
    confidence = drawn(rows, "life_eval", ["truth_bin_confidence"], parts)
    truth = drawn(rows, "life_eval", ["truth_bin_probability"], [])
    key = ["model", "dataset", "condition"]
    truth = truth[[*key, "value"]].rename(columns={"value": "truth"})
    panels = _panels(confidence.merge(truth, on=key))
    counts = [f"n = {some['n'].sum():,}" for _, some in panels]
    figure, axes = grid([title for title, _ in panels], beneath=counts)
    for ax, (_, some) in zip(axes, panels, strict=True):
        _panel(ax, some.sort_values("truth"))
    name_axes(figure, "true probability of the answer", "mean confidence")
    return figure


def _panels(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: what tells it from the others, and its radius."""
    varied = [name for name in _BY if rows[name].nunique() > 1]
    found = []
    for values, some in rows.groupby([*_BY, "radius"], sort=False):
        told = dict(zip([*_BY, "radius"], map(str, values), strict=True))
        said = [shortened(told[name]) for name in varied if told[name]]
        radius = f"radius {told['radius']}" if told["radius"] else "all radii"
        found.append(("\n".join([*said, radius]), some))
    return found


def _panel(ax: Axes, bins: pd.DataFrame) -> None:
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle="--")
    left = [float(name.split("-")[0]) + (0.1 - _WIDE) / 2 for name in bins["bin"]]
    height = bins["n"] / bins["n"].max() * _STRIP
    ax.bar(left, height, _WIDE, bottom=-_STRIP - 0.04, align="edge", color=FAINT, alpha=0.5)
    ax.axhline(-0.02, color=RULE, linewidth=0.7)
    with_intervals(
        ax, bins["truth"], bins, color=SERIES[0], marker="o", linewidth=1.2, markersize=4
    )
    ax.set(xlim=(-0.03, 1.03), ylim=(-_STRIP - 0.04, 1.04))
    for name in ("x", "y"):
        ax.set(**{f"{name}ticks": [0, 0.25, 0.5, 0.75, 1]})
        ax.set(**{f"{name}ticklabels": ["0", "", "0.5", "", "1"]})
