"""Maps of stated confidence and of intervals: fit, comparison on test items, application."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.arguments import choice, integer, user_path
from inspect_confidence.commands import conformal
from inspect_confidence.commands.conformal import FittedMap
from inspect_confidence.commands.groups import (
    FOLDS,
    ConfidenceGroup,
    IntervalGroup,
    JudgmentGroup,
    is_train_item,
    item_folds,
    judgment_groups,
)
from inspect_confidence.commands.saved_maps import (
    FORMAT,
    IntervalMap,
    Knots,
    Logistic,
    Refusal,
    SavedMap,
    SavedMaps,
    check_maps,
)
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.read import Judgments, JudgmentSource, judgments_of
from inspect_confidence.metrics import RECALIBRATIONS, choose_recalibration
from inspect_confidence.metrics.arrays import BoolArray, FloatArray
from inspect_confidence.printing import counted
from inspect_confidence.privacy import model_name, redact_path, scrub_condition, stable_alias
from inspect_confidence.results import Condition, Key, Result, change_variant
from inspect_confidence.studies import Difference, Resampling, estimate
from inspect_confidence.studies.calibration import Answers, confidence_metric, table_statistics
from inspect_confidence.studies.compare import confidence_contrast, differences
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
"""Name for the method that cross-validation chooses."""

COMPARED_METRICS = tuple(map(confidence_metric, ("brier", "ece", "auroc", "overconfidence")))
ISOTONIC_ITEMS = 1_000
"""Items below which a note says that isotonic steps may follow chance: Niculescu-Mizil and Caruana
(2005) found other maps better with fewer.
"""
COLUMNS = [
    *("task", "model", "variant", "condition", "by", "recalibration", "metric"),
    *("stated", "stated_low", "stated_high", "recalibrated", "recalibrated_low"),
    *("recalibrated_high", "difference", "difference_low", "difference_high", "p"),
    *("train_items", "test_items", "note"),
]


@dataclass(frozen=True)
class Recalibrated:
    """Fitted maps and their evaluation.

    Attributes:
        maps: Content of the file of maps, which docs/use.md describes.
        changes: A row for each group of judgments and metric, with the values on test items as
            stated and recalibrated, and their difference.
        scores: A row for each group of stated confidence, with the cross-validated Brier score of
            each method on train items, the chosen method, and a note on why none is fitted or on
            isotonic steps of few items.
        offsets: A row for each group of intervals, with the outward shift of each bound and its
            95% interval, or why none is fitted.
    """

    maps: dict[str, Any]
    changes: pd.DataFrame
    scores: pd.DataFrame
    offsets: pd.DataFrame

    def write(self, path: Path) -> None:
        """Write the maps to a JSON file."""
        write_file(path, json.dumps(self.maps, indent=1, allow_nan=False) + "\n")


def recalibrate(
    source: JudgmentSource, *, method: str = BEST, resamples: int = 10_000, seed: int = 0
) -> Recalibrated:
    """Fit a map for each model, variant, elicitation method and value of `by`, and evaluate it.

    A map corrects confidence, or the ends of intervals, that a model states.

    Stated confidence: methods are compared by their cross-fitted Brier score
    (`metrics.choose_recalibration`), in which the map of each item, or cluster of items, is fitted
    to the nine other folds. The simplest method within one standard error of the best is chosen; it
    may be `as_stated`. The saved map is fitted to all items, and a `split` is ignored. Stated
    confidence is compared with the confidence that the maps of the folds give.

    Intervals: the map is the split-conformal offset of each level (`metrics.conformal_offset`),
    from the train items if the judgments have both a train and a test `split`, otherwise from the
    half that the seed assigns. Data sets are pooled. Judgments with values of several fields in
    `by`, as a subject and an author, get a map for each combination of values.

    Args:
        source: Judgments, or paths.
        method: Method for stated confidence: `best`, or a name in `metrics.RECALIBRATIONS`.
        resamples: Bootstrap resamples of the test items, for 95% intervals.
        seed: Seed of halves, folds and resamples.

    Raises:
        InvalidArgument: The source is invalid or has neither stated confidence nor intervals, or
            the method is unknown.
    """
    choice("method", method, [BEST, *RECALIBRATIONS])
    maps: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    offsets: list[dict[str, Any]] = []
    seed = integer("seed", seed, minimum=0)
    resampling = Resampling(integer("resamples", resamples, minimum=1), seed)
    groups: list[ConfidenceGroup | IntervalGroup] = []
    for group_of_all_fields in judgment_groups(judgments_of(source)):
        groups += group_of_all_fields.split_by_fields()
    for group in groups:
        is_train, is_test, split = _split_items(group, seed)
        if isinstance(group, ConfidenceGroup):
            fitted_map, summaries = _fit_confidence(group, method, resampling), scores
        else:
            fitted_map = conformal.fit_offset(group.take(is_train), group.take(is_test), resampling)
            summaries = offsets
        # The record of the map for the file; it has a reason if no map could be fitted.
        items = {"train_items": group.take(is_train).items, "test_items": group.take(is_test).items}
        reason = fitted_map.entry.get("refused", "")
        datasets = sorted(set(map(_dataset_alias, group.rows["dataset"].unique())))
        record = {**_map_key(group), "datasets": datasets, **items}
        if not reason:
            record["train"] = split
        maps.append({**record, **fitted_map.entry})
        # The rows of the tables: a summary of the fit, and metrics before and after.
        row = {
            "task": group.task,
            "model": group.model,
            "variant": group.variant,
            "condition": str(group.condition),
            "by": group.by,
            **items,
        }
        note = f"no map: {reason}" if reason else ""
        if fitted_map.entry.get("method") == "isotonic" and group.items < ISOTONIC_ITEMS:
            note = f"isotonic on fewer than {ISOTONIC_ITEMS:,} items may follow chance"
        summaries.append({**row, "note": note, **fitted_map.summary})
        for before, after, difference in fitted_map.changes:
            cells = _comparison_cells(before, after, difference)
            changes.append({**row, "recalibration": fitted_map.entry["method"], **cells})
    return Recalibrated(
        maps={"format": FORMAT, "version": __version__, "formula": FORMULA, "maps": maps},
        changes=pd.DataFrame(changes, columns=COLUMNS),
        scores=pd.DataFrame(scores),
        offsets=pd.DataFrame(offsets),
    )


@cache
def _dataset_alias(name: str) -> str:
    return stable_alias(name, redact_path)


def _split_items(group: JudgmentGroup, seed: int) -> tuple[BoolArray, BoolArray, dict[str, object]]:
    """Return whether each judgment is of a train item, of a test item, and the record of the split.

    Stated confidence has all items on both sides, since it is cross-fitted. Intervals have the
    halves of their column `split`, or else those that the seed assigns. The file of maps has the
    record as `train`, from which train items are known again.
    """
    split = group.rows["split"].to_numpy(str)
    if isinstance(group, ConfidenceGroup):
        all_judgments = np.ones(len(split), bool)
        return all_judgments, all_judgments, {"folds": seed}
    if {"train", "test"} <= set(split):
        return split == "train", split == "test", {"split": "train"}
    is_train = is_train_item(group.rows, seed)
    return is_train, ~is_train, {"halves": seed}


def _fit_confidence(group: ConfidenceGroup, method: str, resampling: Resampling) -> FittedMap:
    """Fit the map of stated confidence; too few items or only one outcome give the reason for none.

    `method` is a name in `metrics.RECALIBRATIONS`, or `best`; `resampling` has the seed of the
    folds, and the settings of the comparison of metrics before and after.
    """
    if reason := _reason_for_no_map(group):
        return FittedMap(entry={"refused": reason}, summary={"chosen": ""}, changes=[])
    answers = (group.confidence, group.correct, group.clusters)
    fold_of_judgment = item_folds(group.rows, resampling.seed)
    # All methods are fitted even if one is named, since the file has the score of each.
    best = chosen = choose_recalibration(*answers, folds=FOLDS, fold=fold_of_judgment)
    if method != BEST:
        chosen = choose_recalibration(
            *answers, methods=[method], folds=FOLDS, fold=fold_of_judgment
        )
    fold_maps = []
    for fold_map in chosen.fold_maps:
        record = fold_map.as_record()
        del record["method"]  # the maps of all folds have the method of the map on all items
        fold_maps.append(record)
    map_entry = {"brier": best.brier, **chosen.recalibration.as_record(), "fold_maps": fold_maps}
    scores = {"chosen": chosen.recalibration.method, **best.brier}
    mapped = chosen.cross_fitted(group.confidence)  # each item by the map of the other folds
    changes = _compare_confidence(group, mapped, resampling)
    return FittedMap(entry=map_entry, summary=scores, changes=changes)


def _reason_for_no_map(group: ConfidenceGroup) -> str:
    """Return why no map of stated confidence can be fitted; empty if it can.

    Each of the ten folds needs an item (or a cluster of items), and a map needs both outcomes.
    """
    n_units = len(np.unique(group.clusters[group.readable]))
    if n_units < FOLDS:
        units = counted(n_units, "cluster" if estimate.clusters_of(group.rows) else "item")
        return f"{units} with confidence and outcome; {FOLDS} are needed"
    outcomes = set(group.correct[group.readable].tolist())
    if outcomes in ({0.0}, {1.0}):
        outcome = "right" if 1.0 in outcomes else "wrong"
        return f"all answers to the {group.items} items are {outcome}; a map needs both outcomes"
    return ""


def _compare_confidence(
    group: ConfidenceGroup, recalibrated_confidence: FloatArray, resampling: Resampling
) -> list[tuple[Result, Result, Difference]]:
    """Return the results of each compared metric before and after the map, and their difference."""
    # The group's confidence is NaN where a judgment is not `ok`; that of its rows may be a number.
    rows_before = group.pooled().assign(confidence=group.confidence)
    rows_after = rows_before.assign(confidence=recalibrated_confidence)
    # Recalibrated minus stated, paired by item; no shares at thresholds of confidence are compared.
    contrast = confidence_contrast(
        rows_after, rows_before, thresholds=(), compared=COMPARED_METRICS
    )
    difference_by_metric = {}
    for difference in differences(contrast, resampling):
        difference_by_metric[difference.metric] = difference
    results_before = _confidence_results(group, rows_before, resampling)
    results_after = _confidence_results(group, rows_after, resampling)
    comparisons = []
    for before, after in zip(results_before, results_after, strict=True):
        comparisons.append((before, after, difference_by_metric[before.metric]))
    return comparisons


def _confidence_results(
    group: ConfidenceGroup, rows: pd.DataFrame, resampling: Resampling
) -> list[Result]:
    """Return the Brier score, ECE, AUROC and overconfidence of a group's judgments, with intervals.

    `rows` are the judgments with stated or mapped confidence; items or clusters are resampled. Of
    the results only metric, value and interval are used, so that their key has no variant.
    """
    units = pd.Index(estimate.unit_names(rows).unique())
    table = table_statistics(
        Answers.from_frame(rows, units), COMPARED_METRICS, condition={}, note=""
    )
    clusters = estimate.clusters_of(rows)
    draws = estimate.resample([table], len(units), resampling, clusters=clusters)
    return list(estimate.results_of(draws, Key(group.task, group.model, "")))


def _comparison_cells(before: Result, after: Result, change: Difference) -> dict[str, Any]:
    """Return the cells of a metric as stated and recalibrated, by column of `COLUMNS`."""
    return {
        "metric": before.metric,
        "stated": before.value,
        "stated_low": before.ci_low,
        "stated_high": before.ci_high,
        "recalibrated": after.value,
        "recalibrated_low": after.ci_low,
        "recalibrated_high": after.ci_high,
        "difference": change.difference,
        "difference_low": change.ci_low,
        "difference_high": change.ci_high,
        "p": change.p,
        "note": change.note,
    }


Maps = str | PathLike[str] | Mapping[str, Any] | SavedMaps
"""Maps that public functions accept: the path of a file, its content, or the parsed content."""


def read_maps(maps: Maps) -> SavedMaps:
    """Read and check the maps of `recalibrate`, from its file or its return value.

    Raises:
        InvalidArgument: There is no such file, it is not a file of maps, or a map is invalid.
    """
    if isinstance(maps, SavedMaps):
        return maps
    if isinstance(maps, Mapping):
        # Written as text and read again, so that the checks of a file apply, as that for NaN.
        return check_maps("maps", parse_json("maps", json.dumps(dict(maps), default=str)))
    path = user_path("--recalibrated", maps)
    return check_maps(f"--recalibrated {maps}", read_json(path))


def recalibrated(source: JudgmentSource, maps: Maps) -> Judgments:
    """Apply maps to stated confidence and intervals.

    If the map of stated confidence was fitted to an item, its judgments get the map of the item's
    fold, which was fitted to the other folds. Train items of a map of intervals are left out. The
    variant records the method: `recalibrated=isotonic`. Tasks without a map are unchanged.

    Args:
        source: Judgments, or paths.
        maps: The attribute `maps` of the result of `recalibrate`, or its file.

    Returns:
        The judgments, with notices on judgments left out and on data sets without a fitted map.

    Raises:
        InvalidArgument: The source or the file is invalid, or the file has no map of a model,
            variant and elicitation method of the judgments.
    """
    entries = read_maps(maps).maps
    judgments = judgments_of(source)
    frames = dict(judgments)
    notices = list(judgments.notices)
    mapped_frames: dict[str, list[pd.DataFrame]] = {}
    mapped_tasks = {entry.task for entry in entries}
    for group in judgment_groups(judgments):
        if group.task not in mapped_tasks:
            continue
        for subgroup in _split_by_maps(group, entries):
            rows, new_notices = _apply_map(subgroup, entries)
            mapped_frames.setdefault(group.task, []).append(rows)
            notices += [f"{subgroup.name}: {text}" for text in new_notices]
    for task, task_frames in mapped_frames.items():
        columns = list(frames[task].columns)
        frames[task] = pd.concat(task_frames, ignore_index=True)[columns]
    for task in judgments:
        if task not in mapped_frames:
            notices.append(f"{task} stays as it is: there is no map of it")
    if not any(len(frames[task]) for task in mapped_frames):
        raise InvalidArgument(f"No judgment is left to recalibrate: {'; '.join(notices)}.")
    return Judgments(frames, notices, judgments.loss_notices)


def _split_by_maps(group: JudgmentGroup, entries: Sequence[SavedMap]) -> Sequence[JudgmentGroup]:
    """Return the groups that have a map of their own, given the maps of a file.

    If the maps of these judgments are for values of fields of `--by`, as `domain=law`, the groups
    are the judgments of each value; otherwise the whole group is the only one. Judgments that lack
    these fields are refused, with the option that is missing.
    """
    key = _map_key(group)  # task, model, variant and elicitation, and an empty `by`
    by_values = [entry.by for entry in entries if {**entry.judgments, "by": ""} == key]
    if not any(by_values):
        return [group]
    # `domain=law` becomes `--by domain`. All texts have the same fields, except that of a map for
    # all judgments, which is empty and so never the greatest.
    fields = " ".join(map("--by {}".format, Condition.read(max(by_values))))
    if "by" not in group.rows or not group.rows["by"].any():
        raise InvalidArgument(
            f"The maps of {group.name} ({group.task}) are for values of a field: add {fields}, or "
            "fit a map without it."
        )
    return group.split_by_fields()


def _apply_map(group: JudgmentGroup, entries: Sequence[SavedMap]) -> tuple[pd.DataFrame, list[str]]:
    """Return mapped judgments, and notices on those left out and on unfitted data sets.

    Train items are left out if the map's `train` says that they are a split, or a half of all items
    by a seed; folds leave out none. A map of intervals for stated confidence, or the reverse, is
    refused, and so is a group that the file does not name. If the file says why it has no map, all
    judgments are left out.
    """
    entry = _find_map(group, entries)
    if isinstance(entry, Refusal):
        return group.rows.iloc[:0], [
            f"{counted(len(group.rows), 'judgment')} left out: there is no map ({entry.refused})"
        ]
    if isinstance(entry, IntervalMap) != isinstance(group, IntervalGroup):
        raise InvalidArgument(
            f"The map of {group.name} ({group.task}) is of kind {entry.kind}, which does not "
            "fit its judgments; fit it again."
        )
    is_fitted = group.rows["dataset"].map(_dataset_alias).isin(entry.datasets).to_numpy()
    # A data set that the map was not fitted to has no train items.
    is_train = np.zeros(len(group.rows), bool)
    if entry.train.split is not None:
        is_train = is_fitted & (group.rows["split"] == entry.train.split).to_numpy()
    elif entry.train.halves is not None:
        is_train = is_fitted & is_train_item(group.rows, entry.train.halves)
    if isinstance(entry, IntervalMap):
        rows = conformal.move_bounds(group.rows[~is_train], entry.offset)
    else:
        rows = _map_confidence(group.rows, entry, is_fitted)[~is_train]
    rows = rows.assign(variant=change_variant(group.variant, recalibrated=entry.method))
    train_judgments = counted(is_train.sum(), "judgment")
    notices = [f"{train_judgments} of train items left out"] if is_train.any() else []
    unfitted = sorted(set(map(_dataset_alias, rows["dataset"].unique())) - set(entry.datasets))
    return rows, notices + [f"no map was fitted on {name or 'its data set'}" for name in unfitted]


def _map_confidence(
    rows: pd.DataFrame, entry: Knots | Logistic, is_fitted: BoolArray
) -> pd.DataFrame:
    """Return judgments with the confidence of `ok` ones mapped.

    `entry` is a saved map. Judgments on data sets that it was fitted on (`is_fitted`) get the map
    of their item's fold, which was fitted to the other folds, if the entry has such maps; others
    get the map that was fitted to all items.
    """
    confidence = rows["confidence"]
    mapped = entry.map(confidence.to_numpy(float))
    if entry.train.folds is not None:
        folds = item_folds(rows, entry.train.folds)
        for k, fold_map in enumerate(entry.maps_by_fold):
            in_fold = is_fitted & (folds == k)
            mapped[in_fold] = fold_map(confidence.to_numpy(float)[in_fold])
    return rows.assign(confidence=confidence.where(rows["status"] != "ok", mapped))


def _map_key(group: JudgmentGroup) -> dict[str, object]:
    """Return the key of a group's map, as `judgments` of an entry in the file.

    Names are redacted, since files of maps are shared.
    """
    return {
        "task": group.task,
        "model": stable_alias(group.model, model_name),
        "variant": stable_alias(group.variant, scrub_condition),
        "by": stable_alias(group.by, scrub_condition),
        "condition": dict(group.elicitation),
    }


def _find_map(group: JudgmentGroup, entries: Sequence[SavedMap]) -> SavedMap:
    """Return the map of a group; refuse a group without one, and suggest the nearest name."""
    key = _map_key(group)
    for entry in entries:
        if entry.judgments == key:
            return entry
    names = []  # of groups to which the maps belong, written like that of the group
    for entry in entries:
        described = JudgmentGroup(
            task=entry.task,
            model=entry.model,
            variant=entry.variant,
            elicitation=entry.condition,
            rows=group.rows,
            by=entry.by,
        )
        names.append(described.name)
    raise InvalidArgument(
        f"There is no map of {group.name} ({group.task}). {nearest(group.name, names)} "
        "Fit a map on these judgments, or leave them out."
    )
