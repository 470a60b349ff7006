"""What the figures of FermiEval draw."""

from functools import partial
from math import inf

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from build import column_of
from inspect_confidence.plots.intervals import coverage, interval_score, tunnel
from plots.drawing import Plot, around, frame, legend, points, row, saved, strings, texts, titles

PLOTS = (coverage, interval_score, tunnel)
METRICS = ("coverage", "interval_score", "mean_width")
result = partial(row, "fermi_eval")


def by_level(metric: str, condition: str, *values: float, spread: float = 0.1) -> pd.DataFrame:
    """A row a level, 80, 90, 95 and 99%, with intervals of that spread."""
    return frame(
        *(
            result(f"level={level};{condition}", metric, value, around(value, spread))
            if np.isfinite(value)
            else result(f"level={level};{condition}", metric, value, (value, value))
            for level, value in zip((80, 90, 95, 99), values, strict=False)
        )
    )


def series_by_style(ax: Axes) -> dict[str, tuple[list[int], list[float], np.ndarray]]:
    """Of each line: the places of its levels, its values and the ends of its intervals."""
    return {
        str(container.lines[0].get_linestyle()): (list(map(round, x)), y, arms[:, :, 1])
        for container, x, y, arms in points(ax)
    }


def test_coverage_has_a_panel_for_each_method() -> None:
    """Each with its own lines of the test split, at evenly spaced levels."""
    rows = pd.concat(
        [
            by_level("coverage", "method=direct", 0.1, 0.1, 0.1, 0.1),
            by_level("coverage", "method=direct;split=test", 0.5, 0.6, 0.65, 0.7),
            by_level("coverage", "method=conformal;split=test", 0.8, 0.9, 0.95, 1),
            by_level("coverage", "method=logprob;split=test", 0.4, 0.5, 0.55, 0.6),
            by_level("coverage", "method=logprob;scaling=nll;split=test", 0.7, 0.8, 0.85, 0.9),
            by_level("coverage", "base=logprob;method=conformal;split=test", 0.75, 0.85, 0.9, 0.97),
        ]
    )
    figure = coverage(rows)
    direct, logprob = figure.axes
    assert titles(figure) == ["direct", "logprob"]
    lines = series_by_style(direct)
    assert set(lines) == {"-", "--"}
    places, values, ends = lines["-"]
    assert (places, values) == ([0, 1, 2, 3], [0.5, 0.6, 0.65, 0.7])
    assert ends[0] == pytest.approx([0.4, 0.6])
    assert lines["--"][1] == [0.8, 0.9, 0.95, 1]
    assert column_of(series_by_style(logprob).values(), 1) == [
        [0.4, 0.5, 0.55, 0.6],
        [0.75, 0.85, 0.9, 0.97],
        [0.7, 0.8, 0.85, 0.9],
    ]
    assert legend(figure) == ["as stated", "conformal", "scaled by likelihood"]
    assert strings(direct.get_xticklabels()) == ["80", "90", "95", "99"]
    nominal = np.array(direct.lines[0].get_ydata(), float)
    assert nominal.tolist() == [0.8, 0.9, 0.95, 0.99]


def test_without_a_test_split_all_items_are_drawn() -> None:
    """Another model's test split doesn't take them away."""
    rows = pd.concat(
        [
            by_level("coverage", "method=direct", 0.5, 0.6),
            by_level("coverage", "method=direct", 0.1, 0.1).assign(model="other"),
            by_level("coverage", "method=direct;split=test", 0.7, 0.8).assign(model="other"),
        ]
    )
    values_by_panel = {
        ax.get_title(loc="left"): series_by_style(ax)["-"][1] for ax in coverage(rows).axes
    }
    assert values_by_panel == {"direct\nm": [0.5, 0.6], "direct\nother": [0.7, 0.8]}


def test_temperature_rules_have_their_own_lines_and_unknown_methods_are_as_stated() -> None:
    """Rules of temperature have lines of their own; an unknown method is drawn as stated."""
    rows = pd.concat(
        [
            by_level("coverage", "decoding=all_levels;method=sampling;split=test", 0.5, 0.6),
            by_level("coverage", "decoding=per_level;method=sampling;split=test", 0.6, 0.7),
            by_level("coverage", "method=mine", 0.3, 0.4),
        ]
    )
    figure = coverage(rows)
    assert legend(figure) == ["as stated", "temperature of all levels", "temperature of each level"]
    assert series_by_style(figure.axes[1])["-"][1] == [0.3, 0.4]


def test_infinite_scores_are_named_and_infinite_arms_leave_the_axis() -> None:
    """Infinite scores are said in words; arms run out; narrow ranges and few levels."""
    rows = pd.concat(
        [
            by_level("interval_score", "method=direct;split=test", 6, 9, 20, 60),
            by_level("interval_score", "method=conformal;split=test", 6, 7, 8, inf),
        ]
    )
    (ax,) = interval_score(rows).axes
    assert texts(ax) == ["infinite, not drawn: conformal at 99%"]
    assert series_by_style(ax)["--"][1] == [6, 7, 8]
    assert ax.get_yscale() == "log"
    svg = saved(interval_score(rows))
    assert "mathdefault" not in svg
    (ax,) = interval_score(by_level("interval_score", "method=direct", 6, 7, 8, 9)).axes
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim()[0] == 0
    # Its arm goes beyond the axis; where the value is infinite nothing is drawn.
    rows = frame(
        result("level=80;method=direct", "interval_score", 5, (4, 6)),
        result("level=90;method=direct", "interval_score", 6, (5, inf)),
    )
    (ax,) = interval_score(rows).axes
    _, values, ends = series_by_style(ax)["-"]
    assert values == [5, 6]
    assert ends[0] == pytest.approx([4, 6])
    assert ends[1][1] > ax.get_ylim()[1]
    # Of many levels some have no label.
    levels = range(5, 100, 5)
    rows = frame(*(result(f"level={level};method=direct", "coverage", 0.5) for level in levels))
    (ax,) = coverage(rows).axes
    labels = strings(ax.get_xticklabels())
    assert len(labels) == len(levels)
    assert labels[0] == "5"
    assert 1 < sum(map(bool, labels)) < len(levels)
    (ax,) = tunnel(by_level("mean_width", "method=direct", 2, 3)).axes
    assert not ax.texts


def test_tunnel_draws_stated_and_needed_widths() -> None:
    """Scaled widths are left to the other figures; the plateau is in words."""
    rows = pd.concat(
        [
            by_level("mean_width", "method=direct;split=test", 2, 2.1, 2.2, 2.3),
            by_level("mean_width", "method=conformal;split=test", 3, 4, 6, inf),
            by_level("mean_width", "method=direct;scaling=nll;split=test", 9, 9, 9, 9),
            frame(
                result("method=direct", "coverage_plateau", 0.9, (0.8, 1)),
                result("method=direct;split=test", "coverage_plateau", 0.654, (0.56, 0.72)),
            ),
        ]
    )
    (ax,) = tunnel(rows).axes
    assert {look: values for look, (_, values, _) in series_by_style(ax).items()} == {
        "-": [2, 2.1, 2.2, 2.3],
        "--": [3, 4, 6],
    }
    (annotation,) = ax.texts
    assert annotation.get_text().split("\n") == [
        "coverage plateau 0.65 [0.56, 0.72]",
        "infinite, not drawn: conformal at 99%",
    ]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_panel_of_infinite_values_holds_only_their_names(plot: Plot) -> None:
    """The panel is empty but for the words."""
    rows = pd.concat([by_level(metric, "method=direct", inf, inf) for metric in METRICS])
    (ax,) = plot(rows).axes
    assert texts(ax) == ["infinite, not drawn: as stated at 80%, 90%"]
    saved(plot(rows))
