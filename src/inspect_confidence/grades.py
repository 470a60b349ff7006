"""What an eval's own scores say of an answer: how right it is, or why that isn't known.

Pure: scores come as numbers, by scorer and, where a score has several, by key; a score that is one
number has the key "".
"""

import math
from collections.abc import Mapping

from inspect_confidence.answers import Unreadable

Numbers = Mapping[str, float]
"""A score's numbers by key."""


def unnumbered(scorer: str) -> str:
    """A scorer's name without the number by which Inspect tells several of one name apart."""
    return scorer.rstrip("0123456789")


def name_of(scorer: str, key: str) -> str:
    """As arguments name it: `match`, or `grade.quality` where a score has several numbers."""
    return f"{scorer}.{key}" if key else scorer


def grade(scores: Mapping[str, Numbers], named: str | None = None) -> float | Unreadable:
    """How right an answer is by the score of that name, or by the only number that there is.

    Args:
        scores: The eval's own, by scorer.
        named: A scorer, with a key after a point where its score has several numbers.

    Returns:
        A number in [0, 1], partial credit as a fraction; or `scoring_failed`, where none is there,
        two or more are and none is named, or it lies outside.

    Example:
        >>> grade({"match": {"": 1.0}})
        1.0
        >>> grade({"match": {"": 1.0}, "f1": {"": 0.4}}).reason
        'the eval has the scores match, f1: name one of them by score= or --score'
        >>> grade({"grade": {"style": 0.2, "truth": 0.8}}, "grade.truth")
        0.8
    """
    found = {
        name_of(scorer, key): number
        for scorer, numbers in scores.items()
        for key, number in numbers.items()
    }
    listed = ", ".join(found)
    if named is not None:
        found = {name: number for name, number in found.items() if name == named}
    if not found:
        has = f"; it has {listed}" if listed else ""
        return _failed(f"the eval has no score {named}{has}" if named else "the eval has no score")
    if len(found) > 1:
        return _failed(f"the eval has the scores {listed}: name one of them by score= or --score")
    ((name, number),) = found.items()
    if math.isnan(number):
        return _failed(f"the eval's score {name} is no number")
    if not 0 <= number <= 1:
        return _failed(f"the eval's score {name}, {number:g}, is not between 0 and 1")
    return number


def _failed(why: str) -> Unreadable:
    return Unreadable("scoring_failed", why)
