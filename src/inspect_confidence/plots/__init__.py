"""Figures: each function takes rows in the layout of results and gives a matplotlib Figure.

Rows come from `summarize` (estimates) and `detail` (bins, shares and curves, which only figures
draw); both may be given together: `pd.concat([summarize(logs), detail(logs)])`.
"""

from inspect_confidence.plots.confidence import (
    ece_bins,
    m_ratio,
    reliability,
    report_histogram,
    type2_roc,
    utility,
)
from inspect_confidence.plots.intervals import (
    coverage,
    exponents,
    interval_score,
    tunnel,
    tunnel_entropy,
)
from inspect_confidence.plots.life_eval import (
    best_age,
    calibration,
    confidence_scatter,
    confidence_truth,
    hard_easy,
    maximum_score,
    over_sets,
    overconfidence,
)
from inspect_confidence.plots.markers import (
    decisiveness_gap,
    marker_counts,
    mic,
    mic_densities,
    mic_pairs,
    mic_spread,
)
from inspect_confidence.plots.models import (
    auroc_by_scale,
    coverage_of_models,
    decisions_by_target,
    mic_of_models,
    says_and_right,
)
from inspect_confidence.plots.profiles import profile
from inspect_confidence.plots.style import COLOURS, style
from inspect_confidence.plots.words import (
    consistency,
    consistency_slices,
    divergence,
    divergence_between,
    word_differences,
    word_medians,
    words,
)

__all__ = [
    "COLOURS",
    "auroc_by_scale",
    "best_age",
    "calibration",
    "confidence_scatter",
    "confidence_truth",
    "consistency",
    "consistency_slices",
    "coverage",
    "coverage_of_models",
    "decisions_by_target",
    "decisiveness_gap",
    "divergence",
    "divergence_between",
    "ece_bins",
    "exponents",
    "hard_easy",
    "interval_score",
    "m_ratio",
    "marker_counts",
    "maximum_score",
    "mic",
    "mic_densities",
    "mic_of_models",
    "mic_pairs",
    "mic_spread",
    "over_sets",
    "overconfidence",
    "profile",
    "reliability",
    "report_histogram",
    "says_and_right",
    "style",
    "tunnel",
    "tunnel_entropy",
    "type2_roc",
    "utility",
    "word_differences",
    "word_medians",
    "words",
]
