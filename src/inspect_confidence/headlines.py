"""The numbers that stand for a model: which rows of the results they are, and what is better."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.metrics import METRICS
from inspect_confidence.results import Condition, conditions_of
from inspect_confidence.studies import Headline, Study, all_studies

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Direction:
    """How values of a metric are ordered.

    Attributes:
        name: `higher`, `lower`, `target` or `none`.
        target: Nearer to it is better; NaN where there is no target, or it isn't known.
    """

    name: str
    target: float = math.nan

    @property
    def text(self) -> str:
        """For people."""
        if self.name == "target":
            known = not math.isnan(self.target)
            return f"nearer to {self.target:g} is better" if known else "the target is not known"
        return "no direction" if self.name == "none" else f"{self.name} is better"

    @property
    def brief(self) -> str:
        """For people, in a word or two."""
        if self.name == "target":
            return self.text.removesuffix(" is better") if self.ordered else self.text
        return "" if self.name == "none" else self.text

    @property
    def ordered(self) -> bool:
        """Whether one value is better than another."""
        return self.name in ("higher", "lower") or not math.isnan(self.target)

    def badness(self, values: FloatArray) -> FloatArray:
        """What is less the better the values are; NaN where they have no order."""
        if self.name in ("higher", "lower"):
            return values if self.name == "lower" else -values
        return self.distance(values)

    def distance(self, values: FloatArray) -> FloatArray:
        """How far values lie from the target."""
        return np.asarray(np.abs(values - self.target))


def direction_of(metric: str, condition: str) -> Direction:
    """The direction of a metric under a condition, which may name the level that is its target.

    Example:
        >>> direction_of("coverage", "level=90")
        Direction(name='target', target=0.9)
        >>> direction_of("ece", "").name
        'lower'
    """
    name, _, target = METRICS[metric].direction.partition("=")
    if name != "target":
        return Direction(name)
    if target not in ("level", "alpha/2"):
        return Direction(name, float(target))
    try:
        level = float(Condition.read(condition)["level"])
    except (KeyError, ValueError):
        return Direction(name)
    # In percent first, so that 90 gives 0.9 and not its neighbour.
    return Direction(name, level / 100 if target == "level" else (100 - level) / 200)


def decoded(results: pd.DataFrame) -> pd.DataFrame:
    """Results with `variant`, `judge`, and `where`: what their condition says beside these."""
    parts = conditions_of(results)
    return results.assign(
        variant=[one.get("variant", "") for one in parts],
        judge=[one.get("judge", "") for one in parts],
        where=[str(one.but(variant="", judge="")) for one in parts],
    )


def headline_rows(
    results: pd.DataFrame, headlines: Callable[[Study], Iterable[Headline]] | None = None
) -> pd.DataFrame:
    """The rows that stand for each model and variant, in the studies' order.

    Args:
        results: In the layout of results.
        headlines: The numbers that stand for a study; its own by default.

    Returns:
        Those rows, with their index, and the columns `label`, `short`, `variant`, `judge` and
        `study`.
    """
    mine = [
        (study, one)
        for study in all_studies()
        for one in (headlines(study) if headlines else study.headlines)
    ]
    standing = {one.metric for _, one in mine}
    rows = decoded(results[results["metric"].isin(standing)])
    found = [
        rows[
            (rows["task"] == one.task)
            & (rows["metric"] == one.metric)
            & (rows["where"] == str(Condition(one.where)))
        ].assign(label=one.label, short=one.short, study=study.name)
        for study, one in mine
    ]
    there = [some for some in found if len(some)]
    blank = rows.iloc[:0].assign(label="", short="", study="")
    return pd.concat(there or [blank]).drop(columns="where")
