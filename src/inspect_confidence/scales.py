"""Numeric confidence scales and their names in arguments."""

import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.printing import counted


class Scale(NamedTuple):
    """A scale of numbers; its ends are floats if they were written with decimals.

    Attributes:
        low: Number for no confidence.
        high: Number for certainty.
    """

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    @property
    def has_decimals(self) -> bool:
        """Whether numbers with decimals are asked for: an end has decimals, or the upper is 1."""
        return not (isinstance(self.low, int) and isinstance(self.high, int)) or self.high == 1


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
    for part in map(str.strip, map(str, parts)):
        if part == "all":
            scales += ALL
        elif part in GROUPS:
            scales += GROUPS[part]
        elif scale := _parse_scale("scales", part, r"\d{1,9}"):
            scales.append(scale)
        else:
            names = ["all", *GROUPS, "a scale such as 0-100"]
            raise InvalidArgument(f"scales={part} is not known. {nearest(part, names)}")
    if not scales:
        raise InvalidArgument(f"scales={value} is empty; name scales, such as scales=0-100,0-20.")
    if len(set(scales)) < len(scales):
        raise InvalidArgument(f"scales={value} names a scale twice.")
    return scales


def read_scale(value: object) -> Scale:
    """Read one scale, `low-high`, whose ends may have decimals: `0-100`, `0.0-1.0`.

    Raises:
        InvalidArgument: The value is not one scale, or the scale does not ascend.
    """
    scale = _parse_scale("scale", str(value).strip(), r"\d{1,9}(?:\.\d{1,6})?")
    if scale is None:
        raise InvalidArgument(f"scale={value} is not one scale; give one such as 0-100.")
    return scale


def _parse_scale(argument: str, text: str, end: str) -> Scale | None:
    """Return the scale of a text such as `0-100`; None for another text.

    `end` is the pattern of its ends, and `argument` the name of the argument in an error.
    """
    match = re.fullmatch(rf"({end})\s*-\s*({end})", text)
    if not match:
        return None
    low, high = (float(number) if "." in number else int(number) for number in match.groups())
    scale = Scale(low, high)
    if scale.low >= scale.high:
        raise InvalidArgument(f"{argument}={text}: the first number must be below the second.")
    return scale


_MOST_MISTAKES = 0.1
"""Share of values up to which those beyond a scale are taken for mistakes."""


PlaceOf = Callable[[int], str]
"""Position of a value, from 0 -> its place in a file, such as `line 3`; empty if not known."""


def _no_place(position: int) -> str:
    """Return no place: the default for values that are not from a file."""
    return ""


def _first_example(values: NDArray[np.float64], flags: NDArray[np.bool_], place_of: PlaceOf) -> str:
    """Return the first value with a flag, with its place if that is known: `0.9 in line 3`."""
    position = int(np.flatnonzero(flags)[0])
    place = place_of(position)
    return f"{values[position]:g}{f' in {place}' if place else ''}"


def other_scale(
    values: NDArray[np.float64], low: float, high: float, place_of: PlaceOf = _no_place
) -> str:
    """Return how values contradict the scale that they are said to be on; empty if they do not.

    Values from 2 on contradict a scale from 0 to 1 if they are more than a tenth of all; fewer are
    mistakes. A scale that begins at 1 or less and ends at 2 or more is contradicted by values
    between 0 and 1 (on a scale that ends below 20, by more than a tenth of all values), unless a
    value above 1 has decimals. If it begins below 1, it is also contradicted by values of which the
    largest is 1. Any scale is contradicted by values, two or more, of which most are outside it by
    more than 5% of its width. `low` and `high` are the scale's ends; no value is missing. The
    example has its place by `place_of`.

    Example:
        >>> other_scale(np.array([0.85, 19, 7]), 0, 20)
        '1 of 3 values between 0 and 1, such as 0.85, and 2 above 1; bring them to one scale'
        >>> other_scale(np.array([0.4, 12.7, 90]), 0, 100)
        ''
    """
    above = values >= 2
    if low == 0 and high == 1 and above.sum() > _MOST_MISTAKES * len(values):
        return (
            f"{above.sum()} of {counted(len(values), 'value')} from 2 on, such as "
            f"{_first_example(values, above, place_of)}, and {(~above).sum()} below; give the "
            "scale that they are on, such as 0-100, or bring them to one scale"
        )
    far_outside = _are_far_outside(values, low, high)
    if len(values) > 1 and far_outside.mean() > 0.5:
        return (
            f"{far_outside.sum()} of {len(values)} values outside {low:g}-{high:g}, such as "
            f"{_first_example(values, far_outside, place_of)}; give the scale that they are on"
        )
    if high < 2 or low > 1 or not len(values):
        return ""
    # Values that may be shares, on a scale that is none.
    is_fraction = (values > 0) & (values < 1)
    larger = values > 1
    # A scale with decimals, such as 0.4 and 12.7 on 0-100, has values below 1 of its own.
    # A share times 100 may differ from a whole number in its last digits: 56.00000000000001.
    is_whole = np.allclose(values[larger], values[larger].round(), rtol=1e-12, atol=0)
    # On a short scale, such as 0-10, a model may state 0.5: a tenth of the values may be below 1.
    most_fractions = 0 if high >= 20 else 0.1 * len(values)
    is_mixed = is_whole and int(is_fraction.sum()) > most_fractions
    ends_at_1 = low < 1 and not larger.any() and bool((values == 1).any())
    if not (is_mixed or ends_at_1):
        return ""
    example = ""
    if is_fraction.any():
        example = f"such as {_first_example(values, is_fraction, place_of)}, "
    if not larger.any():
        shares = int((values >= 0).sum())
        return (
            f"{shares} of {counted(len(values), 'value')} from 0 to 1, {example}and none above 1; "
            "leave the option out"
        )
    half_percent = ", or write 0.5% if half a percent is meant" if (low, high) == (0, 100) else ""
    return (
        f"{is_fraction.sum()} of {counted(len(values), 'value')} between 0 and 1, {example}and "
        f"{larger.sum()} above 1; bring them to one scale{half_percent}"
    )


def low_values(values: NDArray[np.float64], low: float, high: float) -> str:
    """Return a remark on values that all lie low on a scale; empty otherwise.

    Such values may have been stated on a shorter scale. Low is the lowest tenth; of a scale at most
    10 wide also the lower half, for 20 whole numbers or more, as 1 to 5 on 0-10. There is no remark
    if all values are `low`, or if the scale is not wider than 1. `low` and `high` are the scale's
    ends; no value is missing.

    Example:
        >>> low_values(np.array([3.0, 10, 8]), 0, 100)[:44]
        'from 3 to 10, the lowest tenth of 0-100; if '
        >>> low_values(np.array([3.0, 11, 8]), 0, 100)
        ''
    """
    width = high - low
    if width <= 1 or not len(values):
        return ""
    minimum, maximum = values.min(), values.max()
    are_many_whole = len(values) >= _MANY_VALUES and bool((values % 1 == 0).all())
    if low < maximum <= low + width / 10:
        part = "lowest tenth"
    elif width <= _SHORT_SCALE and are_many_whole and low < maximum <= low + width / 2:
        part = "lower half"
    else:
        return ""
    return (
        f"from {minimum:g} to {maximum:g}, the {part} of {low:g}-{high:g}; if they are on "
        "another scale, give it: --confidence-scale LOW-HIGH"
    )


_MANY_VALUES, _SHORT_SCALE = 20, 10
"""Number and width from and up to which whole numbers in the lower half of a scale are remarked."""


def values_just_outside(
    values: NDArray[np.float64], low: float, high: float, place_of: PlaceOf = _no_place
) -> str:
    """Return a remark on values outside a scale by at most 5% of its width; empty without any.

    They count as the scale's end, which is wrong for a -1 that stands for a missing value. `low`
    and `high` are the scale's ends; no value is missing. The example has its place by `place_of`.

    Example:
        >>> values_just_outside(np.array([-1.0, 50, 104, 120]), 0, 100)[:50]
        '2 of 4 values just outside 0-100, such as -1: they'
    """
    excess = np.maximum(low - values, values - high)
    is_outside = (excess > 0) & (excess * 20 <= high - low)
    if not is_outside.any():
        return ""
    return (
        f"{is_outside.sum()} of {counted(len(values), 'value')} just outside {low:g}-{high:g}, "
        f"such as {_first_example(values, is_outside, place_of)}: they count as its ends; leave "
        "missing values empty"
    )


def _are_far_outside(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.bool_]:
    """Return whether values are outside a scale by more than 5% of its width."""
    return np.maximum(low - values, values - high) * 20 > high - low


def values_far_outside(
    values: NDArray[np.float64], low: float, high: float, place_of: PlaceOf = _no_place
) -> str:
    """Return a remark on values outside a scale by more than 5% of its width; empty without any.

    They are parse failures (`out_of_range`). `low` and `high` are the scale's ends; no value is
    missing. The example has its place by `place_of`.

    Example:
        >>> values_far_outside(np.array([-1.0, 50, 104, 150]), 0, 100)
        '1 of 4 values is outside 0-100, such as 150: a parse failure each'
    """
    is_outside = _are_far_outside(values, low, high)
    if not is_outside.any():
        return ""
    n = int(is_outside.sum())
    return (
        f"{n} of {counted(len(values), 'value')} {'is' if n == 1 else 'are'} outside "
        f"{low:g}-{high:g}, such as {_first_example(values, is_outside, place_of)}: a parse "
        "failure each"
    )


_BINARY_REMARK = (
    "holds only 0 and 1, as a verdict does; if they are confidences all the same, say so with "
    "--confidence-scale 0-1"
)
_VERDICT_REMARK = (
    "is the same for all right answers, and for all wrong ones, so it is a verdict; name what "
    "holds the confidence: --confidence-from FIELD in logs, --column confidence=COLUMN in files"
)
_LEAST_JUDGMENTS = 10
"""Judgments from which on a field that follows from correctness is no accident."""


def verdict_remark(
    values: NDArray[np.float64], correct: NDArray[np.float64], *, has_scale: bool
) -> str:
    """Return why values look like verdicts and not like confidences; empty if they do not.

    They do if they are only 0 and 1, or if they follow the grade: there are ten values or more, and
    all answers of a grade (at least two) have the same value, different from that of other grades.

    Args:
        values: Recorded values, without missing ones.
        correct: Grade of each answer; NaN if there is none.
        has_scale: Whether the scale of the values is given, which allows 0 and 1 alone.

    Example:
        >>> verdict_remark(np.array([0.0, 1, 1]), np.array([0.0, 0, 1]), has_scale=False)[:37]
        'holds only 0 and 1, as a verdict does'
        >>> verdict_remark(np.array([0.2, 0.9] * 5), np.array([0.0, 1] * 5), has_scale=True)[:38]
        'is the same for all right answers, and'
        >>> verdict_remark(np.array([0.2, 0.9, 0.8]), np.array([0.0, 1, 1]), has_scale=False)
        ''
    """
    if not has_scale and set(values) == {0, 1}:
        return _BINARY_REMARK
    # A verdict follows the grade: constant within each grade, another constant for each other one.
    groups = [values[correct == grade] for grade in np.unique(correct[~np.isnan(correct)])]
    are_constant = all(len(group) > 1 and len(set(group)) == 1 for group in groups)
    are_distinct = len({group[0] for group in groups}) == len(groups)
    has_enough = len(values) >= _LEAST_JUDGMENTS and len(groups) > 1
    return _VERDICT_REMARK if has_enough and are_constant and are_distinct else ""
