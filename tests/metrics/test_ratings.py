"""Type-2 ROC curves through all ratings: against metadpy, other maximisers, known observers."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from inspect_confidence.metrics import m_ratio_afc, meta_d_afc, z_roc_slope
from inspect_confidence.metrics.efficiency import afc_type2_d_prime
from metrics.strategies import FloatArray
from metrics.test_decisions import samples

NAN = float("nan")
Counts = list[int]

# Counts of right and of wrong answers, least sure first; meta-d' and M-ratio of metadpy 0.1.2
# (mle.metad, padding=False) to the table with these for both responses.
PEER: list[tuple[Counts, Counts, float, float]] = [
    ([20, 30, 40, 60], [18, 12, 7, 5], 1.57925985, 1.01701158),
    ([10, 25, 45, 80, 120], [30, 22, 14, 9, 4], 2.53172728, 1.63970896),
    ([40, 80], [35, 15], 1.57395535, 1.45361068),
    ([70, 60, 50], [20, 30, 40], -0.76251179, -0.88514449),
]


def judged(right: Counts | FloatArray, wrong: Counts | FloatArray) -> tuple[FloatArray, FloatArray]:
    """Judgments with these counts, confidence rising."""
    counts = np.array([*right, *wrong], int)
    stated = np.tile(np.arange(len(right)) / len(right), 2)
    outcome = np.repeat([1.0, 0.0], len(right))
    return np.repeat(stated, counts), np.repeat(outcome, counts)


@pytest.mark.parametrize(("right", "wrong", "meta_d", "ratio"), PEER)
def test_two_choices_are_metadpys(
    right: Counts, wrong: Counts, meta_d: float, ratio: float
) -> None:
    """Its optimiser's tolerance is 1e-5; its d' has another unit."""
    rows = judged(right, wrong)
    assert meta_d_afc(*rows, alternatives=2) * math.sqrt(2) == pytest.approx(meta_d, abs=2e-5)
    assert m_ratio_afc(*rows, alternatives=2) == pytest.approx(ratio, abs=2e-5)


def greatest(right: FloatArray, wrong: FloatArray) -> FloatArray:
    """The a and b of the binormal curve of greatest likelihood, by a library's maximiser."""
    right, wrong, k = right[::-1], wrong[::-1], len(right)

    def loss(x: FloatArray) -> float:
        u = np.cumsum([x[0], *np.exp(x[1 : k - 1])])
        ends = np.array([-np.inf]), np.array([np.inf])
        parts = [
            np.diff(norm.cdf(np.concatenate([ends[0], z, ends[1]])))
            for z in (u, x[k - 1] + x[k] * u)
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(-(wrong @ np.log(parts[0]) + right @ np.log(parts[1])))

    start = np.array([-1.0, *np.zeros(k - 2), 0.5, 1.0])
    near = minimize(loss, start, method="Nelder-Mead", options={"maxiter": 2000})
    found = minimize(loss, near.x, method="BFGS", tol=1e-7)
    return np.asarray(found.x[k - 1 :])


def test_slope_is_that_of_greatest_likelihood() -> None:
    """As a general maximiser finds it, on random tables of four confidences."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        right = rng.multinomial(200, rng.dirichlet([3, 4, 5, 6])).astype(float)
        wrong = rng.multinomial(90, rng.dirichlet([6, 5, 4, 3])).astype(float)
        found = z_roc_slope(*judged(right, wrong))
        assert found == pytest.approx(greatest(right, wrong)[1], abs=1e-4)


def test_slope_through_two_points() -> None:
    """Three confidences give two points of the curve, and the line goes through both."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        right, wrong = rng.integers(5, 60, (2, 3))
        hits, alarms = (norm.ppf(one[::-1].cumsum()[:2] / one.sum()) for one in (right, wrong))
        expected = np.diff(hits)[0] / np.diff(alarms)[0]
        assert z_roc_slope(*judged(right, wrong)) == pytest.approx(expected, rel=1e-5)


def test_slope_of_normal_evidence() -> None:
    """Its standard deviation of wrong over that of right answers, however wide classes are."""
    rng = np.random.default_rng(5)
    right = rng.random(60_000) < 0.6
    evidence = np.where(right, rng.normal(1, 1.25, len(right)), rng.normal(0, 1, len(right)))
    for stated in (norm.cdf(evidence), np.round(norm.cdf(evidence), 1)):
        assert z_roc_slope(stated, right) == pytest.approx(0.8, abs=0.02)


def observer(alternatives: int, d_prime: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """Confidence in twentieths and correctness of the observer who reports the posterior."""
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(60_000, alternatives))
    evidence[:, 0] += d_prime
    likelihood = np.exp(d_prime * evidence)
    sure = likelihood.max(axis=1) / likelihood.sum(axis=1)
    return np.floor(20 * sure) / 20, (evidence.argmax(axis=1) == 0).astype(float)


@pytest.mark.parametrize("alternatives", [2, 3, 4, 10])
@pytest.mark.parametrize("d_prime", [0.7, 1.5, 2.5])
def test_an_ideal_observer_is_recovered(alternatives: int, d_prime: float) -> None:
    """Its d' comes back, and its ratio is 1, within about four standard errors."""
    rows = observer(alternatives, d_prime, int(10 * d_prime) + alternatives)
    assert meta_d_afc(*rows, alternatives=alternatives) == pytest.approx(d_prime, abs=0.06)
    assert m_ratio_afc(*rows, alternatives=alternatives) == pytest.approx(1, abs=0.06)
    # The criteria don't matter: confidence pressed to the top of its scale is as good.
    pressed = m_ratio_afc(rows[0] ** 0.2, rows[1], alternatives=alternatives)
    assert pressed == pytest.approx(m_ratio_afc(*rows, alternatives=alternatives), abs=1e-9)


def test_one_threshold_is_the_curve_through_a_point() -> None:
    """Two confidences are one point, through which the observer's tabled curve goes too."""
    for right, wrong in (([30, 70], [40, 20]), ([55, 45], [50, 12]), ([20, 80], [10, 60])):
        hit, alarm = right[1] / sum(right), wrong[1] / sum(wrong)
        expected = afc_type2_d_prime(np.array([hit]), np.array([alarm]), 4)[0]
        found = meta_d_afc(*judged(right, wrong), alternatives=4)
        assert found == pytest.approx(expected, abs=0.02)


def test_exchanged_outcomes_change_the_sign() -> None:
    """Surer when wrong is as far below 0, of any number of choices."""
    right, wrong = [20, 30, 40, 60], [30, 20, 15, 9]
    for m in (2, 3, 5):
        found = meta_d_afc(*judged(right, wrong), alternatives=m)
        if m > 2:
            assert meta_d_afc(*judged(wrong, right), alternatives=m) == pytest.approx(-found)
        assert found > 0 > meta_d_afc(*judged(right[::-1], wrong[::-1]), alternatives=m)


def test_no_estimate_and_missing() -> None:
    """One class, one confidence, or complete separation: NaN; gaps are left out."""
    for stated, right in samples(most=12, count=200):
        for value in (meta_d_afc(stated, right, alternatives=3), z_roc_slope(stated, right)):
            assert not math.isinf(value)
            if len(set(stated)) == 1 or len(set(right)) == 1:
                assert math.isnan(value)
    for m in (2, 4):
        assert math.isnan(meta_d_afc([0.9] * 30 + [0.1] * 30, [1] * 30 + [0] * 30, alternatives=m))
        assert math.isnan(m_ratio_afc([], [], alternatives=m))
    stated, right = judged([20, 30, 40], [30, 20, 15])
    expected = meta_d_afc(stated, right, alternatives=4)
    gaps = [*stated, NAN, 0.5], [*right, 1, NAN]
    assert meta_d_afc(*gaps, alternatives=4) == expected
    assert math.isnan(meta_d_afc(stated, np.r_[0.5, right[1:]], alternatives=4))
    with pytest.raises(ValueError, match="alternatives=1"):
        meta_d_afc(stated, right, alternatives=1)
