"""Judge that follows rules, without a model and with reproducible judgments."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_confidence.answers.judged import Agreement, Verdict
from inspect_confidence.judges import agreement as rules
from inspect_confidence.judges.judgment import SentenceJudgment
from inspect_confidence.judges.markers import marker_texts, sentence_decisiveness


@dataclass(frozen=True)
class RulesJudge:
    """Judge that finds markers by a lexicon and compares answers by the words they share.

    It never fails: undecided cases are `n/a` or `incorrect`. Its markers and decisiveness are
    accurate enough for use; its agreement and verdicts are for the demo and for tests.
    """

    async def sentence(
        self, question: str, sentence: str, replies: Sequence[str]
    ) -> SentenceJudgment:
        """Judge a sentence by rules: its distinct markers in order, decisiveness and agreements."""
        return SentenceJudgment(
            marker_texts(sentence),
            sentence_decisiveness(sentence),
            [rules.agreement(question, sentence, reply) for reply in replies],
        )

    async def verdict(self, question: str, answers: Sequence[str], reply: str) -> Verdict:
        """Judge whether the reply asserts an accepted answer."""
        del question
        return rules.verdict(answers, reply)

    async def agreement(self, question: str, sentence: str, reply: str) -> Agreement:
        """Judge whether the reply says the same as the sentence."""
        return rules.agreement(question, sentence, reply)
