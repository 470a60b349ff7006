"""CORP and the test of calibration: against scikit-learn, model-diagnostics and exact laws."""

from __future__ import annotations

import numpy as np
import pytest
from model_diagnostics.scoring import SquaredError, decompose
from scipy.stats import binom
from sklearn.isotonic import IsotonicRegression

from inspect_confidence.metrics import (
    TABLE_FUNCTIONS,
    brier,
    brier_parts,
    brier_skill,
    calibration_p,
    corp_band,
    corp_curve,
    corp_discrimination,
    corp_miscalibration,
    corp_uncertainty,
)
from inspect_confidence.metrics.tables import ItemTables
from metrics.oracles import twice_and_with_missing
from metrics.test_calibration_errors import NAN, inputs

PARTS = (corp_miscalibration, corp_discrimination, corp_uncertainty)


def test_parts_are_those_of_model_diagnostics() -> None:
    """And add up to the Brier score exactly."""
    for confidence, correct in inputs():
        peer = decompose(correct, confidence, scoring_function=SquaredError())
        expected = [peer[name][0] for name in ("miscalibration", "discrimination", "uncertainty")]
        parts = [part(confidence, correct) for part in PARTS]
        assert parts == pytest.approx(expected, abs=1e-9)
        miscalibration, discrimination, uncertainty = parts
        total = miscalibration - discrimination + uncertainty
        assert total == pytest.approx(brier(confidence, correct), abs=1e-12)
        if uncertainty:
            skill = (discrimination - miscalibration) / uncertainty
            assert brier_skill(confidence, correct) == pytest.approx(skill, abs=1e-9)
        else:
            assert np.isnan(brier_skill(confidence, correct))


def test_curve_is_scikit_learns() -> None:
    """At every distinct confidence."""
    for confidence, correct in inputs(100):
        values, accuracy = corp_curve(confidence, correct)
        expected = IsotonicRegression().fit(confidence, correct).predict(values)
        assert accuracy == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("values", [90, 30])  # beyond 40 values all tables are one regression
def test_fits_of_resamples_are_scikit_learns(values: int) -> None:
    """Of values with right, wrong, both or no answers, whose masses differ or are 0."""
    rng = np.random.default_rng(0)
    confidence = np.repeat(rng.random(values), 2)
    correct = np.where(rng.random(2 * values) < 0.2, 0.5, rng.integers(2, size=2 * values))
    items = ItemTables.from_judgments(confidence, correct)
    weights = rng.gamma(1, size=(20, 2 * values)) * (rng.random((20, 2 * values)) < 0.8)
    brier_scores = TABLE_FUNCTIONS["brier"](items.tables(weights))
    miscalibration = TABLE_FUNCTIONS["corp_miscalibration"](items.tables(weights))
    for row, brier_score, value in zip(weights, brier_scores, miscalibration, strict=True):
        x, y, mass = confidence[row > 0], correct[row > 0], row[row > 0]
        fit = IsotonicRegression().fit(x, y, sample_weight=mass)
        loss = np.average(np.square(fit.predict(x) - y), weights=mass)
        assert brier_score - value == pytest.approx(loss, abs=1e-9)


def test_outcomes_that_are_probabilities_count_by_expectation() -> None:
    """A probability of .25 is one right and three wrong answers of a quarter each."""
    values, weights = np.array([0.3, 0.6, 0.9]), np.array([0.25, 0.5, 0.25])
    confidence = np.repeat(values, 4)
    correct = np.concatenate([np.arange(4) < 4 * weight for weight in weights])
    for part in (corp_miscalibration, corp_discrimination):
        assert part(values, weights) == pytest.approx(part(confidence, correct), abs=1e-12)
    assert np.isnan(calibration_p(values, weights))


def test_parts_of_partial_credit_add_up_to_the_squared_difference_from_the_credit() -> None:
    """Credits of a half stated at .5 have a Brier score of 0, by either decomposition."""
    assert brier([0.5, 0.5], [0.5, 0.5]) == 0
    assert brier_parts([0.5, 0.5], [0.5, 0.5]) == (0, 0, 0)
    rng = np.random.default_rng(2)
    confidence, credit = rng.integers(0, 5, 60) / 4, rng.integers(0, 3, 60) / 2
    expected = np.mean((confidence - credit) ** 2)
    assert brier(confidence, credit) == pytest.approx(expected, abs=1e-12)
    parts = brier_parts(confidence, credit)
    assert parts.uncertainty == pytest.approx(np.var(credit), abs=1e-12)
    assert parts.reliability - parts.resolution + parts.uncertainty == pytest.approx(expected)
    miscalibration, discrimination, uncertainty = (part(confidence, credit) for part in PARTS)
    assert miscalibration - discrimination + uncertainty == pytest.approx(expected)
    assert brier_skill(confidence, credit) == pytest.approx(1 - expected / np.var(credit))


def test_items_asked_twice_and_missing_judgments() -> None:
    """The same answers again change neither numbers nor p; NaN is left out."""
    rng = np.random.default_rng(1)
    confidence = rng.integers(0, 11, 120) / 10
    correct = (rng.random(120) < confidence).astype(float)
    twice, with_missing = twice_and_with_missing(confidence, correct)
    for judgments in (twice, with_missing):
        tables = ItemTables.from_judgments(*judgments).total_table()
        for part in (*PARTS, brier_skill):
            assert TABLE_FUNCTIONS[part.__name__](tables)[0] == pytest.approx(
                part(confidence, correct), abs=1e-12
            )
        assert calibration_p(*judgments) == calibration_p(confidence, correct)
    band, once = corp_band(twice[0], twice[2]), corp_band(confidence)
    assert np.allclose(band.low, once.low)
    assert np.allclose(band.high, once.high)
    for nothing in (([], []), ([NAN, 0.5], [1, NAN])):
        assert all(np.isnan(part(*nothing)) for part in (*PARTS, brier_skill))
        assert np.isnan(calibration_p(*nothing))
    with pytest.raises(ValueError, match="draws=0"):
        calibration_p([0.5], [1], draws=0)


def test_p_of_one_confidence_is_binomial() -> None:
    """With one confidence c, p is P(|right - n c| is as great), within its simulation's error."""
    n, confidence = 40, 0.7
    for right in (20, 24, 28, 32):
        correct = np.arange(n) < right
        count = np.arange(n + 1)
        extreme = np.abs(count - n * confidence) >= abs(right - n * confidence) - 1e-9
        expected = binom.pmf(count[extreme], n, confidence).sum()
        p = calibration_p(np.full(n, confidence), correct, draws=20_000)
        assert p == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20_000))


def test_p_of_epochs_is_that_of_items() -> None:
    """Epochs of an item share their number: five of the same are one, whatever is said of five."""
    confidence, correct = np.full(100, 0.6), np.repeat(np.arange(20) < 7, 5)
    count = np.arange(21)
    exact = binom.pmf(count[np.abs(count - 12) >= 5], 20, 0.6).sum()
    p = calibration_p(confidence, correct, np.repeat(np.arange(20), 5), draws=20_000)
    assert p == pytest.approx(exact, abs=0.02)
    assert calibration_p(confidence, correct) < 0.001 < p


def test_p_of_certain_judgments_is_1_or_least() -> None:
    """Certainty that is right is as calibrated as can be; one miss is impossible."""
    assert calibration_p([1.0, 1.0, 0.0], [1, 1, 0]) == 1
    assert calibration_p([1.0] * 9 + [0.5], [1] * 8 + [0, 1], draws=99) == 0.01


def test_band_of_one_confidence_is_binomial() -> None:
    """The curve is the accuracy, whose quantiles are known."""
    band = corp_band(np.full(50, 0.8), draws=20_000)
    exact = binom.ppf([0.025, 0.975], 50, 0.8) / 50
    assert band.confidence.tolist() == [0.8]
    assert [band.low[0], band.high[0]] == pytest.approx(exact, abs=0.02 + 1e-9)
    rng = np.random.default_rng(0)
    several = corp_band(rng.random(80), draws=200)
    assert (np.diff(several.confidence) > 0).all()
    assert (several.low <= several.high).all()
    assert ((several.low >= 0) & (several.high <= 1)).all()
    # Quantiles of non-decreasing curves don't decrease.
    assert (np.diff(several.low) >= -1e-12).all()
