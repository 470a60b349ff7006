"""Confidence from one log and the graded answer from another one, joined by model and sample."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

_KEY = ["model", "item"]
_TAKEN = ("dataset", "target", "answer", "choices", "correct", "scorer")
"""Columns that come from the log with the graded answer."""


def join_outcomes(confidence: pd.DataFrame, graded: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return judgments of confidence with the grades that other logs of the model have.

    A judgment whose answer was declined becomes `declined`. A readable judgment gets the status of
    its answer's grading if the answer was not graded, and `scoring_failed` without a counterpart.
    The grade of several epochs is their mean; an answer that most epochs declined is declined.

    Args:
        confidence: Judgments of confidence.
        graded: Judgments of the graded answers, a row for each sample and epoch.

    Returns:
        The judgments and notices with the numbers of samples that have no counterpart.
    """
    outcomes = pd.DataFrame(map(_outcome_of, _samples(graded)), columns=graded.columns)
    indexed = outcomes.set_index(_KEY)
    keys = pd.MultiIndex.from_frame(confidence[_KEY])
    is_matched = keys.isin(indexed.index)
    joined = confidence.copy()
    matches = indexed.reindex(keys)
    for name in _TAKEN:
        joined[name] = np.where(is_matched, matches[name].to_numpy(), joined[name].to_numpy())
    joined["correct"] = joined["correct"].astype(float)
    joined["choices"] = joined["choices"].astype(float)
    status = np.where(is_matched, matches["status"].to_numpy(), "scoring_failed")
    reason = np.where(
        is_matched, matches["reason"].to_numpy(), "no log of --outcome has the sample"
    )
    is_replaced = (status == "declined") | (
        (joined["status"] == "ok").to_numpy() & (status != "ok")
    )
    joined["status"] = np.where(is_replaced, status, joined["status"])
    joined["reason"] = np.where(is_replaced, reason, joined["reason"])
    return joined, list(_notices(keys.unique(), indexed.index))


def _samples(graded: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for _, epochs in graded.groupby(_KEY, sort=False):
        yield epochs


def _outcome_of(epochs: pd.DataFrame) -> pd.Series:
    """Return the row that stands for all epochs of a sample."""
    is_read = epochs["status"] == "ok"
    is_declined = epochs["status"] == "declined"
    if is_read.sum() and is_read.sum() >= is_declined.sum():
        outcome = epochs[is_read].iloc[0].copy()
        outcome["correct"] = epochs.loc[is_read, "correct"].mean()
        return outcome
    return epochs[is_declined].iloc[0] if is_declined.any() else epochs.iloc[0]


def _notices(asked: pd.Index, answered: pd.Index) -> Iterator[str]:
    without_grade, without_confidence = asked.difference(answered), answered.difference(asked)
    if len(without_grade):
        yield (
            f"--outcome: {len(without_grade)} of {len(asked)} samples with a confidence are in no "
            "log of outcomes; they are scoring_failed"
        )
    if len(without_confidence):
        yield (
            f"--outcome: {len(without_confidence)} of {len(answered)} samples with an outcome have "
            "no confidence; they were left out"
        )
