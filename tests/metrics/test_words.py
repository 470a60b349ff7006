"""Distances of samples, the Brunner-Munzel test, and consistency of choices."""

from __future__ import annotations

import csv
import json
import math
import warnings
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import jensenshannon
from scipy.stats import (
    brunnermunzel,
    entropy,
    ks_2samp,
    permutation_test,
    wasserstein_distance,
)
from scipy.stats import t as student
from statsmodels.stats.nonparametric import rank_compare_2indep

from inspect_confidence.datasets.wep_choices import design
from inspect_confidence.metrics import (
    ValueTables,
    brunner_munzel,
    brunner_munzel_theta,
    choice_sensitivity,
    empirical_consistency,
    empirical_monotonicity_consistency,
    jensen_shannon,
    kl_divergence,
    ks_statistic,
    mean_interval,
    median_difference,
    median_interval,
    monotonicity_consistency,
    pairwise_consistency,
    sign_flip_p,
    sign_flips,
    wasserstein,
)
from inspect_confidence.metrics.registry import OfArrays
from inspect_confidence.metrics.words import BrunnerMunzel
from inspect_confidence.studies.wep_probes.choices import RISING, expected_by_chance, units
from metrics.strategies import FloatArray, fixed

NAN, INF = float("nan"), float("inf")
LN2 = math.log(2)

BINNED: tuple[OfArrays[Any], ...] = (kl_divergence, jensen_shannon)
MEASURES: tuple[OfArrays[Any], ...] = (
    kl_divergence,
    jensen_shannon,
    ks_statistic,
    wasserstein,
    median_difference,
    brunner_munzel_theta,
)

# Quarters of a point on 0 to 100: coarse enough for ties, exact in floats.
points = st.integers(0, 400).map(lambda number: number / 4)
samples = st.lists(points, min_size=1, max_size=12)
counts = st.lists(st.integers(0, 4), min_size=5, max_size=5).filter(any)


def shares(sample: ArrayLike, bins: int = 20) -> FloatArray:
    """Shares of a sample in equal bins on 0 to 100, as numpy counts them."""
    found, _ = np.histogram(np.asarray(sample, float), bins=bins, range=(0, 100))
    made: FloatArray = found / found.sum()
    return made


def cut(number: float, digits: int = 4) -> str:
    """A positive number cut, not rounded, to so many significant digits."""
    places = digits - 1 - math.floor(math.log10(number))
    return f"{math.floor(number * 10**places) / 10**places:.{places}f}"


# --- examples by hand ---


def test_kl_is_made_by_its_constant() -> None:
    """A bin of share 1/5 that the second sample lacks brings ln(1/constant)/5 nats."""
    # Shares 4/5, 1/5 against 1, c: 4/5 ln(4/5) + 1/5 ln(1/5) + 1/5 ln(1/c), -0.5004 + 5.5262 = 5.03
    # nats at c = 1e-12 and -0.5004 + 1.3816 = 0.88 at 1e-3.
    for constant in [1e-12, 1e-10, 1e-3]:
        got = kl_divergence([1, 1, 1, 1, 99], [1], constant=constant)
        by_hand = 0.8 * math.log(0.8) + 0.2 * math.log(0.2) - 0.2 * math.log(constant)
        assert got == pytest.approx(by_hand, rel=1e-12), constant
        if constant != 1e-10:
            assert round(got, 2) == {1e-12: 5.03, 1e-3: 0.88}[constant], constant
        # The other way the constant stands in p: ln(5/4) + c ln(c/(1/5)).
        back = math.log(5 / 4) + constant * math.log(5 * constant)
        assert kl_divergence([1], [1, 1, 1, 1, 99], constant=constant) == pytest.approx(
            back, rel=1e-9
        )


def test_distances_by_hand() -> None:
    """Of two samples each, worked out in the comments."""
    # Shares 1, 0 against 1/2, 1/2, middle 3/4, 1/4. (ln(4/3) + ln(2/3)/2 + ln(2)/2)/2 = (3/2
    # ln(4/3))/2 = 0.2158.
    got = jensen_shannon([10, 10], [10, 60])
    assert got == pytest.approx(0.75 * math.log(4 / 3), rel=1e-12)
    # Up to 2, 2/2 of the first and 1/4 of the second sample: 3/4.
    assert ks_statistic([1, 2], [2, 3, 4, 5]) == 0.75
    # 0, 10 against 5, 5, 5, 25: half moves 5 up (F - G = 1/2 on [0, 5]), G - F = 1/4 on [5, 10]. On
    # [10, 25] F - G = 1/4: 2.5 + 1.25 + 3.75 = 7.5.
    assert wasserstein([0, 10], [5, 5, 5, 25]) == pytest.approx(7.5, rel=1e-14)
    # Median of an odd sample is its middle, of an even one the mean of the middle two.
    assert median_difference([70, 10, 20], [90, 5, 10, 40]) == 20 - 25
    assert median_difference([50], [50, 51]) == -0.5
    # 1, 3 against 1, 2, 2: of six pairs three are above and one is equal, 3.5/6.
    assert brunner_munzel_theta([1, 3], [1, 2, 2]) == pytest.approx(3.5 / 6, rel=1e-15)
    # Shares 1/2, 1/2 against 1/4, 3/4: ln(2)/2 + ln(2/3)/2 = ln(4/3)/2; back ln(27/16)/4.
    first, second = [10, 60], [11, 61, 62, 63]
    assert kl_divergence(first, second) == pytest.approx(math.log(4 / 3) / 2, rel=1e-12)
    back = math.log(1 / 2) / 4 + 3 / 4 * math.log(3 / 2)
    assert back == pytest.approx(math.log(27 / 16) / 4, rel=1e-12)
    assert kl_divergence(second, first) == pytest.approx(back, rel=1e-12)
    # With 18 bins empty in both and one swapped, only two bins count: ln(1/c) + c ln(c).
    expected = -math.log(1e-10) + 1e-10 * math.log(1e-10)
    assert kl_divergence([10], [60]) == pytest.approx(expected, rel=1e-13)


# --- bins ---


def test_edges_belong_to_the_bin_above() -> None:
    """A value on an edge, however floats missed it, shares the bin with what lies above it."""
    # The last edge shares it with what lies below.
    for noise in [-1e-10, -4e-15, 0, 4e-15, 1e-10]:
        for edge in range(0, 101, 5):
            value = edge + noise
            above = [97.5] if edge == 100 else [edge + 2.5]
            assert jensen_shannon([value], above) == 0, (noise, edge)
            if 0 < edge < 100:
                assert jensen_shannon([value], [edge - 2.5]) == pytest.approx(LN2, rel=1e-12), noise
                assert jensen_shannon([value], [edge - 1e-6]) == pytest.approx(LN2, rel=1e-12)


def test_shares_times_hundred_are_whole() -> None:
    """0.15 * 100 = 15.000000000000002 and 0.29 * 100 = 28.999999999999996 are 15 and 29."""
    # Of 100 bins each holds one whole number, the last one 100 too.
    for percent in range(101):
        value = percent / 100 * 100
        assert jensen_shannon([value], [min(percent + 0.5, 99.5)], bins=100) == 0, percent
        assert ks_statistic([value], [percent]) == 0, percent
        assert wasserstein([value], [percent]) == 0, percent
        assert median_difference([value], [percent]) == 0, percent
        assert brunner_munzel_theta([value], [percent]) == 0.5, percent


def test_edges_of_tables_are_exact_too() -> None:
    """Values of a table that was not made by `pair` are binned with the same tolerance."""
    values = np.array([28.999999999999996, 29.5])
    one, other = (
        ValueTables(values, mass) for mass in (np.array([[1.0, 0]]), np.array([[0, 1.0]]))
    )
    assert jensen_shannon.of(one, other, bins=100).tolist() == [0]
    assert kl_divergence.of(one, other, bins=100).tolist() == [0]
    values = np.array([-1e-12, 1, 99, 100 + 1e-11])
    one, other = (
        ValueTables(values, np.array([mass])) for mass in ([1.0, 0, 0, 1], [0, 1.0, 1, 0])
    )
    assert jensen_shannon.of(one, other, bins=50).tolist() == [0]


def test_other_limits_and_bins() -> None:
    """On 0 to 1 in 4 bins, 0.25 lies in the second: shares 1/2, 1/2, 0, 0 against 0, 1, 0, 0."""
    options = {"low": 0.0, "high": 1.0, "constant": 1e-6}
    got = kl_divergence([0.1, 0.25], [0.3], bins=4, **options)
    assert got == pytest.approx(0.5 * math.log(0.5e6) + 0.5 * math.log(0.5), rel=1e-12)
    assert jensen_shannon([0.25], [0.3], low=0, high=1, bins=4) == 0


def test_what_makes_no_bins_is_refused() -> None:
    """By an error that shows it: values outside, limits, no bins, and constants not above 0."""
    for measure in BINNED:
        with pytest.raises(ValueError, match=r"100\.5 is not in \[0, 100\]"):
            measure([50], [100.5])
        with pytest.raises(ValueError, match=r"-1\.0 is not in \[0, 100\]"):
            measure([-1], [50])
        assert measure([-1e-10, 100 + 1e-10], [0, 100]) == 0, measure
    for options in [{"low": 100}, {"bins": 0}, {"high": -1}]:
        for measure in BINNED:
            with pytest.raises(ValueError, match="make no bins"):
                measure([50], [60], **options)
    for constant in [0, -1e-10, NAN]:
        with pytest.raises(ValueError, match="is not above 0"):
            kl_divergence([50], [60], constant=constant)


# --- against others ---


@fixed
@given(samples, samples)
def test_against_scipy(first: list[float], second: list[float]) -> None:
    """KL, JS, KS and Wasserstein are scipy's; medians numpy's; theta that of all pairs."""
    # Quarters and 5-point edges are exact in floats, so numpy's histogram has the same bins.
    p, q = shares(first), shares(second)
    if (q > 0).all() or not ((p > 0) & (q == 0)).any():
        expected = float(entropy(p, q))
        # 1e-10 ln(1e-10/share) is left of each of up to 20 bins that only the first lacks.
        assert kl_divergence(first, second) == pytest.approx(expected, abs=20 * 1e-10 * 25)
    # scipy's distance is the root of a rounded difference, good to 1e-15 when squared.
    distance = float(np.nan_to_num(jensenshannon(p, q)))
    assert jensen_shannon(first, second) == pytest.approx(distance**2, abs=1e-14)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its p, not needed here, divides by 0 for single values
        peer = ks_2samp(first, second, method="asymp").statistic
    assert ks_statistic(first, second) == pytest.approx(float(peer), abs=1e-14)
    assert wasserstein(first, second) == pytest.approx(
        float(wasserstein_distance(first, second)), abs=1e-11
    )
    assert median_difference(first, second) == np.median(first) - np.median(second)
    pairs = np.sign(np.subtract.outer(first, second))
    assert brunner_munzel_theta(first, second) == pytest.approx(
        float((pairs + 1).mean() / 2), abs=1e-14
    )
    assert brunner_munzel_theta(first, second) == pytest.approx(
        brunner_munzel(first, second).theta, abs=1e-14
    )


@fixed
@given(samples, samples)
def test_kl_with_its_constant_and_properties(first: list[float], second: list[float]) -> None:
    """KL is p ln(p/q) term by term with 1e-10 in empty bins; symmetries and bounds of all."""
    p, q = (np.where(share == 0, 1e-10, share) for share in (shares(first), shares(second)))
    assert kl_divergence(first, second) == pytest.approx(
        float((p * np.log(p / q)).sum()), abs=1e-12
    )
    assert kl_divergence(first, second) >= -20 * 1e-10
    assert 0 <= jensen_shannon(first, second) <= LN2
    assert jensen_shannon(first, second) == pytest.approx(jensen_shannon(second, first), abs=1e-15)
    assert 0 <= ks_statistic(first, second) == ks_statistic(second, first) <= 1
    assert 0 <= wasserstein(first, second) == wasserstein(second, first) <= 100
    assert median_difference(first, second) == -median_difference(second, first)
    assert brunner_munzel_theta(first, second) == pytest.approx(
        1 - brunner_munzel_theta(second, first), abs=1e-14
    )
    # Means can't differ by more than the distance.
    means = abs(float(np.mean(first) - np.mean(second)))
    assert means <= wasserstein(first, second) + 1e-11


# --- properties ---


@fixed
@given(samples, samples, st.integers(-400, 400), st.sampled_from([0.5, 2.0, 4.0]))
def test_shift_and_scale(first: list[float], second: list[float], move: int, scale: float) -> None:
    """Moving both samples changes nothing; stretching both stretches what has a unit."""
    one, other = np.array(first) + move, np.array(second) + move
    for measure in (wasserstein, median_difference, ks_statistic, brunner_munzel_theta):
        assert measure(one, other) == pytest.approx(measure(first, second), abs=1e-12)
    one, other = np.array(first) * scale, np.array(second) * scale
    for measure in (wasserstein, median_difference):
        assert measure(one, other) == pytest.approx(scale * measure(first, second), abs=1e-10)
    for measure in (ks_statistic, brunner_munzel_theta):
        assert measure(one, other) == measure(first, second)
    # A sample against itself moved by m lies m away.
    assert wasserstein(first, np.array(first) + move) == pytest.approx(abs(move), abs=1e-10)


@fixed
@given(samples)
def test_a_sample_against_itself(sample: list[float]) -> None:
    """Equal samples, in any order and repeated, are 0 apart, and theta is 1/2."""
    again = sample[::-1] * 3
    assert kl_divergence(sample, again) == pytest.approx(0, abs=1e-12)
    assert kl_divergence(sample, sample) == 0
    for measure in (jensen_shannon, ks_statistic, wasserstein):
        assert measure(sample, again) == pytest.approx(0, abs=1e-12)
    assert median_difference(sample, again) == 0
    assert brunner_munzel_theta(sample, again) == pytest.approx(0.5, abs=1e-14)


@fixed
@given(samples, samples)
def test_kl_is_asymmetric_where_one_lacks_a_bin(shared: list[float], extra: list[float]) -> None:
    """Bins that only one sample has, with share w, bring w ln(1e10) nats in one direction alone."""
    # The other direction is -ln(1 - w) but for some constants, whatever is in the shared bins.
    second = np.minimum(np.array(shared) / 2, 49)
    first = np.concatenate([second, 50 + np.array(extra) / 2])
    w = len(extra) / len(first)
    assert kl_divergence(second, first) == pytest.approx(-math.log(1 - w), abs=1e-7)
    assert kl_divergence(first, second) > kl_divergence(second, first) + 1


# --- tables ---


@fixed
@given(
    st.lists(points, min_size=5, max_size=5, unique=True).map(sorted),
    st.lists(st.tuples(counts, counts), min_size=1, max_size=6),
)
def test_tables_are_repeated_values(
    values: list[float], rows: list[tuple[list[int], list[int]]]
) -> None:
    """Each row of tables gives what the values, each repeated as often, give; also one by one."""
    array = np.array(values)
    first, second = (
        ValueTables(array, np.array([row[side] for row in rows], float)) for side in (0, 1)
    )
    single = ValueTables(array, second.mass[:1])
    for measure in MEASURES:
        expected = [measure(np.repeat(array, one), np.repeat(array, other)) for one, other in rows]
        got = measure.of(first, second)
        assert got.shape == (len(rows),)
        assert got == pytest.approx(expected, abs=1e-12)
        # Masses needn't be counts: shares give the same.
        part = ValueTables(array, first.mass / first.mass.sum(axis=1, keepdims=True))
        assert measure.of(part, second) == pytest.approx(expected, abs=1e-12)
        # R rows against a single one.
        expected = [measure(np.repeat(array, one), np.repeat(array, rows[0][1])) for one, _ in rows]
        assert measure.of(first, single) == pytest.approx(expected, abs=1e-12)


def test_tables_of_weights_are_resamples() -> None:
    """Weights of units times their one-hot values give the measures of each resample."""
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 21, 30) * 5.0, rng.integers(0, 21, 15) * 5.0
    values = ValueTables.pair(first, second)[0].values
    draws = [rng.integers(len(sample), size=(50, len(sample))) for sample in (first, second)]
    tables = []
    for sample, drawn in zip((first, second), draws, strict=True):
        weights = np.array([np.bincount(row, minlength=len(sample)) for row in drawn], float)
        tables.append(ValueTables(values, weights @ (sample[:, None] == values)))
    for measure in MEASURES:
        expected = [measure(first[a], second[b]) for a, b in zip(*draws, strict=True)]
        assert measure.of(*tables) == pytest.approx(expected, abs=1e-12)


# --- what is missing ---


def test_missing_values_are_left_out() -> None:
    """NaN in a sample changes nothing; a sample without values gives NaN, never 0."""
    nothing: list[tuple[list[float], list[float]]]
    nothing = [([], [1]), ([1], []), ([], []), ([NAN], [1]), ([NAN], [NAN])]
    for measure in MEASURES:
        some = measure([NAN, 20, 60, NAN], [60, 80, NAN])
        assert some == measure([20, 60], [60, 80]), measure
        for first, second in nothing:
            assert math.isnan(measure(first, second)), (measure, first, second)
    # Only the rows where a sample was not drawn are NaN.
    values = np.array([10.0, 20.0])
    one = ValueTables(values, np.array([[1.0, 1], [0, 0], [1, 1], [0, 0]]))
    other = ValueTables(values, np.array([[1.0, 1], [1, 1], [0, 0], [0, 0]]))
    for measure in MEASURES:
        undefined = np.isnan(measure.of(one, other)).tolist()
        assert undefined == [False, True, True, True], measure


def test_values_that_are_no_sample_are_refused() -> None:
    """Infinite values, two dimensions, and tables of different values."""
    for measure in MEASURES:
        with pytest.raises(ValueError, match="infinite"):
            measure([1, math.inf], [2])
        with pytest.raises(ValueError, match="2 dimensions"):
            measure([[1, 2]], [2])
    one = ValueTables(np.array([1.0]), np.ones((1, 1)))
    other = ValueTables(np.array([2.0]), np.ones((1, 1)))
    for measure in (ks_statistic, wasserstein, median_difference, brunner_munzel_theta):
        with pytest.raises(ValueError, match="different values"):
            measure.of(one, other)


def test_single_large_and_small_values() -> None:
    """They are neither undefined, rounded away nor beyond floats."""
    # Of 30 against 10: no bin shared, 20 apart, and always above.
    by_hand = [math.log(1e10) * (1 - 1e-10), LN2, 1, 20, 20, 1]
    for measure, expected in zip(MEASURES, by_hand, strict=True):
        assert measure([30], [10]) == pytest.approx(expected, rel=1e-12), measure
    # Values beyond a million aren't rounded away, nor do they overflow.
    assert wasserstein([1e300], [0]) == 1e300
    assert ks_statistic([1e15], [1e15 + 1]) == 1
    assert wasserstein([1e-8], [0]) == pytest.approx(1e-8, rel=1e-12)


def test_published_figures_of_the_estimative_words_study(shared_data: Path) -> None:
    """KL, median difference and KS of 17 words, people against GPT-4, to the printed digits."""
    # KL is printed cut to four significant digits, the others rounded.
    folder = shared_data / "wep"
    with (folder / "survey-results.csv").open() as file:
        header, *people = csv.reader(file)
    with (folder / "cnc_gpt-4.csv").open() as file:
        answers = {
            row[0]: [float(answer) * 100 for answer in row[1:]]
            for row in csv.reader(file)
            if row[0]
        }
    with (folder / "published_human_vs_gpt-4_cnc.csv").open() as file:
        published = list(csv.DictReader(file))
    column = {name.strip('"').lower(): place for place, name in enumerate(header)}
    assert len(published) == 17
    for row in published:
        human = [float(person[column[row["word"]]]) for person in people]
        model = answers[row["word"]]
        assert (len(human), len(model)) == (123, 15)
        assert cut(kl_divergence(human, model)) == row["KL_Divergence"].ljust(5, "0"), row["word"]
        assert median_difference(human, model) == float(row["Median_Difference"])
        assert round(ks_statistic(human, model), 2) == float(row["KS_Statistic"])


# Brunner and Munzel's test, against scipy, statsmodels and published figures.


whole = st.lists(st.integers(0, 8).map(float), min_size=2, max_size=15)
"""Few different values, so that most are tied."""


def pairs(first: ArrayLike, second: ArrayLike) -> float:
    """P(first > second) + P(first = second)/2 over all pairs."""
    signs = np.sign(np.subtract.outer(np.asarray(first), np.asarray(second)))
    return float((signs + 1).mean() / 2)


def test_by_hand() -> None:
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
        found = abs(float(brunnermunzel(first, second).statistic))
    return np.inf if math.isnan(found) else found


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
    drawn = permutation_test(
        (first, second), statistic, n_resamples=500, alternative="greater", rng=1
    ).pvalue
    found = brunner_munzel(first, second)
    error = math.sqrt(drawn * (1 - drawn) * (1 / 500 + 1 / 10_000))
    assert abs(found.p - max(drawn, brunnermunzel(first, second).pvalue)) < 4 * error
    assert found == brunner_munzel(first, second, seed=0)


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
    one, other = (brunner_munzel(first, second, interval=form) for form in ("t", "logit"))
    assert math.isnan(one.ci_low) == math.isnan(other.ci_low)
    if not math.isnan(one.ci_low):
        assert 0 < other.ci_low <= other.theta <= other.ci_high < 1
        assert (one.ci_low <= 0.5 <= one.ci_high) == (other.ci_low <= 0.5 <= other.ci_high)


def test_intervals_of_means_and_medians() -> None:
    """Student's of the logit and order statistics, by hand; none where there is nothing to say."""
    values = np.array([0.5, 0.7, 0.8, 0.9, 0.6, 0.85])
    mean, error = 0.725, values.std(ddof=1) / math.sqrt(6)
    reach = student.ppf(0.975, 5) * error / (mean * (1 - mean))
    ends = [mean * math.exp(side * reach) for side in (-1, 1)]
    assert mean_interval(values) == pytest.approx([one / (one + 1 - mean) for one in ends])
    # P(Binomial(9, 1/2) <= 1) = 10/512 < .025 < 46/512: the second smallest and greatest.
    assert median_interval([9, 1, 8, 2, 7, 3, 6, 4, 5]) == (2, 8)
    assert median_interval(range(6)) == (0, 5)
    for found in (
        median_interval(range(5)),
        mean_interval([0.4] * 9 + [0.5] * 4),
        mean_interval([]),
    ):
        assert np.isnan(found).all()


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
def test_munzel_properties(first: list[float], second: list[float]) -> None:
    """Exchanged samples mirror everything; order and a common monotone change nothing."""
    one, other = brunner_munzel(first, second), brunner_munzel(second, first)
    assert 0 <= one.theta <= 1
    assert one.theta == pytest.approx(1 - other.theta, abs=1e-14)
    assert one.reason == other.reason
    assert math.isnan(one.p) == (min(len(first), len(second)) < 5)
    assert (one.reason == "") == (not np.isnan([one.p, one.ci_low]).any())
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


def test_munzel_samples_of_odd_kinds() -> None:
    """One that is constant, missing values, shares times 100, and what is no sample."""
    # If only one sample varies everything is defined, as for a model that always says 50.
    check([40, 50, 50, 60, 70], [50, 50, 50])
    check([5, 5, 5], [5, 6, 6])
    expected = brunner_munzel([1, 2, 3, 4], [2, 3, 5, 6])
    assert brunner_munzel([1, NAN, 2, 3, 4], [2, 3, 5, NAN, NAN, 6]) == expected
    # 0.15 * 100 = 15.000000000000002 and 0.29 * 100 = 28.999999999999996 are 15 and 29.
    shares = np.array([0.15, 0.29, 0.57, 0.58])
    assert (shares * 100 != [15, 29, 57, 58]).any()
    people = [15, 20, 29, 57, 58, 60]
    assert brunner_munzel(people, shares * 100) == brunner_munzel(people, [15, 29, 57, 58])
    with pytest.raises(ValueError, match="infinite"):
        brunner_munzel([1, INF], [2, 3])
    with pytest.raises(ValueError, match="2 dimensions"):
        brunner_munzel([[1, 2]], [2, 3])


def test_munzel_published_figures_of_the_estimative_words_study(shared_data: Path) -> None:
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


SCORES = (
    "pairwise_consistency",
    "monotonicity_consistency",
    "empirical_consistency",
    "empirical_monotonicity_consistency",
    "choice_sensitivity",
)
sequences = st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=8)


# Worked by hand


def test_pairwise() -> None:
    """Ranks that add to n - 1 mirror each other; pairs with an unreadable side are left out."""
    cases: list[tuple[list[float], list[float], int, float]] = [
        ([0], [4], 5, 1),  # almost certainly, almost certainly not
        ([4], [0], 5, 1),
        ([1], [3], 5, 1),
        ([2], [2], 5, 1),  # maybe, maybe
        ([0], [3], 5, 0),
        ([1], [1], 5, 0),
        ([0], [2], 3, 1),
        ([2], [0], 3, 1),  # as likely a pair as the one above, whatever the authors' figures say
        ([1], [1], 3, 1),
        ([0], [0], 3, 0),
        ([0, 1, 2, 3], [4, 3, 1, 0], 5, 0.5),
        ([0, NAN, 2], [4, 3, 1], 5, 0.5),
        ([NAN], [4], 5, NAN),
        ([], [], 5, NAN),
    ]
    for first, second, n, score in cases:
        found = pairwise_consistency(first, second, n)
        assert found == pytest.approx(score, nan_ok=True), (first, second, n, score)


def test_scores_by_hand() -> None:
    """Shares of readable units; a flat list of ranks is an error."""
    # Pairs of five and of three choices in one call each go by their own number.
    flags = pairwise_consistency.each([0, 0, 1, 1], [4, 2, 1, 3], [5, 3, 3, 3])
    assert flags.tolist() == [1, 1, 1, 0]
    # Two of three readable sequences.
    ranks = [[3, 3, 2, 1, 0], [0, 1, 0, 2, 2], [0, 1, 2, 2, 2], [NAN, 1, 2, 2, 2]]
    found = monotonicity_consistency(np.array(ranks), [True, False, False, False])
    assert found == pytest.approx(2 / 3)
    # Two of three readable choices are the right one.
    assert empirical_consistency([0, 1, 2, NAN], [0, 2, 2, 2]) == pytest.approx(2 / 3)
    assert np.isnan(empirical_consistency([NAN], [0]))
    assert np.isnan(empirical_consistency([], []))
    # One of two readable sequences changes; a change at the last point counts.
    rows = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 0], [1, 1, NAN, 1, 0]])
    assert choice_sensitivity(rows) == 0.5
    assert np.isnan(choice_sensitivity(np.empty((0, 5))))
    for score in [choice_sensitivity, lambda r: monotonicity_consistency(r, [True])]:
        with pytest.raises(ValueError, match="ranks has 1 dimensions"):
            score([1, 2, 3])  # type: ignore[operator]


def test_monotonicity() -> None:
    """Where the probability rises ranks must fall or stay, and the other way round."""
    cases: list[tuple[list[float], bool, float]] = [
        ([4, 3, 2, 1, 0], True, 1),
        ([4, 3, 2, 1, 0], False, 0),
        ([0, 1, 2, 3, 4], False, 1),
        ([2, 2, 2, 2, 2], True, 1),  # a constant answer never steps the wrong way
        ([2, 2, 2, 2, 2], False, 1),
        ([4, 4, 3, 3, 0], True, 1),
        ([4, 3, 4, 1, 0], True, 0),  # one step back
        ([0, 0, 0, 0, 1], True, 0),
        ([4, NAN, 4, 1, 0], True, NAN),
    ]
    for ranks, rises, score in cases:
        assert monotonicity_consistency([ranks], [rises]) == pytest.approx(score, nan_ok=True)


def test_empirical_monotonicity() -> None:
    """The word moves up, down or not at all as the right word does."""
    for step, right_step, score in [
        ((2, 1), (1, 0), 1),
        ((4, 0), (1, 0), 1),  # how far it moves doesn't matter
        ((2, 2), (1, 1), 1),
        ((2, 2), (1, 0), 0),
        ((2, 1), (1, 1), 0),
        ((1, 2), (1, 0), 0),
        ((1, 2), (2, 4), 1),
        ((NAN, 2), (1, 0), NAN),
        ((2, NAN), (1, 0), NAN),
    ]:
        found = empirical_monotonicity_consistency(
            [step[0]], [step[1]], [right_step[0]], [right_step[1]]
        )
        assert found == pytest.approx(score, nan_ok=True), (step, right_step, score)


@given(sequences)
def test_scores_equal_loops(rows: list[list[int]]) -> None:
    """Each score equals loops over its units."""
    for rises in (True, False):
        steps = [[(b < a) if rises else (b > a) for a, b in pairwise(r) if a != b] for r in rows]
        wanted = [float(all(row)) for row in steps]
        assert monotonicity_consistency.each(rows, [rises] * len(rows)).tolist() == wanted
    assert choice_sensitivity.each(rows).tolist() == [float(len(set(row)) > 1) for row in rows]
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    wanted = [float(a + b == 4) for a, b in zip(first, second, strict=True)]
    assert pairwise_consistency.each(first, second, 5).tolist() == wanted


@given(sequences)
def test_mirroring_all_words_changes_no_score(rows: list[list[int]]) -> None:
    """With every word replaced by its mirror and intervals by complements, scores are the same."""
    ranks = np.array(rows)
    rises = np.arange(len(rows)) % 2 == 0
    assert monotonicity_consistency(ranks, rises) == monotonicity_consistency(4 - ranks, ~rises)
    one, other = ranks[:, 0], ranks[:, 1]
    assert pairwise_consistency(one, other, 5) == pairwise_consistency(4 - other, 4 - one, 5)
    assert choice_sensitivity(ranks) == choice_sensitivity(4 - ranks)


# By chance


def table(size: int) -> pd.DataFrame:
    """The prompts of a set of choices as ranked judgments whose ranks are still to come."""
    return pd.DataFrame(
        {
            "item": one.id,
            "scenario": one.scenario,
            "choice_set": one.choice_set,
            "numbers": one.numbers,
            "point": one.point,
            "interval": one.interval,
            "right": float(one.right),
            "cot": False,
            "run": "",
            "epoch": 1.0,
        }
        for one in design()
        if one.choice_set == size
    )


def enumerated(score: str, size: int, rows: pd.DataFrame) -> float:
    """The mean of a score over all size^5 answers to every sequence of prompts."""
    everything = np.array(list(product(range(size), repeat=5)), float)
    if score == "monotonicity_consistency":
        kinds = rows["interval"].drop_duplicates()
        flags = [
            monotonicity_consistency.each(everything, [k in RISING] * len(everything))
            for k in kinds
        ]
        return float(np.mean(flags))
    if score == "choice_sensitivity":
        return float(choice_sensitivity.each(everything).mean())
    if score == "pairwise_consistency":
        pairs = [(a, b) for a in range(size) for b in range(size)]
        return sum(a + b == size - 1 for a, b in pairs) / len(pairs)
    if score == "empirical_consistency":
        return float(np.mean([r == right for r in range(size) for right in rows["right"]]))
    values = []
    for _, sequence in rows.groupby(["scenario", "numbers", "interval"]):
        right = sequence.sort_values("point")["right"].to_numpy()
        for i in range(4):
            values.append(
                empirical_monotonicity_consistency(
                    everything[:, i], everything[:, i + 1], right[i], right[i + 1]
                )
            )
    return float(np.mean(values))


def test_chance_is_the_enumerated_mean() -> None:
    """Over all equally likely answers to five points; the authors count fewer pairs."""
    for score in SCORES:
        for size in [3, 5]:
            rows = table(size)
            found = expected_by_chance(score, size, rows, "text")
            assert found == pytest.approx(enumerated(score, size, rows), abs=1e-12), (score, size)
    # Of nine pairs of three choices two are counted, of 25 pairs of five choices five.
    for size, expected in ((3, 2 / 9), (5, 1 / 5)):
        assert expected_by_chance("pairwise_consistency", size, table(size), "authors") == expected


@pytest.mark.slow
def test_chance_is_what_random_answers_score() -> None:
    """300 random runs of all prompts come within 4 standard errors of the expectation."""
    for convention in ["text", "authors"]:
        for size in [3, 5]:
            rng = np.random.default_rng(size)
            runs = 60
            rows = pd.concat([table(size).assign(epoch=float(run)) for run in range(runs)])
            found: dict[str, list[NDArray[np.float64]]] = {name: [] for name in SCORES}
            for _ in range(5):
                drawn = rows.assign(rank=rng.integers(size, size=len(rows)).astype(float))
                for name, unit in units(drawn, convention).items():
                    found[name].append(unit["value"].to_numpy())
            for name, values in found.items():
                mean = np.concatenate(values)
                # A unit's value is a mean over 60 runs; units that share choices are dependent.
                error = 2 * mean.std(ddof=1) / np.sqrt(len(mean))
                expected = expected_by_chance(name, size, table(size), convention)
                assert abs(mean.mean() - expected) < 4 * error, name
            pairs = np.concatenate(found["pairwise_consistency"]).mean()
            lost = size == 3 and convention == "authors"
            assert pairs == pytest.approx(2 / 9 if lost else 1 / size, abs=0.01), (convention, size)
