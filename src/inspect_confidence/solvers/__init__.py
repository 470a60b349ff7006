"""Solvers that ask a model for answers and their confidence."""
