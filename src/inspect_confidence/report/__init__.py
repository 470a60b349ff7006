"""HTML report of judgments, with figures and tables."""

from inspect_confidence.report.write import write_report

__all__ = ["write_report"]
