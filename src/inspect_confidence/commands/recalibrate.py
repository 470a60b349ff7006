"""Maps of stated confidence, and of intervals: fitted, judged on other items, applied."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence import __version__
from inspect_confidence.arguments import choice, user_path
from inspect_confidence.commands import conformal
from inspect_confidence.commands.conformal import Fitted
from inspect_confidence.commands.saved_maps import (
    FORMAT,
    Entry,
    IntervalMap,
    Refusal,
    SavedMaps,
    check_maps,
)
from inspect_confidence.commands.stated import (
    LEAST_ITEMS,
    LEAST_OUTCOMES,
    Bounded,
    Judged,
    Stated,
    in_train,
    judgments_by_way,
)
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Judgments, Source, judgments_of
from inspect_confidence.metrics import (
    RECALIBRATIONS,
    Recalibration,
    choose_recalibration,
    fit_recalibration,
)
from inspect_confidence.privacy import lasting, model_name, place, scrub_condition
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import Difference, Resampling, estimate
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies.calibration import Answers, confidence_metric, table_statistics
from inspect_confidence.user_files import parse_json, read_json
from inspect_confidence.writing import write_file

FORMULA = {
    "p": "confidence in [0, 1], held within [clip, 1 - clip]",
    "knots": "linear between the points (x, y), constant outside",
    "logistic": "1 / (1 + exp(-c) * (1 - p)^b / p^a)",
    "interval": "from lower - offset to upper + offset, in the unit of the bounds; empty where "
    "they cross",
}
BEST = "best"
"""The method that cross-validation chooses."""

JUDGED = tuple(map(confidence_metric, ("brier", "ece", "auroc", "overconfidence")))
COLUMNS = [
    *("task", "model", "variant", "way", "recalibration", "metric"),
    *("stated", "stated_low", "stated_high", "recalibrated", "recalibrated_low"),
    *("recalibrated_high", "difference", "difference_low", "difference_high", "p"),
    *("train_items", "test_items", "note"),
]


@dataclass(frozen=True)
class Recalibrated:
    """What `recalibrate` finds.

    Attributes:
        maps: What goes into the file; docs/use.md says what it holds.
        judged: A row a model, variant, way and metric: as stated and recalibrated, on test items.
        scores: A row a model, variant and way of stating confidence: the Brier score of each method
            by cross-validation within train items, and which was chosen, or why none was fitted.
        offsets: A row a model, variant, way and level of intervals: by how much each bound moves
            outwards, with its 95% interval, or why none was fitted.
    """

    maps: dict[str, Any]
    judged: pd.DataFrame
    scores: pd.DataFrame
    offsets: pd.DataFrame

    def write(self, path: Path) -> None:
        """The maps in a json file."""
        write_file(path, json.dumps(self.maps, indent=1, allow_nan=False) + "\n")


def recalibrate(
    source: Source, *, method: str = BEST, resamples: int = 10_000, seed: int = 0
) -> Recalibrated:
    """Fit a map of stated confidence for each model, variant and way of asking, and judge it.

    Where judgments have both a train and a test `split`, these are used; else the seed makes train
    items of about half of them. Methods are compared by their Brier score in ten-fold
    cross-validation over train items, the best one is fitted to all of these, and what it makes of
    the test items is compared with what was stated there, item by item. Data sets are pooled.

    Of intervals the map is the split-conformal one of each level, `metrics.conformal_offset`.

    Args:
        source: Judgments, or paths.
        method: Of confidence: `best`, or a name in `metrics.RECALIBRATIONS`.
        resamples: Bootstrap resamples of the test items, for 95% intervals.
        seed: Of halves, folds and resamples.

    Raises:
        InvalidArgument: The source can't be used, holds neither stated confidence nor intervals,
            or a method isn't known.
    """
    choice("method", method, [BEST, *RECALIBRATIONS])
    maps: list[dict[str, Any]] = []
    judged: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    offsets: list[dict[str, Any]] = []
    resampling = Resampling(resamples, seed)
    for one in judgments_by_way(judgments_of(source)):
        whose = {"task": one.task, "model": one.model, "variant": one.variant}
        train, test, how = _parts(one, seed)
        if isinstance(one, Stated):
            made, lines = _fitted(one.take(train), one.take(test), method, resampling), scores
        else:
            made = conformal.fitted(one.take(train), one.take(test), resampling)
            lines = offsets
        items = {"train_items": one.take(train).items, "test_items": one.take(test).items}
        there = sorted({_dataset(name) for name in one.rows["dataset"].unique()})
        about = {**_named(one), "way": dict(one.way), "datasets": there}
        line = {**whose, "way": str(one.condition), **items}
        why = made.entry.get("refused", "")
        maps.append({**about, **items, **({} if why else {"train": how}), **made.entry})
        lines.append({**line, "note": f"no map: {why}" if why else "", **made.told})
        judged += [
            {**line, "recalibration": made.entry["method"], **_row(*found)} for found in made.judged
        ]
    file = {"format": FORMAT, "version": __version__, "formula": FORMULA, "maps": maps}
    frames = pd.DataFrame(judged, columns=COLUMNS), pd.DataFrame(scores), pd.DataFrame(offsets)
    return Recalibrated(file, *frames)


def _named(one: Judged) -> dict[str, str]:
    """Whose they are, as a file of maps may be shown to others."""
    return {
        "task": one.task,
        "model": lasting(one.model, model_name),
        "variant": lasting(one.variant, scrub_condition),
    }


@cache
def _dataset(name: str) -> str:
    return lasting(name, place)


Chosen = NDArray[np.bool_]


def _parts(one: Judged, seed: int) -> tuple[Chosen, Chosen, dict[str, object]]:
    """Which judgments are of train and of test items, and how to tell them again."""
    split = one.rows["split"].to_numpy(str)
    if {"train", "test"} <= set(split):
        return split == "train", split == "test", {"split": "train"}
    train = in_train(one.rows, seed)
    return train, ~train, {"halves": seed}


def _fitted(train: Stated, test: Stated, method: str, resampling: Resampling) -> Fitted:
    """The map of stated confidence that cross-validation chooses, or that was asked for."""
    if why := _too_few(train, test):
        return Fitted({"refused": why}, {"chosen": ""}, [])
    given = (train.confidence, train.correct, train.unit)
    made, brier = choose_recalibration(*given, seed=resampling.seed)
    if method != BEST:
        made = fit_recalibration(*given, method=method)
    told = {"chosen": made.method, **brier}
    return Fitted({"brier": brier, **made.as_record()}, told, _judged(test, made, resampling))


def _too_few(train: Stated, test: Stated) -> str:
    """Why no map is fitted; empty where one is."""
    read, items = train.read, train.items
    if items < LEAST_ITEMS:
        return f"{items} train items with confidence and outcome; {LEAST_ITEMS} are needed"
    share = items / read.sum()
    right = float(train.correct[read].sum() * share)
    rarest, which = min((right, "right"), (items - right, "wrong"))
    if rarest < LEAST_OUTCOMES - 1e-9:
        return f"{rarest:.3g} of {items} train items are {which}; {LEAST_OUTCOMES} are needed"
    return "" if test.items else "no test item has confidence and outcome"


def _judged(
    test: Stated, made: Recalibration, resampling: Resampling
) -> list[tuple[Result, Result, Difference]]:
    """Each metric on test items, as stated and after the map, and their paired difference."""
    rows = test.pooled().assign(confidence=test.confidence)
    sides = [rows, rows.assign(confidence=made(rows["confidence"]))]
    units = pd.Index(rows["item"].unique())
    found = []
    for side in sides:
        table = table_statistics(Answers.from_frame(side, units), JUDGED, {}, "")
        drawn = estimate.resample([table], len(units), resampling)
        found.append(estimate.results_of(drawn, Key(test.task, test.model, "")))
    contrast = contenders.confidence_contrast(sides[1], sides[0], (), JUDGED)
    differences = {one.metric: one for one in contenders.differences(contrast, resampling)}
    return [(*both, differences[both[0].metric]) for both in zip(*found, strict=True)]


def _row(before: Result, after: Result, change: Difference) -> dict[str, Any]:
    return {
        "metric": before.metric,
        **{f"stated{end}": value for end, value in _ends(before)},
        **{f"recalibrated{end}": value for end, value in _ends(after)},
        "difference": change.difference,
        "difference_low": change.ci_low,
        "difference_high": change.ci_high,
        "p": change.p,
        "note": change.note,
    }


def _ends(result: Result) -> Sequence[tuple[str, float]]:
    return (("", result.value), ("_low", result.ci_low), ("_high", result.ci_high))


Maps = str | PathLike[str] | Mapping[str, Any] | SavedMaps


def read_maps(maps: Maps) -> SavedMaps:
    """The maps of a file that `recalibrate` wrote, or what it found, checked in the same way.

    Raises:
        InvalidArgument: There is no such file, it holds something else, or a map in it can't be
            applied.
    """
    if isinstance(maps, SavedMaps):
        return maps
    if isinstance(maps, Mapping):
        return check_maps("maps", parse_json("maps", json.dumps(dict(maps), default=str)))
    path = user_path("--recalibrated", maps)
    return check_maps(f"--recalibrated {maps}", read_json(path))


def recalibrated(source: Source, maps: Maps) -> Judgments:
    """Judgments of stated confidence and intervals put through maps; train items are left out.

    The variant says so: `recalibrated=isotonic`. Tasks of which there is no map stay as they are.

    Args:
        source: Judgments, or paths.
        maps: What `recalibrate` found, or the file that it was written to.

    Returns:
        The judgments; notices tell what was left out, and of data sets that no map was fitted on.

    Raises:
        InvalidArgument: The source or the file can't be used, or the file has no map of a model,
            variant and way that is there.
    """
    entries = read_maps(maps).maps
    judgments = judgments_of(source)
    frames = dict(judgments)
    notices = list(judgments.notices)
    made: dict[str, list[pd.DataFrame]] = {}
    mapped_tasks = {entry.task for entry in entries}
    for one in judgments_by_way(judgments):
        if one.task not in mapped_tasks:
            continue
        rows, new_notices = _mapped(one, entries)
        made.setdefault(one.task, []).append(rows)
        notices += [f"{one.name}: {text}" for text in new_notices]
    for task, parts in made.items():
        kept = list(frames[task].columns)
        frames[task] = pd.concat(parts, ignore_index=True)[kept]
    others = [task for task in judgments if task not in made]
    notices += [f"{task} stays as it is: there is no map of it" for task in others]
    if not any(len(frames[task]) for task in made):
        raise InvalidArgument(f"No judgment is left to recalibrate: {'; '.join(notices)}.")
    return Judgments(frames, notices, judgments.lost)


def _mapped(group: Judged, entries: Sequence[Entry]) -> tuple[pd.DataFrame, list[str]]:
    """Judgments after their map, and notices of what was left out or not fitted."""
    entry = _map_of(group, entries)
    if isinstance(entry, Refusal):
        return group.rows.iloc[:0], [
            f"{len(group.rows)} judgments left out: there is no map ({entry.refused})"
        ]
    if isinstance(entry, IntervalMap) != isinstance(group, Bounded):
        raise InvalidArgument(f"The map of {group.name} ({group.task}) is of kind {entry.kind}.")
    is_fitted = group.rows["dataset"].map(_dataset).isin(entry.datasets).to_numpy()
    if entry.train.halves is None:
        train = is_fitted & (group.rows["split"] == entry.train.split).to_numpy()
    else:
        train = is_fitted & in_train(group.rows, entry.train.halves)
    rows = group.rows[~train]
    if isinstance(entry, IntervalMap):
        rows = conformal.moved(rows, entry.offset)
    else:
        is_read, confidence = rows["status"] == "ok", rows["confidence"]
        mapped = entry.map(confidence.to_numpy(float))
        rows = rows.assign(confidence=confidence.where(~is_read, mapped))
    variant = Condition.read(group.variant).but(recalibrated=entry.method)
    rows = rows.assign(variant=str(variant))
    notices = [f"{train.sum()} judgments of train items left out"] if train.any() else []
    unfitted = sorted({_dataset(name) for name in rows["dataset"].unique()} - set(entry.datasets))
    return rows, notices + [f"no map was fitted on {name or 'its data set'}" for name in unfitted]


def _map_of(group: Judged, entries: Sequence[Entry]) -> Entry:
    judgments = {**_named(group), "way": dict(group.way)}
    for entry in entries:
        if entry.judgments == judgments:
            return entry
    names = [
        Judged(entry.task, entry.model, entry.variant, entry.way, group.rows).name
        for entry in entries
    ]
    raise InvalidArgument(
        f"There is no map of {group.name} ({group.task}); the file has {'; '.join(names)}. "
        "Fit one on judgments of it, or leave its judgments out."
    )
