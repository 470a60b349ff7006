"""What confidence tells about correctness, in bits."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics._arrays import FloatArray
from inspect_confidence.metrics._tables import ConfidenceTables, divided, one_table


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
