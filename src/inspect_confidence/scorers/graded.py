"""The eval's own scores as numbers, by Inspect's rule."""

import math
from collections.abc import Mapping

from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, Value, value_to_float

from inspect_confidence.grades import Numbers, base_name

OWN = "confidence"
"""Name of this package's scorer, whose scores are never the eval's own."""

_WORDS = {CORRECT, INCORRECT, PARTIAL, NOANSWER}
_TRUTH = {"yes", "no", "true", "false"}
_to_float = value_to_float()


def numbers_of(value: Value) -> Numbers:
    """Return a score's value as numbers, by Inspect's `value_to_float`; NaN without a number.

    Inspect itself takes 0 for a value that it cannot convert.

    Example:
        >>> numbers_of("C"), numbers_of({"truth": 0.5, "style": "vivid"})
        ({'': 1.0}, {'truth': 0.5, 'style': nan})
    """
    if isinstance(value, Mapping):
        return {str(key): _number(part) for key, part in value.items()}
    return {"": _number(value)}


def eval_scores(scores: Mapping[str, Score] | None) -> dict[str, Numbers]:
    """Return the numbers of all scores except this package's."""
    numbers = {}
    for name, score in (scores or {}).items():
        if not is_own(name):
            numbers[name] = numbers_of(score.value)
    return numbers


def is_own(name: str) -> bool:
    """Return whether a score of that name is by this package's scorer."""
    return base_name(name) == OWN


def _number(value: object) -> float:
    if isinstance(value, str):
        is_number = value in _WORDS or value.lower() in _TRUTH or _is_finite(value)
        return _to_float(value) if is_number else math.nan
    return float(value) if isinstance(value, bool | int | float) else math.nan


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
