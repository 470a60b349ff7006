"""Answers against the best answers, by age."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._legend import draw_legend, legend_height
from inspect_confidence.plots._rows import drawn
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import MARKERS, SERIES, shortened, styled

_BY = ("model", "dataset", "variant", "window")
_SEXES = ("female", "male")
_ANSWER, _BEST = "answer", "best answer"
_EVERY = 10
"""Every so many years an answer has a mark: the sexes' marks don't stand at the same ages."""


@styled
def best_age(rows: pd.DataFrame) -> Figure:
    """The ages at death that are answered, and the best answers, by age and sex.

    A panel a model, data set, variant, window and radius. Answers are pale lines with marks, best
    answers dashed in the same colour.

    Args:
        rows: What `detail` gives of `life_eval`; its rows of `mean_answer` and `mean_best_answer`
            at single ages are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    metrics = ["mean_answer", "mean_best_answer"]
    there = rows[rows["task"] == "life_eval"]
    # Those of decades, which `summarize` gives, are written from-to.
    there = there[~there["condition"].str.contains(r"(?:^|;)age=\d+-", regex=True)]
    there = drawn(there, "life_eval", metrics, ["age", "sex", "radius", "window"])
    there = there.assign(age=there["age"].astype(float), radius=there["radius"].astype(float))
    panels = _panels(there.sort_values("radius", kind="stable"))
    sexes = _in_order(there)
    names = _names(there, sexes)
    figure, axes = grid([title for title, _ in panels], legend=legend_height(names))
    for ax, (_, some) in zip(axes, panels, strict=True):
        for k, sex in enumerate(sexes):
            _curves(ax, some[some["sex"] == sex], k, sex)
        ax.tick_params(axis="y", pad=2)
    # A sex, or its answers, may be missing in some panels.
    shown = {one.get_label(): one for ax in axes for one in ax.get_lines()}
    draw_legend(figure, [shown[name] for name in names], names)
    name_axes(figure, "age (years)", "age at death (years)")
    return figure


def _in_order(rows: pd.DataFrame) -> list[str]:
    """The sexes that there are, the study's first."""
    found = list(rows["sex"].unique())
    return sorted(found, key=lambda sex: (*(sex != one for one in _SEXES), found.index(sex)))


def _panels(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: what tells it from the others, and its radius."""
    varied = [name for name in _BY if rows[name].nunique() > 1]
    found = []
    for values, some in rows.groupby([*_BY, "radius"], sort=False):
        told = dict(zip([*_BY, "radius"], values, strict=True))
        said = [shortened(str(told[name]), 40) for name in varied if told[name]]
        found.append(("\n".join([*said, f"radius {told['radius']:g}"]), some))
    return found


def _names(rows: pd.DataFrame, sexes: list[str]) -> list[str]:
    """The legend's entries: the lines that there are."""
    there = set(zip(rows["sex"], rows["metric"], strict=True))
    whats = (("mean_answer", _ANSWER), ("mean_best_answer", _BEST))
    return [
        f"{_named(sex)}{what}" for sex in sexes for metric, what in whats if (sex, metric) in there
    ]


def _named(sex: str) -> str:
    """What labels of a sex begin with."""
    return f"{shortened(sex, 20)}, " if sex else ""


def _curves(ax: Axes, rows: pd.DataFrame, k: int, sex: str) -> None:
    """Answers and best answers of a sex; a line is broken at an age without an answer."""
    mine = {
        metric: some.set_index("age")["value"].sort_index()
        for metric, some in rows.groupby("metric")
    }
    ages = sorted(rows["age"].unique())
    colour = SERIES[k % 6]
    if "mean_answer" in mine:
        look: dict[str, Any] = {"color": colour, "marker": MARKERS[k % 6], "markersize": 4.5}
        if len(ages) > 2 * _EVERY:
            look["markevery"] = (k * _EVERY // 2 % _EVERY, _EVERY)
        # Wide and pale, so that a best answer that is the same shows on it.
        look |= {"linewidth": 3.5, "alpha": 0.45, "markeredgewidth": 0}
        ax.plot(ages, mine["mean_answer"].reindex(ages), label=f"{_named(sex)}{_ANSWER}", **look)
    if "mean_best_answer" in mine:
        best = mine["mean_best_answer"]
        look = {"color": colour, "linewidth": 1.3, "linestyle": "--"}
        ax.plot(best.index, best, label=f"{_named(sex)}{_BEST}", **look)
