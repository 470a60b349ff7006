"""Judgments: from logs and files to one tidy frame a task."""
