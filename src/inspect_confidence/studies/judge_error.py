"""Numbers of judged answers, corrected for the judge's errors by labels that the user gives."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import (
    JudgeErrors,
    bootstrap,
    means_of,
    prediction_powered_mean,
)
from inspect_confidence.metrics.arrays import FloatArray, IntArray
from inspect_confidence.studies.estimate import Estimate, Statistics
from inspect_confidence.studies.notes import noted

if TYPE_CHECKING:
    from inspect_confidence.studies.study import Resampling

CORRECTNESS, CONSISTENCY = "correctness", "consistency"
CLASSES = {CORRECTNESS: ("wrong", "right"), CONSISTENCY: ("no", "n/a", "yes")}
WORTH: Mapping[str, Sequence[float]] = {CORRECTNESS: (0.0, 1.0), CONSISTENCY: (0.0, 0.5, 1.0)}
"""What each class of judgment counts, in the order of `CLASSES`."""

LEAST_LABELS = 20
"""Of each class, from which on error rates are estimated."""
LEAST_LABELLED = 50
"""Items of the run, from which on their labels give an interval."""


_OR_OWN = {
    CORRECTNESS: f", or labels of {LEAST_LABELLED} items of the run, drawn by chance",
    CONSISTENCY: "",
}


@dataclass(frozen=True)
class JudgeLabels:
    """Labelled judgments.

    Attributes:
        rows: With `form` (`correctness` or `consistency`), `judged` and `label` (numbers of
            `WORTH`), `judge` (empty: of any), `item` (empty: none of the run), `model`, `dataset`.
    """

    rows: pd.DataFrame

    def of(self, judge: str) -> "JudgeLabels":
        """Those of that judge's judgments."""
        return JudgeLabels(self.rows[self.rows["judge"].isin([judge, ""])])

    def of_form(self, form: str) -> pd.DataFrame:
        """Those of that form."""
        return self.rows[self.rows["form"] == form]

    def errors(self, form: str, classes: Sequence[str]) -> JudgeErrors:
        """What the judge said of labelled answers, as counts of those classes.

        Raises:
            InvalidArgument: There are too few labels of a class.
        """
        mine, worth = self.of_form(form), [WORTH[form][CLASSES[form].index(one)] for one in classes]
        found = JudgeErrors.from_labels(mine["label"], mine["judged"], worth)
        each = zip(classes, found.counts.sum(axis=1), strict=True)
        if lacking := [f"{n:.0f} of {one}" for one, n in each if n < LEAST_LABELS]:
            raise InvalidArgument(
                f"judge_labels: of {len(mine)} labels of {form} {', '.join(lacking)} are too few; "
                f"give {LEAST_LABELS} of each{_OR_OWN[form]}."
            )
        return found


def judge_of(judges: "pd.Series[str]") -> str | None:
    """The one judge of judgments, as a `TaskTable` tells it; None where there is none, or two."""
    found = judges.dropna().unique()
    return str(found[0]) if len(found) == 1 else None


def of_correctness(
    rows: pd.DataFrame,
    unit: IntArray,
    units: int,
    condition: Mapping[str, object],
    resampling: "Resampling",
    judge: str | None,
) -> Iterator[Statistics]:
    """Corrected accuracy and, where judgments have a confidence, overconfidence.

    Args:
        rows: Judgments with `item`, `model`, `dataset`, `correct` and `confidence`, NaN where
            there is none that counts.
        unit: The number of each judgment's item, of `units`.
        units: How many there are.
        condition: Of the numbers.
        resampling: With labels; without there is nothing.
        judge: Whose word `correct` is; None where it is no judge's.
    """
    if resampling.judge_labels is None or judge is None:
        return
    labels = resampling.judge_labels.of(judge)
    if not len(labels.of_form(CORRECTNESS)):
        return
    correct, confidence = (rows[name].to_numpy(float) for name in ("correct", "confidence"))
    both = ~np.isnan(correct + confidence)
    for metric, there, stated in (
        ("judge_corrected_accuracy", ~np.isnan(correct), None),
        ("judge_corrected_overconfidence", both, confidence),
    ):
        if stated is not None and not both.any():
            continue  # of answers that nobody asked a confidence of
        number = Estimate(condition, metric, int(there.sum()), n_asked=len(rows))
        if not np.isin(correct[there], (0, 1)).all():
            why = "some answers are neither right nor wrong, so that there are no two error rates"
            yield _undefined(number, why)
            continue
        own = _of_these_items(labels, rows[there])
        if own is not None:
            yield _powered(number, rows[there], own, stated is not None)
        else:
            shares = np.column_stack([1 - correct, correct])
            shares[~there] = np.nan
            yield _corrected(number, shares, stated, unit, units, labels, CORRECTNESS, resampling)


def of_agreement(
    shares: FloatArray,
    unit: IntArray,
    units: int,
    condition: Mapping[str, object],
    resampling: "Resampling",
    judge: str | None,
) -> Iterator[Statistics]:
    """Corrected internal confidence, of replies' shares of contradicting, neither and agreeing."""
    if resampling.judge_labels is None or judge is None:
        return
    labels = resampling.judge_labels.of(judge)
    if not len(labels.of_form(CONSISTENCY)):
        return
    n = int((~np.isnan(shares).any(axis=1)).sum())
    number = Estimate(condition, "judge_corrected_internal_confidence", n, n_asked=len(shares))
    if not n:
        yield _undefined(number, "no confidence with its counts of judgments")
        return
    yield _corrected(number, shares, None, unit, units, labels, CONSISTENCY, resampling)


def _undefined(number: Estimate, why: str) -> Statistics:
    return Statistics(
        [replace(number, undefined_reason=why)], lambda weights: np.full((len(weights), 1), np.nan)
    )


def _corrected(
    number: Estimate,
    shares: FloatArray,
    stated: FloatArray | None,
    unit: IntArray,
    units: int,
    labels: JudgeLabels,
    form: str,
    resampling: "Resampling",
) -> Statistics:
    """By the judge's error rates."""
    there = ~np.isnan(shares).any(axis=1)
    # What neither the judge nor a label ever says, as that two answers can't be compared, is none.
    mine = labels.of_form(form)[["judged", "label"]]
    held = (shares[there] > 0).any(axis=0) | np.isin(WORTH[form], mine)
    held[[0, -1]] = True
    classes = [name for name, one in zip(CLASSES[form], held, strict=True) if one]
    errors, shares = labels.errors(form, classes), shares[:, held]
    columns = np.column_stack([shares, np.where(there, 0 if stated is None else stated, np.nan)])
    of_weights = means_of(columns, unit, units)

    def raw(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        means = of_weights(weights)
        return errors.corrected(means[:, :-1]), means[:, -1]

    def statistic(weights: FloatArray) -> FloatArray:
        corrected, confidence = raw(weights)
        held = errors.clipped(corrected)
        return (held if stated is None else confidence - held)[:, None]

    each = zip(errors.counts.diagonal(), errors.counts.sum(axis=1), classes, strict=True)
    rates = ", ".join(f"{hits:.0f} of {labels:.0f} {name}" for hits, labels, name in each)
    note = f"Rogan-Gladen; judged as labelled: {rates}"
    if why := errors.why_not():
        return _undefined(replace(number, note=note), why)
    everything = np.ones((1, units))
    share, outside = raw(everything)[0][0], ""
    if share != errors.clipped(share):
        outside = f"{share:.3f} before it was moved into the range"
    items = len(np.unique(unit[there]))
    strata = np.zeros(units, np.int64)
    found = bootstrap(
        {"means": of_weights}, strata, resamples=resampling.resamples, seed=resampling.seed
    )["means"]
    found = found[~np.isnan(found).any(axis=1)]
    value = float(statistic(everything)[0, 0])
    interval = errors.interval(
        value,
        found[:, :-1],
        items,
        seed=resampling.seed,
        minuend=None if stated is None else found[:, -1],
    )
    mean = of_weights(everything)[0, :-1]
    rarest = float(min(mean[0], mean[-1]) * items)
    made = replace(
        number,
        note=noted(note, outside),
        interval=interval,
        units=items,
        rarest=rarest,
    )
    return Statistics([made], statistic)


def _of_these_items(labels: JudgeLabels, rows: pd.DataFrame) -> pd.DataFrame | None:
    """Labels of these very answers by item, if that is what they are: judged as in the run."""
    mine = labels.of_form(CORRECTNESS)
    mine = mine[mine["item"].isin(rows["item"])]
    for name in ("model", "dataset"):
        mine = mine[mine[name].isin(["", rows[name].iloc[0]])]
    said = set(zip(rows["item"], rows["correct"], strict=True))
    if not len(mine) or not set(zip(mine["item"], mine["judged"], strict=True)) <= said:
        return None
    return mine.groupby("item")[["label", "judged"]].mean()


def _powered(number: Estimate, rows: pd.DataFrame, own: pd.DataFrame, over: bool) -> Statistics:
    """By labels of some of the run's items, each item counting once."""
    items = rows.groupby("item")[["correct", "confidence"]].mean()
    less = items["confidence"] if over else 0 * items["correct"]
    at = less.reindex(own.index)
    rest = (items["correct"] - less)[~items.index.isin(own.index)]
    found = prediction_powered_mean(own["label"] - at, own["judged"] - at, rest)
    low, high = found.interval if over else found.share_interval
    value = -found.value if over else float(np.clip(found.value, 0, 1))
    right = float(own["label"].sum())
    few = "" if len(own) >= LEAST_LABELLED else f"fewer than {LEAST_LABELLED} labelled items"
    note = (
        f"prediction-powered: {len(own)} of {len(items)} items labelled, lambda {found.weight:.2f}"
    )
    if not over and value != found.value:
        note = noted(note, f"{found.value:.3f} before it was moved into the range")
    made = replace(
        number,
        note=note,
        interval=None if few else ((-high, -low) if over else (low, high)),
        no_interval_reason=few,
        units=len(own),
        rarest=min(right, len(own) - right),
    )
    return Statistics([made], lambda weights: np.full((len(weights), 1), value))
