"""Figures that the five studies published, in the layout of the results table.

One csv a study lies beside this file, and not_produced.csv, which says what `summarize` has no
number of, and why; docs/published.md says what each holds and leaves out.

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
"""Those of the results table with `source`, `definition` and `not_produced` in place of `note`."""


def read_published() -> pd.DataFrame:
    """All published figures, one row a figure.

    `task`, `dataset`, `condition` and `metric` are as `summarize` writes them, so that figures can
    be set beside results; `model` is the study's name of it, empty for a figure of no model.
    `source` says where the figure stands, `definition` in what the study's items or definition
    differ from ours. Where `summarize` has no such number, `not_produced` says why, and the names
    are the study's own.

    Returns:
        Rows with `COLUMNS`, study by study: numbers are floats, NaN where none is published; texts
        are empty where there is nothing to say.

    Example:
        >>> figures = read_published()
        >>> base = figures[figures["condition"] == "level=90;method=direct;split=test"]
        >>> base[base["model"] == "GPT-4o-mini"].set_index("metric")["value"].to_dict()
        {'coverage': 0.63, 'interval_score': 27.92}
    """
    files = sorted(resources.files(__name__).iterdir(), key=lambda file: file.name)
    tables = {file.name: _texts(file) for file in files if file.name.endswith(".csv")}
    listed = tables.pop(_REASONS)
    figures = pd.concat(tables.values(), ignore_index=True).assign(not_produced="")
    for one in listed.itertuples():
        mine = (figures["task"] == one.task) & (figures["metric"] == one.metric)
        mine &= figures["condition"].str.contains(str(one.condition), regex=False)
        if one.dataset:
            mine &= figures["dataset"] == one.dataset
        figures.loc[mine, "not_produced"] = str(one.reason)
    numbers = [name for name in COLUMNS if name not in _TEXT]
    figures = figures.assign(**{name: pd.to_numeric(figures[name]) for name in numbers})
    return figures[COLUMNS].astype(dict.fromkeys(numbers, float))


def _texts(file: Traversable) -> pd.DataFrame:
    return pd.read_csv(StringIO(file.read_text("utf-8")), dtype=str, keep_default_na=False)
