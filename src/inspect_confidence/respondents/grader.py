"""A simulated judge of hedged answers that errs at known rates."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_confidence.answers.judged import Agreement
from inspect_confidence.judges import agreement as rules
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness
from inspect_confidence.respondents.utterance import Utterance, seeded, within

_FLIPPED: Mapping[Agreement, Agreement] = {"yes": "no", "no": "yes", "n/a": "n/a"}


@dataclass(frozen=True)
class Grader:
    """Judges by the rules that need no model, but for its errors.

    A judgment depends on the texts judged alone, not on the item or on what else is judged in the
    same call.

    Attributes:
        seed: Of the errors.
        error_rate: Share of judgments of agreement whose yes is no and the reverse, in [0, 1]; n/a
            is kept.
        extraction_error: Share of sentences with markers in which it finds none, in [0, 1].
        fail_rate: Share of replies that aren't JSON, in [0, 1].
    """

    seed: int = 0
    error_rate: float = within(0.0, 0, 1)
    extraction_error: float = within(0.0, 0, 1)
    fail_rate: float = within(0.0, 0, 1)

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The judgment in JSON; the temperature changes nothing."""
        judged = self._judged(form, asked)
        if judged is None:
            return None
        about = [asked.get(key) for key in ("question", "sentence", "reply", "each")]
        if seeded(self.seed, "fail", form, *about).uniform() < self.fail_rate:
            return Utterance("It is hard to say from the sentence alone.")
        return Utterance(json.dumps(judged))

    def markers(self, question: str, sentence: str) -> list[str]:
        """The markers that it finds in a sentence, each once, in their order.

        The question is no more than what its errors depend on: short sentences such as "It is
        probably (A)." are answers to many questions, and would be misjudged all at once.
        """
        if seeded(self.seed, "markers", question, sentence).uniform() < self.extraction_error:
            return []
        return list(dict.fromkeys(marker.text for marker in find_markers(sentence)))

    def agreement(self, question: str, sentence: str, reply: str) -> Agreement:
        """Whether it finds that a reply agrees with a sentence."""
        judged = rules.agreement(question, sentence, reply)
        errs = seeded(self.seed, "agreement", question, sentence, reply).uniform() < self.error_rate
        return _FLIPPED[judged] if errs else judged

    def _judged(self, form: str, asked: Mapping[str, Any]) -> dict[str, object] | None:
        """What it says by key; None if the form isn't a judge's."""
        if form == "judge_correctness":
            accepted = [str(one) for one in asked["accepted"]]
            return {"verdict": rules.verdict(accepted, str(asked["reply"]))}
        sentence, question = str(asked.get("sentence")), str(asked.get("question"))
        match form:
            case "judge_markers":
                return {"markers": self.markers(question, sentence)}
            case "judge_decisiveness":
                return {"decisiveness": sentence_decisiveness(sentence)}
            case "judge_consistency":
                return {"agreement": self.agreement(question, sentence, str(asked["reply"]))}
            case "judge_sentence":
                return {
                    "markers": self.markers(question, sentence),
                    "decisiveness": sentence_decisiveness(sentence),
                    "agreement": [
                        self.agreement(question, sentence, str(reply)) for reply in asked["each"]
                    ],
                }
        return None
