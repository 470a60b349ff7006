"""Rows as csv that a spreadsheet can open."""

import re

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
    return frame.assign(**text).to_csv(index=bool(index), index_label=index or None)


def harmless(text: object) -> str:
    """Text that no spreadsheet takes for a formula.

    Example:
        >>> harmless("=1+1"), harmless("a=1")
        ("'=1+1", 'a=1')
    """
    return f"'{text}" if _FORMULA.match(str(text)) else str(text)
