"""Count tables: judgments by confidence and outcome, from which all calibration metrics follow.

Confidence takes few values. The mass of right and of wrong answers at each of them is all that ECE,
AUROC, Brier score and type-2 sensitivity need. `ConfidenceTables` hold many resamples at once, one
a row.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, hstack

from inspect_confidence.metrics.arrays import (
    MOST_VALUES,
    FloatArray,
    IntArray,
    count_distinct,
    divide_or_nan,
    double_array,
    merge_into_steps,
    shares,
    unit_sizes,
)
from inspect_confidence.metrics.registry import BOOTSTRAP, UNREAD, WILSON, metric
from inspect_confidence.metrics.resample import SumStatistic

__all__ = [
    "ConfidenceTables",
    "ItemTables",
    "accuracy",
    "confidence_table",
    "mean_confidence",
    "overconfidence",
]


@dataclass(frozen=True)
class ConfidenceTables:
    """Tables of judgments by confidence and outcome, one a resample.

    Attributes:
        values: The K distinct confidences, ascending, in [0, 1].
        right: Mass of right answers at each confidence, of shape (resamples, K).
        wrong: Mass of wrong answers, of the shape of `right`.
        binary: Whether every outcome was 0 or 1; outcomes between are split into both masses.
        coarse: Whether a value stands for several neighbouring confidences.
        pseudo: Mass of the pseudo-judgments that resamples have in `right` and `wrong`, of shape
            (resamples, 4): right and wrong with the least confidence, then with the greatest.
        credit_spread: Sum of y (1 - y) over outcomes y that are credits, 0 for chances.
        shared: Cache of intermediate results that several metrics need.
    """

    values: FloatArray
    right: FloatArray
    wrong: FloatArray
    binary: bool = True
    coarse: bool = False
    pseudo: FloatArray = field(default_factory=lambda: np.zeros((1, 4)))
    credit_spread: FloatArray | float = 0.0
    shared: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def mass(self) -> FloatArray:
        """Mass of right and wrong answers at each value, of shape (resamples, K)."""
        return self.right + self.wrong

    @cached_property
    def total(self) -> FloatArray:
        """Total mass of each table."""
        return np.asarray(self.mass.sum(axis=1))

    @property
    def are_resamples(self) -> NDArray[np.bool_]:
        """Whether each table is a resample, which has pseudo-judgments."""
        return np.asarray(self.pseudo.any(axis=1))

    @cached_property
    def missed(self) -> FloatArray:
        """Mass of wrong answers at or below each value, of shape (resamples, K)."""
        return np.cumsum(self.wrong, axis=1)


@dataclass(frozen=True)
class ItemTables:
    """Judgments as what each unit (an item) adds to a count table.

    Attributes:
        values: The K distinct confidences, ascending.
        masses: What each unit adds to the mass of right and, K rows further on, of wrong answers:
            sparse, of shape (2 K, units).
        binary: Whether every outcome is 0 or 1.
        credit_spread: What each unit adds to the sum of y (1 - y) over outcomes y that are credits.
        sizes: Number of equal units that each unit stands for.
        coarse: Whether a value stands for several neighbouring confidences.
    """

    values: FloatArray
    masses: csr_array
    binary: bool
    credit_spread: FloatArray
    sizes: FloatArray
    coarse: bool = False

    @classmethod
    def from_judgments(
        cls,
        confidence: ArrayLike,
        outcome: ArrayLike,
        unit: IntArray | None = None,
        units: int | None = None,
        *,
        counts: IntArray | None = None,
        are_chances: bool = False,
    ) -> "ItemTables":
        """Group judgments by item; those with a missing confidence or outcome are left out.

        The masses add up to the number of units that have a judgment, so that asking every item
        again with the same outcome changes nothing, also where a definition adds a constant to
        counts.

        Args:
            confidence: In [0, 1], one per judgment.
            outcome: 1 right, 0 wrong, or the probability of being right.
            unit: Index of each judgment's item; each judgment is an item of its own if None.
            units: Number of items; that of the judgments if None.
            counts: Number of equal items, of one judgment each, that a judgment stands for; 1 if
                None.
            are_chances: Whether outcomes between 0 and 1 are chances that the answer is right, not
                credits: their Brier score is the expected one.

        Raises:
            ValueError: A confidence or outcome lies outside [0, 1], or lengths differ.
        """
        confidences, outcomes = shares(confidence=confidence, outcome=outcome)
        item_numbers = np.arange(len(confidences)) if unit is None else unit
        size = len(confidences) if units is None else units
        sizes = unit_sizes(item_numbers, counts, size)
        present = ~(np.isnan(confidences) | np.isnan(outcomes))
        # Equal but for rounding is equal: 0.7 and 0.7 / (0.7 + 0.2 + 0.1) differ in the last bit.
        rounded = np.round(confidences[present], 12)
        _, first, column = np.unique(rounded, return_index=True, return_inverse=True)
        values = confidences[present][first]
        item, y = item_numbers[present], outcomes[present]
        # Weight of a judgment, with which the masses add up to the number of units.
        weight = count_distinct(item) / len(item) if len(item) else 1.0
        masses = np.concatenate([y, 1 - y]) * weight
        # Rows are right answers by confidence, then wrong ones; columns are items.
        places = (np.concatenate([column, column + len(values)]), np.tile(item, 2))
        cells = coo_array((masses, places), shape=(2 * len(values), size)).tocsr()
        cells.eliminate_zeros()
        credit_spread = np.zeros(size)  # each item's y (1 - y), 0 for right, wrong and chances
        if not are_chances:
            np.add.at(credit_spread, item, weight * y * (1 - y))
        binary = bool(np.isin(y, (0, 1)).all())
        return cls(values, cells, binary, credit_spread, sizes)

    def tables(self, weights: FloatArray) -> ConfidenceTables:
        """Return count tables, one for each row of units' weights, (resamples, units)."""
        return self.table_statistic(weights)

    @property
    def table_statistic(self) -> SumStatistic[ConfidenceTables]:
        """Count tables as a function of items' weights, of shape (resamples, items).

        They follow from 2 K + 5 weighted sums over items, in the columns of `_tables_of_sums`.
        Items add 0 to the four masses of pseudo-judgments: only `extremes` adds to them.
        With many confidences, resamples use a table of fewer, merged into steps (`coarser`).
        """
        units, coarser = self.masses.shape[1], self.coarser
        spread = csr_array(self.credit_spread[:, None])
        sums = csr_array(hstack([self.masses.T, csr_array((units, 4)), spread]))
        coarser_statistic = coarser.table_statistic if coarser else None
        return SumStatistic(sums, self._tables_of_sums, coarser_statistic, self.extremes())

    def _tables_of_sums(self, sums: FloatArray) -> ConfidenceTables:
        """Return the count table of each row of weighted sums over items, (resamples, 2 K + 5).

        Columns are the masses of right answers at the K confidences and those of wrong answers; the
        masses of the four pseudo-judgments that `bootstrap` adds (right and wrong at the least
        confidence, then at the greatest); and the credit spread, the sum of y (1 - y) of credits y.
        """
        k = len(self.values)
        return ConfidenceTables(
            self.values,
            right=sums[:, :k],
            wrong=sums[:, k : 2 * k],
            binary=self.binary,
            coarse=self.coarse,
            pseudo=sums[:, 2 * k : -1],
            credit_spread=sums[:, -1],
        )

    def extremes(self) -> FloatArray:
        """Return what each pseudo-judgment of `bootstrap` adds to the sums of a count table.

        The four, added to resamples, are right and wrong with the least confidence, then right and
        wrong with the greatest. The shape is (4, 2 K + 5), with the columns of `_tables_of_sums`.
        All are 0 without judgments.
        """
        k = len(self.values)
        extremes = np.zeros((4, 2 * k + 5))
        if k:
            right_least, wrong_least, right_greatest, wrong_greatest = 0, k, k - 1, 2 * k - 1
            columns = [right_least, wrong_least, right_greatest, wrong_greatest]
            extremes[np.arange(4), columns] = 1
            extremes[:, 2 * k : -1] = np.eye(4)  # counted apart, too, as `ConfidenceTables.pseudo`
        return extremes

    @property
    def coarser(self) -> "ItemTables | None":
        """The same judgments in steps of 1/120 if confidences are many; otherwise None.

        Edges of 10, 15 and 20 bins and multiples of 0.05 remain edges of steps, and values on an
        edge form a step of their own. Each new value is the mean of the values in its step. Tables
        that are in steps already (`self.coarse`) get None.
        `self.masses`, (2 K, items), has rows of right, then of wrong answers at K confidences.
        """
        if self.coarse or len(self.values) <= MOST_VALUES:
            return None
        mass = sum_over_units(self.masses, self.sizes).reshape(2, -1).sum(axis=0)
        step_of_value, values = merge_into_steps(self.values, mass)
        k, steps = len(step_of_value), len(values)
        # A matrix (2 steps, 2 K) whose product sums right, then wrong masses over each step.
        step_rows = np.append(step_of_value, step_of_value + steps)
        shape = 2 * steps, 2 * k
        merge = csr_array((np.ones(2 * k), (step_rows, np.arange(2 * k))), shape=shape)
        masses = csr_array(merge @ self.masses)
        return replace(self, values=values, masses=masses, coarse=True)

    def total_table(self) -> ConfidenceTables:
        """Return the table of one row in which each unit counts by its size, 1 by default."""
        return self.tables(self.sizes[None])


def sum_by_table(column: FloatArray, bin_of_value: IntArray, bins: int) -> FloatArray:
    """Return sums (tables, bins) of a column over each table's own bins.

    `column` has one number per table and value, `bin_of_value` its bin, both (tables, K).
    """
    tables = len(column)
    # `bincount` counts in one row, in which each table gets its own range of numbers. Transposed,
    # which saves a copy: columns come from products with sparse matrices, stored column by column.
    cell = bin_of_value + bins * np.arange(tables)[:, None]
    sums = np.bincount(cell.T.ravel(), column.T.ravel(), tables * bins)
    return np.asarray(sums, float).reshape(tables, bins)


def sum_over_units(cells: csr_array, sizes: FloatArray) -> FloatArray:
    """Return the sum of each row of cells over its units, each of which counts by its size."""
    return np.asarray(csr_array(cells.multiply(sizes)).sum(axis=1))


def confidence_table(confidence: ArrayLike, correct: ArrayLike) -> ConfidenceTables:
    """Return the table of judgments by confidence and outcome, as one row.

    Args:
        confidence: In [0, 1], one per judgment; judgments with a NaN are left out.
        correct: 1 right, 0 wrong, or a credit between, which is split into both masses.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.
    """
    return ItemTables.from_judgments(confidence, correct).total_table()


def table_of_confidence(confidence: ArrayLike) -> ConfidenceTables:
    """Count how often each distinct confidence occurs, as if every answer were wrong.

    The result has no resamples, so that its arrays have one row. Functions of count tables that use
    no outcome, such as mean confidence, take it. NaN is left out, and a value outside [0, 1] is a
    ValueError.
    """
    confidences = double_array(confidence)
    return confidence_table(confidences, np.zeros_like(confidences))


_CONSERVATIVE_REASON = (
    "where both have the same answers: half a pseudo-answer in which they differ is added"
)
"""Why the interval of a difference is conservative."""


def accuracy_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `accuracy` of each table: mass of right answers over the total; NaN without mass."""
    return divide_or_nan(tables.right.sum(axis=1), tables.mass.sum(axis=1))


@metric(
    direction="higher",
    undefined="no graded answer",
    interval=replace(WILSON, conservative_difference=_CONSERVATIVE_REASON),
    of_tables=accuracy_of_tables,
)
def accuracy(correct: ArrayLike) -> float:
    """Share of right answers, or mean true probability where that is known.

    Args:
        correct: 1 right, 0 wrong, or the probability of being right; NaN is left out, and the
            result NaN if none is left.

    Example:
        >>> accuracy([1, 0, 1, 1])
        0.75
    """
    outcomes = double_array(correct)
    confidences = np.zeros_like(outcomes)  # any: accuracy doesn't depend on them
    return float(accuracy_of_tables(confidence_table(confidences, outcomes))[0])


def mean_confidence_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `mean_confidence` of each table: the mean of values by mass; NaN without mass."""
    return divide_or_nan(tables.mass @ tables.values, tables.mass.sum(axis=1))


@metric(
    undefined=UNREAD,
    interval=replace(
        BOOTSTRAP,
        conservative="where reports lie close together: half a report of 0 and of 1 is added",
    ),
    of_tables=mean_confidence_of_tables,
)
def mean_confidence(confidence: ArrayLike) -> float:
    """Mean of stated confidence, 0 and 1 being the ends of the scale.

    Args:
        confidence: In [0, 1], one per judgment; NaN is left out, NaN if none is left.

    Example:
        >>> mean_confidence([0.5, 1.0])
        0.75
    """
    return float(mean_confidence_of_tables(table_of_confidence(confidence))[0])


def overconfidence_of_tables(tables: ConfidenceTables) -> FloatArray:
    """Compute `overconfidence` of each table: mean confidence less accuracy."""
    return mean_confidence_of_tables(tables) - accuracy_of_tables(tables)


@metric(
    direction="target=0",
    low=-1,
    undefined=UNREAD,
    interval=replace(BOOTSTRAP, conservative_difference=_CONSERVATIVE_REASON),
    of_tables=overconfidence_of_tables,
)
def overconfidence(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean confidence less accuracy, over the same judgments.

    Args:
        confidence: In [0, 1], one per judgment; those with a NaN are left out, NaN if none is left.
        correct: 1 right, 0 wrong, or the probability of being right.

    Example:
        >>> overconfidence([0.9, 0.9, 0.7, 0.7], correct=[1, 0, 1, 0])
        0.3...
    """
    return float(overconfidence_of_tables(confidence_table(confidence, correct))[0])
