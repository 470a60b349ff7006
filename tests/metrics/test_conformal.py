"""The split-conformal offset: by hand, by MAPIE, and by its guarantee."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mapie.regression import ConformalizedQuantileRegressor
from sklearn.linear_model import LinearRegression

from inspect_confidence.metrics import (
    conformal_interval,
    conformal_offset,
    conformal_rank,
    coverage,
)
from metrics.strategies import Judged, fixed, judged, levels

NAN, INF = float("nan"), float("inf")

# Conformity scores max(lower - truth, truth - upper): -1, 1, 2, -2; in order -2, -1, 1, 2.
LOWER, UPPER, TRUTH = [0, 0, 0, 0], [4, 4, 4, 4], [1, 5, -2, 2]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (20, -2),  # 5 * 0.2 = 1: the first
        (20.01, -1),  # 1.0005, rounded up: the second
        (60, 1),  # the third
        (80, 2),  # the fourth of four
        (80.01, INF),  # the fifth of four
        (99, INF),
    ],
)
def test_offset_by_hand(level: float, expected: float) -> None:
    """The offset is the ceil((n + 1) level/100)-th smallest score, infinite where there is none."""
    assert conformal_offset(LOWER, UPPER, TRUTH, level) == expected


def test_unreadable_items_are_left_out() -> None:
    """Items with NaN in any place change neither the scores nor their number."""
    lower, upper, truth = [NAN, *LOWER, 0, 0], [4, *UPPER, NAN, 4], [9, *TRUTH, 9, NAN]
    assert conformal_offset(lower, upper, truth, 60) == 1
    assert conformal_offset(lower, upper, truth, 80) == 2


@pytest.mark.parametrize("count", [0, 2])
def test_nothing_readable_is_infinite(count: int) -> None:
    """With no readable item even the lowest level is unreachable and the offset infinite."""
    assert conformal_offset([NAN] * count, [NAN] * count, [NAN] * count, 1) == INF


def test_mismatched_lengths_are_refused() -> None:
    """Bounds and truths of different numbers of items raise an error with all the numbers."""
    with pytest.raises(ValueError, match="'lower': 4, 'upper': 4, 'truth': 3"):
        conformal_offset(LOWER, UPPER, TRUTH[:3], 60)
    with pytest.raises(ValueError, match="'lower': 4, 'upper': 2"):
        conformal_interval(LOWER, UPPER[:2], 1)


@pytest.mark.parametrize("offset", [0.5, -3.0, INF])
def test_interval_moves_both_bounds_outwards(offset: float) -> None:
    """Bounds move by the offset, may cross at a negative one, and NaN stays NaN."""
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


def mapie(known: Judged, level: float) -> Any:
    """MAPIE, calibrated on intervals; it takes an interval's bounds as two columns of input.

    MAPIE takes the ceiling of a product of floats, which lands above a whole number at times.
    Its level is set lower by 1e-7 percent, so that such a product falls just below the whole
    number; no other product reaches a different one by that.
    """
    regressor = ConformalizedQuantileRegressor(
        [column(1, 0), column(0, 1), column(0.5, 0.5)],
        confidence_level=level / 100 - 1e-9,
        prefit=True,
    )
    return regressor.conformalize(np.column_stack([known.lower, known.upper]), known.truth)


def simulated(n: int, seed: int, width: float) -> Judged:
    """Random intervals of some mean width, and random truths."""
    rng = np.random.default_rng(seed)
    lower = rng.normal(size=n)
    return Judged(lower, lower + width * rng.exponential(size=n), rng.normal(size=n))


def scores(known: Judged) -> list[float]:
    """How far each truth lies outside its interval, in ascending order."""
    return sorted(max(low - y, y - high) for low, high, y in zip(*known, strict=True))


@pytest.mark.parametrize("width", [0.5, 5.0], ids=["too narrow", "too wide"])
@pytest.mark.parametrize(
    ("n", "level"),
    [
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
    ],
)
def test_intervals_equal_mapie(n: int, level: float, width: float) -> None:
    """Adjusted intervals equal MAPIE's conformalised quantile regression with one offset."""
    known, new = simulated(n, seed=n, width=width), simulated(50, seed=n + 1, width=width)
    _, expected = mapie(known, level).predict_interval(
        np.column_stack([new.lower, new.upper]), symmetric_correction=True
    )
    offset = conformal_offset(*known, level)
    low, high = conformal_interval(new.lower, new.upper, offset)
    np.testing.assert_allclose(low, expected[:, 0, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(high, expected[:, 1, 0], rtol=0, atol=1e-12)


def test_offset_where_floats_round_up() -> None:
    """Of 24 items at 56% the offset is the 14th score, where floats would take the 15th."""
    known = simulated(24, seed=0, width=1.0)
    offset = conformal_offset(*known, 56)
    assert offset == scores(known)[13] < scores(known)[14]


@pytest.mark.parametrize(("n", "level"), [(8, 90), (18, 95), (98, 99)])
def test_too_few_items_for_the_level(n: int, level: float) -> None:
    """One item too few for the level gives infinite intervals, where MAPIE gives none.

    The rank is ceil((n + 1) level/100) = n + 1: 9 * .9 = 8.1, 19 * .95 = 18.05, 99 * .99 = 98.01.
    With one item more it is n itself, and the offset finite.
    """
    enough = simulated(n + 1, seed=6, width=1.0)
    few = Judged(*(array[:n] for array in enough))
    offset = conformal_offset(*few, level)
    assert offset == INF
    low, high = conformal_interval([0.0], [1.0], offset)
    assert (low[0], high[0]) == (-INF, INF)
    with pytest.raises(ValueError, match="too low"):
        mapie(few, level)
    assert conformal_offset(*enough, level) == scores(enough)[-1]


@fixed
@given(judged(), levels, st.randoms(use_true_random=False))
def test_order_of_items_is_irrelevant(drawn: Judged, level: float, random: Any) -> None:
    """The offset is the same for the items in any order."""
    order = list(range(len(drawn.truth)))
    random.shuffle(order)
    shuffled = Judged(*(array[order] for array in drawn))
    assert conformal_offset(*shuffled, level) == conformal_offset(*drawn, level)


@fixed
@given(judged(), levels)
def test_intervals_at_their_own_offset_need_no_other(drawn: Judged, level: float) -> None:
    """After moving the bounds by a finite offset, the offset still to learn is zero."""
    offset = conformal_offset(*drawn, level)
    if np.isfinite(offset):
        moved = conformal_interval(drawn.lower, drawn.upper, offset)
        assert conformal_offset(*moved, drawn.truth, level) == 0


@pytest.mark.parametrize("width", [0.5, 8.0], ids=["too narrow", "too wide"])
@pytest.mark.parametrize(
    ("calibration", "level", "rank"), [(9, 90, 9), (24, 56, 14), (99, 80, 80), (40, 33, 14)]
)
def test_coverage_of_new_items(calibration: int, level: float, rank: int, width: float) -> None:
    """Over 2,000 splits the mean coverage of new items is within 3 standard errors of k/(n + 1).

    A new item's score is equally likely to take any rank among n + 1 exchangeable scores without
    ties, so it is at most the k-th smallest of the n others with probability k/(n + 1).
    """
    coverages = []
    for seed in range(2_000):
        judgments = simulated(calibration + 40, seed=seed, width=width)
        known = Judged(*(array[:calibration] for array in judgments))
        new = Judged(*(array[calibration:] for array in judgments))
        offset = conformal_offset(*known, level)
        coverages.append(coverage(*conformal_interval(new.lower, new.upper, offset), new.truth))
    error = np.std(coverages) / np.sqrt(len(coverages))
    assert abs(np.mean(coverages) - rank / (calibration + 1)) <= 3 * error
