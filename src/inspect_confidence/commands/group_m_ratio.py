"""M-ratio of the group of models that answered the same data set of two-choice questions."""

import numpy as np
import pandas as pd

from inspect_confidence.commands.groups import confidence_groups
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.read import JudgmentSource, judgments_of
from inspect_confidence.metrics import hierarchical_m_ratio
from inspect_confidence.metrics.arrays import FloatArray, IntArray

MAX_RATINGS = 20
"""Most ratings of a fit; more confidences are pooled into classes of equal mass."""

ALL_MODELS = "all models"
"""Name of the group in the column `model`."""


def group_m_ratio(source: JudgmentSource) -> pd.DataFrame:
    """Estimate the M-ratio of the group of models for each data set and elicitation method.

    Only judgments of questions with two choices count, and only data sets in which the right choice
    is always one of the same two texts, such as `True` and `False`. Equal confidences are one
    rating, for all models alike. The epochs of an item share a weight of 1. See
    `metrics.hierarchical_m_ratio`.

    Args:
        source: Judgments, or paths.

    Returns:
        Rows of each data set and method. The first one is the group (`all models`): its M-ratio
        with the 95% interval, the number of items over all models, and in the note the number of
        models left out. A row for each model follows, with an M-ratio that is shrunk towards the
        group's, the more the fewer items it has; NaN, with the reason, for a model left out.

    Raises:
        InvalidArgument: The source is invalid, or has no stated confidence in answers to questions
            with two choices.
    """
    group_rows = []
    for group in confidence_groups(judgments_of(source)):
        rows = group.rows[group.readable & (group.rows["choices"] == 2).to_numpy()]
        model = " ".join(filter(None, (group.model, group.variant)))
        group_rows.append(rows.assign(task=group.task, model=model, condition=str(group.condition)))
    rows = pd.concat(group_rows)
    lines: list[dict[str, object]] = []
    groups = rows.groupby(["task", "dataset", "condition"], sort=False)
    for (task, dataset, condition), answers in groups:
        if answers["target"].nunique() == 2 and answers["correct"].isin((0, 1)).all():
            lines += _group_and_model_lines(
                answers, {"task": task, "dataset": dataset, "condition": condition}
            )
    if not lines:
        raise InvalidArgument(
            "--group-m-ratio: no stated confidence in answers to questions with two choices. "
            "Give judgments with choices=2 and a target that is one of two texts."
        )
    return pd.DataFrame(lines)


def _group_and_model_lines(
    answers: pd.DataFrame, key: dict[str, object]
) -> list[dict[str, object]]:
    """Return the rows of one data set and method: the group, then each model.

    `answers` are judgments of questions with two choices; `key` has the first cells of each row.
    """
    counts, model_names = _response_counts(answers)
    items_by_model = counts.sum(axis=(0, 2))
    if counts.shape[2] < 4:  # two choices with one rating each
        reason = "every judgment has the same confidence"
        return [_line(key, ALL_MODELS, np.nan, (np.nan, np.nan), items_by_model.sum(), reason)]
    group = hierarchical_m_ratio(counts[0], counts[1])
    n_left_out = len(model_names) - group.used
    note = group.reason or (
        f"{n_left_out} of {len(model_names)} models left out" if n_left_out else ""
    )
    interval = (group.ci_low, group.ci_high)
    lines = [_line(key, ALL_MODELS, group.m_ratio, interval, items_by_model.sum(), note)]
    for name, value, n, reason in zip(
        model_names, group.units, items_by_model, group.left_out, strict=True
    ):
        lines.append(_line(key, str(name), float(value), (np.nan, np.nan), n, reason))
    return lines


def _response_counts(answers: pd.DataFrame) -> tuple[FloatArray, pd.Index]:
    """Return counts of responses of shape (right choice, model, response), and the models' names.

    A response is a choice with a rating of confidence; responses go from the surest first choice to
    the surest second choice. The epochs of an item share a weight of 1.
    """
    ratings = _rate_confidences(answers["confidence"].to_numpy(float))
    n_ratings = int(ratings.max()) + 1
    right_choice = pd.factorize(answers["target"], sort=True)[0]
    given_choice = np.where(answers["correct"] == 1, right_choice, 1 - right_choice)
    response = np.where(given_choice == 0, n_ratings - 1 - ratings, n_ratings + ratings)
    model_number, model_names = pd.factorize(answers["model"])
    weights = 1 / answers.groupby(["model", "item"])["item"].transform("size").to_numpy(float)
    counts = np.zeros((2, len(model_names), 2 * n_ratings))
    # `add.at` adds each weight, also if several answers fall into one cell.
    np.add.at(counts, (right_choice, model_number, response), weights)
    return counts, model_names


def _line(
    key: dict[str, object],
    model: str,
    value: float,
    interval: tuple[float, float],
    items: float,
    note: str,
) -> dict[str, object]:
    """Return a row of the table; `items` is a sum of weights."""
    low, high = interval
    numbers = {"m_ratio": value, "ci_low": low, "ci_high": high, "n": round(items)}
    return {**key, "model": model, **numbers, "note": note}


def _rate_confidences(confidence: FloatArray) -> IntArray:
    """Return the rating of each confidence, from 0; more than 20 values are pooled by quantiles."""
    rounded = np.round(confidence, 12)
    values = np.unique(rounded)
    if len(values) > MAX_RATINGS:
        values = np.unique(np.quantile(rounded, np.arange(MAX_RATINGS) / MAX_RATINGS))
    return np.asarray(np.searchsorted(values, rounded, side="right") - 1, np.int64)
