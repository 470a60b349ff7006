"""What is estimated from FermiEval's judgments, method by method."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.metrics import (
    TEMPERATURES,
    Statistic,
    clustered_wilson_interval,
    mean_of,
    prediction_set,
    ranked,
    residual_tunnel_index,
    sampling_interval,
    temperature_nll,
    truth_seen,
    tunnel_interval,
)
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.studies.estimate import Estimand
from inspect_confidence.studies.fermi_eval.temperatures import (
    Scored,
    chosen_value,
    likelihood_choice,
    scaled_statistics,
    score_choice,
)
from inspect_confidence.studies.intervals import (
    SHARES,
    Intervals,
    conformal_statistics,
    constant,
    left_out,
    plateau,
    shifted,
)

Distribution = dict[int, float]
DEFAULT_LEVELS = "80,90,95,99"

_NAN = float("nan")


def intervals_of(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """One row an item, epoch and level, with the columns that stated intervals have.

    An item is `ok` where one of its draws could be read; otherwise it has their commonest status.
    `failed` is the share of its replies that could not be read. Sets of integers add `set_covered`
    and `set_size`; their bounds are those of the set's hull.

    Args:
        rows: Judgments of one method.
        method: Its name; the rows of `direct`, and of a method that isn't ours, are intervals.
    """
    build = {
        "tunnel": _tunnel,
        "sampling": _sampling,
        "logprob": _distribution,
        "traces": _distribution,
    }.get(method)
    if build is None:
        return rows
    by = ["item", "epoch", "level"] if method == "tunnel" else ["item", "epoch"]
    made = [row for _, draws in rows.groupby(by, sort=False) for row in _each(draws, build)]
    return pd.DataFrame(made)


Build = Callable[[pd.DataFrame, float], dict[str, Any]]


def _each(draws: pd.DataFrame, build: Build) -> Iterator[dict[str, Any]]:
    """The interval at each level of one item and epoch."""
    first = draws.iloc[0]
    read = draws[draws["status"] == "ok"]
    replies = draws["status"].isin([*REPLY_STATUSES, "ok"])
    common = {
        "item": first["item"],
        "split": first["split"],
        "epoch": first["epoch"],
        "draw": 0.0,
        "truth": first["truth"],
        "status": "ok" if len(read) else Counter(draws["status"]).most_common(1)[0][0],
        "failed": float((draws["status"][replies] != "ok").mean()) if replies.any() else _NAN,
        "reversed": None,
    }
    for level in levels_of(first):
        bounds = build(read, level) if len(read) else {"lower": _NAN, "upper": _NAN}
        yield {**common, "level": level, **bounds}


def levels_of(row: "pd.Series[Any]") -> list[float]:
    """The nominal levels that a judgment serves: its own, or all that the run asked for."""
    if not np.isnan(row["level"]):
        return [float(row["level"])]
    return [float(level) for level in (row["levels"] or DEFAULT_LEVELS).split(",")]


def _tunnel(read: pd.DataFrame, level: float) -> dict[str, Any]:
    lower, upper = tunnel_interval(read["lower"], read["upper"], level)
    return {"lower": lower, "upper": upper}


def _sampling(read: pd.DataFrame, level: float) -> dict[str, Any]:
    lower, upper = sampling_interval(read["point"], level)
    return {"lower": lower, "upper": upper}


def _distribution(read: pd.DataFrame, level: float) -> dict[str, Any]:
    held = prediction_set(mean_of_distributions(read), level)
    return {
        "lower": float(min(held)),
        "upper": float(max(held)),
        "set_covered": float(read["truth"].iloc[0] in held),
        "set_size": float(len(held)),
    }


def distributions_of(read: pd.DataFrame) -> list[Distribution]:
    """The probabilities of each judgment."""
    return [
        {int(value): float(mass) for value, mass in json.loads(text).items()}
        for text in read["probabilities"]
    ]


def mean_of_distributions(read: pd.DataFrame) -> Distribution:
    """The mean of the judgments' probabilities; an integer that one has not seen counts 0 in it."""
    return mean_distribution(distributions_of(read))


@dataclass(frozen=True)
class TunnelIndices:
    """How much entropy is left at n traces, an item a row.

    Attributes:
        items: Of each row.
        sizes: n of each column: 1, 2, 5, 10, 20, ... and the least number of traces.
        bits: Residual Tunnel Index, of shape (items, sizes).
    """

    items: list[str]
    sizes: list[int]
    bits: np.ndarray


def tunnel_indices(rows: pd.DataFrame) -> TunnelIndices | None:
    """The Tunnel Index of every item and epoch; None where none has two readable traces.

    The index depends on the number of traces, so those with fewer readable traces than the most
    that any has are left out.
    """
    read = rows[rows["status"] == "ok"]
    found = dict(iter(read.groupby(["item", "epoch"], sort=True)))
    traces = max((len(draws) for draws in found.values()), default=0)
    kept = {key: draws for key, draws in found.items() if len(draws) == traces}
    if traces < 2:
        return None
    sizes = sorted({n for n in (1, 2, 5, 10, 20, 50, 100) if n < traces} | {traces})
    traced = [distribution_rows(distributions_of(one)) for one in kept.values()]
    bits = [[residual_tunnel_index(one, n) for n in sizes] for one in traced]
    return TunnelIndices([str(key[0]) for key in kept], sizes, np.array(bits))


Condition = Mapping[str, object]

METRICS_OF_INTERVALS = (
    "coverage",
    "coverage_gap",
    "interval_score",
    "mean_width",
    "median_width",
    "miss_below",
    "miss_above",
    "format_failure_rate",
)


def stated(
    frame: pd.DataFrame, raw: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Estimand]:
    """The metrics of intervals as they are, level by level, and the coverage plateau.

    Args:
        frame: Intervals, one an item, epoch and level.
        raw: The judgments they were made of.
        units: The items, in the weights' order.
        condition: What all rows have in common.
    """
    coverages: dict[float, Statistic] = {}
    for level, judged in frame.groupby("level"):
        intervals = Intervals.of(judged, units)
        statistics = intervals.statistics()
        coverages[intervals.level] = statistics["coverage"]
        where = {**condition, "level": level}
        drawn = raw[(raw["level"] == level) | raw["level"].isna()]
        note = note_of(judged, drawn)
        read = int((judged["status"] == "ok").sum())
        for metric in METRICS_OF_INTERVALS:
            n = int((~np.isnan(intervals.failed)).sum()) if metric == SHARES[-1] else read
            yield Estimand(where, metric, statistics[metric], n, note, _wilson(intervals, metric))
        yield Estimand(where, "n", constant(len(drawn)), len(drawn), note, (_NAN, _NAN))
        if "set_size" in judged:
            yield from _sets(judged, intervals, where, note)
    read = int((frame["status"] == "ok").sum())
    yield Estimand(condition, "coverage_plateau", plateau(coverages), read, left_out(raw["status"]))


def _sets(
    judged: pd.DataFrame, intervals: Intervals, where: Condition, note: str
) -> Iterator[Estimand]:
    """How often the sets hold the truth, and how large they are."""
    held = judged["set_covered"].to_numpy(float)
    read = ~np.isnan(held)
    unit, units = intervals.unit, intervals.units
    interval = clustered_wilson_interval(
        np.bincount(unit[read], held[read], minlength=units),
        np.bincount(unit[read], minlength=units),
    )
    n = int(read.sum())
    yield Estimand(where, "set_coverage", mean_of(held, unit, units), n, note, interval)
    sizes = mean_of(judged["set_size"], unit, units)
    yield Estimand(where, "mean_set_size", sizes, n, note)


def conformal(
    train: pd.DataFrame, test: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Estimand]:
    """The metrics of test intervals at one level after split-conformal adjustment."""
    calibration, judged = Intervals.of(train, units), Intervals.of(test, units)
    items = len(calibration.one_an_item().unit)
    method = str(condition["method"])
    base = {} if method == "direct" else {"base": method}
    where = {**condition, **base, "level": judged.level, "method": "conformal", "split": "test"}
    note = f"{method} adjusted by an offset learned on {items} train items"
    needed = int(np.ceil(judged.level / (100 - judged.level) - 1e-9))
    if items < needed:
        note += f", of which {judged.level:g}% needs {needed}: intervals are infinite"
    note = "; ".join(part for part in (note, note_of(test, test)) if part)
    read = int((test["status"] == "ok").sum())
    for metric, statistic in conformal_statistics(calibration, judged).items():
        yield Estimand(where, metric, statistic, read, note)


def scaled(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Estimand]:
    """The metrics of test sets at temperatures chosen on the train items, by either rule."""
    read = rows[rows["status"] == "ok"]
    train, test = (_scored(read[read["split"] == split], units) for split in ("train", "test"))
    if not len(train.unit) or not len(test.unit):
        return
    levels = levels_of(rows.iloc[0])
    unseen = int((~truth_seen(*ranked(train.distributions), train.truth)).sum())
    exact = temperature_nll(train.distributions, train.truth)
    rules = {
        "score": (score_choice(train, levels), "least mean interval score on train"),
        "nll": (
            likelihood_choice(train),
            f"maximum likelihood on train ({exact:.4g} off the grid); {unseen} train items whose "
            "truth was not seen left out",
        ),
    }
    for rule, (choice, why) in rules.items():
        where = {**condition, "scaling": rule, "split": "test"}
        note = f"one temperature, on a grid 2.3% apart: {why}"
        n = len(train.unit)
        yield Estimand(where, f"temperature_{rule}", chosen_value(TEMPERATURES, choice), n, note)
        for level in levels:
            statistics = scaled_statistics(test, level, choice)
            statistics["coverage_gap"] = shifted(statistics["coverage"], -level / 100)
            for metric, statistic in statistics.items():
                yield Estimand({**where, "level": level}, metric, statistic, len(test.unit), note)


def tokens(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Estimand]:
    """What the log probabilities left unseen, and how many answers took several tokens."""
    read = rows[rows["status"] == "ok"]
    unit = units.get_indexer(pd.Index(read["item"])).astype(np.int64)
    several = int((read["answer_tokens"] > 1).sum())
    note = f"{several} of {len(read)} answers took several tokens; {left_out(rows['status'])}"
    statistic = mean_of(read["unseen_mass"], unit, len(units))
    yield Estimand(condition, "unseen_mass", statistic, len(read), note.removesuffix("; "))


def traces(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Estimand]:
    """The Tunnel Index, and what is left of it after averaging n traces."""
    found = tunnel_indices(rows)
    if found is None:
        return
    unit = units.get_indexer(pd.Index(found.items)).astype(np.int64)
    asked = rows.groupby(["item", "epoch"]).ngroups
    note = f"mean over items of {found.sizes[-1]} traces each; biased downwards at few traces"
    if asked > len(found.items):
        note += f"; {asked - len(found.items)} of {asked} with fewer readable traces left out"
    for size, bits in zip(found.sizes, found.bits.T, strict=True):
        statistic = mean_of(bits, unit, len(units))
        where = {**condition, "traces": size}
        yield Estimand(where, "residual_tunnel_index", statistic, len(unit), note)
        if size == 1:
            yield Estimand(condition, "tunnel_index", statistic, len(unit), note)


def against_direct(
    frame: pd.DataFrame, direct: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Estimand]:
    """Interval score less that of stated intervals, on the test items that have both."""
    for level in sorted(set(frame["level"]) & set(direct["level"])):
        sides = [
            side[(side["level"] == level) & (side["status"] == "ok")] for side in (frame, direct)
        ]
        common = set(sides[0]["item"]) & set(sides[1]["item"])
        if common:
            mine, base = (
                Intervals.of(side[side["item"].isin(common)], units).statistics()["interval_score"]
                for side in sides
            )
            yield Estimand(
                {**condition, "level": level, "split": "test"},
                "interval_score_change",
                _less(mine, base),
                len(common),
                f"less direct, on {len(common)} test items that have both",
            )


def _less(one: Statistic, other: Statistic) -> Statistic:
    return lambda weights: one(weights) - other(weights)


def _wilson(intervals: Intervals, metric: str) -> tuple[float, float] | None:
    if metric in SHARES:
        return clustered_wilson_interval(*intervals.sums(metric))
    if metric == "coverage_gap":
        low, high = clustered_wilson_interval(*intervals.sums("coverage"))
        return low - intervals.level / 100, high - intervals.level / 100
    return None


def _scored(read: pd.DataFrame, units: pd.Index) -> Scored:
    """One distribution an item and epoch: the mean over its draws."""
    groups = [draws for _, draws in read.groupby(["item", "epoch"], sort=False)]
    return Scored(
        [
            mean_of_distributions(draws) if len(draws) > 1 else distributions_of(draws)[0]
            for draws in groups
        ],
        np.array([draws["truth"].iloc[0] for draws in groups], float),
        units.get_indexer(pd.Index([draws["item"].iloc[0] for draws in groups])).astype(np.int64),
    )


def note_of(judged: pd.DataFrame, drawn: pd.DataFrame) -> str:
    """What a reader must know of the judgments at a level: left out, put right, repeated."""
    turned = int(sum(value is True for value in drawn["reversed"])) if "reversed" in drawn else 0
    items = judged["item"].nunique()
    parts = [
        left_out(drawn["status"]),
        f"{turned} reversed intervals put right" if turned else "",
        f"{items} items" if items < len(drawn) else "",
    ]
    return "; ".join(part for part in parts if part)
