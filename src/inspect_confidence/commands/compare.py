"""Two ways of answering the same items: paired differences."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any, Unpack

import numpy as np
import pandas as pd

from inspect_confidence.commands.analysis import Settings, parts_of
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import Source, judgments_of
from inspect_confidence.metrics import METRICS, bonferroni, holm
from inspect_confidence.studies import Study

COLUMNS = [
    *("task", "dataset", "a", "b", "condition", "metric", "value_a", "value_b"),
    *("difference", "ci_low", "ci_high", "p", "p_bonferroni", "p_holm", "items", "verdict", "note"),
]


@dataclass(frozen=True)
class Contender:
    """Judgments of a model and variant, and what else the study tells contenders apart by."""

    model: tuple[str, ...]
    way: tuple[str, ...]
    judgments: pd.DataFrame

    @property
    def name(self) -> str:
        """For people."""
        way = "-".join(filter(None, self.way))  # the ends of a scale: 0-100
        return " ".join(filter(None, (*self.model, way)))


def compare(a: Source, b: Source | None = None, **settings: Unpack[Settings]) -> pd.DataFrame:
    """Paired differences between models, variants or methods over the items both answered.

    Args:
        a: Judgments or paths. Alone, everything in it is compared pairwise.
        b: Judgments or paths to compare with; every contender of `a` meets every one of `b`.
        **settings: As `Settings` says.

    Returns:
        A row a metric: both values, their difference a - b with its 95% interval over resampled
        common items, the two-sided p of no difference from the same resamples (below .05 just where
        the interval leaves out 0), p after Bonferroni's and Holm's adjustment over all rows of the
        call, a verdict by the latter, and a note of what is missing. Contenders that differ in both
        model and method (or scale) aren't compared: such a difference would say nothing about
        either.

    Raises:
        InvalidArgument: There are no two contenders that answered common items, or a setting can't
            be used.
    """
    others = None if b is None else judgments_of(b)
    rows = []
    for part in parts_of(a, settings):
        for task, frame in part.frames.items():
            if others is not None and task not in others:
                continue
            against = None if others is None else others[task]
            for dataset, one, other in _pairs(part.study, frame, against):
                for found in part.study.compare(one.judgments, other.judgments, part.resampling):
                    names = {"a": one.name, "b": other.name}
                    rows.append({"task": task, "dataset": dataset, **names, **asdict(found)})
    if not rows:
        raise InvalidArgument(
            "Nothing to compare: no two models, variants or methods answered the same items."
        )
    frame = pd.DataFrame(rows).rename(columns={"first": "value_a", "second": "value_b"})
    frame["p_bonferroni"], frame["p_holm"] = bonferroni(frame["p"]), holm(frame["p"])
    family = int(frame["p"].notna().sum())
    frame["verdict"] = [_verdict(row, family) for row in frame.to_dict("records")]
    return frame[COLUMNS]


def _pairs(
    study: Study, first: pd.DataFrame, second: pd.DataFrame | None
) -> Iterator[tuple[str, Contender, Contender]]:
    shared = set(first["dataset"]) & set(first["dataset"] if second is None else second["dataset"])
    for dataset in sorted(shared):
        mine = _contenders(study, first[first["dataset"] == dataset])
        pairs: Iterable[tuple[Contender, Contender]] = combinations(mine, 2)
        if second is not None:
            pairs = product(mine, _contenders(study, second[second["dataset"] == dataset]))
        for one, other in pairs:
            if one.model == other.model or one.way == other.way:
                yield dataset, one, other


def _contenders(study: Study, frame: pd.DataFrame) -> list[Contender]:
    """Each way of answering with its judgments, named by what tells it from others."""
    columns = ["model", "variant", *study.contenders]
    return [
        Contender((str(key[0]), str(key[1])), tuple(map(_written, key[2:])), study.prepared(rows))
        for key, rows in frame.groupby(columns, dropna=False)
    ]


def _written(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)


def _verdict(row: Mapping[Hashable, Any], family: int) -> str:
    """In words, by p after Holm's adjustment over that many rows."""
    difference, p = row["difference"], row["p_holm"]
    if np.isnan(difference):
        return "undefined"
    if np.isnan(p):
        return str(row["note"]).replace("no interval", "no verdict")
    tested = f"p={row['p']:.3g}, {p:.3g} over {family} rows"
    if p > 0.05:
        after = " after adjustment" if row["p"] < 0.05 else ""
        return f"no difference shown{after} ({tested})"
    ahead, behind = ("a", "b") if difference > 0 else ("b", "a")
    better = {"higher": ahead, "lower": behind}.get(METRICS[row["metric"]].direction)
    said = f"{better} is better" if better else f"{ahead} is higher"
    return f"{said} by {abs(difference):.3g} ({tested})"
