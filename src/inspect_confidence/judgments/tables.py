"""Users' csv and parquet files as frames: every cell where it stands, or one line that says why."""

from pathlib import Path

import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.results import unescape_formula


def read_table(path: Path) -> pd.DataFrame:
    """The rows of a csv file, as text, or of a parquet file, numbered from 0.

    Raises:
        InvalidArgument: The file can't be read, is not in UTF-8, has rows of more cells than its
            header, or a column without a name or with another's.
    """
    try:
        frame = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split())
        raise InvalidArgument(f"{path} can't be read: {why.removesuffix('.')}.") from error
    names = pd.Index(map(str, frame.columns))
    if names.has_duplicates:
        twice = names[names.duplicated()][0]
        raise InvalidArgument(f"{path} has two columns {twice!r}; rename or drop one of them.")
    return frame.set_axis(names, axis="columns")


def _csv(path: Path) -> pd.DataFrame:
    """With the header as a row, or pandas would rename columns and take a wide row's for an index.

    A row that ends early lacks its last cells. An apostrophe that keeps spreadsheets from running a
    cell is no part of it.
    """
    rows = pd.read_csv(path, dtype=str, keep_default_na=False, header=None)
    for column in rows:
        if rows[column].str.startswith("'", na=False).any():
            rows[column] = rows[column].map(unescape_formula, na_action="ignore")
    named = rows.iloc[1:].set_axis(rows.iloc[0].fillna(""), axis="columns")
    return named.reset_index(drop=True)


def _parquet(path: Path) -> pd.DataFrame:
    """Columns that a frame's index was written as are columns again."""
    try:
        frame = pd.read_parquet(path)
    except OSError:
        raise
    except Exception as error:  # of a damaged file, KeyError and NotImplementedError among them
        raise ValueError(f"this is no whole parquet file ({error!r:.100})") from error
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=named).reset_index(drop=True)
