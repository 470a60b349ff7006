"""How probable an answer's token was, by hand; what isn't known is a failure, never certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.cases import log_probabilities
from build import attributes_of, numbered
from inspect_confidence.answers import (
    ParseFailure,
    TokenChoice,
    TokenConfidence,
    read_p_true,
    read_token_confidence,
)


def chosen_token(token: str, share: float, **alternatives: float) -> TokenChoice:
    """A token with that probability, and those of what else could have stood there."""
    logs = log_probabilities({token: share, **alternatives})
    return TokenChoice(token, logs[token], logs)


def bare_tokens(*texts: str) -> list[TokenChoice]:
    """Tokens about which nothing is known but themselves."""
    return [TokenChoice(text, 0.0, {}) for text in texts]


def check(read: TokenConfidence | ParseFailure, expected: tuple[float, float] | str) -> None:
    """A confidence with the mass unseen (None where nothing else was possible), or a status."""
    if isinstance(read, ParseFailure):
        assert (read.status, read.reason != "") == (expected, True)
    else:
        assert (read.confidence, read.unseen_mass) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("reply", "tokens", "expected"),
    [
        ("True", [chosen_token("True", 0.6, False_=0.0, False__=0.0)], "scoring_failed"),
        ("True", [chosen_token("True", 0.6, **{"False": 0.2})], (0.75, 0.2)),
        # P(True), whichever of both was said.
        ("False", [chosen_token("False", 0.6, **{"True": 0.2})], (0.25, 0.2)),
        # Spellings are added up: (.5 + .1) of (.5 + .1 + .2 + .1).
        (
            " true.",
            [
                chosen_token(" true", 0.5, True_=0.0, **{"TRUE": 0.1, "False": 0.2, " false": 0.1}),
                *bare_tokens("."),
            ],
            (0.6 / 0.9, 0.1),
        ),
        ("True", [chosen_token("True", 0.995, **{"Yes": 0.005})], (1.0, 0.005)),
        ("True", [chosen_token("True", 0.9, **{"Yes": 0.1})], "scoring_failed"),
        ("True", bare_tokens("True"), "scoring_failed"),
        ("True", None, "scoring_failed"),
        ("True", [], "scoring_failed"),
        (
            "Answer: False",
            [*bare_tokens("Answer", ":"), chosen_token(" False", 0.8, **{" True": 0.2})],
            (0.2, 0),
        ),
        (
            "**True**",
            [*bare_tokens("**"), chosen_token("True", 0.5, **{"False": 0.5}), *bare_tokens("**")],
            (0.5, 0),
        ),
        ("", [], "no_response"),
        (" \n", bare_tokens(" \n"), "no_response"),
        (
            "Truth is hard.",
            [chosen_token("Tru", 0.9), *bare_tokens("th is hard.")],
            "invalid_response_format",
        ),
        (
            "I can't say.",
            [chosen_token("I", 1.0), *bare_tokens(" can't say.")],
            "invalid_response_format",
        ),
    ],
)
def test_p_true_is_the_share_of_true_among_both_words(
    reply: str, tokens: list[TokenChoice] | None, expected: tuple[float, float] | str
) -> None:
    """Its share of both words at the token that is one of them; the rest is unseen."""
    check(read_p_true(reply, tokens), expected)


CHOICES = ["Rome", "Paris", "Oslo"]


@pytest.mark.parametrize(
    ("reply", "tokens", "expected"),
    [
        ("B", [chosen_token("B", 0.6, A=0.2, The=0.2)], (0.75, 0.2)),
        (
            "(C)",
            [*bare_tokens("("), chosen_token("C", 0.7, A=0.1, B=0.2), *bare_tokens(")")],
            (0.7, 0),
        ),
        # The last label counts, as in the reading of the text.
        (
            "Not A: it is south.\nANSWER: B",
            [
                *bare_tokens("Not A: it is south.\n", "ANSWER", ":"),
                chosen_token(" B", 0.9, **{" C": 0.1}),
            ],
            (0.9, 0),
        ),
        ("Paris", bare_tokens("Paris"), "scoring_failed"),  # a text's tokens aren't the choices'
        ("B", bare_tokens("B"), "scoring_failed"),
        ("B", None, "scoring_failed"),
        ("Both A and B.", [chosen_token("Both", 1.0), *bare_tokens(" A and B.")], "ambiguous"),
        ("I'm sorry, but I can't answer that.", bare_tokens("I'm sorry..."), "refusal"),
        ("", [], "no_response"),
    ],
)
def test_token_confidence_of_a_choice_is_its_letters_share_among_letters(
    reply: str, tokens: list[TokenChoice] | None, expected: tuple[float, float] | str
) -> None:
    """The share of the letter that was chosen among the letters."""
    check(read_token_confidence(reply, tokens, CHOICES), expected)


@pytest.mark.parametrize("reply", ["Both A and B.", "B", "It depends.", ""])
def test_no_letter_has_the_confidence_of_an_answer_if_several_are_right(reply: str) -> None:
    """The limit is the instrument's, whatever the reply; without choices there is no letter."""
    tokens = [chosen_token("B", 0.6, A=0.4)]
    read = read_token_confidence(reply, tokens, CHOICES, has_several_right=True)
    assert read == ParseFailure("scoring_failed", "several choices may be right")
    check(read_token_confidence("B", tokens, [], has_several_right=True), (0.6, math.nan))


def test_a_choice_beyond_the_alphabet_has_no_token_confidence() -> None:
    """A choice without a letter has no token of its own; the others have theirs."""
    many = numbered("town ", 30)
    check(
        read_token_confidence("town 28", [chosen_token("town", 0.9), *bare_tokens(" 28")], many),
        "scoring_failed",
    )
    check(read_token_confidence("B", [chosen_token("B", 0.5, A=0.5)], many), (0.5, 0))


@pytest.mark.parametrize(
    ("reply", "tokens", "expected"),
    [
        ("Paris", [chosen_token("Paris", 0.8, Rome=0.1)], (0.8, math.nan)),
        ("Paris", [*bare_tokens("\n"), chosen_token("Paris", 0.8)], (0.8, math.nan)),
        ("Paris", [chosen_token("Paris", 0.8), *bare_tokens("<|im_end|>")], (0.8, math.nan)),
        ("42", [TokenChoice("42", 1e-6, {})], (1, math.nan)),  # rounded above 1 by the provider
        ("Paris.", [chosen_token("Paris", 0.8), *bare_tokens(".")], "scoring_failed"),
        ("Paris", [TokenChoice("Paris", -math.inf, {})], "scoring_failed"),
        ("Paris", [TokenChoice("Paris", math.nan, {})], "scoring_failed"),
        ("Paris", None, "scoring_failed"),
        ("Paris", [], "scoring_failed"),
        ("", None, "no_response"),
        ("I don't know.", None, "refusal"),
    ],
)
def test_token_confidence_without_choices_needs_a_reply_of_one_token(
    reply: str, tokens: list[TokenChoice] | None, expected: tuple[float, float] | str
) -> None:
    """Where there are no choices the reply must be one token."""
    check(read_token_confidence(reply, tokens, []), expected)


logprobs = st.one_of(st.floats(max_value=0), st.sampled_from([-9999.0, 1e-9, math.nan]))
words = st.sampled_from(["True", " False", "true", "A", " B", "c", "Answer", ":", " ", "", "**"])
any_tokens = st.lists(
    st.builds(TokenChoice, words | st.text(max_size=4), logprobs, st.dictionaries(words, logprobs)),
    max_size=5,
)


@given(any_tokens, st.integers(0, 30))
def test_any_tokens_are_a_confidence_or_a_failure(tokens: Sequence[TokenChoice], size: int) -> None:
    """Both shares lie in [0, 1]; without log probabilities nothing is certain, whatever is said."""
    reply = "".join(attributes_of(tokens, "token"))
    choices = numbered("choice ", size)
    for read in (read_p_true(reply, tokens), read_token_confidence(reply, tokens, choices)):
        if isinstance(read, ParseFailure):
            assert read.reason
        else:
            assert 0 <= read.confidence <= 1
            assert math.isnan(read.unseen_mass) or 0 <= read.unseen_mass <= 1
    assert isinstance(read_p_true(reply, None), ParseFailure)
    assert isinstance(read_token_confidence(reply, None, choices), ParseFailure)
