"""Tests of the reader of the answer's token: by hand, and on any tokens at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspect_confidence.answers import TokenChoice, Unreadable, read_answer_token
from inspect_confidence.answers.tokens import AnswerToken

Place = str | tuple[str, Mapping[str, float]]
"""A certain token, or the one chosen with the probabilities of all listed, itself included."""

VERDICTS = ("True", "False")
OPENED = '{"Reasoning": "I weigh it.", "Answer": '


def choice(place: Place) -> TokenChoice:
    """A token with the logarithms of the probabilities; -9999 for 0, as OpenAI sends it."""
    token, listed = place if isinstance(place, tuple) else (place, {place: 1.0})
    logs = {name: math.log(p) if p > 0 else -9999.0 for name, p in listed.items()}
    return TokenChoice(token, logs[token], logs)


def read(
    *places: Place, options: Sequence[str] = "ABCD", answer: int = 1
) -> AnswerToken | Unreadable:
    """What a reply's tokens say."""
    return read_answer_token([choice(place) for place in places], options, answer)


def masses(read: AnswerToken | Unreadable) -> list[float]:
    """The probabilities before they were normalised."""
    assert isinstance(read, AnswerToken), read
    assert sum(read.probabilities) == pytest.approx(1, abs=1e-12)
    return [p * (1 - read.unseen_mass) for p in read.probabilities]


LETTER = {"B": 0.5, "A": 0.2, "C": 0.1}


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        # The letter alone, with its quotes, with a blank, with what comes after.
        ([OPENED + '"', ("B", LETTER), '", "A": 0.2}'], [0.2, 0.5, 0.1, 0]),
        ([OPENED, ('"B"', {'"B"': 0.5, '"A"': 0.2, '"C"': 0.1}), "}"], [0.2, 0.5, 0.1, 0]),
        ([OPENED, (' "B', {' "B': 0.5, ' "A': 0.2, ' "D': 0.1}), '"}'], [0.2, 0.5, 0, 0.1]),
        (
            ['{"Answer', ('": "B",', {'": "B",': 0.6, '": "D",': 0.3}), ' "A": 0.2}'],
            [0, 0.6, 0, 0.3],
        ),
        # Key and letter in one token, also where an alternative lacks the key.
        (
            ['{"', ('Answer": "B', {'Answer": "B': 0.6, 'Answer": "A': 0.1, "Answer": 0.2}), '"}'],
            [0.1, 0.6, 0, 0],
        ),
        ([('{"Answer": "B"}', {'{"Answer": "B"}': 0.7, '{"Answer": "C"}': 0.2})], [0, 0.7, 0.2, 0]),
        # One option written differently is added up, whatever its case and its quotes.
        (
            [OPENED, ("B", {"B": 0.3, "b": 0.2, ' "B"': 0.1, "(b)": 0.1, "a": 0.1, "A": 0.1}), "}"],
            [0.2, 0.7, 0, 0],
        ),
        ([OPENED, ("b", {"b": 0.3, "B": 0.2, "c": 0.1}), "}"], [0, 0.5, 0.1, 0]),
        # What is no option is unseen: words, other letters, signs, nothing, the end of the reply.
        (
            [OPENED, ("B", {"B": 0.4, "E": 0.1, "Both": 0.1, "]": 0.1, "": 0.1, "C": 0.1}), "}"],
            [0, 0.4, 0.1, 0],
        ),
        (
            [OPENED, ("B", {"B": 0.5, "<|im_end|>": 0.1, "BB": 0.1, "A_": 0.1, "D": 0.1}), "}"],
            [0, 0.5, 0, 0.1],
        ),
        # 0 is sent as -9999.
        ([OPENED, ("B", {"B": 0.8, "A": 0.0, "C": 0.2}), "}"], [0, 0.8, 0.2, 0]),
        ([OPENED, ("B", {"B": 0.0, "A": 0.4, "C": 0.2}), "}"], [0.4, 0, 0.2, 0]),
        # Empty tokens and tokens that end a reply change nothing.
        (["", OPENED, "", ("B", LETTER), "", '"}', "<|eot_id|>"], [0.2, 0.5, 0.1, 0]),
        # Written otherwise: no quotes, typographic ones, brackets, stars, `Option`, the text too.
        (["{Answer: ", ("B", LETTER), "}"], [0.2, 0.5, 0.1, 0]),
        (["{“answer” : “", ("B", LETTER), "”}"], [0.2, 0.5, 0.1, 0]),
        (["{'ANSWER':'", ("B", LETTER), "'}"], [0.2, 0.5, 0.1, 0]),
        (['{\n"Answer":\n', ("(B)", {"(B)": 0.5, "(A)": 0.2}), "}"], [0.2, 0.5, 0, 0]),
        (['{"Answer": "**', ("B", LETTER), '**"}'], [0.2, 0.5, 0.1, 0]),
        (['{"Answer": "Option ', ("B", LETTER), '"}'], [0.2, 0.5, 0.1, 0]),
        (['{"Answer": "', ("B", LETTER), ": Paris", '"}'], [0.2, 0.5, 0.1, 0]),
        (['{"Answer": ["', ("B", LETTER), '"]}'], [0.2, 0.5, 0.1, 0]),
        # What stands for another option in the reasoning isn't this answer.
        (
            [
                '{"Reasoning": "Not answer: ',
                ("A", {"A": 0.9, "B": 0.1}),
                '.", "Answer": "',
                ("B", LETTER),
                '"}',
            ],
            [0.2, 0.5, 0.1, 0],
        ),
        # The other options' keys hold letters too.
        (['{"A": 0.1, "B": 0.9, "Answer": "', ("B", LETTER), '"}'], [0.2, 0.5, 0.1, 0]),
    ],
)
def test_letters_by_hand(places: list[Place], expected: list[float]) -> None:
    """The mass on each option is summed over the ways to write it; the rest is unseen."""
    found = read(*places)
    assert masses(found) == pytest.approx(expected, abs=1e-12)
    assert isinstance(found, AnswerToken)
    assert found.unseen_mass == pytest.approx(1 - sum(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("places", "answer", "expected"),
    [
        ([OPENED, ("True", {"True": 0.6, "False": 0.3}), "}"], 0, [0.6, 0.3]),
        ([OPENED, (' "False"', {' "False"': 0.6, ' "True"': 0.3}), "}"], 1, [0.3, 0.6]),
        ([OPENED, ("true", {"true": 0.6, "True": 0.1, "FALSE": 0.2}), "}"], 0, [0.7, 0.2]),
        # Split: the first part tells the two apart.
        ([OPENED, ("Tr", {"Tr": 0.6, "Fal": 0.3}), "ue", "}"], 0, [0.6, 0.3]),
        ([OPENED, ("Tr", {"Tr": 0.4, "True": 0.2, "F": 0.3}), "ue", "}"], 0, [0.6, 0.3]),
        ([OPENED + '"', ("f", {"f": 0.5, "t": 0.3}), "alse", '"}'], 1, [0.3, 0.5]),
        ([OPENED, ("Tr", {"Tr": 0.6, "Try": 0.1, "Trues": 0.1, "F": 0.1}), "ue}"], 0, [0.6, 0.1]),
        # Yes and no are other words than those asked for.
        ([OPENED, ("True", {"True": 0.6, "Yes": 0.2, "No": 0.1, "F": 0.05}), "}"], 0, [0.6, 0.05]),
    ],
)
def test_verdicts_by_hand(places: list[Place], answer: int, expected: list[float]) -> None:
    """True and False, whole or begun."""
    found = read(*places, options=VERDICTS, answer=answer)
    assert masses(found) == pytest.approx(expected, abs=1e-12)


def test_twenty_six_options() -> None:
    """Each letter has its own mass; those beyond the twenty that providers list have none."""
    listed = {letter: (place + 1) / 400 for place, letter in enumerate(ascii_uppercase[:20])}
    for answer in range(20):
        found = read(OPENED + '"', (ascii_uppercase[answer], listed), '"}', options=ascii_uppercase)
        assert isinstance(found, Unreadable) == (answer != 1)
        found = read(
            *(OPENED + '"', (ascii_uppercase[answer], listed), '"}'),
            options=ascii_uppercase,
            answer=answer,
        )
        assert masses(found) == pytest.approx([*listed.values(), 0, 0, 0, 0, 0, 0], abs=1e-12)
        assert isinstance(found, AnswerToken)
        assert found.unseen_mass == pytest.approx(1 - 210 / 400)
        assert found.token == ascii_uppercase[answer]


CERTAIN = TokenChoice("B", 0.0, {})


@pytest.mark.parametrize(
    ("tokens", "says"),
    [
        ([CERTAIN], "no other option"),
        ([TokenChoice("B", -0.2, {"B": -0.2})], "no other option"),
        ([TokenChoice("B", -0.2, {"b": -3.0, ' "B"': -4.0})], "no other option"),
        ([TokenChoice("B", -0.2, {"]": -2.0, "Both": -3.0})], "no other option"),
        ([TokenChoice("B", -0.2, {"A": -9999.0, "C": -math.inf})], "no other option"),
        ([TokenChoice("B", -math.inf, {"C": -math.inf})], "no other option"),
        ([TokenChoice("B", math.nan, {"C": math.nan, "x": -0.1})], "no other option"),
        ([TokenChoice("B", -9999.0, {"]": -0.1})], "no other option"),
        ([TokenChoice("C", -0.1, {"B": -3.0})], "is not there"),  # the reply names another
        ([TokenChoice("Bonn", -0.1, {"B": -3.0})], "is not there"),
        ([TokenChoice("", -0.1, {"B": -3.0})], "is not there"),
    ],
)
def test_what_says_nothing_is_scoring_failed(tokens: list[TokenChoice], says: str) -> None:
    """Without alternatives, or without probability on options, an answer never looks certain."""
    found = read_answer_token([choice(OPENED + '"'), *tokens, choice('"}')], "ABCD", 1)
    assert isinstance(found, Unreadable)
    assert found.status == "scoring_failed"
    assert says in found.reason


def test_no_tokens_are_scoring_failed() -> None:
    """No token at all, or none with the key."""
    for tokens in ([], [choice("")], [choice(("B", LETTER))]):
        found = read_answer_token(tokens, "ABCD", 1)
        assert isinstance(found, Unreadable)
        assert (found.status, "is not there" in found.reason) == ("scoring_failed", True)


@pytest.mark.parametrize(
    ("chosen", "others", "expected"),
    [
        (math.log(0.5), {"A": -math.inf, "C": math.log(0.25)}, [0, 2 / 3, 1 / 3]),
        (math.log(0.5), {"A": math.nan, "C": math.log(0.25)}, [0, 2 / 3, 1 / 3]),
        (math.log(0.5), {"A": -9999.0, "C": -9999.0}, None),
        (-9999.0, {"A": math.log(0.2)}, None),
        (-9999.0, {"A": math.log(0.2), "C": math.log(0.6)}, [0.25, 0, 0.75]),
        (math.nan, {"A": math.log(0.2), "C": math.log(0.6)}, [0.25, 0, 0.75]),
        (1e-6, {"A": math.log(0.25)}, [0.2, 0.8, 0]),  # rounded above 0
        (math.inf, {"A": 0.0}, [0.5, 0.5, 0]),
        (-800.0, {"A": -800.0}, None),  # exp(-800) is 0
        (-740.0, {"A": -740.0}, [0.5, 0.5, 0]),  # barely above 0
    ],
)
def test_odd_log_probabilities(
    chosen: float, others: dict[str, float], expected: list[float] | None
) -> None:
    """Minus infinity, NaN and -9999 are 0, what is above 0 is certain."""
    tokens = [choice(OPENED), TokenChoice('"B"', chosen, others), choice("}")]
    found = read_answer_token(tokens, "ABC", 1)
    if expected is None:
        assert isinstance(found, Unreadable)
        return
    assert isinstance(found, AnswerToken)
    assert found.probabilities == pytest.approx(expected, abs=1e-9)
    assert 0 <= found.unseen_mass <= 1


def test_of_an_answer_given_twice_the_last_one_counts() -> None:
    """What stands before it, a draft or reasoning, is not the answer's own token."""
    draft = {"B": 0.99, "A": 0.01}
    found = read('{"Answer": "', ("B", draft), '"}\n{"Answer": "', ("B", LETTER), '"}')
    assert masses(found) == pytest.approx([0.2, 0.5, 0.1, 0])


# Where the reasoning says "answer: B" too, the place of the Answer field is the one: the text
# reader takes the answer from the field, and a later token is conditioned on what was reasoned.

IN_REASONING: list[Place] = ['{"Reasoning": "So the answer: ', ("B", {"B": 0.9, "A": 0.05}), '", ']


COMMA: list[Place] = ['{"Reasoning": "Rome is not, answer: ', ("B", {"B": 0.9, "A": 0.05}), '", ']
LINE: list[Place] = ["<think>Hm.\nAnswer: ", ("B", {"B": 0.9, "A": 0.05}), "</think>{"]


def test_reasoning_is_never_taken_for_the_answer_field() -> None:
    """With the letter at both places the reasoning's token isn't what is read."""
    found = read(*IN_REASONING, '"Answer": "', ("B", LETTER), '"}')
    if isinstance(found, AnswerToken):
        assert masses(found) == pytest.approx([0.2, 0.5, 0.1, 0])
    else:
        assert found.status == "scoring_failed"


@pytest.mark.parametrize(
    "before",
    [
        IN_REASONING,
        ["<think>Answer: ", ("B", {"B": 0.9, "A": 0.05}), "</think>{"],
        COMMA,
        LINE,
    ],
)
def test_the_answer_field_is_read_beside_reasoning(before: list[Place]) -> None:
    """Reasoning or thoughts with `answer: B` leave the token of the Answer field to be read."""
    found = read(*before, '"Answer": "', ("B", LETTER), '"}')
    assert masses(found) == pytest.approx([0.2, 0.5, 0.1, 0])


@pytest.mark.parametrize(
    "before",
    [
        IN_REASONING,
        COMMA,
        LINE,
    ],
)
@pytest.mark.parametrize("field", ["Paris", "Choice B", "The answer is B", "letter B"])
def test_reasoning_does_not_stand_in_for_the_answer_field(before: list[Place], field: str) -> None:
    """An Answer field that is the option's text, or has words before its letter, isn't found."""
    found = read(*before, f'"Answer": "{field}"}}')
    assert isinstance(found, Unreadable)


LOGS = st.one_of(
    st.floats(-30, 0),
    st.sampled_from([-9999.0, -math.inf, math.inf, math.nan, 0.0, -745.0]),
    st.floats(),
)
WRITTEN = ("A", "b", ' "B', '"B"', "Answer", '"Answer": ', '": "B",', ": ", '"', "", "</s>", "Tr")
MORE = ("ue", "Fal", "option ", "{", "}", "\n", "<|eot_id|>", "True")
PIECES = st.one_of(st.sampled_from(WRITTEN + MORE), st.text(max_size=6))


@given(
    tokens=st.lists(
        st.builds(TokenChoice, PIECES, LOGS, st.dictionaries(PIECES, LOGS, max_size=8)), max_size=12
    ),
    options=st.sampled_from([("True", "False"), tuple("AB"), tuple(ascii_uppercase), ("ß", "İ")]),
    answer=st.sampled_from([0, 1]),
)
def test_any_tokens_are_read_or_refused(
    tokens: list[TokenChoice], options: tuple[str, ...], answer: int
) -> None:
    """Nothing raises; probabilities are in [0, 1] and sum to 1, and come with an alternative."""
    found = read_answer_token(tokens, options, answer)
    if isinstance(found, Unreadable):
        assert found.status == "scoring_failed"
        return
    assert len(found.probabilities) == len(options)
    assert all(0 <= p <= 1 for p in found.probabilities)
    assert sum(found.probabilities) == pytest.approx(1, abs=1e-9)
    assert 0 <= found.unseen_mass <= 1
    assert any(one.token == found.token and set(one.alternatives) - {one.token} for one in tokens)


WRAPS = st.tuples(
    st.sampled_from(["", " ", '"', ' "', "'", "(", "**", "\n", "“"]),
    st.sampled_from(["", '"', '",', "'", ")", "**", "\n", "”", " "]),
)
OTHERS = "ACD" + ascii_lowercase[4:8] + "]}"


@given(
    answer=st.floats(-8, 0),
    logs=st.dictionaries(st.sampled_from(list(OTHERS)), st.floats(-8, 0), min_size=1),
    wraps=st.lists(WRAPS, min_size=len(OTHERS), max_size=len(OTHERS)),
)
def test_quoting_of_alternatives_changes_nothing(
    answer: float, logs: dict[str, float], wraps: list[tuple[str, str]]
) -> None:
    """Whatever quotes, brackets and blanks stand around alternatives, the reading is the same."""
    places = dict(zip(OTHERS, wraps, strict=True))
    other = {places[name][0] + name + places[name][1]: log for name, log in logs.items()}
    assume(len(other) == len(logs))
    assume(set(logs) & set("ACD"))
    found, again = (
        read_answer_token(
            [choice(OPENED), TokenChoice('"B"', answer, some), choice("}")], "ABCD", 1
        )
        for some in (logs, other)
    )
    assert isinstance(found, AnswerToken)
    assert isinstance(again, AnswerToken)
    assert again.probabilities == pytest.approx(found.probabilities, abs=1e-12)
    assert again.unseen_mass == pytest.approx(found.unseen_mass, abs=1e-12)


def test_an_answer_listed_alone_is_sure_only_where_little_is_left() -> None:
    """With .995 of its own the others have at most .005 together, wherever they are."""
    found = read('{"Answer": "', ("B", {"B": 0.99, " B": 0.005, "The": 0.004}), '"}')
    assert isinstance(found, AnswerToken)
    assert found.probabilities == (0, 1, 0, 0)
    assert found.unseen_mass == pytest.approx(0.005)
    found = read('{"Answer": "', ("B", {"B": 0.98, "The": 0.02}), '"}')
    assert isinstance(found, Unreadable)
