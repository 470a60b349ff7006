"""Headlines: the results that summarize a model, and which of their values are better."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np

from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, ResultRow, ResultTable
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


def direction_of(metric: str, condition: Mapping[str, str]) -> Direction:
    """Return the direction of a metric; the condition may contain the level that is its target.

    Example:
        >>> direction_of("coverage", {"level": "90"})
        Direction(name='target', target=0.9)
        >>> direction_of("ece", {}).name
        'lower'
    """
    name, _, target = METRICS[metric].direction.partition("=")
    if name != "target":
        return Direction(name)
    if target not in ("level", "alpha/2"):
        return Direction(name, float(target))
    try:
        level = float(condition["level"])
    except (KeyError, ValueError):
        return Direction(name)
    # Divide last, so that a level of 90 gives exactly 0.9.
    return Direction(name, level / 100 if target == "level" else (100 - level) / 200)


def headline_rows(
    results: ResultTable, headlines: Callable[[Study], Iterable[Headline]] | None = None
) -> ResultTable:
    """Return the headline results of each model and variant, in the order of studies.

    Args:
        results: Results, of any metrics.
        headlines: Function from a study to its headlines; by default the study's own.

    Returns:
        Rows of `results` with the further parts `label`, `short` and `study`.
    """
    by_study: dict[str, Sequence[Headline]] = {}
    tasks = set(results.values("task"))
    for study in all_studies():
        study_headlines = headlines(study) if headlines else study.headlines
        by_study[study.name] = [item for item in study_headlines if item.task in tasks]
    metrics = {headline.metric for headline in chain.from_iterable(by_study.values())}
    rows = results.among("metric", metrics)
    rows_by_number: dict[tuple[str, str, Condition], list[ResultRow]] = {}
    for row in rows:
        rows_by_number.setdefault((row["task"], row["metric"], row.shared), []).append(row)
    chosen = []
    for study_name, study_headlines in by_study.items():
        for headline in _present_headlines(rows, study_headlines):
            labels = {"label": headline.label, "short": headline.short, "study": study_name}
            number = (headline.task, headline.metric, Condition(headline.where))
            chosen += [row.labelled(**labels) for row in rows_by_number.get(number, ())]
    return ResultTable(chosen)


def _present_headlines(rows: ResultTable, headlines: Iterable[Headline]) -> Iterator[Headline]:
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
    rows: ResultTable, task: str, where: Mapping[str, str], each: Sequence[str]
) -> list[dict[str, str]]:
    """Return the combinations of values that some parts of a task's conditions have, in order.

    Args:
        rows: Results.
        task: Name of the task.
        where: The other parts of the condition, except variant and judge.
        each: Names of the parts.
    """
    combinations = []
    for condition in dict.fromkeys(row.shared for row in rows.matching(task=task)):
        parts = {name: condition[name] for name in each if name in condition}
        if len(parts) == len(each) and condition == {**where, **parts}:
            combinations.append(parts)
    return combinations
