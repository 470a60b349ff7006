"""A line of a profile: label, number in words, and its axis."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.metrics import METRICS
from inspect_confidence.plots._fitting import inches_of, wrapped
from inspect_confidence.plots._profile_axis import Window, axis_end, ideal, written
from inspect_confidence.plots._style import FAINT, RULE, SERIES, WIDTH, shortened

SIDE = 0.12  # this and the next ones in inches
_APART = 0.15
_LINE, _SMALL = 0.165, 0.135
_TO_AXIS, _TO_ENDS, _GAP = 0.1, 0.075, 0.13
_LABEL, _FINE = 9.5, 8.0  # points
_MOST = 3  # lines of a label
_LONGEST = 100  # characters: the rest of a name can't have room
_SMALL_NAMES = ("meta-d'", "d'")
NUMBERS = ("value", "ci_low", "ci_high")


@dataclass(frozen=True)
class Row:
    """What is drawn of a number, its texts broken into lines."""

    line: Mapping[Any, Any]
    ends: Window
    label: list[str]
    under: list[str]
    number: str

    @property
    def high(self) -> float:
        """In inches."""
        lines = _LINE * len(self.label) + _SMALL * len(self.under)
        return lines + _TO_AXIS + _TO_ENDS + _GAP


def row_of(line: Mapping[Any, Any], ends: Window) -> Row:
    """The texts of a number, so that the label isn't under the number in words.

    Args:
        line: A row of results with `label` and `under`, and the `level` of its condition.
        ends: Of its axis.
    """
    value, low, high = (float(line[name]) for name in NUMBERS)
    number = written(value, (low, high), ends, METRICS[line["metric"]].unit)
    wide = WIDTH - 2 * SIDE
    label = wrapped(
        shortened(_begun(str(line["label"])), _LONGEST),
        wide - inches_of(number, _LABEL) - _APART,
        _LABEL,
        _MOST,
    )
    beside = 2 * max(inches_of(axis_end(one), _FINE) for one in ends)
    under = wrapped(shortened(str(line["under"]), _LONGEST), wide - beside - 2 * _APART, _FINE)
    return Row(line, ends, label, under, number)


def _begun(label: str) -> str:
    """With a capital, but for the name of a quantity that is written small."""
    return label if label.startswith(_SMALL_NAMES) else label[:1].upper() + label[1:]


def draw_row(figure: Figure, row: Row, top: float) -> None:
    """A number's texts and its axis, from so many inches on downwards."""
    total = figure.get_figheight()
    left, right = SIDE / WIDTH, 1 - SIDE / WIDTH
    middle = top - _LINE * len(row.label) - _TO_AXIS
    ax = figure.add_axes((left, (middle - _TO_ENDS) / total, right - left, 2 * _TO_ENDS / total))
    _axis(ax, row.ends)
    _best(ax, row.line, row.ends)
    _value(ax, row.line, row.ends)
    figure.text(left, top / total, "\n".join(row.label), va="top", linespacing=1.15)
    fine: dict[str, Any] = {"color": FAINT, "fontsize": _FINE, "linespacing": 1.1}
    low = (middle - _TO_ENDS) / total
    figure.text(0.5, low, "\n".join(row.under), va="top", ha="center", **fine)
    figure.text(right, top / total, row.number, va="top", ha="right", linespacing=1.15)


def _axis(ax: Axes, ends: Window) -> None:
    """A thin line with its ends' values."""
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)
    ax.set(xlim=ends, ylim=(-1, 1), yticks=[])
    ax.set_xticks(list(ends), [axis_end(one) for one in ends])
    ax.tick_params(axis="x", length=0, pad=0, labelsize=_FINE, labelcolor=FAINT)
    low, high = ax.get_xticklabels()
    low.set_horizontalalignment("left")
    high.set_horizontalalignment("right")
    ax.plot(ends, [0, 0], color=RULE, linewidth=2, clip_on=False, zorder=1, label="axis")


def _best(ax: Axes, line: Mapping[Any, Any], ends: Window) -> None:
    """The best value; an arrowhead where higher or lower is better without end."""
    best = ideal(line["metric"], str(line["level"]))
    direction = METRICS[line["metric"]].direction
    look: dict[str, Any] = {"color": FAINT, "clip_on": False, "zorder": 2, "label": "best"}
    if best is not None:
        ax.plot([best], [0], marker="|", markersize=10, markeredgewidth=2, **look)
    elif direction in ("higher", "lower"):
        at, mark = (ends[1], 5) if direction == "higher" else (ends[0], 4)  # carets
        ax.plot([at], [0], marker=mark, markersize=6, markeredgewidth=0, **look)


def _value(ax: Axes, line: Mapping[Any, Any], ends: Window) -> None:
    """The interval as a bar and the value as a dot; of what is infinite, the axis' end."""
    value, low, high = (float(line[name]) for name in NUMBERS)
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
