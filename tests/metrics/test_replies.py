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


def test_example_by_hand() -> None:
    """Two of four replies can't be read; the judgment without a reply doesn't count."""
    statuses = ["ok", "no_response", "ok", "echo", "limit_reached"]
    assert format_failure_rate(statuses) == 2 / 4


def test_every_unreadable_reply_is_a_failure() -> None:
    """Each kind of unreadable reply that the documentation lists counts as one failure."""
    for status in FAILURES:
        assert format_failure_rate(["ok", "ok", status]) == 1 / 3, status


def test_failures_of_run_and_instrument_are_left_out() -> None:
    """A judgment with no reply, or which the instrument failed, leaves the rate as it was."""
    for status in sorted(RUN_STATUSES | INSTRUMENT_STATUSES):
        assert format_failure_rate(["ok", "refusal", status]) == 1 / 2, status


def test_no_reply_is_nan() -> None:
    """Without any reply the rate is NaN and not 0."""
    for statuses in [[], ["sample_error", "grader_failed"]]:
        assert math.isnan(format_failure_rate(statuses)), statuses


def test_statuses_may_come_one_by_one() -> None:
    """An iterator, which can be gone through only once, gives the rate of its statuses."""
    assert format_failure_rate(iter(["ok", "refusal"])) == 1 / 2
