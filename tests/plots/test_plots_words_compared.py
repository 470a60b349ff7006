"""Figures that set models, settings and scenarios of words side by side."""

from __future__ import annotations

from math import nan

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from inspect_confidence.plots import consistency_slices, word_medians
from plots.drawing import Row, around, frame, labels, legend, row, titles

PEOPLE = "people surveyed"


def quartile_rows(model: str, word: str, median: float, **parts: str) -> list[Row]:
    """The quartiles of a word: a tenth below and above the median."""
    quantiles = {"0.25": median - 0.1, "0.5": median, "0.75": median + 0.1, "0.95": median + 0.2}
    return [
        row(
            "wep_elicitation",
            {"word": word, "q": q, **parts},
            "probability_quantile",
            value,
            model=model,
        )
        for q, value in quantiles.items()
    ]


def values_by_series(ax: Axes) -> dict[str, list[float]]:
    """The values of each series, by its name."""
    return {
        str(line.get_label()): list(np.array(line.get_xdata(), float))
        for line in ax.lines
        if not str(line.get_label()).startswith("_")
    }


def test_word_medians_have_a_panel_a_language_with_people_in_each() -> None:
    """A panel a language, people in each; all settings only where there is no other."""
    en, zh = {"language": "en", "setting": "concise"}, {"language": "zh", "setting": "concise"}
    rows = [
        *quartile_rows(PEOPLE, "doubt", 0.2),
        *quartile_rows(PEOPLE, "likely", 0.7),
        *quartile_rows("m", "likely", 0.8, **en),
        *quartile_rows("m", "doubt", 0.3, **en),
        *quartile_rows("m", "likely", 0.5, **en | {"setting": "all"}),
        *quartile_rows("n", "likely", 0.6, **zh),
    ]
    figure = word_medians(frame(*rows))
    assert titles(figure) == ["en", "zh"]
    first, second = figure.axes
    assert labels(first) == ["likely", "doubt"]
    assert values_by_series(first) == {PEOPLE: [0.2, 0.7], "m": [0.3, 0.8], "n": []}
    assert values_by_series(second) == {PEOPLE: [0.2, 0.7], "m": [], "n": [0.6]}
    assert legend(figure) == [PEOPLE, "m", "n"]
    ends: list[list[float]] = []
    for collection in first.collections:
        if isinstance(collection, LineCollection):
            ends += [np.round(path[:, 0], 9).tolist() for path in collection.get_segments()]
    assert ends == [[0.1, 0.3], [0.6, 0.8], [0.2, 0.4], [0.7, 0.9]]
    single_setting = [*quartile_rows("m", "likely", 0.5, language="en", setting="all")]
    (single_panel,) = word_medians(frame(*single_setting)).axes
    assert values_by_series(single_panel) == {"m": [0.5]}
    (people,) = word_medians(frame(*quartile_rows(PEOPLE, "likely", 0.7))).axes
    assert values_by_series(people) == {PEOPLE: [0.7]}


def dashes(ax: Axes) -> list[float]:
    """Where dashed lines stand along x."""
    dashed = [line for line in ax.lines if str(line.get_linestyle()) == "--"]
    return [float(np.array(line.get_xdata(), float)[0]) for line in dashed]


def score(value: float, arm: float = nan, **parts: object) -> Row:
    """A row of pairwise consistency."""
    return row("wep_choice", parts, "pairwise_consistency", value, around(value, arm))


def test_consistency_slices_are_by_numbers_and_scenario() -> None:
    """Choice sets, random runs and both forms together stay out; chance is over all prompts."""
    rows = [
        score(0.5, 0.1, cot="with"),
        score(0.4, cot="without"),
        score(0.45),
        score(0.6, cot="with", numbers="wide"),
        score(0.7, 0.1, cot="with", scenario="height"),
        score(0.9, cot="with", choice_set=3),
        score(0.25, baseline="expected"),
        score(0.3, baseline="expected", choice_set=3),
        score(0.1, baseline="random"),
    ]
    figure = consistency_slices(frame(*rows))
    (ax,) = figure.axes
    assert labels(ax) == ["all prompts", "wide numbers", "height"]
    assert values_by_series(ax) == {"with reasoning": [0.5, 0.6, 0.7], "without reasoning": [0.4]}
    assert legend(figure) == ["without reasoning", "with reasoning"]
    assert dashes(ax) == [0.25]
    assert titles(figure) == ["pairwise"]
    (both_forms,) = consistency_slices(frame(score(0.45), score(0.5, scenario="height"))).axes
    assert values_by_series(both_forms) == {"both": [0.45, 0.5]}
    assert dashes(both_forms) == []  # 0 is not what chance scores where nothing says what it does
    low, high = both_forms.get_xlim()
    assert low <= 0
    assert high >= 1
