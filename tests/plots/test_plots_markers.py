"""Figures of hedge markers: what is drawn is what the rows say."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product
from math import nan
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import StepPatch

from build import numbered
from inspect_confidence.plots import decisiveness_gap, mic, mic_densities
from plots import drawing
from plots.drawing import Row, around, frame, labels, legend, of_class, strings, texts, titles, xs


def row(
    metric: str,
    marker: str,
    value: float,
    dataset: str = "A",
    n: int = 10,
    arm: float = nan,
    **parts: object,
) -> Row:
    """A row of results of a marker, in a test split and by a judge."""
    condition = {"judge": "j", "marker": marker, "split": "test", **parts}
    interval = around(value, arm)
    return drawing.row("hedge_markers", condition, metric, value, interval, n=n, dataset=dataset)


def shares(marker: str, values: Iterable[float], n: int = 10, **more: Any) -> list[Row]:
    """Shares in equal bins."""
    values = list(values)
    rows = []
    edges = np.linspace(0, 1, len(values) + 1)
    for value, (low, high) in zip(values, pairwise(edges), strict=True):
        condition = {"split": "", "bin": f"{low:g}-{high:g}", **more}
        rows.append(row("confidence_share", marker, value, "all", n, **condition))
    return rows


def cells(ax: Axes) -> list[list[float]]:
    """The values of coloured cells; -1 where there is none."""
    values = np.ma.MaskedArray(ax.collections[0].get_array()).filled(-1)
    shape = (len(ax.get_yticks()), len(ax.get_xticks()))
    return [list(map(float, line)) for line in values.reshape(shape)]


def test_cells_of_the_mic_figure_hold_the_mics() -> None:
    """Markers by their weighted means, (.2 (30) + .4 (10))/40 = .25 and .9; one cell is blank."""
    rows = [
        row("mic", "perhaps", 0.2, n=30),
        row("mic", "perhaps", 0.4, "B"),
        row("mic", "surely", 0.9, "B"),
        row("mic", "perhaps", 0.7, outcome="correct"),
        row("mic", "surely", 0.7, faithful="yes"),
        row("mic_sd", "surely", 0.1),
    ]
    (ax,) = mic(frame(*rows)).axes
    assert labels(ax) == ["surely", "perhaps"]
    assert strings(ax.get_xticklabels()) == ["A test", "B test"]
    assert cells(ax) == [[-1, 0.9], [0.2, 0.4]]
    assert set(texts(ax)) == {"0.90", "0.20", "0.40", "blank: too few sentences"}


def test_rarer_markers_and_data_sets_are_left_out_and_counted() -> None:
    """Of 27 markers the two rarest are left out, of 13 data sets one, which the axis says."""
    rows = [row("mic", f"w{k}", 0.5, n=100 - k) for k in range(27)]
    rows += [row("mic", "w0", 0.5, f"d{k}", n=1) for k in range(12)]
    axes = mic(frame(*rows)).axes
    for ax in axes:
        assert set(labels(ax)) == set(numbered("w", 25))
    assert [len(ax.get_xticks()) for ax in axes] == [4, 4, 4]
    assert [text for text in texts(axes[0]) if text != "0.50"] == [
        "blank: too few sentences\nrarer markers left out: 2\ncolumns left out: 1"
    ]
    for ax in axes[1:]:
        assert set(texts(ax)) == {"0.50"}


def test_each_threshold_judge_and_data_set_has_a_panel() -> None:
    """One a threshold and judge; seven data sets have seven in two columns."""
    rows = [
        row("mic", "perhaps", 0.2, marker_threshold=5),
        row("mic", "perhaps", 0.2, marker_threshold=9),
        row("mic", "perhaps", 0.2, judge="k", marker_threshold=5),
    ]
    assert titles(mic(frame(*rows))) == ["j, T=5", "j, T=9", "k, T=5"]
    rows = []
    for dataset, marker in product(numbered("d", 7), ("perhaps", "surely")):
        rows.append(row("decisiveness_gap", marker, 0.1, dataset, arm=0.05))
    assert titles(decisiveness_gap(frame(*rows))) == numbered("d", 7)


def test_hills_have_the_heights_of_the_shares() -> None:
    """Means of internal confidence are .75 (.25) + .25 (.75) = .375 and .75: the second is first.

    A hill of all sentences would be .95 of the space high.
    """
    rows = [*shares("perhaps", (0.75, 0.25), n=4), *shares("surely", (0, 1), n=3)]
    (ax,) = mic_densities(frame(*reversed(rows))).axes
    assert labels(ax) == ["surely (3)", "perhaps (4)"]
    hills = list(map(StepPatch.get_data, of_class(ax.patches, StepPatch)))
    assert len(hills) == 4  # filled and outlined
    expected = ((0, (0, 1)), (-1, (0.75, 0.25)))
    for (tops, edges, baseline), (base, values) in zip(hills[::2], expected, strict=True):
        assert list(edges) == [0, 0.5, 1]
        assert tops == pytest.approx([base + 0.95 * value for value in values])
        assert float(np.max(np.asarray(baseline))) == base


def test_decisiveness_gaps_have_their_intervals_by_data_set_and_split() -> None:
    """A panel a data set, a mark a split, the commonest marker on top."""
    rows = [
        row("decisiveness_gap", "perhaps", 0.2, n=5, arm=0.1),
        row("decisiveness_gap", "surely", 0.3, n=9, arm=0.1),
        row("decisiveness_gap", "surely", 0.4, n=9, split="train"),
        row("decisiveness_gap", "surely", 0.6, "B", n=9),
    ]
    figure = decisiveness_gap(frame(*rows))
    first, second = figure.axes
    assert labels(first) == ["surely", "perhaps"]
    positions = list(map(sorted, xs(first.lines)))
    assert [0.2, 0.3] in positions
    assert [0.4] in positions
    (arms, none) = of_class(first.collections, LineCollection)
    ends = [list(map(float, path[:, 0])) for path in arms.get_segments()]
    assert ends == [pytest.approx([0.1, 0.3]), pytest.approx([0.2, 0.4])]
    assert [float(np.ptp(path[:, 0])) for path in none.get_segments()] == [0]
    assert [0.6] in xs(second.lines)
    assert legend(figure) == ["split test", "split train"]
    assert first.get_xlim() == second.get_xlim()
    assert len({line.get_marker() for line in first.lines} - {"None"}) == 2
