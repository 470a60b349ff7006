"""Intervals from repeated draws: points, and intervals seen through a tunnel."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from inspect_confidence.metrics import sampling_interval, tunnel_interval
from inspect_confidence.metrics.conformal import quantile
from metrics.strategies import fixed, levels, quarters

NAN = float("nan")


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


@pytest.mark.parametrize(
    ("draws", "share", "expected"),
    [
        ([7], 0.01, 7),
        ([7], 0.99, 7),
        ([1, 2, 3], 0.5, 2),  # k = 0.5 * 4 = 2
        ([3, 1, 2], 0.25, 1),  # k = 1: the least
        ([1, 2, 3], 0.2, 1),  # k = 0.8 < 1: constant outside
        ([1, 2, 3], 0.9, 3),  # k = 3.6 > 3
        ([0, 10, 20, 30], 0.3, 5),  # k = 1.5: half way from 0 to 10
        ([0, 10, 20, 30], 0.75, 27.5),  # k = 3.75
        ([0, NAN, 10, NAN, 20, 30], 0.3, 5),  # without the NaN as above
    ],
)
def test_quantiles_by_hand(draws: list[float], share: float, expected: float) -> None:
    """A quantile stands at k = share (n + 1) among the ordered draws, linear between them."""
    assert quantile(draws, share) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("draws", [[], [NAN], [NAN, NAN]])
def test_nothing_left_is_nan(draws: list[float]) -> None:
    """Without a draw that is a number, quantile and bounds are NaN."""
    bounds = [*sampling_interval(draws, 90), *tunnel_interval(draws, draws, 90)]
    assert all(math.isnan(value) for value in [quantile(draws, 0.5), *bounds])


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (80, (1, 9)),  # k = 0.1 * 10 and 0.9 * 10
        (60, (2, 8)),
        (50, (2.5, 7.5)),  # k = 0.25 * 10, 0.75 * 10
        (99, (1, 9)),  # k = 0.05 and 9.95: least and greatest
    ],
)
def test_sampling_by_hand(level: float, expected: tuple[float, float]) -> None:
    """Of the draws 1 to 9 the k-th is k, so that bounds are 10 alpha/2 and 10 (1 - alpha/2)."""
    shuffled = [4, NAN, 9, 2, 1, 8, 3, 7, NAN, 5, 6]
    assert sampling_interval(shuffled, level) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("draws", "level"), [(19, 90), (24, 90), (9, 80), (39, 95), (3, 50)])
def test_calibrated_draws_hold_the_nominal_mass(draws: int, level: float) -> None:
    """Intervals of enough draws from a uniform belief hold its mass without bias.

    The k-th of n uniform draws has the mean k/(n + 1), and so, by linearity, has each interpolated
    bound the mean of its share. The mass between the p- and the 1 - p quantile of 2,000
    intervals has a variance of at most L(1 - L)/(n + 2) each, as of a beta distribution with mean L
    and n + 1 parameters in all.
    """
    rng = np.random.default_rng(draws)
    bounds = np.array([sampling_interval(row, level) for row in rng.random((2_000, draws))])
    share = level / 100
    error = math.sqrt(share * (1 - share) / (draws + 2) / 2_000)
    assert (bounds[:, 1] - bounds[:, 0]).mean() == pytest.approx(share, abs=4 * error)


def test_calibrated_draws_hold_the_truth() -> None:
    """Where bounds are order statistics, any belief's intervals hold its truth as often as said.

    n = 39 at 90%: k = 2 and 38, and a further draw falls between them with probability 36/40.
    """
    rng = np.random.default_rng(1)
    beliefs = rng.lognormal(size=(2_000, 40))
    held = [low <= row[0] <= high for row in beliefs for low, high in [_ninety(row[1:])]]
    # 3.29 standard errors of 2,000 draws at 0.9: sqrt(0.09 / 2000) = 0.0067
    assert np.mean(held) == pytest.approx(0.9, abs=3.29 * 0.0067)


def _ninety(draws: np.ndarray) -> tuple[float, float]:
    return sampling_interval(draws, 90)


def test_few_draws_run_from_least_to_greatest() -> None:
    """With n + 1 < 2/alpha the interval is the draws' range, which holds (n - 1)/(n + 1)."""
    rng = np.random.default_rng(2)
    draws = rng.random((2_000, 9))
    bounds = np.array([sampling_interval(row, 95) for row in draws])
    assert np.array_equal(bounds, np.column_stack([draws.min(axis=1), draws.max(axis=1)]))
    # 8/10; the range of 9 is beta(8, 2), with a variance of 16/(100 * 11), 0.0145
    assert (bounds[:, 1] - bounds[:, 0]).mean() == pytest.approx(
        0.8, abs=4 * math.sqrt(0.0145 / 2_000)
    )


def test_tunnel_bounds_have_quantiles_of_their_own() -> None:
    """Lower bounds give the lower quantile and upper bounds the upper, each without its NaN."""
    lower, upper = [4, NAN, 3, 2, 1], [5, 6, 7, 8, NAN]
    # k = 0.2 * 5 = 1 and 0.8 * 5 = 4 at 60%; 0.3 * 5 = 1.5 and 3.5 at 40%
    assert tunnel_interval(lower, upper, 60) == pytest.approx((1, 8), abs=1e-12)
    assert tunnel_interval(lower, upper, 40) == pytest.approx((1.5, 7.5), abs=1e-12)


@pytest.mark.parametrize("level", [50, 80, 90])
@pytest.mark.parametrize("tunnel", [0.1, 0.4, 0.65, 1.0])
def test_the_tunnel_is_undone(tunnel: float, level: float) -> None:
    """Theorem 1: bounds stated from [u, u + p], u even on [0, 1 - p], give the belief's own.

    In the belief's mass the stated bounds are u + p a and u + p (1 - a), a = alpha/2; the
    a-quantile of u is (1 - p) a, and the sum a. With u_k = (1 - p) k/(n + 1) that is exact.
    """
    a = (100 - level) / 200
    u = (1 - tunnel) * np.arange(1, 40) / 40
    low, high = tunnel_interval(u + tunnel * a, u + tunnel * (1 - a), level)
    assert (low, high) == pytest.approx((a, 1 - a), abs=1e-12)


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


def test_evenly_placed_draws_give_their_own_quantiles() -> None:
    """The k/400 quantiles of a normal belief, as draws, give its 99% interval."""
    draws = norm.ppf(np.arange(1, 400) / 400)
    expected = norm.interval(0.99)  # k = 0.005 * 400 = 2
    assert sampling_interval(draws, 99) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0, 100, -5, 120, NAN])
def test_levels_out_of_range_are_refused(level: float) -> None:
    """A level that is no percentage between 0 and 100 raises an error that names it."""
    with pytest.raises(ValueError, match=f"level={level}"):
        sampling_interval([1, 2], level)
    with pytest.raises(ValueError, match=f"level={level}"):
        tunnel_interval([1, 2], [3, 4], level)
