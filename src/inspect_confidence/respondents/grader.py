"""Simulated judge of hedged answers with known error rates."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_confidence.answers.judged import Agreement
from inspect_confidence.judges import agreement as rules
from inspect_confidence.judges.markers import marker_texts, sentence_decisiveness
from inspect_confidence.respondents.utterance import Utterance, parameter, seeded

_FLIPPED: Mapping[Agreement, Agreement] = {"yes": "no", "no": "yes", "n/a": "n/a"}


@dataclass(frozen=True)
class Grader:
    """Judge that follows the rules without a model, with random errors.

    A verdict depends only on the judged texts, not on the item or on the rest of the call.

    Attributes:
        seed: Seed of the errors.
        error_rate: Share of verdicts on agreement in which yes and no are swapped, in [0, 1]; n/a
            stays n/a.
        extraction_error: Share of sentences with markers in which no marker is found, in [0, 1].
        fail_rate: Share of replies that aren't JSON, in [0, 1].
    """

    seed: int = 0
    error_rate: float = parameter(0.0, 0, 1)
    extraction_error: float = parameter(0.0, 0, 1)
    fail_rate: float = parameter(0.0, 0, 1)

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Judge a sentence or reply in JSON; None to other forms. The temperature has no effect.

        With probability `fail_rate` the reply has no judgment that could be read.
        """
        verdict = self._verdict(form, request)
        if verdict is None:
            return None
        judged_texts = [request.get(key) for key in ("question", "sentence", "reply", "each")]
        if seeded(self.seed, "fail", form, *judged_texts).uniform() < self.fail_rate:
            return Utterance("It is hard to say from the sentence alone.")
        return Utterance(json.dumps(verdict))

    def markers(self, question: str, sentence: str) -> list[str]:
        """Return the distinct markers that the judge finds in a sentence, in order.

        The question matters only to the errors: a short sentence such as "It is probably (A)." is
        an answer to many questions, and errors must be independent among them.
        """
        if seeded(self.seed, "markers", question, sentence).uniform() < self.extraction_error:
            return []
        return marker_texts(sentence)

    def agreement(self, question: str, sentence: str, reply: str) -> Agreement:
        """Return whether a reply agrees with a sentence, by the package's rules.

        With probability `error_rate` yes and no are swapped; `n/a` stays.
        """
        verdict = rules.agreement(question, sentence, reply)
        is_flipped = (
            seeded(self.seed, "agreement", question, sentence, reply).uniform() < self.error_rate
        )
        return _FLIPPED[verdict] if is_flipped else verdict

    def _verdict(self, form: str, request: Mapping[str, Any]) -> dict[str, object] | None:
        """Return the fields of the judge's reply; None if the form isn't a judge's."""
        if form == "judge_correctness":
            accepted = list(map(str, request["accepted"]))
            return {"verdict": rules.verdict(accepted, str(request["reply"]))}
        sentence, question = str(request.get("sentence")), str(request.get("question"))
        match form:
            case "judge_markers":
                return {"markers": self.markers(question, sentence)}
            case "judge_decisiveness":
                return {"decisiveness": sentence_decisiveness(sentence)}
            case "judge_consistency":
                return {"agreement": self.agreement(question, sentence, str(request["reply"]))}
            case "judge_sentence":
                return {
                    "markers": self.markers(question, sentence),
                    "decisiveness": sentence_decisiveness(sentence),
                    "agreement": [
                        self.agreement(question, sentence, str(reply)) for reply in request["each"]
                    ],
                }
        return None
