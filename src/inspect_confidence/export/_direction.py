"""Which of two values of a metric is better, as the registry says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inspect_confidence._results import decode_condition
from inspect_confidence.metrics import METRICS

FloatArray = NDArray[np.float64]

_NAN = float("nan")


@dataclass(frozen=True)
class Direction:
    """How values of a metric are ordered.

    Attributes:
        name: `higher`, `lower`, `target` or `none`.
        target: Nearer to it is better; NaN where there is no target, or it isn't known.
    """

    name: str
    target: float = _NAN

    @property
    def text(self) -> str:
        """For people."""
        if self.name == "target":
            known = not np.isnan(self.target)
            return f"nearer to {self.target:g} is better" if known else "the target is not known"
        return "no direction" if self.name == "none" else f"{self.name} is better"

    def badness(self) -> Callable[[FloatArray], FloatArray] | None:
        """Value -> what is less the better it is; None where values have no order."""
        if self.name == "lower":
            return lambda values: values
        if self.name == "higher":
            return lambda values: -values
        if np.isnan(self.target):
            return None
        return self.distance

    def distance(self, values: FloatArray) -> FloatArray:
        """How far values lie from the target."""
        return np.asarray(np.abs(values - self.target))


def direction_of(metric: str, condition: str) -> Direction:
    """The direction of a metric under a condition, which may name the level that is its target.

    Example:
        >>> direction_of("coverage", "level=90")
        Direction(name='target', target=0.9)
        >>> direction_of("ece", "").name
        'lower'
    """
    return _direction(METRICS[metric].direction, decode_condition(condition))


def _direction(said: str, condition: Mapping[str, str]) -> Direction:
    name, _, target = said.partition("=")
    if name != "target":
        return Direction(name)
    if target not in ("level", "alpha/2"):
        return Direction(name, float(target))
    try:
        level = float(condition["level"])
    except (KeyError, ValueError):
        return Direction(name)
    # In percent first, so that 90 gives 0.9 and not its neighbour.
    return Direction(name, level / 100 if target == "level" else (100 - level) / 200)
