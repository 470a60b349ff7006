"""Judgments in csv and parquet files: what this package wrote, or answers gathered elsewhere."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from inspect_confidence.answers import STATUSES
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.checks import each_once, first_row, refuse_wrong
from inspect_confidence.judgments.order import in_order
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
from inspect_confidence.writing import write_file as written

SUFFIXES = (".csv", ".parquet")
_DEFAULTS = {"model": "unnamed", "method": "direct", "epoch": 1.0, "draw": 0.0}
TRUTH = {"True": 1, "true": 1, "TRUE": 1, "False": 0, "false": 0, "FALSE": 0, "": None}
"""What is right or wrong, in words, as a number; what is empty is none."""
FLAGS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "yes", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "0", "0.0"), False),
    "": None,
}


def read_file(
    path: Path, recorded: Recorded = NOTHING_SAID, notices: list[str] | None = None
) -> dict[str, pd.DataFrame]:
    """The judgments in a csv or parquet file, one row each: a typed frame a task.

    Where the file has no `task` column, the task is told from the columns where that is possible.

    Args:
        path: Of the file.
        recorded: What its columns are called, the scale of its confidence, and columns by which
            numbers are given too.
        notices: Takes what a reader must know: how many rows stand there twice.

    Raises:
        InvalidArgument: The file can't be read, a required column is missing, a value has the
            wrong type or can't be, or rows contradict each other.
    """
    source = str(path)
    frame = _as_ours(read_table(path), recorded, source)
    if "task" not in frame:
        frame["task"] = _task_of(path, frame, is_others=recorded != NOTHING_SAID)
    by_task = {str(name): rows.copy() for name, rows in frame.groupby("task", sort=False)}
    tables = all_tables()
    if unknown := [name for name in by_task if name not in tables]:
        known = ", ".join(tables)
        raise InvalidArgument(f"{path}: there is no task {unknown[0]!r}; known: {known}.")
    told = [] if notices is None else notices
    each = {name: each_once(rows, tables[name], source, told) for name, rows in by_task.items()}
    return {name: in_order(checked(rows, tables[name], source)) for name, rows in each.items()}


def _as_ours(frame: pd.DataFrame, recorded: Recorded, source: str) -> pd.DataFrame:
    """The frame with our names of columns, its confidence as a report where a scale is known."""
    there, ours = list(map(str, frame)), _names()
    for name in recorded.columns:
        if name not in ours:
            raise InvalidArgument(
                f"--column {name}: no column has that name. {nearest(name, ours)}"
            )
    for option, column in [
        *((f"--column {name}={column}", column) for name, column in recorded.columns.items()),
        *((f"--by {name}", name) for name in recorded.by),
    ]:
        if column not in there:
            hint = nearest(column, there)
            raise InvalidArgument(f"{option}: {source} has no column {column!r}. {hint}")
    mapped = {name: frame[column] for name, column in recorded.columns.items()}
    if recorded.by:
        cells = zip(*(frame[name].astype(str) for name in recorded.by), strict=True)
        said = [str(Condition(dict(zip(recorded.by, one, strict=True)))) for one in cells]
        mapped["by"] = pd.Series(said, frame.index)
    # What has become another column is none of its old name.
    frame = frame.drop(columns=list(recorded.columns.values())).assign(**mapped)
    if recorded.scale and not {"low", "high"} & set(frame):
        low, high = recorded.scale
        if "raw" not in frame:
            frame = frame.rename(columns={"confidence": "raw"})
        frame = frame.assign(low=low, high=high)
    return frame


def _names() -> list[str]:
    """The columns that judgments have, of any task."""
    every = (name for table in all_tables().values() for name in table.columns)
    return list(dict.fromkeys([*COMMON_COLUMNS, *every]))


def write_file(frames: dict[str, pd.DataFrame], path: Path) -> None:
    """All judgments in one csv or parquet file; `read_file` gives them back by task.

    Raises:
        InvalidArgument: The file's name has another ending.
    """
    check_suffix(path)
    frame = pd.concat(frames.values(), ignore_index=True)
    if path.suffix == ".parquet":
        # A column that one task fills with numbers and another with text is written as text.
        kinds = [{**COMMON_COLUMNS, **all_tables()[task].columns} for task in frames]
        for name in frame:
            if len({of_task[name] for of_task in kinds if name in of_task}) > 1:
                frame[name] = frame[name].map(str, na_action="ignore")
        content = BytesIO()
        frame.to_parquet(content, index=False)
        written(path, content.getvalue())
    else:
        written(path, as_csv(frame))


def check_suffix(path: Path) -> None:
    """Refuse a name that says neither csv nor parquet."""
    if path.suffix not in SUFFIXES:
        raise InvalidArgument(f"{path}: judgments are written to {' or '.join(SUFFIXES)} files.")


def checked(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """A user's rows, typed, none of which holds what can't be; the index numbers them from 0.

    Raises:
        InvalidArgument: As `typed`; or a value can't be.
    """
    made = typed(frame, table, source)
    refuse_wrong(made, frame.index, table, source)
    return made


def typed(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """The frame with every column of the task, in order and of its kind.

    Columns that are missing are added, empty. Where no `status` is given, a judgment with a whole
    answer is `ok` and any other is `invalid_response_format`.

    Raises:
        InvalidArgument: A required column is missing, or a value has the wrong type.
    """
    missing = _missing(frame, table)
    if missing:
        raise InvalidArgument(
            f"{source} lacks the column {missing[0]!r}; judgments of {table.task} need "
            f"{_needs(table)}."
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
        given = [form for form in table.answers if set(form) <= set(frame)]
        filled = complete.notna() & (complete != "")
        readable = np.logical_or.reduce([filled[list(form)].all(axis=1) for form in given])
        complete["status"] = np.where(readable, "ok", "invalid_response_format")
        complete.loc[~readable, "reason"] = "no complete answer in the file"
    if unknown := set(complete["status"]) - STATUSES:
        raise InvalidArgument(
            f"{source}: {min(unknown)!r} in the column 'status' is not known; "
            f"{nearest(min(unknown), STATUSES)}"
        )
    return complete.reset_index(drop=True)


def _missing(frame: pd.DataFrame, table: TaskTable) -> list[str]:
    """Columns that the frame would have to have; those of the answer nearest to being there."""
    there = set(frame)
    answer = min(table.answers, key=lambda form: len(set(form) - there))
    return [name for name in [*table.required, *answer] if name not in there]


def _needs(table: TaskTable) -> str:
    """What a file must have, for people."""
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
    if kind == "number":
        numbers = (
            values.astype(float) if is_numeric_dtype(values) else _numbers(values, name, source)
        )
        if np.isinf(numbers).any():
            where = frame.index[np.isinf(numbers)][0]
            raise InvalidArgument(
                f"{source}, row {where + 1}: the column {name!r} holds an infinite number; leave "
                "the cell empty where there is none."
            )
        return numbers
    if kind == "flag":
        return _flags(values, name, source)
    text = values.where(values.notna(), "").astype(str)
    # Items named by numbers are text too, and 12 must be the same item as 12.0.
    return text.str.removesuffix(".0") if name == "item" else text


def _flags(values: pd.Series, name: str, source: str) -> pd.Series:
    """True, False, or None where nothing is said."""
    places, there = pd.factorize(values, use_na_sentinel=False)
    words = ["" if pd.isna(value) else str(value).strip().lower() for value in there]
    wrong = [place for place, word in enumerate(words) if word not in FLAGS]
    if wrong:
        row = values.index[places == wrong[0]][0]
        raise InvalidArgument(
            f"{source}, row {row + 1}: {there[wrong[0]]!r} in the column {name!r} is neither true "
            "nor false."
        )
    known = np.array([FLAGS[word] for word in words], object)
    return pd.Series(known[places], values.index, dtype=object)


def _numbers(values: pd.Series, name: str, source: str) -> pd.Series:
    """Texts and others as numbers."""
    if is_datetime64_any_dtype(values):
        values = values.astype(str)  # or dates would become nanoseconds
    # Not by `replace`, whose types differ between versions of pandas.
    values = values.astype(object).map(
        lambda one: TRUTH.get(one, one) if isinstance(one, str) else one
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


def _nearest(frame: pd.DataFrame, fitting: Sequence[TaskTable], is_others: bool) -> list[str]:
    """Of tables that all fit: those with columns of their own, or that of any eval.

    The scale study has no column of its own, but the scale that it asked on, and no method.
    """
    others = [name for one in fitting if one.fallback for name in one.columns]
    if not others:
        return [one.task for one in fitting]
    known = {*others, *COMMON_COLUMNS}
    own = [one.task for one in fitting if set(one.columns) & set(frame) - known]
    if own:
        return own
    on_scale = {"low", "high"} <= set(frame) and "method" not in frame and not is_others
    return [one.task for one in fitting if one.fallback != on_scale]


def _task_of(path: Path, frame: pd.DataFrame, *, is_others: bool) -> str:
    """The task whose required columns the frame has; of any eval, if that fits `is_others`."""
    tables = all_tables()
    fitting = [name for name, table in tables.items() if not _missing(frame, table)]
    if len(fitting) > 1:
        fitting = _nearest(frame, [tables[name] for name in fitting], is_others)
    if len(fitting) != 1:
        needs = "; ".join(f"{name}: {_needs(table)}" for name, table in all_tables().items())
        raise InvalidArgument(
            f"{path}: it can't be told whose judgments these are. Give the file a `task` column, "
            f"or the columns that a task needs ({needs})."
        )
    return fitting[0]
