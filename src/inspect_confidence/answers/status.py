"""Statuses of an elicited judgment: the values of the `status` column."""

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
"""Statuses of a reply from which no answer could be read."""
ANSWER_STATUSES: frozenset[str] = frozenset(get_args(AnswerStatus))
"""Statuses of a model that chose not to answer: neither right nor wrong."""
READ_STATUSES: frozenset[str] = frozenset({"ok", "grader_failed", *ANSWER_STATUSES})
"""Statuses of a reply that was read; a grader or judge is only asked about one that was."""
RUN_STATUSES: frozenset[str] = frozenset(get_args(RunStatus))
"""Statuses of a run that gave no reply to read."""
INSTRUMENT_STATUSES: frozenset[str] = frozenset(get_args(InstrumentStatus))
"""Statuses of a failure of the instrument, not of the model."""
STATUSES: frozenset[str] = frozenset(
    {"ok", *REPLY_STATUSES, *ANSWER_STATUSES, *RUN_STATUSES, *INSTRUMENT_STATUSES}
)
"""All statuses."""


@dataclass(frozen=True)
class ParseFailure:
    """A missing reply, or a reply without a readable answer; `reason` is a text for people."""

    status: FailureStatus
    reason: str


WITHHELD = ParseFailure("content_filter", "the provider withheld the reply")
CALLS_A_TOOL = ParseFailure("no_response", "the reply is a tool call, without text")


def reply_failure(text: str, stop: str) -> ParseFailure | None:
    """Return why a reply has no text to read, by Inspect's stop reason; None if it may have one."""
    if stop == "content_filter":
        return WITHHELD
    return CALLS_A_TOOL if stop == "tool_calls" and not text.strip() else None


def is_invalid(reading: object) -> bool:
    """Return whether a reading is the failure that nothing could be read."""
    return isinstance(reading, ParseFailure) and reading.status == "invalid_response_format"
