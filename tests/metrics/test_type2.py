"""Type-2 sensitivity at a threshold, by hand and against exact observers."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from inspect_confidence.metrics import (
    ConfidenceTables,
    ItemTables,
    bootstrap,
    meta_d_ideal,
    type2_criterion,
    type2_dprime,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.tables import confidence_table
from inspect_confidence.metrics.type2 import (
    meta_d_ideal_of_tables,
    type2_criterion_of_tables,
    type2_dprime_of_tables,
    type2_remark,
)
from metrics.strategies import fixed

NAN = float("nan")
Z = NormalDist().inv_cdf
FUNCTIONS = (type2_dprime, meta_d_ideal, type2_criterion)

# High and low confidence among right answers, and among wrong ones.
counts = st.tuples(*[st.integers(0, 30)] * 4)
Counts = tuple[int, ...]


def judgments_of(counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Confidence of 0.9 or 0.1, and outcomes, in such numbers."""
    return np.repeat([0.9, 0.1, 0.9, 0.1], counts), np.repeat([1.0, 1, 0, 0], counts)


def tells(counts: Counts) -> bool:
    """Whether there are right and wrong answers, and high and low confidence."""
    a, b, c, d = counts
    return min(a + b, c + d, a + c, b + d) > 0


def many(hit: float, false_alarm: float) -> ConfidenceTables:
    """So many judgments with these rates that half a judgment more is nothing."""
    return ConfidenceTables(
        np.array([0.1, 0.9]),
        1e14 * np.array([[1 - hit, hit]]),
        1e14 * np.array([[1 - false_alarm, false_alarm]]),
    )


def root(hit: float, false_alarm: float) -> float:
    """The d' of the ideal observer by scipy: eliminate c from its H2 and F2."""

    def excess(d: float) -> float:
        sure_right = norm.ppf(hit * norm.cdf(d / 2))  # d/2 - c
        sure_wrong = norm.ppf(false_alarm * norm.cdf(-d / 2))  # -d/2 - c
        return float(sure_right - sure_wrong - d)

    return float(brentq(excess, 0, 15, xtol=1e-13))


def test_type2_dprime_after_the_log_linear_correction() -> None:
    """18 high of 19 right and 3 high of 9 wrong are (18.5/20, 3.5/10) after the correction."""
    confidences, right = judgments_of((18, 1, 3, 6))
    assert type2_dprime(confidences, right) == pytest.approx(Z(0.925) - Z(0.35), abs=1e-12)
    # z(.925) = 1.43953, z(.35) = -0.38532
    assert type2_dprime(confidences, right) == pytest.approx(1.82485, abs=1e-5)


def test_resamples_count_their_pseudo_judgments_twice() -> None:
    """With (.3, .1) pseudo-judgments, high and low, right ones, and (.4, .2) wrong ones."""
    pseudo = np.array([[0.1, 0.2, 0.3, 0.4]])
    table = ConfidenceTables(
        np.array([0.1, 0.9]), np.array([[2.0, 3.0]]), np.array([[4.0, 1.0]]), pseudo=pseudo
    )
    assert type2_dprime_of_tables(table)[0] == pytest.approx(Z(3.3 / 5.4) - Z(1.4 / 5.6), abs=1e-12)


def test_resamples_have_the_log_linear_correction_on_average() -> None:
    """A quarter of a pseudo-judgment in each of the four cells, which counts twice, is a half."""
    cells = ItemTables.from_judgments(*judgments_of((18, 1, 3, 6)))
    statistic = cells.table_statistic.map(lambda tables: tables.pseudo)
    draws = bootstrap({"pseudo": statistic}, np.zeros(28, np.int64), resamples=20_000)
    # Masses are n times gamma variates over the sum of n others: n/(n - 1) larger on average.
    expected = np.full(4, 28 / 27 / 4)
    np.testing.assert_allclose(draws["pseudo"].mean(axis=0), expected, atol=0.015)


@fixed
@given(counts)
def test_log_linear_correction(counts: Counts) -> None:
    """Each of the four counts has 0.5 added; where the counts tell nothing, the value is NaN."""
    a, b, c, d = counts
    got = type2_dprime(*judgments_of(counts))
    if tells(counts):
        expected = Z((a + 0.5) / (a + b + 1)) - Z((c + 0.5) / (c + d + 1))
        assert got == pytest.approx(expected, abs=1e-12)
    else:
        assert math.isnan(got)


@fixed
@given(counts.filter(tells))
def test_meta_d_ideal_is_the_root(counts: Counts) -> None:
    """And turns its sign where right and wrong are exchanged."""
    a, b, c, d = counts
    hit, false_alarm = (a + 0.5) / (a + b + 1), (c + 0.5) / (c + d + 1)
    got = meta_d_ideal(*judgments_of(counts))
    size = root(max(hit, false_alarm), min(hit, false_alarm))
    assert got == pytest.approx(math.copysign(size, hit - false_alarm), abs=1e-9)
    confidences, right = judgments_of(counts)
    for function in (type2_dprime, meta_d_ideal):
        assert function(confidences, 1 - right) == pytest.approx(
            -function(confidences, right), abs=1e-9
        )
    criterion = type2_criterion(confidences, right)
    assert type2_criterion(confidences, 1 - right) == pytest.approx(criterion, abs=1e-9)


def test_observer_of_known_rates_is_recovered() -> None:
    """Of exact observers come d' and criterion back; others have values worked out elsewhere."""
    for hit, false_alarm, ideal, closed in [
        (0.8, 0.35, 2.117, 1.22694),
        (0.95, 0.8, 1.836, 0.80323),
    ]:
        table = many(hit, false_alarm)
        assert meta_d_ideal_of_tables(table)[0] == pytest.approx(ideal, abs=5e-4), hit
        assert meta_d_ideal_of_tables(table)[0] == pytest.approx(
            root(hit, false_alarm), abs=1e-9
        ), hit
        assert type2_dprime_of_tables(table)[0] == pytest.approx(closed, abs=1e-5), hit
    # From the probabilities of x ~ N(d'/2, 1) beyond c on each side come d' and c again.
    for criterion in [0.02, 0.4, 1, 1.8]:
        for d_prime in [0.05, 0.5, 1, 2, 3.5, 5]:
            right, wrong = norm.sf(0, d_prime / 2), norm.cdf(0, d_prime / 2)
            hit = norm.sf(criterion, d_prime / 2) / right
            false_alarm = norm.cdf(-criterion, d_prime / 2) / wrong
            table = many(float(hit), float(false_alarm))
            assert meta_d_ideal_of_tables(table)[0] == pytest.approx(d_prime, abs=1e-6), criterion
            assert type2_criterion_of_tables(table)[0] == pytest.approx(criterion, abs=1e-6), (
                criterion
            )


def test_equal_rates_have_no_sensitivity() -> None:
    """Equal rates, and models that are always as sure."""
    confidences, right = judgments_of((12, 7, 12, 7))
    assert type2_dprime(confidences, right) == pytest.approx(0, abs=1e-12)
    assert meta_d_ideal(confidences, right) == pytest.approx(0, abs=1e-9)
    # share 12.5/20, P(|x| > c) = 2 Phi(-c)
    assert type2_criterion(confidences, right) == pytest.approx(-Z(0.625 / 2), abs=1e-9)
    for wrong in [10, 100, 200, 500, 900]:
        right = np.repeat([1, 0], [1000 - wrong, wrong])
        varied = np.random.default_rng(wrong).choice([0.6, 0.8, 1], 1000)
        for function in FUNCTIONS:
            assert math.isnan(function(np.ones(1000), right)), wrong
            assert math.isnan(function(varied, right)), wrong
            assert math.isnan(function(1 - varied, right))  # all of them below
            assert not math.isnan(function(varied, right, threshold=0.7)), wrong


def test_the_threshold_counts_as_high() -> None:
    """Confidence at the threshold is high, also one that floating point puts just below it."""
    right = np.repeat([1, 0, 1, 0], [5, 3, 2, 6])
    for function in FUNCTIONS:
        expected = function(np.repeat([0.9, 0], 8), right)
        assert function(np.repeat([0.1, 0], 8), right, threshold=0.1) == expected
        assert function(np.repeat([1 - 0.9, 0], 8), right, threshold=0.1) == expected
        assert function(np.repeat([0.1, 0.0999], 8), right, threshold=0.1) == expected
        assert function(np.repeat([0.5, 0.49], 8), right) == expected  # half by default
        assert function(np.repeat([1, 0.99], 8), right, threshold=1) == expected


def test_remark_names_the_reason_of_nan_and_a_small_cell() -> None:
    """Each reason for a NaN is named, and a small cell."""
    # One class only and probable outcomes give NaN.
    confidences = np.array([0.9, 0.1, 0.8, 0.2, 0.7])
    for function in FUNCTIONS:
        assert math.isnan(function(confidences, np.ones(5)))
        assert math.isnan(function(confidences, np.zeros(5)))
        assert math.isnan(function(confidences, [1, 0, 0.5, 0, 1]))
    for counts, remark in [
        ((5, 5, 5, 5), ""),
        ((5, 5, 4, 5), "smallest type-2 cell 4, under 5"),
        ((0, 5, 7, 5), "smallest type-2 cell 0, under 5"),
        ((5, 0, 5, 0), "every judgment lies at or above the threshold 0.5"),
        ((0, 5, 0, 5), "every judgment lies below the threshold 0.5"),
        ((5, 5, 0, 0), "all answers are right"),
        ((0, 0, 5, 5), "all answers are wrong"),
        ((0, 0, 0, 0), "no judgment"),
    ]:
        table = confidence_table(*judgments_of(counts))
        assert type2_remark(table, 0.5) == remark, (counts, remark)
        undefined = bool(remark) and not remark.startswith("smallest")
        assert math.isnan(type2_dprime_of_tables(table)[0]) == undefined, (counts, remark)
    # Outcomes between 0 and 1 are a reason of their own.
    table = confidence_table([0.9, 0.1], [0.5, 1])
    assert type2_remark(table, 0.5) == "outcomes are not all right or wrong"
