"""A simulated respondent to anybody's eval of the bundled questions, asked how sure it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from string import ascii_uppercase
from typing import Any, NamedTuple

from inspect_confidence.answers import TokenChoice
from inspect_confidence.answers.clean import comparable
from inspect_confidence.datasets.questions import Question, bundled_questions
from inspect_confidence.datasets.wep_survey import median_of, phrases
from inspect_confidence.prompts.confidence import SAME
from inspect_confidence.respondents.observer import draw_evidence, reported_share, reports
from inspect_confidence.respondents.utterance import (
    Utterance,
    logarithm,
    perhaps_spoilt,
    seeded,
    within,
)

_ON_SCALE = ("confidence", "confidence_alone", "confidence_before")
_FORMS = ("", *_ON_SCALE, "p_true", "phrase")
"""An eval's own prompt has no form."""

_NUMBERS = 4
"""How many numbers could be the answer to a word problem: the right one, and that plus 1, 2, 3."""

_OPTION = re.compile(r"^\W*([A-Z])[).:] +(.+?) *$", re.MULTILINE)
_SAME = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(SAME)), re.DOTALL)


class Belief(NamedTuple):
    """What is believed about a question: the answer, what else it could be, and the evidence."""

    answer: str
    others: Sequence[str]
    evidence: float


@dataclass(frozen=True)
class Examinee:
    """Answers a bundled question wherever it reads one, and says how sure it is of its answer.

    However it is asked, one belief replies: that the answer is right with a probability s, the
    share of the scale that an observer of known sensitivity reports. It states s, gives it to True
    and to its answer's token, and chooses the phrase whose median is nearest; a further answer is
    the same with probability s (surely at temperature 0), else any other, all equally likely.

    An eval's own prompt doesn't tell its epoch, and a count of calls would depend on their order:
    a question has the same answer in every epoch. Further answers are numbered, and differ.

    Attributes:
        seed: Of answers and reports.
        accuracy: Share of questions answered right, in [0, 1]; estimated by `accuracy`.
        meta_d: d' of the observer that confidence comes from, in [0, 6]; by `meta_d_ideal`.
        bias: Added to the evidence before it is reported, in [-5, 5]: minus the shift of the
            criterion; by `type2_criterion`.
        before_noise: Standard deviation of what is added to the evidence where confidence is asked
            for before the work, in [0, 5].
        round_to: Stated numbers are multiples of it on scales at least ten times as wide.
        error_rate: Share of replies that hold no answer, in [0, 1].
    """

    seed: int = 0
    accuracy: float = within(0.75, 0, 1)
    meta_d: float = within(1.5, 0, 6)
    bias: float = within(0.5, -5, 5)
    before_noise: float = within(1.0, 0, 5)
    round_to: int = within(5, 1, 100)
    error_rate: float = within(0.0, 0, 1)

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The reply about the question that stands last in the conversation.

        Raises:
            KeyError: No bundled question stands there, or it lacks its choices.
        """
        text = str(asked.get("conversation", ""))
        if form == "same" and (compared := _SAME.search(text)):
            alike = comparable(compared["answer"]) == comparable(compared["other"])
            return Utterance("Yes" if alike else "No")
        if form not in _FORMS:
            return None
        item = recognised(text)
        belief = self.belief(item)
        share = float(reported_share(belief.evidence, self.bias))
        rng = seeded(self.seed, form, item.id, asked.get("draw", ""))
        if form in _ON_SCALE:
            noise = self.before_noise * rng.normal() if form == "confidence_before" else 0.0
            felt = float(reported_share(belief.evidence + noise, self.bias))
            raw = reports(felt, int(asked["low"]), int(asked["high"]), self.round_to)
            said, begun = Utterance(f"Confidence: {raw}"), "Confidence:"
        elif form == "p_true":
            said, begun = _spoken({"True": share, "False": 1 - share}, str(share >= 0.5)), ""
        elif form == "phrase":
            said, begun = Utterance(_nearest_phrase(share)), ""
        else:
            begun = "ANSWER: " if item.choices else ""
            rest = dict.fromkeys(belief.others, (1 - share) / len(belief.others))
            given = belief.answer
            if "draw" in asked and temperature > 0 and rng.uniform() >= share:
                given = belief.others[int(rng.integers(len(rest)))]
            names = _letters(item, text)
            shares = {names[one]: mass for one, mass in {belief.answer: share, **rest}.items()}
            said = _spoken(shares, names[given], begun)
        return perhaps_spoilt(said, self.error_rate, begun, rng)

    def belief(self, item: Question) -> Belief:
        """The belief about a question, whatever the order in which its choices are shown."""
        rng = seeded(self.seed, "belief", item.id)
        right = bool(rng.uniform() < self.accuracy)
        evidence = float(draw_evidence(right, self.meta_d, rng.uniform()))
        answers = _possible(item)
        answer = answers.pop(0 if right else int(rng.integers(1, len(answers))))
        return Belief(answer, answers, evidence)


def recognised(text: str) -> Question:
    """The bundled question that stands last in a text.

    Raises:
        KeyError: None does.
    """
    there = [item for item in bundled_questions().values() if item.question in text]
    if not there:
        raise KeyError(_end_of(text))
    return max(there, key=lambda item: text.rfind(item.question))


def _possible(item: Question) -> list[str]:
    """What could be answered, the right answer first."""
    if not item.choices:
        return [f"{Decimal(item.target) + more:f}" for more in range(_NUMBERS)]
    right = item.choices[ascii_uppercase.index(item.target)]
    return [right, *(one for one in item.choices if one != right)]


def _letters(item: Question, text: str) -> Mapping[str, str]:
    """What to say for each answer: the letter beside a choice in the text, a number as it is."""
    if not item.choices:
        return {one: one for one in _possible(item)}
    shown = {choice: letter for letter, choice in _OPTION.findall(text)}
    if not shown.keys() >= set(item.choices):
        raise KeyError(_end_of(text))
    return shown


def _end_of(text: str) -> str:
    return " ".join(text.split())[-100:]


def _spoken(shares: Mapping[str, float], said: str, begun: str = "") -> Utterance:
    """A reply whose last token could have been others too, of those probabilities."""
    logs = {token: logarithm(share) for token, share in shares.items()}
    last = TokenChoice(said, logs[said], logs)
    first = [TokenChoice(begun, 0.0, {begun: 0.0})] if begun else []
    return Utterance(begun + said, tokens=[*first, last])


def _nearest_phrase(share: float) -> str:
    offered = phrases()
    nearest = min(offered, key=lambda phrase: abs(median_of(phrase) - share))
    return f"{ascii_uppercase[offered.index(nearest)]}. {nearest}"
