"""Validity checks for downloaded tables whose bytes are not pinned by a sha256."""

import csv
from collections.abc import Callable, Collection, Mapping
from functools import partial
from io import StringIO
from pathlib import Path

from inspect_confidence.printing import excerpt

_WEB_PAGE_START = b"<"
"""First byte of a web page; no table begins with it."""


def fault_of(file: Path, columns: Collection[str], *, thorough: bool = True) -> str:
    """Return the reason why a file isn't a table with these columns, or an empty text.

    Args:
        file: File whose suffix names its form: `.csv`, `.tsv` or `.parquet`.
        columns: Columns that the table must have.
        thorough: Whether every row is decoded, and not only the names of columns and the number of
            rows, which a `.parquet` file states.
    """
    byte_order_mark = b"\xef\xbb\xbf"
    with file.open("rb") as opened:
        start = opened.read(512).removeprefix(byte_order_mark).lstrip()
    if not start:
        return "it is empty"
    if start.startswith(_WEB_PAGE_START):
        return "it is a web page"
    try:
        # The reader for the suffix returns the names of the columns and the number of rows.
        table_columns, rows = _READERS[file.suffix](file, thorough)
    except (OSError, ValueError, csv.Error) as error:  # errors of pyarrow and of decoding, too
        return f"it is no whole {file.suffix} file: {excerpt(error, 100)}"
    for name in columns:
        if name not in table_columns:
            return f"it has no column {name!r}"
    return "" if rows else "it has no rows"


def _read_parquet(file: Path, thorough: bool) -> tuple[Collection[str], int]:
    """Return the columns and the number of rows; if `thorough`, decode every row."""
    import pyarrow.parquet as pq  # noqa: PLC0415 # other data sets shall not wait for it

    with pq.ParquetFile(file) as table:
        for group in range(table.num_row_groups if thorough else 0):
            table.read_row_group(group)
        return table.schema_arrow.names, table.metadata.num_rows


def _read_csv(file: Path, _: bool, delimiter: str = ",") -> tuple[Collection[str], int]:
    """Return the columns and the number of rows, not of empty lines; `thorough` (`_`) is ignored.

    Raises:
        ValueError: A row has another number of cells than the header.
    """
    text = StringIO(file.read_bytes().decode("utf-8-sig"), newline="")
    rows = csv.reader(text, strict=True, delimiter=delimiter)
    header, n_rows = next(rows), 0
    for row in filter(None, rows):
        n_rows += 1
        if len(row) != len(header):
            raise ValueError(f"line {rows.line_num} has {len(row)} cells, not {len(header)}")
    return header, n_rows


_READERS: Mapping[str, Callable[[Path, bool], tuple[Collection[str], int]]] = {
    ".csv": _read_csv,
    ".tsv": partial(_read_csv, delimiter="\t"),
    ".parquet": _read_parquet,
}
