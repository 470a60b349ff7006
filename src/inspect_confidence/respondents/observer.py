"""Confidence of a signal-detection observer, as functions of arrays.

The observer has evidence x ~ N(d'/2, 1) for the right one of two answers. Given whether it was
right, the size |x| of the evidence is drawn from that model with d' = meta-d'. Meta-d' is therefore
the sensitivity of confidence, independent of accuracy. A report is a monotone function of |x|.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from inspect_confidence.metrics.arrays import FloatArray

MIDDLE = 1.0
"""Evidence at which the report is the middle of the scale, without bias."""

SPREAD = 0.8
"""Additional evidence at which the report is Phi(1) = 84% of the scale."""

WIDE_ENOUGH = 10
"""Minimum width of a scale, in rounding steps, for reports to be rounded."""


def draw_evidence(correct: ArrayLike, meta_d: float, quantile: ArrayLike) -> FloatArray:
    """Return the size |x| of an observer's evidence x at quantiles in (0, 1) of its distribution.

    In signal detection x ~ N(meta_d/2, 1) for the right one of two answers; the observer takes the
    answer that x favours and is the surer the larger |x|. `correct` is 1 if that was right, else 0.
    """
    right, share = np.asarray(correct, float) > 0, np.asarray(quantile, float)
    mean = np.where(right, meta_d / 2, -meta_d / 2)
    # |x| is x ~ N(mean, 1) given x > 0: solve P(x > t) = (1 - share) P(x > 0) for t, where
    # P(x > t) is ndtr(mean - t); the upper tail is numerically more exact.
    return np.asarray(mean - ndtri((1 - share) * ndtr(mean)))


def reported_share(evidence: ArrayLike, bias: float = 0.0) -> FloatArray:
    """Return the report as a share of the scale: Phi((evidence + bias - 1) / 0.8), in (0, 1)."""
    return np.asarray(ndtr((np.asarray(evidence, float) + bias - MIDDLE) / SPREAD))


def reports(share: ArrayLike, low: int, high: int, round_to: int = 5) -> NDArray[np.int64]:
    """Return whole numbers on a scale, rounded to multiples of `round_to` if the scale is wide.

    A scale is wide if it has at least `WIDE_ENOUGH` such steps. Rounding is monotone: it creates
    ties but never reverses the order of confidences.
    """
    step = round_to if high - low >= WIDE_ENOUGH * round_to else 1
    exact = low + (high - low) * np.asarray(share, float)
    rounded: NDArray[np.int64] = np.clip(np.rint(exact / step) * step, low, high).astype(np.int64)
    return rounded
