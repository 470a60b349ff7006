"""A signal-detection observer's confidence, as plain functions of arrays.

The observer has evidence x ~ N(d'/2, 1) for the right one of two answers. Given whether it was
right, the size |x| of the evidence is drawn from that model with d' = meta-d', so that meta-d' is
what confidence can tell, whatever the accuracy. A report is a monotone function of |x|.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

FloatArray = NDArray[np.float64]

MIDDLE = 1.0
"""Evidence at which half of the scale is reported, without bias."""

SPREAD = 0.8
"""How much evidence it takes from there to Phi(1) = 84% of the scale."""

WIDE_ENOUGH = 10
"""Reports are rounded to multiples of m on scales at least so many times m wide."""


def draw_evidence(correct: ArrayLike, meta_d: float, quantile: ArrayLike) -> FloatArray:
    """Size of the evidence, at quantiles in (0, 1) of its distribution given 1 right or 0 wrong."""
    right, share = np.asarray(correct, float) > 0, np.asarray(quantile, float)
    mean = np.where(right, meta_d / 2, -meta_d / 2)
    # |x| is normal about +-d'/2, cut off at 0; its upper tail is the more exact one.
    return np.asarray(mean - ndtri((1 - share) * ndtr(mean)))


def reported_share(evidence: ArrayLike, bias: float = 0.0) -> FloatArray:
    """How far up the scale the report lies: Phi((evidence + bias - 1) / 0.8), in (0, 1)."""
    return np.asarray(ndtr((np.asarray(evidence, float) + bias - MIDDLE) / SPREAD))


def reports(share: ArrayLike, low: int, high: int, round_to: int = 5) -> NDArray[np.int64]:
    """Whole numbers on a scale: to the nearest multiple of `round_to` where the scale is wide.

    Rounding is monotone, so it keeps the order of confidences but for ties.
    """
    step = round_to if high - low >= WIDE_ENOUGH * round_to else 1
    exact = low + (high - low) * np.asarray(share, float)
    rounded: NDArray[np.int64] = np.clip(np.rint(exact / step) * step, low, high).astype(np.int64)
    return rounded
