"""Reads an interval of exponents from a reply and scores it."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import ParseFailure, read_interval
from inspect_confidence.scorers.explained import stated_interval
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, Reading, at_level, read_reply


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
        known = {"truth": truth, "level": level}
        answer = read_reply(state, read_interval)
        if isinstance(answer, ParseFailure):
            nothing = at_level((NAN, NAN), truth, level)
            return Reading({**nothing, **known, "reversed": NAN}, answer).score("interval")
        low, high = answer.lower, answer.upper
        made = at_level((low, high), truth, level)
        value = {**made, **known, "reversed": float(answer.reversed)}
        said = stated_interval(level, low, high, truth, made["interval_score"])
        turned = " The bounds came in reverse order and were exchanged." if answer.reversed else ""
        return Reading(value, None, f"[{low:g}, {high:g}]", said + turned).score("interval")

    return score
