"""What the figures of LifeEval draw."""

from functools import partial
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D

from build import combinations_of, numbered
from inspect_confidence import detail, summarize
from inspect_confidence.plots.life_eval import (
    best_age,
    calibration,
    confidence_truth,
    hard_easy,
    overconfidence,
)
from inspect_confidence.plots.style import in_order
from plots.drawing import (
    Plot,
    bar_heights,
    bar_middles,
    frame,
    legend,
    of_class,
    points,
    row,
    saved,
    strings,
    texts,
    titles,
)

PLOTS = (overconfidence, confidence_truth, best_age, hard_easy)
result = partial(row, "life_eval")


def of_line(line: Line2D) -> Any:
    """Its x and y."""
    x, y = (np.asarray(values, float).tolist() for values in line.get_data())
    return x, y


def lines(ax: Axes) -> dict[str, tuple[list[float], list[float]]]:
    """The lines by their label."""
    return {str(line.get_label()): of_line(line) for line in ax.get_lines()}


def across(ax: Axes) -> list[float]:
    """The heights at 0 and 1 of the one solid line from 0 to 1."""
    solid = [of_line(line) for line in ax.get_lines() if line.get_linestyle() == "-"]
    (y,) = [list(map(float, y)) for x, y in solid if x == [0, 1]]
    return y


def test_overconfidence_is_ordered_by_radius_with_models_side_by_side() -> None:
    """Radii stand in the order of their numbers, all of them last; models side by side."""
    rows = frame(
        result("radius=20", "overconfidence", -0.2, (-0.3, -0.1), model="a"),
        result("radius=5", "overconfidence", 0.1, (0.0, 0.3), model="a"),
        result("", "overconfidence", 0.05, (0.01, 0.09), model="a"),
        result("radius=5", "overconfidence", 0.4, (0.3, 0.5), model="b"),
    )
    figure = overconfidence(rows)
    (ax,) = figure.axes
    labels = strings(ax.get_xticklabels())
    assert labels == ["5", "20", "all"]
    place = dict(zip(labels, ax.get_xticks(), strict=True))
    (_, *first, arms), (_, *second, _) = points(ax)
    x, y = first
    assert x == pytest.approx([place["20"] - 0.1, place["5"] - 0.1, place["all"] - 0.1])
    assert y == [-0.2, 0.1, 0.05]
    assert arms[:, :, 1] == pytest.approx(np.array([[-0.3, -0.1], [0.0, 0.3], [0.01, 0.09]]))
    assert second == [pytest.approx([place["5"] + 0.1]), [0.4]]
    assert legend(figure) == ["a", "b"]


def test_twelve_models_look_different_and_many_marks_are_an_image() -> None:
    """No two of twelve look the same; many marks make no large file."""
    rows = [result("radius=5", "overconfidence", k / 20, model=f"m{k}") for k in range(12)]
    figure = overconfidence(frame(*rows))
    looks = [container.lines[0] for container, *_ in points(figure.axes[0])]
    assert len({(line.get_color(), line.get_marker()) for line in looks}) == 12
    text = saved(hard_easy(many(5, 808)))
    assert len(text) < 400_000
    assert "<image" in text
    assert "<image" not in saved(hard_easy(many(1, 100)))


def test_confidence_truth_has_points_intervals_and_counts_by_radius() -> None:
    """Points at mean probability and mean confidence, bars by judgments, a panel a radius."""
    rows = []
    for radius in ("", "radius=5"):
        rows += [
            result(f"{radius};bin=0.9-1", "truth_bin_probability", 0.96, n=8),
            result(f"{radius};bin=0.9-1", "truth_bin_confidence", 0.7, (0.6, 0.9), n=8),
            result(f"{radius};bin=0-0.1", "truth_bin_probability", 0.02, n=2),
            result(f"{radius};bin=0-0.1", "truth_bin_confidence", 0.3, n=2),
        ]
    figure = confidence_truth(frame(*rows))
    assert titles(figure) == ["all radii", "radius 5"]
    for ax in figure.axes:
        assert texts(ax) == ["n = 10"]
        ((_, x, y, arms),) = points(ax)
        assert (x, y) == ([0.02, 0.96], [0.3, 0.7])
        assert arms[:, :, 1] == pytest.approx(np.array([[0.3, 0.3], [0.6, 0.9]]))
        (bars,) = of_class(ax.containers, BarContainer)
        low, high = bar_heights(bars)
        assert low == pytest.approx(high / 4)
        assert bar_middles(bars) == pytest.approx([0.05, 0.95])
        assert ([0, 1], [0, 1]) in lines(ax).values()  # the diagonal


def test_best_age_draws_mean_and_best_answers_by_sex_and_radius() -> None:
    """A curve of answers and one of best answers a sex; an age without an answer is a gap."""
    rows = frame(
        result("age=50;radius=5;sex=male", "mean_answer", 80.5),
        result("age=40;radius=5;sex=male", "mean_answer", 79),
        result("age=45;radius=5;sex=male", "mean_answer", nan),
        *(result(f"age={k};radius=5;sex=male", "mean_best_answer", 84) for k in (40, 45, 50)),
        result("age=40;radius=20;sex=female", "mean_answer", 88),
        result("age=40;radius=1;sex=female", "mean_best_answer", 90),
        result("age=40-49;radius=5", "mean_answer", 1.0),  # of a decade: not drawn
        result("age=40-49;radius=5", "mean_best_answer", 1.0),
    )
    figure = best_age(rows)
    lines_by_panel = {ax.get_title(loc="left"): lines(ax) for ax in figure.axes}
    assert list(lines_by_panel) == ["radius 1", "radius 5", "radius 20"]
    assert set(lines_by_panel["radius 5"]) == {"male, answer", "male, best answer"}
    x, y = lines_by_panel["radius 5"]["male, answer"]
    assert x == [40, 45, 50]
    assert y == pytest.approx([79, nan, 80.5], nan_ok=True)
    assert lines_by_panel["radius 5"]["male, best answer"] == ([40, 45, 50], [84, 84, 84])
    assert lines_by_panel["radius 20"] == {"female, answer": ([40], [88])}
    assert lines_by_panel["radius 1"] == {"female, best answer": ([40], [90])}
    assert set(legend(figure)) == {
        "female, answer",
        "female, best answer",
        "male, answer",
        "male, best answer",
    }


def test_hard_easy_draws_items_and_the_line_through_their_means() -> None:
    """Marks by radius; a line through the means by judgments, (.2 + 2 .8) / 3 and (0 + 2 .3) / 3.

    These are .6 and .2: at slope .5 the line is .2 - .5 .6 = -.1 at 0 and .4 at 1. With slopes of
    the interval, .4 and .7, the band is from .2 - .24 and .2 - .42 to .2 + .16 and .2 + .28.
    """
    rows = frame(
        result("difficulty=0.2;item=a;radius=20", "item_overconfidence", 0.0, n=1),
        result("difficulty=0.8;item=b;radius=5", "item_overconfidence", 0.3, n=2),
        result("item=c;radius=5", "item_overconfidence", nan, n=0),
        result("", "hard_easy_slope", 0.5, (0.4, 0.7)),
        result("", "hard_easy_slope", 9.0, model="mean of all models"),
    )
    figure = hard_easy(rows)
    (ax,) = figure.axes
    plotted = lines(ax)
    assert plotted["radius 5"] == ([0.8], [0.3])
    assert plotted["radius 20"] == ([0.2], [0.0])
    assert across(ax) == pytest.approx([-0.1, 0.4])
    (band,) = ax.collections
    vertices = np.asarray(band.get_paths()[0].vertices, float)
    corners = set(map(tuple, vertices.round(9).tolist()))
    assert corners == {(0, -0.04), (0, -0.22), (1, 0.36), (1, 0.48)}
    assert texts(ax) == ["slope 0.50 [0.40, 0.70]"]
    # The few marks are drawn above the line.
    orders = {line.get_label(): line.get_zorder() for line in ax.get_lines()}
    (slope_line,) = [
        line for line in ax.get_lines() if np.size(line.get_xdata()) > 1 and line.get_zorder() > 0
    ]
    assert slope_line.get_zorder() < min(orders["radius 5"], orders["radius 20"])


def lives(epochs: int = 2) -> pd.DataFrame:
    """Judgments of two models whose overconfidence grows with difficulty, some unreadable."""
    rng = np.random.default_rng(5)
    maxima = {1: 0.1, 5: 0.4, 10: 0.7, 20: 0.9}
    rows = combinations_of(
        model="ab", sex=("male", "female"), age=range(101), radius=maxima, epoch=range(epochs)
    )
    for judgment in rows:
        mas = maxima[judgment["radius"]]
        judgment["item"] = "{sex}-{age}-{radius}".format(**judgment)
        judgment |= {"task": "life_eval", "answer": 80, "best_answer": 85, "mas": mas}
        judgment |= {"score": mas * rng.uniform(0.5, 1), "status": "ok"}
        judgment |= {"confidence": rng.uniform(0.3, 0.9)}
    judgments = pd.DataFrame(rows)
    unread = rng.uniform(size=len(judgments)) < 0.1
    judgments.loc[unread, ["answer", "confidence", "score"]] = nan
    judgments.loc[unread, "status"] = "refusal"
    judgments["mas"] *= 1 - judgments["age"] / 500
    return judgments


@pytest.fixture(scope="module")
def rows_of_run() -> pd.DataFrame:
    """Results and finer rows of those judgments."""
    return pd.concat([summarize(lives(), resamples=20), detail(lives())], ignore_index=True)


def test_the_hard_easy_line_is_numpys_least_squares_over_judgments(
    rows_of_run: pd.DataFrame,
) -> None:
    """By numpy's least squares over the judgments read, of which items have one or two."""
    figure = hard_easy(rows_of_run)
    answered = lives().dropna(subset=["confidence"])
    for ax, model in zip(figure.axes, ("a", "b"), strict=True):
        assert ax.get_title(loc="left") == model
        model_judgments = answered[answered["model"] == model]
        x, y = 1 - model_judgments["mas"], model_judgments["confidence"] - model_judgments["score"]
        slope, intercept = np.polyfit(x, y, 1)
        # Difficulties are written with nine digits.
        assert across(ax) == pytest.approx([intercept, intercept + slope], abs=1e-7)


@pytest.mark.parametrize("plot", PLOTS)
def test_results_and_finer_rows_together_are_drawn(plot: Plot, rows_of_run: pd.DataFrame) -> None:
    """Results and finer rows together are drawn without a warning."""
    assert saved(plot(rows_of_run)).count("<svg") == 1


def many(models: int, items: int) -> pd.DataFrame:
    """So many questions a model."""
    rng = np.random.default_rng(1)
    rows = []
    for model, item in product(numbered("m", models), range(items)):
        condition = f"difficulty={rng.uniform():.9f};item=i{item};radius={(1, 5, 10, 20)[item % 4]}"
        overconfidence = rng.uniform(-0.5, 1)
        rows.append(result(condition, "item_overconfidence", overconfidence, model=model))
    return frame(*rows)


def test_overconfidence_axes_reach_a_tenth_and_a_missing_slope_is_named() -> None:
    """An axis from -0.1 to 0.1 at least; a slope that is missing is said."""
    # An axis of overconfidence reaches from -0.1 to 0.1 at least; 0 has no minus.
    tiny = (-2e-13, (-3e-13, -1e-13))
    rows = frame(
        result("radius=5", "overconfidence", *tiny),
        result("", "hard_easy_slope", *tiny),
        result("difficulty=0.3;item=a;radius=5", "item_overconfidence", *tiny),
    )
    for plot, annotations in ((overconfidence, []), (hard_easy, ["slope 0.00 [0.00, 0.00]"])):
        (ax,) = plot(rows).axes
        low, high = ax.get_ylim()
        assert low <= -0.1, plot
        assert high >= 0.1, plot
        assert texts(ax) == annotations, plot
    item = result("difficulty=0.3;item=a;radius=5", "item_overconfidence", 0.5)
    for slope, text in ((nan, "slope undefined"), (inf, "slope undefined"), (0.5, "slope 0.50")):
        (ax,) = hard_easy(frame(item, result("", "hard_easy_slope", slope))).axes
        assert texts(ax) == [text], slope
    assert texts(hard_easy(frame(item)).axes[0]) == ["slope not given"]


def test_calibration_counts_a_judgment_with_two_confidences_once_and_tells_them_apart() -> None:
    """The stated and the token confidence of 10 judgments have n = 10 and two colours."""
    rows = []
    for source in ("", ";source=token"):
        for metric in ("bin_accuracy", "bin_confidence"):
            for bin_name, n in (("0.1-0.2", 4), ("0.8-0.9", 6)):
                rows.append(row("question_sets", f"bin={bin_name}{source}", metric, 0.5, n=n))
    with in_order(["m"]):
        figure = calibration(frame(*rows))
    assert titles(figure) == ["own (n = 10)"]
    colours = {
        of_series.get_color()
        for of_series in figure.axes[0].lines
        if of_line(of_series)[0] == [0.5, 0.5]
    }
    assert len(colours) == 2
