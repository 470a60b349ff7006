"""FermiEval: from judgments to the study's numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from inspect_confidence.arguments import number
from inspect_confidence.metrics import CombinedStatistic, Statistic, mean_of
from inspect_confidence.metrics.arrays import IntArray
from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Result, without
from inspect_confidence.studies.compare import Contrast, Name, differences, on_common
from inspect_confidence.studies.estimate import condition_groups, resample, results_of, unit_indices
from inspect_confidence.studies.fermi_eval import numbers
from inspect_confidence.studies.fermi_eval.judgments import SCORERS, read_sample
from inspect_confidence.studies.fermi_eval.shown import (
    CLAUSES,
    FIGURES,
    HEADLINES,
    detail,
    interval_tables,
)
from inspect_confidence.studies.fermi_eval.temperatures import (
    decoding_temperatures,
    unsent_temperatures,
)
from inspect_confidence.studies.intervals import Intervals, plateau
from inspect_confidence.studies.limits import limits
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, kinds, option


@dataclass(frozen=True)
class FermiOptions:
    """Options of FermiEval.

    Attributes:
        penalty: Lambda of the decoding-temperature rule, where several temperatures were sampled:
            mean interval score + lambda * max(0, nominal - coverage).
    """

    penalty: float = option(10.0, number)


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Results of every model, data set, variant and method, all from the same resampled items."""
    # In an order of its own, so that the order of logs and samples changes no number.
    frame = frames["fermi_eval"].sort_values(["item", "level", "epoch", "draw"], kind="stable")
    results: list[Result] = []
    for key, condition, rows in condition_groups(frame):
        drawn = resample(numbers.of_methods(rows, condition), _strata(rows), resampling)
        results += results_of(drawn, key)
    sampled = frame[frame["method"] == "sampling"]
    shared = sampled["variant"].map(lambda variant: without(variant, "temperature"))
    for key, condition, rows in condition_groups(sampled.assign(variant=shared)):
        if rows["temperature"].nunique() > 1 and numbers.both_splits(rows):
            made = {
                float(str(temperature)): numbers.intervals_of(drawn, "sampling")
                for temperature, drawn in rows.groupby("temperature")
            }
            where, units = condition.but(method="sampling"), pd.Index(rows["item"].unique())
            penalty = resampling.options(FermiOptions).penalty
            found = decoding_temperatures(made, units, where, penalty)
            results += results_of(resample(found, _strata(rows), resampling), key)
    return results


def _strata(rows: pd.DataFrame) -> IntArray:
    """The split of each item, so that train and test items are drawn separately."""
    splits = rows.drop_duplicates("item")["split"].to_numpy()
    codes = np.unique(splits, return_inverse=True)[1].astype(np.int64)
    return codes if numbers.both_splits(rows) else np.zeros_like(codes)


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences level by level, a row a metric.

    Failure rates rest on the items that both contenders were asked, every other metric on the
    items of which both have a readable interval.
    """
    made = [numbers.intervals_of(side, str(side["method"].iloc[0])) for side in (a, b)]
    units, _ = on_common(made)
    found: dict[Name, tuple[list[Statistic], int, float]] = {}
    coverages: dict[float, list[Statistic]] = {}
    for level in sorted(set(made[0]["level"]) & set(made[1]["level"])):
        at = [side[side["level"] == level] for side in made]
        common, sides = on_common([side[side["status"] == "ok"] for side in at])
        if len(common):
            one, other = (Intervals.of(side, units) for side in sides)
            missed = len(one.missed() | other.missed())
            both = [each.statistics() for each in (one, other)]
            for metric, *statistics in zip(both[0], *(each.values() for each in both), strict=True):
                if metric != "coverage_gap":  # differs by the same as the coverage
                    found[Condition(level=level), metric] = (statistics, len(common), missed)
            coverages[level] = [each["coverage"] for each in both]
        common, sides = on_common([numbers.replies_at(side, level) for side in (a, b)])
        if len(common):
            failed: list[Statistic] = [
                mean_of(numbers.unread(s), unit_indices(s, units), len(units)) for s in sides
            ]
            found[Condition(level=level), "format_failure_rate"] = (failed, len(common), np.inf)
    if len(coverages) > 1:
        most = max(found[Condition(level=level), "coverage"][1] for level in coverages)
        plateaus = [plateau({level: c[k] for level, c in coverages.items()}) for k in (0, 1)]
        found[Condition(), "coverage_plateau"] = (plateaus, most, np.inf)

    def of(side: int) -> Statistic:
        parts = [statistics[side] for statistics, _, _ in found.values()]
        return CombinedStatistic(parts, lambda *values: np.column_stack(values))

    n = len(units) if found else 0
    items, rarest = [one[1] for one in found.values()], [one[2] for one in found.values()]
    return differences(Contrast(list(found), items, n, of(0), of(1), rarest), resampling)


FERMI_EVAL = Study(
    name="fermi_eval",
    title="FermiEval: intervals around order-of-magnitude answers",
    tables=(
        TaskTable(
            task="fermi_eval",
            columns=kinds(
                "method:text level levels:text lower upper reversed:flag truth point temperature "
                "unsent_temperature probabilities:text unseen_mass answer_tokens"
            ),
            required=("item", "truth"),
            answers=(("level", "lower", "upper"), ("method", "point"), ("method", "probabilities")),
            arguments_shown=frozenset(
                {"dataset", "items", "split", "levels", "method", "prompt", "system"}
            ),
            compared_within=("method",),
            read=read_sample,
            varied=("method", "level"),
            intervals=numbers.are_intervals,
            limits=limits(
                "level:level levels:levels probabilities:shares_of_integers unseen_mass:share "
                "answer_tokens:count temperature:amount "
                "unsent_temperature:amount"
            ),
            ordered=(("lower", "upper"),),
            drawn=frozenset(SCORERS) - {"direct"},
        ),
    ),
    contenders=("method",),
    summarize=summarize,
    compare=compare,
    views=interval_tables,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    clauses=CLAUSES,
    options=FermiOptions,
    reference=bibtex("epstein2025fermieval"),
)
