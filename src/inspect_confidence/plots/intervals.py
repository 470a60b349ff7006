"""FermiEval: intervals by nominal level, which answers were asked for, how traces differ."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.layout import (
    facets,
    panels,
    select_against,
    select_rows,
    tick_width,
    with_both_intervals,
    with_counts,
    with_intervals,
)
from inspect_confidence.plots.style import FAINT, SERIES, WIDTH, mark, styled
from inspect_confidence.plots.text import brief
from inspect_confidence.printing import shortened
from inspect_confidence.results import with_parts
from inspect_confidence.studies import cell

_LINE_LABELS = {
    "stated": "as stated",
    "conformal": "conformal",
    "score": "scaled by score",
    "nll": "scaled by likelihood",
    "all_levels": "temperature of all levels",
    "per_level": "temperature of each level",
}
"""Labels of a method's lines: its own intervals, and the adjusted intervals."""

_PARTS = ("level", "method", "split", "base", "scaling", "decoding")
_PANEL_COLUMNS = ("of", "model", "dataset", "variant")
_panel_key = itemgetter(*_PANEL_COLUMNS)
"""Function that returns the panel to which a row belongs."""
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (2, 1)))
_SHIFT = 0.07  # so that intervals at one level don't hide each other


def _rows_of_lines(rows: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the rows of metrics, with columns that say in which panel (`of`) and line they are.

    `of` is the method that asked for intervals. `line` is how they were adjusted, such as
    `conformal`, a key of `_LINE_LABELS`; `stated` stands for no adjustment. If a method has a test
    split, only the test split is kept, because adjustments were learned on the train split.
    """
    # Metrics of n averaged reasoning traces are left out.
    selected = select_rows(rows, "fermi_eval", metrics, _PARTS, excluded_parts=["traces"])
    selected = _with_lines(selected)
    return selected[_is_of_drawn_split(selected)]


def rows_of_drawn_splits(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of `fermi_eval` without those that `coverage` and similar figures do not draw.

    They draw one split, and no rows of averaged reasoning traces (`traces`). Undefined numbers
    stay, since they say why a figure lacks them.
    """
    lines = with_parts(rows[rows["value"].notna()], ["variant", "traces", *_PARTS])
    lines = _with_lines(lines[lines["traces"] == ""])
    is_drawn = rows.index.isin(lines.loc[_is_of_drawn_split(lines), "row"])
    return rows[is_drawn | rows["value"].isna()]


def _with_lines(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the columns `of` and `line`, as `_rows_of_lines` describes them."""
    rows = rows.copy()
    # Conformal intervals have the method `conformal`; the method that asked for them is in `base`,
    # which is empty if that is `direct`.
    base, asking_method = rows["base"], rows["method"].replace("conformal", "direct")
    rows["of"] = base.where(base != "", asking_method)
    # Other adjustments are in `scaling` or `decoding`, at most one in a row.
    adjustment = rows["scaling"] + rows["decoding"]
    adjustment = adjustment.where(adjustment != "", rows["method"])
    rows["line"] = adjustment.where(adjustment.isin(list(_LINE_LABELS)), "stated")
    return rows


def _is_of_drawn_split(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows are of the test split, or of a method and metric without one."""
    is_test = rows["split"] == "test"
    keys = [rows[name] for name in (*_PANEL_COLUMNS, "metric")]
    return ~is_test.groupby(keys).transform("any") | is_test


def _level_panels(
    rows: pd.DataFrame,
    y: str,
    ceiling: float,
    set_axis: Callable[[Axes], object],
    *,
    nominal: bool = False,
    remark_by_panel: Mapping[Any, str] | None = None,
) -> Figure:
    """Draw one panel for each method over evenly spaced levels; a remark names infinite values.

    `rows` are from `_rows_of_lines`, with the method in the column `of`. The vertical axis is named
    `y` and ends at `ceiling`, beyond which intervals without an upper end run; `set_axis` sets its
    limits and ticks after all panels are drawn. With `nominal`, a dashed line shows a coverage
    equal to the level. `remark_by_panel` has further remarks by `_panel_key`.
    """
    titled = panels(rows, _PANEL_COLUMNS, always_in_title=["of"])
    names = _ordered_lines(rows)
    levels = sorted(set(map(float, filter(None, rows["level"]))))
    axis_inches = WIDTH / min(len(titled), 2) - 0.5  # one or two panels side by side
    remarks = []
    for _, panel_rows in titled:
        remark = (remark_by_panel or {}).get(_panel_key(panel_rows.iloc[0]), "")
        remarks.append(f"{remark}\n{_infinite_remark(panel_rows)}")
    return facets(
        titled,
        partial(_draw_lines, levels=levels, ceiling=ceiling, nominal=nominal),
        x="nominal level (%)",
        y=y,
        legend=list(map(_LINE_LABELS.__getitem__, names)),
        looks=map(_line_look, names),
        tick_inches=0.46,
        remarks=remarks,
        finish=partial(
            _set_level_axes, labels=_level_labels(levels, axis_inches), set_axis=set_axis
        ),
    )


def _set_level_axes(
    axes: Sequence[Axes], labels: Sequence[str], set_axis: Callable[[Axes], object]
) -> None:
    """Label the levels along x on drawn axes, and set each vertical axis by `set_axis`."""
    for ax in axes:
        ax.set_xticks(range(len(labels)), labels)
        ax.set_xlim(-0.4, len(labels) - 0.6)
        set_axis(ax)


def _draw_lines(
    ax: Axes, rows: pd.DataFrame, levels: Sequence[float], ceiling: float, nominal: bool
) -> None:
    """Draw a panel's finite values by level, a line for each adjustment of the intervals.

    The position along x is the index in `levels`, shifted a little from line to line. An interval
    without an upper end is drawn up to twice `ceiling`, which is out of the panel. If `nominal`, a
    dashed line shows a coverage equal to the level.
    """
    if nominal:
        shares, dashes = np.array(levels) / 100, (0, (3, 2))
        ax.plot(range(len(levels)), shares, color=FAINT, linewidth=1, linestyle=dashes)
    rows = rows[rows["level"] != ""]
    names = _ordered_lines(rows)
    for k, name in enumerate(names):
        line = rows[(rows["line"] == name) & np.isfinite(rows["value"])]
        line = line.assign(
            level=line["level"].astype(float),
            ci_high=line["ci_high"].where(line["ci_high"] != np.inf, 2 * ceiling),
        ).sort_values("level")
        x = line["level"].map(levels.index) + _SHIFT * (k - (len(names) - 1) / 2)
        with_intervals(ax, x, line, **_line_look(name))


def _ordered_lines(rows: pd.DataFrame) -> list[str]:
    """Return the names of the lines that occur in the rows, in the order of `_LINE_LABELS`."""
    present = set(rows["line"])
    return [name for name in _LINE_LABELS if name in present]


def _upper_limit(rows: pd.DataFrame) -> float:
    """Return an axis limit 8% above the greatest finite value or interval end.

    It is just above 0 if there is no positive number.
    """
    numbers = rows[["value", "ci_high"]].to_numpy(float)
    return 1.08 * float(np.max(numbers, where=np.isfinite(numbers), initial=1e-9))


def _infinite_remark(rows: pd.DataFrame) -> str:
    """Return a remark on the values that are infinite and not drawn; empty if there are none."""
    infinite = rows[np.isinf(rows["value"]) & (rows["level"] != "")]
    parts = []
    for name in _ordered_lines(infinite):
        levels = sorted(infinite.loc[infinite["line"] == name, "level"].astype(float))
        parts.append(f"{_LINE_LABELS[name]} at {', '.join(map('{:g}%'.format, levels))}")
    return f"infinite, not drawn: {'; '.join(parts)}" if parts else ""


def _level_labels(levels: Sequence[float], inches: float) -> list[str]:
    """Return the labels of the levels, leaving out labels for which there is no room."""
    labels = list(map("{:g}".format, levels))
    spacing = tick_width(labels) + 0.06  # with a gap
    step = max(1, math.ceil(spacing * len(levels) / inches))
    return [name if k % step == 0 else "" for k, name in enumerate(labels)]


def _line_look(name: str) -> dict[str, Any]:
    """Return matplotlib's arguments for the line with a name in `_LINE_LABELS`."""
    k = list(_LINE_LABELS).index(name)
    return {**mark(k), "linestyle": _DASHES[k], "markersize": 4.5, "linewidth": 1.4}


_LOG_FROM = 5  # ratio of the greatest to the least value from which the axis is logarithmic
_FEW_LABELS_FROM = 200  # ratio of the axis limits from which labels at 2 and 5 are too many


@styled
def interval_score(rows: pd.DataFrame) -> Figure:
    """Draw the mean interval score by nominal level, before and after adjustment; lower is better.

    The score of an interval is its width plus a penalty if it misses the truth. There is one panel
    for each model, data set, variant and method. All panels have the same axis, which is
    logarithmic if scores differ more than fivefold. If there is a test split, only the test split
    is drawn.

    Args:
        rows: Results of `fermi_eval`; its rows of `interval_score` are drawn with their intervals.
            Infinite ones are named above their panel.
    """
    selected = _rows_of_lines(rows, ["interval_score"])
    top = _upper_limit(selected)
    return _level_panels(
        selected,
        "interval score",
        ceiling=top,
        set_axis=partial(_set_score_axis, rows=selected, top=top),
    )


def _set_score_axis(ax: Axes, rows: pd.DataFrame, top: float) -> None:
    """Set the y axis up to `top`: logarithmic if finite values are positive and differ fivefold."""
    values, lower_ends = rows["value"].to_numpy(float), rows["ci_low"].to_numpy(float)
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() <= 0 or finite.max() < _LOG_FROM * finite.min():
        ax.set_ylim(0, top)
    else:
        # An interval may reach 0, which a logarithmic axis cannot show. The axis includes ends of
        # intervals down to a fifth of the least value; others are cut off.
        shown_ends = lower_ends[lower_ends > finite.min() / _LOG_FROM]
        lowest = shown_ends.min(initial=finite.min())
        low, high = min(finite.min() / 2, 0.9 * lowest), 1.3 * top
        ax.set_yscale("log")
        ax.set_ylim(low, high)
        digits = (1, 2, 5) if high < _FEW_LABELS_FROM * low else (1,)  # that labels begin with
        ax.yaxis.set_major_locator(LogLocator(subs=digits))
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
    selected = _rows_of_lines(rows, ["mean_width"])
    selected = selected[selected["line"].isin(("stated", "conformal"))]
    top = _upper_limit(selected)
    remark_by_panel = {}
    with suppress(InvalidArgument):  # raised if no row has a plateau
        for row in _rows_of_lines(rows, ["coverage_plateau"]).to_dict("records"):
            remark_by_panel[_panel_key(row)] = f"coverage plateau {cell(row)}"
    return _level_panels(
        selected,
        "mean width, powers of ten",
        ceiling=top,
        set_axis=partial(_set_width_axis, top=top),
        remark_by_panel=remark_by_panel,
    )


def _set_width_axis(ax: Axes, top: float) -> None:
    """Set the y axis from 0 to `top`, with short numbers."""
    ax.set_ylim(0, top)
    ax.yaxis.set_major_formatter(lambda width, _: brief(width))


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
    selected = _rows_of_lines(rows, ["coverage"])
    return _level_panels(
        selected,
        "observed coverage",
        ceiling=1,
        set_axis=lambda ax: ax.set_ylim(0, 1.03),
        nominal=True,
    )


@styled
def exponents(rows: pd.DataFrame) -> Figure:
    """Draw the share of questions whose answer has each exponent of ten, one panel per data set.

    Args:
        rows: What `detail` gives of `fermi_eval`; its rows of `exponent_share` are drawn.
    """
    selected = select_rows(rows, "fermi_eval", ["exponent_share"], parts=["exponent"])
    selected = selected.assign(exponent=selected["exponent"].astype(float))
    # Each title has the number of questions, which all rows of a data set have as n.
    return facets(
        with_counts(panels(selected, ["dataset"]), combine_n=max),
        _draw_exponents,
        x="exponent of ten of the answer",
        y="share of questions",
        shared="none",
        tick_inches=0.4,
    )


def _draw_exponents(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw bars of the share of questions (`value`) by exponent of ten."""
    finite = rows[np.isfinite(rows["value"])]
    ax.bar(finite["exponent"], finite["value"], 0.85, color=SERIES[0])
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
    ax.grid(visible=False, axis="x")


@styled
def tunnel_entropy(rows: pd.DataFrame) -> Figure:
    """Draw the Tunnel Index against the entropy of single traces, both in bits.

    A trace is a reasoning that ends in a distribution of answers. The index is the entropy of the
    mean distribution less the mean entropy of single ones: how much a single trace hides.
    There is one panel for each model and data set, and one mark with its 95% intervals for each
    variant, such as a temperature.

    Args:
        rows: Results of `fermi_eval`; its rows of `tunnel_index` and `decoding_entropy` are drawn.
    """
    parts = ["method", "split"]
    selected = select_against(
        rows, "fermi_eval", metric="tunnel_index", x="decoding_entropy", parts=parts
    )
    names = {variant: shortened(variant) or "as run" for variant in selected["variant"].unique()}
    return facets(
        panels(selected, ["model", "dataset"], title_of_one=False),
        partial(_draw_tunnel_entropy, names=names),
        x="decoding entropy: of a single trace (bits)",
        y="Tunnel Index (bits)",
        panel_inches=2.2,
        legend=list(names.values()) if len(names) > 1 else [],
        handles=lambda axes: axes[0].containers,
        finish=_start_at_zero,
    )


def _draw_tunnel_entropy(ax: Axes, rows: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Draw a panel's Tunnel Index (`value`) against entropy (`x`), a mark for each variant.

    `names` are labels by variant. Rows with a value that is not finite are left out.
    """
    finite = rows[np.isfinite(rows["value"] + rows["x"])]
    for k, (variant, name) in enumerate(names.items()):
        of_variant = finite[finite["variant"] == variant]
        with_both_intervals(ax, of_variant, label=name, elinewidth=1, capsize=2.5, **mark(k))
    ax.margins(0.15)


def _start_at_zero(axes: list[Axes]) -> None:
    """Begin axes that panels share at 0, and make them at least a tenth of a bit long."""
    axes[0].set_xlim(0, max(0.1, axes[0].get_xlim()[1]))
    axes[0].set_ylim(0, max(0.1, axes[0].get_ylim()[1]))
