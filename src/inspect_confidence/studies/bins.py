"""Distributions of judgments in rows: bins, shares of values, type-2 rates, with intervals."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence.metrics import (
    METRICS,
    ItemTables,
    bootstrap,
    corp_band,
    corp_curve,
    interval_of,
    means_of,
    resampled_interval,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.metrics.resample import wilson_limits
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies.estimate import condition_groups, wilson
from inspect_confidence.studies.notes import noted, rests_on
from inspect_confidence.studies.study import Resampling

RESAMPLES = 1_000
"""Enough for the length of a line in a figure."""

LEAST = 20
"""Items in a bin from which on the bootstrap of a mean has an interval."""

_EDGE = 1e-9
_DIGITS = 12  # as in count tables: what is equal but for rounding is equal
_WEIGHTS = "outcomes are probabilities"


def bin_of(values: FloatArray, bins: int = 10, *, own_top: bool = False) -> IntArray:
    """The bin of each value in [0, 1]: [k/bins, (k+1)/bins), the last one closed, as in ECE.

    0.3 * 10 may be a little below 3: a value within 1e-9 bins of an edge lies on it. With `own_top`
    exactly 1 has a bin of its own above the others, as in LifeEval.
    """
    last = bins if own_top else bins - 1
    return np.floor(values * bins + _EDGE).clip(0, last).astype(np.int64)


def bin_name(place: int, bins: int = 10) -> str:
    """A bin in conditions, `0.1-0.2`; `1` for one of exactly 1."""
    return "1" if place == bins else f"{place / bins:g}-{(place + 1) / bins:g}"


def bin_shares(
    key: Key,
    condition: Condition,
    metric: str,
    values: FloatArray,
    unit: IntArray,
    bins: int,
    note: str,
) -> Iterator[Result]:
    """The share of values in [0, 1] in each bin, also in empty ones, with Wilson's interval.

    `unit` is the number of each value's item. Where there is no value shares are NaN.
    """
    place, units = bin_of(values, bins), len(np.bincount(unit))
    for k in range(bins):
        inside = (place == k).astype(float)
        share = inside.mean() if len(values) else np.nan
        interval = wilson(inside, unit, units)
        at = condition.but(bin=bin_name(k, bins))
        yield key.result(at, metric, share, interval, n=len(values), note=note)


def confidence_bins(
    rows: pd.DataFrame,
    parts: Sequence[str],
    resampling: Resampling,
    *,
    own_top: bool = False,
    clusters: str = "",
) -> Iterator[Result]:
    """`bin_accuracy` and `bin_confidence` of the bins that hold judgments.

    The interval of the accuracy is Wilson's at the effective sample size of the items, or a
    bootstrap over items, of up to 1000 resamples, where outcomes are probabilities.

    Args:
        rows: Judgments with `confidence` and `correct`; those that are not `ok`, or lack one of
            them, are left out and counted in notes.
        parts: Columns that enter the condition, beside the variant.
        resampling: Of the bootstrap.
        own_top: Whether a confidence of exactly 1 has an eleventh bin, as in LifeEval.
        clusters: What items depend on each other in, of which bins hold too few for an interval.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        confidence, correct = (read[name].to_numpy(float) for name in ("confidence", "correct"))
        bins, column = np.unique(bin_of(confidence, own_top=own_top), return_inverse=True)
        inside, unit = column[:, None] == np.arange(len(bins)), _units(read)
        outcomes, size = np.where(inside, correct[:, None], np.nan), inside.sum(axis=0)
        if clusters:
            intervals = np.full((len(bins), 2), np.nan)
            how = f"no interval: too few {clusters} in a bin"
        elif np.isin(correct, (0, 1)).all():
            intervals = np.array([wilson(flags, unit, int(unit.max()) + 1) for flags in outcomes.T])
            how = ""
        else:
            intervals = _resampled(outcomes, unit, resampling)
            how = f"{_WEIGHTS}: bootstrap interval over items"
        accuracy, mean = (np.bincount(column, one) / size for one in (correct, confidence))
        said = noted(how, note)
        for k, n in enumerate(map(int, size)):
            where = at.but(bin=bin_name(bins[k]))
            none = f"no interval: fewer than {LEAST} items" if np.isnan(intervals[k]).any() else ""
            noting = noted(none, said)
            yield key.result(where, "bin_accuracy", accuracy[k], intervals[k], n=n, note=noting)
            yield key.result(where, "bin_confidence", mean[k], n=n, note=note)

    metrics = ("bin_accuracy", "bin_confidence")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, of)


def corp_rows(rows: pd.DataFrame, parts: Sequence[str], resampling: Resampling) -> Iterator[Result]:
    """`corp_accuracy` and `consistency_band` at every confidence that was stated.

    There is no band where outcomes are probabilities: none are drawn from the confidence then.
    `rows` and `parts` are as in `confidence_bins`; `resampling` has the seed.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        confidence, correct = (read[name].to_numpy(float) for name in ("confidence", "correct"))
        values, accuracy = corp_curve(confidence, correct)
        places = [at.but(confidence=f"{value:.12g}") for value in values]
        n = len(read)
        for where, one in zip(places, accuracy, strict=True):
            yield key.result(where, "corp_accuracy", one, n=n, note=note)
        if np.isin(correct, (0, 1)).all():
            band = corp_band(confidence, _units(read), seed=resampling.seed)
            for where, value, low, high in zip(places, *band, strict=True):
                ends = min(low, value), max(high, value)
                yield key.result(where, "consistency_band", value, ends, n=n, note=note)

    metrics = ("corp_accuracy", "consistency_band")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, of)


def type2_rates(rows: pd.DataFrame, parts: Sequence[str]) -> Iterator[Result]:
    """`type2_hit_rate` and `type2_false_alarm_rate` at every confidence that was stated.

    With (0, 0) they are the type-2 ROC curve: the area under the straight lines between them is
    `auroc`. Where outcomes are probabilities p, an answer is right by p and wrong by 1 - p, and
    rates have no interval. `rows` and `parts` are as in `confidence_bins`.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        confidence = np.round(read["confidence"].to_numpy(float), _DIGITS)
        correct, unit = read["correct"].to_numpy(float), _units(read)
        thresholds = np.unique(confidence)[::-1]
        for metric, mass, side in zip(
            metrics, (correct, 1 - correct), ("right", "wrong"), strict=True
        ):
            there = mass > 0
            values, intervals = _shares_at_least(
                thresholds, confidence[there], mass[there], unit[there]
            )
            none = "" if there.any() else f"undefined: no {side} answer"
            weighed = "" if np.isin(mass, (0, 1)).all() else f"{_WEIGHTS}: no interval"
            n, said = int(there.sum()), noted(none, weighed, note)
            for threshold, value, interval in zip(thresholds, values, intervals, strict=True):
                where = at.but(threshold=f"{threshold:.12g}")
                yield key.result(where, metric, value, interval, n=n, note=said)

    metrics = ("type2_hit_rate", "type2_false_alarm_rate")
    yield from _of_conditions(rows, parts, ("confidence", "correct"), metrics, of)


MOST_THRESHOLDS = 101
"""Points of a curve: of more confidences, so many are taken, evenly by rank."""


def utility_curve(
    rows: pd.DataFrame, parts: Sequence[str], resampling: Resampling
) -> Iterator[Result]:
    """`expected_utility` of answering from each stated confidence on, where costs are given.

    `rows` and `parts` are as in `confidence_bins`. That of never answering is the costs' own.
    """
    costs = resampling.costs
    if costs is None:
        return

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        unit = _units(read)
        units = int(unit.max()) + 1
        cells = ItemTables.from_judgments(read["confidence"], read["correct"], unit, units)
        count = min(len(cells.values), MOST_THRESHOLDS)
        taken = np.linspace(0, len(cells.values) - 1, count).round().astype(np.int64)
        everything = cells.tables(np.ones((1, units)))
        values = costs.utilities(everything)[0, taken]
        drawn = bootstrap(
            {
                "utility": cells.table_statistic.map(
                    lambda tables: costs.utilities(tables)[:, taken]
                )
            },
            np.zeros(units, np.int64),
            resamples=min(resampling.resamples, RESAMPLES),
            seed=resampling.seed,
        )["utility"]
        rule = METRICS["expected_utility"].interval
        rarest = float(min(everything.right.sum(), everything.wrong.sum()))
        for place, value, draws in zip(taken, values, drawn.T, strict=True):
            where = at.but(costs=str(costs), answered_from=f"{cells.values[place]:.12g}")
            interval, why = interval_of(rule, value, draws, units, rarest)
            said = noted(f"no interval: {why}" if why else "", note)
            yield key.result(where, "expected_utility", value, interval, n=len(read), note=said)

    yield from _of_conditions(rows, parts, ("confidence", "correct"), ("expected_utility",), of)


def report_shares(
    rows: pd.DataFrame, parts: Sequence[str], report: str = "raw"
) -> Iterator[Result]:
    """`report_share` of every value in the column `report`, with Wilson's interval.

    `rows` and `parts` are as in `confidence_bins`.
    """

    def of(key: Key, at: Condition, read: pd.DataFrame, note: str) -> Iterator[Result]:
        reports, unit = np.round(read[report].to_numpy(float), _DIGITS), _units(read)
        for value, n in zip(*np.unique(reports, return_counts=True), strict=True):
            interval = wilson((reports == value).astype(float), unit, int(unit.max()) + 1)
            where, share = at.but(report=f"{value:.12g}"), n / len(read)
            yield key.result(where, "report_share", share, interval, n=len(read), note=note)

    yield from _of_conditions(rows, parts, (report,), ("report_share",), of)


def _of_conditions(
    rows: pd.DataFrame,
    parts: Sequence[str],
    needed: Sequence[str],
    metrics: Sequence[str],
    of: Callable[[Key, Condition, pd.DataFrame, str], Iterator[Result]],
) -> Iterator[Result]:
    """The rows of each condition's judgments that count; undefined ones where none does."""
    for key, at, some in condition_groups(rows, ("model", "dataset", "variant", *parts)):
        there = (some["status"] == "ok") & some[list(needed)].notna().all(axis=1)
        note = rests_on(some, there)
        if there.any():
            found = of(key, at, some[there], note)
        else:
            none = noted("undefined: no readable judgment", note)
            found = (key.result(at, metric, np.nan, n=0, note=none) for metric in metrics)
        yield from (replace(row, asked=len(some)) for row in found)


def _shares_at_least(
    thresholds: FloatArray, confidence: FloatArray, mass: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The share of the mass at or above each threshold, with Wilson's intervals if masses are 1.

    Thresholds descend, and no confidence is below the last one; all is NaN where there is no
    judgment.
    """
    none = np.full((len(thresholds), 2), np.nan)
    if not len(mass):
        return none[:, 0], none
    order = np.argsort(-confidence, kind="stable")
    taken = np.searchsorted(-confidence[order], -thresholds, side="right")

    def up_to(values: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values[order])])[taken]

    found = up_to(mass)
    values = found / found[-1]  # the last threshold is the lowest confidence
    if not (mass == 1).all():
        return values, none
    per_item = np.bincount(unit).astype(float)
    # One judgment more of an item raises the square of its count k by 2k + 1.
    before = pd.Series(unit[order]).groupby(unit[order]).cumcount().to_numpy(float)
    squares = np.concatenate([[0.0], np.cumsum(2 * before + 1)])[taken]
    # Over items, of so many successes s in t judgments: sum (s - share t)^2 / (sum t)^2.
    crossed, trials = up_to(per_item[unit]), np.full(len(values), len(mass), float)
    spread = squares - 2 * values * crossed + values**2 * (per_item**2).sum()
    items = np.full(len(values), (per_item > 0).sum(), float)
    return values, wilson_limits(values, spread / trials**2, trials, items)


def _resampled(outcomes: FloatArray, unit: IntArray, resampling: Resampling) -> FloatArray:
    """Intervals of each column's mean outcome; one item alone has none."""
    units = int(unit.max()) + 1
    draws = bootstrap(
        {"means": means_of(outcomes, unit, units)},
        np.zeros(units, np.int64),
        resamples=min(resampling.resamples, RESAMPLES),
        seed=resampling.seed,
    )["means"]
    intervals = np.full((len(draws.T), 2), np.nan)
    for k, (values, column) in enumerate(zip(draws.T, outcomes.T, strict=True)):
        items = len(np.unique(unit[~np.isnan(column)]))
        if items >= LEAST:
            mean = float(np.nanmean(column))
            intervals[k] = resampled_interval(mean, values, items, method="percentile")
    return intervals


def _units(read: pd.DataFrame) -> IntArray:
    return pd.factorize(read["item"])[0].astype(np.int64)
