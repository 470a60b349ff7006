"""A model's numbers over all studies, each on an axis of its own."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import CARETLEFT, CARETRIGHT

from inspect_confidence.directions import direction_of
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots.style import FAINT, RULE, SERIES, WIDTH, styled
from inspect_confidence.plots.text import inches_of, number, wrapped
from inspect_confidence.printing import shortened
from inspect_confidence.results import with_parts
from inspect_confidence.studies import all_studies

_MARGIN = 1.05
"""Factor on values at the end of an axis: at its very end a value would look like the maximum."""
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
_LEAST_REACH = {
    **{"ratio": 1.0, "temperature": 1.0, "d'": 1.0, "overconfidence per difficulty": 1.0},
    "count": 10.0,
}
"""Least reach of an unbounded axis, by unit: slopes and ratios are read from 0 to 1, and a
difference of a few thousandths must not look large."""
_DEFAULT_REACH = 0.1
_LEAST_SIDE = 0.05
"""Least length of the shorter side of an axis, if values lie there, as a share of the longer."""
_ROUNDING = 1e-9  # share of the longer side up to which a value is rounding


def window(metric: str, values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis for a metric: those of its range, or round numbers.

    An end that the range lacks is a round number beyond the metric's best value (target), 0 and all
    finite `values` that are drawn on such an axis. It is not so near to 0 that rounding errors or
    very small differences look large.

    Example:
        >>> window("ece", [0.2]), window("hard_easy_slope", [-2e-13, 2e-13])
        ((0.0, 1.0), (0.0, 1.0))
    """
    entry = METRICS[metric]
    target = ideal(metric, level="")  # at no level: then that of coverage is not known
    least_reach = _LEAST_REACH.get(entry.unit, _DEFAULT_REACH)
    points = [0.0, least_reach]
    points += [_MARGIN * value for value in filter(math.isfinite, values)]
    if target is not None:
        points.append(target)
    # Both sides of 0 are shown, except for slopes and ratios, which are read from 0 to 1.
    if entry.unit not in _LEAST_REACH and entry.low < 0:
        points.append(-least_reach)
    size = max(map(abs, points))
    low = entry.low if math.isfinite(entry.low) else -_round_end(-min(points), size)
    high = entry.high if math.isfinite(entry.high) else _round_end(max(points), size)
    # 0 is added to turn -0.0 into 0.0. An axis from a lower end above all points has length 1.
    return float(low) + 0.0, float(high) if high > low else float(low) + 1


def ideal(metric: str, level: str) -> float | None:
    """Return the best value of a metric: an end of its range, or its target at a level in percent.

    None if no value is best, because the metric has no direction, or if the best is infinite.

    Example:
        >>> ideal("coverage", "80"), ideal("miss_above", "80"), ideal("mean_width", "80")
        (0.8, 0.1, None)
    """
    entry, direction = METRICS[metric], direction_of(metric, {"level": level})
    ends = {"higher": entry.high, "lower": entry.low}
    best = ends.get(direction.name, direction.target)
    return float(best) if math.isfinite(best) else None


_PLAIN_LENGTH = 5000
"""Length of an axis above which its numbers have three digits and a power of ten."""


def interval_text(
    value: float, interval: tuple[float, float], reach: tuple[float, float], unit: str
) -> str:
    """Return a number with the ends of its interval, with as many digits as the axis resolves.

    `reach` are the ends of the axis. A value of NaN is `undefined`; an interval with an end that is
    NaN is left out. Counts (`unit`) have no digits after the point.

    Example:
        >>> interval_text(0.5, (0.25, 0.75), reach=(0, 1), unit="share")
        '0.500 [0.250, 0.750]'
        >>> interval_text(7, (math.nan, math.nan), reach=(0, 9), unit="count")
        '7'
    """
    if math.isnan(value):
        return "undefined"
    # The longer the axis, or the larger a number, the fewer digits after the point.
    finite_numbers = filter(math.isfinite, (value, *interval))
    length = max([reach[1] - reach[0], *map(abs, finite_numbers)])
    digits = 1
    if unit == "count":
        digits = 0
    elif length <= 50:
        digits = 3 if length <= 2 else 2
    number_format = f".{digits}f" if length <= _PLAIN_LENGTH else ".3g"
    value_text = number(value, number_format)
    if any(map(math.isnan, interval)):
        return value_text
    low_text, high_text = (number(end, number_format) for end in interval)
    return f"{value_text} [{low_text}, {high_text}]"


def _round_end(reach: float, size: float) -> float:
    """Return the length of one side of an axis, from 0 on: a round number that includes `reach`.

    `reach` is the distance from 0 to the farthest value on that side, negative if all values lie on
    the other side; `size` is the larger reach of both sides. The length is 0 if `reach` is at most
    a rounding error, and otherwise at least 5% of `size`, so that the side can be seen.
    """
    if reach <= _ROUNDING * size:
        return 0.0
    reach = max(reach, _LEAST_SIDE * size)
    power_of_ten = 10.0 ** math.floor(math.log10(reach))
    ends = [step * power_of_ten for step in _STEPS]
    # The product may be less than an equal `reach` by rounding.
    return min(end for end in ends if end >= reach * (1 - 1e-12))


# Lengths in inches:
_SIDE_MARGIN = 0.12
_TEXT_GAP = 0.15
_LINE, _SMALL_LINE = 0.165, 0.135
_TO_AXIS, _TO_ENDS, _ROW_GAP = 0.1, 0.075, 0.13
_TOP, _HEADING = 0.06, 0.27
_LABEL_SIZE, _FINE_SIZE = 9.5, 8.0  # points
_MOST_NAME_CHARACTERS = 100  # characters of a name, more of which never fit
_LOWER_CASE_NAMES = ("meta-d'", "d'")
_VALUE_AND_ENDS = ("value", "ci_low", "ci_high")
_BOLD_SHARE = 0.85
"""Share of the width that bold text may take by measure, as bold letters are wider."""
_STUDY_TITLES = {study.name: study.title.split(":")[0] for study in all_studies()}


@styled
def profile(rows: pd.DataFrame) -> Figure:
    """Draw one model's headline numbers: label and number as text, and the axis below them.

    An axis covers the metric's range, or a round window if the range is unbounded. The upright mark
    is the best value; an arrowhead shows that higher, or lower, is better without end. Pale bars
    are 95% intervals. An infinite number is an arrowhead at the end of the axis.

    Args:
        rows: Results of one model, with the column `label`: what each one is called. Where they
            have the column `study`, rows of a study stand together, under its name.

    Raises:
        InvalidArgument: There is no row with a number, no column `label` or an unknown metric, or
            the rows are of several models.
    """
    checked = _checked_rows(rows)
    ends_by_metric = {
        metric: window(str(metric), metric_rows[list(_VALUE_AND_ENDS)].to_numpy(float).ravel())
        for metric, metric_rows in checked.groupby("metric")
    }
    # From the top down; a text is the heading of a study's rows.
    parts: list[str | _ProfileRow] = []
    for study, study_rows in checked.groupby("study", sort=False):
        if study:
            parts.append(_STUDY_TITLES.get(str(study), str(study)))
        for line in study_rows.to_dict("records"):
            parts.append(_profile_row(line, ends_by_metric[line["metric"]]))
    heights = [_HEADING if isinstance(part, str) else part.height for part in parts]
    figure = Figure(figsize=(WIDTH, 2 * _TOP + sum(heights)))
    top = figure.get_figheight() - _TOP
    for part, height in zip(parts, heights, strict=True):
        if isinstance(part, str):
            _draw_heading(figure, part, top)
        else:
            _draw_row(figure, part, top)
        top -= height
    return figure


def _checked_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the columns `variant` and `level`, and the text `under` each axis.

    `variant` and `level` are parts of the condition. The text is the task and data set, and the
    variant if a task has several.

    Raises:
        InvalidArgument: There is no value, no column `label`, or an unknown metric, or rows are of
            several models.
    """
    if not rows["value"].notna().any():
        raise InvalidArgument(
            "There is nothing to draw: no row has a value. Give results of one model."
        )
    if "label" not in rows:
        raise InvalidArgument("The rows have no column label. Add one: what each number is called.")
    models = list(map(str, rows["model"].unique()))
    if len(models) > 1:
        raise InvalidArgument(
            f"A profile is of one model; these are {len(models)}: {', '.join(models[:3])}. Keep "
            "the rows of one."
        )
    for metric in rows["metric"]:
        if metric not in METRICS:
            raise InvalidArgument(f"metric={metric} is not in the metric registry.")
    rows_with_parts = with_parts(rows, ["variant", "level"])
    has_several = rows_with_parts.groupby("task")["variant"].transform("nunique") > 1
    variants = rows_with_parts["variant"].where(has_several, "")
    texts_under = []
    for names in zip(rows_with_parts["task"], rows_with_parts["dataset"], variants, strict=True):
        texts_under.append(", ".join(filter(None, map(str, names))))
    # Without a study a row has the empty text, which heads no group of rows.
    studies = rows_with_parts["study"].fillna("") if "study" in rows_with_parts else ""
    return rows_with_parts.assign(study=studies, under=texts_under)


@dataclass(frozen=True)
class _ProfileRow:
    """A number to be drawn: its row of results, the ends of its axis, and lines of text.

    `label` is above the axis, at the left; `number` is at the right; `under` is below the axis.
    """

    line: Mapping[Any, Any]
    ends: tuple[float, float]
    label: list[str]
    under: list[str]
    number: str

    @property
    def height(self) -> float:
        """Height of the row in inches."""
        lines = _LINE * len(self.label) + _SMALL_LINE * len(self.under)
        return lines + _TO_AXIS + _TO_ENDS + _ROW_GAP


def _profile_row(line: Mapping[Any, Any], ends: tuple[float, float]) -> _ProfileRow:
    """Return what is drawn of a row of results: its axis, and texts broken into lines.

    `line` is a row of `_checked_rows`; `ends` are the ends of its axis. The label ends left of the
    number with its interval; the text under the axis fits between the numbers at the axis' ends.
    """
    value, low, high = map(float, itemgetter(*_VALUE_AND_ENDS)(line))
    text = interval_text(value, (low, high), reach=ends, unit=METRICS[line["metric"]].unit)
    label, width = str(line["label"]), WIDTH - 2 * _SIDE_MARGIN
    if not label.startswith(_LOWER_CASE_NAMES):  # names of quantities that are written small
        label = label[:1].upper() + label[1:]
    room = width - inches_of(text, _LABEL_SIZE) - _TEXT_GAP
    end_width = 2 * max(inches_of(number(end, "g"), _FINE_SIZE) for end in ends)
    under = shortened(str(line["under"]), _MOST_NAME_CHARACTERS)
    return _ProfileRow(
        line,
        ends,
        label=wrapped(shortened(label, _MOST_NAME_CHARACTERS), room, _LABEL_SIZE, limit=3),
        under=wrapped(under, width - end_width - 2 * _TEXT_GAP, _FINE_SIZE),
        number=text,
    )


def _draw_heading(figure: Figure, study: str, top: float) -> None:
    """Draw a study's name on one line; a name wider than the figure loses its middle.

    `top` is the upper end of the line's room, in inches above the foot of the figure.
    """
    width, height = figure.get_size_inches()
    look: dict[str, Any] = {"fontsize": 9, "weight": "bold", "color": FAINT}
    room = (width - 2 * _SIDE_MARGIN) * _BOLD_SHARE
    (line,) = wrapped(shortened(study, 60), room, look["fontsize"], limit=1)
    figure.text(_SIDE_MARGIN / width, (top - 0.03) / height, line, va="top", **look)


def _draw_row(figure: Figure, row: _ProfileRow, top: float) -> None:
    """Draw a number: its label and value, below them its axis, and the text under the axis.

    `top` is the upper end of the row, in inches above the foot of the figure. Texts are placed in
    shares of the figure's width and height.
    """
    height = figure.get_figheight()
    left_edge, right = _SIDE_MARGIN / WIDTH, 1 - _SIDE_MARGIN / WIDTH
    low = (top - _LINE * len(row.label) - _TO_AXIS - _TO_ENDS) / height
    ax = figure.add_axes((left_edge, low, right - left_edge, 2 * _TO_ENDS / height))
    _draw_axis(ax, row.ends)
    _draw_marks(ax, row.line, row.ends)
    figure.text(left_edge, top / height, "\n".join(row.label), va="top", linespacing=1.15)
    small_text: dict[str, Any] = {"color": FAINT, "fontsize": _FINE_SIZE, "linespacing": 1.1}
    figure.text(0.5, low, "\n".join(row.under), va="top", ha="center", **small_text)
    figure.text(right, top / height, row.number, va="top", ha="right", linespacing=1.15)


def _draw_axis(ax: Axes, ends: tuple[float, float]) -> None:
    """Draw a thin line with the values at its ends."""
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)
    ax.set(xlim=ends, ylim=(-1, 1), yticks=[])
    ax.set_xticks(list(ends), [number(end, "g") for end in ends])
    ax.tick_params(axis="x", length=0, pad=0, labelsize=_FINE_SIZE, labelcolor=FAINT)
    low, high = ax.get_xticklabels()
    low.set_horizontalalignment("left")
    high.set_horizontalalignment("right")
    ax.plot(ends, [0, 0], color=RULE, linewidth=2, clip_on=False, zorder=1, label="axis")


def _draw_marks(ax: Axes, line: Mapping[Any, Any], ends: tuple[float, float]) -> None:
    """Draw the best value, the interval as a bar and the value as a dot.

    `line` is a row of results, `ends` are those of its axis. Arrowheads at the end of the axis
    stand for infinite values, and for metrics that are better without end. A value of NaN is not
    drawn.
    """
    best, direction = ideal(line["metric"], line["level"]), METRICS[line["metric"]].direction
    look: dict[str, Any] = {"color": FAINT, "clip_on": False, "zorder": 2, "label": "best"}
    if best is not None:
        ax.plot([best], [0], marker="|", markersize=10, markeredgewidth=2, **look)
    elif direction in ("higher", "lower"):
        is_higher = direction == "higher"
        position, caret = (ends[1], CARETRIGHT) if is_higher else (ends[0], CARETLEFT)
        ax.plot([position], [0], marker=caret, markersize=6, markeredgewidth=0, **look)
    value, *interval = map(float, itemgetter(*_VALUE_AND_ENDS)(line))
    if math.isnan(value):
        return
    if not any(map(math.isnan, interval)):
        look = {"color": SERIES[0], "linewidth": 6, "alpha": 0.35, "label": "interval"}
        ax.plot(np.clip(interval, *ends), [0, 0], solid_capstyle="butt", zorder=3, **look)
    arrow = ">" if value > 0 else "<"
    look = {"color": SERIES[0], "clip_on": False, "zorder": 4, "label": "value"}
    look["marker"] = "o" if math.isfinite(value) else arrow
    ax.plot([np.clip(value, *ends)], [0], markersize=6, **look)
