"""The hard-easy effect: overconfidence against difficulty, item by item."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence.plots.layout import (
    draw_legend,
    drawn,
    grid,
    groups,
    legend_height,
    name_axes,
    with_intervals,
)
from inspect_confidence.plots.profiles import number
from inspect_confidence.plots.style import FAINT, INK, MARKERS, RULE, SERIES, shortened, styled
from inspect_confidence.results import with_parts

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
    panels = _age_panels(there.sort_values("radius", kind="stable"))
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


def _age_panels(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
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


_STRIP = 0.2
"""How far the counts reach below a confidence of 0."""
_WIDE = 0.09


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


_ALL = "all"
_PARTS = ("radius", "window", "age")
_HIGH = 2.2  # inches a panel
_LEAST = 0.1
"""The axis reaches so far from 0 at least: what is only rounding must not look like an effect."""
_FEW = 5
"""Models whose marks have room for their full size side by side."""


@styled
def overconfidence(rows: pd.DataFrame) -> Figure:
    """Overconfidence by radius, models side by side, with 95% intervals.

    A panel a data set, variant and window. Above 0 confidence is too high. The last place is over
    all radii.

    Args:
        rows: Results of `life_eval`; its rows of `overconfidence` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "life_eval", ["overconfidence"], _PARTS)
    there = there[there["age"] == ""]
    radii = sorted({float(one) for one in there["radius"] if one})
    places = {f"{radius:g}": float(k) for k, radius in enumerate(radii)} | {"": float(len(radii))}
    models = list(there["model"].unique())
    panels = list(groups(there, ["dataset", "variant", "window"]))
    names = [shortened(model) for model in models]
    titles = [title if len(panels) > 1 else "" for title, _ in panels]
    figure, axes = grid(titles, columns=1, height=_HIGH, legend=legend_height(names))
    aside = np.linspace(-0.3, 0.3, len(models) + 2)[1:-1]
    for ax, (_, some) in zip(axes, panels, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--")
        for k, model in enumerate(models):
            mine = some[some["model"] == model]
            x = mine["radius"].map(places) + aside[k]
            with_intervals(ax, x, mine, label=names[k], **_overconfidence_look(k, len(models)))
        _name_places(ax, places)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(min(low, -_LEAST), max(high, _LEAST))
    draw_legend(figure, axes[0].containers, names)
    name_axes(figure, "radius (years on each side of the answer)", "overconfidence")
    return figure


def _overconfidence_look(k: int, of: int) -> dict[str, object]:
    """How a series is drawn: no two of the first 36 have colour and mark in common."""
    look: dict[str, object] = {"color": SERIES[k % 6], "marker": MARKERS[(k + k // 6) % 6]}
    look["linestyle"] = "none"
    return look if of <= _FEW else {**look, "markersize": 3.5, "capsize": 1.5}


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

    Returns:
        The figure.

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
    panels = list(items.groupby(list(_BY), sort=False))
    varied = [name for name in _BY if items[name].nunique() > 1]
    titles = [_title(dict(zip(_BY, map(str, key), strict=True)), varied) for key, _ in panels]
    names = [f"radius {radius}" for radius in radii]
    apart = "\n" if len(panels) > 1 else " "
    said = [_said(slope_of.get(key), apart) for key, _ in panels]
    figure, axes = grid(titles, legend=legend_height(names), beneath=said)
    many = len(items) > _MANY
    if many:
        figure.set_dpi(_RESOLUTION)  # that of the pixels in svg
    for ax, (key, some) in zip(axes, panels, strict=True):
        ax.axhline(0, color=FAINT, linewidth=1, linestyle="--", zorder=0)
        for k, radius in enumerate(radii):
            mine = some[some["radius"] == radius]
            _marks(ax, mine, _look(k), names[k], pixels=many)
        _line(ax, some, slope_of.get(key))
    axes[0].set(xlim=(-0.03, 1.03), xticks=[0, 0.5, 1], xticklabels=["0", "0.5", "1"])
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(min(low, -_LEAST), max(high, _LEAST))
    draw_legend(figure, [Line2D([], [], **_look(k)) for k in range(len(radii))], names)
    name_axes(figure, "difficulty: 1 - maximum achievable score", "overconfidence")
    return figure


def _title(told: Mapping[str, str], varied: list[str]) -> str:
    return "\n".join(shortened(told[name]) for name in varied if told[name])


def _look(k: int) -> dict[str, Any]:
    return {"color": SERIES[k % 6], "marker": MARKERS[k % 6], "linestyle": "none"}


def _marks(
    ax: Axes, items: pd.DataFrame, look: dict[str, Any], label: str, *, pixels: bool
) -> None:
    thin: dict[str, Any] = {
        "markersize": 2.8,
        "markeredgewidth": 0,
        "alpha": 0.45,
        "rasterized": pixels,
    }
    ax.plot(items["difficulty"], items["value"], label=label, **look, **thin)


def _said(row: Mapping[Any, Any] | None, apart: str) -> str:
    """The slope with its interval in words."""
    if row is None:
        return "slope not given"
    slope, low, high = (float(row[name]) for name in ("value", "ci_low", "ci_high"))
    if not np.isfinite(slope):
        return "slope undefined"
    said = f"slope {number(slope, '.2f')}"
    if not np.isfinite([low, high]).all():
        return said
    return f"{said}{apart}[{number(low, '.2f')}, {number(high, '.2f')}]"


def _line(ax: Axes, items: pd.DataFrame, row: Mapping[Any, Any] | None) -> None:
    """The line and its band, where the slope is known."""
    slope = float(row["value"]) if row else np.nan
    if row is None or not np.isfinite(slope):
        return
    weights = items["n"].to_numpy(float)
    middle = np.average(items[["difficulty", "value"]].to_numpy(float), axis=0, weights=weights)
    low, high = float(row["ci_low"]), float(row["ci_high"])
    if np.isfinite([low, high]).all():
        ends = [middle[1] + one * (_ENDS - middle[0]) for one in (low, high)]
        ax.fill_between(_ENDS, *ends, color=INK, alpha=0.15, linewidth=0)
    ax.plot(_ENDS, middle[1] + slope * (_ENDS - middle[0]), color=INK)
