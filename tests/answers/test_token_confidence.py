"""How probable an answer's token was, by hand; what isn't known is a failure, never certainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as some

from inspect_confidence.answers import (
    ParseFailure,
    TokenChoice,
    TokenConfidence,
    read_p_true,
    read_token_confidence,
)


def said(token: str, share: float, **others: float) -> TokenChoice:
    """A token with that probability, and those of what else could have stood there."""
    logs = {name: math.log(one) if one else -9999.0 for name, one in others.items()}
    return TokenChoice(token, math.log(share), {token: math.log(share), **logs})


def plain(*texts: str) -> list[TokenChoice]:
    """Tokens about which nothing is known but themselves."""
    return [TokenChoice(text, 0.0, {}) for text in texts]


def check(read: TokenConfidence | ParseFailure, wanted: tuple[float, float] | str) -> None:
    """A confidence with the mass unseen (None where nothing else was possible), or a status."""
    if isinstance(read, ParseFailure):
        assert (read.status, read.reason != "") == (wanted, True)
    else:
        assert (read.confidence, read.unseen_mass) == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize(
    ("reply", "tokens", "wanted"),
    [
        ("True", [said("True", 0.6, False_=0.0, False__=0.0)], "scoring_failed"),
        ("True", [said("True", 0.6, **{"False": 0.2})], (0.75, 0.2)),
        # P(True), whichever of both was said.
        ("False", [said("False", 0.6, **{"True": 0.2})], (0.25, 0.2)),
        # Spellings are added up: (.5 + .1) of (.5 + .1 + .2 + .1).
        (" true.", [said(" true", 0.5, True_=0.0, **{"TRUE": 0.1, "False": 0.2, " false": 0.1}),
                    *plain(".")], (0.6 / 0.9, 0.1)),
        ("True", [said("True", 0.995, **{"Yes": 0.005})], (1.0, 0.005)),
        ("True", [said("True", 0.9, **{"Yes": 0.1})], "scoring_failed"),
        ("True", plain("True"), "scoring_failed"),
        ("True", None, "scoring_failed"),
        ("True", [], "scoring_failed"),
        ("Answer: False", [*plain("Answer", ":"), said(" False", 0.8, **{" True": 0.2})], (0.2, 0)),
        ("**True**", [*plain("**"), said("True", 0.5, **{"False": 0.5}), *plain("**")], (0.5, 0)),
        ("", [], "no_response"),
        (" \n", plain(" \n"), "no_response"),
        ("Truth is hard.", [said("Tru", 0.9), *plain("th is hard.")], "invalid_response_format"),
        ("I can't say.", [said("I", 1.0), *plain(" can't say.")], "invalid_response_format"),
    ],
)  # fmt: skip
def test_p_true(
    reply: str, tokens: list[TokenChoice] | None, wanted: tuple[float, float] | str
) -> None:
    """Its share of both words at the token that is one of them; the rest is unseen."""
    check(read_p_true(reply, tokens), wanted)


CHOICES = ["Rome", "Paris", "Oslo"]


@pytest.mark.parametrize(
    ("reply", "tokens", "wanted"),
    [
        ("B", [said("B", 0.6, A=0.2, The=0.2)], (0.75, 0.2)),
        ("(C)", [*plain("("), said("C", 0.7, A=0.1, B=0.2), *plain(")")], (0.7, 0)),
        # The last label counts, as in the reading of the text.
        (
            "Not A: it is south.\nANSWER: B",
            [*plain("Not A: it is south.\n", "ANSWER", ":"), said(" B", 0.9, **{" C": 0.1})],
            (0.9, 0),
        ),
        ("Paris", plain("Paris"), "scoring_failed"),  # a text's tokens aren't the choices'
        ("B", plain("B"), "scoring_failed"),
        ("B", None, "scoring_failed"),
        ("Both A and B.", [said("Both", 1.0), *plain(" A and B.")], "ambiguous"),
        ("I'm sorry, but I can't answer that.", plain("I'm sorry..."), "refusal"),
        ("", [], "no_response"),
    ],
)
def test_a_choices_letter(
    reply: str, tokens: list[TokenChoice] | None, wanted: tuple[float, float] | str
) -> None:
    """The share of the letter that was chosen among the letters."""
    check(read_token_confidence(reply, tokens, CHOICES), wanted)


def test_more_choices_than_letters() -> None:
    """A choice without a letter has no token of its own; the others have theirs."""
    many = [f"town {number}" for number in range(30)]
    check(
        read_token_confidence("town 28", [said("town", 0.9), *plain(" 28")], many), "scoring_failed"
    )
    check(read_token_confidence("B", [said("B", 0.5, A=0.5)], many), (0.5, 0))


@pytest.mark.parametrize(
    ("reply", "tokens", "wanted"),
    [
        ("Paris", [said("Paris", 0.8, Rome=0.1)], (0.8, math.nan)),
        ("Paris", [*plain("\n"), said("Paris", 0.8)], (0.8, math.nan)),
        ("Paris", [said("Paris", 0.8), *plain("<|im_end|>")], (0.8, math.nan)),
        ("42", [TokenChoice("42", 1e-6, {})], (1, math.nan)),  # rounded above 1 by the provider
        ("Paris.", [said("Paris", 0.8), *plain(".")], "scoring_failed"),
        ("Paris", [TokenChoice("Paris", -math.inf, {})], "scoring_failed"),
        ("Paris", [TokenChoice("Paris", math.nan, {})], "scoring_failed"),
        ("Paris", None, "scoring_failed"),
        ("Paris", [], "scoring_failed"),
        ("", None, "no_response"),
        ("I don't know.", None, "refusal"),
    ],
)
def test_a_whole_reply(
    reply: str, tokens: list[TokenChoice] | None, wanted: tuple[float, float] | str
) -> None:
    """Where there are no choices the reply must be one token."""
    check(read_token_confidence(reply, tokens, []), wanted)


@pytest.mark.parametrize("choices", [[], ["Paris", "Rome"]])
def test_impossible_log_probabilities_are_no_confidence(choices: list[str]) -> None:
    """A probability of 2 is none, of the whole reply as of a letter and of True."""
    reply = "A" if choices else "Paris"
    failures = [
        read_token_confidence(reply, [TokenChoice(reply, 0.7, {"B": -3.0})], choices),
        read_p_true("True", [TokenChoice("True", 0.7, {"False": -3.0})]),
    ]
    for failure in failures:
        assert isinstance(failure, ParseFailure)
        assert failure.status == "scoring_failed"
        assert failure.reason.startswith("impossible log probabilities: those at the token")


logprobs = some.one_of(some.floats(max_value=0), some.sampled_from([-9999.0, 1e-9, math.nan]))
words = some.sampled_from(["True", " False", "true", "A", " B", "c", "Answer", ":", " ", "", "**"])
tokens_said = some.lists(
    some.builds(
        TokenChoice, words | some.text(max_size=4), logprobs, some.dictionaries(words, logprobs)
    ),
    max_size=5,
)


@given(tokens_said, some.integers(0, 30))
def test_any_tokens_are_a_confidence_or_a_failure(tokens: Sequence[TokenChoice], size: int) -> None:
    """Both shares lie in [0, 1]; without log probabilities nothing is certain, whatever is said."""
    reply = "".join(one.token for one in tokens)
    choices = [f"choice {number}" for number in range(size)]
    for read in (read_p_true(reply, tokens), read_token_confidence(reply, tokens, choices)):
        if isinstance(read, ParseFailure):
            assert read.reason
        else:
            assert 0 <= read.confidence <= 1
            assert math.isnan(read.unseen_mass) or 0 <= read.unseen_mass <= 1
    assert isinstance(read_p_true(reply, None), ParseFailure)
    assert isinstance(read_token_confidence(reply, None, choices), ParseFailure)
