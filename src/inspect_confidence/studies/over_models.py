"""Numbers over models: what goes together with what, from the results of each.

Each model and variant is a point; those where either number is undefined are left out and counted.
Intervals are Fisher's z, which takes models for a random sample and ignores the error of each
point.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import NAN, NO_INTERVAL, noted

ALL_MODELS = "all"
"""What stands in `model` for a number over models."""

Point = tuple[str, str]
"""Model and variant."""


def over_models(results: Iterable[Result]) -> list[Result]:
    """The correlation over models of the reports' entropy with M-ratio, by data set and scale."""
    entropy: dict[Hashable, dict[Point, float]] = defaultdict(dict)
    ratio: dict[tuple[str, Condition], dict[Point, float]] = defaultdict(dict)
    for row in results:
        where = Condition.read(row.condition)
        point, where = (row.model, where.get("variant", "")), where.but(variant="")
        if row.metric == "entropy_bits":
            entropy[row.dataset, where.get("scale")][point] = row.value
        elif row.metric == "m_ratio":
            ratio[row.dataset, where][point] = row.value
    found = []
    for (dataset, where), values in ratio.items():
        key = Key("scale_variants", ALL_MODELS, dataset)
        others = entropy[dataset, where.get("scale")]
        found += _correlation(key, where, "entropy_m_ratio_correlation", others, values)
    return found


def accuracy_correlations(results: Iterable[Result]) -> list[Result]:
    """Over models the correlation of mean accuracy with each metric of stability of markers.

    Accuracy is the unweighted mean over data sets and splits.
    """
    accuracies: dict[Point, list[float]] = defaultdict(list)
    stability: dict[Condition, dict[Point, float]] = defaultdict(dict)
    for row in results:
        where = Condition.read(row.condition)
        point, where = (row.model, where.get("variant", "")), where.but(variant="")
        if row.metric == "accuracy":
            accuracies[point].append(row.value)
        elif row.dataset == "all" and row.metric != "pooled_sd":
            stability[where.but(of=row.metric)][point] = row.value
    means = {point: float(np.mean(values)) for point, values in accuracies.items()}
    key, found = Key("hedge_markers", ALL_MODELS, "all"), []
    for where, values in stability.items():
        found += _correlation(key, where, "accuracy_correlation", means, values)
    return found


def _correlation(
    key: Key,
    condition: Condition,
    metric: str,
    one: Mapping[Point, float],
    other: Mapping[Point, float],
) -> list[Result]:
    """One row; none where fewer than two models have both."""
    pairs = np.array([[one[point], other[point]] for point in other if point in one])
    if len(pairs) < 2:
        return []
    there = pairs[~np.isnan(pairs).any(axis=1)]
    note = f"{len(there)} of {len(pairs)} models and variants"
    value, interval = NAN, NO_INTERVAL
    if len(there) < 3:
        note = noted("undefined: fewer than three models with both", note)
    elif (np.ptp(there, axis=0) == 0).any():
        note = noted("undefined: one of the two is the same for all", note)
    else:
        # Imported here because scipy.stats takes half a second, which every command would pay.
        from scipy.stats import pearsonr  # noqa: PLC0415

        fit = pearsonr(*there.T)
        value = float(fit.statistic)
        interval = fit.confidence_interval() if len(there) > 3 else NO_INTERVAL
    return [key.result(condition, metric, value, interval, n=len(there), note=note)]
