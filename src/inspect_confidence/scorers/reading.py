"""What a scorer makes of a reply: numbers, or why there are none, as Inspect's score."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from inspect_confidence.answers import RUN_STATUSES, Unreadable
from inspect_confidence.metrics import covered, interval_score
from inspect_confidence.scorers.explained import draws_read, unread
from inspect_confidence.solvers.draws import Draw, stored_draws

NAN = float("nan")
NOT_ASKED = Unreadable("limit_reached", "the model was not asked")
WITHHELD = Unreadable("content_filter", "the provider withheld the reply")

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Reading:
    """A reply as it was read.

    Attributes:
        values: The score's numbers, NaN where there is none. `format_ok` follows from the failure
            where it isn't among them: 1, 0, or NaN where there was no reply.
        failure: What could not be read, if anything; the rest may have been.
        answer: In a word, for the log.
        said: What was read, in a sentence.
        kept: Facts for the score's metadata, beside status and detail.
    """

    values: Mapping[str, float]
    failure: Unreadable | None = None
    answer: str | None = None
    said: str = ""
    kept: Mapping[str, Any] = field(default_factory=dict)

    def score(self, wanted: str) -> Score:
        """The score, which says what could not be read, called as it is wanted, and what was."""
        status, detail = (self.failure.status, self.failure.reason) if self.failure else ("ok", "")
        read = NAN if status in RUN_STATUSES else float(status == "ok")
        value = {**self.values, "format_ok": self.values.get("format_ok", read)}
        missing = "" if value["format_ok"] == 1 else unread(wanted, status, detail)
        return Score(
            value=value,
            answer=self.answer,
            explanation=" ".join(filter(None, (missing, self.said))),
            reason=None if status == "ok" else status,
            metadata={"status": status, "detail": detail, **self.kept},
        )


def no_reply(state: TaskState) -> Unreadable | None:
    """Why the run gave no reply; None where there is one."""
    if not state.output.choices:  # a limit was reached before the model was called
        return NOT_ASKED
    return WITHHELD if state.output.stop_reason == "content_filter" else None


def read_reply(
    state: TaskState, read: Callable[..., Answer | Unreadable], *about: object
) -> Answer | Unreadable:
    """The reply as one of `answers`' readers reads it, or why there is none.

    Args:
        state: Of the sample.
        read: Takes the reply's text, what else it needs, and whether the model was cut off.
        about: What else it needs.
    """
    if failure := no_reply(state):
        return failure
    cut = state.output.stop_reason == "max_tokens"
    return read(state.output.completion, *about, truncated=cut)


def in_part(name: str, part: object) -> Unreadable | None:
    """The failure of a part of a reply, under the part's name; None where it was read."""
    if not isinstance(part, Unreadable):
        return None
    return (
        part if part.status in RUN_STATUSES else Unreadable(part.status, f"{name}: {part.reason}")
    )


def at_level(
    bounds: tuple[float, float], truth: float, level: float, end: str = ""
) -> dict[str, float]:
    """Bounds with coverage, width and interval score, as numbers of a score.

    Args:
        bounds: Lower and upper, NaN where there are none.
        truth: What they should hold.
        level: In percent.
        end: Of the keys, where a score has several levels: `_90`.
    """
    low, high = bounds
    return {
        f"lower{end}": low,
        f"upper{end}": high,
        f"covered{end}": float(covered([low], [high], [truth])[0]),
        f"width{end}": high - low,
        f"interval_score{end}": interval_score([low], [high], [truth], level),
    }


@dataclass(frozen=True)
class Draws(Generic[Answer]):
    """Repeated draws of an item as they were read.

    Attributes:
        replies: An answer each, or why there is none.
    """

    replies: Sequence[Answer | Unreadable]

    @classmethod
    def of(cls, state: TaskState, read: Callable[[Draw], Answer | Unreadable]) -> "Draws[Answer]":
        """Reads every draw of a sample with the reader of its form."""
        draws = stored_draws(state)
        return cls([WITHHELD if one.stop == "content_filter" else read(one) for one in draws])

    @property
    def answers(self) -> list[Answer]:
        """Those that could be read."""
        return [one for one in self.replies if not isinstance(one, Unreadable)]

    @property
    def counts(self) -> dict[str, float]:
        """The share of replies that could be read, NaN where there was no reply; the draws."""
        failures = [one.status for one in self.replies if isinstance(one, Unreadable)]
        replies = len(self.replies) - sum(status in RUN_STATUSES for status in failures)
        readable = len(self.answers) / replies if replies else NAN
        return {"format_ok": readable, "draws": float(len(self.replies))}

    @property
    def said(self) -> str:
        """How many could be read."""
        return draws_read([_status(one) for one in self.replies])

    def score(
        self,
        values: Mapping[str, float],
        columns: Callable[[Answer], Mapping[str, object]],
        answer: str,
        said: str,
    ) -> Score:
        """The score of all draws together.

        Args:
            values: The score's numbers.
            columns: What the judgments keep of an answer, by column. It is written as JSON text: a
                list with a missing number in it would break the log viewer.
            answer: In a word, if a draw could be read.
            said: What was made of the draws, likewise.
        """
        rows = [
            {"status": one.status, "reason": one.reason}
            if isinstance(one, Unreadable)
            else {"status": "ok", **columns(one)}
            for one in self.replies
        ]
        kept = {"draws": json.dumps(rows)}
        if self.answers:
            return Score(value=dict(values), answer=answer, explanation=said, metadata=kept)
        return Score(
            value=dict(values),
            explanation=f"No interval could be made: {self.said}.",
            reason=_status(self.replies[0]) if self.replies else NOT_ASKED.status,
            metadata=kept,
        )


def _status(reply: object) -> str:
    return reply.status if isinstance(reply, Unreadable) else "ok"
