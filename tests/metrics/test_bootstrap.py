"""Statistics of item weights, and resampling of items."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inspect_confidence.metrics import (
    Statistic,
    bootstrap,
    mean_of,
    median_of,
    percentile_interval,
    ratio,
)
from metrics.strategies import FloatArray, fixed, quarters

NAN, INF = float("nan"), float("inf")
IntArray = NDArray[np.int64]


class Weighted(NamedTuple):
    """Judgments of some units, and how often each unit was drawn."""

    values: FloatArray
    unit: IntArray
    weights: IntArray

    def repeated(self) -> FloatArray:
        """The values, each as often as its unit was drawn, without those that are NaN."""
        values = np.repeat(self.values, self.weights[self.unit])
        return values[~np.isnan(values)]

    def of(self, statistic: Statistic) -> float:
        """The statistic at the weights."""
        (value,) = statistic(self.weights[None, :].astype(float))
        return float(value)


@st.composite
def weighted(draw: st.DrawFn) -> Weighted:
    """Up to five units with any number of judgments each, some of them NaN."""
    units = draw(st.integers(1, 5))
    one = st.tuples(st.just(NAN) | quarters, st.integers(0, units - 1))
    judgments = draw(st.lists(one, max_size=12))
    return Weighted(
        np.array([value for value, _ in judgments], float),
        np.array([unit for _, unit in judgments], np.int64),
        np.array(draw(st.lists(st.integers(0, 4), min_size=units, max_size=units)), np.int64),
    )


@fixed
@given(weighted())
def test_mean_of_is_the_mean_of_repeated_values(drawn: Weighted) -> None:
    """At whole-number weights the statistic is numpy's mean of the values repeated as often."""
    repeated = drawn.repeated()
    expected = np.mean(repeated) if len(repeated) else NAN
    got = drawn.of(mean_of(drawn.values, drawn.unit, len(drawn.weights)))
    assert got == pytest.approx(expected, rel=1e-12, nan_ok=True)


@fixed
@given(weighted())
def test_median_of_is_the_median_of_repeated_values(drawn: Weighted) -> None:
    """At whole-number weights the statistic is numpy's median of the values repeated as often."""
    repeated = drawn.repeated()
    expected = np.median(repeated) if len(repeated) else NAN
    got = drawn.of(median_of(drawn.values, drawn.unit))
    assert got == pytest.approx(expected, abs=0, nan_ok=True)


@fixed
@given(weighted())
def test_ratio_is_the_ratio_of_repeated_sums(drawn: Weighted) -> None:
    """At whole-number weights the statistic is the ratio of sums over units repeated as often."""
    rng = np.random.default_rng(len(drawn.values))
    above, below = rng.normal(size=len(drawn.weights)), rng.random(len(drawn.weights))
    some = drawn.weights.any()
    expected = (
        np.repeat(above, drawn.weights).sum() / np.repeat(below, drawn.weights).sum()
        if some
        else NAN
    )
    got = drawn.of(ratio(above, below))
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)


@fixed
@given(weighted(), st.integers(2, 4))
def test_repeated_judgments_change_nothing(drawn: Weighted, times: int) -> None:
    """Judging every item several times with the same outcomes leaves mean and median alone."""
    values, unit = np.tile(drawn.values, times), np.tile(drawn.unit, times)
    units = len(drawn.weights)
    median = drawn.of(median_of(values, unit))
    assert median == pytest.approx(drawn.of(median_of(drawn.values, drawn.unit)), nan_ok=True)
    mean = drawn.of(mean_of(values, unit, units))
    assert mean == pytest.approx(drawn.of(mean_of(drawn.values, drawn.unit, units)), nan_ok=True)


def test_rows_of_weights_are_separate_resamples() -> None:
    """Each row of weights gives the value of that resample alone."""
    unit = np.array([0, 0, 1, 2])
    weights = np.array([[1, 0, 0], [0, 2, 1], [0, 0, 0], [1, 1, 1]], float)
    # [1, 5], [7, 7, 4], nothing, [1, 5, 7, 4]
    np.testing.assert_allclose(mean_of([1, 5, 7, 4], unit, 3)(weights), [3, 6, NAN, 4.25])
    np.testing.assert_array_equal(median_of([1, 5, 7, 4], unit)(weights), [3, 7, NAN, 4.5])
    # (1 + 1)/2 = 1 of the first unit, (2 * 3 + 5)/(2 * 4 + 3), nothing, (2 + 3 + 5)/(2 + 4 + 3)
    got = ratio([2, 3, 5], [2, 4, 3])(weights)
    np.testing.assert_allclose(got, [1, 1, NAN, 10 / 9])


def test_a_ratio_to_nothing_is_undefined() -> None:
    """Where the denominator is zero the ratio is NaN, not infinite, whatever the numerator."""
    weights = np.array([[1, 0], [0, 1], [1, 1]], float)
    np.testing.assert_array_equal(ratio([1, 2], [0, 1])(weights), [NAN, 2, 3])


def test_an_infinite_unit_counts_only_where_drawn() -> None:
    """An infinite value makes resamples with its unit infinite and no other one NaN."""
    weights = np.array([[1, 0, 1], [1, 1, 1], [0, 2, 0], [0, 0, 0]], float)
    unit = np.array([0, 1, 2])
    mean = mean_of([1, INF, 3], unit, 3)(weights)
    np.testing.assert_array_equal(mean[:3], [2, INF, INF])
    median = median_of([1, INF, 3], unit)(weights)
    np.testing.assert_array_equal(median, [2, 3, INF, NAN])  # of 1, 3, inf the middle is 3
    quotient = ratio([1, INF, 3], [1, 1, 1])(weights)
    np.testing.assert_array_equal(quotient[:3], [2, INF, INF])
    assert np.isnan([mean[3], quotient[3]]).all()


def stratum_sizes(strata: IntArray, resamples: int) -> tuple[FloatArray, ...]:
    """How many units of each stratum every resample holds."""

    def size(stratum: int) -> Statistic:
        return lambda weights: weights[:, strata == stratum].sum(axis=1)

    names = np.unique(strata).tolist()
    drawn = bootstrap({name: size(name) for name in names}, strata, resamples=resamples, seed=5)
    return tuple(drawn[name] for name in names)


def test_strata_keep_their_sizes() -> None:
    """Every resample holds as many units of each stratum as there are, however they are ordered."""
    strata = np.array([7, 1, 1, 7, 3, 1, 7, 7, 1, 7])
    ones, threes, sevens = stratum_sizes(strata, 1_100)
    assert (set(ones), set(threes), set(sevens)) == ({4.0}, {1.0}, {5.0})


def test_units_are_drawn_alike() -> None:
    """How often a unit is drawn has the mean and the variance of a multinomial count.

    With n units: mean 1 and variance 1 - 1/n; both within 5 standard errors over 20,000
    resamples (of the mean sqrt(v/20,000); of the variance, with fourth moment about 4, 2/sqrt).
    """
    units, resamples = 6, 20_000

    def count(unit: int) -> Statistic:
        return lambda weights: weights[:, unit]

    drawn = bootstrap(
        {unit: count(unit) for unit in range(units)},
        np.zeros(units, np.int64),
        resamples=resamples,
        seed=2,
    )
    error = 5 / np.sqrt(resamples)
    for counts in drawn.values():
        assert counts.mean() == pytest.approx(1, abs=error)
        assert counts.var() == pytest.approx(1 - 1 / units, abs=2 * error)


@pytest.mark.parametrize("resamples", [1, 499, 500, 501, 1_203])
def test_as_many_resamples_as_asked_for(resamples: int) -> None:
    """The number of values is that asked for, also where it doesn't fill the last chunk."""
    statistic = mean_of([1, 2, 4], np.arange(3), 3)
    drawn = bootstrap({"mean": statistic}, np.zeros(3, np.int64), resamples=resamples)
    assert drawn["mean"].shape == (resamples,)


def test_draws_follow_the_seed() -> None:
    """The same seed gives the same draws to every statistic, another seed gives others."""
    values = np.random.default_rng(8).normal(size=30)
    statistic = mean_of(values, np.arange(30), 30)
    strata = np.zeros(30, np.int64)
    one = bootstrap({"a": statistic, "b": statistic}, strata, resamples=700, seed=11)
    again = bootstrap({"b": statistic}, strata, resamples=700, seed=11)
    other = bootstrap({"b": statistic}, strata, resamples=700, seed=12)
    np.testing.assert_array_equal(one["a"], one["b"])
    np.testing.assert_array_equal(one["b"], again["b"])
    assert (one["b"] != other["b"]).mean() > 0.9


def test_judgments_of_an_item_stay_together() -> None:
    """Of items whose two judgments cancel, every resample has mean zero."""
    values = np.array([1.0, -1, 2, -2, 4, -4])
    statistic = mean_of(values, np.array([0, 0, 1, 1, 2, 2]), 3)
    drawn = bootstrap({"mean": statistic}, np.zeros(3, np.int64), resamples=600, seed=1)
    np.testing.assert_array_equal(drawn["mean"], np.zeros(600))


def test_interval_of_a_mean_covers_about_as_often_as_said() -> None:
    """The 95% interval of a mean of 50 normal values holds the true mean about as often as said.

    Good percentile intervals of this size cover .92 to .97; the band adds the 99% range of a
    binomial share of 2,000: 2.576 sqrt(.92 * .08/2000) = .016, 2.576 sqrt(.97 * .03/2000) = .010.
    """
    units, unit = 50, np.arange(50)
    held = 0
    for seed in range(2_000):
        values = np.random.default_rng(seed).normal(loc=3, scale=2, size=units)
        drawn = bootstrap(
            {"mean": mean_of(values, unit, units)},
            np.zeros(units, np.int64),
            resamples=400,
            seed=seed,
        )
        low, high = percentile_interval(drawn["mean"])
        held += low <= 3 <= high
    assert 0.92 - 0.016 <= held / 2_000 <= 0.97 + 0.010


def test_percentile_interval_by_hand() -> None:
    """Limits are order statistics: of 1 to 1,000 the 100th and 900th, the 250th and 750th."""
    values = np.random.default_rng(4).permutation(np.arange(1, 1_001))
    assert percentile_interval(values, 0.8) == (100, 900)
    assert percentile_interval(values, 0.5) == (250, 750)


def test_percentile_interval_leaves_undefined_resamples_out() -> None:
    """NaN changes nothing among other values; of NaN alone, or of nothing, both limits are NaN."""
    values = np.insert(np.arange(1.0, 1_001), [0, 500, 1_000], NAN)
    assert percentile_interval(values, 0.8) == (100, 900)
    assert np.isnan(percentile_interval([NAN, NAN])).all()
    assert np.isnan(percentile_interval([])).all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # At 50% of four values the limits are the first and the third.
        ([1, 2, INF, INF], (1, INF)),
        ([3, INF, 2, 1], (1, 3)),
        ([-INF, 1, 2, 3], (-INF, 2)),
        ([INF, INF, INF, INF], (INF, INF)),
        ([-INF, INF, NAN, INF, 0], (-INF, INF)),
    ],
)
def test_percentile_interval_with_infinite_values(
    values: list[float], expected: tuple[float, float]
) -> None:
    """Infinite values keep their rank, and don't make finite limits infinite or NaN."""
    assert percentile_interval(values, 0.5) == expected
