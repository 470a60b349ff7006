import math

from inspect_confidence.answers import READ_STATUSES, STATUSES
from inspect_confidence.metrics import format_failure_rate

FAILURES = (
    "invalid_response_format",
    "refusal",
    "no_response",
    "truncated",
    "out_of_range",
    "echo",
    "ambiguous",
)


def test_failure_rate_counts_replies_alone() -> None:
    """Two of four replies can't be read; no reply is NaN; an iterator is gone through once."""
    statuses = ["ok", "no_response", "ok", "echo", "limit_reached"]
    assert format_failure_rate(statuses) == 2 / 4
    for statuses in [[], ["sample_error", "scoring_failed"]]:
        assert math.isnan(format_failure_rate(statuses)), statuses
    assert format_failure_rate(iter(["ok", "refusal"])) == 1 / 2


def test_every_status_is_a_failure_a_read_reply_or_no_reply() -> None:
    """Each counts as one failure, as one reply that was read, or leaves the rate as it is."""
    for status in FAILURES:
        assert format_failure_rate(["ok", "ok", status]) == 1 / 3, status
    assert {"ok", "declined", "grader_failed"} == READ_STATUSES
    for status in READ_STATUSES:
        assert format_failure_rate(["ok", "refusal", status]) == 1 / 3, status
    for status in sorted(STATUSES - READ_STATUSES - set(FAILURES)):
        assert format_failure_rate(["ok", "refusal", status]) == 1 / 2, status
