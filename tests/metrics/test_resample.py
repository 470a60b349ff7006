"""Resampling of items: statistics, intervals and permutation tests."""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm, permutation_test, t

from build import column_of
from inspect_confidence.metrics import (
    Statistic,
    bootstrap,
    clustered_wilson_interval,
    holm,
    mean_of,
    median_of,
    percentile_interval,
    ratio,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray, matrix_product
from inspect_confidence.metrics.resample import MOST_ENUMERATED, sign_flip_p
from metrics.oracles import share_interval
from metrics.strategies import fixed, quarters

# Statistics of item weights, and resampling of items.


NAN, INF = float("nan"), float("inf")


class Weighted(NamedTuple):
    """Judgments of some units, and how often each unit was drawn."""

    values: FloatArray
    unit: IntArray
    weights: IntArray

    def repeated(self) -> FloatArray:
        """The values, each as often as its unit was drawn, without those that are NaN."""
        values = np.repeat(self.values, self.weights[self.unit])
        return values[~np.isnan(values)]

    def value_of(self, statistic: Statistic) -> float:
        """Return the statistic at the weights."""
        (value,) = statistic(self.weights[None, :].astype(float))
        return float(value)


@st.composite
def weighted(draw: st.DrawFn) -> Weighted:
    """Up to five units with any number of judgments each, some of them NaN."""
    units = draw(st.integers(1, 5))
    judgment = st.tuples(st.just(NAN) | quarters, st.integers(0, units - 1))
    judgments = draw(st.lists(judgment, max_size=12))
    return Weighted(
        np.array(column_of(judgments, 0), float),
        np.array(column_of(judgments, 1), np.int64),
        np.array(draw(st.lists(st.integers(0, 4), min_size=units, max_size=units)), np.int64),
    )


@fixed
@given(weighted())
def test_statistics_are_those_of_repeated_values(sample: Weighted) -> None:
    """Means, medians and ratios at whole weights."""
    repeated = sample.repeated()
    expected = np.mean(repeated) if len(repeated) else NAN
    got = sample.value_of(mean_of(sample.values, sample.unit, len(sample.weights)))
    assert got == pytest.approx(expected, rel=1e-12, nan_ok=True)
    repeated = sample.repeated()
    expected = np.median(repeated) if len(repeated) else NAN
    got = sample.value_of(median_of(sample.values, sample.unit, len(sample.weights)))
    assert got == pytest.approx(expected, abs=0, nan_ok=True)
    rng = np.random.default_rng(len(sample.values))
    above, below = rng.normal(size=len(sample.weights)), rng.random(len(sample.weights))
    has_weight = sample.weights.any()
    expected = (
        np.repeat(above, sample.weights).sum() / np.repeat(below, sample.weights).sum()
        if has_weight
        else NAN
    )
    got = sample.value_of(ratio(above, below))
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)


@fixed
@given(weighted(), st.integers(2, 4))
def test_repeated_judgments_change_nothing(sample: Weighted, times: int) -> None:
    """Judging every item several times with the same outcomes leaves mean and median alone."""
    values, unit = np.tile(sample.values, times), np.tile(sample.unit, times)
    units = len(sample.weights)
    median = sample.value_of(median_of(values, unit, units))
    assert median == pytest.approx(
        sample.value_of(median_of(sample.values, sample.unit, len(sample.weights))), nan_ok=True
    )
    mean = sample.value_of(mean_of(values, unit, units))
    assert mean == pytest.approx(
        sample.value_of(mean_of(sample.values, sample.unit, units)), nan_ok=True
    )


def test_rows_of_weights_are_separate_resamples() -> None:
    """Each row of weights gives the value of that resample alone."""
    unit = np.array([0, 0, 1, 2])
    weights = np.array([[1, 0, 0], [0, 2, 1], [0, 0, 0], [1, 1, 1]], float)
    # [1, 5], [7, 7, 4], nothing, [1, 5, 7, 4]
    np.testing.assert_allclose(mean_of([1, 5, 7, 4], unit, 3)(weights), [3, 6, NAN, 4.25])
    np.testing.assert_array_equal(median_of([1, 5, 7, 4], unit, 3)(weights), [3, 7, NAN, 4.5])
    # (1 + 1)/2 = 1 of the first unit, (2 * 3 + 5)/(2 * 4 + 3), nothing, (2 + 3 + 5)/(2 + 4 + 3)
    got = ratio([2, 3, 5], [2, 4, 3])(weights)
    np.testing.assert_allclose(got, [1, 1, NAN, 10 / 9])


def test_infinite_and_undefined_values() -> None:
    """An infinite unit counts where it is drawn only; a ratio to nothing is NaN."""
    weights = np.array([[1, 0, 1], [1, 1, 1], [0, 2, 0], [0, 0, 0]], float)
    unit = np.array([0, 1, 2])
    mean = mean_of([1, INF, 3], unit, 3)(weights)
    np.testing.assert_array_equal(mean[:3], [2, INF, INF])
    median = median_of([1, INF, 3], unit, 3)(weights)
    np.testing.assert_array_equal(median, [2, 3, INF, NAN])  # of 1, 3, inf the middle is 3
    quotient = ratio([1, INF, 3], [1, 1, 1])(weights)
    np.testing.assert_array_equal(quotient[:3], [2, INF, INF])
    assert np.isnan([mean[3], quotient[3]]).all()
    weights = np.array([[1, 0], [0, 1], [1, 1]], float)
    np.testing.assert_array_equal(ratio([1, 2], [0, 1])(weights), [NAN, 2, 3])


def stratum_sizes(strata: IntArray, resamples: int) -> tuple[FloatArray, ...]:
    """How many units of each stratum every resample holds."""

    def size(stratum: int) -> Statistic:
        return lambda weights: weights[:, strata == stratum].sum(axis=1)

    names = np.unique(strata).tolist()
    draws = bootstrap({name: size(name) for name in names}, strata, resamples=resamples, seed=5)
    return tuple(draws[name] for name in names)


def test_units_are_drawn_alike() -> None:
    """The weight of a unit has the mean and the variance of a Dirichlet law."""
    # With n units: mean 1, variance (n - 1)/(n + 1); within 5 standard errors over 20,000 resamples
    # (of the mean sqrt(v/20,000); of the variance, with fourth moment about 4, 2/sqrt).
    units, resamples = 6, 20_000

    def count(unit: int) -> Statistic:
        return lambda weights: weights[:, unit]

    draws = bootstrap(
        {unit: count(unit) for unit in range(units)},
        np.zeros(units, np.int64),
        resamples=resamples,
        seed=2,
    )
    error = 5 / np.sqrt(resamples)
    for counts in draws.values():
        assert counts.mean() == pytest.approx(1, abs=error)
        assert counts.var() == pytest.approx((units - 1) / (units + 1), abs=2 * error)


def test_as_many_draws_as_asked_for() -> None:
    """From each stratum as many as there are; judgments of an item together; seeds decide."""
    for resamples in [1, 499, 500, 501, 1_203]:
        statistic = mean_of([1, 2, 4], np.arange(3), 3)
        draws = bootstrap({"mean": statistic}, np.zeros(3, np.int64), resamples=resamples)
        assert draws["mean"].shape == (resamples,), resamples
    strata = np.array([7, 1, 1, 7, 3, 1, 7, 7, 1, 7])
    ones, threes, sevens = stratum_sizes(strata, 1_100)
    for sizes, expected in ((ones, 4), (threes, 1), (sevens, 5)):
        np.testing.assert_allclose(sizes, expected)
    # Of items whose two judgments cancel, every resample has mean zero.
    values = np.array([1.0, -1, 2, -2, 4, -4])
    statistic = mean_of(values, np.array([0, 0, 1, 1, 2, 2]), 3)
    draws = bootstrap({"mean": statistic}, np.zeros(3, np.int64), resamples=600, seed=1)
    np.testing.assert_array_equal(draws["mean"], np.zeros(600))
    # The same seed gives the same draws to every statistic, another seed gives others.
    values = np.random.default_rng(8).normal(size=30)
    statistic = mean_of(values, np.arange(30), 30)
    strata = np.zeros(30, np.int64)
    first = bootstrap({"a": statistic, "b": statistic}, strata, resamples=700, seed=11)
    repeated = bootstrap({"b": statistic}, strata, resamples=700, seed=11)
    reseeded = bootstrap({"b": statistic}, strata, resamples=700, seed=12)
    np.testing.assert_array_equal(first["a"], first["b"])
    np.testing.assert_array_equal(first["b"], repeated["b"])
    assert (first["b"] != reseeded["b"]).mean() > 0.9


@pytest.mark.slow
def test_interval_of_a_mean_covers_about_as_often_as_said() -> None:
    """The 95% interval of a mean of 50 normal values holds the true mean about as often as said."""
    # Good percentile intervals of this size cover .92 to .97; the band adds the 99% range of a
    # binomial share of 2,000: 2.576 sqrt(.92 * .08/2000) = .016, 2.576 sqrt(.97 * .03/2000) = .010.
    units, unit = 50, np.arange(50)
    covered = 0
    for seed in range(2_000):
        values = np.random.default_rng(seed).normal(loc=3, scale=2, size=units)
        draws = bootstrap(
            {"mean": mean_of(values, unit, units)},
            np.zeros(units, np.int64),
            resamples=400,
            seed=seed,
        )
        low, high = percentile_interval(draws["mean"])
        covered += low <= 3 <= high
    assert 0.92 - 0.016 <= covered / 2_000 <= 0.97 + 0.010


def test_percentile_interval_is_of_order_statistics() -> None:
    """Order statistics: of 1 to 1,000 the 100th and 900th; NaN left out, infinite values ranked."""
    values = np.random.default_rng(4).permutation(np.arange(1, 1_001))
    assert percentile_interval(values, 0.8) == (100, 900)
    assert percentile_interval(values, 0.5) == (250, 750)
    values = np.insert(np.arange(1.0, 1_001), [0, 500, 1_000], NAN)
    assert percentile_interval(values, 0.8) == (100, 900)
    assert np.isnan(percentile_interval([NAN, NAN])).all()
    assert np.isnan(percentile_interval([])).all()
    # Infinite values keep their rank, and don't make finite limits infinite or NaN.
    for resampled_values, expected in [
        # At 50% of four values the limits are the first and the third.
        ([1, 2, INF, INF], (1, INF)),
        ([3, INF, 2, 1], (1, 3)),
        ([-INF, 1, 2, 3], (-INF, 2)),
        ([INF, INF, INF, INF], (INF, INF)),
        ([-INF, INF, NAN, INF, 0], (-INF, INF)),
    ]:
        assert percentile_interval(resampled_values, 0.5) == expected, (resampled_values, expected)


# The sign-flip test of paired differences.


def mean(sample: FloatArray, axis: int) -> FloatArray:
    """The mean along an axis."""
    return np.asarray(np.mean(sample, axis=axis))


def brute_force(differences: list[float]) -> float:
    """Share of all sign patterns whose sum is as far from 0 as the observed one."""
    signs = np.array(list(product((1, -1), repeat=len(differences))))
    sums = np.abs((signs * differences).sum(axis=1))
    return float((sums >= sums[0]).mean())


def test_sign_flip_p_counts_all_patterns() -> None:
    """All sign patterns counted by hand."""
    cases: list[tuple[list[float], float]] = [
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
    ]
    for differences, expected in cases:
        assert sign_flip_p(differences) == expected, (differences, expected)


@fixed
@given(st.lists(quarters, min_size=1, max_size=8))
def test_enumeration_is_brute_force(differences: list[float]) -> None:
    """On numbers that add up exactly, p is that of all 2^n patterns, zeros included."""
    assert sign_flip_p(differences) == pytest.approx(brute_force(differences), abs=1e-15)


def test_sign_flip_p_is_scipys() -> None:
    """Exact p is that of scipy's permutation test of paired samples, with and without ties."""
    for ties in [True, False]:
        for seed in range(20):
            rng = np.random.default_rng(seed)
            differences = rng.normal(0.4, 1, 2 + seed % 9)
            if ties:
                differences = np.round(differences * 2) / 2
            peer = permutation_test(
                (differences,), mean, permutation_type="samples", vectorized=True, n_resamples=2**14
            )
            assert sign_flip_p(differences) == pytest.approx(peer.pvalue, abs=1e-12), (ties, seed)


def test_beyond_thirteen_patterns_are_drawn() -> None:
    """Of 14 differences of one sign 2 of 16,384 patterns are as far: p counts the observed one."""
    # At 10,000 draws 1.2 such patterns are expected; more than 9 come once in a million runs.
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


def test_one_seed_gives_one_p() -> None:
    """One seed gives one p, another one gives another; chunks of draws make no difference."""
    differences = np.random.default_rng(1).normal(0.1, 1, 40)
    assert sign_flip_p(differences, seed=3) == sign_flip_p(differences, seed=3)
    assert len({sign_flip_p(differences, seed=seed) for seed in range(5)}) > 1
    # 40 differences have 12,500 patterns a chunk: 30,000 are drawn in three.
    p = sign_flip_p(differences, resamples=30_000)
    assert p == pytest.approx(sign_flip_p(differences, resamples=12_000), abs=0.03)
    assert (p * 30_001) == pytest.approx(round(p * 30_001), abs=1e-9)


def test_sign_flip_p_is_above_0_and_nan_without_a_pair() -> None:
    """Never zero, ties but for rounding, and NaN without a pair; what is no sample is refused."""
    for resamples in [1, 99]:
        assert sign_flip_p([1.0] * 60, resamples=resamples) == 1 / (resamples + 1), resamples
    # 0.1 + 0.2 against 0.3 is a tie: of 1, 2, -3 tenths every pattern is as far from 0.
    assert sign_flip_p([0.1, 0.2, -0.3]) == 1
    assert sign_flip_p([0.1e12, 0.2e12, -0.3e12]) == 1
    assert sign_flip_p([0.1e12 / 7, 0.2e12 / 7, 0.3e12 / 7 - 0.6e12 / 7]) == 1
    # |sums| of 1, 2 and 3 tenths: 6, 4, 2, 0; observed 0.4 in a rounded order.
    assert sign_flip_p([-0.1, 0.2, 0.3]) == 4 / 8
    # 0.29 * 100 - 29 = -4e-15 is no difference.
    assert sign_flip_p([0.29 * 100 - 29, 0.15 * 100 - 15]) == 1
    assert sign_flip_p([0.29 * 100 - 29, 3, 2, -1]) == 4 / 8
    for differences in [[], [NAN], [NAN, NAN]]:
        assert math.isnan(sign_flip_p(differences)), differences
        assert sign_flip_p([*differences, 0]) == 1, differences
    with pytest.raises(ValueError, match="infinite"):
        sign_flip_p([1, INF])
    with pytest.raises(ValueError, match="2 dimensions"):
        sign_flip_p([[1, 2]])
    with pytest.raises(ValueError, match="resamples=0 is below 1"):
        sign_flip_p([1, 2], resamples=0)


@fixed
@given(st.lists(quarters, min_size=1, max_size=16), st.sampled_from([-1.0, 0.5, 3.0]))
def test_sign_flip_p_ignores_unit_sign_and_zeros(differences: list[float], scale: float) -> None:
    """It is in (0, 1]; unit and direction change nothing, nor do missing pairs or zeros."""
    p = sign_flip_p(differences, resamples=200)
    assert 0 < p <= 1
    assert sign_flip_p(np.array(differences) * scale, resamples=200) == p
    assert sign_flip_p([NAN, *differences, 0, NAN], resamples=200) == p


def test_false_alarms_are_as_rare_as_said() -> None:
    """Of 2,000 symmetric samples of 8 differences, about 5% at most have p <= 0.05."""
    # 4 standard errors of 2,000 draws: 4 sqrt(0.05 * 0.95 / 2000) = 0.0195.
    rng = np.random.default_rng(6)
    p = np.array(list(map(sign_flip_p, rng.normal(0, 1, (2_000, 8)))))
    # 12 of 256 is the largest share up to 0.05 that patterns in pairs allow.
    assert (p <= 0.05).mean() == pytest.approx(12 / 256, abs=0.0195)


# Wilson's interval of clustered judgments.


Z = 1.959963984540054  # 97.5% quantile of the standard normal distribution


def wilson(p: float, n: float, z: float = Z) -> tuple[float, float]:
    """Wilson (1927): (p + z2/2n +- z sqrt(p(1-p)/n + z2/4n2)) / (1 + z2/n)."""
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def test_wilson_uses_the_effective_sample_size() -> None:
    """The interval is Wilson's formula at the share and the sample size worked out by hand."""
    for successes, trials, p, n in [
        # One judgment an item: n is the number of items.
        ([0, 1, 0, 1], [1, 1, 1, 1], 1 / 2, 4),
        # Judgments of an item agree: v = (1 + 1)/16, n = (1/4)/v = 2, as if judged once.
        ([2, 0], [2, 2], 1 / 2, 2),
        # v = (1 + 0 + 1 + 0)/64, n = (1/4) * 32 = 8; of three items with a failure at most 4.
        ([2, 1, 0, 1], [2, 2, 2, 2], 1 / 2, 4),
        # p = 24/48, v = (8 * 1.5^2 + 8 * .5^2)/48^2, n = (1/4) * 48^2/20 = 28.8, by the normal and
        # Student's quantile of 15 degrees of freedom 28.8 * (1.9600/2.1314)^2.
        ([3, 0, 1, 2] * 4, [3] * 16, 1 / 2, 28.8 * (norm.ppf(0.975) / t.ppf(0.975, 15)) ** 2),
        # v = 16 (1/2)^2/48^2, n = 144, but there are only 48 judgments.
        ([1, 2] * 8, [3] * 16, 1 / 2, 48 * (norm.ppf(0.975) / t.ppf(0.975, 15)) ** 2),
    ]:
        expected = wilson(p, n)
        assert clustered_wilson_interval(successes, trials) == pytest.approx(expected, rel=1e-12)


def test_up_to_three_successes_have_the_poisson_limit() -> None:
    """Up to three successes the lower limit is the Poisson one, up to three failures the upper."""
    # One success of n: the gamma law of shape 1 is exponential, its 5% quantile -ln(.95).
    for n in (4, 30, 1_000):
        low, high = clustered_wilson_interval([1, *[0] * (n - 1)], [1] * n)
        assert low == pytest.approx(-math.log(0.95) / n, rel=1e-9)
        assert high == pytest.approx(wilson(1 / n, n)[1], rel=1e-12)
        low, high = clustered_wilson_interval([0, *[1] * (n - 1)], [1] * n)
        assert low == pytest.approx(wilson(1 - 1 / n, n)[0], rel=1e-12)
        assert high == pytest.approx(1 + math.log(0.95) / n, rel=1e-9)
    # Of two: 1 - exp(-x)(1 + x) = .05 at its end, of three 1 - exp(-x)(1 + x + x^2/2).
    for successes in (2, 3):
        low, _ = clustered_wilson_interval([1] * successes + [0] * 50, [1] * (successes + 50))
        x = low * (successes + 50)
        assert 1 - math.exp(-x) * (1 + x + (successes == 3) * x**2 / 2) == pytest.approx(0.05)
    # Two of four are as many successes as failures, four of 40 are no longer few.
    assert clustered_wilson_interval([1, 1, 0, 0], [1] * 4) == pytest.approx(wilson(1 / 2, 4))
    hits = [1] * 4 + [0] * 36
    assert clustered_wilson_interval(hits, [1] * 40) == pytest.approx(wilson(1 / 10, 40))
    # p = 4/6, v = (1 + 4/9 + 1/9)/36 = 14/324 and n = 72/14, at most 3: one failure.
    interval = clustered_wilson_interval([3, 0, 1], [3, 1, 2])
    assert interval == pytest.approx(share_interval(2, 3), rel=1e-9)
    assert interval[1] > wilson(2 / 3, 3)[1] + 0.01


@pytest.mark.parametrize("n", [10, 30, 100, 300])
def test_exact_coverage(n: int) -> None:
    """The interval holds every share in 91.9% of samples or more, and most in about 95%.

    Sums of binomial probabilities, not simulations. Coverage is least right beside a limit, so that
    limits are looked at too; Wilson's own holds a share of .18/n in 84%.
    """
    intervals = [clustered_wilson_interval([1] * x + [0] * (n - x), [1] * n) for x in range(n + 1)]
    low, high = np.array(intervals).T[:, None]
    near_limits = np.concatenate([intervals]).ravel()[:, None] + [-1e-9, 1e-9]
    shares = np.union1d(
        np.linspace(0, 1, 2_001), near_limits[(near_limits > 0) & (near_limits < 1)]
    )[:, None]
    contained = (low <= shares) & (shares <= high)
    coverage = (binom.pmf(np.arange(n + 1), n, shares) * contained).sum(axis=1)
    assert coverage.min() > 0.919
    assert coverage[:2_000:20].mean() == pytest.approx(0.955, abs=0.01)


def test_a_share_of_0_or_1_has_an_exact_limit() -> None:
    """At a share of 0 or 1 the sample size is the number of items and one limit is exact."""
    # Wilson's formula at p = 0 is [0, z2/(n + z2)], at p = 1 [n/(n + z2), 1].
    for items in [1, 2, 7, 12, 40]:
        for judgments in [1, 3]:
            trials = [judgments] * items
            low, high = clustered_wilson_interval([0] * items, trials)
            assert low == 0, (items, judgments)
            assert high == pytest.approx(Z**2 / (items + Z**2), rel=1e-12), (items, judgments)
            low, high = clustered_wilson_interval(trials, trials)
            assert low == pytest.approx(items / (items + Z**2), rel=1e-12), (items, judgments)
            assert high == 1, (items, judgments)


@fixed
@given(
    st.lists(st.booleans(), min_size=1, max_size=60), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
)
def test_one_judgment_an_item_is_wilsons_own(outcomes: list[bool], confidence: float) -> None:
    """With one judgment an item the interval is statsmodels', with scipy's limits of few."""
    expected = share_interval(sum(outcomes), len(outcomes), confidence)
    got = clustered_wilson_interval(outcomes, [1] * len(outcomes), confidence)
    assert got == pytest.approx(expected, rel=1e-11, abs=1e-15)


outcomes_of_items = st.lists(
    st.integers(1, 5).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))),
    min_size=1,
    max_size=20,
)


@fixed
@given(outcomes_of_items)
def test_never_more_sure_than_of_independent_judgments(items: list[tuple[int, int]]) -> None:
    """No limit lies inside Wilson's interval of as many independent judgments."""
    hits, total = np.array(items).T
    inner = wilson(hits.sum() / total.sum(), total.sum())
    low, high = clustered_wilson_interval(hits, total)
    assert low <= inner[0] + 1e-12
    assert high >= inner[1] - 1e-12


@fixed
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(2, 5))
def test_wilson_repeated_judgments_change_nothing(outcomes: list[bool], times: int) -> None:
    """Judging each item several times with the same outcome gives the interval of once."""
    hits = np.array(outcomes, float)
    once = clustered_wilson_interval(hits, np.ones(len(hits)))
    often = clustered_wilson_interval(hits * times, np.full(len(hits), times))
    assert often == pytest.approx(once, rel=1e-9, abs=1e-12)


def test_items_without_judgments() -> None:
    """They change nothing; without any judgment limits are NaN; lengths must agree."""
    with_empty = clustered_wilson_interval([0, 2, 0, 1], [0, 3, 0, 1])
    assert with_empty == clustered_wilson_interval([2, 1], [3, 1])
    _, high = clustered_wilson_interval([0, 0, 0], [0, 1, 1])
    assert high == pytest.approx(Z**2 / (2 + Z**2), rel=1e-12)
    for trials in [[], [0], [0, 0]]:
        low, high = clustered_wilson_interval([0] * len(trials), trials)
        assert math.isnan(low), trials
        assert math.isnan(high), trials
    with pytest.raises(ValueError, match="'successes': 2, 'trials': 3"):
        clustered_wilson_interval([1, 0], [1, 1, 1])


def test_clusters_are_covered_where_plain_wilson_fails() -> None:
    """Of items judged five times alike, the interval covers the true share about as often as said.

    Over 500 seeds of 60 items with true share 0.3; the band is the central 99.9% of a binomial
    count around coverages of 0.93 and 0.97. Wilson's interval of 300 independent judgments is
    narrower by sqrt(5), and covers with probability P(|Z| < 1.96/sqrt(5)) = 0.62.
    """
    rng = np.random.default_rng(3)
    hits = 5 * (rng.random((500, 60)) < 0.3)
    limits = np.array([clustered_wilson_interval(row, [5] * 60) for row in hits])
    share = ((limits[:, 0] <= 0.3) & (limits[:, 1] >= 0.3)).mean()
    # 3.29 standard errors of 500 draws: sqrt(0.93 * 0.07 / 500) = 0.0114, and 0.0076 at 0.97
    assert 0.93 - 3.29 * 0.0114 <= share <= 0.97 + 3.29 * 0.0076


def test_product_in_blocks_equals_the_sum_over_units() -> None:
    """Blocks of rows, an incomplete last one, a large second factor and empty ones."""
    rng = np.random.default_rng(0)
    for rows, units, columns in ((250, 1_000, 7), (3, 2_000, 40), (4, 1, 1), (0, 5, 2), (5, 3, 0)):
        weights, sums = rng.random((units, rows)).T, rng.random((units, columns))
        expected = np.einsum("ru,uc->rc", weights, sums)
        np.testing.assert_allclose(matrix_product(weights, sums), expected, rtol=1e-12)


def test_holm_never_adjusts_a_p_below_a_smaller_one() -> None:
    """By hand: .02, .03, .06 and, not .04, the .06 before it; NaN is no comparison."""
    adjusted = holm([0.01, 0.04, math.nan, 0.03, 0.005])
    np.testing.assert_allclose(adjusted, [0.03, 0.06, math.nan, 0.06, 0.02], atol=1e-12)
