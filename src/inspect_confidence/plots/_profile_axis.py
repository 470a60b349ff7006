"""The axis of a number in a profile: how far it reaches, and where the best is."""

import math
from collections.abc import Iterable

from inspect_confidence.metrics import METRICS

Window = tuple[float, float]

_ROOM = 1.05
"""What is drawn at an end that is only a round number would look like the most there can be."""
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
_LEAST = {
    **{"ratio": 1.0, "temperature": 1.0, "d'": 1.0, "overconfidence per difficulty": 1.0},
    "count": 10.0,
}
"""How far an axis without end reaches at least, by unit: slopes and ratios are read from 0 to 1,
and a step of a few thousandths must not look like a long way."""
_LEAST_ELSE = 0.1
_SLIVER = 0.05
"""Of the longer side: the shorter side of an axis is at least so long, if anything lies there."""
_NOISE = 1e-9
"""A share of the longer side that is only rounding."""


def window(metric: str, values: Iterable[float]) -> Window:
    """From where to where an axis reaches: the metric's range, where that has ends.

    An end that the range lacks is a round number beyond the values, the target and 0, and not so
    near to 0 that rounding errors or the smallest of differences look large.

    Args:
        metric: A name in the registry.
        values: All that is drawn on such an axis; what isn't finite is left out.

    Example:
        >>> window("ece", [0.2]), window("hard_easy_slope", [-2e-13, 2e-13])
        ((0.0, 1.0), (0.0, 1.0))
    """
    known = METRICS[metric]
    target = ideal(metric, "")
    reach = _LEAST.get(known.unit, _LEAST_ELSE)
    held = [0.0, reach, *(_ROOM * one for one in values if math.isfinite(one))]
    held += [target] if target is not None else []
    held += [-reach] if known.unit not in _LEAST and known.low < 0 else []
    size = max(map(abs, held))
    low, high = known.low, known.high
    least = low if math.isfinite(low) else -_round_end(-min(held), size)
    most = high if math.isfinite(high) else _round_end(max(held), size)
    return float(least) + 0.0, float(most) if most > least else float(least) + 1


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


_PLAIN = 5000
"""An axis that is longer has numbers with three digits and a power of ten."""


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
    sizes = [abs(some) for some in (value, *interval) if math.isfinite(some)]
    wide = max([reach[1] - reach[0], *sizes])
    digits = 0 if unit == "count" else 3 if wide <= 2 else 2 if wide <= 50 else 1
    form = f".{digits}f" if wide <= _PLAIN else ".3g"
    one, two, three = (number(some, form) for some in (value, *interval))
    return one if any(map(math.isnan, interval)) else f"{one} [{two}, {three}]"


def axis_end(value: float) -> str:
    """What stands at an end of an axis."""
    return number(value, "g")


def number(value: float, form: str) -> str:
    """A number with a true minus, which 0 never has.

    Example:
        >>> number(-2e-13, ".3f"), number(math.inf, ".3f")
        ('0.000', '∞')
    """
    if math.isinf(value):
        return "\u221e" if value > 0 else "\u2212\u221e"
    said = format(value, form)
    return (said if float(said) else said.lstrip("-")).replace("-", "\u2212")


def _share(level: str) -> float:
    try:
        return float(level) / 100
    except ValueError:
        return math.nan


def _round_end(reach: float, size: float) -> float:
    """The nearest round number at or beyond how far one side reaches; 0 if nothing is there.

    Args:
        reach: Of this side; negative if all lies on the other.
        size: Of the longer side.
    """
    if reach <= _NOISE * size:
        return 0.0
    reach = max(reach, _SLIVER * size)
    unit = 10.0 ** math.floor(math.log10(reach))
    return next(step * unit for step in _STEPS if step * unit >= reach * (1 - 1e-12))
