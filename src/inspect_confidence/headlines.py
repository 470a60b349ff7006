"""Headlines: the results that summarize a model, and which of their values are better."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
import pandas as pd

from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, conditions_of
from inspect_confidence.studies import Headline, Study, all_studies


@dataclass(frozen=True)
class Direction:
    """Order of a metric's values from worse to better.

    Attributes:
        name: `higher`, `lower`, `target` or `none`.
        target: Best value of a `target` metric; NaN if there is none or it is unknown.
    """

    name: str
    target: float = math.nan

    @property
    def label(self) -> str:
        """The direction in words."""
        if self.name == "target":
            if math.isnan(self.target):
                return "the target is not known"
            return f"nearer to {self.target:g} is better"
        return "no direction" if self.name == "none" else f"{self.name} is better"

    @property
    def short_label(self) -> str:
        """The direction in few words; empty if there is none."""
        if self.name == "none":
            return ""
        return self.label.removesuffix(" is better") if self.name == "target" else self.label

    @property
    def ordered(self) -> bool:
        """Whether values can be better or worse."""
        return self.name in ("higher", "lower") or not math.isnan(self.target)

    def loss(self, values: FloatArray) -> FloatArray:
        """Return numbers that are smaller for better values; NaN if values have no order."""
        if self.name in ("higher", "lower"):
            return values if self.name == "lower" else -values
        return self.distance(values)

    def distance(self, values: FloatArray) -> FloatArray:
        """Return the absolute distance of values from the target."""
        return np.asarray(np.abs(values - self.target))


def direction_of(metric: str, condition: str) -> Direction:
    """Return the direction of a metric; the condition may contain the level that is its target.

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
    # Divide last, so that a level of 90 gives exactly 0.9.
    return Direction(name, level / 100 if target == "level" else (100 - level) / 200)


def add_condition_columns(results: pd.DataFrame) -> pd.DataFrame:
    """Add the columns `variant`, `judge` and `where` (the other parts of the condition)."""
    parts = conditions_of(results)
    return results.assign(
        variant=[part.get("variant", "") for part in parts],
        judge=[part.get("judge", "") for part in parts],
        where=[str(part.but(variant="", judge="")) for part in parts],
    )


def headline_rows(
    results: pd.DataFrame, headlines: Callable[[Study], Iterable[Headline]] | None = None
) -> pd.DataFrame:
    """Return the headline results of each model and variant, in the order of studies.

    Args:
        results: A frame of results.
        headlines: Function from a study to its headlines; by default the study's own.

    Returns:
        Rows of `results` with their index, and the columns `label`, `short`, `variant`, `judge`
        and `study`.
    """
    by_study: dict[str, Sequence[Headline]] = {}
    tasks = set(results["task"])
    for study in all_studies():
        study_headlines = headlines(study) if headlines else study.headlines
        by_study[study.name] = [item for item in study_headlines if item.task in tasks]
    metrics = {headline.metric for headline in chain.from_iterable(by_study.values())}
    rows = add_condition_columns(results[results["metric"].isin(metrics)])
    frames = []
    for study_name, study_headlines in by_study.items():
        for headline in _present_headlines(rows, study_headlines):
            is_headline = (
                (rows["task"] == headline.task)
                & (rows["metric"] == headline.metric)
                & (rows["where"] == str(Condition(headline.where)))
            )
            if is_headline.any():
                labels = {"label": headline.label, "short": headline.short, "study": study_name}
                frames.append(rows[is_headline].assign(**labels))
    if not frames:
        frames = [rows.iloc[:0].assign(label="", short="", study="")]
    return pd.concat(frames).drop(columns="where")


def _present_headlines(rows: pd.DataFrame, headlines: Iterable[Headline]) -> Iterator[Headline]:
    """Yield the headlines; one with `each` is repeated for each combination of values.

    `each` of a headline names conditions. The headline is repeated for every combination of their
    values that occurs in the rows. All headlines of one combination come before those of the next.
    """
    for (task, each), group in groupby(
        headlines, key=lambda headline: (headline.task, headline.each)
    ):
        group_headlines = list(group)
        if not each:
            yield from group_headlines
            continue
        for parts in condition_values(rows, task, group_headlines[0].where, each):
            for headline in group_headlines:
                yield headline.with_parts(parts)


def condition_values(
    rows: pd.DataFrame, task: str, where: Mapping[str, str], each: Sequence[str]
) -> list[dict[str, str]]:
    """Return the combinations of values that some parts of a task's conditions have, in order.

    Args:
        rows: Results with the column `where`, as from `add_condition_columns`.
        task: Name of the task.
        where: The other parts of the condition.
        each: Names of the parts.
    """
    combinations = []
    for text in rows.loc[rows["task"] == task, "where"].unique():
        condition = Condition.read(text)
        parts = {name: condition[name] for name in each if name in condition}
        if len(parts) == len(each) and condition == {**where, **parts}:
            combinations.append(parts)
    return combinations
