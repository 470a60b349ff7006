"""Conformal adjustment, and intervals from repeated answers."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mapie.regression import ConformalizedQuantileRegressor
from scipy.stats import norm
from sklearn.linear_model import LinearRegression

from build import column_of
from inspect_confidence.metrics import (
    conformal_interval,
    conformal_offset,
    conformal_offset_interval,
    conformal_rank,
    coverage,
    sampling_interval,
    tunnel_interval,
)
from inspect_confidence.metrics.conformal import quantile
from metrics.strategies import StatedIntervals, fixed, levels, quarters, stated_intervals

# The split-conformal offset: by hand, by MAPIE, and by its guarantee.


NAN, INF = float("nan"), float("inf")

# Conformity scores max(lower - truth, truth - upper): -1, 1, 2, -2; in order -2, -1, 1, 2.
LOWER, UPPER, TRUTH = [0, 0, 0, 0], [4, 4, 4, 4], [1, 5, -2, 2]


def test_offset_is_the_score_of_the_ceiled_rank() -> None:
    """The ceil((n + 1) level/100)-th smallest score, where floats round up too; NaN left out."""
    for level, expected in [
        (20, -2),  # 5 * 0.2 = 1: the first
        (20.01, -1),  # 1.0005, rounded up: the second
        (60, 1),  # the third
        (80, 2),  # the fourth of four
        (80.01, INF),  # the fifth of four
        (99, INF),
    ]:
        assert conformal_offset(LOWER, UPPER, TRUTH, level) == expected, (level, expected)
    # Of 24 items at 56% the offset is the 14th score, where floats would take the 15th.
    calibration = simulated(24, seed=0, width=1.0)
    offset = conformal_offset(*calibration, 56)
    assert offset == scores(calibration)[13] < scores(calibration)[14]
    # Items with NaN in any place change neither the scores nor their number.
    lower, upper, truth = [NAN, *LOWER, 0, 0], [4, *UPPER, NAN, 4], [9, *TRUTH, 9, NAN]
    assert conformal_offset(lower, upper, truth, 60) == 1
    assert conformal_offset(lower, upper, truth, 80) == 2
    # With no readable item even the lowest level is unreachable and the offset infinite.
    for count in [0, 2]:
        assert conformal_offset([NAN] * count, [NAN] * count, [NAN] * count, 1) == INF, count


def test_unequal_lengths_and_bad_levels_raise() -> None:
    """Lengths that differ, and levels beyond 0 to 100."""
    with pytest.raises(ValueError, match="'lower': 4, 'upper': 4, 'truth': 3"):
        conformal_offset(LOWER, UPPER, TRUTH[:3], 60)
    with pytest.raises(ValueError, match="'lower': 4, 'upper': 2"):
        conformal_interval(LOWER, UPPER[:2], 1)
    for level in [0, 100, -5, 120, NAN]:
        with pytest.raises(ValueError, match=f"level={level}"):
            sampling_interval([1, 2], level)
        with pytest.raises(ValueError, match=f"level={level}"):
            tunnel_interval([1, 2], [3, 4], level)


def test_interval_moves_both_bounds_outwards() -> None:
    """Bounds move by the offset, may cross at a negative one, and NaN stays NaN."""
    for offset in [0.5, -3.0, INF]:
        low, high = conformal_interval([1, NAN], [3, 3], offset)
        np.testing.assert_array_equal(low, [1 - offset, NAN])
        np.testing.assert_array_equal(high, [3 + offset, 3 + offset])


def test_rank_in_whole_numbers() -> None:
    """The rank is the ceiling in whole numbers at every n and whole level, where floats go wrong.

    For n = 24, level 56, 25 * 0.56 is 14, but 14.000000000000002 in floats.
    """
    n = np.arange(1_000)
    for level in range(1, 100):
        quotient, remainder = np.divmod((n + 1) * level, 100)
        np.testing.assert_array_equal(conformal_rank(n, level), quotient + (remainder > 0))
    assert conformal_rank(np.array([24]), 56) == [14]
    # A tenth and a third of a percent: ceil(1001 * 0.975) = ceil(975.975), ceil(3 * 100/300) = 1
    assert conformal_rank(np.array([1_000]), 97.5) == [976]
    assert conformal_rank(np.array([2]), 100 / 3) == [1]


def column(*weights: float) -> Any:
    """A fitted regressor whose prediction is a weighted sum of the two columns of its input."""
    regressor = LinearRegression()
    regressor.coef_, regressor.intercept_ = np.array(weights), 0.0
    regressor.n_features_in_ = len(weights)
    return regressor


def mapie(calibration: StatedIntervals, level: float) -> Any:
    """MAPIE, calibrated on intervals; it takes an interval's bounds as two columns of input."""
    # MAPIE takes the ceiling of a product of floats, which lands above a whole number at times. Its
    # level is set lower by 1e-7 percent, so that such a product falls just below the whole number;
    # no other product reaches a different one by that.
    regressor = ConformalizedQuantileRegressor(
        [column(1, 0), column(0, 1), column(0.5, 0.5)],
        confidence_level=level / 100 - 1e-9,
        prefit=True,
    )
    return regressor.conformalize(
        np.column_stack([calibration.lower, calibration.upper]), calibration.truth
    )


def simulated(n: int, seed: int, width: float) -> StatedIntervals:
    """Random intervals of some mean width, and random truths."""
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=n)
    return StatedIntervals(lower, lower + width * rng.exponential(size=n), rng.normal(size=n))


def scores(calibration: StatedIntervals) -> list[float]:
    """How far each truth lies outside its interval, in ascending order."""
    return sorted(max(low - y, y - high) for low, high, y in zip(*calibration, strict=True))


def test_intervals_equal_mapie() -> None:
    """Adjusted intervals equal MAPIE's conformalised quantile regression with one offset."""
    for n, level in [
        (4, 60),
        (19, 50),
        (24, 56),
        (24, 95),
        (30, 95),
        (99, 90),
        (100, 90),
        (100, 99),
        (257, 33),
        (1_000, 97.5),
        (1_000, 99.5),
    ]:
        for width in [0.5, 5.0]:
            calibration, test = (
                simulated(n, seed=n, width=width),
                simulated(50, seed=n + 1, width=width),
            )
            _, expected = mapie(calibration, level).predict_interval(
                np.column_stack([test.lower, test.upper]), symmetric_correction=True
            )
            offset = conformal_offset(*calibration, level)
            low, high = conformal_interval(test.lower, test.upper, offset)
            np.testing.assert_allclose(low, expected[:, 0, 0], rtol=0, atol=1e-12)
            np.testing.assert_allclose(high, expected[:, 1, 0], rtol=0, atol=1e-12)


def test_too_few_items_for_the_level() -> None:
    """One item too few for the level gives infinite intervals, where MAPIE gives none."""
    # The rank is ceil((n + 1) level/100) = n + 1: 9 * .9 = 8.1, 19 * .95 = 18.05, 99 * .99 = 98.01.
    # With one item more it is n itself, and the offset finite.
    for n, level in [(8, 90), (18, 95), (98, 99)]:
        enough = simulated(n + 1, seed=6, width=1.0)
        too_few = StatedIntervals(*(array[:n] for array in enough))
        offset = conformal_offset(*too_few, level)
        assert offset == INF, (n, level)
        low, high = conformal_interval([0.0], [1.0], offset)
        assert (low[0], high[0]) == (-INF, INF), (n, level)
        with pytest.raises(ValueError, match="too low"):
            mapie(too_few, level)
        assert conformal_offset(*enough, level) == scores(enough)[-1], (n, level)


@fixed
@given(stated_intervals(), levels, st.randoms(use_true_random=False))
def test_order_of_items_is_irrelevant(
    intervals: StatedIntervals, level: float, random: Any
) -> None:
    """The offset is the same for the items in any order."""
    order = list(range(len(intervals.truth)))
    random.shuffle(order)
    shuffled = StatedIntervals(*column_of(intervals, order))
    assert conformal_offset(*shuffled, level) == conformal_offset(*intervals, level)


@fixed
@given(stated_intervals(), levels)
def test_intervals_at_their_own_offset_need_no_other(
    intervals: StatedIntervals, level: float
) -> None:
    """After moving the bounds by a finite offset, the offset still to learn is zero."""
    offset = conformal_offset(*intervals, level)
    if np.isfinite(offset):
        moved = conformal_interval(intervals.lower, intervals.upper, offset)
        assert conformal_offset(*moved, intervals.truth, level) == 0


@pytest.mark.slow
def test_coverage_of_new_items() -> None:
    """Over 2,000 splits the mean coverage of new items is within 3 standard errors of k/(n + 1)."""
    # A new item's score is equally likely to take any rank among n + 1 exchangeable scores without
    # ties, so it is at most the k-th smallest of the n others with probability k/(n + 1).
    for calibration, level, rank in [(9, 90, 9), (24, 56, 14), (99, 80, 80), (40, 33, 14)]:
        for width in [0.5, 8.0]:
            coverages = []
            for seed in range(2_000):
                judgments = simulated(calibration + 40, seed=seed, width=width)
                calibration_items = StatedIntervals(*(array[:calibration] for array in judgments))
                new = StatedIntervals(*(array[calibration:] for array in judgments))
                offset = conformal_offset(*calibration_items, level)
                coverages.append(
                    coverage(*conformal_interval(new.lower, new.upper, offset), new.truth)
                )
            error = np.std(coverages) / np.sqrt(len(coverages))
            assert abs(np.mean(coverages) - rank / (calibration + 1)) <= 3 * error, calibration


# Intervals from repeated draws: points, and intervals seen through a tunnel.


@fixed
@given(st.lists(quarters, min_size=1, max_size=40), st.floats(0, 1))
def test_quantile_is_numpys_weibull(draws: list[float], share: float) -> None:
    """A quantile is what numpy calls weibull, whatever the order of the draws."""
    assert quantile(draws[::-1], share) == np.quantile(draws, share, method="weibull")


@fixed
@given(st.lists(quarters, min_size=1, max_size=40, unique=True))
def test_order_statistics_stand_at_k_of_n_plus_1(draws: list[float]) -> None:
    """The k-th of n draws is their k/(n + 1) quantile: the definition of type 6."""
    for k, value in enumerate(sorted(draws), 1):
        # The share is rounded, so that up to 1e-13 of the gap to a neighbour is added.
        assert quantile(draws, k / (len(draws) + 1)) == pytest.approx(value, abs=1e-9)


def test_quantiles_interpolate_at_rank_share_times_n_plus_1() -> None:
    """They stand at k = share (n + 1) among the ordered draws, linear between."""
    cases: list[tuple[list[float], float, float]] = [
        ([7], 0.01, 7),
        ([7], 0.99, 7),
        ([1, 2, 3], 0.5, 2),  # k = 0.5 * 4 = 2
        ([3, 1, 2], 0.25, 1),  # k = 1: the least
        ([1, 2, 3], 0.2, 1),  # k = 0.8 < 1: constant outside
        ([1, 2, 3], 0.9, 3),  # k = 3.6 > 3
        ([0, 10, 20, 30], 0.3, 5),  # k = 1.5: half way from 0 to 10
        ([0, 10, 20, 30], 0.75, 27.5),  # k = 3.75
        ([0, NAN, 10, NAN, 20, 30], 0.3, 5),  # without the NaN as above
    ]
    for draws, share, expected in cases:
        assert quantile(draws, share) == pytest.approx(expected, abs=1e-12), draws
    # Without a draw that is a number, quantile and bounds are NaN.
    for draws in [[], [NAN], [NAN, NAN]]:
        bounds = [*sampling_interval(draws, 90), *tunnel_interval(draws, draws, 90)]
        assert all(map(math.isnan, [quantile(draws, 0.5), *bounds])), draws
    # Of the draws 1 to 9 the k-th is k, so that bounds are 10 alpha/2 and 10 (1 - alpha/2).
    for level, ends in [
        (80, (1, 9)),  # k = 0.1 * 10 and 0.9 * 10
        (60, (2, 8)),
        (50, (2.5, 7.5)),  # k = 0.25 * 10, 0.75 * 10
        (99, (1, 9)),  # k = 0.05 and 9.95: least and greatest
    ]:
        shuffled = [4, NAN, 9, 2, 1, 8, 3, 7, NAN, 5, 6]
        assert sampling_interval(shuffled, level) == pytest.approx(ends, abs=1e-12), level
    # With n + 1 < 2/alpha the interval is the draws' range, which holds (n - 1)/(n + 1).
    rng = np.random.default_rng(2)
    nine = rng.random((2_000, 9))
    ranges = np.array([sampling_interval(row, 95) for row in nine])
    assert np.array_equal(ranges, np.column_stack([nine.min(axis=1), nine.max(axis=1)]))
    # 8/10; the range of 9 is beta(8, 2), with a variance of 16/(100 * 11), 0.0145
    error = math.sqrt(0.0145 / 2_000)
    assert (ranges[:, 1] - ranges[:, 0]).mean() == pytest.approx(0.8, abs=4 * error)
    # The k/400 quantiles of a normal belief, as draws, give its 99% interval.
    even = norm.ppf(np.arange(1, 400) / 400)
    by_formula = norm.interval(0.99)  # k = 0.005 * 400 = 2
    assert sampling_interval(even, 99) == pytest.approx(by_formula, rel=1e-9)


def test_calibrated_draws_hold_the_nominal_mass() -> None:
    """Intervals of enough draws from a uniform belief hold its mass without bias."""
    # The k-th of n uniform draws has the mean k/(n + 1), and so, by linearity, has each
    # interpolated bound the mean of its share. The mass between the p- and the 1 - p quantile of
    # 2,000 intervals has a variance of at most L(1 - L)/(n + 2) each, as of a beta distribution
    # with mean L and n + 1 parameters in all.
    for draws, level in [(19, 90), (24, 90), (9, 80), (39, 95), (3, 50)]:
        rng = np.random.default_rng(draws)
        bounds = np.array([sampling_interval(row, level) for row in rng.random((2_000, draws))])
        share = level / 100
        error = math.sqrt(share * (1 - share) / (draws + 2) / 2_000)
        assert (bounds[:, 1] - bounds[:, 0]).mean() == pytest.approx(share, abs=4 * error), draws


def test_calibrated_draws_hold_the_truth() -> None:
    """Where bounds are order statistics, any belief's intervals hold its truth as often as said."""
    # n = 39 at 90%: k = 2 and 38, and a further draw falls between them with probability 36/40.
    rng = np.random.default_rng(1)
    beliefs = rng.lognormal(size=(2_000, 40))
    contained = []
    for truth, *draws in beliefs:
        low, high = sampling_interval(draws, 90)
        contained.append(low <= truth <= high)
    # 3.29 standard errors of 2,000 draws at 0.9: sqrt(0.09 / 2000) = 0.0067
    assert np.mean(contained) == pytest.approx(0.9, abs=3.29 * 0.0067)


def test_tunnel_bounds_have_quantiles_of_their_own() -> None:
    """Lower bounds give the lower quantile and upper bounds the upper, each without its NaN."""
    lower, upper = [4, NAN, 3, 2, 1], [5, 6, 7, 8, NAN]
    # k = 0.2 * 5 = 1 and 0.8 * 5 = 4 at 60%; 0.3 * 5 = 1.5 and 3.5 at 40%
    assert tunnel_interval(lower, upper, 60) == pytest.approx((1, 8), abs=1e-12)
    assert tunnel_interval(lower, upper, 40) == pytest.approx((1.5, 7.5), abs=1e-12)


def test_the_tunnel_is_undone() -> None:
    """Theorem 1: bounds stated from [u, u + p], u even on [0, 1 - p], give the belief's own."""
    # In the belief's mass the stated bounds are u + p a and u + p (1 - a), a = alpha/2; the
    # a-quantile of u is (1 - p) a, and the sum a. With u_k = (1 - p) k/(n + 1) that is exact.
    for tunnel in [0.1, 0.4, 0.65, 1.0]:
        for level in [50, 80, 90]:
            a = (100 - level) / 200
            u = (1 - tunnel) * np.arange(1, 40) / 40
            low, high = tunnel_interval(u + tunnel * a, u + tunnel * (1 - a), level)
            assert (low, high) == pytest.approx((a, 1 - a), abs=1e-12), (tunnel, level)


@fixed
@given(st.lists(quarters, min_size=1, max_size=20), levels)
def test_tunnel_of_points_is_sampling(draws: list[float], level: float) -> None:
    """Intervals without width are points: both estimates are the same."""
    assert tunnel_interval(draws, draws, level) == sampling_interval(draws, level)


@fixed
@given(st.lists(quarters, min_size=1, max_size=20))
def test_higher_levels_are_no_narrower(draws: list[float]) -> None:
    """The interval at a level lies within that at any higher level."""
    bounds = np.array([sampling_interval(draws, level) for level in (20, 50, 80, 90, 95, 99)])
    assert (np.diff(bounds[:, 0]) <= 1e-12).all()
    assert (np.diff(bounds[:, 1]) >= -1e-12).all()


def test_interval_of_the_offset_by_hand() -> None:
    """Of 8 scores the median lies between the 1st and the 8th in 1 - 2/256 of samples."""
    # P(K < 1) = 1/256 and P(K < 2) = 9/256 > .025, so a = 1; likewise b = 8.
    scores, zeros = np.array([5, 3, 8, 1, 2, 7, 4, 6.0]), np.zeros(8)
    assert conformal_offset_interval(scores, zeros + 9, zeros, 50) == (1, 8)
    # Of 8 scores the 99% quantile may lie beyond the last: P(K < 8) = 1 - .99^8 = .077, P(K < 7) =
    # .0027. Of 3 at 50% nothing is known: P(K < 1) = 1/8. Unreadable items are left out.
    assert conformal_offset_interval([*scores, NAN], np.full(9, 9), np.zeros(9), 99) == (7, INF)
    assert np.isnan(conformal_offset_interval([1, 2, 3], [9] * 3, [0] * 3, 50)).all()
    assert np.isnan(conformal_offset_interval([], [], [], 50)).all()
