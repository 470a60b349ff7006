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
from inspect_confidence.plots.style import ON_DARK, ON_LIGHT, PAPER, SEQUENTIAL, WIDTH
from inspect_confidence.plots.text import blocks

_ROW_HEIGHT = 0.21  # inches
_HALF_COLUMN = 0.2  # inches: slanted labels end in the middle of their columns
_MOST_COLUMNS = 5
_MARGINS, _BETWEEN_LABELS = 0.35, 0.1  # inches beside the columns, and between their labels
_SLANT = 35  # degrees


@dataclass(frozen=True)
class CellTable:
    """A table of values, of shape (rows, columns); the cell of a NaN is blank.

    Attributes:
        rows: Labels of the rows.
        columns: Labels of the columns.
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
    """Draw the tables, at least one, below each other, each in blocks of at most five columns."""
    titled_blocks, heights, remarks = [], [], []  # of each block
    row_label_width = max(tick_width(tick_labels(table.rows)) for table in tables)
    columns_width = WIDTH - row_label_width - _MARGINS
    slanted_width = 0.0  # of the widest slanted label
    for table in tables:
        for indices in blocks(range(len(table.columns)), _MOST_COLUMNS):
            labels = tick_labels(table.columns[index] for index in indices)
            # Labels are slanted if one is wider than its column.
            slanted = tick_width(labels) > columns_width / len(labels) - _BETWEEN_LABELS
            if slanted:
                slanted_width = max(slanted_width, tick_width(labels))
            titled_blocks.append((table.title, (table, indices, labels, slanted)))
            heights.append(_ROW_HEIGHT * len(table.rows))
            remarks.append("" if indices[0] else table.remark)  # above the first block only
    # Inches that a slanted label takes below the table and left of its column.
    label_height = slanted_width * sin(radians(_SLANT))
    label_reach = slanted_width * cos(radians(_SLANT))
    tick_inches = max(row_label_width, label_reach - _HALF_COLUMN)
    return facets(
        titled_blocks,
        lambda ax, block: _draw_table(ax, *block),  # called with each panel and its block
        x="",
        y="",
        columns=1,
        panel_inches=heights,
        shared="none",
        tick_inches=tick_inches,
        least_tick_inches=tick_inches,
        remarks=remarks,
        inches_below=0.24 + label_height,
    )


def _draw_table(
    ax: Axes, table: CellTable, indices: Sequence[int], labels: Sequence[str], slanted: bool
) -> None:
    """Draw the table's columns with these indices as coloured cells with their values as text.

    The columns have `labels`, which may be slanted. Colours go from 0 to the table's greatest value
    unless it has `limits`. The cell of a value that is not finite is blank.
    """
    finite = table.values[np.isfinite(table.values)]
    # A scale needs a length: without a value above 0 it ends at 1.
    low, high = table.limits or (0.0, float(finite.max(initial=0)) or 1.0)
    scale, colours = Normalize(low, high), colormaps[SEQUENTIAL]
    values = table.values[:, list(indices)]
    stars = np.full(values.shape, "") if table.stars is None else table.stars[:, list(indices)]
    ax.pcolormesh(
        np.ma.masked_invalid(values), cmap=colours, norm=scale, edgecolors=PAPER, linewidth=1.5
    )
    for y, x in np.argwhere(np.isfinite(values)):
        value = float(values[y, x])
        look: dict[str, Any] = {"fontsize": 8, "ha": "center", "va": "center"}
        look["color"] = _text_colour(colours(scale(value)))
        ax.text(x + 0.5, y + 0.5, table.write(value) + str(stars[y, x]), **look)
    ax.set_xticks(np.arange(len(labels)) + 0.5, labels)
    if slanted:
        ax.tick_params(axis="x", labelrotation=_SLANT)
        for text in ax.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    ax.set_yticks(np.arange(len(table.rows)) + 0.5, tick_labels(table.rows))
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.set_ylim(len(table.rows), 0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _text_colour(cell: Sequence[float]) -> str:
    """Return the text colour with the greater contrast to the cell, given in sRGB from 0 to 1.

    By WCAG 2, contrast is (lighter luminance + 0.05) / (darker luminance + 0.05).
    """
    channels = np.asarray(cell[:3], float)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    raised_luminance = float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05
    # The luminance of the dark text is 0.0056, that of the light one 1; each is raised by 0.05.
    return ON_LIGHT if raised_luminance / 0.0556 > 1.05 / raised_luminance else ON_DARK
