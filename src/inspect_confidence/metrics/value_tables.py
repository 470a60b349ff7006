"""Tables of values: how often each was given, in many samples or resamples at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from inspect_confidence.metrics.arrays import FloatArray, divided, sample_of

__all__ = ["ValueTables"]


@dataclass(frozen=True, eq=False)
class ValueTables:
    """How often each value was given, in R samples or resamples.

    Attributes:
        values: The V distinct values, ascending, finite.
        mass: Of each value, >= 0, of shape (R, V): counts, or sums of the units' weights.
    """

    values: FloatArray
    mass: FloatArray

    @classmethod
    def of(cls, reports: ArrayLike) -> "ValueTables":
        """The table of reports as one row.

        Args:
            reports: Raw values, one a judgment; NaN is left out.
        """
        stated = np.asarray(reports, float)
        values, counts = np.unique(stated[~np.isnan(stated)], return_counts=True)
        return cls(values, counts[None].astype(float))

    @classmethod
    def pair(cls, first: ArrayLike, second: ArrayLike) -> tuple["ValueTables", "ValueTables"]:
        """Tables of one row of two samples, on the union of their values.

        Args:
            first: Finite numbers in any order and unit; NaN is left out. Numbers are rounded to 9
                decimals, so that 0.29 * 100 = 28.999999999999996 is 29.
            second: Likewise, in the same unit; of any other length.

        Raises:
            ValueError: A sample has more than one dimension, or an infinite value.

        Example:
            >>> first, second = ValueTables.pair([5, 5, 7], [6])
            >>> first.values.tolist(), first.mass.tolist(), second.mass.tolist()
            ([5.0, 6.0, 7.0], [[2.0, 0.0, 1.0]], [[0.0, 1.0, 0.0]])
        """
        one, other = sample_of(first), sample_of(second)
        values = np.union1d(one, other)
        places = (np.searchsorted(values, sample) for sample in (one, other))
        counts = [np.bincount(place, minlength=len(values))[None].astype(float) for place in places]
        return cls(values, counts[0]), cls(values, counts[1])

    def cumulated(self) -> FloatArray:
        """Share below the first value (0), up to it, ... the last (1): shape (R, V + 1), or NaN."""
        mass = np.pad(np.cumsum(self.mass, axis=1), ((0, 0), (1, 0)))
        return divided(mass, mass[:, -1:])

    def quantile(self, share: float) -> FloatArray:
        """Mean of the lower and upper value at which the cumulated share reaches a share.

        So repeating every value changes nothing (numpy's `averaged_inverted_cdf`).
        """
        reached = self.cumulated()
        # In an empty row no share is below or at another, which is the place of the NaN.
        values = np.concatenate([[np.nan], self.values])
        lower = values[(reached < share - 1e-12).sum(axis=1)]
        upper = values[(reached <= share + 1e-12).sum(axis=1)]
        middle: FloatArray = (lower + upper) / 2
        return middle
