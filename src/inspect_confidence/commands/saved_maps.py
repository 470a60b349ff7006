"""The file of maps that `recalibrate` writes: its shape, and what a map in it must be."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import Discriminator, Field, NonNegativeInt, Tag, model_validator

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import RECALIBRATIONS, Recalibration
from inspect_confidence.metrics.recalibration import CLIP
from inspect_confidence.user_files import Section, check_shape

FORMAT: Final = "inspect_confidence recalibration 1"
STEEPEST = 1e12
"""Slope and shift of a map at most; steeper ones are a step between any two confidences."""
FARTHEST = 1e12
"""Offset of a bound at most, in its unit; sums with it don't overflow."""
LEAST_CLIP = 1e-15
"""How far from 0 and 1 confidence is held at least; 1 less what is smaller is 1."""

_Share = Annotated[float, Field(ge=0, le=1)]
_Slope = Annotated[float, Field(ge=0, le=STEEPEST)]
_Way = dict[str, str | float | int | bool | None]


class Train(Section):
    """The train items: those of a split, or of a half that a seed tells."""

    split: Literal["train"] | None = None
    halves: int | None = None

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.split is None) == (self.halves is None):
            raise ValueError("it has either `split` or `halves`")
        return self


class _Entry(Section):
    """What any entry of the file says: judgments of whom, and how they were asked for."""

    task: str
    model: str
    variant: str
    way: _Way
    datasets: list[str]
    train_items: NonNegativeInt
    test_items: NonNegativeInt

    @model_validator(mode="after")
    def _check_way(self) -> Self:
        ends = [self.way.get(name) for name in ("low", "high")]
        numbers = [end for end in ends if isinstance(end, int | float) and end is not True]
        if ends != [None, None] and len(numbers) < 2:
            raise ValueError("`low` and `high` of its way are not two numbers")
        return self

    @property
    def judgments(self) -> dict[str, object]:
        """Whose judgments it is a map of."""
        return {
            "task": self.task,
            "model": self.model,
            "variant": self.variant,
            "way": self.way,
        }


class Refusal(_Entry):
    """Judgments of which there is no map, and why."""

    refused: Annotated[str, Field(min_length=1)]


class _Fitted(_Entry):
    """A map with what it was fitted to."""

    train: Train
    method: str


class _OfConfidence(_Fitted):
    """A map of stated confidence."""

    clip: float
    brier: dict[str, _Share] | None = None

    @model_validator(mode="after")
    def _check_method(self) -> Self:
        if self.method not in RECALIBRATIONS:
            raise ValueError(f"the method {self.method!r:.60} is not known")
        return self

    @property
    def map(self) -> Recalibration:
        """The map itself."""
        names = ("kind", "clip", "x", "y", "a", "b", "c")
        return Recalibration(
            self.method, **{name: getattr(self, name) for name in names if hasattr(self, name)}
        )


class Knots(_OfConfidence):
    """A map that is linear between points."""

    kind: Literal["knots"]
    clip: Annotated[float, Field(ge=0, le=0)]
    x: Annotated[list[_Share], Field(min_length=1)]
    y: list[_Share]

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        if len(self.x) != len(self.y):
            raise ValueError(f"`x` has {len(self.x)} numbers and `y` {len(self.y)}")
        if any(after <= before for before, after in pairwise(self.x)):
            raise ValueError("`x` does not ascend")
        # Only the last digits of a map that the package fitted may fall.
        falls = any(after < before - 1e-9 for before, after in pairwise(self.y))
        if falls and self.method != "histogram":
            raise ValueError(f"`y` falls, as no map of the method {self.method} does")
        return self


class Logistic(_OfConfidence):
    """A map that is logistic in the logarithms of p and 1 - p."""

    kind: Literal["logistic"]
    clip: Annotated[float, Field(ge=LEAST_CLIP, le=CLIP)]
    a: _Slope
    b: _Slope
    c: Annotated[float, Field(ge=-STEEPEST, le=STEEPEST)]


class IntervalMap(_Fitted):
    """A map of the intervals of one level."""

    method: Literal["conformal"]
    kind: Literal["interval"]
    level: Annotated[float, Field(gt=0, lt=100)]
    offset: Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]


def _kind(entry: object) -> str:
    """The kind of an entry; an unknown one is refused as one of knots."""
    if not isinstance(entry, Mapping):
        return "knots"
    kind = entry.get("kind")
    if "refused" in entry:
        return "refused"
    return str(kind) if kind in ("logistic", "interval") else "knots"


Entry = Annotated[
    Annotated[Refusal, Tag("refused")]
    | Annotated[Knots, Tag("knots")]
    | Annotated[Logistic, Tag("logistic")]
    | Annotated[IntervalMap, Tag("interval")],
    Discriminator(_kind),
]


class SavedMaps(Section):
    """A file of maps."""

    format: Literal["inspect_confidence recalibration 1"] = FORMAT
    version: str = ""
    formula: dict[str, str] | None = None
    maps: Annotated[list[Entry], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_distinct(self) -> Self:
        earlier = list[dict[str, object]]()
        for number, entry in enumerate(self.maps):
            if entry.judgments in earlier:
                raise ValueError(f"the map {number} is of the same judgments as another")
            earlier.append(entry.judgments)
        return self


def check_maps(name: str, value: object) -> SavedMaps:
    """Return the maps that a file holds.

    Args:
        name: What errors call the file.
        value: What was read of it.

    Raises:
        InvalidArgument: It is not such a file, or a map in it can't be applied.
    """
    if not isinstance(value, dict) or value.get("format", FORMAT) != FORMAT or "maps" not in value:
        raise InvalidArgument(
            f"{name}: this is no file of {FORMAT!r}; `inspect-confidence recalibrate PATH... -o "
            "map.json` writes one."
        )
    return check_shape(name, value, SavedMaps)
