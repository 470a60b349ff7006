"""Coverage, misses, widths and the interval score: by hand, as identities, and by an oracle."""

from collections.abc import Callable

import numpy as np
import pytest
import scoringrules
from hypothesis import given

from inspect_confidence.metrics import (
    conformal_offset,
    conformity_scores,
    coverage,
    coverage_gap,
    coverage_plateau,
    covered,
    interval_score,
    interval_scores,
    mean_width,
    median_width,
    miss_above,
    miss_below,
)
from inspect_confidence.metrics.arrays import FloatArray
from metrics.strategies import StatedIntervals, fixed, levels, quarters, stated_intervals

NAN = float("nan")
LEVEL = 80.0

# Truth on the upper bound; above by 1; in an interval of no width; below by 1.
LOWER = (0.0, 2.0, 4.0, 1.0)
UPPER = (3.0, 5.0, 4.0, 9.0)
TRUTH = (3.0, 6.0, 4.0, 0.0)

Metric = Callable[[FloatArray, FloatArray, FloatArray], float]

METRICS: dict[str, tuple[Metric, float]] = {
    # Judgments 1 and 3 of 4 hold their truth.
    "coverage": (coverage, 0.5),
    # 0.5 - 0.8
    "coverage_gap": (lambda low, high, truth: coverage_gap(low, high, truth, LEVEL), -0.3),
    # alpha = 0.2, 2/alpha = 10: (3 + 0) + (3 + 10) + (0 + 0) + (8 + 10) = 34, over 4
    "interval_score": (lambda low, high, truth: interval_score(low, high, truth, LEVEL), 8.5),
    # (3 + 3 + 0 + 8) / 4
    "mean_width": (lambda low, high, truth: mean_width(low, high), 3.5),
    # 0, 3, 3, 8: the middle two are 3
    "median_width": (lambda low, high, truth: median_width(low, high), 3.0),
    # Judgment 4 of 4.
    "miss_below": (lambda low, high, truth: miss_below(low, truth), 0.25),
    # Judgment 2 of 4.
    "miss_above": (lambda low, high, truth: miss_above(high, truth), 0.25),
}
USES = {"mean_width": "lu", "median_width": "lu", "miss_below": "lt", "miss_above": "ut"}
"""Which of lower, upper and truth a metric takes, where it isn't all three."""

every_metric = pytest.mark.parametrize("name", METRICS)


def value(name: str, lower: object, upper: object, truth: object) -> float:
    """The metric of that name."""
    metric, _ = METRICS[name]
    return metric(np.array(lower, float), np.array(upper, float), np.array(truth, float))


@every_metric
def test_interval_metrics_of_four_judgments(name: str) -> None:
    """By hand for four judgments; NaN of nothing; lengths that differ and tables are refused."""
    assert value(name, LOWER, UPPER, TRUTH) == pytest.approx(METRICS[name][1], rel=1e-14)
    for count in [0, 1, 3]:
        assert np.isnan(value(name, [NAN] * count, [NAN] * count, [NAN] * count)), count
    arrays = {"l": [0.0] * 2, "u": [1.0] * 3, "t": [0.0] * 4}
    first_key, second_key = sorted(USES.get(name, "lut"), key="lut".index)[:2]
    keywords = {"l": "lower", "u": "upper", "t": "truth"}
    expected = ", ".join(
        f"'{keywords[key]}': {len(arrays[key])}" for key in (first_key, second_key)
    )
    with pytest.raises(ValueError, match=expected):
        value(name, *arrays.values())
    with pytest.raises(ValueError, match="has 2 dimensions"):
        value(name, [[0, 0]], [[1, 1]], [[0, 0]])


def test_values_of_single_judgments() -> None:
    """Metrics of single judgments hold each judgment's own value and NaN where one is missing."""
    lower, upper, truth = (*LOWER, NAN, 0, 0), (*UPPER, 1, NAN, 1), (*TRUTH, 0, 0, NAN)
    np.testing.assert_array_equal(covered(lower, upper, truth), [1, 0, 1, 0, NAN, NAN, NAN])
    scores = interval_scores(lower, upper, truth, LEVEL)
    np.testing.assert_allclose(scores, [3, 13, 0, 18, NAN, NAN, NAN], rtol=1e-14)
    # max(0 - 3, 3 - 3), max(2 - 6, 6 - 5), max(4 - 4, 4 - 4), max(1 - 0, 0 - 9)
    outside = conformity_scores(lower, upper, truth)
    np.testing.assert_array_equal(outside, [0, 1, 0, 1, NAN, NAN, NAN])


def test_unreadable_judgments_are_left_out() -> None:
    """A judgment with NaN in any argument that a metric takes doesn't change the metric."""
    for name in METRICS:
        for argument in USES.get(name, "lut"):
            extra = {"l": 7.0, "u": 7.0, "t": 7.0, argument: NAN}
            got = value(name, (extra["l"], *LOWER), (extra["u"], *UPPER), (extra["t"], *TRUTH))
            assert got == pytest.approx(METRICS[name][1], rel=1e-14), (name, argument)


def test_bad_levels_are_refused() -> None:
    """A level that is no percentage between 0 and 100 raises an error that names it."""
    for metric in [coverage_gap, interval_score, conformal_offset]:
        for level in [0.0, 100.0, -5.0, 101.0, NAN, float("inf")]:
            with pytest.raises(ValueError, match=f"level={level} is not a percentage"):
                metric([0], [1], [0], level)


def test_plateau_is_the_mean_of_coverage_over_level() -> None:
    """The mean of coverage/level over levels whose coverage is there."""
    # 0.4/0.5 = 0.8 and 0.45/0.9 = 0.5
    assert coverage_plateau([0.4, NAN, 0.45], [50, 80, 90]) == pytest.approx(0.65, rel=1e-14)
    assert np.isnan(coverage_plateau([], []))
    assert np.isnan(coverage_plateau([NAN, NAN], [50, 90]))
    with pytest.raises(ValueError, match="'coverages': 2, 'levels': 3"):
        coverage_plateau([0.4, 0.5], [50, 80, 90])


def test_infinite_intervals() -> None:
    """An infinite interval covers, misses on neither side, and has infinite width and score."""
    lower, upper, truth = [-np.inf, 0.0], [np.inf, 1.0], [3.0, 2.0]
    assert coverage(lower, upper, truth) == 0.5
    assert (miss_below(lower, truth), miss_above(upper, truth)) == (0, 0.5)
    assert mean_width(lower, upper) == interval_score(lower, upper, truth, LEVEL) == np.inf
    assert median_width([*lower, 0], [*upper, 2]) == 2  # of 1, 2, inf


@fixed
@given(stated_intervals(), quarters, levels)
def test_moving_bounds_and_truths_changes_no_metric(
    intervals: StatedIntervals, offset: float, level: float
) -> None:
    """Moving bounds and truths by the same number changes no metric."""
    moved = (intervals.lower + offset, intervals.upper + offset, intervals.truth + offset)
    assert coverage(*moved) == coverage(*intervals)
    assert miss_below(moved[0], moved[2]) == miss_below(intervals.lower, intervals.truth)
    assert miss_above(moved[1], moved[2]) == miss_above(intervals.upper, intervals.truth)
    assert interval_score(*moved, level) == interval_score(*intervals, level)
    assert conformal_offset(*moved, level) == conformal_offset(*intervals, level)


@fixed
@given(stated_intervals(), levels)
def test_changing_all_signs_swaps_the_misses(intervals: StatedIntervals, level: float) -> None:
    """Changing the sign of bounds and truths swaps the two misses and keeps all else."""
    mirrored = (-intervals.upper, -intervals.lower, -intervals.truth)
    assert coverage(*mirrored) == coverage(*intervals)
    assert miss_below(mirrored[0], mirrored[2]) == miss_above(intervals.upper, intervals.truth)
    assert miss_above(mirrored[1], mirrored[2]) == miss_below(intervals.lower, intervals.truth)
    assert interval_score(*mirrored, level) == interval_score(*intervals, level)
    assert conformal_offset(*mirrored, level) == conformal_offset(*intervals, level)


@fixed
@given(stated_intervals())
def test_a_truth_is_below_inside_or_above(intervals: StatedIntervals) -> None:
    """The share covered and the two shares missed sum to one."""
    lower, upper, truth = intervals
    parts = miss_below(lower, truth), coverage(*intervals), miss_above(upper, truth)
    assert sum(parts) == pytest.approx(1, abs=1e-14)


@fixed
@given(stated_intervals(ordered=False), levels)
def test_score_is_two_pinball_losses(intervals: StatedIntervals, level: float) -> None:
    """The score is 2/alpha times the pinball losses at alpha/2 and 1 - alpha/2, bounds crossed too.

    The pinball loss of q at tau is (y - q) tau where y >= q, else (q - y) (1 - tau).
    """
    lower, upper, truth = intervals
    alpha = 1 - level / 100

    def pinball(quantile: FloatArray, tau: float) -> FloatArray:
        error = truth - quantile
        return np.where(error >= 0, tau * error, (tau - 1) * error)

    losses = pinball(lower, alpha / 2) + pinball(upper, 1 - alpha / 2)
    np.testing.assert_allclose(
        interval_scores(*intervals, level), 2 / alpha * losses, rtol=1e-10, atol=1e-10
    )


@fixed
@given(stated_intervals(), levels)
def test_score_is_at_least_the_width(intervals: StatedIntervals, level: float) -> None:
    """Each score is the width where the interval covers, and more than that where it misses."""
    widths, scores = intervals.upper - intervals.lower, interval_scores(*intervals, level)
    inside = (intervals.lower <= intervals.truth) & (intervals.truth <= intervals.upper)
    np.testing.assert_array_equal(scores[inside], widths[inside])
    assert (scores[~inside] > widths[~inside]).all()


def test_scores_equal_scoringrules() -> None:
    """Scores equal those of scoringrules on random intervals, truths on either side and inside."""
    for level in [5.0, 50.0, 80.0, 90.0, 97.5, 99.0]:
        rng = np.random.default_rng(1)
        lower, upper = np.sort(rng.normal(size=(2, 500)), axis=0)
        truth = rng.normal(size=500)
        expected = scoringrules.interval_score(truth, lower, upper, (100 - level) / 100)
        np.testing.assert_allclose(
            interval_scores(lower, upper, truth, level), expected, rtol=1e-12
        )
