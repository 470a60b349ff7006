"""Metrics of confidence: arrays in, a number out. Imports neither Inspect nor pandas.

Missing values are NaN and are left out; a metric of nothing is NaN, never 0.
"""

# `__all__` of each module lists its exports. This order is that of METRICS, in docs and reports.
# ruff: noqa: F403, I001
from inspect_confidence.metrics.registry import *
from inspect_confidence.metrics.inference import *
from inspect_confidence.metrics.resample import *
from inspect_confidence.metrics.smooth import *
from inspect_confidence.metrics.intervals import *
from inspect_confidence.metrics.parse_failures import *
from inspect_confidence.metrics.attempts import *
from inspect_confidence.metrics.decisions import *
from inspect_confidence.metrics.conformal import *
from inspect_confidence.metrics.tables import *
from inspect_confidence.metrics.calibration import *
from inspect_confidence.metrics.corp import *
from inspect_confidence.metrics.recalibration import *
from inspect_confidence.metrics.thresholds import *
from inspect_confidence.metrics.ranks import *
from inspect_confidence.metrics.discrimination import *
from inspect_confidence.metrics.type2 import *
from inspect_confidence.metrics.meta_d import *
from inspect_confidence.metrics.hierarchical import *
from inspect_confidence.metrics.information import *
from inspect_confidence.metrics.reports import *
from inspect_confidence.metrics.integer_sets import *
from inspect_confidence.metrics.hard_easy import *
from inspect_confidence.metrics.words import *
from inspect_confidence.metrics.word_choices import *
from inspect_confidence.metrics.markers import *
from inspect_confidence.metrics.judge_error import *
from inspect_confidence.metrics import study_numbers as study_numbers
