"""Confidence against accuracy."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from inspect_confidence.plots.layout import (
    PARTS,
    draw_legend,
    drawn,
    ends_of,
    grid,
    in_order,
    legend_height,
    name_axes,
    panels,
    with_intervals,
)
from inspect_confidence.plots.style import FAINT, MARKERS, RULE, SERIES, shortened, styled
from inspect_confidence.plots.text import brief, inches_of
from inspect_confidence.scales import BASELINE


@styled
def m_ratio(rows: pd.DataFrame) -> Figure:
    """M-ratio of every scale, the data sets side by side, with 95% intervals.

    A panel a model, variant, type-1 model and threshold. At 1 confidence makes as much of the
    answer's evidence as an ideal observer would; the mean over data sets is one of them.

    Args:
        rows: Results of `scale_variants`; its rows of `m_ratio` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, "scale_variants", ["m_ratio"], ["scale", "type1", "threshold"])
    found = list(_groups(there))
    scales = in_order(there["scale"].unique())
    datasets = list(there["dataset"].unique())
    names = [shortened(name) for name in datasets] if len(datasets) > 1 else []
    figure, axes = grid(
        [title for title, _ in found],
        columns=1,
        height=0.2 + len(scales) * max(0.18, 0.09 * len(datasets)),
        legend=legend_height(names),
        ticks=0.6,
        beneath=[_infinite(some) for _, some in found],
    )
    ends = _ends(there)
    axes[0].set_xlim(ends)
    axes[0].set_yticks(range(len(scales)), [shortened(scale, 16) or "-" for scale in scales])
    axes[0].set_ylim(len(scales) - 0.5, -0.5)
    for ax, (_, some) in zip(axes, found, strict=True):
        _m_ratio_panel(ax, some, scales, datasets, ends)
    if names:
        draw_legend(figure, axes[0].containers, names)
    name_axes(figure, "M-ratio", "scale")
    return figure


def _ends(rows: pd.DataFrame) -> tuple[float, float]:
    """Of the axis that all panels share: all finite numbers, and 1."""
    numbers = rows[["value", "ci_low", "ci_high"]].to_numpy(float)
    shown = np.append(numbers[np.isfinite(numbers)], 1)
    margin = 0.04 * max(float(np.ptp(shown)), 0.1)
    return float(shown.min()) - margin, float(shown.max()) + margin


def _m_ratio_panel(
    ax: Axes,
    rows: pd.DataFrame,
    scales: list[str],
    datasets: list[str],
    ends: tuple[float, float],
) -> None:
    ax.axvline(1, color=FAINT, linewidth=1, linestyle="--")
    step = 0.7 / len(datasets)
    finite = rows[np.isfinite(rows["value"])]
    beyond = ends[1] - ends[0]
    for k, dataset in enumerate(datasets):
        mine = finite[finite["dataset"] == dataset]
        aside = (k - (len(datasets) - 1) / 2) * step
        y = [scales.index(scale) + aside for scale in mine["scale"]]
        value, low, high = (mine[name].to_numpy(float) for name in ("value", "ci_low", "ci_high"))
        # An interval without an end runs out of the panel; one that is missing is not drawn.
        arms = np.array([value - low, high - value])
        arms = np.clip(np.nan_to_num(arms, nan=0, posinf=beyond), 0, None)
        ax.errorbar(
            value,
            y,
            xerr=arms,
            color=SERIES[k % 6],
            marker=MARKERS[k % 6],
            linestyle="none",
            elinewidth=1,
        )
    ax.grid(visible=False, axis="y")


def _infinite(rows: pd.DataFrame) -> str:
    """Which values of a panel have no place in it."""
    there = dict.fromkeys(rows.loc[np.isinf(rows["value"]), "scale"])
    return f"infinite, not drawn: {', '.join(there)}" if there else ""


def _groups(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: the type-1 model and the threshold always."""
    varied = [name for name in ("model", "variant") if rows[name].nunique() > 1]
    for key, some in rows.groupby(["model", "variant", "type1", "threshold"], sort=False):
        named = dict(zip(("model", "variant", "type1", "threshold"), map(str, key), strict=True))
        said = f"type-1 model {named['type1']}"
        if named["threshold"]:
            said += f", sure from {named['threshold']} on"
        who = (shortened(named[name]) for name in varied)
        yield "\n".join(filter(None, (*who, said))), some


_TASKS = ("scale_variants", "question_sets", "life_eval")
_MOST_INTERVALS = 40
_TICK = 9.0  # points
_TWICE_THE_MARGIN = 0.3  # inches: half of a wider label would not fit beside the last panel
_MANY = 5  # panels, each of which has tick labels beneath it


@styled
def report_histogram(rows: pd.DataFrame) -> Figure:
    """How often each confidence was reported, on the scale that was asked for.

    A panel a model, data set, variant and condition (scale, source, radius), a bar a value, with
    its 95% interval up to 40 values.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets` or `life_eval`; its rows of
            `report_share` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, _TASKS, ["report_share"], ["report", *PARTS])
    found = panels(there, PARTS)
    titles = [f"{title} (n = {some['n'].max():,})" for title, some in found]
    # The more points a scale has, the less falls on each: a common axis would hide the shape.
    figure, axes = grid(titles, height=None if len(found) < _MANY else 1.0, shared=False, ticks=0.4)
    for ax, (_, some) in zip(axes, found, strict=True):
        _histogram_panel(ax, some)
    name_axes(figure, "reported confidence", "share of reports")
    return figure


def _histogram_panel(ax: Axes, rows: pd.DataFrame) -> None:
    share = rows["value"].to_numpy(float)
    finite = np.isfinite(share)
    reported = rows["report"].astype(float).to_numpy()[finite]
    low, high = ends_of(str(rows["scale"].iloc[0])) or (0.0, max(1.0, *reported))
    # As wide as the values leave room for, but neither too thin to be seen nor a block.
    room = 0.8 * np.diff(np.unique(reported)).min(initial=np.inf)
    width = float(np.clip(room, (high - low) / 100, max((high - low) / 30, 0.8 * (high > 1))))
    ax.bar(reported, share[finite], width, color=SERIES[0])
    if len(reported) <= _MOST_INTERVALS:
        interval = rows[["ci_low", "ci_high"]].to_numpy(float)[finite]
        ax.vlines(reported, *interval.T, color=FAINT, linewidth=0.9)
    beyond = width / 2 + 0.02 * (high - low)
    ax.set_xlim(min([low, *reported]) - beyond, max([high, *reported]) + beyond)
    ticks = [low, (low + high) / 2, high]
    labels = [brief(tick) for tick in ticks]
    wide = inches_of(labels[-1], _TICK) > _TWICE_THE_MARGIN
    ax.set_xticks(ticks, [labels[0], "" if wide else labels[1], labels[2]])
    if wide:
        ax.get_xticklabels()[-1].set_horizontalalignment("right")
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator(3))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
    ax.grid(visible=False, axis="x")


_FALSE, _HIT = "type2_false_alarm_rate", "type2_hit_rate"
_MOST_MARKERS = 30
_DOTTED: dict[str, Any] = {"color": SERIES[1], "linewidth": 1.2, "linestyle": ":"}


@styled
def type2_roc(rows: pd.DataFrame) -> Figure:
    """Type-2 ROC curves: hit rate against false-alarm rate at every confidence as a threshold.

    A panel a model, data set, variant and condition (scale, source). Of several scales, each
    panel also has the curve of 0-100, dotted. The area under the lines, in the title, is `auroc`.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets` or `life_eval`; its rows of
            `type2_hit_rate` and `type2_false_alarm_rate` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = drawn(rows, _TASKS, [_HIT, _FALSE], ["threshold", *PARTS])
    key = ["task", "model", "dataset", "variant", "threshold", *PARTS]
    hits, alarms = (there[there["metric"] == metric] for metric in (_HIT, _FALSE))
    points = hits.merge(alarms[[*key, "value"]], "outer", key, suffixes=("", "_false"))
    found = panels(points, PARTS)
    baselines = {_group(some): some for _, some in found if some["scale"].iloc[0] == str(BASELINE)}
    names = [f"{BASELINE}, to compare"] if 0 < len(baselines) < len(found) else []
    titles = [f"{title} ({_said(some)})" for title, some in found]
    figure, axes = grid(titles, legend=legend_height(names))
    for ax, (_, some) in zip(axes, found, strict=True):
        base = baselines.get(_group(some))
        _roc_panel(ax, some, None if base is some else base)
    if names:
        draw_legend(figure, [Line2D([], [], **_DOTTED)], names)
    ticks = ([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axes[0].set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes[0].set_xticks(*ticks)
    axes[0].set_yticks(*ticks)
    name_axes(
        figure, "false-alarm rate: wrong answers held sure", "hit rate: right answers held sure"
    )
    return figure


def _roc_panel(ax: Axes, points: pd.DataFrame, base: pd.DataFrame | None) -> None:
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle="--")
    if base is not None:
        ax.plot(*_curve(base), **_DOTTED)
    x, y = _curve(points)
    if len(x) == 1:
        return
    marker = "o" if len(x) <= _MOST_MARKERS else ""
    ax.fill_between(*_band(points), color=SERIES[0], alpha=0.15, linewidth=0)
    ax.plot(x, y, color=SERIES[0], marker=marker, markersize=3.5, linewidth=1.3)


def _said(points: pd.DataFrame) -> str:
    """The area under the curve, or why there is none."""
    x, y = _curve(points)
    if len(x) == 1:
        return f"no {'right' if points['value'].isna().all() else 'wrong'} answer"
    return f"area {np.trapezoid(y, x):.2f}"


def _curve(points: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The curve from (0, 0) on."""
    ordered = _sorted(points)
    x, y = (ordered[name].to_numpy(float) for name in ("value_false", "value"))
    finite = np.isfinite(x + y)
    return np.append(0, x[finite]), np.append(0, y[finite])


def _band(points: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The intervals of the hit rate along the curve."""
    ordered = _sorted(points)
    columns = (ordered[name].to_numpy(float) for name in ("value_false", "ci_low", "ci_high"))
    x, low, high = columns
    finite = np.isfinite(x + low + high)
    return x[finite], low[finite], high[finite]


def _sorted(points: pd.DataFrame) -> pd.DataFrame:
    return points.sort_values("threshold", key=lambda text: -text.astype(float), kind="stable")


def _group(rows: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(rows[name].iloc[0]) for name in ("task", "model", "dataset", "variant"))


_STRIP = 0.22  # how far the counts reach below an accuracy of 0


@styled
def reliability(rows: pd.DataFrame) -> Figure:
    """Accuracy against confidence, bin by bin: a reliability diagram.

    A panel a model, data set, variant and condition (scale, source, radius). On the diagonal
    confidence is right; below it it is too high. Bars at the foot are the shares of judgments in
    the bins, each panel's largest at full height.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets` or `life_eval`; its rows of
            `bin_accuracy` and `bin_confidence` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    accuracy = drawn(rows, _TASKS, ["bin_accuracy"], ["bin", *PARTS])
    confidence = drawn(rows, _TASKS, ["bin_confidence"], [])
    key = ["task", "model", "dataset", "condition"]
    accuracy = accuracy.merge(
        confidence[[*key, "value"]].rename(columns={"value": "confidence"}), on=key
    )
    found = panels(accuracy, PARTS)
    titles = [f"{title} (n = {some['n'].sum():,})" for title, some in found]
    figure, axes = grid(titles)
    for ax, (_, some) in zip(axes, found, strict=True):
        _reliability_panel(ax, some.sort_values("confidence"))
    axes[0].set_xlim(-0.03, 1.12 if (accuracy["bin"] == "1").any() else 1.03)
    name_axes(figure, "confidence", "accuracy")
    return figure


def _reliability_panel(ax: Axes, bins: pd.DataFrame) -> None:
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle="--")
    width = 0.09
    left = [_left(name) + (0.1 - width) / 2 for name in bins["bin"]]
    height = bins["n"] / bins["n"].max() * _STRIP
    ax.bar(left, height, width, bottom=-_STRIP - 0.04, align="edge", color=FAINT, alpha=0.5)
    ax.axhline(-0.02, color=RULE, linewidth=0.7)
    known = bins[bins["ci_low"].notna()]
    x, low, high = (known[name].to_numpy(float) for name in ("confidence", "ci_low", "ci_high"))
    ax.fill_between(x, low, high, color=SERIES[0], alpha=0.15, linewidth=0)
    with_intervals(
        ax, bins["confidence"], bins, color=SERIES[0], marker="o", linewidth=1.2, markersize=4
    )
    ax.set_ylim(-_STRIP - 0.04, 1.04)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])


def _left(name: str) -> float:
    """Where a bin begins."""
    return float(name.split("-", 1)[0])
