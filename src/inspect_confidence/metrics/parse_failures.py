"""Parse failures of replies: their share, and whether it depends on the condition."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.answers import REPLY_STATUSES, STATUSES
from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.registry import NO_ESTIMATE, WILSON, About, metric, numbers

__all__ = ["format_failure_rate", "unread_dependence"]


@metric(direction="lower", undefined="no reply", interval=WILSON)
def format_failure_rate(statuses: Iterable[str]) -> float:
    """Share of replies in which no answer could be read.

    Counted as failures: `invalid_response_format, refusal, no_response, truncated, out_of_range,
    echo, ambiguous`. Judgments with a status of the run or of the instrument (`sample_error`,
    `content_filter`, `grader_failed`, ...) have no reply to judge and are left out.

    Raises:
        ValueError: A status is none of those in docs/judgments.md.

    Example:
        >>> format_failure_rate(["ok", "refusal", "ok", "truncated", "sample_error"])
        0.5
    """
    statuses = list(statuses)
    if unknown := set(statuses) - STATUSES:
        raise ValueError(f"Unknown status {min(unknown)!r}; known: {', '.join(sorted(STATUSES))}.")
    replies = [status for status in statuses if status == "ok" or status in REPLY_STATUSES]
    failures = sum(status != "ok" for status in replies)
    return failures / len(replies) if replies else float("nan")


@metric(
    unit="probability",
    undefined="every reply was read, none was, or all are of one condition",
    interval=NO_ESTIMATE,
)
def unread_dependence(
    unread: ArrayLike, replies: ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> float:
    """Permutation p of no dependence of the share of unread replies on the condition.

    An item's value under a condition is its share of unread replies there, whatever the number of
    epochs. The statistic is the sum over conditions c of n_c (mean_c - mean)^2, n_c being the
    number of items asked under c. Where items recur under several conditions, their values change
    places within the item, and are taken as differences from its mean: with every item under every
    condition and one epoch this is Cochran's Q, which is that sum over a constant. Items asked
    under one condition only are then left out. Where no item recurs, whole items change places
    among the conditions. Of N permutations k have at least the observed statistic, and
    p = (k + 1)/(N + 1).

    Args:
        unread: Number of unread replies, of shape (items, conditions).
        replies: Number of all replies, of the same shape; 0 where the item wasn't asked so.
        resamples: Permutations N, at least 1.
        seed: Seed of the permutations.

    Raises:
        ValueError: The shapes differ, there are more unread replies than replies, or resamples is
            below 1.

    Source: Cochran (1950); Phipson and Smyth (2010) for the + 1.

    Example:
        >>> read, lost = [0, 0], [0, 1]  # the second condition alone loses replies
        >>> unread_dependence([read] * 5 + [lost] * 15, [[1, 1]] * 20) < 0.001
        True
    """
    failure_counts, reply_counts = np.asarray(unread, float), np.asarray(replies, float)
    if (
        failure_counts.ndim != 2
        or failure_counts.shape != reply_counts.shape
        or not ((failure_counts >= 0) & (failure_counts <= reply_counts)).all()
    ):
        raise ValueError("unread must be of shape (items, conditions) and lie in 0 to replies.")
    if resamples < 1:
        raise ValueError(f"resamples={resamples} is below 1.")
    recurs = (reply_counts > 0).sum(axis=1) > 1
    if recurs.any():
        failure_counts, reply_counts = failure_counts[recurs], reply_counts[recurs]
    if (reply_counts.sum(axis=0) > 0).sum() < 2 or failure_counts.sum() in (0, reply_counts.sum()):
        return float("nan")
    item, condition = np.nonzero(reply_counts)
    block = item if recurs.any() else np.zeros_like(item)
    share = divided(failure_counts, reply_counts)[item, condition]
    size = np.bincount(block)
    centred = share - (np.bincount(block, share) / size)[block]
    # Divided by the root, so that a sum of squares is the statistic.
    member = (
        np.eye(failure_counts.shape[1])[condition]
        / np.sqrt(np.bincount(condition)[condition])[:, None]
    )
    varies = np.bincount(block, np.abs(centred)) > 1e-9
    parts = []
    for block_size in np.unique(size[varies]):
        in_blocks = (varies & (size == block_size))[block]
        parts.append((centred[in_blocks].reshape(-1, block_size), member[in_blocks]))
    # Where no item loses more under one condition than another, every permutation is the same.
    return _permuted_p(parts, resamples, np.random.default_rng(seed)) if parts else 1.0


_CHUNK = 500_000
"""Values permuted at once, 4 MB."""


def _permuted_p(
    parts: list[tuple[FloatArray, FloatArray]], resamples: int, rng: np.random.Generator
) -> float:
    """Return p of permutations of each part's values, of shape (blocks, size), within blocks.

    Beside the values are the weights of the conditions of their places.
    """

    def statistic(permuted: list[FloatArray]) -> FloatArray:
        pairs = zip(permuted, parts, strict=True)
        sums = sum(values.reshape(len(values), -1) @ member for values, (_, member) in pairs)
        return np.asarray(np.square(sums).sum(axis=1))

    # The tolerance keeps equal sums equal, in whatever order they are rounded.
    threshold = statistic([values[None] for values, _ in parts])[0] - 1e-9
    chunk_size = max(1, _CHUNK // sum(values.size for values, _ in parts))
    extreme = 0
    for start in range(0, resamples, chunk_size):
        count = min(chunk_size, resamples - start)
        permuted = []
        for values, _ in parts:
            copies = np.broadcast_to(values, (count, *values.shape))
            permuted.append(rng.permuted(copies, axis=2))
        extreme += int((statistic(permuted) >= threshold).sum())
    return (extreme + 1) / (resamples + 1)


numbers(
    About(undefined="no reply", interval=WILSON),
    unread_share="Share of the replies that have no answer that counts: any status of the reply "
    "but `ok`, `out_of_range` among them.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE), n="Number of judgments elicited."
)
