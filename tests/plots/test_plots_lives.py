"""What the figures of LifeEval draw."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from itertools import combinations, cycle
from math import inf, nan
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from inspect_confidence import detail, summarize
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots import style
from inspect_confidence.plots.lives import best_age, confidence_truth, hard_easy, overconfidence
from inspect_confidence.plots.profiles import profile
from inspect_confidence.plots.style import WIDTH
from inspect_confidence.results import COLUMNS
from inspect_confidence.studies import all_studies

Plot = Callable[[pd.DataFrame], Figure]
PLOTS = (overconfidence, confidence_truth, best_age, hard_easy)
AWKWARD = ("$x_1$ <b>&amp;</b> " * 600, "\u202emodel\u202c \u05d0\u05d1 \U0001f600", "%s{}\\frac")


def result(
    condition: str,
    metric: str,
    value: float,
    interval: tuple[float, float] = (nan, nan),
    n: int = 10,
    model: str = "m",
) -> tuple[object, ...]:
    """A row of LifeEval."""
    return ("life_eval", model, "own", condition, metric, value, *interval, n, "")


def frame(*rows: tuple[object, ...]) -> pd.DataFrame:
    """Rows in the layout of results."""
    return pd.DataFrame(rows, columns=COLUMNS)


def one_of_each(model: str = "m", value: float = 0.5) -> pd.DataFrame:
    """A row of every metric that is drawn."""
    item = "difficulty=0.3;item=a;radius=5"
    return frame(
        result("radius=5", "overconfidence", value, (0.4, 0.6), model=model),
        result("", "hard_easy_slope", value, (0.4, 0.6), model=model),
        result(item, "item_overconfidence", value, model=model),
        result("bin=0.4-0.5;radius=5", "truth_bin_probability", 0.45, model=model),
        result("bin=0.4-0.5;radius=5", "truth_bin_confidence", value, (0.4, 0.6), model=model),
        result("age=40;radius=5;sex=male", "mean_answer", value, model=model),
        result("age=40;radius=5;sex=male", "mean_best_answer", value, model=model),
    )


def saved(figure: Figure) -> str:
    """The figure as svg; a warning on the way fails the test."""
    file = BytesIO()
    with style():
        figure.savefig(file, format="svg")
    return file.getvalue().decode()


def of_line(line: Line2D) -> tuple[list[float], list[float]]:
    """Its x and y."""
    x, y = (np.asarray(values, float).tolist() for values in line.get_data())
    return x, y


def points(ax: Axes) -> dict[str, tuple[list[float], list[float], np.ndarray]]:
    """Of each series with intervals by its label: x, y and the ends of the intervals."""
    found = {}
    for one in ax.containers:
        if isinstance(one, ErrorbarContainer):
            line, _, (arms,) = one.lines
            x, y = of_line(line)
            found[str(one.get_label())] = (x, y, np.array(arms.get_segments())[:, :, 1])
    return found


def lines(ax: Axes) -> dict[str, tuple[list[float], list[float]]]:
    """The lines by their label."""
    return {str(one.get_label()): of_line(one) for one in ax.get_lines()}


def across(ax: Axes) -> list[float]:
    """The heights at 0 and 1 of the one solid line from 0 to 1."""
    solid = [of_line(one) for one in ax.get_lines() if one.get_linestyle() == "-"]
    (y,) = [y for x, y in solid if x == [0, 1]]
    return y


def texts(figure: Figure) -> list[str]:
    """What is written in the axes."""
    return [text.get_text() for ax in figure.axes for text in ax.texts]


def test_overconfidence_by_radius_and_model() -> None:
    """Radii stand in the order of their numbers, all of them last; models side by side."""
    rows = frame(
        result("radius=20", "overconfidence", -0.2, (-0.3, -0.1), model="a"),
        result("radius=5", "overconfidence", 0.1, (0.0, 0.3), model="a"),
        result("", "overconfidence", 0.05, (0.01, 0.09), model="a"),
        result("radius=5", "overconfidence", 0.4, (0.3, 0.5), model="b"),
    )
    figure = overconfidence(rows)
    (ax,) = figure.axes
    labels = [tick.get_text() for tick in ax.get_xticklabels()]
    assert labels == ["5", "20", "all"]
    place = dict(zip(labels, ax.get_xticks(), strict=True))
    drawn = points(ax)
    x, y, arms = drawn["a"]
    assert x == pytest.approx([place[name] - 0.1 for name in ("20", "5", "all")])
    assert y == [-0.2, 0.1, 0.05]
    assert arms == pytest.approx(np.array([[-0.3, -0.1], [0.0, 0.3], [0.01, 0.09]]))
    assert drawn["b"][0] == pytest.approx([place["5"] + 0.1])
    assert drawn["b"][1] == [0.4]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_many_models_differ_in_colour_or_mark() -> None:
    """No two of twelve look the same."""
    rows = [result("radius=5", "overconfidence", k / 20, model=f"m{k}") for k in range(12)]
    figure = overconfidence(frame(*rows))
    lines_of = [one.lines[0] for one in figure.axes[0].containers]  # type: ignore[attr-defined]
    assert len({(line.get_color(), line.get_marker()) for line in lines_of}) == 12


def test_confidence_by_true_probability() -> None:
    """Points at mean probability and mean confidence, bars by judgments, a panel a radius."""
    rows = frame(
        *(
            row
            for radius in ("", "radius=5")
            for row in (
                result(f"bin=0.9-1;{radius}".strip(";"), "truth_bin_probability", 0.96, n=8),
                result(
                    f"bin=0.9-1;{radius}".strip(";"), "truth_bin_confidence", 0.7, (0.6, 0.9), 8
                ),
                result(f"bin=0-0.1;{radius}".strip(";"), "truth_bin_probability", 0.02, n=2),
                result(f"bin=0-0.1;{radius}".strip(";"), "truth_bin_confidence", 0.3, n=2),
            )
        )
    )
    figure = confidence_truth(rows)
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["all radii", "radius 5"]
    assert texts(figure) == ["n = 10", "n = 10"]
    for ax in figure.axes:
        ((x, y, arms),) = points(ax).values()
        assert (x, y) == ([0.02, 0.96], [0.3, 0.7])
        assert arms == pytest.approx(np.array([[0.3, 0.3], [0.6, 0.9]]))
        (bars,) = [one for one in ax.containers if isinstance(one, BarContainer)]
        heights = [bar.get_height() for bar in bars]
        assert heights[0] == pytest.approx(heights[1] / 4)
        middles = [bar.get_x() + bar.get_width() / 2 for bar in bars]
        assert middles == pytest.approx([0.05, 0.95])
        assert ([0, 1], [0, 1]) in lines(ax).values()  # the diagonal


def test_answers_by_age() -> None:
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
    drawn = {ax.get_title(loc="left"): lines(ax) for ax in figure.axes}
    assert list(drawn) == ["radius 1", "radius 5", "radius 20"]
    assert set(drawn["radius 5"]) == {"male, answer", "male, best answer"}
    x, y = drawn["radius 5"]["male, answer"]
    assert x == [40, 45, 50]
    assert y == pytest.approx([79, nan, 80.5], nan_ok=True)
    assert drawn["radius 5"]["male, best answer"] == ([40, 45, 50], [84, 84, 84])
    assert drawn["radius 20"] == {"female, answer": ([40], [88])}
    assert drawn["radius 1"] == {"female, best answer": ([40], [90])}
    (legend,) = figure.legends
    named = {text.get_text() for text in legend.get_texts()}
    assert named == {
        f"{sex}, {what}"
        for sex, what in (
            ("female", "answer"),
            ("female", "best answer"),
            ("male", "answer"),
            ("male", "best answer"),
        )
    }


def test_hard_easy_draws_items_and_line() -> None:
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
    drawn = lines(ax)
    assert drawn["radius 5"] == ([0.8], [0.3])
    assert drawn["radius 20"] == ([0.2], [0.0])
    assert across(ax) == pytest.approx([-0.1, 0.4])
    (band,) = ax.collections
    vertices = np.asarray(band.get_paths()[0].vertices, float)
    corners = set(map(tuple, vertices.round(9).tolist()))
    assert corners == {(0, -0.04), (0, -0.22), (1, 0.36), (1, 0.48)}
    assert texts(figure) == ["slope 0.50 [0.40, 0.70]"]


def lives(epochs: int = 2) -> pd.DataFrame:
    """Judgments of two models whose overconfidence grows with difficulty, some unreadable."""
    rng = np.random.default_rng(5)
    rows = [
        {
            **{"task": "life_eval", "model": model, "item": f"{sex}-{age}-{radius}", "sex": sex},
            **{"age": age, "radius": radius, "epoch": epoch, "best_answer": 85},
            **{"mas": mas, "answer": 80, "score": mas * rng.uniform(0.5, 1)},
            **{"confidence": rng.uniform(0.3, 0.9), "status": "ok"},
        }
        for model in ("a", "b")
        for sex in ("male", "female")
        for age in range(101)
        for radius, mas in ((1, 0.1), (5, 0.4), (10, 0.7), (20, 0.9))
        for epoch in range(epochs)
    ]
    found = pd.DataFrame(rows)
    unread = rng.uniform(size=len(found)) < 0.1
    found.loc[unread, ["answer", "confidence", "score"]] = nan
    found.loc[unread, "status"] = "refusal"
    found["mas"] *= 1 - found["age"] / 500
    return found


@pytest.fixture(scope="module")
def both() -> pd.DataFrame:
    """Results and finer rows of those judgments."""
    return pd.concat([summarize(lives(), resamples=20), detail(lives())], ignore_index=True)


def test_the_line_is_that_of_all_judgments(both: pd.DataFrame) -> None:
    """By numpy's least squares over the judgments read, of which items have one or two."""
    figure = hard_easy(both)
    judged = lives().dropna(subset=["confidence"])
    for ax, model in zip(figure.axes, ("a", "b"), strict=True):
        assert ax.get_title(loc="left") == model
        mine = judged[judged["model"] == model]
        x, y = 1 - mine["mas"], mine["confidence"] - mine["score"]
        slope, intercept = np.polyfit(x, y, 1)
        # Difficulties are written with nine digits.
        assert across(ax) == pytest.approx([intercept, intercept + slope], abs=1e-7)


@pytest.mark.parametrize("plot", PLOTS)
def test_figures_of_a_run(plot: Plot, both: pd.DataFrame) -> None:
    """Results and finer rows together are drawn without a warning, in less than 2 seconds."""
    start = perf_counter()
    text = saved(plot(both))
    assert perf_counter() - start < 2
    assert text.count("<svg") == 1


@pytest.mark.parametrize("plot", PLOTS)
def test_nothing_to_draw_is_an_error(plot: Plot) -> None:
    """No rows, other rows, and rows without a number."""
    for rows in (one_of_each().iloc[:0], frame(result("", "n", 5)), one_of_each(value=nan)):
        some = rows[~rows["metric"].isin(["mean_best_answer"])]
        with pytest.raises(InvalidArgument, match="nothing to draw"):
            plot(some)


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_names_are_harmless(plot: Plot, name: str) -> None:
    """Long names, names in other directions and with signs of markup, of models and variants."""
    rows = pd.concat([one_of_each(name), one_of_each("m")], ignore_index=True)
    text = saved(plot(rows))
    assert len(text) < 200_000
    assert "\u202e" not in text


@pytest.mark.parametrize("plot", PLOTS)
def test_infinite_numbers_are_left_out(plot: Plot) -> None:
    """An infinite value beside a finite one leaves the latter drawn, without a warning."""
    rows = one_of_each().assign(ci_high=inf)
    other = one_of_each(value=inf)
    other["condition"] = other["condition"].str.replace("item=a", "item=b")
    other["condition"] = other["condition"].str.replace("age=40", "age=41")
    other["condition"] = other["condition"].str.replace("bin=0.4-0.5", "bin=0.5-0.6")
    other["condition"] = other["condition"].str.replace("radius=5", "radius=10")
    other = other[other["metric"] != "hard_easy_slope"]
    svg = saved(plot(pd.concat([rows, other], ignore_index=True)))
    assert "<svg" in svg
    assert not re.search(r"[\s\"](?:nan|-?inf)[\s\"]", svg)


def many(models: int, items: int) -> pd.DataFrame:
    """So many questions a model."""
    rng = np.random.default_rng(1)
    return frame(
        *(
            result(
                f"difficulty={rng.uniform():.9f};item=i{k};radius={(1, 5, 10, 20)[k % 4]}",
                "item_overconfidence",
                rng.uniform(-0.5, 1),
                model=f"m{model}",
            )
            for model in range(models)
            for k in range(items)
        )
    )


def test_many_marks_make_no_large_file() -> None:
    """Five models on all questions of LifeEval; few marks stay shapes."""
    text = saved(hard_easy(many(5, 808)))
    assert len(text) < 400_000
    assert "<image" in text
    assert "<image" not in saved(hard_easy(many(1, 100)))


@pytest.mark.parametrize("plot", [overconfidence, hard_easy])
def test_rounding_is_no_effect(plot: Plot) -> None:
    """An axis of overconfidence reaches from -0.1 to 0.1 at least; 0 has no minus."""
    rows = one_of_each(value=-2e-13).assign(ci_low=-3e-13, ci_high=-1e-13)
    figure = plot(rows)
    low, high = figure.axes[0].get_ylim()
    assert low <= -0.1
    assert high >= 0.1
    assert texts(figure) == (["slope 0.00 [0.00, 0.00]"] if plot is hard_easy else [])


def written(figure: Figure) -> list[tuple[str, Bbox]]:
    """Each text that is seen, with its extent in pixels."""
    canvas = FigureCanvasAgg(figure)
    with style():
        canvas.draw()  # type: ignore[no-untyped-call]
    beyond = {
        id(label)
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    return [
        (one.get_text(), one.get_window_extent(renderer))
        for one in figure.findobj(Text)
        if isinstance(one, Text) and one.get_visible() and one.get_text() and id(one) not in beyond
    ]


def lives_rows(models: list[str], datasets: list[str], radii: tuple[int, ...]) -> pd.DataFrame:
    """Rows of every metric that is drawn, of each model, data set and radius."""
    found = []
    for model in models:
        for k, dataset in enumerate(datasets):
            some = [result("", "hard_easy_slope", -0.123, (-0.456, 0.789), model=model)]
            for radius in radii:
                part = f"radius={radius}"
                for age in (0, 110):
                    item = f"difficulty={age / 111};item=a{age};{part}"
                    some.append(result(item, "item_overconfidence", age / 200, model=model))
                    for sex in ("female", "male"):
                        at = f"age={age};{part};sex={sex}"
                        some.append(result(at, "mean_answer", 79.5 + k, model=model))
                        some.append(result(at, "mean_best_answer", 100, model=model))
                some += [
                    result(part, "overconfidence", -0.25 * k, (-0.5, 0.6), model=model),
                    *(
                        result(
                            f"bin=0.4-0.5;{part}", f"truth_bin_{one}", 0.45, n=1234567, model=model
                        )
                        for one in ("probability", "confidence")
                    ),
                ]
            found += [(*row[:2], dataset, *row[3:]) for row in some]
    return frame(*found)


def profile_rows(model: str, dataset: str, label: str) -> pd.DataFrame:
    """Numbers of several studies, small, large, infinite and undefined."""
    rows = [
        (*result("", metric, value, (value - 0.5, value * 1.5), model=model), "")
        for metric, value in zip(
            [*METRICS][::9], cycle((0.5, -123.456, 1e9, inf, nan)), strict=False
        )
    ]
    known = [study.name for study in all_studies()]
    studies = [(*known, label)[k % (len(known) + 1)] for k in range(len(rows))]
    there = pd.DataFrame(rows, columns=[*COLUMNS, "label"])
    return there.assign(dataset=dataset, label=label, study=studies)


LONG = "openrouter/meta-llama/llama-3.3-70b-instruct:free, temperature=0.7, effort=high"
HAN = "\u5927\u6982\u53ef\u80fd" * 12
RADII = (1, 5, 10, 20)
SEVEN = [f"provider/model-{k}" for k in range(7)]


@pytest.mark.parametrize(
    ("plot", "rows"),
    [
        *((plot, lives_rows(["m"], ["own"], (5,))) for plot in PLOTS),
        *((plot, lives_rows(["m"], ["own"], RADII)) for plot in PLOTS),
        *((plot, lives_rows(SEVEN, ["own"], RADII)) for plot in (overconfidence, hard_easy)),
        *((plot, lives_rows([LONG, "W" * 200], ["own", HAN], RADII)) for plot in PLOTS),
        (profile, profile_rows("m", "own", "calibration error (share)")),
        (profile, profile_rows(LONG, LONG, "Agreement of data sets on the order (rank) " * 4)),
        (profile, profile_rows(LONG, HAN, "W" * 60)),
    ],
)
def test_figures_fit_a_column(plot: Plot, rows: pd.DataFrame) -> None:
    """As wide as a column; no text is cut or lies over another."""
    figure = plot(rows)
    assert figure.get_figwidth() == WIDTH
    found = written(figure)
    page = figure.bbox.padded(0.5)
    cut = [
        said
        for said, box in found
        if box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
    ]
    assert not cut
    over = [
        (one, other)
        for (one, first), (other, second) in combinations(found, 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > 0.5
        and min(first.y1, second.y1) - max(first.y0, second.y0) > 0.5
    ]
    assert not over


def test_a_slope_that_is_missing_is_said() -> None:
    """Undefined, infinite, or not among the rows."""
    rows = one_of_each()
    slope = rows["metric"] == "hard_easy_slope"
    assert texts(hard_easy(rows[~slope])) == ["slope not given"]
    for value in (nan, inf):
        without = rows.assign(value=rows["value"].mask(slope, value))
        assert texts(hard_easy(without)) == ["slope undefined"]
    unsure = rows.assign(ci_low=nan, ci_high=nan)
    assert texts(hard_easy(unsure)) == ["slope 0.50"]
