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

TASK = "hedge_markers"
DEFAULT_THRESHOLD = 10.0
"""T of the study, which conditions leave out."""


def _thresholds(name: str, value: object) -> tuple[float, ...]:
    values = value if isinstance(value, list | tuple | str) else [value]
    return tuple(numbers(name, values, above=nextafter(1, 0), below=1e9))


def _clamp(name: str, value: object) -> float:
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
        marker_thresholds: T: how many sentences a marker needs in a data set's split; each of
            several has rows of its own.
        ddof: n - ddof divides the squares in coefficients of variation; 0 or 1.
        correlation_clamp: Correlations are kept within it, in (0, 1], before Fisher's
            transformation.
    """

    markers: Mapping[str, str] | None = option(
        None, lambda name, value: read_forms(user_path(name, value)), changes=[TASK]
    )
    marker_thresholds: Sequence[float] = option((DEFAULT_THRESHOLD,), _thresholds, changes=[TASK])
    ddof: int = option(1, lambda name, value: int(choice(name, value, ("0", "1"))), changes=[TASK])
    correlation_clamp: float = option(0.9999, _clamp, changes=[TASK])


def read_forms(path: Path) -> dict[str, str]:
    """Read the forms in a json file.

    Raises:
        InvalidArgument: It holds something else.
    """
    return check_shape(str(path), read_json(path), dict[str, str])


def write_forms(forms: Mapping[str, str], path: Path) -> None:
    """Write forms as `read_forms` takes them.

    Raises:
        InvalidArgument: The file can't be written.
    """
    write_file(path, json.dumps(forms, ensure_ascii=False, indent=1) + "\n")
