"""Scorers that read answers and their confidence, one file per form of answer."""
