"""M-ratio, and the ideal observers that it rests on."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from inspect_confidence.metrics import m_ratio, type2
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.type2 import (
    Type1Model,
    afc_accuracy,
    afc_d_prime,
    afc_type2_d_prime,
    criterion_at,
    ideal_d_prime,
)

# M-ratio: 1 for the ideal observer of its own model, and no other.


NAN = float("nan")
BATCHES, TRIALS = 16, 40_000


def observer(
    alternatives: int, d_prime: float, rng: np.random.Generator, noise: float = 0
) -> tuple[FloatArray, FloatArray]:
    """Confidence and correctness of the m-alternative observer who reports the posterior."""
    # Evidence is N(d', 1) for the right alternative, the first, and N(0, 1) for the others; noise
    # is added to the log odds of the report, which is rounded down to a multiple of 0.05.
    evidence = rng.normal(size=(TRIALS, alternatives))
    evidence[:, 0] += d_prime
    likelihood = np.exp(d_prime * evidence)
    odds = likelihood.max(axis=1) / (likelihood.sum(axis=1) - likelihood.max(axis=1))
    odds *= np.exp(noise * rng.normal(size=TRIALS))
    return np.floor(20 * odds / (1 + odds)) / 20, (evidence.argmax(axis=1) == 0).astype(float)


def ratios(
    type1: Type1Model,
    alternatives: int,
    d_prime: float,
    threshold: float,
    *,
    noise: float = 0,
    number_of_choices: int | None = None,
) -> tuple[float, float]:
    """Mean and standard error of the ratio over independent batches of an observer's trials."""
    rng = np.random.default_rng([alternatives, int(100 * threshold)])
    batch_ratios = [
        m_ratio(
            *observer(alternatives, d_prime, rng, noise),
            type1=type1,
            alternatives=number_of_choices,
            threshold=threshold,
        )
        for _ in range(BATCHES)
    ]
    return float(np.mean(batch_ratios)), float(np.std(batch_ratios, ddof=1) / np.sqrt(BATCHES))


@pytest.mark.slow
def test_an_ideal_observer_has_one() -> None:
    """The ratio of a simulated ideal observer is 1 within 4.5 Monte-Carlo errors."""
    # With 15 degrees of freedom one of twelve is further off by chance in 0.5% of seeds; 0.003 is
    # what the table of d' adds at d' = 1.4.
    for threshold in [0.6, 0.8]:
        cases: list[tuple[Type1Model, int, int | None]] = [
            ("two_z", 2, None),
            ("two_z", 2, 2),
            ("two_afc", 2, 2),
            ("m_afc", 2, 2),
            ("m_afc", 4, 4),
            ("m_afc", 5, 5),
        ]
        for type1, alternatives, number_of_choices in cases:
            mean, error = ratios(
                type1, alternatives, 1.4, threshold, number_of_choices=number_of_choices
            )
            assert error < 0.006, (threshold, type1, alternatives, number_of_choices)
            assert mean == pytest.approx(1, abs=4.5 * error + 0.003), threshold


@pytest.mark.slow
def test_noise_and_mixed_models() -> None:
    """Noise in the report alone lowers the ratio; another number of alternatives gives no 1."""
    cases: list[tuple[Type1Model, int]] = [("two_z", 2), ("two_afc", 2), ("m_afc", 4), ("m_afc", 5)]
    for type1, alternatives in cases:
        mean, error = ratios(
            type1, alternatives, 1.4, 0.7, noise=1.5, number_of_choices=alternatives
        )
        assert 0 < mean < 0.9 - 4.5 * error, (type1, alternatives)
    for threshold in [0.6, 0.8]:
        for type1 in ("two_z", "two_afc"):
            mean, error = ratios(type1, 4, 1.4, threshold)
            assert abs(mean - 1) > 0.05 + 4.5 * error, threshold


def judgments_with(right: int, wrong: int) -> tuple[FloatArray, FloatArray]:
    """Judgments of so many right and wrong answers, most of the right ones confident."""
    confidence = np.where(np.arange(right + wrong) % 3 == 0, 0.2, 0.9)
    confidence[right:] = np.where(np.arange(wrong) % 3 == 0, 0.9, 0.2)
    return confidence, np.repeat([1.0, 0], [right, wrong])


def test_at_chance_there_is_no_ratio() -> None:
    """Where d' is at most 0.1, or all answers are alike, the ratio is NaN."""
    cases: list[tuple[Type1Model, int, int, int, bool]] = [
        ("two_z", 2, 50, 50, True),  # chance
        ("two_z", 2, 40, 60, True),
        ("two_z", 2, 517, 483, True),  # 2 z(.517) = .085
        ("two_z", 2, 530, 470, False),  # 2 z(.53) = .151
        ("two_afc", 2, 526, 474, True),  # sqrt(2) z(.526) = .092
        ("two_afc", 2, 540, 460, False),
        ("m_afc", 2, 50, 50, True),
        ("m_afc", 4, 25, 75, True),
        ("m_afc", 4, 20, 80, True),
        ("m_afc", 4, 40, 60, False),  # above the chance of four
        ("m_afc", 5, 20, 80, True),
        ("m_afc", 5, 30, 70, False),
        ("two_z", 2, 100, 0, True),
        ("m_afc", 4, 0, 100, True),
    ]
    for type1, alternatives, right, wrong, undefined in cases:
        got = m_ratio(*judgments_with(right, wrong), type1=type1, alternatives=alternatives)
        assert math.isnan(got) == undefined, (type1, alternatives, right, wrong, undefined)


def test_models_of_two_choices() -> None:
    """They differ in units only, by hand at H2 = .8 and F2 = .35 with accuracy .8."""
    confidence, right = judgments_with(70, 30)
    expected = m_ratio(confidence, right, type1="two_z")
    assert m_ratio(confidence, right, type1="two_afc") == pytest.approx(expected, rel=1e-12)
    table = m_ratio(confidence, right, type1="m_afc", alternatives=2)
    assert table == pytest.approx(expected, rel=1e-5)
    # At H2 = .8 and F2 = .35 meta-d' is 2.117, and at accuracy .8 2 z is 1.6832.
    # so many judgments that half a judgment more changes the rates by less than 1e-5
    confidence = np.repeat([0.9, 0.1, 0.9, 0.1], [64_000, 16_000, 7_000, 13_000])
    right = np.repeat([1, 0], [80_000, 20_000])
    got = m_ratio(confidence, right, type1="two_z")
    assert got == pytest.approx(2.117 / 1.6832, abs=5e-4)
    # With two alternatives d' is sqrt(2) z(accuracy).
    share = np.array([0.1, 0.5, 0.6, 0.75, 0.9, 0.99, 0.9999])
    expected = np.sqrt(2) * norm.ppf(share)
    np.testing.assert_allclose(afc_d_prime(share, 2), expected, atol=1e-5)


def test_probable_outcomes_and_perfect_accuracy_have_no_m_ratio() -> None:
    """Probable outcomes, one-sided confidence and perfect accuracy; models want their choices."""
    confidence, right = judgments_with(70, 30)
    assert math.isnan(m_ratio(confidence, right, type1="two_z", threshold=0.1))
    assert math.isnan(m_ratio(confidence, right, type1="two_z", threshold=1))
    assert math.isnan(m_ratio(confidence, right * 0.9, type1="two_z"))
    # At accuracies of 0 and 1 and without one there is no d'.
    for alternatives in (2, 4):
        assert np.isnan(afc_d_prime(np.array([0, 1, NAN]), alternatives)).all()
    confidence, right = judgments_with(7, 3)
    with pytest.raises(ValueError, match="alternatives=None: m_afc needs"):
        m_ratio(confidence, right, type1="m_afc")
    with pytest.raises(ValueError, match="alternatives=1: m_afc needs"):
        m_ratio(confidence, right, type1="m_afc", alternatives=1)
    with pytest.raises(ValueError, match="alternatives=4: two_z is for two choices"):
        m_ratio(confidence, right, type1="two_z", alternatives=4)
    with pytest.raises(ValueError, match="'sdt' is not one of two_z, two_afc, m_afc"):
        m_ratio(confidence, right, type1="sdt")  # type: ignore[arg-type]


# Ideal observers against integrals, a simulation and the closed form for two choices.


TABLE = 0.004
"""What the tabulated d' may be off by: it is said to be about 0.002."""

every_m = pytest.mark.parametrize("alternatives", [2, 3, 4, 5, 10])


@every_m
def test_accuracy_of_m_alternatives(alternatives: int) -> None:
    """It is the integral, chance without sensitivity, and gives its d' back."""

    def density(x: float, d_prime: float) -> float:
        return float(norm.pdf(x - d_prime) * norm.cdf(x) ** (alternatives - 1))

    for d_prime in (-1.5, 0, 0.3, 1, 2.5, 5):
        ends = d_prime - 10, d_prime + 10
        expected, _ = quad(density, *ends, args=(d_prime,), epsabs=1e-12, limit=200)
        got = afc_accuracy(np.array([d_prime]), alternatives)
        assert got[0] == pytest.approx(expected, abs=1e-8), d_prime
    assert afc_accuracy(np.zeros(1), alternatives)[0] == pytest.approx(1 / alternatives, abs=1e-9)
    chance = np.array([1 / alternatives, 0.8 / alternatives])
    at_chance, below = afc_d_prime(chance, alternatives)
    assert at_chance == pytest.approx(0, abs=1e-6)
    assert below < -0.1
    many = np.random.default_rng(alternatives).uniform(-1.9, 6, 200)
    got = afc_d_prime(afc_accuracy(many, alternatives), alternatives)
    np.testing.assert_allclose(got, many, atol=1e-5)


def test_d_prime_of_missing_equal_and_extreme_rates() -> None:
    """Missing, exchanged, equal and extreme ones."""
    # NaN among rates gives NaN there alone.
    for alternatives in [2, 3, 5]:
        hit, false_alarm = np.array([NAN, 0.8, NAN]), np.array([NAN, 0.5, NAN])
        got = afc_type2_d_prime(hit, false_alarm, alternatives)
        assert np.isnan(got).tolist() == [True, False, True], alternatives
        assert got[1] == afc_type2_d_prime(hit[1:2], false_alarm[1:2], alternatives)[0]
        assert np.isnan(ideal_d_prime(hit, false_alarm)).tolist() == [True, False, True]
        criterion = criterion_at(ideal_d_prime(hit, false_alarm), hit)
        assert np.isnan(criterion).tolist() == [True, False, True], alternatives
    # F2 above H2 gives minus the d' of the rates exchanged, and equal rates give 0.
    for alternatives in [2, 3, 4]:
        hit, false_alarm = np.array([0.9, 0.6, 0.5]), np.array([0.3, 0.55, 0.49])
        forth = afc_type2_d_prime(hit, false_alarm, alternatives)
        np.testing.assert_array_equal(afc_type2_d_prime(false_alarm, hit, alternatives), -forth)
        assert (forth > 0).all(), alternatives
        assert np.abs(afc_type2_d_prime(hit, hit, alternatives)).max() < 1e-6, alternatives
    # Rates further apart than any observer's that is looked for give the greatest d', 6.
    got = afc_type2_d_prime(np.array([1 - 1e-9]), np.array([1e-9]), 4)
    assert got[0] == pytest.approx(6, abs=1e-9)


def simulated(alternatives: int, d_prime: float, trials: int) -> tuple[FloatArray, FloatArray]:
    """Confidence and correctness of the Bayesian observer, by Bayes' rule and a drawn target."""
    rng = np.random.default_rng([alternatives, int(10 * d_prime)])
    target = rng.integers(alternatives, size=trials)
    evidence = rng.normal(size=(trials, alternatives))
    evidence[np.arange(trials), target] += d_prime
    likelihood = norm.pdf(evidence, d_prime) / norm.pdf(evidence)
    confidence = likelihood.max(axis=1) / likelihood.sum(axis=1)
    return confidence, (evidence.argmax(axis=1) == target).astype(float)


def test_a_simulated_observer_is_recovered() -> None:
    """At several thresholds the rates of a simulated observer give back its d'."""
    # The bound is 4.5 binomial standard errors (27 comparisons at once, p < .0002 together) and the
    # table's own error.
    for d_prime in [0.5, 1, 2]:
        for alternatives in [3, 4, 5]:
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
                assert error < 0.012, (d_prime, alternatives)
                assert got[0] == pytest.approx(d_prime, abs=4.5 * error + TABLE), d_prime


@pytest.mark.slow
@pytest.mark.parametrize("alternatives", type2.SHIPPED_ALTERNATIVES)
def test_shipped_curves_are_those_computed(alternatives: int) -> None:
    """To single precision; `python docs/generate.py curves` writes the file anew."""
    expected = type2.compute_curves(alternatives)
    np.testing.assert_allclose(type2._curves(alternatives), expected, rtol=1e-6, atol=1e-6)


def test_the_table_agrees_with_the_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table for two alternatives gives the d' of the observer that needs no table."""
    of_two = type2._curves(2)
    monkeypatch.setattr(type2, "_curves", lambda _: of_two)
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
