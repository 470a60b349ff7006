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
from build import attributes_of
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
    parsed = readers.read_json(reply, truncated=truncated)
    if isinstance(parsed, readers.ParseFailure):
        return {"letter": parsed, "probability": parsed}
    return {
        "letter": readers.letter_in(parsed, JSON_CITIES),
        "probability": readers.probability_in(parsed),
    }


def json_probability(value: Value) -> object:
    """The same whatever its key."""
    probability = readers.probability_in(readers.JsonReply({"confidence": value}))
    under_p = readers.probability_in(readers.JsonReply({"p": value}), "P")
    assert probability == under_p, value
    return probability


def json_options(fields: dict[str, Value]) -> object:
    """The probabilities of two options."""
    shares = readers.probabilities_in(readers.JsonReply(fields), 2)
    if isinstance(shares, readers.ParseFailure):
        return shares
    return {"values": list(shares.values), "raw_sum": shares.raw_sum}


def markers(reply: str) -> object:
    """A sentence without any is certain."""
    standards = attributes_of(find_markers(reply), "standard")
    assert standards or sentence_decisiveness(reply) == 1.0, reply
    return standards


def integer_tokens(tokens: Sequence[Place]) -> object:
    """The answer, each integer's mass, and the number of tokens."""
    distribution = readers.read_integer_distribution(list(map(token_choice, tokens)))
    if isinstance(distribution, readers.ParseFailure):
        return distribution
    assert list(distribution.probabilities) == sorted(distribution.probabilities), tokens
    masses = {str(value): mass for value, mass in integer_masses(distribution).items()}
    return {"value": distribution.value, "masses": masses, "tokens": distribution.tokens}


def answer_token(
    tokens: Sequence[Place], options: Sequence[str] = "ABCD", answer: int = 1
) -> object:
    """Each option's mass: summed over the ways to write it, the rest is unseen."""
    token = readers.read_answer_token(list(map(token_choice, tokens)), options, answer)
    return token if isinstance(token, readers.ParseFailure) else option_masses(token)


def attribute_reader(reader: Callable[..., object], attribute: str) -> Callable[..., object]:
    """A reader that gives what an answer has under a name."""

    def read(*arguments: object, **keywords: object) -> object:
        answer = reader(*arguments, **keywords)
        return answer if isinstance(answer, readers.ParseFailure) else getattr(answer, attribute)

    return read


READERS: dict[str, Callable[..., object]] = {
    "exponent": attribute_reader(readers.read_exponent, "value"),
    "interval": interval,
    "probability": attribute_reader(readers.read_probability, "value"),
    "amount": attribute_reader(readers.read_amount, "value"),
    "choice": lambda reply, choices=CITIES, **cut: attribute_reader(readers.read_choice, "index")(
        reply, choices, **cut
    ),
    "confidence": confidence,
    "word_choice": lambda reply, **options: attribute_reader(readers.read_word_choice, "index")(
        reply, FIVE, **options
    ),
    "first_letter": lambda reply, **options: readers.first_letter(reply, FIVE, **options),
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
    "judged_markers": lambda reply, sentence=JUDGED, **options: read_markers(
        reply, sentence, **options
    ),
    "judged_decisiveness": read_decisiveness,
    "judged_agreement": read_agreement,
    "judged_verdict": read_verdict,
    "integer_tokens": integer_tokens,
    "answer_token": answer_token,
}
ROUNDED = ("interval", "integer_tokens", "answer_token")
"""Forms whose numbers are computed: logarithms, sums of products."""


@pytest.mark.parametrize("form", READERS)
def test_every_line_of_a_corpus_is_read_as_it_says(form: str) -> None:
    """All that is read otherwise than its line says, at once."""
    read, wrong = READERS[form], []
    tolerance = 1e-9 if form in ROUNDED else 0
    for case in cases(form):
        expected = case.pop("gives_one_of", None) or [case.pop("gives")]
        case.pop("why", None)
        parsed = read(**case)
        if not any(agrees(parsed, value, tolerance) for value in expected):
            wrong.append((case, parsed, expected))
    assert wrong == []


def agrees(parsed: object, expected: object, tolerance: float) -> bool:
    """Whether a reading, or every part of it, is of the expected type and value."""
    if isinstance(expected, dict) and expected.keys() <= {"status", "reason"}:
        return (
            isinstance(parsed, readers.ParseFailure)
            and bool(parsed.reason)
            and all(getattr(parsed, name) == value for name, value in expected.items())
        )
    if isinstance(parsed, Fraction):
        return parsed == Fraction(str(expected))
    if isinstance(parsed, dict) and isinstance(expected, dict):
        return parsed.keys() >= expected.keys() and all(
            agrees(parsed[key], value, tolerance) for key, value in expected.items()
        )
    if isinstance(parsed, list) and isinstance(expected, list):
        return len(parsed) == len(expected) and all(
            agrees(part, expected_part, tolerance)
            for part, expected_part in zip(parsed, expected, strict=True)
        )
    if tolerance and isinstance(parsed, float) and isinstance(expected, int | float):
        return abs(parsed - expected) <= tolerance
    return type(parsed) is type(expected) and parsed == expected


def test_every_corpus_has_a_reader_and_nine_lines() -> None:
    """No file without a reader, and none without lines enough to say something."""
    assert set(attributes_of(FOLDER.glob("*.jsonl"), "stem")) == READERS.keys()
    for form in READERS:
        assert len(cases(form)) >= 9
