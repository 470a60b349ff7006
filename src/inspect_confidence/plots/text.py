"""Text that fits: how wide it is, where it is broken so that it isn't wider, short numbers."""

import math
import re
from bisect import bisect
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TypeVar
from unicodedata import east_asian_width

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from inspect_confidence.printing import shortened

TextT = TypeVar("TextT")

_POINTS_PER_INCH = 72
_SLACK = 1.03  # hinting and other programs' fonts make text a little wider
_THINNEST = 0.33  # of the size: letters narrower than this don't follow one another
_PLAIN_CHARACTERS = 5  # characters of a number that is not shortened
_BREAK = re.compile(r"(?<=[ /])(?![^(]*\))")
"""Positions at which a line may end: after a space or a slash, but not within brackets."""
_JOINT = re.compile(r"(?<=[ _-])")
"""Positions at which a word that is wider than a line is preferably broken."""


def first_names(names: Sequence[TextT], limit: int, noun: str) -> tuple[list[TextT], str]:
    """Return the first names, and a remark on the number left out (empty if none is)."""
    over = len(names) - limit
    return list(names[:limit]), f"{noun} left out: {over}" if over > 0 else ""


def blocks(names: Sequence[TextT], limit: int) -> list[list[TextT]]:
    """Split names, at least one, into as few blocks of at most `limit` as possible.

    The last block may be smaller than the others.

    Example:
        >>> blocks("abcdef", 5)
        [['a', 'b', 'c'], ['d', 'e', 'f']]
    """
    size = math.ceil(len(names) / math.ceil(len(names) / limit))
    return [list(names[k : k + size]) for k in range(0, len(names), size)]


@lru_cache(maxsize=4096)
def inches_of(text: str, size: float) -> float:
    """Return the width of a line of text in inches, in the figures' font at a size in points."""
    if not text:
        return 0.0
    width = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)[0]
    # The font may lack East Asian characters; those of other fonts are as wide as they are high.
    n_wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return _SLACK * max(float(width), n_wide * size) / _POINTS_PER_INCH


def lines_of(text: str, inches: float, size: float, limit: int = 2) -> list[str]:
    """Return the text's lines, each broken into at most `limit` lines of the width `inches`.

    Empty lines are left out. `size` is that of the font in points.
    """
    lines: list[str] = []
    for paragraph in filter(None, text.split("\n")):
        lines += wrapped(paragraph, inches, size, limit)
    return lines


def wrapped(text: str, inches: float, size: float, limit: int = 2) -> list[str]:
    """Return the lines of a paragraph, each at most `inches` wide at a font size in points.

    A paragraph that needs more than `limit` lines loses as few letters of its middle as possible.
    If no shorter form fits, the lines of the shortest one are returned.
    """
    # No longer text fits, even of the narrowest letters.
    longest = min(len(text), int(limit * inches * _POINTS_PER_INCH / (_THINNEST * size)))
    lines: list[str] = []
    # At least a letter, an ellipsis and a letter stay.
    for length in range(longest, min(longest, 3) - 1, -1):
        words = _BREAK.split(shortened(text, length))
        joints = list(chain.from_iterable(map(_JOINT.split, words)))
        # A name is broken at its joints before letters are left out, and within a part of it only
        # if that part alone is too wide.
        for pieces in (words, joints):
            lines = _break_lines(pieces, inches, size)
            if len(lines) <= limit and (pieces is joints or _fit_into_lines(words, inches, size)):
                return lines
    return lines


def _fit_into_lines(words: Sequence[str], inches: float, size: float) -> bool:
    """Return whether no word is wider than a line."""
    return all(inches_of(word.rstrip(), size) <= inches for word in words)


def brief(number: float) -> str:
    """Return a number with at most six digits, or with four and a power of ten if that is shorter.

    The number must be finite; in at most `_PLAIN_CHARACTERS` characters it has no power of ten.

    Example:
        >>> brief(0.25), brief(12345), brief(500000), brief(1e6), brief(1.25e-7)
        ('0.25', '12345', '5e5', '1e6', '1.25e-7')
    """
    plain = f"{number:g}"
    mantissa, power = f"{number:.3e}".split("e")
    short = f"{float(mantissa):g}e{int(power)}"
    if len(plain) <= _PLAIN_CHARACTERS and "e" not in plain:
        return plain
    return min(plain, short, key=len)


def number(value: float, form: str) -> str:
    """Return a number in a format such as `.3f`, with a true minus sign; 0 has no sign.

    Example:
        >>> number(-2e-13, ".3f"), number(math.inf, ".3f")
        ('0.000', '∞')
    """
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    return format(value, f"z{form}").replace("-", "\u2212")


def _break_lines(words: list[str], inches: float, size: float) -> list[str]:
    """Return lines of the words, broken between words and within words that are too wide.

    Words end with their space or slash. `size` is that of the font in points.
    """
    lines, line = [], ""
    for word in words:
        remainder = word
        if line and inches_of(line + remainder.rstrip(), size) > inches:
            lines.append(line.rstrip())
            line = ""
        while not line and inches_of(remainder.rstrip(), size) > inches and len(remainder) > 1:
            # The line takes as many of the word's first letters as fit, at least one.
            n_letters = 1 + bisect(
                range(2, len(remainder)), inches, key=lambda k: inches_of(remainder[:k], size)
            )
            lines.append(remainder[:n_letters])
            remainder = remainder[n_letters:]
        line += remainder
    return [*lines, line.rstrip()]
