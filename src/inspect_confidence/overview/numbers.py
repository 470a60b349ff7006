"""Formatting of the values of metrics for people."""

from math import inf, isfinite, isinf, isnan, nan

from inspect_confidence.metrics import METRICS
from inspect_confidence.printing import P_VALUES, format_p

_SHARES_WITHOUT_PERCENT = frozenset(
    {
        *("auroc", "ece", "smooth_ece", "rms_calibration_error", "hle_calibration_error"),
        *("brier", "aurc", "augrc", "auprc_error", "f_score"),
        *("brunner_munzel_theta", "ks_statistic", "id_mae", "cd_mae"),
        *P_VALUES,
    }
)
"""Shares that are formatted as plain numbers, as in their literature."""
_LARGE_END = 10  # size of an end of an interval from which on it decides the decimals
_ROUNDING_ERROR = 1e-9  # differences below this are rounding errors
_LEAST_WHOLE_DIFFERENCE = 0.01  # difference of shares from which on points have no decimal


def format_number(metric: str, value: float, n: int = 0) -> str:
    """Return a value with its unit: shares as percentages or points, counts as `k of n`.

    Example:
        >>> format_number("coverage", 0.553), format_number("overconfidence", 0.241)
        ('55%', '+24 pts')
        >>> format_number("auroc", 0.813), format_number("ece", float("nan"))
        ('0.81', '-')
        >>> format_number("words_that_differ", 12.0, 17), format_number("p_value", 0.00012)
        ('12 of 17', '<0.001')
    """
    number, _ = format_with_interval(metric, value, n=n)
    return number


def format_with_interval(
    metric: str, value: float, low: float = nan, high: float = nan, n: int = 0
) -> tuple[str, str]:
    """Return a value as `format_number`, and the ends of its interval with as many decimals.

    A value that may be negative, in points, is written by `format_difference`, with enough digits
    to tell the signs of the ends. The second text is empty without an interval; NaN is a dash.

    Example:
        >>> format_with_interval("coverage", 0.004, 0.001, 0.0212)
        ('0.4%', '0.1, 2.1')
        >>> format_with_interval("overconfidence", -0.007, -0.2, 0.2)
        ('-0.7 pts', '-20.0, +20.0')
        >>> format_with_interval("meta_d", 2.71, 1.417, 4.63), format_with_interval("ece", 0.1)
        (('2.7', '1.4, 4.6'), ('0.10', ''))
        >>> format_with_interval("withdraw_delta", 0.0, -12.06, 14.87)
        ('0.0', '-12.1, 14.9')
    """
    if isnan(value):
        return "-", ""
    if _is_signed(metric):
        return format_difference(metric, value, low, high)
    digits_of = value
    if not is_share(metric):
        # A value near 0 with a wide interval has as many decimals as greater ones beside it.
        large_ends = [abs(end) for end in (low, high) if _LARGE_END <= abs(end) < inf]
        digits_of = max([abs(value), *large_ends])
    number = _without_unit(metric, value, digits_of)
    if METRICS[metric].unit == "count":
        number = f"{number} of {n:,}" if n else number
    elif metric in P_VALUES:
        number = format_p(value)
    elif is_share(metric) and not isinf(value):
        number = f"{number}%"
    if isnan(low) or isnan(high):
        return number, ""
    ends = [_without_unit(metric, end, digits_of) for end in (low, high)]
    return number, ", ".join(ends)


def _without_unit(metric: str, number: float, digits_of: float) -> str:
    """Return a value or an end of its interval without unit, with as many decimals as the value.

    `number` is the value or an end; `digits_of` is the number that sets the decimals: the value, or
    a greater end if that is at least 10. A share in percent has one decimal if the value is within
    1 of 0% or 100%, but none if that decimal would be 0.
    """
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    # Sums in another order differ in the last bits, which may not decide how 0.485 is rounded.
    number = round(number, 12)
    if METRICS[metric].unit == "count":
        return f"{number:.0f}"
    if not is_share(metric):
        return f"{number:z.{_decimals(digits_of)}f}"
    distance = 100 * min(abs(digits_of), abs(1 - abs(digits_of)))  # from 0% or 100%
    return f"{100 * number:z.{1 if 0.05 <= distance < 1 else 0}f}"


def format_difference(
    metric: str, difference: float, low: float = nan, high: float = nan
) -> tuple[str, str]:
    """Return a difference of two values with its sign, and the ends of its interval.

    Differences of shares and of percentage points are in points. Both texts have the same number of
    decimals. Up to two are added if an end that is not 0 would be printed as 0, because its sign
    decides whether the difference is beyond chance; none if two do not suffice. Without an interval
    the second text is empty. A NaN difference is a dash.

    Example:
        >>> format_difference("coverage", -0.194, -0.213, 0.02)
        ('-19 pts', '-21, +2')
        >>> format_difference("coverage", -0.194, -0.213, 0.002)
        ('-19.4 pts', '-21.3, +0.2')
        >>> format_difference("coverage", 0.139, 0.00003, 0.312)
        ('+14 pts', '0, +31')
        >>> format_difference("ece", 0.0251), format_difference("coverage", 0.01)
        (('+0.03', ''), ('+1 pt', ''))
    """
    decimals = _decimals_of_difference(metric, difference, low, high)
    number = _signed_text(metric, difference, decimals)
    if _is_in_points(metric) and not isnan(difference):
        number = _in_points(number)
    if isnan(low) or isnan(high):
        return number, ""
    ends = [_signed_text(metric, end, decimals) for end in (low, high)]
    return number, ", ".join(ends)


def format_minuend(
    metric: str, value: float, difference: float, low: float = nan, high: float = nan
) -> str:
    """Return one of two values with its unit and as many decimals as their difference has.

    The difference and its interval decide the decimals, as in `format_difference`, so that the two
    values and the difference can be subtracted as they are printed. p-values, and values without
    a finite difference, are formatted by `format_number`.

    Example:
        >>> format_minuend("overconfidence", -0.001, 0.486), format_minuend("coverage", 0.5, 0.004)
        ('0 pts', '50.0%')
        >>> format_minuend("ece", 0.243, 0.166, 0.002, 0.33)
        '0.243'
    """
    if metric in P_VALUES or not isfinite(value) or not isfinite(difference):
        return format_number(metric, value)
    decimals = _decimals_of_difference(metric, difference, low, high)
    text = _signed_text(metric, value, decimals)
    # A plus sign stands only before points of a metric that can be negative.
    if METRICS[metric].low >= 0 or not _is_in_points(metric):
        text = text.removeprefix("+")
    if is_share(metric) and not _is_signed(metric):
        return f"{text}%"
    return _in_points(text) if _is_in_points(metric) else text


def _decimals_of_difference(metric: str, difference: float, low: float, high: float) -> int:
    """Return the decimals of a difference and of the ends of its interval; shares are in percent.

    Up to two are added if an end that is not 0 would be printed as 0; none if two do not suffice.
    """
    if METRICS[metric].unit == "count":
        decimals = 0
    elif is_share(metric):
        # Below the lower limit a decimal would be 0, too.
        decimals = 1 if 0.0005 <= abs(difference) < _LEAST_WHOLE_DIFFERENCE else 0
    else:
        decimals = _decimals(difference)
    if isnan(low) or isnan(high):
        return decimals
    for more_decimals in (0, 1, 2):
        if not _is_rounded_to_0(metric, (low, high), decimals + more_decimals):
            return decimals + more_decimals
    return decimals


def _is_in_points(metric: str) -> bool:
    """Return whether differences of a metric are percentage points."""
    return is_share(metric) or METRICS[metric].unit == "percentage points"


def _in_points(number: str) -> str:
    """Return a number with the unit percentage points."""
    return f"{number} {'pt' if number in ('+1', '-1', '1') else 'pts'}"


def _is_rounded_to_0(metric: str, ends: tuple[float, float], decimals: int) -> bool:
    """Return whether an end that is not 0 would print as 0 with so many decimals."""
    return any(
        abs(end) > _ROUNDING_ERROR and not _signed_text(metric, end, decimals).strip("+-0.")
        for end in ends
    )


def _signed_text(metric: str, number: float, decimals: int) -> str:
    """Return a number with its sign, shares in percent; NaN is a dash, and 0 has no sign."""
    if isnan(number):
        return "-"
    if isinf(number):
        return "∞" if number > 0 else "-∞"
    # Sums in another order differ in the last bits, which may not decide how 0.485 is rounded.
    number = round(number, 12)
    if is_share(metric):
        number *= 100
    text = f"{number:+z.{decimals}f}"
    return text if float(text) else text.removeprefix("+")


def is_share(metric: str) -> bool:
    """Return whether the metric is formatted as a percentage."""
    return (
        METRICS[metric].unit in ("share", "probability") and metric not in _SHARES_WITHOUT_PERCENT
    )


def _is_signed(metric: str) -> bool:
    return is_share(metric) and METRICS[metric].low < 0


def _decimals(value: float) -> int:
    if abs(value) < 2:
        return 2
    return 1 if abs(value) < 1_000 else 0
