"""KEEP, WITHDRAW, BET and NO_BET in the spellings in which models write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_confidence.answers import ParseFailure
from inspect_confidence.answers.commitment import read_bet, read_keep

KEEPS = {
    "KEEP": True,
    "WITHDRAW": False,
    "keep": True,
    "Withdraw": False,
    "保留": True,
    "撤回": False,
}
BETS = {
    "BET": True,
    "NO_BET": False,
    "no bet": False,
    "No-Bet": False,
    "bet": True,
    "不下注": False,
}
LAYOUTS = [
    "{keep}\n{bet}",
    "Decision: {keep}\nBet: {bet}",
    "**Decision:** {keep}\n**Bet:** {bet}",
    "1. {keep}\n2. {bet}",
    "{keep}, {bet}",
    "Decision: {keep}. \nBet: {bet}.",
    '{{"decision": "{keep}", "bet": "{bet}"}}',
    "<think>WITHDRAW? NO_BET? KEEP? BET?</think>\nDecision: {keep}\nBet: {bet}",
    "Decision: {keep} (as I said)\nBet: {bet}",
    "```\nDecision: {keep}\nBet: {bet}\n```",
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("bet", BETS)
def test_both_words_are_read_in_every_layout(layout: str, keep: str, bet: str) -> None:
    """Each decision on its own, whatever the other one is."""
    reply = layout.format(keep=keep, bet=bet)
    assert read_keep(reply) == KEEPS[keep]
    assert read_bet(reply) == BETS[bet]


@pytest.mark.parametrize(
    ("reply", "keep"),
    [("I will keep my answer.", True), ("I'd like to withdraw it.", False), ("Keep: no", False)],
)
def test_prose_is_read_if_it_says_one_thing(reply: str, keep: bool) -> None:
    """A sentence with one of the words counts."""
    assert read_keep(reply) is keep


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("", "no_response"),
        ("KEEP or WITHDRAW", "echo"),
        ("Decision: <KEEP or WITHDRAW>", "echo"),
        ("I won't withdraw.", "ambiguous"),
        ("If pressed, I would withdraw.", "ambiguous"),
        ("I would rather withdraw than keep it.", "ambiguous"),
        ("KEEP\nWITHDRAW", "ambiguous"),
        ("Should I keep it?", "ambiguous"),
        ("I can't decide.", "refusal"),
        ("The answer is B.", "invalid_response_format"),
    ],
)
def test_what_is_open_is_not_guessed(reply: str, status: str) -> None:
    """A negated word, a condition, both words or none are failures by name."""
    answer = read_keep(reply)
    assert isinstance(answer, ParseFailure)
    assert answer.status == status


DENIALS = [
    "I don't want to {}.",
    "I am not willing to {} it.",
    "I see no reason to {} it.",
    "I refuse to {}.",
    "I would hesitate to {} it",
    "I'm unable to {} here",
    "It would be foolish to {}",
    "I'm inclined to do anything rather than {} it",
]


@pytest.mark.parametrize("denial", DENIALS)
@pytest.mark.parametrize(
    ("word", "read"), [("keep", read_keep), ("withdraw", read_keep), ("bet", read_bet)]
)
def test_a_word_that_is_denied_with_other_words_between_is_no_decision(
    denial: str, word: str, read: Callable[[str], bool | ParseFailure]
) -> None:
    """The denial holds for the rest of its clause, but not after "so" or a full stop."""
    denied = denial.format(word)
    answer = read(denied)
    assert isinstance(answer, ParseFailure)
    assert answer.status == "ambiguous"
    assert read_keep("I'm not sure, so I withdraw.") is False
    assert read_bet("I'm not sure but I'd bet on it") is True


@pytest.mark.parametrize(
    ("reply", "keep"),
    [
        ("Let me keep thinking.", None),
        ("I keep changing my mind.", None),
        ("I keep getting 42, so I withdraw it.", False),
        ("I need to keep in mind the penalty. WITHDRAW", False),
        ("KEEP; withdrawing would lose a point", True),
        ("I'm keeping it.", True),
    ],
)
def test_keep_in_another_sense_is_no_decision(reply: str, keep: bool | None) -> None:
    """Only keeping the answer is: "keep thinking" says nothing about it."""
    answer = read_keep(reply)
    assert (None if isinstance(answer, ParseFailure) else answer) is keep


@pytest.mark.parametrize(
    ("reply", "bet"),
    [
        ("I wouldn't bet on it", False),
        ("KEEP, but I can't bet", False),
        ("No bets", False),
        ("I'd bet against it being right", None),
        ("Betting is risky.", None),
        ("我不想下注", None),
    ],
)
def test_a_bet_is_read_with_its_denial(reply: str, bet: bool | None) -> None:
    """A denied bet is no bet; one on the opposite is neither."""
    answer = read_bet(reply)
    assert (None if isinstance(answer, ParseFailure) else answer) is bet


def test_a_word_that_may_go_on_is_not_read() -> None:
    """A reply that is cut off in the word, or before it, is truncated."""
    for reply in ("Decision: KEE", "Decision: KEEP\nBe"):
        bet = read_bet(reply, truncated=True)
        assert isinstance(bet, ParseFailure)
        assert bet.status == "truncated"
    assert read_keep("Decision: KEEP\nBe", truncated=True) is True


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.lists(
            st.sampled_from([*KEEPS, *BETS, ": ", "\n", "not ", "if ", "no "]), max_size=9
        ).map(" ".join),
    ),
    st.booleans(),
)
def test_any_text_has_a_decision_or_a_named_failure(reply: str, truncated: bool) -> None:
    """Nothing raises; two opposite words are never one decision."""
    for read in (read_keep, read_bet):
        answer = read(reply, truncated=truncated)
        assert isinstance(answer, bool | ParseFailure)
    words = reply.upper().split()
    if "KEEP" in words and "WITHDRAW" in words and "NOT" not in words:
        lines = {line.strip() for line in reply.upper().split("\n")}
        if not lines & {"KEEP", "WITHDRAW"} and ":" not in reply:
            assert isinstance(read_keep(reply), ParseFailure)
