"""What a scorer makes of a reply: numbers, or why there are none, as Inspect's score."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    INSTRUMENT_STATUSES,
    RUN_STATUSES,
    ParseFailure,
    reply_failure,
)
from inspect_confidence.metrics import covered, interval_score
from inspect_confidence.replies import stop_of
from inspect_confidence.scorers.explained import drawn_interval, draws_read, unread
from inspect_confidence.solvers.draws import Draw, stored_draws

NAN = float("nan")
NOT_ASKED = ParseFailure("limit_reached", "the model was not asked")

Answer = TypeVar("Answer")
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Reading:
    """A reply as it was read.

    Attributes:
        values: The score's numbers, NaN where there is none, and texts that tell what was asked;
            `format_ok` follows from the failure where it isn't among them.
        failure: What could not be read, if anything; the rest may have been.
        answer: In a word, for the log.
        said: What was read, in a sentence.
        kept: Facts for the score's metadata, beside status and detail.
    """

    values: Mapping[str, float | str]
    failure: ParseFailure | None = None
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


def no_reply(state: TaskState) -> ParseFailure | None:
    """Return why the sample has no reply to read; None where there is one."""
    if not state.output.choices:  # a limit was reached before the model was called
        return NOT_ASKED
    return reply_failure(state.output.completion, stop_of(state.output.choices[0]))


def read_reply(
    state: TaskState, read: Callable[..., Answer | ParseFailure], *about: object
) -> Answer | ParseFailure:
    """The reply as one of `answers`' readers reads it, with what it needs, or why there is none."""
    if failure := no_reply(state):
        return failure
    cut = state.output.stop_reason == "max_tokens"
    return read(state.output.completion, *about, truncated=cut)


def number_of(answer: float | ParseFailure) -> float:
    """The number; NaN where none could be read."""
    return NAN if isinstance(answer, ParseFailure) else answer


def mean_of(values: Iterable[float]) -> float:
    """Of those that are there; NaN where none is."""
    there = [value for value in values if not math.isnan(value)]
    return sum(there) / len(there) if there else NAN


def in_part(name: str, part: object) -> ParseFailure | None:
    """The failure of a part of a reply, under the part's name; None where it was read."""
    if isinstance(part, ParseFailure) and part.status not in RUN_STATUSES:
        return ParseFailure(part.status, f"{name}: {part.reason}")
    return part if isinstance(part, ParseFailure) else None


def at_level(bounds: Bounds, truth: float, level: float, end: str = "") -> dict[str, float]:
    """Bounds, NaN where there are none, with coverage, width and interval score.

    The keys have an end where a score has several levels: `_90`.
    """
    low, high = bounds
    return {
        f"lower{end}": low,
        f"upper{end}": high,
        f"covered{end}": float(covered([low], [high], [truth])[0]),
        f"width{end}": high - low,
        f"interval_score{end}": interval_score([low], [high], [truth], level),
    }


def at_levels(bounds: Mapping[float, Bounds], truth: float) -> dict[str, float]:
    """The numbers of `at_level` at several levels, each key with its level."""
    made = [at_level(ends, truth, level, f"_{level:g}") for level, ends in bounds.items()]
    return {key: value for numbers in made for key, value in numbers.items()}


@dataclass(frozen=True)
class Draws(Generic[Answer]):
    """Repeated draws of an item as they were read: an answer each, or why there is none."""

    replies: Sequence[Answer | ParseFailure]

    @classmethod
    def of(cls, state: TaskState, read: Callable[[Draw], Answer | ParseFailure]) -> "Draws[Answer]":
        """Reads every draw of a sample with the reader of its form."""
        draws = stored_draws(state)
        return cls([reply_failure(draw.text, draw.stop) or read(draw) for draw in draws])

    @property
    def answers(self) -> list[Answer]:
        """Those that could be read."""
        return [one for one in self.replies if not isinstance(one, ParseFailure)]

    @property
    def statuses(self) -> list[str]:
        """Of each reply."""
        return [one.status if isinstance(one, ParseFailure) else "ok" for one in self.replies]

    @property
    def counts(self) -> dict[str, float]:
        """The share of replies that could be read, NaN where there was none to read; the draws."""
        failures = RUN_STATUSES | INSTRUMENT_STATUSES
        replies = sum(status not in failures for status in self.statuses)
        readable = len(self.answers) / replies if replies else NAN
        return {"format_ok": readable, "draws": float(len(self.replies))}

    def interval_of(self, what: str, bounds: Mapping[float, Bounds], truth: float) -> str:
        """How many could be read, what was made of them, and the widest interval that it gives."""
        level = max(bounds)
        score = at_level(bounds[level], truth, level)["interval_score"]
        made = f"{draws_read(self.statuses)}{what}"
        return drawn_interval(made, level, *bounds[level], truth, score)

    def score(
        self,
        values: Mapping[str, float],
        columns: Callable[[Answer], Mapping[str, object]],
        answer: str,
        said: str,
    ) -> Score:
        """The score of all draws together; answer and sentence count if a draw could be read.

        The judgments keep an answer's columns as JSON text: a list with a missing number in it
        would break the log viewer.
        """
        rows = [
            {"status": one.status, "reason": one.reason}
            if isinstance(one, ParseFailure)
            else {"status": "ok", **columns(one)}
            for one in self.replies
        ]
        kept = {"draws": json.dumps(rows)}
        if self.answers:
            return Score(value=dict(values), answer=answer, explanation=said, metadata=kept)
        return Score(
            value=dict(values),
            explanation=f"No interval could be made: {draws_read(self.statuses)}.",
            reason=[*self.statuses, NOT_ASKED.status][0],
            metadata=kept,
        )
