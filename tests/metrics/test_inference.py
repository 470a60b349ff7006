"""Intervals from resamples, and the p-values that agree with them."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_confidence.metrics import (
    interval_of,
    resampled_interval,
    resampled_p,
    why_no_interval,
)
from inspect_confidence.metrics.registry import Interval, Method

RESAMPLED: tuple[Method, ...] = ("percentile", "bias_corrected", "basic", "debiased")


@pytest.mark.parametrize("method", RESAMPLED)
def test_p_agrees_with_the_interval(method: Method) -> None:
    """A p is below .05 just where the interval leaves out 0, skewed or biased as draws may be."""
    rng = np.random.default_rng(1)
    left_out = 0
    for _ in range(200):
        value, bias, units = rng.normal(0, 2), rng.normal(0, 0.5), int(rng.integers(5, 300))
        draws = value + bias + rng.gamma(2, 0.7, 499) - 1.4
        low, high = resampled_interval(value, draws, units, method=method)
        assert low <= value <= high
        without = not low <= 0 <= high
        assert (resampled_p(value, draws, units, method=method) < 0.05) == without
        left_out += without
    assert 20 < left_out < 180


def test_debiased() -> None:
    """Draws 1 too high on the mean: the farther of the reflected ones and of those 2 lower."""
    draws = np.linspace(0, 1, 20_001) ** 2 * 3  # mean 1, from 0 to 3
    low, high = resampled_interval(0.0, draws, 10**9, method="debiased")
    # basic: minus the percentiles .975 and .025, 3 x .975^2 and 3 x .025^2; shifted: those less 2
    assert low == pytest.approx(-3 * 0.975**2, abs=0.01)
    assert high == pytest.approx(3 * 0.975**2 - 2, abs=0.01)


def test_reasons_for_no_interval() -> None:
    """Too few units or rare outcomes, undefined or equal resamples, or no method at all."""
    draws = np.linspace(0, 1, 100)
    rule = Interval(least=20, rarest=5)
    assert why_no_interval(rule, draws, 20, 5) == ""
    assert why_no_interval(rule, draws, 19) == "fewer than 20 items"
    few = "4 in the rarest outcome, of which 5 are needed"
    assert interval_of(rule, 0.5, draws, 20, 4)[1] == few
    gaps = np.where(draws < 0.1, np.nan, draws)
    assert why_no_interval(rule, gaps, 20) == "undefined in 10 of 100 resamples"
    assert why_no_interval(rule, np.ones(100), 20) == "the same in every resample"
    assert why_no_interval(Interval("none", "no"), draws, 20) == "no"
    assert why_no_interval(Interval("own"), draws, 20) == "its own method gives none here"
