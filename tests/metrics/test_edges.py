"""Edges at which rounding, infinities and empty sets once gave a wrong number."""

import numpy as np
import pytest

from inspect_confidence.metrics import (
    accuracy,
    brier,
    clustered_wilson_interval,
    conformal_offset,
    coverage_plateau,
    ece,
    mean_confidence,
    mean_of,
    miss_above,
    miss_below,
    percentile_interval,
)
from inspect_confidence.studies.intervals import Intervals
from metrics.oracles import share_interval

INF = float("inf")


def intervals(unit: list[int], width: list[float], truth: list[float]) -> Intervals:
    """Judgments at 50%, of intervals that start at zero, over five items."""
    zeros = np.zeros(len(unit))
    return Intervals(
        level=50,
        unit_index=np.array(unit),
        unit_count=5,
        lower=zeros,
        upper=np.array(width),
        truth=np.array(truth),
        epoch=zeros,
        empty=zeros > 0,
    )


def test_empty_sets_of_three_items() -> None:
    """The offset is -2: the middle of 0 and 6; a truth in an empty set is missed once."""
    # Of one empty set and one of width 6, the median width is the mean of 0 and 6.
    # Train scores are -3, -2, -1; the offset is the 2nd, -2; widths 2 and 10 become 0 and 6. The
    # median of the direct widths, 6, less 4, is 2.
    assert conformal_offset([0, 0, 0], [6, 8, 8], [3, 2, 7], 50) == -2
    test = intervals([3, 4], [2, 10], [1, 5])
    assert test.move_bounds(-2).statistics()["median_width"](np.ones((1, 5))) == [3]
    # A truth in an empty set counts once among covered, missed below and missed above.
    # [0, 2] becomes [2, 0], and truth 1 is below 2 and above 0.
    statistics = intervals([3], [2], [1.0]).move_bounds(-2).statistics()
    parts = [statistics["coverage"], statistics["miss_below"], statistics["miss_above"]]
    assert sum(part(np.ones((1, 5))) for part in parts) == 1


def test_numbers_of_32_bits_are_the_decimals_they_stand_for() -> None:
    """A right answer at .9 and a wrong one at .8, each on the lower edge of its bin of ten.

    In 64 bits the 32-bit .9 is .8999999762, which shares the bin of .8: the gap there is .35.
    """
    confidence, correct = np.array([0.9, 0.8], np.float32), np.array([1, 0])
    assert ece(confidence, correct) == pytest.approx((0.1 + 0.8) / 2, abs=1e-15)
    assert mean_confidence(confidence) == pytest.approx(0.85, abs=1e-15)
    assert brier(confidence.astype(np.float16), correct) == pytest.approx(0.325, abs=1e-15)


def test_masked_numbers_are_missing() -> None:
    """As NaN are; numpy alone would take the numbers below the mask."""
    confidence = np.ma.masked_array([0.2, 0.9, 0.8], mask=[True, False, False])
    correct = np.ma.masked_array([1, 1, 0], mask=[False, True, False])
    assert brier(confidence, [1, 1, 0]) == pytest.approx((0.01 + 0.64) / 2)
    assert brier(confidence, correct) == pytest.approx(0.64)
    assert mean_confidence(confidence) == pytest.approx(0.85)
    assert accuracy(correct) == 0.5


def test_sample_size_of_items_that_all_have_the_same_share() -> None:
    """Where items don't vary the sample size is their number, also where rounding leaves 1e-17."""
    # 4 items with 1 of 49 each: a share of 1/49 at n = 4; likewise 1 of 2. In floats 49 * (1/49) is
    # a little less than 1.
    for trials in (49, 2):
        expected = share_interval(4 / trials, 4)
        assert clustered_wilson_interval([1] * 4, [trials] * 4) == pytest.approx(expected)


def test_wilson_leaves_out_missing_items_and_refuses_bad_counts() -> None:
    """A missing item is left out; impossible counts and percentages are errors."""
    expected = share_interval(2, 3)
    assert clustered_wilson_interval([np.nan, 1, 0, 1], [1, 1, 1, 1]) == pytest.approx(expected)
    with pytest.raises(ValueError, match="successes"):
        clustered_wilson_interval([3, 1], [1, 1])
    with pytest.raises(ValueError, match="confidence=95"):
        clustered_wilson_interval([0, 1], [1, 1], confidence=95)


def test_plateau_refuses_bad_levels() -> None:
    """A level that is no percentage between 0 and 100 raises an error that names it."""
    for level in [-50.0, 150.0]:
        with pytest.raises(ValueError, match=f"level={level} is not a percentage"):
            coverage_plateau([0.5], [level])


def test_infinite_values_and_tiny_levels_are_handled() -> None:
    """Infinite values, tiny levels, and a share that rounds up."""
    assert mean_of([-INF, 1], np.array([0, 1]), 2)(np.ones((1, 2))) == [-INF]
    # Of 1 to 10,000 the 2.5% quantile is the 250th value: a share of .025 is no greater.
    assert percentile_interval(np.arange(1, 10_001)) == (250, 9_750)
    # At a level just above 0 the offset is the smallest score: the ceiling of 4e-9 is 1.
    assert conformal_offset([0, 0, 0], [2, 2, 2], [1, 3, 6], 1e-7) == -1


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_misses_of_an_infinite_truth() -> None:
    """An interval without an end on one side doesn't miss an infinite truth on the other."""
    assert (miss_below([-INF], [INF]), miss_above([INF], [-INF])) == (0, 0)
