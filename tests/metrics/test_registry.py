"""The registry of metrics, and what importing metrics costs."""

import inspect
import re
import subprocess
import sys

import pytest

from inspect_confidence import metrics
from inspect_confidence.metrics import METRICS, Metric

# Exported functions that are not a number of the results: parts of one, or an interval of one.
HELPERS = {
    "cmfg_of",
    "cmfg_sums",
    "fisher_mean",
    "marker_mae",
    "marker_mae_sd",
    "marker_rank_correlation",
    "marker_trend",
    "marker_variation",
    "correlation_of",
    "slope_interval",
    "negative_log_likelihood",
    "truth_seen",
    "basic_interval",
    "bin_count",
    "bonferroni",
    "bootstrap",
    "holm",
    "brier_parts",
    "brunner_munzel",
    "clustered_wilson_interval",
    "conformal_interval",
    "conformal_rank",
    "conformity_scores",
    "covered",
    "entropy_bits",
    "interval_scores",
    "joined",
    "mean_of",
    "means_of",
    "median_of",
    "middle_of",
    "percentile_interval",
    "prediction_set",
    "ranked",
    "ratio",
    "report_entropy",
    "sampling_interval",
    "set_covers",
    "set_hulls",
    "set_sizes",
    "sign_flip_p",
    "temperature_scores",
    "tempered",
    "tunnel_interval",
    "type2_remark",
}
# Numbers of the results that a study computes: counts, means over items, differences and their
# tests, numbers over several scales, and a choice between runs.
OF_FIGURES = {
    "bin_accuracy",
    "bin_confidence",
    "confidence_share",
    "item_overconfidence",
    "probability_quantile",
    "report_share",
    "status_count",
    "truth_bin_confidence",
    "truth_bin_probability",
    "type2_false_alarm_rate",
    "type2_hit_rate",
    "value_share",
}
"""Rows that only figures draw: shares, bins and quantiles of judgments."""

OF_STUDIES = {
    "accuracy_correlation",
    "agreement_accuracy",
    "cd_mae",
    "d_avg_cv",
    "decisiveness_error",
    "decisiveness_gap",
    "decisiveness_rank_correlation",
    "extraction_precision",
    "extraction_recall",
    "grader_failure_rate",
    "hedges_per_sentence",
    "id_mae",
    "m_avg_cv",
    "mac",
    "mcc",
    "mean_decisiveness",
    "mean_internal_confidence",
    "mic",
    "mic_sd",
    "mrc",
    "mrc_change",
    "pooled_sd",
    "punt_rate",
    "sentences_per_reply",
    "sentences_per_reply_sd",
    "verdict_accuracy",
    "maximum_achievable_score",
    "mean_answer",
    "mean_best_answer",
    "n",
    "interval_score_change",
    "set_coverage",
    "mean_set_size",
    "unseen_mass",
    "decoding_temperature",
    "accuracy_spread",
    "brunner_munzel_theta",
    "brier_reliability",
    "brier_resolution",
    "brier_uncertainty",
    "clip_rate",
    "cohens_d",
    "degrees_of_freedom",
    "difference",
    "entropy_bits",
    "entropy_m_ratio_correlation",
    "mean_probability",
    "median_probability",
    "p_bonferroni",
    "p_holm",
    "p_value",
    "paired_difference",
    "probability_spread",
    "t_statistic",
    "violation_rate",
    "words_that_differ",
}

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


def test_every_metric_function_is_registered() -> None:
    """The registry holds each exported metric and each metric of the studies, and no other."""
    functions = {name for name in metrics.__all__ if inspect.isfunction(getattr(metrics, name))}
    assert functions >= HELPERS
    assert set(METRICS) == (functions - HELPERS) | OF_STUDIES | OF_FIGURES


@every_metric
def test_directions_are_known(metric: Metric) -> None:
    """Each metric says in one of four ways which values are better."""
    assert re.fullmatch(r"higher|lower|none|target=(level|alpha/2|-?\d+(\.\d+)?)", metric.direction)


@every_metric
def test_entries_are_complete(metric: Metric) -> None:
    """Each metric has a name it is found by, a range, a definition of one sentence and the rest."""
    assert METRICS[metric.name] is metric
    assert metric.low < metric.high
    assert re.fullmatch(r"[A-Z][^\n]*\.", metric.definition)
    assert all([metric.unit, metric.undefined, metric.source])


@every_metric
def test_numeric_targets_are_possible(metric: Metric) -> None:
    """A target that is a number lies within the metric's range."""
    target = re.fullmatch(r"target=(-?[\d.]+)", metric.direction)
    assert target is None or metric.low <= float(target[1]) <= metric.high


def test_everything_exported_is_there() -> None:
    """Each exported name exists, is listed once, and has a docstring if it is a function."""
    assert len(set(metrics.__all__)) == len(metrics.__all__)
    for name in metrics.__all__:
        exported = getattr(metrics, name)
        assert not inspect.isfunction(exported) or exported.__doc__


def test_metrics_need_neither_inspect_nor_pandas() -> None:
    """A fresh interpreter that computes a metric has loaded numpy but not the heavy packages."""
    code = (
        "import sys, inspect_confidence.metrics as m; m.coverage([0], [1], [0]);"
        "print(*sorted({'numpy', 'pandas', 'inspect_ai', 'statsmodels'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["numpy"]
