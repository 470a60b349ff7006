"""How often intervals that carry a judge's errors hold the true value, beside those that don't."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inspect_confidence.metrics import (
    METRICS,
    JudgeErrors,
    clustered_wilson_interval,
    prediction_powered_mean,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.studies.judge_error import LEAST_LABELLED, LEAST_OF_OUTCOME
from validation.coverage import RUNS, Coverage, lacking

LABELS, DRAWS, SIMULATIONS = 100, 1_000, 5 * RUNS
WIDE = METRICS["judge_corrected_accuracy"].interval.conservative
RATES, ITEMS, TRUTHS = (0.8, 0.9, 0.95), (200, 500, 2_000), (0.1, 0.5, 0.9)

Ends = tuple[float, float]


def judgments_of(rng: np.random.Generator, truth: FloatArray, rate: float) -> FloatArray:
    """What a judge says that is right with this probability, whatever the truth."""
    return np.where(rng.random(len(truth)) < rate, truth, 1 - truth)


def errors(rng: np.random.Generator, rate: float) -> JudgeErrors:
    """Of labelled judgments, half of them of right answers."""
    label = np.repeat([0.0, 1.0], LABELS // 2)
    return JudgeErrors.from_labels(label, judgments_of(rng, label, rate))


def by_rates(
    rng: np.random.Generator, truth: FloatArray, judged_truth: FloatArray, rate: float
) -> Ends:
    """Rogan and Gladen's, by other answers' labels."""
    judge_errors, n = errors(rng, rate), len(judged_truth)
    right = rng.binomial(n, judged_truth.mean(), DRAWS) / n
    shares = np.column_stack([1 - judged_truth.mean(), judged_truth.mean()])
    value = float(judge_errors.clipped(judge_errors.corrected(shares))[0])
    draws = np.column_stack([1 - right, right])
    return judge_errors.interval(value, draws, n, seed=int(rng.integers(2**32)))


def by_items(
    rng: np.random.Generator, truth: FloatArray, judged_truth: FloatArray, rate: float
) -> Ends:
    """Prediction-powered, by labels of the first of these answers; none where these are alike."""
    label = truth[:LABELS]
    rarer = min(label.sum(), LABELS - label.sum())
    if rarer < LEAST_OF_OUTCOME or LABELS < LEAST_LABELLED:
        return np.nan, np.nan
    return prediction_powered_mean(
        label, judged_truth[:LABELS], judged_truth[LABELS:]
    ).share_interval


def naive(
    rng: np.random.Generator, truth: FloatArray, judged_truth: FloatArray, rate: float
) -> Ends:
    """As if the judge never erred."""
    return clustered_wilson_interval(judged_truth, np.ones(len(judged_truth)))


METHODS = {"Rogan-Gladen": by_rates, "prediction-powered": by_items, "naive": naive}


def count_holding(
    method: Callable[..., Ends], share: float, items: int, rate: float
) -> tuple[int, int]:
    """In how many simulations there is an interval, and in how many it holds the true share."""
    rng = np.random.default_rng([items, int(100 * share), int(100 * rate)])
    printed = holding = 0
    for _ in range(SIMULATIONS):
        truth = (rng.random(items) < share).astype(float)
        low, high = method(rng, truth, judgments_of(rng, truth, rate), rate)
        printed, holding = printed + bool(low <= high), holding + bool(low <= share <= high)
    return printed, holding


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES)
def test_corrected_accuracy_is_held(
    rate: float, record_property: Callable[[str, object], None]
) -> None:
    """In 93 to 97% of samples, where what the judge said alone holds it in few or none."""
    figures: list[Coverage] = []
    for items in ITEMS:
        for share in TRUTHS:
            counts_by_method = {
                name: count_holding(method, share, items, rate) for name, method in METHODS.items()
            }
            shares_text = ", ".join(
                f"{name} {holding / n:.3f}" for name, (n, holding) in counts_by_method.items()
            )
            record_property(
                "figure", f"judge right in {rate}, accuracy {share}, {items:,} items: {shares_text}"
            )
            for name in ("Rogan-Gladen", "prediction-powered"):
                design = f"{name}, judge right in {rate}, {LABELS} labels"
                counts = SIMULATIONS, *counts_by_method[name]
                cell = "judge_corrected_accuracy", design, items, share, *counts
                figures.append(Coverage(*cell, WIDE))
            if share != 0.5:  # where a judge's errors cancel
                assert counts_by_method["naive"][1] < 0.8 * SIMULATIONS
    assert not lacking(figures)


def good_judge_ends(
    rng: np.random.Generator, share: float, items: int, labels: int, rates: tuple[float, float]
) -> Ends:
    """The interval of one sample, judged with this sensitivity and specificity."""
    sensitivity, specificity = rates
    hits, passed = rng.binomial(labels, sensitivity), rng.binomial(labels, specificity)
    counts = np.array([[passed, labels - passed], [labels - hits, hits]], float)
    judge_errors = JudgeErrors(counts, np.array([0.0, 1.0]))
    called_right = share * sensitivity + (1 - share) * (1 - specificity)
    right = rng.binomial(items, called_right) / items
    value = judge_errors.clipped(judge_errors.corrected(np.array([[1 - right, right]])))
    drawn_right = rng.binomial(items, right, DRAWS) / items
    draws = np.column_stack([1 - drawn_right, drawn_right])
    return judge_errors.interval(float(value[0]), draws, items, seed=int(rng.integers(2**32)))


GOOD_JUDGES = ((1.0, 0.9), (1.0, 1.0), (0.95, 0.95))


@pytest.mark.slow
@pytest.mark.parametrize(
    "labels", [20, pytest.param(50, marks=pytest.mark.thorough)], ids=lambda labels: f"{labels}"
)
def test_accuracy_by_a_good_judge_is_held(labels: int) -> None:
    """A judge without an error on its labels, of accuracy near and at 1, in all samples."""
    figures = []
    for items in (100, 500):
        for share in (0.9, 0.98, 1.0):
            for rates in GOOD_JUDGES:
                rng = np.random.default_rng([labels, items, int(100 * share)])
                ends = [
                    good_judge_ends(rng, share, items, labels, rates) for _ in range(SIMULATIONS)
                ]
                held = sum(low <= share <= high for low, high in ends)
                design = f"sensitivity {rates[0]:g}, specificity {rates[1]:g}, {labels} labels each"
                counts = len(ends), len(ends), held
                cell = "judge_corrected_accuracy", design, items, share, *counts
                figures.append(Coverage(*cell, WIDE))
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
    confidence_shares = np.array([CONFIDENCE[0], CONFIDENCE[1]])
    true = float(np.array([1 - share, share]) @ confidence_shares @ VALUES - share)
    holding = dict.fromkeys(("Rogan-Gladen", "prediction-powered"), 0)
    rng = np.random.default_rng([int(100 * rate), int(100 * share)])
    for _ in range(SIMULATIONS):
        truth = (rng.random(items) < share).astype(float)
        place = (
            rng.random(items)[:, None] > confidence_shares[truth.astype(int)].cumsum(axis=1)
        ).sum(axis=1)
        judged_truth, sure = judgments_of(rng, truth, rate), VALUES[np.minimum(place, 2)]
        judge_errors = errors(rng, rate)
        # Resamples of the six kinds of items that there are.
        kinds = (
            np.bincount(3 * judged_truth.astype(int) + np.minimum(place, 2), minlength=6) / items
        )
        resampled = rng.multinomial(items, kinds, DRAWS) / items
        right = resampled[:, 3:].sum(axis=1)
        shares = np.column_stack([1 - right, right])
        value = (
            sure.mean()
            - judge_errors.corrected(np.array([[1 - judged_truth.mean(), judged_truth.mean()]]))[0]
        )
        low, high = judge_errors.interval(
            float(value),
            shares,
            items,
            seed=int(rng.integers(2**32)),
            minuend=resampled @ np.tile(VALUES, 2),
        )
        holding["Rogan-Gladen"] += low <= true <= high
        less = truth[:LABELS] - sure[:LABELS], judged_truth - sure
        low, high = prediction_powered_mean(less[0], less[1][:LABELS], less[1][LABELS:]).interval
        holding["prediction-powered"] += low <= -true <= high
    for name, count in holding.items():
        design = f"{name}, judge right in {rate}, accuracy {share}, {LABELS} labels"
        counts = SIMULATIONS, SIMULATIONS, count
        cell = "judge_corrected_overconfidence", design, items, true, *counts
        figures.append(Coverage(*cell, WIDE))
    assert not lacking(figures)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.8, 0.95])
@pytest.mark.parametrize("labels_of_class", [30, 60])
def test_corrected_internal_confidence_is_held(rate: float, labels_of_class: int) -> None:
    """Of replies with 20 judgments of three classes, of which the judge confuses any two."""
    worth, items, draws = np.array([0, 0.5, 1]), 300, 20
    confusion = np.full((3, 3), (1 - rate) / 2) + np.eye(3) * (rate - (1 - rate) / 2)
    law = np.array([0.5, 0.2, 2.1])
    true, holding = float(law @ worth / law.sum()), 0
    rng = np.random.default_rng([int(100 * rate), labels_of_class])
    for _ in range(SIMULATIONS):
        counts = np.array([rng.multinomial(labels_of_class, row) for row in confusion])
        judge_errors = JudgeErrors(counts.astype(float), worth)
        judged_shares = rng.multinomial(draws, rng.dirichlet(law, items) @ confusion) / draws
        weights = rng.multinomial(items, np.full(items, 1 / items), DRAWS) / items
        value = float(
            judge_errors.clipped(judge_errors.corrected(judged_shares.mean(axis=0)[None]))[0]
        )
        low, high = judge_errors.interval(
            value, weights @ judged_shares, items, seed=int(rng.integers(2**32))
        )
        holding += low <= true <= high
    design = f"Rogan-Gladen, judge right in {rate}, {labels_of_class} labels of each of three"
    counts_of = SIMULATIONS, SIMULATIONS, holding
    name = "judge_corrected_internal_confidence"
    assert not lacking([Coverage(name, design, items, true, *counts_of, WIDE)])
