"""All models on the same axes: a study's finding in one picture."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from inspect_confidence.plots.dots import Panel, dots, series_by
from inspect_confidence.plots.layout import (
    facets,
    panels,
    select_rows,
    share_ticks,
    with_both_intervals,
    with_intervals,
)
from inspect_confidence.plots.markers import markers_by_frequency, select_whole_markers
from inspect_confidence.plots.style import DASHED, mark_of, styled
from inspect_confidence.printing import shortened
from inspect_confidence.results import with_parts
from inspect_confidence.scales import ALL
from inspect_confidence.studies.hedge_markers.forms import DEFAULT_THRESHOLD

_SPREAD = 0.5
"""Share of the distance between levels over which models are spread, so that none is hidden."""
_NAME_CHARACTERS = 48  # characters of a model's name in a legend as wide as the figure


@styled
def coverage_of_models(rows: pd.DataFrame) -> Figure:
    """Draw observed coverage by nominal level of intervals as stated, one line per model.

    There is one panel for each data set and variant. On the dashed line intervals contain the truth
    as often as their level says; below the line models are overconfident.

    Args:
        rows: Results of `fermi_eval`; its rows of `coverage` of the method `direct` are drawn, over
            all items where there are such, and else over the test split.
    """
    selected = select_rows(
        rows,
        "fermi_eval",
        ["coverage"],
        parts=("level", "method", "split"),
        excluded_parts=("traces",),
    )
    # As stated (`direct`), at one level, and not of a mean over n reasonings (`traces=n`).
    selected = selected[(selected["level"] != "") & (selected["method"] == "direct")]
    selected = _of_first_split(selected)
    # Selected again, which raises if no row is left.
    selected = select_rows(selected, "fermi_eval", ["coverage"], parts=("level",))
    levels = sorted(set(selected["level"].astype(float)))
    looks = _looks_of_models(selected)
    titled = panels(selected, ("dataset", "variant"), title_of_one=False, separator=", ")
    # A single panel is as wide as the figure, and higher.
    size: dict[str, Any] = {"columns": 1, "panel_inches": 2.6} if len(titled) == 1 else {}
    return _model_facets(
        titled,
        partial(_draw_coverage, levels=levels, looks=looks),
        x="nominal level (%)",
        y="observed coverage",
        looks=looks,
        **size,
    )


def rows_of_first_split(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of intervals as stated without those that `coverage_of_models` does not draw.

    It draws one split, and no rows without a level or of averaged reasoning traces (`traces`).
    Undefined numbers stay, since they say why a figure lacks them.
    """
    lines = with_parts(rows[rows["value"].notna()], ["variant", "level", "split", "traces"])
    drawn_lines = _of_first_split(lines[(lines["level"] != "") & (lines["traces"] == "")])
    is_drawn = rows.index.isin(drawn_lines["row"])
    return rows[is_drawn | rows["value"].isna()]


def _of_first_split(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each model, data set, variant and level.

    It is of all items if there is such a row, else of the test split, else of another split.
    """
    rows = rows.sort_values(
        "split", key=lambda split: split.map(_SPLIT_ORDER).fillna(2), kind="stable"
    )
    return rows.drop_duplicates(["model", "dataset", "variant", "level"])


_SPLIT_ORDER = {"": 0, "test": 1}
Looks = Mapping[str, dict[str, Any]]
"""Matplotlib's arguments for the marks of each model, by the model's name."""


def _draw_coverage(ax: Axes, rows: pd.DataFrame, levels: Sequence[float], looks: Looks) -> None:
    """Draw coverage by nominal level (in %): the ideal, and a line for each model of `looks`."""
    ax.plot(range(len(levels)), np.array(levels) / 100, **DASHED)
    _draw_model_lines(ax, rows, "level", ticks=levels, looks=looks)
    ax.set(ylim=(0, 1.03))
    share_ticks(ax, "y")


def _draw_model_lines(
    ax: Axes, rows: pd.DataFrame, column: str, ticks: Sequence[float], looks: Looks
) -> None:
    """Draw a line with intervals for each model, at evenly spaced ticks.

    `ticks` are the numbers that occur in the column, which has them as text; `looks` are
    matplotlib's arguments by model. Models are shifted along x, so that no interval hides another.
    """
    for k, (model, look) in enumerate(looks.items()):
        of_model = rows[rows["model"] == model]
        shift = _SPREAD * ((k + 0.5) / len(looks) - 0.5)  # 0 for a single model
        x = of_model[column].astype(float).map(ticks.index) + shift
        order = np.argsort(x.to_numpy(float))
        with_intervals(ax, x.iloc[order], of_model.iloc[order], **look, linewidth=1.2)
    ax.set_xticks(range(len(ticks)), list(map("{:g}".format, ticks)))


def _looks_of_models(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return the look of each model; marks are smaller if there are many models."""
    models = list(rows["model"].unique())
    size = 4.5 if len(models) <= 6 else 3.5
    return {model: {**mark_of(model, k), "markersize": size} for k, model in enumerate(models)}


def _model_facets(
    titled: list[tuple[str, pd.DataFrame]],
    draw: Callable[[Axes, pd.DataFrame], object],
    x: str,
    y: str,
    looks: Looks,
    **more: Any,
) -> Figure:
    """Draw a panel for each title, with a legend of the models.

    `draw` is called with each panel's axes and rows; `looks` are matplotlib's arguments by model;
    `more` are further arguments of `facets`.
    """
    point_looks = [{"linestyle": "none", **look} for look in looks.values()]
    names = [shortened(model, _NAME_CHARACTERS) for model in looks]
    return facets(titled, draw, x=x, y=y, legend=names, looks=point_looks, **more)


_CALIBRATION = ("question_sets", "any_eval")


@styled
def says_and_right(rows: pd.DataFrame) -> Figure:
    """Draw accuracy against mean confidence, one mark per model, with both 95% intervals.

    There is one panel for each data set, method, scale, source of confidence and variant. On the
    diagonal models are right as often as they say; below it they are overconfident.

    Args:
        rows: Results of `any_eval` or `question_sets`; its rows of `accuracy` and `mean_confidence`
            over all questions are drawn.
    """
    parts, excluded_parts = ("method", "scale", "source"), ("by", "kind", "models")
    selected = select_rows(
        rows, _CALIBRATION, ["accuracy", "mean_confidence"], parts, excluded_parts
    )
    keys = ["dataset", "method", "scale", "source", "variant", "model"]
    selected = selected.drop_duplicates([*keys, "metric"])  # a row may be given twice
    accuracies = selected[selected["metric"] == "accuracy"]
    x_columns = {"value": "x", "ci_low": "x_ci_low", "ci_high": "x_ci_high"}
    confidences = selected[selected["metric"] == "mean_confidence"]
    confidences = confidences[[*keys, *x_columns]].rename(columns=x_columns)
    # One row for each model; selecting again raises if no model has both metrics.
    pairs = select_rows(accuracies.merge(confidences, on=keys), _CALIBRATION, ["accuracy"], parts)
    looks = _looks_of_models(pairs)
    lowest = pairs[["value", "x", "ci_low", "x_ci_low"]].min().min()
    low = min(float(np.floor(10 * lowest) / 10), 0.9)  # the tenth below, for both axes
    titled = panels(pairs, ("dataset", "method", "scale", "source", "variant"), title_of_one=False)
    # A single panel is as wide as the figure, and higher.
    size: dict[str, Any] = {"columns": 1, "panel_inches": 3.2} if len(titled) == 1 else {}
    most_ticks = 6 if len(titled) == 1 else 5
    draw = partial(_draw_says_and_right, looks=looks, low=low, most_ticks=most_ticks)
    return _model_facets(titled, draw, x="mean confidence", y="accuracy", looks=looks, **size)


def _draw_says_and_right(
    ax: Axes, rows: pd.DataFrame, looks: Looks, low: float, most_ticks: int
) -> None:
    """Draw a panel's accuracy (`value`) against mean confidence (`x`), a mark for each model.

    Both axes go from `low` to a little above 1 and have at most `most_ticks` intervals of ticks.
    `looks` are matplotlib's arguments by model.
    """
    ax.plot([0, 1], [0, 1], **DASHED)
    for model, look in looks.items():
        with_both_intervals(ax, rows[rows["model"] == model], elinewidth=0.8, **look)
    ax.set(xlim=(low, 1.02), ylim=(low, 1.02))
    # Numbers at the ends of panels side by side would meet.
    ax.xaxis.set_major_locator(MaxNLocator(most_ticks, steps=[1, 2, 5, 10], prune="lower"))
    ax.yaxis.set_major_locator(MaxNLocator(most_ticks, steps=[1, 2, 5, 10]))


@styled
def decisions_by_target(rows: pd.DataFrame) -> Figure:
    """Draw payoff and accuracy given attempted by target, one line per model.

    Lines have 95% intervals. There are two panels for each data set, format, variant, and request
    for confidence or not. The dashed line in the panel of accuracy is the target, as the model was
    told. At the dashed line in the panel of the payoff the model does no better than by never
    answering.

    Args:
        rows: Results of `abstain`; its rows of `payoff` and `accuracy_given_attempted` are drawn.
    """
    parts = ("confidence_target", "format", "confidence_asked")
    selected = select_rows(rows, "abstain", list(_BY_TARGET), parts)
    targets = sorted(set(selected["confidence_target"].astype(float)))
    looks = _looks_of_models(selected)
    keys = ("metric", "dataset", "format", "confidence_asked", "variant")
    titled = panels(
        selected,
        keys,
        always_in_title=("metric",),
        value_text=lambda name, value: _BY_TARGET[value] if name == "metric" else shortened(value),
        separator=", ",
    )
    return _model_facets(
        titled,
        partial(_draw_by_target, targets=targets, looks=looks),
        x="confidence target",
        y="",
        looks=looks,
        columns=2,
        panel_inches=2.4,
        shared="none",
        inches_below=0.26,
    )


def _draw_by_target(ax: Axes, rows: pd.DataFrame, targets: Sequence[float], looks: Looks) -> None:
    """Draw a panel's metric, accuracy or payoff, by confidence target: a line for each model.

    The dashed line is the target in a panel of accuracy, and 0 in a panel of the payoff. `targets`
    are at equal distances along x, with their values below; `looks` are matplotlib's arguments by
    model.
    """
    is_accuracy = (rows["metric"] == "accuracy_given_attempted").all()
    ax.plot(range(len(targets)), targets if is_accuracy else [0.0] * len(targets), **DASHED)
    _draw_model_lines(ax, rows, "confidence_target", ticks=targets, looks=looks)
    if is_accuracy:
        ax.set(ylim=(0, 1.03))
        share_ticks(ax, "y")


_BY_TARGET = {"accuracy_given_attempted": "accuracy given attempted", "payoff": "payoff (points)"}


@styled
def auroc_by_scale(rows: pd.DataFrame) -> Figure:
    """Draw AUROC on each scale, one mark per model, with 95% intervals.

    AUROC is the probability that a right answer has more confidence than a wrong one. There is one
    panel for each data set and variant. If there is a mean over data sets, only the mean is drawn.

    Args:
        rows: Results of `scale_variants`; its rows of `auroc` on a scale are drawn.
    """
    # Results within values of a field (`--by`) are left out.
    selected = select_rows(
        rows, "scale_variants", ["auroc"], parts=("scale",), excluded_parts=("by",)
    )
    means = selected["dataset"] == "mean"
    selected = selected[means] if means.any() else selected
    # The study's scales in their order, then others by name.
    places = {str(scale): place for place, scale in enumerate(ALL)}
    names = sorted(selected["scale"].unique(), key=lambda key: (places.get(key, len(ALL)), key))
    selected = selected.assign(name=selected["scale"])
    panels_drawn = []
    for title, panel_rows in panels(selected, ("dataset", "variant"), title_of_one=False):
        panels_drawn.append(_model_panel(title, panel_rows, label="AUROC", reference=0.5))
    return dots(panels_drawn, names, "scales")


@styled
def mic_of_models(rows: pd.DataFrame) -> Figure:
    """Draw the internal confidence of each marker, one mark per model, with 95% intervals.

    There is one panel for each data set, split, variant and judge. The 12 most frequent markers are
    drawn, in order of frequency.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` (marker internal confidence) over all
            sentences of a marker are drawn, of the test splits where there are any.
    """
    selected = select_whole_markers(rows)
    is_test = selected["split"] == "test"
    selected = selected[is_test] if is_test.any() else selected
    # A marker that reaches a higher threshold also reaches the lowest, with the same confidence.
    # Conditions omit the default threshold.
    thresholds = selected["marker_threshold"].replace("", DEFAULT_THRESHOLD).astype(float)
    selected = selected[thresholds == thresholds.min()]
    names = markers_by_frequency(selected)
    keys = ("dataset", "split", "variant", "judge")
    titled = panels(selected.assign(name=selected["marker"]), keys, title_of_one=False)
    panels_drawn = [
        _model_panel(title, panel_rows, label="internal confidence", reference=None, span=(0, 1))
        for title, panel_rows in titled
    ]
    return dots(panels_drawn, names, "rarer markers", most_names=12)


def _model_panel(
    title: str,
    rows: pd.DataFrame,
    label: str,
    reference: float | None,
    span: tuple[float, float] | None = None,
) -> Panel:
    """Return a panel with a series by model, an axis over `span` and a line at `reference`."""
    labels = {model: shortened(model, _NAME_CHARACTERS) for model in rows["model"].unique()}
    series = series_by(rows, "model", labels)
    return Panel(title, label, series=series, reference=reference, within=span, models=[*labels])
