"""A model's numbers over all studies, each on an axis of its own."""

import math
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence._errors import InvalidArgument
from inspect_confidence._results import with_parts
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots._profile_axis import Window, ideal, window, written
from inspect_confidence.plots._style import FAINT, RULE, SERIES, shortened, styled

_WIDTH = 6.3  # this and the next ones in inches
_LEFT, _AXIS, _LONG, _WORDS = 0.06, 2.75, 1.65, 4.52
_LINE, _SMALL, _GAP = 0.165, 0.15, 0.12
_ACROSS = 40
"""Characters that a line of a label has room for."""
_NUMBERS = ("value", "ci_low", "ci_high")


@styled
def profile(rows: pd.DataFrame) -> Figure:
    """One model's headline numbers, a line each: label, axis, and the number in words.

    An axis reaches over the metric's range, or over a round window where that has no end; the
    upright mark is the best value, an arrowhead says that higher, or lower, is better without end.
    Pale bars are 95% intervals. A number that is infinite is an arrowhead at the axis' end.

    Args:
        rows: Results of one model, with the column `label`: what each one is called.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no row with a number, or the rows are of several models.
    """
    there = _checked(rows)
    reach = {
        metric: window(str(metric), some[list(_NUMBERS)].to_numpy(float).ravel())
        for metric, some in there.groupby("metric")
    }
    lines = there.to_dict("records")
    said = [shortened(str(line["label"]), 3 * _ACROSS - 6) for line in lines]
    labels = [wrap(text, _ACROSS) or [""] for text in said]
    tall = [_LINE * len(label) + _SMALL + _GAP for label in labels]
    total = sum(tall) + 0.1
    figure = Figure(figsize=(_WIDTH, total))
    top = total - 0.05
    for line, label, under, high in zip(lines, labels, _under(there), tall, strict=True):
        middle = top - _LINE * len(label) / 2 - 0.02
        ends = reach[line["metric"]]
        ax = figure.add_axes((_AXIS / _WIDTH, (middle - 0.1) / total, _LONG / _WIDTH, 0.2 / total))
        _axis(ax, ends)
        _best(ax, line, ends)
        _number(ax, line, ends)
        figure.text(_LEFT / _WIDTH, top / total, "\n".join(label), va="top", linespacing=1.2)
        figure.text(
            _LEFT / _WIDTH,
            (top - _LINE * len(label)) / total,
            under,
            va="top",
            color=FAINT,
            fontsize=8,
        )
        value, *interval = (float(line[name]) for name in _NUMBERS)
        unit = METRICS[line["metric"]].unit
        number = written(value, (interval[0], interval[1]), ends, unit)
        figure.text(_WORDS / _WIDTH, middle / total, number, va="center")
        top -= high
    return figure


def _checked(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the parts of their condition that are needed."""
    if not rows["value"].notna().any():
        raise InvalidArgument(
            "There is nothing to draw: no row has a value. Give results of one model."
        )
    if "label" not in rows:
        raise InvalidArgument("The rows have no column label. Add one: what each number is called.")
    models = [str(one) for one in rows["model"].unique()]
    if len(models) > 1:
        raise InvalidArgument(
            f"A profile is of one model; these are {len(models)}: {', '.join(models[:3])}. Keep "
            "the rows of one."
        )
    if unknown := [one for one in rows["metric"] if one not in METRICS]:
        raise InvalidArgument(f"metric={unknown[0]} is not in the metric registry.")
    return with_parts(rows, ["variant", "level"])


def _under(rows: pd.DataFrame) -> list[str]:
    """What stands under each label: task and data set, and the variant where a task has several."""
    several = rows.groupby("task")["variant"].transform("nunique") > 1
    parts = [
        (row["task"], row["dataset"], row["variant"] if more else "")
        for row, more in zip(rows.to_dict("records"), several, strict=True)
    ]
    return [shortened(", ".join(filter(None, map(str, one))), 48) for one in parts]


def _axis(ax: Axes, ends: Window) -> None:
    """A thin line with its ends' values."""
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)
    ax.set(xlim=ends, ylim=(-1, 1), yticks=[])
    ax.set_xticks(list(ends), [f"{one:g}".replace("-", "\u2212") for one in ends])
    ax.tick_params(axis="x", length=0, pad=1, labelsize=8, labelcolor=FAINT)
    ax.plot(ends, [0, 0], color=RULE, linewidth=2, clip_on=False, zorder=1, label="axis")


def _best(ax: Axes, line: Mapping[Any, Any], ends: Window) -> None:
    """The best value; an arrowhead where higher or lower is better without end."""
    best = ideal(line["metric"], str(line["level"]))
    direction = METRICS[line["metric"]].direction
    look: dict[str, Any] = {"color": FAINT, "clip_on": False, "zorder": 2, "label": "best"}
    if best is not None:
        ax.plot([best], [0], marker="|", markersize=13, markeredgewidth=2, **look)
    elif direction in ("higher", "lower"):
        at, mark = (ends[1], 5) if direction == "higher" else (ends[0], 4)  # carets
        ax.plot([at], [0], marker=mark, markersize=6, markeredgewidth=0, **look)


def _number(ax: Axes, line: Mapping[Any, Any], ends: Window) -> None:
    """The interval as a bar and the value as a dot; of what is infinite, the axis' end."""
    value, low, high = (float(line[name]) for name in _NUMBERS)
    if math.isnan(value):
        return
    if not math.isnan(low) and not math.isnan(high):
        bar = [min(max(one, ends[0]), ends[1]) for one in (low, high)]
        look: dict[str, Any] = {"color": SERIES[0], "linewidth": 6, "alpha": 0.35}
        ax.plot(bar, [0, 0], solid_capstyle="butt", zorder=3, label="interval", **look)
    at = min(max(value, ends[0]), ends[1])
    mark = "o" if math.isfinite(value) else ">" if value > 0 else "<"
    ax.plot(
        [at],
        [0],
        marker=mark,
        markersize=6,
        color=SERIES[0],
        clip_on=False,
        zorder=4,
        label="value",
    )
