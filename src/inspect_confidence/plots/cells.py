"""Tables of coloured cells with their values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from inspect_confidence.plots.layout import facets, tick_labels, tick_width
from inspect_confidence.plots.style import ON_DARK, ON_LIGHT, PAPER, SEQUENTIAL
from inspect_confidence.plots.text import blocks

_ROW = 0.21  # inches, as the next one
_HALF = 0.2  # of a column, when its label is slanted
_MOST_COLUMNS = 5
_LEVEL = 8  # characters of a column's label that fit without a slant
_SLANT = 35  # degrees


@dataclass(frozen=True)
class CellTable:
    """A table of values, of shape (rows, columns); the cell of a NaN is blank.

    Attributes:
        write: Function that writes a value as text.
        remark: Remark beneath the title.
        limits: Values of both ends of the colours; from 0 to the greatest value if None.
        stars: Text put after each value, of the values' shape; none if None.
    """

    title: str
    values: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    write: Callable[[float], str]
    remark: str = ""
    limits: tuple[float, float] | None = None
    stars: np.ndarray | None = None


def cells(tables: Sequence[CellTable]) -> Figure:
    """Draw the tables below each other, each in blocks of as many columns as are legible."""
    parts = [
        (table, places)
        for table in tables
        for places in blocks(range(len(table.columns)), _MOST_COLUMNS)
    ]
    names = [tick_labels(table.columns[k] for k in ks) for table, ks in parts]
    slanted = max((tick_width(labels) for labels in names if _slanted(labels)), default=0.0)
    down, aside = (slanted * turn(radians(_SLANT)) for turn in (sin, cos))
    sides = max(tick_width(tick_labels(table.rows)) for table in tables)
    ticks = max(sides, aside - _HALF)
    return facets(
        [
            (table_and_places[0].title, (*table_and_places, labels))
            for table_and_places, labels in zip(parts, names, strict=True)
        ],
        lambda ax, part: _draw(ax, *part),
        "",
        "",
        columns=1,
        height=[_ROW * len(table.rows) for table, _ in parts],
        shared="none",
        ticks=ticks,
        least_ticks=ticks,
        beneath=["" if places[0] else table.remark for table, places in parts],
        below=0.24 + down,
    )


def _slanted(labels: Sequence[str]) -> bool:
    """Return whether any label is wider than its column, so that the labels are slanted."""
    return max(map(len, labels)) > _LEVEL * _MOST_COLUMNS / len(labels) - 1


def _draw(ax: Axes, table: CellTable, places: Sequence[int], labels: Sequence[str]) -> None:
    finite = table.values[np.isfinite(table.values)]
    low, high = table.limits or (0.0, float(finite.max(initial=0)) or 1.0)
    scale, colours = Normalize(low, high), colormaps[SEQUENTIAL]
    values = table.values[:, list(places)]
    stars = np.full(values.shape, "") if table.stars is None else table.stars[:, list(places)]
    ax.pcolormesh(
        np.ma.masked_invalid(values), cmap=colours, norm=scale, edgecolors=PAPER, linewidth=1.5
    )
    for y, x in np.argwhere(np.isfinite(values)):
        value = float(values[y, x])
        look: dict[str, Any] = {"color": _ink(colours(scale(value))), "fontsize": 8}
        ax.text(
            x + 0.5,
            y + 0.5,
            table.write(value) + str(stars[y, x]),
            ha="center",
            va="center",
            **look,
        )
    ax.set_xticks(np.arange(len(labels)) + 0.5, labels)
    if _slanted(labels):
        ax.tick_params(axis="x", labelrotation=_SLANT)
        for text in ax.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    ax.set_yticks(np.arange(len(table.rows)) + 0.5, tick_labels(table.rows))
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.set_ylim(len(table.rows), 0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _ink(cell: Sequence[float]) -> str:
    """Return the text colour with the greater contrast to the cell, by relative luminance."""
    channels = np.asarray(cell[:3], float)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05
    # 0.0056 is the luminance of the dark text, 1 that of the light one.
    return ON_LIGHT if luminance / 0.0556 > 1.05 / luminance else ON_DARK
