"""Metrics of LifeEval's finer rows, which only figures draw."""

from collections.abc import Sequence

from inspect_confidence.metrics._metric import Metric

HARD_EASY_DETAILS: Sequence[Metric] = (
    Metric(
        "truth_bin_probability",
        "Mean true probability of the answers whose true probability lies in the bin.",
        "share",
        "none",
        0,
        1,
        "no readable judgment in the bin",
        "-",
    ),
    Metric(
        "truth_bin_confidence",
        "Mean confidence in the answers whose true probability lies in the bin.",
        "share",
        "none",
        0,
        1,
        "no readable judgment in the bin",
        "-",
    ),
    Metric(
        "item_overconfidence",
        "Mean over an item's judgments of confidence less true probability; the item's difficulty, "
        "1 - maximum achievable score, is in the condition.",
        "share",
        "target=0",
        -1,
        1,
        "no readable judgment of the item, or its maximum isn't known",
        "LifeEval",
    ),
)
