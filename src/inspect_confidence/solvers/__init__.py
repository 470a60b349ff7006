"""Solvers that ask a model, one file per form of elicitation."""
