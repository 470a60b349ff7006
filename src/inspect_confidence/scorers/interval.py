"""A scorer of one stated interval of exponents."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from inspect_confidence.answers import ParseFailure, read_interval
from inspect_confidence.scorers.explained import stated_interval
from inspect_confidence.scorers.log_metrics import INTERVAL_METRICS
from inspect_confidence.scorers.reading import NAN, ParsedReply, interval_values, read_reply


@scorer(metrics=INTERVAL_METRICS)
def interval() -> Scorer:
    """Score one stated interval against the sample's truth.

    The value is a dict of numbers: `covered` (0 or 1), `lower`, `upper`, `truth`, `width`
    (exponents of ten), `interval_score`, `level` (percent), `reversed` (1 if the bounds came in
    reverse order and were exchanged) and `format_ok`. A reply that cannot be read keeps the dict,
    with NaN for undefined numbers, `format_ok=0` and its status as the score's reason.
    """

    async def score(state: TaskState, target: Target) -> Score:
        truth, level = float(target.text), float(state.metadata["level"])
        question = {"truth": truth, "level": level}
        answer = read_reply(state, read_interval)
        if isinstance(answer, ParseFailure):
            values = interval_values((NAN, NAN), truth, level)
            return ParsedReply({**values, **question, "reversed": NAN}, answer).score("interval")
        low, high = answer.lower, answer.upper
        values = interval_values((low, high), truth, level)
        sentence = stated_interval(level, low, high, truth, values["interval_score"])
        if answer.reversed:
            sentence += " The bounds came in reverse order and were exchanged."
        values = {**values, **question, "reversed": float(answer.reversed)}
        return ParsedReply(values, None, f"[{low:g}, {high:g}]", sentence).score("interval")

    return score
