"""Answers of three kinds, right, wrong and declined: how often a model answers, and how well."""

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import (
    FloatArray,
    aligned,
    divide_or_nan,
    flags,
)
from inspect_confidence.metrics.registry import WILSON, metric

__all__ = [
    "accuracy_given_attempted",
    "attempted_share",
    "f_score",
    "f_score_of_sums",
    "overall_accuracy",
]

_SIMPLEQA = "Wei et al. (2024), SimpleQA"


@metric(undefined="no answer was graded", source=_SIMPLEQA, interval=WILSON)
def attempted_share(correct: ArrayLike, declined: ArrayLike) -> float:
    """Share of the graded answers in which the model answered and did not decline.

    Declined answers count as graded. NaN if no answer was graded or declined.

    Args:
        correct: 1 right, 0 wrong, a fraction for partial credit, NaN if the answer was not graded;
            ignored where the model declined.
        declined: Whether the model declined to answer; NaN is left out.

    Example:
        >>> attempted_share([1, 0, np.nan, np.nan], declined=[False, False, True, False])
        0.66...
    """
    _, attempts, graded = _credit_and_counts(correct, declined)
    return attempts / graded if graded else float("nan")


@metric(direction="higher", undefined="no answer was attempted", source=_SIMPLEQA, interval=WILSON)
def accuracy_given_attempted(correct: ArrayLike, declined: ArrayLike) -> float:
    """Accuracy of the answers in which the model answered and did not decline.

    Answers that were not graded are left out; NaN if none is left.

    Args:
        correct: 1 right, 0 wrong, a fraction for partial credit, NaN if the answer was not graded.
        declined: Whether the model declined to answer; NaN is left out.

    Example:
        >>> accuracy_given_attempted([1, 0, np.nan], declined=[False, False, True])
        0.5
    """
    right, attempts, _ = _credit_and_counts(correct, declined)
    return right / attempts if attempts else float("nan")


@metric(direction="higher", undefined="no answer was graded", source=_SIMPLEQA, interval=WILSON)
def overall_accuracy(correct: ArrayLike, declined: ArrayLike) -> float:
    """Share of the graded answers, declined ones included, that are right.

    A declined answer counts as not right. NaN if no answer was graded or declined.

    Args:
        correct: 1 right, 0 wrong, a fraction for partial credit, NaN if the answer was not graded.
        declined: Whether the model declined to answer; NaN is left out.

    Example:
        >>> overall_accuracy([1, 0, np.nan, np.nan], declined=[False, False, True, True])
        0.25
    """
    right, _, graded = _credit_and_counts(correct, declined)
    return right / graded if graded else float("nan")


@metric(direction="higher", undefined="no answer was attempted", source=_SIMPLEQA)
def f_score(correct: ArrayLike, declined: ArrayLike) -> float:
    """Harmonic mean of the accuracy given attempted and the overall accuracy.

    With R right answers (partial credit counts in part) of A that were attempted and graded, and N
    graded or declined ones, it is 2 R / (A + N): 0 if all attempted answers are wrong, NaN if none
    is attempted.

    Args:
        correct: 1 right, 0 wrong, a fraction for partial credit, NaN if the answer was not graded.
        declined: Whether the model declined to answer; NaN is left out.

    Example:
        >>> f_score([1, 0, np.nan, np.nan], declined=[False, False, True, True])
        0.33...
    """
    return float(f_score_of_sums(np.array([_credit_and_counts(correct, declined)]))[0])


def f_score_of_sums(sums: FloatArray) -> FloatArray:
    """Compute `f_score` of each row: numbers of right, of attempted, and of graded answers.

    It is 2 right / (attempted + graded), where declined answers count as graded; NaN if none is
    attempted.
    """
    right, attempts, graded = sums.T
    return divide_or_nan(2 * right, np.where(attempts > 0, attempts + graded, 0))


def _credit_and_counts(correct: ArrayLike, declined: ArrayLike) -> tuple[float, float, float]:
    """Return the credit of attempted answers, their number, and that of graded or declined ones.

    An answer with a NaN that was not declined was not graded, and counts nowhere; nor does one that
    may have been declined (NaN). ValueError if a credit is not in [0, 1], or a decision not 0 or 1.
    """
    flags(declined=declined)  # raises the errors
    credit, decisions = aligned(correct=correct, declined=declined)
    attempts = np.where(decisions == 0, credit, np.nan)
    outside = attempts[(attempts < 0) | (attempts > 1)]
    if len(outside):
        raise ValueError(f"correct={outside[0]:g} is not in [0, 1].")
    is_attempted = ~np.isnan(attempts)
    attempted = float(is_attempted.sum())
    return float(np.nansum(attempts)), attempted, attempted + float((decisions == 1).sum())
