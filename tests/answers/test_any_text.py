"""Any text at all has an outcome in every reader, and soon, however long it is."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.cases import CITIES, FIVE, pieces
from growth import slow_texts
from inspect_confidence.answers import (
    REPLY_STATUSES,
    JsonReply,
    StatedAmount,
    StatedChoice,
    StatedConfidence,
    StatedExponent,
    StatedInterval,
    StatedProbability,
    Unreadable,
    WordChoice,
    age_in,
    first_letter,
    letter_in,
    probabilities_in,
    probability_in,
    read_amount,
    read_choice,
    read_confidence,
    read_exponent,
    read_interval,
    read_json,
    read_probability,
    read_word_choice,
    verdict_in,
)
from inspect_confidence.answers.agreement import agreement, verdict
from inspect_confidence.answers.exponents import WIDEST_EXPONENT
from inspect_confidence.answers.judged import read_agreement, read_decisiveness, read_markers
from inspect_confidence.answers.markers import find_markers, standard_marker
from inspect_confidence.answers.sentences import ends_whole, split_sentences

KINDS = ("exponents", "probability", "stated", "word_choice")
ANY_REPLY = st.one_of(
    st.text(),
    st.text(alphabet=string.printable, max_size=80),
    st.text(alphabet="LloweruUprExpnt:0123456789+-.,eE^*()[]{}$ \n\t−–×⁻³", max_size=80),  # noqa: RUF001 # as models write
    *(
        st.lists(st.sampled_from(pieces(kind, "pieces")), max_size=24).map(glue.join)
        for kind in KINDS
        for glue in ("", " ")
    ),
)


@settings(max_examples=1500, deadline=None)
@given(ANY_REPLY, st.lists(ANY_REPLY, max_size=5), st.booleans(), st.booleans())
def test_any_text_has_an_outcome(
    reply: str, choices: list[str], truncated: bool, thought: bool
) -> None:
    """Whatever the texts, there is an answer within its bounds or a failure by name."""
    answers: list[object] = [
        read_exponent(reply, truncated=truncated),
        read_interval(reply, truncated=truncated),
        read_probability(reply, truncated=truncated),
        read_amount(reply, truncated=truncated),
        read_confidence(reply, 7, 79, truncated=truncated),
    ]
    for shown in (choices, FIVE):
        letter = first_letter(reply, shown, chain_of_thought=thought)
        answers += [
            read_choice(reply, shown, truncated=truncated),
            read_word_choice(reply, shown, chain_of_thought=thought, truncated=truncated),
            None if letter is None else StatedChoice(letter),
        ]
        assert all(is_sound(answer, len(shown)) for answer in answers), answers


def is_sound(answer: object, count: int) -> bool:
    """Whether a reading of one of so many choices, or of a number, can be one."""
    match answer:
        case Unreadable():
            return answer.status in REPLY_STATUSES
        case StatedExponent():
            return abs(answer.value) <= WIDEST_EXPONENT
        case StatedInterval():
            return -WIDEST_EXPONENT <= answer.lower <= answer.upper <= WIDEST_EXPONENT
        case StatedProbability():
            return 0 <= answer.value <= 1
        case StatedChoice() | WordChoice():
            return 0 <= answer.index < count
    return answer is None or isinstance(answer, StatedAmount | StatedConfidence)


def of_value(value: str) -> None:
    """All readers of a value in JSON."""
    reply = JsonReply({"answer": value, "confidence": value, "a": value})
    letter_in(reply, CITIES), age_in(reply), verdict_in(reply)
    probability_in(reply), probabilities_in(reply, 1)


def of_object(reply: str) -> None:
    """The reader of JSON, whether or not the reply is whole."""
    for truncated in (False, True):
        found = read_json(reply, truncated=truncated)
        if isinstance(found, JsonReply):
            probability_in(found), probabilities_in(found, 4)


def of_judge(reply: str) -> None:
    """The readers of a judge's reply."""
    read_markers(reply, "It may be."), read_decisiveness(reply), read_agreement(reply)


Readers = Sequence[Callable[[str], object]]
LABELLED_CHOICES = ["London", "Paris", "The Hague", "Confidence: high"]
READERS: dict[str, Readers] = {
    "exponents": (read_exponent, read_interval),
    "probability": (lambda reply: read_probability(reply, truncated=True),),
    "stated": (
        lambda reply: read_choice(reply, LABELLED_CHOICES),
        read_amount,
        lambda reply: read_confidence(reply, 0, 100),
    ),
    "word_choice": (
        lambda reply: read_word_choice(reply, FIVE, truncated=True),
        lambda reply: read_word_choice(reply, FIVE, chain_of_thought=True),
        lambda reply: first_letter(reply, FIVE),
    ),
    "json": (of_object, of_judge),
    "value": (of_value,),
    "sentences": (split_sentences, ends_whole, find_markers, standard_marker),
    "agreement": (
        lambda reply: agreement("What is the capital of Australia?", "Canberra.", reply),
        lambda reply: verdict(["Canberra"], reply),
    ),
}


@pytest.mark.parametrize("kind", READERS)
def test_time_grows_as_the_text_does(kind: str) -> None:
    """Whatever is repeated in it, after whatever beginning."""
    parts, starts = pieces(kind, "repeated"), pieces(kind, "starts") or [""]
    for number, read in enumerate(READERS[kind]):
        assert slow_texts(read, parts, starts, pieces(kind, "ends") or ["?"]) == [], number


def test_blanks_and_many_bounds_are_read_in_linear_time() -> None:
    """Blank space without end within a reply, and two labels with numbers that differ."""
    assert slow_texts(read_interval, ["\n", " "], ["", "[3", "Lower: 10^3"]) == []
    numbers = [f"{label}: {n} " for label in ("Lower", "Upper") for n in range(7)]
    assert slow_texts(read_interval, ["".join(numbers), "".join(numbers[:7])]) == []


def test_remarks_after_a_number_are_read_in_linear_time() -> None:
    """However many dashes part them, and whether or not a number follows."""
    for read in (read_exponent, read_interval):
        starts = ["Exponent: 5", "Exponent: 10^5", "Lower: 3", "Lower: 3, Upper: 10^7 people"]
        assert slow_texts(read, [" - a", " - is", " - a: 5"], starts, [" 6", "?", "\n"]) == []
