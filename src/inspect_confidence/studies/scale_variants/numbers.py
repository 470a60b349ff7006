"""The scale study's judgments made whole, and its numbers: of a scale, over scales and models."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from inspect_confidence import metrics
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import GROUPS
from inspect_confidence.studies import calibration, estimate
from inspect_confidence.studies.estimate import Drawn, Estimand, Number, left_out, noted, places
from inspect_confidence.studies.study import Resampling, SampleFacts

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
    read = score.only("raw", "confidence", "correct", "clipped")
    if read:
        read["clipped"] = None if np.isnan(read["clipped"]) else bool(read["clipped"])
    return [{**row, **read, "answer": score.answer or "", **became}]


def completed(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments with what follows from other columns, and `scale`, filled in.

    Where `confidence` is missing it follows from `raw`, `low` and `high`: clipped within 5% of the
    scale's width, `out_of_range` beyond. `correct` follows from `answer` and `target`.

    Raises:
        InvalidArgument: A share lies outside [0, 1], or a scale runs the wrong way.
    """
    remedy = "give a share, or `low`, `high` and `raw` for a report on another scale."
    estimate.refuse_outside(rows, ("confidence", "correct"), remedy)
    flat = rows[rows["low"] >= rows["high"]]
    if len(flat):
        low, high = flat[["low", "high"]].iloc[0]
        raise InvalidArgument(f"low={low:g}, high={high:g}: low must be below high.")
    rows = rows.copy()
    low, high, raw = (rows[name].to_numpy(float) for name in ("low", "high", "raw"))
    width = high - low
    excess = np.maximum(low - raw, raw - high)
    violated = excess * 20 > width
    # One division of whole numbers: equal shares of different scales give the same float.
    share = (np.clip(raw, low, high) - low) / np.where(width > 0, width, np.nan)
    stated = rows["confidence"].to_numpy(float)
    derived = np.isnan(stated) & ~np.isnan(share) & (rows["status"] == "ok").to_numpy()
    rows["confidence"] = np.where(derived & ~violated, share, stated)
    rows.loc[derived & violated, "status"] = "out_of_range"
    rows.loc[derived & (excess > 0) & ~violated, "clipped"] = True
    known = (rows["correct"].isna() & (rows["answer"] != "") & (rows["target"] != "")).to_numpy()
    # A column of numbers with a gap is read as floats, so that 18 may have become 18.0.
    answer, target = (rows[name].str.removesuffix(".0") for name in ("answer", "target"))
    equal = (answer == target).to_numpy(float)
    rows["correct"] = np.where(known, equal, rows["correct"].to_numpy(float))
    rows["scale"] = [
        "" if np.isnan(one + other) else f"{one:g}-{other:g}"
        for one, other in zip(low, high, strict=True)
    ]
    return rows


def of_scale(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Estimand]:
    """Everything that the judgments on one scale give.

    `rows` are completed; `resampling` holds the thresholds.
    """
    items = rows["item"].nunique()
    note = noted(left_out(rows["status"]), f"{items} items" if items < len(rows) else "")
    counted = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    answers = calibration.Answers.of(counted, units)
    yield from calibration.stated_confidence(answers, condition, resampling.thresholds, note)
    if answers.choices == 2 and counted["target"].isin(("A", "B")).all():
        stimulus = np.where(counted["target"] == "B", 1, 0)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    yield from _reports(rows, units, condition)
    yield _rates(rows, units, condition)
    yield estimate.count(condition, len(rows), note)


def _reports(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Estimand]:
    """The shape of the reports on their own scale, out of range or not; nothing without any."""
    beyond = (rows["status"] == "out_of_range").to_numpy()
    there = rows[["raw", "low", "high"]].notna().all(axis=1)
    there &= beyond | (rows["status"] == "ok").to_numpy()
    reported, outside = rows[there], int((there & beyond).sum())
    if not len(reported):
        return
    included = f"{outside} of {len(reported)} reports out of range, included" if outside else ""
    note = noted(included, estimate.rests_on(rows, there))
    raw, low, high = (reported[name].to_numpy(float) for name in ("raw", "low", "high"))
    values, column = np.unique(raw, return_inverse=True)
    unit = places(reported, units)
    used = coo_array((np.ones(len(raw)), (column, unit)), (len(values), len(units))).tocsr()
    shape: dict[str, Callable[[metrics.ValueTables], FloatArray]] = {
        "top1_value": metrics.top1_value.of,
        "top1_share": metrics.top1_share.of,
        "top3_share": metrics.top3_share.of,
        "unique_values": metrics.unique_values.of,
        "entropy_bits": metrics.report_entropy.of,
        "utilization": lambda t: metrics.utilization.of(t, low=float(low[0]), high=float(high[0])),
    }

    items, asked = len(np.unique(unit)), len(rows)
    yield estimate.together(
        [Number(condition, name, len(raw), note, asked=asked, units=items) for name in shape],
        lambda weights: metrics.ValueTables(values, np.asarray((used @ weights.T).T)),
        list(shape.values()),
    )


def _rates(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Estimand:
    """How often reports are round or leave the scale, and how often a reply can't be read."""
    raw, low, high = (rows[name].to_numpy(float) for name in ("raw", "low", "high"))
    excess, width = np.maximum(low - raw, raw - high), high - low
    whole = ~np.isnan(raw + width)
    unread = ~rows["status"].isin(["ok", "out_of_range"]).to_numpy()
    flags = {
        "round_rate": np.where(whole & ~unread, np.isclose(raw, 5 * np.round(raw / 5)), np.nan),
        "violation_rate": np.where(whole, excess * 20 > width, np.nan),
        "clip_rate": np.where(whole, (excess > 0) & (excess * 20 <= width), np.nan),
        "format_failure_rate": np.where(estimate.replied(rows["status"]), unread, np.nan),
    }
    return estimate.means(condition, flags, places(rows, units), len(units), estimate.counted)


def over_scales(drawn: Drawn, condition: Condition) -> Drawn | None:
    """How far accuracy moves over the scales that differ in granularity alone.

    It is of the numbers of all scales; None where fewer than two of those were asked.
    """
    asked = [
        i
        for i, one in enumerate(drawn.numbers)
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
    n = min((drawn.numbers[i].n for i in columns), default=0)
    least = min((drawn.numbers[i].asked or n for i in columns), default=0)
    number = Number(condition, "accuracy_spread", n, note, asked=least)
    return Drawn([number], spread(drawn.values[None]), spread(drawn.draws)[:, None], drawn.units)


def entropy_and_ratio(results: Iterable[Result]) -> list[Result]:
    """The correlation over models of the reports' entropy with M-ratio, by data set and scale."""
    entropy: dict[Hashable, dict[estimate.Point, float]] = defaultdict(dict)
    ratio: dict[tuple[Key, Condition], dict[estimate.Point, float]] = defaultdict(dict)
    for row in results:
        if row.metric in ("entropy_bits", "m_ratio"):
            point, where = estimate.point_of(row)
            key = Key(row.task, estimate.ALL_MODELS, row.dataset)
            of = entropy[key, where.get("scale")]
            (of if row.metric == "entropy_bits" else ratio[key, where])[point] = row.value
    found: list[Result] = []
    for (key, where), values in ratio.items():
        others = entropy[key, where.get("scale")]
        found += estimate.over_models(key, where, "entropy_m_ratio_correlation", others, values)
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
