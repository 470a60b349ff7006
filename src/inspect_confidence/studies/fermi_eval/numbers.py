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
from numpy.typing import ArrayLike

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.integer_sets import distribution_rows, mean_distribution
from inspect_confidence.metrics.reports import entropy_bits
from inspect_confidence.results import Condition
from inspect_confidence.studies import estimate
from inspect_confidence.studies.compare import on_common
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    constant,
    single_statistic,
    unit_indices,
)
from inspect_confidence.studies.fermi_eval.judgments import SCORERS
from inspect_confidence.studies.fermi_eval.temperatures import Scored, scaled_temperatures
from inspect_confidence.studies.intervals import Intervals, plateau
from inspect_confidence.studies.notes import left_out, noted, replied

Distribution = dict[int, float]
DEFAULT_LEVELS = "80,90,95,99"
_OF_TOKENS = ("logprob", "traces")


def intervals_of(rows: pd.DataFrame, method: str) -> pd.DataFrame:
    """One row an item, epoch and level, with the columns that stated intervals have.

    An item is `ok` where one of its draws could be read; otherwise it has their commonest status.
    Sets of integers add `set_covered` and `set_size`; their bounds are those of the set's hull. The
    rows of `direct`, and of a method that isn't ours, are intervals.
    """
    if _is_interval(method):
        return rows
    by = ["item", "epoch", "level"] if method == "tunnel" else ["item", "epoch"]
    made = [row for _, draws in rows.groupby(by, sort=False) for row in _each(draws, method)]
    return pd.DataFrame(made)


def are_intervals(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Which judgments are: those of `direct`, and of methods that aren't ours."""
    return rows["method"].map(_is_interval).astype(bool)


def _is_interval(method: str) -> bool:
    return method == "direct" or method not in SCORERS


def _each(draws: pd.DataFrame, method: str) -> Iterator[dict[str, Any]]:
    """The interval at each level of one item and epoch."""
    first = draws.iloc[0]
    read = draws[draws["status"] == "ok"]
    common = {
        **first[["item", "split", "epoch", "truth"]],
        "draw": 0.0,
        "status": "ok" if len(read) else Counter(draws["status"]).most_common(1)[0][0],
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


def of_methods(rows: pd.DataFrame, condition: Condition) -> Iterator[Statistics]:
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
) -> Iterator[Statistics]:
    """The metrics of intervals as they are, level by level, and the coverage plateau.

    `frame` has intervals, one an item, epoch and level; `raw` the judgments they were made of.
    """
    coverages: dict[float, metrics.Statistic] = {}
    for level, judged in frame.groupby("level"):
        intervals = Intervals.of(judged, units)
        coverages[intervals.level] = intervals.statistics()["coverage"]
        where, drawn = condition.but(level=level), replies_at(raw, intervals.level)
        note = note_of(judged, drawn)
        yield from intervals.estimands(where, len(judged), note)
        failed = {"format_failure_rate": unread(drawn)}
        yield estimate.means(where, failed, unit_indices(drawn, units), len(units), note)
        yield estimate.judgment_count(where, len(drawn), note)
        if "set_size" in judged:
            sets = {"set_coverage": judged["set_covered"], "mean_set_size": judged["set_size"]}
            yield estimate.means(where, sets, intervals.unit, len(units), note)
    if not coverages:  # no sample was written, so that no level is known
        unknown = {"coverage_plateau": np.full(len(raw), np.nan)}
        note = left_out(raw["status"])
        yield estimate.means(condition, unknown, places(raw, units), len(units), note)
        yield estimate.count(condition, len(raw), note)
        return
    read = frame[frame["status"] == "ok"]
    items = read["item"].nunique()
    over = Estimate(
        *(condition, "coverage_plateau", len(read), left_out(raw["status"])),
        n_asked=len(frame),
        units=items,
    )
    yield Statistics([over], plateau(coverages))


def replies_at(raw: pd.DataFrame, level: float) -> pd.DataFrame:
    """The judgments that intervals at a level were made of: of that level, or of all of them."""
    return raw[(raw["level"] == level) | raw["level"].isna()]


def unread(replies: pd.DataFrame) -> FloatArray:
    """1 where a reply could not be read, 0 where it was, NaN where there was none."""
    status = replies["status"]
    return np.where(replied(status), status != "ok", np.nan)


def _conformal(
    train: pd.DataFrame, test: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """The metrics of test intervals at one level after split-conformal adjustment.

    They are of the offset that was learned, on new items: test items alone are resampled.
    """
    judged, calibration = Intervals.of(test, units), Intervals.of(train, units).one_an_item()
    items, method, level = len(calibration.unit), condition["method"], judged.level
    base = "" if method == "direct" else method
    where = condition.but(base=base, level=level, method="conformal", split="test")
    said, needed = f"learned on {items} train items", int(np.ceil(level / (100 - level) - 1e-9))
    if items < needed:
        said += f", of which {level:g}% needs {needed}: intervals are infinite"
    note = f"{method} adjusted by an offset {said}"
    learned = (calibration.lower, calibration.upper, calibration.truth, level)
    offset = metrics.conformal_offset(*learned)
    ends = metrics.conformal_offset_interval(*learned)
    asked = train["item"].nunique()
    if np.isnan(ends[0]):
        said += "; no interval: too few of them"
    yield single_statistic(
        where, "conformal_offset", constant(offset), items, said, ends, n_asked=asked
    )
    note = noted(note, note_of(test, test))
    moved = judged.moved(offset)
    yield from moved.estimands(where, len(test), note)
    after, before = (one.values()["interval_score"] for one in (moved, judged))
    about = judged.about(len(test)) | {"rarest": len(moved.missed() | judged.missed())}
    change = Estimate(where, "interval_score_change", note=note, **about)
    yield Statistics([change], metrics.mean_of(after - before, judged.unit, len(units)))


def _scaled(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """The metrics of test sets at temperatures chosen on the train items."""
    sides = []
    for split in ("train", "test"):
        mine = rows[rows["split"] == split]
        answered = mine[mine["status"] == "ok"].groupby(["item", "epoch"], sort=False)
        made, firsts = [mean_of_distributions(draws) for _, draws in answered], answered.head(1)
        asked = mine.groupby(["item", "epoch"]).ngroups
        truth, at = firsts["truth"].to_numpy(float), unit_indices(firsts, units)
        sides.append(Scored(made, truth, at, len(units), asked))
    learned, judged = sides
    if len(learned.unit) and len(judged.unit):
        yield from scaled_temperatures(learned, judged, levels_of(rows.iloc[0]), condition)


def _unseen(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """What the log probabilities left unseen, and how many answers took several tokens."""
    ok = rows["status"] == "ok"
    several = int((rows["answer_tokens"][ok] > 1).sum())
    said = f"{several} of {ok.sum()} answers took several tokens"
    column = {"unseen_mass": rows["unseen_mass"].where(ok)}
    note = noted(said, left_out(rows["status"]))
    return estimate.means(condition, column, unit_indices(rows, units), len(units), note)


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


def _tunnels(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """The Tunnel Index, and what is left of it after averaging n traces."""
    found = tunnel_indices(rows)
    unit = np.asarray(units.get_indexer(found.index), np.int64)
    asked, items = rows.groupby(["item", "epoch"]).ngroups, len(np.unique(unit))

    def mean(where: Condition, metric: str, bits: ArrayLike, note: str) -> Statistics:
        number = Estimate(where, metric, len(unit), note, n_asked=asked, units=items)
        return Statistics([number], metrics.mean_of(bits, unit, len(units)))

    for size, bits in found.items():
        traces = found.columns[-1]
        note = f"mean over items of {traces} traces each, and its interval that of as many: "
        note += "biased downwards at few"
        if asked > len(found):
            note += f"; {asked - len(found)} of {asked} with fewer readable traces left out"
        yield mean(condition.but(traces=size), "residual_tunnel_index", bits, note)
        if size == 1:
            yield mean(condition, "tunnel_index", bits, note)
            # Of the same traces, so that both together are the entropy of their mean.
            single = np.array([entropy_bits(traces).mean() for _, traces in _traced(rows)])
            yield mean(condition, "decoding_entropy", single, note)


def _against(
    direct: pd.DataFrame, frame: pd.DataFrame, units: pd.Index, condition: Condition
) -> Iterator[Statistics]:
    """Interval score less that of stated intervals, on the test items that have both."""
    for level in sorted(set(frame["level"]) & set(direct["level"])):
        asked = [side[side["level"] == level] for side in (frame, direct)]
        common, sides = on_common([side[side["status"] == "ok"] for side in asked])
        if len(common):
            one, other = (Intervals.of(side, units) for side in sides)
            note = f"less direct, on {len(common)} test items that have both"
            change = _less(*(side.statistics()["interval_score"] for side in (one, other)))
            number = Estimate(
                *(condition.but(level=level), "interval_score_change", len(common), note),
                n_asked=asked[0]["item"].nunique(),
                rarest=len(one.missed() | other.missed()),
            )
            yield Statistics([number], change)


def _less(one: metrics.Statistic, other: metrics.Statistic) -> metrics.Statistic:
    return metrics.CombinedStatistic([one, other], lambda first, second: first - second)


def note_of(judged: pd.DataFrame, drawn: pd.DataFrame) -> str:
    """What a reader must know of the intervals at a level and the replies they were made of."""
    turned = int(sum(value is True for value in drawn["reversed"])) if "reversed" in drawn else 0
    items = judged["item"].nunique()
    return noted(
        left_out(drawn["status"]),
        f"{turned} reversed intervals put right" if turned else "",
        f"{len(judged)} intervals of {len(drawn)} replies" if len(judged) < len(drawn) else "",
        f"{items} items" if items < len(judged) else "",
    )
