"""How well confidence tells right from wrong, whatever its scale: areas under curves."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from inspect_confidence.metrics._arrays import FloatArray
from inspect_confidence.metrics._tables import ConfidenceTables, divided, one_table


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
