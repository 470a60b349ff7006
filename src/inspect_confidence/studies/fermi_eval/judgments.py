"""FermiEval's samples as rows of judgments: one an elicited interval, point or distribution."""

import json
from collections.abc import Mapping
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

_NAN = float("nan")


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgments of a sample, one a draw, or one that says why there is none."""
    row = _asked(sample)
    name = SCORERS[row["method"]]
    score = sample.score(name)
    if score is None or not isinstance(score.value, Mapping):
        why = score.metadata.get("detail") if score else None
        missing = f"the log holds no score {name!r}; run `inspect score`"
        status, reason = sample.failure or ("scoring_failed", why or missing)
        return [{**row, "status": status, "reason": reason}]
    rows = [_direct(score)] if row["method"] == "direct" else _drawn(score)
    return [_with_failure({**row, **one}, sample.failure) for one in rows]


def _asked(sample: SampleFacts) -> dict[str, Any]:
    metadata = sample.metadata
    levels = metadata.get("levels") or []
    return {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "method": metadata.get("method", "direct"),
        "level": metadata.get("level", _NAN),
        "levels": ",".join(f"{level:g}" for level in levels),
        "truth": float(sample.target),
        "temperature": sample.generation.get("temperature", _NAN),
    }


def _direct(score: ScoreFacts) -> dict[str, Any]:
    status = score.metadata["status"]
    if status != "ok":
        return {"status": status, "reason": score.metadata["detail"]}
    value = score.value
    return {
        "lower": value["lower"],
        "upper": value["upper"],
        "reversed": bool(value["reversed"]),
        "status": "ok",
    }


def _drawn(score: ScoreFacts) -> list[dict[str, Any]]:
    draws: list[dict[str, Any]] = json.loads(score.metadata["draws"])
    if not draws:  # a limit was reached before the model was asked
        return [{"status": score.reason or "no_response", "reason": "no draw was made"}]
    return [{"draw": number, **draw} for number, draw in enumerate(draws)]


def _with_failure(row: dict[str, Any], failure: tuple[str, str] | None) -> dict[str, Any]:
    """A reply that can't be read because the run failed is the run's failure, not the reply's."""
    if failure and row["status"] != "ok":
        return {**row, "status": failure[0], "reason": failure[1]}
    return row
