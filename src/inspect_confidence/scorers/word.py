"""Reads probabilities stated for words, and words chosen for numbers."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import RUN_STATUSES, Unreadable, read_probability, read_word_choice
from inspect_confidence.scorers.explained import probability_read, right_or_wrong, unread
from inspect_confidence.scorers.log_metrics import (
    empirical_consistency,
    empirical_consistency_by_choices,
    format_failure_rate,
    mean_probability,
    mean_probability_by_word,
)

_NAN = float("nan")


@scorer(
    metrics=[
        mean_probability(),
        format_failure_rate(),
        {"probability": [mean_probability_by_word()]},
    ]
)
def stated_probability() -> Scorer:
    """Read the probability that a word means.

    The value is a dict of numbers: `probability` (in [0, 1]; NaN where none could be read) and
    `format_ok`. What could not be read has its status as the score's reason.
    """

    async def score(state: TaskState, target: Target) -> Score:
        failure, reply, cut = _reply(state)
        if failure:
            return _score({"probability": _NAN}, None, *failure)
        answer = read_probability(reply, truncated=cut)
        if isinstance(answer, Unreadable):
            return _score({"probability": _NAN}, None, answer.status, answer.reason)
        said = probability_read(answer.value, str(state.metadata.get("word", "")))
        return _score({"probability": answer.value}, f"{answer.value:g}", explanation=said)

    return score


@scorer(
    metrics=[
        empirical_consistency(),
        format_failure_rate(),
        {"right": [empirical_consistency_by_choices()]},
    ]
)
def word_choice() -> Scorer:
    """Read which choice completes a sentence about numbers.

    The value is a dict of numbers: `choice` (its place, from 0), `right` (whether it is the choice
    whose range holds the share of numbers inside the interval) and `format_ok`. The reply stands in
    the score's metadata, so that the judgments can be read by another convention.
    """

    async def score(state: TaskState, target: Target) -> Score:
        nothing = {"choice": _NAN, "right": _NAN}
        failure, reply, cut = _reply(state)
        if failure:
            return _score(nothing, None, *failure, reply=reply)
        choices = [choice.value for choice in state.choices]
        cot = bool(state.metadata["cot"])
        answer = read_word_choice(reply, choices, chain_of_thought=cot, truncated=cut)
        if isinstance(answer, Unreadable):
            return _score(nothing, None, answer.status, answer.reason, reply=reply)
        right = choices[answer.index] == target.text
        value = {"choice": float(answer.index), "right": float(right)}
        said = right_or_wrong(choices[answer.index], target.text, right)
        return _score(value, choices[answer.index], explanation=f"{said}.", reply=reply)

    return score


def _reply(state: TaskState) -> tuple[tuple[str, str] | None, str, bool]:
    """Why there is no reply, if there is none; the reply, and whether it was cut off."""
    if not state.output.choices:  # a limit was reached before the model was called
        return ("limit_reached", "the model was not asked"), "", False
    stop = state.output.stop_reason
    if stop == "content_filter":
        return (stop, "the provider withheld the reply"), "", False
    return None, state.output.completion, stop == "max_tokens"


def _score(
    value: dict[str, float],
    answer: str | None,
    status: str = "ok",
    detail: str = "",
    explanation: str = "",
    **kept: str,
) -> Score:
    return Score(
        value={**value, "format_ok": _NAN if status in RUN_STATUSES else float(status == "ok")},
        answer=answer,
        explanation=explanation or unread(next(iter(value)), status, detail),
        reason=None if status == "ok" else status,
        metadata={"status": status, "detail": detail, **kept},
    )
