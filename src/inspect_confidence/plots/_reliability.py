"""Confidence against accuracy."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._panels import PARTS, panels
from inspect_confidence.plots._rows import drawn, with_intervals
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, RULE, SERIES, styled

_TASKS = ("scale_variants", "question_sets", "life_eval")
_STRIP = 0.22  # how far the counts reach below an accuracy of 0


@styled
def reliability(rows: pd.DataFrame) -> Figure:
    """Accuracy against confidence, bin by bin: a reliability diagram.

    A panel a model, data set, variant and condition (scale, source, radius). On the diagonal
    confidence is right; below it it is too high. Bars at the foot are the shares of judgments in
    the bins, each panel's largest at full height.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets` or `life_eval`; its rows of
            `bin_accuracy` and `bin_confidence` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    accuracy = drawn(rows, _TASKS, ["bin_accuracy"], ["bin", *PARTS])
    confidence = drawn(rows, _TASKS, ["bin_confidence"], [])
    key = ["task", "model", "dataset", "condition"]
    accuracy = accuracy.merge(
        confidence[[*key, "value"]].rename(columns={"value": "confidence"}), on=key
    )
    found = panels(accuracy, PARTS)
    titles = [f"{title} (n = {some['n'].sum():,})" for title, some in found]
    figure, axes = grid(titles)
    for ax, (_, some) in zip(axes, found, strict=True):
        _panel(ax, some.sort_values("confidence"))
    axes[0].set_xlim(-0.03, 1.12 if (accuracy["bin"] == "1").any() else 1.03)
    name_axes(figure, "confidence", "accuracy")
    return figure


def _panel(ax: Axes, bins: pd.DataFrame) -> None:
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle="--")
    width = 0.09
    left = [_left(name) + (0.1 - width) / 2 for name in bins["bin"]]
    height = bins["n"] / bins["n"].max() * _STRIP
    ax.bar(left, height, width, bottom=-_STRIP - 0.04, align="edge", color=FAINT, alpha=0.5)
    ax.axhline(-0.02, color=RULE, linewidth=0.7)
    known = bins[bins["ci_low"].notna()]
    x, low, high = (known[name].to_numpy(float) for name in ("confidence", "ci_low", "ci_high"))
    ax.fill_between(x, low, high, color=SERIES[0], alpha=0.15, linewidth=0)
    with_intervals(
        ax, bins["confidence"], bins, color=SERIES[0], marker="o", linewidth=1.2, markersize=4
    )
    ax.set_ylim(-_STRIP - 0.04, 1.04)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])


def _left(name: str) -> float:
    """Where a bin begins."""
    return float(name.split("-", 1)[0])
