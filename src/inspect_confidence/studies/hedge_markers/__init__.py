"""Marker internal confidence: whether a hedge means the same everywhere."""
