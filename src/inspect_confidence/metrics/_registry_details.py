"""Metrics of the finer rows, which only figures draw."""

from collections.abc import Sequence

from inspect_confidence.metrics._metric import INFINITY, Metric

DETAIL_METRICS: Sequence[Metric] = (
    Metric(
        "status_count",
        "Number of judgments with the status that the condition names.",
        "count",
        "none",
        0,
        INFINITY,
        "never",
        "-",
    ),
    Metric(
        "bin_accuracy",
        "Accuracy of the judgments whose confidence lies in the bin.",
        "share",
        "none",
        0,
        1,
        "no readable judgment in the bin",
        "-",
    ),
    Metric(
        "bin_confidence",
        "Mean confidence of the judgments in the bin.",
        "share",
        "none",
        0,
        1,
        "no readable judgment in the bin",
        "-",
    ),
    Metric(
        "report_share",
        "Share of the reports that are the value.",
        "share",
        "none",
        0,
        1,
        "no readable judgment",
        "-",
    ),
    Metric(
        "type2_hit_rate",
        "Share of right answers whose confidence is at least the threshold.",
        "share",
        "none",
        0,
        1,
        "no right answer",
        "Fleming and Lau (2014)",
    ),
    Metric(
        "type2_false_alarm_rate",
        "Share of wrong answers whose confidence is at least the threshold.",
        "share",
        "none",
        0,
        1,
        "no wrong answer",
        "Fleming and Lau (2014)",
    ),
)
