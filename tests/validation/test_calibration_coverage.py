"""The test of calibration: level and power; the debiased squared error is unbiased."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from inspect_confidence import metrics
from inspect_confidence.metrics.arrays import FloatArray
from validation.coverage import Rejections, misjudged
from validation.laws import LAWS, VALUES, tables

OFF = {
    name: LAWS[name].cells[[0, 2]]
    for name in (
        *("calibrated", "few values, overconfident", "observer, accuracy .75"),
        *("every bin off by .05", "one bin off by .3"),
    )
}


class Sample(NamedTuple):
    """Judgments."""

    confidence: FloatArray
    correct: FloatArray


def samples(cells: FloatArray, items: int, simulations: int) -> list[Sample]:
    """Samples of these cells."""
    rng = np.random.default_rng(items)
    cell_indices = rng.choice(cells.size, size=(simulations, items), p=cells.ravel() / cells.sum())
    return [Sample(VALUES[cell % 21], (cell < 21).astype(float)) for cell in cell_indices]


@pytest.mark.slow
@pytest.mark.parametrize("design", list(OFF))
def test_debiased_is_unbiased(design: str) -> None:
    """Its mean over samples is the squared error, within 3.5 standard errors."""
    population = tables(OFF[design].reshape(1, -1))
    truth = metrics.TABLE_FUNCTIONS["brier_reliability"](population)[0]
    errors = [
        metrics.debiased_squared_error(*sample) for sample in samples(OFF[design], 300, 2_000)
    ]
    assert np.mean(errors) == pytest.approx(truth, abs=3.5 * np.std(errors) / np.sqrt(len(errors)))


def confidences(rng: np.random.Generator, shape: str, size: int) -> FloatArray:
    """Confidences: multiples of .05 as models state them, high ones, or any numbers."""
    if shape == "any":
        return rng.random(size)
    high = rng.choice(np.array([0.7, 0.8, 0.85, 0.9, 0.95, 1.0]), size)
    return high if shape == "high" else rng.integers(0, 21, size) / 20


@pytest.mark.slow
@pytest.mark.parametrize("items", [30, 100, 300])
@pytest.mark.parametrize("epochs", [1, 2])
def test_level_and_power(items: int, epochs: int) -> None:
    """A calibrated model is rejected in 5%, also where epochs go together; others more often.

    Where epochs of an item are independent the test rejects less often than 5%.
    """
    simulations, levels = 1_000, []
    unit = np.repeat(np.arange(items), epochs)
    for k, shape in enumerate(("multiples of .05", "high", "any")):
        for is_shared, less in ((True, 0.0), (False, 0.0), (True, 0.15)):
            if epochs == 1 and not is_shared:
                continue
            rng = np.random.default_rng([items, epochs, k, is_shared, bool(less)])
            p = np.empty(simulations)
            for j in range(simulations):
                # The second time a model states the same, or something else.
                confidence = confidences(rng, shape, items)[unit]
                second_time = confidences(rng, shape, items * epochs)
                confidence = np.where(rng.random(items)[unit] < 0.5, confidence, second_time)
                uniform = rng.random(items)[unit] if is_shared else rng.random(items * epochs)
                correct = (uniform < confidence - less).astype(float)
                p[j] = metrics.calibration_p(confidence, correct, unit, draws=399, seed=j)
            design = f"{shape}, {epochs} epochs" + ("" if is_shared else ", independent")
            design += f", accuracy {less:g} lower" if less else ""
            rejected = int((p <= 0.05).sum())
            test = "calibration_p", design, items, simulations, rejected
            levels.append(
                Rejections(*test, power=less > 0, discrete=not is_shared or shape == "high")
            )
    assert not misjudged(levels)
