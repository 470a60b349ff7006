"""FermiEval: which answers were asked for, and how reasoning traces differ."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from inspect_confidence.plots.layout import (
    arms,
    facets,
    panels,
    select_against,
    select_rows,
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
    titled = with_counts(panels(selected, ["dataset"]), max)

    def draw(ax: Axes, panel_rows: pd.DataFrame) -> None:
        """Draw a panel's shares of questions by exponent as bars."""
        finite = panel_rows[np.isfinite(panel_rows["value"])]
        ax.bar(finite["exponent"], finite["value"], 0.85, color=SERIES[0])
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
        ax.grid(visible=False, axis="x")

    return facets(
        titled,
        draw,
        x="exponent of ten of the answer",
        y="share of questions",
        shared="none",
        ticks=0.4,
    )


@styled
def tunnel_entropy(rows: pd.DataFrame) -> Figure:
    """Draw the Tunnel Index against the entropy of single traces, both in bits.

    There is one panel for each model and data set, and one mark with its 95% intervals for each
    variant, such as a temperature.

    Args:
        rows: Results of `fermi_eval`; its rows of `tunnel_index` and `decoding_entropy` are drawn.
    """
    parts = ["method", "split"]
    selected = select_against(rows, _TASK, metric="tunnel_index", x="decoding_entropy", parts=parts)
    across = rows[rows["metric"] == "decoding_entropy"]
    key = ["model", "dataset", "condition"]
    ends = {name: f"x_{name}" for name in ("ci_low", "ci_high")}
    selected = selected.merge(across[[*key, *ends]].rename(columns=ends), on=key)
    variants = list(selected["variant"].unique())
    names = [shortened(name) or "as run" for name in variants]

    def draw(ax: Axes, panel_rows: pd.DataFrame) -> None:
        """Draw a panel's Tunnel Index against entropy, a mark for each variant."""
        for k, name in enumerate(variants):
            of_variant = panel_rows[
                (panel_rows["variant"] == name) & np.isfinite(panel_rows["value"] + panel_rows["x"])
            ]
            aside = of_variant.assign(
                value=of_variant["x"],
                ci_low=of_variant["x_ci_low"],
                ci_high=of_variant["x_ci_high"],
            )
            look: dict[str, Any] = {
                "xerr": arms(aside),
                "yerr": arms(of_variant),
                "elinewidth": 1,
                "capsize": 2.5,
            }
            ax.errorbar(
                of_variant["x"],
                of_variant["value"],
                linestyle="none",
                label=names[k],
                **look,
                **mark(k),
            )
        ax.margins(0.15)

    return facets(
        panels(selected, ["model", "dataset"], title_of_one=False),
        draw,
        x="decoding entropy: of a single trace (bits)",
        y="Tunnel Index (bits)",
        height=2.2,
        legend=names if len(names) > 1 else [],
        handles=lambda axes: axes[0].containers,
        finish=_from_zero,
    )


def _from_zero(axes: list[Axes]) -> None:
    """Begin axes that panels share at 0, and make them at least a tenth of a bit long."""
    for ax in axes[:1]:
        ax.set_xlim(0, max(0.1, ax.get_xlim()[1]))
        ax.set_ylim(0, max(0.1, ax.get_ylim()[1]))
