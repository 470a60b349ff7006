"""Intervals from resamples and the p-values that agree with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, chi2, norm, ttest_1samp
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from inspect_confidence import metrics
from inspect_confidence.metrics import (
    TABLE_FUNCTIONS,
    ItemTables,
    bootstrap,
    bootstrap_pair,
    mean_of,
    resampled_as,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.inference import (
    METHODS,
    SAME,
    count_balanced_units,
    interval_of,
    resampled_interval,
    resampled_p,
    score_interval,
    too_few,
    why_no_interval,
)
from inspect_confidence.metrics.registry import Clusters, Interval, Method

EVEN = norm.ppf((np.arange(400_000) + 0.5) / 400_000)
"""Draws as a normal law has them."""

RESAMPLED: tuple[Method, ...] = ("bootstrap", "debiased")


@pytest.mark.parametrize("method", RESAMPLED)
@pytest.mark.parametrize("units", [5, 20, 400])
def test_mean_of_normal_values_is_student_s(units: int, method: Method) -> None:
    """A mean's resamples have the deviation s sqrt((n - 1)/n)/sqrt(n); widened, that is t's."""
    values = np.random.default_rng(units).normal(3, 2, units)
    draws = values.mean() + values.std() / np.sqrt(units) * EVEN
    exact = ttest_1samp(values, 0)
    interval = resampled_interval(values.mean(), draws, units, method=method)
    assert interval == pytest.approx(tuple(exact.confidence_interval()), rel=2e-3)
    # The p of a value that lies as far from 0 as t says.
    shift = values.mean() - 1.3 * values.std(ddof=1) / np.sqrt(units)
    p = resampled_p(values.mean() - shift, draws - shift, units, method=method)
    assert p == pytest.approx(2 * student.sf(1.3, units - 1), rel=5e-3)


NO_HIT_OF_500 = 1.96**2 / (500 + 1.96**2)
"""Wilson's upper limit of 0 of 500: z^2/(n + z^2)."""


@pytest.mark.parametrize(
    ("hits", "trials"), [(0, 40), (1, 4_000), (400, 4_000), (3_990, 4_000), (40, 40)]
)
@pytest.mark.parametrize("ceiling", [1.0, 0.5])
def test_score_interval_of_binomial_draws_is_wilson_s(
    hits: int, trials: int, ceiling: float
) -> None:
    """Draws vary as a share of so many trials, or the share is 0 or 1; statsmodels' interval."""
    share = hits / trials
    draws = ceiling * (share + np.sqrt(share * (1 - share) / trials) * EVEN)
    interval = score_interval(ceiling * share, draws, trials, ceiling=ceiling)
    expected = ceiling * np.array(proportion_confint(hits, trials, method="wilson"))
    if hits == 1:  # Brown, Cai and DasGupta's lower limit is lower there
        expected[0] = ceiling * chi2.ppf(0.05, 2) / 2 / trials
    # Student's t is wider by a thousandth.
    np.testing.assert_allclose(interval, expected, rtol=5e-3)


def test_a_mean_loss_has_the_farther_ends_of_percentiles_and_score() -> None:
    """Near 0, and at 0 itself, the score interval reaches farther."""
    rule = Interval("score", min_units=20)
    draws = np.clip(0.01 + 0.004 * EVEN[::40], 0, 1)
    (low, high), reason = interval_of(rule, 0.01, draws, 500)
    percentiles = resampled_interval(0.01, draws, 500)
    score = score_interval(0.01, draws, 500)
    assert reason == ""
    assert (low, high) == (min(percentiles[0], score[0]), max(percentiles[1], score[1]))
    assert high == score[1] > percentiles[1]
    few_losses = np.linspace(0, 0.001, 250)
    no_loss = interval_of(rule, 0.0, few_losses, 500)[0]
    assert no_loss == pytest.approx((0, NO_HIT_OF_500), rel=5e-3)
    assert resampled_interval(0.0, few_losses, 500)[1] < 0.001 < no_loss[1]
    assert rule.of_difference().method == "bootstrap"


def test_percentiles_follow_a_change_of_scale() -> None:
    """The interval of exp(x) is exp of the interval of x."""
    low, high = resampled_interval(0.4, EVEN, 1_000)
    assert (low, high) == pytest.approx((-1.963, 1.963), abs=5e-3)
    assert resampled_interval(np.exp(0.4), np.exp(EVEN), 1_000) == pytest.approx(
        np.exp([low, high])
    )


@pytest.mark.parametrize(("right", "items"), [(0, 30), (1, 50), (29, 30), (50, 100)])
def test_accuracy_and_overconfidence_of_constant_reports_have_jeffreys_law(
    right: int, items: int
) -> None:
    """Quantiles of Beta(right + 1/2, wrong + 1/2), the tails widened as Student's t is."""
    correct = (np.arange(items) < right).astype(float)
    cells = ItemTables.from_judgments(np.full(items, 0.9), correct)
    statistics = {
        "accuracy": mean_of(correct, np.arange(items), items, (0, 1)),
        "overconfidence": cells.table_statistic.map(TABLE_FUNCTIONS["overconfidence"]),
    }
    plan = resampled_as(list(statistics.values()), np.zeros(items, np.int64), patterns=True)
    draws = bootstrap(
        statistics, np.zeros(items, np.int64), resamples=100_000, seed=1, sampling=plan
    )
    tail = norm.cdf(student.ppf(0.025, items - 1) * np.sqrt(items / (items - 1)))
    law = beta(right + 0.5, items - right + 0.5)
    exact = min(law.ppf(tail), right / items), max(law.isf(tail), right / items)
    accuracy = resampled_interval(right / items, draws["accuracy"], items)
    assert accuracy == pytest.approx(exact, abs=2e-3)
    overconfidence = resampled_interval(0.9 - right / items, draws["overconfidence"], items)
    assert overconfidence == pytest.approx((0.9 - exact[1], 0.9 - exact[0]), abs=2e-3)


def test_half_a_pair_differs_in_either_direction() -> None:
    """Of n pairs alike the share that differs has the law of Beta(1/2, n + 1), as 1/2 in a cell."""
    right = np.ones(40)
    accuracy = mean_of(right, np.arange(40), 40, (0, 1))
    first, second = bootstrap_pair(accuracy, accuracy, np.zeros(40, np.int64), resamples=50_000)
    # Wrong and right, right and wrong: four of twelve pseudo-pairs of an eighth each.
    falls = np.quantile(second - first, [0.9, 0.99])
    rng = np.random.default_rng(0)
    cells = rng.standard_gamma([0.5, 0.5, 40.5], size=(200_000, 3))
    expected = np.quantile((cells[:, 0] - cells[:, 1]) / cells.sum(axis=1), [0.9, 0.99])
    np.testing.assert_allclose(falls, expected, rtol=0.05)


def test_debiased_interval_joins_reflected_and_shifted_draws() -> None:
    """Draws 1 too high on the mean: the farther of the reflected ones and of those 2 lower."""
    draws = np.linspace(0, 1, 20_001) ** 2 * 3  # mean 1, from 0 to 3
    low, high = resampled_interval(0.0, draws, 10**9, method="debiased")
    # basic: minus the percentiles .975 and .025, 3 x .975^2 and 3 x .025^2; shifted: those less 2
    assert low == pytest.approx(-3 * 0.975**2, abs=0.01)
    assert high == pytest.approx(3 * 0.975**2 - 2, abs=0.01)


def test_unbounded_draws_leave_the_interval_unbounded_on_their_side() -> None:
    """One draw in ten without bound, as of a ratio to a number that may be 0; all alike are not."""
    draws = np.concatenate([np.linspace(0, 2, 900), np.full(100, np.inf)])
    (low, high), reason = interval_of(Interval(), 1.0, draws, 50)
    assert (reason, high) == ("", np.inf)
    assert 0 < low < 0.1
    assert why_no_interval(Interval(), np.full(100, np.inf), 50) == SAME


def test_ends_reach_the_value() -> None:
    """What resampling biases far away from the value still has it inside."""
    assert resampled_interval(1.0, EVEN + 10, 50)[0] == 1
    low, high = resampled_interval(1.0, EVEN + 10, 50, method="debiased")
    assert low < 1 <= high


def test_infinite_draws_stay_infinite() -> None:
    """Ends are order statistics: an interval that conformal adjustment made infinite is one."""
    draws = np.array([1.0] * 900 + [np.inf] * 100)
    assert resampled_interval(1.0, draws, 50) == (1, np.inf)
    assert resampled_interval(np.inf, draws, 50)[1] == np.inf


@given(
    st.lists(st.floats(-3, 3).map(lambda x: round(x, 1)), min_size=40, max_size=80),
    st.floats(-3, 3).map(lambda x: round(x, 1)),
    st.integers(2, 200),
    st.sampled_from(RESAMPLED),
)
def test_p_agrees_with_the_interval(
    draws: list[float], value: float, units: int, method: Method
) -> None:
    """P < .05 just where the interval leaves out 0, ties and all; the value is inside."""
    low, high = resampled_interval(value, draws, units, method=method)
    p = resampled_p(value, draws, units, method=method)
    assert low <= value <= high
    assert 0 < p <= 1
    assert (p < 0.05) == (low > 0 or high < 0)


def test_p_of_no_difference_is_1_and_of_nan_is_nan() -> None:
    """A difference of 0 has p = 1; an undefined one none."""
    assert resampled_p(0.0, EVEN, 30) == 1
    assert np.isnan(resampled_p(np.nan, EVEN, 30))
    assert np.isnan(resampled_p(1.0, [np.nan], 30))


def test_p_is_students_where_no_resample_reaches_0() -> None:
    """Where none reaches 0 Student's t tells how far it is; signs where all units differ alike."""
    values = np.random.default_rng(0).normal(3, 2, 20)
    draws = values.mean() + values.std() / np.sqrt(20) * EVEN[50::100]
    exact = float(ttest_1samp(values, 0).pvalue)
    assert exact < 2 / 4_001
    assert resampled_p(values.mean(), draws, 20) == pytest.approx(exact, rel=0.05)
    # All of 30 differences are 5: two of 2^30 patterns of signs are as far from 0.
    assert resampled_p(5.0, np.full(99, 5.0), 30) == pytest.approx(2.0**-29)
    assert resampled_p(5.0, np.full(99, 5.0), 3) == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("units", "right_share", "expected"),
    [
        (24, 22 / 24, 9.0),  # 4 * 22.5 * 2.5 / 25
        (24, 2 / 24, 9.0),
        (19, 0.5, 20.0),  # 4 * 10 * 10 / 20
        (19, 1.0, 1.95),  # 4 * 19.5 * 0.5 / 20
    ],
)
def test_balanced_units_are_twice_the_harmonic_mean_of_right_and_wrong(
    units: int, right_share: float, expected: float
) -> None:
    """Each with half a unit more; right and wrong may be exchanged."""
    assert count_balanced_units(units, right_share) == pytest.approx(expected)


def test_compared_outcomes_have_the_tails_of_their_balanced_units() -> None:
    """9 balanced units: t(8) sqrt(9/8) = 2.306 * 1.061 = 2.446."""
    for metric in ("auroc", "prr", "brier_reliability", "corp_miscalibration"):
        (low, high), _ = interval_of(metrics.METRICS[metric].interval, 0.0, EVEN, 300, 9.0)
        assert (low, high) == pytest.approx((-2.446, 2.446), abs=2e-3)
    # Of 24 units, without a comparison or with more balanced units: t(23) sqrt(24/23).
    expected = pytest.approx((-2.113, 2.113), abs=2e-3)
    auroc, brier = (metrics.METRICS[name].interval for name in ("auroc", "brier"))
    assert interval_of(brier, 0.0, EVEN, 24, 9.0)[0] == expected
    assert interval_of(auroc, 0.0, EVEN, 24, 25.0)[0] == expected
    assert interval_of(auroc.of_difference(), 0.0, EVEN, 24)[0] == expected


@pytest.mark.parametrize(
    ("rule", "draws", "units", "reason"),
    [
        (Interval("none", "too few values"), EVEN, 50, "too few values"),
        (Interval(min_units=30), EVEN, 29, "fewer than 30 items"),
        (Interval(min_units=30, units="contexts"), EVEN, 29, "fewer than 30 contexts"),
        (Interval(), np.full(9, 0.5), 50, SAME),
        (Interval(), 0.95 + 1e-16 * np.arange(9), 50, SAME),
        (Interval(), np.array([1.0, np.nan]), 50, "undefined in 1 of 2 resamples"),
        (
            Interval("own", "said"),
            EVEN,
            50,
            "the method of its interval does not apply to this number",
        ),
        (Interval(), np.array([1.0, 2.0]), 50, ""),
    ],
)
def test_a_number_without_an_interval_says_why(
    rule: Interval, draws: FloatArray, units: int, reason: str
) -> None:
    """What its metric's rule asks for, and what resamples must have."""
    assert why_no_interval(rule, draws, units) == reason
    interval, note = interval_of(rule, 1.5, draws, units)
    assert note == reason
    assert np.isnan(interval).all() == bool(reason)


def test_rules_where_clusters_are_resampled() -> None:
    """Enough clusters; a share is resampled; no interval of what stays biased."""
    decades = Clusters("decades", min_units=10)
    share = Interval("wilson").over(decades)
    assert share.method == "bootstrap"
    assert too_few(share, 9) == "fewer than 10 decades"
    assert too_few(share, 10) == ""
    assert Interval("debiased").over(decades).method == "none"
    assert Interval("debiased").over(None) == Interval("debiased")


def test_undefined_resamples_are_left_out_up_to_a_share() -> None:
    """Five in a hundred may be undefined."""
    draws = np.append(EVEN[:950], np.full(50, np.nan))
    assert interval_of(Interval(), 0.0, draws, 50) == (resampled_interval(0.0, EVEN[:950], 50), "")


def test_every_metric_has_a_known_method_and_a_reason() -> None:
    """Methods are known; one of its own, and none of an estimate, says what or why."""
    for entry in metrics.METRICS.values():
        assert entry.interval.method in METHODS, entry.name
        assert entry.interval.method != "own" or entry.interval.reason, entry.name
