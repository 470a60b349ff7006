"""A million replies that nobody wrote, and some of a megabyte, each have an outcome, and soon."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from time import process_time
from typing import Any
from zlib import crc32

import pytest

from answers.cases import CITIES, FIVE, pieces
from answers.fuzz import LONG_LINES, MONSTERS, fuzz_of
from answers.test_any_text import is_sound
from figures import Record
from growth import doubles
from inspect_confidence import answers as readers
from inspect_confidence.answers.judged import (
    Markers,
    read_agreement,
    read_agreements,
    read_decisiveness,
    read_markers,
    read_verdict,
)
from inspect_confidence.answers.objects import OLDEST
from inspect_confidence.answers.sentences import split_sentences
from inspect_confidence.judges.markers import find_markers

REPLIES = 1_000_000
"""Fuzzed replies of all forms together."""
SLOWEST = 10.0
"""Seconds of the processor for a reply of a few thousand characters."""
SLOWEST_LONG = 300.0
"""The same for a million."""

SCALES = ((0, 100), (0, 20), (0, 5), (1, 10), (60, 100), (7, 93), (-5, 5))
ODD = ["", "A", "Confidence: high", "is likely to be", "٣", "a|b", "(", "The Hague\n"]
"""Choices that nobody would show."""


@dataclass(frozen=True)
class FuzzQuestion:
    """What a reader knows of the question.

    Attributes:
        options: The choices.
        scale: Its bounds.
        sentence: What a judge was shown.
        cut: Whether the reply is said to be cut off.
    """

    options: Sequence[str] = tuple(CITIES)
    scale: tuple[int, int] = (0, 100)
    sentence: str = "I'm not sure, but it's probably Paris."
    cut: bool = False


def question_of(context: Mapping[str, Any], chance: random.Random) -> FuzzQuestion:
    """What was asked, and now and then something else."""
    options = (
        context.get("options") or context.get("choices") or chance.choice((CITIES, FIVE, ["A"]))
    )
    scale = (context["low"], context["high"]) if "low" in context else chance.choice(SCALES)
    return FuzzQuestion(
        options if chance.random() < 0.9 else chance.sample(ODD, chance.randrange(1, 6)),
        scale if chance.random() < 0.9 else chance.choice(SCALES),
        context.get("sentence", FuzzQuestion.sentence),
        chance.random() < 0.3,
    )


def read_every_value_of_object(reply: str, question: FuzzQuestion) -> Iterator[object]:
    """Everything that is read of an object; an age as a share of the greatest."""
    parsed = readers.read_json(reply, truncated=question.cut)
    if isinstance(parsed, readers.ParseFailure):
        yield parsed
        return
    letter, age = readers.letter_in(parsed, question.options), readers.age_in(parsed)
    yield readers.StatedChoice(letter) if isinstance(letter, int) else letter
    yield age / OLDEST if isinstance(age, float) else age
    yield readers.verdict_in(parsed)
    yield readers.probability_in(parsed)
    yield readers.probabilities_in(parsed, len(question.options), question.options)


def judge_reader(read: Callable[[str], object]) -> Callable[[str, FuzzQuestion], list[object]]:
    """A judge isn't told of a cut."""
    return lambda reply, _: [read(reply)]


def first_letter(reply: str, question: FuzzQuestion) -> list[object]:
    """By both rules."""
    indices = [
        readers.first_letter(reply, question.options, chain_of_thought=cot) for cot in (False, True)
    ]
    return [None if index is None else readers.WordChoice(index) for index in indices]


def word_choice(cot: bool) -> Callable[[str, FuzzQuestion], list[object]]:
    """With or without reasoning before it."""
    return lambda reply, question: [
        readers.read_word_choice(
            reply, question.options, chain_of_thought=cot, truncated=question.cut
        )
    ]


Form = Callable[[str, FuzzQuestion], Iterable[object]]
FORMS: dict[str, tuple[Form, Sequence[str]]] = {
    "choice": (
        lambda reply, question: [
            readers.read_choice(reply, question.options, truncated=question.cut)
        ],
        ("scale", "choice"),
    ),
    "confidence": (
        lambda reply, question: [
            readers.read_confidence(reply, *question.scale, truncated=question.cut)
        ],
        ("scale", "scale_math", "confidence"),
    ),
    "amount": (
        lambda reply, question: [readers.read_amount(reply, truncated=question.cut)],
        ("scale_math", "amount"),
    ),
    "exponent": (
        lambda reply, question: [readers.read_exponent(reply, truncated=question.cut)],
        ("exponent", "integer"),
    ),
    "interval": (
        lambda reply, question: [readers.read_interval(reply, truncated=question.cut)],
        ("interval",),
    ),
    "probability": (
        lambda reply, question: [readers.read_probability(reply, truncated=question.cut)],
        ("probability",),
    ),
    "word choice": (word_choice(False), ("word", "word_choice")),
    "reasoned word choice": (word_choice(True), ("word", "word_choice")),
    "first letter": (first_letter, ("word", "word_choice", "first_letter")),
    "object": (read_every_value_of_object, ("life", "options", "true_false", "given", "json")),
    "a judge's markers": (
        lambda reply, question: [read_markers(reply, question.sentence)],
        ("judge_markers", "judge_sentence", "judged_markers"),
    ),
    "a judge's decisiveness": (
        judge_reader(read_decisiveness),
        ("judge_decisiveness", "judge_sentence", "judged_decisiveness"),
    ),
    "a judge's agreement": (judge_reader(read_agreement), ("judge_agreement", "judged_agreement")),
    "a judge's agreements": (
        lambda reply, _: read_agreements(reply, 3),
        ("judge_agreement", "judge_sentence"),
    ),
    "a judge's verdict": (judge_reader(read_verdict), ("judge_verdict", "judged_verdict")),
    "sentences": (judge_reader(split_sentences), ("sentences", "markers")),
    "markers": (judge_reader(find_markers), ("sentences", "markers")),
}
"""A form -> all that is read of a reply to it, and what the corpora call such replies."""


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_fuzzed_replies_have_an_outcome(form: str, record_property: Record) -> None:
    """None raises anything, whether or not it was cut off, and each outcome is one there can be."""
    chance = random.Random(crc32(form.encode()))
    fuzz = fuzz_of(FORMS[form][1], chance)
    counts: Counter[str] = Counter()
    slowest, replies = 0.0, -(-REPLIES // len(FORMS))
    for _ in range(replies):
        reply, row = fuzz.row()
        question = question_of(row, chance)
        begun = process_time()
        counts.update(outcomes(form, reply, question))
        slowest = max(slowest, process_time() - begun)
    of_all = ", ".join(f"{name} {n:,}" for name, n in counts.most_common())
    record_property("figure", f"{replies:,} fuzzed replies read as {form}: {of_all}")
    assert slowest < SLOWEST
    assert len(counts) > 1, "not all can come to the same"


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_deep_and_endless_replies_have_an_outcome(form: str, record_property: Record) -> None:
    """Nested ten thousand deep, never closed, or a megabyte in a line."""
    monsters = list((MONSTERS | LONG_LINES).items())
    took = {}
    # Each is read in every third form: reading is one pipeline up to what a form makes of it.
    for name, reply in monsters[list(FORMS).index(form) % 3 :: 3]:
        begun = process_time()
        outcomes(form, reply, FuzzQuestion(cut=len(reply) % 2 == 0))
        took[name] = process_time() - begun
    slowest = max(took, key=lambda name: took[name])
    record_property("figure", f"{len(took)} monsters read as {form}: slowest {slowest}")
    assert took[slowest] < SLOWEST_LONG, slowest


def outcomes(form: str, reply: str, question: FuzzQuestion) -> list[str]:
    """What became of a reply, by status; fails if it can't be."""
    try:
        values = list(FORMS[form][0](reply, question))
    except BaseException as error:  # what panics in an extension is no Exception
        error.add_note(f"{form}, {question}: {reply[:5_000]!r}")
        raise
    for value in values:
        assert is_possible(value, form, reply, question), (form, question, reply[:5_000], value)
    return list(map(outcome, values))


def outcome(value: object) -> str:
    """The status; of a list, whether there is anything in it."""
    if isinstance(value, readers.ParseFailure):
        return value.status
    return "ok" if value is not None and value != [] else "none"


def is_possible(value: object, form: str, reply: str, question: FuzzQuestion) -> bool:  # noqa: PLR0911 # a type each
    """Whether a reader can have read it: a value in its bounds, or a failure of its own."""
    match value:
        case readers.ParseFailure(status=status):
            if "judge" in form:
                return status == "grader_failed" and bool(value.reason)
            of_cut = status != "truncated" or question.cut
            return status in readers.REPLY_STATUSES and of_cut and bool(value.reason)
        case readers.StatedConfidence(raw=raw):
            return value == readers.confidence_of(raw, *question.scale)
        case readers.OptionProbabilities(values=values):
            is_whole = len(values) == len(question.options) and abs(sum(values) - 1) < 1e-9
            return is_whole and min(values) >= 0
        case Markers():
            return len(set(value)) == len(value) and all(
                part in question.sentence.lower() for part in value
            )
        case bool():
            return True
        case float():
            return 0 <= value <= 1
        case str():
            return value in ("yes", "no", "n/a", "correct", "incorrect", "punt")
        case list() if form == "sentences":
            return all(part and part in reply for part in value)
        case list():
            ends = [-1, *chain.from_iterable((part.start, part.end) for part in value)]
            return ends == sorted(ends) and ends[-1] <= len(reply)
    return is_sound(value, len(question.options))


KINDS = {
    **dict.fromkeys(("choice", "confidence", "amount"), "stated"),
    **dict.fromkeys(("exponent", "interval"), "exponents"),
    **dict.fromkeys(("word choice", "reasoned word choice", "first letter"), "word_choice"),
    **dict.fromkeys(("sentences", "markers"), "sentences"),
    "probability": "probability",
}
"""Where pieces.json has what a form stumbles over; the others are of JSON."""
SLOW_PIECES = ("{", "{ ", " ", "\n", "½", "Answer: B ", "10^", "- a", "<think>", "**", '"a": 1, ')


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS)
def test_time_at_most_doubles_if_the_length_doubles(form: str) -> None:
    """From 100,000 to 200,000 characters, of whatever piece and after whatever beginning."""
    kind = KINDS.get(form, "json")
    starts, ends = pieces(kind, "starts") or [""], pieces(kind, "ends") or ["?"]
    repeated_pieces = pieces(kind, "repeated")
    slow = []
    for number, piece in enumerate([*SLOW_PIECES, *repeated_pieces[:: len(repeated_pieces) // 5]]):
        start, end = starts[number % len(starts)], ends[number % len(ends)]

        def text(length: int, parts: tuple[str, str, str] = (start, piece, end)) -> str:
            return parts[0] + parts[1] * (length // len(parts[1])) + parts[2]

        if not doubles(lambda reply: list(FORMS[form][0](reply, FuzzQuestion())), text, 100_000):
            slow.append((start, piece, end))
    assert slow == []
