"""Numeric confidence scales and their names in arguments."""

import re
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from inspect_confidence.errors import InvalidArgument, nearest


class Scale(NamedTuple):
    """A scale of whole numbers.

    Attributes:
        low: Number for no confidence.
        high: Number for certainty.
    """

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


GROUPS: Mapping[str, tuple[Scale, ...]] = {
    "granularity": tuple(Scale(0, high) for high in (5, 10, 20, 50, 100)),
    "boundary": tuple(Scale(low, 100) for low in (20, 40, 60)),
    "nonstandard": (Scale(0, 73), Scale(14, 86), Scale(7, 79), Scale(3, 38), Scale(0, 97)),
}
"""The study's 13 scales, by the property that they vary."""

BASELINE = Scale(0, 100)
"""Scale with which the others are compared."""

ALL = tuple(chain.from_iterable(GROUPS.values()))


def read_scales(value: object) -> list[Scale]:
    """Read scales from names: `all`, a group, or `low-high`, separated by commas.

    Raises:
        InvalidArgument: A name is unknown, a scale does not ascend or is named twice.
    """
    parts = value if isinstance(value, list | tuple) else str(value).split(",")
    scales: list[Scale] = []
    for part in (str(part).strip() for part in parts):
        if part == "all":
            scales += ALL
        elif part in GROUPS:
            scales += GROUPS[part]
        else:
            scales.append(_scale(part))
    if not scales:
        raise InvalidArgument(f"scales={value} is empty; name scales, such as scales=0-100,0-20.")
    if len(set(scales)) < len(scales):
        raise InvalidArgument(f"scales={value} names a scale twice.")
    return scales


def _scale(text: str) -> Scale:
    match = re.fullmatch(r"(\d{1,9})\s*-\s*(\d{1,9})", text)
    if not match:
        names = ["all", *GROUPS, "a scale such as 0-100"]
        raise InvalidArgument(f"scales={text} is not known. {nearest(text, names)}")
    scale = Scale(int(match[1]), int(match[2]))
    if scale.low >= scale.high:
        raise InvalidArgument(f"scales={text}: the first number must be below the second.")
    return scale
