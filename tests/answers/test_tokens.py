"""Tests of the readers of token probabilities: by hand, and on any tokens at all."""

# ruff: noqa: RUF001 # the strategies hold what models write: dashes and minus signs

import math
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from answers.cases import Place, integer_masses, option_masses, token_choice
from build import attributes_of, shares_of
from inspect_confidence.answers import (
    AnswerToken,
    IntegerDistribution,
    ParseFailure,
    TokenChoice,
    read_age_token,
    read_answer_token,
    read_integer_distribution,
)
from inspect_confidence.answers.tokens import GREATEST_INTEGER
from metrics.strategies import fixed

# Integers


def integer(*places: Place) -> IntegerDistribution:
    """The distribution of a reply that can be read."""
    answer = read_integer_distribution(list(map(token_choice, places)))
    assert isinstance(answer, IntegerDistribution), answer
    return answer


def test_an_integers_token_counts_once_and_its_mass_is_at_most_1() -> None:
    """None, the chosen one listed or not, sums above 1, and one too long for the range."""
    # A provider that lists nothing else leaves one integer, and the rest unseen.
    answer = read_integer_distribution([TokenChoice("3", math.log(0.25), {})])
    assert isinstance(answer, IntegerDistribution)
    assert answer.probabilities == {3: 1.0}
    assert answer.unseen_mass == pytest.approx(0.75)
    # Listed or not among its alternatives, the chosen token has its own probability once.
    half, tenth = math.log(0.5), math.log(0.1)
    listed_distribution = read_integer_distribution(
        [TokenChoice("3", half, {"3": half, "4": tenth})]
    )
    unlisted = read_integer_distribution([TokenChoice("3", half, {"4": tenth})])
    assert listed_distribution == unlisted
    assert isinstance(listed_distribution, IntegerDistribution)
    assert integer_masses(listed_distribution) == pytest.approx({3: 0.5, 4: 0.1})
    # A log probability above 0, and a sum above 1, leave nothing unseen rather than less.
    answer = read_integer_distribution([TokenChoice("3", 0.001, {"4": math.log(0.01)})])
    assert isinstance(answer, IntegerDistribution)
    assert answer.unseen_mass == 0
    assert answer.probabilities == pytest.approx({3: 1 / 1.01, 4: 0.01 / 1.01})
    # After 1 the alternative `00000` is the number 100000, beyond 100, and no 1.
    answer = integer(("1", {"1": 1.0}), ("2", {"2": 0.25, "00000": 0.25, "0" * 5_000: 0.5}))
    assert answer.probabilities == {12: 1.0}
    assert answer.unseen_mass == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("tokens", "total"),
    [
        ([TokenChoice("3", 0.7, {})], "2.01"),
        ([TokenChoice("3", math.log(0.6), {"4": math.log(0.5)})], "1.1"),
        ([TokenChoice("3", math.inf, {})], "1.01e+304"),
        ([TokenChoice("1", 0.0, {}), TokenChoice("2", math.log(0.9), {"3": math.log(0.3)})], "1.2"),
    ],
)
def test_impossible_log_probabilities_are_a_failure_of_scoring(
    tokens: list[TokenChoice], total: str
) -> None:
    """Of a probability above 1, and of probabilities that add up to more; the reason says which."""
    number = "".join(attributes_of(tokens, "token"))
    reason = f"impossible log probabilities: those at the token {tokens[-1].token!r} add up to"
    failure = ParseFailure("scoring_failed", f"{reason} {total}")
    assert read_integer_distribution(tokens) == failure
    opened = TokenChoice('{"Answer": ', 0.0, {})
    assert read_age_token([opened, *tokens, TokenChoice("}", 0.0, {})], float(number)) == failure


def test_rounded_log_probabilities_are_possible() -> None:
    """To two decimals, which adds up to a little more than 1."""
    shares = {"3": 0.41, "4": 0.3, "5": 0.29}
    logs = {token: math.ceil(math.log(share) * 100) / 100 for token, share in shares.items()}
    assert sum(map(math.exp, logs.values())) > 1
    answer = read_integer_distribution([TokenChoice("3", logs["3"], logs)])
    assert isinstance(answer, IntegerDistribution)
    assert answer.unseen_mass == 0


anything = st.text(st.sampled_from("0123456789+-− \n\t.^xa٣²③"), max_size=4)
any_logprob = st.floats(allow_nan=True, allow_infinity=True) | st.just(-9999.0)
any_choice = st.builds(
    TokenChoice, anything, any_logprob, st.dictionaries(anything, any_logprob, max_size=5)
)


@fixed
@given(st.lists(any_choice, max_size=5))
def test_any_tokens_are_an_integer_distribution_or_a_failure(tokens: list[TokenChoice]) -> None:
    """Whatever comes, the reader doesn't raise, and what it gives is a distribution."""
    answer = read_integer_distribution(tokens)
    if isinstance(answer, IntegerDistribution):
        assert sum(answer.probabilities.values()) == pytest.approx(1)
        for p in answer.probabilities.values():
            assert 0 <= p <= 1
        for value in answer.probabilities:
            assert abs(value) <= GREATEST_INTEGER
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
def test_mass_that_the_first_place_cannot_give_stays_unseen(
    places: list[tuple[str, dict[str, int], int]],
) -> None:
    """Of real probabilities no mass is made: what the first place can't give stays unseen."""
    # A place lists counts, and `unlisted_count` of their total is on tokens that it doesn't list.
    # All integers come from tokens listed at the first place that hold a digit, or from the one
    # chosen there.
    shares: list[tuple[str, dict[str, float]]] = []
    for chosen, counts, unlisted_count in places:
        total = sum(counts.values()) + unlisted_count
        shares.append((chosen, {token: count / total for token, count in counts.items()}))
    answer = read_integer_distribution(list(map(token_choice, shares)))
    if isinstance(answer, IntegerDistribution):
        chosen, probabilities = shares[0]
        numeric_or_chosen = []
        for token, probability in probabilities.items():
            if token == chosen or any(map(str.isdigit, token)):
                numeric_or_chosen.append(probability)
        assert 1 - answer.unseen_mass <= sum(numeric_or_chosen) + 1e-9
        assert sum(integer_masses(answer).values()) + answer.unseen_mass == pytest.approx(
            1, abs=1e-9
        )


digits = st.dictionaries(
    st.sampled_from("0123456789"), st.integers(1, 9), min_size=1, max_size=6
).flatmap(lambda counts: st.tuples(st.sampled_from(sorted(counts)), st.just(counts)))


@fixed
@given(digits, digits, st.integers(1, 9), st.booleans())
def test_split_digits_equal_a_walk_of_the_tree(
    first: tuple[str, dict[str, int]], second: tuple[str, dict[str, int]], end: int, minus: bool
) -> None:
    """Of two digits with an end between them, each integer's mass is a product along its path."""
    # The first place gives single digits, of which the chosen one goes on: to a second digit, or to
    # its end. A minus in a token of its own, of half the mass, halves all and turns their signs.
    (tens, tens_counts), (units, units_counts) = first, second
    sign, reach = (-1, 0.5) if minus else (1, 1.0)
    expected: dict[int, float] = {}

    def add(value: int, mass: float) -> None:
        expected[sign * value] = expected.get(sign * value, 0) + reach * mass

    into = tens_counts[tens] / sum(tens_counts.values())
    total = sum(units_counts.values()) + end
    for digit, count in tens_counts.items():
        if digit != tens:
            add(int(digit), count / sum(tens_counts.values()))
    for digit, count in units_counts.items():
        add(int(tens) * 10 + int(digit), into * count / total)
    add(int(tens), into * end / total)
    places: list[Place] = [
        (tens, shares_of(tens_counts)),
        (units, {**{d: n / total for d, n in units_counts.items()}, "\n": end / total}),
    ]
    answer = integer(*([("-", {"-": 0.5})] if minus else []), *places)
    assert answer.value == sign * int(tens + units)
    assert integer_masses(answer) == pytest.approx(expected, abs=1e-9)
    assert answer.unseen_mass == pytest.approx(1 - reach, abs=1e-9)


# A question's options

OPENED = '{"Reasoning": "I weigh it.", "Answer": '


def answer_reading(
    *places: Place, options: Sequence[str] = "ABCD", answer: int = 1
) -> AnswerToken | ParseFailure:
    """What a reply's tokens say."""
    return read_answer_token(list(map(token_choice, places)), options, answer)


LETTER = {"B": 0.5, "A": 0.2, "C": 0.1}


def test_options_beyond_the_20_alternatives_have_no_mass() -> None:
    """Each letter has its own mass; those beyond the twenty that providers list have none."""
    probabilities = {letter: (place + 1) / 400 for place, letter in enumerate(ascii_uppercase[:20])}
    for answer in range(20):
        token = answer_reading(
            OPENED + '"', (ascii_uppercase[answer], probabilities), '"}', options=ascii_uppercase
        )
        assert isinstance(token, ParseFailure) == (answer != 1)
        token = answer_reading(
            *(OPENED + '"', (ascii_uppercase[answer], probabilities), '"}'),
            options=ascii_uppercase,
            answer=answer,
        )
        assert option_masses(token) == pytest.approx(
            [*probabilities.values(), 0, 0, 0, 0, 0, 0], abs=1e-12
        )
        assert isinstance(token, AnswerToken)
        assert token.unseen_mass == pytest.approx(1 - 210 / 400)
        assert token.token == ascii_uppercase[answer]


CERTAIN = TokenChoice("B", 0.0, {})


SAYS_NOTHING: list[tuple[list[TokenChoice], str]] = [
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
]


def test_an_answer_without_an_alternative_is_scoring_failed() -> None:
    """Without tokens, key, alternatives or probability on options, an answer is never certain."""
    for tokens, says in SAYS_NOTHING:
        token = read_answer_token(
            [token_choice(OPENED + '"'), *tokens, token_choice('"}')], "ABCD", 1
        )
        assert isinstance(token, ParseFailure), tokens
        assert token.status == "scoring_failed", tokens
        assert says in token.reason, tokens
    for tokens in ([], [token_choice("")], [token_choice(("B", LETTER))]):
        token = read_answer_token(tokens, "ABCD", 1)
        assert isinstance(token, ParseFailure)
        assert (token.status, "is not there" in token.reason) == ("scoring_failed", True)


ODD: list[tuple[float, dict[str, float], list[float] | None]] = [
    (math.log(0.5), {"A": -math.inf, "C": math.log(0.25)}, [0, 2 / 3, 1 / 3]),
    (math.log(0.5), {"A": math.nan, "C": math.log(0.25)}, [0, 2 / 3, 1 / 3]),
    (math.log(0.5), {"A": -9999.0, "C": -9999.0}, None),
    (-9999.0, {"A": math.log(0.2)}, None),
    (-9999.0, {"A": math.log(0.2), "C": math.log(0.6)}, [0.25, 0, 0.75]),
    (math.nan, {"A": math.log(0.2), "C": math.log(0.6)}, [0.25, 0, 0.75]),
    (1e-6, {"A": math.log(0.01)}, [0.01 / 1.01, 1 / 1.01, 0]),  # rounded above 0
    (1e-6, {"A": math.log(0.25)}, None),  # 1.25 in all
    (math.log(0.6), {"A": math.log(0.5), "C": math.nan}, None),
    (math.log(0.5), {"]": 0.3}, None),  # of a token that is no option
    (math.inf, {"A": 0.0}, None),
    (-800.0, {"A": -800.0}, None),  # exp(-800) is 0
    (-740.0, {"A": -740.0}, [0.5, 0.5, 0]),  # barely above 0
]


def test_minus_infinity_nan_and_minus_9999_are_probability_0() -> None:
    """Minus infinity, NaN and -9999 are 0; what can't be a probability has no reading."""
    for chosen, alternatives, expected in ODD:
        tokens = [token_choice(OPENED), TokenChoice('"B"', chosen, alternatives), token_choice("}")]
        token = read_answer_token(tokens, "ABC", 1)
        if expected is None:
            assert isinstance(token, ParseFailure), (chosen, alternatives)
            continue
        assert isinstance(token, AnswerToken), (chosen, alternatives)
        assert token.probabilities == pytest.approx(expected, abs=1e-9), (chosen, alternatives)
        assert 0 <= token.unseen_mass <= 1


# Where the reasoning says "answer: B" too, the place of the Answer field is the one: the text
# reader takes the answer from the field, and a later token is conditioned on what was reasoned.

IN_REASONING: list[Place] = ['{"Reasoning": "So the answer: ', ("B", {"B": 0.9, "A": 0.05}), '", ']


def test_reasoning_is_never_taken_for_the_answer_field() -> None:
    """With the letter at both places the reasoning's token isn't what is read."""
    token = answer_reading(*IN_REASONING, '"Answer": "', ("B", LETTER), '"}')
    if isinstance(token, AnswerToken):
        assert option_masses(token) == pytest.approx([0.2, 0.5, 0.1, 0])
    else:
        assert token.status == "scoring_failed"


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
def test_probabilities_of_any_tokens_of_options_sum_to_1(
    tokens: list[TokenChoice], options: tuple[str, ...], answer: int
) -> None:
    """Nothing raises; probabilities are in [0, 1] and sum to 1, and come with an alternative."""
    token_reading = read_answer_token(tokens, options, answer)
    if isinstance(token_reading, ParseFailure):
        assert token_reading.status == "scoring_failed"
        return
    assert len(token_reading.probabilities) == len(options)
    for p in token_reading.probabilities:
        assert 0 <= p <= 1
    assert sum(token_reading.probabilities) == pytest.approx(1, abs=1e-9)
    assert 0 <= token_reading.unseen_mass <= 1
    assert any(
        choice.token == token_reading.token and set(choice.alternatives) - {choice.token}
        for choice in tokens
    )


WRAPS = st.tuples(
    st.sampled_from(["", " ", '"', ' "', "'", "(", "**", "\n", "“"]),
    st.sampled_from(["", '"', '",', "'", ")", "**", "\n", "”", " "]),
)
OTHERS = "ACD" + ascii_lowercase[4:8] + "]}"


@given(
    # With its nine others less than 1 in all.
    answer=st.floats(-8, -2.4),
    logs=st.dictionaries(st.sampled_from(list(OTHERS)), st.floats(-8, -2.4), min_size=1),
    wraps=st.lists(WRAPS, min_size=len(OTHERS), max_size=len(OTHERS)),
)
def test_quoting_of_alternatives_changes_nothing(
    answer: float, logs: dict[str, float], wraps: list[tuple[str, str]]
) -> None:
    """Whatever quotes, brackets and blanks stand around alternatives, the reading is the same."""
    places = dict(zip(OTHERS, wraps, strict=True))
    wrapped_logs = {places[name][0] + name + places[name][1]: log for name, log in logs.items()}
    assume(len(wrapped_logs) == len(logs))
    assume(set(logs) & set("ACD"))
    opened, closed = token_choice(OPENED), token_choice("}")
    plain_choice = TokenChoice('"B"', answer, logs)
    wrapped_choice = TokenChoice('"B"', answer, wrapped_logs)
    plain_token = read_answer_token([opened, plain_choice, closed], "ABCD", 1)
    wrapped_token = read_answer_token([opened, wrapped_choice, closed], "ABCD", 1)
    assert isinstance(plain_token, AnswerToken)
    assert isinstance(wrapped_token, AnswerToken)
    assert wrapped_token.probabilities == pytest.approx(plain_token.probabilities, abs=1e-12)
    assert wrapped_token.unseen_mass == pytest.approx(plain_token.unseen_mass, abs=1e-12)


# Ages


def age_shares(years: float, *places: Place) -> dict[int, float]:
    """The shares of ages at the token of a reply that can be read."""
    read = read_age_token(list(map(token_choice, places)), years)
    assert isinstance(read, IntegerDistribution), read
    assert read.value == years
    return dict(read.probabilities)


def test_age_shares_equal_those_by_hand() -> None:
    """One token or two, within quotes or not; other words and fractions are unseen."""
    key, end = ('{"Answer": ', {'{"Answer": ': 1.0}), (", ", {", ": 1.0})
    plain = ("78", {"78": 0.6, "80": 0.2, "about": 0.1, "78.5": 0.1})
    assert age_shares(78, key, plain, end) == pytest.approx({78: 0.75, 80: 0.25})
    quoted = (' "78",', {' "78",': 0.5, ' "80",': 0.25, " 80": 0.25})
    assert age_shares(78, ('{"Answer":', {'{"Answer":': 1.0}), quoted, end) == pytest.approx(
        {78: 0.5, 80: 0.5}
    )
    # 7 (.8; beside it 8, alone an age of 8) and then 8 (.75) or 9 (.25): .6, .2 and .2.
    digits = [("7", {"7": 0.8, "8": 0.2}), ("8", {"8": 0.75, "9": 0.25})]
    assert age_shares(78, key, *digits, end) == pytest.approx({78: 0.6, 79: 0.2, 8: 0.2})
    # The last key counts, and ages above 100 are ages.
    old = [("Answer: 3? ", {"Answer: 3? ": 1.0}), key, ("104", {"104": 0.5, "99": 0.5}), end]
    assert age_shares(104, *old) == pytest.approx({99: 0.5, 104: 0.5})


def test_half_years_and_unlisted_ages_are_scoring_failed() -> None:
    """Half years, an answer that isn't there, and one listed alone: missing, not certain."""
    key, end = ('{"Answer": ', {'{"Answer": ': 1.0}), (", ", {", ": 1.0})
    for years, place in (
        (78.5, ("78", {"78": 0.5, "79": 0.5})),
        (77.0, ("78", {"78": 0.5, "79": 0.5})),
        (78.0, ("78", {"78": 0.6, "about": 0.4})),
    ):
        token = read_age_token(list(map(token_choice, (key, place, end))), years)
        assert isinstance(token, ParseFailure), years
        assert token.status == "scoring_failed"


def test_an_age_whose_token_has_no_probability_is_scoring_failed() -> None:
    """Of a token that is 0 but for rounding, or that is no whole number, others' say nothing."""
    key, end = ('{"Answer": ', {'{"Answer": ': 1.0}), (", ", {", ": 1.0})
    for place in (
        ("78", {"78": 0.0, "79": 0.5, "80": 0.5}),
        ("78.0", {"78.0": 0.4, "79": 0.3, "80": 0.3}),
        ("78.0", {"78.0": 0.0, "80": 1.0}),
    ):
        token = read_age_token(list(map(token_choice, (key, place, end))), 78.0)
        assert token == ParseFailure("scoring_failed", "the answer has no probability"), place
