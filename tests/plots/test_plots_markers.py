"""Figures of hedge markers: what is drawn is what the rows say."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots import decisiveness_gap, mic, mic_densities, style
from inspect_confidence.results import COLUMNS, encode_condition

NAN = float("nan")
Plot = Callable[[pd.DataFrame], Figure]

STRANGE = [
    "x" * 10_000,
    "$\\frac{1}{",
    "a & <b>",
    "_hidden",
    "\u202eright to left",
    "\u05d3\u05d2\u05dd",
    "two\nlines",
    "%s {} 100%;=",
    pytest.param("\u5927\u6982", marks=pytest.mark.filterwarnings("ignore:Glyph .* missing")),
]
"""The last one: DejaVu has no Chinese; a figure as svg keeps the text, which a browser can draw."""


def row(
    metric: str,
    marker: str,
    value: float,
    dataset: str = "A",
    n: int = 10,
    arm: float = NAN,
    model: str = "m",
    **parts: object,
) -> dict[str, Any]:
    """A row of results of a marker, in a test split and by a judge."""
    where = {"judge": "j", "marker": marker, "split": "test", **parts}
    return {
        "task": "hedge_markers",
        "model": model,
        "dataset": dataset,
        "condition": encode_condition(where),
        "metric": metric,
        "value": value,
        "ci_low": value - arm,
        "ci_high": value + arm,
        "n": n,
        "note": "",
    }


def shares(marker: str, values: Iterable[float], n: int = 10, **more: Any) -> list[dict[str, Any]]:
    """Shares in equal bins."""
    values = list(values)
    width = 1 / len(values)
    return [
        row(
            *("confidence_share", marker, value, "all", n),
            split="",
            bin=f"{width * k:g}-{width * (k + 1):g}",
            **more,
        )
        for k, value in enumerate(values)
    ]


def frame(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Rows of results."""
    return pd.DataFrame(list(rows), columns=COLUMNS)


def saved(figure: Figure) -> str:
    """The figure as svg."""
    file = io.StringIO()
    with style():
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def labels(ax: Axes) -> list[str]:
    """Of the y axis, in the order of its ticks."""
    return [text.get_text() for text in ax.get_yticklabels()]


def cells(ax: Axes) -> list[list[float]]:
    """The values of coloured cells; -1 where there is none."""
    values = np.ma.MaskedArray(ax.collections[0].get_array()).filled(-1)
    shape = (len(ax.get_yticks()), len(ax.get_xticks()))
    return [[float(value) for value in line] for line in values.reshape(shape)]


def test_cells_hold_the_mics() -> None:
    """Markers by their weighted means, (.2 (30) + .4 (10))/40 = .25 and .9; one cell is blank."""
    rows = [
        row("mic", "perhaps", 0.2, n=30),
        row("mic", "perhaps", 0.4, "B"),
        row("mic", "surely", 0.9, "B"),
        row("mic", "perhaps", 0.7, outcome="correct"),
        row("mic", "surely", 0.7, faithful="yes"),
        row("mic_sd", "surely", 0.1),
    ]
    (ax,) = mic(frame(rows)).axes
    assert labels(ax) == ["surely", "perhaps"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["A test", "B test"]
    assert cells(ax) == [[-1, 0.9], [0.2, 0.4]]
    assert {text.get_text() for text in ax.texts} == {"0.90", "0.20", "0.40"}
    assert ax.get_xlabel() == "blank: too few sentences"


def test_the_commonest_markers_are_shown() -> None:
    """Of 27 markers the two rarest are left out, of 13 data sets one, which the axis says."""
    rows = [row("mic", f"w{k}", 0.5, n=100 - k) for k in range(27)]
    rows += [row("mic", "w0", 0.5, f"d{k}", n=1) for k in range(12)]
    axes = mic(frame(rows)).axes
    for ax in axes:
        assert set(labels(ax)) == {f"w{k}" for k in range(25)}
    assert [len(ax.get_xticks()) for ax in axes] == [4, 4, 4]
    assert [ax.get_xlabel() for ax in axes[:2]] == ["", ""]
    assert axes[2].get_xlabel().splitlines() == [
        "blank: too few sentences",
        "rarer markers left out: 2",
        "columns left out: 1",
    ]


def test_every_threshold_and_judge_has_its_table() -> None:
    """Two judges, and two thresholds of one, are three panels."""
    rows = [
        row("mic", "perhaps", 0.2, marker_threshold=5),
        row("mic", "perhaps", 0.2, marker_threshold=9),
        row("mic", "perhaps", 0.2, judge="k", marker_threshold=5),
    ]
    titles = [ax.get_title("left") for ax in mic(frame(rows)).axes]
    assert titles == ["j, 5", "j, 9", "k, 5"]


def test_hills_are_the_shares() -> None:
    """Means of internal confidence are .75 (.25) + .25 (.75) = .375 and .75: the second is first.

    A hill of all sentences would be .95 of the space high.
    """
    rows = [*shares("perhaps", (0.75, 0.25), n=4), *shares("surely", (0, 1), n=3)]
    (ax,) = mic_densities(frame(reversed(rows))).axes
    assert labels(ax) == ["surely (3)", "perhaps (4)"]
    hills = [patch.get_data() for patch in ax.patches if isinstance(patch, StepPatch)]
    assert len(hills) == 4  # filled and outlined
    expected = ((0, (0, 1)), (-1, (0.75, 0.25)))
    for (tops, edges, baseline), (base, values) in zip(hills[::2], expected, strict=True):
        assert list(edges) == [0, 0.5, 1]
        assert tops == pytest.approx([base + 0.95 * value for value in values])
        assert float(np.max(np.asarray(baseline))) == base


def test_gaps_have_their_intervals() -> None:
    """A panel a data set, a mark a split, the commonest marker on top."""
    rows = [
        row("decisiveness_gap", "perhaps", 0.2, n=5, arm=0.1),
        row("decisiveness_gap", "surely", 0.3, n=9, arm=0.1),
        row("decisiveness_gap", "surely", 0.4, n=9, split="train"),
        row("decisiveness_gap", "surely", 0.6, "B", n=9),
    ]
    figure = decisiveness_gap(frame(rows))
    first, second = figure.axes
    assert labels(first) == ["surely", "perhaps"]
    drawn = [sorted(np.asarray(line.get_xdata(), float)) for line in first.lines]
    assert [0.2, 0.3] in drawn
    assert [0.4] in drawn
    (arms, none) = [one for one in first.collections if isinstance(one, LineCollection)]
    ends = [[float(x) for x in path[:, 0]] for path in arms.get_segments()]
    assert ends == [pytest.approx([0.1, 0.3]), pytest.approx([0.2, 0.4])]
    assert [float(np.ptp(path[:, 0])) for path in none.get_segments()] == [0]
    assert [0.6] in [sorted(np.asarray(line.get_xdata(), float)) for line in second.lines]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "split test",
        "split train",
    ]
    assert first.get_xlim() == second.get_xlim()
    assert len({line.get_marker() for line in first.lines} - {"None"}) == 2


def test_seven_data_sets_are_drawn_in_two_columns() -> None:
    """Seven panels, each with a title, and no empty axes beside them."""
    rows = [
        row("decisiveness_gap", marker, 0.1 * k, f"d{k}", arm=0.05)
        for k in range(7)
        for marker in ("perhaps", "surely")
    ]
    titles = [ax.get_title("left") for ax in decisiveness_gap(frame(rows)).axes]
    assert titles == [f"d{k}" for k in range(7)]


def of_marker(name: str, other: str) -> pd.DataFrame:
    """Rows for each plot, with names of all kinds."""
    rows = [
        *shares(name, (0.2, 0.8)),
        *shares("other", (0.2, 0.8), judge=other),
        *(row(metric, name, 0.2, other, split=other) for metric in ("mic", "decisiveness_gap")),
        *(row(metric, "other", 0.2, other) for metric in ("mic", "decisiveness_gap")),
        *(row(metric, name, 0.2, model=other) for metric in ("mic", "decisiveness_gap")),
    ]
    return frame(rows)


PLOTS = [mic, mic_densities, decisiveness_gap]
every_plot = pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)


@every_plot
@pytest.mark.parametrize("name", STRANGE, ids=lambda name: ascii(name)[:12])
def test_strange_names_are_harmless(plot: Plot, name: str) -> None:
    """Names as long as a page, with mark-up or from right to left are drawn without a warning."""
    svg = saved(plot(of_marker(name, name)))
    assert svg.startswith("<?xml")
    assert "x" * 50 not in svg
    assert "\u202e" not in svg
    assert "<b>" not in svg


@every_plot
def test_nothing_to_draw_is_told(plot: Plot) -> None:
    """No row, and rows without a value, are no figure."""
    for rows in (frame([]), of_marker("w", "m").assign(value=NAN)):
        with pytest.raises(InvalidArgument, match="nothing to draw"):
            plot(rows)


@every_plot
def test_a_row_without_a_value_is_left_out(plot: Plot) -> None:
    """An undefined row more changes nothing that is drawn."""
    rows = of_marker("w", "m")
    undefined = rows.assign(value=NAN, condition=rows["condition"] + ";variant=v")
    assert saved(plot(pd.concat([rows, undefined]))) == saved(plot(rows))
