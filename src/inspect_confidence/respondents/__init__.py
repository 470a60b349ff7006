"""Simulated models with known psychometrics.

They let the whole pipeline run without key or network, show what each pathology looks like in the
results, and let tests recover the parameters that went in. `belief` has the plain functions for
long simulations; nothing here but `provider` needs Inspect.
"""

from inspect_confidence.respondents.belief import (
    Beliefs,
    draw_beliefs,
    integer_probabilities,
    stated_bounds,
)
from inspect_confidence.respondents.estimator import PRESETS, Estimator

__all__ = [
    "PRESETS",
    "Beliefs",
    "Estimator",
    "draw_beliefs",
    "integer_probabilities",
    "stated_bounds",
]
