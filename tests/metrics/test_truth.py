"""Confidence and answers against known probabilities: scipy, and plain sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from build import column_of
from inspect_confidence.metrics import (
    confidence_truth_correlation,
    correlation_of,
    optimal_answer_gap,
)
from metrics.strategies import fixed

NAN = float("nan")
# Confidences and true probabilities in hundredths, or nothing.
hundredths = st.integers(0, 100).map(lambda number: number / 100)
pairs = st.lists(st.tuples(hundredths, hundredths), min_size=2, max_size=30)
gaps = st.lists(st.tuples(hundredths | st.just(NAN), hundredths | st.just(NAN)), max_size=30)


def varied(rows: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Both columns, neither of them constant."""
    confidences, truths = map(list, zip(*rows, strict=True))
    assume(len(set(confidences)) > 1 and len(set(truths)) > 1)
    return confidences, truths


# Correlation


@fixed
@given(pairs)
def test_correlation_is_scipys(rows: list[tuple[float, float]]) -> None:
    """It lies in its range and turns with its sign."""
    confidences, truth = varied(rows)
    expected = pearsonr(confidences, truth).statistic
    assert confidence_truth_correlation(confidences, truth) == pytest.approx(expected, abs=1e-9)
    assert confidence_truth_correlation(truth, confidences) == pytest.approx(expected, abs=1e-9)
    confidences, truth = varied(rows)
    correlation = confidence_truth_correlation(confidences, truth)
    assert -1 <= correlation <= 1
    turned = confidence_truth_correlation([1 - value for value in confidences], truth)
    assert turned == pytest.approx(-correlation, abs=1e-9)


@fixed
@given(pairs, st.integers(2, 4))
def test_correlation_of_judgments_repeated(rows: list[tuple[float, float]], times: int) -> None:
    """Repeating all judgments changes nothing."""
    confidences, truth = varied(rows)
    once = confidence_truth_correlation(confidences, truth)
    repeated = confidence_truth_correlation(confidences * times, truth * times)
    assert repeated == pytest.approx(once, abs=1e-12)


def test_constant_or_too_few_values_have_no_correlation() -> None:
    """Constants but for rounding, too few, lengths that differ; a line has exactly 1 or -1."""
    for confidences, truth in [
        ([], []),
        ([0.5], [0.5]),
        ([0.5, 0.5, 0.5], [0.1, 0.2, 0.3]),
        ([0.1, 0.2, 0.3], [0.5, 0.5, 0.5]),
        ([0.1] * 3 + [NAN], [0.2, 0.4, 0.5, 0.3]),
        ([0.1 + 0.2, 0.3, 0.3], [0.2, 0.4, 0.5]),
        ([0.1, NAN], [NAN, 0.4]),
        ([0.1, NAN, NAN], [0.4, 0.3, 0.2]),
    ]:
        assert np.isnan(confidence_truth_correlation(confidences, truth)), (confidences, truth)
    x = np.linspace(0.1, 0.7, 7)
    assert confidence_truth_correlation(0.2 + x / 3, x) == pytest.approx(1, abs=1e-12)
    assert confidence_truth_correlation(0.9 - x / 3, x) == pytest.approx(-1, abs=1e-12)
    with pytest.raises(ValueError, match="Lengths differ"):
        confidence_truth_correlation([0.1, 0.2], [0.1, 0.2, 0.3])
    # NaN for weights that leave one judgment, or none.
    statistic = correlation_of([0.1, 0.5, 0.9], [0.2, 0.1, 0.7], np.arange(3), 3)
    values = statistic(np.array([[3.0, 0, 0], [0, 0, 0], [1, 1, 1]]))
    assert np.isnan(values[:2]).all()
    expected = pearsonr([0.1, 0.5, 0.9], [0.2, 0.1, 0.7]).statistic
    assert values[2] == pytest.approx(expected, abs=1e-12)


@fixed
@given(gaps)
def test_pairs_with_nan_are_left_out_of_the_correlation(rows: list[tuple[float, float]]) -> None:
    """A judgment without confidence or without truth counts for nothing."""
    complete = [row for row in rows if not np.isnan(row).any()]
    confidences, truth = map(list, zip(*rows, strict=True)) if rows else ([], [])
    correlation = confidence_truth_correlation(confidences, truth)
    if len(set(column_of(complete, 0))) < 2 or len(set(column_of(complete, 1))) < 2:
        assert np.isnan(correlation)
    else:
        expected = pearsonr(*zip(*complete, strict=True)).statistic
        assert correlation == pytest.approx(expected, abs=1e-9)


def test_correlation_of_weights_is_that_of_repeated_units() -> None:
    """A unit's weight is how often its judgments are there; two epochs, some of them unread."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        unit = np.tile(np.arange(12), 2)
        confidences, truth = rng.uniform(size=(2, 24))
        confidences[rng.integers(24, size=4)] = NAN
        weights = rng.multinomial(12, np.full(12, 1 / 12), size=30).astype(float)
        correlations = correlation_of(confidences, truth, unit, 12)(weights)
        for value, row in zip(correlations, weights, strict=True):
            times = row[unit].astype(int) * ~np.isnan(confidences)
            expected = pearsonr(np.repeat(confidences, times), np.repeat(truth, times)).statistic
            assert value == pytest.approx(expected, abs=1e-9), seed


# Gap to the best answer


def test_optimal_answer_gap_is_the_mean_shortfall() -> None:
    """Mean of what the best answer has more; lengths must agree."""
    for maximum, truth, expected in [
        ([0.5, 0.9], [0.4, 0.9], 0.05),
        ([0.5], [0.0], 0.5),
        ([0.3, 0.6, 0.9], [0.3, 0.6, 0.9], 0.0),
        ([1.0, 1.0], [0.0, 0.0], 1.0),
        ([0.5, NAN, 0.9], [0.25, 0.1, NAN], 0.25),
        ([], [], NAN),
        ([NAN], [0.5], NAN),
    ]:
        assert optimal_answer_gap(maximum, truth) == pytest.approx(expected, nan_ok=True), maximum
    with pytest.raises(ValueError, match="Lengths differ"):
        optimal_answer_gap([0.1, 0.2], [0.1, 0.2, 0.3])


@fixed
@given(gaps)
def test_gap_is_a_plain_mean(rows: list[tuple[float, float]]) -> None:
    """A loop over judgments that have both; two epochs of the same give the same."""
    total, count = 0.0, 0
    for best, truth in rows:
        if not (math.isnan(best) or math.isnan(truth)):
            total, count = total + best - truth, count + 1
    maximum, answered = map(list, zip(*rows, strict=True)) if rows else ([], [])
    expected = pytest.approx(total / count if count else NAN, abs=1e-12, nan_ok=True)
    assert optimal_answer_gap(maximum, answered) == expected
    assert optimal_answer_gap(maximum * 2, answered * 2) == expected
