"""All models on the same axes: a study's finding in one picture."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from inspect_confidence.plots.dots import Panel, dots
from inspect_confidence.plots.layout import arms, drawn, facets, panels, share_ticks, with_intervals
from inspect_confidence.plots.style import DASHED, mark_of, shortened, styled
from inspect_confidence.scales import ALL

_ASIDE = 0.5
"""How much of the way to the next level models are spread over, so that none hides another."""


@styled
def coverage_of_models(rows: pd.DataFrame) -> Figure:
    """Observed coverage by nominal level, a line a model, of intervals as they were stated.

    A panel a data set and variant. On the dashed line intervals hold the truth as often as they
    are said to; below it models are overconfident.

    Args:
        rows: Results of `fermi_eval`; its rows of `coverage` of the method `direct` are drawn, over
            all items where there are such, and else over the test split.
    """
    there = drawn(rows, "fermi_eval", ["coverage"], ("level", "method", "split", "traces"))
    there = there[(there["method"] == "direct") & (there["level"] != "") & (there["traces"] == "")]
    there = there.sort_values(
        "split", key=lambda split: split.map(_SPLITS).fillna(2), kind="stable"
    )
    there = there.drop_duplicates(["model", "dataset", "variant", "level"])
    there = drawn(there, "fermi_eval", ["coverage"], ("level",))
    levels = sorted({float(level) for level in there["level"]})
    looks = _looks(there)

    def draw(ax: Axes, some: pd.DataFrame) -> None:
        ax.plot(range(len(levels)), [level / 100 for level in levels], **DASHED)
        for k, (model, look) in enumerate(looks.items()):
            mine = some[some["model"] == model].assign(level=some["level"].astype(float))
            x = mine["level"].map(levels.index) + _aside(k, len(looks))
            order = np.argsort(x.to_numpy(float))
            with_intervals(ax, x.iloc[order], mine.iloc[order], **look, linewidth=1.2)
        ax.set_xticks(range(len(levels)), [f"{level:g}" for level in levels])
        ax.set(ylim=(0, 1.03))
        share_ticks(ax, "y")

    found = panels(there, ("dataset", "variant"), alone=False, joint=", ")
    size: dict[str, Any] = {"columns": 1, "height": 2.6} if len(found) == 1 else {}
    return _with_models(found, draw, "nominal level (%)", "observed coverage", looks, **size)


_SPLITS = {"": 0, "test": 1}


def _aside(k: int, among: int) -> float:
    return _ASIDE * ((k + 0.5) / among - 0.5) if among > 1 else 0.0


def _looks(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Of each model; smaller marks where there are many."""
    models = list(rows["model"].unique())
    size = 4.5 if len(models) <= 6 else 3.5
    return {model: {**mark_of(model, k), "markersize": size} for k, model in enumerate(models)}


def _with_models(
    found: list[tuple[str, pd.DataFrame]],
    draw: Any,
    x: str,
    y: str,
    looks: Mapping[str, dict[str, Any]],
    **more: Any,
) -> Figure:
    handles = [Line2D([], [], linestyle="none", **look) for look in looks.values()]
    names = [shortened(model, 32) for model in looks]
    return facets(found, draw, x, y, legend=names, handles=lambda _: handles, **more)


_CALIBRATION = ("question_sets", "any_eval")


@styled
def says_and_right(rows: pd.DataFrame) -> Figure:
    """Accuracy against mean confidence, a mark a model, with both 95% intervals.

    A panel a data set and way of asking. On the diagonal models are as often right as they say;
    below it they are overconfident.

    Args:
        rows: Results of `any_eval` or `question_sets`; its rows of `accuracy` and `mean_confidence`
            over all questions are drawn.
    """
    parts = ("method", "scale", "source", "by", "kind", "models")
    there = drawn(rows, _CALIBRATION, ["accuracy", "mean_confidence"], parts)
    there = there[(there[["by", "kind", "models"]] == "").all(axis=1)]
    by = ["dataset", "method", "scale", "source", "variant", "model"]
    there = there.drop_duplicates([*by, "metric"])
    both = [there[there["metric"] == name] for name in ("accuracy", "mean_confidence")]
    ends = ["value", "ci_low", "ci_high"]
    said = both[1][[*by, *ends]].rename(columns={name: f"said_{name}" for name in ends})
    pairs = drawn(both[0].merge(said, on=by), _CALIBRATION, ["accuracy"], parts)
    looks = _looks(pairs)

    def draw(ax: Axes, some: pd.DataFrame) -> None:
        ax.plot([0, 1], [0, 1], **DASHED)
        for model, look in looks.items():
            mine = some[some["model"] == model]
            across = mine[[f"said_{name}" for name in ends]].set_axis(ends, axis=1)
            reach: dict[str, Any] = {"xerr": arms(across), "yerr": arms(mine), "elinewidth": 0.8}
            ax.errorbar(across["value"], mine["value"], linestyle="none", **reach, **look)
        ax.set(xlim=(low, 1.02), ylim=(low, 1.02))
        # Numbers at the ends of panels side by side would meet.
        ax.xaxis.set_major_locator(MaxNLocator(5, prune="lower"))

    held = pairs[["value", "said_value", "ci_low", "said_ci_low"]].min().min()
    low = min(float(np.floor(10 * held) / 10), 0.9)
    found = panels(pairs, ("dataset", "method", "scale", "source", "variant"), alone=False)
    size: dict[str, Any] = {"columns": 1, "height": 3.2} if len(found) == 1 else {}
    return _with_models(found, draw, "mean confidence", "accuracy", looks, **size)


@styled
def auroc_by_scale(rows: pd.DataFrame) -> Figure:
    """AUROC on each scale, a mark a model, with 95% intervals.

    A panel a data set and variant; where there is a mean over data sets it alone is drawn.

    Args:
        rows: Results of `scale_variants`; its rows of `auroc` on a scale are drawn.
    """
    there = drawn(rows, "scale_variants", ["auroc"], ("scale", "by"))
    there = drawn(there[there["by"] == ""], "scale_variants", ["auroc"], ("scale",))
    means = there["dataset"] == "mean"
    there = there[means] if means.any() else there
    places = {str(scale): place for place, scale in enumerate(ALL)}
    names = sorted(there["scale"].unique(), key=lambda one: (places.get(one, 99), one))
    found = panels(there.assign(name=there["scale"]), ("dataset", "variant"), alone=False)
    return dots([_panel(one, some, "AUROC", 0.5) for one, some in found], names, "scales")


@styled
def mic_of_models(rows: pd.DataFrame) -> Figure:
    """Internal confidence of each marker, a mark a model, with 95% intervals.

    A panel a data set, split, variant and judge; the markers from the commonest to the rarest.

    Args:
        rows: Results of `hedge_markers`; its rows of `mic` over all sentences of a marker are
            drawn, of the test splits where there are any.
    """
    parts = ("split", "marker", "judge", "marker_threshold", "outcome", "faithful")
    there = drawn(rows, "hedge_markers", ["mic"], parts)
    there = there[(there["outcome"] == "") & (there["faithful"] == "") & (there["marker"] != "")]
    tested = there["split"] == "test"
    there = there[tested] if tested.any() else there
    there = there[there["marker_threshold"] == there["marker_threshold"].min()]
    sizes = there.groupby("marker", sort=False)["n"].sum()
    names = list(map(str, sizes.sort_values(ascending=False, kind="stable").index))
    by = ("dataset", "split", "variant", "judge")
    found = panels(there.assign(name=there["marker"]), by, alone=False)
    shown = [_panel(title, some, "internal confidence", None, (0, 1)) for title, some in found]
    return dots(shown, names, "rarer markers", most=12)


def _panel(
    title: str,
    rows: pd.DataFrame,
    label: str,
    reference: float | None,
    within: tuple[float, float] | None = None,
) -> Panel:
    """A series a model."""
    models = list(rows["model"].unique())
    series = [(shortened(model, 32), rows[rows["model"] == model]) for model in models]
    return Panel(title, label, series, reference, within, models)
