"""A scorer of an age at death and its probability against a life table."""

import math

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import (
    IntegerDistribution,
    ParseFailure,
    TokenChoice,
    age_in,
    probability_in,
    read_age_token,
    read_json,
)
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.scorers import log_metrics as logged
from inspect_confidence.scorers.explained import age_read
from inspect_confidence.scorers.reading import (
    ParsedReply,
    no_reply,
    number_of,
    part_failure,
    read_reply,
    without_noise,
)
from inspect_confidence.solvers.draws import tokens_of


@scorer(
    metrics=[
        *logged.OPTION_METRICS,
        logged.hard_easy_slope(),
        logged.overconfidence_by_radius(),
    ]
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
        table: `ssa-2022`, or a csv file with q_x, as for `read_life_table`; by default the
            table that the question was asked for.
        window: `half-open` or `closed`, as `LifeTable.window_probability` defines them; by default
            the task's.
    """

    async def score(state: TaskState, target: Target) -> Score:
        facts = state.metadata
        sex, age, radius = str(facts["sex"]), int(facts["age"]), float(facts["radius"])
        lives, edge = read_life_table(table or facts["table"]), window or str(facts["window"])
        best = lives.best_answer(sex, age, radius, edge)
        reply = read_reply(state, read_json)
        answer = reply if isinstance(reply, ParseFailure) else age_in(reply)
        probability = reply if isinstance(reply, ParseFailure) else probability_in(reply)
        years, confidence = number_of(answer), number_of(probability)
        true = lives.window_probability(sex, age, years, radius, edge)
        value = {
            "answer": years,
            "confidence": confidence,
            "score": true,
            "mas": best.probability,
            "best_answer": float(best.answer),
            "overconfidence": without_noise(confidence - true),
        }
        metadata: dict[str, object] = {"table": lives.name, "window": edge}
        token = no_reply(state) or _read_token(state, years)
        if isinstance(token, ParseFailure):
            metadata |= {"token_status": token.status, "token_detail": token.reason}
        elif token:
            value["token_confidence"] = token.probabilities[token.value]
            metadata |= {"token_status": "ok", "unseen_mass": token.unseen_mass}
        has_age = not math.isnan(years)  # an age may come without a confidence
        return ParsedReply(
            value,
            part_failure("answer", answer) or part_failure("confidence", probability),
            answer=f"{years:g}" if has_age else None,
            sentence=age_read(value, radius) if has_age else "",
            metadata=metadata,
        ).score("age with a confidence")

    return score


def _read_token(state: TaskState, years: float) -> IntegerDistribution | ParseFailure | None:
    """Read the distribution at the answer's token; None without log probabilities."""
    tokens = tokens_of(state.output.choices[0])
    if tokens is None:
        return None
    if math.isnan(years):
        return ParseFailure("invalid_response_format", "no age was read from the reply")
    return read_age_token([TokenChoice(*token) for token in tokens], years)
