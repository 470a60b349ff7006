"""Reading of the scale study's judgments, and its metrics over scales and models."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import ALL, GROUPS
from inspect_confidence.studies.estimate import (
    Estimate,
    ResampledEstimates,
    estimates_without_resamples,
)
from inspect_confidence.studies.over_models import (
    ALL_MODELS,
    Point,
    correlate_over_models,
    point_and_condition,
)
from inspect_confidence.studies.study import SampleFacts

MEAN = "mean"
"""Value of `dataset` in results that are the unweighted mean over data sets."""

_GRANULARITY_SCALES = list(map(str, GROUPS["granularity"]))
_SCALE_POSITIONS = {str(scale): position for position, scale in enumerate(ALL)}


def scale_sort_key(scale: str) -> tuple[int, str]:
    """Return the sort key of a scale: the study's scales come in its order, then others by name."""
    return _SCALE_POSITIONS.get(scale, len(_SCALE_POSITIONS)), scale


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a sample: an answer with its confidence, or why there is none."""
    row, score, status_and_reason = sample.read_answer("stated")
    row |= sample.metadata_columns("low", "high")
    values = score.select("raw", "confidence", "correct", "clipped")
    if values:
        # Whether a report just outside the scale was moved to its end: the log has 1, 0 or NaN; the
        # column is a flag, whose missing value is None.
        values["clipped"] = None if np.isnan(values["clipped"]) else bool(values["clipped"])
    return [{**row, **values, **status_and_reason}]


def accuracy_spread(
    resampled: ResampledEstimates, condition: Condition
) -> ResampledEstimates | None:
    """Return the range (greatest less least) of accuracy over scales that differ in granularity.

    It is in percentage points, of the accuracies in `resampled`, without an interval; None if fewer
    than two of these scales were used. Its n is the smallest of any scale. Undefined accuracies are
    left out; if all are undefined, so is the range.
    """
    scale_columns = []
    for column, estimate in enumerate(resampled.estimates):
        is_on_scale = estimate.condition.get("scale") in _GRANULARITY_SCALES
        if estimate.metric == "accuracy" and is_on_scale:
            scale_columns.append(column)
    if len(scale_columns) < 2:
        return None
    columns = [column for column in scale_columns if not np.isnan(resampled.values[column])]
    note = (
        f"over {len(columns)} of the {len(_GRANULARITY_SCALES)} granularity scales; at least 0, so "
        "that noise alone makes it positive"
    )
    estimates = [resampled.estimates[column] for column in columns]
    n = min((estimate.n for estimate in estimates), default=0)
    n_asked = min((estimate.n_asked or n for estimate in estimates), default=0)
    described = Estimate(condition, "accuracy_spread", n, note, n_asked=n_asked)
    spread = 100 * float(np.ptp(resampled.values[columns])) if columns else np.nan
    return estimates_without_resamples([(described, spread)])


def entropy_ratio_correlations(results: Iterable[Result]) -> list[Result]:
    """Correlate the entropy of reported numbers with M-ratio over models, by data set and scale.

    M-ratio is the sensitivity of confidence (meta-d') over that of the answers (d'). There is no
    correlation where fewer than two models have both.
    """
    # Values by point (a model and variant): the entropy of each key and scale, and the M-ratio of
    # each key and condition, as it also depends on a threshold.
    entropy: dict[Hashable, dict[Point, float]] = defaultdict(dict)
    ratio: dict[tuple[Key, Condition], dict[Point, float]] = defaultdict(dict)
    for row in results:
        if row.metric in ("entropy_bits", "m_ratio"):
            point, condition = point_and_condition(row)
            key = Key(row.task, ALL_MODELS, row.dataset)
            if row.metric == "entropy_bits":
                entropy[key, condition.get("scale")][point] = row.value
            else:
                ratio[key, condition][point] = row.value
    correlations: list[Result] = []
    for (key, condition), values in ratio.items():
        entropies = entropy[key, condition.get("scale")]
        correlations += correlate_over_models(
            key, condition, "entropy_m_ratio_correlation", first=entropies, second=values
        )
    return correlations


def items_not_common(rows: pd.DataFrame) -> Iterator[Result]:
    """Yield the number of items that some model, variant or scale of the data set lacks.

    Each model has a row for each scale, and one for its items on any scale (`scales=all`). In rows
    of `mean` the number is summed over data sets. A data set has no row if all runs have the same
    items.
    """
    keys = ["task", "model", "variant", "dataset"]
    item_rows = rows[[*keys, "scale", "item"]].drop_duplicates()
    # A run is a model, variant and scale; an item is missing if fewer runs than all have it.
    run_counts = item_rows.drop_duplicates([*keys, "scale"]).groupby("dataset").size()
    of_item = item_rows.groupby(["dataset", "item"], sort=False)
    # `transform` counts the runs of each row's item, and `ngroup` makes items of data sets differ.
    item_rows = item_rows.assign(
        is_missing=of_item["item"].transform("size") < item_rows["dataset"].map(run_counts),
        item=of_item.ngroup(),
    )
    # Models with several data sets also have rows of their sum.
    several = item_rows.groupby(keys[:3])["dataset"].transform("nunique") > 1
    item_rows = pd.concat([item_rows, item_rows[several].assign(dataset=MEAN)])
    item_rows = item_rows[item_rows.groupby("dataset")["is_missing"].transform("any")]
    for more_keys in (["scale"], []):  # by scale, then over all scales
        for values, group in item_rows.groupby([*keys, *more_keys], sort=False):
            task, model, variant, dataset, *scale = map(str, values)
            parts = {"scale": scale[0]} if more_keys else {"scales": "all"}
            condition = Condition(parts, variant=variant)
            count, items = group.loc[group["is_missing"], "item"].nunique(), group["item"].nunique()
            note = f"of {items} items; others of the data set were not asked them all"
            key = Key(task, model, dataset)
            yield key.result(condition, "items_not_common", count, n=items, note=note)
