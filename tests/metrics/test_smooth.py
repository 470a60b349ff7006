"""Draws of statistics of units along a line that are like their neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from inspect_confidence.metrics import mean_of, ratio, resampled_interval, smooth_draws
from inspect_confidence.metrics.smooth import within_range


def cosine_sums(values: Sequence[float]) -> list[float]:
    """L_1 to L_4 by loops: sqrt(2) sum_i v_i cos(pi j (i - 1/2)/n) / n."""
    n, sums = len(values), []
    for j in (1, 2, 3, 4):
        terms = [
            math.sqrt(2) * value * math.cos(math.pi * j * (i - 0.5) / n)
            for i, value in enumerate(values, 1)
        ]
        sums.append(sum(terms) / n)
    return sums


@pytest.mark.parametrize("has_trend", [False, True])
def test_the_interval_of_a_mean_is_by_cosines_less_the_trend(has_trend: bool) -> None:
    """Standard error and quantile by loops and numpy's least squares of the four cosines."""
    values = np.random.default_rng(1).normal(size=40).cumsum()
    n, trend = len(values), np.linspace(0, 1, 40) ** 2
    mean = float(values.mean())
    sums = np.array(cosine_sums((values - mean).tolist()))
    if has_trend:
        design = np.array(cosine_sums(trend.tolist()))[:, None]
        sums = sums - design @ np.linalg.lstsq(design, sums, rcond=None)[0]
    half = 5 * math.sqrt((sums**2).sum() / 3)
    known_trend = trend if has_trend else None
    statistic = mean_of(values, np.arange(n), n)
    by_name = smooth_draws({"m": statistic}, n, resamples=100_000, seed=2, trend=known_trend)
    low, high = resampled_interval(mean, by_name["m"], n)
    assert (low, high) == pytest.approx((mean - half, mean + half), abs=0.02 * half)


def test_equal_seeds_give_joint_draws_of_several_calls() -> None:
    """The draws of a sum of statistics are the sums of their draws."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 30))
    statistics = [mean_of(values, np.arange(30), 30) for values in (first, second, first + second)]
    draws = [smooth_draws({0: part}, 30, resamples=50, seed=4)[0] for part in statistics]
    assert draws[0] + draws[1] == pytest.approx(draws[2], abs=1e-12)


def test_a_constant_has_equal_draws_and_an_undefined_statistic_none() -> None:
    """Units that are alike vary by nothing; a ratio over 0 is NaN in every draw."""
    constant = mean_of(np.full(25, 0.3), np.arange(25), 25)
    undefined = ratio(np.zeros(25), np.zeros(25))
    draws = smooth_draws({"constant": constant, "undefined": undefined}, 25, resamples=10)
    assert set(np.round(draws["constant"], 15)) == {0.3}
    assert np.isnan(draws["undefined"]).all()


def test_within_range_is_fishers_transformation_of_a_correlation() -> None:
    """tanh(artanh(r) + d / (1 - r^2)); values at an end, and infinite ranges, are left alone."""
    draws = np.array([0.2, 0.6, 1.4])
    expected = np.tanh(np.arctanh(0.6) + (draws - 0.6) / (1 - 0.6**2))
    assert within_range(draws, 0.6, -1, 1) == pytest.approx(expected, abs=1e-12)
    assert within_range(draws, 1.0, -1, 1).tolist() == draws.tolist()
    assert within_range(draws, 0.6, -np.inf, np.inf).tolist() == draws.tolist()
