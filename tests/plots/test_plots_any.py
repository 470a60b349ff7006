"""What holds for every figure, whatever the rows hold: names, infinite numbers, nothing at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from math import inf, isinf, nan
from typing import Any

import pandas as pd
import pytest

from build import column_of, combinations_of
from inspect_confidence import plots
from inspect_confidence.errors import InvalidArgument
from plots.drawing import Plot, Row, around, frame, row, saved

NAMES = (
    "$x_1$ <b>&amp;</b> \\frac{1}{ %s {} 100%;=\\frac" * 600,
    "_hidden \u202emodel\u202c \u05d0\u05d1 \U0001f600\ntwo lines \u5927\u6982",
    "x" * 10_000,
)
"""DejaVu has no Chinese; a figure as svg keeps the text, which a browser can draw."""
PLOTS = [getattr(plots, name) for name in plots.__all__ if name not in ("COLOURS", "profile")]
EACH = [*enumerate(plot for plot in PLOTS if plot is not plots.style)]
every_plot = pytest.mark.parametrize("plot", column_of(EACH, 1))


UNBOUNDED = (
    *("reliability", "report_histogram", "type2_roc", "m_ratio", "ece_bins", "utility"),
    *("coverage", "interval_score", "tunnel", "exponents", "tunnel_entropy"),
    *("overconfidence", "confidence_truth", "best_age", "hard_easy"),
    *("maximum_score", "calibration", "coverage_of_models"),
)
"""Figures of numbers some of which may be infinite, or their intervals."""


def rows_of_every_metric(
    value: float = 0.5, name: str = "likely", variant: str = "m", **options: Any
) -> Iterator[Row]:
    """A row of every metric that is drawn, with a word, marker or variant of that name."""
    interval = around(value, 0.1)
    item = {"difficulty": "0.3", "item": "a", "radius": "5"}
    person, bin_ = {"age": "40", "radius": "5", "sex": "male"}, {"bin": "0.4-0.5"}
    marker = {"judge": "j", "marker": name, "split": variant}
    worth = {"answered_from": "0.5", "costs": "right 1, wrong -1, abstain 0"}
    word = {"word": name, "language": "en", "setting": "concise"}
    levels = combinations_of(level=("80", "90"), method=["direct"])
    targets = combinations_of(confidence_target=("0", "0.9"), format=["open"])
    conditions: list[tuple[str, dict[str, str], str]] = [
        ("scale_variants", {**bin_, "scale": "0-100"}, "bin_accuracy"),
        ("scale_variants", {**bin_, "scale": "0-100"}, "bin_confidence"),
        ("scale_variants", {"report": "45", "scale": "0-100"}, "report_share"),
        ("scale_variants", {"scale": "0-100", "threshold": "0.45"}, "type2_hit_rate"),
        ("scale_variants", {"scale": "0-100", "threshold": "0.45"}, "type2_false_alarm_rate"),
        ("scale_variants", {"scale": "0-100", "threshold": "0.5", "type1": "m_afc"}, "m_ratio"),
        ("scale_variants", {"scale": "0-100"}, "ece"),
        ("scale_variants", {"scale": "0-100"}, "auroc"),
        ("any_eval", {"method": "recorded"}, "accuracy"),
        ("any_eval", {"method": "recorded"}, "mean_confidence"),
        ("scale_variants", {"scale": "0-100", **worth}, "expected_utility"),
        *product(["fermi_eval"], levels, ("coverage", "interval_score", "mean_width")),
        *product(["abstain"], targets, ("payoff", "accuracy_given_attempted")),
        ("fermi_eval", {"exponent": "4"}, "exponent_share"),
        ("fermi_eval", {"method": "traces"}, "tunnel_index"),
        ("fermi_eval", {"method": "traces"}, "decoding_entropy"),
        ("life_eval", {"radius": "5"}, "overconfidence"),
        ("life_eval", {}, "hard_easy_slope"),
        ("life_eval", item, "item_overconfidence"),
        ("life_eval", {"item": "a", "probability": "0.3", "radius": "5"}, "item_confidence"),
        ("life_eval", person, "maximum_achievable_score"),
        ("life_eval", bin_, "bin_accuracy"),
        ("life_eval", bin_, "bin_confidence"),
        ("question_sets", {"source": "token"}, "ece"),
        ("question_sets", {}, "ece"),
        ("life_eval", {**bin_, "radius": "5"}, "truth_bin_probability"),
        ("life_eval", {**bin_, "radius": "5"}, "truth_bin_confidence"),
        ("life_eval", person, "mean_answer"),
        ("life_eval", person, "mean_best_answer"),
        ("wep_elicitation", {**word, "versus": "human"}, "wasserstein"),
        ("wep_elicitation", {**word, "versus": "human"}, "kl_divergence"),
        ("wep_elicitation", {**word, "versus": "human"}, "brunner_munzel_theta"),
        ("wep_elicitation", {**word, "versus": variant}, "brunner_munzel_theta"),
        ("wep_choice", {"cot": "with"}, "pairwise_consistency"),
        ("hedge_markers", marker, "mic"),
        ("hedge_markers", {**marker, "outcome": "correct"}, "mic"),
        ("hedge_markers", {**marker, "outcome": "incorrect"}, "mic"),
        ("hedge_markers", marker, "decisiveness_gap"),
        ("hedge_markers", {"judge": "j", "split": variant}, "accuracy"),
        ("hedge_markers", {**marker, "split": "", "bin": "0-0.5"}, "confidence_share"),
        ("hedge_markers", {**marker, "split": "", "bin": "0.5-1"}, "confidence_share"),
    ]
    for task, parts, metric in conditions:
        yield row(task, parts, metric, value, interval, **options)
        yield row(task, {**parts, "variant": variant}, metric, value, interval, **options)
    for q in ("0.05", "0.25", "0.5", "0.75", "0.95"):
        people = {"word": name, "q": q}
        yield row("wep_elicitation", people, "probability_quantile", value, model="people surveyed")
        quantile = {**word, "q": q, "variant": variant}
        yield row("wep_elicitation", quantile, "probability_quantile", value, **options)


@every_plot
def test_rows_without_anything_to_draw_are_refused(plot: Plot) -> None:
    """No row, rows of other metrics, and rows without a number, are refused with what to give."""
    for rows in (
        frame(),
        frame(row("life_eval", "", "n", 5)),
        frame(row("scale_variants", "", "n", 5)),
        frame(row("t", "", "n", 5)),
        frame(*rows_of_every_metric(nan)),
    ):
        with pytest.raises(InvalidArgument, match="nothing to draw"):
            plot(rows)


@pytest.mark.parametrize(
    "plot",
    [
        plot if number % 8 == 0 else pytest.param(plot, marks=pytest.mark.slow)
        for number, plot in EACH
    ],
)
def test_hostile_names_change_nothing_but_labels(plot: Plot) -> None:
    """Dollars, markup, right-to-left marks and great length change nothing but labels."""
    hostile_rows: list[Row] = []
    for name in NAMES:
        hostile_rows += rows_of_every_metric(name=name, variant=name, model=name)
        hostile_rows += rows_of_every_metric(model="n", dataset=name)
    svg = saved(plot(frame(*rows_of_every_metric(), *hostile_rows)))
    assert max(map(len, re.findall(r">([^<]*)</text>", svg))) < 200
    assert "x" * 50 not in svg
    assert "<b>" not in svg
    assert "\u202e" not in svg
    assert len(svg) < 500_000 * len(NAMES)


@pytest.mark.parametrize("plot", [plot for plot in PLOTS if plot.__name__ in UNBOUNDED])
def test_infinite_values_leave_no_infinite_coordinate(plot: Plot) -> None:
    """Alone or beside finite ones they leave a figure without a coordinate that isn't a number."""
    finite, infinite = (
        frame(*rows_of_every_metric()),
        frame(*rows_of_every_metric(inf, name="doubt", model="n")),
    )
    finite["ci_high"] = inf
    slope = infinite["metric"] == "hard_easy_slope"
    for rows in (infinite, pd.concat([finite, infinite[~slope]], ignore_index=True)):
        if plot is plots.hard_easy and isinf(rows["value"].min()):
            continue  # it has nothing to draw
        svg = saved(plot(rows))
        assert "<svg" in svg
        assert not re.search(r"[\s\"](?:nan|-?inf)[\s\"]", svg)


@pytest.mark.parametrize(
    "plot",
    [
        plot if number % 2 == 0 else pytest.param(plot, marks=pytest.mark.slow)
        for number, plot in EACH
    ],
)
def test_index_and_undefined_rows_change_no_figure(plot: Plot) -> None:
    """Any index will do, and rows without a value are left out."""
    rows = frame(*rows_of_every_metric())
    expected = saved(plot(rows))
    assert saved(plot(rows.set_index(rows.index[::-1] + 7))) == expected
    undefined = frame(*rows_of_every_metric(nan, name="undefined", model="n"))
    assert saved(plot(pd.concat([rows, undefined]))) == expected
