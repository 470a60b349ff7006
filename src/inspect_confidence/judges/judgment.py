"""Interface of a judge, and its judgment of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.judged import Agreement, Verdict


@dataclass(frozen=True)
class SentenceJudgment:
    """A judge's judgment of a sentence.

    Attributes:
        markers: Epistemic markers in the sentence, in order.
        decisiveness: Probability of the claim according to its wording, in [0, 1].
        agreement: Agreement of each sampled reply with the sentence, in order.
        asked_again: Number of these values that were requested a second time, in single calls.
    """

    markers: Sequence[str] | ParseFailure
    decisiveness: float | ParseFailure
    agreement: Sequence[Agreement | ParseFailure]
    asked_again: int = 0


class Judge(Protocol):
    """A judge of sentences and replies; failures have the status `grader_failed`."""

    async def sentence(
        self, question: str, sentence: str, replies: Sequence[str]
    ) -> SentenceJudgment:
        """Judge a sentence of the main answer and its agreement with distinct sampled replies."""

    async def verdict(
        self, question: str, answers: Sequence[str], reply: str
    ) -> Verdict | ParseFailure:
        """Judge whether the main answer is right, given the accepted answers."""

    async def agreement(self, question: str, sentence: str, reply: str) -> Agreement | ParseFailure:
        """Judge whether a reply says the same as a sentence in answer to a question."""
