"""Which panels a figure of confidence has, and in which order."""

import re
from collections.abc import Iterable, Sequence

import pandas as pd

from inspect_confidence._scales import ALL
from inspect_confidence.plots._style import shortened

PARTS = ("scale", "source", "kind", "radius", "given", "window")
"""Parts of a condition that tell panels of confidence apart."""

_ORDER = {str(scale): place for place, scale in enumerate(ALL)}


def panels(rows: pd.DataFrame, parts: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel with its title: what tells it from the others, a line each.

    Args:
        rows: With the columns `model`, `dataset`, `variant` and `parts`.
        parts: Of the condition.
    """
    by = ["model", "dataset", "variant", *parts]
    varied = [name for name in by if rows[name].nunique() > 1] or [
        next((name for name in parts if rows[name].iloc[0]), "model")
    ]
    found = []
    for values, some in rows.groupby(by, sort=False):
        said = [
            shortened(_spoken(name, str(value)))
            for name, value in zip(by, values, strict=True)
            if name in varied and value
        ]
        found.append(("\n".join(said), some))
    who = {name: k for k, name in enumerate(dict.fromkeys(_who(some) for _, some in found))}
    return sorted(
        found,
        key=lambda one: (who[_who(one[1])], *(_rank(str(one[1][name].iloc[0])) for name in parts)),
    )


def in_order(scales: Iterable[str]) -> list[str]:
    """Scales in the study's order, then others."""
    return sorted(scales, key=_rank)


def ends_of(scale: str) -> tuple[float, float] | None:
    """Low and high of a scale named so; None where the name says neither.

    Example:
        >>> ends_of("14-86")
        (14.0, 86.0)
    """
    number = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
    match = re.fullmatch(rf"({number})-({number})", scale)
    return (float(match[1]), float(match[2])) if match else None


def _who(rows: pd.DataFrame) -> tuple[str, ...]:
    return tuple(str(rows[name].iloc[0]) for name in ("model", "dataset", "variant"))


def _rank(value: str) -> tuple[float, float, str]:
    """Scales in the study's order, then numbers by size, then texts."""
    if value in _ORDER:
        return 0, _ORDER[value], ""
    try:
        return 1, float(value), ""
    except ValueError:
        return 2, 0, value


def _spoken(name: str, value: str) -> str:
    return (
        value if name in ("model", "dataset", "variant", "scale", "source") else f"{name} {value}"
    )
