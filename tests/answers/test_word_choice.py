"""Chosen phrases come back as they were written; the recorded replies of a study are read."""

import ast
import re
import string
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.cases import FIVE
from inspect_confidence.answers import ParseFailure, WordChoice, first_letter, read_word_choice

THREE = ["is likely to be", "is maybe", "is unlikely to be"]


def _outcome(choice: WordChoice | ParseFailure) -> int | str:
    return choice.index if isinstance(choice, WordChoice) else choice.status


def _outcomes(
    replies: Iterable[str], choices: list[str], *, chain_of_thought: bool = False
) -> Counter[int | str]:
    outcomes: Counter[int | str] = Counter()
    for reply in replies:
        outcomes[_outcome(read_word_choice(reply, choices, chain_of_thought=chain_of_thought))] += 1
    return outcomes


def first_letters(
    replies: Iterable[str], choices: list[str], *, chain_of_thought: bool = False
) -> Counter[int | None]:
    """How many replies have each first letter, by the study's rule."""
    return Counter(
        first_letter(reply, choices, chain_of_thought=chain_of_thought) for reply in replies
    )


RECORDED: dict[tuple[str, int], dict[int | str, int]] = {
    ("standard", 5): {0: 13, 1: 96, 2: 2, 3: 57, 4: 12},
    # 47 replies repeat the list: 43 end there, or in prose, and 4 go on with "The correct
    # completion is: A. is unlikely to be" though A is another. 6 more have only that wrong letter.
    ("standard", 3): {0: 106, 2: 21, "echo": 47, "ambiguous": 6},
    ("cot", 5): {0: 22, 1: 67, 2: 26, 3: 52, 4: 13},
    ("cot", 3): {0: 85, 1: 37, 2: 58},
}


@pytest.mark.parametrize(("kind", "size"), RECORDED)
def test_each_recorded_reply_has_the_outcome_that_a_person_gives_it(
    shared_data: Path, kind: str, size: int
) -> None:
    """Every recorded reply has the outcome that it has for a person."""
    replies = _recorded(shared_data, kind, size)
    choices = FIVE if size == 5 else THREE
    outcomes = _outcomes(replies, choices, chain_of_thought=kind == "cot")
    assert outcomes == RECORDED[kind, size]


def test_a_recorded_echo_is_its_first_letter_by_the_studys_rule(shared_data: Path) -> None:
    """By the study's rule an echo is its first letter, so that every reply has a choice."""
    five = first_letters(_recorded(shared_data, "standard", 5), FIVE)
    three = first_letters(_recorded(shared_data, "standard", 3), THREE)
    assert five == {0: 13, 1: 96, 2: 2, 3: 57, 4: 12}
    assert three == {0: 106 + 47 + 6, 2: 21}
    # Two sentences without a letter follow "I choose".
    thoughts = _recorded(shared_data, "cot", 3)
    letter_counts = first_letters(thoughts, THREE, chain_of_thought=True)
    assert letter_counts == {0: 85, 1: 35, 2: 58, None: 2}


def test_the_recorded_replies_hold_47_echoes(shared_data: Path) -> None:
    """As many replies repeat all three choices as the study's authors recorded."""
    replies = _recorded(shared_data, "standard", 3)
    letters = {"A.is", "B.is", "C.is"}
    repeated = [reply for reply in replies if letters <= {*re.findall(r"[ABC]\.is", reply)}]
    assert len(repeated) == 47
    assert _outcomes(repeated, THREE) == {"echo": 47}


def _recorded(shared_data: Path, kind: str, size: int) -> list[str]:
    lines = (shared_data / "wep" / f"choice_gpt-4_{kind}.txt").read_text().splitlines()
    rows = [ast.literal_eval(line) for line in lines if line.strip()]
    replies = [row["answer"] for row in rows if (row["index"] % 2 == 0) == (size == 5)]
    assert len(replies) == 180
    return replies


PHRASE = st.text(string.ascii_lowercase + " ", min_size=3, max_size=12).map(
    lambda text: f"seems q{' '.join(text.split())}z"
)


@given(st.lists(PHRASE, min_size=2, max_size=6, unique=True), st.data())
def test_a_choice_is_read_by_letter_by_text_and_by_both(
    choices: list[str], data: st.DataObject
) -> None:
    """Any choice is read by its letter, its text and both, and not by another's letter."""
    index = data.draw(st.integers(0, len(choices) - 1))
    letter, phrase = string.ascii_uppercase[index], choices[index]
    for reply in (letter, phrase, f"{letter}.{phrase}", f"I choose: {letter}. {phrase}."):
        assert read_word_choice(reply, choices) == WordChoice(index)
    thought = f"Not {choices[index - 1]}.\n\nI choose: {letter}.{phrase}"
    assert read_word_choice(thought, choices, chain_of_thought=True) == WordChoice(index)
    wrong = read_word_choice(f"{letter}.{choices[index - 1]}", choices)
    assert wrong == ParseFailure("ambiguous", "letter and text disagree")
    assert first_letter(f"{letter}.{phrase}", choices) == index
    lettered = map(".".join, zip(string.ascii_uppercase, choices, strict=False))
    assert _outcome(read_word_choice("\n".join(lettered), choices)) == "echo"


@pytest.mark.parametrize("chain_of_thought", [False, True])
@pytest.mark.parametrize(
    ("ending", "expected"),
    [("\nI choose B", 1), (". I choose B", 1), ("", "echo")],
)
def test_a_choice_beside_the_repeated_list_counts(
    ending: str, expected: int | str, chain_of_thought: bool
) -> None:
    """The list alone is an echo, in one line or beside the choice."""
    choices = ["is likely to be", "is maybe", "is unlikely to be"]
    text = f"A.is likely to be B.is maybe C.is unlikely to be{ending}"
    parsed = read_word_choice(text, choices, chain_of_thought=chain_of_thought)
    assert (parsed.status if isinstance(parsed, ParseFailure) else parsed.index) == expected
