"""Reads answers and emits confidence: one file a form of answer."""

from inspect_confidence.scorers.interval import interval

__all__ = ["interval"]
