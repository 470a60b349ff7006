"""What is estimated from the scale study's judgments: one scale, all scales, all data sets."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array

from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.metrics import (
    ValueTables,
    clustered_wilson_interval,
    means_of,
    report_entropy,
    round_rate,
    top1_share,
    top1_value,
    top3_share,
    unique_values,
    utilization,
)
from inspect_confidence.studies.calibration import (
    Answers,
    stated_confidence,
    two_choice_sensitivity,
)
from inspect_confidence.studies.estimate import Drawn, Family, Number
from inspect_confidence.studies.intervals import constant, left_out
from inspect_confidence.studies.scale_variants.judgments import stimulus_of
from inspect_confidence.studies.study import Resampling

FloatArray = NDArray[np.float64]
Condition = Mapping[str, object]

_NAN = float("nan")


def of_scale(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Family]:
    """Everything that the judgments on one scale give.

    Args:
        rows: Judgments on one scale, completed.
        units: The items, in the weights' order.
        condition: What the rows have in common.
        resampling: Holds the thresholds.
    """
    note = left_out(rows["status"])
    items = rows["item"].nunique()
    if items < len(rows):
        note = "; ".join(part for part in (note, f"{items} items") if part)
    counted = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    answers = Answers.of(counted, units)
    yield from stated_confidence(answers, condition, resampling.thresholds, note)
    stimulus = stimulus_of(counted)
    if answers.choices == 2 and np.isin(stimulus, (0, 1)).all():
        yield two_choice_sensitivity(answers, stimulus, condition, note)
    yield from _reports(counted[counted["status"] == "ok"], units, condition, note)
    yield from _rates(rows, units, condition)
    n = len(rows)
    yield Family([Number(condition, "n", n, note, (_NAN, _NAN))], constant(n))


def _reports(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, note: str
) -> Iterator[Family]:
    """The shape of the reports on their own scale; nothing where there is none."""
    reported = rows[rows[["raw", "low", "high"]].notna().all(axis=1)]
    if not len(reported):
        return
    if lost := len(rows) - len(reported):
        note = "; ".join(
            filter(None, (f"{lost} of {len(rows)} without a raw report left out", note))
        )
    rows = reported
    raw, low, high = (rows[name].to_numpy(float) for name in ("raw", "low", "high"))
    values, column = np.unique(raw, return_inverse=True)
    unit = units.get_indexer(pd.Index(rows["item"]))
    used = coo_array((np.ones(len(raw)), (column, unit)), (len(values), len(units))).tocsr()

    def statistic(weights: FloatArray) -> FloatArray:
        tables = ValueTables(values, np.asarray((used @ weights.T).T))
        return np.column_stack(
            [
                top1_value.of(tables),
                top1_share.of(tables),
                top3_share.of(tables),
                unique_values.of(tables),
                report_entropy.of(tables),
                round_rate.of(tables),
                utilization.of(tables, low=float(low[0]), high=float(high[0])),
            ]
        )

    names = ("top1_value", "top1_share", "top3_share", "unique_values", "entropy_bits")
    numbers = [
        Number(condition, name, len(raw), note) for name in (*names, "round_rate", "utilization")
    ]
    yield Family(numbers, statistic)


def _rates(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Family]:
    """How often reports leave the scale, and how often a reply can't be read."""
    status, raw = rows["status"], rows["raw"].to_numpy(float)
    unit = units.get_indexer(pd.Index(rows["item"])).astype(np.int64)
    low, high = (rows[name].to_numpy(float) for name in ("low", "high"))
    excess, width = np.maximum(low - raw, raw - high), high - low
    whole = ~np.isnan(raw + width)
    replied = status.isin([*REPLY_STATUSES, "ok"]).to_numpy()
    unread = ~status.isin(["ok", "out_of_range"]).to_numpy()
    shares = {
        "violation_rate": np.where(whole, excess * 20 > width, _NAN),
        "clip_rate": np.where(whole, (excess > 0) & (excess * 20 <= width), _NAN),
        "format_failure_rate": np.where(replied, unread, _NAN),
    }
    numbers = []
    for metric, flags in shares.items():
        there = ~np.isnan(flags)
        interval = clustered_wilson_interval(
            np.bincount(unit[there], flags[there], minlength=len(units)),
            np.bincount(unit[there], minlength=len(units)),
        )
        note = f"{int(np.nansum(flags))} of {there.sum()}"
        numbers.append(Number(condition, metric, int(there.sum()), note, interval))
    yield Family(numbers, means_of(np.column_stack(list(shares.values())), unit, len(units)))


def over_scales(drawn: Drawn, condition: Condition) -> Drawn:
    """How far accuracy moves over the scales, from the numbers of all of them."""
    asked = [i for i, one in enumerate(drawn.numbers) if one.metric == "accuracy"]
    columns = [i for i in asked if not np.isnan(drawn.values[i])]

    def spread(values: FloatArray) -> FloatArray:
        if not columns:
            return np.full(len(values), _NAN)
        of_scales = values[..., columns]
        return np.asarray(100 * (of_scales.max(axis=-1) - of_scales.min(axis=-1)))

    note = f"over {len(columns)} of {len(asked)} scales" if len(columns) < len(asked) else ""
    note = note or f"over {len(asked)} scales"
    note += "; at least 0, so that noise alone makes it positive"
    n = min((drawn.numbers[i].n for i in columns), default=0)
    number = Number(condition, "accuracy_spread", n, note)
    return Drawn([number], spread(drawn.values[None]), spread(drawn.draws)[:, None])
