"""Paired differences between models, variants or methods on the same items."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.commands.analysis import Settings, study_parts, with_choices
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.read import Source, judgments_of
from inspect_confidence.metrics import METRICS, holm
from inspect_confidence.results import Condition
from inspect_confidence.studies import Study, study_of

COLUMNS = [
    *("task", "dataset", "a", "b", "condition", "metric", "role", "value_a", "value_b"),
    *("difference", "ci_low", "ci_high", "p", "p_holm", "family", "items", "verdict", "note"),
]
PRIMARY, EXPLORATORY = "primary", "exploratory"
"""Roles of a difference: in the family of tests that is adjusted, or beside it."""


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


def compare(
    a: Source,
    b: Source | None = None,
    *,
    metrics: Sequence[str] = (),
    **settings: Unpack[Settings],
) -> pd.DataFrame:
    """Compute paired differences between models, variants or methods on common items.

    The differences of the primary metrics of a task, over all pairs and data sets, are one family
    of tests, in which p is adjusted by Holm's method. All other differences are exploratory, and
    their p is not adjusted. With one pair and one primary metric nothing is adjusted, so that a
    difference is found where p < .05, whose power `items_needed` computes.

    Args:
        a: Judgments or paths. Without `b`, its contenders are compared pairwise.
        b: Judgments or paths; every contender of `a` is compared with every contender of `b`.
        metrics: Primary metrics; if empty, the first main number of each task (the first of
            `study.headlines`) that has a difference.
        **settings: Keywords of `Settings`.

    Returns:
        A row for each pair and metric: its role, `primary` or `exploratory`; both values, their
        difference a - b with its 95% interval over resampled common items; the two-sided p of no
        difference that agrees with it (below .05 exactly if the interval excludes 0); p after
        Holm's adjustment over the task's primary differences and their number (NaN and 0 for
        exploratory ones); a verdict by the adjusted p, or by p if exploratory; and a note on
        missing data. Contenders that differ in both model and method (or scale) are not compared,
        since their difference could not be attributed to either.

    Raises:
        InvalidArgument: No two contenders answered common items, a setting is invalid, or no
            difference is of a primary metric.
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
    is_primary = _is_primary(frame, metrics)
    frame["role"] = np.where(is_primary, PRIMARY, EXPLORATORY)
    frame["p_holm"], frame["family"] = np.nan, 0
    for _, family in frame[is_primary].groupby("task"):
        frame.loc[family.index, "p_holm"] = holm(family["p"])
        frame.loc[family.index, "family"] = int(family["p"].notna().sum())
    frame["verdict"] = list(map(_verdict, frame.to_dict("records")))
    return frame[COLUMNS]


def _is_primary(rows: pd.DataFrame, metrics: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each difference is of a primary metric.

    Raises:
        InvalidArgument: No row has one of the metrics.
    """
    names = set(rows["metric"])
    for metric in metrics:
        if metric not in names:
            raise InvalidArgument(
                f"--metric {metric}: there is no difference of it. {nearest(metric, names)}"
            )
    if metrics:
        return rows["metric"].isin(metrics).to_numpy(bool)
    is_primary = np.zeros(len(rows), bool)
    for task in rows["task"].unique():
        for headline in study_of(task).headlines:
            is_headline = np.array(
                [
                    row["task"] == task == headline.task
                    and row["metric"] == headline.metric
                    and _agrees(Condition.read(row["condition"]), headline.where)
                    for row in rows.to_dict("records")
                ]
            )
            if is_headline.any():
                is_primary |= is_headline
                break
    return is_primary


def _agrees(condition: Condition, where: Mapping[str, str]) -> bool:
    """Return whether the parts that both have are the same."""
    return all(where[name] == value for name, value in condition.items() if name in where)


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


def _verdict(row: Mapping[Hashable, Any]) -> str:
    """Describe a difference by its p after Holm's adjustment, or by its p if exploratory."""
    difference, is_primary = row["difference"], row["role"] == PRIMARY
    p = row["p_holm"] if is_primary else row["p"]
    if np.isnan(difference):
        return "undefined"
    if np.isnan(p):
        return str(row["note"]).replace("no interval", "no verdict")
    tested = f"p={row['p']:.3g}" if is_primary else f"exploratory, p={row['p']:.3g}"
    if row["family"] > 1:
        tested += f", {p:.3g} over {row['family']} comparisons"
    if p >= 0.05:
        after = " after adjustment" if row["p"] < 0.05 else ""
        return f"no difference shown{after} ({tested})"
    ahead, behind = ("a", "b") if difference > 0 else ("b", "a")
    better = {"higher": ahead, "lower": behind}.get(METRICS[row["metric"]].direction)
    direction = f"{better} is better" if better else f"{ahead} is higher"
    return f"{direction} by {abs(difference):.3g} ({tested})"
