"""Count tables: judgments by confidence and outcome, which all calibration metrics follow from.

Confidence takes few values, so how much right and wrong there is at each of them says everything
that ECE, AUROC, Brier score, type-2 sensitivity and the rest need. A table holds many resamples
at once, one a row.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from inspect_confidence.metrics.arrays import FloatArray, aligned

_DIGITS = 12


@dataclass(frozen=True)
class ConfidenceTables:
    """Tables of judgments by confidence and outcome, one a resample.

    Attributes:
        values: The K distinct confidences, ascending, in [0, 1].
        right: Mass of right answers at each, of shape (resamples, K).
        wrong: Mass of wrong answers, likewise.
        binary: Whether every outcome was 0 or 1; outcomes between are split into both masses.
        shared: What several metrics need of these tables, worked out by the first of them.
    """

    values: FloatArray
    right: FloatArray
    wrong: FloatArray
    binary: bool = True
    shared: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def mass(self) -> FloatArray:
        """Of both outcomes, of shape (resamples, K)."""
        return self.right + self.wrong

    @cached_property
    def total(self) -> FloatArray:
        """The mass of each table."""
        return np.asarray(self.mass.sum(axis=1))

    @cached_property
    def missed(self) -> FloatArray:
        """Mass of wrong answers at each value or below, of shape (resamples, K)."""
        return np.cumsum(self.wrong, axis=1)


TableMetric = Callable[[ConfidenceTables], FloatArray]
"""A metric of tables: a value for each resample, NaN where it is undefined."""


@dataclass(frozen=True)
class Cells:
    """Which cells of a table each unit (an item) adds to.

    Attributes:
        values: The K distinct confidences, ascending.
        masses: What each unit adds to the mass of right and, K columns further on, of wrong
            answers: sparse, of shape (2 K, units).
        binary: Whether every outcome is 0 or 1.
    """

    values: FloatArray
    masses: csr_array
    binary: bool

    @classmethod
    def of(
        cls,
        confidence: ArrayLike,
        outcome: ArrayLike,
        unit: NDArray[np.int64] | None = None,
        units: int | None = None,
    ) -> "Cells":
        """The cells of judgments; those with a missing confidence or outcome are left out.

        The masses add up to the number of units that have a judgment, so that asking every item
        again with the same outcome changes nothing, also where a definition adds a constant to
        counts.

        Args:
            confidence: In [0, 1], one a judgment.
            outcome: 1 right, 0 wrong, or the probability of being right.
            unit: The number of each judgment's item; each judgment is an item of its own if None.
            units: How many items there are.

        Raises:
            ValueError: A confidence or outcome lies outside [0, 1], or lengths differ.
        """
        stated, truth = aligned(confidence=confidence, outcome=outcome)
        for name, array in (("confidence", stated), ("outcome", truth)):
            outside = array[(array < 0) | (array > 1)]
            if len(outside):
                raise ValueError(f"{name}={outside[0]} is not in [0, 1].")
        of_unit = np.arange(len(stated)) if unit is None else unit
        size = len(stated) if units is None else units
        there = ~(np.isnan(stated) | np.isnan(truth))
        # Equal but for rounding is equal: 0.7 and 0.7 / (0.7 + 0.2 + 0.1) differ in the last bit.
        _, first, column = np.unique(
            np.round(stated[there], _DIGITS), return_index=True, return_inverse=True
        )
        values = stated[there][first]
        unit, truth = of_unit[there], truth[there]
        share = len(np.unique(unit)) / len(unit) if len(unit) else 1.0
        masses = np.concatenate([truth, 1 - truth]) * share
        places = (np.concatenate([column, column + len(values)]), np.tile(unit, 2))
        cells = coo_array((masses, places), shape=(2 * len(values), size)).tocsr()
        cells.eliminate_zeros()
        return cls(values, cells, bool(np.isin(truth, (0, 1)).all()))

    def tables(self, weights: FloatArray) -> ConfidenceTables:
        """The table of each row of weights, of shape (resamples, units)."""
        masses = np.asarray((self.masses @ weights.T).T)
        k = len(self.values)
        return ConfidenceTables(self.values, masses[:, :k], masses[:, k:], self.binary)


def one_table(confidence: ArrayLike, outcome: ArrayLike) -> ConfidenceTables:
    """The table of judgments, as one row.

    Raises:
        ValueError: A confidence or outcome lies outside [0, 1], or lengths differ.
    """
    cells = Cells.of(confidence, outcome)
    return cells.tables(np.ones((1, cells.masses.shape[1])))


def joined(first: ConfidenceTables, second: ConfidenceTables) -> ConfidenceTables:
    """The tables of two sets of judgments taken together, row by row."""
    values = np.union1d(first.values, second.values)

    def sums(part: str) -> FloatArray:
        # Value by value in memory, as the tables of cells are: sums over values are faster so.
        mass = np.zeros((len(values), len(first.right)))
        for tables in (first, second):
            mass[np.searchsorted(values, tables.values)] += getattr(tables, part).T
        return mass.T

    return ConfidenceTables(values, sums("right"), sums("wrong"), first.binary and second.binary)


def divided(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The quotient; NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def accuracy(correct: ArrayLike) -> float:
    """Share of right answers: the mean of `correct`.

    Args:
        correct: 1 right, 0 wrong, or the probability of being right; NaN is left out.

    Returns:
        In [0, 1]; NaN if nothing is left.

    Example:
        >>> accuracy([1, 0, 1, 1])
        0.75
    """
    outcome = np.asarray(correct, float)
    return float(accuracy_of(one_table(np.zeros_like(outcome), outcome))[0])


def mean_confidence(confidence: ArrayLike) -> float:
    """The mean of stated confidences, in [0, 1]; NaN is left out, and NaN if nothing is left.

    Args:
        confidence: In [0, 1], one a judgment.

    Example:
        >>> mean_confidence([0.5, 1.0])
        0.75
    """
    stated = np.asarray(confidence, float)
    return float(mean_confidence_of(one_table(stated, np.zeros_like(stated)))[0])


def overconfidence(confidence: ArrayLike, correct: ArrayLike) -> float:
    """Mean confidence less accuracy over the same judgments; below 0 is underconfident.

    Args:
        confidence: In [0, 1], one a judgment.
        correct: 1 right, 0 wrong, or the probability of being right.

    Returns:
        In [-1, 1]. Judgments with a NaN are left out; NaN if none is left.

    Raises:
        ValueError: A value lies outside [0, 1], or lengths differ.

    Example:
        >>> overconfidence([0.9, 0.9, 0.7, 0.7], correct=[1, 0, 1, 0])
        0.3...
    """
    return float(overconfidence_of(one_table(confidence, correct))[0])


def accuracy_of(tables: ConfidenceTables) -> FloatArray:
    """`accuracy` of each table."""
    return divided(tables.right.sum(axis=1), tables.mass.sum(axis=1))


def mean_confidence_of(tables: ConfidenceTables) -> FloatArray:
    """`mean_confidence` of each table."""
    return divided(tables.mass @ tables.values, tables.mass.sum(axis=1))


def overconfidence_of(tables: ConfidenceTables) -> FloatArray:
    """`overconfidence` of each table."""
    return mean_confidence_of(tables) - accuracy_of(tables)
