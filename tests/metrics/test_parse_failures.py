import math

from inspect_confidence.answers import INSTRUMENT_STATUSES, RUN_STATUSES
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
    for statuses in [[], ["sample_error", "grader_failed"]]:
        assert math.isnan(format_failure_rate(statuses)), statuses
    assert format_failure_rate(iter(["ok", "refusal"])) == 1 / 2


def test_every_status_that_is_no_reply_or_unreadable() -> None:
    """Each counts as one failure, or leaves the rate as it is."""
    for status in FAILURES:
        assert format_failure_rate(["ok", "ok", status]) == 1 / 3, status
    for status in sorted(RUN_STATUSES | INSTRUMENT_STATUSES):
        assert format_failure_rate(["ok", "refusal", status]) == 1 / 2, status
