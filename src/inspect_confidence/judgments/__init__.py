"""Judgments: one tidy frame per task, read from logs and files."""
