"""Ranks of models with bootstrap intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence._judgments import Judgments
from inspect_confidence._results import Result, results_frame
from inspect_confidence.export._direction import Direction
from inspect_confidence.metrics import percentile_interval
from inspect_confidence.studies import STUDIES, Resampling

FloatArray = NDArray[np.float64]

Key = tuple[str, str, str, str, str]
"""Task, model, data set, condition and metric of a row of results."""

_NAN = float("nan")
_EQUAL = 1e-12
"""Values that differ by less differ by rounding."""

_STILL = "no rank interval: resampling the items doesn't move this number"
_UNDEFINED = "no rank interval: undefined in every resample"
_UNOBSERVED = "no rank interval: this number isn't resampled by items"


@dataclass(frozen=True)
class Rank:
    """A model's place.

    Attributes:
        rank: 1 and the number of models that are better; NaN where the value has no place.
        low: Best rank of the 95% interval; NaN where there is none.
        high: Worst rank.
        note: Why there is no rank or no interval, and what was left out.
    """

    rank: float
    low: float = _NAN
    high: float = _NAN
    note: str = ""


def observed(
    frames: Judgments, *, resamples: int, seed: int, convention: str | None
) -> tuple[pd.DataFrame, dict[Key, FloatArray]]:
    """Results, and the headline metrics' values over the resamples.

    Items are put in one order first, so that the same draw takes the same items of every model
    that answered the same ones.
    """
    wanted = {(one.task, one.metric) for study in STUDIES for one in study.headlines}
    draws: dict[Key, FloatArray] = {}

    def observe(result: Result, values: FloatArray) -> None:
        if (result.task, result.metric) in wanted:
            draws[key_of(result)] = np.array(values)

    resampling = Resampling(resamples, seed, convention=convention, observe=observe)
    found: list[Result] = []
    for study in STUDIES:
        mine = {
            table.task: _in_order(frames[table.task])
            for table in study.tables
            if table.task in frames
        }
        if any(map(len, mine.values())):
            found += study.summarize(mine, resampling)
    return results_frame(found), draws


def key_of(row: Result) -> Key:
    """What names a row of results."""
    return (row.task, row.model, row.dataset, row.condition, row.metric)


def ranks(
    values: FloatArray,
    intervals: Sequence[tuple[float, float]],
    draws: Sequence[FloatArray | None],
    direction: Direction,
) -> list[Rank]:
    """The rank of each model, with the percentile interval of its rank over resamples.

    Models that tie share the best of their ranks. A resample in which the value of any model is
    undefined has no ranks. A model without draws stays at its value.

    Args:
        values: Of the models; NaN where undefined.
        intervals: Of the values: those of numbers that resampling doesn't move.
        draws: Their values over the same resamples.
        direction: Of the metric.
    """
    badness = direction.badness()
    if badness is None:
        return [Rank(_NAN, note=f"not ranked: {direction.text}")] * len(values)
    there = [i for i, value in enumerate(values) if not np.isnan(value)]
    moved = {i: array for i in there if (array := _moving(draws[i], intervals[i])) is not None}
    resamples = next((len(array) for array in moved.values()), 0)
    columns = [badness(moved.get(i, np.full(resamples, values[i]))) for i in there]
    drawn = np.column_stack([*columns, np.empty((resamples, 0))])
    whole = drawn[~np.isnan(drawn).any(axis=1)]
    places, over = _places(badness(values[there])[None])[0], _places(whole)
    lost = resamples - len(whole)
    note = f"{lost} of {resamples} resamples, undefined for a model, left out" if lost else ""
    found = [Rank(_NAN, note="not ranked: undefined")] * len(values)
    for column, i in enumerate(there):
        if i in moved and len(whole):
            low, high = percentile_interval(over[:, column])
            found[i] = Rank(float(places[column]), low, high, note)
        else:
            found[i] = Rank(float(places[column]), note=note if i in moved else _why(draws[i]))
    return found


def _places(badness: FloatArray) -> FloatArray:
    """Ranks within rows: 1 and how many are better by more than rounding."""
    better = [(badness < column[:, None] - _EQUAL).sum(axis=1) for column in badness.T]
    return np.asarray(1 + np.array(better).reshape(badness.shape[::-1]).T, float)


def _moving(draws: FloatArray | None, interval: tuple[float, float]) -> FloatArray | None:
    """The draws, where they say how uncertain the value is.

    A number with an interval of another kind, as a regression's, is the same in all resamples, and
    so is one that rests on a single item, which has no interval.
    """
    if draws is None or np.isnan(draws).all():
        return None
    low, high = interval
    still = np.nanmin(draws) == np.nanmax(draws)
    return None if still and low != high else draws


def _why(draws: FloatArray | None) -> str:
    """Why a value has no rank interval."""
    if draws is None:
        return _UNOBSERVED
    return _UNDEFINED if np.isnan(draws).all() else _STILL


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["dataset", "split", "item"], kind="stable", ignore_index=True)


def draws_of(rows: pd.DataFrame, draws: Mapping[Key, FloatArray]) -> list[FloatArray | None]:
    """The draws of each row of results."""
    names = ["task", "model", "dataset", "condition", "metric"]
    return [draws.get(key) for key in rows[names].itertuples(index=False, name=None)]
