"""Columns of the judgments of scale_variants."""

from inspect_confidence.studies.columns import (
    ANSWER,
    CHOICES,
    CLIPPED,
    CONFIDENCE,
    CORRECT,
    HIGH,
    LOW,
    RAW,
    TARGET,
)

COLUMNS = (LOW, HIGH, RAW, CONFIDENCE, CLIPPED, ANSWER, TARGET, CHOICES, CORRECT)
