"""Parse failures of replies: their share."""

from collections.abc import Iterable

from inspect_confidence.answers import READ_STATUSES, REPLY_STATUSES, STATUSES
from inspect_confidence.metrics.registry import NO_ESTIMATE, WILSON, About, metric, numbers

__all__ = ["format_failure_rate"]


@metric(direction="lower", undefined="no reply", interval=WILSON)
def format_failure_rate(statuses: Iterable[str]) -> float:
    """Share of replies in which no answer could be read.

    Counted as failures: `invalid_response_format, refusal, no_response, truncated, out_of_range,
    echo, ambiguous`. A reply was read if it is `ok`, if the model `declined` to answer in it, or if
    only the grader of its answer failed (`grader_failed`). Judgments without a reply to read
    (`sample_error, limit_reached, content_filter, scoring_failed`) are left out. NaN if there is no
    reply.

    Results of confidence on a scale differ: there `out_of_range` is no failure, since the number
    was read, and `violation_rate` counts it.

    Raises:
        ValueError: A status is none of those in docs/judgments.md.

    Example:
        >>> format_failure_rate(["ok", "refusal", "ok", "truncated", "sample_error"])
        0.5
    """
    statuses = list(statuses)
    if unknown := set(statuses) - STATUSES:
        raise ValueError(f"Unknown status {min(unknown)!r}; known: {', '.join(sorted(STATUSES))}.")
    replies = [status for status in statuses if status in READ_STATUSES | REPLY_STATUSES]
    failures = sum(status in REPLY_STATUSES for status in replies)
    return failures / len(replies) if replies else float("nan")


numbers(
    About(undefined="no reply", interval=WILSON),
    unread_share="Share of replies without an answer that counts: with any status of a reply that "
    "failed, also `out_of_range`. A declined answer counts.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE), n="Number of judgments elicited."
)
