"""Ranks and their simultaneous intervals, by hand and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata, t

from inspect_confidence.metrics import rank_intervals, ranks


def test_ranks_are_those_of_scipy_beyond_rounding() -> None:
    """Ties share the best rank; .1 + .2 and .3 tie."""
    losses = np.random.default_rng(0).integers(0, 6, 30) / 7
    np.testing.assert_array_equal(ranks(losses), rankdata(losses, "min"))
    np.testing.assert_array_equal(ranks([0.1 + 0.2, 0.3, 0.2]), [2, 2, 1])


@pytest.mark.parametrize("models", [2, 3, 16])
@pytest.mark.parametrize("items", [20, 500])
def test_a_pair_is_apart_from_bonferronis_t_quantile_on(models: int, items: int) -> None:
    """Two models with standard error .03 of the difference, the others far away."""
    draws = np.tile([[-0.03], [0.03]], (500, models))
    draws[:, 1:] = 0
    pairs = models * (models - 1) / 2
    error = 0.03 * np.sqrt(items / (items - 1))
    reach = t.ppf(1 - 0.025 / pairs, items - 1) * error
    for difference, worst in ((0.999 * reach, 2), (1.001 * reach, 1)):
        values = np.r_[0, difference, np.full(models - 2, 9.0)]
        best, high = rank_intervals(values, values + draws, np.full(models, items))
        assert (best[0], high[0], best[1], high[1]) == (1, worst, 3 - worst, 2)


def test_equal_draws_leave_no_doubt_and_undefined_ones_no_order() -> None:
    """A difference that no resample changes is sure; without complete draws nothing is."""
    values, noise = np.array([0.1, 0.2, 0.2]), np.random.default_rng(1).normal(size=(100, 1))
    best, worst = rank_intervals(values, values + noise, [50] * 3)
    assert (best.tolist(), worst.tolist()) == ([1, 2, 2], [1, 3, 3])
    best, worst = rank_intervals(values, np.full((100, 3), np.nan), [50] * 3)
    assert (best.tolist(), worst.tolist()) == ([1, 1, 1], [3, 3, 3])
    best, worst = rank_intervals([0.1], np.zeros((100, 1)), [50])
    assert (best.tolist(), worst.tolist()) == ([1], [1])


def test_a_target_ranks_by_distance_on_both_sides() -> None:
    """Distances from 1: .1 below and .1 above can't be told apart, .5 above and .6 below can."""
    values = np.array([0.9, 1.1, 1.5, 0.4])
    draws = np.random.default_rng(2).normal(values, 0.03, (2_000, 4))
    best, worst = rank_intervals(values, draws, [300] * 4, target=1)
    assert best.tolist() == [1, 1, 3, 3]
    assert worst.tolist() == [2, 2, 4, 4]
    # |a - 1| of 1.5 and .4 differ by .1, whose standard error is now .021 and was .042.
    best, worst = rank_intervals(values, values + (draws - values) / 2, [300] * 4, target=1)
    assert best.tolist() == [1, 1, 3, 4]
    assert worst.tolist() == [2, 2, 3, 4]


def test_bias_of_the_smaller_sample_is_no_evidence() -> None:
    """Resampling adds .04 to one number and nothing to the other: .1 apart may be .02."""
    noise = np.random.default_rng(3).normal(0, 0.01, (2_000, 2))
    values = np.array([0.02, 0.1])
    best, _ = rank_intervals(values, values + noise, [400, 100])
    assert best.tolist() == [1, 2]
    best, _ = rank_intervals(values, values + noise + [0, 0.04], [400, 100])
    assert best.tolist() == [1, 1]
