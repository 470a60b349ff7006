"""The statistics of FermiEval's judgments, method by method.

Every method yields intervals: `intervals_of` turns draws into one interval for each item, epoch and
level. The other functions compute the metrics of unadjusted intervals, of intervals after a
conformal step or temperature scaling, and their differences from stated intervals. A trace is one
reply after reasoning, with the probabilities of its tokens. Train items choose an adjustment, test
items evaluate it.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.metrics.reports import entropy_bits
from inspect_confidence.results import Condition
from inspect_confidence.studies import estimate
from inspect_confidence.studies.columns import SAMPLE_KEYS
from inspect_confidence.studies.compare import restrict_to_common_items
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    constant_statistic,
    unit_indices,
)
from inspect_confidence.studies.fermi_eval.judgments import SCORERS
from inspect_confidence.studies.fermi_eval.temperatures import (
    SplitDistributions,
    scaled_temperatures,
)
from inspect_confidence.studies.intervals import Intervals, plateau_statistic
from inspect_confidence.studies.notes import describe_left_out, join_notes, unread_flags

Distribution = dict[int, float]
"""Probabilities of integers, which are exponents of ten."""
DEFAULT_LEVELS = "80,90,95,99"
"""Levels of judgments that name none, as in a user's file."""
_TOKEN_METHODS = ("logprob", "traces")
"""Methods whose replies are token probabilities."""


def intervals_of(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return one row for each item, epoch and level, with the columns of stated intervals.

    An interval is made of all readable draws of its item and epoch. Without any its bounds are NaN,
    and its status is the most frequent of its draws. Methods of token probabilities give sets of
    integers, with the columns `set_covered` and `set_size`; the bounds are the smallest and the
    greatest integer. Rows of `direct` and of users' own methods are intervals already and returned
    unchanged.
    """
    if _is_interval(method):
        return rows
    # Draws of `tunnel` are intervals that were asked for at one level; other draws serve all.
    keys = [*SAMPLE_KEYS, "level"] if method == "tunnel" else list(SAMPLE_KEYS)
    intervals: list[dict[str, Any]] = []
    for _, draws in rows.groupby(keys, sort=False):
        intervals += _intervals_of_draws(draws, method)
    return pd.DataFrame(intervals)


def are_intervals(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which judgments are intervals: those of `direct` and of users' own methods."""
    return rows["method"].map(_is_interval).astype(bool)


def _is_interval(method: str) -> bool:
    """Return whether each judgment of a method is an interval."""
    return method == "direct" or method not in SCORERS


def _intervals_of_draws(draws: pd.DataFrame, method: str) -> Iterator[dict[str, Any]]:
    """Yield an item's and epoch's interval at each level.

    If none of the draws is readable, its bounds are NaN and its status is their most frequent one.
    """
    first = draws.iloc[0]
    readable = draws[draws["status"] == "ok"]
    commonest_status, _ = Counter(draws["status"]).most_common(1)[0]
    names = [*SAMPLE_KEYS, "cluster", "split", "truth"]
    common = {
        **first[[name for name in names if name in first]],
        "draw": 0.0,  # as of an interval that the model states itself, in its only draw
        "status": "ok" if len(readable) else commonest_status,
        "reversed": None,  # only stated intervals may have their bounds in the wrong order
    }
    for level in levels_of(first):
        bounds = {"lower": np.nan, "upper": np.nan}
        if len(readable):
            bounds = _interval_at_level(method, readable, level)
        yield {**common, "level": level, **bounds}


def levels_of(row: "pd.Series[Any]") -> list[float]:
    """Return the nominal levels of a judgment: its `level`, or all `levels` that it serves.

    A judgment that names none, as in a user's file, serves 80, 90, 95 and 99%.
    """
    if not np.isnan(row["level"]):
        return [float(row["level"])]
    return list(map(float, (row["levels"] or DEFAULT_LEVELS).split(",")))


def _interval_at_level(method: str, readable: pd.DataFrame, level: float) -> dict[str, float]:
    """Compute a method's interval at a level in percent from an item's readable draws.

    Token probabilities give the smallest set of integers whose probability is above the level, with
    its ends as bounds; repeated intervals (`tunnel`) and points (`sampling`) give bounds alone.
    """
    if method in _TOKEN_METHODS:
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
    """Return the probabilities of integers of each judgment, from their json text."""
    distributions = []
    for text in readable["probabilities"]:  # such as '{"3": 0.8, "4": 0.2}'
        shares = json.loads(text).items()
        distributions.append({int(value): float(mass) for value, mass in shares})
    return distributions


def mean_of_distributions(readable: pd.DataFrame) -> Distribution:
    """Return the mean of the judgments' probabilities; a missing integer counts as 0."""
    return mean_distribution(distributions_of(readable))


def method_statistics(rows: pd.DataFrame, condition: Condition) -> Iterator[Statistics]:
    """Yield all statistics of one model's judgments of one data set, method by method.

    A method with train and test items also has the statistics of its test items: unadjusted, after
    a conformal step (bounds moved by an offset), and after temperature scaling of token
    probabilities. Its interval score less that of stated intervals (`direct`) follows.
    """
    units = estimate.ordered_units(rows)
    direct_intervals, methods = None, set(rows["method"])
    # This package's methods, `direct` first, then the user's own, whose rows are intervals.
    ordered = [name for name in SCORERS if name in methods] + sorted(methods - set(SCORERS))
    for method in ordered:
        replies = rows[rows["method"] == method]
        intervals = intervals_of(replies, method)
        if method == "direct":
            direct_intervals = intervals[intervals["split"] == "test"]
        method_condition = condition.but(method=method)
        yield from _interval_statistics(intervals, replies, units, method_condition)
        if method in _TOKEN_METHODS:
            yield _unseen_mass(replies, units, method_condition)
        if method == "traces":
            yield from _tunnel_statistics(replies, units, method_condition)
        if not has_both_splits(replies):
            continue
        train = intervals[intervals["split"] == "train"]
        test = intervals[intervals["split"] == "test"]
        test_condition = method_condition.but(split="test")
        test_replies = replies[replies["split"] == "test"]
        yield from _interval_statistics(test, test_replies, units, test_condition)
        for level, test_at_level in test.groupby("level"):
            train_at_level = train[train["level"] == level]
            if len(train_at_level):
                yield from _conformal_statistics(
                    train_at_level, test_at_level, units, method_condition
                )
        if method in _TOKEN_METHODS:
            yield from _scaled_statistics(replies, units, method_condition)
        if method != "direct" and direct_intervals is not None:
            yield from _score_changes(direct_intervals, test, units, test_condition)


def has_both_splits(rows: pd.DataFrame) -> bool:
    """Return whether there are train items, to learn from, and test items, to evaluate on."""
    return {"train", "test"} <= set(rows["split"])


def _interval_statistics(
    intervals: pd.DataFrame, replies: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of unadjusted intervals, level by level, and the coverage plateau.

    There is an interval for each item, epoch and level; `replies` are the judgments that the
    intervals come from. Intervals of token probabilities are the hulls of sets of integers, whose
    coverage and size are metrics too. The plateau is the mean over levels of coverage relative to
    the level. Without any level, it is undefined, and the judgments are counted.
    """
    coverages: dict[float, metrics.Statistic] = {}
    for level, at_level in intervals.groupby("level"):
        level_intervals = Intervals.from_frame(at_level, units)
        level_statistics = level_intervals.statistics()
        coverages[level_intervals.level] = level_statistics["coverage"]
        level_condition = condition.but(level=level)
        level_replies = replies_at(replies, level_intervals.level)
        note = interval_note(at_level, level_replies)
        yield from level_intervals.all_statistics(level_condition, len(at_level), note)
        failures = {"format_failure_rate": unread_flags(level_replies["status"])}
        yield estimate.means(
            level_condition, failures, unit_indices(level_replies, units), len(units), note
        )
        yield estimate.judgment_count(level_condition, len(level_replies), note)
        if "set_size" in at_level:  # intervals of token probabilities
            sets = {"set_coverage": at_level["set_covered"], "mean_set_size": at_level["set_size"]}
            yield estimate.means(
                level_condition, sets, level_intervals.unit_index, unit_count=len(units), note=note
            )
    note = describe_left_out(replies["status"])
    if not coverages:  # no sample was written, so that no level is known
        undefined = {"coverage_plateau": np.full(len(replies), np.nan)}
        yield estimate.means(condition, undefined, unit_indices(replies, units), len(units), note)
        yield estimate.judgment_count(condition, len(replies), note)
        return
    readable = intervals[intervals["status"] == "ok"]
    plateau_estimate = Estimate(
        condition,
        "coverage_plateau",
        len(readable),
        note=note,
        n_asked=len(intervals),
        unit_count=estimate.unit_names(readable).nunique(),
    )
    yield Statistics([plateau_estimate], plateau_statistic(coverages))


def replies_at(replies: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the judgments of a level, and those without a level, which serve all levels."""
    return replies[(replies["level"] == level) | replies["level"].isna()]


def _conformal_statistics(
    train: pd.DataFrame, test: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of test intervals at one level after split-conformal adjustment.

    `train` and `test` are intervals at that level, in percent. Split conformal prediction moves
    both bounds outwards by an offset, so that new intervals cover at the level. The offset is the
    distance of rank ceil((n + 1) * level / 100) among the distances by which the truths of n train
    items lie beyond their intervals. It is the same in all resamples, which are of test items, and
    infinite with too few train items. The offset comes first, then the metrics of the moved
    intervals, last the change of the interval score by the move.
    """
    before = Intervals.from_frame(test, units)
    calibration = Intervals.from_frame(train, units).first_epochs()
    items, method, level = len(calibration.unit_index), condition["method"], before.level
    # `base` names the adjusted method, unless that is `direct`.
    base = "" if method == "direct" else method
    adjusted_condition = condition.but(base=base, level=level, method="conformal", split="test")
    # Notes: `note` is that of the moved intervals, `source` that of the offset.
    source = f"learned on {items} train items"
    # The rank must not exceed the items, which needs level / (100 - level) of them; 1e-9, because a
    # rounding error must add no item.
    needed = int(np.ceil(level / (100 - level) - 1e-9))
    if items < needed:
        source += f", fewer than the {needed} that {level:g}% needs, so that intervals are infinite"
    note = join_notes(f"{method} adjusted by an offset {source}", interval_note(test, replies=test))
    lower, upper, truth = calibration.lower, calibration.upper, calibration.truth
    offset = metrics.conformal_offset(lower, upper, truth, level)
    offset_interval = metrics.conformal_offset_interval(lower, upper, truth, level)
    if np.isnan(offset_interval[0]):
        source += "; no interval: too few of them"
    offset_estimate = Estimate(
        adjusted_condition,
        "conformal_offset",
        n=items,
        note=source,
        interval=offset_interval,
        n_asked=train["item"].nunique(),
    )
    yield Statistics([offset_estimate], constant_statistic(offset))
    after = before.move_bounds(offset)
    yield from after.all_statistics(adjusted_condition, len(test), note)
    score_change = after.values()["interval_score"] - before.values()["interval_score"]
    counts = before.estimate_counts(len(test))
    change_estimate = Estimate(adjusted_condition, "interval_score_change", note=note, **counts)
    mean_change = metrics.mean_of(score_change, before.unit_index, len(units), metrics.UNBOUNDED)
    yield Statistics([change_estimate], mean_change)


def _scaled_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the metrics of test items' prediction sets at temperatures chosen on the train items.

    A prediction set holds the integers that have a nominal level of an item's probability. A
    temperature makes the probabilities flatter or steeper; the metrics are coverage and size of the
    sets, and the chosen temperature. `condition` is that of all of them. Nothing is yielded unless
    both splits have a readable distribution.
    """
    train = _mean_distributions(rows[rows["split"] == "train"], units)
    test = _mean_distributions(rows[rows["split"] == "test"], units)
    if len(train.unit_index) and len(test.unit_index):
        levels = levels_of(rows.iloc[0])  # a run has the same levels for all items
        yield from scaled_temperatures(train, test, levels, condition)


def _mean_distributions(rows: pd.DataFrame, units: pd.Index) -> SplitDistributions:
    """Return the mean distribution of each item and epoch with a readable draw, and its truth."""
    groups = rows[rows["status"] == "ok"].groupby(list(SAMPLE_KEYS), sort=False)
    first_draws = groups.head(1)
    return SplitDistributions(
        distributions=[mean_of_distributions(draws) for _, draws in groups],
        truth=first_draws["truth"].to_numpy(float),
        unit_index=unit_indices(first_draws, units),
        unit_count=len(units),
        n_asked=rows.groupby(list(SAMPLE_KEYS)).ngroups,
    )


def _unseen_mass(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """Return the mean probability that is on none of the integers that were seen.

    Integers are seen among the most probable tokens, which alone the provider lists. Only readable
    judgments count. The note says how many answers took several tokens.
    """
    ok = rows["status"] == "ok"
    several = int((rows["answer_tokens"][ok] > 1).sum())
    tokens = f"{several} of {ok.sum()} answers took several tokens"
    column = {"unseen_mass": rows["unseen_mass"].where(ok)}
    note = join_notes(tokens, describe_left_out(rows["status"]))
    return estimate.means(condition, column, unit_indices(rows, units), len(units), note)


def tunnel_indices(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the Residual Tunnel Index of each item and epoch, a column for each number of traces.

    A trace is one reply after reasoning, with a distribution of its answer. The index is the
    entropy, in bits, of the mean over all traces, less the mean entropy of means over n of them.
    The n are 1, 2, 5, 10, 20, 50, 100 and the largest number of readable traces of any item and
    epoch. The index depends on that number, so items and epochs with fewer are left out. Without
    two traces of an item the frame is empty.
    """
    items, traces = _traces_by_item(rows)
    if not traces:
        return pd.DataFrame()
    largest_count = len(traces[0])
    sizes = [n for n in (1, 2, 5, 10, 20, 50, 100) if n < largest_count] + [largest_count]
    bits = {}
    for size in sizes:
        bits[size] = [metrics.residual_tunnel_index(item_traces, size) for item_traces in traces]
    return pd.DataFrame(bits, index=items, columns=sizes)


def _traces_by_item(rows: pd.DataFrame) -> tuple[list[str], list[FloatArray]]:
    """Return the items with the largest number of readable traces in an epoch, and these traces.

    An item is listed for each such epoch. A trace is one reply after reasoning; those of an epoch
    are an array with a row of probabilities for each. The Residual Tunnel Index depends on their
    number, so epochs with fewer are left out. If no epoch has two, both lists are empty.
    """
    groups = rows[rows["status"] == "ok"].groupby(list(SAMPLE_KEYS), sort=True)
    largest_count = int(groups.size().max()) if len(groups) else 0
    items, traces = [], []
    for (_, item, _), draws in groups:
        if len(draws) == largest_count > 1:
            items.append(str(item))
            traces.append(distribution_rows(distributions_of(draws)))
    return items, traces


def _tunnel_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the mean Residual Tunnel Index after averaging n traces, in bits, for each n.

    A trace is one reply after reasoning, with probabilities of the answer. The index is the entropy
    of the mean over all traces less the mean entropy of means over n of them. At n = 1 it is the
    information that a trace has on the answer, which is also yielded as `tunnel_index`, with the
    mean entropy of a trace. Only items and epochs with the largest number of readable traces count.
    Nothing is yielded unless an item has two of them; `units` are the names of resampled items.
    """
    indices = tunnel_indices(rows)  # a row for each item and epoch, a column for each n
    if indices.empty:
        return
    # The index of `indices` names an item once for each of its epochs.
    unit_by_item = dict(zip(rows["item"], estimate.unit_names(rows), strict=True))
    unit_index = np.asarray(units.get_indexer(indices.index.map(unit_by_item)), np.int64)
    n_asked, items = rows.groupby(list(SAMPLE_KEYS)).ngroups, len(np.unique(unit_index))
    traces_each = indices.columns[-1]
    note = f"mean over items of {traces_each} traces each: with few traces it is biased downwards"
    if n_asked > len(indices):
        excluded = n_asked - len(indices)
        note += f"; {excluded} of {n_asked} with fewer readable traces left out"
    described = Estimate(condition, "", len(unit_index), note, n_asked=n_asked, unit_count=items)
    for averaged, bits in indices.items():
        residual_condition = condition.but(traces=averaged)
        residual = replace(described, metric="residual_tunnel_index", condition=residual_condition)
        yield _mean_of_bits(residual, bits, unit_index, len(units))
        if averaged == 1:
            index = replace(described, metric="tunnel_index")
            yield _mean_of_bits(index, bits, unit_index, len(units))
            # The mean entropy of the same traces: with the index it adds up to that of their mean.
            _, traces = _traces_by_item(rows)
            entropies = np.array([entropy_bits(item_traces).mean() for item_traces in traces])
            entropy = replace(described, metric="decoding_entropy")
            yield _mean_of_bits(entropy, entropies, unit_index, len(units))


def _mean_of_bits(
    described: Estimate, bits: ArrayLike, unit_index: IntArray, unit_count: int
) -> Statistics:
    """Return the mean of bits over items and epochs, as `described` says; bits have no maximum."""
    mean = metrics.mean_of(bits, unit_index, unit_count, metrics.UNBOUNDED_ABOVE)
    return Statistics([described], mean)


def _score_changes(
    direct: pd.DataFrame, intervals: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Yield the interval score less that of stated intervals (`direct`), on items with both.

    A negative difference means that `intervals` are better. A level without such items has none.
    """
    for level in sorted(set(intervals["level"]) & set(direct["level"])):
        at_level = [side[side["level"] == level] for side in (intervals, direct)]
        readable = [side[side["status"] == "ok"] for side in at_level]
        common, (own_rows, direct_rows) = restrict_to_common_items(readable)
        if not len(common):
            continue
        score = Intervals.from_frame(own_rows, units).statistics()["interval_score"]
        direct_score = Intervals.from_frame(direct_rows, units).statistics()["interval_score"]
        described = Estimate(
            condition.but(level=level),
            "interval_score_change",
            n=len(common),
            note=f"less direct, on {len(common)} test items that have both",
            n_asked=at_level[0]["item"].nunique(),
        )
        yield Statistics([described], metrics.difference_of(score, direct_score))


def interval_note(intervals: pd.DataFrame, replies: pd.DataFrame) -> str:
    """Return a note on left-out replies, reversed bounds, and counts of intervals and items.

    `replies` are the judgments that the intervals come from; where each is an interval, both are
    the same rows. The note is empty if nothing was left out and each item has one interval.
    """
    swapped = sum(value is True for value in replies.get("reversed", []))
    items, n = intervals["item"].nunique(), len(intervals)
    return join_notes(
        describe_left_out(replies["status"]),
        f"{swapped} reversed intervals put right" if swapped else "",
        f"{n} intervals of {len(replies)} replies" if n < len(replies) else "",
        f"{items} items" if items < n else "",
    )
