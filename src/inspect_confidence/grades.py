"""Correctness of an answer by the eval's own scores.

Scores are numbers by scorer and key; a score that is a single number has the key "".
"""

import math
from collections.abc import Mapping, Sequence

from inspect_confidence.answers import ParseFailure

Numbers = Mapping[str, float]
"""The numbers of one score by key."""


def base_name(scorer: str) -> str:
    """Return a scorer's name without the number that Inspect appends to repeated names."""
    return scorer.rstrip("0123456789")


def score_name(scorer: str, key: str) -> str:
    """Return the name of a score in arguments: `match`, or `grade.quality` if it has keys."""
    return f"{scorer}.{key}" if key else scorer


def unknown_score(scores: Mapping[str, Numbers], name: str | None) -> str:
    """Return why a sample has no score of that name; empty if it has one.

    A sample without any number, for example after a failed scorer, is not an error.

    Example:
        >>> unknown_score({"a": {"truth": 0.8}}, "a.trth")
        'the eval has no score a.trth; it has a.truth: name one of them by score= or --score'
        >>> unknown_score({"grade": {"": math.nan}}, "grade.truth")
        ''
    """
    scorer = name.partition(".")[0] if name else ""
    relevant = {scorer: scores.get(scorer, {})} if scorer else scores
    if all(map(math.isnan, _names(relevant).values())):
        return ""
    names = _names(scores)
    if name in names or (name is None and len(names) == 1):
        return ""
    return _unchosen(list(names), name)


def grade(scores: Mapping[str, Numbers], score_label: str | None = None) -> float | ParseFailure:
    """Return the correctness of an answer by a named score, or by the only score.

    Args:
        scores: The eval's own scores, by scorer.
        score_label: Name of a scorer, followed by a point and a key if its score has several
            numbers.

    Returns:
        A number in [0, 1], partial credit as a fraction; or `scoring_failed` if there is no such
        score, the choice is ambiguous, or the number is outside [0, 1].

    Example:
        >>> grade({"match": {"": 1.0}})
        1.0
        >>> grade({"match": {"": 1.0}, "f1": {"": 0.4}}).reason
        'the eval has the scores match, f1: name one of them by score= or --score'
        >>> grade({"grade": {"style": 0.2, "truth": 0.8}}, "grade.truth")
        0.8
    """
    numbers = _names(scores)
    if score_label not in numbers and (score_label or len(numbers) != 1):
        return _failed(_unchosen(list(numbers), score_label))
    name = score_label or next(iter(numbers))
    number = numbers[name]
    if math.isnan(number):
        return _failed(f"the eval's score {name} is no number")
    if not 0 <= number <= 1:
        return _failed(f"the eval's score {name}, {number:g}, is not between 0 and 1")
    return number


def _names(scores: Mapping[str, Numbers]) -> dict[str, float]:
    names: dict[str, float] = {}
    for scorer, numbers in scores.items():
        names |= {score_name(scorer, key): number for key, number in numbers.items()}
    return names


def _unchosen(names: Sequence[str], name: str | None) -> str:
    if not names:
        return f"the eval has no score {name or ''}".rstrip()
    has = f"the eval has no score {name}; it has" if name else "the eval has the scores"
    return f"{has} {', '.join(names)}: name one of them by score= or --score"


def _failed(reason: str) -> ParseFailure:
    return ParseFailure("scoring_failed", reason)
