"""Calibration: expected calibration error, Brier score and overconfidence, by hand and exactly."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from sklearn.metrics import brier_score_loss, log_loss

from build import column_of
from inspect_confidence.metrics import (
    accuracy,
    bin_count,
    brier,
    brier_parts,
    brier_uncertainty_interval,
    ece,
    ece_interval,
    log_score,
    mean_confidence,
    overconfidence,
)
from inspect_confidence.metrics.calibration import Binning
from metrics.oracles import share_interval
from metrics.strategies import fixed

# Expected calibration error against exact arithmetic, by every way of binning.


NAN = float("nan")
SCALES = (
    *((0, high) for high in (1, 5, 10, 20, 50, 73, 97, 100, 1000)),
    *((14, 86), (7, 79), (3, 38), (60, 100), (50, 100), (1, 7)),
)
BINS = (1, 5, 7, 10, 11, 15, 20, 25, 50, 100)
BINNINGS: tuple[Binning, ...] = ("equal_width", "equal_mass", "own_top")

every_scale = pytest.mark.parametrize(("low", "high"), SCALES)
every_binning = pytest.mark.parametrize("binning", BINNINGS)
# Reports on 0-20 and whether each was right: ties are frequent.
judgments = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=60)
Judgments = list[tuple[int, bool]]


def arrays(rows: Judgments) -> tuple[list[float], list[int]]:
    """Confidences and outcomes of reports on 0-20."""
    return twentieths(rows), list(map(int, column_of(rows, 1)))


def twentieths(rows: Sequence[tuple[int, int]]) -> list[float]:
    """Confidences of reports on 0-20."""
    return list(np.array(column_of(rows, 0)) / 20)


def outcomes_in_quarters(rows: Sequence[tuple[int, int]]) -> list[float]:
    """Outcomes of judgments of which so many quarters are right."""
    return list(np.array(column_of(rows, 1)) / 4)


def fractions_of_20(reports: Sequence[int]) -> list[Fraction]:
    """Exact confidences of reports on 0-20."""
    return [Fraction(report, 20) for report in reports]


def grouped(places: list[int], confidence: list[Fraction], outcome: list[Fraction]) -> Fraction:
    """The definition: over the groups, the sum of |confidence - outcome|, over all judgments."""
    gaps: dict[int, Fraction] = defaultdict(Fraction)
    for bin_number, confidences, truth in zip(places, confidence, outcome, strict=True):
        gaps[bin_number] += confidences - truth
    return sum(map(abs, gaps.values()), Fraction()) / len(places)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        pytest.param(*scale, marks=pytest.mark.slow if scale == (0, 1000) else ())
        for scale in SCALES
    ],
)
def test_equal_width_is_exact_arithmetic(low: int, high: int) -> None:
    """Each report lies where whole numbers put it, in the bin of its middle."""
    rng = np.random.default_rng([low, high])
    width = high - low
    for bins in BINS:
        raw = rng.integers(low, high + 1, 60)
        right = list(map(int, rng.integers(0, 2, 60)))
        places = np.minimum((raw - low) * bins // width, bins - 1).tolist()
        exact = [Fraction(report - low, width) for report in raw.tolist()]
        expected = grouped(places, exact, list(map(Fraction, right)))
        shares = (raw - low) / width
        assert ece(shares, right, bins=bins) == pytest.approx(float(expected), abs=1e-13)
        assert bin_count(shares, bins=bins) == len(set(places))
        for report in range(low, high + 1):
            place = min((report - low) * bins // width, bins - 1)
            confidences = [(report - low) / width, (place + 0.5) / bins]
            assert bin_count(confidences, bins=bins) == 1, (report, bins)


def test_a_confidence_on_an_edge_falls_in_the_bin_above() -> None:
    """A confidence on an edge opens the bin above it, and shares the bin with no other."""
    for confidence, bins, place in [
        (0.28, 25, 7),
        (0.56, 25, 14),
        (0.28, 50, 14),
        (0.56, 50, 28),
        (1.0, 25, 24),
        (1.0, 50, 49),
        (0.29, 100, 29),
        (0.57, 100, 57),
        (0.0, 25, 0),
        (1 - 0.9, 10, 1),  # 0.09999999999999998
        (0.0999, 10, 0),
        (0.3 - 1e-7, 10, 2),
    ]:
        for neighbour in range(max(place - 1, 0), min(place + 2, bins)):
            is_shared = bin_count([confidence, (neighbour + 0.5) / bins], bins=bins) == 1
            assert is_shared == (neighbour == place), (confidence, bins, place)


def test_own_top_gives_a_confidence_of_1_its_own_bin() -> None:
    """Two bins of five; exactly 1.0 has a bin of its own, 0.999 doesn't, in eleven bins either."""
    # Two bins of five judgments: (|1.85 - 1| + |0.6 + 0.65 + 0.7 - 3|) / 5 at five bins.
    # [.8, 1]: .85 and 1, one right, gap .85; [.6, .8): .6, .65, .7, all right, gap 1.95 - 3
    got = ece([0.85, 1.0, 0.6, 0.65, 0.7], [1, 0, 1, 1, 1], bins=5)
    assert got == pytest.approx((0.85 + 1.05) / 5, abs=1e-15)
    confidence, right = [1.0, 1.0, 0.999, 0.95, 0.05], [1, 0, 1, 1, 0]
    # 1.0: gap 2 - 1; [.9, 1): 1.949 - 2; [0, .1): .05. Together the two upper ones have .949.
    error = ece(confidence, right, binning="own_top")
    assert error == pytest.approx((1 + 0.051 + 0.05) / 5, abs=1e-15)
    assert ece(confidence, right) == pytest.approx((0.949 + 0.05) / 5, abs=1e-15)
    # LifeEval's form: the middles of ten bins, 0.999 in the tenth, and the eleventh for 1.0.
    middles = np.arange(10) / 10 + 0.05
    assert bin_count([*middles, 0.999, 1.0], binning="own_top") == 11
    assert bin_count([*middles, 0.999], binning="own_top") == 10
    assert bin_count([*middles, 0.999, 1.0]) == 10
    # Five values of equally many judgments fill five of ten bins, one value fills one.
    assert bin_count([0.5, 0.6, 0.7, 0.8, 0.9] * 20, binning="equal_mass") == 5
    assert bin_count([0.9] * 100, binning="equal_mass") == 1


@fixed
@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(1, 12))
def test_equal_mass_without_ties_is_array_split(right: list[bool], bins: int) -> None:
    """Where bins divide distinct confidences evenly, they are numpy's equal parts of the order."""
    outcome = np.resize(np.array(right, float), len(right) * bins)
    confidence = np.arange(len(outcome)) / len(outcome)
    np.random.default_rng(len(right)).shuffle(outcome)
    sums = np.sum(np.split(confidence - outcome, bins), axis=1)
    expected = np.abs(sums).sum() / len(outcome)
    assert ece(confidence, outcome, bins=bins, binning="equal_mass") == pytest.approx(expected)
    assert bin_count(confidence, bins=bins, binning="equal_mass") == bins


@fixed
@given(judgments, st.integers(1, 12))
def test_equal_mass_goes_by_the_middle_rank(rows: Judgments, bins: int) -> None:
    """Equal confidences stay together, in the bin floor(m (judgments below + half of them) / n)."""
    reports = column_of(rows, 0)
    ordered = sorted(reports)
    places = []
    for value in reports:
        below, through = bisect_left(ordered, value), bisect_right(ordered, value)
        places.append(math.floor(Fraction(below + through, 2) * bins / len(rows)))
    exact = fractions_of_20(reports)
    expected = grouped(places, exact, list(map(Fraction, column_of(rows, 1))))
    confidences, outcome = arrays(rows)
    got = ece(confidences, outcome, bins=bins, binning="equal_mass")
    assert got == pytest.approx(float(expected), abs=1e-13)
    assert bin_count(confidences, bins=bins, binning="equal_mass") == len(set(places))


@every_binning
@fixed
@given(judgments, st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_the_order_of_judgments_does_not_change_ece(
    binning: Binning, rows: Judgments, bins: int, seed: int
) -> None:
    """Reordering judgments, and outcomes among equal confidences, leaves the error as it is."""
    order = np.random.default_rng(seed).permutation(len(rows))
    confidences, right = arrays(rows)
    other_stated, other_right = arrays([rows[place] for place in order])
    once = ece(confidences, right, bins=bins, binning=binning)
    assert ece(other_stated, other_right, bins=bins, binning=binning) == once
    by_value = arrays(sorted(rows, key=lambda row: (row[0], row[1])))
    assert ece(*by_value, bins=bins, binning=binning) == once


@every_binning
@fixed
@given(judgments, st.integers(1, 30))
def test_ece_lies_between_overconfidence_and_that_of_the_finest_bins(
    binning: Binning, rows: Judgments, bins: int
) -> None:
    """The error lies between |overconfidence| (one bin) and that of a bin for each confidence."""
    confidences, right = arrays(rows)
    places = column_of(rows, 0)
    exact = fractions_of_20(places)
    finest = float(grouped(places, exact, list(map(Fraction, right))))
    got = ece(confidences, right, bins=bins, binning=binning)
    assert abs(overconfidence(confidences, right)) - 1e-12 <= got <= finest + 1e-12 <= 1 + 1e-12


@fixed
@given(judgments)
def test_enough_bins_separate_every_confidence(rows: Judgments) -> None:
    """With 20 bins and one for 1.0, reports on 0-20 each have a bin; with one bin none has."""
    confidences, right = arrays(rows)
    places = column_of(rows, 0)
    finest = grouped(places, fractions_of_20(places), list(map(Fraction, right)))
    assert ece(confidences, right, bins=20, binning="own_top") == pytest.approx(
        float(finest), abs=1e-13
    )
    assert bin_count(confidences, bins=20, binning="own_top") == len(set(places))
    assert ece(confidences, right, bins=1) == pytest.approx(abs(overconfidence(confidences, right)))


@every_binning
@fixed
@given(judgments, st.integers(1, 30))
def test_ece_is_the_same_on_every_report_scale(
    binning: Binning, rows: Judgments, bins: int
) -> None:
    """The same shares reported on 0-20, 0-100 or 60-100 give the same error to the last bit."""
    raw, right = np.array(column_of(rows, 0)), list(map(int, column_of(rows, 1)))
    error = ece(raw / 20, right, bins=bins, binning=binning)
    assert ece((5 * raw) / 100, right, bins=bins, binning=binning) == error
    assert ece((60 + 2 * raw - 60) / 40, right, bins=bins, binning=binning) == error


@every_binning
@fixed
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_probable_outcome_counts_by_expectation(
    binning: Binning, rows: list[tuple[int, int]]
) -> None:
    """An outcome of p = k/4 is worth k right and 4 - k wrong judgments of a quarter each."""
    confidences, right_counts = twentieths(rows), np.array(column_of(rows, 1))
    right = (np.arange(4) < right_counts[:, None]).ravel()
    expected = ece(np.repeat(confidences, 4), right, binning=binning)
    got = ece(confidences, outcomes_in_quarters(rows), binning=binning)
    assert got == pytest.approx(expected, abs=1e-13)


def test_missing_confidences_have_no_bin_and_bad_bins_raise() -> None:
    """Missing confidences; impossible numbers of bins and binnings raise."""
    assert bin_count([NAN, 0.9, 0.95, NAN], binning="own_top") == 1
    for binning in get_args(Binning):
        assert bin_count([], binning=binning) == bin_count([NAN], binning=binning) == 0, binning
    with pytest.raises(ValueError, match="bins=0 is below 1"):
        ece([0.5], [1], bins=0)
    with pytest.raises(ValueError, match="'quantile' is not one of equal_width"):
        ece([0.5], [1], binning="quantile")  # type: ignore[arg-type]


# ECE with bins (k/m, (k+1)/m], of which a confidence of 0 lies in none.


# Reports on 0-20 and the quarters of right that each was: ties and edges are frequent.
right_closed_judgments = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 4)), min_size=1, max_size=60
)


def looped(confidence: list[float], outcome: list[float], bins: int = 10) -> float:
    """The definition in a loop over what numpy puts into bins closed on the right."""
    edges = np.linspace(0, 1, bins + 1)
    place = np.digitize(confidence, edges, right=True)
    total = 0.0
    for bin_number in range(1, bins + 1):
        is_member = place == bin_number
        total += abs(np.array(confidence)[is_member].sum() - np.array(outcome)[is_member].sum())
    return total / len(confidence)


def test_right_closed_bins_put_an_edge_below_and_0_in_none() -> None:
    """Edges belong to the bin below; 0 lies in none and counts in n."""
    for confidence, correct, expected, bins in [
        # In no bin, and counted in n: (|.9 - 0|) / 2.
        ([0.0, 0.9], [1, 0], 0.45, 1),
        ([0.0, 0.0, 0.0], [1, 1, 1], 0.0, 0),
        ([0.0], [0], 0.0, 0),
        # .1 closes the first bin, with .05: |.15 - 1| / 2; .11 lies in the second.
        ([0.1, 0.05], [1, 0], 0.425, 1),
        ([0.1, 0.11], [1, 0], (0.9 + 0.11) / 2, 2),
        # .3 and rounding above it close the third, with .25: |.55 - 1| / 2.
        ([0.3, 0.25], [1, 0], 0.225, 1),
        ([0.3000000000000004, 0.25], [1, 0], 0.225, 1),
        ([0.1 + 0.2, 0.25], [1, 0], 0.225, 1),
        ([0.7000000000000001, 0.65], [1, 0], 0.175, 1),
        ([0.3000001, 0.25], [1, 0], (0.6999999 + 0.25) / 2, 2),
        # 1 lies in the last with .95: |1.95 - 1| / 2.
        ([1.0, 0.95], [0, 1], 0.475, 1),
        ([1.0, 0.9], [0, 1], (1 + 0.1) / 2, 2),
    ]:
        error = ece(confidence, correct, binning="right_closed")
        assert error == pytest.approx(expected, abs=1e-12), (confidence, correct, expected, bins)
        assert bin_count(confidence, binning="right_closed") == bins, confidence


def test_loop_over_numpys_bins() -> None:
    """Confidences with two decimals fall where numpy.digitize(right=True) puts them."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        confidence = list(rng.integers(0, 101, 80) / 100)
        right = list(rng.integers(0, 2, 80).astype(float))
        share = list(rng.uniform(size=80))
        for outcome in (right, share):
            expected = looped(confidence, outcome)
            assert ece(confidence, outcome, binning="right_closed") == pytest.approx(
                expected, abs=1e-12
            )
        places = set(np.digitize(confidence, np.linspace(0, 1, 11), right=True)) - {0}
        assert bin_count(confidence, binning="right_closed") == len(places), seed


def test_every_hundredth_is_in_numpys_bin() -> None:
    """Each of 0, .01, ..., 1 shares a bin with those numpy has it share one with."""
    place = np.digitize(np.arange(101) / 100, np.linspace(0, 1, 11), right=True)
    for k in range(1, 101):
        middle = (place[k] - 0.5) / 10
        assert bin_count([k / 100, middle], binning="right_closed") == 1, k


@pytest.mark.parametrize("bins", [1, 4, 5, 7, 10, 20])
@fixed
@given(right_closed_judgments)
def test_right_closed_ece_is_that_of_fractions(bins: int, rows: list[tuple[int, int]]) -> None:
    """With fractions and any number of bins; outcomes may lie between right and wrong."""
    gaps: dict[int, Fraction] = defaultdict(Fraction)
    for report, quarters in rows:
        if report:
            place = -(-report * bins // 20)
            gaps[place] += Fraction(report, 20) - Fraction(quarters, 4)
    expected = sum(map(abs, gaps.values()), Fraction()) / len(rows)
    confidence = twentieths(rows)
    outcome = outcomes_in_quarters(rows)
    error = ece(confidence, outcome, bins=bins, binning="right_closed")
    assert error == pytest.approx(float(expected), abs=1e-12)
    assert 0 <= error <= 1
    assert bin_count(confidence, bins=bins, binning="right_closed") == len(gaps)
    # The same right_closed_judgments as a second epoch, and replies that could not be read.
    epochs = ece([*confidence * 2, NAN], [*outcome * 2, 1], bins=bins, binning="right_closed")
    assert epochs == pytest.approx(error, abs=1e-12)


@fixed
@given(right_closed_judgments)
def test_differs_from_other_bins_at_edges_alone(rows: list[tuple[int, int]]) -> None:
    """Confidences within bins, not on their edges, have the ECE of bins closed on the left."""
    confidence = np.minimum(column_of(rows, 0), 19) / 20 + 0.02
    outcome = outcomes_in_quarters(rows)
    closed = ece(confidence, outcome, binning="right_closed")
    assert closed == pytest.approx(ece(confidence, outcome), abs=1e-12)


# The Brier score against scikit-learn, and its parts.


# Reports on 0-20, and how many of four attempts were right.
weighted = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 4)), min_size=1, max_size=60)
Weighted = list[tuple[int, int]]


def brier_arrays(rows: Weighted) -> tuple[list[float], list[float]]:
    """Confidences and outcomes in [0, 1]."""
    return twentieths(rows), outcomes_in_quarters(rows)


def test_brier_is_the_mean_squared_distance() -> None:
    """The score is the mean of (c - y)^2 worked out by hand, also for credits y between 0 and 1."""
    cases: list[tuple[list[float], list[float], float]] = [
        ([0.9], [1], 0.01),
        ([0.9], [0], 0.81),
        ([0.8, 0.3], [1, 0], (0.04 + 0.09) / 2),
        ([0.8], [0.5], 0.09),
        ([0.5], [0.5], 0.0),
        ([0.5] * 3, [0.3, 1, 0], (0.04 + 0.25 + 0.25) / 3),
    ]
    for confidence, correct, expected in cases:
        assert brier(confidence, correct) == pytest.approx(expected, abs=1e-15), confidence


def test_brier_parts_of_two_groups() -> None:
    """Four at 0.9 of whom three are right and two at 0.3 of whom none is."""
    # accuracy 1/2; (4 * .15^2 + 2 * .3^2)/6, (4 * .25^2 + 2 * .5^2)/6, 1/4
    parts = brier_parts([0.9] * 4 + [0.3] * 2, [1, 1, 1, 0, 0, 0])
    assert parts == pytest.approx((0.27 / 6, 0.75 / 6, 0.25), abs=1e-15)
    assert parts._fields == ("reliability", "resolution", "uncertainty")
    assert np.isnan(brier_parts([], [])).all()


@fixed
@given(weighted)
def test_brier_and_its_parts(rows: Weighted) -> None:
    """The score is scikit-learn's; calibration, resolution and uncertainty add up, as of groups."""
    confidences, outcome = map(np.array, brier_arrays(rows))
    shares = np.concatenate([outcome, 1 - outcome])
    right = [1] * len(rows) + [0] * len(rows)
    doubled = np.tile(confidences, 2)
    expected = brier_score_loss(right, doubled, sample_weight=shares, labels=[0, 1])
    expected -= np.mean(outcome * (1 - outcome))  # scikit-learn's is expected over the outcomes
    assert brier(confidences, outcome) == pytest.approx(expected, abs=1e-14)
    parts = brier_parts(confidences, outcome)
    whole = parts.reliability - parts.resolution + parts.uncertainty
    assert whole == pytest.approx(expected, abs=1e-14)
    assert parts.uncertainty == pytest.approx(np.var(outcome), abs=1e-14)
    accuracies = pd.Series(outcome).groupby(confidences).transform("mean").to_numpy()
    assert parts.reliability == pytest.approx(np.mean((confidences - accuracies) ** 2), abs=1e-14)
    assert parts.resolution == pytest.approx(
        np.var(accuracies), abs=1e-14
    )  # mean of own is accuracy


# Accuracy, mean confidence and their difference.


def test_overconfidence_uses_the_same_judgments_on_both_sides() -> None:
    """Over the same judgments on both sides."""
    confidence, correct = [1.0, 0.9, 0.8, 0.9], [1, 1, 0, 1]
    assert accuracy(correct) == 0.75
    assert mean_confidence(confidence) == pytest.approx(0.9, abs=1e-15)
    assert overconfidence(confidence, correct) == pytest.approx(0.15, abs=1e-15)
    assert overconfidence([0.5], [1]) == -0.5  # underconfident
    assert accuracy([0.5, 0.75]) == 0.625  # probabilities of being right
    # A judgment without a confidence or an outcome is left out of both means.
    assert overconfidence([0.9, NAN, 0.1], [1, 0, NAN]) == pytest.approx(-0.1, abs=1e-15)
    assert accuracy([1, NAN, 0]) == 0.5
    assert mean_confidence([0.25, NAN]) == 0.25


@fixed
@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 4)), min_size=1, max_size=60))
def test_accuracy_and_confidence_are_numpys_means(rows: list[tuple[int, int]]) -> None:
    """Each is numpy's mean, of outcomes, of confidences, and of their differences."""
    confidences, outcome = np.array(rows).T / [[100], [4]]
    assert accuracy(outcome) == pytest.approx(outcome.mean(), abs=1e-13)
    assert mean_confidence(confidences) == pytest.approx(confidences.mean(), abs=1e-13)
    assert overconfidence(confidences, outcome) == pytest.approx(
        (confidences - outcome).mean(), abs=1e-13
    )


def test_interval_of_ece_with_one_bin_is_students() -> None:
    """Far from 0 the gap of one bin is a mean, whose ends are -+ t(n - 1) s / sqrt(n)."""
    correct = np.array([1, 0] * 50 + [1] * 20, float)
    gap = 0.95 - correct
    reach = stdtrit(119, 0.975) * gap.std(ddof=1) / np.sqrt(120)
    low, high = ece_interval(np.full(120, 0.95), correct)
    # 2,000 draws: a quantile's standard error at .025 is .04 of a normal's
    assert low == pytest.approx(gap.mean() - reach, abs=0.15 * reach)
    assert high == pytest.approx(gap.mean() + reach, abs=0.15 * reach)


@pytest.mark.parametrize("binning", ["equal_width", "equal_mass", "own_top", "right_closed"])
def test_ece_interval_contains_the_value_and_0_if_calibrated(binning: Binning) -> None:
    """Holds the value, 0 where calibrated; an item asked again tells nothing; NaN left out."""
    confidence = np.repeat([0.2, 0.4, 0.6, 0.8], 30)
    correct = np.concatenate([np.arange(30) < 30 * value for value in (0.2, 0.4, 0.6, 0.8)])
    low, high = ece_interval(confidence, correct, binning=binning)
    assert low == ece(confidence, correct, binning=binning) == 0
    assert 0.05 < high < 0.5
    twice = np.tile(confidence, 2), np.tile(correct, 2), np.tile(np.arange(120), 2)
    assert ece_interval(*twice, binning=binning) == pytest.approx((low, high), abs=1e-9)
    unread = [*confidence, np.nan], [*correct, 1.0]
    assert ece_interval(*unread, binning=binning) == pytest.approx((low, high), abs=1e-9)
    wrong = 1 - confidence
    interval, (low, high) = ece(wrong, correct), ece_interval(wrong, correct, binning=binning)
    assert 0.1 < low <= interval <= high
    # All right at 1: as of the rule of three, an error in ten or fewer may have been missed.
    low, high = ece_interval([1.0] * 30, [1] * 30, binning=binning)
    assert low == 0 < high < 0.1


def test_interval_of_ece_of_nothing_and_of_the_same_again() -> None:
    """NaN where nothing was read; copies and another order of judgments change nothing."""
    unit = np.arange(60)
    for none in (np.array([]), np.full(60, NAN)):
        assert np.isnan(ece_interval(none, none, unit[: len(none)])).all()
    rng = np.random.default_rng(3)
    sure, right = rng.integers(0, 21, 60) / 20, rng.integers(0, 2, 60)
    for order in (np.tile(unit, 3), rng.permutation(60), unit[::-1]):
        repeated = ece_interval(sure[order], right[order], unit[order])
        assert repeated == pytest.approx(ece_interval(sure, right, unit), abs=1e-9)


def test_interval_of_brier_uncertainty() -> None:
    """P (1 - p) at the ends of Wilson's interval of p, or its greatest value between them."""
    for right in (2, 20, 38):
        correct = np.arange(40) < right
        ends = np.array(share_interval(right, 40))
        expected = np.sort(ends * (1 - ends))
        low, high = brier_uncertainty_interval(np.full(40, 0.5), correct)
        assert low == pytest.approx(expected[0])
        assert high == pytest.approx(0.25 if right == 20 else expected[1])


# The logarithmic score.


def test_log_score_by_hand() -> None:
    """A right answer at 1 counts as .995, a wrong one at .5 costs log 2; half-credit is both."""
    assert log_score([1.0, 0.5], [1, 0]) == pytest.approx(-(math.log(0.995) + math.log(0.5)) / 2)
    assert log_score([0.0], [1], step=1 / 5) == pytest.approx(math.log(10))
    expected = -(math.log(0.8) + math.log(0.2)) / 2
    assert log_score([0.8], [0.5]) == pytest.approx(expected)
    assert log_score([0.8, 0.8], [1, 0]) == pytest.approx(expected)


@pytest.mark.parametrize("step", [1 / 5, 1 / 20, 1 / 100])
def test_log_score_is_log_loss_of_clipped_confidence(step: float) -> None:
    """scikit-learn's, after moving confidence half a step away from 0 and 1; at two epochs too."""
    rng = np.random.default_rng(2)
    confidence = rng.integers(0, 21, 200) / 20
    correct = (rng.random(200) < confidence).astype(float)
    correct[:3] = 1 - np.round(confidence[:3])
    expected = log_loss(correct, np.clip(confidence, step / 2, 1 - step / 2))
    assert log_score(confidence, correct, step=step) == pytest.approx(expected)
    twice = log_score(np.tile(confidence, 2), np.tile(correct, 2), step=step)
    assert twice == pytest.approx(expected)
    with_gaps = [*confidence, NAN, 0.3], [*correct, 1, NAN]
    assert log_score(*with_gaps, step=step) == pytest.approx(expected)


def test_log_score_of_nothing_is_nan_and_a_wrong_step_raises() -> None:
    """NaN without a judgment; a step lies in (0, 1]."""
    assert math.isnan(log_score([], []))
    for step in (0, -0.1, 1.5, NAN):
        with pytest.raises(ValueError, match="step="):
            log_score([0.5], [1], step=step)
