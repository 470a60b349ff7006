"""M-ratio is 1 for the ideal observer of its own type-1 model, and not for another's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from figures import Record
from inspect_confidence import metrics
from inspect_confidence.metrics import ConfidenceTables, meta_d
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.type2 import Type1Model, d_prime_of

SEEDS, ITEMS = 200, 5_000
THRESHOLD = 0.75

NEAR = 0.002
"""How exact the table of observers with several alternatives is, in d'."""


def ideal(alternatives: int, d_prime: float, seed: int) -> ConfidenceTables:
    """A table a seed of an observer who is as sure as the odds of the largest evidence say."""
    # Evidence is N(d', 1) for the right one of the alternatives and N(0, 1) for the others, so that
    # the posterior of each is proportional to exp(d' x); it is reported rounded down to 5%.
    rng = np.random.default_rng([seed, alternatives, int(100 * d_prime)])
    parts = []
    for _ in range(SEEDS):
        evidence = rng.standard_normal((ITEMS, alternatives))
        evidence[:, 0] += d_prime
        odds = np.exp(d_prime * (evidence - evidence.max(axis=1, keepdims=True)))
        report = np.minimum(np.floor(20 / odds.sum(axis=1)), 20).astype(np.int64)
        correct = evidence.argmax(axis=1) == 0
        parts.append([np.bincount(report[side], minlength=21) for side in (correct, ~correct)])
    counts = np.array(parts, float)
    return ConfidenceTables(np.arange(21) / 20, counts[:, 0], counts[:, 1])


def mean_and_error(ratios: FloatArray) -> tuple[float, float]:
    """The mean over seeds and its standard error; no ratio is missing."""
    assert not np.isnan(ratios).any()
    return float(ratios.mean()), float(ratios.std(ddof=1) / np.sqrt(len(ratios)))


@pytest.mark.slow
@pytest.mark.parametrize("d_prime", [1.0, 1.5, 2.5])
@pytest.mark.parametrize("alternatives", [2, 4, 5])
def test_ideal_observer_has_one(alternatives: int, d_prime: float, record_property: Record) -> None:
    """Over 200 samples of 5,000 the mean M-ratio of the matching models is within 3 errors of 1."""
    observed = ideal(alternatives, d_prime, 0)
    models: tuple[Type1Model, ...] = ("m_afc",)
    if alternatives == 2:
        models = ("two_z", "two_afc", "m_afc")
    for model in models:
        ratios = metrics.TABLE_FUNCTIONS["m_ratio"](
            observed, type1=model, alternatives=alternatives, threshold=THRESHOLD
        )
        mean, error = mean_and_error(ratios)
        record_property(
            "figure",
            f"M-ratio of an ideal observer, {alternatives} choices, d' {d_prime:g}, {model}: mean "
            f"{mean:.4f} (standard error {error:.4f})",
        )
        assert abs(mean - 1) < 3 * error + (NEAR / d_prime if alternatives > 2 else 0), model


@pytest.mark.slow
@pytest.mark.parametrize("criterion", [0.0, 0.4])
@pytest.mark.parametrize("ratings", [4, 8, 20])
def test_ideal_observer_has_one_over_all_ratings(
    ratings: int, criterion: float, record_property: Record
) -> None:
    """The same by maximum likelihood, whatever the ratings and however biased the choice."""
    # Evidence is N(+-d'/2, 1); beyond the criterion on either side, ratings are cut so that each is
    # given equally often over both stimuli.
    rng = np.random.default_rng([ratings, int(10 * criterion)])
    for d_prime in (1.0, 2.0):
        grid = np.linspace(-8, 8, 200_001)
        mixed = norm.cdf(grid - d_prime / 2) / 2 + norm.cdf(grid + d_prime / 2) / 2
        middle = np.interp(criterion, grid, mixed)
        levels = [*np.linspace(0, middle, ratings + 1), *np.linspace(middle, 1, ratings + 1)[1:]]
        cuts = np.array([-np.inf, *np.interp(levels[1:-1], mixed, grid), np.inf])
        tables = []
        for mean in (-d_prime / 2, d_prime / 2):
            shares = np.diff(norm.cdf(cuts - mean))
            tables.append(rng.multinomial(ITEMS // 2, shares / shares.sum(), size=SEEDS))
        fit = meta_d(tables[0], tables[1], padding=1 / (2 * ratings))
        mean, error = mean_and_error(np.asarray(fit.m_ratio))
        record_property(
            "figure",
            f"M-ratio of an ideal observer, 2 stimuli, d' {d_prime:g}, criterion {criterion:g}, "
            f"{ratings:2d} ratings, sdt: mean {mean:.4f} (standard error {error:.4f})",
        )
        assert abs(mean - 1) < 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("d_prime", [1.5, 2.5])
@pytest.mark.parametrize("alternatives", [2, 4, 5])
def test_mixed_pairs_have_not(alternatives: int, d_prime: float, record_property: Record) -> None:
    """A numerator and a denominator of different models don't give an ideal observer 1."""
    observed = ideal(alternatives, d_prime, 1)
    sensitivity = metrics.TABLE_FUNCTIONS["meta_d_ideal"](observed, threshold=THRESHOLD)
    if alternatives == 2:
        z = norm.ppf(metrics.TABLE_FUNCTIONS["accuracy"](observed))
        mixed = {"meta_d_ideal over sqrt(2) z(accuracy)": sensitivity / (np.sqrt(2) * z)}
    else:
        d_afc = d_prime_of(observed, type1="m_afc", alternatives=alternatives)
        mixed = {
            "two_z": metrics.TABLE_FUNCTIONS["m_ratio"](
                observed, type1="two_z", threshold=THRESHOLD
            ),
            "meta_d_ideal over m_afc's d'": sensitivity / d_afc,
        }
    for name, ratios in mixed.items():
        mean, error = mean_and_error(ratios)
        record_property(
            "figure",
            f"M-ratio of an ideal observer, {alternatives} choices, d' {d_prime:g}, mixed, {name}: "
            f"mean {mean:.3f} (standard error {error:.4f})",
        )
        assert abs(mean - 1) > 5 * error
