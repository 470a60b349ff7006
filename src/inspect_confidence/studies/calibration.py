"""The numbers of stated confidence: what one count table gives together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import EDGE, FloatArray, IntArray, distinct
from inspect_confidence.metrics.registry import UNREAD
from inspect_confidence.studies.estimate import Estimand, Number, means, places, together
from inspect_confidence.studies.notes import noted


@dataclass(frozen=True)
class Form:
    """One number that a count table gives: of tables a value each.

    Its condition tells it from others of the same metric, its note says the definition chosen.
    `interval`, of confidence, outcomes and units, is for metrics whose interval is their own.
    """

    metric: str
    value: Callable[[metrics.ConfidenceTables], FloatArray]
    condition: Mapping[str, object] = field(default_factory=dict)
    note: str = ""
    interval: Callable[..., tuple[float, float]] | None = None

    def rarest(self, tables: metrics.ConfidenceTables) -> float:
        """How much the rarest outcome, or type-2 cell at the threshold, of the first table has.

        Where only a share is covered, of the answers that are.
        """
        if not tables.binary:
            return np.inf
        parts = tables.right[0], tables.wrong[0]
        if "coverage" in self.condition:
            covered = float(str(self.condition["coverage"])) * float(tables.total[0])
            risk = float(self.value(tables)[0])
            return covered * min(risk, 1 - risk)
        if "threshold" not in self.condition:
            return float(min(part.sum() for part in parts))
        high = tables.values >= float(str(self.condition["threshold"])) - EDGE
        return float(min(part[side].sum() for part in parts for side in (high, ~high)))


_GROUPING = frozenset({"brier_reliability", "brier_resolution", "meta_information"})
"""Metrics of judgments in groups of equal confidence."""

_ENOUGH = 20
"""Judgments from which on values that mostly differ are no accident of a few."""


_OWN: Mapping[str, Callable[..., tuple[float, float]]] = {
    "ece": metrics.ece_interval,
    "brier_uncertainty": metrics.brier_uncertainty_interval,
    "corp_uncertainty": metrics.brier_uncertainty_interval,
    "rms_calibration_error": metrics.rms_calibration_error_interval,
    "smooth_ece": metrics.smooth_ece_interval,
}


def form_of(
    metric: str, condition: Mapping[str, object] | None = None, note: str = "", **options: object
) -> Form:
    """The form of a metric of `metrics` with these options."""
    value = partial(metrics.TABLE_FUNCTIONS[metric], **options)
    own = partial(_OWN[metric], **options) if metric in _OWN else None
    return Form(metric, value, condition or {}, note, own)


@dataclass(frozen=True)
class Answers:
    """Judgments of one condition as arrays, one entry a judgment.

    Attributes:
        unit: The number of the judgment's item, of `units` in all.
        confidence: In [0, 1]; NaN where there is none that counts.
        correct: 1, 0 or a probability; NaN where no answer was read.
        item: Which item it is of, where that isn't its unit.
        choices: How many choices all items have; None where they differ or have none.
    """

    unit: IntArray
    units: int
    confidence: FloatArray
    correct: FloatArray
    item: IntArray
    choices: int | None

    @classmethod
    def of(cls, rows: pd.DataFrame, units: pd.Index) -> "Answers":
        """The judgments of a frame; `units` are the items, in the weights' order."""
        offered = rows["choices"].unique()
        same = len(offered) == 1 and offered[0] >= 2
        return cls(
            places(rows, units),
            len(units),
            rows["confidence"].to_numpy(float),
            rows["correct"].to_numpy(float),
            pd.factorize(rows["item"])[0],
            int(offered[0]) if same else None,
        )

    def interval(self, form: Form) -> tuple[float, float] | None:
        """The interval of a form's own method; None where it has none."""
        own = form.interval
        return None if own is None else own(self.confidence, self.correct, self.unit)

    @cached_property
    def scattered(self) -> str:
        """Why groups of equal confidence say nothing, most having one judgment; else empty.

        Of token probabilities each outcome is a group of its own, and resolution is uncertainty. An
        item's judgments of one confidence count once: asked again alike, it says nothing new.
        """
        read = ~np.isnan(self.confidence + self.correct)
        said = np.round(self.confidence[read], 12)
        known, value = np.unique(said, return_inverse=True)
        values = len(known)
        judgments = len(pd.unique(self.item[read] * values + value))
        if judgments < _ENOUGH or 2 * values <= judgments:
            return ""
        return f"{values} different confidences in {judgments} judgments: few are equal to group"

    def value_of(self, form: Form) -> Callable[[metrics.ConfidenceTables], FloatArray]:
        """What gives a number from their tables; NaN where they say nothing of it."""
        if form.metric in _GROUPING and self.scattered:
            return _undefined
        if form.metric in _GROUPING:
            # Resampling coarser groups doesn't tell how biased the number is.
            return lambda tables: (_undefined if tables.coarse else form.value)(tables)
        return form.value

    def cells(self) -> metrics.ItemTables:
        """Of judgments with both confidence and correctness."""
        return metrics.ItemTables.from_judgments(
            self.confidence, self.correct, self.unit, self.units
        )


MEANS = (form_of("accuracy"), form_of("mean_confidence"))
PLAIN = (
    form_of("overconfidence"),
    form_of("ece", note="10 bins of equal width"),
    *map(form_of, ("brier", "auroc", "meta_information")),
)
"""Numbers that also are compared between contenders."""

OWN_TOP = "10 bins of equal width below 1, an eleventh for 1"
FURTHER = (
    form_of("ece", {"bins": 15}, "15 bins of equal width", bins=15),
    form_of("ece", {"bins": 20}, "20 bins of equal width", bins=20),
    form_of("ece", {"bins": 11}, OWN_TOP, binning="own_top"),
    form_of(
        "ece", {"binning": "equal_mass"}, "10 bins of equal mass asked for", binning="equal_mass"
    ),
    *map(form_of, ("brier_reliability", "brier_resolution", "brier_uncertainty")),
    *map(form_of, ("auprc_error", "aurc")),
)

CALIBRATED: tuple[Form, ...] = (
    form_of("rms_calibration_error", note="10 bins of equal width"),
    form_of("hle_calibration_error"),
    form_of("hle_calibration_error", {"top_bin": "dropped"}, top_bin="dropped"),
    form_of("smooth_ece"),
    *map(form_of, ("corp_miscalibration", "corp_discrimination", "corp_uncertainty")),
    form_of("brier_skill"),
)
SELECTIVE: tuple[Form, ...] = (
    form_of("augrc"),
    *(form_of("risk_at_coverage", {"coverage": one}, coverage=one) for one in (0.5, 0.8)),
)
TOOLBOX = (
    *CALIBRATED,
    *SELECTIVE,
    form_of("meta_information_corrected"),
)
"""Numbers that no study prints: estimators, tests and decisions of the field."""

TEST_DRAWS = 2_000
"""Of the test of calibration, at most."""

TYPE1 = "m_afc"
"""The type-1 model of M-ratio at a threshold."""


_NO_CHOICES = "items have no choices, or different numbers of them"


def _undefined(tables: metrics.ConfidenceTables) -> FloatArray:
    return np.full(len(tables.right), np.nan)


def of_costs(costs: metrics.Costs | None) -> list[Form]:
    """What answering is worth: always, and as confidence at its word advises."""
    if costs is None:
        return []
    said = {"costs": str(costs)}
    advised = costs.indifferent
    places = (0.0, "0", "answered always"), (advised, f"{advised:.3g}", "as confidence advises")
    return [
        form_of("expected_utility", {**said, "answered_from": at}, note, costs=costs, threshold=t)
        for t, at, note in places
    ]


def at_threshold(threshold: float, choices: int | None) -> list[Form]:
    """Type-2 sensitivity at a threshold, the criterion, and M-ratio.

    M-ratio's type-1 model is `m_afc`, of which `two_z` and `two_afc` are the case of two choices:
    the same number. It is undefined, under the same name, where there is no number of choices.
    """
    where = {"threshold": threshold}
    forms = [
        form_of(name, where, threshold=threshold)
        for name in ("type2_dprime", "meta_d_ideal", "type2_criterion")
    ]
    at = {**where, "type1": TYPE1}
    if choices is None:
        return [*forms, Form("m_ratio", _undefined, at, _NO_CHOICES)]
    return [*forms, form_of("m_ratio", at, type1=TYPE1, alternatives=choices, threshold=threshold)]


def stated_confidence(
    answers: Answers,
    condition: Mapping[str, object],
    thresholds: Sequence[float],
    note: str,
    costs: metrics.Costs | None = None,
    resamples: int = TEST_DRAWS,
) -> Iterator[Estimand]:
    """Accuracy and mean confidence, and all that follows from the table of both.

    The test of calibration draws as often as there are resamples, at most.
    """
    # Accuracy counts answers without a usable confidence too, so it isn't the table's.
    columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
    yield means(condition, columns, answers.unit, answers.units, note)
    forms = [form for one in thresholds for form in at_threshold(one, answers.choices)]
    forms += of_costs(costs)
    yield of_table(answers, [*PLAIN, *FURTHER, *TOOLBOX, *forms], condition, note)
    yield of_items(answers, condition, note, resamples)


def of_items(
    answers: Answers, condition: Mapping[str, object], note: str, resamples: int
) -> Estimand:
    """Numbers that a count table doesn't give, since they need to know whose judgments they are."""
    judged = answers.confidence, answers.correct, answers.unit
    read = ~np.isnan(answers.confidence + answers.correct)
    n, items = int(read.sum()), distinct(answers.unit[read])
    right = float(np.nansum(answers.correct[read])) * items / max(n, 1)

    def number(metric: str, interval: tuple[float, float] | None = None) -> Number:
        few = "too few items of each confidence" if interval else ""
        of = n, note, interval
        rarest = min(right, items - right)
        return Number(
            condition,
            metric,
            *of,
            asked=len(answers.unit),
            units=items,
            rarest=rarest,
            without=few,
        )

    numbers = [
        number("debiased_squared_error", metrics.debiased_squared_error_interval(*judged)),
        number("calibration_p"),
    ]
    tested = metrics.calibration_p(*judged, draws=min(resamples, TEST_DRAWS))
    values = metrics.debiased_squared_error(*judged), tested
    return Estimand(numbers, lambda weights: np.tile(values, (len(weights), 1)))


def of_table(
    answers: Answers, forms: Sequence[Form], condition: Mapping[str, object], note: str
) -> Estimand:
    """The numbers of one count table, each with its definition and remarks beside it."""
    cells = answers.cells()
    everything = cells.tables(np.ones((1, answers.units)))
    read = ~np.isnan(answers.confidence + answers.correct)
    n, items = int(read.sum()), distinct(answers.unit[read])
    numbers = []
    coarse = cells.coarser is not None
    steps = f"confidence in steps of 1/{metrics.STEPS} there" if coarse else ""
    for form in forms:
        notes, why = [form.note], ""
        if "threshold" in form.condition:
            remark = metrics.type2_remark(everything, float(str(form.condition["threshold"])))
            undefined = bool(np.isnan(form.value(everything)[0]))
            why = (form.note or remark) if undefined else ""
            notes = [] if undefined else [form.note, remark]
        if form.metric in _GROUPING:
            why = answers.scattered or UNREAD
        if form.value is _undefined:
            notes, why = [], form.note
        if "binning" in form.condition:
            read = answers.confidence[~np.isnan(answers.correct)]
            notes = [f"{form.note}, {metrics.bin_count(read, binning='equal_mass')} used"]
        numbers.append(
            Number(
                {**condition, **form.condition},
                form.metric,
                n,
                noted(*notes, note),
                answers.interval(form),
                why,
                len(answers.unit),
                items,
                form.rarest(everything),
                "too many confidences to resample" if coarse and form.metric in _GROUPING else "",
                steps,
            )
        )

    return together(numbers, cells.table_statistic, [answers.value_of(form) for form in forms])


def two_choice_sensitivity(
    answers: Answers, stimulus: IntArray, condition: Mapping[str, object], note: str
) -> Estimand:
    """meta-d' over all ratings, and its M-ratio, where every item has two choices.

    `stimulus` is 0 or 1: which choice is right. The response is that one where the answer is right,
    the other where it is wrong.
    """
    read = ~np.isnan(answers.confidence + answers.correct)
    # Equal but for rounding is one rating.
    values, rating = np.unique(np.round(answers.confidence[read], 12), return_inverse=True)
    k = len(values)
    # Maniscalco and Lau's order: surest first choice ... surest second choice.
    response = np.where(answers.correct[read] == 1, stimulus[read], 1 - stimulus[read])
    place = np.where(response == 0, k - 1 - rating, k + rating)
    unit = answers.unit[read]
    share = len(np.unique(unit)) / max(len(unit), 1)
    counts = np.zeros((answers.units, 4 * k))
    np.add.at(counts, (unit, 2 * k * stimulus[read] + place), share)
    padding = 1 / (2 * k) if k else 0.0
    why = "" if k > 1 else "every judgment has the same confidence" if k else "no judgment"
    if not np.isin(answers.correct[read], (0, 1)).all():
        why = "outcomes are not all right or wrong"
    fitted = not why
    if fitted:
        table = counts.sum(axis=0)
        why = str(metrics.meta_d(table[: 2 * k], table[2 * k :], padding=padding).reason)

    def of(table: FloatArray) -> FloatArray:
        if not fitted:
            return np.full((len(table), 2), np.nan)
        fit = metrics.meta_d(table[:, : 2 * k], table[:, 2 * k :], padding=padding)
        return np.column_stack([fit.meta_d, fit.m_ratio])

    said = noted(f"{k} ratings, {padding:.3g} added to each cell", note)
    right = share * float((answers.correct[read] == 1).sum())
    rarest = min(right, share * len(unit) - right)
    numbers = [
        Number(
            where,
            metric,
            len(unit),
            said,
            why=why,
            asked=len(read),
            units=len(np.unique(unit)),
            rarest=rarest,
        )
        for metric, where in (("meta_d", condition), ("m_ratio", {**condition, "type1": "sdt"}))
    ]
    return Estimand(numbers, metrics.SumStatistic(counts, of))
