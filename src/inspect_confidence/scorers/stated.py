"""A scorer of an answer with a confidence stated on a numeric scale."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence import answers
from inspect_confidence.answers import ParseFailure, StatedAmount, StatedChoice
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.decisions import graded_by_rule
from inspect_confidence.scorers.explained import confidence_on_scale, right_or_wrong
from inspect_confidence.scorers.parsed import (
    NAN,
    ParsedReply,
    out_of_range,
    part_failure,
    read_reply,
    scale_values,
)
from inspect_confidence.solvers.draws import choice_texts


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

    The value is a dict of numbers: `correct` (0 or 1), `confidence` (in [0, 1], where 0 and 1 are
    the ends of the scale), `raw` (as reported), `low` and `high` (the scale), `clipped` (outside
    the scale by at most 5% of its width, and moved to its end), `violation` (further outside; `raw`
    is kept and `confidence` is NaN) and `format_ok`. A number that could not be read is NaN, and
    its status is the score's reason; an answer without a confidence keeps its `correct`.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return _score_stated(state, target)

    return score


def _score_stated(state: TaskState, target: Target) -> Score:
    """Return the score of an answer and its confidence; the target is a letter or a number."""
    low, high = int(state.metadata["low"]), int(state.metadata["high"])
    answer = _read_answer(state)
    report = read_reply(state, answers.read_confidence, low, high)
    answer_text, is_right = None, NAN
    sentences = []
    if not isinstance(answer, ParseFailure):
        answer_text, is_right = graded_by_rule(answer, target.text)
        sentences.append(right_or_wrong(answer_text, target.text, bool(is_right)))
    value = {"correct": float(is_right), **scale_values(report, low, high)}
    range_failure = None
    failures = [part_failure("answer", answer), part_failure("confidence", report)]
    missing = list(filter(None, failures))
    if not isinstance(report, ParseFailure):
        sentences.append(confidence_on_scale(value))
        range_failure = out_of_range(report, low, high)
    if missing:
        reasons = dict.fromkeys(failure.reason for failure in missing)
        # The status is the confidence's, if that is missing.
        failure = ParseFailure(missing[-1].status, "; ".join(reasons))
        text = " ".join(f"{line[0].upper()}{line[1:]}." for line in sentences)
        return ParsedReply(value, failure, answer_text, text).score("answer with its confidence")
    value["format_ok"] = 1.0  # also for a number outside the scale: it was read
    sentence = "; ".join(sentences) + "."
    reply = ParsedReply(value, range_failure, answer_text, sentence)
    return reply.score("answer with its confidence")


def _read_answer(state: TaskState) -> StatedChoice | StatedAmount | ParseFailure:
    """Read the choice or the number; a reply may be cut off after it, before the confidence."""
    choices = choice_texts(state)
    if choices:
        return read_reply(state, answers.read_choice, choices)
    return read_reply(state, answers.read_amount)
