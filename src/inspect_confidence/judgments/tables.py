"""Users' csv and parquet files as frames, with every cell in its column."""

from pathlib import Path

import pandas as pd

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.results import unescape_formula


def read_table(path: Path) -> pd.DataFrame:
    """Return the rows of a csv file, as text, or of a parquet file, numbered from 0.

    Raises:
        InvalidArgument: The file can't be read, is not in UTF-8, has rows of more cells than its
            header, or a column without a name or with another's.
    """
    try:
        frame = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"{path} is not UTF-8 ({error.reason}); save it as UTF-8.") from error
    except (OSError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise InvalidArgument(f"{path} can't be read: {problem.removesuffix('.')}.") from error
    names = pd.Index(map(str, frame.columns))
    if names.has_duplicates:
        twice = names[names.duplicated()][0]
        raise InvalidArgument(f"{path} has two columns {twice!r}; rename or drop one of them.")
    return frame.set_axis(names, axis="columns")


def _read_csv(path: Path) -> pd.DataFrame:
    """Return the rows of a csv file as text.

    The header is read as a row: otherwise pandas renames columns, and takes surplus cells for an
    index. A row that ends early lacks its last cells. An apostrophe that keeps spreadsheets
    from running a cell as a formula is removed.
    """
    rows = pd.read_csv(path, dtype=str, keep_default_na=False, header=None)
    for column in rows:
        if rows[column].str.startswith("'", na=False).any():
            rows[column] = rows[column].map(unescape_formula, na_action="ignore")
    frame = rows.iloc[1:].set_axis(rows.iloc[0].fillna(""), axis="columns")
    return frame.reset_index(drop=True)


def _read_parquet(path: Path) -> pd.DataFrame:
    """Return the rows of a parquet file; index columns become columns again."""
    try:
        frame = pd.read_parquet(path)
    except OSError:
        raise
    except Exception as error:  # of a damaged file, KeyError and NotImplementedError among them
        raise ValueError(f"this is no whole parquet file ({error!r:.100})") from error
    names = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=names).reset_index(drop=True)
