"""Numbers of intervals by nominal level: which lines there are, and how they are drawn."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.layout import facets, panels, select_rows, tick_width, with_intervals
from inspect_confidence.plots.style import FAINT, WIDTH, mark, styled
from inspect_confidence.plots.text import brief
from inspect_confidence.studies import cell

_LINES = {
    "stated": "as stated",
    "conformal": "conformal",
    "score": "scaled by score",
    "nll": "scaled by likelihood",
    "all_levels": "temperature of all levels",
    "per_level": "temperature of each level",
}
"""Labels of a method's lines: its own intervals, and the adjusted intervals."""

_PARTS = ("level", "method", "split", "base", "scaling", "decoding", "traces")
_BY = ("of", "model", "dataset", "variant")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (2, 1)))
_ASIDE = 0.07  # so that intervals at one level don't hide each other


def _lines(rows: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Return rows with `of` (the method that asked) and `line` (the adjustment of its intervals).

    If a method has a test split, only the test split is drawn, because adjustments were learned on
    the train split.
    """
    selected = select_rows(rows, "fermi_eval", metrics, _PARTS)
    selected = selected[selected["traces"] == ""]
    adjusted = selected["scaling"] + selected["decoding"]
    selected = selected.assign(
        of=selected["base"].where(
            selected["base"] != "", selected["method"].replace("conformal", "direct")
        ),
        line=adjusted.where(adjusted != "", selected["method"]),
    )
    selected["line"] = selected["line"].where(selected["line"].isin(list(_LINES)), "stated")
    tested = selected.groupby(list(_BY))["split"].transform(lambda splits: (splits == "test").any())
    return selected[~tested.astype(bool) | (selected["split"] == "test")]


def _by_level(
    rows: pd.DataFrame,
    name: str,
    ceiling: float,
    scaled: Callable[[Axes], object],
    *,
    nominal: bool = False,
    remark: Callable[[pd.DataFrame], str] = lambda _: "",
) -> Figure:
    """Draw one panel for each method over evenly spaced levels; a remark names infinite values.

    An interval without an upper end runs out of the panel, which ends at `ceiling`.
    """
    titled = panels(rows, _BY, always=["of"])
    names = _in_order(rows)
    levels = sorted({float(level) for level in rows["level"] if level})
    ticks = _spaced(levels, WIDTH / min(len(titled), 2) - 0.5)

    def draw(ax: Axes, panel_rows: pd.DataFrame) -> None:
        if nominal:
            shares, dashes = [level / 100 for level in levels], (0, (3, 2))
            ax.plot(range(len(levels)), shares, color=FAINT, linewidth=1, linestyle=dashes)
        finite = panel_rows[(panel_rows["level"] != "") & np.isfinite(panel_rows["value"])]
        names_of_panel = _in_order(panel_rows[panel_rows["level"] != ""])
        for k, line_name in enumerate(names_of_panel):
            line = finite[finite["line"] == line_name]
            line = line.assign(
                level=line["level"].astype(float),
                ci_high=line["ci_high"].where(line["ci_high"] != np.inf, 2 * ceiling),
            ).sort_values("level")
            x = line["level"].map(levels.index) + _ASIDE * (k - (len(names_of_panel) - 1) / 2)
            with_intervals(ax, x, line, **_look(line_name))
        ax.set_xticks(range(len(levels)), ticks)
        ax.set_xlim(-0.4, len(levels) - 0.6)
        scaled(ax)

    return facets(
        titled,
        draw,
        x="nominal level (%)",
        y=name,
        legend=[_LINES[line_name] for line_name in names],
        handles=lambda _: [Line2D([], [], **_look(line_name)) for line_name in names],
        ticks=0.46,
        beneath=[f"{remark(panel_rows)}\n{_infinite(panel_rows)}" for _, panel_rows in titled],
    )


def _in_order(rows: pd.DataFrame) -> list[str]:
    """Return the names of the lines that occur in the rows, in the order of `_LINES`."""
    present = set(rows["line"])
    return [name for name in _LINES if name in present]


def _ceiling(rows: pd.DataFrame) -> float:
    """Return a number just above the greatest finite end of an interval or value."""
    numbers = rows[["value", "ci_high"]].to_numpy(float)
    return 1.08 * float(np.max(numbers, where=np.isfinite(numbers), initial=1e-9))


def _infinite(rows: pd.DataFrame) -> str:
    """Return a remark on the values that are infinite and not drawn; empty if there are none."""
    infinite = rows[np.isinf(rows["value"]) & (rows["level"] != "")]
    parts = []
    for name in _in_order(infinite):
        levels = sorted(infinite.loc[infinite["line"] == name, "level"].astype(float))
        parts.append(f"{_LINES[name]} at {', '.join(f'{level:g}%' for level in levels)}")
    return f"infinite, not drawn: {'; '.join(parts)}" if parts else ""


def _spaced(levels: Sequence[float], inches: float) -> list[str]:
    """Return the labels of the levels, leaving out labels for which there is no room."""
    labels = [f"{level:g}" for level in levels]
    spacing = tick_width(labels) + 0.06
    step = max(1, math.ceil(spacing * len(levels) / inches))
    return [name if k % step == 0 else "" for k, name in enumerate(labels)]


def _look(name: str) -> dict[str, Any]:
    k = list(_LINES).index(name)
    return {**mark(k), "linestyle": _DASHES[k], "markersize": 4.5, "linewidth": 1.4}


_WIDE = 5  # times: a range that a linear axis would press together
_MANY = 200  # times: above, labels at 2 and 5 would be too many


@styled
def interval_score(rows: pd.DataFrame) -> Figure:
    """Draw the mean interval score by nominal level, before and after adjustment; lower is better.

    There is one panel for each model, data set, variant and method. All panels have the same axis,
    which is logarithmic if scores differ more than fivefold. If there is a test split, only the
    test split is drawn.

    Args:
        rows: Results of `fermi_eval`; its rows of `interval_score` are drawn with their intervals.
            Infinite ones are named above their panel.
    """
    selected = _lines(rows, ["interval_score"])
    top = _ceiling(selected)
    return _by_level(
        selected, "interval score", ceiling=top, scaled=lambda ax: _scaled(ax, selected, top)
    )


def _scaled(ax: Axes, rows: pd.DataFrame, top: float) -> None:
    """Set the axis that suits the range of the finite values, linear or logarithmic."""
    values, ends = rows["value"].to_numpy(float), rows["ci_low"].to_numpy(float)
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() <= 0 or finite.max() < _WIDE * finite.min():
        ax.set_ylim(0, top)
    else:
        # An interval may reach 0, which has no place on the axis.
        lowest = ends[ends > finite.min() / _WIDE].min(initial=finite.min())
        low, high = min(finite.min() / 2, 0.9 * lowest), 1.3 * top
        ax.set_yscale("log")
        ax.set_ylim(low, high)
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < _MANY * low else (1,)))
        ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: brief(value)))


@styled
def tunnel(rows: pd.DataFrame) -> Figure:
    """Draw the mean width of intervals by nominal level, as stated and after conformal adjustment.

    There is one panel for each model, data set, variant and method. Adjusted intervals
    contain the truth of train items as often as the level says; stated widths that stay flat while
    the adjusted width rises are the perception tunnel. The coverage plateau is the share of truths
    contained, relative to the level and averaged over levels. If there is a test split, only the
    test split is drawn.

    Args:
        rows: Results of `fermi_eval`; its rows of `mean_width` and, where there are any, of
            `coverage_plateau` are drawn.
    """
    selected = _lines(rows, ["mean_width"])
    selected = selected[selected["line"].isin(("stated", "conformal"))]
    top = _ceiling(selected)
    plateaus = {}
    with suppress(InvalidArgument):  # there may be none
        for row in _lines(rows, ["coverage_plateau"]).to_dict("records"):
            plateaus[tuple(row[name] for name in _BY)] = f"coverage plateau {cell(row)}"

    def scaled(ax: Axes) -> None:
        ax.set_ylim(0, top)
        ax.yaxis.set_major_formatter(lambda width, _: brief(width))

    def width_remark(panel_rows: pd.DataFrame) -> str:
        return plateaus.get(tuple(panel_rows[name].iloc[0] for name in _BY), "")

    return _by_level(
        selected, "mean width, powers of ten", ceiling=top, scaled=scaled, remark=width_remark
    )


@styled
def coverage(rows: pd.DataFrame) -> Figure:
    """Draw observed coverage by nominal level, before and after adjustment.

    There is one panel for each model, data set, variant and method. On the dashed line intervals
    contain the truth as often as their level says; below the line they are overconfident. If there
    is a test split, only the test split is drawn, since adjustments were learned on the train
    split.

    Args:
        rows: Results of `fermi_eval`; its rows of `coverage` are drawn with their intervals.
    """
    selected = _lines(rows, ["coverage"])
    return _by_level(
        selected,
        "observed coverage",
        ceiling=1,
        scaled=lambda ax: ax.set_ylim(0, 1.03),
        nominal=True,
    )
