"""The look that all figures share."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import cleandoc
from typing import Any, ParamSpec
from warnings import catch_warnings, filterwarnings

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from inspect_confidence.errors import InvalidArgument

Arguments = ParamSpec("Arguments")

INK = "#1f2328"
"""Colour of text and axes. In a page this and the next colours become CSS variables."""
FAINT = "#59636e"
"""Colour of reference lines and of remarks."""
RULE = "#d1d9e0"
"""Colour of grid lines."""
PAPER = "#fefefe"
"""Colour of the background."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#9a5a8c", "#8a6d00", "#3f6fd8")
"""Colours of series: after Okabe and Ito, with a contrast of 3:1 to white or more."""
MARKERS = ("o", "s", "^", "D", "v", "P")
"""Markers of series, so that series never differ by colour alone."""
ON_LIGHT, ON_DARK = "#111111", "#ffffff"
"""Colours of text on light and dark cells, which are the same on a dark page."""
DASHED: dict[str, Any] = {"color": FAINT, "linewidth": 1, "linestyle": "--"}
"""The look of reference lines."""
WIDTH = 3.9
"""Width of figures in inches: it fits a column of a paper and a phone's screen unscaled."""
SEQUENTIAL = "viridis"
"""The colour map of cells."""

_RC: dict[Any, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "text.usetex": False,
    "text.parse_math": False,  # a model's name may have dollar signs
    "svg.fonttype": "none",  # text stays text: searchable, read aloud, in any script
    "svg.hashsalt": "inspect_confidence",  # the same figure is the same file
    "pdf.fonttype": 42,
}


@contextmanager
def style() -> Iterator[None]:
    """Apply the package's look to figures that are made or saved within the context.

    The font has no Chinese characters: svg files contain all text, but in png and pdf files such
    characters are boxes.
    """
    with rc_context(_RC), catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from font")
        yield


_RETURNS = "\n\nReturns:\n    The figure.\n"
_RAISES = "\nRaises:\n    InvalidArgument: There is no such row, or `rows` are no results."


def styled(plot: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """Return the plot with the package's look applied to its figure; decorates all plots.

    Its docstring gets the sections Returns and Raises that all plots have; Raises only if it has
    none of its own. Rows that are no results, such as judgments, are refused.
    """
    # From Python 3.13 on docstrings come without their indentation.
    description, heading, errors = cleandoc(plot.__doc__ or "").partition("\nRaises:")
    plot.__doc__ = description.rstrip() + _RETURNS + (heading + errors or _RAISES)

    @wraps(plot)
    def wrapped(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Figure:
        """Draw the plot with the package's look; refuse rows that are no frame of results."""
        if args or "rows" in kwargs:  # else Python's own error names what is missing
            _check_results(args[0] if args else kwargs["rows"])
        with style():
            return plot(*args, **kwargs)

    return wrapped


_COLUMNS = ("metric", "task", "model", "dataset", "condition", "value")
"""Columns of results that figures cannot do without."""


def _check_results(rows: object) -> None:
    """Raise `InvalidArgument` unless the argument is a frame of results."""
    hint = "Give the frame that `summarize` or `detail` makes."
    if not isinstance(rows, pd.DataFrame):
        raise InvalidArgument(
            f"There is nothing to draw: {type(rows).__name__} is no frame. {hint}"
        )
    for name in _COLUMNS:
        if name not in rows:
            raise InvalidArgument(
                f"There is nothing to draw: the frame has no column {name!r}, as results have. "
                f"{hint}"
            )


def mark(k: int) -> dict[str, Any]:
    """Return colour and marker of the series with index `k`; the first 36 series all differ."""
    n_colours = len(SERIES)
    return {"color": SERIES[k % n_colours], "marker": MARKERS[(k + k // n_colours) % n_colours]}


def point_looks(n_series: int) -> list[dict[str, Any]]:
    """Return the looks of series that are drawn as points without lines."""
    return [{**mark(k), "linestyle": "none"} for k in range(n_series)]


_MODELS_IN_ORDER: ContextVar[tuple[str, ...]] = ContextVar("models in order", default=())


@contextmanager
def in_order(models: Iterable[str]) -> Iterator[None]:
    """Give each model the colour and marker of its position in `models` within the context."""
    token = _MODELS_IN_ORDER.set(tuple(models))
    try:
        yield
    finally:
        _MODELS_IN_ORDER.reset(token)


def mark_of(model: str, k: int) -> dict[str, Any]:
    """Return colour and marker of a model, by its position among the models set by `in_order`.

    If none are set, the position is `k`. A name that is not among them, such as the surveyed
    people, has the colour of text, and a marker by the position `k` after them.
    """
    order = _MODELS_IN_ORDER.get()
    if order and model not in order:
        return mark(len(order) + k) | {"color": INK}
    return mark(order.index(model) if order else k)


COLOURS = {
    INK: "--ink",
    FAINT: "--faint",
    RULE: "--rule",
    PAPER: "--paper",
    **{colour: f"--series-{i + 1}" for i, colour in enumerate(SERIES)},
}
"""The CSS variable that stands for each colour in a page."""
