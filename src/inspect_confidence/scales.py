"""Numeric confidence scales: which there are, and how a user names them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from inspect_confidence.errors import InvalidArgument, nearest


class Scale(NamedTuple):
    """A scale of whole numbers.

    Attributes:
        low: What means no confidence.
        high: What means certainty.
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
"""The study's 13 scales, by what they vary."""

BASELINE = Scale(0, 100)
"""What the other scales are compared with."""

ALL = tuple(scale for group in GROUPS.values() for scale in group)


def read_scales(value: object) -> list[Scale]:
    """Scales by name: `all`, a group, or `low-high`, several between commas.

    Raises:
        InvalidArgument: A name is not known, a scale runs the wrong way or is there twice.
    """
    parts = value if isinstance(value, list | tuple) else str(value).split(",")
    found: list[Scale] = []
    for part in (str(part).strip() for part in parts):
        if part == "all":
            found += ALL
        elif part in GROUPS:
            found += GROUPS[part]
        else:
            found.append(_scale(part))
    if not found:
        raise InvalidArgument(f"scales={value} is empty; give some, such as scales=0-100,0-20.")
    if len(set(found)) < len(found):
        raise InvalidArgument(f"scales={value} names a scale twice.")
    return found


def _scale(text: str) -> Scale:
    match = re.fullmatch(r"(\d{1,9})\s*-\s*(\d{1,9})", text)
    if not match:
        known = ["all", *GROUPS, "a scale such as 0-100"]
        raise InvalidArgument(f"scales={text} is not known. {nearest(text, known)}")
    scale = Scale(int(match[1]), int(match[2]))
    if scale.low >= scale.high:
        raise InvalidArgument(f"scales={text}: the first number must be below the second.")
    return scale
