"""Statistics of judgments of LifeEval and of question sets.

One model's metrics, the hard-easy slope, means over groups of models, and comparisons: of two
contenders, and of stated confidence with that of the answer's token.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.arguments import user_path
from inspect_confidence.datasets.records import read_records
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import calibration, compare, estimate
from inspect_confidence.studies.calibration import Answers, ConfidenceMetric
from inspect_confidence.studies.compare import Contrast
from inspect_confidence.studies.estimate import (
    Estimate,
    ResampledEstimates,
    Statistics,
    unit_indices,
)
from inspect_confidence.studies.life_eval.columns import STATED, TOKEN
from inspect_confidence.studies.life_eval.judgments import CLUSTERS, ages_of
from inspect_confidence.studies.notes import (
    describe_counts,
    describe_left_out,
    join_notes,
    unread_flags,
)
from inspect_confidence.studies.study import Difference, Resampling, option


def read_groups(name: str, value: object) -> dict[str, str]:
    """Read the group of each model from a csv or jsonl file with `model` and `group`.

    Raises:
        InvalidArgument: The file can't be used, or gives a model two groups.
    """
    path = user_path(name, value)
    groups: dict[str, str] = {}
    for row in read_records(path, ["model", "group"]):
        model, group = str(row["model"]), str(row["group"])
        if groups.setdefault(model, group) != group:
            raise InvalidArgument(f"{path.name}: {model} is in {groups[model]} and in {group}.")
    return groups


@dataclass(frozen=True)
class LifeOptions:
    """Options of LifeEval and the question sets.

    Attributes:
        groups: The group of each model, for means over models, from a csv or jsonl file with
            `model` and `group`; all are one group if None.
    """

    groups: Mapping[str, str] | None = option(None, read_groups)


_DECADE = 10
_PUBLISHED = "10 bins (k/10, (k+1)/10], a confidence of 0 in none of them, as published"


def compared_metrics(convention: str | None) -> list[ConfidenceMetric]:
    """Return the compared metrics, with ECE as the convention defines it."""
    published = convention == "authors"
    note, binning = (_PUBLISHED, "right_closed") if published else (calibration.OWN_TOP, "own_top")
    ece = calibration.confidence_metric("ece", note=note, binning=binning)
    return [ece if metric.metric == "ece" else metric for metric in calibration.COMPARED_METRICS]


def judgment_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield all statistics of judgments of LifeEval or of a question set, from one source.

    `rows` are completed, of question sets graded; `resampling` holds convention and thresholds.
    """
    for statistics in _estimated(rows, units, condition, resampling):
        yield with_changes(statistics, n_asked=len(rows))


_OF_CASES = ("hle_calibration_error", "corp_uncertainty", "brier_skill", "log_score", "prr")

KNOWN = tuple(
    metric
    for metric in (*calibration.CALIBRATION_METRICS, *calibration.SELECTION_METRICS)
    if metric.metric not in _OF_CASES
)
"""Extra metrics of LifeEval, whose outcomes are probabilities.

They are means of outcomes, or of errors in which the chance of single cases cancels, so that
probabilities stand for outcomes by expectation. Metrics that need the outcome of single cases are
left out: `brier_skill`, `corp_uncertainty`, `log_score`, `prr` and information describe their
chance. The calibration test and noise corrections have no outcomes to
draw or to correct. Bins of a hundred items are of no use where a decade counts as one.
"""


def extra_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the extra metrics that are defined for the outcomes of these judgments.

    Type-2 metrics are undefined for given answers, because the confidence is itself the judgment.
    """
    for statistics in _extra(rows, units, condition, resampling):
        yield with_changes(statistics, n_asked=len(rows))


def _extra(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    answers = answers_of(counted(rows), units)
    costs = calibration.utility_metrics(resampling.costs)
    note = describe_counts(rows, ~np.isnan(answers.confidence + answers.correct))
    if "radius" in rows:
        yield calibration.table_statistics(answers, [*KNOWN, *costs], condition, note, resampling)
        return
    extra = [*calibration.CALIBRATION_METRICS, *calibration.SELECTION_METRICS]
    if _has_own_answers(rows):
        extra = list(calibration.EXTRA_METRICS)
    yield calibration.table_statistics(answers, [*extra, *costs], condition, note, resampling)
    yield from calibration.item_statistics(answers, condition, note, resampling)


def answers_of(rows: pd.DataFrame, units: pd.Index) -> Answers:
    """Return judgments whose outcomes are chances of being right.

    LifeEval's are probabilities of a life table; where several options of a question set are
    equally probable, an answer is right with the chance of a draw among them.
    """
    return Answers.from_frame(rows, units, are_chances=True)


def _has_own_answers(rows: pd.DataFrame) -> bool:
    """Return whether answers of question sets are the model's own.

    Confidence in given answers is itself the judgment, so that type-2 metrics are undefined for it.
    """
    return bool((rows["kind"] != "given").all())


def _estimated(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    answers, is_life_eval = answers_of(counted(rows), units), "radius" in rows
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    if is_life_eval:
        mas = rows["mas"].to_numpy(float)
        columns |= {"maximum_achievable_score": mas, "optimal_answer_gap": mas - answers.correct}
    note_of_values = _left_out_of(rows)
    yield estimate.means(condition, columns, answers.unit_index, answers.unit_count, note_of_values)
    readable = ~np.isnan(answers.confidence + answers.correct)
    note, compared = describe_counts(rows, readable), compared_metrics(resampling.convention)
    if not is_life_eval and _has_own_answers(rows):
        for threshold in resampling.thresholds:
            compared += calibration.threshold_metrics(threshold, answers.choices)
    readable_units = len(np.unique(answers.unit_index[readable]))
    tables = calibration.table_statistics(answers, compared, condition, note, resampling)
    yield with_changes(tables, unit_count=readable_units)
    if is_life_eval:
        correlation = metrics.correlation_of(
            answers.confidence, answers.correct, answers.unit_index, answers.unit_count
        )
        metric, n = "confidence_truth_correlation", int(readable.sum())
        number = Estimate(condition, metric, n, note, unit_count=readable_units)
        yield Statistics([number], correlation)
    elif (rows["kind"] == "true_false").all() and rows["target"].isin(("True", "False")).all():
        stimulus = np.where(rows["target"] == "True", 0, 1)
        yield calibration.two_choice_sensitivity(answers, stimulus, condition, note)
    yield rounding(rows, answers, condition, resampling.convention)
    yield failures(rows, answers, condition)
    yield estimate.judgment_count(condition, len(rows), describe_left_out(rows["status"]))


def rounding(
    rows: pd.DataFrame,
    answers: Answers,
    condition: Condition,
    convention: str | None,
    note: str = "",
) -> Statistics:
    """Return the share of confidences that are multiples of 5%."""
    rounded, rule = rounded_by(100 * answers.confidence, convention)
    full_note = join_notes(rule, note, describe_counts(rows, ~np.isnan(rounded)))
    share = estimate.means(
        condition, {"round_rate": rounded}, answers.unit_index, answers.unit_count, full_note
    )
    if (estimate.unit_names(rows) == rows["item"]).all():
        return share
    # Wilson's interval takes a unit for one judgment, or several of the same question; a decade is
    # many.
    rule_of_clusters = metrics.METRICS["round_rate"].interval.over(CLUSTERS)
    units = share.estimates[0].unit_count or 0
    reason = metrics.too_few(rule_of_clusters, units)
    return with_changes(share, interval=None, no_interval_reason=reason)


def failures(rows: pd.DataFrame, answers: Answers, condition: Condition) -> Statistics:
    """Return the share of unreadable replies; its interval is over items also in LifeEval."""
    failed = unread_flags(rows["status"])
    columns = {"format_failure_rate": failed}
    share = estimate.means(
        condition, columns, answers.unit_index, answers.unit_count, estimate.flag_count_note
    )
    item, items = pd.factorize(rows["item"])
    interval = estimate.wilson_interval(failed, item.astype(np.int64), len(items))
    return with_changes(share, interval=interval, unit_count=len(items))


def with_changes(statistics: Statistics, **changes: Any) -> Statistics:
    """Return the statistics with these fields of all estimates changed."""
    estimates = [replace(described, **changes) for described in statistics.estimates]
    return replace(statistics, estimates=estimates)


def rounded_by(percent: FloatArray, convention: str | None) -> tuple[FloatArray, str]:
    """Return which confidences are multiples of 5%, and the rule."""
    if convention == "authors":
        rounded, rule = percent % 5 == 0, "floats that 5 divides exactly, as published"
    else:
        rounded = np.isclose(percent, 5 * np.round(percent / 5), rtol=0, atol=1e-6)
        rule = "within 1e-6 of a multiple of 5%"
    return np.where(np.isnan(percent), np.nan, rounded), rule


def by_decade(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Iterator[Statistics]:
    """Yield mean answer and mean best answer in each decade of age: the best-age curve."""
    for decade, group in rows.groupby(decades(rows), sort=True):
        where = condition.but(age=f"{int(decade)}-{int(decade) + _DECADE - 1}")
        answer = group["answer"].where(group["score"].notna())
        columns = {"mean_answer": answer, "mean_best_answer": group["best_answer"]}
        unit = unit_indices(group, units)
        yield estimate.means(where, columns, unit, len(units), _left_out_of(group))


def _left_out_of(rows: pd.DataFrame) -> Callable[[FloatArray], str]:
    """Return a function that writes the note on judgments without a value."""
    return lambda values: describe_counts(rows, ~np.isnan(values))


def decades(rows: pd.DataFrame) -> pd.Series:
    """Return the first year of each judgment's decade of age."""
    return (rows["age"] // _DECADE * _DECADE).astype(float)


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with the columns that `Answers` takes, the outcome in `correct`.

    A confidence counts only if the reply was read.
    """
    confidence = rows["confidence"].where(rows["status"] == "ok")
    if "radius" not in rows:
        return rows.assign(confidence=confidence)
    return rows.assign(confidence=confidence, correct=rows["score"], choices=np.nan)


def slope(rows: pd.DataFrame, units: pd.Index, condition: Condition) -> Statistics:
    """Return the hard-easy slope of readable judgments."""
    readable = counted(rows)
    excess = readable["confidence"] - readable["correct"]
    line = metrics.hard_easy_slope(excess, 1 - rows["mas"])
    present = (excess - rows["mas"]).notna()
    described = Estimate(
        condition,
        "hard_easy_slope",
        line.judgments,
        join_notes(f"intercept {line.intercept:z.4f}", describe_counts(rows, present)),
        n_asked=len(rows),
        unit_count=estimate.unit_names(rows)[present].nunique(),
    )
    unit = unit_indices(rows, units)[present]
    return Statistics([described], _slope(readable[present], unit, len(units)))


EVERY_MODEL = "all models"
"""The group of all models, if no groups are given."""


def groups_of(
    models: Sequence[str], group_by_model: Mapping[str, str] | None
) -> dict[str, list[str]]:
    """Return the models of each group; without groups all models, if there are several.

    Raises:
        InvalidArgument: A model has no group.
    """
    if group_by_model is None:
        return {EVERY_MODEL: list(models)} if len(models) > 1 else {}
    groups: dict[str, list[str]] = {}
    for model in models:
        if model not in group_by_model:
            raise InvalidArgument(
                f"groups: there is no group for {model}; add a line for it, or leave its logs out."
            )
        groups.setdefault(group_by_model[model], []).append(model)
    return groups


_WITHOUT_MEAN = ("n", "mean_answer", "mean_best_answer")
"""Metrics without a mean over models."""


def group_mean(by_model: Mapping[str, ResampledEstimates], shared: str) -> ResampledEstimates:
    """Return the unweighted mean over models of the estimates that all models have.

    Args:
        by_model: Estimates of each model.
        shared: How many items all models have, for the notes.
    """
    mean = estimate.average_estimates(by_model, _WITHOUT_MEAN, independent=False)
    estimates = [
        replace(described, note=join_notes(described.note, shared)) for described in mean.estimates
    ]
    return replace(mean, estimates=estimates)


def shared_items(rows: pd.DataFrame, models: Sequence[str]) -> str:
    """Return a note on the number of items that all models have; empty if all items are shared."""
    items = [set(rows.loc[rows["model"] == model, "item"]) for model in models]
    union, common = set.union(*items), set.intersection(*items)
    if len(common) == len(union):
        return ""
    if not common:
        return f"models have none of {len(union)} items in common"
    return f"all models have {len(common)} of {len(union)} items in common"


def compare_contenders(
    a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling
) -> list[Difference]:
    """Return the differences of completed judgments on the items that both answered."""
    sides = [counted(a), counted(b)]
    if "radius" not in a:
        thresholds = () if (a["kind"] == "given").any() else resampling.thresholds
        return compare.differences(_contrast(sides, resampling, thresholds), resampling)
    differences = compare.differences(_contrast(sides, resampling), resampling)
    for radius in sorted(set(a["radius"]) & set(b["radius"])):
        at_radius = [side[side["radius"] == radius] for side in sides]
        contrast = _contrast(at_radius, resampling, condition=Condition(radius=radius))
        differences += compare.differences(contrast, resampling)
    return differences + compare.differences(_slopes(sides), resampling)


def _contrast(
    sides: Sequence[pd.DataFrame],
    resampling: Resampling,
    thresholds: Sequence[float] = (),
    condition: Condition = Condition(),  # noqa: B008 # it is frozen
) -> Contrast:
    """Return the contrast on common readable judgments: the same answers to the same items."""
    keys, readable = [], []
    for side in sides:
        given_answer = side.get("given", side["item"])
        keys.append(pd.MultiIndex.from_arrays([side["item"], given_answer]))
        readable.append((side["confidence"] + side["correct"]).notna().to_numpy())
    shared = keys[0][readable[0]].intersection(keys[1][readable[1]])
    first = sides[0][keys[0].isin(shared) & readable[0]]
    return compare.confidence_contrast(
        first,
        sides[1][keys[1].isin(shared) & readable[1]],
        thresholds,
        compared_metrics(resampling.convention),
        condition,
        ages_of(first) if "radius" in first else None,
        are_chances=True,
    )


def _slopes(sides: Sequence[pd.DataFrame]) -> Contrast:
    """Return the contrast of hard-easy slopes."""
    readable = [side.dropna(subset=["confidence", "correct", "mas"]) for side in sides]
    items, common = compare.restrict_to_common_items(readable)
    units = estimate.ordered_units(common[0])
    first, second = (_slope(side, unit_indices(side, units), len(units)) for side in common)
    name = (Condition(), "hard_easy_slope")
    return Contrast([name], [len(items)], len(units), first, second, clusters=ages_of(common[0]))


def _slope(rows: pd.DataFrame, unit: IntArray, units: int) -> metrics.Statistic:
    """Return the least-squares slope as a statistic, of shape (resamples, 1)."""

    def slope_of_sums(totals: FloatArray) -> FloatArray:
        n, x, y, xx, xy = totals.T
        variation = n * xx - x * x
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = np.where(variation > 1e-12, (n * xy - x * y) / variation, np.nan)
        return np.asarray(slopes[:, None])

    return metrics.SumStatistic(_moments(rows, unit, units), slope_of_sums)


def _moments(rows: pd.DataFrame, unit: IntArray, units: int) -> FloatArray:
    """Return by unit the number of judgments, and the sums of x, y, xx and xy."""
    x = 1 - rows["mas"].to_numpy(float)
    y = (rows["confidence"] - rows["correct"]).to_numpy(float)
    sums = np.zeros((units, 5))
    np.add.at(sums, unit, np.column_stack([np.ones_like(x), x, y, x * x, x * y]))
    return sums


def stated_against_token(
    rows: pd.DataFrame, key: Key, condition: Condition, resampling: Resampling
) -> Iterator[Result]:
    """Yield the differences of stated and token confidence, on the items that have both."""
    sides = [counted(rows[rows["source"] == source]) for source in (STATED, TOKEN)]
    contrast = _contrast(sides, resampling)
    if not contrast.unit_count:
        return
    resampled = compare.resample_contrast(contrast, resampling, 0)
    for column, (_, metric) in enumerate(resampled.names):
        metric_condition = condition.but(of=metric, versus=TOKEN)
        yield from compare.difference_results(resampled, column, key, metric_condition)
