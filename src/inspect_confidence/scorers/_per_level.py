"""Metrics of interval judgments in the log itself, one value a nominal level.

They run on unreduced scores: reducing epochs first would average a miss and a hit into half a
hit, and bounds into an interval that nobody stated. An unreadable reply keeps its dict with NaN,
so that failure rates see it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from inspect_confidence import metrics

_KEYS = ("lower", "upper", "truth", "format_ok")


@metric(scores="unreduced")
def coverage() -> Metric:
    """Coverage at each level."""
    return _per_level("coverage", lambda rows: metrics.coverage(rows.lower, rows.upper, rows.truth))


@metric(scores="unreduced")
def interval_score() -> Metric:
    """Mean interval score at each level."""
    return _per_level(
        "interval_score",
        lambda rows: metrics.interval_score(rows.lower, rows.upper, rows.truth, rows.level),
    )


@metric(scores="unreduced")
def mean_width() -> Metric:
    """Mean width at each level."""
    return _per_level("mean_width", lambda rows: metrics.mean_width(rows.lower, rows.upper))


@metric(scores="unreduced")
def format_failure_rate() -> Metric:
    """Share of replies at each level that could not be read; withheld replies are left out."""

    def rate(rows: _Rows) -> float:
        readable = [ok for ok in rows.format_ok if not math.isnan(ok)]
        return 1 - sum(readable) / len(readable) if readable else float("nan")

    return _per_level("format_failure_rate", rate)


@metric(scores="unreduced")
def coverage_gap() -> Metric:
    """Mean over levels of coverage less the nominal level; below 0 is overconfident."""

    def gap(scores: list[SampleScore]) -> float:
        gaps = [
            metrics.coverage_gap(rows.lower, rows.upper, rows.truth, rows.level)
            for rows in _levels(scores)
        ]
        defined = [value for value in gaps if not math.isnan(value)]
        return sum(defined) / len(defined) if defined else float("nan")

    return gap


@dataclass(frozen=True)
class _Rows:
    """The judgments at one level."""

    level: float
    lower: list[float]
    upper: list[float]
    truth: list[float]
    format_ok: list[float]


def _per_level(name: str, value: Callable[[_Rows], float]) -> Metric:
    def compute(scores: list[SampleScore]) -> Value:
        levels = _levels(scores)
        return {f"{name}_{rows.level:g}": value(rows) for rows in levels} or float("nan")

    return compute


def _levels(scores: list[SampleScore]) -> list[_Rows]:
    """The judgments by level; a sample without a score has no dict and is left out."""
    values = [cast(Mapping[str, float], one.score.value) for one in scores]
    rows = [row for value in values if isinstance(value, dict) for row in _by_level(value)]
    return [
        _Rows(level, *([row[key] for row in rows if row["level"] == level] for key in _KEYS))
        for level in sorted({row["level"] for row in rows})
    ]


def _by_level(value: Mapping[str, float]) -> list[Mapping[str, float]]:
    """A score's value as one row a level: some samples have one level, some have all."""
    if "level" in value:
        return [value]
    levels = [key.removeprefix("lower_") for key in value if key.startswith("lower_")]
    return [
        {
            "level": float(level),
            "lower": value[f"lower_{level}"],
            "upper": value[f"upper_{level}"],
            "truth": value["truth"],
            "format_ok": value["format_ok"],
        }
        for level in levels
    ]


LOG_METRICS = [
    coverage_gap(),
    coverage(),
    interval_score(),
    mean_width(),
    format_failure_rate(),
]
"""The metrics of every scorer of intervals, the headline first."""
