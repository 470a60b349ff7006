"""The finer rows of stated confidence: bins of it, type-2 rates, and the reports themselves."""

from collections.abc import Iterator, Sequence
from math import isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence._results import Result, encode_condition
from inspect_confidence.studies._detail_shares import (
    intervals_of_columns,
    resampled_of_columns,
    shares_at_least,
    shares_of_columns,
)
from inspect_confidence.studies._intervals import left_out
from inspect_confidence.studies._study import Resampling

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_BINS = 10
_EDGE = 1e-9  # as in ECE: a confidence this near to an edge lies on it
_DIGITS = 12  # as in count tables: confidences that are equal but for rounding are equal
_WEIGHTS = "outcomes are probabilities"
_NAN = float("nan")


def confidence_bins(
    rows: pd.DataFrame, parts: Sequence[str], resampling: Resampling, *, own_top: bool = False
) -> Iterator[Result]:
    """`bin_accuracy` and `bin_confidence` of the bins that hold judgments.

    Bins are those of ECE: [k/10, (k+1)/10), the last one closed. The interval of the accuracy is
    Wilson's at the effective sample size of the items, or a bootstrap over items where outcomes
    are probabilities.

    Args:
        rows: Judgments with `confidence` and `correct`; those that are not `ok`, or lack one of
            them, are left out and counted in notes.
        parts: Columns that enter the condition, beside the variant.
        resampling: Number, up to 1000, and seed of the bootstrap.
        own_top: Whether a confidence of exactly 1 has an eleventh bin, as in LifeEval.
    """
    for run, condition, read, note in _read(rows, parts, ("confidence", "correct")):
        if read.empty:
            yield from _nothing(run, condition, ("bin_accuracy", "bin_confidence"), note)
            continue
        confidence, correct = (read[name].to_numpy(float) for name in ("confidence", "correct"))
        last = _BINS if own_top else _BINS - 1
        place = np.minimum(np.floor(confidence * _BINS + _EDGE), last).astype(np.int64)
        bins, column = np.unique(place, return_inverse=True)
        unit = _units(read)
        size = np.bincount(column)
        accuracy = np.bincount(column, correct) / size
        if np.isin(correct, (0, 1)).all():
            intervals, how = intervals_of_columns(unit, column, correct), ""
        else:
            intervals = resampled_of_columns(unit, column, correct, resampling)
            how = f"{_WEIGHTS}: bootstrap interval over items"
        said = "; ".join(filter(None, (how, note)))
        mean = np.bincount(column, confidence) / size
        for k, one in enumerate(bins):
            name = "1" if one == _BINS else f"{one / _BINS:g}-{(one + 1) / _BINS:g}"
            at = encode_condition({**condition, "bin": name})
            yield _row(run, at, "bin_accuracy", accuracy[k], intervals[k], int(size[k]), said)
            yield _row(run, at, "bin_confidence", mean[k], (_NAN, _NAN), int(size[k]), note)


def type2_rates(rows: pd.DataFrame, parts: Sequence[str]) -> Iterator[Result]:
    """`type2_hit_rate` and `type2_false_alarm_rate` at every confidence that was stated.

    With (0, 0) they are the type-2 ROC curve: the area under the straight lines between them is
    `auroc`. Where outcomes are probabilities p, an answer is right by p and wrong by 1 - p, and
    rates have no interval.

    Args:
        rows: As in `confidence_bins`.
        parts: Columns that enter the condition, beside the variant.
    """
    for run, condition, read, note in _read(rows, parts, ("confidence", "correct")):
        if read.empty:
            rates = ("type2_hit_rate", "type2_false_alarm_rate")
            yield from _nothing(run, condition, rates, note)
            continue
        confidence = np.round(read["confidence"].to_numpy(float), _DIGITS)
        correct, unit = read["correct"].to_numpy(float), _units(read)
        thresholds = np.unique(confidence)[::-1]
        sides = {
            "type2_hit_rate": (correct, "no right answer"),
            "type2_false_alarm_rate": (1 - correct, "no wrong answer"),
        }
        for metric, (mass, why) in sides.items():
            there = mass > 0
            values, intervals = shares_at_least(
                thresholds, confidence[there], mass[there], unit[there]
            )
            none = "" if there.any() else f"undefined: {why}"
            weighed = "" if np.isin(mass, (0, 1)).all() else f"{_WEIGHTS}: no interval"
            said = "; ".join(filter(None, (none, weighed, note)))
            for k, threshold in enumerate(thresholds):
                at = encode_condition({**condition, "threshold": f"{threshold:.12g}"})
                yield _row(run, at, metric, values[k], intervals[k], int(there.sum()), said)


def report_shares(
    rows: pd.DataFrame, parts: Sequence[str], report: str = "raw"
) -> Iterator[Result]:
    """`report_share` of every value that was reported, with Wilson's interval.

    Args:
        rows: Judgments with the column `report`; those that are not `ok` are left out.
        parts: Columns that enter the condition, beside the variant.
        report: The column that holds what was reported.
    """
    for run, condition, read, note in _read(rows, parts, (report,)):
        if read.empty:
            yield from _nothing(run, condition, ("report_share",), note)
            continue
        values, column = np.unique(
            np.round(read[report].to_numpy(float), _DIGITS), return_inverse=True
        )
        shares, intervals = shares_of_columns(_units(read), column)
        for k, value in enumerate(values):
            at = encode_condition({**condition, "report": f"{value:.12g}"})
            yield _row(run, at, "report_share", shares[k], intervals[k], len(read), note)


def _read(
    rows: pd.DataFrame, parts: Sequence[str], needed: Sequence[str]
) -> Iterator[tuple[Result, dict[str, object], pd.DataFrame, str]]:
    """Each condition with the judgments that count, and a note of those that don't."""
    by = ["task", "model", "dataset", "variant", *parts]
    for key, some in rows.groupby(by, sort=False, dropna=False):
        task, model, dataset, *varied = key
        there = (some["status"] == "ok") & some[list(needed)].notna().all(axis=1)
        status = some["status"].where(some["status"] != "ok", "without a value")
        items = some.loc[there, "item"].nunique()
        spread = f"{items} items" if items < there.sum() else ""
        note = "; ".join(filter(None, (left_out(status.where(~there, "ok")), spread)))
        run = Result(str(task), str(model), str(dataset), "", "", _NAN, _NAN, _NAN, 0, "")
        values = ("" if isinstance(one, float) and isnan(one) else one for one in varied)
        condition = dict(zip(["variant", *parts], values, strict=True))
        yield run, condition, some[there], note


def _nothing(
    run: Result, condition: dict[str, object], metrics: Sequence[str], note: str
) -> Iterator[Result]:
    """A row a metric where no judgment counts."""
    said = "; ".join(filter(None, ("undefined: no readable judgment", note)))
    for metric in metrics:
        yield _row(run, encode_condition(condition), metric, _NAN, (_NAN, _NAN), 0, said)


def _row(
    run: Result,
    condition: str,
    metric: str,
    value: float,
    interval: Sequence[float] | FloatArray,
    n: int,
    note: str,
) -> Result:
    low, high = map(float, interval)
    where = (run.task, run.model, run.dataset, condition)
    return Result(*where, metric, float(value), low, high, n, note)


def _units(read: pd.DataFrame) -> IntArray:
    return pd.factorize(read["item"])[0].astype(np.int64)
