"""LifeEval and the question sets side by side: calibration, and a number of every model."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from inspect_confidence.plots.dots import Panel, dots
from inspect_confidence.plots.layout import (
    drawn,
    drawn_against,
    facets,
    panels,
    share_ticks,
    with_intervals,
)
from inspect_confidence.plots.style import DASHED, mark_of, shortened, styled

_TASKS = ("question_sets", "life_eval")
_SOURCES = ("stated", "token")
_BY = ("dataset", "variant", "window")


@styled
def calibration(rows: pd.DataFrame) -> Figure:
    """Accuracy against confidence, data sets side by side, bin by bin with 95% intervals.

    A panel a data set, variant and window; a line what a model stated and one what its tokens say,
    or one a group of models. On the diagonal confidence is right; below it it is too high.

    Args:
        rows: What `detail` gives of `question_sets` and `life_eval`; its rows of `bin_accuracy` and
            `bin_confidence` over all radii are drawn.
    """
    parts = ["bin", "source", "models", "radius", "window"]
    there = drawn_against(rows, _TASKS, "bin_accuracy", "bin_confidence", parts)
    there = there[there["radius"] == ""].assign(source=there["source"].replace("", "stated"))
    whose = there["models"].where(there["models"] != "", there["model"])
    # A group's judgments are all stated.
    there["line"] = whose + there["source"].map({"token": ", token"}).fillna("")
    if there.loc[there["models"] == "", "model"].nunique() == 1 and (there["models"] == "").all():
        there["line"] = there["source"]
    lines = list(there["line"].unique())
    looks: dict[str, dict[str, Any]] = {line: mark_of(line, k) for k, line in enumerate(lines)}

    def draw(ax: Axes, some: pd.DataFrame) -> None:
        ax.plot([0, 1], [0, 1], **DASHED)
        for line in lines:
            mine = some[some["line"] == line].sort_values("x")
            if len(mine):
                with_intervals(ax, mine["x"], mine, linewidth=1.2, markersize=3.5, **looks[line])
        ax.set(xlim=(-0.03, 1.05), ylim=(-0.03, 1.05))
        share_ticks(ax, "x", "y")

    found = panels(there, _BY, always=["dataset"])
    return facets(
        [(f"{title} (n = {some['n'].sum():,})", some) for title, some in found],
        draw,
        "confidence",
        "accuracy",
        legend=[shortened(line) for line in lines],
        handles=lambda _: [Line2D([], [], linewidth=1.2, **look) for look in looks.values()],
    )


_REFERENCES = {"overconfidence": 0.0, "accuracy": 1.0, "ece": 0.0}
"""What `over_sets` draws, and where each is best."""
_NAMES = {"ece": "expected calibration error"}


@styled
def over_sets(rows: pd.DataFrame) -> Figure:
    """A number of every model, a panel a data set, variant and window, with 95% intervals.

    What models stated and what their tokens say are side by side where both are there.

    Args:
        rows: Results of `question_sets` and `life_eval`; of `overconfidence`, `accuracy` and `ece`
            the first one that there is, over all radii and kinds, is drawn.
    """
    apart = ["radius", "kind"]
    there = drawn(rows, _TASKS, list(_REFERENCES), apart)
    there = there[(there[apart] == "").all(axis=1)]
    metric = next((name for name in _REFERENCES if (there["metric"] == name).any()), "")
    # Raises where only rows of single radii or kinds are there.
    there = drawn(there, _TASKS, [metric], ["source", "window"])
    there = there.assign(name=there["model"], source=there["source"].replace("", "stated"))
    sources = [source for source in _SOURCES if (there["source"] == source).any()]
    label, reference = _NAMES.get(metric, metric), _REFERENCES[metric]
    shown = [
        Panel(
            title,
            label,
            [
                (source if len(sources) > 1 else "", some[some["source"] == source])
                for source in sources
            ],
            reference,
        )
        for title, some in panels(there, _BY, always=["dataset"])
    ]
    return dots(shown, list(there["model"].unique()), "models")
