"""How well confidence tells right from wrong, whatever its scale: areas under curves."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.confidence_tables import ConfidenceTables, divided, one_table


def meta_information(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mutual information of confidence and correctness, in bits.

    I = sum over cells of p(c, y) log2( p(c, y) / (p(c) p(y)) ). Needs no model of how confidence
    arises and no monotone relation. Biased upwards at few judgments, by about (K - 1) / (2 n ln 2)
    for K distinct confidences.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability of being right.

    Returns:
        In [0, 1]; 0 where confidence or correctness never varies. Judgments with a NaN are left
        out; NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Source: Dayan (2023).

    Example:
        >>> meta_information([1, 1, 0, 0], correct=[1, 1, 0, 0])
        1.0
    """
    return float(meta_information_of(one_table(confidence, correct))[0])


def meta_information_of(tables: ConfidenceTables) -> FloatArray:
    """`meta_information` of each table."""
    total = tables.total
    bits = np.zeros(len(total))
    for cells in (tables.right, tables.wrong):
        expected = tables.mass * cells.sum(axis=1, keepdims=True)
        odds = np.divide(
            cells * total[:, None], expected, out=np.ones_like(expected), where=cells > 0
        )
        bits += (cells * np.log2(odds)).sum(axis=1)
    return np.maximum(divided(bits, total), 0)


def auroc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Type-2 AUROC: P(confidence when right > when wrong) + P(equal) / 2.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability p of being right (p counts as right and 1 - p
            as wrong).

    Returns:
        In [0, 1]; 0.5 where confidence never varies. Judgments with a NaN are left out; NaN if all
        answers are right, or all wrong.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> auroc([0.9, 0.8, 0.8, 0.1], correct=[1, 1, 0, 0])
        0.875
    """
    return float(auroc_of(one_table(confidence, correct))[0])


def auprc_error(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Area under the precision-recall curve of detecting wrong answers by low confidence.

    Average precision: sum over distinct confidences, lowest first, of the step in recall times the
    precision, errors being the positive class. Guessing gives the error rate.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability of being right.

    Returns:
        In (0, 1]. Judgments with a NaN are left out; NaN if no answer is wrong.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> auprc_error([0.1, 0.5, 0.9], correct=[0, 1, 0])
        0.833...
    """
    return float(auprc_error_of(one_table(confidence, correct))[0])


def aurc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Area under the risk-coverage curve: mean over i of the error rate of the i surest answers.

    Its value depends on the order of equal confidences; this is the mean over all their orders.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability of being right.

    Returns:
        In [0, 1], lower is better. Judgments with a NaN are left out; NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Source: Geifman and El-Yaniv (2017).

    Example:
        >>> aurc([0.9, 0.5, 0.5], correct=[1, 0, 1])
        0.194...
    """
    return float(aurc_of(one_table(confidence, correct))[0])


def auroc_of(tables: ConfidenceTables) -> FloatArray:
    """`auroc` of each table."""
    below = tables.missed - tables.wrong / 2
    pairs = tables.right.sum(axis=1) * tables.wrong.sum(axis=1)
    return divided((tables.right * below).sum(axis=1), pairs)


def auprc_error_of(tables: ConfidenceTables) -> FloatArray:
    """`auprc_error` of each table."""
    seen = np.cumsum(tables.mass, axis=1)
    precision = tables.missed / np.where(seen > 0, seen, 1)
    return divided((tables.wrong * precision).sum(axis=1), tables.wrong.sum(axis=1))


def aurc_of(tables: ConfidenceTables) -> FloatArray:
    """`aurc` of each table."""
    mass, wrong = tables.mass[:, ::-1], tables.wrong[:, ::-1]
    seen = np.cumsum(mass, axis=1)
    taken, missed = seen - mass, np.cumsum(wrong, axis=1) - wrong
    rate = wrong / np.where(mass > 0, mass, 1)
    # Among n tied answers after N with E errors, the j-th brings the expected error rate to
    # (E + j rate) / (N + j); the sum over j is rate n + (E - rate N) (H(N + n) - H(N)).
    harmonic = np.diff(digamma(seen + 1), axis=1, prepend=digamma(1))
    risk = rate * mass + (missed - rate * taken) * harmonic
    return divided(risk.sum(axis=1), tables.total)
