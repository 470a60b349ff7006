"""Every spelling in the corpora is read as its line says, or refused.

`corpus/<form>.jsonl` has a line for each reply: the reply, the reader's arguments, and what it
`gives`: a value, or `status` and `reason` of a failure. `gives_one_of` lists what would be right
where a spelling is easily misread: no other number may come of it. `why` says what is odd about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from answers.cases import (
    CITIES,
    FIVE,
    FOLDER,
    Place,
    cases,
    integer_masses,
    option_masses,
    token_choice,
)
from inspect_confidence import answers as readers
from inspect_confidence.answers.clean import folded, is_refusal
from inspect_confidence.answers.judged import (
    read_agreement,
    read_decisiveness,
    read_markers,
    read_verdict,
)
from inspect_confidence.answers.sentences import ends_whole, split_sentences
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.markers import find_markers, sentence_decisiveness

JSON_CITIES = ["Rome", "Paris", "Oslo", "None of the above"]
JUDGED = "I'm not sure, but it's probably Paris."
Value = str | float | bool | None


def interval(reply: str, **arguments: float) -> object:
    """Both bounds, and whether they were given in reverse."""
    answer = readers.read_interval(reply, **arguments)  # type: ignore[arg-type]
    if not isinstance(answer, readers.StatedInterval):
        return answer
    return [answer.lower, answer.upper, *(["reversed"] if answer.reversed else [])]


def confidence(reply: str, low: int = 0, high: int = 100, *, truncated: bool = False) -> object:
    """The number on the scale, which is all that the answer is made of."""
    answer = readers.read_confidence(reply, low, high, truncated=truncated)
    if isinstance(answer, readers.StatedConfidence):
        assert answer == readers.confidence_of(answer.raw, low, high), reply
        return answer.raw
    return answer


def json(reply: str, *, truncated: bool = False) -> object:
    """The letter and the confidence of an object."""
    found = readers.read_json(reply, truncated=truncated)
    if isinstance(found, readers.ParseFailure):
        return {"letter": found, "probability": found}
    return {
        "letter": readers.letter_in(found, JSON_CITIES),
        "probability": readers.probability_in(found),
    }


def json_probability(value: Value) -> object:
    """The same whatever its key."""
    found = readers.probability_in(readers.JsonReply({"confidence": value}))
    other = readers.probability_in(readers.JsonReply({"p": value}), "P")
    assert found == other, value
    return found


def json_options(fields: dict[str, Value]) -> object:
    """The probabilities of two options."""
    found = readers.probabilities_in(readers.JsonReply(fields), 2)
    if isinstance(found, readers.ParseFailure):
        return found
    return {"values": list(found.values), "raw_sum": found.raw_sum}


def markers(reply: str) -> object:
    """A sentence without any is certain."""
    found = [marker.standard for marker in find_markers(reply)]
    assert found or sentence_decisiveness(reply) == 1.0, reply
    return found


def integer_tokens(tokens: Sequence[Place]) -> object:
    """The answer, each integer's mass, and the number of tokens."""
    found = readers.read_integer_distribution([token_choice(place) for place in tokens])
    if isinstance(found, readers.ParseFailure):
        return found
    assert list(found.probabilities) == sorted(found.probabilities), tokens
    masses = {str(value): mass for value, mass in integer_masses(found).items()}
    return {"value": found.value, "masses": masses, "tokens": found.tokens}


def answer_token(
    tokens: Sequence[Place], options: Sequence[str] = "ABCD", answer: int = 1
) -> object:
    """Each option's mass: summed over the ways to write it, the rest is unseen."""
    found = readers.read_answer_token([token_choice(place) for place in tokens], options, answer)
    return found if isinstance(found, readers.ParseFailure) else option_masses(found)


def of(reader: Callable[..., object], attribute: str) -> Callable[..., object]:
    """A reader that gives what an answer has under a name."""

    def read(*arguments: object, **named: object) -> object:
        answer = reader(*arguments, **named)
        return answer if isinstance(answer, readers.ParseFailure) else getattr(answer, attribute)

    return read


READERS: dict[str, Callable[..., object]] = {
    "exponent": of(readers.read_exponent, "value"),
    "interval": interval,
    "probability": of(readers.read_probability, "value"),
    "amount": of(readers.read_amount, "value"),
    "choice": lambda reply, choices=CITIES, **cut: of(readers.read_choice, "index")(
        reply, choices, **cut
    ),
    "confidence": confidence,
    "word_choice": lambda reply, **how: of(readers.read_word_choice, "index")(reply, FIVE, **how),
    "first_letter": lambda reply, **how: readers.first_letter(reply, FIVE, **how),
    "json": json,
    "json_age": lambda value: readers.age_in(readers.JsonReply({"answer": value})),
    "json_probability": json_probability,
    "json_letter": lambda value, choices=JSON_CITIES: readers.letter_in(
        readers.JsonReply({"answer": value}), choices
    ),
    "json_verdict": lambda value: readers.verdict_in(readers.JsonReply({"answer": value})),
    "json_options": json_options,
    "folded": folded,
    "refusal": is_refusal,
    "sentences": split_sentences,
    "whole_end": ends_whole,
    "markers": markers,
    "agreement": agreement,
    "verdict": verdict,
    "judged_markers": lambda reply, sentence=JUDGED, **how: read_markers(reply, sentence, **how),
    "judged_decisiveness": read_decisiveness,
    "judged_agreement": read_agreement,
    "judged_verdict": read_verdict,
    "integer_tokens": integer_tokens,
    "answer_token": answer_token,
}
ROUNDED = ("interval", "integer_tokens", "answer_token")
"""Forms whose numbers are computed: logarithms, sums of products."""


@pytest.mark.parametrize("form", READERS)
def test_corpus(form: str) -> None:
    """All that is read otherwise than its line says, at once."""
    read, wrong = READERS[form], []
    tolerance = 1e-9 if form in ROUNDED else 0
    for case in cases(form):
        expected = case.pop("gives_one_of", None) or [case.pop("gives")]
        case.pop("why", None)
        found = read(**case)
        if not any(agrees(found, one, tolerance) for one in expected):
            wrong.append((case, found, expected))
    assert wrong == []


def agrees(found: object, expected: object, tolerance: float) -> bool:
    """Whether a reading, or every part of it, is of the expected type and value."""
    if isinstance(expected, dict) and expected.keys() <= {"status", "reason"}:
        return (
            isinstance(found, readers.ParseFailure)
            and bool(found.reason)
            and all(getattr(found, name) == value for name, value in expected.items())
        )
    if isinstance(found, Fraction):
        return found == Fraction(str(expected))
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() >= expected.keys() and all(
            agrees(found[key], value, tolerance) for key, value in expected.items()
        )
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(
            agrees(one, other, tolerance) for one, other in zip(found, expected, strict=True)
        )
    if tolerance and isinstance(found, float) and isinstance(expected, int | float):
        return abs(found - expected) <= tolerance
    return type(found) is type(expected) and found == expected


def test_every_corpus_is_read() -> None:
    """No file without a reader, and none without lines enough to say something."""
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == READERS.keys()
    assert all(len(cases(form)) >= 9 for form in READERS)
