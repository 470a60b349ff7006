"""How a model is asked: one file an elicitation."""

from inspect_confidence.solvers.interval import ask_interval

__all__ = ["ask_interval"]
