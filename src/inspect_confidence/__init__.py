"""Does a language model know what it knows? Confidence elicitation and its statistics.

from inspect_confidence import compare, read_judgments, summarize, with_confidence
from inspect_confidence.metrics import coverage, interval_score
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_confidence.commands.check import check as check
    from inspect_confidence.commands.cite import cite as cite
    from inspect_confidence.commands.compare import compare as compare
    from inspect_confidence.commands.recalibrate import recalibrate as recalibrate
    from inspect_confidence.commands.recalibrate import recalibrated as recalibrated
    from inspect_confidence.commands.sample_size import items_needed as items_needed
    from inspect_confidence.commands.summarize import detail as detail
    from inspect_confidence.commands.summarize import summarize as summarize
    from inspect_confidence.commands.threshold import threshold as threshold
    from inspect_confidence.commands.unread import unread as unread
    from inspect_confidence.errors import DataUnavailable as DataUnavailable
    from inspect_confidence.errors import InvalidArgument as InvalidArgument
    from inspect_confidence.judgments.counts import count_tables as count_tables
    from inspect_confidence.judgments.read import Judgments as Judgments
    from inspect_confidence.judgments.read import read_judgments as read_judgments
    from inspect_confidence.judgments.store import ingest as ingest
    from inspect_confidence.report import write_report as write_report
    from inspect_confidence.scorers.confidence import confidence as confidence
    from inspect_confidence.solvers.ask_confidence import ask_confidence as ask_confidence
    from inspect_confidence.tasks.with_confidence import with_confidence as with_confidence

__version__ = "0.1.0"

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
"""Module in which each public name is defined."""

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Return a public name; import its module only now, so that `metrics` works without pandas."""
    if name in _HOMES:
        return getattr(import_module(f"inspect_confidence.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'inspect_confidence' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all public names, also those that are not imported yet."""
    return sorted({*globals(), *__all__})
