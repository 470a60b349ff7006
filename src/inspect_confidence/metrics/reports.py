"""Distribution of reported values: how many are used, and how round they are.

A table holds the frequency of each value, in many samples or resamples at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import (
    FloatArray,
    divide_or_nan,
    double_array,
    present_values,
    round_decimals,
)
from inspect_confidence.metrics.registry import (
    BOOTSTRAP,
    INFINITY,
    NO_ESTIMATE,
    UNREAD,
    WILSON,
    About,
    Interval,
    metric,
    no_interval,
    numbers,
)

__all__ = [
    "ValueTables",
    "entropy_bits",
    "report_entropy",
    "round_rate",
    "top1_share",
    "top1_value",
    "top3_share",
    "unique_values",
    "utilization",
]

_STUDY = "Dai (2026), the scale-design study"
_LARGEST = no_interval("the largest of several shares is overstated by chance")


@dataclass(frozen=True, eq=False)
class ValueTables:
    """Frequency of each value, in R samples or resamples.

    Attributes:
        values: The V distinct values, ascending, finite.
        mass: Mass of each value, >= 0, of shape (R, V): counts, or sums of the units' weights.
    """

    values: FloatArray
    mass: FloatArray

    @classmethod
    def from_reports(cls, reports: ArrayLike) -> "ValueTables":
        """Return the table of reports, values on the scale, as one row; NaN is left out.

        Values are rounded to 9 decimals, so that 0.1 + 0.2 and 0.3 are one value.
        """
        stated_values = round_decimals(double_array(reports))
        values, counts = np.unique(stated_values[~np.isnan(stated_values)], return_counts=True)
        return cls(values, counts[None].astype(float))

    @classmethod
    def pair(cls, first: ArrayLike, second: ArrayLike) -> tuple["ValueTables", "ValueTables"]:
        """Return the tables of two samples, each as one row, on the union of their values.

        Args:
            first: Finite numbers in any order and unit; NaN is left out. Numbers are rounded to 9
                decimals, so that 0.29 * 100 = 28.999999999999996 is 29.
            second: Numbers in the same unit, of any length.

        Raises:
            ValueError: A sample has more than one dimension, or an infinite value.

        Example:
            >>> first, second = ValueTables.pair([5, 5, 7], [6])
            >>> first.values.tolist(), first.mass.tolist(), second.mass.tolist()
            ([5.0, 6.0, 7.0], [[2.0, 0.0, 1.0]], [[0.0, 1.0, 0.0]])
        """
        first_sample, second_sample = present_values(first), present_values(second)
        values = np.union1d(first_sample, second_sample)
        tables = []
        for sample in (first_sample, second_sample):
            counts = np.bincount(np.searchsorted(values, sample), minlength=len(values))
            tables.append(cls(values, counts[None].astype(float)))
        return tables[0], tables[1]

    def cumulated(self) -> FloatArray:
        """Return the share of each sample's values up to each of the V values: (R, V + 1).

        `self.mass`, (R, V), has how often each of R samples has each value. The first column, for
        no value, is 0; a row without mass is NaN.
        """
        mass = np.pad(np.cumsum(self.mass, axis=1), ((0, 0), (1, 0)))
        return divide_or_nan(mass, mass[:, -1:])

    def quantile(self, share: float) -> FloatArray:
        """Return the quantile of each sample (row): the mean of lower and upper value at the share.

        These are the first values at which the cumulated mass reaches, and exceeds, the share,
        which is above 0 and below 1.
        Repeating every value changes nothing (numpy's `averaged_inverted_cdf`). NaN without mass.
        """
        reached = self.cumulated()  # share of the mass up to each value, 0 before the first
        # In a row without mass no comparison holds, so that index 0, the NaN, is taken.
        values = np.concatenate([[np.nan], self.values])
        lower = values[(reached < share - 1e-12).sum(axis=1)]
        upper = values[(reached <= share + 1e-12).sum(axis=1)]
        return np.asarray((lower + upper) / 2)


def top1_value_of_tables(tables: ValueTables) -> FloatArray:
    """Compute `top1_value` of each table: greatest value of those with most mass; NaN if empty."""
    greatest_mass = tables.mass.max(axis=1, keepdims=True, initial=0)
    commonest = np.where(tables.mass == greatest_mass, tables.values, -np.inf)
    largest = commonest.max(axis=1, initial=-np.inf)
    return np.where(greatest_mass[:, 0] > 0, largest, np.nan)


@metric(
    unit="steps of the scale",
    low=-INFINITY,
    undefined=UNREAD,
    source=_STUDY,
    interval=no_interval("which report is the commonest jumps between values"),
    of_tables=top1_value_of_tables,
)
def top1_value(reports: ArrayLike) -> float:
    """The commonest report on its own scale; the greatest of several equally common.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left.

    Example:
        >>> top1_value([90, 95, 95])
        95.0
    """
    return float(top1_value_of_tables(ValueTables.from_reports(reports))[0])


def top1_share_of_tables(tables: ValueTables) -> FloatArray:
    """Compute `top1_share` of each table: the share of the commonest value."""
    return _share_of_commonest(tables, 1)


@metric(undefined=UNREAD, source=_STUDY, interval=_LARGEST, of_tables=top1_share_of_tables)
def top1_share(reports: ArrayLike) -> float:
    """Share of the commonest report.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left.

    Example:
        >>> top1_share([90, 95, 95, 95])
        0.75
    """
    return float(top1_share_of_tables(ValueTables.from_reports(reports))[0])


def top3_share_of_tables(tables: ValueTables) -> FloatArray:
    """Compute `top3_share` of each table: the share of the three commonest values."""
    return _share_of_commonest(tables, 3)


@metric(undefined=UNREAD, source=_STUDY, interval=_LARGEST, of_tables=top3_share_of_tables)
def top3_share(reports: ArrayLike) -> float:
    """Share of the three commonest reports.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left. The
            share is 1 for up to three distinct values.

    Example:
        >>> top3_share([80, 85, 90, 95, 95])
        0.8
    """
    return float(top3_share_of_tables(ValueTables.from_reports(reports))[0])


def _share_of_commonest(tables: ValueTables, count: int) -> FloatArray:
    """Return the share of the `count` commonest values in each table's mass; NaN without mass."""
    top = np.sort(tables.mass, axis=1)[:, ::-1][:, :count].sum(axis=1)
    return divide_or_nan(top, tables.mass.sum(axis=1))


def unique_values_of_tables(tables: ValueTables) -> FloatArray:
    """Compute `unique_values` of each table: the number of values with a mass above 0; NaN if 0."""
    used = (tables.mass > 0).sum(axis=1).astype(float)
    return np.where(used > 0, used, np.nan)


@metric(
    unit="count",
    low=1,
    undefined=UNREAD,
    source=_STUDY,
    interval=no_interval("values that were not seen can't be resampled"),
    of_tables=unique_values_of_tables,
)
def unique_values(reports: ArrayLike) -> float:
    """How many different values were reported.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left.

    Example:
        >>> unique_values([90, 95, 95])
        2.0
    """
    return float(unique_values_of_tables(ValueTables.from_reports(reports))[0])


def entropy_bits(probabilities: ArrayLike) -> FloatArray:
    """Shannon entropy along the last axis, in bits: -sum p log2 p, with 0 log 0 = 0.

    Example:
        >>> float(entropy_bits([0.5, 0.25, 0.25]))
        1.5
    """
    p = double_array(probabilities)
    terms = np.where(p > 0, p * np.log2(np.where(p > 0, p, 1)), 0)
    return np.asarray(np.maximum(-terms.sum(axis=-1), 0))


def report_entropy_of_tables(tables: ValueTables) -> FloatArray:
    """Compute `report_entropy` of each table: -sum p log2 p of the values' shares p.

    NaN for a table without mass.
    """
    total = tables.mass.sum(axis=1)
    shares = tables.mass / np.where(total > 0, total, 1)[:, None]
    return np.where(total > 0, entropy_bits(shares), np.nan)


@metric(
    "entropy_bits",
    unit="bits",
    undefined=UNREAD,
    source=_STUDY,
    interval=no_interval("a sample understates it, and more so if many values are rare"),
    of_tables=report_entropy_of_tables,
)
def report_entropy(reports: ArrayLike) -> float:
    """Shannon entropy of the reports; biased downwards at few judgments.

    -sum p log2 p, in bits. The bias is about (K - 1) / (2 n ln 2) for K values in n reports.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left.

    Example:
        >>> report_entropy([90, 95, 95, 90])
        1.0
    """
    return float(report_entropy_of_tables(ValueTables.from_reports(reports))[0])


def round_rate_of_tables(tables: ValueTables, *, multiple: int = 5) -> FloatArray:
    """Compute `round_rate` of each table: the share of multiples of `multiple`.

    NaN for a table without mass. ValueError if `multiple` is not above 0, or infinite.
    """
    if not 0 < multiple < np.inf:
        raise ValueError(f"multiple={multiple} is not above 0, as 5 is.")
    nearest = multiple * np.round(tables.values / multiple)
    is_round = np.isclose(tables.values, nearest)
    return divide_or_nan(tables.mass[:, is_round].sum(axis=1), tables.mass.sum(axis=1))


@metric(
    undefined="no readable report on a scale",
    source=_STUDY,
    interval=WILSON,
    of_tables=round_rate_of_tables,
)
def round_rate(reports: ArrayLike, *, multiple: int = 5) -> float:
    """Share of reports that are multiples of 5 on their own scale; probabilities in percent.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left.
        multiple: Number of whose multiples the share is returned.

    Example:
        >>> round_rate([90, 95, 97, 100])
        0.75
    """
    return float(round_rate_of_tables(ValueTables.from_reports(reports), multiple=multiple)[0])


numbers(
    About(undefined="no whole-number report", direction="lower", source=_STUDY, interval=WILSON),
    violation_rate="Share of whole-number reports outside the scale by more than 5% of its width.",
    clip_rate="Share of whole-number reports outside the scale by at most 5% of its width, taken "
    "for its end.",
)


def utilization_of_tables(tables: ValueTables, *, low: float, high: float) -> FloatArray:
    """Compute `utilization` of each table: interquartile range over the scale's width, high - low.

    NaN for a table without mass. ValueError if the scale has no width.
    """
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"low={low} and high={high} make no scale; give two ascending numbers.")
    return (tables.quantile(0.75) - tables.quantile(0.25)) / (high - low)


@metric(
    definition="Interquartile range of the reports over the width of the scale (the study gives no "
    "definition); above 1 where reports lie outside the scale.",
    high=INFINITY,
    undefined=UNREAD,
    interval=BOOTSTRAP,
    of_tables=utilization_of_tables,
)
def utilization(reports: ArrayLike, *, low: float, high: float) -> float:
    """How much of the scale is used: the interquartile range of the reports over its width.

    Quartiles are means of lower and upper quantiles: repeating every report changes nothing.

    Args:
        reports: Values on the scale, one per judgment; NaN is left out, NaN if none is left.
        low: Least value of the scale.
        high: Greatest value.

    Example:
        >>> utilization([60, 70, 80, 90, 100], low=0, high=100)
        0.2
    """
    return float(utilization_of_tables(ValueTables.from_reports(reports), low=low, high=high)[0])


numbers(
    About(
        undefined="no granularity scale with a readable answer",
        unit="percentage points",
        direction="lower",
        high=100,
        source=_STUDY,
        interval=no_interval("a largest difference is above 0 by noise alone"),
    ),
    accuracy_spread="Largest minus smallest accuracy over the scales that differ in granularity "
    "alone, in percentage points.",
)
numbers(
    About(undefined="never", unit="count", interval=NO_ESTIMATE),
    items_not_common="Number of items that were not asked of every model, variant and scale of the "
    "data set.",
)
numbers(
    About(
        undefined="fewer than three models with both, or one of them constant",
        unit="correlation",
        source=_STUDY,
        interval=Interval("own", "Fisher's z over models, as if they were a random sample."),
    ),
    entropy_m_ratio_correlation="Pearson correlation over models of the reports' entropy with "
    "M-ratio.",
)
