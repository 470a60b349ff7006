"""Figures of markers' internal confidences over data sets: what is drawn is what the rows say."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection, LineCollection

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots import marker_counts, mic_pairs, mic_spread
from plots import drawing
from plots.drawing import Row, frame, labels, legend, texts, titles


def row(
    metric: str, marker: str, value: float, dataset: str = "A", n: int = 10, **parts: Any
) -> Row:
    """A row of results by a judge, in a test split; of no marker without one."""
    where = {"judge": "j", "marker": marker, "split": "test", **parts}
    where = {name: part for name, part in where.items() if part != ""}
    return drawing.row("hedge_markers", where, metric, value, n=n, dataset=dataset)


def test_counts_are_those_of_sentences() -> None:
    """40 of 30 + 10 sentences come before 25; a data set's splits stand beside each other."""
    rows = [
        row("mic", "surely", 0.9, n=25),
        row("mic", "perhaps", 0.2, n=30),
        row("mic", "perhaps", 0.3, "B", n=4),
        row("mic", "perhaps", 0.4, n=10, split="train"),
        row("mic", "perhaps", 0.4, n=99, outcome="correct"),
        row("mic", "rarely", nan, n=2),
    ]
    (ax,) = marker_counts(frame(*rows)).axes
    assert labels(ax) == ["perhaps", "surely"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["A test", "A train", "B test"]
    values = np.ma.MaskedArray(ax.collections[0].get_array()).filled(-1).reshape(2, 3)
    assert values.tolist() == [[30, 10, 4], [25, -1, -1]]
    assert texts(ax)[0] == "blank: too few sentences"
    assert set(texts(ax)[1:]) == {"30", "10", "4", "25"}


def marked(ax: Axes) -> list[tuple[list[float], float]]:
    """Where ticks stand along x, and on which line."""
    found = [one.get_segments() for one in ax.collections if isinstance(one, LineCollection)]
    return [([float(one[0, 0]) for one in some], float(some[0][0, 1])) for some in found if some]


def test_ticks_are_the_markers() -> None:
    """By data set, accuracy and cMFG on its line; halves in panels of their own, the second below.

    Two markers at .2 and .8 make a symmetrical hill, which is as high at both.
    """
    rows = [
        *(row("mic", marker, value) for marker, value in (("perhaps", 0.2), ("surely", 0.8))),
        row("mic", "surely", 0.6, "B"),
        row("accuracy", "", 0.5),
        row("cmfg", "", 0.7, "B"),
        row("mic", "perhaps", 0.3, outcome="correct"),
        row("mic", "perhaps", 0.1, outcome="incorrect"),
        row("mic", "perhaps", nan, faithful="yes"),
    ]
    figure = mic_spread(frame(*rows))
    assert titles(figure) == ["m", "m\nby correctness"]
    whole, halves = figure.axes
    assert labels(whole) == ["A test", "B test"]
    assert marked(whole) == [([0.2, 0.8], 0), ([0.6], -1)]
    drawn = {
        (str(line.get_marker()), *np.array(line.get_data(), float)[:, 0].tolist())
        for line in whole.lines
        if len(np.asarray(line.get_xdata())) == 1
    }
    assert drawn == {("o", 0.5, 0), ("*", 0.7, -1)}
    (hill,) = (one for one in whole.collections if isinstance(one, FillBetweenPolyCollection))
    x, y = hill.get_paths()[0].vertices.T  # type: ignore[union-attr]
    top = {round(float(at), 3): float(high) for at, high in zip(x, y, strict=True) if high > 0}
    assert top[0.2] == pytest.approx(top[0.8]) == pytest.approx(0.85)
    assert top[0.3] < 0.85
    assert marked(halves) == [([0.3], 0), ([0.1], 0)]
    ends = [one.get_segments()[0][1, 1] for one in halves.collections[:2]]  # type: ignore[attr-defined]
    assert ends == [pytest.approx(0.1), pytest.approx(-0.1)]
    assert legend(figure) == [
        *("all, correct, faithful", "incorrect, unfaithful", "accuracy", "cMFG")
    ]


def test_markers_that_are_nearly_the_same_have_a_hill() -> None:
    """Two values between the places where the density is computed are no hill without a height."""
    for other in (0.6123, 0.6124, 0.6123 + 1e-7):
        (ax,) = mic_spread(frame(row("mic", "a", 0.6123), row("mic", "b", other))).axes
        hills = [one for one in ax.collections if isinstance(one, FillBetweenPolyCollection)]
        assert len(hills) == (other != 0.6123)
        for hill in hills:
            tops = np.asarray(hill.get_paths()[0].vertices, float)[:, 1]
            assert np.nanmax(tops) == pytest.approx(0.85)


def test_accuracy_alone_is_nothing() -> None:
    """The figure is of markers."""
    with pytest.raises(InvalidArgument, match="nothing to draw"):
        mic_spread(frame(row("accuracy", "", 0.5)))
    with pytest.raises(InvalidArgument, match="nothing to draw"):
        mic_pairs(frame(row("mic", "a", 0.5), row("mic", "b", 0.5, outcome="correct")))


def test_pairs_are_the_markers_of_both_sides() -> None:
    """A mark a marker that has both, a series a data set; a marker of one side is left out."""
    found = []
    for marker, wrong, right, unfaithful, faithful, gap in (
        ("a", 0.1, 0.3, 0, 0, 0.2),
        ("b", 0.5, 0.5, 0.5, 1, 0.3),
        ("c", 0.9, 0.7, 1, 0, nan),
        ("d", nan, 0.7, nan, 0.2, nan),
    ):
        of = "B" if marker == "c" else "A"
        found += [
            row("mic", marker, 0.4, of),
            row("mic", marker, wrong, of, outcome="incorrect"),
            row("mic", marker, right, of, outcome="correct"),
            row("mic", marker, unfaithful, of, faithful="no"),
            row("mic", marker, faithful, of, faithful="yes"),
            row("decisiveness_gap", marker, gap, of),
        ]
    figure = mic_pairs(frame(*found))
    assert [texts(ax) for ax in figure.axes] == [["3 pairs"], ["3 pairs"], ["2 pairs"]]
    assert [title.split()[2:4] for title in titles(figure)] == [
        ["correct", "(up)"],
        ["faithful", "(up)"],
        ["from", "decisiveness"],
    ]
    diagonal = [[0, 1], [0, 1]]
    drawn = [[np.array(line.get_data(), float).tolist() for line in ax.lines] for ax in figure.axes]
    assert drawn == [
        [diagonal, [[0.1, 0.5], [0.3, 0.5]], [[0.9], [0.7]]],
        [diagonal, [[0, 0.5], [0, 1]], [[1], [0]]],
        [[[0.4, 0.4], [0.2, 0.3]], [[], []]],  # of a distance there is no diagonal
    ]
    assert legend(figure) == ["A test", "B test"]
