"""Judgments in users' tables, written by this package or collected elsewhere."""

import json
from collections.abc import Hashable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from inspect_confidence.answers import STATUSES, ParseFailure
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.grades import DECLINED_ANSWERS, MISSING, is_missing, read_grade, read_number
from inspect_confidence.judgments.checks import (
    grading_notices,
    number_repeats,
    refuse_verdicts,
    refuse_wrong,
)
from inspect_confidence.judgments.clusters import CLUSTER
from inspect_confidence.judgments.columns import (
    DECISION,
    OUTCOMES,
    WRONG,
    apply_options,
    common_names,
    distinct_values,
    unreadable,
    with_aliases,
    with_scale,
)
from inspect_confidence.judgments.order import sort_judgments
from inspect_confidence.judgments.tables import UserTable, file_stem, read_table
from inspect_confidence.results import as_csv
from inspect_confidence.studies import (
    SELF_DESCRIBING,
    Kind,
    Recorded,
    TaskTable,
    all_tables,
)
from inspect_confidence.writing import write_file as write_whole_file

SUFFIXES = (".csv", ".parquet")
_DEFAULTS = {"model": "unnamed", "method": "direct", "epoch": 1.0, "draw": 0.0}
GRADE = "correct"
"""Column of grades in every task that has one."""
_LISTED = 8
"""Number of columns that an error lists."""


def read_file(
    path: Path,
    recorded: Recorded = SELF_DESCRIBING,
    notices: list[str] | None = None,
    model: str | None = None,
) -> dict[str, pd.DataFrame]:
    """Read the judgments in a user's table into a typed frame for each task.

    If the file has no `task` column, the task is inferred from the other columns, if possible.
    Columns of any eval's judgments are also found by common names, such as `question_id`.

    Args:
        path: Path of a file that `read_table` reads.
        recorded: The file's own column names, the scale of its confidence, columns by which
            results are given too, and the column of the clusters.
        notices: Receives notices, such as the number of rows that are copies.
        model: Name of the model of rows that name none; by default the file's name.

    Raises:
        InvalidArgument: The file cannot be read, a required column is missing, a value has the
            wrong type or is impossible, or rows contradict each other.
    """
    source = str(path)
    notices = [] if notices is None else notices
    table = read_table(path)
    frame = _named_columns(table, recorded, source, notices)
    tables = all_tables()
    rows_by_task = {str(name): rows.copy() for name, rows in frame.groupby("task", sort=False)}
    if unknown := [name for name in rows_by_task if name not in tables]:
        raise InvalidArgument(
            f"{path}: there is no task {unknown[0]!r}; known: {', '.join(tables)}."
        )
    judgments = {}
    for name, rows in rows_by_task.items():
        model_rows = _with_model(rows, model or file_stem(path.name))
        if tables[name].fallback:
            model_rows = _readable_columns(model_rows, tables[name], source, notices)
        model_rows = _numbered_texts(model_rows)
        for column in tables[name].columns:
            if column.spelling and column.name in model_rows:
                texts = model_rows[column.name].astype(str)
                model_rows[column.name] = texts.map(column.spelling, na_action="ignore")
        numbers = (
            _decimal_numbers(model_rows, tables[name], source)
            if table.decimal_comma
            else model_rows
        )
        numbered = number_repeats(numbers, tables[name], source, notices)
        checked = check_judgments(numbered, tables[name], source)
        if tables[name].fallback:
            refuse_verdicts(checked, source)
        notices += grading_notices(checked, source)
        judgments[name] = sort_judgments(checked)
    return judgments


def _named_columns(
    table: UserTable, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a file's rows with this package's column names and a task."""
    names = [*_column_names(), WRONG, DECISION]
    for name in recorded.columns:
        if name not in names:
            raise InvalidArgument(
                f"--column {name}: no column has that name. {nearest(name, names)}"
            )
    frame = apply_options(table.frame, recorded, source, notices)
    if "task" not in frame:
        frame = _with_task(frame, recorded, source, notices)
    elif len(frame) and not set(frame["task"]) & set(all_tables()):
        frame = _with_task_as_dataset(frame, recorded, source, notices)
    if (recorded.scale or recorded.order_only or _is_any_evals(frame)) and len(frame):
        frame = with_scale(frame, recorded, source, decimal_comma=table.decimal_comma)
    return frame


def _is_any_evals(frame: pd.DataFrame) -> bool:
    return bool(
        frame["task"].isin([n for n, table in all_tables().items() if table.fallback]).all()
    )


def _with_task_as_dataset(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a frame whose column `task` names other people's tasks, as its data sets.

    Raises:
        InvalidArgument: The frame's other columns are of no task, or a name resembles a task's.
    """
    tables = all_tables()
    dataset_rows = frame.rename(columns={"task": "dataset"}) if "dataset" not in frame else frame
    dataset_rows = dataset_rows.drop(columns="task", errors="ignore")
    name = str(frame["task"].iloc[0])
    resembles = any(get_close_matches(str(text), tables, 1, 0.8) for text in frame["task"].unique())
    read_notices: list[str] = []
    try:
        if resembles:
            raise InvalidArgument("")
        model_rows = _with_task(dataset_rows, recorded, source, read_notices)
    except InvalidArgument:
        raise InvalidArgument(
            f"{source}: there is no task {name!r}. {nearest(name, list(tables))}"
        ) from None
    notices += [f"{source}: the column 'task' was taken as the data set", *read_notices]
    return model_rows


def _with_task(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the frame with the task that its columns tell, and with columns of common names.

    Raises:
        InvalidArgument: No task has these columns.
    """
    is_others = replace(recorded, cluster="") != SELF_DESCRIBING
    task = _inferred_task(frame, is_others=is_others)
    original = frame
    if task is None or all_tables()[task].fallback:
        aliases: list[str] = []
        for table in all_tables().values() if task is None else ():
            frame, of_table = with_aliases(frame, table)
            aliases += of_table
        has_answer = bool(aliases)
        frame, more_aliases = common_names(frame, source, has_answer=has_answer)
        aliases += more_aliases
        task = task or _inferred_task(frame, is_others=is_others)
        if "item" not in frame and task is None:
            numbered = frame.assign(item=[str(row + 1) for row in range(len(frame))])
            task = _inferred_task(numbered, is_others=is_others)
            if task is not None:
                frame = numbered
                notices.append(
                    f"{source}: no column names the items, so that each row is an item; name it: "
                    "--column item=COLUMN"
                )
        if aliases and task is not None:
            columns = ", ".join(aliases)
            notices.append(f"{source}: columns were taken as {columns}; --column names others")
    if task is None:
        raise _no_task(original, frame, source)
    return frame.assign(task=task)


def _no_task(original: pd.DataFrame, frame: pd.DataFrame, source: str) -> InvalidArgument:
    """Return the error for a file without the columns of a task: the first column that lacks.

    Args:
        original: The file's rows under its own names.
        frame: The same with common names replaced.
        source: Name of the file.
    """
    if not len(original):
        return InvalidArgument(f"{source} has no rows; give a file with judgments.")
    tables = list(all_tables().values())
    lacking_columns = []
    for table in tables:
        # Rows of any eval are items where no column names them.
        numbered = frame.assign(item="") if table.fallback else original
        lacking_columns.append(_missing_columns(numbered, table))
    # Of equally near tasks any eval's needs the least.
    incomplete = [k for k in range(len(tables)) if lacking_columns[k]]
    place = min(incomplete, key=lambda k: (len(lacking_columns[k]), not tables[k].fallback))
    table, lacking = tables[place], lacking_columns[place][0]
    names = list(map(repr, original))
    names_text = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    return InvalidArgument(
        f"{source}: the task cannot be inferred from the columns {names_text}: {table.task} needs "
        f"{lacking!r}. Name it: --column {lacking}=COLUMN; docs/judgments.md lists the columns."
    )


def _readable_columns(
    frame: pd.DataFrame, table: TaskTable, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the rows of another tool without columns that only share a name with this package's.

    Texts in `epoch` and `draw` are numbered, `choices` are counted, answers that stand for none are
    empty, and an answer such as `IDK` is declined.
    """
    changed: dict[str, pd.Series] = {}
    needed = {*table.required, *chain.from_iterable(table.answers), "low", "high"}
    optional = [column.name for column in table.columns if column.kind != "text"]
    for name in {*optional, "epoch", "draw"} & set(frame) - needed:
        values = frame[name]
        try:
            _column(frame, name, "flag" if table.kinds[name] == "flag" else "number", source)
        except InvalidArgument:
            if name in ("epoch", "draw"):
                changed[name] = pd.Series(pd.factorize(values)[0], frame.index)
            elif name == "choices" and values.map(_list_length).notna().all():
                changed[name] = values.map(_list_length)
            else:
                changed[name] = pd.Series(None, frame.index, dtype=object)
                notices.append(f"{source}: the column {name!r} holds other values and was left out")
    if "answer" in frame:
        texts = frame["answer"].map(lambda value: str(value).strip().lower())
        targets = frame.get("target", pd.Series(dtype=object)).map(str).str.strip().str.lower()
        stands_for_none = texts.isin(MISSING - set(targets))
        changed["answer"] = frame["answer"].mask(stands_for_none, "")
        declined = texts.isin(DECLINED_ANSWERS - set(targets))
        if GRADE not in frame and declined.any():
            changed[GRADE] = pd.Series("", frame.index).mask(declined, "NOT_ATTEMPTED")
    frame = frame.assign(**changed)
    if "status" in frame and not set(frame["status"]) & STATUSES:
        notices.append(f"{source}: the column 'status' has none of this package's and was left out")
        return frame.drop(columns="status")
    return frame


def _list_length(value: object) -> float:
    """Return the number of elements of a list, perhaps written as JSON; NaN if it is none."""
    if isinstance(value, list | np.ndarray):
        return float(len(value))
    try:
        elements = json.loads(str(value))
    except (ValueError, RecursionError):
        return np.nan
    return float(len(elements)) if isinstance(elements, list) else np.nan


def _numbered_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with numbers in place of epochs and draws that are texts, by their order."""
    changed = {}
    for name in {"epoch", "draw"} & set(frame):
        if frame[name].map(read_number).isna().all() and not frame[name].map(is_missing).any():
            changed[name] = pd.Series(pd.factorize(frame[name])[0], frame.index)
    return frame.assign(**changed)


def _with_model(frame: pd.DataFrame, model: str) -> pd.DataFrame:
    """Return the frame with a model's name in every row."""
    if "model" not in frame:
        return frame.assign(model=model)
    is_empty = frame["model"].isna() | (frame["model"] == "")
    return frame.assign(model=frame["model"].astype(object).mask(is_empty, model))


def _decimal_numbers(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """Return the frame with the numbers of a file with decimal commas."""
    names = [name for name in map(str, frame) if name in table.kinds and name != GRADE]
    numbers = [name for name in names if table.kinds[name] == "number"]
    columns = {name: _numbers(frame[name], name, source, decimal_comma=True) for name in numbers}
    return frame.assign(**columns)


def _column_names() -> list[str]:
    """Return the names of all columns that judgments of any task have."""
    return list(dict.fromkeys(chain.from_iterable(table.kinds for table in all_tables().values())))


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
        for name, kind in all_tables()[task].kinds.items():
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
    is `ok`, one without a grade `scoring_failed`, and any other `invalid_response_format`.

    Raises:
        InvalidArgument: A required column is missing, or a value has the wrong type.
    """
    missing = _missing_columns(frame, table)
    if missing:
        raise InvalidArgument(
            f"{source} lacks the column {missing[0]!r}; judgments of {table.task} need "
            f"{_required_columns(table)}."
        )
    defaults = {**_DEFAULTS, **table.defaults}
    columns = {}
    for name, kind in table.kinds.items():
        columns[name] = _column(frame, name, kind, source, defaults.get(name))
    complete = pd.DataFrame(columns, index=frame.index)
    for name in ("epoch", "draw"):
        complete[name] = complete[name].fillna(float(str(_DEFAULTS[name])))
    for name, default in table.defaults.items():
        complete[name] = complete[name].where(complete[name] != "", default)
    if "status" not in frame:
        complete[["status", "reason"]] = _statuses(frame, complete, table)
    if GRADE in frame and not is_numeric_dtype(frame[GRADE]):
        declined = _declined(frame[GRADE]) & (complete["status"] != "sample_error")
        reason = "the grade says that the model gave no answer"
        complete.loc[declined, ["status", "reason"]] = ["declined", reason]
    if unknown := set(complete["status"]) - STATUSES:
        raise InvalidArgument(
            f"{source}: {min(unknown)!r} in the column 'status' is not known; "
            f"{nearest(min(unknown), STATUSES)}"
        )
    return complete.reset_index(drop=True)


def _statuses(frame: pd.DataFrame, complete: pd.DataFrame, table: TaskTable) -> pd.DataFrame:
    """Return `status` and `reason` of rows that have none.

    A row with a complete answer is `ok`. One that lacks only what the eval's author knows, such as
    the grade, is `scoring_failed`; any other is `invalid_response_format`.
    """
    filled = complete.notna() & (complete != "")
    forms = [list(form) for form in table.answers if set(form) <= set(frame)]
    readable = np.logical_or.reduce([filled[form].all(axis=1) for form in forms])
    ungraded = np.zeros(len(frame), bool)
    for form in forms:
        if set(form) & OUTCOMES:
            ungraded |= filled[list(set(form) - OUTCOMES)].all(axis=1).to_numpy()
    status = np.where(ungraded, "scoring_failed", "invalid_response_format")
    reason = np.where(ungraded, "no grade in the file", "no complete answer in the file")
    columns = {
        "status": np.where(readable, "ok", status),
        "reason": np.where(readable, complete["reason"], reason),
    }
    return pd.DataFrame(columns, index=frame.index)


def _missing_columns(frame: pd.DataFrame, table: TaskTable) -> list[str]:
    """Return the required columns that the frame lacks, for the nearest form of answer."""
    present = set(frame)
    answer = min(table.answers, key=lambda form: len(set(form) - present))
    return [name for name in [*table.required, *answer] if name not in present]


def _required_columns(table: TaskTable) -> str:
    """Return the columns that a file needs, as a text for people."""
    forms = " or ".join(", ".join(form) for form in table.answers)
    return f"{', '.join(table.required)}, and {forms}"


def _column(
    frame: pd.DataFrame, name: str, kind: Kind, source: str, default: object = None
) -> pd.Series:
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
    if is_numeric_dtype(values):
        numbers = values.astype(float)
    else:
        numbers = _grades(values, source) if name == GRADE else _numbers(values, name, source)
    if np.isinf(numbers).any():
        row = frame.index[np.isinf(numbers)][0]
        raise InvalidArgument(
            f"{source}, row {row + 1}: the column {name!r} holds an infinite number; leave "
            "the cell empty where there is none."
        )
    return numbers


def _flags(values: pd.Series, name: str, source: str) -> pd.Series:
    """Return the values as True, False, or None for an empty cell."""
    places, distinct = distinct_values(values)
    flags = np.full(len(distinct), None, object)
    for place, value in enumerate(distinct):
        if is_missing(value):
            continue
        flag = read_grade(value, no_is_n=True)
        if flag not in (0, 1):
            raise InvalidArgument(
                f"{source}, row {values.index[places == place][0] + 1}: {value!r} in the column "
                f"{name!r} is neither true nor false."
            )
        flags[place] = bool(flag)
    return pd.Series(flags[places], values.index, dtype=object)


def _numbers(
    values: pd.Series, name: str, source: str, *, decimal_comma: bool = False
) -> pd.Series:
    """Return texts and other objects as numbers; a truth value is 1 or 0."""
    places, distinct = distinct_values(values)
    numbers = []
    for place, value in enumerate(distinct):
        number = read_number(value, decimal_comma=decimal_comma)
        if np.isnan(number) and not is_missing(value):
            word = str(value).strip().lower()
            if word.lstrip("+-") in ("inf", "infinity"):
                number = np.inf
            elif word in ("true", "false"):
                number = float(word == "true")
            else:
                raise unreadable(source, values, places == place, name, "a number")
        numbers.append(number)
    return pd.Series(np.array(numbers, float)[places], values.index)


def _grades(values: pd.Series, source: str) -> pd.Series:
    """Return grades as numbers; NaN where there is none, or the model gave no answer."""
    places, distinct = distinct_values(values)
    has_y = "y" in {str(value).strip().lower() for value in distinct}
    numbers = []
    for place, value in enumerate(distinct):
        grade = read_grade(value, no_is_n=has_y, decimal_comma=True)
        if isinstance(grade, ParseFailure):
            if grade.status != "declined" and not is_missing(value):
                words = "a grade such as 1, yes, C, correct or 0.5"
                raise unreadable(source, values, places == place, GRADE, words)
            grade = np.nan
        numbers.append(grade)
    return pd.Series(np.array(numbers, float)[places], values.index)


def _declined(values: pd.Series) -> "pd.Series[bool]":
    """Return which grades say that the model gave no answer."""
    places, distinct = distinct_values(values)
    has_y = "y" in {str(value).strip().lower() for value in distinct}
    grades = [read_grade(value, no_is_n=has_y) for value in distinct]
    is_declined = [
        isinstance(grade, ParseFailure) and grade.status == "declined" for grade in grades
    ]
    return pd.Series(np.array(is_declined, bool)[places], values.index)


def _nearest_tasks(frame: pd.DataFrame, tables: Sequence[TaskTable], is_others: bool) -> list[str]:
    """Return the tasks that fit and have a column of their own in the frame, else any eval's.

    The scale study has no column of its own; its judgments have a scale and no method.
    """
    other_evals = [table for table in tables if table.fallback]
    if not other_evals:
        return [table.task for table in tables]
    shared = set[str]().union(*(table.kinds for table in other_evals))
    with_own_column = [table.task for table in tables if set(table.names) & set(frame) - shared]
    if with_own_column:
        return with_own_column
    has_scale = {"low", "high"} <= set(frame) and "method" not in frame and not is_others
    return [table.task for table in tables if table.fallback != has_scale]


def _inferred_task(frame: pd.DataFrame, *, is_others: bool) -> str | None:
    """Return the task whose required columns the frame has; any eval's if `is_others` fits."""
    tables = all_tables()
    fitting = [name for name, table in tables.items() if not _missing_columns(frame, table)]
    if len(fitting) > 1:
        fitting = _nearest_tasks(frame, [tables[name] for name in fitting], is_others)
    return fitting[0] if len(fitting) == 1 else None
