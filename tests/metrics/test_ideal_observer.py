"""Ideal observers against integrals, a simulation and the closed form for two choices."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from inspect_confidence.metrics import efficiency
from inspect_confidence.metrics.efficiency import afc_accuracy, afc_d_prime, afc_type2_d_prime
from inspect_confidence.metrics.type2 import criterion_at, ideal_d_prime
from metrics.strategies import FloatArray

NAN = float("nan")
TABLE = 0.004
"""What the tabulated d' may be off by: it is said to be about 0.002."""

every_m = pytest.mark.parametrize("alternatives", [2, 3, 4, 5, 10])


@every_m
@pytest.mark.parametrize("d_prime", [-1.5, 0, 0.3, 1, 2.5, 5])
def test_accuracy_is_the_integral(alternatives: int, d_prime: float) -> None:
    """The share right is scipy's integral of phi(x - d') Phi(x)^(m-1)."""

    def density(x: float) -> float:
        return float(norm.pdf(x - d_prime) * norm.cdf(x) ** (alternatives - 1))

    expected, _ = quad(density, d_prime - 10, d_prime + 10, epsabs=1e-12, limit=200)
    got = afc_accuracy(np.array([d_prime]), alternatives)
    assert got[0] == pytest.approx(expected, abs=1e-8)


@every_m
def test_accuracy_at_no_sensitivity_is_chance(alternatives: int) -> None:
    """At d' = 0 one of m is right; the accuracy of chance has d' = 0, less a negative one."""
    assert afc_accuracy(np.zeros(1), alternatives)[0] == pytest.approx(1 / alternatives, abs=1e-9)
    chance = np.array([1 / alternatives, 0.8 / alternatives])
    at, below = afc_d_prime(chance, alternatives)
    assert at == pytest.approx(0, abs=1e-6)
    assert below < -0.1


@every_m
def test_d_prime_round_trip(alternatives: int) -> None:
    """The d' of an observer's accuracy is the observer's own, off the table's points as well."""
    d_prime = np.random.default_rng(alternatives).uniform(-1.9, 6, 200)
    got = afc_d_prime(afc_accuracy(d_prime, alternatives), alternatives)
    np.testing.assert_allclose(got, d_prime, atol=1e-5)


def test_two_alternatives_are_one_difference() -> None:
    """With two alternatives d' is sqrt(2) z(accuracy)."""
    share = np.array([0.1, 0.5, 0.6, 0.75, 0.9, 0.99, 0.9999])
    expected = np.sqrt(2) * norm.ppf(share)
    np.testing.assert_allclose(afc_d_prime(share, 2), expected, atol=1e-5)


def test_perfect_and_hopeless_accuracy() -> None:
    """At accuracies of 0 and 1 and without one there is no d'."""
    for alternatives in (2, 4):
        assert np.isnan(afc_d_prime(np.array([0, 1, NAN]), alternatives)).all()


@pytest.mark.parametrize("alternatives", [2, 3, 5])
def test_missing_rates_stay_missing(alternatives: int) -> None:
    """NaN among rates gives NaN there alone."""
    hit, false_alarm = np.array([NAN, 0.8, NAN]), np.array([NAN, 0.5, NAN])
    got = afc_type2_d_prime(hit, false_alarm, alternatives)
    assert np.isnan(got).tolist() == [True, False, True]
    assert got[1] == afc_type2_d_prime(hit[1:2], false_alarm[1:2], alternatives)[0]
    assert np.isnan(ideal_d_prime(hit, false_alarm)).tolist() == [True, False, True]
    criterion = criterion_at(ideal_d_prime(hit, false_alarm), hit)
    assert np.isnan(criterion).tolist() == [True, False, True]


@pytest.mark.parametrize("alternatives", [2, 3, 4])
def test_exchanged_rates_change_the_sign(alternatives: int) -> None:
    """F2 above H2 gives minus the d' of the rates exchanged, and equal rates give 0."""
    hit, false_alarm = np.array([0.9, 0.6, 0.5]), np.array([0.3, 0.55, 0.49])
    forth = afc_type2_d_prime(hit, false_alarm, alternatives)
    np.testing.assert_array_equal(afc_type2_d_prime(false_alarm, hit, alternatives), -forth)
    assert (forth > 0).all()
    assert np.abs(afc_type2_d_prime(hit, hit, alternatives)).max() < 1e-6


def simulated(alternatives: int, d_prime: float, trials: int) -> tuple[FloatArray, FloatArray]:
    """Confidence and correctness of the Bayesian observer, by Bayes' rule and a drawn target."""
    rng = np.random.default_rng([alternatives, int(10 * d_prime)])
    target = rng.integers(alternatives, size=trials)
    evidence = rng.normal(size=(trials, alternatives))
    evidence[np.arange(trials), target] += d_prime
    likelihood = norm.pdf(evidence, d_prime) / norm.pdf(evidence)
    confidence = likelihood.max(axis=1) / likelihood.sum(axis=1)
    return confidence, (evidence.argmax(axis=1) == target).astype(float)


@pytest.mark.parametrize("alternatives", [3, 4, 5])
@pytest.mark.parametrize("d_prime", [0.5, 1, 2])
def test_a_simulated_observer_is_recovered(alternatives: int, d_prime: float) -> None:
    """At several thresholds the rates of a simulated observer give back its d'.

    The bound is 4.5 binomial standard errors (27 comparisons at once, p < .0002 together) and the
    table's own error.
    """
    confidence, right = simulated(alternatives, d_prime, 400_000)
    sure, unsure = confidence[right == 1], confidence[right == 0]
    for threshold in np.quantile(confidence, [0.2, 0.4, 0.6]):
        hit, false_alarm = (sure >= threshold).mean(), (unsure >= threshold).mean()
        errors = np.array(
            [
                np.sqrt(hit * (1 - hit) / len(sure)),
                np.sqrt(false_alarm * (1 - false_alarm) / len(unsure)),
            ]
        )
        # the rates, and each of them one standard error up and down
        hits = hit + errors[0] * np.array([0, 1, -1, 0, 0])
        alarms = false_alarm + errors[1] * np.array([0, 0, 0, 1, -1])
        got = afc_type2_d_prime(hits, alarms, alternatives)
        error = np.hypot(got[1] - got[2], got[3] - got[4]) / 2
        assert error < 0.012
        assert got[0] == pytest.approx(d_prime, abs=4.5 * error + TABLE)


def test_the_table_agrees_with_the_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table for two alternatives gives the d' of the observer that needs no table."""
    of_two = efficiency._curves(2)
    monkeypatch.setattr(efficiency, "_curves", lambda _: of_two)
    d_prime, criterion = (
        part.ravel() for part in np.meshgrid(np.arange(0.1, 3.6, 0.13), np.arange(0.1, 2.6, 0.3))
    )
    # x ~ N(sqrt(2) d'/2, 1) is the difference of the two, in units of its standard deviation
    half = d_prime / np.sqrt(2)
    hit = norm.cdf(half - criterion) / norm.cdf(half)
    false_alarm = norm.cdf(-half - criterion) / norm.cdf(-half)
    inside = (false_alarm > 0.002) & (hit < 0.998)
    assert inside.sum() > 100
    through_table = afc_type2_d_prime(hit[inside], false_alarm[inside], 3)
    np.testing.assert_allclose(through_table, d_prime[inside], atol=0.005)
    closed = afc_type2_d_prime(hit[inside], false_alarm[inside], 2)
    np.testing.assert_allclose(closed, d_prime[inside], atol=1e-8)


def test_extreme_rates_end_at_the_table() -> None:
    """Rates further apart than any observer's that is looked for give the greatest d', 6."""
    got = afc_type2_d_prime(np.array([1 - 1e-9]), np.array([1e-9]), 4)
    assert got[0] == pytest.approx(6, abs=1e-9)


def rates_on_a_grid() -> tuple[FloatArray, FloatArray]:
    """Pairs of rates as tables of some tens of judgments have them, in either order."""
    shares = (np.arange(1, 40) + 0.5) / 41
    hit, false_alarm = np.meshgrid(shares, shares)
    return hit.ravel(), false_alarm.ravel()


def test_roots_satisfy_both_equations() -> None:
    """The d' and criterion found give the observer of N(d'/2, 1) those rates again, unwarned."""
    hit, false_alarm = rates_on_a_grid()
    d_prime = ideal_d_prime(hit, false_alarm)
    half, criterion = d_prime / 2, criterion_at(d_prime, hit)
    np.testing.assert_allclose(norm.sf(criterion, half) / norm.sf(0, half), hit, rtol=1e-9)
    wrong = norm.cdf(-criterion, half) / norm.cdf(0, half)
    np.testing.assert_allclose(wrong, false_alarm, rtol=1e-9)
