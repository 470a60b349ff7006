"""Directions of metrics: which of two values is better."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.arrays import FloatArray


@dataclass(frozen=True)
class Direction:
    """Order of a metric's values from worse to better.

    Attributes:
        name: `higher`, `lower`, `target` or `none`.
        target: Best value of a `target` metric; NaN if there is none or it is unknown.
    """

    name: str
    target: float = math.nan

    @property
    def label(self) -> str:
        """The direction in words, by its name: `higher`, `lower`, `target` or `none`."""
        if self.name == "target":
            if math.isnan(self.target):
                return "the target is not known"
            return f"nearer to {self.target:g} is better"
        return "no direction" if self.name == "none" else f"{self.name} is better"

    @property
    def short_label(self) -> str:
        """The label, shorter for a target (`nearer to 0.9`); empty if there is no direction."""
        if self.name == "none":
            return ""
        return self.label.removesuffix(" is better") if self.name == "target" else self.label

    @property
    def ordered(self) -> bool:
        """Whether values can be better or worse."""
        return self.name in ("higher", "lower") or not math.isnan(self.target)

    def loss(self, values: FloatArray) -> FloatArray:
        """Return numbers that are smaller for better values; NaN if values have no order.

        They are the values if lower is better, the negated values if higher is better, or else the
        distances from the target. If the values have no order, the target and so the distances are
        NaN.
        """
        if self.name in ("higher", "lower"):
            return values if self.name == "lower" else -values
        return self.distance(values)

    def distance(self, values: FloatArray) -> FloatArray:
        """Return the absolute distance of values from the target."""
        return np.asarray(np.abs(values - self.target))


def direction_of(metric: str, condition: Mapping[str, str]) -> Direction:
    """Return the direction of a metric: which of its values are better.

    The target of some metrics follows from the `level` in the condition, such as that of
    `coverage`; it is NaN if the condition has no such number.

    Example:
        >>> direction_of("coverage", {"level": "90"})
        Direction(name='target', target=0.9)
        >>> direction_of("ece", {}).name
        'lower'
    """
    # "higher", "lower", "none", "target=0.5", or a target by the level: "target=level".
    name, _, target = METRICS[metric].direction.partition("=")
    if name != "target":
        return Direction(name)
    if target not in ("level", "alpha/2"):
        return Direction(name, float(target))
    try:
        level = float(condition["level"])
    except (KeyError, ValueError):
        return Direction(name)
    # The level is in percent; alpha/2 is the share beyond either end of an interval of that level.
    # Divide last, so that a level of 90 gives exactly 0.9.
    return Direction(name, level / 100 if target == "level" else (100 - level) / 200)
