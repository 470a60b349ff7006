"""How often `check` passes a model, by its true calibration error and the number of items."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inspect_confidence.commands.check import read_requirement
from inspect_confidence.results import Key
from inspect_confidence.studies import Resampling
from inspect_confidence.studies.calibration import Answers, confidence_metric, table_statistics
from inspect_confidence.studies.estimate import resample, results_of

pytestmark = pytest.mark.slow

VALUES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
STATED = np.array([0.05, 0.1, 0.1, 0.15, 0.25, 0.15, 0.2])
SAMPLES, RESAMPLES = 400, 500
REQUIREMENTS = ("ece<=0.10", "ece.low<=0.10", "ece.high<=0.10")


def passing_shares(items: int, gap: float) -> tuple[list[float], float]:
    """Share of samples that meet each requirement, and share without an interval.

    Accuracy is confidence less the gap, which is the true calibration error.
    """
    rng = np.random.default_rng([items, round(1_000 * gap)])
    requirements = list(map(read_requirement, REQUIREMENTS))
    passes, without_interval = np.zeros(len(requirements)), 0
    for seed in range(SAMPLES):
        confidence = rng.choice(VALUES, items, p=STATED)
        correct = (rng.random(items) < confidence - gap).astype(float)
        answers = Answers(np.arange(items), items, confidence, correct, np.arange(items), None)
        statistics = table_statistics(answers, [confidence_metric("ece")], {}, "")
        resampled = resample([statistics], items, Resampling(RESAMPLES, seed))
        (row,) = results_of(resampled, Key("", "", ""))
        numbers = {"value": row.value, "ci_low": row.ci_low, "ci_high": row.ci_high}
        passes += [
            requirement.holds(numbers[requirement.interval_end or "value"])
            for requirement in requirements
        ]
        without_interval += np.isnan(row.ci_low)
    return list((passes / SAMPLES).tolist()), without_interval / SAMPLES


@pytest.mark.parametrize("items", [100, 50, 200, 500, 1_000])
@pytest.mark.parametrize("gap", [0.0, 0.05, 0.1, 0.15, 0.2])
def test_bounds_decide_with_the_error_rates_that_the_page_says(
    items: int, gap: float, record_property: Callable[[str, object], None]
) -> None:
    """A bound decides wrongly in at most 2.5% of samples, within the simulation's error.

    The low bound fails a model that is good enough, and the high bound passes one that is not.
    """
    shares, without_interval = passing_shares(items, gap)
    texts = ", ".join(
        f"{text} {share:.3f}" for text, share in zip(REQUIREMENTS, shares, strict=True)
    )
    record_property("figure", f"check, true ECE {gap:g}, {items} items: passes {texts}")
    allowed = 0.025 + 2.58 * np.sqrt(0.025 * 0.975 / SAMPLES)
    if gap <= 0.1:
        assert shares[1] + without_interval >= 1 - allowed
    if gap >= 0.1:
        assert shares[2] <= allowed
