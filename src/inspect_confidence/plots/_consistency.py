"""Consistency of the words chosen for numbers."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from inspect_confidence._results import decode_condition
from inspect_confidence.plots._fit import LINE, folded, legend
from inspect_confidence.plots._rows import drawn, groups, with_intervals
from inspect_confidence.plots._style import INK, MARKERS, SERIES, WIDTH, styled

_SCORES = {
    "pairwise_consistency": "pairwise",
    "monotonicity_consistency": "monotonicity",
    "empirical_consistency": "empirical",
    "empirical_monotonicity_consistency": "empirical monotonicity",
}
_MODES = {"without": "without reasoning", "with": "with reasoning", "": "both"}
_RANDOM = "random choices"


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
    titles = [folded(title, WIDTH - 0.2) if len(panels) > 1 else "" for title, _ in panels]
    lines = sum(title.count("\n") + 1 for title in titles if title)
    height = sum(1.95 * -(-some["metric"].nunique() // 2) for _, some in panels)
    figure = Figure(figsize=(WIDTH, height + LINE * lines + 0.45), layout="constrained")
    for part, (_, some), title in zip(
        figure.subfigures(len(panels), 1, squeeze=False)[:, 0], panels, titles, strict=True
    ):
        _four(part, some)
        if title:
            part.suptitle(title, x=0.02, ha="left", fontsize=10)
    shown = {
        label: handle
        for ax in figure.axes
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    # The random choices last, though their lines come before intervals.
    legend(figure, dict(sorted(shown.items(), key=lambda one: one[0] == _RANDOM)), "lower")
    return figure


def _four(figure: SubFigure, rows: pd.DataFrame) -> None:
    """A panel a score that is there, two beside each other."""
    there = {metric: rows[rows["metric"] == metric] for metric in _SCORES}
    asked = {metric: some for metric, some in there.items() if len(some)}
    down = -(-len(asked) // 2)
    axes = list(figure.subplots(down, 2, squeeze=False, sharey=True).flat)
    for ax, (metric, some) in zip(axes, asked.items(), strict=False):
        _panel(ax, some)
        ax.set_title(folded(_SCORES[metric], 1.5))
    for ax in axes[len(asked) :]:
        ax.remove()
    for ax in axes[: len(asked) : 2]:
        ax.set_ylabel("score")


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
        ax.hlines(expected, at - 0.3, at + 0.3, INK, "--", label=_RANDOM)
    labels = [size or "all" for size in sizes]
    ax.set_xticks(range(len(sizes)), labels)
    ax.set(ylim=(-0.03, 1.05), xlim=(-0.5, len(sizes) - 0.5))
    if len(sizes) > 1:
        ax.set_xlabel("words to choose from")
    ax.grid(visible=False, axis="x")
