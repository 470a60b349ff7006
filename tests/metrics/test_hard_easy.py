"""The hard-easy slope against statsmodels and against the sandwich written out with matrices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.linalg import fractional_matrix_power, sqrtm

from build import prefixed
from inspect_confidence.metrics import HardEasySlope, hard_easy_slope, slope_interval
from inspect_confidence.metrics.arrays import FloatArray
from metrics.strategies import fixed

NAN = float("nan")


class ClusteredJudgments(NamedTuple):
    """Judgments: overconfidence, difficulty and cluster of each."""

    excess: FloatArray
    hard: FloatArray
    clusters: list[str]


@st.composite
def clustered_judgments(draw: st.DrawFn) -> ClusteredJudgments:
    """On a grid; not all equally difficult, in two clusters or more."""
    row = st.tuples(st.integers(-20, 20), st.integers(0, 8), st.sampled_from("abcde"))
    rows = draw(st.lists(row, min_size=3, max_size=25))
    excess, hard, names = zip(*rows, strict=True)
    assume(len(set(hard)) > 1 and len(set(names)) > 1)
    return ClusteredJudgments(np.array(excess) / 20, np.array(hard) / 8, list(names))


def random_judged(seed: int, judgments: int = 120, clusters: int = 9) -> ClusteredJudgments:
    """Clusters of unequal size, each with an error of its own."""
    rng = np.random.default_rng(seed)
    names = rng.integers(clusters, size=(2, judgments)).min(axis=0)
    hard = rng.uniform(0, 1, judgments)
    shift = rng.normal(0, 0.2, clusters)[names]
    excess = 0.1 + 0.5 * hard + shift + rng.normal(0, 0.1, judgments)
    return ClusteredJudgments(excess, hard, prefixed("g", names))


def cr2(excess: FloatArray, hard: FloatArray, clusters: Sequence[Hashable]) -> float:
    """Standard error of the slope, Bell and McCaffrey's sandwich as their formula has it."""
    # A block I - H_gg that is singular has its Moore-Penrose inverse's root.
    design = np.column_stack([np.ones(len(hard)), hard])
    bread = np.linalg.pinv(design.T @ design)
    residual = excess - design @ bread @ design.T @ excess
    projection = design @ bread @ design.T
    meat = np.zeros((2, 2))
    for name in dict.fromkeys(clusters):
        members = np.array([cluster == name for cluster in clusters])
        block = np.eye(members.sum()) - projection[np.ix_(members, members)]
        if np.linalg.eigvalsh(block)[0] > 1e-8:
            adjust = np.real(fractional_matrix_power(block, -0.5))
        else:
            inverse = np.linalg.pinv(block, rcond=1e-8, hermitian=True)
            null = np.eye(len(block)) - block @ inverse  # added, so that the root isn't singular
            adjust = np.real(sqrtm(inverse + null)) - null
        part = design[members].T @ adjust @ residual[members]
        meat += np.outer(part, part)
    return float(np.sqrt((bread @ meat @ bread)[1, 1]))


def assert_close(
    actual: HardEasySlope, expected_slope: HardEasySlope, tolerance: float = 1e-9
) -> None:
    """The same line with the same interval."""
    numbers = ("slope", "intercept", "standard_error", "ci_low", "ci_high")
    for name in numbers:
        expected = pytest.approx(getattr(expected_slope, name), abs=tolerance, nan_ok=True)
        assert getattr(actual, name) == expected, name


# The line and its interval


def test_line_is_statsmodels() -> None:
    """Slope and intercept are those of ordinary least squares."""
    for seed in range(5):
        excess, hard, names = random_judged(seed)
        fit = sm.OLS(excess, sm.add_constant(hard)).fit()
        line = hard_easy_slope(excess, hard, names)
        assert [line.intercept, line.slope] == pytest.approx(list(fit.params), abs=1e-12), seed
        assert line.judgments == 120, seed
        assert line.clusters == len(set(names)), seed


def test_singleton_clusters_are_statsmodels_hc2() -> None:
    """CR2 with a judgment a cluster is HC2, with the t quantile at n - 1 degrees of freedom."""
    for seed in range(5):
        excess, hard, _ = random_judged(seed, judgments=40)
        fit = sm.OLS(excess, sm.add_constant(hard)).fit(cov_type="HC2")
        line = hard_easy_slope(excess, hard)
        assert line.standard_error == pytest.approx(fit.bse[1], rel=1e-10), seed
        assert line.clusters == 40, seed
        half = stats.t.ppf(0.975, 39) * fit.bse[1]
        assert line.ci_low == pytest.approx(fit.params[1] - half, abs=1e-10), seed
        assert line.ci_high == pytest.approx(fit.params[1] + half, abs=1e-10), seed
        assert_close(line, hard_easy_slope(excess, hard, list(range(40))))


def test_standard_error_is_the_sandwich_with_cr2() -> None:
    """The clustered standard error is the matrix formula's."""
    for clusters in [2, 5, 12]:
        for seed in range(5):
            excess, hard, names = random_judged(seed, clusters=clusters)
            line = hard_easy_slope(excess, hard, names)
            expected = cr2(excess, hard, names)
            assert line.standard_error == pytest.approx(expected, rel=1e-9), (clusters, seed)
            half = stats.t.ppf(0.975, len(set(names)) - 1) * expected
            assert line.ci_high - line.slope == pytest.approx(half, rel=1e-9), (clusters, seed)
            assert line.slope - line.ci_low == pytest.approx(half, rel=1e-9), (clusters, seed)


@settings(fixed, max_examples=40)
@given(clustered_judgments())
def test_line_and_sandwich_of_any_judgments(rows: ClusteredJudgments) -> None:
    """Also where a cluster alone decides a coefficient, so that I - H_gg has no inverse."""
    line = hard_easy_slope(*rows)
    expected = stats.linregress(rows.hard, rows.excess)
    assert line.slope == pytest.approx(expected.slope, abs=1e-9)
    assert line.intercept == pytest.approx(expected.intercept, abs=1e-9)
    assert line.standard_error == pytest.approx(cr2(*rows), abs=1e-7)
    assert line.ci_low <= line.slope <= line.ci_high


def test_a_cluster_that_decides_the_slope_alone() -> None:
    """By hand: difficulty varies in one cluster only."""
    # x = (0, 1 | 0, 0) with y = (0, 2 | 1, 2): at x = 0 the mean is 1, at x = 1 it is 2, so a = 1,
    # b = 1 and the residuals are -1, 0 | 0, 1. X'X = [[4, 1], [1, 1]], its inverse [[1, -1], [-1,
    # 4]] / 3. H = 1/3 among the judgments at 0, 1 for that at 1. First cluster: I - H = diag(2/3,
    # 0), root (3/2)^1/2, (X'Ae) = (-(3/2)^1/2, 0), times the slope's row (-1/3, 4/3): (3/2)^1/2 /
    # 3. Second: I - H = [[2, -1], [-1, 2]] / 3 with values 1/3 for (1, 1) and 1 for (1, -1); sum of
    # A e = 3^1/2 sum(e) = 3^1/2, times -1/3.
    line = hard_easy_slope([0, 2, 1, 2], [0, 1, 0, 0], ["a", "a", "b", "b"])
    assert [line.slope, line.intercept] == pytest.approx([1, 1])
    assert line.scores["a"] == pytest.approx(np.sqrt(1.5) / 3)
    assert line.scores["b"] == pytest.approx(-np.sqrt(3) / 3)
    assert line.standard_error == pytest.approx(np.sqrt(1.5 / 9 + 3 / 9))
    assert line.ci_high == pytest.approx(1 + 12.706204736174698 * np.sqrt(0.5))  # t, 1 freedom


@fixed
@given(clustered_judgments())
def test_scores_add_up_to_the_variance(rows: ClusteredJudgments) -> None:
    """A score a cluster; their squares sum to the squared standard error."""
    line = hard_easy_slope(*rows)
    assert set(line.scores) == set(rows.clusters)
    assert line.clusters == len(line.scores)
    squares = sum(score**2 for score in line.scores.values())
    assert squares == pytest.approx(line.standard_error**2, abs=1e-12)


def test_slope_interval_is_students() -> None:
    """Slope -/+ t(.975; G - 1) standard errors; none for one cluster."""
    for clusters in [2, 3, 30]:
        low, high = slope_interval(0.4, 0.05, clusters)
        expected = stats.t.interval(0.95, clusters - 1, loc=0.4, scale=0.05)
        assert (low, high) == pytest.approx(expected, abs=1e-12), clusters
        assert np.isnan(slope_interval(0.4, 0.05, 1)).all(), clusters


# What changes nothing


@fixed
@given(clustered_judgments(), st.integers(2, 4))
def test_repeating_every_judgment_changes_nothing(rows: ClusteredJudgments, times: int) -> None:
    """New members of the same clusters with the same judgments add no information."""
    repeated = hard_easy_slope(
        np.tile(rows.excess, times), np.tile(rows.hard, times), rows.clusters * times
    )
    once = hard_easy_slope(*rows)
    assert_close(repeated, once, 1e-7)
    assert repeated.judgments == times * once.judgments
    assert repeated.clusters == once.clusters
    assert repeated.scores == pytest.approx(once.scores, abs=1e-7)


@fixed
@given(clustered_judgments(), st.randoms(use_true_random=False))
def test_order_changes_nothing(rows: ClusteredJudgments, random: object) -> None:
    """Nor does the order of judgments."""
    order = list(range(len(rows.hard)))
    random.shuffle(order)  # type: ignore[attr-defined] # hypothesis's Random
    names = [rows.clusters[k] for k in order]
    assert_close(
        hard_easy_slope(rows.excess[order], rows.hard[order], names), hard_easy_slope(*rows)
    )


@fixed
@given(clustered_judgments(), st.integers(-8, 8))
def test_what_is_added_to_overconfidence(rows: ClusteredJudgments, eighths: int) -> None:
    """A constant moves the intercept alone, a slope the slope."""
    once = hard_easy_slope(*rows)
    shifted = hard_easy_slope(rows.excess + eighths / 8, rows.hard, rows.clusters)
    assert shifted.slope == pytest.approx(once.slope, abs=1e-9)
    assert shifted.standard_error == pytest.approx(once.standard_error, abs=1e-8)
    assert shifted.intercept == pytest.approx(once.intercept + eighths / 8, abs=1e-9)
    once = hard_easy_slope(*rows)
    tilted = hard_easy_slope(rows.excess + eighths / 8 * rows.hard, rows.hard, rows.clusters)
    assert tilted.slope == pytest.approx(once.slope + eighths / 8, abs=1e-9)
    assert tilted.standard_error == pytest.approx(once.standard_error, abs=1e-8)


def test_names_of_clusters_may_be_anything_hashable() -> None:
    """Pairs, as decade and radius are, are the same clusters as their texts."""
    excess, hard, names = random_judged(1)
    pairs = [(name, 5.0) for name in names]
    assert_close(hard_easy_slope(excess, hard, pairs), hard_easy_slope(excess, hard, names))


# Edges


def test_lines_without_an_error_or_an_interval() -> None:
    """An exact line, two points, and one cluster, between which nothing can be seen."""
    for clusters in [None, list("aabbc")]:
        hard = np.array([0.1, 0.2, 0.4, 0.7, 0.9])
        line = hard_easy_slope(0.3 - 0.5 * hard, hard, clusters)
        assert line.slope == pytest.approx(-0.5, abs=1e-12), clusters
        assert line.intercept == pytest.approx(0.3, abs=1e-12), clusters
        assert line.standard_error == pytest.approx(0, abs=1e-12), clusters
        assert line.ci_high - line.ci_low == pytest.approx(0, abs=1e-11), clusters
    line = hard_easy_slope([0.1, 0.4], [0.25, 0.75])
    assert line.slope == pytest.approx(0.6)
    assert line.standard_error == pytest.approx(0, abs=1e-12)
    assert (line.judgments, line.clusters) == (2, 2)
    excess, hard, _ = random_judged(3)
    line = hard_easy_slope(excess, hard, ["a"] * len(hard))
    assert line.slope == pytest.approx(stats.linregress(hard, excess).slope, abs=1e-12)
    assert np.isnan([line.standard_error, line.ci_low, line.ci_high]).all()
    assert line.clusters == 1


@fixed
@given(clustered_judgments(), st.data())
def test_judgments_with_nan_are_left_out(rows: ClusteredJudgments, data: st.DataObject) -> None:
    """A NaN in either is as if the judgment weren't there, and its cluster if it has no other."""
    size = len(rows.hard)
    gone = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    excess = np.where(np.array(gone) == 1, NAN, rows.excess)
    hard = np.where(np.array(gone) == 2, NAN, rows.hard)
    complete = [k for k in range(size) if gone[k] == 0]
    line = hard_easy_slope(excess, hard, rows.clusters)
    expected = hard_easy_slope(
        rows.excess[complete], rows.hard[complete], [rows.clusters[k] for k in complete]
    )
    assert_close(line, expected, 0)
    assert (line.judgments, line.clusters) == (len(complete), expected.clusters)
    assert set(line.scores) == {rows.clusters[k] for k in complete}


def test_too_few_or_equal_difficulties_have_no_slope() -> None:
    """Too few, none harder than another but for rounding, and lengths that differ."""
    for excess, hard, judgments in [
        ([], [], 0),
        ([0.3], [0.5], 1),
        ([0.3, 0.1, 0.2], [0.5, 0.5, 0.5], 3),
        ([0.3, NAN], [0.5, 0.7], 1),
        ([0.3, 0.2], [NAN, 0.7], 1),
        ([NAN, NAN], [0.1, 0.7], 0),
    ]:
        line = hard_easy_slope(excess, hard)
        numbers = [line.slope, line.intercept, line.standard_error, line.ci_low, line.ci_high]
        assert np.isnan(numbers).all(), (excess, hard, judgments)
        assert line.judgments == judgments, (excess, hard, judgments)
    # .1 + .2 is as difficult as .3: no line, and no LinAlgError.
    for hard in [[0.1 + 0.2, 0.3], [0.1 + 0.2, 0.3, 0.3]]:
        line = hard_easy_slope([0.1, 0.2, 0.4][: len(hard)], hard)
        assert np.isnan([line.slope, line.intercept]).all(), hard
    for length, clusters in [(2, None), (3, 2), (3, 4)]:
        names = None if clusters is None else list(range(clusters))
        with pytest.raises(ValueError, match=r"clusters for 3 judgments|Lengths differ"):
            hard_easy_slope(np.zeros(3), np.arange(length) / 4, names)


def test_interval_covers_with_clustered_errors() -> None:
    """Of 400 sets of judgments whose errors are common to clusters, the interval has 95%."""
    rng = np.random.default_rng(11)
    names = list(np.repeat(np.arange(20), 6))
    covered = {True: 0, False: 0}
    for _ in range(400):
        hard = np.repeat(rng.uniform(size=20), 6) + rng.uniform(0, 0.1, 120)
        excess = 0.5 * hard + np.repeat(rng.normal(0, 0.2, 20), 6) + rng.normal(0, 0.05, 120)
        for by_cluster in covered:
            line = hard_easy_slope(excess, hard, names if by_cluster else None)
            covered[by_cluster] += line.ci_low <= 0.5 <= line.ci_high
    # Binomial: 380 with a standard deviation of 4.4, and the t quantile's freedom is too great
    # by a little; without clusters an interval is sqrt(6) times too narrow.
    assert 363 <= covered[True] <= 396
    assert covered[False] < 300
