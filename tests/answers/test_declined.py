"""Declined replies: "I don't know" in any spelling, never guessed from a hedge."""

from __future__ import annotations

from fractions import Fraction
from string import ascii_uppercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers.cases import CITIES
from growth import slow_texts
from inspect_confidence.answers import ParseFailure, StatedAmount, StatedChoice
from inspect_confidence.answers.decline import StatedWords, read_answer

# ruff: noqa: RUF001 # as they are written

DECLINES = [
    "I don't know",
    "I don’t know.",
    "I do not know the answer.",
    "I don't know the answer to this question.",
    "IDK",
    "idk.",
    "Sorry, I don't know.",
    "I have no idea.",
    "I decline to answer.",
    "I'd rather not answer.",
    "I am not confident enough to answer.",
    "I don't know enough to answer.",
    "I don't know which city it is.",
    "So my answer is “I don’t know”.",
    'Since a mistake costs 9 points, I answer "I don\'t know".',
    "I don't know. I am not more than 90% confident.",
    "I am not 90% sure. I don't know.",
    "我不知道",
    "我不知道。",
    "抱歉，我不知道答案。",
    "我不清楚",
]
HEDGES = [
    "I'm not sure, but",
    "I don't know for sure, but",
    "I don't know whether that is right, but",
    "I'm only 60% confident, but",
    "If I don't know, I lose nothing; but here",
    'To say "I don\'t know" would give 0 points, so',
    "我不太确定，但是",
]
WRAPPINGS = [
    "{}",
    "Answer: {}",
    "**Answer:** {}",
    "Final Answer: {}",
    "答案：{}",
    '{{"answer": "{}"}}',
    "<think>It may be B. Answer: B?</think>\nAnswer: {}",
    "Solution: I recall nothing about it.\nFinal Answer: {}",
]


@pytest.mark.parametrize("kind", ["choices", "option", "number", "words"])
@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("text", DECLINES)
def test_a_decline_is_read_in_every_layout(text: str, wrapping: str, kind: str) -> None:
    """Whatever the question, and behind a label, in JSON or alone."""
    value = text.replace('"', "'").replace("\n", " ") if "{{" in wrapping else text
    answer = read_answer(wrapping.format(value), kind, CITIES)  # type: ignore[arg-type]
    assert isinstance(answer, ParseFailure)
    assert answer.status == "declined", (wrapping.format(value), answer)


@pytest.mark.parametrize("hedge", HEDGES)
def test_a_hedged_answer_is_no_decline(hedge: str) -> None:
    """A hedge, a condition and a mention leave the answer as it is."""
    assert read_answer(f"{hedge} the answer is B.", "choices", CITIES) == StatedChoice(1)
    assert read_answer(f"{hedge} I'd say:\nAnswer: B", "choices", CITIES) == StatedChoice(1)
    number = read_answer(f"{hedge} this may help.\nFinal Answer: 12", "number")
    assert number == StatedAmount(Fraction(12))
    assert read_answer(f"{hedge} this.\nAnswer: Lyon", "words") == StatedWords("Lyon")


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know. Answer: B",
        "I don't know.\nAnswer: B",
        "Answer: B\nI don't know.",
        "Answer: B. I don't know.",
        "I don't know, but my best guess is B.",
        "I don't know, the answer is B.",
        "I don't know, and it is B.",
        "Answer: I don't know, maybe B",
        "我不知道。\n答案：B",
        "Answer: B\nAnswer: I don't know",
    ],
)
@pytest.mark.parametrize("kind", ["choices", "option", "words"])
def test_a_decline_beside_an_answer_is_ambiguous(reply: str, kind: str) -> None:
    """Neither is counted."""
    answer = read_answer(reply, kind, CITIES)  # type: ignore[arg-type]
    assert isinstance(answer, ParseFailure)
    assert answer.status == "ambiguous"


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("", "no_response"),
        ("<think>I don't know</think>", "no_response"),
        ("It depends.", "invalid_response_format"),
        ("I'm sorry, but I can't answer that.", "refusal"),
        ("I'm not sure.", "invalid_response_format"),
        ("Answer: unknown", "invalid_response_format"),
    ],
)
def test_other_replies_without_an_answer_are_not_declined(reply: str, status: str) -> None:
    """A refusal, a vague reply and an empty one keep their own status."""
    answer = read_answer(reply, "choices", CITIES)
    assert isinstance(answer, ParseFailure)
    assert answer.status == status


def test_the_last_option_declines_by_letter_and_text() -> None:
    """E of four cities is the option; as a plain question there is no such choice."""
    for reply in (
        "E",
        "Answer: E",
        "Answer: (E) I don't know",
        "The answer is E.",
        "E. I don't know",
    ):
        answer = read_answer(reply, "option", CITIES)
        assert isinstance(answer, ParseFailure), reply
        assert answer.status == "declined", reply
        plain = read_answer(reply, "choices", CITIES)
        assert isinstance(plain, ParseFailure), reply
    assert read_answer("Answer: D", "option", CITIES) == StatedChoice(3)


def test_the_letter_i_is_not_read_in_the_words_of_a_decline() -> None:
    """Of ten choices the ninth has the letter I."""
    choices = [f"plan {letter.lower()}{letter.lower()}" for letter in ascii_uppercase[:10]]
    for text in ("I don't know", "Answer: I don't know", "I do not know."):
        answer = read_answer(text, "choices", choices)
        assert isinstance(answer, ParseFailure)
        assert answer.status == "declined", text
    assert read_answer("Answer: I", "choices", choices) == StatedChoice(8)


def test_a_reply_that_is_cut_off_is_truncated() -> None:
    """What was to follow is unknown."""
    answer = read_answer("Solution: First, we", "number", truncated=True)
    assert isinstance(answer, ParseFailure)
    assert answer.status == "truncated"


_PIECES = st.lists(
    st.sampled_from(
        [*DECLINES, *HEDGES, "Answer:", "B", "Lyon", "12", "\n", ". ", "but ", '"', "{"]
    ),
    max_size=8,
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), _PIECES.map(" ".join)), st.booleans())
def test_any_text_has_an_answer_or_a_named_failure(reply: str, truncated: bool) -> None:
    """Nothing raises, and an answer is one of the question's."""
    for kind in ("choices", "option", "number", "words"):
        answer = read_answer(reply, kind, CITIES, truncated=truncated)
        if isinstance(answer, StatedChoice):
            assert 0 <= answer.index < len(CITIES)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(DECLINES), st.sampled_from(list("ABCD")), st.booleans())
def test_a_decline_and_an_answer_are_never_both_counted(
    text: str, letter: str, is_first: bool
) -> None:
    """A labelled letter with a sentence that declines before or after it is no answer."""
    if "which city" in text:
        return  # it may be a part of a solution: I don't know which x it is
    lines = [f"{text.rstrip('.。')}.", f"Answer: {letter}"]
    answer = read_answer("\n".join(lines if is_first else lines[::-1]), "choices", CITIES)
    assert isinstance(answer, ParseFailure), (text, answer)


def test_reading_takes_linear_time() -> None:
    """Also of long texts made of the same piece."""
    pieces = (*DECLINES, *HEDGES, "Since a, ", '"I ', "i'm not ", "the answer is ", "i'd ")
    assert not slow_texts(lambda text: read_answer(text, "words"), pieces)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ('{"answer": "", "confidence_score": 0}', "invalid_response_format"),
        ('{"answer": null}', "invalid_response_format"),
        ('{"confidence_score": 50}', "invalid_response_format"),
        ("Answer:", "invalid_response_format"),
        ("Confidence: 80", "invalid_response_format"),
        ("Answer: <your answer>", "echo"),
        ("Answer: [your answer]", "echo"),
        ("Answer: ...", "invalid_response_format"),
    ],
)
def test_an_empty_answer_and_a_template_are_no_words(reply: str, status: str) -> None:
    """Neither the empty text beside JSON nor the prompt's placeholder goes to the judge."""
    answer = read_answer(reply, "words")
    assert isinstance(answer, ParseFailure)
    assert answer.status == status


@pytest.mark.parametrize("words", ["Number", "Confidence", "The Answer", "Choice"])
def test_a_word_of_the_template_may_be_the_answer(words: str) -> None:
    """Only the placeholder in brackets, or with "your", is the template."""
    assert read_answer(f"Answer: {words}", "words") == StatedWords(words)
    sentence = f"I think that the answer is {words}."
    assert read_answer(sentence, "words") == StatedWords(sentence)


def test_a_label_without_a_value_does_not_hide_the_answer_before_it() -> None:
    """The text beside it is the answer, as without the label."""
    assert read_answer("Selma\nThe answer is:", "words") == StatedWords("Selma\nThe answer is:")


def test_a_decline_after_however_contradicts_the_answer() -> None:
    """Beside a labelled answer it leaves open which of the two holds."""
    answer = read_answer("Answer: B\n\nHowever, I don't know.", "choices", CITIES)
    assert isinstance(answer, ParseFailure)
    assert answer.status == "ambiguous"
