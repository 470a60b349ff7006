"""Parsed replies and their scores: numbers, or the reason why there are none."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    INSTRUMENT_STATUSES,
    RUN_STATUSES,
    ParseFailure,
    StatedConfidence,
)
from inspect_confidence.metrics import covered, interval_score
from inspect_confidence.scorers.explained import drawn_interval, draws_read, unread
from inspect_confidence.solvers.draws import draw_of, stored_draws

NAN = float("nan")
NOT_ASKED = ParseFailure("limit_reached", "the model was not asked")

DECIMALS = 4
"""Decimals of the numbers in a score, which the log viewer shows as they are."""

EXACT = "exact"
"""Name in a score's metadata of the numbers that its value holds to `DECIMALS` only."""

AnswerT = TypeVar("AnswerT")
Bounds = tuple[float, float]


def shown_score(
    value: Mapping[str, float | str],
    *,
    explanation: str,
    metadata: Mapping[str, Any],
    answer: str | None = None,
    reason: str | None = None,
) -> Score:
    """Return a score with rounded numbers; its metadata holds those that lost decimals."""
    rounded = {key: _rounded(part) for key, part in value.items()}
    exact = {}
    for key, part in value.items():
        if part != rounded[key] and not math.isnan(float(part)):
            exact[key] = part
    return Score(
        value=rounded,
        answer=answer,
        explanation=explanation,
        reason=cast(Any, reason),
        metadata={**metadata, **({EXACT: exact} if exact else {})},
    )


def exact_value(value: Any, metadata: Mapping[str, Any] | None) -> Any:
    """Return a score's value with the exact numbers of its metadata in place of rounded ones.

    A number that was edited in the log is kept.

    Example:
        >>> exact_value({"confidence": 0.6667, "correct": 1.0}, {"exact": {"confidence": 2 / 3}})
        {'confidence': 0.6666666666666666, 'correct': 1.0}
        >>> exact_value({"confidence": 0.5}, {"exact": {"confidence": 2 / 3}})
        {'confidence': 0.5}
    """
    exact = (metadata or {}).get(EXACT)
    if not isinstance(value, Mapping) or not isinstance(exact, Mapping):
        return value
    numbers = dict(value)
    for key, number in exact.items():
        if isinstance(number, float) and value.get(key) == _rounded(number):
            numbers[key] = number
    return numbers


def _rounded(part: float | str) -> float | str:
    return part if isinstance(part, str) else round(part, DECIMALS)


@dataclass(frozen=True)
class ParsedReply:
    """The values that a scorer read from a reply, and the failure if a part could not be read.

    Attributes:
        values: The score's numbers, NaN for a missing one, and texts that describe the question;
            `format_ok` follows from the failure if it is not among them.
        failure: The part that could not be read, if any; other parts may have been.
        answer: The answer in a word, for the log.
        sentence: A sentence about what was read.
        metadata: Facts for the score's metadata, besides status and detail.
    """

    values: Mapping[str, float | str] = field(default_factory=dict)
    failure: ParseFailure | None = None
    answer: str | None = None
    sentence: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def score(self, quantity: str) -> Score:
        """Return the score; its explanation names the quantity if that could not be read.

        `format_ok` is taken from `values`, or else by the failure: NaN if the run gave no reply.
        """
        outcome = status_of(self.failure)  # the keys `status` and `detail`
        status = outcome["status"]
        is_read = NAN if status in RUN_STATUSES else float(status == "ok")
        value = {**self.values, "format_ok": self.values.get("format_ok", is_read)}
        missing = "" if value["format_ok"] == 1 else unread(quantity, **outcome)
        sentence = self.sentence[:1].upper() + self.sentence[1:]
        return shown_score(
            value,
            answer=self.answer,
            explanation=" ".join(filter(None, (missing, sentence))),
            reason=None if status == "ok" else status,
            metadata={**outcome, **self.metadata},
        )


def no_reply(state: TaskState) -> ParseFailure | None:
    """Return why the sample has no reply to read, or None if it has one."""
    if not state.output.choices:  # a limit was reached before the model was called
        return NOT_ASKED
    return draw_of(state.output).failure


def read_reply(
    state: TaskState, read: Callable[..., AnswerT | ParseFailure], *arguments: object
) -> AnswerT | ParseFailure:
    """Read the sample's reply with a reader of `answers` and its arguments."""
    return draw_of(state.output).read(read, *arguments) if state.output.choices else NOT_ASKED


def number_of(answer: float | ParseFailure | None) -> float:
    """Return the number, or NaN if there is none."""
    return NAN if answer is None or isinstance(answer, ParseFailure) else answer


def mean_of(values: Iterable[float]) -> float:
    """Return the mean of the values that are not NaN, or NaN if there are none."""
    numbers = [value for value in values if not math.isnan(value)]
    return sum(numbers) / len(numbers) if numbers else NAN


def status_of(part: object, prefix: str = "") -> dict[str, str]:
    """Return the status of a part of a reply and its detail, under keys with the prefix.

    Example:
        >>> status_of(0.7), status_of(ParseFailure("truncated", "cut off"), "token_")
        ({'status': 'ok', 'detail': ''}, {'token_status': 'truncated', 'token_detail': 'cut off'})
    """
    status, detail = "ok", ""
    if isinstance(part, ParseFailure):
        status, detail = part.status, part.reason
    return {f"{prefix}status": status, f"{prefix}detail": detail}


def part_failure(name: str, part: object) -> ParseFailure | None:
    """Return the failure of a part of a reply, with the part's name, or None if it was read.

    A failure of the run, which gave no reply, is not of the part: it is returned without the name.
    """
    if isinstance(part, ParseFailure) and part.status not in RUN_STATUSES:
        return ParseFailure(part.status, f"{name}: {part.reason}")
    return part if isinstance(part, ParseFailure) else None


def scale_values(
    report: StatedConfidence | ParseFailure, low: float, high: float
) -> dict[str, float]:
    """Return the values of a confidence on a scale and the scale's ends; NaN if it is missing."""
    confidence = raw = clipped = violation = NAN
    if isinstance(report, StatedConfidence):
        confidence, raw = number_of(report.confidence), float(report.raw)
        clipped, violation = float(report.clipped), float(report.violation)
    ends = {"low": float(low), "high": float(high)}
    flags = {"clipped": clipped, "violation": violation}
    return {"confidence": confidence, "raw": raw, **ends, **flags}


def out_of_range(report: StatedConfidence, low: float, high: float) -> ParseFailure | None:
    """Return the failure of a number too far outside the scale, or None if it counts."""
    if not report.violation:
        return None
    return ParseFailure("out_of_range", f"{report.raw} is not between {low} and {high}")


def without_noise(value: float) -> float:
    """Return a computed number to ten decimals, so that logs show no error of floating point.

    Judgments do not take such numbers from logs: they compute them anew.

    Example:
        >>> without_noise(14.641386 - 12.293833), without_noise(0.1 + 0.2 - 0.3)
        (2.347553, 0.0)
    """
    return round(value, 10)


def interval_values(
    bounds: Bounds, truth: float, level: float, suffix: str = ""
) -> dict[str, float]:
    """Return the values of an interval: bounds (NaN if missing), coverage, width, interval score.

    If a bound is missing, so are coverage, width and score. The keys have a suffix if a score has
    several levels: `_90`.
    """
    low, high = bounds
    return {
        f"lower{suffix}": low,
        f"upper{suffix}": high,
        f"covered{suffix}": float(covered([low], [high], [truth])[0]),
        f"width{suffix}": without_noise(high - low),
        f"interval_score{suffix}": without_noise(interval_score([low], [high], [truth], level)),
    }


def values_by_level(bounds: Mapping[float, Bounds], truth: float) -> dict[str, float]:
    """Return the values of an interval at each of several levels, with the level in each key."""
    values: dict[str, float] = {}
    for level, bounds_at_level in bounds.items():
        values |= interval_values(bounds_at_level, truth, level, f"_{level:g}")
    return values


@dataclass(frozen=True)
class Draws(Generic[AnswerT]):
    """The parsed replies of an item's repeated draws (replies): an answer or a failure each."""

    replies: Sequence[AnswerT | ParseFailure]

    @classmethod
    def from_state(
        cls, state: TaskState, read: Callable[..., AnswerT | ParseFailure]
    ) -> "Draws[AnswerT]":
        """Read every reply of a sample with a reader of `answers`, such as `read_exponent`."""
        return cls([draw.read(read) for draw in stored_draws(state)])

    @property
    def answers(self) -> list[AnswerT]:
        """The answers that could be read."""
        return [reply for reply in self.replies if not isinstance(reply, ParseFailure)]

    @property
    def statuses(self) -> list[str]:
        """The status of each reply."""
        return [reply.status if isinstance(reply, ParseFailure) else "ok" for reply in self.replies]

    @property
    def counts(self) -> dict[str, float]:
        """Share of the replies that could be read (NaN without replies), and number of draws.

        The share leaves out draws that failed for another cause than the model's reply, such as a
        limit or a grader; the number includes them.
        """
        without_reply = RUN_STATUSES | INSTRUMENT_STATUSES
        n_replies = sum(status not in without_reply for status in self.statuses)
        readable = len(self.answers) / n_replies if n_replies else NAN
        return {"format_ok": readable, "draws": float(len(self.replies))}

    def explain_interval(self, method: str, bounds: Mapping[float, Bounds], truth: float) -> str:
        """Return a sentence: how many draws could be read, and whether their interval is right.

        `method` is a clause on how the draws make the interval, such as "; their quantiles". Of the
        `bounds`, both ends by level in percent, those of the highest level are described.
        """
        level = max(bounds)
        low, high = bounds[level]
        score = interval_values(bounds[level], truth, level)["interval_score"]
        return drawn_interval(
            f"{draws_read(self.statuses)}{method}", level, low, high, truth, score
        )

    def score(
        self,
        values: Mapping[str, float],
        columns: Callable[[AnswerT], Mapping[str, object]],
        answer: str,
        sentence: str,
    ) -> Score:
        """Return the score of all draws: the replies to one question, asked several times.

        The metadata holds a row for each draw, with the `columns` of its answer, as JSON text: a
        list with a missing number would break the log viewer. The score has the text `answer`, and
        `sentence` as its explanation, if any draw could be read; if none could, its reason is the
        status of the first, or that of `NOT_ASKED` without draws.
        """
        rows: list[Mapping[str, object]] = []
        for reply in self.replies:
            if isinstance(reply, ParseFailure):
                rows.append({"status": reply.status, "reason": reply.reason})
            else:
                rows.append({"status": "ok", **columns(reply)})
        metadata = {"draws": json.dumps(rows)}
        if self.answers:
            return shown_score(values, answer=answer, explanation=sentence, metadata=metadata)
        return shown_score(
            values,
            explanation=f"No interval could be made: {draws_read(self.statuses)}.",
            reason=self.statuses[0] if self.statuses else NOT_ASKED.status,
            metadata=metadata,
        )
