"""Corrected and normalised meta-information, against scikit-learn, scipy and brute force."""

import math

import numpy as np
import pytest
from scipy.stats import entropy, norm
from sklearn.metrics import mutual_info_score

from inspect_confidence.metrics import (
    meta_information,
    meta_information_corrected,
    meta_information_ideal,
    meta_information_share,
)
from inspect_confidence.metrics.arrays import IntArray
from inspect_confidence.metrics.information import ideal_information
from metrics.strategies import FloatArray
from metrics.test_decisions import samples

NAN = float("nan")


def classes(stated: FloatArray) -> IntArray:
    """The class of each judgment: its confidence, or that of equal mass that its ranks fall in."""
    n, values = len(stated), np.unique(stated)
    most = min(20, math.isqrt(n))
    if len(values) <= most:
        return np.asarray(np.searchsorted(values, stated))
    middle = {v: ((stated < v).sum() + (stated == v).sum() / 2) / n for v in values}
    return np.array([math.floor(middle[v] * most + 1e-9) for v in stated])


def by_deleting(stated: FloatArray, right: FloatArray) -> float:
    """Less n - 1 times the mean of I without each judgment, n I; at most the entropy; in bits."""
    rows, n = classes(stated), len(right)
    whole = mutual_info_score(rows, right)
    without = [mutual_info_score(np.delete(rows, i), np.delete(right, i)) for i in range(n)]
    most = entropy([right.mean(), 1 - right.mean()])
    return float(min(n * whole - (n - 1) * np.mean(without), most) / math.log(2))


@pytest.mark.slow
def test_the_jackknife_is_that_of_deleted_judgments() -> None:
    """Each judgment deleted in turn; as a share, over the entropy of correctness."""
    tried = 0
    for stated, right in samples(most=60, count=200):
        if 0 < right.sum() < len(right):
            expected = by_deleting(stated, right)
            assert meta_information_corrected(stated, right) == pytest.approx(expected, abs=1e-9)
            share = expected / float(entropy([right.mean(), 1 - right.mean()], base=2))
            assert meta_information_share(stated, right) == pytest.approx(share, abs=1e-9)
            tried += 1
        else:
            assert math.isnan(meta_information_corrected(stated, right))
    assert tried > 80


def test_many_values_are_pooled() -> None:
    """As many confidences as judgments tell nothing by themselves, however much they seem to."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(200):
        stated, right = rng.random(200), (rng.random(200) < 0.7).astype(float)
        assert meta_information(stated, right) == pytest.approx(
            entropy([right.mean(), 1 - right.mean()], base=2)
        )
        found.append(meta_information_corrected(stated, right))
    assert abs(np.mean(found)) < 0.01  # the mean's standard error is .002
    assert by_deleting(stated, right) == pytest.approx(found[-1], abs=1e-9)


def bits(p: FloatArray) -> FloatArray:
    """Entropy of a probability and its complement."""
    return np.asarray(entropy(np.stack([p, 1 - p]), base=2))


def test_information_of_the_ideal_observer_of_two() -> None:
    """I(stimulus; evidence) - I(stimulus; response), on a fine grid of evidence."""
    for d in (0.3, 1.0, 2.5, 4.0):
        x = np.linspace(-8 - d, 8 + d, 40_001)
        joint = np.stack([norm.pdf(x, -d / 2), norm.pdf(x, d / 2)]) * (x[1] - x[0]) / 2
        told = 1 + entropy(joint.sum(axis=0), base=2) - entropy(joint.ravel(), base=2)
        right = norm.cdf(d / 2)
        expected = told - (1 - bits(np.array(right)))
        assert ideal_information(np.array([right]), 2)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("alternatives", "d_prime"), [(3, 1.0), (4, 1.5), (5, 2.5)])
def test_information_of_the_ideal_observer_of_more(alternatives: int, d_prime: float) -> None:
    """That of a million simulated answers, whose own error is about .0002."""
    rng = np.random.default_rng(alternatives)
    evidence = rng.normal(size=(400_000, alternatives))
    evidence[:, 0] += d_prime
    likelihood = np.exp(d_prime * evidence)
    sure = likelihood.max(axis=1) / likelihood.sum(axis=1)
    expected = bits(sure.mean()) - bits(sure).mean()
    found = ideal_information(np.array([sure.mean()]), alternatives)[0]
    assert found == pytest.approx(expected, abs=1.5e-3)


def test_an_ideal_observer_has_one() -> None:
    """But for what 20 classes lose; a noisy one has less; below chance there is none."""
    rng = np.random.default_rng(1)
    x = rng.normal(0.8, 1, 100_000)
    sure, right = 1 / (1 + np.exp(-1.6 * np.abs(x))), (x > 0).astype(float)
    assert meta_information_ideal(sure, right) == pytest.approx(0.99, abs=0.03)
    blurred = 1 / (1 + np.exp(-1.6 * np.abs(x) + rng.normal(0, 1, len(x))))
    assert meta_information_ideal(blurred, right) < 0.7
    assert math.isnan(meta_information_ideal(sure, 1 - right))
    with pytest.raises(ValueError, match="alternatives=1"):
        meta_information_ideal(sure, right, alternatives=1)


def test_missing_and_probable_outcomes() -> None:
    """A judgment that lacks a part is left out; outcomes between right and wrong have no number."""
    stated, right = [0.9, 0.2, 0.9, 0.2, 0.9], [1, 0, 1, 1, 0]
    expected = meta_information_corrected(stated, right)
    assert meta_information_corrected([*stated, NAN, 0.2], [*right, 1, NAN]) == expected
    assert math.isnan(meta_information_corrected(stated, [0.5, *right[1:]]))
    assert math.isnan(meta_information_share([], []))
