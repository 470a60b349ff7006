"""What hypothesis draws for the metrics: numbers on a grid, on which sums are exact in floats."""

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from inspect_confidence.metrics.arrays import FloatArray

fixed = settings(derandomize=True, max_examples=100)
"""The same examples in every run, however busy the machine."""

LEVELS = (1.0, 20.0, 50.0, 80.0, 90.0, 95.0, 99.0)

quarters = st.integers(-400, 400).map(lambda number: number / 4)
levels = st.sampled_from(LEVELS)


class StatedIntervals(NamedTuple):
    """Intervals and truths, one an entry."""

    lower: FloatArray
    upper: FloatArray
    truth: FloatArray


@st.composite
def stated_intervals(draw: st.DrawFn, ordered: bool = True) -> StatedIntervals:
    """At least one judgment; bounds in order, unless they may cross."""
    rows = draw(st.lists(st.tuples(quarters, quarters, quarters), min_size=1, max_size=12))
    lower, upper, truth = np.array(rows, float).T
    if ordered:
        lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    return StatedIntervals(lower, upper, truth)
