"""A scorer of an answer with the probability of each option, and of its token's probability."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence import answers
from inspect_confidence.answers import AnswerToken, JsonReply, ParseFailure
from inspect_confidence.scorers.explained import option_read
from inspect_confidence.scorers.log_metrics import OPTION_METRICS
from inspect_confidence.scorers.reading import (
    NAN,
    ParsedReply,
    no_reply,
    number_of,
    part_failure,
    read_reply,
)
from inspect_confidence.solvers.draws import tokens_of

VERDICTS = ("True", "False")


@dataclass(frozen=True)
class _Answer:
    """The parts of a reply that could be read."""

    index: int | None = None  # among the options
    probabilities: Sequence[float] = ()  # of each option, normalised
    raw_sum: float = NAN
    confidence: float = NAN
    failure: ParseFailure | None = None


@scorer(metrics=OPTION_METRICS)
def option_confidence() -> Scorer:
    """Score an answer against the target, with the probability stated for it and its token's.

    The value is a dict of numbers: `correct` (0 or 1; if the question gives an answer, whether that
    is right), `confidence` (in [0, 1]; if every option has a probability, the answer's divided by
    their sum), `raw_sum` (that sum), `token_confidence` (the probability of the answer at its own
    token, among the options) and `format_ok`. A number that could not be read is NaN, and its
    status is the score's reason; the metadata holds the probabilities of all options, so that an
    answer can be graded by another rule later.
    """

    async def score(state: TaskState, target: Target) -> Score:
        kind, right = str(state.metadata["kind"]), target.text
        names = VERDICTS if kind == "true_false" else ascii_uppercase[: len(state.choices)]
        reply = read_reply(state, answers.read_json)
        answer = _read(reply, kind, [choice.value for choice in state.choices])
        token_failure: ParseFailure | None = None
        token_reading = _read_token(state, names, answer.index)
        if isinstance(token_reading, ParseFailure):
            token, token_failure = AnswerToken((), NAN, ""), token_reading
        else:
            token = token_reading
        name = "" if answer.index is None else names[answer.index]
        graded = "True" if kind == "given" and answer.failure is None else name
        value = {
            "correct": float(graded == right) if graded else NAN,
            "confidence": answer.confidence,
            "raw_sum": answer.raw_sum,
            "token_confidence": _probability(token.probabilities, answer.index),
        }
        return ParsedReply(
            value,
            answer.failure,
            answer=name or None,
            # An answer may come without a confidence.
            sentence=option_read(value, name, right) if name or not answer.failure else "",
            metadata={
                "probabilities": json.dumps(list(answer.probabilities)),
                "token_status": token_failure.status if token_failure else "ok",
                "token_detail": token_failure.reason if token_failure else "",
                "token_probabilities": json.dumps(list(token.probabilities)),
                "unseen_mass": token.unseen_mass,
            },
        ).score("answer with its confidence")

    return score


def _read(reply: JsonReply | ParseFailure, kind: str, choices: Sequence[str]) -> _Answer:
    if isinstance(reply, ParseFailure):
        return _Answer(failure=part_failure("answer", reply))
    if kind != "options":
        verdict = answers.verdict_in(reply) if kind == "true_false" else None
        confidence = answers.probability_in(reply)
        return _Answer(
            None if verdict is None or isinstance(verdict, ParseFailure) else 1 - int(verdict),
            confidence=number_of(confidence),
            failure=part_failure("answer", verdict) or part_failure("confidence", confidence),
        )
    letter = answers.letter_in(reply, choices)
    shares = answers.probabilities_in(reply, len(choices))
    failure = part_failure("answer", letter) or part_failure("probabilities", shares)
    index = None if isinstance(letter, ParseFailure) else letter
    if isinstance(shares, ParseFailure):
        return _Answer(index, failure=failure)
    confidence = _probability(shares.values, index)
    return _Answer(index, shares.values, shares.raw_sum, confidence, failure)


def _probability(probabilities: Sequence[float], index: int | None) -> float:
    return probabilities[index] if probabilities and index is not None else NAN


def _read_token(
    state: TaskState, names: Sequence[str], index: int | None
) -> AnswerToken | ParseFailure:
    if failure := no_reply(state):
        return failure
    tokens = tokens_of(state.output.choices[0])
    if tokens is None:
        return ParseFailure("scoring_failed", "the provider gave no log probabilities")
    if index is None:
        return ParseFailure("invalid_response_format", "no answer was read from the reply")
    choices = [answers.TokenChoice(*token) for token in tokens]
    return answers.read_answer_token(choices, names, index)
