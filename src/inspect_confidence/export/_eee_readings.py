"""What a judgment is to Every Eval Ever: a score, and right or wrong."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_NAN = float("nan")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Reading:
    """What a judgment is, in the schema's terms.

    Attributes:
        score: Its contribution; NaN where there is none.
        correct: Whether it is right, of a judgment with a score.
        extracted: What was read from the reply.
        reference: What is right.
        means: What `is_correct` and `score` mean.
    """

    score: float
    correct: bool
    extracted: str
    reference: str
    means: str


def _interval_or_point(row: Row) -> Reading:
    truth = float(row["truth"])
    lower, upper, point = (float(row[name]) for name in ("lower", "upper", "point"))
    if not math.isnan(lower + upper):
        inside = lower <= truth <= upper
        means = "the interval holds the truth (exponents of ten)"
        return Reading(float(inside), inside, f"[{lower:g}, {upper:g}]", f"{truth:g}", means)
    right = point == truth
    score = _NAN if math.isnan(point) else float(right)
    return Reading(score, right, f"{point:g}", f"{truth:g}", "the exponent is the true one")


def _right_or_wrong(row: Row) -> Reading:
    correct = float(row["correct"])
    means = "the answer is right; a score between 0 and 1 is the probability that it is"
    return Reading(correct, correct == 1, str(row["answer"]), str(row["target"]), means)


def _of_age(row: Row) -> Reading:
    score, best = float(row["score"]), float(row["mas"])
    means = (
        "score: true probability of dying within the window; is_correct: no answer has a greater"
    )
    reference = "" if math.isnan(row["best_answer"]) else f"{row['best_answer']:g}"
    correct = not math.isnan(best) and score >= best - 1e-9
    return Reading(
        score if not math.isnan(best) else _NAN, correct, f"{row['answer']:g}", reference, means
    )


def _of_reply(row: Row) -> Reading:
    correct = float(row["correct"])
    return Reading(correct, correct == 1, "", "", "the reply is right, as the judge says")


READINGS: Mapping[str, Callable[[Row], Reading]] = {
    "fermi_eval": _interval_or_point,
    "scale_variants": _right_or_wrong,
    "question_sets": _right_or_wrong,
    "life_eval": _of_age,
    "hedge_markers": _of_reply,
}
"""Tasks whose judgments are right or wrong."""
