"""LifeEval and the question sets side by side: calibration, and a number of every model."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots.dots import Panel, dots
from inspect_confidence.plots.layout import (
    facets,
    panels,
    select_against,
    select_rows,
    share_ticks,
    with_counts,
    with_intervals,
)
from inspect_confidence.plots.style import DASHED, mark_of, styled
from inspect_confidence.printing import shortened

_TASKS = ("question_sets", "life_eval")
_SOURCES = ("stated", "token")
_BY = ("dataset", "variant", "window")


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
    sources = selected["models"].where(selected["models"] != "", selected["model"])
    # A group's judgments are all stated.
    selected["line"] = sources + selected["source"].map({"token": ", token"}).fillna("")
    # With one model and no groups, lines need not name it.
    if (selected["models"] == "").all() and selected["model"].nunique() == 1:
        selected["line"] = selected["source"]
    lines = list(selected["line"].unique())
    looks = {line: {"linewidth": 1.2, **mark_of(line, k)} for k, line in enumerate(lines)}
    return facets(
        with_counts(panels(selected, _BY, always_in_title=["dataset"]), combine_n=sum),
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


_REFERENCES = {"overconfidence": 0.0, "accuracy": 1.0, "ece": 0.0}
"""Metrics that `over_sets` draws, with their best values."""
_NAMES = {"ece": "expected calibration error"}


@styled
def over_sets(rows: pd.DataFrame) -> Figure:
    """Draw a number of every model by data set, variant and window, with 95% intervals.

    There is one panel for each data set, variant and window (half-open or closed). Stated
    confidence and the confidence of the tokens are side by side if both exist.

    Args:
        rows: Results of `question_sets` and `life_eval`; of `overconfidence`, `accuracy` and `ece`
            the first one that there is, over all radii and kinds of questions, is drawn.
    """
    parts = ["radius", "kind"]
    selected = select_rows(rows, _TASKS, list(_REFERENCES), parts)
    selected = selected[(selected[parts] == "").all(axis=1)]
    # `_REFERENCES` has the metrics in order of preference, with the value at which a line is drawn.
    metric = next((name for name in _REFERENCES if (selected["metric"] == name).any()), "")
    # Raises where only rows of single radii or kinds are there.
    selected = select_rows(selected, _TASKS, [metric], parts=["source", "window"])
    selected = selected.assign(
        name=selected["model"], source=selected["source"].replace("", "stated")
    )
    sources = [source for source in _SOURCES if (selected["source"] == source).any()]
    label, reference = _NAMES.get(metric, metric), _REFERENCES[metric]
    panels_drawn = []
    for title, panel_rows in panels(selected, _BY, always_in_title=["dataset"]):
        series = []
        for source in sources:
            source_rows = panel_rows[panel_rows["source"] == source]
            series.append((source if len(sources) > 1 else "", source_rows))
        panels_drawn.append(
            Panel(title, label, series=series, reference=reference, names_are_models=True)
        )
    return dots(panels_drawn, list(selected["model"].unique()), "models")
