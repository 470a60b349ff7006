"""The distribution of what was reported: how few values are used, and how round they are."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.confidence_tables import divided
from inspect_confidence.metrics.integer_sets import entropy_bits


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
        """The table of reports as one row; NaN is left out."""
        stated = np.asarray(reports, float)
        values, counts = np.unique(stated[~np.isnan(stated)], return_counts=True)
        return cls(values, counts[None].astype(float))


ReportMetric = Callable[[ReportTables], FloatArray]
"""A metric of reports: a value for each resample, NaN where it is undefined."""


def top1_value_of(tables: ReportTables) -> FloatArray:
    """The commonest report, the greatest of several equally common; NaN if there is none."""
    if not len(tables.values):
        return np.full(len(tables.mass), np.nan)
    last = len(tables.values) - 1 - np.argmax(tables.mass[:, ::-1], axis=1)
    return np.where(tables.mass.sum(axis=1) > 0, tables.values[last], np.nan)


def top1_share_of(tables: ReportTables) -> FloatArray:
    """The share of the commonest report; NaN if there is none."""
    return _largest(tables, 1)


def top3_share_of(tables: ReportTables) -> FloatArray:
    """The share of the three commonest reports; NaN if there is none."""
    return _largest(tables, 3)


def unique_values_of(tables: ReportTables) -> FloatArray:
    """How many different values were reported; NaN if there is no report."""
    used = (tables.mass > 0).sum(axis=1).astype(float)
    return np.where(used > 0, used, np.nan)


def entropy_bits_of(tables: ReportTables) -> FloatArray:
    """Shannon entropy of the reports in bits; NaN if there is none."""
    total = tables.mass.sum(axis=1)
    shares = tables.mass / np.where(total > 0, total, 1)[:, None]
    return np.where(total > 0, entropy_bits(shares), np.nan)


def round_rate_of(tables: ReportTables, *, multiple: int = 5) -> FloatArray:
    """The share of reports that are multiples of `multiple` on their own scale."""
    nearest = multiple * np.round(tables.values / multiple)
    return _share(tables, np.isclose(tables.values, nearest))


def utilization_of(tables: ReportTables, *, low: float, high: float) -> FloatArray:
    """Interquartile range of the reports over the width of the scale.

    Quartiles are means of the lower and upper value at which the cumulative share reaches them
    (numpy's `averaged_inverted_cdf`), so that repeating every report changes nothing.
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


def _largest(tables: ReportTables, count: int) -> FloatArray:
    top = np.sort(tables.mass, axis=1)[:, ::-1][:, :count].sum(axis=1)
    return divided(top, tables.mass.sum(axis=1))


def _share(tables: ReportTables, chosen: NDArray[np.bool_]) -> FloatArray:
    return divided(tables.mass[:, chosen].sum(axis=1), tables.mass.sum(axis=1))


def top1_value(reports: ArrayLike) -> float:
    """The commonest report, on its own scale; the greatest of several equally common.

    Args:
        reports: Raw values, one a judgment; NaN is left out.

    Returns:
        A value of the scale; NaN if there is no report.

    Example:
        >>> top1_value([90, 95, 95])
        95.0
    """
    return float(top1_value_of(ReportTables.of(reports))[0])


def top1_share(reports: ArrayLike) -> float:
    """The share of the commonest report, in (0, 1]; NaN is left out, and NaN if nothing is left.

    Example:
        >>> top1_share([90, 95, 95, 95])
        0.75
    """
    return float(top1_share_of(ReportTables.of(reports))[0])


def top3_share(reports: ArrayLike) -> float:
    """The share of the three commonest reports together, in (0, 1]; NaN as in `top1_share`.

    Example:
        >>> top3_share([80, 85, 90, 95, 95])
        0.8
    """
    return float(top3_share_of(ReportTables.of(reports))[0])


def unique_values(reports: ArrayLike) -> float:
    """How many different values were reported; NaN is left out, and NaN if nothing is left.

    Example:
        >>> unique_values([90, 95, 95])
        2.0
    """
    return float(unique_values_of(ReportTables.of(reports))[0])


def report_entropy(reports: ArrayLike) -> float:
    """Shannon entropy of the reports' distribution, in bits: -sum p log2 p.

    Biased downwards by about (K - 1) / (2 n ln 2) for K values in n reports.

    Args:
        reports: Raw values, one a judgment; NaN is left out.

    Returns:
        In [0, log2 K]; NaN if there is no report.

    Example:
        >>> report_entropy([90, 95, 95, 90])
        1.0
    """
    return float(entropy_bits_of(ReportTables.of(reports))[0])


def round_rate(reports: ArrayLike, *, multiple: int = 5) -> float:
    """The share of reports that are multiples of `multiple` on their own scale.

    Args:
        reports: Raw values, one a judgment; NaN is left out.
        multiple: 5 in the scale study.

    Returns:
        In [0, 1]; NaN if there is no report. How many multiples a scale has is for the reader to
        weigh: uniform reports on 0-100 give 21/101, on 0-5 2/6.

    Example:
        >>> round_rate([90, 95, 97, 100])
        0.75
    """
    return float(round_rate_of(ReportTables.of(reports), multiple=multiple)[0])


def utilization(reports: ArrayLike, *, low: float, high: float) -> float:
    """How much of the scale is used: the interquartile range of the reports over its width.

    The scale study names a utilization without defining it; this definition is ours.

    Args:
        reports: Raw values, one a judgment; NaN is left out.
        low: Least value of the scale.
        high: Greatest value.

    Returns:
        In [0, 1] for reports within the scale; NaN if there is no report.

    Example:
        >>> utilization([60, 70, 80, 90, 100], low=0, high=100)
        0.2
    """
    return float(utilization_of(ReportTables.of(reports), low=low, high=high)[0])
