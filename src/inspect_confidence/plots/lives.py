"""LifeEval: overconfidence by radius and difficulty, confidence, and the ages answered."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence.plots.confidence import draw_bins
from inspect_confidence.plots.layout import (
    draw_legend,
    drawn,
    grid,
    name_axes,
    panels,
    with_intervals,
)
from inspect_confidence.plots.style import FAINT, INK, RULE, mark, shortened, styled
from inspect_confidence.plots.text import number
from inspect_confidence.results import with_parts

_BY = ("model", "dataset", "variant", "window")
_LEAST = 0.1
"""An axis of overconfidence reaches so far from 0 at least: rounding must not look like an effect.
"""


def _by_radius(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: what tells it from the others, and its radius."""
    return panels(rows, (*_BY, "radius"), always=["radius"], say=_spoken)


def _spoken(name: str, value: str) -> str:
    if name != "radius":
        return shortened(value)
    return f"radius {float(value):g}" if value else "all radii"


def _overconfidence_axis(ax: Axes) -> None:
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, -_LEAST), max(high, _LEAST))


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
    """
    metrics = ["mean_answer", "mean_best_answer"]
    there = rows[rows["task"] == "life_eval"]
    # Those of decades, which `summarize` gives, are written from-to.
    there = there[~there["condition"].str.contains(r"(?:^|;)age=\d+-", regex=True)]
    there = drawn(there, "life_eval", metrics, ["age", "sex", "radius", "window"])
    there = there.assign(age=there["age"].astype(float), radius=there["radius"].astype(float))
    found = _by_radius(there.sort_values("radius", kind="stable"))
    sexes = _in_order(there)
    names = _names(there, sexes)
    figure, axes = grid([title for title, _ in found], legend=names)
    for ax, (_, some) in zip(axes, found, strict=True):
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
    if "mean_answer" in mine:
        look: dict[str, Any] = {**mark(k), "markersize": 4.5}
        if len(ages) > 2 * _EVERY:
            look["markevery"] = (k * _EVERY // 2 % _EVERY, _EVERY)
        # Wide and pale, so that a best answer that is the same shows on it.
        look |= {"linewidth": 3.5, "alpha": 0.45, "markeredgewidth": 0}
        ax.plot(ages, mine["mean_answer"].reindex(ages), label=f"{_named(sex)}{_ANSWER}", **look)
    if "mean_best_answer" in mine:
        best = mine["mean_best_answer"]
        look = {"color": mark(k)["color"], "linewidth": 1.3, "linestyle": "--"}
        ax.plot(best.index, best, label=f"{_named(sex)}{_BEST}", **look)


@styled
def confidence_truth(rows: pd.DataFrame) -> Figure:
    """Mean confidence in bins of the answers' true probability.

    A panel a model, data set, variant, window and radius, and one over all radii. Above the
    diagonal confidence is too high. Bars at the foot are the shares of judgments in the bins,
    each panel's largest at full height.

    Args:
        rows: What `detail` gives of `life_eval`; its rows of `truth_bin_probability` and
            `truth_bin_confidence` are drawn.
    """
    parts = ("bin", "radius", "window")
    confidence = drawn(rows, "life_eval", ["truth_bin_confidence"], parts)
    truth = drawn(rows, "life_eval", ["truth_bin_probability"], [])
    key = ["model", "dataset", "condition"]
    truth = truth[[*key, "value"]].rename(columns={"value": "truth"})
    found = _by_radius(confidence.merge(truth, on=key))
    counts = [f"n = {some['n'].sum():,}" for _, some in found]
    figure, axes = grid([title for title, _ in found], beneath=counts)
    for ax, (_, some) in zip(axes, found, strict=True):
        bins = some.sort_values("truth")
        draw_bins(ax, bins["truth"], bins, strip=0.2)
    axes[0].set_xlim(-0.03, 1.03)
    name_axes(figure, "true probability of the answer", "mean confidence")
    return figure


_ALL = "all"
_PARTS = ("radius", "window", "age")
_HIGH = 2.2  # inches a panel
_FEW = 5
"""Models whose marks have room for their full size side by side."""


@styled
def overconfidence(rows: pd.DataFrame) -> Figure:
    """Overconfidence by radius, models side by side, with 95% intervals.

    A panel a data set, variant and window. Above 0 confidence is too high. The last place is over
    all radii.

    Args:
        rows: Results of `life_eval`; its rows of `overconfidence` are drawn.
    """
    there = drawn(rows, "life_eval", ["overconfidence"], _PARTS)
    there = there[there["age"] == ""]
    radii = sorted({float(one) for one in there["radius"] if one})
    places = {f"{radius:g}": float(k) for k, radius in enumerate(radii)} | {"": float(len(radii))}
    models = list(there["model"].unique())
    found = panels(there, ("dataset", "variant", "window"), joint=", ")
    names = [shortened(model) for model in models]
    titles = [title if len(found) > 1 else "" for title, _ in found]
    figure, axes = grid(titles, columns=1, height=_HIGH, legend=names)
    size = {} if len(models) <= _FEW else {"markersize": 3.5, "capsize": 1.5}
    aside = np.linspace(-0.3, 0.3, len(models) + 2)[1:-1]
    for ax, (_, some) in zip(axes, found, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--")
        for k, model in enumerate(models):
            mine = some[some["model"] == model]
            x = mine["radius"].map(places).astype(float) + aside[k]
            with_intervals(ax, x, mine, label=names[k], linestyle="none", **mark(k), **size)
        _name_places(ax, places)
    _overconfidence_axis(axes[0])
    draw_legend(figure, axes[0].containers, names)
    name_axes(figure, "radius (years on each side of the answer)", "overconfidence")
    return figure


def _name_places(ax: Axes, places: Mapping[str, float]) -> None:
    """The radii, and all of them apart from each."""
    ax.set_xticks(list(places.values()), [name or _ALL for name in places])
    ax.set_xlim(-0.5, max(places.values()) + 0.5)
    ax.axvline(places[""] - 0.5, color=RULE, linewidth=1.5)
    ax.grid(visible=False, axis="x")


_ENDS = np.array([0.0, 1.0])
_MANY = 1500
"""So many marks are a picture within the figure: as shapes they take more than 100 bytes each."""
_RESOLUTION = 200


@styled
def hard_easy(rows: pd.DataFrame) -> Figure:
    """Overconfidence in each item against its difficulty, with the least-squares line.

    A panel a model, data set, variant and window. Marks and colours are the radii. The line has the
    slope of the results and goes through the means of all judgments; its band spans the slope's
    95% interval, which is also in words. Where there are very many marks, they are pixels, also in
    svg and pdf.

    Args:
        rows: What `detail` gives of `life_eval`, of which the rows of `item_overconfidence` are
            drawn, and its results, for `hard_easy_slope`.

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
    found = panels(items, _BY)
    titles = [title if len(found) > 1 else "" for title, _ in found]
    lines = [slope_of.get(tuple(some[name].iloc[0] for name in _BY)) for _, some in found]
    names = [f"radius {radius}" for radius in radii]
    looks: list[dict[str, Any]] = [{**mark(k), "linestyle": "none"} for k in range(len(radii))]
    apart = "\n" if len(found) > 1 else " "
    said = [_said(line, apart) for line in lines]
    figure, axes = grid(titles, legend=names, beneath=said)
    many = len(items) > _MANY
    if many:
        figure.set_dpi(_RESOLUTION)  # that of the pixels in svg
    thin: dict[str, Any] = {
        "markersize": 2.8,
        "markeredgewidth": 0,
        "alpha": 0.45,
        "rasterized": many,
    }
    for ax, (_, some), line in zip(axes, found, lines, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--", zorder=0)
        for radius, name, look in zip(radii, names, looks, strict=True):
            mine = some[some["radius"] == radius]
            ax.plot(mine["difficulty"], mine["value"], label=name, **look, **thin)
        _line(ax, some, line)
    axes[0].set(xlim=(-0.03, 1.03), xticks=[0, 0.5, 1], xticklabels=["0", "0.5", "1"])
    _overconfidence_axis(axes[0])
    draw_legend(figure, [Line2D([], [], **look) for look in looks], names)
    name_axes(figure, "difficulty: 1 - maximum achievable score", "overconfidence")
    return figure


def _said(row: Mapping[Any, Any] | None, apart: str) -> str:
    """The slope with its interval in words."""
    if row is None:
        return "slope not given"
    slope, *ends = (float(row[name]) for name in ("value", "ci_low", "ci_high"))
    if not np.isfinite(slope):
        return "slope undefined"
    said = f"slope {number(slope, '.2f')}"
    if not np.isfinite(ends).all():
        return said
    return f"{said}{apart}[{', '.join(number(end, '.2f') for end in ends)}]"


def _line(ax: Axes, items: pd.DataFrame, row: Mapping[Any, Any] | None) -> None:
    """The line and its band, where the slope is known."""
    if row is None or not np.isfinite(slope := float(row["value"])):
        return
    weights = items["n"].to_numpy(float)
    middle = np.average(items[["difficulty", "value"]].to_numpy(float), axis=0, weights=weights)
    low, high = float(row["ci_low"]), float(row["ci_high"])
    if np.isfinite([low, high]).all():
        ends = [middle[1] + one * (_ENDS - middle[0]) for one in (low, high)]
        ax.fill_between(_ENDS, *ends, color=INK, alpha=0.15, linewidth=0)
    ax.plot(_ENDS, middle[1] + slope * (_ENDS - middle[0]), color=INK)
