"""Options of the study, and files that say which form stands for each hedge marker."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nextafter
from pathlib import Path

from inspect_confidence.arguments import choice, number, numbers, user_path
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.studies.study import option
from inspect_confidence.user_files import check_shape, read_json
from inspect_confidence.writing import write_file

TASK, CHECK = "hedge_markers", "judge_check"
DEFAULT_THRESHOLD = 10.0
"""T as in the study: sentences that a marker needs. Conditions do not name this T."""


def _read_thresholds(name: str, value: object) -> tuple[float, ...]:
    """Read one or several thresholds, each at least 1."""
    values = value if isinstance(value, list | tuple | str) else [value]
    return tuple(numbers(name, values, above=nextafter(1, 0), below=1e9))


def _read_clamp(name: str, value: object) -> float:
    """Read the clamp, in (0, 1], to which correlations are cut off on both sides of 0.

    It keeps Fisher's z finite, which is infinite at a correlation of 1; a clamp of 1 cuts off none.
    """
    clamp = number(name, value)
    if not 0 < clamp <= 1:
        raise InvalidArgument(f"{name}={value} is not in (0, 1].")
    return clamp


@dataclass(frozen=True)
class HedgeOptions:
    """Options of the study of hedge markers.

    Attributes:
        markers: The form that stands for each hedge marker, from a json file as `canonicalize`
            writes it; rules decide if None.
        marker_thresholds: Thresholds T: how many sentences a marker needs in a data set's split.
            Each T has rows of its own in the results.
        ddof: Coefficients of variation divide the sum of squares by n - ddof; 0 or 1.
        correlation_clamp: Correlations beyond +-clamp, in (0, 1], are set to it before Fisher's
            transformation, which is infinite at 1.
    """

    markers: Mapping[str, str] | None = option(
        None, lambda name, value: read_forms(user_path(name, value)), changes=[TASK]
    )
    marker_thresholds: Sequence[float] = option(
        (DEFAULT_THRESHOLD,), _read_thresholds, changes=[TASK]
    )
    ddof: int = option(1, lambda name, value: int(choice(name, value, ("0", "1"))), changes=[TASK])
    correlation_clamp: float = option(0.9999, _read_clamp, changes=[TASK])


def read_forms(path: Path) -> dict[str, str]:
    """Read the standard form of each marker from a json file.

    Raises:
        InvalidArgument: The file cannot be read, or is no object of texts.
    """
    return check_shape(str(path), read_json(path), dict[str, str])


def write_forms(forms: Mapping[str, str], path: Path) -> None:
    """Write the standard form of each marker as json, which `read_forms` reads.

    Raises:
        InvalidArgument: The file cannot be written.
    """
    write_file(path, json.dumps(forms, ensure_ascii=False, indent=1) + "\n")
