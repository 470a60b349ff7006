"""What is estimated from FermiEval's judgments, method by method.

Every method ends in intervals: `intervals_of` makes one an item, epoch and level of what was
drawn. What follows takes them over item weights: as they are, after a conformal step, scaled, and
against stated ones.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.metrics.reports import entropy_bits
from inspect_confidence.results import Condition
from inspect_confidence.studies import estimate
from inspect_confidence.studies.compare import on_common
from inspect_confidence.studies.estimate import Estimand, estimand, left_out, noted, places
from inspect_confidence.studies.fermi_eval.judgments import SCORERS
from inspect_confidence.studies.fermi_eval.temperatures import Scored, scaled_temperatures
from inspect_confidence.studies.intervals import Intervals, conformal_statistics, plateau

Distribution = dict[int, float]
DEFAULT_LEVELS = "80,90,95,99"
_OF_TOKENS = ("logprob", "traces")


def intervals_of(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """One row an item, epoch and level, with the columns that stated intervals have.

    An item is `ok` where one of its draws could be read; otherwise it has their commonest status.
    `failed` is the share of its replies that could not be read. Sets of integers add `set_covered`
    and `set_size`; their bounds are those of the set's hull. The rows of `direct`, and of a method
    that isn't ours, are intervals.
    """
    if method == "direct" or method not in SCORERS:
        return rows
    by = ["item", "epoch", "level"] if method == "tunnel" else ["item", "epoch"]
    made = [row for _, draws in rows.groupby(by, sort=False) for row in _each(draws, method)]
    return pd.DataFrame(made)


def _each(draws: pd.DataFrame, method: str) -> Iterator[dict[str, Any]]:
    """The interval at each level of one item and epoch."""
    first = draws.iloc[0]
    read = draws[draws["status"] == "ok"]
    replies = estimate.replied(draws["status"])
    common = {
        **first[["item", "split", "epoch", "truth"]],
        "draw": 0.0,
        "status": "ok" if len(read) else Counter(draws["status"]).most_common(1)[0][0],
        "failed": float((draws["status"][replies] != "ok").mean()) if replies.any() else np.nan,
        "reversed": None,
    }
    for level in levels_of(first):
        bounds = _built(method, read, level) if len(read) else {"lower": np.nan, "upper": np.nan}
        yield {**common, "level": level, **bounds}


def levels_of(row: "pd.Series[Any]") -> list[float]:
    """The nominal levels that a judgment serves: its own, or all that the run asked for."""
    if not np.isnan(row["level"]):
        return [float(row["level"])]
    return [float(level) for level in (row["levels"] or DEFAULT_LEVELS).split(",")]


def _built(method: str, read: pd.DataFrame, level: float) -> dict[str, float]:
    """The interval at one level of the draws of an item that could be read."""
    if method in _OF_TOKENS:
        held = metrics.prediction_set(mean_of_distributions(read), level)
        covered, size = float(read["truth"].iloc[0] in held), float(len(held))
        bounds = {"lower": float(min(held)), "upper": float(max(held))}
        return {**bounds, "set_covered": covered, "set_size": size}
    if method == "tunnel":
        lower, upper = metrics.tunnel_interval(read["lower"], read["upper"], level)
    else:
        lower, upper = metrics.sampling_interval(read["point"], level)
    return {"lower": lower, "upper": upper}


def distributions_of(read: pd.DataFrame) -> list[Distribution]:
    """The probabilities of each judgment."""
    return [
        {int(value): float(mass) for value, mass in json.loads(text).items()}
        for text in read["probabilities"]
    ]


def mean_of_distributions(read: pd.DataFrame) -> Distribution:
    """The mean of the judgments' probabilities; an integer that one has not seen counts 0 in it."""
    return mean_distribution(distributions_of(read))


METRICS_OF_READ = ("interval_score", "mean_width", "median_width", "miss_below", "miss_above")
METRICS_OF_INTERVALS = ("coverage", "coverage_gap", *METRICS_OF_READ, "format_failure_rate")


def of_methods(rows: pd.DataFrame, condition: Condition) -> Iterator[Estimand]:
    """Everything that one model's judgments of one data set give, method by method."""
    units = pd.Index(rows["item"].unique())
    direct, there = None, set(rows["method"])
    # Ours first and in their order; then methods of the user's own, read as stated intervals.
    for method in [*(name for name in SCORERS if name in there), *sorted(there - set(SCORERS))]:
        raw = rows[rows["method"] == method]
        frame = intervals_of(raw, method)
        if method == "direct":
            direct = frame[frame["split"] == "test"]
        where = condition.but(method=method)
        yield from _stated(frame, raw, units, where)
        if method in _OF_TOKENS:
            yield _unseen(raw, units, where)
        if method == "traces":
            yield from _tunnels(raw, units, where)
        if not both_splits(raw):
            continue
        train, test = (frame[frame["split"] == split] for split in ("train", "test"))
        on_test = where.but(split="test")
        yield from _stated(test, raw[raw["split"] == "test"], units, on_test)
        for level, judged in test.groupby("level"):
            if len(calibration := train[train["level"] == level]):
                yield from _conformal(calibration, judged, units, where)
        if method in _OF_TOKENS:
            yield from _scaled(raw, units, where)
        if method != "direct" and direct is not None:
            yield from _against(direct, test, units, on_test)


def both_splits(rows: pd.DataFrame) -> bool:
    """Whether there are items to learn from and items to judge by."""
    return {"train", "test"} <= set(rows["split"])


def _stated(
    frame: pd.DataFrame, raw: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Estimand]:
    """The metrics of intervals as they are, level by level, and the coverage plateau.

    `frame` has intervals, one an item, epoch and level; `raw` the judgments they were made of.
    """
    coverages: dict[float, metrics.Statistic] = {}
    for level, judged in frame.groupby("level"):
        intervals = Intervals.of(judged, units)
        statistics, own = intervals.statistics(), intervals.share_intervals()
        coverages[intervals.level] = statistics["coverage"]
        where = condition.but(level=level)
        drawn = raw[(raw["level"] == level) | raw["level"].isna()]
        note = note_of(judged, drawn)
        read = int((judged["status"] == "ok").sum())
        asked = int((~np.isnan(intervals.failed)).sum())
        for metric in METRICS_OF_INTERVALS:
            n = asked if metric == "format_failure_rate" else read
            yield estimand(where, metric, statistics[metric], n, note, own.get(metric))
        yield estimate.count(where, len(drawn), note)
        if "set_size" in judged:
            yield from _sets(judged, intervals, where, note)
    read = int((frame["status"] == "ok").sum())
    yield estimand(condition, "coverage_plateau", plateau(coverages), read, left_out(raw["status"]))


def _sets(
    judged: pd.DataFrame, intervals: Intervals, where: Condition, note: str
) -> Iterator[Estimand]:
    """How often the sets hold the truth, and how large they are."""
    held, at = judged["set_covered"].to_numpy(float), (intervals.unit, intervals.units)
    n = int((~np.isnan(held)).sum())
    yield estimand(
        where, "set_coverage", metrics.mean_of(held, *at), n, note, estimate.wilson(held, *at)
    )
    yield estimand(where, "mean_set_size", metrics.mean_of(judged["set_size"], *at), n, note)


def _conformal(
    train: pd.DataFrame, test: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Estimand]:
    """The metrics of test intervals at one level after split-conformal adjustment."""
    calibration, judged = Intervals.of(train, units), Intervals.of(test, units)
    items, method = len(calibration.one_an_item().unit), condition["method"]
    base = "" if method == "direct" else method
    where = condition.but(base=base, level=judged.level, method="conformal", split="test")
    note = f"{method} adjusted by an offset learned on {items} train items"
    needed = int(np.ceil(judged.level / (100 - judged.level) - 1e-9))
    if items < needed:
        note += f", of which {judged.level:g}% needs {needed}: intervals are infinite"
    note = noted(note, note_of(test, test))
    read = int((test["status"] == "ok").sum())
    for metric, statistic in conformal_statistics(calibration, judged).items():
        yield estimand(where, metric, statistic, read, note)


def _scaled(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Estimand]:
    """The metrics of test sets at temperatures chosen on the train items."""
    read = rows[rows["status"] == "ok"]
    sides = []
    for split in ("train", "test"):
        mine = read[read["split"] == split]
        answered = mine.groupby(["item", "epoch"], sort=False)
        made, firsts = [mean_of_distributions(draws) for _, draws in answered], answered.head(1)
        sides.append(Scored(made, firsts["truth"].to_numpy(float), places(firsts, units)))
    learned, judged = sides
    if len(learned.unit) and len(judged.unit):
        yield from scaled_temperatures(learned, judged, levels_of(rows.iloc[0]), condition)


def _unseen(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Estimand:
    """What the log probabilities left unseen, and how many answers took several tokens."""
    read = rows[rows["status"] == "ok"]
    several = int((read["answer_tokens"] > 1).sum())
    said = f"{several} of {len(read)} answers took several tokens"
    statistic = metrics.mean_of(read["unseen_mass"], places(read, units), len(units))
    note = noted(said, left_out(rows["status"]))
    return estimand(condition, "unseen_mass", statistic, len(read), note)


def tunnel_indices(rows: pd.DataFrame) -> pd.DataFrame:
    """The Residual Tunnel Index of every item and epoch, a column for each number n of traces.

    n is 1, 2, 5, 10, 20, ... and the most that any has. The index depends on the number of traces,
    so those with fewer readable ones are left out; where none has two, all are.
    """
    traced = _traced(rows)
    if not traced:
        return pd.DataFrame()
    traces = len(traced[0][1])
    sizes = sorted({n for n in (1, 2, 5, 10, 20, 50, 100) if n < traces} | {traces})
    bits = [[metrics.residual_tunnel_index(one, n) for n in sizes] for _, one in traced]
    return pd.DataFrame(bits, index=[item for item, _ in traced], columns=sizes)


def _traced(rows: pd.DataFrame) -> list[tuple[str, FloatArray]]:
    """Item and traces, a row a trace, of each item and epoch with as many as any has: 2 or more."""
    read = rows[rows["status"] == "ok"].groupby(["item", "epoch"], sort=True)
    traces = int(read.size().max()) if len(read) else 0
    kept = [(str(item), draws) for (item, _), draws in read if len(draws) == traces > 1]
    return [(item, distribution_rows(distributions_of(draws))) for item, draws in kept]


def _tunnels(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Estimand]:
    """The Tunnel Index, and what is left of it after averaging n traces."""
    found = tunnel_indices(rows)
    unit = np.asarray(units.get_indexer(found.index), np.int64)
    asked = rows.groupby(["item", "epoch"]).ngroups
    for size, bits in found.items():
        note = f"mean over items of {found.columns[-1]} traces each; biased downwards at few traces"
        if asked > len(found):
            note += f"; {asked - len(found)} of {asked} with fewer readable traces left out"
        statistic = metrics.mean_of(bits, unit, len(units))
        where = condition.but(traces=size)
        yield estimand(where, "residual_tunnel_index", statistic, len(unit), note)
        if size == 1:
            yield estimand(condition, "tunnel_index", statistic, len(unit), note)
            # Of the same traces, so that both together are the entropy of their mean.
            single = np.array([entropy_bits(traces).mean() for _, traces in _traced(rows)])
            alone = metrics.mean_of(single, unit, len(units))
            yield estimand(condition, "decoding_entropy", alone, len(unit), note)


def _against(
    direct: pd.DataFrame, frame: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Estimand]:
    """Interval score less that of stated intervals, on the test items that have both."""
    for level in sorted(set(frame["level"]) & set(direct["level"])):
        common, sides = on_common(
            [side[(side["level"] == level) & (side["status"] == "ok")] for side in (frame, direct)]
        )
        if len(common):
            scores = [Intervals.of(side, units).statistics()["interval_score"] for side in sides]
            note = f"less direct, on {len(common)} test items that have both"
            where, change = condition.but(level=level), _less(*scores)
            yield estimand(where, "interval_score_change", change, len(common), note)


def _less(one: metrics.Statistic, other: metrics.Statistic) -> metrics.Statistic:
    return lambda weights: one(weights) - other(weights)


def note_of(judged: pd.DataFrame, drawn: pd.DataFrame) -> str:
    """What a reader must know of the judgments at a level: left out, put right, repeated."""
    turned = int(sum(value is True for value in drawn["reversed"])) if "reversed" in drawn else 0
    items = judged["item"].nunique()
    return noted(
        left_out(drawn["status"]),
        f"{turned} reversed intervals put right" if turned else "",
        f"{items} items" if items < len(drawn) else "",
    )
