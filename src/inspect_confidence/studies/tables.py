"""A cell of a table that people read, and the row of results that it shows."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

_NAN = float("nan")


class Cell(str):
    """A number as text that knows where it comes from.

    Frames of cells have `dtype=object`, or pandas would keep the text alone.

    Attributes:
        row: Which row of the results it shows; None if it shows none.
        value: That row's value, for sorting.
        note: That row's note.
    """

    row: int | None
    value: float
    note: str

    def __new__(
        cls, text: str, row: int | None = None, value: float = _NAN, note: str = ""
    ) -> "Cell":
        """The text with its row."""
        made = super().__new__(cls, text)
        made.row, made.value, made.note = row, value, note
        return made


NOTHING = Cell("-")
"""Where there is no such number."""


def cell(
    row: Mapping[Any, Any] | None,
    digits: int = 2,
    *,
    factor: float = 1,
    interval: bool = True,
    mark: str = "",
) -> Cell:
    """A row's number with its interval, `0.63 [0.58, 0.68]`; a dash where it is undefined.

    Args:
        row: Of the results, as `with_parts` gives them; None where there is no such row.
        digits: After the point.
        factor: What the number is multiplied by, as 100 for percent.
        interval: Whether the interval is shown, where it has one.
        mark: Put after it, as stars for p-values.

    Example:
        >>> row = {"value": 0.631, "ci_low": 0.58, "ci_high": 0.68, "row": 7, "note": ""}
        >>> cell(row)
        '0.63 [0.58, 0.68]'
        >>> cell({**row, "value": float("nan")}), cell(None)
        ('-', '-')
    """
    if row is None:
        return NOTHING
    value, low, high = (factor * float(row[name]) for name in ("value", "ci_low", "ci_high"))
    where = (int(row["row"]), float(row["value"]), str(row["note"]))
    if math.isnan(value):
        return Cell("-", *where)
    text = _plain(value, digits)
    if interval and not math.isnan(low):
        text += f" [{_plain(low, digits)}, {_plain(high, digits)}]"
    return Cell(f"{text} {mark}" if mark else text, *where)


def _plain(value: float, digits: int) -> str:
    """The number, without the sign of what is rounded to zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def only(rows: pd.DataFrame) -> Mapping[Any, Any] | None:
    """The first row as a mapping; None where there is none."""
    return rows.iloc[0].to_dict() if len(rows) else None
