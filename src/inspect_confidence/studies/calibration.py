"""The metrics of stated confidence that are computed together from one count table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    count_distinct,
    count_flags,
    count_units,
    unit_sizes,
)
from inspect_confidence.metrics.calibration import MOST_GROUPS, bins_of_values
from inspect_confidence.metrics.registry import UNREAD
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    constant_statistic,
    means,
    statistics_of_tables,
    unit_indices,
)
from inspect_confidence.studies.notes import describe_partial_grades, join_notes, judgment_counts
from inspect_confidence.studies.study import Resampling


@dataclass(frozen=True)
class ConfidenceMetric:
    """A metric computed from count tables, with its options.

    Attributes:
        metric: Name in the metric registry.
        value: Count tables -> the metric's value for each table.
        condition: Parts of the condition that tell these options from others of the metric.
        note: Note on the chosen definition.
        interval: Confidence, outcomes and unit of each judgment -> the 95% interval; None if the
            metric has no interval method of its own.
    """

    metric: str
    value: Callable[[metrics.ConfidenceTables], FloatArray]
    condition: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    interval: Callable[..., tuple[float, float]] | None = None


_GROUPING_METRICS = frozenset({"brier_reliability", "brier_resolution", "meta_information"})
"""Metrics that compare groups of judgments with equal confidence."""

_ORDER_METRICS = _GROUPING_METRICS | {
    "auroc", "auprc_error", "aurc", "augrc", "prr", "risk_at_coverage", "corp_discrimination",
    "corp_uncertainty", "brier_uncertainty", "meta_information_corrected",
}  # fmt: skip
"""Metrics that depend on the order of confidences alone."""

_DECISION_METRICS = {"type2_dprime", "meta_d_ideal", "type2_criterion", "m_ratio"}
"""Metrics of high and low confidence: they are defined for decisions, whose scores are 0 and 1."""

NO_SCALE = "the scores have no scale: only their order counts"

_MIN_JUDGMENTS = 20
"""Judgments from which on it is no accident that most of their confidences differ."""

_INTERVAL_FUNCTIONS: Mapping[str, Callable[..., tuple[float, float]]] = {
    "ece": metrics.ece_interval,
    "brier_uncertainty": metrics.brier_uncertainty_interval,
    "corp_uncertainty": metrics.brier_uncertainty_interval,
    "rms_calibration_error": metrics.rms_calibration_error_interval,
    "smooth_ece": metrics.smooth_ece_interval,
}
"""Functions that compute the interval of a metric without resamples, by metric."""


def confidence_metric(
    metric: str, condition: Mapping[str, object] | None = None, note: str = "", **options: object
) -> ConfidenceMetric:
    """Return a metric whose function in `metrics` gets `options` as arguments.

    `condition` and `note` tell these options from others in the results. The metric's own interval
    method, if there is one, gets the options too.
    """
    value = partial(metrics.TABLE_FUNCTIONS[metric], **options)
    interval = (
        partial(_INTERVAL_FUNCTIONS[metric], **options) if metric in _INTERVAL_FUNCTIONS else None
    )
    return ConfidenceMetric(metric, value, condition or {}, note, interval)


DEFAULT_STEP = 0.01
"""Step of confidence that is a probability or has no known scale: a whole percent."""


def _scale_step(rows: pd.DataFrame) -> float:
    """Return the step of the rows' scale of whole numbers, as a share of its width.

    It is 0.01 if rows have no scale, or different widths, or a width of at most 1, on which
    confidence is no whole number.
    """
    if "low" not in rows or "high" not in rows:
        return DEFAULT_STEP
    widths = (rows["high"] - rows["low"]).dropna().unique()
    if len(widths) != 1 or not widths[0] > 1:
        return DEFAULT_STEP
    return 1 / float(widths[0])


def log_score_metric(step: float) -> ConfidenceMetric:
    """Return the logarithmic score of confidence on a scale with this step.

    A confidence of 0 or 1, whose score may be infinite, counts as half a step inside the scale.
    """
    note = f"0 and 1 count as {step / 2:.3g} and {1 - step / 2:.3g}"
    return confidence_metric("log_score", note=note, step=step)


@dataclass(frozen=True)
class Answers:
    """Judgments of one condition as arrays, one entry a judgment.

    Attributes:
        unit_index: Position of the judgment's resampled unit: its item, or its cluster.
        unit_count: How many units there are.
        confidence: Confidence in [0, 1]; NaN where there is none that counts.
        correct: 1, 0 or a probability; NaN where no answer was read.
        item: The index of the judgment's item, which may differ from its unit.
        choices: How many choices all items have; None where they differ or have none.
        step: Smallest step of the confidence scale as a share of its width: 1/20 on 0-20; .01 for
            probabilities and without a scale.
        order_only: Whether only the order of the confidences counts.
        are_chances: Whether outcomes between 0 and 1 are chances that the answer is right, not
            credits: their Brier score is the expected one.
        counts: How many equal judgments each stands for, as `judgment_counts` returns them.
    """

    unit_index: IntArray
    unit_count: int
    confidence: FloatArray
    correct: FloatArray
    item: IntArray
    choices: int | None
    step: float = DEFAULT_STEP
    order_only: bool = False
    are_chances: bool = False
    counts: IntArray | None = None

    @classmethod
    def from_frame(
        cls,
        rows: pd.DataFrame,
        units: pd.Index,
        *,
        order_only: bool = False,
        are_chances: bool = False,
    ) -> "Answers":
        """Return the judgments of a frame with `confidence`, `correct`, `choices` and `item`.

        `choices` is the number of options of an item; the result's is None if it differs by item.
        `units` are the names of all resampled items, or of their clusters, in the order of their
        weights. `low` and `high` give the scale's step if the frame has them. `order_only` says
        that confidence has no scale, `are_chances` that outcomes between 0 and 1 are chances of
        being right, not credits.
        """
        choices = rows["choices"].unique()
        # Items without choices have NaN, which isn't at least 2 and so gives None, too.
        have_same_choices = len(choices) == 1 and choices[0] >= 2
        return cls(
            unit_index=unit_indices(rows, units),
            unit_count=len(units),
            confidence=rows["confidence"].to_numpy(float),
            correct=rows["correct"].to_numpy(float),
            item=pd.factorize(rows["item"])[0],
            choices=int(choices[0]) if have_same_choices else None,
            step=_scale_step(rows),
            order_only=order_only,
            are_chances=are_chances,
            counts=judgment_counts(rows),
        )

    @property
    def n_asked(self) -> int:
        """Number of all judgments, readable or not."""
        return count_flags(np.ones(len(self.correct), bool), self.counts)

    @cached_property
    def readable(self) -> BoolArray:
        """Which judgments have both confidence and correctness."""
        return ~np.isnan(self.confidence + self.correct)

    @property
    def n_readable(self) -> int:
        """Number of judgments with both confidence and correctness."""
        return count_flags(self.readable, self.counts)

    @property
    def right_share(self) -> float:
        """Mean outcome (share of right answers) of readable judgments; 0 without any."""
        counts = 1 if self.counts is None else self.counts
        return float((self.correct * counts)[self.readable].sum()) / max(self.n_readable, 1)

    @property
    def readable_units(self) -> int:
        """Number of units with a readable judgment."""
        counts = None if self.counts is None else self.counts[self.readable]
        return count_units(self.unit_index[self.readable], counts)

    def needs_scale(self, metric: ConfidenceMetric) -> bool:
        """Return whether the metric is undefined because confidence has no scale, only an order.

        Without a scale two kinds of metrics are defined: those of the order, such as AUROC, and, if
        each confidence is 0 or 1, those of high and low confidence, such as type-2 d'.
        """
        if not self.order_only or metric.metric in _ORDER_METRICS:
            return False
        is_decision = bool(np.isin(self.confidence[~np.isnan(self.confidence)], (0, 1)).all())
        return not (is_decision and metric.metric in _DECISION_METRICS)

    def interval(self, metric: ConfidenceMetric) -> tuple[float, float] | None:
        """Return the 95% interval of these judgments' value by the metric's own method.

        It is None if the metric has no such method, or needs a scale that confidence lacks.
        """
        if metric.interval is None or self.needs_scale(metric):
            return None
        return metric.interval(self.confidence, self.correct, self.unit_index, counts=self.counts)

    @cached_property
    def grouping_problem(self) -> str:
        """Reason why metrics of groups of equal confidence are undefined; empty if they aren't.

        They are undefined if at least 20 judgments have more different confidences than half their
        number. With token probabilities, for example, each judgment is a group, and resolution
        would equal uncertainty. Judgments of one item with equal confidence count once, because a
        repetition adds no information.
        """
        rounded = np.round(self.confidence[self.readable], 12)
        values, value_index = np.unique(rounded, return_inverse=True)
        if self.counts is None:  # how many pairs of item and confidence
            judgments = len(pd.unique(self.item[self.readable] * len(values) + value_index))
        else:  # a judgment stands for several equal ones, all of different items
            judgments = self.n_readable
        if judgments < _MIN_JUDGMENTS or 2 * len(values) <= judgments:
            return ""
        return (
            f"{len(values)} different confidences in {judgments} judgments: few are equal to group"
        )

    def value_function(
        self, metric: ConfidenceMetric
    ) -> Callable[[metrics.ConfidenceTables], FloatArray]:
        """Return the function that computes the metric from count tables of these judgments.

        Its values, one for each table, are NaN if the metric needs a scale that confidence lacks.
        Those of a metric that compares groups of equal confidence are also NaN if few confidences
        are equal, and for tables whose neighbouring confidences are rounded together (`coarse`).
        """
        if self.needs_scale(metric):
            return _undefined
        if metric.metric not in _GROUPING_METRICS:
            return metric.value
        if self.grouping_problem:
            return _undefined
        # Resamples of many different confidences are coarse. Their groups would be larger than
        # those of the value, so that values over resamples would lack the bias of small groups.
        return lambda tables: _undefined(tables) if tables.coarse else metric.value(tables)

    def count_tables(self) -> metrics.ItemTables:
        """Return what each unit adds to the numbers of right and wrong answers at each confidence.

        A fractional outcome, a chance of being right or else a partial credit, adds to both.
        Judgments without confidence or correctness are left out.
        """
        return metrics.ItemTables.from_judgments(
            self.confidence,
            self.correct,
            self.unit_index,
            self.unit_count,
            counts=self.counts,
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
"""Note on the bins of LifeEval's ECE."""

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
"""Further metrics that studies of stated confidence print."""

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

MAX_TEST_DRAWS = 2_000
"""Most draws of the test of calibration, whose p is then known to about 0.005 at p = .05."""

TYPE1 = "m_afc"
"""The type-1 model of M-ratio at a threshold."""

_NO_CHOICES = "items have no choices, or different numbers of them"


def _undefined(tables: metrics.ConfidenceTables) -> FloatArray:
    """Return NaN for each table, as the value of a metric that is undefined here."""
    return np.full(len(tables.right), np.nan)


def utility_metrics(costs: metrics.Costs | None) -> list[ConfidenceMetric]:
    """Return the expected utility of answering always, and of answering if confidence advises it.

    Confidence advises an answer if it is at least the probability at which answering and declining
    have the same utility. Without costs the list is empty.
    """
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
    """Return the metrics of confidence that counts as high from a threshold on.

    They say how well high confidence tells right from wrong answers: type-2 d' and meta-d', the
    criterion of high confidence, and M-ratio, meta-d' over the d' of the answers. That d' follows
    from accuracy by a model of the questions (type 1), here `m_afc`, a choice among m alternatives.
    If `choices`, the number of choices of all items, is None, M-ratio is undefined.
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
    """Yield accuracy, mean confidence, and all metrics that relate the two.

    If only the order of confidences counts, metrics that need a scale are undefined, with that
    reason, and the two of `item_statistics` (squared error, test of calibration) are left out.
    `condition`, which metrics with options extend, and `note` are those of all estimates;
    `resampling` has thresholds and costs.
    """
    # Accuracy also counts answers without a usable confidence, which the table leaves out.
    columns = {"accuracy": answers.correct}
    if not answers.order_only:
        columns["mean_confidence"] = answers.confidence
    partial_grades = describe_partial_grades(answers.correct, answers.counts)
    notes = {**dict.fromkeys(columns, note), "accuracy": join_notes(note, partial_grades)}
    yield means(
        condition, columns, answers.unit_index, answers.unit_count, notes, counts=answers.counts
    )
    table_metrics = [*COMPARED_METRICS, *DETAIL_METRICS]
    for metric in EXTRA_METRICS:  # of which the log score depends on the step of the scale
        is_log_score = metric.metric == "log_score"
        table_metrics.append(log_score_metric(answers.step) if is_log_score else metric)
    for threshold in resampling.thresholds:
        table_metrics += threshold_metrics(threshold, answers.choices)
    table_metrics += utility_metrics(resampling.costs)
    if answers.order_only:  # undefined, but named in the results with the reason
        table_metrics.append(confidence_metric("mean_confidence"))
    yield table_statistics(answers, table_metrics, condition, note, resampling)
    if not answers.order_only:
        yield from item_statistics(answers, condition, note, resampling)


def item_statistics(
    answers: Answers, condition: Mapping[str, object], note: str, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the debiased squared calibration error and the p of the test of calibration.

    Nothing is yielded if neither is requested. Both need each judgment's unit, which count tables
    do not contain. The test draws outcomes from the confidences as often as there are resamples, at
    most 2,000 times. Both are constant over resamples: the error has an interval of its own, the p
    none. `condition` and `note` are those of both estimates.
    """
    if not resampling.requests_any(("debiased_squared_error", "calibration_p")):
        return
    arrays = answers.confidence, answers.correct, answers.unit_index
    counts = answers.counts
    value = metrics.debiased_squared_error(*arrays, counts=counts)
    low, high = metrics.debiased_squared_error_interval(*arrays, counts=counts)
    # The interval was widened if it ends at the value; at 0 and 1 others may end, too.
    is_widened = value in (low, high) and value not in (0, 1)
    widened = "the interval was widened to contain the value" if is_widened else ""
    no_interval_reason = "too few items of each confidence"
    confidence = answers.confidence
    if len(np.unique(confidence[~np.isnan(confidence)])) > MOST_GROUPS:
        no_interval_reason += f", or more than {MOST_GROUPS} confidences"
    squared_error = Estimate(
        condition,
        "debiased_squared_error",
        answers.n_readable,
        note=join_notes(note, widened),
        interval=(low, high),
        n_asked=answers.n_asked,
        unit_count=answers.readable_units,
        no_interval_reason=no_interval_reason,
    )
    test = replace(
        squared_error, metric="calibration_p", note=note, interval=None, no_interval_reason=""
    )
    draws = min(resampling.resamples, MAX_TEST_DRAWS)
    p = metrics.calibration_p(*arrays, counts=counts, draws=draws)
    yield Statistics([squared_error, test], constant_statistic((value, p)))


def table_statistics(
    answers: Answers,
    confidence_metrics: Sequence[ConfidenceMetric],
    condition: Mapping[str, object],
    note: str,
    resampling: Resampling | None = None,
) -> Statistics:
    """Return metrics computed from counts of right and wrong answers at each confidence.

    The counts are the judgments' count table. Metrics that `resampling` does not request are left
    out; None requests all. The options of a metric, such as 15 bins, extend `condition`; `note`
    follows the metric's own definition and remarks in its note. A metric with a method of its own
    for the interval, as ECE, gets it here, others from resamples. If there are many different
    confidences, resamples take them from a `coarser` count table, which rounds them, as a note
    says; metrics that compare groups of equal confidence then have no interval.
    """
    count_tables = answers.count_tables()  # what each unit adds
    tables = count_tables.total_table()
    units = answers.readable_units
    # Metrics that compare right with wrong answers, as AUROC, need enough of both.
    balanced_units = metrics.count_balanced_units(units, answers.right_share)
    is_coarse = count_tables.coarser is not None
    steps = f"confidence in steps of 1/{metrics.STEPS} there" if is_coarse else ""
    estimates, functions = [], []
    for metric in confidence_metrics:
        if resampling is not None and not resampling.requests(metric.metric):
            continue
        notes, undefined_reason = _metric_remarks(answers, metric, tables)
        is_unresampled = is_coarse and metric.metric in _GROUPING_METRICS
        estimate = Estimate(
            {**condition, **metric.condition},
            metric.metric,
            answers.n_readable,
            note=join_notes(*notes, note),
            interval=answers.interval(metric),
            undefined_reason=undefined_reason,
            n_asked=answers.n_asked,
            unit_count=units,
            balanced_units=balanced_units,
            no_interval_reason="too many confidences to resample" if is_unresampled else "",
            resampling_note=steps,
        )
        estimates.append(estimate)
        functions.append(answers.value_function(metric))
    return statistics_of_tables(estimates, count_tables.table_statistic, functions)


def _metric_remarks(
    answers: Answers, metric: ConfidenceMetric, tables: metrics.ConfidenceTables
) -> tuple[list[str], str]:
    """Return the parts of a metric's note, and the reason that results show if it is undefined.

    If the reason is empty, results show the one of the registry. Metrics that lack a scale of
    confidence, choices, groups of equal confidence, a second bin or one of both outcomes have
    reasons of their own. At a threshold of high confidence the note also warns if few judgments are
    right or wrong with high or low confidence. For bins of equal mass, of which 10 are asked for,
    it says how many are used. `tables` is the count table of all judgments.
    """
    if answers.needs_scale(metric):
        return [], NO_SCALE
    if metric.value is _undefined:  # M-ratio without choices, whose note is the reason
        return [], metric.note
    if "threshold" in metric.condition:
        remark = metrics.type2_remark(tables, float(str(metric.condition["threshold"])))
        if np.isnan(metric.value(tables)[0]):
            return [], metric.note or remark
        return [metric.note, remark], ""
    note, reason = metric.note, ""
    if metric.condition.get("top_bin") == "dropped" and answers.n_readable > 0:
        # Bins of `hle_calibration_error` have 100 items each, the last one, which is dropped here,
        # up to 199.
        reason = "one bin, which is dropped, below 200 items"
    elif metric.metric in _GROUPING_METRICS:  # they compare groups of equal confidence
        reason = answers.grouping_problem or UNREAD
    elif "binning" in metric.condition:
        bins = count_distinct(bins_of_values(tables, 10, "equal_mass").ravel())
        note = f"{metric.note}, {bins} used"
    else:
        reason = _one_outcome_reason(answers, metric.metric)
    return [note], reason


def _one_outcome_reason(answers: Answers, metric: str) -> str:
    """Return that every answer is right, or wrong, if the metric compares both; else "".

    If answers without a confidence, which do not count here, differ, the text names those with one.
    """
    compares = metrics.METRICS[metric].interval.compares_outcomes
    if not compares or not answers.n_readable or answers.right_share not in (0, 1):
        return ""
    is_graded = ~np.isnan(answers.correct)
    are_alike = (answers.correct[is_graded] == answers.right_share).all()
    answers_text = "every answer" if are_alike else "every answer with a confidence"
    return f"{answers_text} is {'right' if answers.right_share else 'wrong'}"


def two_choice_sensitivity(
    answers: Answers, stimulus: IntArray, condition: Mapping[str, object], note: str
) -> Statistics:
    """Return meta-d' over all confidence ratings, and its M-ratio, for items with two choices.

    meta-d' is the d' of an ideal observer with these ratings; M-ratio divides it by the d' of the
    answers. Each of the k different confidences is a rating. Judgments are counted in 4k cells, as
    the fit of Maniscalco and Lau takes them: 2k for items whose right choice is the first, then 2k
    for the others, each from the surest response with the first choice to the surest with the
    second. Both estimates are undefined, with a reason, if an outcome is neither right nor wrong,
    if there are fewer than two ratings, or if the fit fails. `stimulus` is the right choice of each
    judgment's item, 0 or 1. The response to it is that choice if the answer is right, otherwise the
    other one. `condition` and `note` are those of both estimates.
    """
    readable = answers.readable
    correct, right_choice = answers.correct[readable], stimulus[readable]
    unit_index = answers.unit_index[readable]
    # Confidences that differ only by rounding are one rating.
    values, rating = np.unique(np.round(answers.confidence[readable], 12), return_inverse=True)
    k = len(values)
    # Cell of each judgment among the 2k of its right choice, then the counts of each unit.
    response = np.where(correct == 1, right_choice, 1 - right_choice)
    cell = np.where(response == 0, k - 1 - rating, k + rating)
    # The fit takes judgments as independent, so that a unit, whatever its number of judgments,
    # counts as one judgment on average.
    items = answers.readable_units
    share = items / max(answers.n_readable, 1)
    counts = np.zeros((answers.unit_count, 4 * k))
    np.add.at(counts, (unit_index, 2 * k * right_choice + cell), share)
    padding = 1 / (2 * k) if k else 0.0  # Maniscalco and Lau's, so that no cell is empty
    # A first fit, to all units, tells whether both estimates are defined.
    reason = _two_choice_problem(k, correct)
    is_fitted = not reason
    if is_fitted:
        # How many equal items each unit stands for; `counts` are those of one of them.
        sizes = unit_sizes(answers.unit_index, answers.counts, answers.unit_count)
        table = (counts * sizes[:, None]).sum(axis=0)
        reason = str(metrics.meta_d(table[: 2 * k], table[2 * k :], padding=padding).reason)
    meta_d = Estimate(
        condition,
        "meta_d",
        answers.n_readable,
        note=join_notes(f"{k} ratings, {padding:.3g} added to each cell", note),
        undefined_reason=reason,
        n_asked=answers.n_asked,
        unit_count=items,
    )
    m_ratio = replace(meta_d, metric="m_ratio", condition={**condition, "type1": "sdt"})
    compute = partial(_meta_d_and_ratio, padding=padding, is_fitted=is_fitted)
    return Statistics([meta_d, m_ratio], metrics.SumStatistic(counts, compute))


def _meta_d_and_ratio(counts: FloatArray, padding: float, is_fitted: bool) -> FloatArray:
    """Return meta-d' and M-ratio of each row of counts, as two columns.

    The first half of a row is of items whose right choice is the first, the second half of others,
    each from the surest response with the first choice to the surest with the second. `padding` is
    added to each count, so that none is 0. meta-d' is the d' of an ideal observer with these
    confidences, and M-ratio divides it by the d' of the answers. Both are NaN if not `is_fitted`,
    which needs outcomes that are right or wrong, and several different confidences.
    """
    if not is_fitted:
        return np.full((len(counts), 2), np.nan)
    first_counts, second_counts = np.hsplit(counts, 2)
    fit = metrics.meta_d(first_counts, second_counts, padding=padding)
    return np.column_stack([fit.meta_d, fit.m_ratio])


def _two_choice_problem(ratings: int, correct: FloatArray) -> str:
    """Return why meta-d' is undefined for this number of ratings and these outcomes; else ""."""
    if not np.isin(correct, (0, 1)).all():
        return "outcomes are not all right or wrong"
    if ratings == 0:
        return "no judgment"
    return "every judgment has the same confidence" if ratings == 1 else ""
