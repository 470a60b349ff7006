"""Figures: each function takes rows in the layout of results and gives a matplotlib Figure.

Rows come from `summarize` (estimates) and `detail` (bins, shares and curves, which only figures
draw); both may be given together: `pd.concat([summarize(logs), detail(logs)])`.
"""

from inspect_confidence.plots._best_age import best_age
from inspect_confidence.plots._confidence_truth import confidence_truth
from inspect_confidence.plots._consistency import consistency
from inspect_confidence.plots._coverage import coverage
from inspect_confidence.plots._decisiveness_gap import decisiveness_gap
from inspect_confidence.plots._divergence import divergence
from inspect_confidence.plots._hard_easy import hard_easy
from inspect_confidence.plots._interval_score import interval_score
from inspect_confidence.plots._m_ratio import m_ratio
from inspect_confidence.plots._mic import mic
from inspect_confidence.plots._mic_densities import mic_densities
from inspect_confidence.plots._overconfidence import overconfidence
from inspect_confidence.plots._profile import profile
from inspect_confidence.plots._reliability import reliability
from inspect_confidence.plots._report_histogram import report_histogram
from inspect_confidence.plots._style import COLOURS, shortened, style
from inspect_confidence.plots._tunnel import tunnel
from inspect_confidence.plots._type2_roc import type2_roc
from inspect_confidence.plots._word_differences import word_differences
from inspect_confidence.plots._words import words

__all__ = [
    "COLOURS",
    "best_age",
    "confidence_truth",
    "consistency",
    "coverage",
    "decisiveness_gap",
    "divergence",
    "hard_easy",
    "interval_score",
    "m_ratio",
    "mic",
    "mic_densities",
    "overconfidence",
    "profile",
    "reliability",
    "report_histogram",
    "shortened",
    "style",
    "tunnel",
    "type2_roc",
    "word_differences",
    "words",
]
