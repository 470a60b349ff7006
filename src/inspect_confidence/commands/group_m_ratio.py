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
    is always one of the same two texts, such as `True` and `False`, and every answer is right or
    wrong. Equal confidences are one rating, for all models alike. The epochs of an item share a
    weight of 1. See `metrics.hierarchical_m_ratio`.

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
    """Return the M-ratios (meta-d'/d') of a data set and method as rows: group, then models.

    `answers` are judgments of questions with two choices; `key` has the first cells of each row. If
    all judgments have one confidence, there is only the row of the group, with NaN and the reason.
    """
    counts, model_names = _response_counts(answers)  # (right choice, model, response)
    items_by_model = counts.sum(axis=(0, 2))
    if counts.shape[2] < 4:  # two choices with one rating each
        reason = "every judgment has the same confidence"
        rows = [(ALL_MODELS, np.nan, np.nan, np.nan, items_by_model.sum(), reason)]
    else:
        group = hierarchical_m_ratio(counts[0], counts[1])  # by right choice: (model, response)
        n_left_out = len(model_names) - group.used
        models_note = f"{n_left_out} of {len(model_names)} models left out" if n_left_out else ""
        note = group.reason or models_note
        ends = (group.ci_low, group.ci_high)
        rows = [(ALL_MODELS, group.m_ratio, *ends, items_by_model.sum(), note)]
        models = zip(model_names, group.units, items_by_model, group.left_out, strict=True)
        for name, m_ratio, items, reason in models:
            rows.append((str(name), float(m_ratio), np.nan, np.nan, items, reason))
    lines = []
    for model, m_ratio, low, high, items, note in rows:
        numbers = {"m_ratio": m_ratio, "ci_low": low, "ci_high": high, "n": round(items)}
        lines.append({**key, "model": model, **numbers, "note": note})
    return lines


def _response_counts(answers: pd.DataFrame) -> tuple[FloatArray, pd.Index]:
    """Return counts of responses of shape (right choice, model, response), and the models' names.

    A response is a choice with a rating of confidence, from 0; responses go from the surest first
    choice to the surest second choice, as fits of meta-d' take them. The epochs of an item share a
    weight of 1. The two texts in the column `target`, in alphabetical order, are the choices.
    """
    ratings = _rate_confidences(answers["confidence"].to_numpy(float))
    n_ratings = int(ratings.max()) + 1
    right_choice = pd.factorize(answers["target"], sort=True)[0]
    given_choice = np.where(answers["correct"] == 1, right_choice, 1 - right_choice)
    # With two ratings: 0 is a sure first choice, 1 an unsure one, 2 an unsure second, 3 a sure one.
    response = np.where(given_choice == 0, n_ratings - 1 - ratings, n_ratings + ratings)
    model_number, model_names = pd.factorize(answers["model"])
    weights = 1 / answers.groupby(["model", "item"])["item"].transform("size").to_numpy(float)
    counts = np.zeros((2, len(model_names), 2 * n_ratings))
    # `add.at` adds each weight, also if several answers fall into one cell.
    np.add.at(counts, (right_choice, model_number, response), weights)
    return counts, model_names


def _rate_confidences(confidence: FloatArray) -> IntArray:
    """Return the rating of each confidence: 0 for the lowest value, 1 for the next one.

    More than 20 values are pooled into up to 20 classes of equal mass, from quantiles; ties may
    leave fewer.
    """
    rounded = np.round(confidence, 12)  # 0.1 + 0.2 and 0.3 are one value
    values = np.unique(rounded)
    if len(values) > MAX_RATINGS:
        values = np.unique(np.quantile(rounded, np.arange(MAX_RATINGS) / MAX_RATINGS))
    return np.asarray(np.searchsorted(values, rounded, side="right") - 1, np.int64)
