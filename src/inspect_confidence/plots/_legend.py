"""A legend above all panels, in as many rows as the figure's width needs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from inspect_confidence.plots._fitting import inches_of, wrapped
from inspect_confidence.plots._style import WIDTH

_SIZE = 9.0
_EM = _SIZE / 72
_HANDLE, _PAD, _BETWEEN, _EDGE = 2.4, 0.6, 1.2, 0.4  # in units of the size
_ROW = 0.2


def legend_height(names: Sequence[str]) -> float:
    """Inches that a legend of these names takes."""
    return _ROW * -(-len(names) // _columns(_fitted(names))) + 0.06 if names else 0.0


def draw_legend(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> None:
    """The legend, at the upper left of the figure."""
    fitted = _fitted(names)
    figure.legend(
        handles,
        fitted,
        loc="upper left",
        ncols=_columns(fitted),
        handlelength=_HANDLE,
        handletextpad=_PAD,
        columnspacing=_BETWEEN,
        borderaxespad=_EDGE,
        borderpad=0,
    )


def _fitted(names: Sequence[str]) -> list[str]:
    room = WIDTH - _EM * (_HANDLE + _PAD + 2 * _EDGE)
    return [wrapped(name, room, _SIZE, most=1)[0] for name in names]


def _columns(names: Sequence[str]) -> int:
    """The most columns that the width has room for; matplotlib fills one after the other."""
    for count in range(len(names), 1, -1):
        widest = [
            max(inches_of(str(name), _SIZE) for name in column)
            for column in np.array_split(np.array(names), count)
        ]
        taken = sum(widest) + _EM * (count * (_HANDLE + _PAD + _BETWEEN) - _BETWEEN + 2 * _EDGE)
        if taken <= WIDTH:
            return count
    return 1
