"""Columns of the judgments of any eval with confidence."""

from dataclasses import replace

from inspect_confidence.studies.columns import (
    ANSWER,
    CHOICES,
    CLIPPED,
    CONFIDENCE,
    CORRECT,
    DRAWS,
    HIGH,
    LOW,
    RAW,
    SHARE,
    TARGET,
    JudgmentColumn,
)

COLUMNS = (
    JudgmentColumn(
        "method",
        "text",
        "source of the confidence: the way of asking, the log's field, `epochs`, or `recorded` (a "
        "file)",
        default="recorded",
    ),
    LOW,
    HIGH,
    RAW,
    replace(CONFIDENCE, meaning="confidence on [0, 1]; empty if the judgment does not count"),
    CLIPPED,
    ANSWER,
    TARGET,
    CHOICES,
    replace(CORRECT, meaning="the eval's own score; partial credit is a fraction"),
    JudgmentColumn("phrase", "text", "the phrase that the model chose (method `words`)"),
    JudgmentColumn(
        "unseen_mass",
        "number",
        "for token probabilities: the probability on no possible answer",
        "share",
        SHARE,
    ),
    replace(DRAWS, meaning="number of further answers, or epochs, that were compared"),
    JudgmentColumn(
        "agreement",
        "text",
        "rule by which two answers are the same: `choice`, `text`, `score`, `judge` or a scorer's "
        "name",
    ),
    JudgmentColumn("by", "text", "the values of the fields named by `--by`, as `domain=law`"),
    JudgmentColumn("scorer", "text", "the scorer that decides whether an answer is right"),
    JudgmentColumn(
        "ordinal",
        "flag",
        "true if only the order of `raw` counts: scores without a scale, decisions (1 answered, 0 "
        "not)",
    ),
)
