"""Grades of answers that may be declined: choices and numbers by rules, words by a judge."""

from dataclasses import dataclass
from fractions import Fraction
from string import ascii_uppercase
from typing import Any

from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    RUN_STATUSES,
    ParseFailure,
    StatedAmount,
    StatedChoice,
    StatedConfidence,
    read_confidence,
    reply_failure,
)
from inspect_confidence.answers.decline import DECLINED, Answer, StatedWords
from inspect_confidence.judges.judgment import Judge
from inspect_confidence.judges.model import ModelJudge, require_grader
from inspect_confidence.scorers.explained import quoted, right_or_wrong
from inspect_confidence.scorers.reading import NAN, NOT_ASKED
from inspect_confidence.solvers.decisions import HIGH, LOW
from inspect_confidence.solvers.draws import Draw


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
        """1 if the model declined, 0 if it answered, NaN if that is unknown."""
        if self.failure and not self.text:
            return 1.0 if self.failure.status == "declined" else NAN
        return 0.0

    @property
    def is_read(self) -> float:
        """1 if the reply was understood, 0 if not, NaN without a reply."""
        if self.failure and self.failure.status in RUN_STATUSES:
            return NAN
        return 0.0 if self.failure and self.is_declined != 1 and not self.text else 1.0

    @property
    def status(self) -> str:
        """Status of the answer: `ok`, or that of the failure."""
        return self.failure.status if self.failure else "ok"


async def grade_answer(
    answer: Answer | ParseFailure, state: TaskState, target: Target, judge: Judge
) -> AttemptedAnswer:
    """Grade an answer: a letter and a number by rules, words by the judge.

    An answer that the judge calls a punt is declined. If nobody can answer the question, every
    attempt is wrong.
    """
    if isinstance(answer, ParseFailure):
        sentence = "The model declined to answer" if answer is DECLINED else ""
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
    """Return an answer as text, and whether it is the target: its letter, or its number exactly."""
    if isinstance(answer, StatedChoice):
        letter = ascii_uppercase[answer.index]
        return letter, letter == target
    number = answer.value
    text = str(number) if number.denominator == 1 else f"{float(number):g}"
    return text, number == Fraction(target)


@dataclass(frozen=True)
class AskedConfidence:
    """A confidence that was asked apart, on the scale from 0 to 100.

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
    def from_reply(cls, reply: Draw | None, *, is_asked: bool = True) -> "AskedConfidence":
        """Read the confidence of a reply; None stands for a request without a reply."""
        if not is_asked:
            return cls()
        if reply is None:
            return cls(NOT_ASKED.status, NOT_ASKED.reason)
        parsed: Any = reply_failure(reply.text, reply.stop) or reply.read(_read_confidence)
        if isinstance(parsed, ParseFailure):
            return cls(parsed.status, parsed.reason)
        if parsed.confidence is None:
            return cls("out_of_range", f"{parsed.raw} is not between {LOW} and {HIGH}", parsed.raw)
        return cls("ok", "", float(parsed.raw), parsed.confidence)


def _read_confidence(text: str, *, truncated: bool) -> StatedConfidence | ParseFailure:
    return read_confidence(text, LOW, HIGH, is_whole_reply=True, truncated=truncated)
