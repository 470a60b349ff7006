"""Rows as csv that a spreadsheet can open."""

import csv
import re
from typing import Literal

import pandas as pd

# Spreadsheets also take the full-width forms, and skip blanks before a formula.
_FORMULA = re.compile(r"[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def as_csv(frame: pd.DataFrame, index: str = "") -> str:
    """Rows as csv; numbers stay numbers, also negative ones.

    Args:
        frame: The rows.
        index: What the column of the frame's index is called; left out if empty.
    """
    text = {
        name: frame[name].map(harmless)
        for name in map(str, frame.columns)
        if not pd.api.types.is_numeric_dtype(frame[name])
    }
    rows = frame.assign(**text)
    return rows.to_csv(
        index=bool(index), index_label=index or None, lineterminator="\n", quoting=quoting(rows)
    )


def quoting(frame: pd.DataFrame) -> Literal[0, 2]:
    """How csv has to be quoted for all text to be read back.

    `csv` before Python 3.13 leaves a lone carriage return bare, and readers end the row there.
    """
    texts = (frame[name] for name in frame if not pd.api.types.is_numeric_dtype(frame[name]))
    broken = any("\r" in str(text) for column in texts for text in column.unique())
    return csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL


def harmless(text: object) -> str:
    """Text that no spreadsheet takes for a formula.

    Example:
        >>> harmless("=1+1"), harmless("a=1")
        ("'=1+1", 'a=1')
    """
    return f"'{text}" if _FORMULA.match(str(text)) else str(text)
