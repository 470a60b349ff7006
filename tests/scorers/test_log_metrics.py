"""The metrics of logs: one of each name, and which numbers of a score they are of."""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import cast

import pytest
from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Score, Value
from inspect_ai.util import registry_create, registry_info

from build import copies_with
from inspect_confidence import scorers
from inspect_confidence.scorers import log_metrics as logged

NAN = math.nan


def value_of(metric: Metric, *values: dict[str, float] | float) -> Value:
    """A metric of scores with these values."""
    scores = [SampleScore(score=Score(value=cast(Value, value))) for value in values]
    return cast(MetricProtocol, metric)(scores)


def number_of(metric: Metric, *values: dict[str, float] | float) -> float:
    """The one number of a metric of scores with these values."""
    value = value_of(metric, *values)
    assert isinstance(value, dict)
    (number,) = value.values()
    return cast(float, number)


def metrics_of(module: ModuleType) -> list[tuple[str, Callable[[], Metric]]]:
    """The metrics that a module makes or imports, by their registered names."""
    names_and_metrics = []
    for variable in vars(module).values():
        with suppress(ValueError):  # it is in no registry
            info = registry_info(variable)
            names_and_metrics += [(info.name, variable)] if info.type == "metric" else []
    return names_and_metrics


def test_each_metrics_name_is_registered_once() -> None:
    """No two metrics of any scorer's module share a name, and the registry has each of them."""
    metrics_by_name: dict[str, set[Callable[[], Metric]]] = defaultdict(set)
    for place in pkgutil.iter_modules(scorers.__path__, f"{scorers.__name__}."):
        for name, metric in metrics_of(importlib.import_module(place.name)):
            metrics_by_name[name].add(metric)
    assert len(metrics_by_name) > 20
    assert {name for name, metrics in metrics_by_name.items() if len(metrics) > 1} == set()
    for name in metrics_by_name:
        assert registry_info(registry_create("metric", name)).name == name


def interval(level: float, lower: float, upper: float, ok: float = 1) -> dict[str, float]:
    """A score of one interval around a truth of 4."""
    ends = {"lower": lower, "upper": upper} if ok == 1 else {"lower": NAN, "upper": NAN}
    return {"level": level, "truth": 4, "format_ok": ok, **ends}


INTERVALS = [
    *(interval(80, 3, 5), interval(80, 5, 6), interval(80, 0, 0, ok=0)),
    *(interval(90, 3, 5), interval(90, 0, 0, ok=NAN)),
]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # At 80% one of two read intervals holds 4; at 90% the only one does.
        (logged.coverage(), {"coverage_80": 0.5, "coverage_90": 1}),
        (logged.mean_width(), {"mean_width_80": 1.5, "mean_width_90": 2}),
        # A miss by 1 at 80% costs 2/.2 = 10: (2 + 1 + 10) / 2.
        (logged.interval_score(), {"interval_score_80": 6.5, "interval_score_90": 2}),
        # One of three at 80%; the reply withheld at 90% doesn't count.
        (
            logged.format_failure_rate(),
            {"format_failure_rate_80": 1 / 3, "format_failure_rate_90": 0},
        ),
        # Gaps of -.3 and .1.
        (logged.coverage_gap(), {"coverage_gap": -0.1}),
    ],
)
def test_each_level_has_its_own_numbers(metric: Metric, expected: dict[str, float]) -> None:
    """Every level has its numbers, whether a score is of one or of all; NaN has no dict."""
    assert value_of(metric, *INTERVALS, NAN) == pytest.approx(expected)
    score = {
        **{"truth": 4.0, "format_ok": 1.0, "lower_90": 3.0, "upper_90": 5.0},
        **{"lower_97.5": 5.0, "upper_97.5": 6.0},
    }
    if "_80" in (first := next(iter(expected))):
        name = first.removesuffix("_80")
        value = value_of(metric, score)
        assert isinstance(value, dict)
        assert list(value) == [f"{name}_90", f"{name}_97.5"]


def on_scale(low: float, high: float, confidence: float, correct: float) -> dict[str, float]:
    """A score of a confidence on a scale; NaN where it could not be read."""
    ok = float(not math.isnan(confidence))
    value = {"low": low, "high": high, "confidence": confidence, "correct": correct}
    return {**value, "format_ok": ok, "violation": 0.0 if ok else NAN}


SCALES = [
    *(on_scale(0, 20, 0.9, 1), on_scale(0, 20, 0.9, 0), on_scale(0, 20, NAN, 1)),
    *(on_scale(0, 5, 1.0, 1), on_scale(0, 5, 0.8, 0)),
]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # .9 - .5 and .9 - .5; the unread confidence counts for accuracy alone.
        (logged.overconfidence(), {"overconfidence": 0.4}),
        (logged.accuracy(), {"accuracy": (2 / 3 + 1 / 2) / 2}),
        (logged.violation_rate(), {"violation_rate": 0}),
        (logged.format_failure_rate(), {"format_failure_rate": (1 / 3 + 0) / 2}),
        # Bins of equal width: 1 and .9 share one, .8 has its own: (|.5 (1 - 1)| + .5 .8).
        (logged.ece(), {"ece_0-5": 0.4, "ece_0-20": 0.4}),
        (logged.auroc(), {"auroc_0-5": 1, "auroc_0-20": 0.5}),
    ],
)
def test_each_scale_has_its_own_number_or_they_have_a_mean(
    metric: Metric, expected: object
) -> None:
    """Scales have numbers of their own, the least first, or their mean."""
    value = value_of(metric, *SCALES, NAN)
    assert value == pytest.approx(expected)
    if isinstance(value, dict) and isinstance(expected, dict):
        assert list(value) == list(expected)


def test_the_confidence_in_a_declined_answer_counts_in_no_metric() -> None:
    """.9 in a right and .5 in a wrong answer; .1 in an answer without a grade is left out."""
    scores = [
        {"correct": 1.0, "stated": 0.9, "stated_ok": 1.0},
        {"correct": 0.0, "stated": 0.5, "stated_ok": 1.0},
        {"correct": NAN, "stated": 0.1, "stated_ok": 1.0},
    ]
    assert number_of(logged.mean_confidence(), *scores) == pytest.approx(0.7)
    assert number_of(logged.overconfidence(), *scores) == pytest.approx(0.7 - 0.5)


def test_a_confidence_of_1_without_a_scale_has_its_own_bin() -> None:
    """.95 right and 1 wrong are off by .05 and 1; in one bin by |.975 - .5|."""
    scores = [
        {"confidence": 0.95, "correct": 1.0, "format_ok": 1.0},
        {"confidence": 1.0, "correct": 0.0, "format_ok": 1.0},
    ]
    assert value_of(logged.ece(), *scores) == pytest.approx({"ece": 0.525})
    scaled = copies_with(scores, low=0.0, high=100.0)
    assert value_of(logged.ece(), *scaled) == pytest.approx({"ece_0-100": 0.475})


def test_withdraw_delta_counts_partial_credit_in_part() -> None:
    """Kept are 1 + .5 of 1.75 right and 0 + .5 of 1.25 wrong answers; without a grade none."""
    pairs = [(1.0, 1.0), (0.5, 1.0), (0.25, 0.0), (NAN, 1.0)]
    scores = [{"correct": correct, "keep": keep} for correct, keep in pairs]
    expected = 100 * (1.5 / 1.75 - 0.5 / 1.25)
    assert number_of(logged.withdraw_delta(), *scores) == pytest.approx(expected)


def test_rates_of_a_judges_failures_and_extraction_equal_those_by_hand() -> None:
    """Two of eight judgments failed; of 3 found 1 is false; without a score all is NaN."""
    many = [{"judgments": 5.0, "failed": 2.0}, {"judgments": 3.0, "failed": 0.0}]
    assert number_of(logged.grader_failure_rate(), *many, NAN) == 0.25
    none = {"judgments": 0.0, "failed": 0.0}
    assert math.isnan(number_of(logged.grader_failure_rate(), none))
    assert number_of(logged.grader_failure_rate(), {"format_ok": 0.0}, {"format_ok": 1.0}) == 0.5
    blank = dict.fromkeys(("found", "missed", "false"), NAN)
    scores = [{"found": 2.0, "missed": 1.0, "false": 1.0}, {**blank, "missed": 1.0}, blank]
    assert number_of(logged.extraction_precision(), *scores) == pytest.approx(2 / 3)
    assert number_of(logged.extraction_recall(), *scores) == pytest.approx(2 / 4)
    assert math.isnan(number_of(logged.extraction_recall(), blank))
    for name, make_metric in metrics_of(logged):
        value = value_of(make_metric())
        numbers = value.values() if isinstance(value, dict) else [value]
        for number in numbers:
            assert math.isnan(cast(float, number)), name
