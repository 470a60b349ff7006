"""LifeEval's finer rows: confidence by true probability, answers by age, and items one by one."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence._results import Result, encode_condition
from inspect_confidence.metrics import means_of
from inspect_confidence.studies._estimates import Family, Number, draw, results_of
from inspect_confidence.studies._hard_easy_numbers import counted
from inspect_confidence.studies._intervals import left_out
from inspect_confidence.studies._study import Resampling

Condition = Mapping[str, object]

_BINS = 10
_EDGE = 1e-9  # a probability this near to an edge lies on it
_RESAMPLES = 1_000  # enough for the width of a line
_NAN = float("nan")
_NONE = (_NAN, _NAN)
_UNREAD = "undefined: no readable judgment"


def details_of_lives(rows: pd.DataFrame, resampling: Resampling) -> Iterator[Result]:
    """All rows of this file, for each model, data set, variant and window.

    Args:
        rows: Completed judgments of `life_eval`, with `edge`: the window where it isn't the
            default.
        resampling: Number, up to 1000, and seed of the bootstrap.
    """
    read = counted(rows)
    by = ["task", "dataset", "variant", "edge", "model"]
    for key, some in read.groupby(by, sort=False):
        task, dataset, variant, edge, model = map(str, key)
        run = Result(task, model, dataset, "", "", _NAN, _NAN, _NAN, 0, "")
        condition = {"variant": variant, "window": edge}
        yield from _truth_bins(some, run, condition, resampling)
        yield from _by_age(some, run, condition)
        yield from _by_item(some, run, condition)


def _truth_bins(
    rows: pd.DataFrame, run: Result, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Mean confidence in bins of true probability, by radius and, if there are several, over all.

    Bins are [k/10, (k+1)/10), the last one closed. Intervals are a bootstrap over items.
    """
    there = (rows["confidence"] + rows["correct"]).notna()
    if not there.any():
        where = encode_condition(condition)
        said = (_UNREAD, left_out(_statuses(rows, there)))
        metrics = ("truth_bin_probability", "truth_bin_confidence")
        return [_row(run, where, metric, _NAN, 0, said) for metric in metrics]
    by_radius = list(rows.groupby("radius", sort=True))
    together: list[tuple[object, pd.DataFrame]] = [("", rows)] if len(by_radius) > 1 else []
    units = pd.Index(rows["item"].unique())
    families = [
        family
        for radius, some in [*together, *by_radius]
        for family in _bins(some, units, {**condition, "radius": radius})
    ]
    fewer = replace(resampling, resamples=min(resampling.resamples, _RESAMPLES))
    return results_of(draw(families, np.zeros(len(units), np.int64), fewer), run)


def _bins(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> list[Family]:
    """Means of true probability, which aren't resampled, and of confidence."""
    there = (rows["confidence"] + rows["correct"]).notna()
    read = rows[there]
    truth = read["correct"].to_numpy(float)
    place = np.minimum(np.floor(truth * _BINS + _EDGE), _BINS - 1)
    inside = place[:, None] == np.arange(_BINS)
    bins = np.flatnonzero(inside.any(axis=0))
    inside = inside[:, bins]
    values = [
        np.where(inside, one[:, None], _NAN) for one in (truth, read["confidence"].to_numpy(float))
    ]
    said = left_out(_statuses(rows, there))
    numbers: list[list[Number]] = [[], []]
    for k, one in enumerate(bins):
        where = {**condition, "bin": f"{one / _BINS:g}-{(one + 1) / _BINS:g}"}
        n = int(inside[:, k].sum())
        items = read["item"][inside[:, k]].nunique()
        alone = "one item: no interval" if items == 1 else ""
        note = "; ".join(filter(None, (alone, said, f"{items} items" if 1 < items < n else "")))
        numbers[0].append(Number(where, "truth_bin_probability", n, said, _NONE))
        interval = _NONE if alone else None
        numbers[1].append(Number(where, "truth_bin_confidence", n, note, interval))
    unit = units.get_indexer(pd.Index(read["item"])).astype(np.int64)
    return [
        Family(some, means_of(means, unit, len(units)))
        for some, means in zip(numbers, values, strict=True)
    ]


def _by_age(rows: pd.DataFrame, run: Result, condition: Condition) -> Iterator[Result]:
    """Mean answer and mean best answer at each age, for each sex and radius."""
    by = ["radius", "sex", "age"]
    answer = rows["answer"].where(rows["score"].notna())
    notes = _notes(rows, answer.notna(), by)
    grouped = rows.assign(answer=answer).groupby(by, sort=True)[["answer", "best_answer"]]
    means, counts = grouped.mean(), grouped.count()
    for key, values, sizes in zip(means.index, means.to_numpy(), counts.to_numpy(), strict=True):
        where = encode_condition({**condition, **dict(zip(by, key, strict=True))})
        left = (_UNREAD if not sizes[0] else "", notes.get(key, ""))
        yield _row(run, where, "mean_answer", values[0], sizes[0], left)
        unknown = "undefined: no best answer known" if not sizes[1] else ""
        yield _row(run, where, "mean_best_answer", values[1], sizes[1], (unknown,))


def _by_item(rows: pd.DataFrame, run: Result, condition: Condition) -> Iterator[Result]:
    """Mean overconfidence in each item, over epochs, with the item's difficulty."""
    excess = (rows["confidence"] - rows["correct"]).where(rows["mas"].notna())
    notes = _notes(rows, excess.notna(), ["item"])
    table = rows.assign(excess=excess).groupby("item", sort=False)
    excesses = table["excess"]
    found = pd.concat([table[["radius", "mas"]].first(), excesses.mean(), excesses.count()], axis=1)
    for item, radius, mas, value, n in found.itertuples(name=None):
        known = not np.isnan(mas)
        difficulty = f"{1 - mas:.9g}" if known else ""
        parts = {"item": item, "radius": radius, "difficulty": difficulty}
        where = encode_condition({**condition, **parts})
        why = "" if n else _UNREAD if known else "undefined: its maximum isn't known"
        yield _row(run, where, "item_overconfidence", value, n, (why, notes.get((item,), "")))


def _row(
    run: Result, condition: str, metric: str, value: float, n: int, notes: Sequence[str]
) -> Result:
    said = "; ".join(filter(None, notes))
    where = (run.task, run.model, run.dataset, condition)
    return Result(*where, metric, float(value), _NAN, _NAN, int(n), said)


def _notes(
    rows: pd.DataFrame, there: "pd.Series[bool]", by: Sequence[str]
) -> dict[tuple[object, ...], str]:
    """What is left out of each group that leaves anything out, by the group's values."""
    statuses: dict[tuple[object, ...], list[str]] = defaultdict(list)
    # Plain lists: there are as many groups as items, and pandas takes a millisecond for each.
    for key, status in zip(
        zip(*(rows[one] for one in by), strict=True), _statuses(rows, there), strict=True
    ):
        statuses[key].append(status)
    return {key: left_out(said) for key, said in statuses.items() if set(said) != {"ok"}}


def _statuses(rows: pd.DataFrame, there: "pd.Series[bool]") -> "pd.Series[str]":
    """What became of each judgment, where `ok` is one with a value."""
    status = rows["status"].where(rows["status"] != "ok", "without a value")
    return status.where(~there, "ok")
