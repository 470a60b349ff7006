"""Metrics of judged answers, corrected for the judge's errors by labels that the user gives."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import (
    JudgeErrors,
    Statistic,
    means_of,
    prediction_powered_mean,
)
from inspect_confidence.metrics.arrays import BoolArray, FloatArray, IntArray
from inspect_confidence.studies.estimate import (
    Estimate,
    Statistics,
    bootstrap_draws,
    constant_statistic,
)
from inspect_confidence.studies.notes import join_notes

if TYPE_CHECKING:
    from inspect_confidence.studies.study import Resampling

CORRECTNESS, CONSISTENCY = "correctness", "consistency"
"""Forms of a judge's verdicts: whether an answer is right, and whether two replies agree."""
CLASSES = {CORRECTNESS: ("wrong", "right"), CONSISTENCY: ("no", "n/a", "yes")}
"""Classes of a verdict, by form."""
WORTH: Mapping[str, Sequence[float]] = {CORRECTNESS: (0.0, 1.0), CONSISTENCY: (0.0, 0.5, 1.0)}
"""Worth of each class in the mean, in the order of `CLASSES`."""

LEAST_LABELS = 20
"""Number of labels of each class that error rates need."""
LEAST_LABELLED = 50
"""Number of labelled items of the run that an interval needs."""
LEAST_OF_OUTCOME = 8
"""Number of right, and of wrong, ones that must be among them."""


_OTHER_REMEDY = {
    CORRECTNESS: f", or labels of {LEAST_LABELLED} items of the run, drawn by chance",
    CONSISTENCY: "",
}
"""What else a user with too few labels can give, by form."""


@dataclass(frozen=True)
class JudgeLabels:
    """Verdicts of judges with the user's labels of the same answers.

    Attributes:
        rows: Frame with `form` (a key of `CLASSES`), `judged` and `label` (the worth of the judge's
            and of the user's class), `judge` (empty: of any judge), `item` (empty: not an item of
            the run), `model` and `dataset`.
    """

    rows: pd.DataFrame

    def for_judge(self, judge: str) -> "JudgeLabels":
        """Return the labels of one judge's verdicts, and those that apply to any judge."""
        return JudgeLabels(self.rows[self.rows["judge"].isin([judge, ""])])

    def of_form(self, form: str) -> pd.DataFrame:
        """Return the rows whose verdicts have this form, a key of `CLASSES`."""
        return self.rows[self.rows["form"] == form]

    def errors(self, form: str, classes: Sequence[str]) -> JudgeErrors:
        """Count the labelled answers by the user's label and the judge's verdict.

        Both are stored as the worth of their class, such as 0 for "wrong" and 1 for "right".

        Args:
            form: Form of the verdicts: `correctness` or `consistency`.
            classes: Names of the classes that are counted, such as "wrong" and "right".

        Raises:
            InvalidArgument: There are fewer than 20 labels of a class.
        """
        labels = self.of_form(form)
        worth = [WORTH[form][CLASSES[form].index(name)] for name in classes]
        errors = JudgeErrors.from_labels(labels["label"], labels["judged"], worth)
        scarce = []
        for name, n in zip(classes, errors.counts.sum(axis=1), strict=True):
            if n < LEAST_LABELS:
                scarce.append(f"{n:.0f} of {name}")
        if scarce:
            raise InvalidArgument(
                f"judge_labels: of {len(labels)} labels of {form} {', '.join(scarce)} are too few; "
                f"give {LEAST_LABELS} of each{_OTHER_REMEDY[form]}."
            )
        return errors


def judge_of(judges: "pd.Series[str]") -> str | None:
    """Return the name of the judge of all judged answers; None if there is none, or several.

    `judges` is NaN for answers that rules graded, as `TaskTable.judges` returns it.
    """
    names = judges.dropna().unique()
    return str(names[0]) if len(names) == 1 else None


def corrected_correctness(
    rows: pd.DataFrame,
    unit_index: IntArray,
    unit_count: int,
    condition: Mapping[str, object],
    resampling: "Resampling",
    judge: str | None,
) -> Iterator[Statistics]:
    """Yield accuracy, and overconfidence if there is confidence, corrected for the judge's errors.

    Labels are the user's own verdicts. Labels of the run's own items correct the judge's by
    prediction-powered inference, other labels by the judge's error rates. Both numbers are
    undefined, with a reason, if no answer has a grade, or if one is neither right nor wrong.
    Nothing is yielded without labels.

    Args:
        rows: Judgments with `item`, `model`, `dataset`, `correct` and `confidence`, NaN where
            there is none that counts.
        unit_index: The index of each judgment's item.
        unit_count: How many items there are.
        condition: Condition of the estimates.
        resampling: Settings with the labels.
        judge: The judge that decided `correct`; None if rules did, or several judges.
    """
    labels = _labels_for(judge, CORRECTNESS, resampling)
    if labels is None:
        return
    correct, confidence = rows[["correct", "confidence"]].to_numpy(float).T
    has_answer, has_both = ~np.isnan(correct), ~np.isnan(correct + confidence)
    # Metric, judgments that count, and the confidence from which correctness is subtracted.
    corrections: list[tuple[str, BoolArray, FloatArray | None]] = [
        ("judge_corrected_accuracy", has_answer, None)
    ]
    if has_both.any():
        corrections.append(("judge_corrected_overconfidence", has_both, confidence))
    for metric, present, minuend in corrections:
        estimate = Estimate(condition, metric, int(present.sum()), n_asked=len(rows))
        if not present.any():
            yield _undefined_statistics(estimate, "no answer has a grade")
            continue
        if not np.isin(correct[present], (0, 1)).all():
            reason = (
                "some answers are neither right nor wrong, so that there are no two error rates"
            )
            yield _undefined_statistics(estimate, reason)
            continue
        run_labels = _labels_of_run(labels, rows[present])
        if run_labels is not None:
            is_difference = minuend is not None
            yield _correct_by_run_labels(estimate, rows[present], run_labels, is_difference)
            continue
        shares = np.column_stack([1 - correct, correct])  # of the classes wrong and right
        shares[~present] = np.nan
        verdicts = _Verdicts(CORRECTNESS, shares, unit_index, unit_count, confidence=minuend)
        yield _correct_by_error_rates(estimate, verdicts, labels, resampling)


def corrected_agreement(
    shares: FloatArray,
    unit_index: IntArray,
    unit_count: int,
    condition: Mapping[str, object],
    resampling: "Resampling",
    judge: str | None,
) -> Iterator[Statistics]:
    """Yield the internal confidence (share of further answers that agree), corrected for the judge.

    `shares` has a row for each reply and three columns: shares of its further answers that, by the
    judge's verdicts, contradict it, neither contradict nor agree, and agree. A row is NaN if the
    reply has no counts of verdicts; such rows are left out, and if all are, the share is undefined.
    `unit_index` has the item of each reply, of `unit_count` items.
    `resampling` has the labels by which the verdicts of `judge` are corrected; without them, or a
    judge, nothing is yielded.
    """
    labels = _labels_for(judge, CONSISTENCY, resampling)
    if labels is None:
        return
    n = int((~np.isnan(shares).any(axis=1)).sum())
    metric = "judge_corrected_internal_confidence"
    estimate = Estimate(condition, metric, n, n_asked=len(shares))
    if not n:
        yield _undefined_statistics(estimate, "no reply has counts of the judge's verdicts")
        return
    verdicts = _Verdicts(CONSISTENCY, shares, unit_index, unit_count)
    yield _correct_by_error_rates(estimate, verdicts, labels, resampling)


def _labels_for(judge: str | None, form: str, resampling: "Resampling") -> JudgeLabels | None:
    """Return the user's labels of a judge's verdicts; None without a judge or labels of this form.

    The form is what the verdicts are about: `correctness` of answers or `consistency` of replies.
    Labels of the other form are returned, too; the corrections select theirs.
    """
    if resampling.judge_labels is None or judge is None:
        return None
    labels = resampling.judge_labels.for_judge(judge)
    return labels if len(labels.of_form(form)) else None


def _undefined_statistics(estimate: Estimate, reason: str) -> Statistics:
    """Return an estimate whose value is NaN for this reason."""
    return Statistics([replace(estimate, undefined_reason=reason)], constant_statistic(np.nan))


@dataclass(frozen=True)
class _Verdicts:
    """A judge's verdicts on each answer, as shares of classes.

    Attributes:
        form: A key of `CLASSES`.
        shares: Shares of shape (judgments, classes of the form); NaN where there is no verdict.
        unit_index: The index of each judgment's item.
        unit_count: How many items there are.
        confidence: Stated confidence if overconfidence is computed; None for the mean worth.
    """

    form: str
    shares: FloatArray
    unit_index: IntArray
    unit_count: int
    confidence: FloatArray | None = None


def _correct_by_error_rates(
    estimate: Estimate, verdicts: _Verdicts, labels: JudgeLabels, resampling: "Resampling"
) -> Statistics:
    """Correct the mean worth of answers, or overconfidence, by the judge's error rates.

    Rogan and Gladen's method: labels say how often the judge gives each verdict to answers of each
    true class, and the mean shares of verdicts are solved for the shares of true classes. A class
    has a worth, such as 0 for "wrong" and 1 for "right". The result is undefined, with a reason, if
    the error rates don't determine it. With stated confidence in `verdicts` it is overconfidence,
    mean confidence less the mean worth.
    """
    confidence, unit_count = verdicts.confidence, verdicts.unit_count
    present = ~np.isnan(verdicts.shares).any(axis=1)
    # Error rates of the classes that occur.
    used = _used_classes(verdicts.form, verdicts.shares[present], labels)
    classes = [CLASSES[verdicts.form][position] for position in np.flatnonzero(used)]
    errors = labels.errors(verdicts.form, classes)
    note = f"Rogan-Gladen; judged as labelled: {_hit_rates(errors, classes)}"
    if reason := errors.why_uncorrectable():
        return _undefined_statistics(replace(estimate, note=note), reason)
    # Means over judgments: shares of the used classes, and last the confidence, or 0 without any.
    minuend = np.where(present, 0 if confidence is None else confidence, np.nan)
    columns = np.column_stack([verdicts.shares[:, used], minuend])
    # Without the pseudo-units that resamples of a mean add: `errors.interval` has a prior instead.
    column_means = replace(means_of(columns, verdicts.unit_index, unit_count), extremes=None)
    statistic = _CorrectedMean(errors, column_means, is_difference=confidence is not None)
    sample_weights = np.ones((1, unit_count))  # each unit once: no resample
    mean_worth = errors.corrected(column_means(sample_weights)[:, :-1])[0]
    if mean_worth != errors.clipped(mean_worth):
        note = join_notes(note, f"{mean_worth:.3f} before it was moved into the range")
    # The interval joins the scatter of the items (draws) and that of the error rates (`errors`).
    draws = bootstrap_draws(column_means, unit_count, resampling.resamples, resampling.seed)
    draws = draws[~np.isnan(draws).any(axis=1)]  # a resample may lack all items with a verdict
    items = len(np.unique(verdicts.unit_index[present]))
    interval = errors.interval(
        float(statistic(sample_weights)[0, 0]),
        draws[:, :-1],
        items,
        seed=resampling.seed,
        minuend=None if confidence is None else draws[:, -1],
    )
    described = replace(estimate, note=note, interval=interval, unit_count=items)
    return Statistics([described], statistic)


def _used_classes(form: str, shares: FloatArray, labels: JudgeLabels) -> BoolArray:
    """Return which classes of a form of verdicts occur in verdicts or labels; "n/a" may not.

    The first and the last class, which are the ends of the scale, count as used, whether they occur
    or not. `shares` has the shape (judgments, classes).
    """
    form_labels = labels.of_form(form)[["judged", "label"]]  # worths of classes, such as 0 and 1
    used: BoolArray = (shares > 0).any(axis=0) | np.isin(WORTH[form], form_labels)
    used[[0, -1]] = True
    return used


@dataclass(frozen=True)
class _CorrectedMean:
    """Statistic of the corrected mean worth of verdicts, of shape (resamples, 1).

    Attributes:
        errors: Error rates of the judge, which correct mean shares of classes to a mean worth.
        column_means: Weights -> means of the shares of each class, then of the confidence.
        is_difference: Whether it is overconfidence: mean confidence less the mean worth.
    """

    errors: JudgeErrors
    column_means: Statistic
    is_difference: bool

    def __call__(self, weights: FloatArray) -> FloatArray:
        """Return the corrected value in each resample.

        `weights` are those of units, of shape (resamples, units). A corrected mean worth outside
        the range of worths is moved to its end.
        """
        means = self.column_means(weights)
        mean_worth = self.errors.clipped(self.errors.corrected(means[:, :-1]))
        return (means[:, -1] - mean_worth if self.is_difference else mean_worth)[:, None]


def _hit_rates(errors: JudgeErrors, classes: Sequence[str]) -> str:
    """Describe how often the judge agreed with labels: "8 of 9 wrong, 7 of 7 right"."""
    labels = errors.counts.sum(axis=1)
    rates = []
    for hits, n, name in zip(errors.counts.diagonal(), labels, classes, strict=True):
        rates.append(f"{hits:.0f} of {n:.0f} {name}")
    return ", ".join(rates)


def _labels_of_run(labels: JudgeLabels, rows: pd.DataFrame) -> pd.DataFrame | None:
    """Return the mean label and verdict of each labelled item of the run.

    The result has the judge's verdict in `judged`. It is None if no label names an item of the run,
    or if a labelled verdict is not the run's: the labels then belong to other replies. `rows` are
    judgments of one model and data set, with the run's verdicts in `correct`.
    """
    run_labels = labels.of_form(CORRECTNESS)
    run_labels = run_labels[run_labels["item"].isin(rows["item"])]
    for name in ("model", "dataset"):  # a label without them is of any model or data set
        run_labels = run_labels[run_labels[name].isin(["", rows[name].iloc[0]])]
    judgments = set(zip(rows["item"], rows["correct"], strict=True))
    labelled = set(zip(run_labels["item"], run_labels["judged"], strict=True))
    if not len(run_labels) or not labelled <= judgments:
        return None
    return run_labels.groupby("item")[["label", "judged"]].mean()


def _correct_by_run_labels(
    estimate: Estimate, rows: pd.DataFrame, labels: pd.DataFrame, is_difference: bool
) -> Statistics:
    """Correct accuracy, or overconfidence, by labels of some of the run's items.

    Prediction-powered inference: lambda times the mean verdict on the other items, plus the mean of
    (label - lambda * verdict) on the labelled ones. lambda, in [0, 1], is the greater the better
    verdicts predict labels. Each item counts once. There is no interval with fewer than 50 labelled
    items, or if fewer than 8 of them are right, or wrong. `rows` are judgments whose `correct` is
    the judge's verdict; `labels` has the mean `label` and the mean verdict (`judged`) by item. With
    `is_difference`, overconfidence is corrected: confidence is subtracted from verdicts and labels,
    and the sign of the mean changed.
    """
    items = rows.groupby("item")[["correct", "confidence"]].mean()
    # What is subtracted, by item: the confidence, or nothing.
    subtracted = items["confidence"] if is_difference else pd.Series(0.0, items.index)
    subtracted_labelled = subtracted.reindex(labels.index)
    unlabelled = (items["correct"] - subtracted)[~items.index.isin(labels.index)]
    mean = prediction_powered_mean(
        labels["label"] - subtracted_labelled, labels["judged"] - subtracted_labelled, unlabelled
    )
    note = (
        f"prediction-powered: {len(labels)} of {len(items)} items labelled, lambda "
        f"{mean.weight:.2f}"
    )
    # Labels and verdicts are shares, but their weighted sum may lie outside the range of a share,
    # and Student's interval outside that of a difference of shares.
    if is_difference:
        raw_value = -mean.value
        low, high = np.clip(mean.interval, -1, 1)
        interval, value = (float(-high), float(-low)), float(np.clip(raw_value, -1, 1))
    else:
        raw_value = mean.value
        interval, value = mean.share_interval, float(np.clip(raw_value, 0, 1))
    if value != raw_value:
        note = join_notes(note, f"{raw_value:.3f} before it was moved into the range")
    right = labels["label"].sum()
    wrong, reason = len(labels) - right, ""
    if len(labels) < LEAST_LABELLED:
        reason = f"fewer than {LEAST_LABELLED} labelled items"
    elif min(right, wrong) < LEAST_OF_OUTCOME:
        rarer = "right" if right < wrong else "wrong"
        reason = f"fewer than {LEAST_OF_OUTCOME} labelled items are {rarer}"
    described = replace(
        estimate,
        note=note,
        interval=None if reason else interval,
        no_interval_reason=reason,
        unit_count=len(labels),
    )
    return Statistics([described], constant_statistic(value))
