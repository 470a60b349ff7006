"""Metrics of confidence against outcomes in the log itself.

They run on unreduced scores: reducing epochs first would average a right and a wrong answer into
half an answer. An unreadable reply keeps its dict with NaN, so that failure rates see it.
"""

from collections.abc import Mapping
from typing import cast

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, metric

from inspect_confidence import metrics
from inspect_confidence.scorers._grouped import mean_by

_OUTCOMES = ("correct", "score")


@metric(scores="unreduced")
def overconfidence() -> Metric:
    """Mean confidence less accuracy, or less the mean true probability."""

    def compute(scores: list[SampleScore]) -> float:
        return metrics.overconfidence(*_pairs(scores))

    return compute


@metric(scores="unreduced")
def accuracy() -> Metric:
    """Share of right answers, or the mean true probability."""

    def compute(scores: list[SampleScore]) -> float:
        return metrics.accuracy(_pairs(scores)[1])

    return compute


@metric(scores="unreduced")
def mean_confidence() -> Metric:
    """Mean of the confidences stated."""

    def compute(scores: list[SampleScore]) -> float:
        return metrics.mean_confidence(_pairs(scores)[0])

    return compute


@metric(scores="unreduced")
def ece() -> Metric:
    """Expected calibration error: 10 bins of equal width below 1, an eleventh for 1."""

    def compute(scores: list[SampleScore]) -> float:
        return metrics.ece(*_pairs(scores), binning="own_top")

    return compute


@metric(scores="unreduced")
def auroc() -> Metric:
    """Type-2 AUROC."""

    def compute(scores: list[SampleScore]) -> float:
        return metrics.auroc(*_pairs(scores))

    return compute


@metric(scores="unreduced")
def hard_easy_slope() -> Metric:
    """Slope of overconfidence on 1 - the maximum achievable score, over all samples."""

    def compute(scores: list[SampleScore]) -> float:
        confidence, truth = _pairs(scores)
        return metrics.hard_easy_slope(confidence - truth, 1 - _column(scores, "mas")).slope

    return compute


@metric(scores="unreduced")
def format_failure_rate() -> Metric:
    """Share of replies without a readable answer or confidence; withheld ones are left out."""

    def compute(scores: list[SampleScore]) -> float:
        return 1 - metrics.accuracy(_column(scores, "format_ok"))

    return compute


@metric(scores="unreduced")
def overconfidence_by_radius() -> Metric:
    """Overconfidence for each radius around the answer."""
    return mean_by("radius", "radius {}")


def _pairs(scores: list[SampleScore]) -> tuple[np.ndarray, np.ndarray]:
    """Confidences and outcomes; a confidence counts only where the whole reply was read."""
    outcome = next((_column(scores, name) for name in _OUTCOMES if _has(scores, name)), np.empty(0))
    read = _column(scores, "format_ok") == 1
    return np.where(read, _column(scores, "confidence"), np.nan), outcome


def _has(scores: list[SampleScore], name: str) -> bool:
    return any(name in value for value in _values(scores))


def _column(scores: list[SampleScore], name: str) -> np.ndarray:
    return np.array([value[name] for value in _values(scores)], float)


def _values(scores: list[SampleScore]) -> list[Mapping[str, float]]:
    """The values of scores; a sample without a score has no dict and is left out."""
    values = [one.score.value for one in scores]
    return [cast(Mapping[str, float], value) for value in values if isinstance(value, dict)]


OPTION_METRICS = [
    overconfidence(),
    accuracy(),
    mean_confidence(),
    ece(),
    auroc(),
    format_failure_rate(),
]
"""Of answers that are right or wrong, the headline first."""

LIFE_METRICS: list[Metric | dict[str, list[Metric]]] = [
    *OPTION_METRICS,
    hard_easy_slope(),
    {"overconfidence": [overconfidence_by_radius()]},
]
"""Of answers with a true probability."""
