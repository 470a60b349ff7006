"""Corrected meta-information, against scikit-learn, scipy and brute force."""

import math

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from inspect_confidence.metrics import meta_information, meta_information_corrected
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from metrics.test_decisions import samples

NAN = float("nan")


def classes(confidences: FloatArray) -> IntArray:
    """The class of each judgment: its confidence, or that of equal mass that its ranks fall in."""
    n, values = len(confidences), np.unique(confidences)
    class_limit = min(20, math.isqrt(n))
    if len(values) <= class_limit:
        return np.asarray(np.searchsorted(values, confidences))
    middle = {v: ((confidences < v).sum() + (confidences == v).sum() / 2) / n for v in values}
    return np.array([math.floor(middle[v] * class_limit + 1e-9) for v in confidences])


def by_deleting(confidences: FloatArray, right: FloatArray) -> float:
    """Less n - 1 times the mean of I without each judgment, n I; at most the entropy; in bits."""
    rows, n = classes(confidences), len(right)
    whole = mutual_info_score(rows, right)
    values_without = [mutual_info_score(np.delete(rows, i), np.delete(right, i)) for i in range(n)]
    outcome_entropy = entropy([right.mean(), 1 - right.mean()])
    return float(min(n * whole - (n - 1) * np.mean(values_without), outcome_entropy) / math.log(2))


@pytest.mark.slow
def test_the_jackknife_is_that_of_deleted_judgments() -> None:
    """The expected value deletes each judgment in turn."""
    tried = 0
    for confidences, right in samples(max_size=60, count=200):
        if 0 < right.sum() < len(right):
            expected = by_deleting(confidences, right)
            assert meta_information_corrected(confidences, right) == pytest.approx(
                expected, abs=1e-9
            )
            tried += 1
        else:
            assert math.isnan(meta_information_corrected(confidences, right))
    assert tried > 80


def test_corrected_information_of_distinct_confidences_is_0() -> None:
    """As many confidences as judgments tell nothing by themselves, however much they seem to."""
    rng = np.random.default_rng(4)
    corrected = []
    for _ in range(200):
        confidences, right = rng.random(200), (rng.random(200) < 0.7).astype(float)
        assert meta_information(confidences, right) == pytest.approx(
            entropy([right.mean(), 1 - right.mean()], base=2)
        )
        corrected.append(meta_information_corrected(confidences, right))
    assert abs(np.mean(corrected)) < 0.01  # the mean's standard error is .002
    assert by_deleting(confidences, right) == pytest.approx(corrected[-1], abs=1e-9)


def test_missing_and_probable_outcomes() -> None:
    """A judgment that lacks a part is left out; outcomes between right and wrong have no number."""
    confidences, right = [0.9, 0.2, 0.9, 0.2, 0.9], [1, 0, 1, 1, 0]
    expected = meta_information_corrected(confidences, right)
    assert meta_information_corrected([*confidences, NAN, 0.2], [*right, 1, NAN]) == expected
    assert math.isnan(meta_information_corrected(confidences, [0.5, *right[1:]]))
    assert math.isnan(meta_information_corrected([], []))
