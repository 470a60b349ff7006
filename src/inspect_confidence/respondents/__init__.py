"""Simulated models with known psychometrics.

They let the whole pipeline run without key or network, show what each pathology looks like in the
results, and let tests recover the parameters that went in. `belief` and `observer` have the plain
functions for long simulations, which need no Inspect.
"""
