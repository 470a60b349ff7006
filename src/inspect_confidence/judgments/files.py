"""Judgments in csv and parquet files, written by this package or collected elsewhere."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from inspect_confidence.answers import STATUSES
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.checks import first_row, number_repeats, refuse_wrong
from inspect_confidence.judgments.clusters import CLUSTER, cluster_name
from inspect_confidence.judgments.order import sort_judgments
from inspect_confidence.judgments.tables import read_table
from inspect_confidence.results import Condition, as_csv
from inspect_confidence.studies import (
    COMMON_COLUMNS,
    NOTHING_SAID,
    Kind,
    Recorded,
    TaskTable,
    all_tables,
)
from inspect_confidence.writing import write_file as write_whole_file

SUFFIXES = (".csv", ".parquet")
_DEFAULTS = {"model": "unnamed", "method": "direct", "epoch": 1.0, "draw": 0.0}
TRUTH = {"True": 1, "true": 1, "TRUE": 1, "False": 0, "false": 0, "FALSE": 0, "": None}
"""Words for right and wrong as numbers; an empty text is no number."""
FLAGS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "yes", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "0", "0.0"), False),
    "": None,
}


def read_file(
    path: Path, recorded: Recorded = NOTHING_SAID, notices: list[str] | None = None
) -> dict[str, pd.DataFrame]:
    """Read the judgments in a csv or parquet file into a typed frame for each task.

    If the file has no `task` column, the task is inferred from the other columns, if possible.

    Args:
        path: Path of the file.
        recorded: The file's own column names, the scale of its confidence, columns by which
            results are given too, and the column of the clusters.
        notices: Receives notices, such as the number of rows that are copies.

    Raises:
        InvalidArgument: The file cannot be read, a required column is missing, a value has the
            wrong type or is impossible, or rows contradict each other.
    """
    source = str(path)
    frame = _rename_columns(read_table(path), recorded, source)
    if "task" not in frame:
        is_others = replace(recorded, cluster="") != NOTHING_SAID
        frame["task"] = _infer_task(path, frame, is_others=is_others)
    rows_by_task = {str(name): rows.copy() for name, rows in frame.groupby("task", sort=False)}
    tables = all_tables()
    if unknown := [name for name in rows_by_task if name not in tables]:
        names = ", ".join(tables)
        raise InvalidArgument(f"{path}: there is no task {unknown[0]!r}; known: {names}.")
    notices = [] if notices is None else notices
    numbered = {}
    for name, rows in rows_by_task.items():
        numbered[name] = number_repeats(rows, tables[name], source, notices)
    judgments = {}
    for name, rows in numbered.items():
        judgments[name] = sort_judgments(check_judgments(rows, tables[name], source))
    return judgments


def _rename_columns(frame: pd.DataFrame, recorded: Recorded, source: str) -> pd.DataFrame:
    """Return the frame with this package's column names, and `raw` and a scale if one is given."""
    names = _column_names()
    for name in recorded.columns:
        if name not in names:
            raise InvalidArgument(
                f"--column {name}: no column has that name. {nearest(name, names)}"
            )
    needed = [(f"--column {name}={column}", column) for name, column in recorded.columns.items()]
    needed += [(f"--by {name}", name) for name in recorded.by]
    if recorded.cluster:
        needed.append((f"--cluster {recorded.cluster}", recorded.cluster))
    present = list(map(str, frame))
    for option, column in needed:
        if column not in present:
            hint = nearest(column, present)
            raise InvalidArgument(f"{option}: {source} has no column {column!r}. {hint}")
    mapped = {name: frame[column] for name, column in recorded.columns.items()}
    if recorded.by:
        conditions = []
        for cells in frame[list(recorded.by)].astype(str).itertuples(index=False, name=None):
            conditions.append(str(Condition(dict(zip(recorded.by, cells, strict=True)))))
        mapped["by"] = pd.Series(conditions, frame.index)
    if recorded.cluster:
        mapped[CLUSTER] = frame[recorded.cluster].map(cluster_name)
    # A column that got another name no longer has its old name.
    frame = frame.drop(columns=list(recorded.columns.values())).assign(**mapped)
    if recorded.scale and not {"low", "high"} & set(frame):
        low, high = recorded.scale
        if "raw" not in frame:
            frame = frame.rename(columns={"confidence": "raw"})
        frame = frame.assign(low=low, high=high)
    return frame


def _column_names() -> list[str]:
    """Return the names of all columns that judgments of any task have."""
    columns = chain.from_iterable(table.columns for table in all_tables().values())
    return list(dict.fromkeys([*COMMON_COLUMNS, *columns]))


def write_file(frames: dict[str, pd.DataFrame], path: Path) -> None:
    """Write all judgments into one csv or parquet file, which `read_file` reads back by task.

    Raises:
        InvalidArgument: The file's name has another ending.
    """
    check_suffix(path)
    frame = pd.concat(frames.values(), ignore_index=True)
    if path.suffix != ".parquet":
        write_whole_file(path, as_csv(frame))
        return
    # A column that is a number for one task and a text for another is written as text.
    kinds: dict[Hashable, set[Kind]] = {}
    for task in frames:
        for name, kind in {**COMMON_COLUMNS, **all_tables()[task].columns}.items():
            kinds.setdefault(name, set()).add(kind)
    for column in frame:
        if len(kinds.get(column, ())) > 1:
            frame[column] = frame[column].map(str, na_action="ignore")
    content = BytesIO()
    frame.to_parquet(content, index=False)
    write_whole_file(path, content.getvalue())


def check_suffix(path: Path) -> None:
    """Refuse a file name whose ending is neither csv nor parquet."""
    if path.suffix not in SUFFIXES:
        raise InvalidArgument(f"{path}: judgments are written to {' or '.join(SUFFIXES)} files.")


def check_judgments(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """Return a user's rows as typed judgments, after checking that their values are possible.

    Args:
        frame: Rows of the user, whose index numbers them in errors.
        table: Columns and limits of their task.
        source: Name of the file, or of the frame, in errors.

    Raises:
        InvalidArgument: As for `typed_columns`; or a value is impossible.
    """
    judgments = typed_columns(frame, table, source)
    refuse_wrong(judgments, frame.index, table, source)
    return judgments


def typed_columns(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """Return the frame with every column of the task, in order and of its kind.

    Missing columns are added, empty. Without a `status` column, a judgment with a complete answer
    is `ok` and any other is `invalid_response_format`.

    Raises:
        InvalidArgument: A required column is missing, or a value has the wrong type.
    """
    missing = _missing_columns(frame, table)
    if missing:
        raise InvalidArgument(
            f"{source} lacks the column {missing[0]!r}; judgments of {table.task} need "
            f"{_required_columns(table)}."
        )
    kinds = {**COMMON_COLUMNS, **table.columns}
    defaults = {**_DEFAULTS, **table.defaults}
    columns = {
        name: _column(frame, name, kind, source, defaults.get(name)) for name, kind in kinds.items()
    }
    complete = pd.DataFrame(columns, index=frame.index)
    for name in ("epoch", "draw"):
        complete[name] = complete[name].fillna(float(str(_DEFAULTS[name])))
    for name, default in table.defaults.items():
        complete[name] = complete[name].where(complete[name] != "", default)
    if "status" not in frame:
        present_forms = [form for form in table.answers if set(form) <= set(frame)]
        filled = complete.notna() & (complete != "")
        readable = np.logical_or.reduce([filled[list(form)].all(axis=1) for form in present_forms])
        complete["status"] = np.where(readable, "ok", "invalid_response_format")
        complete.loc[~readable, "reason"] = "no complete answer in the file"
    if unknown := set(complete["status"]) - STATUSES:
        raise InvalidArgument(
            f"{source}: {min(unknown)!r} in the column 'status' is not known; "
            f"{nearest(min(unknown), STATUSES)}"
        )
    return complete.reset_index(drop=True)


def _missing_columns(frame: pd.DataFrame, table: TaskTable) -> list[str]:
    """Return the required columns that the frame lacks, for the nearest form of answer."""
    present = set(frame)
    answer = min(table.answers, key=lambda form: len(set(form) - present))
    return [name for name in [*table.required, *answer] if name not in present]


def _required_columns(table: TaskTable) -> str:
    """Return the columns that a file needs, as a text for people."""
    forms = " or ".join(", ".join(form) for form in table.answers)
    return f"{', '.join(table.required)}, and {forms}"


def _column(frame: pd.DataFrame, name: str, kind: Kind, source: str, default: object) -> pd.Series:
    if default is None:
        default = np.nan if kind == "number" else ""
    if name not in frame:
        if kind == "flag":
            return pd.Series(np.full(len(frame), None), frame.index, dtype=object)
        return pd.Series(default, frame.index, dtype=float if kind == "number" else str)
    values = frame[name]
    if kind == "flag":
        return _flags(values, name, source)
    if kind == "text":
        text = values.where(values.notna(), "").astype(str)
        # Items named by numbers are text too, and 12 must be the same item as 12.0.
        return text.str.removesuffix(".0") if name in ("item", CLUSTER) else text
    is_number = is_numeric_dtype(values)
    numbers = values.astype(float) if is_number else _numbers(values, name, source)
    if np.isinf(numbers).any():
        row = frame.index[np.isinf(numbers)][0]
        raise InvalidArgument(
            f"{source}, row {row + 1}: the column {name!r} holds an infinite number; leave "
            "the cell empty where there is none."
        )
    return numbers


def _flags(values: pd.Series, name: str, source: str) -> pd.Series:
    """Return the values as True, False, or None for an empty cell."""
    places, distinct = pd.factorize(values, use_na_sentinel=False)
    words = ["" if pd.isna(value) else str(value).strip().lower() for value in distinct]
    wrong = [place for place, word in enumerate(words) if word not in FLAGS]
    if wrong:
        row = values.index[places == wrong[0]][0]
        raise InvalidArgument(
            f"{source}, row {row + 1}: {distinct[wrong[0]]!r} in the column {name!r} is neither "
            "true nor false."
        )
    flags = np.array([FLAGS[word] for word in words], object)
    return pd.Series(flags[places], values.index, dtype=object)


def _numbers(values: pd.Series, name: str, source: str) -> pd.Series:
    """Return texts and other objects as numbers."""
    if is_datetime64_any_dtype(values):
        values = values.astype(str)  # or dates would become nanoseconds
    # Not by `replace`, whose types differ between versions of pandas.
    values = values.astype(object).map(
        lambda value: TRUTH.get(value, value) if isinstance(value, str) else value
    )
    numbers = pd.to_numeric(values, errors="coerce").astype(float)
    wrong = numbers.isna() & ~values.isna() & (values.astype(str).str.lower() != "nan")
    if wrong.any():
        first = str(values[wrong].iloc[0])[:60]
        raise InvalidArgument(
            f"{source}, row {first_row(wrong) + 1}: {first!r} in the column {name!r} is not a "
            "number."
        )
    return numbers


def _nearest_tasks(frame: pd.DataFrame, tables: Sequence[TaskTable], is_others: bool) -> list[str]:
    """Return, of tasks that fit, those with a column of their own in the frame, or any eval's.

    The scale study has no column of its own; its judgments have a scale and no method.
    """
    other_evals = [table for table in tables if table.fallback]
    if not other_evals:
        return [table.task for table in tables]
    shared = {*COMMON_COLUMNS}.union(*(table.columns for table in other_evals))
    with_own_column = [table.task for table in tables if set(table.columns) & set(frame) - shared]
    if with_own_column:
        return with_own_column
    has_scale = {"low", "high"} <= set(frame) and "method" not in frame and not is_others
    return [table.task for table in tables if table.fallback != has_scale]


def _infer_task(path: Path, frame: pd.DataFrame, *, is_others: bool) -> str:
    """Return the task whose required columns the frame has; any eval's if `is_others` fits."""
    tables = all_tables()
    fitting = [name for name, table in tables.items() if not _missing_columns(frame, table)]
    if len(fitting) > 1:
        fitting = _nearest_tasks(frame, [tables[name] for name in fitting], is_others)
    if len(fitting) != 1:
        needs = "; ".join(
            f"{name}: {_required_columns(table)}" for name, table in all_tables().items()
        )
        raise InvalidArgument(
            f"{path}: the task cannot be inferred from the columns. Give the file a `task` column, "
            f"or the columns that a task needs ({needs})."
        )
    return fitting[0]
