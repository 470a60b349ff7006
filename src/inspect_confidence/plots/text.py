"""Text that fits: how wide it is, where it is broken so that it isn't wider, short numbers."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar
from unicodedata import east_asian_width

from matplotlib.figure import Figure, FigureBase
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from inspect_confidence.plots.style import WIDTH, canvas, shortened

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


_POINTS = 72  # an inch
_SLACK = 1.03  # hinting and other programs' fonts make text a little wider
_THINNEST = 0.33  # of the size: letters narrower than this don't follow one another
_SHORT = 5  # characters
_BREAK = re.compile(r"(?<=[ /])(?![^(]*\))")
"""Where a line may end: after a space or a slash, but not within brackets."""


@lru_cache(maxsize=4096)
def inches_of(text: str, size: float) -> float:
    """How wide a line of text is in the figures' font, at a size in points."""
    if not text:
        return 0.0
    width = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)[0]
    # The font may lack these, and another's are as wide as they are high.
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return _SLACK * max(float(width), wide * size) / _POINTS


def wrapped(text: str, inches: float, size: float, most: int = 2) -> list[str]:
    """The lines of a text that is no wider than so many inches.

    Args:
        text: One paragraph.
        inches: What there is room for.
        size: Of the font, in points.
        most: Lines; of a longer text the middle is left out.
    """
    longest = min(len(text), int(most * inches * _POINTS / (_THINNEST * size)))
    lines: list[str] = []
    for kept in range(longest, min(longest, 3) - 1, -1):  # at least a letter, an ellipsis, a letter
        short = shortened(text, kept)
        for words in (_BREAK.split(short), [short]):  # a word is broken before letters are left out
            lines = _broken(words, inches, size)
            if len(lines) <= most:
                return lines
    return lines


def brief(number: float) -> str:
    """A number for an axis, with few characters.

    Example:
        >>> brief(0.25), brief(12345), brief(500000), brief(1e6), brief(1.25e-7)
        ('0.25', '12345', '5e5', '1e6', '1.25e-7')
    """
    plain = f"{number:g}"
    mantissa, power = f"{number:.3e}".split("e")
    short = f"{float(mantissa):g}e{int(power)}"
    return plain if len(plain) <= _SHORT and "e" not in plain else min(plain, short, key=len)


def _broken(words: list[str], inches: float, size: float) -> list[str]:
    """All of the words, broken between them, and within those that are too wide."""
    lines, line = [], ""
    for word in words:
        rest = word
        if line and inches_of(line + rest.rstrip(), size) > inches:
            lines.append(line.rstrip())
            line = ""
        while not line and inches_of(rest.rstrip(), size) > inches and len(rest) > 1:
            fits = max(k for k in range(1, len(rest)) if k == 1 or _fits(rest[:k], inches, size))
            lines.append(rest[:fits])
            rest = rest[fits:]
        line += rest
    return [*lines, line.rstrip()]


def _fits(text: str, inches: float, size: float) -> bool:
    return inches_of(text, size) <= inches
