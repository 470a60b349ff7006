"""What a judge says, and what every judge can be asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.judged import Agreement, Verdict


@dataclass(frozen=True)
class SentenceJudgment:
    """What a judge says of a sentence.

    Attributes:
        markers: The epistemic markers in it, in order.
        decisiveness: How probable its claim is by its wording, in [0, 1].
        agreement: Of each sampled reply, in order.
        asked_again: How many of these were asked for a second time, alone.
    """

    markers: Sequence[str] | ParseFailure
    decisiveness: float | ParseFailure
    agreement: Sequence[Agreement | ParseFailure]
    asked_again: int = 0


class Judge(Protocol):
    """Judges sentences and replies; what it can't say is `grader_failed`."""

    async def sentence(
        self, question: str, sentence: str, replies: Sequence[str]
    ) -> SentenceJudgment:
        """Of one sentence of the main answer, against sampled replies different from each other."""

    async def verdict(
        self, question: str, answers: Sequence[str], reply: str
    ) -> Verdict | ParseFailure:
        """Whether the main answer is right, beside accepted ones."""
