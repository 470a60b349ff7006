"""Reads an answer with the probability of each option, and what its token's probability says."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    RUN_STATUSES,
    JsonReply,
    TokenChoice,
    Unreadable,
    letter_in,
    probabilities_in,
    probability_in,
    read_answer_token,
    read_json,
    verdict_in,
)
from inspect_confidence.scorers.explained import option_read, unread
from inspect_confidence.scorers.log_metrics import OPTION_METRICS
from inspect_confidence.scorers.reading import not_asked
from inspect_confidence.solvers.draws import tokens_of

_NAN = float("nan")
VERDICTS = ("True", "False")


@dataclass(frozen=True)
class _Read:
    """What a reply says.

    Attributes:
        answer: The place of the answer among the options; None where there is none, or none asked.
        probabilities: Of each option, normalised; empty where one confidence was asked for.
        raw_sum: Of the probabilities as stated.
        confidence: In the answer.
        failures: What could not be read, by name.
    """

    answer: int | None = None
    probabilities: Sequence[float] = ()
    raw_sum: float = _NAN
    confidence: float = _NAN
    failures: tuple[tuple[str, Unreadable], ...] = ()


@dataclass(frozen=True)
class _Token:
    """What the token of the answer says.

    Attributes:
        status: `ok`, or why there is nothing.
        detail: Likewise, for people.
        probabilities: Of each option.
        unseen_mass: The probability on nothing that is an option.
    """

    status: str
    detail: str
    probabilities: Sequence[float] = ()
    unseen_mass: float = _NAN


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
        if unasked := not_asked(state):
            return _score(_Read(), names, right, kind, unasked, _Token(*unasked))
        cut = state.output.stop_reason == "max_tokens"
        reply = read_json(state.output.completion, truncated=cut)
        read = (
            _Read(failures=(("answer", reply),))
            if isinstance(reply, Unreadable)
            else _read(reply, kind, [choice.value for choice in state.choices])
        )
        failure = next(
            ((part.status, f"{name}: {part.reason}") for name, part in read.failures), None
        )
        return _score(read, names, right, kind, failure, _token(state, names, read.answer))

    return score


def _read(reply: JsonReply, kind: str, choices: Sequence[str]) -> _Read:
    if kind != "options":
        verdict = verdict_in(reply) if kind == "true_false" else None
        stated = probability_in(reply)
        answer = None if verdict is None or isinstance(verdict, Unreadable) else 1 - int(verdict)
        return _Read(
            answer,
            confidence=_NAN if isinstance(stated, Unreadable) else stated,
            failures=_failures(("answer", verdict), ("confidence", stated)),
        )
    letter, stated_all = letter_in(reply, choices), probabilities_in(reply, len(choices))
    failures = _failures(("answer", letter), ("probabilities", stated_all))
    answer = None if isinstance(letter, Unreadable) else letter
    if isinstance(stated_all, Unreadable):
        return _Read(answer, failures=failures)
    values = stated_all.values
    return _Read(answer, values, stated_all.raw_sum, _of(values, answer), failures)


def _of(probabilities: Sequence[float], answer: int | None) -> float:
    return probabilities[answer] if probabilities and answer is not None else _NAN


def _failures(*parts: tuple[str, object]) -> tuple[tuple[str, Unreadable], ...]:
    return tuple((name, part) for name, part in parts if isinstance(part, Unreadable))


def _token(state: TaskState, names: Sequence[str], answer: int | None) -> _Token:
    tokens = tokens_of(state.output.choices[0])
    if tokens is None:
        return _Token("scoring_failed", "the provider gave no log probabilities")
    if answer is None:
        return _Token("invalid_response_format", "no answer was read from the reply")
    found = read_answer_token([TokenChoice(*token) for token in tokens], names, answer)
    if isinstance(found, Unreadable):
        return _Token(found.status, found.reason)
    return _Token("ok", "", found.probabilities, found.unseen_mass)


def _score(
    read: _Read,
    names: Sequence[str],
    target: str,
    kind: str,
    failure: tuple[str, str] | None,
    token: _Token,
) -> Score:
    named = "" if read.answer is None else names[read.answer]
    correct = float(named == target) if named else _NAN
    if kind == "given" and failure is None:
        correct = float(target == "True")
    status, detail = failure or ("ok", "")
    value = {
        "correct": correct,
        "confidence": read.confidence,
        "raw_sum": read.raw_sum,
        "token_confidence": _of(token.probabilities, read.answer),
        "format_ok": _NAN if status in RUN_STATUSES else float(failure is None),
    }
    return Score(
        value=value,
        answer=named or None,
        explanation=" ".join(_said(value, named, target, failure)),
        reason=None if failure is None else status,
        metadata={
            "status": status,
            "detail": detail,
            "probabilities": json.dumps(list(read.probabilities)),
            "token_status": token.status,
            "token_detail": token.detail,
            "token_probabilities": json.dumps(list(token.probabilities)),
            "unseen_mass": token.unseen_mass,
        },
    )


def _said(
    value: dict[str, float], named: str, target: str, failure: tuple[str, str] | None
) -> Iterator[str]:
    """What wasn't read and what was: an answer may come without a confidence."""
    if failure:
        yield unread("answer with its confidence", *failure)
    if named or not failure:
        yield option_read(value, named, target)
