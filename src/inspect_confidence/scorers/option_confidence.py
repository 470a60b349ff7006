"""Reads an answer with the probability of each option, and what its token's probability says."""

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
from inspect_confidence.scorers.reading import NAN, Reading, in_part, no_reply, read_reply
from inspect_confidence.solvers.draws import tokens_of

VERDICTS = ("True", "False")


@dataclass(frozen=True)
class _Read:
    """What a reply says; what it doesn't, or what wasn't asked for, is left out."""

    answer: int | None = None  # its place among the options
    probabilities: Sequence[float] = ()  # of each option, normalised
    raw_sum: float = NAN
    confidence: float = NAN
    failure: ParseFailure | None = None


@scorer(metrics=OPTION_METRICS)
def option_confidence() -> Scorer:
    """Score an answer against the target, with the probability stated for it and its token's.

    The value is a dict of numbers: `correct` (0 or 1; of an answer that was given, whether it is
    right), `confidence` (in [0, 1]; where every option has a probability, that of the answer after
    dividing by their sum), `raw_sum` (that sum), `token_confidence` (the probability of the answer
    at its own token, among the options) and `format_ok`. What could not be read is NaN, and its
    status is the score's reason; the metadata holds all options' probabilities, so that an answer
    can be graded otherwise later.
    """

    async def score(state: TaskState, target: Target) -> Score:
        kind, right = str(state.metadata["kind"]), target.text
        names = VERDICTS if kind == "true_false" else ascii_uppercase[: len(state.choices)]
        reply = read_reply(state, answers.read_json)
        read = _read(reply, kind, [choice.value for choice in state.choices])
        found = no_reply(state) or _token(state, names, read.answer)
        lost = found if isinstance(found, ParseFailure) else None
        token = AnswerToken((), NAN, "") if isinstance(found, ParseFailure) else found
        named = "" if read.answer is None else names[read.answer]
        graded = "True" if kind == "given" and read.failure is None else named
        value = {
            "correct": float(graded == right) if graded else NAN,
            "confidence": read.confidence,
            "raw_sum": read.raw_sum,
            "token_confidence": _of(token.probabilities, read.answer),
        }
        return Reading(
            value,
            read.failure,
            answer=named or None,
            # An answer may come without a confidence.
            said=option_read(value, named, right) if named or not read.failure else "",
            kept={
                "probabilities": json.dumps(list(read.probabilities)),
                "token_status": lost.status if lost else "ok",
                "token_detail": lost.reason if lost else "",
                "token_probabilities": json.dumps(list(token.probabilities)),
                "unseen_mass": token.unseen_mass,
            },
        ).score("answer with its confidence")

    return score


def _read(reply: JsonReply | ParseFailure, kind: str, choices: Sequence[str]) -> _Read:
    if isinstance(reply, ParseFailure):
        return _Read(failure=in_part("answer", reply))
    if kind != "options":
        verdict = answers.verdict_in(reply) if kind == "true_false" else None
        stated = answers.probability_in(reply)
        return _Read(
            None if verdict is None or isinstance(verdict, ParseFailure) else 1 - int(verdict),
            confidence=NAN if isinstance(stated, ParseFailure) else stated,
            failure=in_part("answer", verdict) or in_part("confidence", stated),
        )
    letter = answers.letter_in(reply, choices)
    shares = answers.probabilities_in(reply, len(choices))
    failure = in_part("answer", letter) or in_part("probabilities", shares)
    answer = None if isinstance(letter, ParseFailure) else letter
    if isinstance(shares, ParseFailure):
        return _Read(answer, failure=failure)
    return _Read(answer, shares.values, shares.raw_sum, _of(shares.values, answer), failure)


def _of(probabilities: Sequence[float], answer: int | None) -> float:
    return probabilities[answer] if probabilities and answer is not None else NAN


def _token(
    state: TaskState, names: Sequence[str], answer: int | None
) -> AnswerToken | ParseFailure:
    tokens = tokens_of(state.output.choices[0])
    if tokens is None:
        return ParseFailure("scoring_failed", "the provider gave no log probabilities")
    if answer is None:
        return ParseFailure("invalid_response_format", "no answer was read from the reply")
    listed = [answers.TokenChoice(*token) for token in tokens]
    return answers.read_answer_token(listed, names, answer)
