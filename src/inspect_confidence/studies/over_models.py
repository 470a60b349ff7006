"""Correlations between two metrics over models."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from inspect_confidence.metrics import METRICS
from inspect_confidence.results import NO_INTERVAL, Condition, Key, Result
from inspect_confidence.studies.notes import join_notes

ALL_MODELS = "all"
"""Value of `model` in results over models."""

Point = tuple[str, str]
"""A point of the correlation: model and variant."""


def point_and_condition(result: Result) -> tuple[Point, Condition]:
    """Return a result's model and variant, and its condition without the variant."""
    condition = Condition.read(result.condition)
    return (result.model, condition.get("variant", "")), condition.but(variant="")


def correlate_over_models(
    key: Key,
    condition: Condition,
    metric: str,
    first: Mapping[Point, float],
    second: Mapping[Point, float],
    *,
    ranked: bool = False,
) -> list[Result]:
    """Correlate two metrics over models, as one row of results.

    The list is empty if fewer than two models have both metrics, defined or not. A model with an
    undefined value is left out and counted in the note. The correlation is undefined with fewer
    than three models, or if all values of a metric are equal. Its interval is Fisher's z, which
    treats the models as a random sample, ignores the error of each value, and needs four models
    that do not lie on a line. With `ranked`, ranks are correlated (Spearman), which by the metric's
    definition have no interval. `metric` is the name of the correlation; `first` and `second` are
    by model and variant.
    """
    # A point is a model and variant.
    pairs = np.array([[first[point], second[point]] for point in second if point in first])
    if len(pairs) < 2:
        return []
    # Rounded, so that values that differ only in the last bits are equal and have equal ranks.
    complete = pairs[~np.isnan(pairs).any(axis=1)].round(12)
    note = f"{len(complete)} of {len(pairs)} models and variants"
    value, interval = np.nan, NO_INTERVAL
    if len(complete) < 3:
        note = join_notes("undefined: fewer than three models with both", note)
    elif (np.ptp(complete, axis=0) == 0).any():
        note = join_notes("undefined: one of the two is the same for all", note)
    else:
        # Imported here because scipy.stats takes half a second, which every command would pay.
        from scipy.stats import pearsonr, spearmanr  # noqa: PLC0415

        fit: Any = spearmanr(*complete.T) if ranked else pearsonr(*complete.T)
        value = float(fit.statistic)
        if reason := _why_no_interval(metric, value, len(complete)):
            note = join_notes(note, f"no interval: {reason}")
        else:
            interval = fit.confidence_interval()
    return [key.result(condition, metric, value, interval, n=len(complete), note=note)]


def _why_no_interval(metric: str, correlation: float, models: int) -> str:
    """Return why a correlation over so many models has no interval by Fisher's z; empty if it has.

    Fisher's z is infinite for correlations of 1 and -1, whose interval would have no width.
    """
    if METRICS[metric].interval.method == "none":
        return METRICS[metric].interval.reason
    if models < 4:
        return "fewer than four models"
    return "all models lie on a line" if abs(correlation) > 1 - 1e-12 else ""
