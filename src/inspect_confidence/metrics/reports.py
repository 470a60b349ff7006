"""The distribution of what was reported: how few values are used, and how round they are."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import FloatArray, divided
from inspect_confidence.metrics.integer_sets import entropy_bits
from inspect_confidence.metrics.registry import (
    INFINITY,
    UNREAD,
    About,
    metric,
    numbers,
    with_arrays,
)
from inspect_confidence.metrics.value_tables import ValueTables

__all__ = [
    "report_entropy",
    "round_rate",
    "top1_share",
    "top1_value",
    "top3_share",
    "unique_values",
    "utilization",
]

_STUDY = "the scale-design study"


Options = ParamSpec("Options")


class OfReports(Protocol[Options]):
    """A metric of reports, and `of` tables: a value for each of them."""

    of: Callable[Concatenate[ValueTables, Options], FloatArray]

    def __call__(self, reports: ArrayLike, *args: Options.args, **options: Options.kwargs) -> float:
        """The metric of the reports."""


def of_reports(
    core: Callable[Concatenate[ValueTables, Options], FloatArray],
) -> OfReports[Options]:
    """Let a metric of tables take an array of reports; it becomes its `of`."""
    return cast(OfReports[Options], with_arrays(core, ValueTables.of))


@metric(unit="scale points", low=-INFINITY, undefined=UNREAD)
@of_reports
def top1_value(tables: ValueTables) -> FloatArray:
    """The commonest report on its own scale; the greatest of several equally common.

    Returns:
        A value of the scale; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> top1_value([90, 95, 95])
        95.0
    """
    most = tables.mass.max(axis=1, keepdims=True, initial=0)
    largest = np.where(tables.mass == most, tables.values, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(most[:, 0] > 0, largest, np.nan)


@metric(undefined=UNREAD)
@of_reports
def top1_share(tables: ValueTables) -> FloatArray:
    """Share of the commonest report.

    Returns:
        In (0, 1]; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> top1_share([90, 95, 95, 95])
        0.75
    """
    return _largest(tables, 1)


@metric(undefined=UNREAD)
@of_reports
def top3_share(tables: ValueTables) -> FloatArray:
    """Share of the three commonest reports.

    Returns:
        In (0, 1]; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> top3_share([80, 85, 90, 95, 95])
        0.8
    """
    return _largest(tables, 3)


def _largest(tables: ValueTables, count: int) -> FloatArray:
    top = np.sort(tables.mass, axis=1)[:, ::-1][:, :count].sum(axis=1)
    return divided(top, tables.mass.sum(axis=1))


@metric(unit="count", low=1, undefined=UNREAD)
@of_reports
def unique_values(tables: ValueTables) -> FloatArray:
    """How many different values were reported.

    Returns:
        At least 1; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> unique_values([90, 95, 95])
        2.0
    """
    used = (tables.mass > 0).sum(axis=1).astype(float)
    return np.where(used > 0, used, np.nan)


@metric("entropy_bits", unit="bits", undefined=UNREAD)
@of_reports
def report_entropy(tables: ValueTables) -> FloatArray:
    """Shannon entropy of the reports; biased downwards at few judgments.

    -sum p log2 p, in bits. The bias is about (K - 1) / (2 n ln 2) for K values in n reports.

    Returns:
        In [0, log2 K]; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> report_entropy([90, 95, 95, 90])
        1.0
    """
    total = tables.mass.sum(axis=1)
    shares = tables.mass / np.where(total > 0, total, 1)[:, None]
    return np.where(total > 0, entropy_bits(shares), np.nan)


@metric(undefined=UNREAD)
@of_reports
def round_rate(tables: ValueTables, *, multiple: int = 5) -> FloatArray:
    """Share of reports that are multiples of 5 on their own scale; probabilities in percent.

    Args:
        tables: Of reports.
        multiple: Another number than 5.

    Returns:
        In [0, 1]; NaN if there is no report. How many multiples a scale has is for the reader to
        weigh: uniform reports on 0-100 give 21/101, on 0-5 2/6.

    Source: the scale-design study.

    Example:
        >>> round_rate([90, 95, 97, 100])
        0.75
    """
    nearest = multiple * np.round(tables.values / multiple)
    chosen = np.isclose(tables.values, nearest)
    return divided(tables.mass[:, chosen].sum(axis=1), tables.mass.sum(axis=1))


numbers(
    About(undefined="no whole-number report", direction="lower", source=_STUDY, interval="wilson"),
    violation_rate="Share of whole-number reports outside the scale by more than 5% of its width.",
    clip_rate="Share of whole-number reports outside the scale by at most 5% of its width, taken "
    "for its end.",
)


@metric(
    definition="Interquartile range of the reports over the width of the scale; the study does not "
    "define its own.",
    undefined=UNREAD,
)
@of_reports
def utilization(tables: ValueTables, *, low: float, high: float) -> FloatArray:
    """How much of the scale is used: the interquartile range of the reports over its width.

    The scale study names a utilization without defining it; this definition is ours. Quartiles are
    those of `ValueTables`: repeating every report changes nothing.

    Args:
        tables: Of reports.
        low: Least value of the scale.
        high: Greatest value.

    Returns:
        In [0, 1] for reports within the scale; NaN if there is no report.

    Example:
        >>> utilization([60, 70, 80, 90, 100], low=0, high=100)
        0.2
    """
    return (tables.quantile(0.75) - tables.quantile(0.25)) / (high - low)


numbers(
    About(
        undefined="no scale with a readable answer",
        unit="points",
        direction="lower",
        high=100,
        source=_STUDY,
    ),
    accuracy_spread="Largest less least accuracy over the scales, in percentage points.",
)
numbers(
    About(
        undefined="fewer than three models with both, or one of them constant",
        unit="correlation",
        source=_STUDY,
    ),
    entropy_m_ratio_correlation="Pearson correlation over models of the reports' entropy with "
    "M-ratio.",
)
