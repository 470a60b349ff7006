"""Numbers of intervals by nominal level: which lines there are, and how they are drawn."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence.plots._fitting import inches_of
from inspect_confidence.plots._legend import draw_legend, legend_height
from inspect_confidence.plots._rows import drawn, with_intervals
from inspect_confidence.plots._small_multiples import grid
from inspect_confidence.plots._style import MARKERS, SERIES, WIDTH, shortened

LINES: Mapping[str, str] = {
    "stated": "as stated",
    "conformal": "conformal",
    "score": "scaled by score",
    "nll": "scaled by likelihood",
    "all_levels": "temperature of all levels",
    "per_level": "temperature of each level",
}
"""What is drawn of a method: its own intervals, and what adjusting them gives."""

_PARTS = ("level", "method", "split", "base", "scaling", "decoding", "traces")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (2, 1)))
_TICK = 9.0  # points
_ASIDE = 0.07  # so that intervals at one level don't hide each other


def lines(rows: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Rows with `of`, the method that asked, and `line`, what is done to its intervals.

    Where a method has a test split, only that is drawn: adjustments were learned on the train
    split.

    Raises:
        InvalidArgument: No row has a value.
    """
    there = drawn(rows, "fermi_eval", metrics, _PARTS)
    there = there[there["traces"] == ""]
    adjusted = there["scaling"] + there["decoding"]
    there = there.assign(
        of=there["base"].where(there["base"] != "", there["method"].replace("conformal", "direct")),
        line=adjusted.where(adjusted != "", there["method"]),
    )
    there["line"] = there["line"].where(there["line"].isin(list(LINES)), "stated")
    tested = there.groupby(["model", "dataset", "variant", "of"])["split"].transform(
        lambda splits: (splits == "test").any()
    )
    return there[~tested.astype(bool) | (there["split"] == "test")]


def panels(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each model, data set, variant and method, with what tells them apart."""
    by = ["model", "dataset", "variant", "of"]
    varied = [name for name in by[:3] if rows[name].nunique() > 1]
    for values, some in rows.groupby(by, sort=False):
        named = dict(zip(by, map(str, values), strict=True))
        said = [named["of"], *(named[name] for name in varied if named[name])]
        yield "\n".join(shortened(one) for one in said), some


def canvas_of(
    rows: pd.DataFrame, said: Callable[[pd.DataFrame], str] = lambda _: ""
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """A figure with a panel each, the levels evenly spaced, and a legend of all lines on top.

    What is infinite is said in words above its panel, where no line can be.

    Args:
        rows: As `lines` gives them.
        said: What else stands above a panel of these rows.
    """
    found = list(panels(rows))
    names = [name for name in LINES if name in set(rows["line"])]
    handles = [Line2D([], [], label=LINES[name], **_look(name)) for name in names]
    labels = [LINES[name] for name in names]
    figure, axes = grid(
        [title for title, _ in found],
        legend=legend_height(labels),
        ticks=0.46,
        beneath=[f"{said(some)}\n{_infinite(some)}" for _, some in found],
    )
    draw_legend(figure, handles, labels)
    levels = levels_of(rows)
    axes[0].set_xticks(range(len(levels)), _spaced(levels, WIDTH / min(len(found), 2) - 0.5))
    axes[0].set_xlim(-0.4, len(levels) - 0.6)
    return figure, [(ax, some) for ax, (_, some) in zip(axes, found, strict=True)]


def levels_of(rows: pd.DataFrame) -> list[float]:
    """The nominal levels that any panel has, in percent."""
    return sorted({float(level) for level in rows["level"] if level})


def draw_lines(ax: Axes, rows: pd.DataFrame, levels: Sequence[float], ceiling: float) -> None:
    """A line each with its 95% intervals; what is infinite is not drawn.

    Args:
        ax: To draw on.
        rows: Of one panel.
        levels: Of the horizontal axis.
        ceiling: Where the panel ends: an interval without an upper end runs out of it.
    """
    rows = rows[rows["level"] != ""]
    names = [name for name in LINES if name in set(rows["line"])]
    for k, name in enumerate(names):
        line = rows[rows["line"] == name]
        line = line.assign(level=line["level"].astype(float)).sort_values("level")
        finite = line[np.isfinite(line["value"])]
        high = finite["ci_high"]
        x = finite["level"].map(levels.index) + _ASIDE * (k - (len(names) - 1) / 2)
        bounded = finite.assign(ci_high=high.where(high != np.inf, 2 * ceiling))
        with_intervals(ax, x, bounded, **_look(name))


def ceiling_of(rows: pd.DataFrame) -> float:
    """Just above the greatest finite number, of values and intervals."""
    numbers = rows[["value", "ci_high"]].to_numpy(float)
    return 1.08 * float(np.max(numbers, where=np.isfinite(numbers), initial=1e-9))


def _infinite(rows: pd.DataFrame) -> str:
    """Which values of a panel have no place in it."""
    there = rows[np.isinf(rows["value"]) & (rows["level"] != "")]
    said = []
    for name in (name for name in LINES if name in set(there["line"])):
        levels = sorted(there.loc[there["line"] == name, "level"].astype(float))
        said.append(f"{LINES[name]} at {', '.join(f'{level:g}%' for level in levels)}")
    return f"infinite, not drawn: {'; '.join(said)}" if said else ""


def _spaced(levels: Sequence[float], inches: float) -> list[str]:
    """The levels' labels, as many of them as there is room for."""
    named = [f"{level:g}" for level in levels]
    apart = max(inches_of(name, _TICK) for name in named) + 0.06
    every = max(1, math.ceil(apart * len(levels) / inches))
    return [name if k % every == 0 else "" for k, name in enumerate(named)]


def _look(name: str) -> dict[str, Any]:
    k = list(LINES).index(name)
    return {
        "color": SERIES[k],
        "marker": MARKERS[k],
        "linestyle": _DASHES[k],
        "markersize": 4.5,
        "linewidth": 1.4,
    }
