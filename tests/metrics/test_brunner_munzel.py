"""Brunner and Munzel's test, against scipy, statsmodels and published figures."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import brunnermunzel
from scipy.stats import t as student
from statsmodels.stats.nonparametric import rank_compare_2indep

from inspect_confidence.metrics.words import BrunnerMunzel, brunner_munzel
from metrics.strategies import fixed

NAN, INF = float("nan"), float("inf")

whole = st.lists(st.integers(0, 8).map(float), min_size=2, max_size=15)
"""Few different values, so that most are tied."""


def pairs(first: ArrayLike, second: ArrayLike) -> float:
    """P(first > second) + P(first = second)/2 over all pairs."""
    signs = np.sign(np.subtract.outer(np.asarray(first), np.asarray(second)))
    return float((signs + 1).mean() / 2)


def test_by_hand() -> None:
    """1, 2, 3, 4 against 2, 3, 5, 6.

    Placements of the first: 0, 1/8, 3/8, 4/8, mean 1/4, squared deviations (4 + 1 + 1 + 4)/64, so
    s^2 = 10/192. Of the second: 1 1/2, 2 1/2, 4, 4 of 4, mean 3/4, deviations -3/8, -1/8, 2/8, 2/8,
    s^2 = (9 + 1 + 4 + 4)/192 = 18/192. SE^2 = 28/768 = (10 + 18)/(4 * 192),
    df = 28^2 * 3/(10^2 + 18^2) = 2352/424, t = (1/4 - 1/2)/SE.
    """
    error, df = math.sqrt(28 / 768), 2352 / 424
    got = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6])
    assert got.theta == 0.25
    assert got.p == pytest.approx(2 * student.sf(0.25 / error, df), rel=1e-10)
    assert got.ci_high == pytest.approx(0.25 + student.ppf(0.975, df) * error, rel=1e-10)
    assert 0.25 - student.ppf(0.975, df) * error < 0 == got.ci_low
    assert got.reason == ""


def check(first: ArrayLike, second: ArrayLike) -> BrunnerMunzel:
    """A result that is that of scipy and statsmodels, the interval cut to [0, 1]."""
    got = brunner_munzel(first, second)
    first, second = np.asarray(first, float), np.asarray(second, float)
    peer = rank_compare_2indep(first, second, use_t=True)
    low, high = peer.conf_int()
    assert got.reason == ""
    assert got.theta == pytest.approx(peer.prob1, abs=1e-12)
    assert got.theta == pytest.approx(pairs(first, second), abs=1e-12)
    assert got.p == pytest.approx(brunnermunzel(first, second).pvalue, rel=1e-8)
    assert got.p == pytest.approx(peer.pvalue, rel=1e-8)
    assert got.ci_low == pytest.approx(max(low, 0), abs=1e-9)
    assert got.ci_high == pytest.approx(min(high, 1), abs=1e-9)
    return got


@fixed
@given(whole, whole)
def test_against_scipy_and_statsmodels(first: list[float], second: list[float]) -> None:
    """The p is scipy's, theta and interval statsmodels', on samples with many ties."""
    if pairs(first, second) not in (0, 1) and len({*first, *second}) > 1:
        check(first, second)


@pytest.mark.parametrize("seed", range(20))
def test_random_samples_of_the_studys_sizes(seed: int) -> None:
    """123 people on a 5-point grid against 15 answers, and samples without ties."""
    rng = np.random.default_rng(seed)
    people = np.clip(np.round(rng.normal(70, 15, 123) / 5) * 5, 0, 100)
    answers = np.clip(np.round(rng.normal(75, 6, 15) / 5) * 5, 0, 100)
    check(people, answers)
    check(rng.normal(0, 1, 30), rng.normal(0.5, 3, 12))


def test_the_interval_is_cut_at_0_and_1() -> None:
    """The study prints [0.749, 1.000] where the formula gives 1.018: so both limits are cut.

    "Almost certain" in English against Chinese, GPT-3.5; there the Chinese answers come first, in
    the opposite direction of theta.
    """
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
def test_properties(first: list[float], second: list[float]) -> None:
    """Exchanged samples mirror everything; order and a common monotone change nothing."""
    one, other = brunner_munzel(first, second), brunner_munzel(second, first)
    assert 0 <= one.theta <= 1
    assert one.theta == pytest.approx(1 - other.theta, abs=1e-14)
    assert one.reason == other.reason
    assert (one.reason == "") == (not math.isnan(one.p))
    assert [one.p, one.ci_low, one.ci_high] == pytest.approx(
        [other.p, 1 - other.ci_high, 1 - other.ci_low], abs=1e-9, nan_ok=True
    )
    if not one.reason:
        assert 0 <= one.p <= 1
        assert 0 <= one.ci_low <= one.theta <= one.ci_high <= 1
    cubes = brunner_munzel(np.array(first[::-1]) ** 3 + 1, np.array(second) ** 3 + 1)
    assert [cubes.theta, cubes.p, cubes.ci_low, cubes.ci_high] == pytest.approx(
        [one.theta, one.p, one.ci_low, one.ci_high], abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize(
    ("first", "second", "theta", "reason"),
    [
        ([1, 2], [3, 4], 0, "complete separation"),
        ([3, 4, 4], [1, 2], 1, "complete separation"),
        ([7, 7, 7], [2, 2], 1, "complete separation"),
        ([5, 5], [5, 5, 5], 0.5, "all values are equal"),
        ([5], [1, 5, 6], 0.5, "fewer than two values"),
        ([5, 6, 7, 8], [6], 0.625, "fewer than two values"),
        ([5], [6], 0, "fewer than two values"),
        ([5, NAN], [6, 1], 0.5, "fewer than two values"),
        ([], [1, 2], NAN, "no value"),
        ([1, 2], [NAN, NAN], NAN, "no value"),
        ([], [], NAN, "no value"),
    ],
)
def test_undefined_has_a_reason(
    first: list[float], second: list[float], theta: float, reason: str
) -> None:
    """Without variance, p and interval are NaN with a reason; theta stays where there is one."""
    got = brunner_munzel(first, second)
    assert got.theta == pytest.approx(theta, abs=0, nan_ok=True)
    assert reason in got.reason
    assert np.isnan([got.p, got.ci_low, got.ci_high]).all()


def test_one_sample_may_be_constant() -> None:
    """If only one sample varies everything is defined, as for a model that always says 50."""
    check([40, 50, 50, 60, 70], [50, 50, 50])
    check([5, 5, 5], [5, 6, 6])


def test_missing_values_are_left_out() -> None:
    """NaN in a sample changes nothing."""
    expected = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6])
    assert brunner_munzel([1, NAN, 2, 3, 4], [2, 3, 5, NAN, NAN, 6]) == expected


def test_shares_times_hundred_tie_with_whole_numbers() -> None:
    """0.15 * 100 = 15.000000000000002 and 0.29 * 100 = 28.999999999999996 are 15 and 29."""
    shares = np.array([0.15, 0.29, 0.57, 0.58])
    assert (shares * 100 != [15, 29, 57, 58]).any()
    people = [15, 20, 29, 57, 58, 60]
    assert brunner_munzel(people, shares * 100) == brunner_munzel(people, [15, 29, 57, 58])


def test_values_that_are_no_sample_are_refused() -> None:
    """Infinite values and arrays of two dimensions raise an error."""
    with pytest.raises(ValueError, match="infinite"):
        brunner_munzel([1, INF], [2, 3])
    with pytest.raises(ValueError, match="2 dimensions"):
        brunner_munzel([[1, 2]], [2, 3])


def test_published_figures_of_the_estimative_words_study(shared_data: Path) -> None:
    """theta, interval and p of 17 words, people against GPT-4, to the printed digits."""
    folder = shared_data / "wep"
    with (folder / "survey-results.csv").open() as file:
        header, *people = csv.reader(file)
    with (folder / "cnc_gpt-4.csv").open() as file:
        answers = {row[0]: np.array(row[1:], float) * 100 for row in csv.reader(file) if row[0]}
    with (folder / "published_human_vs_gpt-4_cnc.csv").open() as file:
        published = list(csv.DictReader(file))
    column = {name.strip('"').lower(): place for place, name in enumerate(header)}
    assert len(published) == 17
    for row in published:
        human = [float(person[column[row["word"]]]) for person in people]
        got = brunner_munzel(human, answers[row["word"]])
        assert round(got.theta, 3) == float(row["BM_Theta"])
        assert [round(got.ci_low, 2), round(got.ci_high, 2)] == json.loads(row["BM_CI"])
        assert round(got.p, 3) == float(row["BM_P_Value"])
