"""Figures that the five studies published, in the layout of the results table.

One csv a study lies beside this file; docs/published.md says what each holds and leaves out.

from inspect_confidence.published import read_published
"""

from importlib import resources
from io import StringIO

import pandas as pd

__all__ = ["COLUMNS", "read_published"]

_TEXT = ("task", "model", "dataset", "condition", "metric", "source", "definition")

COLUMNS = [
    *("task", "model", "dataset", "condition", "metric", "value", "ci_low", "ci_high", "n"),
    *("source", "definition"),
]
"""Those of the results table with `source` and `definition` in place of `note`."""


def read_published() -> pd.DataFrame:
    """All published figures, one row a figure.

    `task`, `dataset`, `condition` and `metric` are as `summarize` writes them, so that figures can
    be set beside results; `model` is the study's name of it. `source` says where the figure stands,
    `definition` in what the study's items or definition differ from ours.

    Returns:
        Rows with `COLUMNS`, study by study: numbers are floats, NaN where none is published; texts
        are empty where there is nothing to say.

    Example:
        >>> figures = read_published()
        >>> base = figures[figures["condition"] == "level=90;method=direct;split=test"]
        >>> base.set_index("metric")["value"].to_dict()
        {'coverage': 0.63, 'interval_score': 31.0}
    """
    files = sorted(resources.files(__name__).iterdir(), key=lambda file: file.name)
    tables = [
        pd.read_csv(StringIO(file.read_text("utf-8")), dtype=str, keep_default_na=False)
        for file in files
        if file.name.endswith(".csv")
    ]
    figures = pd.concat(tables, ignore_index=True)[COLUMNS]
    numbers = [name for name in COLUMNS if name not in _TEXT]
    return figures.assign(**{name: pd.to_numeric(figures[name]).astype(float) for name in numbers})
