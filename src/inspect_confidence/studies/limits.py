"""Allowed values of the columns of judgments, which users' files are checked against."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import BoolArray


@dataclass(frozen=True)
class Limit:
    """A condition that the values of a column must meet.

    Attributes:
        description: The condition in words, after "is not".
        holds: Values, none of them missing or empty -> which of them meet it.
        remedy: Hint at what was probably meant, after "; "; may be empty.
    """

    description: str
    holds: Callable[[pd.Series], BoolArray]
    remedy: str = ""


def _between(low: float, high: float, *, whole: bool = False) -> Callable[[pd.Series], BoolArray]:
    def holds(values: pd.Series) -> BoolArray:
        numbers = values.to_numpy(float)
        inside: BoolArray = (numbers >= low) & (numbers <= high)
        return inside & (numbers == np.floor(numbers)) if whole else inside

    return holds


def _each_text(holds: Callable[[str], bool]) -> Callable[[pd.Series], BoolArray]:
    """Check texts, each different one once."""

    def all_hold(values: pd.Series) -> BoolArray:
        valid = {text for text in values.unique() if holds(text)}
        return values.isin(valid).to_numpy(bool)

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
        shares = json.loads(text)
    except (ValueError, RecursionError):  # a nested text, or an integer of thousands of digits
        return False
    return isinstance(shares, list) and all(map(_is_share, shares)) and sum(shares) > 0


def _are_shares_of_integers(text: str) -> bool:
    try:
        shares = json.loads(text)
        are_integers = all(abs(int(name)) <= _LARGEST_EXPONENT for name in shares)
    except (TypeError, ValueError, RecursionError):
        return False
    return (
        isinstance(shares, dict)
        and are_integers
        and all(map(_is_share, shares.values()))
        and sum(shares.values()) > 0
    )


_LARGEST_EXPONENT = 10**20
"""Largest absolute exponent in a distribution; no token is read as a larger one."""

SHARE = Limit("in [0, 1]", _between(0, 1), "70% is 0.7")
LEVEL = Limit(
    "a percentage from 1 to below 100",
    lambda values: values.map(_is_level).to_numpy(bool),
    "levels are percentages: 90, not 0.9",
)
REPORTED = replace(SHARE, remedy="name the scale of the reports, such as --confidence-scale 0-100")
"""Limit of a confidence that may be a report on another scale."""
COUNT = Limit("a whole number from 0 on", _between(0, np.inf, whole=True))
NOT_NEGATIVE = Limit("0 or more", _between(0, np.inf))

_LIMITS: Mapping[str, Limit] = {
    "share": SHARE,
    "reported": REPORTED,
    "target": Limit("in [0, 1)", _between(0, np.nextafter(1, 0)), "75% is 0.75"),
    "level": LEVEL,
    "levels": Limit(
        "percentages with commas, such as 80,90", _each_text(_are_levels), LEVEL.remedy
    ),
    "count": COUNT,
    "amount": NOT_NEGATIVE,
    "shares": Limit(
        "a JSON list of numbers from 0 to 1 such as [0.7, 0.3]", _each_text(_are_shares)
    ),
    "shares_of_integers": Limit(
        'a JSON object of integers and numbers from 0 to 1 such as {"3": 0.7}',
        _each_text(_are_shares_of_integers),
    ),
}


def limits(schema: str) -> dict[str, Limit]:
    """Parse limits by column from `confidence:share draws:count`."""
    pairs = (column.split(":") for column in schema.split())
    return {column: _LIMITS[name] for column, name in pairs}


COMMON_LIMITS: Mapping[str, Limit] = limits("draw:count epoch:count")
"""Limits of the columns that the judgments of every task have."""
