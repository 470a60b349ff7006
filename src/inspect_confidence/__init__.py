"""Does a language model know what it knows? Confidence elicitation and its statistics.

from inspect_confidence import compare, read_judgments, summarize, with_confidence
from inspect_confidence.metrics import coverage, interval_score
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_confidence.commands.check import check
    from inspect_confidence.commands.cite import cite
    from inspect_confidence.commands.compare import compare
    from inspect_confidence.commands.recalibrate import recalibrate, recalibrated
    from inspect_confidence.commands.sample_size import items_needed
    from inspect_confidence.commands.summarize import detail, summarize
    from inspect_confidence.commands.threshold import threshold
    from inspect_confidence.commands.unread import unread
    from inspect_confidence.errors import DataUnavailable, InvalidArgument
    from inspect_confidence.judgments.counts import count_tables
    from inspect_confidence.judgments.read import Judgments, read_judgments
    from inspect_confidence.judgments.store import ingest
    from inspect_confidence.report import write_report
    from inspect_confidence.scorers.confidence import confidence
    from inspect_confidence.solvers.ask_confidence import ask_confidence
    from inspect_confidence.tasks.with_confidence import with_confidence

__version__ = "0.1.0"

__all__ = [
    "DataUnavailable",
    "InvalidArgument",
    "Judgments",
    "ask_confidence",
    "check",
    "cite",
    "compare",
    "confidence",
    "count_tables",
    "detail",
    "ingest",
    "items_needed",
    "read_judgments",
    "recalibrate",
    "recalibrated",
    "summarize",
    "threshold",
    "unread",
    "with_confidence",
    "write_report",
]

_HOMES = {
    "DataUnavailable": "errors",
    "InvalidArgument": "errors",
    "Judgments": "judgments.read",
    "ask_confidence": "solvers.ask_confidence",
    "check": "commands.check",
    "cite": "commands.cite",
    "compare": "commands.compare",
    "confidence": "scorers.confidence",
    "count_tables": "judgments.counts",
    "detail": "commands.summarize",
    "ingest": "judgments.store",
    "items_needed": "commands.sample_size",
    "read_judgments": "judgments.read",
    "recalibrate": "commands.recalibrate",
    "recalibrated": "commands.recalibrate",
    "summarize": "commands.summarize",
    "threshold": "commands.threshold",
    "unread": "commands.unread",
    "with_confidence": "tasks.with_confidence",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, since `metrics` alone needs no pandas."""
    from importlib import import_module  # noqa: PLC0415

    if name in _HOMES:
        return getattr(import_module(f"inspect_confidence.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'inspect_confidence' has no attribute {name!r}")
