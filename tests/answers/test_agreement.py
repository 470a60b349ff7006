"""Tests of the rules that compare answers: whether replies agree, and whether they are right."""

# ruff: noqa: RUF001 # the tables hold curly apostrophes and Chinese

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from answers.cases import cases
from inspect_confidence.judges.agreement import agreement, verdict
from inspect_confidence.judges.rules import RulesJudge

CAPITAL = "What is the capital of Australia?"


def test_the_rules_judge_keeps_the_protocol_of_a_judge() -> None:
    """The rules keep the protocol of a judge."""
    judge = RulesJudge()
    judgment = asyncio.run(
        judge.sentence(CAPITAL, "I think it's Canberra, I think.", ["Sydney.", "Canberra."])
    )
    assert judgment.markers == ["i think"]
    assert judgment.decisiveness == 0.72
    assert judgment.agreement == ["no", "yes"]
    assert asyncio.run(judge.verdict(CAPITAL, ["Canberra"], "Canberra.")) == "correct"


PARTS = (
    "I Paris Lyon not or either 12 km per s million hundred thousand nineteen sixty and one "
    "the Second VI yes no don't know can't say (A) B. but , . ; maybe 10 ^ 8 × - 可能 北京 % ° "
    "U.S. is it Is of people say Some mistaken"
)
TEXTS = st.text() | st.lists(st.sampled_from(PARTS.split())).map(" ".join)


@given(TEXTS, TEXTS, TEXTS)
def test_any_texts_have_an_agreement_and_a_verdict(
    question: str, sentence: str, reply: str
) -> None:
    """There is always an answer."""
    assert agreement(question, sentence, reply) in ("yes", "no", "n/a")
    assert verdict([question, sentence], reply) in ("correct", "incorrect", "punt")


def test_a_sentence_never_contradicts_itself() -> None:
    """What is said twice agrees."""
    for case in cases("agreement"):
        question, sentence = case["question"], case["sentence"]
        if sentence:
            assert agreement(question, sentence, sentence) in ("yes", "n/a"), sentence


def test_an_option_without_content_words_is_named_by_its_letter_only() -> None:
    """The text of "Never" has no word to look for, so that no other text names it."""
    question = "When does it snow?\nA) Never\nB) Only in winter"
    assert agreement(question, "It probably snows in March.", "It snows in July.") == "no"
    assert agreement(question, "It is probably A.", "I would say (A).") == "yes"
