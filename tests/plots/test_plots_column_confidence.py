"""Figures of confidence and intervals fit a column, whatever names and numbers they have."""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import inf, nan

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from inspect_confidence.plots.confidence import m_ratio, reliability, report_histogram, type2_roc
from inspect_confidence.plots.intervals import coverage, interval_score, tunnel
from inspect_confidence.plots.style import WIDTH, style
from inspect_confidence.results import COLUMNS, encode_condition
from inspect_confidence.scales import ALL

Plot = Callable[[pd.DataFrame], Figure]
CONFIDENCE = (reliability, report_histogram, type2_roc, m_ratio)
INTERVALS = (coverage, interval_score, tunnel)
LONG = "openrouter/meta-llama/llama-3.3-70b-instruct:free, temperature=0.7, effort=high"
WIDE = "W" * 200
HAN = "\u5927\u6982\u53ef\u80fd" * 12
TOLERANCE = 0.5  # pixels
LEVELS = (80.0, 90.0, 95.0, 99.0)
DONE: tuple[dict[str, str], ...] = (
    {},
    {"method": "conformal"},
    {"scaling": "score"},
    {"scaling": "nll"},
    {"decoding": "all_levels"},
    {"decoding": "per_level"},
)


def of_confidence(models: list[str], datasets: list[str], scales: list[str]) -> pd.DataFrame:
    """A few rows of every metric of the scale study, M-ratios infinite on the first scale."""
    found: list[tuple[object, ...]] = []
    for model, dataset, scale in product(models, datasets, scales):
        low, high = scale.split("-")
        first = inf if scale == scales[0] else 0.5
        some: list[tuple[dict[str, str], str, float]] = [
            ({"bin": "0.4-0.5"}, "bin_accuracy", 0.5),
            ({"bin": "0.4-0.5"}, "bin_confidence", 0.45),
            ({"bin": "0.9-1"}, "bin_accuracy", 0.75),
            ({"bin": "0.9-1"}, "bin_confidence", 0.95),
            ({"report": low}, "report_share", 0.255),
            ({"report": high}, "report_share", 1.0),
            ({"threshold": "0.45"}, "type2_hit_rate", 0.5),
            ({"threshold": "0.45"}, "type2_false_alarm_rate", 0.25),
            ({"threshold": "0.5", "type1": "m_afc"}, "m_ratio", first),
            ({"threshold": "0.75", "type1": "m_afc"}, "m_ratio", 0.9),
        ]
        for parts, metric, value in some:
            condition = encode_condition({"scale": scale, **parts})
            row = ("scale_variants", model, dataset, condition, metric)
            found.append((*row, value, 0.2, 1.1, 12345, ""))
    return pd.DataFrame(found, columns=COLUMNS)


def of_intervals(models: list[str], levels: tuple[float, ...], size: float) -> pd.DataFrame:
    """Three methods with all that is done to their intervals; conformal ones infinite but one."""
    found: list[tuple[object, ...]] = []
    for model, method in product(models, ("direct", "logprob", "traces")):
        for name, parts in scores_of(method, levels):
            k = levels.index(float(parts["level"]))
            value = inf if parts["method"] == "conformal" and k else size * (1 + k * k)
            row = ("fermi_eval", model, "own", encode_condition(parts), name)
            ends = (0.4, 0.6) if name == "coverage" else (nan, nan)
            found.append((*row, 0.5 if name == "coverage" else value, *ends, 10, ""))
        plateau = encode_condition({"method": method, "split": "test"})
        row = ("fermi_eval", model, "own", plateau, "coverage_plateau")
        found.append((*row, 0.65, 0.5, 0.7, 10, ""))
    return pd.DataFrame(found, columns=COLUMNS)


def scores_of(method: str, levels: tuple[float, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Metrics with their conditions."""
    for done, level in product(DONE, levels):
        parts = {"method": method, "split": "test", "level": f"{level:g}", **done}
        if "conformal" in done.values() and method != "direct":
            parts["base"] = method
        for name in ("coverage", "interval_score", "mean_width"):
            yield name, parts


def texts(figure: Figure) -> dict[str, Bbox]:
    """What is written, with its place in pixels; numbered, as labels repeat."""
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
    shown = [
        one
        for one in figure.findobj(Text)
        if isinstance(one, Text) and one.get_visible() and one.get_text() and id(one) not in beyond
    ]
    return {f"{k}: {one.get_text()}": one.get_window_extent() for k, one in enumerate(shown)}


def check(figure: Figure) -> None:
    """As wide as a column; no text is cut or lies over another."""
    assert figure.get_figwidth() == pytest.approx(WIDTH)
    found = texts(figure)
    assert len(found) > 5
    page = figure.bbox.padded(TOLERANCE)
    cut = [
        name
        for name, box in found.items()
        if box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
    ]
    assert not cut
    over = [
        (one, other)
        for (one, first), (other, second) in combinations(found.items(), 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > TOLERANCE
        and min(first.y1, second.y1) - max(first.y0, second.y0) > TOLERANCE
    ]
    assert not over


@pytest.mark.parametrize("plot", CONFIDENCE)
@pytest.mark.parametrize(
    ("models", "datasets", "scales"),
    [
        (["m"], ["own"], ["0-100"]),
        (["m"], ["own"], [*map(str, ALL)]),
        (["m"], ["mmlu", "gsm8k", "truthfulqa", "trivia_qa"], ["0-5", "0-100"]),
        ([LONG, WIDE], [HAN], ["0-12345", "0-1e6"]),
    ],
    ids=["one", "thirteen", "data_sets", "long"],
)
def test_confidence_fits_a_column(
    plot: Plot, models: list[str], datasets: list[str], scales: list[str]
) -> None:
    """One panel, all scales of the study, and long names of models and data sets."""
    check(plot(of_confidence(models, datasets, scales)))


@pytest.mark.parametrize("plot", INTERVALS)
@pytest.mark.parametrize(
    ("models", "levels", "size"),
    [
        (["m"], LEVELS, 2.5),
        (["m"], (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 97.5, 99, 99.9), 7.5),
        ([LONG, WIDE], LEVELS, 123456789),
    ],
    ids=["usual", "levels", "long"],
)
def test_intervals_fit_a_column(
    plot: Plot, models: list[str], levels: tuple[float, ...], size: float
) -> None:
    """Many methods, levels, digits and infinite numbers, and long names."""
    check(plot(of_intervals(models, levels, size)))
