"""A simulated respondent whose every hedge stands for a known internal confidence."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from inspect_confidence.datasets.hedge_markers import load_marker_questions
from inspect_confidence.datasets.questions import Question
from inspect_confidence.respondents.utterance import Utterance, perhaps_spoilt, seeded, within

MARKERS: Mapping[str, float] = {
    "undoubtedly": 0.95,
    "probably": 0.8,
    "presumably": 0.65,
    "perhaps": 0.5,
    "conceivably": 0.3,
}
"""What each marker stands for, where the map is stable; each is its own standard form."""

PLAIN, PLAIN_CONFIDENCE = "<no_hedge>", 0.9
"""The marker of a reply without one, and what it stands for, where it is one of several forms."""

FORMS = ("plain", "plain", "two markers", "two sentences")
"""Of replies that aren't one sentence with one marker, each as often as it stands here."""

LEAST, MOST = 0.02, 0.98
"""Between them every internal confidence lies."""

_SURROUNDING = '".'
_SHORT = 3
"""Words of a short answer."""

OTHERS = 3
"""How many wrong answers there are to a question without choices: as to one with four."""


def internal_confidence(marker: str, dataset: str, stability: float, seed: int) -> float:
    """The share of other answers that agree with one that has the marker, in a data set.

    It is c + (1 - stability) u with c of `MARKERS`, or of a plain reply, and u uniform in
    [-0.5, 0.5], drawn once for each marker in each data set. What lies outside [0.02, 0.98] is
    reflected at the bound that it passed, lest markers pile up there.
    """
    u = seeded(seed, "shift", marker, dataset).uniform(-0.5, 0.5)
    c = PLAIN_CONFIDENCE if marker == PLAIN else MARKERS[marker]
    shifted = c + (1 - stability) * u
    if shifted < LEAST:
        return float(2 * LEAST - shifted)
    return float(2 * MOST - shifted if shifted > MOST else shifted)


@dataclass(frozen=True)
class Hedger:
    """Answers with one of five hedges, and agrees with itself as often as the hedge stands for.

    Each item has a marker of its own and a main answer, the same in every epoch, that is right as
    often as other answers agree with it. They do so each by itself.

    Attributes:
        seed: Of markers, answers and shifts.
        stability: Whether a marker stands for the same in each data set, in [0, 1]: 1 the same, 0
            shifted by up to 0.5; see `internal_confidence`.
        error_rate: Share of replies that hold no answer, in [0, 1].
        hedge: False for replies without a marker; they agree as often as with it.
        punt: True for a respondent that always declines.
        variety: Share of items whose replies take another form, in [0, 1]: half of them no marker,
            which stands for 0.9, a quarter the item's marker and another one in one sentence, a
            quarter two sentences, both with the item's marker.
    """

    seed: int = 0
    stability: float = within(1.0, 0, 1)
    error_rate: float = within(0.0, 0, 1)
    hedge: bool = True
    punt: bool = False
    variety: float = within(0.0, 0, 1)

    def answer(self, form: str, asked: Mapping[str, Any], temperature: float) -> Utterance | None:
        """The main answer where `main` says so, else another; the temperature changes nothing."""
        if form != "hedged":
            return None
        item = _questions()[str(asked["item"])]
        place = self._main(item)
        if not asked.get("main", False):
            place = self._other(item, place, int(asked["draw"]))
        said = Utterance("I don't know." if self.punt else self._sentence(item, place, asked))
        spoilt = seeded(self.seed, "spoilt", item.id, asked["draw"])
        return perhaps_spoilt(said, self.error_rate, "It is", spoilt)

    def form(self, name: str) -> str:
        """One of `FORMS`; empty for one sentence with one marker."""
        rng = seeded(self.seed, "form", name)
        return FORMS[rng.integers(len(FORMS))] if rng.uniform() < self.variety else ""

    def marker(self, name: str) -> str:
        """The marker of an item, each as probable as any other, or what stands for none."""
        if self.form(name) == "plain":
            return PLAIN
        return list(MARKERS)[seeded(self.seed, "marker", name).integers(len(MARKERS))]

    def confidence(self, name: str) -> float:
        """The internal confidence of a bundled item: that of its first marker in its data set."""
        dataset = _questions()[name].dataset
        return internal_confidence(self.marker(name), dataset, self.stability, self.seed)

    def _main(self, item: Question) -> int:
        """The main answer's place among the possible ones; the right one's is 0."""
        rng = seeded(self.seed, "main", item.id)
        if rng.uniform() < self.confidence(item.id):
            return 0
        return int(rng.integers(1, len(possible_answers(item.id))))

    def _other(self, item: Question, main: int, draw: int) -> int:
        """The place of a draw's answer."""
        rng = seeded(self.seed, "draw", item.id, draw)
        if rng.uniform() < self.confidence(item.id):
            return main
        count = len(possible_answers(item.id))
        return (main + int(rng.integers(1, count))) % count

    def _sentence(self, item: Question, place: int, asked: Mapping[str, Any]) -> str:
        """One answer in the item's hedge: the choice's letter where letters are known."""
        named = possible_answers(item.id)[place]
        shown: Sequence[str] = asked.get("choices") or ()
        if named in shown:
            named = f"({ascii_uppercase[shown.index(named)]})"
        elif item.choices:  # choices may be sentences, and with markers of their own
            named = f'"{named.strip(_SURROUNDING)}"'
        marker, form = self.marker(item.id), self.form(item.id)
        if not self.hedge or marker == PLAIN:
            return f"It is {named}."
        if form == "two markers":
            every = list(MARKERS)
            return f"It is {marker}, {every[abs(every.index(marker) - 1)]}, {named}."
        return f"It is {marker} {named}." + (f" That is {marker} {named}." if form else "")


@functools.cache
def possible_answers(name: str) -> tuple[str, ...]:
    """What may be answered to a bundled item, the right answer first.

    These are the choices. Where there are none, the others are short answers to three other items
    of the same data set, numbers to a number and names to a name, of which no two have a word in
    common.
    """
    item = _questions()[name]
    right = _short(item)
    if item.choices:
        return (right, *(text for text in item.choices if text != right))
    same_set = [one for one in _questions().values() if one.dataset == item.dataset]
    taken = _words(" ".join(item.answers))
    chosen = [right]
    for place in seeded(0, "others", name).permutation(len(same_set)):
        other = _short(same_set[place])
        is_alike = other.isdigit() == right.isdigit() and len(other.split()) <= _SHORT
        if is_alike and not _words(other) & taken:
            chosen.append(other)
            taken |= _words(other)
    return tuple(chosen[: 1 + OTHERS])


def _short(item: Question) -> str:
    """The right choice, or the first accepted answer that is short; the first if none is."""
    shorter = [text for text in item.answers if len(text.split()) <= _SHORT]
    return item.answers[0] if item.choices else [*shorter, item.answers[0]][0]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


@functools.cache
def _questions() -> Mapping[str, Question]:
    """The bundled questions by id. Their choices' order, which may be another run's, isn't used."""
    return {item.id: item for item in load_marker_questions("bundled", split="all").items}
