"""The axis of a number in a profile: how far it reaches, and where the best is."""

import math
from collections.abc import Iterable

from inspect_confidence.metrics import METRICS

Window = tuple[float, float]

_ROOM = 1.05
"""What is drawn at an end that is only a round number would look like the most there can be."""
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


def window(metric: str, values: Iterable[float]) -> Window:
    """From where to where an axis reaches: the metric's range, where that has ends.

    An end that the range lacks is a round number beyond the values, the target and 0.

    Args:
        metric: A name in the registry.
        values: All that is drawn on such an axis; what isn't finite is left out.

    Example:
        >>> window("ece", [0.2]), window("coverage_plateau", [0.7, 0.8])
        ((0.0, 1.0), (0.0, 1.0))
    """
    known = METRICS[metric]
    target = ideal(metric, "")
    held = [0.0, *(_ROOM * one for one in values if math.isfinite(one))]
    held += [target] if target is not None else []
    low, high = known.low, known.high
    least = low if math.isfinite(low) else _round_end(min(held), down=True)
    most = high if math.isfinite(high) else _round_end(max(held), down=False)
    return float(least), float(most) if most > least else float(least) + 1


def ideal(metric: str, level: str) -> float | None:
    """The best value of a metric; None where there is none, or it is infinite.

    Args:
        metric: A name in the registry.
        level: Of the intervals in percent, where the condition names one.

    Example:
        >>> ideal("coverage", "80"), ideal("miss_above", "80"), ideal("mean_width", "80")
        (0.8, 0.1, None)
    """
    known = METRICS[metric]
    kind, _, target = known.direction.partition("=")
    if kind == "target":
        if target in ("level", "alpha/2"):
            share = _share(level)
            found = share if target == "level" else (1 - share) / 2
            return round(found, 12) if math.isfinite(found) else None
        return float(target)
    best = {"higher": known.high, "lower": known.low}.get(kind, math.inf)
    return float(best) if math.isfinite(best) else None


def written(value: float, interval: Window, reach: Window, unit: str) -> str:
    """A number with its interval, if it has one, as exact as the axis is fine.

    Example:
        >>> written(0.5, (0.25, 0.75), reach=(0, 1), unit="share")
        '0.500 [0.250, 0.750]'
        >>> written(7, (math.nan, math.nan), reach=(0, 9), unit="count")
        '7'
    """
    if math.isnan(value):
        return "undefined"
    wide = reach[1] - reach[0]
    digits = 0 if unit == "count" else 3 if wide <= 2 else 2 if wide <= 50 else 1
    one, two, three = (_number(number, digits) for number in (value, *interval))
    return one if any(map(math.isnan, interval)) else f"{one} [{two}, {three}]"


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    return f"{value:.{digits}f}".replace("-", "\u2212")


def _share(level: str) -> float:
    try:
        return float(level) / 100
    except ValueError:
        return math.nan


def _round_end(value: float, *, down: bool) -> float:
    """The nearest round number at or beyond the value: 0 for what lies on the other side of it."""
    size = -value if down else value
    if size <= 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(size))
    end = next(step * unit for step in _STEPS if step * unit >= size * (1 - 1e-12))
    return -end if down else end
