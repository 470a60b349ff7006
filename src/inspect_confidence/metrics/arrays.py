"""Validation at the edge: what comes in becomes aligned float arrays."""

from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

EDGE = 1e-9
"""A value this near to an edge lies on it: 0.29 * 100 is 28.999999999999996."""


def aligned(**inputs: ArrayLike) -> list[FloatArray]:
    """Convert to float arrays of one length; a single number stands for all judgments."""
    arrays = {name: np.asarray(values, float) for name, values in inputs.items()}
    for name, array in arrays.items():
        if array.ndim > 1:
            raise ValueError(f"{name} has {array.ndim} dimensions; give one value a judgment.")
    lengths = {name: len(array) for name, array in arrays.items() if array.ndim}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Lengths differ: {lengths}; give one value a judgment in each.")
    return [np.atleast_1d(array) for array in np.broadcast_arrays(*arrays.values())]


def shares(**inputs: ArrayLike) -> list[FloatArray]:
    """Convert as `aligned`, and raise unless all values are in [0, 1] or NaN."""
    arrays = aligned(**inputs)
    for name, array in zip(inputs, arrays, strict=True):
        outside = array[(array < 0) | (array > 1)]
        if len(outside):
            raise ValueError(f"{name}={outside[0]} is not in [0, 1].")
    return arrays


def sample_of(values: ArrayLike) -> FloatArray:
    """Return the values that are not missing, rounded to 9 decimals: 15.000000000000002 is 15."""
    (array,) = aligned(sample=values)
    array = array[~np.isnan(array)]
    if np.isinf(array).any():
        raise ValueError("A value is infinite.")
    # From a million on, floats are themselves as coarse.
    small = np.abs(array) < 1e6
    array[small] = np.round(array[small], 9)
    return array


def checked_level(level: float) -> float:
    """Return the level if it is a percentage strictly between 0 and 100, else raise."""
    if not 0 < level < 100:
        raise ValueError(f"level={level} is not a percentage between 0 and 100, as 90 is.")
    return float(level)


def check_choice(name: str, value: str, literal: Any) -> None:
    """Raise ValueError unless a value is one of the values of a `Literal`."""
    if value not in get_args(literal):
        raise ValueError(f"{name}={value!r} is not one of {', '.join(get_args(literal))}.")


def check_bins(bins: int) -> None:
    """Raise ValueError unless the number of bins is at least 1."""
    if bins < 1:
        raise ValueError(f"bins={bins} is below 1.")


def distinct(codes: IntArray) -> int:
    """Count the distinct codes, which are integers from 0 up to about their number.

    `np.unique` would dominate the time for a model of many items.
    """
    return int(np.count_nonzero(np.bincount(codes)))


def divided(numerator: FloatArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Return the quotient; NaN where the denominator is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


_ONE_THREAD = 2**18
"""Multiplications of a product up to which BLAS takes one thread: more cost more than they save."""

_LARGEST_FACTOR = 2**16
"""Entries of the second factor up to which some rows of the first make such a product."""


def matrix_product(rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the matrix product, computed on one thread if `columns` has few entries."""
    if columns.size > _LARGEST_FACTOR or columns.size == 0:
        return np.asarray(rows @ columns)
    values = np.empty((len(rows), columns.shape[1]))
    block_size = _ONE_THREAD // columns.size
    for start in range(0, len(rows), block_size):
        block = slice(start, start + block_size)
        np.matmul(rows[block], columns, out=values[block])
    return values


def mean_or_nan(values: FloatArray) -> float:
    """Return the mean of the values that are not NaN; NaN if all values are NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


STEPS, MOST_VALUES = 120, 250
"""Steps of a share in resamples, and number of distinct values up to which all are kept."""


def in_steps(
    values: FloatArray, mass: FloatArray, steps: int = STEPS
) -> tuple[IntArray, FloatArray]:
    """Return the step of each ascending value in [0, 1], and the mean value of each step.

    A value on an edge between steps is a step of its own.
    """
    edge = np.floor(values * steps + EDGE)
    _, step_of_value = np.unique(2 * edge + (values * steps > edge + EDGE), return_inverse=True)
    sums = np.bincount(step_of_value, mass * values)
    return step_of_value, sums / np.bincount(step_of_value, mass)


def stepped(shares: FloatArray) -> FloatArray:
    """Return shares in steps of 1/120 if they have more than 250 distinct values.

    Each becomes the mean of the shares in its step. Other numbers, such as unbounded scores, stay
    as they are: steps of their range would hide how most of them differ.
    """
    values, place, counts = np.unique(np.round(shares, 12), return_inverse=True, return_counts=True)
    if len(values) <= MOST_VALUES or values[0] < 0 or values[-1] > 1:
        return shares
    step, means = in_steps(values, counts.astype(float))
    return np.asarray(means[step[place]])
