"""Many small panels in one figure of one column's width."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.plots._fitting import inches_of, wrapped
from inspect_confidence.plots._style import FAINT, WIDTH

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
