"""Formatting of the values of metrics for people."""

from collections.abc import Mapping
from math import isinf, isnan
from typing import Any

from inspect_confidence.metrics import METRICS

_PLAIN = frozenset(
    {
        *("auroc", "ece", "smooth_ece", "rms_calibration_error", "hle_calibration_error"),
        *("brier", "aurc", "augrc", "auprc_error", "cmfg", "f_score"),
        *("brunner_munzel_theta", "ks_statistic", "id_mae", "cd_mae"),
        *("calibration_p", "p_value", "p_bonferroni", "p_holm"),
    }
)
"""Shares that are formatted as plain numbers, as in their literature."""


def format_number(metric: str, value: float, n: int = 0) -> str:
    """Return a value with its unit: shares as percentages or points, counts as `k of n`.

    Example:
        >>> format_number("coverage", 0.553), format_number("overconfidence", 0.241)
        ('55%', '+24 pts')
        >>> format_number("auroc", 0.813), format_number("ece", float("nan"))
        ('0.81', '-')
        >>> format_number("words_that_differ", 12.0, 17)
        '12 of 17'
    """
    if isnan(value):
        return "-"
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    if METRICS[metric].unit == "count":
        return f"{value:.0f} of {n:,}" if n else f"{value:.0f}"
    if is_share(metric):
        return f"{without_unit(metric, value)}{' pts' if _is_signed(metric) else '%'}"
    return without_unit(metric, value)


def without_unit(metric: str, value: float) -> str:
    """Return a value as `format_number` without its unit, for the ends of an interval.

    Example:
        >>> without_unit("coverage", 0.004), without_unit("overconfidence", -1e-14)
        ('0.4', '0')
        >>> without_unit("mean_width", 4.34)
        '4.3'
    """
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    if METRICS[metric].unit == "count":
        return f"{value:.0f}"
    scaled, digits = value, _digits(value)
    if is_share(metric):
        scaled = 100 * value
        distance = min(abs(scaled), abs(100 - abs(scaled)))  # from 0% or 100%
        digits = 1 if 0.05 <= distance < 1 else 0
    text = f"{scaled:.{digits}f}"
    if float(text) == 0:
        return text.lstrip("-")
    return f"+{text}" if _is_signed(metric) and scaled > 0 else text


def format_interval(metric: str, row: Mapping[Any, Any]) -> str:
    """Return the 95% interval of a row of results as text; empty without one.

    Example:
        >>> format_interval("coverage", {"ci_low": 0.5, "ci_high": 0.61})
        ' [50, 61]'
    """
    low, high = float(row["ci_low"]), float(row["ci_high"])
    if isnan(low) or isnan(high):
        return ""
    return f" [{without_unit(metric, low)}, {without_unit(metric, high)}]"


def is_share(metric: str) -> bool:
    """Return whether the metric is formatted as a percentage."""
    return METRICS[metric].unit in ("share", "probability") and metric not in _PLAIN


def _is_signed(metric: str) -> bool:
    return is_share(metric) and METRICS[metric].low < 0


def _digits(value: float) -> int:
    if abs(value) < 2:
        return 2
    return 1 if abs(value) < 1_000 else 0
