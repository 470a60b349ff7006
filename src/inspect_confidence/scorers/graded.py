"""The eval's own scores as numbers, by Inspect's rule."""

import math
from collections.abc import Mapping

from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, Value, value_to_float

from inspect_confidence.grades import Numbers, base_name

OWN = "confidence"
"""The scorer of this package that is never the eval's own."""

_WORDS = {CORRECT, INCORRECT, PARTIAL, NOANSWER}
_TRUTH = {"yes", "no", "true", "false"}
_to_float = value_to_float()


def numbers_of(value: Value) -> Numbers:
    """A score's value by Inspect's `value_to_float`, NaN where that has no number for it.

    Inspect itself takes 0 for what it can't convert.

    Example:
        >>> numbers_of("C"), numbers_of({"truth": 0.5, "style": "vivid"})
        ({'': 1.0}, {'truth': 0.5, 'style': nan})
    """
    if isinstance(value, Mapping):
        return {str(key): _number(one) for key, one in value.items()}
    return {"": _number(value)}


def eval_scores(scores: Mapping[str, Score] | None) -> dict[str, Numbers]:
    """The numbers of all scorers but ours."""
    there = scores or {}
    return {name: numbers_of(there[name].value) for name in there if not is_own(name)}


def is_own(name: str) -> bool:
    """Whether a score of that name is by our scorer."""
    return base_name(name) == OWN


def _number(value: object) -> float:
    if isinstance(value, str):
        known = value in _WORDS or value.lower() in _TRUTH or _is_finite(value)
        return _to_float(value) if known else math.nan
    return float(value) if isinstance(value, bool | int | float) else math.nan


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
