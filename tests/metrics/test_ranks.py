"""Ranks and their simultaneous intervals, by hand, against scipy and against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata
from statsmodels.stats.multitest import multipletests

from inspect_confidence.metrics import rank_intervals, ranks


def test_ranks_are_those_of_scipy_beyond_rounding() -> None:
    """Ties share the best rank; .1 + .2 and .3 tie."""
    losses = np.random.default_rng(0).integers(0, 6, 30) / 7
    np.testing.assert_array_equal(ranks(losses), rankdata(losses, "min"))
    np.testing.assert_array_equal(ranks([0.1 + 0.2, 0.3, 0.2]), [2, 2, 1])


@pytest.mark.parametrize("models", [2, 3, 16])
def test_a_pair_is_apart_below_holms_level(models: int) -> None:
    """One pair is in doubt, all others are sure: its p is the largest and is not adjusted."""
    for p_of_pair, worst in ((0.051, 2), (0.049, 1)):
        p = np.full((models, models), 1e-9)
        p[0, 1] = p[1, 0] = p_of_pair
        best, high = rank_intervals(np.arange(models), p)
        assert (best[0], high[0], best[1], high[1]) == (1, worst, 3 - worst, 2)
        np.testing.assert_array_equal(best[2:], np.arange(3, models + 1))


def test_interval_ends_count_the_pairs_that_statsmodels_rejects() -> None:
    """Pairs are adjusted together; only the sign of the difference tells which is better."""
    rng = np.random.default_rng(4)
    losses = rng.normal(size=7)
    first, second = np.triu_indices(7, 1)
    p = np.ones((7, 7))
    p[first, second] = p[second, first] = rng.beta(0.2, 8, len(first))
    rejected, *_ = multipletests(p[first, second], method="holm")
    best, worst = np.ones(7), np.full(7, 7)
    for j, k in zip(first[rejected], second[rejected], strict=True):
        better, worse = (j, k) if losses[j] < losses[k] else (k, j)
        worst[better] -= 1
        best[worse] += 1
    assert 0 < rejected.sum() < len(first)
    found_best, found_worst = rank_intervals(losses, p)
    np.testing.assert_array_equal(found_best, best)
    np.testing.assert_array_equal(found_worst, worst)


def test_a_pair_without_p_is_not_ordered_and_not_counted() -> None:
    """Of three models only one pair is tested, so that its p is not adjusted."""
    p = np.full((3, 3), np.nan)
    p[0, 2] = p[2, 0] = 0.04
    best, worst = rank_intervals([0.1, 0.2, 0.3], p)
    assert (best.tolist(), worst.tolist()) == ([1, 1, 2], [2, 3, 3])
    best, worst = rank_intervals([0.1], [[np.nan]])
    assert (best.tolist(), worst.tolist()) == ([1], [1])
