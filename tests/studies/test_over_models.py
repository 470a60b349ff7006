"""Correlations of two metrics over models: equal values, few models, and models on a line."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import pytest
from scipy.stats import pearsonr

from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.over_models import correlate_over_models


def correlation(
    first: Sequence[float], second: Sequence[float], metric: str = "accuracy_correlation"
) -> Result:
    """The correlation of two metrics that all models have; of ranks if its name says so."""
    sides = []
    for values in (first, second):
        sides.append({(f"m{model}", ""): value for model, value in enumerate(values)})
    (row,) = correlate_over_models(
        Key("task", "all", "all"), Condition(), metric, *sides, ranked="rank" in metric
    )
    return row


def test_correlation_and_interval_are_those_of_scipy() -> None:
    """With four models, the fewest that have an interval."""
    first, second = [0.1, 0.4, 0.3, 0.9], [0.2, 0.3, 0.5, 0.6]
    row, fit = correlation(first, second), pearsonr(first, second)
    assert row.value == pytest.approx(fit.statistic)
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(fit.confidence_interval()))
    assert row.note == "4 of 4 models and variants"


@pytest.mark.parametrize("metric", ["accuracy_correlation", "accuracy_rank_correlation"])
def test_values_that_differ_by_rounding_are_the_same(metric: str) -> None:
    """0.1 + 0.2 is 0.30000000000000004: its deviations from 0.3 would correlate by chance."""
    row = correlation([0.3, 0.1 + 0.2, 0.3, 0.3], [0.1, 0.2, 0.3, 0.5], metric)
    assert isnan(row.value)
    assert row.note.startswith("undefined: one of the two is the same for all")


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ([0.2, 0.4, 0.6, 0.8], "all models lie on a line"),
        ([0.8, 0.6, 0.4, 0.2], "all models lie on a line"),
        ([0.2, 0.4, 0.7], "fewer than four models"),
    ],
)
def test_a_correlation_without_interval_says_why(second: list[float], reason: str) -> None:
    """Fisher's z of a correlation of 1 or -1 is infinite; its interval would claim certainty."""
    row = correlation([0.1, 0.2, 0.3, 0.4][: len(second)], second)
    assert not isnan(row.value)
    assert isnan(row.ci_low)
    assert row.note.endswith(f"no interval: {reason}")


def test_a_rank_correlation_has_the_reason_of_its_metric() -> None:
    """Ranks have no interval, whatever the number of models."""
    row = correlation(range(6), [1, 0, 3, 2, 5, 4], "accuracy_rank_correlation")
    assert row.note.endswith("no interval: ranks of few models have too few values")
