"""Figures of words and of hedge markers fit one column, and none of their texts meet."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import cos, radians, sin
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from inspect_confidence import plots
from inspect_confidence.plots.style import WIDTH
from inspect_confidence.results import COLUMNS, encode_condition

WORDS = ["almost certain", "likely", "about even", "chances are slight", "almost no chance"]
LONG_WORDS = ["beyond any reasonable doubt at all", "with overwhelming likelihood", *WORDS]
MODEL, LONG_MODEL = "openai/gpt-5", "openrouter/anthropic/claude-sonnet-4-5-20250929-preview"
SETS = ["popqa", "sciq"]
LONG_SETS = ["simple_qa_verified", "natural-questions-open", "arc_challenge_2024", "popqa", "sciq"]


def row(
    task: str, model: str, dataset: str, metric: str, value: float, **parts: object
) -> dict[str, Any]:
    """A row of results with a short interval."""
    numbers = {"value": value, "ci_low": value - 0.1, "ci_high": value + 0.1, "n": 12}
    where = {"task": task, "model": model, "dataset": dataset, "metric": metric}
    return {**where, **numbers, "condition": encode_condition(parts), "note": ""}


def of_words(words: list[str], models: list[str]) -> Iterator[dict[str, Any]]:
    """What is drawn of words and of numbers, for each model."""
    task = "wep_elicitation"
    quantiles = ("0.05", "0.25", "0.5", "0.75", "0.95")
    for (k, word), (j, q) in product(enumerate(words), enumerate(quantiles)):
        value = (k + 1 + j / 5) / (len(words) + 2)
        people = ("people surveyed", "survey", "probability_quantile", value)
        yield row(task, *people, word=word, q=q)
        for model in models:
            own = (model, "bundled", "probability_quantile", value)
            yield row(task, *own, word=word, q=q, setting="all", language="en")
    settings = ("concise", "extended", "female", "male", "all")
    for model, word, setting in product(models, words, settings):
        where = {"language": "en", "setting": setting, "versus": "human", "word": word}
        yield row(task, model, "bundled", "wasserstein", 12.34, **where)
        yield row(task, model, "bundled", "kl_divergence", 12.34, **where)
        yield row(task, model, "bundled", "brunner_munzel_theta", 0.5, **where)
        for versus in ("concise", "extended"):
            where |= {"versus": versus}
            yield row(task, model, "bundled", "brunner_munzel_theta", 0.9, **where)
            yield row(task, model, "bundled", "paired_difference", 20, **where)
    scores = ("pairwise", "monotonicity", "empirical", "empirical_monotonicity")
    for model, name, cot, size in product(models, scores, ("with", "without"), ("", 3, 5, 9)):
        metric = f"{name}_consistency"
        yield row("wep_choice", model, "design", metric, 1, cot=cot, choice_set=size)
        chance = {"baseline": "expected", "choice_set": size}
        yield row("wep_choice", model, "design", metric, 0.2, **chance)


def of_markers(
    markers: list[str], models: list[str], datasets: list[str]
) -> Iterator[dict[str, Any]]:
    """What is drawn of hedge markers, for each model."""
    for model, marker in product(models, markers):
        where = {"judge": "j", "marker": marker}
        for k in range(10):
            bins = f"{k / 10:g}-{(k + 1) / 10:g}"
            yield row("hedge_markers", model, "all", "confidence_share", 0.1, **where, bin=bins)
        for name, split in product(datasets, ("train", "test")):
            for metric in ("mic", "decisiveness_gap"):
                yield row("hedge_markers", model, name, metric, 0.5, **where, split=split)


USUAL = [*of_words(WORDS, [MODEL]), *of_markers(WORDS, [MODEL], SETS)]
LONG = [
    *of_words(LONG_WORDS, [LONG_MODEL, MODEL]),
    *of_markers(LONG_WORDS, [LONG_MODEL, MODEL], LONG_SETS),
]
PLOTS = [
    plots.words,
    plots.divergence,
    plots.word_differences,
    plots.consistency,
    plots.mic,
    plots.mic_densities,
    plots.decisiveness_gap,
]


def corners(text: Text) -> np.ndarray:
    """Of the text in pixels, a text that is turned about its anchor included."""
    angle = text.get_rotation()
    if text.get_rotation_mode() != "anchor":
        return np.asarray(text.get_window_extent().corners())[[0, 1, 3, 2]]
    text.set_rotation(0)
    box = np.asarray(text.get_window_extent().corners())[[0, 1, 3, 2]]
    text.set_rotation(angle)
    anchor = np.asarray(text.get_transform().transform(text.get_position()))
    c, s = cos(radians(angle)), sin(radians(angle))
    return np.asarray((box - anchor) @ np.array([[c, s], [-s, c]]) + anchor)


def apart(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether a side of one of two rectangles separates them: the separating axis theorem."""
    for one in (first, second):
        for side in (one[1] - one[0], one[2] - one[1]):
            a, b = first @ side, second @ side
            if a.max() <= b.min() + 1e-6 or b.max() <= a.min() + 1e-6:
                return True
    return False


def told(figure: Figure) -> dict[str, np.ndarray]:
    """The corners of each text that is drawn, by its place and words."""
    with plots.style():
        figure.savefig(io.BytesIO(), format="png")  # lays it out
        shown = [
            text
            for text in figure.findobj(Text)
            if isinstance(text, Text) and text.get_visible() and text.get_text().strip()
        ]
        ticks = [tick for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for tick in _all(axis)]
        beyond = {id(label) for tick, inside in ticks for label in (tick.label1,) if not inside}
        return {
            f"{k} {text.get_text()}": corners(text)
            for k, text in enumerate(shown)
            if id(text) not in beyond
        }


def _all(axis: Any) -> Iterator[tuple[Any, bool]]:
    """The ticks, and whether each lies within the limits: matplotlib keeps some beyond them."""
    low, high = sorted(axis.get_view_interval())
    for tick in axis.get_major_ticks():
        yield tick, bool(low - 1e-9 <= tick.get_loc() <= high + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [USUAL, LONG], ids=["usual", "long"])
@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.__name__)
def test_nothing_is_cut_or_overlaps(
    plot: Callable[[pd.DataFrame], Figure], rows: list[dict[str, Any]]
) -> None:
    """Every figure is one column wide, and no text reaches out of it or into another one."""
    figure = plot(pd.DataFrame(rows, columns=COLUMNS))
    assert figure.get_figwidth() == WIDTH
    texts = told(figure)
    assert len(texts) > 5
    wide, tall = figure.bbox.size
    cut = [
        text
        for text, box in texts.items()
        if (box < -0.5).any() or (box > np.array([wide, tall]) + 0.5).any()
    ]
    assert not cut
    met = [
        (one, other)
        for (one, first), (other, second) in combinations(texts.items(), 2)
        if not apart(first, second)
    ]
    assert not met
