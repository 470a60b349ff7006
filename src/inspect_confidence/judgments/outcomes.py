"""Confidence from some logs and graded answers from others, joined by model and sample."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from inspect_confidence.printing import counted

_SAMPLE_COLUMNS = ["model", "item"]
_GRADING_COLUMNS = ("dataset", "target", "answer", "choices", "correct", "scorer")
"""Columns that are taken from the log with the graded answer."""


def join_outcomes(confidence: pd.DataFrame, graded: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return judgments of confidence with the grades that the same samples have in other logs.

    A sample is an item answered by a model. The grade of several epochs is their mean; an answer
    that most epochs declined is declined. A judgment of a declined answer becomes `declined`. An
    `ok` judgment of an answer without a grade gets the status of the answer; without an answer it
    is `scoring_failed`.

    Args:
        confidence: Judgments of confidence.
        graded: Judgments of the graded answers, a row for each sample and epoch.

    Returns:
        The judgments, and notices about samples that only one of both has.
    """
    samples = graded.groupby(_SAMPLE_COLUMNS, sort=False)
    outcome_rows = [_combine_epochs(epochs) for sample, epochs in samples]
    outcomes = pd.DataFrame(outcome_rows, columns=graded.columns)
    outcomes_by_sample = outcomes.set_index(_SAMPLE_COLUMNS)
    # For each judgment of confidence, the graded row of its sample; an empty row without one.
    keys = pd.MultiIndex.from_frame(confidence[_SAMPLE_COLUMNS])
    is_matched = keys.isin(outcomes_by_sample.index)
    matches = outcomes_by_sample.reindex(keys)
    joined = confidence.copy()
    for name in _GRADING_COLUMNS:
        joined[name] = np.where(is_matched, matches[name].to_numpy(), joined[name].to_numpy())
    joined["correct"] = joined["correct"].astype(float)
    joined["choices"] = joined["choices"].astype(float)
    # The status of the answer replaces that of the confidence, if it says more.
    status = np.where(is_matched, matches["status"].to_numpy(), "scoring_failed")
    missing = "no log of --outcome has the sample"
    reason = np.where(is_matched, matches["reason"].to_numpy(), missing)
    lacks_grade = (joined["status"] == "ok").to_numpy() & (status != "ok")
    is_replaced = (status == "declined") | lacks_grade
    joined["status"] = np.where(is_replaced, status, joined["status"])
    joined["reason"] = np.where(is_replaced, reason, joined["reason"])
    return joined, list(_unmatched_notices(keys.unique(), outcomes_by_sample.index))


def _combine_epochs(epochs: pd.DataFrame) -> pd.Series:
    """Return the row that stands for all epochs of a sample.

    That is an `ok` row with the mean grade, unless more epochs declined than were graded; then it
    is a declined row. If no epoch is graded or declined, it is the first row.
    """
    is_graded = epochs["status"] == "ok"
    is_declined = epochs["status"] == "declined"
    if is_graded.sum() and is_graded.sum() >= is_declined.sum():
        row = epochs[is_graded].iloc[0].copy()
        row["correct"] = epochs.loc[is_graded, "correct"].mean()
        return row
    return epochs[is_declined].iloc[0] if is_declined.any() else epochs.iloc[0]


def _unmatched_notices(confidence_samples: pd.Index, graded_samples: pd.Index) -> Iterator[str]:
    """Yield notices about samples, by model and item, that have only a confidence or a grade."""
    without_grade = confidence_samples.difference(graded_samples)
    without_confidence = graded_samples.difference(confidence_samples)
    if len(without_grade):
        yield (
            f"--outcome: {len(without_grade)} of {counted(len(confidence_samples), 'sample')} with "
            "a confidence not in any log of outcomes: scoring_failed"
        )
    if len(without_confidence):
        yield (
            f"--outcome: {len(without_confidence)} of {counted(len(graded_samples), 'sample')} "
            "with an outcome left out: no confidence"
        )
