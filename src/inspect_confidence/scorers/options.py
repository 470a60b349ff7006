"""Scorers of replies in JSON: an option or an age, its stated probability, and its token's."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence import answers
from inspect_confidence.answers import (
    NO_TOKENS,
    AnswerToken,
    IntegerDistribution,
    JsonReply,
    ParseFailure,
    TokenChoice,
)
from inspect_confidence.datasets.life_tables import LifeTable, read_life_table
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import age_read, option_read
from inspect_confidence.scorers.parsed import (
    NAN,
    ParsedReply,
    no_reply,
    number_of,
    part_failure,
    read_reply,
    status_of,
    without_noise,
)
from inspect_confidence.solvers.draws import choice_texts, draw_of

VERDICTS = ("True", "False")


@dataclass(frozen=True)
class _Answer:
    """The parts of a reply that could be read."""

    index: int | None = None  # among the options
    probabilities: Sequence[float] = ()  # of each option, normalised
    raw_sum: float = NAN  # of the probabilities as stated
    confidence: float = NAN
    failure: ParseFailure | None = None


@scorer(metrics=logged.OPTION_METRICS)
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
        return _score_option(state, target)

    return score


def _score_option(state: TaskState, target: Target) -> Score:
    """Return the score of an answer in JSON and its probabilities.

    The target is the name of the right option: its letter, or `True` or `False` of a statement. A
    question of the kind `given` shows an answer and asks only for the confidence in it; the target
    is then `True` if that answer is right.
    """
    kind, right = str(state.metadata["kind"]), target.text
    # A sample with the study's prompt has its choices in the prompt and in `options`.
    options = state.metadata.get("options", choice_texts(state))
    names = VERDICTS if kind == "true_false" else ascii_uppercase[: len(options)]
    # The answer's index among the options, its probability, and the failure of either.
    answer = _read(read_reply(state, answers.read_json), kind, options)
    token_reading = _read_option_token(state, names, answer.index)
    token = AnswerToken((), NAN, "")  # no probabilities
    if not isinstance(token_reading, ParseFailure):
        token = token_reading
    name = "" if answer.index is None else names[answer.index]
    # If the question gives the answer, that counts as the name `True`.
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
            **status_of(token_reading, "token_"),
            "token_probabilities": json.dumps(list(token.probabilities)),
            "unseen_mass": token.unseen_mass,
        },
    ).score("answer with its confidence")


def _read(reply: JsonReply | ParseFailure, kind: str, choices: Sequence[str]) -> _Answer:
    """Read the answer and its probability from a reply's JSON, or the failure of either.

    The result has the answer's index among the options (`choices`), the options' probabilities, and
    the confidence in the answer; parts that could not be read are None, empty or NaN. The kind is
    `options` (a probability for each choice), `true_false` (index 0 is true), or `given` (a
    confidence in an answer that the question shows; there is no index).
    """
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


def _read_option_token(
    state: TaskState, names: Sequence[str], index: int | None
) -> AnswerToken | ParseFailure:
    """Return the probabilities of all options at the token of answer number `index`, or why not."""
    tokens = _tokens(state)
    if isinstance(tokens, ParseFailure):
        return tokens
    if index is None:
        return ParseFailure("invalid_response_format", "no answer was read from the reply")
    return answers.read_answer_token(tokens, names, index)


@scorer(
    metrics=[*logged.OPTION_METRICS, logged.hard_easy_slope(), logged.overconfidence_by_radius()]
)
def age_at_death(table: str | None = None, window: str | None = None) -> Scorer:
    """Score an age by the true probability that the person dies within the radius around it.

    The value is a dict of numbers: `answer` (years), `confidence` (in [0, 1]), `score` (the true
    probability of dying in the window around the answer, given the age reached), `mas` (the maximum
    achievable score: the greatest that any whole answer has), `best_answer` (the lowest age that
    has it), `overconfidence` (confidence - score) and `format_ok`. A number that could not be read
    is NaN, and its status is the score's reason; an age without a confidence keeps its score. If
    the reply has log probabilities, `token_confidence` is the answer's among the ages at its token.

    Args:
        table: `ssa-2022`, or a csv file with probabilities to die within a year, as for
            `read_life_table`; by default the table that the question was asked for.
        window: `half-open` or `closed`, as `LifeTable.window_probability` defines them; by default
            the task's.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Return the score by the scorer's table and window, or else those of the sample."""
        life_table = read_life_table(table or state.metadata["table"])
        return _score_age(state, life_table, window or str(state.metadata["window"]))

    return score


def _score_age(state: TaskState, life_table: LifeTable, window: str) -> Score:
    """Return the score of the age in a reply by a life table; `window` is half-open or closed.

    The key `score` is the probability of dying within `radius` years of the answer, and `mas` the
    greatest that an answer can have.
    """
    facts = state.metadata
    sex, age, radius = str(facts["sex"]), int(facts["age"]), float(facts["radius"])
    best = life_table.best_answer(sex, age, radius, window)
    reply = read_reply(state, answers.read_json)
    answer = reply if isinstance(reply, ParseFailure) else answers.age_in(reply)
    probability = reply if isinstance(reply, ParseFailure) else answers.probability_in(reply)
    years, confidence = number_of(answer), number_of(probability)  # NaN if not read
    truth = life_table.window_probability(sex, age, years, radius, window)
    value = {
        "answer": years,
        "confidence": confidence,
        "score": truth,
        "mas": best.probability,
        "best_answer": float(best.answer),
        "overconfidence": without_noise(confidence - truth),
    }
    metadata: dict[str, object] = {"table": life_table.name, "window": window}
    token = _read_age_token(state, years)
    if not isinstance(token, ParseFailure):
        value["token_confidence"] = token.probabilities[token.value]
        metadata |= {"token_status": "ok", "unseen_mass": token.unseen_mass}
    elif token is not NO_TOKENS:  # the reply has tokens, or there is no reply
        metadata |= status_of(token, "token_")
    has_age = not math.isnan(years)  # an age may come without a confidence
    return ParsedReply(
        value,
        part_failure("answer", answer) or part_failure("confidence", probability),
        answer=f"{years:g}" if has_age else None,
        sentence=age_read(value, radius) if has_age else "",
        metadata=metadata,
    ).score("age with a confidence")


def _read_age_token(state: TaskState, years: float) -> IntegerDistribution | ParseFailure:
    """Return the probabilities of ages at the token of the answer `years`, or why not."""
    tokens = _tokens(state)
    if isinstance(tokens, ParseFailure):
        return tokens
    if math.isnan(years):
        return ParseFailure("invalid_response_format", "no age was read from the reply")
    return answers.read_age_token(tokens, years)


def _tokens(state: TaskState) -> list[TokenChoice] | ParseFailure:
    """Return the tokens of a sample's reply, or why there are none."""
    if failure := no_reply(state):
        return failure
    tokens = draw_of(state.output).token_choices
    return NO_TOKENS if tokens is None else tokens
