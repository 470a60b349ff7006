"""The metrics of count tables: a value for each of many resamples at once.

Each function gives an array with one value a table. Those of a `ConfidenceTables` or
`ReportTables` have the name of the function in `inspect_confidence.metrics` that says what it is,
with `_of`; those of two `ValueTables` compare two samples (`kl_of`: `kl_divergence`, `ks_of`:
`ks_statistic`, `theta_of`: the theta of `brunner_munzel`).
"""

from inspect_confidence.metrics.calibration import (
    brier_of,
    ece_of,
    reliability_of,
    resolution_of,
    uncertainty_of,
)
from inspect_confidence.metrics.confidence_tables import (
    accuracy_of,
    mean_confidence_of,
    overconfidence_of,
)
from inspect_confidence.metrics.discrimination import (
    auprc_error_of,
    aurc_of,
    auroc_of,
    meta_information_of,
)
from inspect_confidence.metrics.reports import (
    ReportTables,
    entropy_bits_of,
    round_rate_of,
    top1_share_of,
    top1_value_of,
    top3_share_of,
    unique_values_of,
    utilization_of,
)
from inspect_confidence.metrics.type2 import (
    m_ratio_of,
    meta_d_ideal_of,
    type2_criterion_of,
    type2_dprime_of,
)
from inspect_confidence.metrics.words import (
    ValueTables,
    jensen_shannon_of,
    kl_of,
    ks_of,
    median_difference_of,
    theta_of,
    wasserstein_of,
)

__all__ = [
    "ReportTables",
    "ValueTables",
    "accuracy_of",
    "auprc_error_of",
    "aurc_of",
    "auroc_of",
    "brier_of",
    "ece_of",
    "entropy_bits_of",
    "jensen_shannon_of",
    "kl_of",
    "ks_of",
    "m_ratio_of",
    "mean_confidence_of",
    "median_difference_of",
    "meta_d_ideal_of",
    "meta_information_of",
    "overconfidence_of",
    "reliability_of",
    "resolution_of",
    "round_rate_of",
    "theta_of",
    "top1_share_of",
    "top1_value_of",
    "top3_share_of",
    "type2_criterion_of",
    "type2_dprime_of",
    "uncertainty_of",
    "unique_values_of",
    "utilization_of",
    "wasserstein_of",
]
