"""FermiEval: its record, and its results and comparisons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from inspect_confidence.arguments import number
from inspect_confidence.metrics import mean_of
from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Result, change_variant
from inspect_confidence.studies.compare import (
    ComparedName,
    ComparedStatistic,
    Contrast,
    differences,
    restrict_to_common_items,
)
from inspect_confidence.studies.estimate import (
    ResampledEstimates,
    Statistics,
    clusters_of,
    condition_groups,
    ordered_units,
    resample,
    results_of,
    unit_indices,
    unit_names,
)
from inspect_confidence.studies.fermi_eval import numbers, shown
from inspect_confidence.studies.fermi_eval.columns import COLUMNS
from inspect_confidence.studies.fermi_eval.judgments import SCORERS, read_sample
from inspect_confidence.studies.fermi_eval.temperatures import (
    decoding_temperatures,
    unsent_temperatures,
)
from inspect_confidence.studies.intervals import Intervals, plateau_statistic
from inspect_confidence.studies.notes import unread_flags
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, option


@dataclass(frozen=True)
class FermiOptions:
    """Options of FermiEval.

    Attributes:
        penalty: Weight of undercoverage in the choice among sampled temperatures, which minimizes
            mean interval score + penalty * max(0, nominal - coverage).
    """

    penalty: float = option(10.0, number, changes=["fermi_eval"])


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of every model, data set, variant and method.

    All methods of a model are computed from the same resampled items. Runs of the method `sampling`
    that differ only in temperature together have the results of the temperature that train items
    choose; that is undefined if the temperatures were set but not sent to the model.
    """
    # Sorted, so that the order of logs and samples changes no number. Models come before runs: ids
    # of runs are random, and the order of rows is that in which models are printed.
    order = ["item", "level", "epoch", "model", "variant", "run", "draw"]
    frame = frames["fermi_eval"].sort_values(order, kind="stable")
    results: list[Result] = []
    for key, condition, rows in condition_groups(frame):
        statistics = numbers.method_statistics(rows, condition)
        results += results_of(_resample(statistics, rows, resampling), key)
    # Runs at several temperatures, whose variants differ in this part alone, as one group.
    sampled = frame[frame["method"] == "sampling"]
    variants = sampled["variant"].map(partial(change_variant, temperature=""))
    for key, condition, rows in condition_groups(sampled.assign(variant=variants)):
        if rows["temperature"].nunique() > 1 and numbers.has_both_splits(rows):
            statistics = _decoding_statistics(rows, condition, resampling)
            results += results_of(_resample(statistics, rows, resampling), key)
        elif rows["unsent_temperature"].nunique() > 1:
            undefined = unsent_temperatures(rows, condition.but(method="sampling"))
            results += results_of(_resample([undefined], rows, resampling), key)
    return results


def _resample(
    statistics: Iterable[Statistics], rows: pd.DataFrame, resampling: Resampling
) -> ResampledEstimates:
    """Compute statistics of these rows, and on resamples of their units (items or clusters).

    If there are train and test items, units are resampled within each split, so that each resample
    has as many test items as the data. A cluster with items of both splits belongs to the split of
    its first judgment.
    """
    splits = rows["split"][~unit_names(rows).duplicated()].to_numpy()
    strata = np.unique(splits, return_inverse=True)[1].astype(np.int64)
    if not numbers.has_both_splits(rows):
        strata = np.zeros_like(strata)
    return resample(statistics, strata, resampling, clusters=clusters_of(rows))


def _decoding_statistics(
    rows: pd.DataFrame, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the metrics of `sampling` at the sampling temperature that train items choose.

    Draws without a recorded temperature are left out.
    """
    intervals = {}
    for temperature in rows["temperature"].dropna().unique():
        draws = rows[rows["temperature"] == temperature]
        intervals[float(temperature)] = numbers.intervals_of(draws, "sampling")
    units = ordered_units(rows)
    penalty = resampling.options(FermiOptions).penalty  # weight of undercoverage in the choice
    return decoding_temperatures(intervals, units, condition.but(method="sampling"), penalty)


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the differences level by level, a row for each metric, then of the coverage plateau.

    The plateau is the mean over levels of coverage relative to the level; one level has none.
    Failure rates are compared on the items of both contenders, all other metrics on the items with
    a readable interval of both (`_compare_intervals`). The resampled units are all common items, or
    their clusters; those without a value have no weight in a metric.
    """
    intervals = [numbers.intervals_of(side, str(side["method"].iloc[0])) for side in (a, b)]
    _, common_sides = restrict_to_common_items(intervals)
    units = ordered_units(common_sides[0])
    compared: dict[ComparedName, ComparedStatistic] = {}
    coverages: dict[float, ComparedStatistic] = {}
    for level in sorted(set(intervals[0]["level"]) & set(intervals[1]["level"])):
        condition = Condition(level=level)
        at_level = [side[side["level"] == level] for side in intervals]
        for metric, values in _compare_intervals(at_level, units).items():
            compared[condition, metric] = values
            if metric == "coverage":
                coverages[level] = values
        # Failure rates of the replies, readable or not.
        replies = [numbers.replies_at(side, level) for side in (a, b)]
        if failures := _compare_failures(replies, units):
            compared[condition, "format_failure_rate"] = failures
    if len(coverages) > 1:
        compared[Condition(), "coverage_plateau"] = ComparedStatistic(
            plateau_statistic({level: values.first for level, values in coverages.items()}),
            plateau_statistic({level: values.second for level, values in coverages.items()}),
            max(values.items for values in coverages.values()),
        )
    clusters = clusters_of(common_sides[0])
    return differences(Contrast.from_statistics(compared, len(units), clusters), resampling)


def _compare_intervals(
    sides: Sequence[pd.DataFrame], units: pd.Index
) -> dict[str, ComparedStatistic]:
    """Return the metrics of both sides' intervals at one level, by name; none without common items.

    An item is common if both have a readable interval of it.
    """
    items, sides = restrict_to_common_items([side[side["status"] == "ok"] for side in sides])
    if not len(items):
        return {}
    first, second = (Intervals.from_frame(side, units).statistics() for side in sides)
    return {
        metric: ComparedStatistic(statistic, second[metric], len(items))
        for metric, statistic in first.items()
    }


def _compare_failures(replies: Sequence[pd.DataFrame], units: pd.Index) -> ComparedStatistic | None:
    """Return the rates of parse failures of both sides; None without common items.

    Each rate is a statistic of the items' weights, of which resamples are computed.
    """
    items, sides = restrict_to_common_items(replies)
    if not len(items):
        return None
    first, second = (
        mean_of(unread_flags(side["status"]), unit_indices(side, units), len(units))
        for side in sides
    )
    return ComparedStatistic(first, second, len(items))


FERMI_EVAL = Study(
    name="fermi_eval",
    title="FermiEval: intervals around order-of-magnitude answers",
    question="Each model answers questions on orders of magnitude with intervals that should "
    "contain the true value with a given probability.",
    tables=(
        TaskTable(
            task="fermi_eval",
            columns=COLUMNS,
            required=("item", "truth"),
            answers=(("level", "lower", "upper"), ("method", "point"), ("method", "probabilities")),
            arguments_shown=frozenset(
                {"dataset", "items", "split", "levels", "method", "prompt", "system"}
            ),
            compared_within=("method",),
            read=read_sample,
            varied=("method", "level"),
            intervals=numbers.are_intervals,
            ordered=(("lower", "upper"),),
            repeated_methods=frozenset(SCORERS) - {"direct"},
        ),
    ),
    contenders=("method",),
    summarize=summarize,
    compare=compare,
    views=shown.interval_tables,
    detail=shown.detail,
    figures=shown.FIGURES,
    headlines=shown.HEADLINES,
    clauses=shown.CLAUSES,
    options=FermiOptions,
    reference=bibtex("epstein2025fermieval"),
)
