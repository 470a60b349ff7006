"""Small judgments for tests of the export."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from build import numbered
from inspect_confidence.datasets.fermi import bundled_fermi
from inspect_confidence.respondents.estimator import Estimator

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" 'twice'",
    "\u202eright to left",
    "x" * 10_000,
    "=cmd()",
    " +1",
    "a|b",
    "\\input{x}",
    "two\nlines",
    "../../x",
    "50% & $x_1^2$ #1 ~{y}",
    "[click](javascript:alert(1)) `code` **bold**",
)
"""Names that a file, a page or a spreadsheet could trip over."""


def intervals(
    model: str, bounds: Sequence[tuple[float, float]], *, truth: float = 3.0, level: float = 90
) -> pd.DataFrame:
    """Stated intervals of one model, an item each."""
    lower, upper = zip(*bounds, strict=True)
    return pd.DataFrame(
        {
            "task": "fermi_eval",
            "model": model,
            "dataset": "questions",
            "item": numbered("q", len(bounds)),
            "level": level,
            "lower": lower,
            "upper": upper,
            "truth": truth,
        }
    )


def scale_judgments(
    model: str, confidence: Sequence[float], correct: Sequence[int]
) -> pd.DataFrame:
    """Stated confidence of one model on 0-100, an item each."""
    return pd.DataFrame(
        {
            "task": "scale_variants",
            "model": model,
            "dataset": "questions",
            "item": numbered("q", len(confidence)),
            "low": 0.0,
            "high": 100.0,
            "raw": [100 * value for value in confidence],
            "correct": correct,
        }
    )


def tunnels(shares: Sequence[float], items: int = 60) -> pd.DataFrame:
    """Intervals at 80 and 90% of estimators who see those shares of their belief."""
    rows = []
    for share in shares:
        estimator = Estimator(tunnel=share)
        for name in list(bundled_fermi())[:items]:
            for level in (80.0, 90.0):
                text = estimator.interval(name, 0, level).text
                lower, upper = map(float, re.findall(r": (\S+)", text))
                truth = bundled_fermi()[name].exponent
                rows.append((f"sees {share}", name, level, lower, upper, truth))
    columns = ["model", "item", "level", "lower", "upper", "truth"]
    return pd.DataFrame(rows, columns=columns).assign(task="fermi_eval", dataset="bundled")


def hostile_judgments() -> pd.DataFrame:
    """Four intervals of a model of each hostile name, half of which hold the truth."""
    bounds = [(2.0, 4.0), (2.5, 5.0), (4.0, 6.0), (5.0, 6.0)]
    return pd.concat([intervals(name, bounds) for name in HOSTILE], ignore_index=True)
