"""Writes docs/images/cost.svg from the table of stores in docs/benchmarks.md."""

import re
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from inspect_confidence.plots.style import FAINT, INK, PAPER, RULE, SERIES

DOCS = Path(__file__).parent
_TABLE = r"summarize of a store: .*?GiB +target\n(.*?)\n\n"
_PLAIN = StrMethodFormatter("{x:,.0f}")


def rows(page: str) -> list[tuple[float, float, float]]:
    """Judgments, seconds of processor time and GiB of each line of the table."""
    (table,) = re.findall(_TABLE, page, re.DOTALL)
    cells = [re.split(r"\s{2,}", line.strip().replace(",", "")) for line in table.splitlines()]
    return [(float(one[2]), float(one[3]), float(one[5])) for one in cells]


def figure(measured: list[tuple[float, float, float]]) -> Figure:
    """Seconds against judgments, with what memory each took."""
    judgments, seconds, _ = zip(*measured, strict=True)
    drawn = Figure((5.5, 3.2), facecolor=PAPER, layout="constrained")
    axes = drawn.subplots()
    axes.loglog(judgments, seconds, marker="o", color=SERIES[0])
    for x, y, gib in measured:
        beside: dict[str, Any] = {"xytext": (0, 8), "textcoords": "offset points", "ha": "center"}
        axes.annotate(f"{y:.2g} s, {gib:.2f} GiB", (x, y), color=INK, fontsize=8, **beside)
    axes.set(xlabel="judgments", ylabel="processor time (s)", facecolor=PAPER)
    axes.set_xlim(min(judgments) / 2.5, max(judgments) * 2.5)
    axes.set_ylim(min(seconds) / 2, max(seconds) * 3)
    axes.xaxis.set_major_formatter(_PLAIN)
    axes.yaxis.set_major_formatter(_PLAIN)
    axes.grid(color=RULE, linewidth=0.6)
    axes.tick_params(colors=FAINT, which="both")
    axes.spines[["top", "right"]].set_visible(False)
    return drawn


if __name__ == "__main__":
    (DOCS / "images").mkdir(exist_ok=True)
    made = figure(rows((DOCS / "benchmarks.md").read_text("utf-8")))
    # The same file of the same table, whenever it is made.
    with rc_context({"svg.hashsalt": "cost", "svg.fonttype": "none"}):
        made.savefig(DOCS / "images" / "cost.svg", metadata={"Date": None})
