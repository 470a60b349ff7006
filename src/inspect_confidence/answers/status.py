"""Statuses of an elicited judgment, as the `status` column has them."""

from dataclasses import dataclass
from typing import Literal, get_args

ReplyStatus = Literal[
    "invalid_response_format", "refusal", "no_response", "truncated", "out_of_range", "echo",
    "ambiguous",
]  # fmt: skip
AnswerStatus = Literal["declined"]
RunStatus = Literal["sample_error", "limit_reached", "content_filter"]
InstrumentStatus = Literal["grader_failed", "scoring_failed"]
FailureStatus = ReplyStatus | AnswerStatus | RunStatus | InstrumentStatus
Status = Literal["ok"] | FailureStatus

REPLY_STATUSES: frozenset[str] = frozenset(get_args(ReplyStatus))
"""There was a reply, and no answer could be read from it."""
ANSWER_STATUSES: frozenset[str] = frozenset(get_args(AnswerStatus))
"""The model chose not to answer: neither right nor wrong."""
RUN_STATUSES: frozenset[str] = frozenset(get_args(RunStatus))
"""The run gave no reply to read."""
INSTRUMENT_STATUSES: frozenset[str] = frozenset(get_args(InstrumentStatus))
"""The instrument failed, not the model."""
STATUSES: frozenset[str] = frozenset(
    {"ok", *REPLY_STATUSES, *ANSWER_STATUSES, *RUN_STATUSES, *INSTRUMENT_STATUSES}
)
"""Every status there is."""


@dataclass(frozen=True)
class ParseFailure:
    """A reply without a readable answer or with none, or no reply; `reason` is for people."""

    status: FailureStatus
    reason: str


WITHHELD = ParseFailure("content_filter", "the provider withheld the reply")
CALLS_A_TOOL = ParseFailure("no_response", "the reply is a tool call, without text")


def reply_failure(text: str, stop: str) -> ParseFailure | None:
    """Return why a reply that ended so has no text to read; None where a reader can tell.

    Args:
        text: Of the reply.
        stop: Why it ended, as Inspect names it.
    """
    if stop == "content_filter":
        return WITHHELD
    return CALLS_A_TOOL if stop == "tool_calls" and not text.strip() else None


def is_invalid(reading: object) -> bool:
    """Whether it is a failure for want of anything that can be read."""
    return isinstance(reading, ParseFailure) and reading.status == "invalid_response_format"
