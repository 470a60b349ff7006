"""The finer rows of stated confidence: bins of it, type-2 rates, and the reports themselves."""

from collections.abc import Iterator, Sequence
from math import isnan
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import bootstrap, means_of, percentile_interval
from inspect_confidence.results import Result, encode_condition
from inspect_confidence.studies.intervals import left_out
from inspect_confidence.studies.study import Resampling

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RESAMPLES = 1_000  # enough for the length of a line in a figure
_NAN = float("nan")


def shares_of_columns(unit: IntArray, column: IntArray) -> tuple[FloatArray, FloatArray]:
    """The share of all judgments that each column holds, and Wilson's intervals.

    Args:
        unit: The number of each judgment's item.
        column: Its column, such as the place of its value among all values.

    Returns:
        Shares, and intervals of shape (columns, 2).
    """
    per_item = np.bincount(unit).astype(float)
    of_item, of_column, count = _cells(unit, column)
    hits = np.bincount(column).astype(float)
    intervals = _wilson(
        hits,
        float(len(unit)),
        np.bincount(of_column, count**2).astype(float),
        np.bincount(of_column, count * per_item[of_item]).astype(float),
        float((per_item**2).sum()),
        float((per_item > 0).sum()),
    )
    return hits / len(unit), intervals


def intervals_of_columns(unit: IntArray, column: IntArray, right: FloatArray) -> FloatArray:
    """Wilson's intervals of the share that is right in each column, of shape (columns, 2).

    Args:
        unit: The number of each judgment's item.
        column: Its column.
        right: 1 or 0.
    """
    _, of_column, trials = _cells(unit, column)
    width = int(column.max()) + 1
    _, cell = np.unique(unit * width + column, return_inverse=True)
    hits = np.bincount(cell, right)
    sums = (hits, trials, hits**2, hits * trials, trials**2, np.ones_like(hits))
    return _wilson(*(np.bincount(of_column, one).astype(float) for one in sums))


def shares_at_least(
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The share of the mass at or above each threshold, with Wilson's intervals if masses are 1.

    Args:
        thresholds: Descending; none of the confidences is below the last one.
        confidence: Of each judgment.
        mass: What each judgment counts.
        unit: The number of its item.

    Returns:
        Shares, and intervals of shape (thresholds, 2); NaN where there is no judgment.
    """
    if not len(mass):
        return np.full(len(thresholds), _NAN), np.full((len(thresholds), 2), _NAN)
    order = np.argsort(-confidence, kind="stable")
    taken = np.searchsorted(-confidence[order], -thresholds, side="right")

    def up_to(values: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values[order])])[taken]

    found = up_to(mass)
    values = found / found[-1]  # the last threshold is the lowest confidence
    if not (mass == 1).all():
        return values, np.full((len(thresholds), 2), _NAN)
    per_item = np.bincount(unit).astype(float)
    # One judgment more of an item raises the square of its count k by 2k + 1.
    before = pd.Series(unit[order]).groupby(unit[order]).cumcount().to_numpy(float)
    squares = np.concatenate([[0.0], np.cumsum(2 * before + 1)])[taken]
    items = float((per_item > 0).sum())
    total = float((per_item**2).sum())
    return values, _wilson(found, float(len(mass)), squares, up_to(per_item[unit]), total, items)


def _wilson(
    hits: FloatArray,
    trials: FloatArray | float,
    squared: FloatArray,
    crossed: FloatArray,
    trials_squared: FloatArray | float,
    items: FloatArray | float,
) -> FloatArray:
    """`clustered_wilson_interval` of many shares, from sums over items.

    Args:
        hits: Sum of an item's successes s.
        trials: Sum of its trials t.
        squared: Sum of s^2.
        crossed: Sum of s t.
        trials_squared: Sum of t^2.
        items: How many have a trial.
    """
    share = hits / trials
    variance = (squared - 2 * share * crossed + share**2 * trials_squared) / np.square(trials)
    independent = share * (1 - share) / trials
    varies = variance > 1e-9 * independent
    ratio = share * (1 - share) / np.where(varies, variance, 1)
    n = np.where(varies, np.minimum(ratio, trials), items)
    z = NormalDist().inv_cdf(0.975)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = np.where(share == 0, 0, middle - half)
    return np.column_stack([low, np.where(share == 1, 1, middle + half)])


def resampled_of_columns(
    unit: IntArray, column: IntArray, outcome: FloatArray, resampling: Resampling
) -> FloatArray:
    """Percentile intervals of the mean outcome in each column, of shape (columns, 2).

    One item alone has none: it never varies.

    Args:
        unit: The number of each judgment's item.
        column: Its column.
        outcome: In [0, 1].
        resampling: Seed, and number of resamples up to 1000.
    """
    apart = np.where(column[:, None] == np.arange(column.max() + 1), outcome[:, None], _NAN)
    units = int(unit.max()) + 1
    draws = bootstrap(
        {"means": means_of(apart, unit, units)},
        np.zeros(units, np.int64),
        resamples=min(resampling.resamples, _RESAMPLES),
        seed=resampling.seed,
    )["means"]
    items = np.bincount(_cells(unit, column)[1])
    return np.array(
        [
            percentile_interval(values) if several else (_NAN, _NAN)
            for values, several in zip(draws.T, items > 1, strict=True)
        ]
    )


def _cells(unit: IntArray, column: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """The item, the column and the number of judgments of each cell that has any."""
    width = int(column.max()) + 1
    cells, count = np.unique(unit * width + column, return_counts=True)
    return cells // width, cells % width, count.astype(float)


_BINS = 10
_EDGE = 1e-9  # as in ECE: a confidence this near to an edge lies on it
_DIGITS = 12  # as in count tables: confidences that are equal but for rounding are equal
_WEIGHTS = "outcomes are probabilities"


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
