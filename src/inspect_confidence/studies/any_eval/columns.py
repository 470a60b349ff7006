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
        "where the confidence comes from: the method of asking, the field of the log, `epochs`, or "
        "`recorded` for a file",
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
        "for token probabilities: the probability on neither the answer nor any alternative answer",
        "share",
        SHARE,
    ),
    replace(DRAWS, meaning="number of further answers, or epochs, that were compared"),
    JudgmentColumn(
        "agreement",
        "text",
        "the rule by which two answers are the same: `choice`, `text`, `score`, `judge` or a "
        "scorer's name",
    ),
    JudgmentColumn("by", "text", "the values of the fields named by `--by`, as `domain=law`"),
    JudgmentColumn(
        "scorer", "text", "the scorer of the eval that decides whether an answer is right"
    ),
    JudgmentColumn(
        "ordinal",
        "flag",
        "true if only the order of `raw` has a meaning: scores without a scale, and decisions (1: "
        "answered, 0: not)",
    ),
)
