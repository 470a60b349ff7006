"""Models of the file of maps that `recalibrate` writes."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import Discriminator, Field, NonNegativeInt, Tag, model_validator

from inspect_confidence.commands.groups import FOLDS
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.metrics import RECALIBRATIONS, Recalibration
from inspect_confidence.metrics.recalibration import CLIP
from inspect_confidence.user_files import FileSection, check_shape

FORMAT: Final = "inspect_confidence recalibration 1"
STEEPEST = 1e12
"""Limit of slope and shift of a map; a steeper map is a step function."""
FARTHEST = 1e12
"""Limit of the offset of a bound, so that sums don't overflow."""
MIN_CLIP = 1e-15
"""Minimal distance of confidence from 0 and 1; 1 minus a smaller number is 1."""

_Share = Annotated[float, Field(ge=0, le=1)]
_Slope = Annotated[float, Field(ge=0, le=STEEPEST)]
_Elicitation = dict[str, str | float | int | bool | None]


class Train(FileSection):
    """Items that a map is fitted to.

    Attributes:
        split: Items of this split.
        halves: Seed of the half of the items.
        folds: Seed of the folds of all items; a judgment of one of them gets the map of its fold,
            which its item had no part in.
    """

    split: Literal["train"] | None = None
    halves: int | None = None
    folds: int | None = None

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if [self.split, self.halves, self.folds].count(None) != 2:
            raise ValueError("it has one of `split`, `halves` and `folds`")
        return self


class _Entry(FileSection):
    """Model, variant, elicitation, value of `by` and data sets of an entry."""

    task: str
    model: str
    variant: str
    condition: _Elicitation
    by: str = ""
    datasets: list[str]
    train_items: NonNegativeInt
    test_items: NonNegativeInt

    @model_validator(mode="after")
    def _check_scale(self) -> Self:
        """Refuse a scale whose ends, `low` and `high`, are not two numbers; both may be missing."""
        ends = [self.condition.get(name) for name in ("low", "high")]
        numbers = [end for end in ends if type(end) in (int, float)]  # a bool is no number
        if ends != [None, None] and len(numbers) < 2:
            raise ValueError("`low` and `high` of its `condition` are not two numbers")
        return self

    @property
    def judgments(self) -> dict[str, object]:
        """Key of the judgments to which the entry applies."""
        names = ("task", "model", "variant", "condition", "by")
        return {name: getattr(self, name) for name in names}


class Refusal(_Entry):
    """Judgments without a map, and the reason."""

    refused: Annotated[str, Field(min_length=1)]


class _Fitted(_Entry):
    """A fitted map with its train items and method."""

    train: Train
    method: str


class _KnotsShape(FileSection):
    """A function that is linear between points (x, y)."""

    kind: Literal["knots"]
    clip: Annotated[float, Field(ge=0, le=0)]
    x: Annotated[list[_Share], Field(min_length=1)]
    y: list[_Share]

    @model_validator(mode="after")
    def _check_points(self) -> Self:
        """Refuse points with another number of `x` than `y`, or whose `x` does not ascend."""
        if len(self.x) != len(self.y):
            raise ValueError(f"`x` has {len(self.x)} numbers and `y` {len(self.y)}")
        if any(after <= before for before, after in pairwise(self.x)):
            raise ValueError("`x` does not ascend")
        return self


class _LogisticShape(FileSection):
    """A function that is logistic in log(p) and log(1 - p)."""

    kind: Literal["logistic"]
    clip: Annotated[float, Field(ge=MIN_CLIP, le=CLIP)]
    a: _Slope
    b: _Slope
    c: Annotated[float, Field(ge=-STEEPEST, le=STEEPEST)]


_Shape = Annotated[_KnotsShape | _LogisticShape, Field(discriminator="kind")]


class _ConfidenceMap(_Fitted):
    """A map of stated confidence, and its maps by fold if all items were fitted to."""

    brier: dict[str, _Share] | None = None
    fold_maps: list[_Shape] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_method(self) -> Self:
        """Refuse an unknown method, too few maps of folds, and a map that decreases.

        Only a map of the method `histogram` may decrease. A logistic one, without `y`, never does.
        """
        if self.method not in RECALIBRATIONS:
            raise ValueError(f"the method {self.method!r:.60} is not known")
        if self.train.folds is not None and len(self.fold_maps) != FOLDS:
            raise ValueError(f"`fold_maps` has {len(self.fold_maps)} maps and not {FOLDS}")
        if self.method == "histogram":
            return self
        for fitted_map in (self, *self.fold_maps):
            for before, after in pairwise(getattr(fitted_map, "y", ())):
                # Rounding lets the last digits of a fitted map decrease.
                if after < before - 1e-9:
                    raise ValueError(
                        f"`y` decreases, which no map of the method {self.method} does"
                    )
        return self

    @property
    def map(self) -> Recalibration:
        """The map as a function of confidence."""
        return self._recalibration(self)

    @property
    def maps_by_fold(self) -> list[Recalibration]:
        """The maps for the items of each fold."""
        return list(map(self._recalibration, self.fold_maps))

    def _recalibration(self, shape: FileSection) -> Recalibration:
        """Return a map as a function: linear between points (x, y), or logistic with a, b and c."""
        names = ("kind", "clip", "x", "y", "a", "b", "c")
        parameters = {name: getattr(shape, name) for name in names if hasattr(shape, name)}
        return Recalibration(self.method, **parameters)


class Knots(_ConfidenceMap, _KnotsShape):
    """A map that is linear between points (x, y)."""


class Logistic(_ConfidenceMap, _LogisticShape):
    """A map that is logistic in log(p) and log(1 - p)."""


class IntervalMap(_Fitted):
    """A map of the intervals of one level."""

    method: Literal["conformal"]
    kind: Literal["interval"]
    level: Annotated[float, Field(gt=0, lt=100)]
    offset: Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]


def _entry_kind(entry: object) -> str:
    """Return the kind of an entry in a file of maps, by which pydantic chooses its class.

    An entry with `refused`, the reason why there is no map, has no kind of its own. One of an
    unknown kind is checked as `knots`, which refuses it.
    """
    if not isinstance(entry, Mapping):
        return "knots"
    kind = entry.get("kind")
    if "refused" in entry:
        return "refused"
    return str(kind) if kind in ("logistic", "interval") else "knots"


SavedMap = Annotated[
    Annotated[Refusal, Tag("refused")]
    | Annotated[Knots, Tag("knots")]
    | Annotated[Logistic, Tag("logistic")]
    | Annotated[IntervalMap, Tag("interval")],
    Discriminator(_entry_kind),
]


class SavedMaps(FileSection):
    """A file of maps."""

    format: Literal["inspect_confidence recalibration 1"] = FORMAT
    version: str = ""
    formula: dict[str, str] | None = None
    maps: Annotated[list[SavedMap], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_distinct(self) -> Self:
        """Refuse two maps of the same judgments."""
        groups = list[dict[str, object]]()  # keys of judgments: task, model, variant, condition
        for number, entry in enumerate(self.maps):
            if entry.judgments in groups:
                raise ValueError(f"the map {number} has the same judgments as another")
            groups.append(entry.judgments)
        return self


def check_maps(name: str, value: object) -> SavedMaps:
    """Return the maps of a file, given its content `value`; errors say its `name`.

    The content may lack `format`, but not have another one than this package's.

    Raises:
        InvalidArgument: The content is not that of a file of maps, or a map is invalid.
    """
    if not isinstance(value, dict) or value.get("format", FORMAT) != FORMAT or "maps" not in value:
        raise InvalidArgument(
            f"{name}: this is not a file of {FORMAT!r}; `inspect-confidence recalibrate PATH... -o "
            "map.json` writes one."
        )
    return check_shape(name, value, SavedMaps)
