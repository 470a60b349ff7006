"""The Brunner-Munzel test, and closed intervals of few values."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import brunnermunzel, permutation_test
from scipy.stats import t as student
from statsmodels.stats.nonparametric import rank_compare_2indep

from inspect_confidence.metrics import (
    BrunnerMunzel,
    brunner_munzel,
    mean_interval,
    median_interval,
    sign_flip_p,
    sign_flips,
)
from inspect_confidence.metrics.arrays import FloatArray
from metrics.oracles import words_of_people_and_gpt4
from metrics.strategies import fixed

NAN, INF = float("nan"), float("inf")

whole = st.lists(st.integers(0, 8).map(float), min_size=2, max_size=15)
"""Few different values, so that most are tied."""


def pairs(first: ArrayLike, second: ArrayLike) -> float:
    """P(first > second) + P(first = second)/2 over all pairs."""
    signs = np.sign(np.subtract.outer(np.asarray(first), np.asarray(second)))
    return float((signs + 1).mean() / 2)


def test_brunner_munzel_of_two_small_samples() -> None:
    """1, 2, 3, 4 against 2, 3, 5, 6."""
    # Placements of the first: 0, 1/8, 3/8, 4/8, mean 1/4, squared deviations (4 + 1 + 1 + 4)/64, so
    # s^2 = 10/192. Of the second: 1 1/2, 2 1/2, 4, 4 of 4, mean 3/4, deviations -3/8, -1/8, 2/8,
    # 2/8, s^2 = (9 + 1 + 4 + 4)/192 = 18/192. SE^2 = 28/768 = (10 + 18)/(4 * 192), df = 28^2 *
    # 3/(10^2 + 18^2) = 2352/424. Of four values there is no p.
    error, df = math.sqrt(28 / 768), 2352 / 424
    got = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6])
    assert got.theta == 0.25
    assert np.isnan(got.p)
    assert got.ci_high == pytest.approx(0.25 + student.ppf(0.975, df) * error, rel=1e-10)
    assert 0.25 - student.ppf(0.975, df) * error < 0 == got.ci_low
    assert "fewer than 5 values" in got.reason
    # logit(1/4) = -ln 3, its standard error SE/(3/16); the end of t, .73, holds 1/2 as it does.
    reach = student.ppf(0.975, df) * error / (3 / 16)
    ends = [1 / (1 + 3 * math.exp(-side * reach)) for side in (-1, 1)]
    got = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6], interval="logit")
    assert [got.ci_low, got.ci_high] == pytest.approx(ends, rel=1e-10)


def statistic(first: FloatArray, second: FloatArray) -> float:
    """Scipy's, without its sign; infinite at complete separation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = abs(float(brunnermunzel(first, second).statistic))
    return np.inf if math.isnan(value) else value


def test_exact_p_of_few_values() -> None:
    """Below ten values p is scipy's permutation p of its own statistic, or that of t if larger."""
    rng = np.random.default_rng(3)
    for n, m in [(5, 5), (5, 5), (6, 5)]:
        first, second = rng.integers(0, 7, n) * 1.0, rng.integers(1, 9, m) * 1.0
        exact = permutation_test(
            (first, second), statistic, n_resamples=9_999, alternative="greater"
        ).pvalue
        of_t = brunnermunzel(first, second).pvalue
        assert brunner_munzel(first, second).p == pytest.approx(max(exact, of_t)), (n, m)
    # Beyond 20,000 splits random ones: 9,999 and the observed one, so within 4 standard errors.
    first, second = rng.integers(0, 30, 123) * 1.0, rng.integers(4, 34, 8) * 1.0
    reference = permutation_test(
        (first, second), statistic, n_resamples=500, alternative="greater", rng=1
    ).pvalue
    result = brunner_munzel(first, second)
    error = math.sqrt(reference * (1 - reference) * (1 / 500 + 1 / 10_000))
    assert abs(result.p - max(reference, brunnermunzel(first, second).pvalue)) < 4 * error
    assert result == brunner_munzel(first, second, seed=0)


def test_complete_separation_has_an_exact_p() -> None:
    """Two of all splits are as far apart, one where ties leave only one: no less at any size."""
    assert brunner_munzel([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p == pytest.approx(2 / 252)
    assert brunner_munzel([0.9] * 15, [0.7] * 15).p == pytest.approx(2 / math.comb(30, 15))
    # Of 5 low and 6 high values the 6 lowest hold a tied high one: only one split separates.
    assert brunner_munzel([1] * 5, [2] * 6).p == pytest.approx(1 / math.comb(11, 5))
    assert brunner_munzel(range(5), range(5, 11)).p == pytest.approx(2 / math.comb(11, 5))
    for got in (brunner_munzel([1] * 5, [2] * 6), brunner_munzel([2] * 123, [1] * 15)):
        assert got.reason == "complete separation"
        assert np.isnan([got.ci_low, got.ci_high]).all()
    # What t gives one value short of separation is no less than at separation.
    assert brunner_munzel([1] * 14 + [3], [2] * 15).p > brunner_munzel([1] * 15, [2] * 15).p


@fixed
@given(whole, whole)
def test_the_interval_of_the_logit_agrees_with_p(first: list[float], second: list[float]) -> None:
    """It leaves out 1/2 where t's does, holds theta, and lies within 0 and 1."""
    by_t = brunner_munzel(first, second, interval="t")
    by_logit = brunner_munzel(first, second, interval="logit")
    assert math.isnan(by_t.ci_low) == math.isnan(by_logit.ci_low)
    if not math.isnan(by_t.ci_low):
        assert 0 < by_logit.ci_low <= by_logit.theta <= by_logit.ci_high < 1
        assert (by_t.ci_low <= 0.5 <= by_t.ci_high) == (by_logit.ci_low <= 0.5 <= by_logit.ci_high)


def test_intervals_of_means_and_medians() -> None:
    """Student's of the logit and order statistics, by hand; none where there is nothing to say."""
    values = np.array([0.5, 0.7, 0.8, 0.9, 0.6, 0.85])
    mean, error = 0.725, values.std(ddof=1) / math.sqrt(6)
    reach = student.ppf(0.975, 5) * error / (mean * (1 - mean))
    ends = [mean * math.exp(side * reach) for side in (-1, 1)]
    assert mean_interval(values) == pytest.approx([value / (value + 1 - mean) for value in ends])
    # P(Binomial(9, 1/2) <= 1) = 10/512 < .025 < 46/512: the second smallest and greatest.
    assert median_interval([9, 1, 8, 2, 7, 3, 6, 4, 5]) == (2, 8)
    assert median_interval(range(6)) == (0, 5)
    for interval in (
        median_interval(range(5)),
        mean_interval([0.4] * 9 + [0.5] * 4),
        mean_interval([]),
    ):
        assert np.isnan(interval).all()


@fixed
@given(st.lists(st.integers(-6, 12).map(float), min_size=1, max_size=15))
def test_exchanged_signs_and_their_interval(differences: list[float]) -> None:
    """P is that of `sign_flip_p`; moved by an end p is at the 5% level, beyond it below."""
    p, (low, high) = sign_flips(differences)
    array = np.array(differences)
    if len(array) <= 13:
        assert p == pytest.approx(sign_flip_p(array))
    else:
        assert p == pytest.approx(sign_flip_p(array), abs=0.025)
    if len(array) < 6 or np.ptp(array) == 0:
        assert np.isnan([low, high]).all()
        return
    assert low <= array.mean() <= high
    assert (p < 0.05) == (low > 0 or high < 0)
    if len(array) <= 13:
        for end, side in ((low, -1), (high, 1)):
            assert sign_flip_p(array - end) >= 0.05
            assert sign_flip_p(array - end - side * 1e-4) < 0.05 + 1e-12


def check(first: ArrayLike, second: ArrayLike) -> BrunnerMunzel:
    """A result that is that of scipy and statsmodels, the interval cut to [0, 1]."""
    got = brunner_munzel(first, second)
    first, second = np.asarray(first, float), np.asarray(second, float)
    peer = rank_compare_2indep(first, second, use_t=True)
    low, high = peer.conf_int()
    assert got.theta == pytest.approx(peer.prob1, abs=1e-12)
    assert got.theta == pytest.approx(pairs(first, second), abs=1e-12)
    if min(len(first), len(second)) >= 10:
        assert got.reason == ""
        assert got.p == pytest.approx(brunnermunzel(first, second).pvalue, rel=1e-8)
        assert got.p == pytest.approx(peer.pvalue, rel=1e-8)
    elif min(len(first), len(second)) >= 5:
        assert got.p >= peer.pvalue - 1e-9
    assert got.ci_low == pytest.approx(max(low, 0), abs=1e-9)
    assert got.ci_high == pytest.approx(min(high, 1), abs=1e-9)
    return got


@fixed
@given(whole, whole)
def test_against_scipy_and_statsmodels(first: list[float], second: list[float]) -> None:
    """The p is scipy's, theta and interval statsmodels', on samples with many ties."""
    if pairs(first, second) not in (0, 1) and len({*first, *second}) > 1:
        check(first, second)


def test_random_samples_of_the_studys_sizes() -> None:
    """123 people on a 5-point grid against 15 answers, and samples without ties."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        people = np.clip(np.round(rng.normal(70, 15, 123) / 5) * 5, 0, 100)
        answers = np.clip(np.round(rng.normal(75, 6, 15) / 5) * 5, 0, 100)
        check(people, answers)
        check(rng.normal(0, 1, 30), rng.normal(0.5, 3, 12))


def test_the_interval_is_cut_at_0_and_1() -> None:
    """The study prints [0.749, 1.000] where the formula gives 1.018: so both limits are cut."""
    # "Almost certain" in English against Chinese, GPT-3.5; there the Chinese answers come first, in
    # the opposite direction of theta.
    english = [95] * 12 + [99] + [95] * 2
    chinese = [95, 90, 85, 85, 85, 85, 5, 90, 95, 85, 95, 90]
    got = check(english, chinese)
    assert (round(got.ci_low, 3), got.ci_high) == (0.749, 1)
    _, uncut = rank_compare_2indep(np.array(english), np.array(chinese)).conf_int()
    assert round(uncut, 3) == 1.018
    back = check(chinese, english)
    assert (back.ci_low, round(back.ci_high, 3)) == (0, 0.251)


@fixed
@given(whole, whole)
def test_exchanged_samples_mirror_theta_and_p(first: list[float], second: list[float]) -> None:
    """Exchanged samples mirror everything; order and a common monotone change nothing."""
    result, exchanged = brunner_munzel(first, second), brunner_munzel(second, first)
    assert 0 <= result.theta <= 1
    assert result.theta == pytest.approx(1 - exchanged.theta, abs=1e-14)
    assert result.reason == exchanged.reason
    assert math.isnan(result.p) == (min(len(first), len(second)) < 5)
    assert (result.reason == "") == (not np.isnan([result.p, result.ci_low]).any())
    assert [result.p, result.ci_low, result.ci_high] == pytest.approx(
        [exchanged.p, 1 - exchanged.ci_high, 1 - exchanged.ci_low], abs=1e-9, nan_ok=True
    )
    if not result.reason:
        assert 0 <= result.p <= 1
        assert 0 <= result.ci_low <= result.theta <= result.ci_high <= 1
    cubes = brunner_munzel(np.array(first[::-1]) ** 3 + 1, np.array(second) ** 3 + 1)
    assert [cubes.theta, cubes.p, cubes.ci_low, cubes.ci_high] == pytest.approx(
        [result.theta, result.p, result.ci_low, result.ci_high], abs=1e-12, nan_ok=True
    )


def test_undefined_has_a_reason() -> None:
    """Of fewer than five values p is NaN with a reason; theta stays where there is one."""
    cases: list[tuple[list[float], list[float], float, str]] = [
        ([1, 2], [3, 4], 0, "fewer than 5 values"),
        ([3, 4, 4], [1, 2], 1, "fewer than 5 values"),
        ([7, 7, 7, 7, 7], [2, 2, 2, 2], 1, "fewer than 5 values"),
        ([5, 5], [5, 5, 5], 0.5, "fewer than 5 values"),
        ([5], [1, 5, 6], 0.5, "fewer than 5 values"),
        ([5, 6, 7, 8], [6], 0.625, "fewer than 5 values"),
        ([5], [6], 0, "fewer than 5 values"),
        ([5, NAN], [6, 1], 0.5, "fewer than 5 values"),
        ([], [1, 2], NAN, "no value"),
        ([1, 2], [NAN, NAN], NAN, "no value"),
        ([], [], NAN, "no value"),
    ]
    for first, second, theta, reason in cases:
        got = brunner_munzel(first, second)
        assert got.theta == pytest.approx(theta, abs=0, nan_ok=True), (first, second, theta, reason)
        assert reason in got.reason, (first, second, theta, reason)
        assert np.isnan([got.p, got.ci_low, got.ci_high]).all(), (first, second, theta, reason)
    got = brunner_munzel([5] * 5, [5] * 6)
    assert (got.theta, got.p, got.reason) == (0.5, 1, "all values are equal")
    assert np.isnan([got.ci_low, got.ci_high]).all()


def test_brunner_munzel_of_constant_missing_and_bad_samples() -> None:
    """One that is constant, missing values, shares times 100, and what is no sample."""
    # If only one sample varies everything is defined, as for a model that always says 50.
    check([40, 50, 50, 60, 70], [50, 50, 50])
    check([5, 5, 5], [5, 6, 6])
    expected = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6])
    # By their texts: a p that is NaN equals none.
    assert str(brunner_munzel([1, NAN, 2, 3, 4], [2, 3, 5, NAN, NAN, 6])) == str(expected)
    # 0.15 * 100 = 15.000000000000002 and 0.29 * 100 = 28.999999999999996 are 15 and 29.
    shares = np.array([0.15, 0.29, 0.57, 0.58])
    assert (shares * 100 != [15, 29, 57, 58]).any()
    people = [15, 20, 29, 57, 58, 60]
    whole = brunner_munzel(people, [15, 29, 57, 58])
    assert str(brunner_munzel(people, shares * 100)) == str(whole)
    with pytest.raises(ValueError, match="infinite"):
        brunner_munzel([1, INF], [2, 3])
    with pytest.raises(ValueError, match="2 dimensions"):
        brunner_munzel([[1, 2]], [2, 3])


def test_munzel_published_figures_of_the_estimative_words_study(shared_data: Path) -> None:
    """theta, interval and p of 17 words, people against GPT-4, to the printed digits."""
    for row, people, model in words_of_people_and_gpt4(shared_data / "wep"):
        got = brunner_munzel(people, model)
        assert round(got.theta, 3) == float(row["BM_Theta"])
        assert [round(got.ci_low, 2), round(got.ci_high, 2)] == json.loads(row["BM_CI"])
        assert round(got.p, 3) == float(row["BM_P_Value"])
