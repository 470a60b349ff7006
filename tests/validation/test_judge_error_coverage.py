"""How often intervals that carry a judge's errors hold the true value, beside those that don't."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inspect_confidence.metrics import (
    JudgeErrors,
    clustered_wilson_interval,
    prediction_powered_mean,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.studies.judge_error import LEAST_LABELLED
from validation.coverage import Coverage, lacking

LABELS, DRAWS, SIMULATIONS = 100, 1_000, 1_000
RATES, ITEMS, TRUTHS = (0.8, 0.9, 0.95), (200, 500, 2_000), (0.1, 0.5, 0.9)

Ends = tuple[float, float]


def judged(rng: np.random.Generator, truth: FloatArray, rate: float) -> FloatArray:
    """What a judge says that is right with this probability, whatever the truth."""
    return np.where(rng.random(len(truth)) < rate, truth, 1 - truth)


def errors(rng: np.random.Generator, rate: float) -> JudgeErrors:
    """Of labelled judgments, half of them of right answers."""
    label = np.repeat([0.0, 1.0], LABELS // 2)
    return JudgeErrors.from_labels(label, judged(rng, label, rate))


def by_rates(rng: np.random.Generator, truth: FloatArray, said: FloatArray, rate: float) -> Ends:
    """Rogan and Gladen's, by other answers' labels."""
    found, n = errors(rng, rate), len(said)
    right = rng.binomial(n, said.mean(), DRAWS) / n
    shares = np.column_stack([1 - said.mean(), said.mean()])
    value = float(found.clipped(found.corrected(shares))[0])
    draws = np.column_stack([1 - right, right])
    return found.interval(value, draws, n, seed=int(rng.integers(2**32)))


def by_items(rng: np.random.Generator, truth: FloatArray, said: FloatArray, rate: float) -> Ends:
    """Prediction-powered, by labels of the first of these answers; none where these are alike."""
    label = truth[:LABELS]
    if min(label.sum(), LABELS - label.sum()) < 8 or LABELS < LEAST_LABELLED:
        return np.nan, np.nan
    return prediction_powered_mean(label, said[:LABELS], said[LABELS:]).share_interval


def naive(rng: np.random.Generator, truth: FloatArray, said: FloatArray, rate: float) -> Ends:
    """As if the judge never erred."""
    return clustered_wilson_interval(said, np.ones(len(said)))


METHODS = {"Rogan-Gladen": by_rates, "prediction-powered": by_items, "naive": naive}


def held(method: Callable[..., Ends], share: float, items: int, rate: float) -> tuple[int, int]:
    """In how many simulations there is an interval, and in how many it holds the true share."""
    rng = np.random.default_rng([items, int(100 * share), int(100 * rate)])
    given = kept = 0
    for _ in range(SIMULATIONS):
        truth = (rng.random(items) < share).astype(float)
        low, high = method(rng, truth, judged(rng, truth, rate), rate)
        given, kept = given + bool(low <= high), kept + bool(low <= share <= high)
    return given, kept


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES)
def test_corrected_accuracy_is_held(
    rate: float, record_property: Callable[[str, object], None]
) -> None:
    """In 93 to 97% of samples, where what the judge said alone holds it in few or none."""
    figures: list[Coverage] = []
    for items in ITEMS:
        for share in TRUTHS:
            seen = {name: held(method, share, items, rate) for name, method in METHODS.items()}
            shown = ", ".join(f"{name} {kept / n:.3f}" for name, (n, kept) in seen.items())
            record_property(
                "figure", f"judge right in {rate}, accuracy {share}, {items:,} items: {shown}"
            )
            for name in ("Rogan-Gladen", "prediction-powered"):
                design = f"{name}, judge right in {rate}, {LABELS} labels"
                counts = SIMULATIONS, *seen[name]
                figures.append(Coverage("judge_corrected_accuracy", design, items, share, *counts))
            if share != 0.5:  # where a judge's errors cancel
                assert seen["naive"][1] < 0.8 * SIMULATIONS
    assert not lacking(figures)


VALUES = np.array([0.5, 0.7, 0.9])
CONFIDENCE = {0: (0.4, 0.4, 0.2), 1: (0.1, 0.4, 0.5)}
"""How often each value is stated of a wrong and of a right answer."""


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.7, 0.9])
@pytest.mark.parametrize("rate", [0.8, 0.95])
def test_corrected_overconfidence_is_held(rate: float, share: float) -> None:
    """Of confidence that tells right from wrong, so that both vary together, by both methods."""
    items, figures = 500, []
    stated = np.array([CONFIDENCE[0], CONFIDENCE[1]])
    true = float(np.array([1 - share, share]) @ stated @ VALUES - share)
    kept = dict.fromkeys(("Rogan-Gladen", "prediction-powered"), 0)
    rng = np.random.default_rng([int(100 * rate), int(100 * share)])
    for _ in range(SIMULATIONS):
        truth = (rng.random(items) < share).astype(float)
        place = (rng.random(items)[:, None] > stated[truth.astype(int)].cumsum(axis=1)).sum(axis=1)
        said, sure = judged(rng, truth, rate), VALUES[np.minimum(place, 2)]
        found = errors(rng, rate)
        # Resamples of the six kinds of items that there are.
        kinds = np.bincount(3 * said.astype(int) + np.minimum(place, 2), minlength=6) / items
        drawn = rng.multinomial(items, kinds, DRAWS) / items
        right = drawn[:, 3:].sum(axis=1)
        shares = np.column_stack([1 - right, right])
        value = sure.mean() - found.corrected(np.array([[1 - said.mean(), said.mean()]]))[0]
        low, high = found.interval(
            float(value),
            shares,
            items,
            seed=int(rng.integers(2**32)),
            minuend=drawn @ np.tile(VALUES, 2),
        )
        kept["Rogan-Gladen"] += low <= true <= high
        less = truth[:LABELS] - sure[:LABELS], said - sure
        low, high = prediction_powered_mean(less[0], less[1][:LABELS], less[1][LABELS:]).interval
        kept["prediction-powered"] += low <= -true <= high
    for name, count in kept.items():
        design = f"{name}, judge right in {rate}, accuracy {share}, {LABELS} labels"
        counts = SIMULATIONS, SIMULATIONS, count
        figures.append(Coverage("judge_corrected_overconfidence", design, items, true, *counts))
    assert not lacking(figures)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.8, 0.95])
@pytest.mark.parametrize("each", [30, 60])
def test_corrected_internal_confidence_is_held(rate: float, each: int) -> None:
    """Of replies with 20 judgments of three classes, of which the judge confuses any two."""
    worth, items, draws = np.array([0, 0.5, 1]), 300, 20
    confusion = np.full((3, 3), (1 - rate) / 2) + np.eye(3) * (rate - (1 - rate) / 2)
    law = np.array([0.5, 0.2, 2.1])
    true, kept = float(law @ worth / law.sum()), 0
    rng = np.random.default_rng([int(100 * rate), each])
    for _ in range(SIMULATIONS):
        counts = np.array([rng.multinomial(each, row) for row in confusion])
        found = JudgeErrors(counts.astype(float), worth)
        said = rng.multinomial(draws, rng.dirichlet(law, items) @ confusion) / draws
        weights = rng.multinomial(items, np.full(items, 1 / items), DRAWS) / items
        value = float(found.clipped(found.corrected(said.mean(axis=0)[None]))[0])
        low, high = found.interval(value, weights @ said, items, seed=int(rng.integers(2**32)))
        kept += low <= true <= high
    design = f"Rogan-Gladen, judge right in {rate}, {each} labels of each of three"
    counts_of = SIMULATIONS, SIMULATIONS, kept
    name = "judge_corrected_internal_confidence"
    assert not lacking([Coverage(name, design, items, true, *counts_of)])
