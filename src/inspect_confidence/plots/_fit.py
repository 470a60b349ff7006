"""What fits a figure of one column: how much is shown, where lines break, how legends wrap."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

from matplotlib.figure import Figure, FigureBase

from inspect_confidence.plots._style import WIDTH, canvas

LINE = 0.17
"""Inches from a line of a title to the next."""

_EM = 0.62  # of a size of font: the width of a character in words with some capitals

T = TypeVar("T")


def kept(names: Sequence[T], most: int, what: str) -> tuple[list[T], str]:
    """The first ones, and on a line of its own how many are left out; nothing where none is."""
    over = len(names) - most
    return list(names[:most]), f"\n{what} left out: {over}" if over > 0 else ""


def blocks(names: Sequence[T], most: int) -> list[list[T]]:
    """As few blocks as hold that many each, of as equal sizes as can be.

    Example:
        >>> blocks("abcdef", 5)
        [['a', 'b', 'c'], ['d', 'e', 'f']]
    """
    size = -(-len(names) // -(-len(names) // most))
    return [list(names[k : k + size]) for k in range(0, len(names), size)]


def folded(text: str, inches: float, size: float = 10) -> str:
    r"""The text in lines of no more than that width; its own lines stay.

    Lines break after spaces, hyphens, slashes and underscores, as names of models have them, and
    anywhere in what is longer than a line.

    Example:
        >>> folded("arc_challenge", 0.7)
        'arc_\nchalleng\ne'
    """
    most = max(1, int(inches * 72 / (_EM * size)))
    return "\n".join(part for line in text.splitlines() for part in _lines(line, most))


def _lines(text: str, most: int) -> list[str]:
    lines = [""]
    for piece in re.findall(r"[^\s/_-]*[\s/_-]|[^\s/_-]+", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > most:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > most:
            lines[-1:] = [lines[-1][:most], lines[-1][most:]]
    return [line.rstrip() for line in lines]


def stacked(heights: Sequence[float], extra: float) -> tuple[Figure, list[Any]]:
    """A figure of one column, its axes below each other.

    Args:
        heights: Of the axes, in inches: they stay in this proportion.
        extra: Inches for all titles and labels.
    """
    figure, axes = canvas(len(heights), width=WIDTH, height=sum(heights) + extra)
    grid = axes[0].get_gridspec()
    if grid is not None:
        grid.set_height_ratios(list(heights))
    return figure, axes


def legend(figure: FigureBase, shown: Mapping[str, Any], where: Literal["upper", "lower"]) -> None:
    """A legend beside all axes, with as many columns as the width holds.

    Args:
        figure: Of one column.
        shown: Handles by their label; no legend where there is none.
        where: Above or below them.
    """
    if not shown:
        return
    wide = max(map(len, shown)) * _EM * 9 + 40  # the mark, and the space between columns
    columns = max(1, min(len(shown), int(WIDTH * 72 / wide)))
    labels = list(shown)
    loc: Literal["outside upper center", "outside lower center"]
    loc = "outside upper center" if where == "upper" else "outside lower center"
    figure.legend(list(shown.values()), labels, loc=loc, ncols=columns)
