"""Tests of the rules that compare answers: whether replies agree, and whether they are right."""

# ruff: noqa: RUF001 # the tables hold curly apostrophes and Chinese

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers.agreement import agreement, answer_tokens, verdict
from inspect_confidence.judges.rules import RulesJudge

CAPITAL = "What is the capital of Australia?"
CHOICES = "Which is heavier?\n(A) lead\n(B) cork"
PAIRS = [
    (CAPITAL, "It's probably Canberra.", "Canberra", "yes"),
    (CAPITAL, "I think it's Sydney.", "It's Canberra, I believe.", "no"),
    (CAPITAL, "The capital of Australia is likely Canberra.", "Sydney is the capital.", "no"),
    (CAPITAL, "Not Sydney but Canberra.", "I'm not sure, but maybe Canberra.", "yes"),
    (CAPITAL, "It isn't Sydney.", "Sydney.", "no"),
    (CAPITAL, "It isn't Sydney.", "Canberra.", "yes"),
    (CAPITAL, "I doubt that it's Sydney.", "It's Sydney.", "no"),
    (CAPITAL, "Maybe Canberra.", "I don't know.", "n/a"),
    (CAPITAL, "Maybe Canberra.", "Sorry, I can't help with that.", "n/a"),
    (CAPITAL, "It lies on an artificial lake.", "Canberra.", "n/a"),
    (CAPITAL, "Canberra.", "Some people say Sydney, but it's Canberra.", "yes"),
    (CAPITAL, "", "", "n/a"),
    ("Who designed the tower?", "It was Gustave Eiffel.", "Eiffel, surely", "yes"),
    ("Who was the president?", "George Washington.", "George Bush", "no"),
    ("How many planets are there?", "There are eight planets.", "8", "yes"),
    ("How many planets are there?", "There are eight planets.", "I'd say nine.", "no"),
    ("When did it end?", "It ended in 1918.", "In nineteen eighteen.", "yes"),
    ("When did it end?", "It ended in 1918.", "I think 1919.", "no"),
    ("When did it end?", "It ended in 1918.", "It began in August 1914.", "n/a"),
    ("How long is it?", "It's 10 km long.", "About 6.2 miles.", "yes"),
    ("How long is it?", "It's 10 km long.", "10 miles.", "no"),
    ("Is Pluto a planet?", "No, it isn't.", "Pluto is not a planet.", "yes"),
    ("Is Pluto a planet?", "I don't think so.", "Yes.", "no"),
    ("Is Pluto a planet?", "It is a planet.", "Yes, it is.", "yes"),
    ("Is Pluto a planet?", "It's not a planet.", "Its moon was found in 1978.", "n/a"),
    (CHOICES, "Probably lead.", "(A)", "yes"),
    (CHOICES, "Probably lead.", "The answer is B.", "no"),
    ("Which is heavier, lead or cork?", "Probably lead.", "Cork is heavier.", "no"),
    ("中国的首都是哪里？", "可能是北京。", "我想是北京。", "yes"),
]
VERDICTS = [
    (["Lyon"], "It's not Paris but Lyon.", "correct"),
    (["Lyon"], "Not Lyon.", "incorrect"),
    (["Lyon"], "I don't think it's Lyon.", "incorrect"),
    (["Lyon"], "Paris or Lyon.", "incorrect"),
    (["Lyon"], "Either Lyon or Paris, I'm not sure.", "incorrect"),
    (["Lyon"], "I'm not sure, but I think it's Lyon.", "correct"),
    (["Lyon"], "I don't know.", "punt"),
    (["Lyon"], "It's a French city, but I can't say which.", "punt"),
    (["Lyon"], "Pass.", "punt"),
    (["Lyon"], "", "punt"),
    (["Lyon"], "Lyonesse", "incorrect"),
    (["Gustave Eiffel"], "It was Eiffel.", "correct"),
    (["South Korea"], "Korea", "incorrect"),
    (["Louis XIV"], "Louis the Fourteenth", "correct"),
    (["Louis XIV"], "Louis XVI", "incorrect"),
    (["São Paulo"], "Sao Paulo!", "correct"),
    (["The Beatles"], "beatles", "correct"),
    (["United States"], "The U.S.", "correct"),
    (["8", "eight"], "There are eight planets.", "correct"),
    (["206"], "two hundred and six bones", "correct"),
    (["1,969"], "1969", "correct"),
    (["1912"], "Maybe 1913.", "incorrect"),
    (["12 km"], "about 12 kilometres", "correct"),
    (["12 km"], "12", "correct"),
    (["12 km"], "12 miles", "incorrect"),
    (["19th century"], "In the nineteenth century.", "correct"),
    (["yes"], "Yes, it does.", "correct"),
    (["no"], "It does not.", "correct"),
    (["False"], "That's true.", "incorrect"),
    (["B"], "(B) cork", "correct"),
    (["B"], "(A) lead", "incorrect"),
    (["(B) cork"], "I'd go with cork.", "correct"),
]


@pytest.mark.parametrize(("question", "sentence", "reply", "said"), PAIRS)
def test_agreement(question: str, sentence: str, reply: str, said: str) -> None:
    """Claims are compared, however sure they are; what declines or is beside the point is n/a."""
    assert agreement(question, sentence, reply) == said


@pytest.mark.parametrize(("answers", "reply", "said"), VERDICTS)
def test_verdict(answers: list[str], reply: str, said: str) -> None:
    """An accepted answer counts as a whole word, where it isn't denied and stands alone."""
    assert verdict(answers, reply) == said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twenty-one", "21"),
        ("two million five hundred thousand", "2.5 million"),
        ("nineteen sixty-nine", "1969"),
        ("The twenty-third of May", "23rd of May"),
        ("World War II", "World War 2"),
        ("Café de Flore", "cafe de flore"),
        ("3 × 10^8 m/s", "300,000,000 metres per s"),
        ("12%", "twelve percent"),
        ("cities", "City"),
    ],
)
def test_one_spelling(one: str, other: str) -> None:
    """What people write in several ways has the same tokens."""
    assert answer_tokens(one) == answer_tokens(other)


def test_the_judge_says_all_of_it() -> None:
    """The rules keep the protocol of a judge."""
    judge = RulesJudge()
    said = asyncio.run(
        judge.sentence(CAPITAL, "I think it's Canberra, I think.", ["Sydney.", "Canberra."], {})
    )
    assert said.markers == ["i think"]
    assert said.decisiveness == 0.72
    assert said.agreement == ["no", "yes"]
    assert asyncio.run(judge.verdict(CAPITAL, ["Canberra"], "Canberra.", {})) == "correct"


PARTS = (
    "I Paris Lyon not or either 12 km per s million hundred thousand nineteen sixty and one "
    "the Second VI yes no don't know can't say (A) B. but , . ; maybe 10 ^ 8 × - 可能 北京 % ° "
    "U.S. is it Is of people say Some mistaken"
)
TEXTS = st.text() | st.lists(st.sampled_from(PARTS.split())).map(" ".join)


@given(TEXTS, TEXTS, TEXTS)
def test_any_texts_are_compared(question: str, sentence: str, reply: str) -> None:
    """There is always an answer."""
    assert agreement(question, sentence, reply) in ("yes", "no", "n/a")
    assert verdict([question, sentence], reply) in ("correct", "incorrect", "punt")


@given(st.sampled_from([pair for pair in PAIRS if pair[1]]))
def test_a_sentence_never_contradicts_itself(pair: tuple[str, str, str, str]) -> None:
    """What is said twice agrees."""
    question, sentence, _, _ = pair
    assert agreement(question, sentence, sentence) in ("yes", "n/a")


@pytest.mark.parametrize("part", ["hundred ", "one hundred ", "not ", "Paris or ", "A ", "12 km, "])
def test_long_replies_take_no_time(part: str) -> None:
    """No pattern runs away."""
    reply = (part * 10_000)[:10_000]
    begun = time.perf_counter()
    agreement(CAPITAL, "Canberra.", reply)
    verdict(["Canberra"], reply)
    assert time.perf_counter() - begun < 2
