"""Every interval of stated confidence, and of its differences, holds under laws that people have.

All metrics of a law are computed together, by the study's own functions: what is judged is what
`summarize` and `compare` print.
"""

from __future__ import annotations

import pytest

from build import attributes_of
from inspect_confidence.metrics import METRICS, Costs
from inspect_confidence.studies.calibration import (
    COMPARED_METRICS,
    DETAIL_METRICS,
    EXTRA_METRICS,
    MEAN_METRICS,
    threshold_metrics,
    utility_metrics,
)
from validation.coverage import lacking, settled
from validation.laws import LAWS, PAIRS, SIZES, confidence_coverage, difference_coverage

DESIGNS = [(law, items) for law in LAWS for items in SIZES if LAWS[law].can_resample(items)]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "items"), DESIGNS)
def test_intervals_of_stated_confidence_hold(law: str, items: int) -> None:
    """Those of all metrics, under each law and at each size, by the rule of `Coverage`."""
    assert not lacking(settled(confidence_coverage, law, items))


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("pair", list(PAIRS))
def test_intervals_of_differences_hold(pair: str, items: int) -> None:
    """Those of all compared metrics, for each pair of laws and at each size."""
    assert not lacking(settled(difference_coverage, pair, items))


def test_every_metric_of_stated_confidence_has_a_row_of_its_own() -> None:
    """A metric that a study prints is simulated, unless it never has an interval."""
    printed = [*MEAN_METRICS, *COMPARED_METRICS, *DETAIL_METRICS, *EXTRA_METRICS]
    printed += [*threshold_metrics(0.5, 4), *utility_metrics(Costs())]
    simulated = confidence_coverage("two epochs, a fifth unreadable", 30, 2)
    names = {figure.metric.partition(" ")[0] for figure in simulated}
    with_interval = {
        metric.metric for metric in printed if METRICS[metric.metric].interval.method != "none"
    }
    assert with_interval <= names
    differences = difference_coverage("same answers, two scales", 30, 2)
    difference_names = {figure.metric.partition(" ")[2].partition(" ")[0] for figure in differences}
    assert set(attributes_of((*MEAN_METRICS, *COMPARED_METRICS), "metric")) <= difference_names
