"""The distribution of what was reported: how few values are used, and how round they are."""

from collections.abc import Callable
from dataclasses import dataclass
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

__all__ = [
    "ReportTables",
    "report_entropy",
    "round_rate",
    "top1_share",
    "top1_value",
    "top3_share",
    "unique_values",
    "utilization",
]

_STUDY = "the scale-design study"


@dataclass(frozen=True)
class ReportTables:
    """How often each value was reported, one table a resample.

    Attributes:
        values: The K distinct reports, ascending, on their own scale.
        mass: How often each was reported, of shape (resamples, K).
    """

    values: FloatArray
    mass: FloatArray

    @classmethod
    def of(cls, reports: ArrayLike) -> "ReportTables":
        """The table of reports as one row.

        Args:
            reports: Raw values, one a judgment; NaN is left out.
        """
        stated = np.asarray(reports, float)
        values, counts = np.unique(stated[~np.isnan(stated)], return_counts=True)
        return cls(values, counts[None].astype(float))


Options = ParamSpec("Options")


class OfReports(Protocol[Options]):
    """A metric of reports, and `of` tables: a value for each of them."""

    of: Callable[Concatenate[ReportTables, Options], FloatArray]

    def __call__(self, reports: ArrayLike, *args: Options.args, **options: Options.kwargs) -> float:
        """The metric of the reports."""


def of_reports(
    core: Callable[Concatenate[ReportTables, Options], FloatArray],
) -> OfReports[Options]:
    """Let a metric of tables take an array of reports; it becomes its `of`."""
    return cast(OfReports[Options], with_arrays(core, ReportTables.of))


@metric(unit="scale points", low=-INFINITY, undefined=UNREAD)
@of_reports
def top1_value(tables: ReportTables) -> FloatArray:
    """The commonest report on its own scale; the greatest of several equally common.

    Returns:
        A value of the scale; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> top1_value([90, 95, 95])
        95.0
    """
    if not len(tables.values):
        return np.full(len(tables.mass), np.nan)
    last = len(tables.values) - 1 - np.argmax(tables.mass[:, ::-1], axis=1)
    return np.where(tables.mass.sum(axis=1) > 0, tables.values[last], np.nan)


@metric(undefined=UNREAD)
@of_reports
def top1_share(tables: ReportTables) -> FloatArray:
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
def top3_share(tables: ReportTables) -> FloatArray:
    """Share of the three commonest reports.

    Returns:
        In (0, 1]; NaN if there is no report.

    Source: the scale-design study.

    Example:
        >>> top3_share([80, 85, 90, 95, 95])
        0.8
    """
    return _largest(tables, 3)


def _largest(tables: ReportTables, count: int) -> FloatArray:
    top = np.sort(tables.mass, axis=1)[:, ::-1][:, :count].sum(axis=1)
    return divided(top, tables.mass.sum(axis=1))


@metric(unit="count", low=1, undefined=UNREAD)
@of_reports
def unique_values(tables: ReportTables) -> FloatArray:
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
def report_entropy(tables: ReportTables) -> FloatArray:
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
def round_rate(tables: ReportTables, *, multiple: int = 5) -> FloatArray:
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
def utilization(tables: ReportTables, *, low: float, high: float) -> FloatArray:
    """How much of the scale is used: the interquartile range of the reports over its width.

    The scale study names a utilization without defining it; this definition is ours. Quartiles are
    means of the lower and upper value at which the cumulative share reaches them (numpy's
    `averaged_inverted_cdf`), so that repeating every report changes nothing.

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
    total = tables.mass.sum(axis=1, keepdims=True)
    reached = np.cumsum(tables.mass, axis=1) / np.where(total > 0, total, 1)

    def quantile(share: float) -> FloatArray:
        if not len(tables.values):
            return np.full(len(tables.mass), np.nan)
        low_end = tables.values[(reached >= share - 1e-12).argmax(axis=1)]
        high_end = tables.values[(reached > share + 1e-12).argmax(axis=1)]
        return np.where(total[:, 0] > 0, (low_end + high_end) / 2, np.nan)

    return (quantile(0.75) - quantile(0.25)) / (high - low)


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
