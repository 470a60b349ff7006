"""Validation at the edge: what comes in becomes aligned float arrays."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def aligned(**named: ArrayLike) -> list[FloatArray]:
    """One-dimensional float arrays of one common length, in the order given.

    A bare number stands for as many judgments as the others have.

    Raises:
        ValueError: An argument has more than one dimension, or lengths differ.
    """
    arrays = {name: np.asarray(values, float) for name, values in named.items()}
    for name, array in arrays.items():
        if array.ndim > 1:
            raise ValueError(f"{name} has {array.ndim} dimensions; give one value a judgment.")
    lengths = {name: len(array) for name, array in arrays.items() if array.ndim}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Lengths differ: {lengths}; give one value a judgment in each.")
    return [np.atleast_1d(array) for array in np.broadcast_arrays(*arrays.values())]


def checked_level(level: float) -> float:
    """The level itself, if it is a percentage strictly between 0 and 100.

    Raises:
        ValueError: It is not.
    """
    if not 0 < level < 100:
        raise ValueError(f"level={level} is not a percentage between 0 and 100, as 90 is.")
    return float(level)


def mean_or_nan(values: FloatArray) -> float:
    """The mean of what is there; NaN where nothing is."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")
