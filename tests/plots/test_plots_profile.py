"""What the profile of a model draws."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots.profiles import ideal, interval_text, profile, window
from inspect_confidence.plots.style import WIDTH
from inspect_confidence.results import COLUMNS
from plots import drawing
from plots.drawing import Row, saved, strings

NONE = (nan, nan)


def result(
    metric: str,
    value: float,
    interval: tuple[float, float] = NONE,
    condition: str = "",
    label: str = "number",
    model: str = "m",
) -> Row:
    """A row of results with a label."""
    return drawing.row("task", condition, metric, value, interval, model=model) | {"label": label}


def frame(*rows: Row) -> pd.DataFrame:
    """Rows in the layout of results, with labels."""
    return pd.DataFrame(list(rows), columns=[*COLUMNS, "label"])


def marks_by_label(ax: Axes) -> dict[str, list[float]]:
    """Where what is drawn on an axis stands, by its label; marks' names in place of labels."""
    return {
        str(line.get_label()): np.asarray(line.get_xdata(), float).tolist()
        for line in ax.get_lines()
    }


def words_beside(figure: Figure) -> list[str]:
    """The words beside the axes, three a line: label, what stands under it, number."""
    return strings(figure.texts)


def test_dot_bar_best_value_and_axis_are_those_of_the_row() -> None:
    """Dot, bar, best value and axis are the row's and the registry's; the words too."""
    rows = frame(
        result("ece", 0.2, (0.1, 0.25), label="calibration error"),
        result("overconfidence", -0.1, (-0.3, 0.05)),
        result("coverage", 0.7, (0.6, 0.8), "level=90;method=direct"),
        result("miss_below", 0.2, (0.1, 0.3), "level=90"),
        result("top3_share", 0.4, (0.3, 0.5)),
    )
    figure = profile(rows)
    expected = [
        ((0, 1), 0.2, [0.1, 0.25], 0.0),
        ((-1, 1), -0.1, [-0.3, 0.05], 0.0),
        ((0, 1), 0.7, [0.6, 0.8], 0.9),
        ((0, 1), 0.2, [0.1, 0.3], 0.05),
        ((0, 1), 0.4, [0.3, 0.5], None),  # neither higher nor lower is better
    ]
    assert len(figure.axes) == len(expected)
    for ax, (ends, value, bar, best) in zip(figure.axes, expected, strict=True):
        marks = marks_by_label(ax)
        assert ax.get_xlim() == ends
        assert marks["axis"] == list(ends)
        assert marks["value"] == [value]
        assert marks["interval"] == bar
        assert marks.get("best") == (None if best is None else [best])
    words = words_beside(figure)
    assert words[:3] == ["Calibration error", "task, own", "0.200 [0.100, 0.250]"]
    assert words[5] == "\u22120.100 [\u22120.300, 0.050]"


def test_rows_of_a_profile_stand_in_order_and_inside_the_figure() -> None:
    """In the order given, apart from each other and inside the figure."""
    rows = frame(*(result("ece", 0.1, label="a label of more than a line " * k) for k in range(4)))
    figure = profile(rows)
    tops = [ax.get_position().y1 for ax in figure.axes]
    bottoms = [ax.get_position().y0 for ax in figure.axes]
    assert all(low > high for low, high in zip(bottoms, tops[1:], strict=False))
    assert min(bottoms) > 0
    assert max(tops) < 1
    places = [text.get_position()[1] for text in figure.texts]
    assert min(places) > 0
    assert figure.get_figwidth() == WIDTH


@pytest.mark.parametrize(
    ("metric", "values", "expected"),
    [
        ("auroc", [0.6], (0, 1)),
        ("overconfidence", [0.1], (-1, 1)),
        ("coverage_plateau", [0.7, 0.8], (0, 1)),
        ("coverage_plateau", [1.6], (0, 2)),
        ("interval_score", [7.2, 11.7, nan, inf], (0, 15)),
        ("mean_width", [0.031], (0, 0.1)),
        ("mean_width", [0.31], (0, 0.4)),
        ("hard_easy_slope", [-0.2, 0.8], (-0.25, 1)),
        ("hard_easy_slope", [-2e-13, 2e-13], (0, 1)),
        ("hard_easy_slope", [-2e-4, 0.5], (-0.05, 1)),
        ("interval_score_change", [2e-13], (-0.1, 0.1)),
        ("m_ratio", [0.004], (0, 1)),
        ("meta_d_ideal", [-1.2], (-1.5, 1)),
        ("words_that_differ", [0], (0, 10)),
        ("meta_d_ideal", [], (0, 1)),
        ("words_that_differ", [15], (0, 20)),
    ],
)
def test_a_window_is_the_metrics_range_or_the_next_round_number(
    metric: str, values: list[float], expected: tuple[float, float]
) -> None:
    """The registry's range; where it has no end, the next round number 5% beyond the values."""
    # 1.05 1.6 = 1.68 -> 2; 1.05 11.7 = 12.3 -> 15; 1.05 .31 = .33 -> .4; 1.05 .2 = .21 -> .25. At
    # least to 1 for slopes, ratios and d', to 10 for counts, and .1 to both sides else; what lies
    # beyond 0, but for rounding errors, has 5% of the other side at least.
    assert window(metric, values) == pytest.approx(expected)


def test_one_metric_has_one_axis_and_a_best_value_beyond_it_an_arrowhead() -> None:
    """Each metric has one, the same for the same, with an arrowhead where there is no best."""
    for name in METRICS:
        low, high = window(name, [0.3])
        assert low < high
        best = ideal(name, "90")
        assert best is None or low <= best <= high
        assert ideal(name, "") is None or METRICS[name].direction not in (
            "target=level",
            "target=alpha/2",
        )
    figure = profile(frame(result("interval_score", 3), result("interval_score", 70)))
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim() == (0, 80)
    (ax,) = profile(frame(result("meta_d_ideal", 1.2, (0.8, 1.9)))).axes
    (mark,) = [line for line in ax.get_lines() if line.get_label() == "best"]
    assert marks_by_label(ax)["best"] == [2.0]
    assert mark.get_marker() != "|"


def test_undefined_numbers_are_named_and_infinite_ones_stand_at_the_end() -> None:
    """An undefined number is said, not left out; infinite ones stand at the axis' end."""
    figure = profile(
        frame(
            result("auroc", nan),
            result("interval_score", inf, (2, inf)),
            result("conformal_offset", -inf),
            result("mean_width", 3, (1, inf)),
            result("auroc", 0.7, (nan, 0.9)),
        )
    )
    none, up, down, open_, half = figure.axes
    assert set(marks_by_label(none)) == {"axis", "best"}
    assert marks_by_label(up)["value"] == [up.get_xlim()[1]]
    assert marks_by_label(up)["interval"] == [2, up.get_xlim()[1]]
    assert [line.get_marker() for line in up.get_lines() if line.get_label() == "value"] == [">"]
    assert marks_by_label(down)["value"] == [down.get_xlim()[0]]
    assert [line.get_marker() for line in down.get_lines() if line.get_label() == "value"] == ["<"]
    assert marks_by_label(open_)["interval"] == [1, open_.get_xlim()[1]]
    assert "interval" not in marks_by_label(half)
    words = words_beside(figure)[2::3]
    assert words == [
        "undefined",
        "\u221e [2.00, \u221e]",
        "\u2212\u221e",
        "3.00 [1.00, \u221e]",
        "0.700",
    ]
    saved(figure)


def test_numbers_have_as_many_digits_as_the_axis_is_fine() -> None:
    """As many digits as the axis is fine; counts without any."""
    assert interval_text(0.12345, (0.1, 0.2), (0, 1), "share") == "0.123 [0.100, 0.200]"
    assert interval_text(12.5, NONE, (0, 20), "years") == "12.50"
    assert interval_text(123.25, NONE, (0, 150), "years") == "123.2"  # to even
    assert interval_text(15.0, NONE, (0, 20), "count") == "15"
    assert interval_text(-2e-13, (-4e-4, 6e-4), (0, 1), "ratio") == "0.000 [0.000, 0.001]"
    assert interval_text(-0.2, NONE, (-1, 10), "count") == "0"
    assert interval_text(123456.0, NONE, (0, 150000), "years") == "1.23e+05"


def test_rows_are_named_by_study_label_and_variant() -> None:
    """Under the study's name, variants where there are several; awkward ones are harmless."""
    rows = frame(*(result("ece", 0.1, label=label) for label in ("a", "meta-d' of b", "c")))
    studies = pd.Series(["life_eval", "fermi_eval", "life_eval"])
    words = words_beside(profile(rows.assign(study=studies)))
    assert words[::3][:1] == ["LifeEval and the question sets"]
    labels = [word for word in words if word not in ("task, own", "0.100")]
    assert labels == ["LifeEval and the question sets", "A", "C", "FermiEval", "meta-d' of b"]
    unknown = words_beside(
        profile(rows.assign(study=pd.Series(["my study", "", nan], dtype=object)))
    )
    assert [word for word in unknown if word not in ("task, own", "0.100")] == [
        *("my study", "A", "meta-d' of b", "C")
    ]
    low = frame(result("ece", 0.1, condition="variant=effort%3Dlow"))
    high = frame(result("ece", 0.2, condition="variant=effort%3Dhigh"))
    assert words_beside(profile(low))[1] == "task, own"
    under = words_beside(profile(pd.concat([low, high])))[1::3]
    assert under == ["task, own, effort=low", "task, own, effort=high"]
    for name in (
        "$x_1$ <b>&amp;</b> " * 600,
        "\u202em\u202c \u05d0\u05d1 \U0001f600",
        "%s{}\\frac",
        "",
    ):
        rows = frame(result("ece", 0.1, label=name)).assign(dataset=name, task=name)
        text = saved(profile(rows))
        assert len(text) < 50_000, name
        assert "\u202e" not in text, name


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (frame(), "nothing to draw"),
        (frame(result("ece", nan)), "nothing to draw"),
        (frame(result("ece", 0.1)).drop(columns="label"), "no column label"),
        (frame(result("ece", 0.1), result("ece", 0.1, model="b")), "these are 2: m, b"),
        (frame(result("eec", 0.1)), "metric=eec"),
    ],
)
def test_rows_that_are_no_profile_are_refused_with_the_value(rows: pd.DataFrame, says: str) -> None:
    """The value and the remedy are told."""
    with pytest.raises(InvalidArgument, match=says):
        profile(rows)
