"""Readers of replies: text in, a typed answer or a typed failure out. Pure; no Inspect."""

from inspect_confidence.answers._status import (
    INSTRUMENT_STATUSES,
    REPLY_STATUSES,
    RUN_STATUSES,
    STATUSES,
    Status,
    Unreadable,
)
from inspect_confidence.answers.interval import StatedInterval, read_interval

__all__ = [
    "INSTRUMENT_STATUSES",
    "REPLY_STATUSES",
    "RUN_STATUSES",
    "STATUSES",
    "StatedInterval",
    "Status",
    "Unreadable",
    "read_interval",
]
