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
    """Read the judgments of a sample: one for each draw, or one with the reason why none."""
    row = _columns_of_question(sample)
    score, outcome = sample.read(SCORERS[row["method"]])
    if not score.value:
        return [{**row, **outcome}]
    if row["method"] == "direct":
        return [{**row, **_direct(score), **outcome}]
    return [
        {**row, **draw, **sample.status_columns(draw["status"], draw["reason"])}
        for draw in _draws(score)
    ]


def _columns_of_question(sample: SampleFacts) -> dict[str, Any]:
    metadata = sample.metadata
    levels = metadata.get("levels") or []
    temperature = sample.generation.get("temperature", math.nan)
    return {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "method": metadata.get("method", "direct"),
        "level": metadata.get("level", math.nan),
        "levels": ",".join(f"{level:g}" for level in levels),
        "truth": float(sample.target),
        "temperature": math.nan if "temperature" in sample.unsent else temperature,
        "unsent_temperature": sample.unsent.get("temperature", math.nan),
    }


def _direct(score: ScoreFacts) -> dict[str, Any]:
    if score.metadata["status"] != "ok":
        return {}
    return {**score.select("lower", "upper"), "reversed": bool(score.value["reversed"])}


def _draws(score: ScoreFacts) -> list[dict[str, Any]]:
    draws: list[dict[str, Any]] = json.loads(score.metadata["draws"])
    if not draws:  # a limit was reached before the model was asked
        return [{"status": score.reason or "no_response", "reason": "no draw was made"}]
    return [{"draw": number, "reason": "", **draw} for number, draw in enumerate(draws)]
