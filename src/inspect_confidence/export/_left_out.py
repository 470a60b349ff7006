"""Rows of results that a format has no place for."""

from pathlib import Path

import numpy as np
import pandas as pd

from inspect_confidence._spreadsheet import as_csv
from inspect_confidence.export._material import Material
from inspect_confidence.export._text import write_text


def write_left_out(
    material: Material, directory: Path, rows: pd.DataFrame | None = None
) -> list[Path]:
    """`left_out.csv`: rows as in results with the reason; no file where nothing was left out.

    Args:
        material: Its results, where `rows` doesn't name others.
        directory: Where to.
        rows: The rows that the format would hold.
    """
    rows = material.results if rows is None else rows
    model = rows["model"].isin(material.models())
    value = rows["value"].to_numpy(float)
    reasons = np.select(
        [~model, np.isnan(value), np.isinf(value)],
        ["over several models", "undefined", "infinite"],
        default="",
    )
    left = rows.assign(left_out=reasons)[reasons != ""]
    if not len(left):
        return []
    return [write_text(directory / "left_out.csv", as_csv(left))]
