"""Readers of replies: text in, a typed answer or a typed failure out. Pure; no Inspect."""

from inspect_confidence.answers._status import (
    INSTRUMENT_STATUSES,
    REPLY_STATUSES,
    RUN_STATUSES,
    STATUSES,
    Status,
    Unreadable,
)
from inspect_confidence.answers.exponent import StatedExponent, read_exponent
from inspect_confidence.answers.interval import StatedInterval, read_interval
from inspect_confidence.answers.tokens import (
    IntegerDistribution,
    TokenChoice,
    read_integer_distribution,
)

__all__ = [
    "INSTRUMENT_STATUSES",
    "REPLY_STATUSES",
    "RUN_STATUSES",
    "STATUSES",
    "IntegerDistribution",
    "StatedExponent",
    "StatedInterval",
    "Status",
    "TokenChoice",
    "Unreadable",
    "read_exponent",
    "read_integer_distribution",
    "read_interval",
]
