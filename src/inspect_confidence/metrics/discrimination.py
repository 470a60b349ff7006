"""Discrimination of right from wrong answers by confidence, on any scale: areas, information."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.confidence_tables import ConfidenceTables, confidence_table
from inspect_confidence.metrics.registry import DEBIASED, GROUPED, UNREAD, Interval, metric

__all__ = ["auprc_error", "aurc", "auroc", "meta_information"]

TEN = Interval(min_units=20, min_rarest=10)


def auroc_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `auroc` of each table."""
    below = tables.missed - tables.wrong / 2
    pairs = tables.right.sum(axis=1) * tables.wrong.sum(axis=1)
    return divided((tables.right * below).sum(axis=1), pairs)


@metric(
    definition="Type-2 AUROC: how often a right answer has more confidence than a wrong one, ties "
    "counting half.",
    direction="higher",
    undefined=f"{UNREAD}, or all answers right, or all wrong",
    source="Fawcett (2006)",
    interval=TEN,
    of_tables=auroc_of_tables,
)
def auroc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Type-2 AUROC: P(confidence when right > when wrong) + P(equal) / 2.

    An outcome that is a probability p counts as p right and 1 - p wrong answers. 0.5 where
    confidence never varies.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> auroc([0.9, 0.8, 0.8, 0.1], correct=[1, 1, 0, 0])
        0.875
    """
    return float(auroc_of_tables(confidence_table(confidence, correct))[0])


def auprc_error_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `auprc_error` of each table."""
    cumulated_mass = np.cumsum(tables.mass, axis=1)
    precision = tables.missed / np.where(cumulated_mass > 0, cumulated_mass, 1)
    return divided((tables.wrong * precision).sum(axis=1), tables.wrong.sum(axis=1))


@metric(
    direction="higher",
    undefined=f"{UNREAD}, or no wrong answer",
    interval=TEN,
    of_tables=auprc_error_of_tables,
)
def auprc_error(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Average precision of finding wrong answers by low confidence.

    The area under the precision-recall curve: sum over distinct confidences, lowest first, of the
    step in recall times the precision, errors being the positive class. Guessing gives the error
    rate.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Davis and Goadrich (2006).

    Example:
        >>> auprc_error([0.1, 0.5, 0.9], correct=[0, 1, 0])
        0.833...
    """
    return float(auprc_error_of_tables(confidence_table(confidence, correct))[0])


def aurc_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `aurc` of each table."""
    mass, wrong = tables.mass[:, ::-1], tables.wrong[:, ::-1]
    cumulated_mass = np.cumsum(mass, axis=1)
    mass_above, wrong_above = cumulated_mass - mass, np.cumsum(wrong, axis=1) - wrong
    rate = wrong / np.where(mass > 0, mass, 1)
    # Among n tied answers after N with E errors, the j-th brings the expected error rate to
    # (E + j rate) / (N + j); the sum over j is rate n + (E - rate N) (H(N + n) - H(N)).
    harmonic = np.diff(digamma(cumulated_mass + 1), axis=1, prepend=digamma(1))
    risk = rate * mass + (wrong_above - rate * mass_above) * harmonic
    return divided(risk.sum(axis=1), tables.total)


@metric(
    direction="lower",
    undefined=UNREAD,
    source="Geifman and El-Yaniv (2017)",
    interval=TEN,
    of_tables=aurc_of_tables,
)
def aurc(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Area under the risk-coverage curve, mean over the orders of ties.

    For one order of the answers by falling confidence, the mean over i of the error rate of the i
    surest answers.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> aurc([0.9, 0.5, 0.5], correct=[1, 0, 1])
        0.194...
    """
    return float(aurc_of_tables(confidence_table(confidence, correct))[0])


def meta_information_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `meta_information` of each table."""
    total = tables.total
    bits = np.zeros(len(total))
    for cells in (tables.right, tables.wrong):
        expected = tables.mass * cells.sum(axis=1, keepdims=True)
        odds = np.divide(
            cells * total[:, None], expected, out=np.ones_like(expected), where=cells > 0
        )
        bits += (cells * np.log2(odds)).sum(axis=1)
    return np.maximum(divided(bits, total), 0)


@metric(
    unit="bits",
    direction="higher",
    high=1,
    undefined=GROUPED,
    interval=DEBIASED,
    of_tables=meta_information_of_tables,
)
def meta_information(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mutual information of confidence and correctness; biased upwards at few judgments.

    In bits: I = sum over cells of p(c, y) log2( p(c, y) / (p(c) p(y)) ). Needs no model of how
    confidence arises and no monotone relation; 0 where confidence or correctness never varies. The
    bias is about (K - 1) / (2 n ln 2) for K distinct confidences.

    Args:
        confidence: In [0, 1], one a judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or the probability of being right.

    Source: Dayan (2023).

    Example:
        >>> meta_information([1, 1, 0, 0], correct=[1, 1, 0, 0])
        1.0
    """
    return float(meta_information_of_tables(confidence_table(confidence, correct))[0])
