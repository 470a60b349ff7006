"""A scorer of answers that the model may decline, under a confidence target."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.judges.short_answers import OURS, answer_judge, grader_wording
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.attempted_answer import AskedConfidence, grade_answer
from inspect_confidence.scorers.reading import ParsedReply, no_reply
from inspect_confidence.solvers.decisions import read_sample, stored_reply


@scorer(
    metrics=[
        logged.payoff(),
        logged.attempted_share(),
        logged.accuracy_given_attempted(),
        logged.format_failure_rate(),
    ]
)
def abstain_score(judge: str = "model") -> Scorer:
    """Score an answer that the model may decline, and the confidence that was asked apart.

    The value is a dict of numbers: `confidence_target` (t); `correct` (1 or 0; NaN if declined);
    `declined` (1 or 0); `raw` and `confidence` (as reported from 0 to 100, and in [0, 1]); and
    `format_ok` (1 also if declined). The metadata has `confidence_status`, which is empty if no
    confidence was asked.

    Args:
        judge: `model` (the one in the role `grader`) or `rules`, for answers in words.
    """
    instrument = answer_judge(judge, grader_wording(OURS), "abstain_score")

    async def score(state: TaskState, target: Target) -> Score:
        answer = await grade_answer(
            no_reply(state) or read_sample(state), state, target, instrument
        )
        moment = str(state.metadata["confidence_asked"])
        confidence_reply = AskedConfidence.from_reply(
            stored_reply(state, "confidence"), is_asked=moment != "none"
        )
        value = {
            "confidence_target": float(state.metadata["confidence_target"]),
            "correct": answer.correct,
            "declined": answer.is_declined,
            "raw": confidence_reply.raw,
            "confidence": confidence_reply.confidence,
            "format_ok": answer.is_read,
        }
        sentence = answer.sentence
        if confidence_reply.status == "ok":
            sentence += f"; asked apart, its confidence is {confidence_reply.confidence:.4g}"
        elif confidence_reply.status:
            sentence += f"; its confidence could not be read ({confidence_reply.status})"
        metadata = {
            "confidence_status": confidence_reply.status,
            "confidence_detail": confidence_reply.detail,
        }
        reply = ParsedReply(
            value, answer.failure, answer.text or None, f"{sentence}.".lstrip("; "), metadata
        )
        return reply.score("answer")

    return score
