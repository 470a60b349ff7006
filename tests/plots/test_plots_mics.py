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
from plots.drawing import Row, frame, labels, legend, line_points, strings, texts, titles


def row(
    metric: str, marker: str, value: float, dataset: str = "A", n: int = 10, **parts: Any
) -> Row:
    """A row of results by a judge, in a test split; of no marker without one."""
    condition = {"judge": "j", "marker": marker, "split": "test", **parts}
    condition = {name: part for name, part in condition.items() if part != ""}
    return drawing.row("hedge_markers", condition, metric, value, n=n, dataset=dataset)


def test_marker_counts_are_numbers_of_sentences() -> None:
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
    assert strings(ax.get_xticklabels()) == ["A test", "A train", "B test"]
    values = np.ma.MaskedArray(ax.collections[0].get_array()).filled(-1).reshape(2, 3)
    assert values.tolist() == [[30, 10, 4], [25, -1, -1]]
    assert texts(ax)[0] == "blank: too few sentences"
    assert set(texts(ax)[1:]) == {"30", "10", "4", "25"}


def ticks_of(ax: Axes) -> list[tuple[list[float], float]]:
    """Where ticks stand along x, and on which line."""
    ticks = []
    for collection in ax.collections:
        segments = collection.get_segments() if isinstance(collection, LineCollection) else []
        if segments:
            positions = [float(segment[0, 0]) for segment in segments]
            ticks.append((positions, float(segments[0][0, 1])))
    return ticks


def test_mic_spread_has_a_tick_for_each_marker() -> None:
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
    assert ticks_of(whole) == [([0.2, 0.8], 0), ([0.6], -1)]
    marks = {
        (str(line.get_marker()), *np.array(line.get_data(), float)[:, 0].tolist())
        for line in whole.lines
        if len(np.asarray(line.get_xdata())) == 1
    }
    assert marks == {("o", 0.5, 0), ("*", 0.7, -1)}
    (hill,) = (
        collection
        for collection in whole.collections
        if isinstance(collection, FillBetweenPolyCollection)
    )
    x, y = hill.get_paths()[0].vertices.T  # type: ignore[union-attr]
    top = {
        round(float(position), 3): float(high)
        for position, high in zip(x, y, strict=True)
        if high > 0
    }
    assert top[0.2] == pytest.approx(top[0.8]) == pytest.approx(0.85)
    assert top[0.3] < 0.85
    assert ticks_of(halves) == [([0.3], 0), ([0.1], 0)]
    ends = [collection.get_segments()[0][1, 1] for collection in halves.collections[:2]]  # type: ignore[attr-defined]
    assert ends == [pytest.approx(0.1), pytest.approx(-0.1)]
    assert legend(figure) == [
        *("all, correct, faithful", "incorrect, unfaithful", "accuracy", "cMFG")
    ]


def test_hills_of_nearly_equal_markers_have_a_height() -> None:
    """Two values between the places where the density is computed are no hill without a height."""
    for second_value in (0.6123, 0.6124, 0.6123 + 1e-7):
        (ax,) = mic_spread(frame(row("mic", "a", 0.6123), row("mic", "b", second_value))).axes
        hills = [
            collection
            for collection in ax.collections
            if isinstance(collection, FillBetweenPolyCollection)
        ]
        assert len(hills) == (second_value != 0.6123)
        for hill in hills:
            tops = np.asarray(hill.get_paths()[0].vertices, float)[:, 1]
            assert np.nanmax(tops) == pytest.approx(0.85)


def test_accuracy_without_markers_is_nothing_to_draw() -> None:
    """The figure is of markers."""
    with pytest.raises(InvalidArgument, match="nothing to draw"):
        mic_spread(frame(row("accuracy", "", 0.5)))
    with pytest.raises(InvalidArgument, match="nothing to draw"):
        mic_pairs(frame(row("mic", "a", 0.5), row("mic", "b", 0.5, outcome="correct")))


def test_mic_pairs_draws_the_markers_with_both_numbers() -> None:
    """A mark a marker that has both, a series a data set; a marker of one side is left out."""
    rows = []
    for marker, wrong, right, unfaithful, faithful, gap in (
        ("a", 0.1, 0.3, 0, 0, 0.2),
        ("b", 0.5, 0.5, 0.5, 1, 0.3),
        ("c", 0.9, 0.7, 1, 0, nan),
        ("d", nan, 0.7, nan, 0.2, nan),
    ):
        dataset = "B" if marker == "c" else "A"
        rows += [
            row("mic", marker, 0.4, dataset),
            row("mic", marker, wrong, dataset, outcome="incorrect"),
            row("mic", marker, right, dataset, outcome="correct"),
            row("mic", marker, unfaithful, dataset, faithful="no"),
            row("mic", marker, faithful, dataset, faithful="yes"),
            row("decisiveness_gap", marker, gap, dataset),
        ]
    figure = mic_pairs(frame(*rows))
    assert list(map(texts, figure.axes)) == [["3 pairs"], ["3 pairs"], ["2 pairs"]]
    assert [title.split()[2:4] for title in titles(figure)] == [
        ["correct", "(up)"],
        ["faithful", "(up)"],
        ["from", "decisiveness"],
    ]
    diagonal = [[0, 1], [0, 1]]
    assert [line_points(ax.lines) for ax in figure.axes] == [
        [diagonal, [[0.1, 0.5], [0.3, 0.5]], [[0.9], [0.7]]],
        [diagonal, [[0, 0.5], [0, 1]], [[1], [0]]],
        [[[0.4, 0.4], [0.2, 0.3]], [[], []]],  # of a distance there is no diagonal
    ]
    assert legend(figure) == ["A test", "B test"]
