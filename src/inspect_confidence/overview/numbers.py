"""Numbers as a person writes them."""

from math import isinf, isnan

from inspect_confidence.metrics import METRICS

_PLAIN = frozenset({"auroc", "ece", "cmfg", "brier"})
"""Shares that are written as numbers, as their literature does."""


def written(metric: str, value: float, n: int = 0) -> str:
    """A value with its unit: shares as percentages or points, a count as one of n.

    Example:
        >>> written("coverage", 0.553), written("overconfidence", 0.241), written("auroc", 0.813)
        ('55%', '+24 pts', '0.81')
        >>> written("words_that_differ", 12.0, 17), written("ece", float("nan"))
        ('12 of 17', '-')
    """
    if isnan(value):
        return "-"
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    if METRICS[metric].unit == "count":
        return f"{value:.0f} of {n:,}" if n else f"{value:.0f}"
    if is_share(metric):
        return f"{bare(metric, value)}{' pts' if _signed(metric) else '%'}"
    return bare(metric, value)


def bare(metric: str, value: float) -> str:
    """The same without its unit, for the ends of an interval.

    Example:
        >>> bare("coverage", 0.004), bare("overconfidence", -1e-14), bare("mean_width", 4.34)
        ('0.4', '0', '4.3')
    """
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    if METRICS[metric].unit == "count":
        return f"{value:.0f}"
    shown = 100 * value if is_share(metric) else value
    near_end = is_share(metric) and 0 < min(abs(shown), abs(100 - abs(shown))) < 1
    tiny = is_share(metric) and min(abs(shown), abs(100 - abs(shown))) < 0.05
    digits = (1 if near_end and not tiny else 0) if is_share(metric) else _digits(shown)
    text = f"{shown:.{digits}f}"
    if float(text) == 0:
        return text.lstrip("-")
    return f"+{text}" if _signed(metric) and shown > 0 else text


def is_share(metric: str) -> bool:
    """Whether it is written as a percentage."""
    return METRICS[metric].unit in ("share", "probability") and metric not in _PLAIN


def _signed(metric: str) -> bool:
    return is_share(metric) and METRICS[metric].low < 0


def _digits(value: float) -> int:
    return 2 if abs(value) < 2 else 1 if abs(value) < 1_000 else 0
