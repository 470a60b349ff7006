"""The tunnel: stated widths that hardly grow with the level, against those it would take."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from inspect_confidence.plots._fitting import brief
from inspect_confidence.plots._interval_lines import (
    canvas_of,
    ceiling_of,
    draw_lines,
    levels_of,
    lines,
)
from inspect_confidence.plots._small_multiples import name_axes
from inspect_confidence.plots._style import styled
from inspect_confidence.studies import cell


@styled
def tunnel(rows: pd.DataFrame) -> Figure:
    """Mean width of intervals by nominal level: as stated, and after conformal adjustment.

    A panel a model, data set, variant and method. The adjusted width is what it takes to hold the
    truth as often as the level says; stated widths that stay flat while it rises are the tunnel.
    The coverage plateau is the share of truths held, averaged over levels. Where there is a test
    split, it alone is drawn.

    Args:
        rows: Results of `fermi_eval`; its rows of `mean_width` and, where there are any, of
            `coverage_plateau` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    there = lines(rows, ["mean_width"])
    there = there[there["line"].isin(("stated", "conformal"))]
    top, levels = ceiling_of(there), levels_of(there)
    plateaus = _plateaus(rows)
    figure, panels = canvas_of(there, lambda some: plateaus.get(_group(some.iloc[0]), ""))
    for ax, some in panels:
        draw_lines(ax, some, levels, top)
    panels[0][0].set_ylim(0, top)
    panels[0][0].yaxis.set_major_formatter(lambda width, _: brief(width))
    name_axes(figure, "nominal level (%)", "mean width, powers of ten")
    return figure


def _plateaus(rows: pd.DataFrame) -> dict[tuple[str, ...], str]:
    """The coverage plateau of each panel's stated intervals, with its interval."""
    if not (rows["metric"].eq("coverage_plateau") & rows["value"].notna()).any():
        return {}
    plateaus = lines(rows, ["coverage_plateau"])
    return {_group(row): f"coverage plateau {cell(dict(row))}" for _, row in plateaus.iterrows()}


def _group(row: "pd.Series[Any]") -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("model", "dataset", "variant", "of"))
