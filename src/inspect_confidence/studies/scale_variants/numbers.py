"""Reading the scale study's judgments, and its metrics over scales and models."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import GROUPS
from inspect_confidence.studies.estimate import Estimate, ResampledEstimates
from inspect_confidence.studies.over_models import (
    ALL_MODELS,
    Point,
    correlate_over_models,
    point_and_condition,
)
from inspect_confidence.studies.study import SampleFacts

MEAN = "mean"
"""Value of `dataset` in results that are the unweighted mean over data sets."""

_GRANULARITY = [str(scale) for scale in GROUPS["granularity"]]


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """Read the judgment of a sample: an answer with its confidence, or why there is none."""
    metadata = sample.metadata
    row = {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "low": metadata["low"],
        "high": metadata["high"],
        "target": sample.target,
        "choices": metadata.get("choices") or np.nan,
    }
    score, status_and_reason = sample.read("stated")
    read = score.select("raw", "confidence", "correct", "clipped")
    if read:
        read["clipped"] = None if np.isnan(read["clipped"]) else bool(read["clipped"])
    return [{**row, **read, "answer": score.answer or "", **status_and_reason}]


def over_scales(resampled: ResampledEstimates, condition: Condition) -> ResampledEstimates | None:
    """Return the range of accuracy over the scales that differ in granularity alone.

    The range is computed from the numbers of those scales; None if fewer than two of them were
    asked.
    """
    scale_columns = [
        i
        for i, estimate in enumerate(resampled.estimates)
        if estimate.metric == "accuracy" and estimate.condition.get("scale") in _GRANULARITY
    ]
    if len(scale_columns) < 2:
        return None
    columns = [i for i in scale_columns if not np.isnan(resampled.values[i])]

    def spread(values: FloatArray) -> FloatArray:
        if not columns:
            return np.full(len(values), np.nan)
        return np.asarray(100 * np.ptp(values[:, columns], axis=1))

    note = (
        f"over {len(columns)} of the {len(_GRANULARITY)} granularity scales; at least 0, so that "
        "noise alone makes it positive"
    )
    n = min((resampled.estimates[i].n for i in columns), default=0)
    smallest_asked = min((resampled.estimates[i].n_asked or n for i in columns), default=0)
    number = Estimate(condition, "accuracy_spread", n, note, n_asked=smallest_asked)
    return ResampledEstimates(
        [number],
        values=spread(resampled.values[None]),
        draws=spread(resampled.draws)[:, None],
        unit_count=resampled.unit_count,
    )


def entropy_and_ratio(results: Iterable[Result]) -> list[Result]:
    """Correlate the reports' entropy with M-ratio over models, by data set and scale."""
    entropy: dict[Hashable, dict[Point, float]] = defaultdict(dict)
    ratio: dict[tuple[Key, Condition], dict[Point, float]] = defaultdict(dict)
    for row in results:
        if row.metric in ("entropy_bits", "m_ratio"):
            point, condition = point_and_condition(row)
            key = Key(row.task, ALL_MODELS, row.dataset)
            by_point = entropy[key, condition.get("scale")]
            (by_point if row.metric == "entropy_bits" else ratio[key, condition])[point] = row.value
    correlations: list[Result] = []
    for (key, condition), values in ratio.items():
        entropies = entropy[key, condition.get("scale")]
        correlations += correlate_over_models(
            key, condition, "entropy_m_ratio_correlation", entropies, values
        )
    return correlations


def not_common(rows: pd.DataFrame) -> Iterator[Result]:
    """Yield the number of items that not every model, variant and scale of a data set was asked.

    Each scale has a row, and so have all items of a model on any scale (`scales=all`); in rows of
    `mean` the number is summed over data sets. There is no row if all compared runs were asked the
    same items.
    """
    keys = ["task", "model", "variant", "dataset"]
    item_rows = rows[[*keys, "scale", "item"]].drop_duplicates()
    asks = item_rows.drop_duplicates([*keys, "scale"]).groupby("dataset").size()
    of_item = item_rows.groupby(["dataset", "item"], sort=False)
    item_rows = item_rows.assign(
        apart=of_item["item"].transform("size") < item_rows["dataset"].map(asks),
        item=of_item.ngroup(),
    )
    several = item_rows.groupby(keys[:3])["dataset"].transform("nunique") > 1
    item_rows = pd.concat([item_rows, item_rows[several].assign(dataset=MEAN)])
    item_rows = item_rows[item_rows.groupby("dataset")["apart"].transform("any")]
    for more_keys in (["scale"], []):
        for values, group in item_rows.groupby([*keys, *more_keys], sort=False):
            task, model, variant, dataset, *scale = map(str, values)
            parts = {"scale": scale[0]} if more_keys else {"scales": "all"}
            condition = Condition(parts, variant=variant)
            count, items = group.loc[group["apart"], "item"].nunique(), group["item"].nunique()
            note = f"of {items} items; others of the data set were not asked them all"
            key = Key(task, model, dataset)
            yield key.result(condition, "items_not_common", count, n=items, note=note)
