"""What an eval's own scores say of an answer: how right it is, or why that isn't known.

Pure: scores come as numbers, by scorer and, where a score has several, by key; a score that is one
number has the key "".
"""

import math
from collections.abc import Mapping, Sequence

from inspect_confidence.answers import ParseFailure

Numbers = Mapping[str, float]
"""A score's numbers by key."""


def unnumbered(scorer: str) -> str:
    """A scorer's name without the number by which Inspect tells several of one name apart."""
    return scorer.rstrip("0123456789")


def name_of(scorer: str, key: str) -> str:
    """As arguments name it: `match`, or `grade.quality` where a score has several numbers."""
    return f"{scorer}.{key}" if key else scorer


def unknown_score(scores: Mapping[str, Numbers], name: str | None) -> str:
    """Return why no score of a sample is the one that is meant; empty where one is.

    A sample whose scorer gave nothing, or no number at all, tells nothing about the others.

    Example:
        >>> unknown_score({"a": {"truth": 0.8}}, "a.trth")
        'the eval has no score a.trth; it has a.truth: name one of them by score= or --score'
        >>> unknown_score({"grade": {"": math.nan}}, "grade.truth")
        ''
    """
    scorer = name.partition(".")[0] if name else ""
    numbers = [scores.get(scorer, {})] if scorer else list(scores.values())
    if all(math.isnan(number) for keys in numbers for number in keys.values()):
        return ""
    names = _names(scores)
    if name in names or (name is None and len(names) == 1):
        return ""
    return _unchosen(list(names), name)


def grade(scores: Mapping[str, Numbers], named: str | None = None) -> float | ParseFailure:
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
    numbers = _names(scores)
    if named not in numbers and (named or len(numbers) != 1):
        return _failed(_unchosen(list(numbers), named))
    name = named or next(iter(numbers))
    number = numbers[name]
    if math.isnan(number):
        return _failed(f"the eval's score {name} is no number")
    if not 0 <= number <= 1:
        return _failed(f"the eval's score {name}, {number:g}, is not between 0 and 1")
    return number


def _names(scores: Mapping[str, Numbers]) -> dict[str, float]:
    """All numbers, by the names that arguments have for them."""
    names: dict[str, float] = {}
    for scorer, numbers in scores.items():
        names |= {name_of(scorer, key): number for key, number in numbers.items()}
    return names


def _unchosen(names: Sequence[str], name: str | None) -> str:
    if not names:
        return f"the eval has no score {name or ''}".rstrip()
    has = f"the eval has no score {name}; it has" if name else "the eval has the scores"
    return f"{has} {', '.join(names)}: name one of them by score= or --score"


def _failed(why: str) -> ParseFailure:
    return ParseFailure("scoring_failed", why)
