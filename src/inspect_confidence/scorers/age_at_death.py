"""Reads an age at death with its probability, and scores it against a life table."""

import math
from collections.abc import Iterator

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import RUN_STATUSES, Unreadable, age_in, probability_in, read_json
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.scorers.explained import age_read, unread
from inspect_confidence.scorers.log_metrics import (
    OPTION_METRICS,
    hard_easy_slope,
    overconfidence_by_radius,
)
from inspect_confidence.scorers.reading import not_asked

_NAN = float("nan")


@scorer(
    metrics=[
        *OPTION_METRICS,
        hard_easy_slope(),
        {"overconfidence": [overconfidence_by_radius()]},
    ]
)
def age_at_death(table: str | None = None, window: str | None = None) -> Scorer:
    """Score an age by the true probability that the person dies within the radius around it.

    The value is a dict of numbers: `answer` (years), `confidence` (in [0, 1]), `score` (the true
    probability of dying in the window around the answer, given the age reached), `mas` (the maximum
    achievable score: the greatest that any whole answer has), `best_answer` (the least age that has
    it), `overconfidence` (confidence - score) and `format_ok`. What could not be read is NaN, and
    its status is the score's reason; an age that was read keeps its score without a confidence.

    Args:
        table: `ssa-2022`, or a csv file with q_x, as `read_life_table` takes it; by default the
            table that the question was asked for.
        window: `half-open` or `closed`, as `LifeTable.window_probability` defines them; by default
            the task's.
    """

    async def score(state: TaskState, target: Target) -> Score:
        asked = state.metadata
        sex, age, radius = str(asked["sex"]), int(asked["age"]), float(asked["radius"])
        lives, edge = read_life_table(table or asked["table"]), window or str(asked["window"])
        best = lives.best_answer(sex, age, radius, edge)
        known = {"mas": best.probability, "best_answer": float(best.answer)}
        by = {"table": lives.name, "window": edge}
        if unasked := not_asked(state):
            return _score(known, by, _NAN, _NAN, _NAN, unasked, radius)
        reply = read_json(
            state.output.completion, truncated=state.output.stop_reason == "max_tokens"
        )
        answer = reply if isinstance(reply, Unreadable) else age_in(reply)
        stated = reply if isinstance(reply, Unreadable) else probability_in(reply)
        years = _NAN if isinstance(answer, Unreadable) else answer
        true = lives.window_probability(sex, age, years, radius, edge)
        failure = next(
            (
                (part.status, f"{name}: {part.reason}")
                for name, part in (("answer", answer), ("confidence", stated))
                if isinstance(part, Unreadable)
            ),
            None,
        )
        confidence = _NAN if isinstance(stated, Unreadable) else stated
        return _score(known, by, years, confidence, true, failure, radius)

    return score


def _score(
    known: dict[str, float],
    by: dict[str, str],
    answer: float,
    confidence: float,
    true: float,
    failure: tuple[str, str] | None,
    radius: float,
) -> Score:
    status, detail = failure or ("ok", "")
    value = {
        "answer": answer,
        "confidence": confidence,
        "score": true,
        **known,
        "overconfidence": confidence - true,
        "format_ok": _NAN if status in RUN_STATUSES else float(failure is None),
    }
    return Score(
        value=value,
        answer=None if math.isnan(answer) else f"{answer:g}",
        explanation=" ".join(_said(value, failure, radius)),
        reason=None if failure is None else status,
        metadata={"status": status, "detail": detail, **by},
    )


def _said(value: dict[str, float], failure: tuple[str, str] | None, radius: float) -> Iterator[str]:
    """What wasn't read and what was: an age may come without a confidence."""
    if failure:
        yield unread("age with a confidence", *failure)
    if not math.isnan(value["answer"]):
        yield age_read(value, radius)
