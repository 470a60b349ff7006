"""Calibration errors beside ECE: against peers, brute force and by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from calibration.utils import unbiased_square_ce
from inspect_ai.scorer import SampleScore, Score
from inspect_evals.hle.metrics import cerr
from relplot.metrics import smECE, smECE_sigma
from scipy.stats import norm

from inspect_confidence.metrics import (
    TABLE_FUNCTIONS,
    debiased_squared_error,
    debiased_squared_error_interval,
    ece,
    ece_interval,
    hle_calibration_error,
    rms_calibration_error,
    rms_calibration_error_interval,
    smooth_ece,
    smooth_ece_interval,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.tables import ItemTables
from metrics.oracles import twice_and_with_missing

Judgments = tuple[FloatArray, FloatArray]

SIMPLE = (rms_calibration_error, hle_calibration_error, smooth_ece)
NAN = float("nan")


def inputs(max_size: int = 400) -> Iterator[Judgments]:
    """200 inputs: ties, all distinct, ends alone, one value; one class in every fifth."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, max_size))
        shapes: list[FloatArray] = [
            rng.integers(0, 21, n) / 20,
            rng.random(n),
            rng.integers(0, 2, n).astype(float),
            np.full(n, 0.7),
        ]
        confidence = shapes[seed % 4]
        correct: FloatArray = (rng.random(n) < confidence**2).astype(float)
        yield confidence, np.ones_like(correct) if seed % 5 == 0 else correct


def test_root_mean_square_is_a_loop_over_bins() -> None:
    """Each bin's mean confidence less its accuracy, squared and weighed."""
    for confidence, correct in inputs():
        place = np.minimum(np.floor(confidence * 10 + 1e-9), 9)
        inside = [place == k for k in np.unique(place)]
        gaps = [confidence[members].mean() - correct[members].mean() for members in inside]
        weights = [members.mean() for members in inside]
        expected = np.sqrt(np.average(np.square(gaps), weights=weights))
        assert rms_calibration_error(confidence, correct) == pytest.approx(expected, abs=1e-9)
        assert ece(confidence, correct) <= expected + 1e-12


def test_bins_by_rank_are_those_of_inspect_evals() -> None:
    """It takes outcomes between 0 and 1: with the mean of those that tie, order doesn't matter."""
    peer = cerr()
    for exact, correct in inputs():
        confidence = np.round(exact, 2)  # it takes whole percentages
        _, tie = np.unique(confidence, return_inverse=True)
        mean = (np.bincount(tie, correct) / np.bincount(tie))[tie]
        scores = [
            SampleScore(score=Score(value={"score": float(y), "confidence": round(100 * c)}))
            for c, y in zip(confidence, mean, strict=True)
        ]
        expected = peer(scores)  # type: ignore[arg-type]
        assert hle_calibration_error(confidence, correct) == pytest.approx(expected, abs=1e-9)


def test_the_top_bin_is_dropped_as_the_authors_do() -> None:
    """Of 250 items the bins are 100 and 150; the second is left out of the sum, not of n."""
    confidence = np.concatenate([np.linspace(0, 0.4, 100), np.linspace(0.6, 1, 150)])
    correct = np.zeros(250)
    # The first bin's mean confidence is .2: sqrt(.4 * .04); the second's .8: .4 * .04 + .6 * .64.
    error = hle_calibration_error(confidence, correct, top_bin="dropped")
    assert error == pytest.approx(np.sqrt(0.4 * 0.04))
    assert hle_calibration_error(confidence, correct) == pytest.approx(np.sqrt(0.4))
    # One bin alone is the last one, so that nothing is left to sum.
    for n in (99, 100, 150, 199):
        assert np.isnan(hle_calibration_error([0.9] * n, [0] * n, top_bin="dropped"))
    # Of 200 items the first bin is left: sqrt(1/2 * .9^2).
    left = hle_calibration_error([0.9] * 200, [0] * 200, top_bin="dropped")
    assert left == pytest.approx(0.9 * np.sqrt(1 / 2))
    with pytest.raises(ValueError, match="top_bin='last'"):
        hle_calibration_error([0.5], [1], top_bin="last")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="size=0"):
        hle_calibration_error([0.5], [1], size=0)


def test_debiased_is_that_of_kumar() -> None:
    """The peer, where each confidence has two judgments; by definition everywhere."""
    compared = 0
    for confidence, correct in inputs():
        error = debiased_squared_error(confidence, correct)
        if len(confidence) < 2:
            assert np.isnan(error)
            continue
        values, size = np.unique(confidence, return_counts=True)
        if size.min() > 1:
            groups = [np.flatnonzero(confidence == value) for value in values]
            binned = [
                list(zip(confidence[members], correct[members], strict=True)) for members in groups
            ]
            assert error == pytest.approx(unbiased_square_ce(binned), abs=1e-9)
            compared += 1
        assert error == pytest.approx(over_pairs(confidence, correct), abs=1e-9)
    assert compared > 90


def over_pairs(confidence: FloatArray, correct: FloatArray) -> float:
    """Neighbours in groups of two at least: the mean over ordered pairs, by the groups' sizes."""
    groups: list[list[int]] = [[]]
    for value in np.unique(confidence):
        groups[-1] += np.flatnonzero(confidence == value).tolist()
        if len(groups[-1]) > 1:
            groups.append([])
    last = groups.pop()
    groups[-1] += last
    total = 0.0
    for group in groups:
        off = (confidence - correct)[group]
        product = np.outer(off, off)
        pairs = product.sum() - np.trace(product)
        total += len(off) * pairs / (len(off) * (len(off) - 1))
    return total / len(confidence)


def test_debiased_pairs_different_items_only() -> None:
    """Two items asked twice: of the four products across items the mean, none within an item."""
    confidence, unit = np.full(4, 0.5), np.array([0, 0, 1, 1])
    # Off by -.5, .5 and -.5, -.5: the items' sums are 0 and -1, so that the products sum to 0.
    assert debiased_squared_error(confidence, [1, 0, 1, 1], unit) == 0
    # All right: each product is .25. One item alone has no pair.
    assert debiased_squared_error(confidence, [1, 1, 1, 1], unit) == 0.25
    assert np.isnan(debiased_squared_error(confidence, [1, 0, 1, 1], np.zeros(4, np.int64)))


GRID = (np.arange(500) + 0.5) / 500


def by_images(confidence: FloatArray, correct: FloatArray, width: float) -> float:
    """Smooth ECE by normal densities at each confidence and its images beyond 0 and 1."""
    shifts = 2 * np.arange(-4, 5)[:, None]
    images = np.concatenate([shifts + confidence, shifts - confidence]).ravel()
    off = np.tile(confidence - correct, 18) / len(confidence)
    return float(np.abs(norm.pdf(GRID[:, None], images, width) @ off).mean())


def test_smooth_ece_equals_a_sum_of_reflected_kernels() -> None:
    """At a width, and where the error is the width itself, of which there is one."""
    for confidence, correct in inputs(10):
        fixed = smooth_ece(confidence, correct, bandwidth=0.1)
        assert fixed == pytest.approx(by_images(confidence, correct, 0.1), abs=1e-9)
        error = smooth_ece(confidence, correct)
        assert error == pytest.approx(by_images(confidence, correct, max(error, 0.008)), abs=1e-9)


@pytest.mark.slow
def test_smooth_ece_is_near_relplots() -> None:
    """Relplot has 200 points, steps of 1/1024 in width, and half the mass at exactly 0 and 1."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        confidence = 0.02 + 0.96 * rng.random(300)
        correct = (rng.random(300) < confidence**2).astype(float)
        judgments = confidence, correct
        for width in (0.05, 0.2):
            peer = smECE_sigma(*judgments, width)
            assert smooth_ece(*judgments, bandwidth=width) == pytest.approx(peer, abs=2e-3)
        assert smooth_ece(*judgments) == pytest.approx(smECE(*judgments), abs=3e-3)


def test_smooth_ece_of_one_side_is_the_difference_of_means() -> None:
    """Where every gap is positive nothing cancels: mean confidence less accuracy."""
    rng = np.random.default_rng(0)
    confidence = rng.random(60)
    assert smooth_ece(confidence, np.zeros(60)) == pytest.approx(confidence.mean(), abs=1e-9)
    assert smooth_ece([1.0, 0.0, 1.0], [1, 0, 1]) == 0
    with pytest.raises(ValueError, match="bandwidth=0 is below"):
        smooth_ece([0.5], [1], bandwidth=0)


def test_items_asked_twice_with_one_answer_change_nothing() -> None:
    """Values and intervals; judgments without confidence or outcome are left out."""
    rng = np.random.default_rng(1)
    confidence = rng.integers(0, 11, 250) / 10
    correct = (rng.random(250) < confidence).astype(float)
    twice, with_missing = twice_and_with_missing(confidence, correct)
    for measure in SIMPLE:
        for judgments in (twice, with_missing):
            table = ItemTables.from_judgments(*judgments).total_table()
            assert TABLE_FUNCTIONS[measure.__name__](table)[0] == pytest.approx(
                measure(confidence, correct), abs=1e-12
            )
    for interval in (
        debiased_squared_error_interval,
        rms_calibration_error_interval,
        smooth_ece_interval,
    ):
        for judgments in (twice, with_missing):
            assert interval(*judgments) == pytest.approx(interval(confidence, correct), abs=1e-9)
    for judgments in (twice, with_missing):
        expected = debiased_squared_error(confidence, correct)
        assert debiased_squared_error(*judgments) == pytest.approx(expected, abs=1e-12)


def test_intervals_of_errors_end_at_the_greatest_error() -> None:
    """Sixty wrong answers with confidence 1 have the error 1, beyond which none lies."""
    for interval in (ece_interval, rms_calibration_error_interval, smooth_ece_interval):
        low, high = interval([1.0] * 60, [0] * 60)
        assert 0.9 < low < high == 1


def test_calibration_errors_of_no_judgment_are_nan() -> None:
    """No judgment gives NaN, as do probabilities for outcomes where noise is taken off."""
    for measure in SIMPLE:
        assert np.isnan(measure([], []))
        assert np.isnan(measure([NAN, 0.5], [1, NAN]))
    assert np.isnan(debiased_squared_error([], []))
    assert np.isnan(debiased_squared_error([0.5, 0.5], [0.2, 1]))
    for interval in (rms_calibration_error_interval, smooth_ece_interval):
        assert np.isnan(interval([], [])).all()
        assert np.isnan(interval([0.5], [1])).all()


def test_intervals_hold_their_value() -> None:
    """Below 0 too; there is none with fewer than five items a confidence."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        confidence = rng.integers(0, 6, 60) / 5
        correct = (rng.random(60) < confidence).astype(float)
        judgments = confidence, correct
        for value, (low, high) in (
            (debiased_squared_error(*judgments), debiased_squared_error_interval(*judgments)),
            (rms_calibration_error(*judgments), rms_calibration_error_interval(*judgments)),
            (smooth_ece(*judgments), smooth_ece_interval(*judgments)),
        ):
            assert low <= value <= high
    distinct = rng.random(60)
    assert np.isnan(debiased_squared_error_interval(distinct, distinct > 0.5)).all()


def test_many_tables_at_once_are_each_by_itself() -> None:
    """Also where a resample lacks some of the values, or all."""
    rng = np.random.default_rng(3)
    confidence = rng.integers(0, 21, 130) / 20
    correct = (rng.random(130) < confidence).astype(float)
    weights = rng.multinomial(130, np.ones(130) / 130, size=20).astype(float)
    weights[0] = 0
    cells = ItemTables.from_judgments(confidence, correct)
    for measure in SIMPLE:
        values = TABLE_FUNCTIONS[measure.__name__](cells.tables(weights))
        assert np.isnan(values[0])
        for row, value in zip(weights[1:].astype(int), values[1:], strict=True):
            judgments = np.repeat(confidence, row), np.repeat(correct, row)
            assert value == pytest.approx(measure(*judgments), abs=1e-9)
