"""The statistics of FermiEval's judgments, method by method.

Every method ends in intervals: `intervals_of` turns draws into one interval for each item, epoch
and level. The other functions compute the metrics of intervals unadjusted, after a conformal step,
after temperature scaling, and in comparison with stated intervals.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.metrics.reports import entropy_bits
from inspect_confidence.results import Condition
from inspect_confidence.studies import estimate
from inspect_confidence.studies.compare import restrict_to_common_items
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    constant_statistic,
    single_statistic,
    unit_indices,
)
from inspect_confidence.studies.fermi_eval.judgments import SCORERS
from inspect_confidence.studies.fermi_eval.temperatures import Scored, scaled_temperatures
from inspect_confidence.studies.intervals import Intervals, plateau_statistic
from inspect_confidence.studies.notes import describe_left_out, join_notes, unread_flags

Distribution = dict[int, float]
DEFAULT_LEVELS = "80,90,95,99"
_OF_TOKENS = ("logprob", "traces")


def intervals_of(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return one row for each item, epoch and level, with the columns of stated intervals.

    An item is `ok` if one of its draws could be read; otherwise it has the most frequent status of
    its draws. Sets of integers add `set_covered` and `set_size`; their bounds are those of the
    set's hull. Rows of `direct`, and of methods that are not this package's, are intervals already.
    """
    if _is_interval(method):
        return rows
    by = ["item", "epoch", "level"] if method == "tunnel" else ["item", "epoch"]
    intervals: list[dict[str, Any]] = []
    for _, draws in rows.groupby(by, sort=False):
        intervals += _intervals_of_draws(draws, method)
    return pd.DataFrame(intervals)


def are_intervals(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which judgments are intervals: those of `direct` and of users' own methods."""
    return rows["method"].map(_is_interval).astype(bool)


def _is_interval(method: str) -> bool:
    return method == "direct" or method not in SCORERS


def _intervals_of_draws(draws: pd.DataFrame, method: str) -> Iterator[dict[str, Any]]:
    """Yield the interval at each level of one item and epoch."""
    first = draws.iloc[0]
    readable = draws[draws["status"] == "ok"]
    names = ["item", "cluster", "split", "epoch", "truth"]
    common = {
        **first[[name for name in names if name in first]],
        "draw": 0.0,
        "status": "ok" if len(readable) else Counter(draws["status"]).most_common(1)[0][0],
        "reversed": None,
    }
    for level in levels_of(first):
        bounds = {"lower": np.nan, "upper": np.nan}
        if len(readable):
            bounds = _bounds(method, readable, level)
        yield {**common, "level": level, **bounds}


def levels_of(row: "pd.Series[Any]") -> list[float]:
    """Return the nominal levels that a judgment serves: its own, or all levels of the run."""
    if not np.isnan(row["level"]):
        return [float(row["level"])]
    return [float(level) for level in (row["levels"] or DEFAULT_LEVELS).split(",")]


def _bounds(method: str, readable: pd.DataFrame, level: float) -> dict[str, float]:
    """Compute the interval at one level from an item's readable draws."""
    if method in _OF_TOKENS:
        integers = metrics.prediction_set(mean_of_distributions(readable), level)
        return {
            "lower": float(min(integers)),
            "upper": float(max(integers)),
            "set_covered": float(readable["truth"].iloc[0] in integers),
            "set_size": float(len(integers)),
        }
    if method == "tunnel":
        lower, upper = metrics.tunnel_interval(readable["lower"], readable["upper"], level)
    else:
        lower, upper = metrics.sampling_interval(readable["point"], level)
    return {"lower": lower, "upper": upper}


def distributions_of(readable: pd.DataFrame) -> list[Distribution]:
    """Parse the probabilities of each judgment."""
    distributions = []
    for text in readable["probabilities"]:
        shares = json.loads(text).items()
        distributions.append({int(value): float(mass) for value, mass in shares})
    return distributions


def mean_of_distributions(readable: pd.DataFrame) -> Distribution:
    """Return the mean of the judgments' probabilities; an unseen integer counts 0."""
    return mean_distribution(distributions_of(readable))


def method_statistics(rows: pd.DataFrame, condition: Condition) -> Iterator[Statistics]:
    """Yield all statistics of one model's judgments of one data set, method by method."""
    units = pd.Index(estimate.unit_names(rows).unique())
    direct, methods = None, set(rows["method"])
    # Ours first and in their order; then methods of the user's own, read as stated intervals.
    ordered = [name for name in SCORERS if name in methods] + sorted(methods - set(SCORERS))
    for method in ordered:
        raw = rows[rows["method"] == method]
        intervals = intervals_of(raw, method)
        if method == "direct":
            direct = intervals[intervals["split"] == "test"]
        where = condition.but(method=method)
        yield from _interval_statistics(intervals, raw, units, where)
        if method in _OF_TOKENS:
            yield _unseen_mass(raw, units, where)
        if method == "traces":
            yield from _tunnel_statistics(raw, units, where)
        if not has_both_splits(raw):
            continue
        train, test = (intervals[intervals["split"] == split] for split in ("train", "test"))
        test_condition = where.but(split="test")
        raw_test = raw[raw["split"] == "test"]
        yield from _interval_statistics(test, raw_test, units, test_condition)
        for level, test_at_level in test.groupby("level"):
            train_at_level = train[train["level"] == level]
            if len(train_at_level):
                yield from _conformal(train_at_level, test_at_level, units, where)
        if method in _OF_TOKENS:
            yield from _scaled(raw, units, where)
        if method != "direct" and direct is not None:
            yield from _score_changes(direct, test, units, test_condition)


def has_both_splits(rows: pd.DataFrame) -> bool:
    """Return whether there are train items to learn from and test items to evaluate on."""
    return {"train", "test"} <= set(rows["split"])


def _interval_statistics(
    frame: pd.DataFrame, raw: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of unadjusted intervals, level by level, and the coverage plateau.

    `frame` has intervals, one for each item, epoch and level; `raw` the judgments they come from.
    """
    coverages: dict[float, metrics.Statistic] = {}
    for level, at_level in frame.groupby("level"):
        intervals = Intervals.from_frame(at_level, units)
        coverages[intervals.level] = intervals.statistics()["coverage"]
        level_condition, replies = condition.but(level=level), replies_at(raw, intervals.level)
        note = note_of(at_level, replies)
        yield from intervals.all_statistics(level_condition, len(at_level), note)
        failures = {"format_failure_rate": unread_values(replies)}
        yield estimate.means(
            level_condition, failures, unit_indices(replies, units), len(units), note
        )
        yield estimate.judgment_count(level_condition, len(replies), note)
        if "set_size" in at_level:
            sets = {"set_coverage": at_level["set_covered"], "mean_set_size": at_level["set_size"]}
            yield estimate.means(level_condition, sets, intervals.unit_index, len(units), note)
    if not coverages:  # no sample was written, so that no level is known
        undefined = {"coverage_plateau": np.full(len(raw), np.nan)}
        note = describe_left_out(raw["status"])
        yield estimate.means(condition, undefined, unit_indices(raw, units), len(units), note)
        yield estimate.judgment_count(condition, len(raw), note)
        return
    readable = frame[frame["status"] == "ok"]
    plateau_estimate = Estimate(
        condition,
        "coverage_plateau",
        len(readable),
        describe_left_out(raw["status"]),
        n_asked=len(frame),
        unit_count=estimate.unit_names(readable).nunique(),
    )
    yield Statistics([plateau_estimate], plateau_statistic(coverages))


def replies_at(raw: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the judgments behind intervals at a level: of that level, or of all of them."""
    return raw[(raw["level"] == level) | raw["level"].isna()]


def unread_values(replies: pd.DataFrame) -> FloatArray:
    """Return 1 where a reply could not be read, 0 where it could, NaN where there was none."""
    return unread_flags(replies["status"])


def _conformal(
    train: pd.DataFrame, test: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of test intervals at one level after split-conformal adjustment.

    The metrics describe the learned offset on new items, so that only test items are resampled.
    """
    before = Intervals.from_frame(test, units)
    calibration = Intervals.from_frame(train, units).first_epochs()
    items, method, level = len(calibration.unit_index), condition["method"], before.level
    base = "" if method == "direct" else method
    where = condition.but(base=base, level=level, method="conformal", split="test")
    source, needed = f"learned on {items} train items", int(np.ceil(level / (100 - level) - 1e-9))
    if items < needed:
        source += f", of which {level:g}% needs {needed}: intervals are infinite"
    note = join_notes(f"{method} adjusted by an offset {source}", note_of(test, test))
    bounds = (calibration.lower, calibration.upper, calibration.truth, level)
    offset = metrics.conformal_offset(*bounds)
    offset_interval = metrics.conformal_offset_interval(*bounds)
    if np.isnan(offset_interval[0]):
        source += "; no interval: too few of them"
    yield single_statistic(
        where,
        "conformal_offset",
        constant_statistic(offset),
        items,
        source,
        offset_interval,
        n_asked=train["item"].nunique(),
    )
    after = before.move_bounds(offset)
    yield from after.all_statistics(where, len(test), note)
    change = after.values()["interval_score"] - before.values()["interval_score"]
    counts = before.estimate_counts(len(test))
    change_estimate = Estimate(where, "interval_score_change", note=note, **counts)
    mean_change = metrics.mean_of(change, before.unit_index, len(units), metrics.UNBOUNDED)
    yield Statistics([change_estimate], mean_change)


def _scaled(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """Yield the metrics of test sets at temperatures chosen on the train items."""
    train, test = (_scored(rows[rows["split"] == split], units) for split in ("train", "test"))
    if len(train.unit_index) and len(test.unit_index):
        yield from scaled_temperatures(train, test, levels_of(rows.iloc[0]), condition)


def _scored(rows: pd.DataFrame, units: pd.Index) -> Scored:
    """Return the mean distribution of each item and epoch with a readable draw."""
    groups = rows[rows["status"] == "ok"].groupby(["item", "epoch"], sort=False)
    first_draws = groups.head(1)
    return Scored(
        [mean_of_distributions(draws) for _, draws in groups],
        first_draws["truth"].to_numpy(float),
        unit_indices(first_draws, units),
        len(units),
        rows.groupby(["item", "epoch"]).ngroups,
    )


def _unseen_mass(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """Return the mass on unlisted tokens; its note counts the answers of several tokens."""
    ok = rows["status"] == "ok"
    several = int((rows["answer_tokens"][ok] > 1).sum())
    tokens = f"{several} of {ok.sum()} answers took several tokens"
    column = {"unseen_mass": rows["unseen_mass"].where(ok)}
    note = join_notes(tokens, describe_left_out(rows["status"]))
    return estimate.means(condition, column, unit_indices(rows, units), len(units), note)


def tunnel_indices(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the Residual Tunnel Index of each item and epoch, a column for each number of traces.

    The numbers n are 1, 2, 5, 10, 20, ... and the largest number of any item. The index depends on
    the number of traces, so that items with fewer readable ones are left out.
    """
    items, traces = _traces(rows)
    if not traces:
        return pd.DataFrame()
    largest_count = len(traces[0])
    sizes = [n for n in (1, 2, 5, 10, 20, 50, 100) if n < largest_count] + [largest_count]
    bits = {
        n: [metrics.residual_tunnel_index(rows_of_item, n) for rows_of_item in traces]
        for n in sizes
    }
    return pd.DataFrame(bits, index=items, columns=sizes)


def _traces(rows: pd.DataFrame) -> tuple[list[str], list[FloatArray]]:
    """Return items and their traces, of the items and epochs with the largest number of traces.

    A trace is a row of probabilities. Without two traces of an item both lists are empty.
    """
    groups = rows[rows["status"] == "ok"].groupby(["item", "epoch"], sort=True)
    largest_count = int(groups.size().max()) if len(groups) else 0
    items, traces = [], []
    for (item, _), draws in groups:
        if len(draws) == largest_count > 1:
            items.append(str(item))
            traces.append(distribution_rows(distributions_of(draws)))
    return items, traces


def _tunnel_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the Tunnel Index, and the Residual Tunnel Index after averaging n traces."""
    indices = tunnel_indices(rows)
    unit_by_item = dict(zip(rows["item"], estimate.unit_names(rows), strict=True))
    unit_index = np.asarray(units.get_indexer(indices.index.map(unit_by_item)), np.int64)
    n_asked, items = rows.groupby(["item", "epoch"]).ngroups, len(np.unique(unit_index))

    def mean(estimate_condition: Condition, metric: str, bits: ArrayLike, note: str) -> Statistics:
        described = Estimate(
            estimate_condition, metric, len(unit_index), note, n_asked=n_asked, unit_count=items
        )
        mean_bits = metrics.mean_of(bits, unit_index, len(units), metrics.UNBOUNDED_ABOVE)
        return Statistics([described], mean_bits)

    for size, bits in indices.items():
        largest_count = indices.columns[-1]
        note = f"mean over items of {largest_count} traces each, and its interval that of as many: "
        note += "biased downwards at few"
        if n_asked > len(indices):
            excluded = n_asked - len(indices)
            note += f"; {excluded} of {n_asked} with fewer readable traces left out"
        yield mean(condition.but(traces=size), "residual_tunnel_index", bits, note)
        if size == 1:
            yield mean(condition, "tunnel_index", bits, note)
            # Of the same traces, so that both together are the entropy of their mean.
            _, traces = _traces(rows)
            single = np.array([entropy_bits(rows_of_item).mean() for rows_of_item in traces])
            yield mean(condition, "decoding_entropy", single, note)


def _score_changes(
    direct: pd.DataFrame, frame: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the interval score less that of stated intervals, on test items that have both."""
    for level in sorted(set(frame["level"]) & set(direct["level"])):
        at_level = [side[side["level"] == level] for side in (frame, direct)]
        common, sides = restrict_to_common_items(
            [side[side["status"] == "ok"] for side in at_level]
        )
        if len(common):
            first, second = (Intervals.from_frame(side, units) for side in sides)
            score, direct_score = (side.statistics()["interval_score"] for side in (first, second))
            change = metrics.difference_of(score, direct_score)
            described = Estimate(
                condition.but(level=level),
                "interval_score_change",
                len(common),
                f"less direct, on {len(common)} test items that have both",
                n_asked=at_level[0]["item"].nunique(),
            )
            yield Statistics([described], change)


def note_of(intervals: pd.DataFrame, replies: pd.DataFrame) -> str:
    """Return a note on the replies and items behind intervals at a level, and their changes."""
    swapped = sum(value is True for value in replies.get("reversed", []))
    items, n = intervals["item"].nunique(), len(intervals)
    return join_notes(
        describe_left_out(replies["status"]),
        f"{swapped} reversed intervals put right" if swapped else "",
        f"{n} intervals of {len(replies)} replies" if n < len(replies) else "",
        f"{items} items" if items < n else "",
    )
