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

    Only judgments of questions with two choices count, whose right choice is one of the same two
    texts throughout, such as `True` and `False`. Equal confidences are one rating, the same for all
    models. Epochs of an item share its weight. See `metrics.hierarchical_m_ratio`.

    Args:
        source: Judgments, or paths.

    Returns:
        Rows of a data set and method: first the group (`all models`), with the M-ratio, its 95%
        interval, the number of items over all models and the number of models left out; then each
        model with its M-ratio, drawn towards the group's the more the fewer items it has (NaN if
        it is left out, with the reason).

    Raises:
        InvalidArgument: The source is invalid, or has no stated confidence in answers to questions
            with two choices.
    """
    parts = []
    for group in confidence_groups(judgments_of(source)):
        rows = group.rows[group.readable & (group.rows["choices"] == 2).to_numpy()]
        model = " ".join(filter(None, (group.model, group.variant)))
        parts.append(rows.assign(task=group.task, model=model, condition=str(group.condition)))
    rows = pd.concat(parts)
    lines: list[dict[str, object]] = []
    groups = rows.groupby(["task", "dataset", "condition"], sort=False)
    for (task, dataset, condition), answers in groups:
        if answers["target"].nunique() == 2 and answers["correct"].isin((0, 1)).all():
            lines += _lines(answers, {"task": task, "dataset": dataset, "condition": condition})
    if not lines:
        raise InvalidArgument(
            "--group-m-ratio: no stated confidence in answers to questions with two choices. "
            "Give judgments with choices=2 and a target that is one of two texts."
        )
    return pd.DataFrame(lines)


def _lines(answers: pd.DataFrame, key: dict[str, object]) -> list[dict[str, object]]:
    ratings = _ratings(answers["confidence"].to_numpy(float))
    k = int(ratings.max()) + 1
    side = pd.factorize(answers["target"], sort=True)[0]
    response = np.where(answers["correct"] == 1, side, 1 - side)
    column = np.where(response == 0, k - 1 - ratings, k + ratings)
    model, models = pd.factorize(answers["model"])
    weight = 1 / answers.groupby(["model", "item"])["item"].transform("size").to_numpy(float)
    counts = np.zeros((2, len(models), 2 * k))
    np.add.at(counts, (side, model, column), weight)
    items = counts.sum(axis=(0, 2))
    if k < 2:
        reason = "every judgment has the same confidence"
        return [_line(key, ALL_MODELS, np.nan, (np.nan, np.nan), items.sum(), reason)]
    group = hierarchical_m_ratio(counts[0], counts[1])
    left_out = len(models) - group.used
    note = group.reason or (f"{left_out} of {len(models)} models left out" if left_out else "")
    interval = (group.ci_low, group.ci_high)
    lines = [_line(key, ALL_MODELS, group.m_ratio, interval, items.sum(), note)]
    for name, value, n, reason in zip(models, group.units, items, group.left_out, strict=True):
        lines.append(_line(key, str(name), float(value), (np.nan, np.nan), n, reason))
    return lines


def _line(
    key: dict[str, object],
    model: str,
    value: float,
    interval: tuple[float, float],
    items: float,
    note: str,
) -> dict[str, object]:
    low, high = interval
    numbers = {"m_ratio": value, "ci_low": low, "ci_high": high, "n": round(items)}
    return {**key, "model": model, **numbers, "note": note}


def _ratings(confidence: FloatArray) -> IntArray:
    """Return the rating of each confidence, from 0; at most 20 classes."""
    rounded = np.round(confidence, 12)
    values = np.unique(rounded)
    if len(values) > MAX_RATINGS:
        values = np.unique(np.quantile(rounded, np.arange(MAX_RATINGS) / MAX_RATINGS))
    return np.asarray(np.searchsorted(values, rounded, side="right") - 1, np.int64)
