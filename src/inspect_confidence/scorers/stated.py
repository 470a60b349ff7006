"""Reads an answer and the confidence stated for it on a numeric scale."""

from fractions import Fraction
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence import answers
from inspect_confidence.answers import ParseFailure, StatedAmount, StatedChoice
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import confidence_on_scale, right_or_wrong
from inspect_confidence.scorers.reading import NAN, Reading, in_part, read_reply


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
            read_reply(state, answers.read_choice, choices)
            if choices
            else read_reply(state, answers.read_amount)
        )
        confidence = read_reply(state, answers.read_confidence, low, high)
        shown, right = (
            (None, NAN) if isinstance(answer, ParseFailure) else _beside(answer, target.text)
        )
        read = None if isinstance(confidence, ParseFailure) else confidence
        value = {
            "correct": float(right),
            "confidence": NAN if read is None or read.confidence is None else read.confidence,
            "raw": float(read.raw) if read else NAN,
            "low": float(low),
            "high": float(high),
            "clipped": float(read.clipped) if read else NAN,
            "violation": float(read.violation) if read else NAN,
        }
        said = [right_or_wrong(shown, target.text, bool(right))] if shown is not None else []
        said += [confidence_on_scale(value)] if read else []
        missing = list(filter(None, [in_part("answer", answer), in_part("confidence", confidence)]))
        if missing:  # with the confidence's status, if it is among that
            reasons = dict.fromkeys(part.reason for part in missing)
            failure = ParseFailure(missing[-1].status, "; ".join(reasons))
            whole = " ".join(f"{one[0].upper()}{one[1:]}." for one in said)
            return Reading(value, failure, shown, whole).score("answer with its confidence")
        outside = None
        if read and read.violation:  # it was read, and has a number
            value["format_ok"] = 1.0
            outside = ParseFailure("out_of_range", f"{read.raw} is not between {low} and {high}")
        return Reading(value, outside, shown, "; ".join(said) + ".").score("")

    return score


def _beside(answer: StatedChoice | StatedAmount, target: str) -> tuple[str, bool]:
    """An answer as it is shown, and whether it is the target: its letter, or its number exactly."""
    if isinstance(answer, StatedChoice):
        letter = ascii_uppercase[answer.index]
        return letter, letter == target
    number = answer.value
    shown = str(number) if number.denominator == 1 else f"{float(number):g}"
    return shown, number == Fraction(target)
