"""What the columns of judgments may hold: files of users are held to it where they are read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import BoolArray


@dataclass(frozen=True)
class Limit:
    """What the values of a column must be.

    Attributes:
        said: In words, after "is not".
        holds: Values, none of them missing or empty -> which of them are so.
        remedy: What is usually meant, after "; "; empty where nothing is.
    """

    said: str
    holds: Callable[[pd.Series], BoolArray]
    remedy: str = ""


def _between(low: float, high: float, *, whole: bool = False) -> Callable[[pd.Series], BoolArray]:
    def holds(values: pd.Series) -> BoolArray:
        numbers = values.to_numpy(float)
        inside: BoolArray = (numbers >= low) & (numbers <= high)
        return inside & (numbers == np.floor(numbers)) if whole else inside

    return holds


def _each(holds: Callable[[str], bool]) -> Callable[[pd.Series], BoolArray]:
    """Of texts, each different one looked at once."""

    def all_hold(values: pd.Series) -> BoolArray:
        good = {one for one in values.unique() if holds(one)}
        return values.isin(good).to_numpy(bool)

    return all_hold


def _is_level(number: float) -> bool:
    return 1 <= number < 100


def _are_levels(text: str) -> bool:
    try:
        return all(_is_level(float(part)) for part in text.split(","))
    except ValueError:
        return False


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_shares(text: str) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # a nested text, or an integer of thousands of digits
        return False
    return isinstance(found, list) and all(map(_is_share, found)) and sum(found) > 0


def _are_shares_of_integers(text: str) -> bool:
    try:
        found = json.loads(text)
        whole = all(abs(int(name)) <= _FARTHEST for name in found)
    except (TypeError, ValueError, RecursionError):
        return False
    return (
        isinstance(found, dict)
        and whole
        and all(map(_is_share, found.values()))
        and sum(found.values()) > 0
    )


_FARTHEST = 10**20
"""Of an exponent that a distribution names; no token is read as one further from zero."""

SHARE = Limit("in [0, 1]", _between(0, 1), "70% is 0.7")
LEVEL = Limit(
    "a percentage from 1 to below 100",
    lambda values: values.map(_is_level).to_numpy(bool),
    "levels are percentages: 90, not 0.9",
)
COUNT = Limit("a whole number from 0 on", _between(0, np.inf, whole=True))
NOT_NEGATIVE = Limit("0 or more", _between(0, np.inf))

_LIMITS: Mapping[str, Limit] = {
    "share": SHARE,
    "reported": replace(
        SHARE,
        remedy="give a share, or `low`, `high` and `raw` for a report on another scale "
        "(--confidence-scale 0-100)",
    ),
    "level": LEVEL,
    "levels": Limit("percentages with commas, such as 80,90", _each(_are_levels), LEVEL.remedy),
    "count": COUNT,
    "amount": NOT_NEGATIVE,
    "shares": Limit("a JSON list of numbers from 0 to 1 such as [0.7, 0.3]", _each(_are_shares)),
    "shares_of_integers": Limit(
        'a JSON object of integers and numbers from 0 to 1 such as {"3": 0.7}',
        _each(_are_shares_of_integers),
    ),
}


def limits(schema: str) -> dict[str, Limit]:
    """Columns with their limits, by name, from `confidence:share draws:count`."""
    pairs = (one.split(":") for one in schema.split())
    return {column: _LIMITS[name] for column, name in pairs}


COMMON_LIMITS: Mapping[str, Limit] = limits("draw:count epoch:count")
"""Of the columns that the judgments of every task have."""
