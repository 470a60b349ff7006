"""Reads an answer and the confidence stated for it on a numeric scale."""

from fractions import Fraction
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    StatedAmount,
    StatedChoice,
    StatedConfidence,
    Unreadable,
    read_amount,
    read_choice,
    read_confidence,
)
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import confidence_on_scale, right_or_wrong
from inspect_confidence.scorers.reading import NAN, Reading, in_part, read_reply

Answer = StatedChoice | StatedAmount


@scorer(
    metrics=[
        logged.overconfidence(),
        logged.accuracy(),
        logged.violation_rate(),
        logged.format_failure_rate(),
        logged.ece(),
        logged.auroc(),
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
        choices = [choice.value for choice in state.choices]
        # A reply may be cut off after its answer, so that only the confidence is missing.
        answer = (
            read_reply(state, read_choice, choices) if choices else read_reply(state, read_amount)
        )
        confidence = read_reply(state, read_confidence, low, high)
        right = NAN if isinstance(answer, Unreadable) else float(is_right(answer, target.text))
        read = None if isinstance(confidence, Unreadable) else confidence
        value = {
            "correct": right,
            "confidence": NAN if read is None or read.confidence is None else read.confidence,
            "raw": float(read.raw) if read else NAN,
            "low": float(low),
            "high": float(high),
            "clipped": float(read.clipped) if read else NAN,
            "violation": float(read.violation) if read else NAN,
        }
        shown = None if isinstance(answer, Unreadable) else _shown(answer)
        said = [right_or_wrong(shown, target.text, bool(right))] if shown is not None else []
        said += [confidence_on_scale(value)] if read else []
        failure = _failure(answer, confidence)
        if failure:
            whole = " ".join(f"{one[0].upper()}{one[1:]}." for one in said)
            return Reading(value, failure, shown, whole).score("answer with its confidence")
        if read and read.violation:  # it was read, and has a number
            value["format_ok"] = 1.0
            failure = Unreadable("out_of_range", f"{read.raw} is not between {low} and {high}")
        return Reading(value, failure, shown, "; ".join(said) + ".").score("")

    return score


def is_right(answer: Answer, target: str) -> bool:
    """Whether the answer is the target: its letter, or its number exactly."""
    if isinstance(answer, StatedChoice):
        return ascii_uppercase[answer.index] == target
    return answer.value == Fraction(target)


def _shown(answer: Answer) -> str:
    if isinstance(answer, StatedChoice):
        return ascii_uppercase[answer.index]
    whole = answer.value.denominator == 1
    return str(answer.value) if whole else f"{float(answer.value):g}"


def _failure(
    answer: Answer | Unreadable, confidence: StatedConfidence | Unreadable
) -> Unreadable | None:
    """What could not be read, with the confidence's status if it is among that."""
    parts = [in_part("answer", answer), in_part("confidence", confidence)]
    missing = [part for part in parts if part]
    reasons = dict.fromkeys(part.reason for part in missing)
    return Unreadable(missing[-1].status, "; ".join(reasons)) if missing else None
