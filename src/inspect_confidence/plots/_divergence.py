"""How far a model's words lie from people's: a table of coloured cells."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import (
    ON_DARK,
    ON_LIGHT,
    PAPER,
    SEQUENTIAL,
    canvas,
    shortened,
    styled,
)

_METRICS = {
    "kl_divergence": "Kullback-Leibler divergence from people (nats)",
    "jensen_shannon": "Jensen-Shannon divergence from people (nats)",
    "wasserstein": "distance from people (percentage points)",
}
_COLUMNS = ("setting", "language", "variant", "model", "dataset")
_SETTINGS = ("concise", "extended", "female", "male", "", "all")
_MOST_WORDS, _MOST_COLUMNS = 40, 10

T = TypeVar("T")


@styled
def divergence(rows: pd.DataFrame) -> Figure:
    """Divergence of each word from people, the setting (and what else differs) in columns.

    A panel a metric. Cells without a value are blank.

    Args:
        rows: Results of `wep_elicitation`; its rows of `kl_divergence`, `jensen_shannon` and
            `wasserstein` against people are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    against = rows["condition"].map(lambda text: "versus=human" in text.split(";"))
    parts = ("setting", "language", "word")
    there = drawn(rows[against.astype(bool)], "wep_elicitation", list(_METRICS), parts)
    names, more = kept(list(dict.fromkeys(there["word"])), _MOST_WORDS, "words")
    there = settings_in_order(there)
    titled = groups(there.assign(setting=there["setting"].replace("all", "all settings")), _COLUMNS)
    columns, left = kept(list(titled), _MOST_COLUMNS, "columns")
    metrics = [name for name in _METRICS if (there["metric"] == name).any()]
    height = 0.26 * len(names) + 1.6
    figure, axes = canvas(len(metrics), width=6, height=height * len(metrics))
    for ax, metric in zip(axes, metrics, strict=True):
        values = [
            some[some["metric"] == metric].drop_duplicates("word").set_index("word")["value"]
            for _, some in columns
        ]
        table = np.column_stack([one.reindex(names).to_numpy(float) for one in values])
        write = "{:.1f}".format if metric == "wasserstein" else "{:.2f}".format
        cells(ax, table, names, [title for title, _ in columns], write)
        ax.set(title=_METRICS[metric], xlabel=(more + left).strip())
    return figure


def settings_in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows by setting, all of them together last."""
    order = {name: place for place, name in enumerate(_SETTINGS)}
    return rows.sort_values(
        "setting", key=lambda names: names.map(lambda name: order.get(name, 4)), kind="stable"
    )


def kept(names: Sequence[T], most: int, what: str) -> tuple[list[T], str]:
    """The first ones, and on a line of its own how many are left out; nothing where none is."""
    over = len(names) - most
    return list(names[:most]), f"\n{what} left out: {over}" if over > 0 else ""


def cells(
    ax: Axes,
    table: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    write: Callable[[float], str],
    limits: tuple[float, float] | None = None,
) -> None:
    """A table of coloured cells with their values; where there is none the cell is blank.

    Args:
        ax: To draw on.
        table: Values, of shape (rows, columns); NaN where there is none.
        rows: Their labels.
        columns: Likewise.
        write: A value as text.
        limits: Values of both ends of the colours; from 0 to the greatest value if None.
    """
    finite = table[np.isfinite(table)]
    low, high = limits or (0.0, float(finite.max(initial=0)) or 1.0)
    scale, colours = Normalize(low, high), colormaps[SEQUENTIAL]
    ax.pcolormesh(
        np.ma.masked_invalid(table), cmap=colours, norm=scale, edgecolors=PAPER, linewidth=1.5
    )
    for y, x in np.argwhere(np.isfinite(table)):
        value = float(table[y, x])
        on = _ink(colours(scale(value)))
        ax.text(x + 0.5, y + 0.5, write(value), ha="center", va="center", color=on, fontsize=8.5)
    labels = [shortened(name, 24) for name in columns]
    slanted = max(map(len, labels)) > 64 / len(labels)
    turned: dict[str, Any] = (
        {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    )
    ax.set_xticks(np.arange(len(labels)) + 0.5, labels, **turned)
    ax.set_yticks(np.arange(len(rows)) + 0.5, [shortened(name, 28) for name in rows])
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.invert_yaxis()
    for spine in ax.spines.values():
        spine.set_visible(False)


def _ink(cell: Sequence[float]) -> str:
    """The text colour with the greater contrast to the cell, by relative luminance."""
    channels = np.asarray(cell[:3], float)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05
    # 0.0056 is the luminance of the dark text, 1 that of the light one.
    return ON_LIGHT if luminance / 0.0556 > 1.05 / luminance else ON_DARK
