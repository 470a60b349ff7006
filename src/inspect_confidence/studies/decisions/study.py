"""The study of decisions: its record, and its results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.answers import ANSWER_STATUSES
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies import estimate, stated
from inspect_confidence.studies.decisions import numbers
from inspect_confidence.studies.decisions.columns import (
    ABSTAIN,
    ABSTAIN_COLUMNS,
    ABSTAIN_REQUESTS,
    COMMITMENT,
    COMMITMENT_COLUMNS,
    COMMITMENT_REQUESTS,
    NO_PUSHBACK,
    SIMPLE_QA,
    SIMPLE_QA_COLUMNS,
)
from inspect_confidence.studies.decisions.samples import (
    read_abstain,
    read_commitment,
    read_simple_qa,
)
from inspect_confidence.studies.decisions.shown import (
    CLAUSES,
    FIGURES,
    HEADLINES,
    decision_tables,
    detail,
)
from inspect_confidence.studies.estimate import Statistics
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of the tasks in `frames`, by model, data set and variant."""
    results: list[Result] = []
    for task, statistics_of in _STATISTICS_BY_TASK.items():
        if task not in frames:
            continue
        for key, condition, group in estimate.condition_groups(frames[task]):
            rows = with_derived_columns(group)
            units = estimate.ordered_units(rows)
            statistics = statistics_of(rows, units, condition, resampling)
            clusters = estimate.clusters_of(rows)
            resampled = estimate.resample(statistics, len(units), resampling, clusters=clusters)
            results += estimate.results_of(resampled, key)
    return results


def with_derived_columns(judgments: pd.DataFrame) -> pd.DataFrame:
    """Return the judgments of one task with derived columns."""
    return _PREPARATION_BY_TASK[str(judgments["task"].iloc[0])](judgments)


def _abstain_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the statistics of each confidence target, the highest first, then of all together.

    At a target the model is to answer only if it is surer than that. `rows` are split by the format
    of the prompt, and by when confidence was asked (`none`: not at all). `resampling` is not used:
    the functions of all tasks have the same arguments.
    """
    guesses = numbers.best_guesses_of(rows)
    for values, request_rows in rows.groupby(["format", "confidence_asked"], sort=False):
        prompt_format, moment = map(str, values)
        confidence_asked = "" if moment == "none" else moment
        request_condition = condition.but(format=prompt_format, confidence_asked=confidence_asked)
        # The highest target also comes first in tables and among the headlines.
        # A row of a user's file may lack the target: it is a failure, of no target.
        targets = request_rows["confidence_target"].dropna().unique()
        for target in sorted(targets, reverse=True):
            target_rows = request_rows[request_rows["confidence_target"] == target]
            target_condition = request_condition.but(confidence_target=float(target))
            yield from numbers.target_statistics(target_rows, guesses, units, target_condition)
        yield from numbers.monotony_violations(request_rows, units, request_condition)


def _simple_qa_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the statistics of each source of confidence: what was stated, and the frequency.

    The frequency is the share of several draws that have the commonest answer. A model may decline:
    shares of attempted answers are among the statistics.
    """
    for source, source_rows in rows.groupby("confidence_source", sort=False):
        source_condition = condition.but(confidence_source=source)
        yield from stated.scale_statistics(
            source_rows, units, source_condition, resampling, may_decline=True
        )


def _commitment_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the statistics of each kind of pushback; `none` is no part of the condition.

    `resampling` is not used: the functions of all tasks have the same arguments.
    """
    for pushback, pushback_rows in rows.groupby("pushback", sort=False):
        kind = "" if pushback == NO_PUSHBACK else pushback
        yield from numbers.commitment_statistics(pushback_rows, units, condition.but(pushback=kind))


_STATISTICS_BY_TASK = {
    ABSTAIN: _abstain_statistics,
    SIMPLE_QA: _simple_qa_statistics,
    COMMITMENT: _commitment_statistics,
}
_PREPARATION_BY_TASK = {
    ABSTAIN: numbers.graded_decisions,
    SIMPLE_QA: stated.complete_judgments,
    COMMITMENT: numbers.completed_commitments,
}
_COMPARED_METRICS = frozenset(
    {
        *("payoff", "attempted_share", "accuracy_given_attempted", "overall_accuracy", "f_score"),
        *("monotony_violations", "contradictions_declined", "contradictions_answered"),
        *("accuracy", "withdraw_delta", "bet_delta", "contradictions", "capitulation"),
        *("right_to_wrong", "wrong_to_right", "confidence_change", "confident_moves"),
    }
)
"""Metrics that are compared, beside those of stated confidence in `simple_qa`."""


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Return the paired differences of two contenders (models or variants) on their common items.

    `a` and `b` are judgments of one task, as `with_derived_columns` returns them. In `simple_qa`
    the metrics of confidence are also compared, for each source of confidence (`stated` or
    `frequency`), except metrics of which there is a difference already.
    """
    task = str(a["task"].iloc[0])
    differences = list(contenders.differences(_contrast(task, a, b, resampling), resampling))
    if task != SIMPLE_QA:
        return differences
    compared = {difference.metric for difference in differences}
    for source in sorted(set(a["confidence_source"]) & set(b["confidence_source"])):
        contrast = contenders.confidence_contrast(
            a[a["confidence_source"] == source],
            b[b["confidence_source"] == source],
            resampling.thresholds,
            condition=Condition(confidence_source=source),
            requests=resampling.requests,
        )
        for difference in contenders.differences(contrast, resampling):
            if difference.metric not in compared:
                differences.append(difference)
    return differences


def _contrast(
    task: str, a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling
) -> contenders.Contrast:
    """Return the contrast of the metrics that both contenders have, condition by condition.

    A condition is such as a target and a format of `abstain`. Under each only items count that both
    contenders answered readably or declined.
    """
    a, b = (side[side["status"].isin(["ok", *ANSWER_STATUSES])] for side in (a, b))
    keys = [*_CONDITION_COLUMNS[task], "item"]
    a_keys, b_keys = (pd.MultiIndex.from_frame(side[keys]) for side in (a, b))
    a_common, b_common = a[a_keys.isin(b_keys)], b[b_keys.isin(a_keys)]
    units = estimate.ordered_units(a_common)
    task_statistics = _STATISTICS_BY_TASK[task]
    # By condition and metric: the statistic and its number of items.
    first = _compared_statistics(task_statistics(a_common, units, Condition(), resampling))
    second = _compared_statistics(task_statistics(b_common, units, Condition(), resampling))
    compared = {}
    for name, (statistic, items) in first.items():
        if name in second:
            other_statistic, other_items = second[name]
            compared[name] = contenders.ComparedStatistic(
                statistic, other_statistic, min(items, other_items)
            )
    clusters = estimate.clusters_of(a_common)
    return contenders.Contrast.from_statistics(compared, len(units), clusters)


def _compared_statistics(
    statistics: Iterable[Statistics],
) -> dict[contenders.ComparedName, tuple[metrics.CombinedStatistic, int]]:
    """Return each compared metric's statistic and number of items, by condition and metric.

    A group has one statistic for all of its metrics, of which each gets its column alone.
    """
    by_name = {}
    for group in statistics:
        for column, described in enumerate(group.estimates):
            if described.metric not in _COMPARED_METRICS:  # such as counts
                continue
            # Without a count of units, each judgment is an item of its own.
            items = described.n if described.unit_count is None else described.unit_count
            statistic = metrics.CombinedStatistic(
                [group.statistic], partial(_select_column, column)
            )
            by_name[Condition(described.condition), described.metric] = statistic, items
    return by_name


def _select_column(column: int, values: FloatArray) -> FloatArray:
    """Return one column of a statistic's values; one-dimensional values are the only column."""
    return values.reshape(len(values), -1)[:, column]


_CONDITION_COLUMNS: Mapping[str, Sequence[str]] = {
    ABSTAIN: ("confidence_target", "format", "confidence_asked"),
    SIMPLE_QA: ("confidence_source",),
    COMMITMENT: ("pushback",),
}
"""Columns that make the condition of a number, by task."""

_ARGUMENTS = frozenset({"dataset", "items", "split", "prompt", "system"})

DECISIONS = Study(
    name="decisions",
    title="Decisions: answering, declining and standing by an answer",
    question="Each model may decline to answer, says whether it keeps its answer or bets on it, or"
    " is contradicted and answers again.",
    tables=(
        TaskTable(
            task=ABSTAIN,
            columns=ABSTAIN_COLUMNS,
            required=("item", "confidence_target"),
            answers=(("correct",), ("answer", "target")),
            arguments_shown=_ARGUMENTS | {"targets", "format", "confidence"},
            read=read_abstain,
            varied=("confidence_target", "format"),
            further_requests=ABSTAIN_REQUESTS,
        ),
        TaskTable(
            task=SIMPLE_QA,
            columns=SIMPLE_QA_COLUMNS,
            required=("item", "confidence_source"),
            answers=(("confidence", "correct"), ("raw", "low", "high", "correct")),
            arguments_shown=_ARGUMENTS,
            read=read_simple_qa,
            varied=("confidence_source",),
            complete_confidence=stated.complete_confidence,
            ordered=(("low", "high"),),
        ),
        TaskTable(
            task=COMMITMENT,
            columns=COMMITMENT_COLUMNS,
            required=("item",),
            answers=(
                ("keep", "correct"),
                ("bet", "correct"),
                ("moved",),
                ("answer", "answer_after"),
            ),
            arguments_shown=_ARGUMENTS | {"pushback"},
            read=read_commitment,
            varied=("pushback",),
            further_requests=COMMITMENT_REQUESTS,
        ),
    ),
    contenders=(),
    summarize=summarize,
    compare=compare,
    prepared=with_derived_columns,
    views=decision_tables,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    clauses=CLAUSES,
    reference=bibtex("kalai2025hallucinate"),
)
