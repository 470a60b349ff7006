"""Reads an interval of exponents from a reply and scores it."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import RUN_STATUSES, StatedInterval, Unreadable, read_interval
from inspect_confidence.metrics import interval_score as winkler
from inspect_confidence.scorers.explained import stated_interval, unread
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS

_NAN = float("nan")


@scorer(metrics=INTERVAL_METRICS)
def interval() -> Scorer:
    """Score one stated interval against the sample's truth.

    The value is a dict of numbers: `covered` (0 or 1), `lower`, `upper`, `truth`, `width`
    (exponents of ten), `interval_score`, `level` (percent), `reversed` (the bounds came in the
    wrong order and were put right) and `format_ok`. A reply that can't be read keeps the dict, with
    NaN for what is undefined, `format_ok=0` and its status as the score's reason.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, level = float(target.text), float(state.metadata["level"])
        if not state.output.choices:  # a limit was reached before the model was called
            return _unread("limit_reached", "the model was not asked", truth, level)
        stop = state.output.stop_reason
        if stop == "content_filter":
            return _unread("content_filter", "the provider withheld the reply", truth, level)
        answer = read_interval(state.output.completion, truncated=stop == "max_tokens")
        if isinstance(answer, Unreadable):
            return _unread(answer.status, answer.reason, truth, level)
        return _read(answer, truth, level)

    return score


def _read(answer: StatedInterval, truth: float, level: float) -> Score:
    inside = answer.lower <= truth <= answer.upper
    score = winkler([answer.lower], [answer.upper], [truth], level)
    width = answer.upper - answer.lower
    return Score(
        value={
            "covered": float(inside),
            "lower": answer.lower,
            "upper": answer.upper,
            "truth": truth,
            "width": width,
            "interval_score": score,
            "level": level,
            "reversed": float(answer.reversed),
            "format_ok": 1.0,
        },
        answer=f"[{answer.lower:g}, {answer.upper:g}]",
        explanation=stated_interval(level, answer.lower, answer.upper, truth, score)
        + (" The bounds came in reverse order and were exchanged." if answer.reversed else ""),
        metadata={"status": "ok", "detail": ""},
    )


def _unread(status: str, detail: str, truth: float, level: float) -> Score:
    undefined = ("covered", "lower", "upper", "width", "interval_score", "reversed")
    return Score(
        value={
            **dict.fromkeys(undefined, _NAN),
            "truth": truth,
            "level": level,
            "format_ok": _NAN if status in RUN_STATUSES else 0.0,
        },
        explanation=unread("interval", status, detail),
        reason=status,
        metadata={"status": status, "detail": detail},
    )
