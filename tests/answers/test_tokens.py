"""Tests of the reader of token probabilities: by hand, and on any tokens at all."""

# ruff: noqa: RUF001 # the tables hold what models write: dashes and minus signs

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_confidence.answers import (
    IntegerDistribution,
    TokenChoice,
    Unreadable,
    read_integer_distribution,
)
from inspect_confidence.answers.tokens import GREATEST_INTEGER
from metrics.strategies import fixed

Place = tuple[str, Mapping[str, float]]
"""The token chosen, and the probabilities of all that are listed, itself included."""


def choice(chosen: str, listed: Mapping[str, float]) -> TokenChoice:
    """A token with the logarithms of the probabilities; -9999 for 0, as OpenAI sends it."""
    logs = {token: math.log(p) if p > 0 else -9999.0 for token, p in listed.items()}
    return TokenChoice(chosen, logs[chosen], logs)


def read(*places: Place) -> IntegerDistribution:
    """The distribution of a reply that can be read."""
    answer = read_integer_distribution([choice(*place) for place in places])
    assert isinstance(answer, IntegerDistribution), answer
    return answer


def masses(answer: IntegerDistribution) -> dict[int, float]:
    """The probabilities before they were normalised, by what was left unseen."""
    return {value: p * (1 - answer.unseen_mass) for value, p in answer.probabilities.items()}


@pytest.mark.parametrize(
    ("places", "value", "expected", "tokens"),
    [
        # One token holds the integer: its alternatives are others.
        ([("6", {"6": 0.6, "7": 0.2, "5": 0.1})], 6, {5: 0.1, 6: 0.6, 7: 0.2}, 1),
        ([("12", {"12": 0.5, "-3": 0.2, "100": 0.1})], 12, {-3: 0.2, 12: 0.5, 100: 0.1}, 1),
        ([("0", {"0": 1.0})], 0, {0: 1.0}, 1),
        # One integer written differently is added up.
        ([("3", {"3": 0.4, " 3": 0.2, "+3": 0.1, "4": 0.1})], 3, {3: 0.7, 4: 0.1}, 1),
        ([("3\n", {"3\n": 0.4, "03": 0.2, "３": 0.1})], 3, {3: 0.7}, 1),
        ([("-0", {"-0": 0.4, "0": 0.2, "+0": 0.1})], 0, {0: 0.7}, 1),
        # Signs: minus, hyphen, hyphen that does not break, full width.
        ([("−3", {"−3": 0.4, "-3": 0.2, "‑3": 0.1, "－3": 0.1})], -3, {-3: 0.8}, 1),
        # Words, lone signs and integers beyond 100 are unseen.
        ([("3", {"3": 0.5, "The": 0.2, "-": 0.1, "101": 0.1, "3.5": 0.05})], 3, {3: 0.5}, 1),
        ([("-100", {"-100": 0.5, "-101": 0.2, "100": 0.1})], -100, {-100: 0.5, 100: 0.1}, 1),
        # A sign, then digits: 0.4 is shared out at the next place, 0.6 * 0.4 and 0.3 * 0.4.
        (
            [("-", {"-": 0.4, "3": 0.5}), ("12", {"12": 0.6, "5": 0.3, "x": 0.1})],
            -12,
            {-12: 0.24, -5: 0.12, 3: 0.5},
            2,
        ),
        ([(" +", {" +": 0.5, "-": 0.5}), ("7", {"7": 0.8})], 7, {7: 0.4}, 2),
        # Digits one by one: 1 then 2 at 0.8 * 0.5, 13 at 0.8 * 0.2, ended at 1 by 0.8 * 0.3.
        (
            [("1", {"1": 0.8, "9": 0.1}), ("2", {"2": 0.5, "3": 0.2, "\n": 0.3})],
            12,
            {1: 0.24, 9: 0.1, 12: 0.4, 13: 0.16},
            2,
        ),
        # Sign and two digits, each at a place of its own.
        (
            [
                ("-", {"-": 0.5, "4": 0.5}),
                ("1", {"1": 0.8, "2": 0.2}),
                ("5", {"5": 0.5, "": 0.25, "6": 0.25}),
            ],
            -15,
            {-15: 0.2, -1: 0.1, -16: 0.1, -2: 0.1, 4: 0.5},
            3,
        ),
        # A full stop or a blank: the end has its probability too, and digits go on with it.
        (
            [("6", {"6": 0.8, "7": 0.2}), (".", {".": 0.5, "\n": 0.25, "0": 0.25})],
            6,
            {6: 0.6, 60: 0.2, 7: 0.2},
            1,
        ),
        ([("6", {"6": 0.8}), ("\n", {"\n": 0.5, " people": 0.5})], 6, {6: 0.8}, 1),
        # A blank after digits ends the number: nothing further on is read.
        (
            [("6", {"6": 0.8}), ("\n", {"\n": 0.5, "0": 0.5}), ("\n", {"\n": 0.5, "7": 0.5})],
            6,
            {6: 0.4, 60: 0.4},
            1,
        ),
        # Blanks before: alternatives to the blank count as whole, the rest goes on.
        (
            [(" ", {" ": 0.5, "4": 0.25}), ("3", {"3": 0.5, "5": 0.5})],
            3,
            {3: 0.25, 4: 0.25, 5: 0.25},
            1,
        ),
        ([("\n", {"\n": 1.0}), (" ", {" ": 1.0}), ("-2", {"-2": 0.5})], -2, {-2: 0.5}, 1),
        # A token of probability 0 beside others.
        ([("3", {"3": 0.5, "4": 0.0})], 3, {3: 0.5, 4: 0.0}, 1),
        ([("3", {"3": 0.0, "4": 0.5})], 3, {3: 0.0, 4: 0.5}, 1),
    ],
)  # fmt: skip
def test_by_hand(places: list[Place], value: int, expected: dict[int, float], tokens: int) -> None:
    """The answer, each integer's mass, the unseen mass and the number of tokens."""
    answer = read(*places)
    assert answer.value == value
    total = sum(expected.values())
    assert answer.unseen_mass == pytest.approx(1 - total, abs=1e-12)
    assert answer.probabilities == pytest.approx({v: m / total for v, m in expected.items()})
    assert list(answer.probabilities) == sorted(expected)
    assert answer.tokens == tokens


def test_without_alternatives() -> None:
    """A provider that lists nothing else leaves one integer, and the rest unseen."""
    answer = read_integer_distribution([TokenChoice("3", math.log(0.25), {})])
    assert isinstance(answer, IntegerDistribution)
    assert answer.probabilities == {3: 1.0}
    assert answer.unseen_mass == pytest.approx(0.75)


def test_the_chosen_token_counts_once() -> None:
    """Listed or not among its alternatives, the chosen token has its own probability once."""
    half, tenth = math.log(0.5), math.log(0.1)
    listed = read_integer_distribution([TokenChoice("3", half, {"3": half, "4": tenth})])
    unlisted = read_integer_distribution([TokenChoice("3", half, {"4": tenth})])
    assert listed == unlisted
    assert isinstance(listed, IntegerDistribution)
    assert masses(listed) == pytest.approx({3: 0.5, 4: 0.1})


def test_rounded_probabilities_above_one() -> None:
    """A log probability above 0, and a sum above 1, leave nothing unseen rather than less."""
    answer = read_integer_distribution([TokenChoice("3", 0.001, {"4": math.log(0.01)})])
    assert isinstance(answer, IntegerDistribution)
    assert answer.unseen_mass == 0
    assert answer.probabilities == pytest.approx({3: 1 / 1.01, 4: 0.01 / 1.01})


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ([], "no_response"),
        ([""], "no_response"),
        ([" ", "\n"], "no_response"),
        (["I", "'m", " sorry", ", I can't."], "refusal"),
        (["I", " don’t", " know"], "refusal"),
        (["six"], "invalid_response_format"),
        (["The", " exponent", " is", " 6"], "invalid_response_format"),
        (["-"], "invalid_response_format"),
        (["-", "people"], "invalid_response_format"),
        (["--", "3"], "invalid_response_format"),
        (["6", " people"], "invalid_response_format"),
        (["6", "\n", "So"], "invalid_response_format"),
        (["1000000"], "out_of_range"),
        (["100", "000", "0"], "out_of_range"),
        (["-", "10", "1"], "out_of_range"),
        (["1" * 5_000], "out_of_range"),
        (["10^6"], "invalid_response_format"),
        (["10⁶"], "invalid_response_format"),
        (["3.5"], "invalid_response_format"),
    ],
)
def test_no_integer(written: list[str], status: str) -> None:
    """A reply that isn't one integer within 100 of 0 is a failure, whatever else was likely."""
    places = [choice(token, {token: 0.9, "6": 0.1}) for token in written]
    answer = read_integer_distribution(places)
    assert isinstance(answer, Unreadable)
    assert answer.status == status
    assert answer.reason


def test_integers_without_probability() -> None:
    """Where every integer seen has probability 0 there is no distribution."""
    answer = read_integer_distribution([choice("3", {"3": 0.0, "4": 0.0})])
    assert isinstance(answer, Unreadable)
    assert answer.status == "invalid_response_format"


anything = st.text(st.sampled_from("0123456789+-− \n\t.^xa٣²③"), max_size=4)
any_logprob = st.floats(allow_nan=True, allow_infinity=True) | st.just(-9999.0)
any_choice = st.builds(
    TokenChoice, anything, any_logprob, st.dictionaries(anything, any_logprob, max_size=5)
)


@fixed
@given(st.lists(any_choice, max_size=5))
def test_any_tokens(tokens: list[TokenChoice]) -> None:
    """Whatever comes, the reader doesn't raise, and what it gives is a distribution."""
    answer = read_integer_distribution(tokens)
    if isinstance(answer, IntegerDistribution):
        assert sum(answer.probabilities.values()) == pytest.approx(1)
        assert all(0 <= p <= 1 for p in answer.probabilities.values())
        assert all(abs(value) <= GREATEST_INTEGER for value in answer.probabilities)
        assert 0 <= answer.unseen_mass <= 1
        assert 1 <= answer.tokens <= len(tokens)


numeric = st.text(st.sampled_from("0123456789-+ "), min_size=1, max_size=3)
real_place = st.dictionaries(numeric | anything, st.integers(1, 9), min_size=1, max_size=6).flatmap(
    lambda counts: st.tuples(
        st.sampled_from(sorted(counts)), st.just(counts), st.integers(0, 9)
    )
)  # fmt: skip


@fixed
@given(st.lists(real_place, min_size=1, max_size=4))
def test_mass_is_conserved(places: list[tuple[str, dict[str, int], int]]) -> None:
    """Of real probabilities no mass is made: what the first place can't give stays unseen.

    A place lists counts, and `rest` of their total is on tokens that it doesn't list. All integers
    come from tokens listed at the first place that hold a digit, or from the one chosen there.
    """
    shares = [
        (chosen, {t: n / (sum(counts.values()) + rest) for t, n in counts.items()})
        for chosen, counts, rest in places
    ]
    answer = read_integer_distribution([choice(*share) for share in shares])
    if isinstance(answer, IntegerDistribution):
        chosen, listed = shares[0]
        numeric_or_chosen = (
            p for t, p in listed.items() if t == chosen or any(c.isdigit() for c in t)
        )
        assert 1 - answer.unseen_mass <= sum(numeric_or_chosen) + 1e-9
        assert sum(masses(answer).values()) + answer.unseen_mass == pytest.approx(1, abs=1e-9)


digits = st.dictionaries(
    st.sampled_from("0123456789"), st.integers(1, 9), min_size=1, max_size=6
).flatmap(lambda counts: st.tuples(st.sampled_from(sorted(counts)), st.just(counts)))


@fixed
@given(digits, digits, st.integers(1, 9), st.booleans())
def test_split_digits_equal_a_walk_of_the_tree(
    first: tuple[str, dict[str, int]], second: tuple[str, dict[str, int]], end: int, minus: bool
) -> None:
    """Of two digits with an end between them, each integer's mass is a product along its path.

    The first place gives single digits, of which the chosen one goes on: to a second digit, or to
    its end. A minus in a token of its own, of half the mass, halves all and turns their signs.
    """
    (one, ones), (two, twos) = first, second
    sign, reach = (-1, 0.5) if minus else (1, 1.0)
    expected: dict[int, float] = {}

    def add(value: int, mass: float) -> None:
        expected[sign * value] = expected.get(sign * value, 0) + reach * mass

    into = ones[one] / sum(ones.values())
    total = sum(twos.values()) + end
    for digit, count in ones.items():
        if digit != one:
            add(int(digit), count / sum(ones.values()))
    for digit, count in twos.items():
        add(int(one) * 10 + int(digit), into * count / total)
    add(int(one), into * end / total)
    places: list[Place] = [
        (one, {digit: count / sum(ones.values()) for digit, count in ones.items()}),
        (two, {**{d: n / total for d, n in twos.items()}, "\n": end / total}),
    ]
    answer = read(*([("-", {"-": 0.5})] if minus else []), *places)
    assert answer.value == sign * int(one + two)
    assert masses(answer) == pytest.approx(expected, abs=1e-9)
    assert answer.unseen_mass == pytest.approx(1 - reach, abs=1e-9)


def test_an_alternative_that_is_too_long_is_unseen() -> None:
    """After 1 the alternative `00000` is the number 100000, beyond 100, and no 1."""
    answer = read(("1", {"1": 1.0}), ("2", {"2": 0.25, "00000": 0.25, "0" * 5_000: 0.5}))
    assert answer.probabilities == {12: 1.0}
    assert answer.unseen_mass == pytest.approx(0.75)


@pytest.mark.parametrize("written", [("3", " 4"), ("3\n", "4")])
def test_two_numbers_are_not_one(written: tuple[str, str]) -> None:
    """`3 4` and 3 and 4 on two lines are not 34."""
    answer = read_integer_distribution([choice(token, {token: 0.9}) for token in written])
    assert isinstance(answer, Unreadable)


@pytest.mark.parametrize("written", [("10", "^", "6"), ("3", ".", "5"), ("6", "-", "7")])
def test_what_in_one_token_is_no_integer_is_none_in_several(written: tuple[str, ...]) -> None:
    """A power, a decimal and a range are failures in one token and in several."""
    for tokens in (written, ("".join(written),)):
        answer = read_integer_distribution([choice(token, {token: 0.9}) for token in tokens])
        assert isinstance(answer, Unreadable), tokens


@pytest.mark.parametrize("written", ["3.", "3.\n"])
def test_a_full_stop_in_the_same_token(written: str) -> None:
    """`3.` is 3 in one token as in two, with the token's probability."""
    answer = read((written, {written: 0.5, "4": 0.25}))
    assert answer.value == 3
    assert masses(answer) == pytest.approx({3: 0.5, 4: 0.25})


def test_an_empty_token_within_the_number() -> None:
    """3, nothing, 5 is 35: the answer is among the integers that have probability."""
    answer = read(("3", {"3": 0.5}), ("", {"": 1.0}), ("5", {"5": 1.0}))
    assert answer.value == 35
    assert masses(answer) == pytest.approx({35: 0.5})
