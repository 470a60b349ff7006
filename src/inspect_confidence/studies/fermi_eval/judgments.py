"""FermiEval's samples as rows of judgments: one an elicited interval, point or distribution."""

import json
import math
from typing import Any

from inspect_confidence.studies.study import SampleFacts, ScoreFacts

SCORERS = {
    "direct": "interval",
    "tunnel": "repeated_intervals",
    "sampling": "repeated_points",
    "logprob": "token_distribution",
    "traces": "token_distribution",
}
"""The scorer that reads each method's replies."""


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgments of a sample: one for each draw, or a failed one if the log has none.

    A sample of the method `direct` is a single draw.
    """
    row = _question_columns(sample)
    score, status_and_reason = sample.read(SCORERS[row["method"]])
    if not score.value:
        return [{**row, **status_and_reason}]
    if row["method"] == "direct":
        if score.metadata["status"] == "ok":
            row |= score.select("lower", "upper")
            row["reversed"] = bool(score.value["reversed"])
        return [{**row, **status_and_reason}]
    judgments = []
    for draw in _draw_columns(score):
        status_columns = sample.status_columns(draw["status"], draw["reason"])
        judgments.append({**row, **draw, **status_columns})
    return judgments


def _question_columns(sample: SampleFacts) -> dict[str, Any]:
    """Return the columns of the question and the request; what the sample lacks is NaN or empty.

    A temperature that was set but not sent to the model is in `unsent_temperature`.
    """
    metadata = sample.metadata
    temperature = sample.generation.get("temperature", math.nan)
    return {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "method": metadata.get("method", "direct"),
        "level": metadata.get("level", math.nan),
        "levels": ",".join(map("{:g}".format, metadata.get("levels") or [])),
        "truth": float(sample.target),
        "temperature": math.nan if "temperature" in sample.unsent else temperature,
        "unsent_temperature": sample.unsent.get("temperature", math.nan),
    }


def _draw_columns(score: ScoreFacts) -> list[dict[str, Any]]:
    """Return the columns of each draw of a sample.

    Without draws, because a limit was reached before the first request, it is one failed draw; the
    score's `reason` is then a status.
    """
    draws: list[dict[str, Any]] = json.loads(score.metadata["draws"])
    if not draws:
        return [{"status": score.reason or "no_response", "reason": "no draw was made"}]
    return [{"draw": number, "reason": "", **draw} for number, draw in enumerate(draws)]
