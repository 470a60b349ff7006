"""Metrics of confidence: arrays in, a number out. Imports neither Inspect nor pandas.

Missing values are NaN and are left out; a metric of nothing is NaN, never 0.
"""

from inspect_confidence.metrics._bootstrap import (
    Statistic,
    bootstrap,
    mean_of,
    median_of,
    middle_of,
    percentile_interval,
    ratio,
)
from inspect_confidence.metrics._conformal import (
    conformal_interval,
    conformal_offset,
    conformal_rank,
    conformity_scores,
)
from inspect_confidence.metrics._coverage import coverage, coverage_gap, coverage_plateau, covered
from inspect_confidence.metrics._format_failure_rate import format_failure_rate
from inspect_confidence.metrics._interval_score import interval_score, interval_scores
from inspect_confidence.metrics._miss import miss_above, miss_below
from inspect_confidence.metrics._prediction_set import (
    prediction_set,
    ranked,
    set_covers,
    set_hulls,
    set_sizes,
    tempered,
)
from inspect_confidence.metrics._quantile_interval import sampling_interval, tunnel_interval
from inspect_confidence.metrics._registry import METRICS, Metric
from inspect_confidence.metrics._temperature import (
    NEAREST_TO_ONE,
    TEMPERATURES,
    negative_log_likelihood,
    temperature_nll,
    temperature_score,
    temperature_scores,
    truth_seen,
)
from inspect_confidence.metrics._tunnel_index import (
    entropy_bits,
    residual_tunnel_index,
    tunnel_index,
)
from inspect_confidence.metrics._width import mean_width, median_width
from inspect_confidence.metrics._wilson import clustered_wilson_interval

__all__ = [
    "METRICS",
    "NEAREST_TO_ONE",
    "TEMPERATURES",
    "Metric",
    "Statistic",
    "bootstrap",
    "clustered_wilson_interval",
    "conformal_interval",
    "conformal_offset",
    "conformal_rank",
    "conformity_scores",
    "coverage",
    "coverage_gap",
    "coverage_plateau",
    "covered",
    "entropy_bits",
    "format_failure_rate",
    "interval_score",
    "interval_scores",
    "mean_of",
    "mean_width",
    "median_of",
    "median_width",
    "middle_of",
    "miss_above",
    "miss_below",
    "negative_log_likelihood",
    "percentile_interval",
    "prediction_set",
    "ranked",
    "ratio",
    "residual_tunnel_index",
    "sampling_interval",
    "set_covers",
    "set_hulls",
    "set_sizes",
    "temperature_nll",
    "temperature_score",
    "temperature_scores",
    "tempered",
    "truth_seen",
    "tunnel_index",
    "tunnel_interval",
]
