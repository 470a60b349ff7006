"""What words mean: distributions of stated probabilities, model against people."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy import arange

from inspect_confidence.plots._fit import LINE, folded, kept, stacked
from inspect_confidence.plots._rows import drawn, groups
from inspect_confidence.plots._style import MARKERS, PAPER, SERIES, shortened, styled

_PEOPLE = "people surveyed"
_QUANTILES = ("0.05", "0.25", "0.5", "0.75", "0.95")
_BY = ("model", "dataset", "variant", "language", "setting")
_MOST_WORDS = 40
_ROW, _LEGEND = 0.32, 1.4  # inches; rows that the legend takes above the first word


@styled
def words(rows: pd.DataFrame) -> Figure:
    """Probabilities that a model and people give to each word.

    A panel a model, data set, variant, language and setting; the rows of the people surveyed are
    drawn in each. Boxes reach from the lower to the upper quartile, lines from the 5% to the 95%
    quantile, marks stand at the median. Words are in the order of the people's medians, or of the
    model's where people were not asked.

    Args:
        rows: Of `detail`, of `wep_elicitation`; its rows of `probability_quantile` are drawn.

    Returns:
        The figure.

    Raises:
        InvalidArgument: There is no such row.
    """
    parts = ("language", "setting", "word", "q")
    there = drawn(rows, "wep_elicitation", ["probability_quantile"], parts)
    asked = there["model"] == _PEOPLE
    people, own = there[asked], _once(there[~asked])
    own["setting"] = own["setting"].replace("all", "all settings")
    panels = list(groups(own, _BY)) or [(_PEOPLE, own)]
    order = [_order(people, some) for _, some in panels]
    titles = [folded(title, 2.3) for title, _ in panels]
    lines = sum(
        title.count("\n") + remark.count("\n") + 1
        for title, (_, remark) in zip(titles, order, strict=True)
    )
    heights = [_ROW * (len(names) + _LEGEND) for names, _ in order]
    figure, axes = stacked(heights, LINE * lines + 0.5 * len(panels))
    for ax, (_, some), title, (names, remark) in zip(axes, panels, titles, order, strict=True):
        mine = people[people["word"].isin(names)]
        _panel(ax, names, mine, some)
        ax.set(title=title, xlabel=f"stated probability{remark}")
    return figure


def _once(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without those over all settings of a model that was asked in one only."""
    run = [name for name in _BY if name != "setting"]
    settings = rows.groupby(run)["setting"].transform("nunique")
    both = 2  # the only setting, and all of them
    return rows[(rows["setting"] != "all") | (settings != both)].copy()


def _panel(ax: Axes, names: list[str], people: pd.DataFrame, own: pd.DataFrame) -> None:
    sides = [("people surveyed", "", people, 1), ("model", " contexts", own, 0)]
    sides = [side for side in sides if len(side[2])]
    for place, (label, units, side, look) in enumerate(sides):
        shift = 0.38 * (place - (len(sides) - 1) / 2)
        _boxes(ax, names, side, shift, f"{label} ({_size(side)}{units})", look)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xticks([k / 4 for k in range(5)], [f"{25 * k}%" for k in range(5)])
    ax.set_yticks(range(len(names)), [shortened(name, 20) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6 - _LEGEND)
    ax.legend(loc="upper left", borderaxespad=0, handlelength=1, handletextpad=0.4)


def _table(rows: pd.DataFrame) -> pd.DataFrame:
    """Words in rows, quantiles in columns."""
    wide = rows.pivot_table(index="word", columns="q", values="value", aggfunc="first", sort=False)
    return wide.reindex(columns=list(_QUANTILES))


def _order(people: pd.DataFrame, own: pd.DataFrame) -> tuple[list[str], str]:
    """The words from the most to the least likely, and a remark on those that are left out."""
    known, mine = (_table(side)["0.5"] for side in (people, own))
    medians = known[known.index.isin(mine.index)] if len(mine) else known
    medians = pd.concat([medians, mine[~mine.index.isin(medians.index)]])
    names = medians.sort_values(ascending=False, kind="stable").index
    return kept([str(name) for name in names], _MOST_WORDS, "words")


def _size(rows: pd.DataFrame) -> str:
    low, high = rows["n"].min(), rows["n"].max()
    return f"{low}" if low == high else f"{low} to {high}"


def _boxes(
    ax: Axes, names: list[str], rows: pd.DataFrame, shift: float, label: str, look: int
) -> None:
    table = _table(rows).reindex(names)
    low, first, median, third, high = (table[q].to_numpy(float) for q in _QUANTILES)
    y, color = arange(len(names)) + shift, SERIES[look]
    ax.hlines(y, low, high, color=color, linewidth=1.1)
    # The people's boxes are hatched, so that the two differ without their colour too.
    hatch = "/////" if look else None
    ax.barh(y, third - first, 0.3, first, facecolor=PAPER, edgecolor=color, zorder=2)
    ax.barh(
        y,
        third - first,
        0.3,
        first,
        facecolor=color,
        edgecolor=color,
        alpha=0.35,
        zorder=2,
        hatch=hatch,
    )
    ax.plot(
        median,
        y,
        linestyle="none",
        marker=MARKERS[look],
        color=color,
        markeredgecolor=PAPER,
        label=label,
        zorder=3,
    )
