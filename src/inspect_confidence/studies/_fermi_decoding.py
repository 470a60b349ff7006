"""Decoding-temperature calibration: which of several runs' temperatures serves best."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import covered, interval_scores
from inspect_confidence.studies._estimates import Estimand
from inspect_confidence.studies._intervals import shifted
from inspect_confidence.studies._scaling import (
    Candidate,
    Choice,
    by_column,
    chosen_value,
    penalised,
)

FloatArray = NDArray[np.float64]
Columns = tuple[NDArray[np.int64], dict[str, FloatArray]]


def decoding_temperatures(
    frames: Mapping[float, pd.DataFrame],
    units: pd.Index,
    condition: Mapping[str, object],
    penalty: float,
) -> Iterator[Estimand]:
    """Test metrics at the decoding temperature chosen on train, per level and over all levels.

    Args:
        frames: Intervals of sampling at each temperature: one an item, epoch and level.
        units: The items, in the weights' order.
        condition: What all rows have in common.
        penalty: Lambda of the rule.
    """
    temperatures = np.array(sorted(frames))
    levels = sorted(set.intersection(*(set(frame["level"]) for frame in frames.values())))
    if not levels:
        return
    ordered = [frames[temperature] for temperature in temperatures]
    train = {level: _columns(ordered, level, "train", units) for level in levels}
    test = {level: _columns(ordered, level, "test", units) for level in levels}
    candidates = {
        level: Candidate(level, columns["interval_score"], columns["coverage"], unit)
        for level, (unit, columns) in train.items()
    }
    overall = penalised(list(candidates.values()), penalty)
    tried = ", ".join(f"{temperature:g}" for temperature in temperatures)
    note = f"chosen on train among {tried} by interval score + {penalty:g} * undercoverage"
    where = {**condition, "split": "test"}
    yield Estimand(
        {**where, "decoding": "all_levels"},
        "decoding_temperature",
        chosen_value(temperatures, overall),
        len(next(iter(train.values()))[0]),
        note,
    )
    for level in levels:
        alone = penalised([candidates[level]], penalty)
        unit, columns = test[level]
        yield Estimand(
            {**where, "decoding": "per_level", "level": level},
            "decoding_temperature",
            chosen_value(temperatures, alone),
            len(train[level][0]),
            note,
        )
        rules: Sequence[tuple[str, Choice]] = (("all_levels", overall), ("per_level", alone))
        for rule, choice in rules:
            at = {**where, "decoding": rule, "level": level}
            for metric, table in columns.items():
                yield Estimand(at, metric, by_column(table, unit, choice), len(unit), note)
            gap = shifted(by_column(columns["coverage"], unit, choice), -level / 100)
            yield Estimand(at, "coverage_gap", gap, len(unit), note)


def _columns(frames: Sequence[pd.DataFrame], level: float, split: str, units: pd.Index) -> Columns:
    """Metrics of the items that every temperature has an interval of, a column a temperature.

    Of an item with several epochs the first readable one counts.
    """
    read = [
        frame[(frame["level"] == level) & (frame["split"] == split) & (frame["status"] == "ok")]
        .drop_duplicates("item")
        .set_index("item")
        for frame in frames
    ]
    common = sorted(set.intersection(*(set(frame.index) for frame in read)))
    rows = [frame.loc[common] for frame in read]
    tables: dict[str, list[FloatArray]] = {"coverage": [], "interval_score": [], "mean_width": []}
    for one in rows:
        low, high, truth = (one[name].to_numpy(float) for name in ("lower", "upper", "truth"))
        tables["coverage"].append(covered(low, high, truth))
        tables["interval_score"].append(interval_scores(low, high, truth, level))
        tables["mean_width"].append(high - low)
    unit = units.get_indexer(pd.Index(common)).astype(np.int64)
    return unit, {name: np.stack(columns, axis=1) for name, columns in tables.items()}
