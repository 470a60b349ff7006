"""Paired differences between models, variants or methods on the same items."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any, Unpack

import numpy as np
import pandas as pd

from inspect_confidence.commands.analysis import Settings, study_parts, with_choices
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
    """Judgments of one model, variant and elicitation method, which is compared with others."""

    model: tuple[str, ...]
    method: tuple[str, ...]
    judgments: pd.DataFrame

    @property
    def name(self) -> str:
        """Name in tables."""
        method = "-".join(filter(None, self.method))  # joins the ends of a scale: 0-100
        return " ".join(filter(None, (*self.model, method)))


def compare(a: Source, b: Source | None = None, **settings: Unpack[Settings]) -> pd.DataFrame:
    """Compute paired differences between models, variants or methods on common items.

    Args:
        a: Judgments or paths. Without `b`, its contenders are compared pairwise.
        b: Judgments or paths; every contender of `a` is compared with every contender of `b`.
        **settings: Keywords of `Settings`.

    Returns:
        A row for each pair and metric: both values, their difference a - b with its 95% interval
        over resampled common items, the two-sided p of no difference from the same resamples
        (below .05 exactly if the interval excludes 0), p after Bonferroni's and Holm's adjustment
        over all rows, a verdict by Holm's p, and a note on missing data. Contenders that differ in
        both model and method (or scale) are not compared, since their difference could not be
        attributed to either.

    Raises:
        InvalidArgument: No two contenders answered common items, or a setting is invalid.
    """
    second = None if b is None else judgments_of(b)
    rows = []
    for part in study_parts(a, settings):
        for task, frame in part.frames.items():
            if second is not None and task not in second:
                continue
            against = None
            if second is not None:
                against = with_choices(second[task], task, part.resampling)
            for dataset, a_side, b_side in _pairs(part.study, frame, against):
                for difference in part.study.compare(
                    a_side.judgments, b_side.judgments, part.resampling
                ):
                    names = {"a": a_side.name, "b": b_side.name}
                    rows.append({"task": task, "dataset": dataset, **names, **asdict(difference)})
    if not rows:
        raise InvalidArgument(
            "There is nothing to compare: no two models, variants or methods answered the same "
            "items; name logs of at least two."
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
        contenders = _contenders(study, first[first["dataset"] == dataset])
        pairs: Iterable[tuple[Contender, Contender]] = combinations(contenders, 2)
        if second is not None:
            pairs = product(contenders, _contenders(study, second[second["dataset"] == dataset]))
        for a_side, b_side in pairs:
            if a_side.model == b_side.model or a_side.method == b_side.method:
                yield dataset, a_side, b_side


def _contenders(study: Study, frame: pd.DataFrame) -> list[Contender]:
    """Split judgments by model, variant and the study's columns of the method."""
    columns = ["model", "variant", *study.contenders]
    return [
        Contender((str(key[0]), str(key[1])), tuple(map(_part_text, key[2:])), study.prepared(rows))
        for key, rows in frame.groupby(columns, dropna=False)
    ]


def _part_text(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)


def _verdict(row: Mapping[Hashable, Any], family: int) -> str:
    """Describe a difference by its p after Holm's adjustment over `family` rows."""
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
    direction = f"{better} is better" if better else f"{ahead} is higher"
    return f"{direction} by {abs(difference):.3g} ({tested})"
