"""What is estimated from the scale study's judgments: on one scale, over scales, over models."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator

import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from inspect_confidence.metrics import (
    ValueTables,
    report_entropy,
    round_rate,
    top1_share,
    top1_value,
    top3_share,
    unique_values,
    utilization,
)
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.calibration import (
    Answers,
    stated_confidence,
    two_choice_sensitivity,
)
from inspect_confidence.studies.estimate import (
    ALL_MODELS,
    Drawn,
    Estimand,
    Number,
    Point,
    count,
    left_out,
    noted,
    over_models,
    places,
    point_of,
    replied,
    shares,
)
from inspect_confidence.studies.scale_variants.judgments import stimulus_of
from inspect_confidence.studies.study import Resampling


def of_scale(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Estimand]:
    """Everything that the judgments on one scale give.

    `rows` are completed; `resampling` holds the thresholds.
    """
    items = rows["item"].nunique()
    note = noted(left_out(rows["status"]), f"{items} items" if items < len(rows) else "")
    counted = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    answers = Answers.of(counted, units)
    yield from stated_confidence(answers, condition, resampling.thresholds, note)
    stimulus = stimulus_of(counted)
    if answers.choices == 2 and np.isin(stimulus, (0, 1)).all():
        yield two_choice_sensitivity(answers, stimulus, condition, note)
    yield from _reports(counted[counted["status"] == "ok"], units, condition, note)
    yield _rates(rows, units, condition)
    yield count(condition, len(rows), note)


def _reports(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, note: str
) -> Iterator[Estimand]:
    """The shape of the reports on their own scale; nothing where there is none."""
    reported = rows[rows[["raw", "low", "high"]].notna().all(axis=1)]
    if not len(reported):
        return
    lost = len(rows) - len(reported)
    note = noted(f"{lost} of {len(rows)} without a raw report left out" if lost else "", note)
    raw, low, high = (reported[name].to_numpy(float) for name in ("raw", "low", "high"))
    values, column = np.unique(raw, return_inverse=True)
    unit = places(reported, units)
    used = coo_array((np.ones(len(raw)), (column, unit)), (len(values), len(units))).tocsr()
    metrics: dict[str, Callable[[ValueTables], FloatArray]] = {
        "top1_value": top1_value.of,
        "top1_share": top1_share.of,
        "top3_share": top3_share.of,
        "unique_values": unique_values.of,
        "entropy_bits": report_entropy.of,
        "round_rate": round_rate.of,
        "utilization": lambda t: utilization.of(t, low=float(low[0]), high=float(high[0])),
    }

    def statistic(weights: FloatArray) -> FloatArray:
        tables = ValueTables(values, np.asarray((used @ weights.T).T))
        return np.column_stack([metric(tables) for metric in metrics.values()])

    yield Estimand([Number(condition, name, len(raw), note) for name in metrics], statistic)


def _rates(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Estimand:
    """How often reports leave the scale, and how often a reply can't be read."""
    raw, low, high = (rows[name].to_numpy(float) for name in ("raw", "low", "high"))
    excess, width = np.maximum(low - raw, raw - high), high - low
    whole = ~np.isnan(raw + width)
    unread = ~rows["status"].isin(["ok", "out_of_range"]).to_numpy()
    flags = {
        "violation_rate": np.where(whole, excess * 20 > width, np.nan),
        "clip_rate": np.where(whole, (excess > 0) & (excess * 20 <= width), np.nan),
        "format_failure_rate": np.where(replied(rows["status"]), unread, np.nan),
    }
    return shares(condition, flags, places(rows, units), len(units))


def over_scales(drawn: Drawn, condition: Condition) -> Drawn | None:
    """How far accuracy moves over the scales, from the numbers of all; None where there is one."""
    asked = [i for i, one in enumerate(drawn.numbers) if one.metric == "accuracy"]
    if len(asked) < 2:
        return None
    columns = [i for i in asked if not np.isnan(drawn.values[i])]

    def spread(values: FloatArray) -> FloatArray:
        if not columns:
            return np.full(len(values), np.nan)
        return np.asarray(100 * np.ptp(values[:, columns], axis=1))

    of_all = "" if len(columns) == len(asked) else f"{len(columns)} of "
    note = f"over {of_all}{len(asked)} scales; at least 0, so that noise alone makes it positive"
    n = min((drawn.numbers[i].n for i in columns), default=0)
    number = Number(condition, "accuracy_spread", n, note)
    return Drawn([number], spread(drawn.values[None]), spread(drawn.draws)[:, None])


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
