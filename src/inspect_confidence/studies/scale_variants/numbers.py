"""The scale study's judgments made whole, and its numbers: of a scale, over scales and models."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import GROUPS
from inspect_confidence.studies.estimate import Estimate, ResampledEstimates
from inspect_confidence.studies.over_models import ALL_MODELS, Point, over_models, point_of
from inspect_confidence.studies.study import SampleFacts

MEAN = "mean"
"""What stands in `dataset` for the unweighted mean over data sets."""

_GRANULARITY = [str(scale) for scale in GROUPS["granularity"]]


def read_sample(sample: SampleFacts) -> list[dict[str, Any]]:
    """The judgment of a sample: an answer with its confidence, or why there is none."""
    metadata = sample.metadata
    row = {
        "item": metadata["item"],
        "split": metadata.get("split"),
        "low": metadata["low"],
        "high": metadata["high"],
        "target": sample.target,
        "choices": metadata.get("choices") or np.nan,
    }
    score, became = sample.read("stated")
    read = score.select("raw", "confidence", "correct", "clipped")
    if read:
        read["clipped"] = None if np.isnan(read["clipped"]) else bool(read["clipped"])
    return [{**row, **read, "answer": score.answer or "", **became}]


def over_scales(drawn: ResampledEstimates, condition: Condition) -> ResampledEstimates | None:
    """How far accuracy moves over the scales that differ in granularity alone.

    It is of the numbers of all scales; None where fewer than two of those were asked.
    """
    asked = [
        i
        for i, one in enumerate(drawn.estimates)
        if one.metric == "accuracy" and one.condition.get("scale") in _GRANULARITY
    ]
    if len(asked) < 2:
        return None
    columns = [i for i in asked if not np.isnan(drawn.values[i])]

    def spread(values: FloatArray) -> FloatArray:
        if not columns:
            return np.full(len(values), np.nan)
        return np.asarray(100 * np.ptp(values[:, columns], axis=1))

    note = (
        f"over {len(columns)} of the {len(_GRANULARITY)} granularity scales; at least 0, so that "
        "noise alone makes it positive"
    )
    n = min((drawn.estimates[i].n for i in columns), default=0)
    least = min((drawn.estimates[i].n_asked or n for i in columns), default=0)
    number = Estimate(condition, "accuracy_spread", n, note, n_asked=least)
    return ResampledEstimates(
        [number], spread(drawn.values[None]), spread(drawn.draws)[:, None], drawn.units
    )


def entropy_and_ratio(results: Iterable[Result]) -> list[Result]:
    """The correlation over models of the reports' entropy with M-ratio, by data set and scale."""
    entropy: dict[Hashable, dict[Point, float]] = defaultdict(dict)
    ratio: dict[tuple[Key, Condition], dict[Point, float]] = defaultdict(dict)
    for row in results:
        if row.metric in ("entropy_bits", "m_ratio"):
            point, where = point_of(row)
            key = Key(row.task, ALL_MODELS, row.dataset)
            of = entropy[key, where.get("scale")]
            (of if row.metric == "entropy_bits" else ratio[key, where])[point] = row.value
    found: list[Result] = []
    for (key, where), values in ratio.items():
        others = entropy[key, where.get("scale")]
        found += over_models(key, where, "entropy_m_ratio_correlation", others, values)
    return found


def not_common(rows: pd.DataFrame) -> Iterator[Result]:
    """How many items not every model, variant and scale of a data set was asked.

    A row a scale, and one of a model's items on any (`scales=all`); of `mean` summed over data
    sets. None where all that are compared were asked the same items.
    """
    who = ["task", "model", "variant", "dataset"]
    asked = rows[[*who, "scale", "item"]].drop_duplicates()
    asks = asked.drop_duplicates([*who, "scale"]).groupby("dataset").size()
    of_item = asked.groupby(["dataset", "item"], sort=False)
    asked = asked.assign(
        apart=of_item["item"].transform("size") < asked["dataset"].map(asks), item=of_item.ngroup()
    )
    several = asked.groupby(who[:3])["dataset"].transform("nunique") > 1
    asked = pd.concat([asked, asked[several].assign(dataset=MEAN)])
    asked = asked[asked.groupby("dataset")["apart"].transform("any")]
    for by in (["scale"], []):
        for values, some in asked.groupby([*who, *by], sort=False):
            task, model, variant, dataset, *scale = map(str, values)
            on = {"scale": scale[0]} if by else {"scales": "all"}
            condition = Condition(on, variant=variant)
            count, items = some.loc[some["apart"], "item"].nunique(), some["item"].nunique()
            note = f"of {items} items; others of the data set were not asked them all"
            key = Key(task, model, dataset)
            yield key.result(condition, "items_not_common", count, n=items, note=note)
