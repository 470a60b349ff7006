"""The sign-flip test of paired differences."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from inspect_confidence.metrics.resample import MOST_ENUMERATED, sign_flip_p
from metrics.strategies import FloatArray, fixed, quarters

NAN, INF = float("nan"), float("inf")


def mean(sample: FloatArray, axis: int) -> FloatArray:
    """The mean along an axis."""
    return np.asarray(np.mean(sample, axis=axis))


def brute_force(differences: list[float]) -> float:
    """Share of all sign patterns whose sum is as far from 0 as the observed one."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= observed for one in sums) / len(sums)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        # All of one sign: only +++ and --- of 2^n are as far from 0.
        ([5], 1),
        ([1, 2], 2 / 4),
        ([-1, -2, -3], 2 / 8),
        # 1 + 2 - 4 = -1: sums of |1 +- 2 +- 4| are 7, 1, 5, 3, none below 1.
        ([1, 2, -4], 1),
        # 3 + 2 - 1 = 4: |sums| are 6, 4, 2, 0, each twice of eight: two of four.
        ([3, 2, -1], 4 / 8),
        # Pairs without a difference take no part.
        ([0, 3, 0, 2, -1, NAN], 4 / 8),
        ([0, 0], 1),
    ],
)
def test_by_hand(differences: list[float], expected: float) -> None:
    """All sign patterns counted by hand."""
    assert sign_flip_p(differences) == expected


@fixed
@given(st.lists(quarters, min_size=1, max_size=8))
def test_enumeration_is_brute_force(differences: list[float]) -> None:
    """On numbers that add up exactly, p is that of all 2^n patterns, zeros included."""
    assert sign_flip_p(differences) == pytest.approx(brute_force(differences), abs=1e-15)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ties", [True, False])
def test_against_scipy(seed: int, ties: bool) -> None:
    """Exact p is that of scipy's permutation test of paired samples, with and without ties."""
    rng = np.random.default_rng(seed)
    differences = rng.normal(0.4, 1, 2 + seed % 9)
    if ties:
        differences = np.round(differences * 2) / 2
    peer = permutation_test(
        (differences,), mean, permutation_type="samples", vectorized=True, n_resamples=2**14
    )
    assert sign_flip_p(differences) == pytest.approx(peer.pvalue, abs=1e-12)


def test_beyond_thirteen_patterns_are_drawn() -> None:
    """Of 14 differences of one sign 2 of 16,384 patterns are as far: p counts the observed one.

    At 10,000 draws 1.2 such patterns are expected; more than 9 come once in a million runs.
    """
    p = sign_flip_p([1.0] * 14)
    k = p * 10_001 - 1
    assert k == pytest.approx(round(k), abs=1e-9)
    assert 0 <= round(k) <= 9
    # 13 are enumerated, whatever the resamples: exactly 2 of 8,192.
    assert sign_flip_p([1.0] * MOST_ENUMERATED + [0, NAN], resamples=1) == 2 / 8192


def test_drawn_patterns_are_near_all_patterns() -> None:
    """At 14 differences p is within 4 standard errors of all 16,384 patterns'."""
    differences = np.random.default_rng(8).normal(0.3, 1, 14)
    peer = permutation_test(
        (differences,), mean, permutation_type="samples", vectorized=True, n_resamples=2**14
    )
    exact = float(peer.pvalue)
    assert 0.05 < exact < 0.95
    for seed in range(5):
        p = sign_flip_p(differences, resamples=20_000, seed=seed)
        assert p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


def test_seeds() -> None:
    """One seed gives one p, another one gives another; chunks of draws make no difference."""
    differences = np.random.default_rng(1).normal(0.1, 1, 40)
    assert sign_flip_p(differences, seed=3) == sign_flip_p(differences, seed=3)
    assert len({sign_flip_p(differences, seed=seed) for seed in range(5)}) > 1
    # 40 differences have 12,500 patterns a chunk: 30,000 are drawn in three.
    p = sign_flip_p(differences, resamples=30_000)
    assert p == pytest.approx(sign_flip_p(differences, resamples=12_000), abs=0.03)
    assert (p * 30_001) == pytest.approx(round(p * 30_001), abs=1e-9)


@pytest.mark.parametrize("resamples", [1, 99])
def test_p_is_never_zero(resamples: int) -> None:
    """However far the differences, p is at least 1/(N + 1)."""
    assert sign_flip_p([1.0] * 60, resamples=resamples) == 1 / (resamples + 1)


@fixed
@given(st.lists(quarters, min_size=1, max_size=16), st.sampled_from([-1.0, 0.5, 3.0]))
def test_properties(differences: list[float], scale: float) -> None:
    """It is in (0, 1]; unit and direction change nothing, nor do missing pairs or zeros."""
    p = sign_flip_p(differences, resamples=200)
    assert 0 < p <= 1
    assert sign_flip_p(np.array(differences) * scale, resamples=200) == p
    assert sign_flip_p([NAN, *differences, 0, NAN], resamples=200) == p


def test_rounding_of_floats_doesnt_part_ties() -> None:
    """0.1 + 0.2 against 0.3 is a tie: of 1, 2, -3 tenths every pattern is as far from 0."""
    assert sign_flip_p([0.1, 0.2, -0.3]) == 1
    assert sign_flip_p([0.1e12, 0.2e12, -0.3e12]) == 1
    assert sign_flip_p([0.1e12 / 7, 0.2e12 / 7, 0.3e12 / 7 - 0.6e12 / 7]) == 1
    # |sums| of 1, 2 and 3 tenths: 6, 4, 2, 0; observed 0.4 in a rounded order.
    assert sign_flip_p([-0.1, 0.2, 0.3]) == 4 / 8
    # 0.29 * 100 - 29 = -4e-15 is no difference.
    assert sign_flip_p([0.29 * 100 - 29, 0.15 * 100 - 15]) == 1
    assert sign_flip_p([0.29 * 100 - 29, 3, 2, -1]) == 4 / 8


@pytest.mark.parametrize("differences", [[], [NAN], [NAN, NAN]])
def test_no_pairs_are_nan(differences: list[float]) -> None:
    """Without a pair p is NaN; with pairs that don't differ it is 1."""
    assert math.isnan(sign_flip_p(differences))
    assert sign_flip_p([*differences, 0]) == 1


def test_what_is_refused() -> None:
    """Infinite differences, two dimensions and no resamples raise an error."""
    with pytest.raises(ValueError, match="infinite"):
        sign_flip_p([1, INF])
    with pytest.raises(ValueError, match="2 dimensions"):
        sign_flip_p([[1, 2]])
    with pytest.raises(ValueError, match="resamples=0 is below 1"):
        sign_flip_p([1, 2], resamples=0)


def test_false_alarms_are_as_rare_as_said() -> None:
    """Of 2,000 symmetric samples of 8 differences, about 5% at most have p <= 0.05.

    4 standard errors of 2,000 draws: 4 sqrt(0.05 * 0.95 / 2000) = 0.0195.
    """
    rng = np.random.default_rng(6)
    p = np.array([sign_flip_p(row) for row in rng.normal(0, 1, (2_000, 8))])
    # 12 of 256 is the largest share up to 0.05 that patterns in pairs allow.
    assert (p <= 0.05).mean() == pytest.approx(12 / 256, abs=0.0195)
