"""Distances of samples."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, ks_2samp, wasserstein_distance

from build import column_of
from inspect_confidence.metrics import (
    ValueTables,
    brunner_munzel,
    brunner_munzel_theta,
    jensen_shannon,
    kl_divergence,
    ks_statistic,
    median_difference,
    wasserstein,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.registry import TABLE_FUNCTIONS
from inspect_confidence.metrics.words import jensen_shannon_of_tables, kl_divergence_of_tables
from metrics.oracles import words_of_people_and_gpt4
from metrics.strategies import fixed

NAN, INF = float("nan"), float("inf")
LN2 = math.log(2)

BINNED: tuple[Callable[..., float], ...] = (kl_divergence, jensen_shannon)
MEASURES: tuple[Callable[..., float], ...] = (
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
    counts, _ = np.histogram(np.asarray(sample, float), bins=bins, range=(0, 100))
    total: FloatArray = counts / counts.sum()
    return total


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


def test_distances_of_two_small_samples() -> None:
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
    first, second = (
        ValueTables(values, mass) for mass in (np.array([[1.0, 0]]), np.array([[0, 1.0]]))
    )
    assert jensen_shannon_of_tables(first, second, bins=100).tolist() == [0]
    assert kl_divergence_of_tables(first, second, bins=100).tolist() == [0]
    values = np.array([-1e-12, 1, 99, 100 + 1e-11])
    first, second = (
        ValueTables(values, np.array([mass])) for mass in ([1.0, 0, 0, 1], [0, 1.0, 1, 0])
    )
    assert jensen_shannon_of_tables(first, second, bins=50).tolist() == [0]


def test_limits_and_bins_are_options() -> None:
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
            with pytest.raises(ValueError, match=r"make no bins|bins=0 is below 1"):
                measure([50], [60], **options)
    for constant in [0, -1e-10, NAN]:
        with pytest.raises(ValueError, match="is not above 0"):
            kl_divergence([50], [60], constant=constant)


# --- against others ---


@fixed
@given(samples, samples)
def test_distances_are_scipys(first: list[float], second: list[float]) -> None:
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
def test_shifts_change_no_distance_and_scales_stretch_it(
    first: list[float], second: list[float], move: int, scale: float
) -> None:
    """Moving both samples changes nothing; stretching both stretches what has a unit."""
    moved_first, moved_second = np.array(first) + move, np.array(second) + move
    for measure in (wasserstein, median_difference, ks_statistic, brunner_munzel_theta):
        assert measure(moved_first, moved_second) == pytest.approx(
            measure(first, second), abs=1e-12
        )
    moved_first, moved_second = np.array(first) * scale, np.array(second) * scale
    for measure in (wasserstein, median_difference):
        assert measure(moved_first, moved_second) == pytest.approx(
            scale * measure(first, second), abs=1e-10
        )
    for measure in (ks_statistic, brunner_munzel_theta):
        assert measure(moved_first, moved_second) == measure(first, second)
    # A sample against itself moved by m lies m away.
    assert wasserstein(first, np.array(first) + move) == pytest.approx(abs(move), abs=1e-10)


@fixed
@given(samples)
def test_a_sample_against_itself(sample: list[float]) -> None:
    """Equal samples, in any order and repeated, are 0 apart, and theta is 1/2."""
    repeated = sample[::-1] * 3
    assert kl_divergence(sample, repeated) == pytest.approx(0, abs=1e-12)
    assert kl_divergence(sample, sample) == 0
    for measure in (jensen_shannon, ks_statistic, wasserstein):
        assert measure(sample, repeated) == pytest.approx(0, abs=1e-12)
    assert median_difference(sample, repeated) == 0
    assert brunner_munzel_theta(sample, repeated) == pytest.approx(0.5, abs=1e-14)


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
    first = ValueTables(array, np.array(column_of(rows, 0), float))
    second = ValueTables(array, np.array(column_of(rows, 1), float))
    single = ValueTables(array, second.mass[:1])
    for measure in MEASURES:
        expected = [
            measure(np.repeat(array, first_counts), np.repeat(array, second_counts))
            for first_counts, second_counts in rows
        ]
        got = TABLE_FUNCTIONS[measure.__name__](first, second)
        assert got.shape == (len(rows),)
        assert got == pytest.approx(expected, abs=1e-12)
        # Masses needn't be counts: shares give the same.
        part = ValueTables(array, first.mass / first.mass.sum(axis=1, keepdims=True))
        assert TABLE_FUNCTIONS[measure.__name__](part, second) == pytest.approx(expected, abs=1e-12)
        # R rows against a single one.
        expected = [
            measure(np.repeat(array, first_counts), np.repeat(array, rows[0][1]))
            for first_counts, _ in rows
        ]
        assert TABLE_FUNCTIONS[measure.__name__](first, single) == pytest.approx(
            expected, abs=1e-12
        )


def test_tables_of_weights_are_resamples() -> None:
    """Weights of units times their one-hot values give the measures of each resample."""
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 21, 30) * 5.0, rng.integers(0, 21, 15) * 5.0
    values = ValueTables.pair(first, second)[0].values
    draws = [rng.integers(len(sample), size=(50, len(sample))) for sample in (first, second)]
    tables = []
    for sample, indices in zip((first, second), draws, strict=True):
        weights = np.array([np.bincount(row, minlength=len(sample)) for row in indices], float)
        tables.append(ValueTables(values, weights @ (sample[:, None] == values)))
    for measure in MEASURES:
        expected = [measure(first[a], second[b]) for a, b in zip(*draws, strict=True)]
        assert TABLE_FUNCTIONS[measure.__name__](*tables) == pytest.approx(expected, abs=1e-12)


# --- what is missing ---


def test_missing_values_are_left_out() -> None:
    """NaN in a sample changes nothing; a sample without values gives NaN, never 0."""
    nothing: list[tuple[list[float], list[float]]]
    nothing = [([], [1]), ([1], []), ([], []), ([NAN], [1]), ([NAN], [NAN])]
    for measure in MEASURES:
        distance = measure([NAN, 20, 60, NAN], [60, 80, NAN])
        assert distance == measure([20, 60], [60, 80]), measure
        for first, second in nothing:
            assert math.isnan(measure(first, second)), (measure, first, second)
    # Only the rows where a sample was not drawn are NaN.
    values = np.array([10.0, 20.0])
    first_tables = ValueTables(values, np.array([[1.0, 1], [0, 0], [1, 1], [0, 0]]))
    second_tables = ValueTables(values, np.array([[1.0, 1], [1, 1], [0, 0], [0, 0]]))
    for measure in MEASURES:
        undefined = np.isnan(
            TABLE_FUNCTIONS[measure.__name__](first_tables, second_tables)
        ).tolist()
        assert undefined == [False, True, True, True], measure


def test_values_that_are_no_sample_are_refused() -> None:
    """Infinite values, two dimensions, and tables of different values."""
    for measure in MEASURES:
        with pytest.raises(ValueError, match="infinite"):
            measure([1, math.inf], [2])
        with pytest.raises(ValueError, match="2 dimensions"):
            measure([[1, 2]], [2])
    first = ValueTables(np.array([1.0]), np.ones((1, 1)))
    second = ValueTables(np.array([2.0]), np.ones((1, 1)))
    for measure in (ks_statistic, wasserstein, median_difference, brunner_munzel_theta):
        with pytest.raises(ValueError, match="different values"):
            TABLE_FUNCTIONS[measure.__name__](first, second)


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
    for row, human, model in words_of_people_and_gpt4(shared_data / "wep"):
        assert (len(human), len(model)) == (123, 15)
        assert cut(kl_divergence(human, model)) == row["KL_Divergence"].ljust(5, "0"), row["word"]
        assert median_difference(human, model) == float(row["Median_Difference"])
        assert round(ks_statistic(human, model), 2) == float(row["KS_Statistic"])
