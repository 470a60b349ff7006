"""Confidence against accuracy."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import Costs
from inspect_confidence.plots.layout import (
    facets,
    interval_lengths,
    panels,
    select_against,
    select_rows,
    share_ticks,
    with_counts,
    with_intervals,
)
from inspect_confidence.plots.style import DASHED, FAINT, RULE, SERIES, mark, styled
from inspect_confidence.plots.text import brief, inches_of
from inspect_confidence.printing import shortened
from inspect_confidence.scales import ALL, BASELINE

_TASKS = ("scale_variants", "question_sets", "life_eval", "any_eval", "simple_qa")
_CONDITION_PARTS = (
    *("method", "scale", "source", "confidence_source", "kind", "radius", "given", "window"),
)
_PANEL_COLUMNS = ("model", "dataset", "variant", *_CONDITION_PARTS)
_UNNAMED_COLUMNS = _PANEL_COLUMNS[:7]
"""Columns whose values are in titles without the name of the column."""
_SCALE_PLACES = {str(scale): place for place, scale in enumerate(ALL)}


def _sorted_panels(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each panel with its title, sorted by run and then by condition.

    A panel is of one run (model, data set and variant; runs keep their order) and of one condition,
    such as a scale. Titles name what varies; a single panel is named by the first part of its
    condition, or by its model.
    """
    always_in_title = []  # columns that titles name although they do not vary
    if not (rows[list(_PANEL_COLUMNS)].nunique() > 1).any():
        present_parts = [name for name in _CONDITION_PARTS if rows.iloc[0][name]]
        always_in_title.append(present_parts[0] if present_parts else "model")
    titled = panels(rows, _PANEL_COLUMNS, always_in_title=always_in_title, value_text=_title_text)
    run_places: dict[tuple[str, ...], int] = {}
    sort_keys = []
    for position, (_, panel_rows) in enumerate(titled):
        _, *run = _run_key(panel_rows)  # without the task, which no column of panels is
        run_place = run_places.setdefault(tuple(run), len(run_places))
        condition = panel_rows[list(_CONDITION_PARTS)].iloc[0]
        places = [_condition_sort_key(str(value)) for value in condition]
        sort_keys.append((run_place, places, position))
    return [titled[position] for *_, position in sorted(sort_keys)]


def _title_text(name: str, value: str) -> str:
    """Return a column's value for a title, after the column's name if the value needs it."""
    return shortened(f"{name} {value}" if value and name not in _UNNAMED_COLUMNS else value)


def _run_key(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return the task, model, data set and variant that all these rows share."""
    return tuple(map(str, rows[["task", "model", "dataset", "variant"]].iloc[0]))


def _condition_sort_key(value: str) -> tuple[float, float, str]:
    """Return the sort key of a condition's value: known scales in their order, numbers, texts."""
    if value in _SCALE_PLACES:
        return 0, _SCALE_PLACES[value], ""
    try:
        return 1, float(value), ""
    except ValueError:
        return 2, 0, value


def _scale_labels(scales: Sequence[str]) -> list[str]:
    """Return short names of scales; a dash stands for a missing one."""
    return [shortened(scale, 16) or "-" for scale in scales]


@styled
def m_ratio(rows: pd.DataFrame) -> Figure:
    """Draw the M-ratio (meta-d'/d') of every scale, the data sets side by side, with 95% intervals.

    There is one panel for each model, variant, and definition of the M-ratio: the model of how
    answers arise (type 1), and the confidence from which on an answer counts as sure, if any. At an
    M-ratio of 1 confidence uses the answer's evidence as well as an ideal observer would. The mean
    over data sets is drawn as a data set.

    Args:
        rows: Results of `scale_variants`; its rows of `m_ratio` are drawn.
    """
    selected = select_rows(
        rows, "scale_variants", ["m_ratio"], parts=["scale", "type1", "threshold"]
    )
    sure_text = ", sure from " + selected["threshold"] + " on"
    selected["definition"] = (
        "type-1 model " + selected["type1"] + sure_text.where(selected["threshold"] != "", "")
    )
    titled = panels(selected, ("model", "variant", "definition"), always_in_title=["definition"])
    scales = sorted(selected["scale"].unique(), key=_condition_sort_key)
    datasets = list(selected["dataset"].unique())
    limits = _m_ratio_limits(selected)
    return facets(
        titled,
        partial(_draw_m_ratios, scales=scales, datasets=datasets, limits=limits),
        x="M-ratio",
        y="scale",
        columns=1,
        panel_inches=0.2 + len(scales) * max(0.18, 0.09 * len(datasets)),
        legend=list(map(shortened, datasets)) if len(datasets) > 1 else [],
        handles=lambda axes: axes[0].containers,
        tick_inches=0.6,
        remarks=_infinite_remark,
    )


def _m_ratio_limits(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of an axis that shows all finite values and interval ends of rows, and 1.

    1 is the M-ratio of an ideal observer, at which a line is drawn. On each side is a margin of 4%
    of the range of these numbers, which counts as at least 0.1.
    """
    numbers = rows[["value", "ci_low", "ci_high"]].to_numpy(float)
    values = np.append(numbers[np.isfinite(numbers)], 1)
    margin = 0.04 * max(float(np.ptp(values)), 0.1)
    return float(values.min()) - margin, float(values.max()) + margin


def _draw_m_ratios(
    ax: Axes,
    rows: pd.DataFrame,
    scales: Sequence[str],
    datasets: Sequence[str],
    limits: tuple[float, float],
) -> None:
    """Draw the M-ratios in a panel's rows with their intervals, and a dashed line at 1.

    `scales` are named from the top down; marks of `datasets` are below each other at each scale.
    `limits` are the ends of the axis.
    """
    low, high = limits
    ax.set(xlim=limits, ylim=(len(scales) - 0.5, -0.5))
    ax.set_yticks(range(len(scales)), _scale_labels(scales))
    ax.axvline(1, **DASHED)
    finite = rows[np.isfinite(rows["value"])]
    for k, dataset in enumerate(datasets):
        of_dataset = finite[finite["dataset"] == dataset]
        # Data sets share 0.7 of a scale's row, around its middle.
        shift = (k - (len(datasets) - 1) / 2) * (0.7 / len(datasets))
        y = of_dataset["scale"].map(scales.index).to_numpy(float) + shift
        # An interval without an end runs out of the panel; one that is missing is not drawn.
        reach = interval_lengths(of_dataset, beyond=high - low)
        ax.errorbar(of_dataset["value"], y, xerr=reach, linestyle="none", elinewidth=1, **mark(k))
    ax.grid(visible=False, axis="y")


def _infinite_remark(rows: pd.DataFrame) -> str:
    """Return a remark on the values that are infinite and not drawn; empty if there are none."""
    scales = dict.fromkeys(rows.loc[np.isinf(rows["value"]), "scale"])
    return f"infinite, not drawn: {', '.join(scales)}" if scales else ""


@styled
def ece_bins(rows: pd.DataFrame) -> Figure:
    """Draw ECE against the number of bins of equal width, one line per scale, with 95% intervals.

    ECE is the expected calibration error. There is one panel for each model, data set and variant.

    Args:
        rows: Results of `scale_variants`; its rows of `ece` in 10, 15 and 20 bins are drawn.
    """
    selected = select_rows(rows, "scale_variants", ["ece"], parts=["scale", "bins", "binning"])
    # Eleven bins are left out: ten of equal width, and one that contains only a confidence of 1.
    is_equal_width = (selected["binning"] == "") & (selected["bins"] != "11")
    selected = selected[is_equal_width]
    # Ten bins, the default, are not named.
    selected = selected.assign(x=selected["bins"].replace("", "10").astype(float))
    if selected.empty:
        raise InvalidArgument("There is nothing to draw: no row has ECE in bins of equal width.")
    scales = sorted(selected["scale"].unique(), key=_condition_sort_key)
    return facets(
        panels(selected, ("model", "dataset", "variant"), always_in_title=["dataset"]),
        partial(_draw_ece_by_bins, scales=scales),
        x="bins of equal width",
        y="ECE",
        legend=_scale_labels(scales),
        handles=lambda axes: axes[0].containers,
        tick_inches=0.4,
    )


def _draw_ece_by_bins(ax: Axes, rows: pd.DataFrame, scales: Sequence[str]) -> None:
    """Draw a line of ECE by the number of bins, in the column `x`, for each scale.

    Lines are shifted by up to 0.6 bins, so that their intervals lie side by side.
    """
    shifts = np.linspace(-0.6, 0.6, len(scales)) if len(scales) > 1 else [0]
    for k, scale in enumerate(scales):
        of_scale = rows[rows["scale"] == scale].sort_values("x")
        with_intervals(ax, of_scale["x"] + shifts[k], of_scale, linewidth=1.2, capsize=0, **mark(k))
    ax.set_xticks([10, 15, 20])  # the numbers of bins that the study varies
    ax.set_ylim(bottom=0)


_MOST_INTERVALS = 40
_TICK_SIZE = 9.0  # points
_TWICE_THE_MARGIN = 0.3  # inches: half of a wider label would not fit beside the last panel
_MANY_PANELS = 5  # panels, each of which has tick labels beneath it


@styled
def report_histogram(rows: pd.DataFrame) -> Figure:
    """Draw how often each confidence was reported, on the scale that was asked for.

    There is one panel for each model, data set, variant and condition (scale, source, radius), and
    one bar for each value, with its 95% interval if there are at most 40 values. Reports that lie
    outside the scale by more than its width are not drawn; a remark gives their share.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets`, `life_eval` or `any_eval`;
            its rows of `report_share` are drawn.
    """
    selected = select_rows(rows, _TASKS, ["report_share"], parts=["report", *_CONDITION_PARTS])
    titled = with_counts(_sorted_panels(selected), combine_n=max)
    height = None if len(titled) < _MANY_PANELS else 1.0  # inches
    return facets(
        titled,
        _draw_histogram,
        x="reported confidence",
        y="share of reports",
        panel_inches=height,
        # The more points a scale has, the less falls on each: a common axis would hide the shape.
        shared="none",
        tick_inches=0.4,
        remarks=_far_out_remark,
    )


def _histogram_limits(rows: pd.DataFrame) -> tuple[float, float, float, float]:
    """Return the scale's low and high end, and the lowest and highest report that is drawn.

    Reports are drawn up to one width of the scale beyond its ends. A scale whose name has no ends
    goes from 0 to the greatest report, at least to 1.
    """
    reported = rows["report"].astype(float)
    low, high = _scale_ends(str(rows["scale"].iloc[0])) or (0.0, max(1.0, *reported))
    return low, high, 2 * low - high, 2 * high - low


def _far_out_remark(rows: pd.DataFrame) -> str:
    """Return a remark on the share of a panel's reports that are too far out to be drawn."""
    *_, lowest, highest = _histogram_limits(rows)
    share = rows.loc[~rows["report"].astype(float).between(lowest, highest), "value"].sum()
    return f"{100 * share:.3g}% further out, not drawn" if share else ""


def _draw_histogram(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a panel's shares of reports as bars, with their intervals if there are at most 40.

    The axis has ticks at both ends of the scale and in the middle. Reports further outside the
    scale than its width are left out.
    """
    share = rows["value"].to_numpy(float)
    low, high, lowest, highest = _histogram_limits(rows)
    reports = rows["report"].astype(float)
    is_drawn = np.isfinite(share) & reports.between(lowest, highest).to_numpy()
    reported = reports.to_numpy()[is_drawn]
    width = _bar_width(reported, low, high)
    ax.bar(reported, share[is_drawn], width, color=SERIES[0])
    if len(reported) <= _MOST_INTERVALS:
        interval = rows[["ci_low", "ci_high"]].to_numpy(float)[is_drawn]
        ax.vlines(reported, *interval.T, color=FAINT, linewidth=0.9)
    beyond = width / 2 + 0.02 * (high - low)
    ax.set_xlim(min([low, *reported]) - beyond, max([high, *reported]) + beyond)
    ticks = [low, (low + high) / 2, high]
    labels = list(map(brief, ticks))
    # A wide label at the end leaves no room for one in the middle, and must not exceed the figure.
    is_wide = inches_of(labels[-1], _TICK_SIZE) > _TWICE_THE_MARGIN
    ax.set_xticks(ticks, [labels[0], "" if is_wide else labels[1], labels[2]])
    if is_wide:
        ax.get_xticklabels()[-1].set_horizontalalignment("right")
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator(3))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
    ax.grid(visible=False, axis="x")


def _bar_width(reported: np.ndarray, low: float, high: float) -> float:
    """Return the width of bars at the reported values on a scale from `low` to `high`.

    Bars are as wide as the values leave room for, but neither too thin to be seen nor a block. On a
    scale of whole numbers, which ends above 1, a bar may always be 0.8 wide.
    """
    room = 0.8 * np.diff(np.unique(reported)).min(initial=np.inf)
    thinnest, widest = (high - low) / 100, (high - low) / 30
    if high > 1:
        widest = max(widest, 0.8)
    return float(np.clip(room, thinnest, widest))


def _scale_ends(scale: str) -> tuple[float, float] | None:
    """Return the ends of a scale from its name; None if the name does not contain them.

    Example:
        >>> _scale_ends("14-86")
        (14.0, 86.0)
    """
    number = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"  # such as 14, -0.5 or 1e+06
    match = re.fullmatch(rf"({number})-({number})", scale)
    return (float(match[1]), float(match[2])) if match else None


_FALSE_ALARM, _HIT = "type2_false_alarm_rate", "type2_hit_rate"
_MOST_MARKERS = 30
_DOTTED: dict[str, Any] = {"color": SERIES[1], "linewidth": 1.2, "linestyle": ":"}


@styled
def type2_roc(rows: pd.DataFrame) -> Figure:
    """Draw type-2 ROC curves: hit rate against false-alarm rate at every confidence threshold.

    They show how well confidence tells right answers from wrong ones. There is one panel for each
    model, data set, variant and condition (scale, source). If there are several scales, each panel
    also has the curve of the scale 0-100 (`BASELINE`) of the same run, dotted. The area under the
    lines, in the title, is `auroc`.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets`, `life_eval` or `any_eval`;
            its rows of `type2_hit_rate` and `type2_false_alarm_rate` are drawn.
    """
    selected = select_rows(
        rows, _TASKS, [_HIT, _FALSE_ALARM], parts=["threshold", *_CONDITION_PARTS]
    )
    key = ["task", "threshold", *_PANEL_COLUMNS]
    hits = selected[selected["metric"] == _HIT]
    alarms = selected[selected["metric"] == _FALSE_ALARM]
    # A point for each threshold: the hit rate is `value`, the false-alarm rate `value_false`.
    points = hits.merge(alarms[[*key, "value"]], "outer", key, suffixes=("", "_false"))
    # An outer merge sorts by threshold; models keep the order of the rows.
    models = list(dict.fromkeys(selected["model"]))
    points = points.sort_values("model", key=lambda names: names.map(models.index), kind="stable")
    titled = _sorted_panels(points)
    baselines = {}
    for _, panel_rows in titled:
        if panel_rows["scale"].iloc[0] == str(BASELINE):
            baselines[_run_key(panel_rows)] = panel_rows
    # No legend if no panel has a dotted curve: there is no 0-100, or every panel is of it.
    names = [f"{BASELINE}, to compare"] if 0 < len(baselines) < len(titled) else []
    return facets(
        [(f"{title} ({_area_text(panel_rows)})", panel_rows) for title, panel_rows in titled],
        partial(_draw_roc, baselines=baselines),
        x="false-alarm rate: wrong answers held sure",
        y="hit rate: right answers held sure",
        legend=names,
        looks=[_DOTTED],
    )


def _draw_roc(
    ax: Axes, points: pd.DataFrame, baselines: Mapping[tuple[str, ...], pd.DataFrame]
) -> None:
    """Draw a panel's ROC curve with its band, and the curve of the same run on 0-100, dotted.

    `points` has a row for each threshold; `baselines` are points on the scale 0-100 by run (task,
    model, data set and variant). The second curve is left out if it is missing or the first.
    """
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    share_ticks(ax, "x", "y")
    ax.plot([0, 1], [0, 1], **DASHED)
    baseline = baselines.get(_run_key(points))
    if baseline is not None and baseline is not points:
        ax.plot(*_roc_curve(baseline), **_DOTTED)
    x, y = _roc_curve(points)
    if len(x) > 1:  # with (0, 0) alone there is no curve
        rates, low, high = _columns_by_threshold(points, "ci_low", "ci_high")
        ax.fill_between(rates, low, high, color=SERIES[0], alpha=0.15, linewidth=0)
        marker = "o" if len(x) <= _MOST_MARKERS else ""
        ax.plot(x, y, color=SERIES[0], marker=marker, markersize=3.5, linewidth=1.3)


@styled
def utility(rows: pd.DataFrame) -> Figure:
    """Draw the mean utility of answering from each confidence on, with 95% intervals.

    The user's `costs` give the utility of right, wrong and declined answers. There is one panel for
    each model, data set, variant and condition (method, scale). The dashed line is the utility of
    never answering. The dotted line is the confidence from which on answers are worth giving if
    confidence is calibrated. The best point of a curve is optimistic, since it is the best of this
    sample.

    Args:
        rows: What `detail` gives of `scale_variants` or `any_eval` with `costs`; its rows of
            `expected_utility` are drawn.
    """
    selected = select_rows(
        rows, _TASKS, ["expected_utility"], parts=["answered_from", "costs", *_CONDITION_PARTS]
    )
    selected = selected.assign(x=selected["answered_from"].astype(float))
    titled = []
    for title, panel_rows in _sorted_panels(selected):
        # A row that is given twice is drawn once.
        points = panel_rows.sort_values("x", kind="stable").drop_duplicates("x")
        titled.append((title, points))
    return facets(
        titled,
        _draw_utility,
        x="answered from this confidence on",
        y="mean utility",
        tick_inches=0.4,
    )


def _draw_utility(ax: Axes, points: pd.DataFrame) -> None:
    """Draw a panel's utility by confidence, with its band.

    `points` has a row for each confidence `x`. Lines are at the utility of never answering (dashed)
    and at the confidence from which on answers are worth giving (dotted).
    """
    # The text is as in "right 1, wrong -2, abstain 0".
    cost_by_name = {}
    for pair in str(points["costs"].iloc[0]).split(", "):
        name, text = pair.split(" ")
        cost_by_name[name] = float(text)
    costs = Costs(**cost_by_name)
    ax.axhline(costs.abstain, **DASHED)
    ax.axvline(costs.indifferent, **_DOTTED)
    x, y, low, high = points[["x", "value", "ci_low", "ci_high"]].to_numpy(float).T
    # The utility is constant from one confidence down to the next lower one.
    ax.fill_between(x, low, high, color=SERIES[0], alpha=0.15, linewidth=0, step="pre")
    marker = "o" if len(x) <= _MOST_MARKERS else ""
    ax.step(x, y, where="pre", color=SERIES[0], marker=marker, markersize=3.5, linewidth=1.3)
    ax.set_xlim(-0.03, 1.03)
    share_ticks(ax, "x")


def _area_text(points: pd.DataFrame) -> str:
    """Return the area under the ROC curve as text; say so if no answer is right, or none wrong."""
    x, y = _roc_curve(points)
    if len(x) == 1:  # only (0, 0): the hit rate or the false-alarm rate is undefined
        has_no_right = points["value"].isna().all()  # the hit rate, which is of right answers
        return f"no {'right' if has_no_right else 'wrong'} answer"
    # The trapezoidal rule, which numpy has under one name below 2.0 and another from there on.
    return f"area {np.diff(x) @ (y[1:] + y[:-1]) / 2:.2f}"


def _roc_curve(points: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return false-alarm rates and hit rates of the curve, beginning at (0, 0)."""
    x, y = _columns_by_threshold(points, "value")
    return np.append(0, x), np.append(0, y)


def _columns_by_threshold(points: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Return the false-alarm rate and the named columns, from the highest threshold to the lowest.

    Points at which any of these values is not finite are left out.
    """
    order = points["threshold"].astype(float).sort_values(ascending=False, kind="stable").index
    values = points.loc[order, ["value_false", *names]].to_numpy(float)
    return list(values[np.isfinite(values).all(axis=1)].T)


@styled
def reliability(rows: pd.DataFrame) -> Figure:
    """Draw a reliability diagram: accuracy against confidence, bin by bin.

    There is one panel for each model, data set, variant and condition (scale, source, radius). The
    accuracy of `life_eval` is the mean true probability of its answers; the axis says so if no task
    but `life_eval` is drawn. On the diagonal confidence is calibrated; below the diagonal it is too
    high. Bars at the foot are the shares of judgments in the bins; the largest bar of each panel
    has the full height. Each panel also has the CORP curve, which is isotonic and has no bins, and
    the band that contains 95% of such curves if confidence is calibrated.

    Args:
        rows: What `detail` gives of `scale_variants`, `question_sets`, `life_eval` or `any_eval`;
            its rows of `bin_accuracy` and `bin_confidence` are drawn, and those of `corp_accuracy`
            and `consistency_band` where they are there.
    """
    selected = select_against(
        rows, _TASKS, metric="bin_accuracy", x="bin_confidence", parts=["bin", *_CONDITION_PARTS]
    )
    # The bin that contains only a confidence of 1 has its bar right of 1.
    right = 1.12 if (selected["bin"] == "1").any() else 1.03
    corp = rows["metric"].isin([_CORP, _BAND]) & rows["value"].notna()
    if corp.any():
        curves = select_rows(rows, _TASKS, [_CORP, _BAND], parts=["confidence", *_CONDITION_PARTS])
        selected = pd.concat([selected, curves.assign(x=curves["confidence"].astype(float))])
    titled = []
    for title, panel_rows in _sorted_panels(selected):
        n = panel_rows.loc[~_is_corp(panel_rows), "n"].sum()
        titled.append((f"{title} (n = {n:,})", panel_rows))
    # The legend, and its marks in the same order; bins alone need none.
    names = ["bins", "CORP", "calibrated: 95% of CORP"] if corp.any() else []
    handles = [
        Line2D([], [], color=SERIES[0], marker="o", markersize=4, linewidth=1.2),
        Line2D([], [], **_CORP_LINE),
        Patch(**_CORP_BAND),
    ]
    return facets(
        titled,
        partial(_draw_reliability, right=right),
        x="confidence",
        y="true probability" if (selected["task"] == "life_eval").all() else "accuracy",
        legend=names,
        handles=lambda _: handles,
    )


def _draw_reliability(ax: Axes, rows: pd.DataFrame, right: float) -> None:
    """Draw a panel's bins with the band of their intervals, over the CORP curve if rows have one.

    `right` is the upper limit of the x axis. Bars of the counts, up to 0.22 high, are below 0.
    """
    bins = rows[~_is_corp(rows)]
    _draw_corp(ax, rows[_is_corp(rows)].sort_values("x"))
    draw_bins(ax, bins, right, strip=0.22)
    with_interval = bins[bins["ci_low"].notna()].sort_values("x")
    x, low, high = with_interval[["x", "ci_low", "ci_high"]].to_numpy(float).T
    ax.fill_between(x, low, high, color=SERIES[0], alpha=0.15, linewidth=0)


_CORP, _BAND = "corp_accuracy", "consistency_band"
_CORP_LINE: dict[str, Any] = {"color": SERIES[1], "linewidth": 1.2}
_CORP_BAND: dict[str, Any] = {"color": FAINT, "alpha": 0.25, "linewidth": 0}


def _is_corp(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows are of the CORP curve (isotonic accuracy) or its band."""
    return rows["metric"].isin([_CORP, _BAND])


def _draw_corp(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the isotonic (CORP) curve, if any, over the band of curves of calibrated confidence."""
    band, curve = rows[rows["metric"] == _BAND], rows[rows["metric"] == _CORP]
    x, low, high = band[["x", "ci_low", "ci_high"]].to_numpy(float).T
    ax.fill_between(x, low, high, **_CORP_BAND)
    if len(curve):
        ax.plot(curve["x"], curve["value"], **_CORP_LINE)


_BAR_WIDTH = 0.09  # width of the bar of a bin; the bin itself is 0.1 wide


def draw_bins(ax: Axes, rows: pd.DataFrame, right: float, strip: float) -> None:
    """Draw the diagonal, each bin's value with its interval at `x`, and bars of its answers (`n`).

    `rows` are those of one panel, whose bins, such as `0.1-0.2`, are 0.1 wide; `right` is the upper
    limit of the x axis. The bars are below 0, at the foot of the panel; the largest is as high as
    `strip`.
    """
    bins = rows.sort_values("x")
    ax.plot([0, 1], [0, 1], **DASHED)
    # A bar is a little narrower than its bin, whose name begins with its lower end.
    edges = bins["bin"].str.partition("-")[0].to_numpy(float) + (0.1 - _BAR_WIDTH) / 2
    height = bins["n"] / bins["n"].max() * strip
    ax.bar(edges, height, _BAR_WIDTH, bottom=-strip - 0.04, align="edge", color=FAINT, alpha=0.5)
    ax.axhline(-0.02, color=RULE, linewidth=0.7)
    with_intervals(ax, bins["x"], bins, color=SERIES[0], marker="o", linewidth=1.2, markersize=4)
    ax.set(xlim=(-0.03, right), ylim=(-strip - 0.04, 1.04))
    share_ticks(ax, "x", "y")
