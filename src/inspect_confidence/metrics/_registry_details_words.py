"""Metrics of the finer rows of words and of markers, which only figures draw."""

from collections.abc import Sequence

from inspect_confidence.metrics._metric import Metric

WORD_DETAILS: Sequence[Metric] = (
    Metric(
        "value_share",
        "Share of contexts (of people, in a survey) in which the probability stated for a word "
        "lies in the bin, the last one closed.",
        "share",
        "none",
        0,
        1,
        "no readable judgment",
        "-",
    ),
    Metric(
        "probability_quantile",
        "Quantile q over contexts (over people, in a survey) of the probability stated for a "
        "word, linear between neighbours.",
        "share",
        "none",
        0,
        1,
        "no readable judgment",
        "-",
    ),
    Metric(
        "confidence_share",
        "Share of a marker's sentences whose internal confidence lies in the bin, the last one "
        "closed.",
        "share",
        "none",
        0,
        1,
        "no sentence with the marker",
        "-",
    ),
)
