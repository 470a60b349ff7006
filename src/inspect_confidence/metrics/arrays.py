"""Checks of arguments and small array functions that all metrics share."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

EDGE = 1e-9
"""A value this near to an edge lies on it: 0.29 * 100 is 28.999999999999996."""


def double_array(values: ArrayLike, name: str = "values") -> FloatArray:
    """Return numbers as 64-bit floats; masked numbers, None and NA of pandas become NaN.

    A number of lower precision becomes the shortest decimal that stands for it: a 32-bit 0.9 is
    0.8999999762 in 64 bits, which lies below the edge 0.9 of a bin.

    Args:
        values: A number, or a sequence or an array of numbers.
        name: Name of the argument, for errors.

    Raises:
        ValueError: A value is no real number, or the argument is no sequence.

    Example:
        >>> double_array(np.array([0.9, 0.1], np.float32)).tolist()
        [0.9, 0.1]
        >>> double_array(np.ma.masked_array([0.9, 0.1], mask=[True, False])).tolist()
        [nan, 0.1]
    """
    array = _array_of_numbers(values, name)
    if array.dtype.kind == "f" and array.dtype.itemsize < np.dtype(float).itemsize:
        numbers, positions = np.unique(array, return_inverse=True)
        decimals = np.array([float(str(number)) for number in numbers], float)
        doubles: FloatArray = decimals[positions].reshape(array.shape)
    else:
        try:
            # pandas' columns with NA give an array of objects, but convert themselves to floats.
            doubles = np.asarray(array if array.dtype.kind in "bfiu" else values, float)
        except (TypeError, ValueError):
            raise ValueError(_no_number(name, array)) from None
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.nan, doubles)
    return doubles


def _array_of_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return an array of values; ValueError for dates, complex, ragged lists, or no sequence."""
    try:
        array = np.asarray(values)
    except ValueError:  # numpy's message names no argument
        raise ValueError(
            f"{name} holds lists of different lengths; give one number each."
        ) from None
    if array.dtype.kind in "cmM" and array.size:  # numpy would make numbers of them
        raise ValueError(_no_number(name, array))
    if array.ndim == 0 and isinstance(values, Iterable) and not isinstance(values, str):
        raise ValueError(
            f"{name} is a {type(values).__name__}; give a list or an array of numbers."
        )
    return array


def _no_number(name: str, array: NDArray[Any]) -> str:
    """Return the message that names the first value that is no number; None is a missing one.

    It names none if Python converts all of them, as dates in nanoseconds, which are integers there.
    """
    for value in array.ravel().tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            if value is not None:
                return (
                    f"{name} holds {value!r}, which is no number; give numbers, and NaN where one "
                    "is missing."
                )
    return f"{name} holds values that are no numbers; give numbers, and NaN where one is missing."


def aligned(**inputs: ArrayLike) -> list[FloatArray]:
    """Return the arguments, in their order, as float arrays of one length.

    A single number is repeated to that length.

    Raises:
        ValueError: An argument has more than one dimension, or lengths differ.
    """
    arrays = {name: double_array(values, name) for name, values in inputs.items()}
    for name, array in arrays.items():
        if array.ndim > 1:
            raise ValueError(f"{name} has {array.ndim} dimensions; give one value per judgment.")
    lengths = {name: len(array) for name, array in arrays.items() if array.ndim}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Lengths differ: {lengths}; give each one value per judgment.")
    return [np.atleast_1d(array) for array in np.broadcast_arrays(*arrays.values())]


def shares(**inputs: ArrayLike) -> list[FloatArray]:
    """Return the arguments as `aligned` does, after checking that they are shares.

    Raises:
        ValueError: A value is neither NaN nor in [0, 1], or `aligned` refuses the arguments.
    """
    arrays = aligned(**inputs)
    for name, array in zip(inputs, arrays, strict=True):
        outside = array[(array < 0) | (array > 1)]
        if len(outside):
            raise ValueError(f"{name}={outside[0]} is not in [0, 1].")
    return arrays


def flags(**inputs: ArrayLike) -> list[FloatArray]:
    """Return the arguments as `aligned` does, after checking that they are yes (1) or no (0).

    Raises:
        ValueError: A value is neither NaN nor 0 or 1, or `aligned` refuses the arguments.
    """
    arrays = aligned(**inputs)
    for name, array in zip(inputs, arrays, strict=True):
        invalid = array[~(np.isnan(array) | (array == 0) | (array == 1))]
        if len(invalid):
            raise ValueError(f"{name}={invalid[0]:g} is neither 1 (yes) nor 0 (no).")
    return arrays


def unit_numbers(unit: ArrayLike | None, length: int, name: str = "unit") -> IntArray:
    """Return the number of each judgment's unit (an item or a cluster of items), from 0 on.

    If all units are numbers from 0 to `length` - 1, they stay, also if some numbers are missing.
    Other names of units, such as the ids of items, get numbers in the order of their first
    judgments. Each of the `length` judgments is its own unit if `unit` is None.

    Raises:
        ValueError: There is not one unit for each judgment, or a unit is None or NaN.

    Example:
        >>> unit_numbers(["q7", "q1", "q7"], 3).tolist()
        [0, 1, 0]
    """
    if unit is None:
        return np.arange(length)
    names = np.asarray(unit)
    if names.shape != (length,):
        raise ValueError(
            f"{name} has the shape {names.shape}; give the item of each of the {length} judgments."
        )
    are_integers = names.dtype.kind in "iu" and length > 0
    if are_integers and names.min() >= 0 and names.max() < length:
        return names.astype(np.int64, copy=False)
    numbers: dict[object, int] = {}
    for label in names.tolist():
        if label is None or (isinstance(label, float) and np.isnan(label)):
            raise ValueError(f"{name} holds a missing value; give the item of each judgment.")
        numbers.setdefault(label, len(numbers))
    return np.array([numbers[label] for label in names.tolist()], np.int64)


def present_values(values: ArrayLike) -> FloatArray:
    """Return the values that are not NaN, rounded to 9 decimals: 15.000000000000002 is 15.

    Raises:
        ValueError: A value is infinite, or there are two dimensions.
    """
    (array,) = aligned(sample=values)
    array = array[~np.isnan(array)]
    if np.isinf(array).any():
        raise ValueError(
            "A value is infinite; give finite numbers, or NaN where a value is missing."
        )
    return round_decimals(array)


def round_decimals(values: FloatArray) -> FloatArray:
    """Return numbers rounded to 9 decimals, so that 0.1 + 0.2 equals 0.3.

    From a million on they stay as they are: neighbouring floats lie about 1e-9 apart themselves.
    """
    rounded, is_small = values.copy(), np.abs(values) < 1e6
    rounded[is_small] = np.round(values[is_small], 9)
    return rounded


def checked_level(level: float) -> float:
    """Return the level if it is a percentage strictly between 0 and 100, else raise."""
    if not (isinstance(level, Real) and 0 < level < 100):
        raise ValueError(f"level={level} is not a percentage between 0 and 100, as 90 is.")
    return float(level)


def check_choice(name: str, value: str, literal: Any) -> None:
    """Raise ValueError, which names the argument, unless its value is one of a `Literal`."""
    if value not in get_args(literal):
        raise ValueError(f"{name}={value!r} is not one of {', '.join(get_args(literal))}.")


def check_open_share(name: str, value: float) -> None:
    """Raise ValueError, which names the argument, unless its value lies between 0 and 1."""
    if not (isinstance(value, Real) and 0 < value < 1):
        raise ValueError(f"{name}={value} is not between 0 and 1, as 0.95 is.")


def check_count(name: str, value: int, minimum: int = 1) -> None:
    """Raise ValueError, which names the argument, unless it is a whole number from `minimum` on."""
    if not isinstance(value, Integral):
        raise ValueError(f"{name}={value} is not a whole number.")
    if value < minimum:
        raise ValueError(f"{name}={value} is below {minimum}.")


def count_distinct(codes: IntArray) -> int:
    """Count the distinct codes, integers from 0 on that are not much larger than their count.

    `np.unique` would take most of the time for a model of many items.
    """
    return int(np.count_nonzero(np.bincount(codes)))


def count_flags(flags: BoolArray, counts: IntArray | None) -> int:
    """Count the judgments with a flag; each entry stands for `counts` judgments, for 1 if None."""
    return int(flags.sum() if counts is None else counts[flags].sum())


def count_units(unit_index: IntArray, counts: IntArray | None) -> int:
    """Count the units of judgments.

    With `counts` each judgment is the only one of its unit, and stands for `counts` equal units.
    """
    return count_distinct(unit_index) if counts is None else int(counts.sum())


def unit_sizes(unit_index: IntArray, counts: IntArray | None, units: int) -> FloatArray:
    """Return how many equal units (items) each unit stands for, of shape (units,); 1 by default.

    `unit_index` has the unit of each judgment. `counts`, if not None, has for each judgment how
    many equal units its unit stands for.
    """
    sizes = np.ones(units)
    if counts is not None:
        sizes[unit_index] = counts
    return sizes


def divide_or_nan(numerator: FloatArray, denominator: FloatArray | IntArray) -> FloatArray:
    """Return numerator / denominator, elementwise; NaN where the denominator is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


_ONE_THREAD = 2**18
"""Multiplications up to which BLAS uses one thread; for so few, more threads take longer."""

_LARGEST_FACTOR = 2**16
"""Entries of the second factor up to which blocks of at least four rows stay within that."""


def matrix_product(rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return rows @ columns, in blocks of rows if `columns` has few (1 to 65,536) entries.

    A block is so small that BLAS computes it on one thread, which is then faster.
    """
    if columns.size > _LARGEST_FACTOR or columns.size == 0:
        return np.asarray(rows @ columns)
    values = np.empty((len(rows), columns.shape[1]))
    block_size = _ONE_THREAD // columns.size  # at least four rows
    for start in range(0, len(rows), block_size):
        block = slice(start, start + block_size)
        np.matmul(rows[block], columns, out=values[block])
    return values


def subtract(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a - b, elementwise; 0 where both are the same infinity."""
    return np.subtract(a, b, out=np.zeros_like(a), where=a != b)


def mean_or_nan(values: FloatArray) -> float:
    """Return the mean of the values that are not NaN; NaN if all values are NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


STEPS, MOST_VALUES = 120, 250
"""Steps from 0 to 1 to which resamples round shares, and distinct values up to which none is."""


def merge_into_steps(
    values: FloatArray, mass: FloatArray, steps: int = STEPS
) -> tuple[IntArray, FloatArray]:
    """Merge values in [0, 1] that lie in the same step of width 1 / `steps`.

    Values on an edge between two steps form a step of their own.

    Args:
        values: Distinct values, ascending.
        mass: Weight of each value in the mean of its step, above 0.
        steps: Number of steps from 0 to 1.

    Returns:
        The number of each value's step, from 0 without gaps, and the mean value of each step.
    """
    # Even numbers are edges, odd ones the insides of steps.
    edge = np.floor(values * steps + EDGE)
    _, step_of_value = np.unique(2 * edge + (values * steps > edge + EDGE), return_inverse=True)
    sums = np.bincount(step_of_value, mass * values)
    return step_of_value, sums / np.bincount(step_of_value, mass)


def round_to_steps(shares: FloatArray) -> FloatArray:
    """Replace each share by the mean of its step of 1/120, if more than 250 are distinct.

    Units with equal shares can be resampled together, which saves time. Numbers of which one lies
    outside [0, 1], such as unbounded scores, are returned unchanged: steps of their range would
    hide how most of them differ. So are 250 or fewer distinct shares. None may be NaN.
    """
    values, place, counts = np.unique(np.round(shares, 12), return_inverse=True, return_counts=True)
    if len(values) <= MOST_VALUES or values[0] < 0 or values[-1] > 1:
        return shares
    step, means = merge_into_steps(values, counts.astype(float))
    return np.asarray(means[step[place]])
