"""Decisions under confidence: answering, declining, keeping, betting and standing by an answer."""
