"""From the draws of a FermiEval method to one interval an item, epoch and level."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.metrics import (
    prediction_set,
    residual_tunnel_index,
    sampling_interval,
    tunnel_interval,
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
    total: Counter[int] = Counter()
    for one in distributions_of(read):
        total.update(one)
    return {value: mass / len(read) for value, mass in total.items()}


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
    bits = [[residual_tunnel_index(_matrix(one), n) for n in sizes] for one in kept.values()]
    return TunnelIndices([str(key[0]) for key in kept], sizes, np.array(bits))


def _matrix(read: pd.DataFrame) -> np.ndarray:
    distributions = distributions_of(read)
    values = sorted({value for one in distributions for value in one})
    return np.array([[one.get(value, 0.0) for value in values] for one in distributions])
