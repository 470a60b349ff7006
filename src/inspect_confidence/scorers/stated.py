"""Reads an answer and the confidence stated for it on a numeric scale."""

import math
from fractions import Fraction
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    RUN_STATUSES,
    StatedAmount,
    StatedChoice,
    StatedConfidence,
    Unreadable,
    read_amount,
    read_choice,
    read_confidence,
)
from inspect_confidence.scorers.explained import confidence_on_scale, right_or_wrong, unread
from inspect_confidence.scorers.log_metrics import (
    accuracy,
    auroc,
    ece,
    format_failure_rate,
    overconfidence,
    violation_rate,
)

_NAN = float("nan")

Answer = StatedChoice | StatedAmount


@scorer(
    metrics=[
        overconfidence(),
        accuracy(),
        violation_rate(),
        format_failure_rate(),
        ece(),
        auroc(),
    ]
)
def stated() -> Scorer:
    """Score an answer against the target, with its confidence on the sample's scale.

    The value is a dict of numbers: `correct` (0 or 1), `confidence` (in [0, 1], 0 and 1 being the
    ends of the scale), `raw` (as reported), `low` and `high` (the scale), `clipped` (outside the
    scale by at most 5% of its width, taken for its end), `violation` (further outside; `raw` is
    kept and `confidence` is NaN) and `format_ok`. What could not be read is NaN, and its status is
    the score's reason; an answer that was read keeps its `correct` without a confidence.
    """

    async def score(state: TaskState, target: Target) -> Score:
        low, high = int(state.metadata["low"]), int(state.metadata["high"])
        scale = {"low": float(low), "high": float(high)}
        if not state.output.choices:  # a limit was reached before the model was called
            return _score(
                scale, target.text, None, None, ("limit_reached", "the model was not asked")
            )
        stop = state.output.stop_reason
        if stop == "content_filter":
            return _score(scale, target.text, None, None, (stop, "the provider withheld the reply"))
        reply, cut = state.output.completion, stop == "max_tokens"
        choices = [choice.value for choice in state.choices]
        # A reply may be cut off after its answer, so that only the confidence is missing.
        answer = (
            read_choice(reply, choices, truncated=cut)
            if choices
            else read_amount(reply, truncated=cut)
        )
        confidence = read_confidence(reply, low, high, truncated=cut)
        right = None
        if not isinstance(answer, Unreadable):
            right = is_right(answer, target.text)
        failure = _failure(answer, confidence)
        return _score(scale, target.text, _shown(answer), right, failure, confidence)

    return score


def is_right(answer: Answer, target: str) -> bool:
    """Whether the answer is the target: its letter, or its number exactly."""
    if isinstance(answer, StatedChoice):
        return ascii_uppercase[answer.index] == target
    return answer.value == Fraction(target)


def _shown(answer: Answer | Unreadable) -> str | None:
    if isinstance(answer, Unreadable):
        return None
    if isinstance(answer, StatedChoice):
        return ascii_uppercase[answer.index]
    whole = answer.value.denominator == 1
    return str(answer.value) if whole else f"{float(answer.value):g}"


def _failure(
    answer: Answer | Unreadable, confidence: StatedConfidence | Unreadable
) -> tuple[str, str] | None:
    """Status and detail of what could not be read, the confidence's before the answer's."""
    if isinstance(confidence, Unreadable) and isinstance(answer, Unreadable):
        return answer.status, f"answer: {answer.reason}; confidence: {confidence.reason}"
    if isinstance(confidence, Unreadable):
        return confidence.status, f"confidence: {confidence.reason}"
    if isinstance(answer, Unreadable):
        return answer.status, f"answer: {answer.reason}"
    return None


def _score(
    scale: dict[str, float],
    target: str,
    answer: str | None,
    right: bool | None,
    failure: tuple[str, str] | None,
    confidence: StatedConfidence | Unreadable | None = None,
) -> Score:
    read = confidence if isinstance(confidence, StatedConfidence) else None
    status, detail = failure or ("ok", "")
    if read and read.violation and not failure:
        status, detail = (
            "out_of_range",
            f"{read.raw} is not between {scale['low']:g} and {scale['high']:g}",
        )
    value = {
        "correct": _NAN if right is None else float(right),
        "confidence": _NAN if read is None or read.confidence is None else read.confidence,
        "raw": float(read.raw) if read else _NAN,
        **scale,
        "clipped": float(read.clipped) if read else _NAN,
        "violation": float(read.violation) if read else _NAN,
        "format_ok": _NAN if status in RUN_STATUSES else float(failure is None),
    }
    return Score(
        value=value,
        answer=answer,
        explanation=_explanation(answer, target, right, failure, value),
        reason=None if status == "ok" else status,
        metadata={"status": status, "detail": detail},
    )


def _explanation(
    answer: str | None,
    target: str,
    right: bool | None,
    failure: tuple[str, str] | None,
    value: dict[str, float],
) -> str:
    """What was read, and what wasn't: an answer may come without a confidence."""
    there = [] if answer is None or right is None else [right_or_wrong(answer, target, right)]
    if not math.isnan(value["raw"]):
        there.append(confidence_on_scale(value))
    if failure is None:
        return "; ".join(there) + "."
    missing = unread("answer with its confidence", *failure)
    return " ".join([missing, *(f"{one[0].upper()}{one[1:]}." for one in there)])
