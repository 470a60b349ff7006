"""How well confidence tells right from wrong answers: the type-2 ROC curve."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence._scales import BASELINE
from inspect_confidence.plots._legend import draw_legend, legend_height
from inspect_confidence.plots._panels import PARTS, panels
from inspect_confidence.plots._rows import drawn
from inspect_confidence.plots._small_multiples import grid, name_axes
from inspect_confidence.plots._style import FAINT, SERIES, styled

_TASKS = ("scale_variants", "question_sets", "life_eval")
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
        _panel(ax, some, None if base is some else base)
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


def _panel(ax: Axes, points: pd.DataFrame, base: pd.DataFrame | None) -> None:
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
