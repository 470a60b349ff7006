"""Differences of two contenders whose values are unbounded in some resamples."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition
from inspect_confidence.studies.compare import Contrast, resample_contrast
from inspect_confidence.studies.study import Resampling


def mean(weights: FloatArray) -> FloatArray:
    """Mean of 0, 1, ..., 39, of shape (resamples, 1)."""
    return np.asarray(weights @ np.arange(40.0)[:, None] / weights.sum(axis=1, keepdims=True))


def unbounded(weights: FloatArray) -> FloatArray:
    """Infinite in the three resamples of ten in which the first unit weighs most."""
    return np.where(weights[:, :1] > 1.2, np.inf, mean(weights[:, ::-1]))


@pytest.mark.parametrize(
    ("is_first", "is_second", "unbounded_ends"),
    [(True, False, (False, True)), (False, True, (True, False)), (True, True, (True, True))],
)
def test_a_difference_of_m_ratios_is_unbounded_where_a_side_is(
    is_first: bool, is_second: bool, unbounded_ends: tuple[bool, bool]
) -> None:
    """On the side that is unbounded; on both where both are, and then 0 can't be ruled out."""
    first, second = (unbounded if side else mean for side in (is_first, is_second))
    name = Condition({"threshold": 0.5}), "m_ratio"
    contrast = Contrast([name], [40], 40, first, second)
    test = resample_contrast(contrast, Resampling(2_000, 0), None).test(0)
    assert tuple(np.isinf(test.interval)) == unbounded_ends
    assert test.reason == ""
    if is_first and is_second:
        assert test.p == 1
