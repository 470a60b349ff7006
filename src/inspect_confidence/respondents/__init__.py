"""Simulated models with known psychometrics.

They run the whole pipeline without a key or a network, show how each fault of calibration appears
in the results, and let tests recover known parameters. `belief` and `observer` contain functions of
arrays for long simulations without Inspect.
"""
