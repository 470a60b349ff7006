"""Figures that the five studies published, in the layout of the results table.

The folder holds one csv a study, and not_produced.csv with the figures that `summarize` doesn't
compute and the reasons. docs/published.md describes the content of each file.

from inspect_confidence.published import read_published
"""

from importlib import resources
from importlib.resources.abc import Traversable
from io import StringIO

import pandas as pd

__all__ = ["COLUMNS", "read_published"]

_TEXT = ("task", "model", "dataset", "condition", "metric", "source", "definition", "not_produced")
_REASONS = "not_produced.csv"

COLUMNS = [
    *("task", "model", "dataset", "condition", "metric", "value", "ci_low", "ci_high", "n"),
    *("source", "definition", "not_produced"),
]
"""Columns: the results table's, with `source`, `definition` and `not_produced` for `note`."""


def read_published() -> pd.DataFrame:
    """Read all published figures, one row a figure.

    `task`, `dataset`, `condition` and `metric` are as in the results of `summarize`, so that
    figures can be compared with results. `model` is the study's name of the model, empty if the
    figure has none. `source` is the place of the figure in the study, `definition` the difference
    between the study's items or definition and this package's. If `summarize` doesn't compute the
    figure, `not_produced` is the reason, and the names are the study's own.

    Returns:
        Rows with `COLUMNS`, study by study. Numbers are floats, NaN if not published; texts may be
        empty.

    Example:
        >>> figures = read_published()
        >>> base = figures[figures["condition"] == "level=90;method=direct;split=test"]
        >>> base[base["model"] == "GPT-4o-mini"].set_index("metric")["value"].to_dict()
        {'coverage': 0.63, 'interval_score': 27.92}
    """
    files = sorted(resources.files(__name__).iterdir(), key=lambda file: file.name)
    tables = {file.name: _texts(file) for file in files if file.name.endswith(".csv")}
    reasons = tables.pop(_REASONS)
    figures = pd.concat(tables.values(), ignore_index=True).assign(not_produced="")
    for row in reasons.itertuples():
        # A reason is for all conditions that contain its own, and for all data sets if it has none.
        matches = (figures["task"] == row.task) & (figures["metric"] == row.metric)
        matches &= figures["condition"].str.contains(str(row.condition), regex=False)
        if row.dataset:
            matches &= figures["dataset"] == row.dataset
        figures.loc[matches, "not_produced"] = str(row.reason)
    numbers = [name for name in COLUMNS if name not in _TEXT]
    figures[numbers] = figures[numbers].apply(pd.to_numeric)
    return figures[COLUMNS].astype(dict.fromkeys(numbers, float))


def _texts(file: Traversable) -> pd.DataFrame:
    return pd.read_csv(StringIO(file.read_text("utf-8")), dtype=str, keep_default_na=False)
