"""LifeEval: overconfidence, confidence and the ages answered; and beside it the question sets."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots.confidence import draw_bins
from inspect_confidence.plots.dots import Panel, dots, series_by
from inspect_confidence.plots.layout import (
    facets,
    panels,
    select_against,
    select_rows,
    share_ticks,
    with_intervals,
)
from inspect_confidence.plots.style import DASHED, INK, RULE, mark, mark_of, point_looks, styled
from inspect_confidence.plots.text import number
from inspect_confidence.printing import shortened
from inspect_confidence.results import with_parts

_DATASET_COLUMNS = ("dataset", "variant", "window")
_PANEL_COLUMNS = ("model", *_DATASET_COLUMNS)
_panel_key = itemgetter(*_PANEL_COLUMNS)
"""Function that returns the panel to which a row belongs."""
_LEAST_REACH = 0.1
"""Least reach of an axis of overconfidence from 0, so that rounding is not taken for an effect."""


def _panels_by_radius(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each panel with its title: what distinguishes it, and its radius."""
    return panels(
        rows, (*_PANEL_COLUMNS, "radius"), always_in_title=["radius"], value_text=_title_text
    )


def _title_text(column: str, value: str) -> str:
    """Return a column's value for a title; an empty radius stands for all of them."""
    if column == "radius":
        return f"radius {float(value):g}" if value else "all radii"
    return shortened(value)


def _widen_overconfidence_axis(axes: Sequence[Axes]) -> None:
    """Make the axis that all panels share reach at least from -0.1 to 0.1."""
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(min(low, -_LEAST_REACH), max(high, _LEAST_REACH))


_SEXES = ("female", "male")
_LINE_LABELS = {"mean_answer": "answer", "mean_best_answer": "best answer"}
_YEARS_BETWEEN_MARKS = 10
"""Years between two marks of a line; the marks of the sexes are at different ages."""


@styled
def best_age(rows: pd.DataFrame) -> Figure:
    """Draw the answered ages at death and the best answers, by age and sex.

    There is one panel for each model, data set, variant, window (half-open or closed) and radius
    (years around an answer that count as right). Answers are pale lines with marks; best answers
    are dashed lines in the same colour.

    Args:
        rows: What `detail` gives of `life_eval`; its rows of `mean_answer` and `mean_best_answer`
            at single ages are drawn.
    """
    selected = rows[rows["task"] == "life_eval"]
    # The ages of `summarize` are decades such as 20-29; only single ages are drawn.
    selected = selected[~selected["condition"].str.contains(r"(?:^|;)age=\d+-", regex=True)]
    selected = select_rows(
        selected, "life_eval", list(_LINE_LABELS), parts=["age", "sex", "radius", "window"]
    )
    selected = selected.assign(
        age=selected["age"].astype(float), radius=selected["radius"].astype(float)
    )
    # First `female`, then `male`, then others in their order.
    sexes = [sex for sex in _SEXES if (selected["sex"] == sex).any()]
    sexes += [sex for sex in selected["sex"].unique() if sex not in _SEXES]
    present = set(zip(selected["sex"], selected["metric"], strict=True))
    label_by_line: dict[tuple[str, str], str] = {}
    for sex, metric in product(sexes, _LINE_LABELS):
        if (sex, metric) in present:
            beginning = f"{shortened(sex, 20)}, " if sex else ""
            label_by_line[sex, metric] = beginning + _LINE_LABELS[metric]
    return facets(
        _panels_by_radius(selected.sort_values("radius", kind="stable")),
        partial(_draw_ages, label_by_line=label_by_line, sexes=sexes),
        x="age (years)",
        y="age at death (years)",
        legend=list(label_by_line.values()),
    )


def _draw_ages(
    ax: Axes, rows: pd.DataFrame, label_by_line: Mapping[tuple[str, str], str], sexes: Sequence[str]
) -> None:
    """Draw a panel's answers and best answers by age.

    `label_by_line` has the label of each line by sex and metric; the order of `sexes` decides their
    colours.
    """
    for (sex, metric), label in label_by_line.items():
        sex_rows = rows[rows["sex"] == sex]
        line = sex_rows[sex_rows["metric"] == metric].set_index("age")["value"].sort_index()
        if line.empty:
            continue
        number_of_sex = sexes.index(sex)
        look: dict[str, Any] = {"linewidth": 1.3, "linestyle": "--"}
        if metric == "mean_answer":
            # The line is interrupted at an age without an answer.
            line = line.reindex(sorted(sex_rows["age"].unique()))
            # Wide and pale, so that a best answer that is the same shows on it.
            look = {"linewidth": 3.5, "alpha": 0.45, "markeredgewidth": 0, "markersize": 4.5}
            look["marker"] = mark(number_of_sex)["marker"]
            look["markevery"] = _marked_points(number_of_sex, len(line))
        ax.plot(line.index, line, label=label, color=mark(number_of_sex)["color"], **look)
    ax.tick_params(axis="y", pad=2)


def _marked_points(line_number: int, n_points: int) -> tuple[int, int] | None:
    """Return which points of a line are marked, as matplotlib's `markevery`: first index and step.

    A line has a point for each year and a mark for each ten years; that of an odd number has them
    five years later. For a line of at most 20 points the result is None, which marks all.
    """
    if n_points <= 2 * _YEARS_BETWEEN_MARKS:
        return None
    first_point = line_number * _YEARS_BETWEEN_MARKS // 2 % _YEARS_BETWEEN_MARKS
    return first_point, _YEARS_BETWEEN_MARKS


@styled
def confidence_truth(rows: pd.DataFrame) -> Figure:
    """Draw mean confidence in bins of the answers' true probability.

    There is a panel for each model, data set, variant, window (half-open or closed) and radius
    (years around an answer that count as right), and one over all radii. Above the diagonal
    confidence is too high. Bars at the foot are the shares of judgments in the bins; the largest
    bar of each panel has the full height.

    Args:
        rows: What `detail` gives of `life_eval`; its rows of `truth_bin_probability` and
            `truth_bin_confidence` are drawn.
    """
    selected = select_against(
        rows,
        "life_eval",
        metric="truth_bin_confidence",
        x="truth_bin_probability",
        parts=("bin", "radius", "window"),
    )
    titled = _panels_by_radius(selected)
    return facets(
        titled,
        partial(draw_bins, right=1.03, strip=0.2),
        x="true probability of the answer",
        y="mean confidence",
        remarks=lambda panel_rows: f"n = {panel_rows['n'].sum():,}",
    )


@styled
def maximum_score(rows: pd.DataFrame) -> Figure:
    """Draw the maximum achievable score by the age reached.

    There is one panel for each data set, window (half-open or closed) and sex, and one line for
    each radius (in years). The higher the line, the more can be known.

    Args:
        rows: What `detail` gives of `life_eval`; its rows of `maximum_achievable_score` at single
            ages are drawn.
    """
    parts = ["age", "sex", "radius", "window"]
    selected = select_rows(rows, "life_eval", ["maximum_achievable_score"], parts)
    selected = selected[selected["sex"] != ""]
    # If only means over both sexes are given, this raises that there is nothing to draw.
    selected = select_rows(selected, "life_eval", ["maximum_achievable_score"], parts)
    selected = selected.assign(age=selected["age"].astype(float))
    radii = sorted(selected["radius"].unique(), key=float)
    return facets(
        panels(selected, ("dataset", "window", "sex"), always_in_title=["sex"]),
        partial(_draw_maximum_scores, radii=radii),
        x="age reached (years)",
        y="maximum achievable score",
        legend=list(map("radius {}".format, radii)),
        looks=map(mark, range(len(radii))),
    )


def _draw_maximum_scores(ax: Axes, rows: pd.DataFrame, radii: Sequence[str]) -> None:
    """Draw a panel's maximum achievable score by age, a line for each radius.

    A person of this age is right if the age at death differs by at most the radius (in years) from
    the age given; the maximum is the chance of the best possible answer by the life table.
    """
    for k, radius in enumerate(radii):
        line = rows[rows["radius"] == radius].sort_values("age")
        look: dict[str, Any] = {"markersize": 4, "markevery": _marked_points(k, len(line))}
        ax.plot(line["age"], line["value"], label=f"radius {radius}", **look, **mark(k))
    ax.set_ylim(0, 1.03)
    share_ticks(ax, "y")


@styled
def confidence_scatter(rows: pd.DataFrame) -> Figure:
    """Draw the confidence in each item against the true probability of its answer.

    There is one panel for each model, data set, variant and window (half-open or closed). Marks and
    colours stand for the radii; above the diagonal confidence is too high. Very many marks are
    drawn as pixels, also in svg and pdf.

    Args:
        rows: What `detail` gives of `life_eval`; its finite rows of `item_confidence` are drawn.
    """
    parts = ("probability", "radius", "window")
    items = select_rows(rows, "life_eval", ["item_confidence"], parts)
    items = items[np.isfinite(items["value"])].assign(x=items["probability"].astype(float))
    return _item_figure(
        items, _draw_confidences, x="true probability of the answer", y="confidence"
    )


def _item_figure(
    items: pd.DataFrame, draw: Callable[..., None], x: str, y: str, **more: Any
) -> Figure:
    """Draw marks for items, a panel for each model, data set, variant and window.

    Marks have the look of their radius; very many are pixels (`rasterized`), also in svg and pdf.
    `draw(ax, rows, radii=..., rasterized=...)` draws a panel; `more` are arguments of `facets`.
    """
    radii = sorted(items["radius"].unique(), key=float)
    rasterized = len(items) > _MANY_MARKS
    figure = facets(
        panels(items, _PANEL_COLUMNS, title_of_one=False),
        partial(draw, radii=radii, rasterized=rasterized),
        x=x,
        y=y,
        legend=list(map("radius {}".format, radii)),
        looks=point_looks(len(radii)),
        **more,
    )
    if rasterized:
        figure.set_dpi(_PIXELS_PER_INCH)  # that of the pixels in svg
    return figure


def _draw_confidences(ax: Axes, rows: pd.DataFrame, radii: Sequence[str], rasterized: bool) -> None:
    """Draw a panel's items by true probability (`x`) and confidence (`value`), marked by radius."""
    ax.plot([0, 1], [0, 1], **DASHED, zorder=0)
    _draw_items(ax, rows, "x", radii=radii, rasterized=rasterized)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    share_ticks(ax, "x", "y")


def _draw_items(
    ax: Axes, rows: pd.DataFrame, x: str, radii: Sequence[str], rasterized: bool
) -> None:
    """Draw a small pale mark for each row, at the column `x` and `value`, in its radius' look.

    Rasterized marks are pixels, also in svg and pdf.
    """
    look: dict[str, Any] = {"markersize": 2.8, "markeredgewidth": 0, "alpha": 0.45}
    for radius, radius_look in zip(radii, point_looks(len(radii)), strict=True):
        of_radius = rows[rows["radius"] == radius]
        look |= {**radius_look, "label": f"radius {radius}"}
        ax.plot(of_radius[x], of_radius["value"], rasterized=rasterized, **look)


_FEW_MODELS = 5  # largest number of models whose marks have room side by side at full size


@styled
def overconfidence(rows: pd.DataFrame) -> Figure:
    """Draw overconfidence by radius, models side by side, with 95% intervals.

    There is one panel for each data set, variant and window (half-open or closed). Above 0
    confidence is too high. The last position is over all radii, which are in years.

    Args:
        rows: Results of `life_eval`; its rows of `overconfidence` are drawn.
    """
    parts = ("radius", "window")
    selected = select_rows(rows, "life_eval", ["overconfidence"], parts, excluded_parts=["age"])
    radii = sorted(set(map(float, filter(None, selected["radius"]))))
    places = {f"{radius:g}": float(k) for k, radius in enumerate(radii)} | {"": float(len(radii))}
    models = list(selected["model"].unique())
    titled = panels(selected, _DATASET_COLUMNS, title_of_one=False, separator=", ")
    return facets(
        titled,
        partial(_draw_overconfidence, places=places, models=models),
        x="radius (years on each side of the answer)",
        y="overconfidence",
        columns=1,
        panel_inches=2.2,
        legend=list(map(shortened, models)),
        handles=lambda axes: axes[0].containers,
        finish=_widen_overconfidence_axis,
    )


def _draw_overconfidence(
    ax: Axes, rows: pd.DataFrame, places: Mapping[str, float], models: Sequence[str]
) -> None:
    """Draw a panel's overconfidence by radius, models side by side.

    `places` are the positions along x by radius as text; the last one, of an empty text, is for the
    results over all radii, behind a line.
    """
    size = {} if len(models) <= _FEW_MODELS else {"markersize": 3.5, "capsize": 1.5}
    # Models divide 0.6 of a radius' room along x; the ends of it stay free.
    shifts = np.linspace(-0.3, 0.3, len(models) + 2)[1:-1]
    ax.axhline(0, **DASHED)
    for k, model in enumerate(models):
        of_model = rows[rows["model"] == model]
        x = of_model["radius"].map(places).astype(float) + shifts[k]
        look = {"label": shortened(model), "linestyle": "none", **mark_of(model, k), **size}
        with_intervals(ax, x, of_model, **look)
    ax.set_xticks(list(places.values()), [name or "all" for name in places])
    ax.set_xlim(-0.5, places[""] + 0.5)
    ax.axvline(places[""] - 0.5, color=RULE, linewidth=1.5)
    ax.grid(visible=False, axis="x")


_DIFFICULTY_ENDS = np.array([0.0, 1.0])
_MANY_MARKS = 1500
"""Number of marks from which on they are pixels: as shapes they take over 100 bytes each."""
_PIXELS_PER_INCH = 200


@styled
def hard_easy(rows: pd.DataFrame) -> Figure:
    """Draw overconfidence in each item against its difficulty, with the least-squares line.

    There is one panel for each model, data set, variant and window (half-open or closed). Marks and
    colours stand for the radii. The line has the slope of the results and goes through the means of
    all judgments. Its band spans the slope's 95% interval, which is also written above the panel.
    Very many marks are drawn as pixels, also in svg and pdf.

    Args:
        rows: What `detail` gives of `life_eval`, of which the rows of `item_overconfidence` are
            drawn, and its results, for `hard_easy_slope`.

    Raises:
        InvalidArgument: There is no row of `item_overconfidence`.
    """
    parts = ("difficulty", "radius", "window")
    finite = rows[~np.isinf(rows["value"].to_numpy(float))]  # infinite marks cannot be drawn
    items = select_rows(finite, "life_eval", ["item_overconfidence"], parts)
    items = items.assign(difficulty=items["difficulty"].astype(float))
    slopes = with_parts(
        rows[(rows["task"] == "life_eval") & (rows["metric"] == "hard_easy_slope")],
        ["variant", "window"],
    )
    slope_by_panel = {_panel_key(row): row for row in slopes.to_dict("records")}
    # Several panels are narrower.
    separator = "\n" if items.groupby(list(_PANEL_COLUMNS)).ngroups > 1 else " "
    return _item_figure(
        items,
        partial(_draw_hard_easy, slope_by_panel=slope_by_panel),
        x="difficulty: 1 - maximum achievable score",
        y="overconfidence",
        remarks=lambda panel_rows: _slope_text(
            slope_by_panel.get(_panel_key(panel_rows.iloc[0])), separator
        ),
        finish=_widen_overconfidence_axis,
    )


def _draw_hard_easy(
    ax: Axes,
    rows: pd.DataFrame,
    slope_by_panel: Mapping[Any, Mapping[Any, Any]],
    radii: Sequence[str],
    rasterized: bool,
) -> None:
    """Draw a panel's items by difficulty and overconfidence, and their regression line, if any.

    `slope_by_panel` has the row of the result `hard_easy_slope` by `_panel_key`.
    """
    ax.axhline(0, **DASHED, zorder=0)
    _draw_items(ax, rows, "difficulty", radii=radii, rasterized=rasterized)
    # Few marks on the line would be hidden by it, a line below many marks by these.
    slope_order = 2 if rasterized else 0.5
    _draw_slope(ax, rows, slope_by_panel.get(_panel_key(rows.iloc[0])), slope_order)
    ax.set(xlim=(-0.03, 1.03), xticks=[0, 0.5, 1], xticklabels=["0", "0.5", "1"])


def _slope_text(row: Mapping[Any, Any] | None, separator: str) -> str:
    """Return the slope in `row` with its 95% interval, if finite, as text; say if there is none."""
    if row is None:
        return "slope not given"
    slope, *ends = map(float, itemgetter("value", "ci_low", "ci_high")(row))
    if not np.isfinite(slope):
        return "slope undefined"
    text = f"slope {number(slope, '.2f')}"
    if not np.isfinite(ends).all():
        return text
    return f"{text}{separator}[{', '.join(number(end, '.2f') for end in ends)}]"


def _draw_slope(
    ax: Axes, items: pd.DataFrame, row: Mapping[Any, Any] | None, zorder: float
) -> None:
    """Draw the regression line of the slope in `row`, if finite, and its band, if finite.

    `zorder` is the line's place in the order of drawing; marks have 2.
    """
    if row is None or not np.isfinite(slope := float(row["value"])):
        return
    # The line, and both ends of the band, go through the means of difficulty and overconfidence.
    weights = items["n"].to_numpy(float)
    middle = np.average(items[["difficulty", "value"]].to_numpy(float), axis=0, weights=weights)
    low, high = float(row["ci_low"]), float(row["ci_high"])
    if np.isfinite([low, high]).all():
        ends = [middle[1] + end * (_DIFFICULTY_ENDS - middle[0]) for end in (low, high)]
        ax.fill_between(_DIFFICULTY_ENDS, *ends, color=INK, alpha=0.15, linewidth=0)
    heights = middle[1] + slope * (_DIFFICULTY_ENDS - middle[0])
    ax.plot(_DIFFICULTY_ENDS, heights, color=INK, zorder=zorder)


_TASKS = ("question_sets", "life_eval")
_SOURCES = ("stated", "token")


@styled
def calibration(rows: pd.DataFrame) -> Figure:
    """Draw accuracy against confidence, data sets side by side, bin by bin with 95% intervals.

    There is one panel for each data set, variant and window (half-open or closed). Its lines are
    the stated confidence and the confidence of the tokens, or one line for each group of models. On
    the diagonal confidence is calibrated; below the diagonal it is too high.

    Args:
        rows: What `detail` gives of `question_sets` and `life_eval`; its rows of `bin_accuracy` and
            `bin_confidence` over all radii are drawn.
    """
    parts = ["bin", "source", "models", "radius", "window"]
    selected = select_against(rows, _TASKS, metric="bin_accuracy", x="bin_confidence", parts=parts)
    selected = selected[selected["radius"] == ""].assign(
        source=selected["source"].replace("", "stated")
    )
    # A line is named by its model, or group of models (`models`); only the tokens' confidence is
    # named, the other is stated.
    names = selected["models"].where(selected["models"] != "", selected["model"])
    selected["line"] = names + selected["source"].map({"token": ", token"}).fillna("")
    # With one model and no groups, lines need not name it.
    if (selected["models"] == "").all() and selected["model"].nunique() == 1:
        selected["line"] = selected["source"]
    lines = list(selected["line"].unique())
    models = set(selected["model"])
    looks = {}
    for k, line in enumerate(lines):
        # A model has the colour of its own; a source or a group among several lines the next one.
        look = mark_of(line, k) if line in models or len(lines) == 1 else mark(k)
        looks[line] = {"linewidth": 1.2, **look}
    titled = []
    for title, panel_rows in panels(selected, _DATASET_COLUMNS, always_in_title=["dataset"]):
        # A judgment counts once, also if it has a stated and a token confidence.
        n = panel_rows.groupby("source")["n"].sum().max()
        titled.append((f"{title} (n = {n:,})", panel_rows))
    return facets(
        titled,
        partial(_draw_calibration, looks=looks),
        x="confidence",
        y="accuracy",
        legend=list(map(shortened, lines)),
        looks=looks.values(),
    )


def _draw_calibration(ax: Axes, rows: pd.DataFrame, looks: Mapping[str, dict[str, Any]]) -> None:
    """Draw a panel's accuracy (`value`) by confidence (`x`), and the diagonal.

    `looks` are matplotlib's arguments by the column `line`, which names the model or group of
    models, or the source of confidence.
    """
    ax.plot([0, 1], [0, 1], **DASHED)
    for line, look in looks.items():
        of_line = rows[rows["line"] == line].sort_values("x")
        if len(of_line):
            with_intervals(ax, of_line["x"], of_line, markersize=3.5, **look)
    ax.set(xlim=(-0.03, 1.05), ylim=(-0.03, 1.05))
    share_ticks(ax, "x", "y")


_REFERENCES = {"overconfidence": 0.0, "accuracy": None, "ece": None}
"""Metrics that `over_sets` draws, with the value at which a line is drawn, if any."""
_METRIC_LABELS = {"ece": "expected calibration error"}


@styled
def over_sets(rows: pd.DataFrame) -> Figure:
    """Draw a metric of every model by data set, variant and window, with 95% intervals.

    There is one panel for each data set, variant and window (half-open or closed). Stated
    confidence and the confidence of the tokens are side by side if both exist.

    Args:
        rows: Results of `question_sets` and `life_eval`; of `overconfidence`, `accuracy` and `ece`
            the first one that there is, over all radii and kinds of questions, is drawn.
    """
    parts, excluded_parts = ("source", "window"), ("radius", "kind")
    selected = select_rows(rows, _TASKS, list(_REFERENCES), parts, excluded_parts)
    # `_REFERENCES` has the metrics in order of preference.
    metric = next(name for name in _REFERENCES if (selected["metric"] == name).any())
    selected = selected[selected["metric"] == metric].assign(
        name=selected["model"], source=selected["source"].replace("", "stated")
    )
    present = set(selected["source"])
    labels = {
        source: source if len(present) > 1 else "" for source in _SOURCES if source in present
    }
    label, reference = _METRIC_LABELS.get(metric, metric), _REFERENCES[metric]
    panels_drawn = []
    for title, panel_rows in panels(selected, _DATASET_COLUMNS, always_in_title=["dataset"]):
        series = series_by(panel_rows, "source", labels)
        panels_drawn.append(
            Panel(title, label, series=series, reference=reference, names_are_models=True)
        )
    return dots(panels_drawn, list(selected["model"].unique()), "models")
