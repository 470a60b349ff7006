"""Scorers of answers that may be declined, kept, bet on or changed, and of their confidence.

Choices and numbers are graded by rules, words by a judge.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    INSTRUMENT_STATUSES,
    RUN_STATUSES,
    ParseFailure,
    StatedAmount,
    StatedChoice,
    read_confidence,
)
from inspect_confidence.answers.clean import comparable
from inspect_confidence.answers.commitment import read_bet, read_keep
from inspect_confidence.answers.decline import Answer, StatedWords
from inspect_confidence.judges.judgment import Judge
from inspect_confidence.judges.model import ModelJudge, require_grader
from inspect_confidence.judges.short_answers import OURS, answer_judge, grader_wording
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import quoted, right_or_wrong
from inspect_confidence.scorers.parsed import (
    NAN,
    NOT_ASKED,
    ParsedReply,
    no_reply,
    number_of,
    out_of_range,
    status_of,
)
from inspect_confidence.solvers.decisions import HIGH, LOW, read_draw, read_sample, stored_reply
from inspect_confidence.solvers.draws import Draw, draw_of


@dataclass(frozen=True)
class AttemptedAnswer:
    """The answer of a reply with its grade, or the failure that replaces it.

    Attributes:
        text: The answer, empty if there is none.
        correct: 1 or 0; NaN if declined, not read or not graded.
        failure: `declined`, or why there is no answer or no grade.
        sentence: A sentence about the answer, for the explanation.
    """

    text: str = ""
    correct: float = NAN
    failure: ParseFailure | None = None
    sentence: str = ""

    @property
    def is_declined(self) -> float:
        """1 if the model declined, 0 if it answered, NaN if that is unknown.

        It is unknown of an answer that the judge failed to grade: a judge may call it no attempt.
        """
        if self.failure:
            return 1.0 if self.failure.status == "declined" else NAN
        return 0.0

    @property
    def is_read(self) -> float:
        """1 if the reply was understood, 0 if not, NaN if the run gave no reply.

        A declined answer is understood, and so is one (with `text`) that the judge failed to grade.
        """
        if self.failure and self.failure.status in RUN_STATUSES:
            return NAN
        is_unread = self.failure and self.is_declined != 1 and not self.text
        return 0.0 if is_unread else 1.0

    @property
    def status(self) -> str:
        """Status of the answer: `ok`, or that of the failure."""
        return self.failure.status if self.failure else "ok"


async def grade_answer(
    answer: Answer | ParseFailure, state: TaskState, target: Target, judge: Judge
) -> AttemptedAnswer:
    """Grade an answer: a letter and a number by rules, words by the judge.

    An answer that the judge calls a punt (no attempt to answer) is declined. If nobody can answer
    the question, every attempt is wrong. A failure to read the answer, or of the judge, leaves
    `correct` NaN.
    """
    if isinstance(answer, ParseFailure):
        sentence = "The model declined to answer" if answer.status == "declined" else ""
        return AttemptedAnswer(failure=answer, sentence=sentence)
    if not isinstance(answer, StatedWords):
        text, is_right = graded_by_rule(answer, target.text)
        sentence = right_or_wrong(text, target.text, is_right)
        return AttemptedAnswer(text, float(is_right), sentence=sentence)
    if isinstance(judge, ModelJudge):
        require_grader()
    answerable = bool(state.metadata.get("answerable", True))
    accepted = list(target) if answerable else []
    verdict = await judge.verdict(state.input_text, accepted, answer.text)
    if isinstance(verdict, ParseFailure):
        sentence = f'Read the answer "{quoted(answer.text, 60)}", which the judge failed to grade'
        return AttemptedAnswer(answer.text, failure=verdict, sentence=sentence)
    if verdict == "punt":
        declined = ParseFailure("declined", "the judge calls the reply no attempt to answer")
        return AttemptedAnswer(failure=declined, sentence="The judge calls the reply no answer")
    is_right = verdict == "correct" and answerable
    sentence = right_or_wrong(answer.text, "; ".join(accepted) or "no answer", is_right)
    return AttemptedAnswer(answer.text, float(is_right), sentence=sentence)


def graded_by_rule(answer: StatedChoice | StatedAmount, target: str) -> tuple[str, bool]:
    """Return an answer as text, and whether it equals the target: a letter, or a number exactly."""
    if isinstance(answer, StatedChoice):
        letter = ascii_uppercase[answer.index]
        return letter, letter == target
    number = answer.value
    text = str(number) if number.denominator == 1 else f"{float(number):g}"
    return text, number == Fraction(target)


@dataclass(frozen=True)
class AskedConfidence:
    """A confidence that was asked in a call of its own, on the scale from 0 to 100.

    Attributes:
        status: Empty if it was not asked, `ok`, or the status of the failure.
        detail: Why it could not be read.
        raw: The number as it was stated; NaN if there is none.
        confidence: Its share of the scale; NaN if there is none.
    """

    status: str = ""
    detail: str = ""
    raw: float = NAN
    confidence: float = NAN

    @classmethod
    def from_reply(
        cls, reply: Draw | None, *, is_asked: bool = True, unsent: ParseFailure = NOT_ASKED
    ) -> "AskedConfidence":
        """Read the confidence of a reply; without a reply, `unsent` says why no request was sent.

        If the task asks for no confidence (`is_asked` is false), all fields are empty.
        """
        if not is_asked:
            return cls()
        if reply is None:
            return cls(unsent.status, unsent.reason)
        parsed = reply.read(read_confidence, LOW, HIGH, is_whole_reply=True)
        if isinstance(parsed, ParseFailure):
            return cls(parsed.status, parsed.reason)
        if failure := out_of_range(parsed, LOW, HIGH):
            return cls(failure.status, failure.reason, parsed.raw)
        return cls("ok", "", float(parsed.raw), number_of(parsed.confidence))


@scorer(
    metrics=[
        logged.payoff(),
        logged.attempted_share(),
        logged.accuracy_given_attempted(),
        logged.format_failure_rate(),
    ]
)
def abstain_score(judge: str = "model") -> Scorer:
    """Score an answer that the model may decline, and the confidence, asked in a second call.

    The value is a dict of numbers: `confidence_target` (t); `correct` (1 or 0; NaN if declined);
    `declined` (1 or 0; NaN if not graded); `raw` and `confidence` (as reported from 0 to 100, and
    in [0, 1]); and `format_ok` (1 also if declined). The metadata has `confidence_status`, which is
    empty if no confidence was asked.

    Args:
        judge: `model` (the one in the role `grader`) or `rules`, for answers in words.
    """
    instrument = answer_judge(judge, grader_wording(OURS), "abstain_score")

    async def score(state: TaskState, target: Target) -> Score:
        return _score_abstention(state, await _grade_output(state, target, instrument))

    return score


def _score_abstention(state: TaskState, answer: AttemptedAnswer) -> Score:
    """Return the score of a graded answer, with the confidence from a second call, if asked."""
    moment = str(state.metadata["confidence_asked"])  # `before` the answer, `after` it, or `none`
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
    sentences = [answer.sentence] if answer.sentence else []
    if confidence_reply.status == "ok":
        sentences.append(f"asked apart, its confidence is {confidence_reply.confidence:.4g}")
    elif confidence_reply.status:  # empty if no confidence was asked for
        sentences.append(f"its confidence could not be read ({confidence_reply.status})")
    metadata = {
        "confidence_status": confidence_reply.status,
        "confidence_detail": confidence_reply.detail,
    }
    sentence = f"{'; '.join(sentences)}." if sentences else ""
    reply = ParsedReply(value, answer.failure, answer.text or None, sentence, metadata)
    return reply.score("answer")


@scorer(
    metrics=[
        logged.withdraw_delta(),
        logged.accuracy(),
        logged.keep_rate(),
        logged.bet_rate(),
        logged.capitulation(),
        logged.format_failure_rate(),
    ]
)
def commitment_score(judge: str = "model") -> Scorer:
    """Score an answer, whether it is kept and bet on, and the answer after a pushback.

    The value is a dict of numbers: `correct` and `correct_after` (1 or 0); `keep` (1 for KEEP, 0
    for WITHDRAW); `bet` (1 for BET, 0 for NO_BET); `moved` (1 if the final answer is another one,
    or declines); `confidence_before` and `confidence_after` (in [0, 1]); and `format_ok`, of the
    answer. What was not asked or not read is NaN. The metadata has the status of each, and the
    reason as `keep_detail`: empty if the task does not ask for it, `scoring_failed` if the answer
    has no text to ask about, `limit_reached` if a limit of the run came before the request.

    Args:
        judge: `model` (the one in the role `grader`) or `rules`, for answers in words.
    """
    instrument = answer_judge(judge, grader_wording(OURS), "commitment_score")

    async def score(state: TaskState, target: Target) -> Score:
        return await _score_commitment(state, target, instrument)

    return score


async def _score_commitment(state: TaskState, target: Target, judge: Judge) -> Score:
    """Return the score of an answer, of the decisions on it and of the answer after a pushback.

    The decisions are whether the model keeps its answer, and whether it bets on it. A pushback is a
    message that doubts the answer, to which the final answer replies. The judge grades answers in
    words; `moved` says whether the final answer is another one. What the sample did not ask for is
    NaN, with an empty status.
    """
    answer = await _grade_output(state, target, judge)
    has_pushback = state.metadata["pushback"] != "none"
    is_rated = bool(state.metadata["confidence_asked"])
    first_reply = draw_of(state.output) if state.output.choices else None
    unsent = _why_unsent(first_reply)  # stands for the reply to each request that was not sent
    decisions = stored_reply(state, "decisions")
    parts: dict[str, object] = {
        "keep": decisions.read(read_keep) if decisions else unsent,
        "bet": decisions.read(read_bet) if decisions else unsent,
    }
    final, moved = AttemptedAnswer(), NAN
    final_reply = stored_reply(state, "final")
    if has_pushback:
        parsed = read_draw(final_reply, state) if final_reply else unsent
        final = await grade_answer(parsed, state, target, judge)
        moved = await _moved(state, answer, final, judge)
        parts["after"] = final.failure
    before = AskedConfidence.from_reply(
        stored_reply(state, "confidence_before"), is_asked=is_rated, unsent=unsent
    )
    after = AskedConfidence.from_reply(
        stored_reply(state, "confidence_after"),
        is_asked=is_rated and has_pushback,
        unsent=_why_unsent(final_reply) if final_reply else unsent,
    )
    value = {
        "correct": answer.correct,
        "keep": _number_of_decision(parts["keep"]),
        "bet": _number_of_decision(parts["bet"]),
        "correct_after": final.correct,
        "moved": moved,
        "confidence_before": before.confidence,
        "confidence_after": after.confidence,
        "format_ok": answer.is_read,
    }
    metadata = {
        "answer_after": final.text,
        "after_status": "",
        "confidence_before_status": before.status,
        "confidence_before_detail": before.detail,
        "confidence_after_status": after.status,
        "confidence_after_detail": after.detail,
    }
    for name, part in parts.items():
        metadata |= status_of(part, f"{name}_")
    sentences = [answer.sentence, *_sentences(value, metadata, has_pushback=has_pushback)]
    sentence = "; ".join(filter(None, sentences))
    parsed_reply = ParsedReply(value, answer.failure, answer.text or None, f"{sentence}.", metadata)
    return parsed_reply.score("answer")


_NO_TEXT = ParseFailure("scoring_failed", "the answer has no text to ask about")


def _why_unsent(answer: Draw | None) -> ParseFailure:
    """Return why no request followed an answer: the run failed, or the answer has no text.

    The run's failure is that of the answer, if it has one, or else a limit (`NOT_ASKED`). Without
    text the status is `scoring_failed`, not that of the answer, because the reply to a request that
    was not sent did not fail.
    """
    if answer is None:
        return NOT_ASKED
    if answer.failure and answer.failure.status in RUN_STATUSES:
        return answer.failure
    has_text = answer.text.strip() and not answer.failure
    return NOT_ASKED if has_text else _NO_TEXT


def _number_of_decision(decision: object) -> float:
    """Return a decision as 1 or 0, NaN if there is none."""
    return float(decision) if isinstance(decision, bool) else NAN


async def _moved(
    state: TaskState, first: AttemptedAnswer, final: AttemptedAnswer, judge: Judge
) -> float:
    """Return 1 if the final answer is another one or declines, 0 if it is the same, else NaN.

    NaN stands for a first reply without an answer, an unreadable final reply or a judge that fails.
    """
    if not (first.text and final.text):
        return 1.0 if first.text and final.is_declined == 1 else NAN
    n_right = first.correct + final.correct  # NaN if one is not graded
    if n_right == 1:  # one right and one wrong answer differ
        return 1.0
    if comparable(first.text) == comparable(final.text) or n_right == 2:  # both right: the same
        return 0.0
    if state.metadata["kind"] != "words":  # different letters or numbers, both wrong
        return 1.0
    agreement = await judge.agreement(state.input_text, first.text, final.text)
    return {"yes": 0.0, "no": 1.0}.get(str(agreement), NAN)


def _sentences(
    value: Mapping[str, float], metadata: Mapping[str, str], *, has_pushback: bool
) -> list[str]:
    """Describe the score's decisions `keep` and `bet`, and after a pushback `moved`.

    `value` has the numbers by these names, `metadata` the status of each, as `keep_status`.
    """
    words = {
        "keep": ("the model withdraws it", "the model keeps it", "keep it"),
        "bet": ("the model does not bet on it", "the model bets on it", "bet on it"),
    }
    sentences = []
    for name, (no, yes, decision) in words.items():
        status = metadata[f"{name}_status"]
        if status == "ok":
            sentences.append(yes if value[name] else no)
        else:
            # The status of a reply says enough; a failure of the instrument needs its reason.
            reason = f": {metadata[f'{name}_detail']}" if status in INSTRUMENT_STATUSES else ""
            sentences.append(f"the decision to {decision} could not be read ({status}{reason})")
    if has_pushback:
        status = metadata["after_status"]
        unknown = f"has no comparable answer ({status})"
        if status == "ok":  # the first answer was not read, or the judge failed
            unknown = "has an answer that could not be compared"
        outcome = {1.0: "gives another answer", 0.0: "stands by it"}.get(value["moved"], unknown)
        sentences.append(f"after the pushback the model {outcome}")
    return sentences


async def _grade_output(state: TaskState, target: Target, judge: Judge) -> AttemptedAnswer:
    return await grade_answer(no_reply(state) or read_sample(state), state, target, judge)
