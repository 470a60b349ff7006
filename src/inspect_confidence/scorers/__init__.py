"""Reads answers and emits confidence: one file a form of answer."""
