"""The report: from judgments to a page that people read."""

from inspect_confidence.report.write import write_report

__all__ = ["write_report"]
