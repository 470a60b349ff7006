"""What the tests of figures share: rows of results, what is drawn of them, and what is said."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from math import cos, nan, radians, sin
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from build import column_of
from inspect_confidence.plots.style import WIDTH, style
from inspect_confidence.results import COLUMNS, Condition

Plot = Callable[[pd.DataFrame], Figure]
Row = dict[str, Any]
ArtistT = TypeVar("ArtistT")
TOLERANCE = 0.5  # pixels


def row(
    task: str,
    condition: str | Mapping[str, object],
    metric: str,
    value: float,
    interval: tuple[float, float] = (nan, nan),
    *,
    n: int = 10,
    model: str = "m",
    dataset: str = "own",
) -> Row:
    """A row of results."""
    encoded = condition if isinstance(condition, str) else str(Condition(condition))
    numbers = (metric, value, *interval, n, n, "")
    return dict(zip(COLUMNS, (task, model, dataset, encoded, *numbers), strict=True))


def frame(*rows: Row) -> pd.DataFrame:
    """Rows in the layout of results."""
    return pd.DataFrame(list(rows), columns=COLUMNS)


def around(value: float, arm: float) -> tuple[float, float]:
    """The interval with arms of that length."""
    return value - arm, value + arm


def saved(figure: Figure) -> str:
    """The figure as svg; a warning on the way fails the test."""
    file = io.BytesIO()
    with style():
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue().decode()


def titles(figure: Figure) -> list[str]:
    """Of the panels."""
    return [ax.get_title(loc="left") for ax in figure.axes]


def strings(written_texts: Iterable[Text]) -> list[str]:
    """What texts say."""
    return [text.get_text() for text in written_texts]


def texts(ax: Axes) -> list[str]:
    """What is written in a panel and between it and its title."""
    return strings(ax.texts)


def legend(figure: Figure) -> list[str]:
    """The names in the one legend."""
    (figure_legend,) = figure.legends
    return strings(figure_legend.get_texts())


def line_points(lines: Iterable[Line2D]) -> list[list[list[float]]]:
    """The positions of each line's points along x, and those along y."""
    return [np.array(line.get_data(), float).tolist() for line in lines]


def xs(lines: Iterable[Line2D]) -> list[list[float]]:
    """The positions of each line's points along x."""
    return column_of(line_points(lines), 0)


def ys(lines: Iterable[Line2D]) -> list[list[float]]:
    """The positions of each line's points along y."""
    return column_of(line_points(lines), 1)


def of_class(artists: Iterable[object], kind: type[ArtistT]) -> list[ArtistT]:
    """The artists of a class."""
    return [artist for artist in artists if isinstance(artist, kind)]


def bar_middles(bars: Iterable[Rectangle]) -> list[float]:
    """The middle of each bar along x."""
    return [bar.get_x() + bar.get_width() / 2 for bar in bars]


def bar_heights(bars: Iterable[Rectangle]) -> list[float]:
    """The height of each bar."""
    return [bar.get_height() for bar in bars]


def labels(ax: Axes) -> list[str]:
    """Of the vertical axis, from the top."""
    order = np.argsort(ax.get_yticks())
    from_top = order if ax.yaxis_inverted() else order[::-1]
    tick_texts = strings(ax.get_yticklabels())
    return [tick_texts[place] for place in from_top]


def points(ax: Axes) -> list[tuple[Any, list[float], list[float], np.ndarray]]:
    """Of each series with intervals: its container, x, y and the segments of the intervals."""
    series = []
    for container in of_class(ax.containers, ErrorbarContainer):
        line, _, (arms,) = container.lines
        ((x, y),) = line_points([line])
        series.append((container, x, y, np.array(arms.get_segments())))
    return series


def check_fits(figure: Figure, case: object) -> None:
    """As wide as a column; no text is cut or lies over another."""
    assert figure.get_figwidth() == WIDTH, case
    shown_texts, places = zip(*_visible_texts(figure), strict=True)
    assert len(shown_texts) > 5, case
    boxes = np.array(places)
    lows, highs = boxes.min(axis=1), boxes.max(axis=1)
    page = np.array(figure.bbox.size) + TOLERANCE
    is_cut = ((lows < -TOLERANCE) | (highs > page)).any(axis=1)
    assert np.array(shown_texts)[is_cut].tolist() == [], case
    shared_lengths = np.minimum(highs[:, None], highs) - np.maximum(lows[:, None], lows)
    overlapping = []
    for i, j in np.argwhere(np.triu((shared_lengths > TOLERANCE).all(axis=2), 1)):
        if not _are_apart(boxes[i], boxes[j]):
            overlapping.append((shown_texts[i], shown_texts[j]))
    assert overlapping == [], case


def _visible_texts(figure: Figure) -> Iterator[tuple[str, np.ndarray]]:
    """Each text that is seen, with its corners in pixels."""
    with style():
        figure.draw_without_rendering()  # lays it out
        beyond = set()
        for axis in chain.from_iterable((ax.xaxis, ax.yaxis) for ax in figure.axes):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not _is_within(tick.get_loc(), low, high):
                    beyond |= {id(tick.label1), id(tick.label2)}
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            if text.get_visible() and text.get_text().strip() and id(text) not in beyond:
                yield text.get_text(), _corners(text)


def _is_within(place: float, low: float, high: float) -> bool:
    """Whether a tick lies within the limits: matplotlib keeps some beyond them."""
    return low - 1e-9 <= place <= high + 1e-9


def _corners(text: Text) -> np.ndarray:
    """Of the text in pixels, one after the other, a text that is turned about its anchor too."""
    angle = text.get_rotation() if text.get_rotation_mode() == "anchor" else 0
    if angle:
        text.set_rotation(0)
    box = np.asarray(text.get_window_extent().corners())[[0, 1, 3, 2]]
    if not angle:
        return box
    text.set_rotation(angle)
    anchor = np.asarray(text.get_transform().transform(text.get_position()))
    c, s = cos(radians(angle)), sin(radians(angle))
    return np.asarray((box - anchor) @ np.array([[c, s], [-s, c]]) + anchor)


def _are_apart(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether a side of one of two rectangles separates them: the separating axis theorem."""
    for box in (first, second):
        for start, end in pairwise(box[:3]):
            side = (end - start) / max(np.hypot(*(end - start)), 1e-9)
            a, b = first @ side, second @ side
            if min(a.max(), b.max()) - max(a.min(), b.min()) <= TOLERANCE:
                return True
    return False
