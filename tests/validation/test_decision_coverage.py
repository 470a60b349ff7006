"""How often intervals of decisions and of metacognition hold the exact values."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_confidence.metrics import Costs
from inspect_confidence.studies.calibration import EXTRA_METRICS, utility_metrics
from validation.coverage import SIZES, lacking
from validation.test_scale_coverage import DESIGNS, ENDS, Observer, cells_of, tried

NAMES = {"augrc", "risk_at_coverage", "meta_information_corrected", "expected_utility"}
FORMS = [
    metric
    for metric in (*EXTRA_METRICS, *utility_metrics(Costs(1, -2, 0)))
    if metric.metric in NAMES
]


def test_every_interval_is_tried() -> None:
    """The studies still print each metric that is simulated here."""
    assert {form.metric for form in FORMS} == NAMES


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", list(DESIGNS))
def test_intervals_of_decisions_hold(design: str, items: int) -> None:
    """Of 95% intervals 93 to 97% hold the true value, or there is none."""
    assert not lacking(tried(FORMS, design, DESIGNS[design], items, 400))


NEW = {
    "held out: observer accuracy .65, meta-d' 1.1, underconfident": np.array(
        Observer(0.65, 1.1, -0.4).cells()
    ),
    "held out: mostly high reports, accuracy rises steeply with them": cells_of(
        {0.5: 0.1, 0.6: 0.05, 0.75: 0.15, 0.8: 0.2, 0.9: 0.3, 0.95: 0.15, 1.0: 0.05},
        lambda value: max(0.05, 1.6 * value - 0.75),
    ),
}
"""Designs that the methods weren't chosen on, as they were on the others."""


@pytest.mark.slow
@pytest.mark.parametrize("items", [100, 300])
@pytest.mark.parametrize("design", list(NEW))
def test_intervals_hold_where_they_were_not_chosen(design: str, items: int) -> None:
    """Methods were chosen among five by simulations of `DESIGNS`: these are others."""
    assert not lacking(tried(FORMS, design, NEW[design], items, 300))


@pytest.mark.slow
@pytest.mark.parametrize("design", list(ENDS))
def test_decisions_at_the_ends(design: str) -> None:
    """One confidence, all right or all wrong: an interval that holds, or none."""
    assert not lacking(tried(FORMS, design, ENDS[design], 100, 100))
