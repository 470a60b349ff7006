"""Many small panels in one figure."""

import re
from collections.abc import Iterable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence._scales import ALL
from inspect_confidence.plots._style import FAINT, shortened

PARTS = ("scale", "source", "kind", "radius", "given", "window")
"""Parts of a condition that tell panels of confidence apart."""

_ORDER = {str(scale): place for place, scale in enumerate(ALL)}
_LONGEST = 27  # characters that fit above a panel of 2.1 inches
_LINE = 0.17
_LEFT, _RIGHT, _FOOT, _HEAD = 0.5, 0.1, 0.5, 0.1  # inches
_WIDTH = 6.3
_FEW = {1: 0.6, 2: 0.8}  # of the width, where there are no more panels than that


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
            shortened(_spoken(name, str(value)), _LONGEST)
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


def grid(
    titles: Sequence[str],
    *,
    columns: int = 3,
    height: float = 2.0,
    shared: bool = True,
    legend: float = 0,
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel a title; where panels share their axes, only the outer have labels.

    Its margins are inches that labels are known to need: a layout that measures them takes
    seconds with many panels.

    Args:
        titles: Above the panels.
        columns: At most.
        height: Of a panel, in inches.
        shared: Whether all panels have the same axes.
        legend: Inches kept free on top.
    """
    across = min(columns, len(titles))
    down = -(-len(titles) // across)
    width = _WIDTH * (_FEW.get(across, 1) if columns > 2 else 1)
    head = _LINE * max(one.count("\n") + 1 for one in titles) + 0.08
    between = head + (0.12 if shared else 0.3)
    total = legend + _HEAD + head + down * height + (down - 1) * between + _FOOT
    figure = Figure(figsize=(width, total))
    axes = list(figure.subplots(down, across, squeeze=False, sharex=shared, sharey=shared).flat)
    figure.subplots_adjust(
        left=(_LEFT if shared else _LEFT + 0.15) / width,
        right=1 - _RIGHT / width,
        bottom=_FOOT / total,
        top=1 - (legend + _HEAD + head) / total,
        hspace=between / height,
        wspace=0.08 if shared else 0.27,
    )
    for unused in axes[len(titles) :]:
        unused.remove()
    for k, (ax, text) in enumerate(zip(axes, titles, strict=False)):
        ax.set_title(text, pad=4, linespacing=1.1)
        if shared and k + across >= len(titles):
            ax.tick_params(labelbottom=True)  # nothing is beneath it
    return figure, axes[: len(titles)]


def name_axes(figure: Figure, x: str, y: str) -> None:
    """What the axes of all panels are, once: at the foot and at the left."""
    tall = float(figure.get_figheight())
    figure.text(0.53, 0.08 / tall, x, ha="center", va="bottom")
    figure.text(0.004, 0.5, y, ha="left", va="center", rotation="vertical")


def remark(ax: Axes, text: str, x: float, y: float, **look: object) -> None:
    """Faint words at a place of the panel, in shares of its width and height."""
    words = {"color": FAINT, "fontsize": 8.5, "linespacing": 1.15, **look}
    ax.text(x, y, text, transform=ax.transAxes, **words)  # type: ignore[arg-type]


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
