"""Consistency of the words chosen for numbers."""

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence._results import decode_condition
from inspect_confidence.plots._rows import drawn, groups, with_intervals
from inspect_confidence.plots._style import INK, MARKERS, SERIES, canvas, styled

_SCORES = {
    "pairwise_consistency": "pairwise",
    "monotonicity_consistency": "monotonicity",
    "empirical_consistency": "empirical",
    "empirical_monotonicity_consistency": "empirical monotonicity",
}
_MODES = {"without": "without reasoning", "with": "with reasoning", "": "both"}


@styled
def consistency(rows: pd.DataFrame) -> Figure:
    """The four consistency scores with 95% intervals, beside those of random choices.

    Four panels a model, data set and variant; along x all prompts, and each number of choices.
    With and without reasoning have marks of their own; both together are drawn where nothing else
    is there. Dashes are the expected scores of random choices.

    Args:
        rows: Results of `wep_choice`; its rows of the four scores are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    chosen = rows[rows["condition"].map(_plain).astype(bool)]
    there = drawn(chosen, "wep_choice", list(_SCORES), ("cot", "choice_set", "baseline"))
    panels = list(groups(there, ["model", "dataset", "variant"]))
    figure, axes = canvas(2 * len(panels), 2, width=6, height=5.2 * len(panels) + 0.3)
    for k, (title, some) in enumerate(panels):
        for ax, (metric, name) in zip(axes[4 * k :], _SCORES.items(), strict=False):
            mine = some[some["metric"] == metric]
            if mine.empty:
                ax.remove()
                continue
            _panel(ax, mine)
            ax.set_title(f"{name}\n{fill(title, 38)}" if len(panels) > 1 else name)
    shown = {
        label: handle
        for ax in axes
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=3)
    return figure


def _plain(condition: str) -> bool:
    """Whether it is a score by reasoning and choice set alone, or its expectation by chance."""
    parts = decode_condition(condition)
    known = {"cot", "choice_set", "baseline", "variant"}
    return set(parts) <= known and parts.get("baseline", "expected") == "expected"


def _panel(ax: Axes, rows: pd.DataFrame) -> None:
    sizes = sorted(set(rows["choice_set"]), key=lambda size: float(size or 0))
    places = {size: place for place, size in enumerate(sizes)}
    rows = rows.assign(x=rows["choice_set"].map(places)).drop_duplicates("condition")
    scored = rows[rows["baseline"] == ""]
    asked = set(scored["cot"])
    modes = [mode for mode in ("without", "with", "") if mode in asked]
    if len(modes) > 1 and "" in modes:  # both together lie between the two
        modes.remove("")
    for i, mode in enumerate(modes):
        mine = scored[scored["cot"] == mode]
        x = mine["x"].astype(float) + 0.2 * (i - (len(modes) - 1) / 2)
        look: dict[str, Any] = {"color": SERIES[i], "marker": MARKERS[i], "linestyle": "none"}
        with_intervals(ax, x, mine, **look, label=_MODES[mode])
    chance = rows[rows["baseline"] == "expected"]
    if len(chance):
        at = chance["x"].to_numpy(float)
        expected = chance["value"].to_numpy(float)
        ax.hlines(expected, at - 0.3, at + 0.3, INK, "--", label="random choices")
    labels = [f"{size} choices" if size else "all" for size in sizes]
    ax.set_xticks(range(len(sizes)), labels)
    ax.set(ylim=(-0.03, 1.05), xlim=(-0.5, len(sizes) - 0.5), ylabel="score")
    ax.grid(visible=False, axis="x")
