"""Rows of results as `evaluation_results` of Every Eval Ever."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence._results import Result, decode_condition
from inspect_confidence.export._direction import Direction, direction_of
from inspect_confidence.metrics import METRICS, Metric

_PACKAGE = "inspect_confidence"
_SHARED = {"accuracy"}
"""Metrics that have the same meaning everywhere; the others have the package's name before them."""

_TRUE_PROBABILITIES = "life_eval"
"""Its accuracy is a mean of true probabilities, which nobody else calls accuracy."""

DISTANCE = "distance_to_target"


@dataclass(frozen=True)
class Scored:
    """A number in the schema's terms.

    Attributes:
        metric: Of the registry.
        name: The metric's name, or that of its distance.
        description: What it is.
        lower_is_better: As the schema demands; of a metric without such a direction `false`, and
            `direction` says so.
        bounds: Least and greatest possible value.
        row: Value and interval.
        direction: As the registry has it, its target worked out.
    """

    metric: Metric
    name: str
    description: str
    lower_is_better: bool
    bounds: tuple[float, float]
    row: Result
    direction: str


def evaluation_results(
    rows: pd.DataFrame, source: Mapping[str, Any], resamples: int, generation: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """All rows whose value is finite; of a metric with a target its distance from it too.

    Args:
        rows: Of one result set, in the layout of results.
        source: The schema's `source_data`.
        resamples: Bootstrap resamples that the intervals rest on.
        generation: The schema's `generation_args`.
    """
    found = []
    for record in rows.to_dict("records"):
        row = Result(**{str(name): value for name, value in record.items()})
        if math.isfinite(row.value):
            found += [_entry(one, source, resamples, generation) for one in _scored(row)]
    return found


def _scored(row: Result) -> Iterator[Scored]:
    metric, direction = METRICS[row.metric], direction_of(row.metric, row.condition)
    target = direction.target
    written = metric.direction if math.isnan(target) else f"target={target:g}"
    lower = direction.name == "lower"
    bounds = (metric.low, metric.high)
    yield Scored(metric, metric.name, metric.definition, lower, bounds, row, written)
    if not math.isnan(target):
        yield Scored(
            metric,
            f"{metric.name}.{DISTANCE}",
            f"Distance from {target:g} of: {metric.definition}",
            True,
            (0.0, max(metric.high - target, target - metric.low)),
            _distant(row, direction),
            "lower",
        )


def _distant(row: Result, direction: Direction) -> Result:
    """The distance, and all distances of values within the interval."""
    target = direction.target
    value, *ends = direction.distance(np.array([row.value, row.ci_low, row.ci_high]))
    low = 0.0 if row.ci_low <= target <= row.ci_high else min(ends)
    note = f"{row.metric} is {row.value:.6g}"
    return replace(
        row,
        value=float(value),
        ci_low=float(low),
        ci_high=float(max(ends)),
        note="; ".join(filter(None, (note, row.note))),
    )


def _entry(
    one: Scored, source: Mapping[str, Any], resamples: int, generation: Mapping[str, Any]
) -> dict[str, Any]:
    row = one.row
    low, high = map(_bound, one.bounds)
    shared = one.name in _SHARED and row.task != _TRUE_PROBABILITIES
    identity = one.name if shared else f"{_PACKAGE}.{one.name}"
    config = {
        "evaluation_description": one.description,
        "metric_id": identity,
        "metric_name": one.name,
        "metric_kind": one.name,
        "metric_unit": one.metric.unit,
        "metric_parameters": decode_condition(row.condition),
        "lower_is_better": one.lower_is_better,
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "additional_details": {"direction": one.direction, **_caution(one)},
    }
    entry = {
        "evaluation_result_id": ";".join(filter(None, (one.name, row.condition))),
        "evaluation_name": f"{_PACKAGE}.{row.task}",
        "source_data": source,
        "metric_config": config,
        "score_details": _score(row, resamples),
    }
    return {**entry, "generation_config": {"generation_args": generation}} if generation else entry


def _caution(one: Scored) -> dict[str, str]:
    if one.direction in ("higher", "lower"):
        return {}
    return {"lower_is_better": "has no meaning for this metric: see direction"}


def _score(row: Result, resamples: int) -> dict[str, Any]:
    details = {"condition": row.condition, "note": row.note, "n": str(row.n)}
    score: dict[str, Any] = {"score": row.value}
    if math.isfinite(row.ci_low) and math.isfinite(row.ci_high):
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": row.ci_low,
                "upper": row.ci_high,
                "confidence_level": 0.95,
            },
            "num_samples": int(row.n),
        }
        details["interval"] = (
            f"docs/metrics.md says how it is computed; where by bootstrap, {resamples} resamples"
        )
    elif not math.isnan(row.ci_low):
        details["interval"] = f"{row.ci_low:g} to {row.ci_high:g}"
    return {**score, "details": {name: text for name, text in details.items() if text}}


def _bound(value: float) -> float | str:
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)
