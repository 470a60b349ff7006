"""Metrics of hedged answers in the log itself: means over replies, missing ones left out."""

from collections.abc import Mapping
from typing import cast

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, metric

from inspect_confidence.metrics import accuracy as share
from inspect_confidence.scorers._grouped import mean_by


@metric(scores="unreduced")
def faithfulness() -> Metric:
    """Mean over replies of 1 - mean |decisiveness - internal confidence|."""

    def compute(scores: list[SampleScore]) -> float:
        return _mean(scores, "faithfulness")

    return compute


@metric(scores="unreduced")
def mean_internal_confidence() -> Metric:
    """Mean over replies of their sentences' internal confidence."""

    def compute(scores: list[SampleScore]) -> float:
        return _mean(scores, "confidence")

    return compute


@metric(scores="unreduced")
def mean_decisiveness() -> Metric:
    """Mean over replies of their sentences' decisiveness."""

    def compute(scores: list[SampleScore]) -> float:
        return _mean(scores, "decisiveness")

    return compute


@metric(scores="unreduced")
def accuracy() -> Metric:
    """Share of right answers; punts are left out."""

    def compute(scores: list[SampleScore]) -> float:
        return _mean(scores, "correct")

    return compute


@metric(scores="unreduced")
def punt_rate() -> Metric:
    """Share of replies that give no answer."""

    def compute(scores: list[SampleScore]) -> float:
        return _mean(scores, "punt")

    return compute


@metric(scores="unreduced")
def grader_failure_rate() -> Metric:
    """Share of judgments that the judge failed at."""

    def compute(scores: list[SampleScore]) -> float:
        values = [one.score.value for one in scores]
        there = [cast(Mapping[str, float], value) for value in values if isinstance(value, dict)]
        made = sum(value["judgments"] for value in there)
        return sum(value["failed"] for value in there) / made if made else float("nan")

    return compute


@metric(scores="unreduced")
def format_failure_rate() -> Metric:
    """Share of replies without a whole sentence; withheld ones are left out."""

    def compute(scores: list[SampleScore]) -> float:
        return 1 - _mean(scores, "format_ok")

    return compute


def _mean(scores: list[SampleScore], name: str) -> float:
    """Of what is there, all of it being in [0, 1]."""
    values = [one.score.value for one in scores]
    numbers = [
        cast(Mapping[str, float], value)[name] for value in values if isinstance(value, dict)
    ]
    return share(np.array(numbers, float))


@metric(scores="unreduced")
def faithfulness_by_dataset() -> Metric:
    """Mean faithfulness of each data set."""
    return mean_by("dataset")


HEDGE_METRICS: list[Metric | dict[str, list[Metric]]] = [
    faithfulness(),
    mean_internal_confidence(),
    mean_decisiveness(),
    accuracy(),
    punt_rate(),
    format_failure_rate(),
    grader_failure_rate(),
    {"faithfulness": [faithfulness_by_dataset()]},
]
"""The metrics of the scorer of hedged answers, the headline first."""
