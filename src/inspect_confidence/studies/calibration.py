"""The metrics of stated confidence that are computed together from one count table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray, IntArray, distinct
from inspect_confidence.metrics.registry import UNREAD
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    means,
    statistics_of_tables,
    unit_indices,
)
from inspect_confidence.studies.notes import join_notes
from inspect_confidence.studies.study import Resampling


@dataclass(frozen=True)
class ConfidenceMetric:
    """One metric computed from count tables, with its options.

    Attributes:
        metric: Name in the metric registry.
        value: Count tables -> the metric's value for each table.
        condition: What tells it from other options of the same metric.
        note: Which definition was chosen.
        interval: Confidence, outcomes and units -> the interval, for metrics with a method of
            their own.
    """

    metric: str
    value: Callable[[metrics.ConfidenceTables], FloatArray]
    condition: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    interval: Callable[..., tuple[float, float]] | None = None


_GROUPING = frozenset({"brier_reliability", "brier_resolution", "meta_information"})
"""Metrics of judgments in groups of equal confidence."""

_OF_ORDER = _GROUPING | {
    "auroc", "auprc_error", "aurc", "augrc", "prr", "risk_at_coverage", "corp_discrimination",
    "corp_uncertainty", "brier_uncertainty", "meta_information_corrected",
}  # fmt: skip
"""Metrics that depend on the order of confidences alone."""
_OF_DECISIONS = {"type2_dprime", "meta_d_ideal", "type2_criterion", "m_ratio"}
"""Metrics of high and low confidence, which decisions have."""
NO_SCALE = "the scores have no scale: only their order counts"

_ENOUGH = 20
"""Judgments from which on it is no accident that most of their values differ."""


_OWN_INTERVALS: Mapping[str, Callable[..., tuple[float, float]]] = {
    "ece": metrics.ece_interval,
    "brier_uncertainty": metrics.brier_uncertainty_interval,
    "corp_uncertainty": metrics.brier_uncertainty_interval,
    "rms_calibration_error": metrics.rms_calibration_error_interval,
    "smooth_ece": metrics.smooth_ece_interval,
}


def confidence_metric(
    metric: str, condition: Mapping[str, object] | None = None, note: str = "", **options: object
) -> ConfidenceMetric:
    """Return the metric of that name in `metrics` with these options."""
    value = partial(metrics.TABLE_FUNCTIONS[metric], **options)
    interval = partial(_OWN_INTERVALS[metric], **options) if metric in _OWN_INTERVALS else None
    return ConfidenceMetric(metric, value, condition or {}, note, interval)


DEFAULT_STEP = 0.01
"""Step of probabilities and of confidence whose scale is unknown: two digits, or percent."""


def _scale_step(rows: pd.DataFrame) -> float:
    """Return the step of the scale of whole numbers that all rows share."""
    if "low" not in rows or "high" not in rows:
        return DEFAULT_STEP
    widths = (rows["high"] - rows["low"]).dropna().unique()
    if len(widths) != 1 or not widths[0] > 1:
        return DEFAULT_STEP
    return 1 / float(widths[0])


def log_score_metric(step: float) -> ConfidenceMetric:
    """Return the logarithmic score of confidence on a scale with that step."""
    note = f"0 and 1 count as {step / 2:.3g} and {1 - step / 2:.3g}"
    return confidence_metric("log_score", note=note, step=step)


@dataclass(frozen=True)
class Answers:
    """Judgments of one condition as arrays, one entry a judgment.

    Attributes:
        unit: The index of the judgment's resampled unit, of `units` in all.
        units: How many units there are.
        confidence: Confidence in [0, 1]; NaN where there is none that counts.
        correct: 1, 0 or a probability; NaN where no answer was read.
        item: The index of the judgment's item, which may differ from its unit.
        choices: How many choices all items have; None where they differ or have none.
        step: Smallest step of the confidence scale as a share of its width: 1/20 on 0-20; .01 for
            probabilities and without a scale.
        order_only: Whether only the order of the confidences counts.
        are_chances: Whether outcomes between 0 and 1 are chances that the answer is right, not
            credits: their Brier score is the expected one.
    """

    unit: IntArray
    units: int
    confidence: FloatArray
    correct: FloatArray
    item: IntArray
    choices: int | None
    step: float = DEFAULT_STEP
    order_only: bool = False
    are_chances: bool = False

    @classmethod
    def from_frame(
        cls,
        rows: pd.DataFrame,
        units: pd.Index,
        *,
        order_only: bool = False,
        are_chances: bool = False,
    ) -> "Answers":
        """Take the judgments of a frame; `units` are in the order of the weights."""
        choices = rows["choices"].unique()
        have_same_choices = len(choices) == 1 and choices[0] >= 2
        return cls(
            unit_indices(rows, units),
            len(units),
            rows["confidence"].to_numpy(float),
            rows["correct"].to_numpy(float),
            pd.factorize(rows["item"])[0],
            int(choices[0]) if have_same_choices else None,
            _scale_step(rows),
            order_only=order_only,
            are_chances=are_chances,
        )

    def needs_scale(self, metric: ConfidenceMetric) -> bool:
        """Return whether the metric needs confidences in [0, 1] and these have only an order."""
        if not self.order_only or metric.metric in _OF_ORDER:
            return False
        is_decision = bool(np.isin(self.confidence[~np.isnan(self.confidence)], (0, 1)).all())
        return not (is_decision and metric.metric in _OF_DECISIONS)

    def interval(self, metric: ConfidenceMetric) -> tuple[float, float] | None:
        """Return the interval by the metric's own method; None if it has no such method."""
        if metric.interval is None or self.needs_scale(metric):
            return None
        return metric.interval(self.confidence, self.correct, self.unit)

    @cached_property
    def grouping_problem(self) -> str:
        """Reason why groups of equal confidence are no information; empty if they are.

        Most groups may have one judgment only: with token probabilities each outcome would be a
        group of its own, and resolution would equal uncertainty. Judgments of one item with equal
        confidence count once, because asking again adds nothing.
        """
        readable = ~np.isnan(self.confidence + self.correct)
        rounded = np.round(self.confidence[readable], 12)
        values, value = np.unique(rounded, return_inverse=True)
        judgments = len(pd.unique(self.item[readable] * len(values) + value))
        if judgments < _ENOUGH or 2 * len(values) <= judgments:
            return ""
        return (
            f"{len(values)} different confidences in {judgments} judgments: few are equal to group"
        )

    def value_function(
        self, metric: ConfidenceMetric
    ) -> Callable[[metrics.ConfidenceTables], FloatArray]:
        """Return the function that computes the metric from tables of these judgments."""
        if self.needs_scale(metric):
            return _undefined
        if metric.metric not in _GROUPING:
            return metric.value
        if self.grouping_problem:
            return _undefined
        # Resampling coarser groups doesn't tell how biased the value is.
        return lambda tables: (_undefined if tables.coarse else metric.value)(tables)

    def cells(self) -> metrics.ItemTables:
        """Return the count tables by item of judgments with both confidence and correctness."""
        return metrics.ItemTables.from_judgments(
            self.confidence,
            self.correct,
            self.unit,
            self.units,
            are_chances=self.are_chances,
        )


MEAN_METRICS = (confidence_metric("accuracy"), confidence_metric("mean_confidence"))
COMPARED_METRICS = (
    confidence_metric("overconfidence"),
    confidence_metric("ece", note="10 bins of equal width"),
    *map(confidence_metric, ("brier", "auroc", "meta_information")),
)
"""Metrics that are also compared between contenders."""

OWN_TOP = "10 bins of equal width below 1, an eleventh for 1"
DETAIL_METRICS = (
    confidence_metric("ece", {"bins": 15}, "15 bins of equal width", bins=15),
    confidence_metric("ece", {"bins": 20}, "20 bins of equal width", bins=20),
    confidence_metric("ece", {"bins": 11}, OWN_TOP, binning="own_top"),
    confidence_metric(
        "ece", {"binning": "equal_mass"}, "10 bins of equal mass asked for", binning="equal_mass"
    ),
    *map(confidence_metric, ("brier_reliability", "brier_resolution", "brier_uncertainty")),
    *map(confidence_metric, ("auprc_error", "aurc")),
)

CALIBRATION_METRICS: tuple[ConfidenceMetric, ...] = (
    confidence_metric("rms_calibration_error", note="10 bins of equal width"),
    confidence_metric("hle_calibration_error"),
    confidence_metric("hle_calibration_error", {"top_bin": "dropped"}, top_bin="dropped"),
    confidence_metric("smooth_ece"),
    *map(confidence_metric, ("corp_miscalibration", "corp_discrimination", "corp_uncertainty")),
    confidence_metric("brier_skill"),
    log_score_metric(DEFAULT_STEP),
)
SELECTION_METRICS: tuple[ConfidenceMetric, ...] = (
    *map(confidence_metric, ("augrc", "prr")),
    *(
        confidence_metric("risk_at_coverage", {"coverage": share}, coverage=share)
        for share in (0.5, 0.8)
    ),
)
EXTRA_METRICS = (
    *CALIBRATION_METRICS,
    *SELECTION_METRICS,
    confidence_metric("meta_information_corrected"),
)
"""Metrics of the field that no study prints: estimators, tests and decisions."""

TEST_DRAWS = 2_000
"""Most draws of the test of calibration."""

TYPE1 = "m_afc"
"""The type-1 model of M-ratio at a threshold."""


_NO_CHOICES = "items have no choices, or different numbers of them"


def _undefined(tables: metrics.ConfidenceTables) -> FloatArray:
    return np.full(len(tables.right), np.nan)


def utility_metrics(costs: metrics.Costs | None) -> list[ConfidenceMetric]:
    """Return the metrics of the utility of answering always and as confidence advises."""
    if costs is None:
        return []
    condition = {"costs": str(costs)}
    advised = costs.indifferent
    return [
        confidence_metric(
            "expected_utility",
            {**condition, "answered_from": name},
            note,
            costs=costs,
            threshold=threshold,
        )
        for threshold, name, note in (
            (0.0, "0", "answered always"),
            (advised, f"{advised:.3g}", "as confidence advises"),
        )
    ]


def threshold_metrics(threshold: float, choices: int | None) -> list[ConfidenceMetric]:
    """Return type-2 sensitivity at a threshold, the criterion, and M-ratio.

    The type-1 model of M-ratio is `m_afc`, which equals `two_z` and `two_afc` for two choices. If
    the number of choices is unknown, M-ratio is undefined, under the same name.
    """
    condition = {"threshold": threshold}
    sensitivity = [
        confidence_metric(name, condition, threshold=threshold)
        for name in ("type2_dprime", "meta_d_ideal", "type2_criterion")
    ]
    ratio_condition = {**condition, "type1": TYPE1}
    if choices is None:
        ratio = ConfidenceMetric("m_ratio", _undefined, ratio_condition, _NO_CHOICES)
    else:
        options: dict[str, Any] = {"type1": TYPE1, "alternatives": choices, "threshold": threshold}
        ratio = confidence_metric("m_ratio", ratio_condition, **options)
    return [*sensitivity, ratio]


def confidence_statistics(
    answers: Answers, condition: Mapping[str, object], note: str, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield accuracy, mean confidence, and all metrics that follow from the table of both.

    `resampling` holds thresholds and costs. The test of calibration draws as often as there are
    resamples, at most.
    """
    # Accuracy counts answers without a usable confidence too, so it isn't the table's.
    columns = {"accuracy": answers.correct}
    if not answers.order_only:
        columns["mean_confidence"] = answers.confidence
    yield means(condition, columns, answers.unit, answers.units, note)
    compared = [*COMPARED_METRICS, *DETAIL_METRICS]
    for metric in EXTRA_METRICS:
        is_log_score = metric.metric == "log_score"
        compared.append(log_score_metric(answers.step) if is_log_score else metric)
    for threshold in resampling.thresholds:
        compared += threshold_metrics(threshold, answers.choices)
    compared += utility_metrics(resampling.costs)
    if answers.order_only:
        compared.append(confidence_metric("mean_confidence"))
    yield table_statistics(answers, compared, condition, note, resampling)
    if not answers.order_only:
        yield from item_statistics(answers, condition, note, resampling)


def item_statistics(
    answers: Answers, condition: Mapping[str, object], note: str, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the metrics that need each judgment's item, which count tables do not contain."""
    if not resampling.asks_for_any(("debiased_squared_error", "calibration_p")):
        return
    arrays = answers.confidence, answers.correct, answers.unit
    readable = ~np.isnan(answers.confidence + answers.correct)
    n, items = int(readable.sum()), distinct(answers.unit[readable])
    squared_error = Estimate(
        condition,
        "debiased_squared_error",
        n,
        note,
        metrics.debiased_squared_error_interval(*arrays),
        n_asked=len(answers.unit),
        units=items,
        no_interval_reason="too few items of each confidence",
    )
    test = replace(squared_error, metric="calibration_p", interval=None, no_interval_reason="")
    p = metrics.calibration_p(*arrays, draws=min(resampling.resamples, TEST_DRAWS))
    values = metrics.debiased_squared_error(*arrays), p
    yield Statistics([squared_error, test], lambda weights: np.tile(values, (len(weights), 1)))


def table_statistics(
    answers: Answers,
    confidence_metrics: Sequence[ConfidenceMetric],
    condition: Mapping[str, object],
    note: str,
    resampling: Resampling | None = None,
) -> Statistics:
    """Return the metrics of one count table, each with its definition and remarks as a note.

    Metrics that `resampling` does not ask for are left out.
    """
    cells = answers.cells()
    tables = cells.tables(np.ones((1, answers.units)))
    readable = ~np.isnan(answers.confidence + answers.correct)
    n, items = int(readable.sum()), distinct(answers.unit[readable])
    is_coarse = cells.coarser is not None
    steps = f"confidence in steps of 1/{metrics.STEPS} there" if is_coarse else ""
    estimates, functions = [], []
    for metric in confidence_metrics:
        if resampling is not None and not resampling.asks_for(metric.metric):
            continue
        notes, undefined_reason = _remarks(answers, metric, tables)
        is_unresampled = is_coarse and metric.metric in _GROUPING
        estimate = Estimate(
            {**condition, **metric.condition},
            metric.metric,
            n,
            join_notes(*notes, note),
            answers.interval(metric),
            undefined_reason,
            n_asked=len(answers.unit),
            units=items,
            no_interval_reason="too many confidences to resample" if is_unresampled else "",
            resampling_note=steps,
        )
        estimates.append(estimate)
        functions.append(answers.value_function(metric))
    return statistics_of_tables(estimates, cells.table_statistic, functions)


def _remarks(
    answers: Answers, metric: ConfidenceMetric, tables: metrics.ConfidenceTables
) -> tuple[list[str], str]:
    """Return the parts of a metric's note, and why it is undefined if it is."""
    if answers.needs_scale(metric) or metric.value is _undefined:
        return [], NO_SCALE if answers.needs_scale(metric) else metric.note
    if "threshold" in metric.condition:
        remark = metrics.type2_remark(tables, float(str(metric.condition["threshold"])))
        if np.isnan(metric.value(tables)[0]):
            return [], metric.note or remark
        return [metric.note, remark], ""
    if metric.metric in _GROUPING:
        return [metric.note], answers.grouping_problem or UNREAD
    if "binning" in metric.condition:
        confidence = answers.confidence[~np.isnan(answers.correct)]
        bins = metrics.bin_count(confidence, binning="equal_mass")
        return [f"{metric.note}, {bins} used"], ""
    return [metric.note], ""


def two_choice_sensitivity(
    answers: Answers, stimulus: IntArray, condition: Mapping[str, object], note: str
) -> Statistics:
    """Return meta-d' over all ratings, and its M-ratio, where every item has two choices.

    `stimulus` is 0 or 1: which choice is right. The response is that choice if the answer is right,
    the other one if it is wrong.
    """
    readable = ~np.isnan(answers.confidence + answers.correct)
    correct, side, unit = answers.correct[readable], stimulus[readable], answers.unit[readable]
    # Equal but for rounding is one rating.
    values, rating = np.unique(np.round(answers.confidence[readable], 12), return_inverse=True)
    k = len(values)
    # Maniscalco and Lau's order: surest first choice ... surest second choice.
    response = np.where(correct == 1, side, 1 - side)
    column = np.where(response == 0, k - 1 - rating, k + rating)
    items = len(np.unique(unit))
    share = items / max(len(unit), 1)
    counts = np.zeros((answers.units, 4 * k))
    np.add.at(counts, (unit, 2 * k * side + column), share)
    padding = 1 / (2 * k) if k else 0.0
    reason = _two_choice_problem(k, correct)
    is_fitted = not reason
    if is_fitted:
        table = counts.sum(axis=0)
        reason = str(metrics.meta_d(table[: 2 * k], table[2 * k :], padding=padding).reason)

    def values_of(table: FloatArray) -> FloatArray:
        if not is_fitted:
            return np.full((len(table), 2), np.nan)
        fit = metrics.meta_d(table[:, : 2 * k], table[:, 2 * k :], padding=padding)
        return np.column_stack([fit.meta_d, fit.m_ratio])

    meta_d = Estimate(
        condition,
        "meta_d",
        len(unit),
        join_notes(f"{k} ratings, {padding:.3g} added to each cell", note),
        undefined_reason=reason,
        n_asked=len(readable),
        units=items,
    )
    m_ratio = replace(meta_d, metric="m_ratio", condition={**condition, "type1": "sdt"})
    return Statistics([meta_d, m_ratio], metrics.SumStatistic(counts, values_of))


def _two_choice_problem(ratings: int, correct: FloatArray) -> str:
    if not np.isin(correct, (0, 1)).all():
        return "outcomes are not all right or wrong"
    if ratings == 0:
        return "no judgment"
    return "every judgment has the same confidence" if ratings == 1 else ""
