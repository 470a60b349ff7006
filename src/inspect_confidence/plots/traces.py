"""FermiEval: which answers were asked for, and how reasoning traces differ."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from inspect_confidence.plots.layout import (
    facets,
    panels,
    select_against,
    select_rows,
    with_both_intervals,
    with_counts,
)
from inspect_confidence.plots.style import SERIES, mark, styled
from inspect_confidence.printing import shortened

_TASK = "fermi_eval"


@styled
def exponents(rows: pd.DataFrame) -> Figure:
    """Draw the share of questions whose answer has each exponent of ten, one panel per data set.

    Args:
        rows: What `detail` gives of `fermi_eval`; its rows of `exponent_share` are drawn.
    """
    selected = select_rows(rows, _TASK, ["exponent_share"], parts=["exponent"])
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
    selected = select_against(rows, _TASK, metric="tunnel_index", x="decoding_entropy", parts=parts)
    entropies = rows[rows["metric"] == "decoding_entropy"]
    key = ["model", "dataset", "condition"]
    ends = {name: f"x_{name}" for name in ("ci_low", "ci_high")}
    selected = selected.merge(entropies[[*key, *ends]].rename(columns=ends), on=key)
    names = {variant: shortened(variant) or "as run" for variant in selected["variant"].unique()}
    return facets(
        panels(selected, ["model", "dataset"], title_of_one=False),
        partial(_draw_tunnel_entropy, names=names),
        x="decoding entropy: of a single trace (bits)",
        y="Tunnel Index (bits)",
        panel_inches=2.2,
        legend=list(names.values()) if len(names) > 1 else [],
        handles=lambda axes: axes[0].containers,
        finish=_from_zero,
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


def _from_zero(axes: list[Axes]) -> None:
    """Begin axes that panels share at 0, and make them at least a tenth of a bit long."""
    for ax in axes[:1]:
        ax.set_xlim(0, max(0.1, ax.get_xlim()[1]))
        ax.set_ylim(0, max(0.1, ax.get_ylim()[1]))
