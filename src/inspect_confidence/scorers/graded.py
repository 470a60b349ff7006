"""Grades that the eval's own scores give."""

from collections.abc import Mapping
from typing import cast

from inspect_ai.scorer import Score, Value

from inspect_confidence.answers import STATUSES, FailureStatus, ParseFailure
from inspect_confidence.grades import (
    Grade,
    Grades,
    base_name,
    is_missing,
    read_grade,
    read_three_way,
)

OWN = "confidence"
"""Name of this package's scorer, whose scores are never the eval's own."""


def grades_of(value: Value, reason: str | None = None) -> Grades:
    """Return the grades of a score's value by key, "" for a single grade.

    Inspect's letters, words and numbers are read by `read_grade`. A score with the keys `correct`,
    `incorrect` and `not_attempted` is a single grade.

    Args:
        value: Value of the score.
        reason: Why the eval left it unscored, as Inspect records it; it becomes the status of a
            missing grade.

    Example:
        >>> grades_of("C"), grades_of({"truth": 0.5, "style": 1})
        ({'': 1.0}, {'truth': 0.5, 'style': 1.0})
        >>> grades_of("N")[""].status, grades_of(float("nan"), "grader_failed")[""].status
        ('declined', 'grader_failed')
    """
    if not isinstance(value, Mapping):
        return {"": _grade(value, reason)}
    single = read_three_way(value)
    if single is not None:
        return {"": single}
    return {str(key): _grade(part, reason) for key, part in value.items()}


def eval_grades(scores: Mapping[str, Score] | None) -> dict[str, Grades]:
    """Return the grades of all scores except this package's, by scorer."""
    grades = {}
    for name, score in (scores or {}).items():
        if not is_own(name):
            grades[name] = grades_of(score.value, score.reason)
    return grades


def is_own(name: str) -> bool:
    """Return whether a score of that name is by this package's scorer."""
    return base_name(name) == OWN


def _grade(value: object, reason: str | None) -> Grade:
    """Return the grade of one value; of a missing one the eval's `reason` for that, if any."""
    if not reason or not is_missing(value):
        return read_grade(value)
    status = reason if reason in STATUSES - {"ok"} else "scoring_failed"
    return ParseFailure(cast(FailureStatus, status), f"the eval left it unscored ({reason})")
