"""What every metric in the results is: said once, for docs, report and export."""

from collections.abc import Mapping

from inspect_confidence.metrics._metric import Metric
from inspect_confidence.metrics._registry_confidence import CONFIDENCE_METRICS
from inspect_confidence.metrics._registry_details import DETAIL_METRICS
from inspect_confidence.metrics._registry_details_hard_easy import HARD_EASY_DETAILS
from inspect_confidence.metrics._registry_details_words import WORD_DETAILS
from inspect_confidence.metrics._registry_hard_easy import HARD_EASY_METRICS
from inspect_confidence.metrics._registry_intervals import INTERVAL_METRICS
from inspect_confidence.metrics._registry_markers import MARKER_METRICS
from inspect_confidence.metrics._registry_tests import TEST_METRICS
from inspect_confidence.metrics._registry_words import WORD_METRICS

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        *INTERVAL_METRICS,
        *CONFIDENCE_METRICS,
        *HARD_EASY_METRICS,
        *WORD_METRICS,
        *MARKER_METRICS,
        *TEST_METRICS,
        *DETAIL_METRICS,
        *HARD_EASY_DETAILS,
        *WORD_DETAILS,
    )
}
"""Every metric by its name."""
