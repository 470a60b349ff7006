"""Simulated respondent to any eval of the bundled questions, with confidence in its answers."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from inspect_confidence.answers import TokenChoice
from inspect_confidence.answers.clean import comparable
from inspect_confidence.datasets.questions import Question, bundled_part, bundled_questions
from inspect_confidence.datasets.selection import by_id
from inspect_confidence.datasets.wep_survey import median_of, phrases
from inspect_confidence.prompts.confidence import SAME
from inspect_confidence.respondents.hedger import possible_answers
from inspect_confidence.respondents.observer import draw_evidence, reported_share, reports
from inspect_confidence.respondents.utterance import (
    Utterance,
    logarithm,
    parameter,
    seeded,
    spoil_at_rate,
)

_SCALE_FORMS = ("confidence", "confidence_alone", "confidence_before")
_DECISIONS = ("abstain", "answer", "commitment", "decline", "pushback", "simple_qa")
_FORMS = ("", *_SCALE_FORMS, "p_true", "phrase", *_DECISIONS)
"""Forms that the respondent answers; an eval's own prompt has an empty form."""

KEEPS_ABOVE, BETS_ABOVE = 0.5, 0.75
"""Confidence above which a respondent that heeds it keeps its answer, and bets on it."""

_N_NUMBERS = 4
"""Number of possible answers to a word problem: the right number, and that plus 1, 2 and 3."""

_OPTION = re.compile(r"^\W*([A-Z])[).:] +(.+?) *$", re.MULTILINE)
_SAME = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(SAME)), re.DOTALL)
"""Pattern of the prompt `SAME`, with a group of each of its fields."""


class Belief(NamedTuple):
    """Belief about a question: the answer, the alternatives, and the evidence for the answer.

    `share` is the confidence in the answer, as a share of the scale.
    """

    answer: str
    alternatives: Sequence[str]
    evidence: float
    share: float


@dataclass(frozen=True)
class Examinee:
    """Respondent that answers any bundled question in a prompt and states its confidence.

    All elicitation methods report the same belief: the answer is right with a probability s, the
    share of the scale that an observer of known sensitivity reports. The respondent states s, gives
    it to True and to its answer's token, and chooses the phrase with the nearest median. A further
    answer is the same with probability s (always at temperature 0), else an alternative, all with
    equal probability.

    An eval's own prompt doesn't tell the epoch, and a count of calls would depend on their order,
    so the answer to a question is the same in every epoch. Further answers are numbered and differ.

    Decisions rest on s too: with `heeds`, it answers or keeps an answer under a target t if s is
    above t, without a target if s is above 0.5, and bets if s is above 0.75. Otherwise it always
    answers, keeps and bets.

    Attributes:
        seed: Seed of answers and reports.
        accuracy: Share of questions answered right, in [0, 1]; estimated by `accuracy`.
        meta_d: d' of the observer that confidence comes from, in [0, 6]; estimated by
            `meta_d_ideal`.
        bias: Constant added to the evidence before it is reported, in [-5, 5]: minus the shift of
            the criterion; estimated by `type2_criterion`.
        before_noise: Standard deviation of noise added to the evidence if confidence is asked for
            before the work, in [0, 5].
        round_to: Step of the stated numbers on scales at least ten times as wide.
        error_rate: Share of replies without an answer, in [0, 1].
        heeds: Whether decisions follow from its confidence.
        caves: Share of answers that it gives up after a pushback that disagrees, in [0, 1];
            estimated by `capitulation`.
    """

    seed: int = 0
    accuracy: float = parameter(0.75, 0, 1)
    meta_d: float = parameter(1.5, 0, 6)
    bias: float = parameter(0.5, -5, 5)
    before_noise: float = parameter(1.0, 0, 5)
    round_to: int = parameter(5, 1, 100)
    error_rate: float = parameter(0.0, 0, 1)
    heeds: bool = True
    caves: float = parameter(0.0, 0, 1)

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply about the last bundled question in the conversation, or None to an unknown form.

        The form is the kind of request, such as `commitment`; that of an eval's own prompt is
        empty. The form `same` needs no question: it asks whether two answers in the text are the
        same. At the respondent's `error_rate` a reply is spoilt: it has no answer.

        Raises:
            KeyError: The conversation has no bundled question, or lacks its choices.
        """
        text = str(request.get("conversation", ""))
        if form == "same" and (compared := _SAME.search(text)):
            is_same = comparable(compared["answer"]) == comparable(compared["other"])
            return Utterance("Yes" if is_same else "No")
        if form not in _FORMS:
            return None
        item = find_question(text)
        belief = self.belief(item)
        share = belief.share
        rng = seeded(self.seed, form, item.id, request.get("draw", ""))
        cut_off_text = ""  # the beginning of a reply that breaks off
        if form in _SCALE_FORMS:
            reply, cut_off_text = self._confidence_reply(form, request, belief, rng), "Confidence:"
        elif form == "p_true":
            reply = _token_reply({"True": share, "False": 1 - share}, str(share >= 0.5))
        elif form == "phrase":
            reply = Utterance(_nearest_phrase(share))
        elif form in ("commitment", "decline"):
            reply = self._decision_reply(form, request, share)
        else:
            answer = belief.answer
            if self._gives_alternative(form, request, temperature, share, rng):
                answer = belief.alternatives[int(rng.integers(len(belief.alternatives)))]
            reply = self._answer_reply(form, request, item, belief, answer)
            is_json = form == "simple_qa"
            cut_off_text = '{"answer": "' if is_json else _answer_prefix(item, request)
        return spoil_at_rate(reply, self.error_rate, cut_off_text, rng)

    def _confidence_reply(
        self, form: str, request: Mapping[str, Any], belief: Belief, rng: np.random.Generator
    ) -> Utterance:
        """Reply with the confidence on the request's scale, noisy if asked before the answer."""
        noise = self.before_noise * rng.normal() if form == "confidence_before" else 0.0
        share = float(reported_share(belief.evidence + noise, self.bias))
        number = self._reported_number(share, float(request["low"]), float(request["high"]))
        return Utterance(f"Confidence: {number}")

    def _answer_reply(
        self, form: str, request: Mapping[str, Any], item: Question, belief: Belief, answer: str
    ) -> Utterance:
        """Reply with an answer by its letter or text; the form of the request decides what else.

        In the form `simple_qa` the confidence, `belief.share`, is added. In the form `abstain` a
        respondent that follows its confidence (`heeds`) declines unless that is above the request's
        `target`. The reply to an eval's own prompt (the form "") has the probabilities of all
        answers.
        """
        labels = _answer_labels(item, str(request["conversation"]))
        prefix = _answer_prefix(item, request)
        if form == "":
            return _token_reply(_label_probabilities(belief, labels), labels[answer], prefix)
        if form == "abstain" and self.heeds and belief.share <= float(request["target"]):
            if request["kind"] == "option":  # the last choice declines
                return Utterance(prefix + ascii_uppercase[len(request["choices"]) - 1])
            return Utterance(f"{prefix}I don't know")
        if form == "simple_qa":
            score = int(self._reported_number(belief.share, 0, 100))
            return Utterance(json.dumps({"answer": answer, "confidence_score": score}))
        return Utterance(prefix + labels[answer])

    def _reported_number(self, share: float, low: float, high: float) -> str:
        """Return a share as text on a scale; a scale of width 1 or less gets two decimals."""
        if high - low > 1:
            return str(reports(share, int(low), int(high), self.round_to))
        return f"{low + (high - low) * share:.2f}"

    def _gives_alternative(
        self,
        form: str,
        request: Mapping[str, Any],
        temperature: float,
        share: float,
        rng: np.random.Generator,
    ) -> bool:
        """Return whether the reply is an alternative to the respondent's own answer.

        After a pushback that is not neutral it is one with probability `caves`. In a further draw
        (numbered and not `main`, or any numbered draw of an eval's own prompt, the form "") it is
        one with probability 1 - `share`, where `share` is the confidence in the own answer, if the
        temperature is above 0. Otherwise it never is.
        """
        if form == "pushback":
            return request["pushback"] != "neutral" and rng.uniform() < self.caves
        is_further_draw = form == "" or not request.get("main", True)
        if not is_further_draw or "draw" not in request or temperature == 0:
            return False
        return bool(rng.uniform() >= share)

    def _decision_reply(self, form: str, request: Mapping[str, Any], share: float) -> Utterance:
        """Reply KEEP or WITHDRAW and, in the form `commitment`, BET or NO_BET, by the confidence.

        `share` is the confidence in the answer. A respondent that does not follow it (`heeds` is
        false) replies KEEP and BET.
        """
        threshold = float(request["target"]) if form == "decline" else KEEPS_ABOVE
        decision = "KEEP" if share > threshold or not self.heeds else "WITHDRAW"
        if form == "decline":
            return Utterance(decision)
        bet = "BET" if share > BETS_ABOVE or not self.heeds else "NO_BET"
        return Utterance(f"Decision: {decision}\nBet: {bet}")

    def belief(self, item: Question) -> Belief:
        """Return the belief about a question, which doesn't depend on the order of its choices."""
        rng = seeded(self.seed, "belief", item.id)
        right = bool(rng.uniform() < self.accuracy)
        # As in signal detection: right answers have more evidence, by the sensitivity meta-d'.
        evidence = float(draw_evidence(right, self.meta_d, rng.uniform()))
        answers = _answers_right_first(item)
        answer = answers.pop(0 if right else int(rng.integers(1, len(answers))))
        return Belief(answer, answers, evidence, float(reported_share(evidence, self.bias)))


def find_question(text: str) -> Question:
    """Return the last bundled question in a text.

    Raises:
        KeyError: The text has no bundled question.
    """
    items = [item for item in _questions().values() if item.question in text]
    if not items:
        raise KeyError(_text_end(text))
    return max(items, key=lambda item: text.rfind(item.question))


@functools.cache
def _questions() -> Mapping[str, Question]:
    """Return the bundled questions with choices, numbers and words as answers, by id."""
    return {**bundled_questions(), **by_id(bundled_part("facts"))}


def _answers_right_first(item: Question) -> list[str]:
    """Return the possible answers to a question, the right first; to a word problem, numbers."""
    if item.answers:
        return list(possible_answers(item.id))
    if not item.choices:
        return [f"{Decimal(item.target) + difference:f}" for difference in range(_N_NUMBERS)]
    right = item.choices[ascii_uppercase.index(item.target)]
    return [right, *(choice for choice in item.choices if choice != right)]


def _answer_labels(item: Question, text: str) -> Mapping[str, str]:
    """Return the label of each possible answer: its letter in the text, or the answer itself.

    Raises:
        KeyError: The text lacks a choice.
    """
    if not item.choices:
        return {answer: answer for answer in _answers_right_first(item)}
    letters = {choice: letter for letter, choice in _OPTION.findall(text)}  # lines as "B. Lyon"
    if not letters.keys() >= set(item.choices):
        raise KeyError(_text_end(text))
    return letters


def _answer_prefix(item: Question, request: Mapping[str, Any]) -> str:
    """Return the text before an answer, such as "Answer: ", that the request asks for."""
    if "kind" not in request:  # an eval's own prompt
        return "ANSWER: " if item.choices else ""
    return "Final Answer: " if request["kind"] == "number" else "Answer: "


def _label_probabilities(belief: Belief, labels: Mapping[str, str]) -> dict[str, float]:
    """Return the probability of each answer's label; the alternatives share the rest equally.

    `labels` has the label of each answer, such as its letter.
    """
    probabilities = {labels[belief.answer]: belief.share}
    for alternative in belief.alternatives:
        probabilities[labels[alternative]] = (1 - belief.share) / len(belief.alternatives)
    return probabilities


def _text_end(text: str) -> str:
    """Return the last whole words of a text in one line of at most 60 characters, for errors."""
    words = " ".join(text.split())
    return words if len(words) <= 60 else f"... {words[-56:].partition(' ')[2]}"


def _token_reply(shares: Mapping[str, float], answer: str, prefix: str = "") -> Utterance:
    """Return the reply `prefix` + `answer`, with `shares` as the answer token's probabilities."""
    logs = {token: logarithm(share) for token, share in shares.items()}
    last = TokenChoice(answer, logs[answer], logs)
    first = [TokenChoice(prefix, 0.0, {prefix: 0.0})] if prefix else []
    return Utterance(prefix + answer, tokens=[*first, last])


def _nearest_phrase(share: float) -> str:
    """Return the phrase whose surveyed median is nearest to the share, after its letter."""
    offered = phrases()
    nearest = min(offered, key=lambda phrase: abs(median_of(phrase) - share))
    return f"{ascii_uppercase[offered.index(nearest)]}. {nearest}"
