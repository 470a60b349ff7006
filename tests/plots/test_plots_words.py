"""Figures of words: what is drawn is what the rows say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from build import attributes_of, column_of, numbered, records_with
from inspect_confidence import detail
from inspect_confidence.plots import (
    consistency,
    divergence,
    divergence_between,
    word_differences,
    words,
)
from inspect_confidence.plots.style import ON_DARK, ON_LIGHT
from inspect_confidence.results import Condition
from inspect_confidence.studies.wep_probes.shown import FIGURES
from plots.drawing import (
    Row,
    around,
    frame,
    labels,
    legend,
    of_class,
    row,
    strings,
    texts,
    titles,
    xs,
    ys,
)

QUANTILES = ("0.05", "0.25", "0.5", "0.75", "0.95")
LIKELY, DOUBT = (0.5, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.25, 0.3, 0.4)


def quantile_rows(
    word: str, values: Iterable[float], model: str = "m", **parts: object
) -> Iterator[Row]:
    """Quantiles of a word; the people surveyed have no language or setting."""
    condition = {"word": word, **parts}
    if model != "people surveyed":
        condition = {"language": "en", "setting": "concise", **condition}
    for q, value in zip(QUANTILES, values, strict=True):
        quantile_condition = {**condition, "q": q}
        yield row("wep_elicitation", quantile_condition, "probability_quantile", value, model=model)


def segments(ax: Axes) -> list[list[float]]:
    """The ends along x of horizontal lines that are drawn as collections."""
    ends: list[list[float]] = []
    for collection in of_class(ax.collections, LineCollection):
        ends += np.array(collection.get_segments(), float)[:, :, 0].tolist()
    return ends


def test_boxes_are_the_quantiles_with_the_peoples_first() -> None:
    """Two boxes a word, the people's first, with their whiskers and medians."""
    people = [
        quantile_rows("doubt", DOUBT, "people surveyed"),
        quantile_rows("likely", LIKELY, "people surveyed"),
    ]
    model_rows = [quantile_rows("doubt", LIKELY), quantile_rows("likely", DOUBT)]
    (ax,) = words(frame(*chain.from_iterable([*people, *model_rows]))).axes
    assert labels(ax) == ["likely", "doubt"]  # by the people's medians, .7 and .25
    *bounds, people_line, model_line = sorted(
        ax.lines, key=lambda line: line.get_marker() != "None"
    )
    assert xs([people_line, model_line]) == [[0.7, 0.25], [0.25, 0.7]]
    # No word is of moderate probability, so one line parts high from low.
    assert ys(bounds) == [[0.5, 0.5]]
    assert segments(ax) == [[0.5, 0.9], [0.1, 0.4], [0.1, 0.4], [0.5, 0.9]]
    boxes = sorted({(round(p.get_x(), 9), round(p.get_width(), 9)) for p in ax.patches})  # type: ignore[attr-defined]
    assert boxes == [(0.2, 0.1), (0.6, 0.2)]
    legend = ax.get_legend()
    assert legend is not None
    texts = strings(legend.get_texts())
    assert texts == ["people surveyed (10)", "model (10 contexts)"]
    assert people_line.get_marker() != model_line.get_marker()


def test_people_stand_in_each_panel_and_the_only_setting_once() -> None:
    """People stand in each and alone; the only setting once; unasked words by the model."""
    people = list(quantile_rows("likely", LIKELY, "people surveyed"))
    model_rows = [
        *quantile_rows("likely", DOUBT, setting="concise"),
        *quantile_rows("likely", DOUBT, setting="male"),
        *quantile_rows("likely", DOUBT, setting="all"),
    ]
    axes = words(frame(*people, *model_rows)).axes
    assert [len(ax.lines) for ax in axes] == [2, 2, 2]
    assert {ax.get_title("left") for ax in axes} == {"concise", "male", "all settings"}
    (ax,) = words(frame(*people)).axes
    assert (len(ax.lines), ax.get_title("left")) == (1, "people surveyed")
    model_rows = [*quantile_rows("likely", DOUBT), *quantile_rows("likely", DOUBT, setting="all")]
    assert len(words(frame(*model_rows)).axes) == 1
    assert len(words(frame(*model_rows[5:])).axes) == 1  # the rows over all settings by themselves
    # A word of the model's own, at .25, stands below one of the people at .7.
    rows = [
        *quantile_rows("likely", LIKELY, "people surveyed"),
        *quantile_rows("own", DOUBT),
        *quantile_rows("likely", LIKELY),
    ]
    (ax,) = words(frame(*rows)).axes
    assert labels(ax) == ["likely", "own"]
    (drawn, *_) = (line for line in ax.lines if line.get_marker() != "None")
    first, second = np.asarray(drawn.get_xdata(), float)[:2]
    assert first == pytest.approx(0.7)
    assert np.isnan(second)
    rows = []
    for word in numbered("w", 45):
        rows += quantile_rows(word, LIKELY)
    (ax,) = words(frame(*rows)).axes
    assert len(labels(ax)) == 40
    assert texts(ax) == ["words left out: 5"]


@pytest.mark.parametrize("settings", [["female"], ["female", "male"]])
def test_the_reports_figure_of_words_keeps_each_word_over_all_settings(settings: list[str]) -> None:
    """One setting or two, five quantiles of each word over all settings, a context counted once."""
    judgments = pd.DataFrame(
        {
            "task": "wep_elicitation",
            "model": "m",
            "dataset": "d",
            "item": "a",
            "setting": settings,
            "language": "en",
            "word": "likely",
            "status": "ok",
            "probability": 0.7,
        }
    )
    (spec,) = records_with(FIGURES, plot="words")
    assert spec.keep is not None
    rows = detail(judgments)
    rows = rows[rows["metric"].isin(spec.metrics)]
    kept_rows = rows[[spec.keep(Condition.read(text)) for text in rows["condition"]]]
    model_rows = kept_rows[kept_rows["model"] != spec.beside]
    assert len(model_rows) == 5
    assert set(model_rows["n"]) == {1}
    assert len(kept_rows) > len(model_rows)  # the people surveyed
    assert len(words(kept_rows).axes) == 1


def against(
    word: str, metric: str, value: float, setting: str = "concise", arm: float = nan, **more: Any
) -> Row:
    """A row of a word against people."""
    parts = {"language": "en", "setting": setting, "versus": "human", "word": word, **more}
    model = str(parts.pop("model", "m"))
    return row("wep_elicitation", parts, metric, value, around(value, arm), model=model)


def test_cells_hold_the_divergences_by_word_and_setting() -> None:
    """Settings in their order, all of them last; a word without a value is blank."""
    rows = [
        against("likely", "wasserstein", 10, "all"),
        against("likely", "wasserstein", 0),
        against("doubt", "wasserstein", 5),
        against("doubt", "wasserstein", nan, "all"),
        against("doubt", "wasserstein", 99, versus="en"),
    ]
    (ax,) = divergence(frame(*rows)).axes
    values = np.ma.MaskedArray(ax.collections[0].get_array()).filled(nan).reshape(2, 2)
    assert values.tolist() == [[0, 10], [5, pytest.approx(nan, nan_ok=True)]]
    assert strings(ax.get_xticklabels()) == ["concise", "all settings"]
    assert labels(ax) == ["likely", "doubt"]
    inks = {text.get_text(): to_hex(text.get_color()) for text in ax.texts}
    assert inks == {"0.0": ON_DARK, "10.0": ON_LIGHT, "5.0": ON_LIGHT}


def test_stars_are_those_of_the_table_by_holms_p_of_the_same_comparison() -> None:
    """Below .05 one, below .01 two, as the caption says; a table a model and reference."""
    rows = []
    for word, p in (("likely", 0.009), ("maybe", 0.04), ("doubt", 0.06), ("never", 0.2)):
        rows.append(against(word, "kl_divergence", 2))
        rows.append(against(word, "p_holm", p, of="brunner_munzel_theta"))
        rows.append(against(word, "p_value", 0.001, of="brunner_munzel_theta"))
        rows.append(against(word, "p_holm", 0.001, of="paired_difference"))
        rows.append(against(word, "p_holm", 0.001, "extended", of="brunner_munzel_theta"))
    rows.append(against("likely", "kl_divergence", 1, versus="en"))
    people, english = divergence_between(frame(*rows)).axes
    assert sorted(texts(people)) == ["2.0", "2.0", "2.0*", "2.0**"]
    (spec,) = [spec for spec in FIGURES if spec.plot == "divergence_between"]
    assert "* p < .05, ** p < .01 of Brunner and Munzel's test, after Holm's" in spec.reads
    assert "p_holm" in spec.metrics
    assert texts(english) == ["1.0"]
    assert titles(divergence_between(frame(*rows))) == ["m\nagainst human", "m\nagainst en"]


def test_each_divergence_has_a_panel_of_at_most_ten_columns() -> None:
    """One a measure, at most ten columns, in blocks with one scale of colour."""
    rows = [against("likely", "kl_divergence", 1), against("likely", "jensen_shannon", 1)]
    panel_titles = titles(divergence(frame(*rows)))
    assert [title.split()[0] for title in panel_titles] == ["Kullback-Leibler", "Jensen-Shannon"]
    rows = [against("likely", "wasserstein", 1, model=f"m{k}") for k in range(12)]
    first, second = divergence(frame(*rows)).axes
    assert texts(first) == ["columns left out: 2", *["1.0"] * 5]
    assert texts(second) == ["1.0"] * 5
    rows = [against("likely", "wasserstein", k, model=f"m{k}") for k in range(1, 7)]
    axes = divergence(frame(*rows)).axes
    assert list(map(texts, axes)) == [["1.0", "2.0", "3.0"], ["4.0", "5.0", "6.0"]]
    assert [ax.collections[0].get_clim() for ax in axes] == [(0, 6), (0, 6)]


def test_differing_words_are_filled_dots_with_intervals() -> None:
    """Values with their intervals; the one that differs after Holm's adjustment is filled."""
    rows = [
        against("likely", "brunner_munzel_theta", 0.7, arm=0.1),
        against("doubt", "brunner_munzel_theta", 0.4, arm=0.2),
        against("likely", "p_holm", 0.01, of="brunner_munzel_theta"),
        against("doubt", "p_holm", 0.01, of="paired_difference"),
        against("doubt", "p_holm", 0.2, of="brunner_munzel_theta"),
    ]
    figure = word_differences(frame(*rows))
    (ax,) = figure.axes
    reference, _, hollow, filled = ax.lines
    assert xs([reference, hollow, filled]) == [[0.5, 0.5], [0.4], [0.7]]
    assert hollow.get_markerfacecolor() != filled.get_markerfacecolor()
    assert segments(ax) == [pytest.approx([0.6, 0.8]), pytest.approx([0.2, 0.6])]
    assert titles(figure) == ["concise"]
    assert strings(figure.texts) == ["P(people > model)"]
    assert labels(ax) == ["likely", "doubt"]


def test_titles_and_axes_name_what_is_compared() -> None:
    """Setting, language and model each say what is compared; rows given twice are drawn once."""
    rows = [
        against("likely", "paired_difference", 1, "female", versus="male"),
        against("likely", "paired_difference", 2, "female", versus="en", language="zh"),
        against("likely", "brunner_munzel_theta", 0.5, "male", versus="other"),
    ]
    axes = word_differences(frame(*rows)).axes
    assert [" ".join(ax.get_title("left").split()) for ax in axes] == [
        "female against male, en",
        "zh against en, female, zh",
        "m against other, male",
    ]
    assert [" ".join(ax.get_xlabel().split()) for ax in axes] == [
        "male minus female, points",
        "en minus zh, points",
        "P(other > m)",
    ]
    assert xs(column_of(attributes_of(axes, "lines"), -1)) == [[1], [2], [0.5]]
    single = frame(against("likely", "wasserstein", 3), against("doubt", "wasserstein", 3))
    once, twice = divergence(single).axes[0], divergence(pd.concat([single, single])).axes[0]
    assert texts(once) == texts(twice) == ["3.0", "3.0"]


def score(metric: str, value: float, arm: float = nan, **parts: object) -> Row:
    """A row of a consistency score."""
    return row("wep_choice", parts, f"{metric}_consistency", value, around(value, arm))


def test_consistency_scores_stand_beside_those_of_chance() -> None:
    """By reasoning and choice set; slices by scenario, contrasts and random runs stay out."""
    rows = [
        score("pairwise", 0.5, 0.1, cot="without"),
        score("pairwise", 0.6, 0.1, cot="with"),
        score("pairwise", 0.55, 0.1),
        score("pairwise", 0.7, 0.1, cot="with", choice_set=3),
        score("pairwise", 0.9, 0.1, cot="with", scenario="height"),
        score("pairwise", 0.25, baseline="expected"),
        score("pairwise", 0.35, baseline="expected", choice_set=3),
        score("pairwise", 0.1, baseline="random"),
        score("empirical", 0.8, 0.1),
    ]
    figure = consistency(frame(*rows))
    pairwise = figure.axes[0]
    bars = column_of(attributes_of(pairwise.containers, "lines"), 0)
    assert ys(bars) == [[0.5], [0.6, 0.7]]
    chance = [artist for artist in pairwise.collections if artist.get_label() == "random choices"]
    assert isinstance(chance[0], LineCollection)
    assert [float(path[0, 1]) for path in chance[0].get_segments()] == [0.25, 0.35]
    ticks = strings(pairwise.get_xticklabels())
    assert ticks == ["all", "3"]
    assert titles(figure) == ["pairwise", "empirical"]
    assert set(legend(figure)) == {"without reasoning", "with reasoning", "random choices", "both"}
