"""Readers of the probability that a model's tokens give to the answer of a reply, or to True."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from inspect_confidence.answers.choices import SEVERAL_RIGHT, read_choice
from inspect_confidence.answers.clean import clean, is_refusal
from inspect_confidence.answers.status import ParseFailure
from inspect_confidence.answers.tokens import (
    SPECIAL,
    TokenChoice,
    impossible_logprobs,
    read_answer_token,
)

_VERDICT = re.compile(r"\W*(?:answer\W+)?(true|false)\b", re.I)
_LABEL = re.compile(r"answer\W*:", re.I)
NO_TOKENS = ParseFailure("scoring_failed", "the provider gave no log probabilities")


@dataclass(frozen=True)
class TokenConfidence:
    """The probability of an answer among the possible answers listed by the provider.

    `unseen_mass` is the probability of all other tokens, in [0, 1]; it is NaN for an answer without
    choices, where no other answer is defined. `name` is the answer's name.
    """

    confidence: float
    unseen_mass: float
    name: str


def read_p_true(reply: str, tokens: Sequence[TokenChoice] | None) -> TokenConfidence | ParseFailure:
    """Read P(True) / (P(True) + P(False)) at the token of a reply that is True or False.

    An empty reply is `no_response`, any other that is neither True nor False
    `invalid_response_format`. Without usable log probabilities the result is `scoring_failed`.

    Example:
        >>> said = TokenChoice("True", math.log(0.6), {"False": math.log(0.2)})
        >>> round(read_p_true("True", [said]).confidence, 3)
        0.75
    """
    match = _VERDICT.match(clean(reply))  # "True", "Answer: false"
    if match is None and not reply.strip():
        return ParseFailure("no_response", "the reply is empty")
    if match is None:
        return ParseFailure("invalid_response_format", "the reply is neither True nor False")
    answer = ("true", "false").index(match[1].lower())
    # Place 0 is that of True, whatever the reply says.
    return _probability_among_names(reply, tokens, ("True", "False"), answer=answer, place=0)


def read_token_confidence(
    reply: str,
    tokens: Sequence[TokenChoice] | None,
    choices: Sequence[str],
    *,
    has_several_right: bool = False,
    truncated: bool = False,
) -> TokenConfidence | ParseFailure:
    """Read the probability of the one token of the answer: a choice's letter, or the whole reply.

    A letter's probability is its share among the letters that the provider lists. It is
    `scoring_failed` without choices if the answer has several tokens, and with choices if several
    of them are right (`has_several_right`): no token then stands for the whole answer.

    Example:
        >>> said = TokenChoice("Paris", math.log(0.8), {})
        >>> round(read_token_confidence("Paris", [said], []).confidence, 3)
        0.8
    """
    if choices and has_several_right:
        return SEVERAL_RIGHT
    if choices:
        choice = read_choice(reply, choices, truncated=truncated)
        if isinstance(choice, ParseFailure):
            return choice
        names = ascii_uppercase[: len(choices)]
        if choice.index >= len(names):
            return ParseFailure("scoring_failed", "the choice has no letter")
        # `place`: the confidence is the probability of the answer itself.
        return _probability_among_names(
            reply, tokens, names, answer=choice.index, place=choice.index
        )
    return _probability_of_only_token(reply, tokens)


def _probability_of_only_token(
    reply: str, tokens: Sequence[TokenChoice] | None
) -> TokenConfidence | ParseFailure:
    """Return the probability of the one token that is the whole reply; a failure if it has more.

    The unseen mass is NaN, since no other answer is defined.
    """
    if not reply.strip():
        return ParseFailure("no_response", "the reply is empty")
    if is_refusal(clean(reply)):
        return ParseFailure("refusal", "the reply declines to answer")
    if tokens is None:
        return NO_TOKENS
    reply_tokens = [
        token for token in tokens if token.token.strip() and not SPECIAL.fullmatch(token.token)
    ]
    if len(reply_tokens) != 1 or not math.isfinite(reply_tokens[0].logprob):
        return ParseFailure("scoring_failed", "the answer is not one token")
    if failure := impossible_logprobs(reply_tokens):
        return failure
    token = reply_tokens[0]
    # A log probability that was rounded may be just above 0.
    return TokenConfidence(math.exp(min(token.logprob, 0.0)), math.nan, token.token.strip())


def _probability_among_names(
    reply: str, tokens: Sequence[TokenChoice] | None, names: Sequence[str], answer: int, place: int
) -> TokenConfidence | ParseFailure:
    """Return the probability of the name with index `place` at the token of the answer.

    `names` are the possible answers, and `answer` is the index of that which the reply states.
    `tokens` are those of the reply; None if the provider gave none, which is a failure.
    """
    if tokens is None:
        return NO_TOKENS
    # The answer is looked for after a label. Without one it is at the reply's start.
    labelled = [] if _LABEL.search(reply) else [TokenChoice("Answer: ", 0.0, {})]
    read = read_answer_token([*labelled, *tokens], names, answer)
    if isinstance(read, ParseFailure):
        return read
    return TokenConfidence(read.probabilities[place], read.unseen_mass, names[place])
