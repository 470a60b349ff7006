"""Many small panels in one figure of one column's width."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.style import FAINT, WIDTH, shortened
from inspect_confidence.plots.text import inches_of, wrapped
from inspect_confidence.results import with_parts
from inspect_confidence.scales import ALL


def drawn(
    rows: pd.DataFrame, task: str | Sequence[str], metrics: Sequence[str], parts: Sequence[str]
) -> pd.DataFrame:
    """The rows of a task with one of the metrics, with the parts of their condition as columns.

    Args:
        rows: In the layout of results.
        task: Whose rows; several where a figure goes for all of them.
        metrics: Names in the registry.
        parts: Of the condition; `variant` is always there.

    Raises:
        InvalidArgument: No such row has a number.
    """
    tasks = [task] if isinstance(task, str) else list(task)
    mine = rows[rows["task"].isin(tasks) & rows["metric"].isin(metrics)]
    mine = mine[mine["value"].notna()]
    if mine.empty:
        raise InvalidArgument(
            f"There is nothing to draw: no row of {' or '.join(tasks)} has a value of "
            f"{', '.join(metrics)}. Give the frame that `summarize` or `detail` makes."
        )
    return with_parts(mine, ["variant", *parts])


def groups(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each combination, with a title that tells it from the others.

    Args:
        rows: As `drawn` gives them.
        by: Columns; those that are the same in all rows stay out of the title.
    """
    varied = [name for name in by if rows[name].nunique() > 1] or list(by)[:1]
    for values, some in rows.groupby(list(by), sort=False):
        said = [str(value) for name, value in zip(by, values, strict=True) if name in varied]
        yield shortened(", ".join(filter(None, said)), 60), some


def with_intervals(
    axes: Axes, x: "pd.Series[float]", rows: pd.DataFrame, **look: object
) -> ErrorbarContainer:
    """Points with their 95% intervals; a point without an interval has none drawn.

    Args:
        axes: To draw on.
        x: Where each row stands.
        rows: With `value`, `ci_low` and `ci_high`.
        look: For matplotlib's `errorbar`.
    """
    value = rows["value"].to_numpy(float)
    finite = np.isfinite(value)
    low, high = (rows[name].to_numpy(float)[finite] for name in ("ci_low", "ci_high"))
    # An interval that is limited may leave out its value: its arm is then of no length.
    arms = np.clip([value[finite] - low, high - value[finite]], 0, None)
    arms = np.where(np.isfinite(arms), arms, 0)
    return axes.errorbar(
        np.asarray(x, float)[finite],
        value[finite],
        yerr=arms,
        **{"capsize": 2.5, "elinewidth": 1, **look},  # type: ignore[arg-type]
    )


PARTS = ("scale", "source", "kind", "radius", "given", "window")
"""Parts of a condition that tell panels of confidence apart."""

_ORDER = {str(scale): place for place, scale in enumerate(ALL)}


def panels(rows: pd.DataFrame, parts: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: what tells it from the others, a line each.

    Args:
        rows: With the columns `model`, `dataset`, `variant` and `parts`.
        parts: Of the condition.
    """
    by = ["model", "dataset", "variant", *parts]
    varied = [name for name in by if rows[name].nunique() > 1] or [
        next((name for name in parts if rows[name].iloc[0]), "model")
    ]
    found = []
    for values, some in rows.groupby(by, sort=False):
        said = [
            shortened(_spoken(name, str(value)))
            for name, value in zip(by, values, strict=True)
            if name in varied and value
        ]
        found.append(("\n".join(said), some))
    who = {name: k for k, name in enumerate(dict.fromkeys(_who(some) for _, some in found))}
    return sorted(
        found,
        key=lambda one: (who[_who(one[1])], *(_rank(str(one[1][name].iloc[0])) for name in parts)),
    )


def in_order(scales: Iterable[str]) -> list[str]:
    """Scales in the study's order, then others."""
    return sorted(scales, key=_rank)


def ends_of(scale: str) -> tuple[float, float] | None:
    """Low and high of a scale named so; None where the name says neither.

    Example:
        >>> ends_of("14-86")
        (14.0, 86.0)
    """
    number = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
    match = re.fullmatch(rf"({number})-({number})", scale)
    return (float(match[1]), float(match[2])) if match else None


def _who(rows: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(rows[name].iloc[0]) for name in ("model", "dataset", "variant"))


def _rank(value: str) -> tuple[float, float, str]:
    """Scales in the study's order, then numbers by size, then texts."""
    if value in _ORDER:
        return 0, _ORDER[value], ""
    try:
        return 1, float(value), ""
    except ValueError:
        return 2, 0, value


def _spoken(name: str, value: str) -> str:
    return (
        value if name in ("model", "dataset", "variant", "scale", "source") else f"{name} {value}"
    )


_SIZE = 9.0
_EM = _SIZE / 72
_HANDLE, _PAD, _BETWEEN, _LEGEND_EDGE = 2.4, 0.6, 1.2, 0.4  # in units of the size
_ROW = 0.2


def legend_height(names: Sequence[str]) -> float:
    """Inches that a legend of these names takes."""
    return _ROW * -(-len(names) // _columns(_fitted(names))) + 0.06 if names else 0.0


def draw_legend(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """The legend, at the upper left of the figure."""
    fitted = _fitted(names)
    figure.legend(
        handles,
        fitted,
        loc="upper left",
        ncols=_columns(fitted),
        handlelength=_HANDLE,
        handletextpad=_PAD,
        columnspacing=_BETWEEN,
        borderaxespad=_LEGEND_EDGE,
        borderpad=0,
    )


def _fitted(names: Sequence[str]) -> list[str]:
    room = WIDTH - _EM * (_HANDLE + _PAD + 2 * _LEGEND_EDGE)
    return [wrapped(name, room, _SIZE, most=1)[0] for name in names]


def _columns(names: Sequence[str]) -> int:
    """The most columns that the width has room for; matplotlib fills one after the other."""
    for count in range(len(names), 1, -1):
        widest = [
            max(inches_of(str(name), _SIZE) for name in column)
            for column in np.array_split(np.array(names), count)
        ]
        taken = sum(widest) + _EM * (
            count * (_HANDLE + _PAD + _BETWEEN) - _BETWEEN + 2 * _LEGEND_EDGE
        )
        if taken <= WIDTH:
            return count
    return 1


_TITLE, _LABEL, _TICK, _REMARK = 10.0, 9.5, 9.0, 8.5  # points
_LINES = {_TITLE: 0.18, _LABEL: 0.17, _REMARK: 0.16}  # inches a line
_RIGHT, _FOOT, _HEAD = 0.12, 0.5, 0.06  # inches; the foot with one line
_EDGE = 0.04
_OVER = 0.08  # how far words above a panel may be wider than it
_TICKS = 0.1  # a tick and the space to its label
_HEIGHTS = {1: 2.3, 2: 1.6, 3: 1.45, 4: 1.45}
_HEIGHT = 1.2
_MOST = 9  # lines of what is said beneath a title


def grid(
    titles: Sequence[str],
    *,
    columns: int = 2,
    height: float | None = None,
    shared: bool = True,
    legend: float = 0,
    ticks: float = 0.3,
    beneath: Sequence[str] = (),
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel a title; where panels share their axes, only the outer have labels.

    Its margins are inches that labels are known to need: a layout that measures them takes
    seconds with many panels. `name_axes` sets those that depend on what was drawn.

    Args:
        titles: Above the panels, broken where they are wider.
        columns: At most.
        height: Of a panel, in inches; by their number if None.
        shared: Whether all panels have the same axes; if not, titles begin above the tick labels.
        legend: Inches kept free on top.
        ticks: How wide, in inches, labels of the vertical axis are expected to be.
        beneath: Faint words between each title and its panel.
    """
    across = min(columns, len(titles))
    down = -(-len(titles) // across)
    tall = height or _HEIGHTS.get(len(titles), _HEIGHT)
    room = _room(_left(ticks, 1), across, _gap(shared, ticks))
    aside = 0 if shared else min(ticks, 0.3)
    heads = [_lines(title, room + _OVER + aside, _TITLE, 2) for title in titles]
    remarks = [_lines(one, room + _OVER, _REMARK, _MOST) for one in beneath or [""] * len(titles)]
    head = max(
        _LINES[_TITLE] * len(one) + _pad(len(other)) / 72 + 0.02
        for one, other in zip(heads, remarks, strict=True)
    )
    between = head + (0.1 if shared else 0.26)
    total = legend + _HEAD + head + down * tall + (down - 1) * between + _FOOT
    figure = Figure(figsize=(WIDTH, total))
    axes = list(figure.subplots(down, across, squeeze=False, sharex=shared, sharey=shared).flat)
    top = 1 - (legend + _HEAD + head) / total
    figure.subplots_adjust(bottom=_FOOT / total, top=top, hspace=between / tall)
    for unused in axes[len(titles) :]:
        unused.remove()
    for k, (ax, one, other) in enumerate(zip(axes, heads, remarks, strict=False)):
        where = {"pad": _pad(len(other)), "x": -aside / room}
        ax.set_title("\n".join(one), linespacing=1.1, **where)
        if other:
            said = "\n".join(other)
            look = {"color": FAINT, "fontsize": _REMARK, "linespacing": 1.15, "va": "bottom"}
            ax.annotate(said, (0, 1), (0, 4), "axes fraction", "offset points", **look)
        if shared and k + across >= len(titles):
            ax.tick_params(labelbottom=True)  # nothing is beneath it
    return figure, axes[: len(titles)]


def name_axes(figure: Figure, x: str, y: str) -> None:
    """What the axes of all panels are, once: at the foot and at the left, beside their ticks.

    Call it last: it makes room for the tick labels that there are then.
    """
    axes, sides = figure.axes, figure.subplotpars
    ticks = max(_widest_tick(ax) for ax in axes)
    shared = len(axes) > 1 and bool(axes[0].get_shared_y_axes().joined(axes[0], axes[1]))
    tall = float(figure.get_figheight())
    at_foot = wrapped(x, WIDTH - 2 * _EDGE, _LABEL)
    foot = _FOOT + _LINES[_LABEL] * (len(at_foot) - 1)
    whole = tall + foot - sides.bottom * tall
    at_left = wrapped(y, whole - 2 * _EDGE, _LABEL)
    left = _left(ticks, len(at_left))
    gap, across = _gap(shared, ticks), len({ax.get_position().x0 for ax in axes})
    room = _room(left, across, gap)
    figure.set_figheight(whole)
    bottom, top = foot / whole, 1 - (1 - sides.top) * tall / whole
    figure.subplots_adjust(
        left=left / WIDTH, right=1 - _RIGHT / WIDTH, bottom=bottom, top=top, wspace=gap / room
    )
    across_from = _middle((left + WIDTH - _RIGHT) / 2, at_foot, WIDTH) / WIDTH
    up_from = _middle((bottom + top) / 2 * whole, at_left, whole) / whole
    figure.text(across_from, _EDGE / whole, "\n".join(at_foot), ha="center", va="bottom")
    words = "\n".join(at_left)
    figure.text(_EDGE / WIDTH, up_from, words, ha="left", va="center", ma="center", rotation=90)


def remark(ax: Axes, text: str, x: float, y: float, **look: object) -> None:
    """Faint words at a place of the panel, in shares of its width and height."""
    words = {"color": FAINT, "fontsize": _REMARK, "linespacing": 1.15, **look}
    ax.text(x, y, text, transform=ax.transAxes, **words)  # type: ignore[arg-type]


def _lines(text: str, inches: float, size: float, most: int) -> list[str]:
    """Each line of the text, broken where it is wider."""
    return [part for line in text.split("\n") if line for part in wrapped(line, inches, size, most)]


def _pad(remarks: int) -> float:
    """Points between a panel and its title, with so many lines of remarks between them."""
    return 4 + 72 * _LINES[_REMARK] * remarks + (2 if remarks else 0)


def _left(ticks: float, lines: int) -> float:
    """Inches to the left of the panels."""
    return _EDGE + _LINES[_LABEL] * lines + 0.05 + ticks + _TICKS


def _room(left: float, across: int, gap: float) -> float:
    """How wide each of the panels side by side is, in inches."""
    return (WIDTH - left - _RIGHT - (across - 1) * gap) / across


def _gap(shared: bool, ticks: float) -> float:
    """Inches between panels side by side."""
    return 0.14 if shared else ticks + _TICKS + 0.08


def _widest_tick(ax: Axes) -> float:
    """Of the vertical axis' labels, in inches."""
    labels = ax.yaxis.get_major_formatter().format_ticks(list(ax.yaxis.get_majorticklocs()))
    return max((inches_of(label, _TICK) for label in labels), default=0.0)


def _middle(wanted: float, lines: Sequence[str], inches: float) -> float:
    """Where text is centred so that it stays within so many inches."""
    half = max(inches_of(line, _LABEL) for line in lines) / 2 + _EDGE
    return min(max(wanted, half), inches - half) if 2 * half < inches else inches / 2
