"""A judge's errors taken out of shares: by hand, by a published formula, by a peer's numbers."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.metrics import (
    JudgeErrors,
    PredictionPowered,
    prediction_powered_mean,
    rogan_gladen,
)
from metrics.oracles import share_interval

shares = st.floats(0, 1)


@given(shares, st.floats(0.55, 1), st.floats(0.55, 1))
def test_the_true_share_comes_back(p: float, hit: float, spared: float) -> None:
    """What is judged, q = p sensitivity + (1 - p)(1 - specificity), turned round."""
    q = p * hit + (1 - p) * (1 - spared)
    assert rogan_gladen(q, hit, spared) == pytest.approx(p, abs=1e-12)


def test_rogan_gladen_is_clipped_and_nan_for_a_useless_judge() -> None:
    """Outside [0, 1] the nearer end; a judge that tells nothing gives NaN; no share is refused."""
    assert rogan_gladen(0.1, 0.9, 0.8) == 0  # (0.1 - 0.2) / 0.7
    assert rogan_gladen(0.95, 0.9, 0.8) == 1
    assert np.isnan(rogan_gladen(0.5, 0.5, 0.5))
    assert np.isnan(rogan_gladen(0.5, 0.2, 0.3))  # worse than chance
    with pytest.raises(ValueError, match=r"specificity=1\.2"):
        rogan_gladen(0.5, 0.9, 1.2)


def test_counts_of_two_classes_are_rogan_and_gladens() -> None:
    """18 of 20 right ones called right, 24 of 30 wrong ones wrong; a NaN is no label."""
    label = [1.0] * 20 + [0.0] * 30 + [np.nan, 1.0]
    verdicts = [1.0] * 18 + [0.0] * 26 + [1.0] * 6 + [1.0, np.nan]
    errors = JudgeErrors.from_labels(label, verdicts)
    assert errors.counts.tolist() == [[24, 6], [2, 18]]
    for q in (0.2, 0.55, 0.9):
        (value,) = errors.clipped(errors.corrected(np.array([[1 - q, q]])))
        assert value == pytest.approx(rogan_gladen(q, 0.9, 0.8), abs=1e-12)
    assert not errors.why_uncorrectable()
    with pytest.raises(ValueError, match=r"0\.5 is none of"):
        JudgeErrors.from_labels([0.5], [1.0])


def test_three_classes_are_corrected() -> None:
    """Rates with .8 on the diagonal and .1 beside: truth (.5, .3, .2) is judged (.45, .31, .24)."""
    errors = JudgeErrors(np.array([[8.0, 1, 1], [1, 8, 1], [1, 1, 8]]), np.array([0, 0.5, 1]))
    (value,) = errors.corrected(np.array([[0.45, 0.31, 0.24]]))
    assert value == pytest.approx(0.3 / 2 + 0.2)


def test_a_judge_that_guesses_corrects_nothing() -> None:
    """Right in half of both classes, or without a label of one."""
    for counts in ([[20, 20], [20, 20]], [[25, 15], [17, 23]], [[20, 5], [0, 0]]):
        reason = JudgeErrors(np.array(counts, float), np.array([0.0, 1.0])).why_uncorrectable()
        assert reason.startswith("its labels don't show"), counts


def lang_reiczigel(q: float, n: int, hit: float, m1: int, spared: float, m0: int) -> list[float]:
    """Their interval, from its printed formula.

    Source: Lang and Reiczigel (2014, Preventive Veterinary Medicine 113).
    """
    z = 1.959963984540054
    n1, q1 = n + z**2, (n * q + z**2 / 2) / (n + z**2)
    hit, spared = (m1 * hit + 1) / (m1 + 2), (m0 * spared + 1) / (m0 + 2)
    m1, m0, youden = m1 + 2, m0 + 2, hit + spared - 1
    p = (q1 + spared - 1) / youden
    parts = p**2 * hit * (1 - hit) / m1, (1 - p) ** 2 * spared * (1 - spared) / m0
    moved = 2 * z**2 * (p * hit * (1 - hit) / m1 - (1 - p) * spared * (1 - spared) / m0)
    error = sqrt(q1 * (1 - q1) / n1 + sum(parts)) / youden
    return [max(p + moved - z * error, 0), min(p + moved + z * error, 1)]


@pytest.mark.parametrize(("q", "hits", "spares"), [(0.4, 42, 45), (0.7, 46, 38), (0.25, 40, 48)])
def test_the_interval_is_near_a_closed_form(q: float, hits: int, spares: int) -> None:
    """Of 500 items and 50 labels of each class, within a tenth of its width of a peer's ends."""
    errors = JudgeErrors(
        np.array([[spares, 50 - spares], [50 - hits, hits]], float), np.arange(2.0)
    )
    right = np.random.default_rng(0).binomial(500, q, 20_000) / 500
    value = rogan_gladen(q, hits / 50, spares / 50)
    low, high = errors.interval(value, np.column_stack([1 - right, right]), 500)
    ends = lang_reiczigel(q, 500, hits / 50, 50, spares / 50, 50)
    assert np.abs(np.subtract((low, high), ends)).max() < 0.1 * (ends[1] - ends[0])
    # Taken from a constant it is turned round.
    turned = errors.interval(
        1 - value, np.column_stack([1 - right, right]), 500, minuend=np.ones(20_000)
    )
    assert turned == pytest.approx((1 - high, 1 - low), abs=1e-3)


PEER = (
    (0.5796875, 0.35144405557427905, 0.807930944425721),
    (0.6428482539682538, 0.4863675827719237, 0.799328925164584),
    (0.5537978107157016, 0.48456527457522475, 0.6230303468561783),
)
"""`ppi_mean_pointestimate` and `ppi_mean_ci(alpha=.05)` of ppi-python 0.2.3, of the draws below."""


def test_prediction_powered_means_are_the_peers() -> None:
    """Of right and wrong answers, and of shares; the peer's interval is the normal one."""
    rng, sizes = np.random.default_rng(7), ((12, 40), (30, 30), (20, 100))
    for (n, unlabelled_count), (value, low, high) in zip(sizes, PEER, strict=True):
        label = (rng.random(n) < 0.6) * 1.0
        verdicts = np.where(rng.random(n) < 0.8, label, 1 - label)
        unlabelled = (rng.random(unlabelled_count) < 0.6) * 1.0
        if unlabelled_count == 100:
            label = rng.random(n)
            verdicts, unlabelled = (
                np.clip(label + 0.2 * rng.standard_normal(n), 0, 1),
                rng.random(unlabelled_count),
            )
        estimate = prediction_powered_mean(label, verdicts, unlabelled)
        reach = 1.959963984540054 * estimate.error
        assert estimate.value == pytest.approx(value, abs=1e-12)
        assert (estimate.value - reach, estimate.value + reach) == pytest.approx(
            (low, high), abs=1e-12
        )
        wide = estimate.interval
        assert wide[0] < low < high < wide[1]  # Student's


def test_prediction_powered_mean_without_judge_is_the_mean_label() -> None:
    """Labels alone where all are labelled or the judge always says the same; two at least."""
    for unlabelled in ([], [1.0, 1.0, 1.0]):
        estimate = prediction_powered_mean([1, 0, 1, 1], [1, 1, 1, 1], unlabelled)
        assert (estimate.value, estimate.weight, estimate.items) == (0.75, 0, 4 + len(unlabelled))
        assert estimate.error == pytest.approx(sqrt(0.75 * 0.25 / 4))
    with pytest.raises(ValueError, match="Two labels are needed, and n = 1"):
        prediction_powered_mean([1], [1], [0])


@pytest.mark.parametrize(
    ("value", "error", "hits"),
    [(1.02, 0.03, 60), (1.0, 0.0, 60), (1 - 1e-15, 0.03, 60), (-0.01, 0.03, 0), (0.5, 0.0, 30)],
)
def test_share_interval_without_a_variance_is_that_of_the_labels(
    value: float, error: float, hits: int
) -> None:
    """60 labels of 200 items tell no more than 60 independent ones, all alike or half of them."""
    mean = PredictionPowered(value, error, weight=0.5, labelled=60, items=200)
    assert mean.share_interval == pytest.approx(share_interval(hits, 60), abs=1e-9)
