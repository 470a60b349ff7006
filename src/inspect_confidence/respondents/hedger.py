"""Simulated respondent whose hedges each stand for a known internal confidence."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.datasets.selection import by_id
from inspect_confidence.respondents.utterance import Utterance, parameter, seeded, spoil_at_rate

MARKERS: Mapping[str, float] = {
    "undoubtedly": 0.95,
    "probably": 0.8,
    "presumably": 0.65,
    "perhaps": 0.5,
    "conceivably": 0.3,
}
"""Internal confidence of each marker at stability 1; each marker is its own standard form."""

PLAIN, PLAIN_CONFIDENCE = "<no_hedge>", 0.9
"""Pseudo-marker of a reply without a marker, and its internal confidence."""

FORMS = ("plain", "plain", "two markers", "two sentences")
"""Forms of replies other than one sentence with one marker; entries are equally probable."""

LOWEST, HIGHEST = 0.02, 0.98
"""Bounds of the internal confidence."""

_SURROUNDING = '".'
_SHORT_ANSWER_WORDS = 3
"""Maximum number of words of a short answer."""

WRONG_ANSWERS = 3
"""Number of wrong answers to a question without choices, as for a question with four."""


def internal_confidence(marker: str, dataset: str, stability: float, seed: int) -> float:
    """Return the share of other answers that agree with an answer with this marker, in a data set.

    It is c + (1 - stability) u, where c is the marker's value in `MARKERS` (or a plain reply's),
    and u is uniform in [-0.5, 0.5], drawn once for each marker and data set. Values outside
    [0.02, 0.98] are reflected at the bound, so that they don't accumulate there.
    """
    u = seeded(seed, "shift", marker, dataset).uniform(-0.5, 0.5)
    c = PLAIN_CONFIDENCE if marker == PLAIN else MARKERS[marker]
    shifted = c + (1 - stability) * u
    if shifted < LOWEST:
        return float(2 * LOWEST - shifted)
    return float(2 * HIGHEST - shifted if shifted > HIGHEST else shifted)


@dataclass(frozen=True)
class Hedger:
    """Respondent that hedges with one of five markers, each with a known internal confidence.

    Each item has one marker and one main answer, the same in every epoch. The internal confidence
    is the probability that the main answer is right, and that another answer agrees with it,
    independently for each answer.

    Attributes:
        seed: Seed of markers, answers and shifts.
        stability: Stability of a marker's meaning over data sets, in [0, 1]: at 1 it is the same,
            at 0 it is shifted by up to 0.5; see `internal_confidence`.
        error_rate: Share of replies without an answer, in [0, 1].
        hedge: Whether replies have a marker; the internal confidence is the same without it.
        punt: Whether the respondent always declines.
        variety: Share of items whose replies have another form, in [0, 1]: half of them no marker,
            which stands for 0.9; a quarter the item's marker and another marker in one sentence; a
            quarter two sentences, both with the item's marker.
    """

    seed: int = 0
    stability: float = parameter(1.0, 0, 1)
    error_rate: float = parameter(0.0, 0, 1)
    hedge: bool = True
    punt: bool = False
    variety: float = parameter(0.0, 0, 1)

    def answer(self, form: str, request: Mapping[str, Any], temperature: float) -> Utterance | None:
        """Reply to a question in a sentence with a hedge; None to another form than `hedged`.

        `request` names the `item` and the number of the `draw`. With `main` the answer is the
        item's main one, else a further answer, which agrees with the main one with the item's
        confidence as probability. With the respondent's `punt` it always declines. The temperature
        has no effect.
        """
        if form != "hedged":
            return None
        item = _questions()[str(request["item"])]
        index = self._answer_index(item, request)
        reply = Utterance("I don't know." if self.punt else self._sentence(item, index, request))
        rng = seeded(self.seed, "spoilt", item.id, request["draw"])
        return spoil_at_rate(reply, self.error_rate, cut_off_text="It is", rng=rng)

    def form(self, item_id: str) -> str:
        """Return the form of an item's replies, one of `FORMS`, or an empty text."""
        rng = seeded(self.seed, "form", item_id)
        return FORMS[rng.integers(len(FORMS))] if rng.uniform() < self.variety else ""

    def marker(self, item_id: str) -> str:
        """Return an item's marker, each equally probable; `PLAIN` if its replies have none."""
        if self.form(item_id) == "plain":
            return PLAIN
        return list(MARKERS)[seeded(self.seed, "marker", item_id).integers(len(MARKERS))]

    def confidence(self, item_id: str) -> float:
        """Return the internal confidence of a bundled item's marker in its data set."""
        dataset = _questions()[item_id].dataset
        return internal_confidence(self.marker(item_id), dataset, self.stability, self.seed)

    def _answer_index(self, item: Question, request: Mapping[str, Any]) -> int:
        """Return the index of the reply's answer among the possible ones; the right one's is 0.

        The main answer is right, and a further draw repeats it, each with the item's confidence as
        probability.
        """
        confidence, count = self.confidence(item.id), len(possible_answers(item.id))
        rng = seeded(self.seed, "main", item.id)
        main = 0 if rng.uniform() < confidence else int(rng.integers(1, count))
        if request.get("main", False):
            return main
        rng = seeded(self.seed, "draw", item.id, int(request["draw"]))
        return main if rng.uniform() < confidence else (main + int(rng.integers(1, count))) % count

    def _sentence(self, item: Question, index: int, request: Mapping[str, Any]) -> str:
        """Return a reply with the item's marker and the possible answer with this index.

        The item's form may have two markers, or two sentences. Without `hedge`, and for an item
        whose marker is `PLAIN`, the reply has no marker. A choice is named by its letter, or quoted
        if the request lists no choices.
        """
        answer = possible_answers(item.id)[index]
        choices: Sequence[str] = request.get("choices") or ()
        if answer in choices:
            answer = f"({ascii_uppercase[choices.index(answer)]})"
        elif item.choices:  # choices may be sentences, and contain markers
            answer = f'"{answer.strip(_SURROUNDING)}"'
        marker, form = self.marker(item.id), self.form(item.id)
        if not self.hedge or marker == PLAIN:
            return f"It is {answer}."
        if form == "two markers":
            markers = list(MARKERS)
            adjacent = markers[abs(markers.index(marker) - 1)]  # of the first marker, the second
            return f"It is {marker}, {adjacent}, {answer}."
        sentence = f"It is {marker} {answer}."
        return f"{sentence} That is {marker} {answer}." if form == "two sentences" else sentence


@functools.cache
def possible_answers(item_id: str) -> tuple[str, ...]:
    """Return the possible answers to a bundled item, the right answer first.

    These are the choices. Without choices, the wrong answers are short answers to three other items
    of the same data set, the same in every run: numbers if the right answer is a number, and no two
    with a word in common.
    """
    item = _questions()[item_id]
    right = _short_answer(item)
    if item.choices:
        return (right, *(text for text in item.choices if text != right))
    same_set = [question for question in _questions().values() if question.dataset == item.dataset]
    used_words = _words(" ".join(item.answers))
    chosen = [right]
    for index in seeded(0, "others", item_id).permutation(len(same_set)):
        answer = _short_answer(same_set[index])
        is_similar = (
            answer.isdigit() == right.isdigit() and len(answer.split()) <= _SHORT_ANSWER_WORDS
        )
        if is_similar and not _words(answer) & used_words:
            chosen.append(answer)
            used_words |= _words(answer)
    return tuple(chosen[: 1 + WRONG_ANSWERS])


def _short_answer(item: Question) -> str:
    """Return the right choice, or the first short accepted answer, or else the first answer."""
    shorter = [text for text in item.answers if len(text.split()) <= _SHORT_ANSWER_WORDS]
    return shorter[0] if shorter and not item.choices else item.answers[0]


def _words(text: str) -> set[str]:
    """Return the distinct words of a text, in lower case."""
    return set(re.findall(r"\w+", text.casefold()))


@functools.cache
def _questions() -> Mapping[str, Question]:
    """Return the bundled questions by id; the order of their choices isn't used."""
    return by_id(load_marker_questions("bundled", split="all").items)
