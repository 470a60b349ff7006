"""Wordings of the studies' protocols, one module a study, each with its source."""
