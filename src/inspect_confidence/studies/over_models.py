"""Numbers over models: what goes together with what, from the results of each."""

from collections.abc import Iterable

import numpy as np

from inspect_confidence.results import Result, decode_condition, encode_condition

ALL_MODELS = "all"
"""What stands in `model` for a number over models."""

_NAN = float("nan")


def over_models(results: Iterable[Result]) -> list[Result]:
    """The correlation over models of the reports' entropy with M-ratio, by data set and scale.

    Each model and variant is a point, those where either number is undefined are left out and
    counted. The interval is Fisher's z, which takes models for a random sample and ignores the
    error of each point.
    """
    entropy: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    ratio: dict[tuple[str, str, str], dict[tuple[str, str], float]] = {}
    for row in results:
        where = decode_condition(row.condition)
        point = (row.model, where.pop("variant", ""))
        scale = where.pop("scale", "")
        if row.metric == "entropy_bits":
            entropy.setdefault((row.dataset, scale), {})[point] = row.value
        elif row.metric == "m_ratio":
            key = (row.dataset, scale, encode_condition(where))
            ratio.setdefault(key, {})[point] = row.value
    found = []
    for (dataset, scale, model), values in ratio.items():
        others = entropy.get((dataset, scale), {})
        points = [point for point in values if point in others]
        if len(points) > 1:
            pairs = np.array([[others[point], values[point]] for point in points])
            condition = encode_condition({**decode_condition(model), "scale": scale})
            found.append(_correlation(pairs, dataset, condition))
    return found


def _correlation(
    pairs: np.ndarray,
    dataset: str,
    condition: str,
    task: str = "scale_variants",
    metric: str = "entropy_m_ratio_correlation",
) -> Result:
    # Imported here because scipy.stats takes half a second, which every command would pay.
    from scipy.stats import pearsonr  # noqa: PLC0415

    there = pairs[~np.isnan(pairs).any(axis=1)]
    note = f"{len(there)} of {len(pairs)} models and variants"
    value, low, high = _NAN, _NAN, _NAN
    if len(there) < 3:
        note = f"undefined: fewer than three models with both; {note}"
    elif (np.ptp(there, axis=0) == 0).any():
        note = f"undefined: one of the two is the same for all; {note}"
    else:
        fit = pearsonr(*there.T)
        value = float(fit.statistic)
        if len(there) > 3:
            low, high = map(float, fit.confidence_interval())
    return Result(
        task,
        ALL_MODELS,
        dataset,
        condition,
        metric,
        value,
        low,
        high,
        len(there),
        note,
    )


def accuracy_correlations(results: Iterable[Result]) -> list[Result]:
    """Over models the correlation of mean accuracy with each metric of stability of markers.

    Each model and variant is a point: its accuracy, the unweighted mean over data sets and splits,
    and the metric. The interval is Fisher's z, as in `over_models`.
    """
    accuracies: dict[tuple[str, str], list[float]] = {}
    found: dict[str, dict[tuple[str, str], float]] = {}
    names: dict[str, str] = {}
    for row in results:
        where = decode_condition(row.condition)
        point = (row.model, where.pop("variant", ""))
        if row.metric == "accuracy":
            accuracies.setdefault(point, []).append(row.value)
        elif row.dataset == "all" and row.metric != "pooled_sd":
            key = encode_condition({**where, "of": row.metric})
            found.setdefault(key, {})[point] = row.value
            names[key] = row.metric
    rows = []
    for key, values in found.items():
        points = [point for point in values if point in accuracies]
        if len(points) > 1:
            pairs = np.array([[np.mean(accuracies[point]), values[point]] for point in points])
            rows.append(_correlation(pairs, "all", key, "hedge_markers", "accuracy_correlation"))
    return rows
