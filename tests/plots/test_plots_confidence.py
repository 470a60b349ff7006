"""What the figures of stated confidence draw."""

from functools import partial
from itertools import product
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D

from build import numbered
from inspect_confidence import detail
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.plots.confidence import (
    ece_bins,
    m_ratio,
    reliability,
    report_histogram,
    type2_roc,
    utility,
)
from inspect_confidence.scales import ALL
from plots.drawing import (
    Row,
    bar_heights,
    bar_middles,
    frame,
    legend,
    of_class,
    points,
    row,
    strings,
    texts,
    titles,
)

result = partial(row, "scale_variants")


def bars(ax: Axes) -> BarContainer:
    """The one group of bars."""
    (bar_container,) = of_class(ax.containers, BarContainer)
    return bar_container


def path_of(line: Line2D) -> list[list[float]]:
    """The points of a line."""
    path: list[list[float]] = np.array(line.get_xydata(), float).tolist()
    return path


def test_a_frame_of_judgments_is_refused_with_the_frame_that_is_drawn() -> None:
    """Judgments have no metrics."""
    judgments = pd.DataFrame({"task": ["any_eval"], "confidence": [0.5]})
    with pytest.raises(InvalidArgument, match=r"no column 'metric', .* that `summarize` or"):
        reliability(judgments)


def test_reliability_draws_points_intervals_and_counts_of_the_bins() -> None:
    """Points at mean confidence and accuracy, arms to the interval, bars by judgments."""
    rows = frame(
        result("bin=0.9-1;scale=0-20", "bin_accuracy", 0.5, (0.3, 0.6), n=8),
        result("bin=0.9-1;scale=0-20", "bin_confidence", 0.95, n=8),
        result("bin=0.2-0.3;scale=0-20", "bin_accuracy", 0.25, (0.1, 0.7), n=4),
        result("bin=0.2-0.3;scale=0-20", "bin_confidence", 0.2, n=4),
    )
    (ax,) = reliability(rows).axes
    ((_, x, y, arms),) = points(ax)
    assert (x, y) == ([0.2, 0.95], [0.25, 0.5])
    assert arms[:, :, 1] == pytest.approx(np.array([[0.1, 0.7], [0.3, 0.6]]))
    heights = bar_heights(bars(ax))
    assert heights[0] == pytest.approx(heights[1] / 2)
    middles = bar_middles(bars(ax))
    assert middles == pytest.approx([0.25, 0.95])
    assert ax.get_title(loc="left") == "0-20 (n = 12)"


def test_reliability_draws_corp_beside_the_bins() -> None:
    """A line through the curve's points, a band to the ends of its intervals, and a legend."""
    rows = frame(
        result("bin=0.9-1;scale=0-20", "bin_accuracy", 0.5, (0.3, 0.6), n=8),
        result("bin=0.9-1;scale=0-20", "bin_confidence", 0.95, n=8),
        result("confidence=0.95;scale=0-20", "corp_accuracy", 0.6, n=8),
        result("confidence=0.9;scale=0-20", "corp_accuracy", 0.4, n=8),
        result("confidence=0.95;scale=0-20", "consistency_band", 0.95, (0.8, 1), n=8),
        result("confidence=0.9;scale=0-20", "consistency_band", 0.9, (0.7, 0.99), n=8),
    )
    figure = reliability(rows)
    (ax,) = figure.axes
    assert [[0.9, 0.4], [0.95, 0.6]] in list(map(path_of, ax.lines))
    edges = set(map(tuple, np.round(np.asarray(ax.collections[0].get_paths()[0].vertices), 9)))
    assert {(0.9, 0.7), (0.9, 0.99), (0.95, 0.8), (0.95, 1.0)} <= edges
    assert ax.get_title(loc="left") == "0-20 (n = 8)"
    (legend,) = figure.legends
    assert strings(legend.get_texts())[:2] == ["bins", "CORP"]
    ((_, x, _, _),) = points(ax)
    assert x == [0.95]


def test_each_scale_model_and_definition_of_m_ratio_has_a_panel() -> None:
    """One for each scale in order, each model and source, and each definition of M-ratio."""
    # A panel a scale, thirteen at most two abreast, then scales of the user's own.
    rows = []
    for scale in ["1-7", *map(str, reversed(ALL))]:
        rows.append(result(f"bin=0.4-0.5;scale={scale}", "bin_accuracy", 0.5))
        rows.append(result(f"bin=0.4-0.5;scale={scale}", "bin_confidence", 0.45))
    figure = reliability(frame(*rows))
    assert [title.split(" ")[0] for title in titles(figure)] == [*map(str, ALL), "1-7"]
    assert len({round(ax.get_position().x0, 3) for ax in figure.axes}) == 2
    # Rows of several groups are told apart by their titles; only what varies is said.
    rows = []
    for model, source in product("ab", ("stated", "token")):
        condition = f"bin=0.4-0.5;source={source}"
        for numbers in (("bin_accuracy", 0.5, (0.4, 0.6)), ("bin_confidence", 0.45)):
            rows.append(row("question_sets", condition, *numbers, n=3, model=model))
    assert titles(reliability(frame(*rows))) == [
        "a\nstated (n = 3)",
        "a\ntoken (n = 3)",
        "b\nstated (n = 3)",
        "b\ntoken (n = 3)",
    ]
    # Thresholds and type-1 models are never mixed.
    rows = []
    for threshold, type1 in product((0.5, 0.75), ("m_afc", "two_z")):
        condition = f"scale=0-100;threshold={threshold};type1={type1}"
        rows.append(result(condition, "m_ratio", 0.8, (0.5, 1.2)))
    panel_titles = titles(m_ratio(frame(*rows)))
    assert len(set(panel_titles)) == 4
    assert panel_titles[0] == "type-1 model m_afc, sure from 0.5 on"


def test_report_histogram_draws_the_shares_within_the_scales_ends() -> None:
    """A bar a value at its share, on the scale's own ends, also where a report is beyond them."""
    rows = frame(
        result("report=14;scale=14-86", "report_share", 0.25, (0.1, 0.5)),
        result("report=50;scale=14-86", "report_share", 0.5, (0.2, 0.7)),
        result("report=88;scale=14-86", "report_share", 0.25, (0.1, 0.5)),
    )
    (ax,) = report_histogram(rows).axes
    assert bar_middles(bars(ax)) == pytest.approx([14, 50, 88])
    assert bar_heights(bars(ax)) == pytest.approx([0.25, 0.5, 0.25])
    assert list(ax.get_xticks()) == [14, 50, 86]
    low, high = ax.get_xlim()
    assert low < 14
    assert high > 88


def test_report_histogram_names_the_share_of_reports_far_out() -> None:
    """Up to the scale's width beyond it reports are drawn; of others the share is told."""
    rows = frame(
        result("report=5;scale=0-10", "report_share", 0.5, (0.2, 0.7)),
        result("report=20;scale=0-10", "report_share", 0.25, (0.1, 0.5)),
        result("report=95;scale=0-10", "report_share", 0.2, (0.1, 0.5)),
        result("report=1000;scale=0-10", "report_share", 0.05, (0.0, 0.1)),
    )
    (ax,) = report_histogram(rows).axes
    assert bar_middles(bars(ax)) == pytest.approx([5, 20])
    assert ax.get_xlim()[1] < 25
    assert texts(ax) == ["25% further out, not drawn"]


def test_ece_by_bins_draws_a_line_a_scale() -> None:
    """At 10, 15 and 20 bins of equal width alone, scales in order, an arm to each interval."""
    rows = []
    for condition, value in {
        "bins=15;scale=0-100": 0.082,
        "bins=20;scale=0-100": 0.085,
        "bins=11;scale=0-100": 0.9,
        "binning=equal_mass;scale=0-100": 0.8,
        "scale=0-100": 0.078,
        "bins=20;scale=0-20": 0.058,
        "scale=0-20": 0.051,
        "bins=15;scale=0-20": nan,
    }.items():
        rows.append(result(condition, "ece", value, (value - 0.01, value + 0.02)))
    one_set = frame(*rows)
    figure = ece_bins(pd.concat([one_set.assign(dataset="mmlu"), one_set.assign(dataset="mean")]))
    assert titles(figure) == ["mmlu", "mean"]
    assert legend(figure) == ["0-20", "0-100"]
    twenty, hundred = points(figure.axes[0])
    assert np.round(twenty[1]).tolist() == [9, 19]  # a little to the left, lest arms overlap
    assert np.round(hundred[1]).tolist() == [11, 16, 21]
    assert (twenty[2], hundred[2]) == ([0.051, 0.058], [0.078, 0.082, 0.085])
    assert hundred[3][0, :, 1] == pytest.approx([0.068, 0.098])
    with pytest.raises(InvalidArgument, match="nothing to draw"):
        ece_bins(frame(result("binning=equal_mass;scale=0-100", "ece", 0.8)))


def type2_rates(condition: str, hit: float, false_alarm: float) -> list[Row]:
    """A point of the type-2 ROC curve."""
    return [
        result(condition, "type2_hit_rate", hit),
        result(condition, "type2_false_alarm_rate", false_alarm),
    ]


def test_type2_roc_starts_at_the_origin() -> None:
    """The points by falling threshold after (0, 0), and the area under them."""
    rows = frame(
        *type2_rates("scale=0-100;threshold=0.3", 1, 1),
        *type2_rates("scale=0-100;threshold=0.9", 0.5, 0),
        *type2_rates("scale=0-100;threshold=0.5", 0.75, 0.5),
    )
    (ax,) = type2_roc(rows).axes
    assert path_of(ax.lines[-1]) == [[0, 0], [0, 0.5], [0.5, 0.75], [1, 1]]
    # (.5 + .75) / 2 * .5 + (.75 + 1) / 2 * .5 = .75
    assert ax.get_title(loc="left") == "0-100 (area 0.75)"


def test_type2_roc_repeats_the_curve_of_0_100_in_every_panel() -> None:
    """Every panel but its own has the curve of 0-100, dotted."""
    rows = frame(
        *type2_rates("scale=0-5;threshold=0.9", 0.6, 0.2),
        *type2_rates("scale=0-5;threshold=0.1", 1, 1),
        *type2_rates("scale=0-100;threshold=0.9", 0.8, 0.2),
        *type2_rates("scale=0-100;threshold=0.1", 1, 1),
    )
    figure = type2_roc(rows)
    five, hundred = figure.axes
    dotted = [line for line in five.lines if line.get_linestyle() == ":"]
    assert legend(figure) == ["0-100, to compare"]
    assert path_of(dotted[0]) == [[0, 0], [0.2, 0.8], [1, 1]]
    assert not [line for line in hundred.lines if line.get_linestyle() == ":"]


def test_type2_roc_has_models_in_the_order_of_the_rows() -> None:
    """The order of panels does not depend on the thresholds of the models."""
    rows = []
    for model, threshold in (("first", 0.9), ("second", 0.1)):
        for rates in type2_rates(f"scale=0-100;threshold={threshold}", 1, 1):
            rows.append({**rates, "model": model})
    assert titles(type2_roc(frame(*rows))) == ["first (area 0.50)", "second (area 0.50)"]


@pytest.mark.parametrize(("defined", "missing"), [("hit", "wrong"), ("false_alarm", "right")])
def test_type2_roc_names_the_missing_answers(defined: str, missing: str) -> None:
    """Without wrong (or right) answers there is a panel with these words and no curve."""
    undefined = {"hit": "false_alarm", "false_alarm": "hit"}[defined]
    rows = frame(
        result("scale=0-5;threshold=0.9", f"type2_{defined}_rate", 0.5),
        result("scale=0-5;threshold=0.9", f"type2_{undefined}_rate", nan),
    )
    (ax,) = type2_roc(rows).axes
    assert ax.get_title(loc="left") == f"0-5 (no {missing} answer)"
    assert len(ax.lines) == 1


def test_utility_is_a_step_line_by_rising_confidence() -> None:
    """By rising confidence, each once; never answering is dashed, calibrated confidence dotted."""
    costs = "costs=right 1, wrong -3, abstain 0.2"
    rows = frame(
        *(
            result(
                f"answered_from={x};{costs};scale=0-100", "expected_utility", y, (y - 0.1, y + 0.1)
            )
            for x, y in ((0.9, 0.4), (0.5, -0.3), (0.7, 0.1), (0.7, 0.1))
        )
    )
    (ax,) = utility(rows).axes
    never, advised, curve = ax.lines
    assert never.get_ydata() == [0.2, 0.2]
    assert advised.get_xdata() == pytest.approx([0.8, 0.8])  # (0.2 + 3) / (1 + 3)
    assert path_of(curve) == [[0.5, -0.3], [0.7, 0.1], [0.9, 0.4]]
    assert curve.get_drawstyle() == "steps-pre"


def test_m_ratio_draws_data_sets_side_by_side() -> None:
    """Values with their intervals at the scale's place, a marker a data set; infinite in words."""
    rows = frame(
        *(
            result(
                f"scale={scale};threshold=0.75;type1=m_afc", "m_ratio", value, ends, dataset=dataset
            )
            for scale, value, ends, dataset in (
                ("0-100", 0.8, (0.5, 1.2), "x"),
                ("0-5", 0.6, (0.4, inf), "x"),
                ("0-5", inf, (0.4, inf), "y"),
                ("0-100", 1.1, (nan, nan), "y"),
            )
        )
    )
    (ax,) = m_ratio(rows).axes
    assert strings(ax.get_yticklabels()) == ["0-5", "0-100"]
    (_, x, y, arms), (_, second_x, _, _) = points(ax)
    assert x == [0.8, 0.6]
    assert np.round(y).tolist() == [1, 0]
    assert arms[0, :, 0] == pytest.approx([0.5, 1.2])
    assert arms[1, 0, 0] == pytest.approx(0.4)
    assert arms[1, 1, 0] > ax.get_xlim()[1]
    assert second_x == [1.1]
    assert "infinite, not drawn: 0-5" in texts(ax)


def test_figures_have_as_many_points_as_detail_has_rows() -> None:
    """Bins, reports and rates of judgments, as many points as rows."""
    rows = detail(
        pd.DataFrame(
            {
                "task": "scale_variants",
                "model": "m",
                "item": numbered("i", 40),
                "low": 0,
                "high": 100,
                "raw": [5 * (n % 21) for n in range(40)],
                "correct": [float(n % 3 > 0) for n in range(40)],
                "status": "ok",
            }
        )
    )
    count = rows["metric"].value_counts()
    ((_, x, _, _),) = points(reliability(rows).axes[0])
    assert len(x) == count["bin_accuracy"]
    assert len(bars(report_histogram(rows).axes[0])) == count["report_share"]
    assert len(path_of(type2_roc(rows).axes[0].lines[-1])) == 1 + count["type2_hit_rate"]
