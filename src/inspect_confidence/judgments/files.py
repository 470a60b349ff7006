"""Judgments in users' tables, written by this package or collected elsewhere."""

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from inspect_confidence.answers import STATUSES, ParseFailure
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.grades import (
    DECLINED_ANSWERS,
    MISSING,
    WHOLE_DECIMAL,
    is_missing,
    read_grade,
    read_number,
)
from inspect_confidence.judgments.checks import (
    QUESTION_COLUMNS,
    exponent_notices,
    grading_notices,
    number_repeated_answers,
    refuse_grades_as_confidence,
    violations,
)
from inspect_confidence.judgments.clusters import CLUSTER
from inspect_confidence.judgments.columns import (
    CONFIDENCE_COLUMNS,
    DECISION_COLUMN,
    ERROR_COLUMN,
    GRADER_COLUMNS,
    PLACEHOLDER,
    apply_column_options,
    apply_confidence_scale,
    drop_foreign_scale,
    map_cells,
    refuse_unreadable_cells,
    rename_common_columns,
    rename_task_columns,
)
from inspect_confidence.judgments.order import sort_judgments
from inspect_confidence.judgments.tables import (
    RowMistake,
    UserTable,
    file_stem,
    join_mistakes,
    read_table,
)
from inspect_confidence.metrics.arrays import double_array
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, as_csv
from inspect_confidence.studies import SELF_DESCRIBING, Kind, Recorded, TaskTable, all_tables
from inspect_confidence.studies.notes import IN_FILE
from inspect_confidence.writing import write_file

SUFFIXES = (".csv", ".parquet")
_REPETITION_DEFAULTS = {"epoch": 1.0, "draw": 0.0}
_COMMON_DEFAULTS = {"model": "unnamed", "method": "direct", **_REPETITION_DEFAULTS}
GRADE = "correct"
"""Column of grades in every task that has one."""
_MAX_COLUMNS_LISTED = 8
"""Number of columns that an error lists."""
_NO_GRADE, _NO_CONFIDENCE = f"no grade{IN_FILE}", f"no confidence{IN_FILE}"
_NO_ANSWER = f"no answer{IN_FILE}"
"""Reasons of judgments that are not `ok` because a cell is empty."""
_INDEX_NAMES = ("", "Unnamed: 0")
"""Names of the column in which pandas writes the index of a frame."""


def read_file(
    path: Path,
    recorded: Recorded = SELF_DESCRIBING,
    notices: list[str] | None = None,
    model: str | None = None,
) -> dict[str, pd.DataFrame]:
    """Read the judgments in a user's table into a typed frame for each task.

    Without a `task` column the task is inferred from the other columns. Columns of judgments of
    other evals are also found by common names, such as `question_id`. A file without rows is
    refused.

    Args:
        path: Path of a file that `read_table` reads.
        recorded: What the user says about the file: the names of its columns, the scale of its
            confidence, the columns by which results are grouped, and the column of the clusters.
        notices: Receives notices, such as the number of rows that are copies.
        model: Name of the model of rows that name none; by default the file's name.

    Raises:
        InvalidArgument: The file cannot be read, its task is unknown, a required column is missing,
            a value has the wrong type or is impossible, or rows contradict each other.
    """
    notices = [] if notices is None else notices
    user_table = read_table(path)  # it has rows
    default_model = model or file_stem(path.name)
    mistakes: list[RowMistake] = []
    while len(user_table.frame):
        try:
            judgments = _read_rows(user_table, recorded, path, notices, default_model)
            if not mistakes:
                return judgments
            break
        except RowMistake as mistake:
            mistakes.append(mistake)
        except InvalidArgument:
            if not mistakes:
                raise
            break
        if any(PLACEHOLDER in column for column in recorded.columns.values()):
            break  # rows of a file with columns of each model are numbered anew
        # The other rows, if any are left, may have other mistakes.
        user_table = replace(user_table, frame=user_table.frame.drop(index=mistakes[-1].rows))
    raise join_mistakes(mistakes)


def _read_rows(
    user_table: UserTable, recorded: Recorded, path: Path, notices: list[str], default_model: str
) -> dict[str, pd.DataFrame]:
    """Return the judgments in the rows of a file by task; see `read_file`."""
    source = str(path)
    frame = _apply_column_names(user_table, recorded, source, notices)
    frame = _drop_foreign_by(frame, source, notices)
    task_tables = all_tables()
    rows_by_task = split_by_task(frame)
    for name in rows_by_task:
        if name not in task_tables:
            raise InvalidArgument(
                f"{path}: there is no task {name!r}; known: {', '.join(task_tables)}."
            )
    judgments = {}
    for name, task_rows in rows_by_task.items():
        rows = _fill_missing_model(task_rows.copy(), default_model, source, notices)
        _refuse_missing_columns(rows, task_tables[name], source)
        _refuse_missing_items(rows, source)
        notices += _missing_name_notices(rows, task_tables[name], recorded.by, source)
        judgments[name] = _judgments_of_task(
            rows,
            task_tables[name],
            source,
            notices,
            default_model=default_model,
            decimal_comma=user_table.decimal_comma,
        )
    return judgments


def _judgments_of_task(
    rows: pd.DataFrame,
    table: TaskTable,
    source: str,
    notices: list[str],
    *,
    default_model: str,
    decimal_comma: bool,
) -> pd.DataFrame:
    """Return a file's rows of one task as typed, checked and sorted judgments.

    `rows` have this package's column names and may be changed. `table` describes the task; the
    `fallback` table is that of evals of other packages, whose values of columns that only this
    package's tasks have are left out. `default_model` is the name of the model of rows that named
    none. Notices tell what was inferred or left out. Values that cannot be used are refused, and so
    are rows that contradict each other.
    """
    if table.fallback:
        rows = _drop_foreign_values(rows, table, source, notices)
    rows = _number_repetition_names(rows)
    for column in table.columns:
        if column.spelling and column.name in rows:  # a function that corrects texts
            texts = rows[column.name].astype(str)
            rows[column.name] = texts.map(column.spelling, na_action="ignore")
    if decimal_comma:
        rows = _parse_decimal_commas(rows, table, source)
    rows = number_repeated_answers(rows, table, source, notices, default_model=default_model)
    typed_rows = check_judgments(rows, table, source)
    if table.fallback:
        refuse_grades_as_confidence(typed_rows, source)
    if "status" not in rows:
        notices += _empty_cell_notices(typed_rows, source)
    notices += _ambiguous_grade_notices(rows, source)
    notices += exponent_notices(typed_rows, table, source)
    notices += grading_notices(typed_rows, source)
    return sort_judgments(typed_rows)


def _empty_cell_notices(judgments: pd.DataFrame, source: str) -> list[str]:
    """Return notices of how many judgments have no answer, confidence, grade or true value.

    `judgments` are those of the file `source`, with statuses that follow from its cells.
    """
    notices = []
    is_ungraded = judgments["status"] == "scoring_failed"
    parse_failures = [_NO_CONFIDENCE, _NO_ANSWER]
    is_empty = judgments["reason"].isin(parse_failures)
    rows = counted(len(judgments), "row")
    for reason, n in judgments.loc[is_ungraded | is_empty, "reason"].value_counts().items():
        is_parse_failure = reason in parse_failures
        effect = "a parse failure each" if is_parse_failure else "left out of all metrics"
        notices.append(f"{source}: {str(reason).removesuffix(IN_FILE)} in {n} of {rows}: {effect}")
    return notices


def _ambiguous_grade_notices(rows: pd.DataFrame, source: str) -> list[str]:
    """Return a notice of grades `n` beside numbers, which count as no answer but may mean no.

    Beside a `y` they mean no, without a notice.
    """
    if GRADE not in rows or _has_y(rows[GRADE]):
        return []
    grades = rows[GRADE].astype(str).str.strip().str.lower()
    is_n = grades == "n"
    if not is_n.any() or not grades.isin(["0", "1", "0.0", "1.0", "false", "true"]).any():
        return []
    place = f"{is_n.sum():,} of {counted(len(rows), 'row')}"
    return [f"{source}: the grade N in {place} counts as no answer; write 0 if it means no"]


def _apply_column_names(
    user_table: UserTable, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return a file's rows with this package's column names, a task, and the confidence scaled.

    `recorded` has the user's options on columns and scale; `notices` receives what was inferred.

    Raises:
        InvalidArgument: An option names a column that does not exist, the task cannot be inferred,
            or the confidence is on another scale.
    """
    task_columns = chain.from_iterable(table.kinds for table in all_tables().values())
    known_names = [*dict.fromkeys(task_columns), ERROR_COLUMN, DECISION_COLUMN]
    for name in recorded.columns:
        if name not in known_names:
            raise InvalidArgument(
                f"--column {name}: no column has that name. {nearest(name, known_names)}"
            )
    if n := user_table.empty_rows:
        notices.append(f"{source}: {counted(n, 'empty row was', 'empty rows were')} left out")
    frame = apply_column_options(user_table.frame, recorded, source, notices)
    frame = drop_foreign_scale(frame, recorded, source, notices)
    if "task" not in frame:
        frame = _add_inferred_task(frame, recorded, source, notices)
    elif len(frame) and not set(frame["task"]) & set(all_tables()):  # no task of this package
        frame = _take_task_as_dataset(frame, recorded, source, notices)
    # Tasks of this package have columns for the scale; other evals have one for the confidence.
    other_evals = [name for name, table in all_tables().items() if table.fallback]
    is_other_eval = frame["task"].isin(other_evals).all()
    if is_other_eval:
        present = [name for name in ("confidence", "raw", GRADE) if name in frame]
        refuse_unreadable_cells(frame, {name: name for name in present}, source)
    is_scaled = recorded.scale or recorded.order_only or is_other_eval
    if is_scaled and len(frame):
        frame = apply_confidence_scale(
            frame, recorded, source, notices, decimal_comma=user_table.decimal_comma
        )
    return frame


def split_by_task(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each task in a frame with a column `task`, in order of appearance."""
    return {str(task): rows for task, rows in frame.groupby("task", sort=False)}


def _take_task_as_dataset(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the frame with `task`, whose names are those of other packages, as its `dataset`.

    A `dataset` that the frame has already stays. The task here is inferred from the other columns.
    `recorded` has the user's options; `notices` receives what was inferred.

    Raises:
        InvalidArgument: The task cannot be inferred from the other columns; or a name resembles
            that of a task here, so that it may be misspelled.
    """
    tables = all_tables()
    rows = frame.rename(columns={"task": "dataset"}) if "dataset" not in frame else frame
    rows = rows.drop(columns="task", errors="ignore")
    name = str(frame["task"].iloc[0])
    error = InvalidArgument(f"{source}: there is no task {name!r}. {nearest(name, list(tables))}")
    if any(get_close_matches(str(text), tables, 1, 0.8) for text in frame["task"].unique()):
        raise error
    read_notices: list[str] = []
    try:
        rows_with_task = _add_inferred_task(rows, recorded, source, read_notices)
    except InvalidArgument:
        raise error from None
    notices += [f"{source}: the column 'task' was taken as the data set", *read_notices]
    return rows_with_task


def _add_inferred_task(
    frame: pd.DataFrame, recorded: Recorded, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the frame with the task inferred from its columns, and common names replaced.

    Without a column that names the items, each row is an item. Notices tell which columns were
    renamed. `recorded` has the user's options. A frame whose columns fit no task is refused.
    """
    # All options but --cluster are about evals of other packages: with one, the rows are of such.
    is_other_eval = replace(recorded, cluster="") != SELF_DESCRIBING
    # First attempt: the names as they are.
    task = _inferred_task(frame, is_other_eval=is_other_eval)
    renamed, aliases = frame, list[str]()
    # Second attempt: aliases of the tasks, then common names, which other evals use.
    if task is None:
        for table in all_tables().values():
            renamed, task_aliases = rename_task_columns(renamed, table)
            aliases += task_aliases
    is_table_of_other_evals = task is not None and all_tables()[task].fallback
    if task is None or is_table_of_other_evals:
        # Columns get a task's names only if they then have one of its complete answers.
        has_answer = bool(aliases)
        renamed, common_aliases = rename_common_columns(renamed, source, has_answer=has_answer)
        aliases += common_aliases
        task = task or _inferred_task(renamed, is_other_eval=is_other_eval)
    # Third attempt: each row is an item, by the index that pandas writes or by its number.
    if task is None and "item" not in renamed:
        index_names = [name for name in _INDEX_NAMES if name in renamed]
        has_index = bool(index_names) and renamed[index_names[0]].is_unique
        numbers = pd.Series(map(str, range(1, len(frame) + 1)), frame.index, dtype=object)
        with_items = renamed.assign(item=renamed[index_names[0]] if has_index else numbers)
        task = _inferred_task(with_items, is_other_eval=is_other_eval)
        if task is not None:
            renamed = with_items
            names = "the index in the first column" if has_index else "the number of the row"
            notices.append(
                f"{source}: no column names the items: each row is one, and {names} tells which "
                "rows of several files are the same item; name another: --column item=COLUMN"
            )
    if task is None:
        raise _unknown_task_error(frame, renamed, source, is_mapped=bool(recorded.columns))
    if task == "scale_variants" and "raw" not in renamed:
        notices.append(f"{source}: 'low' and 'high' were taken as ends of scales; rename others")
    if aliases:
        columns = ", ".join(aliases)
        notices.append(
            f"{source}: columns were taken as {columns}; --column NAME=COLUMN takes another"
        )
    return renamed.assign(task=task)


_NAMES_OF_ERRORS = frozenset({"wrong", "is_wrong", "incorrect", "is_incorrect", "error", "mistake"})
"""Names of columns, in lower case, in which a 1 probably means that the answer is wrong."""
_MIN_DISTINCT_COLUMNS = 2
"""Columns of a task's own with which a file is more likely of the task than of another eval."""


def _unknown_task_error(
    file_rows: pd.DataFrame, renamed_rows: pd.DataFrame, source: str, *, is_mapped: bool
) -> InvalidArgument:
    """Return the error for a file of no task; it names the columns that the nearest task lacks.

    A task of this package is near only if the file has a column that other evals' judgments lack;
    of equally near ones it comes first if the file has two. A file with all columns of several
    tasks gets an error that names these tasks. `is_mapped` says whether `--column` renamed columns.
    """
    if not len(file_rows):
        return InvalidArgument(f"{source} has no rows; give a file with judgments.")
    distinct_columns = set(file_rows) - _columns_of_other_evals(all_tables().values())
    complete, incomplete = [], []
    for table in all_tables().values():
        # In judgments of other evals each row is an item if no column names the items.
        rows = renamed_rows.assign(item="") if table.fallback else file_rows
        lacking = _missing_columns(rows, table)
        if not lacking:
            complete.append(table)
        elif table.fallback or distinct_columns & set(table.names):
            incomplete.append((table, lacking))
    if len(complete) > 1:
        nearest_tables = _nearest_tasks(file_rows, complete, is_other_eval=False) or complete
        tasks = " and ".join(table.task for table in nearest_tables)
        return InvalidArgument(
            f"{source} has the columns of {tasks}; name the task of each row in a column 'task'."
        )

    def distance(pair: tuple[TaskTable, Sequence[str]]) -> tuple[int, bool, bool]:
        """Return how many columns a table lacks, then whether it is less likely than an equal."""
        table, lacking = pair
        has_few_columns = len(distinct_columns & set(table.names)) < _MIN_DISTINCT_COLUMNS
        return len(lacking), has_few_columns, not table.fallback

    table, lacking = min(incomplete, key=distance)
    options = " ".join(f"--column {name}=COLUMN" for name in lacking)
    of_errors = [name for name in file_rows if str(name).strip().lower() in _NAMES_OF_ERRORS]
    if of_errors:  # a grade of 1 is wrong there
        options = options.replace("correct=COLUMN", f"{ERROR_COLUMN}={of_errors[0]}")
    page = "any_eval.md#answers-in-a-file" if table.fallback else "judgments.md"
    column_names = list(map(repr, file_rows))
    names_text = ", ".join(column_names[:_MAX_COLUMNS_LISTED]) + (
        ", ..." if len(column_names) > _MAX_COLUMNS_LISTED else ""
    )
    of_task = "" if table.fallback else f" of {table.task}"
    return InvalidArgument(
        f"{source}: there is no column {' or '.join(map(repr, lacking))}{of_task}; its "
        f"columns{' after --column' if is_mapped else ''} are {names_text}. Name it: {options}; "
        f"docs/{page} lists the columns."
    )


def _drop_foreign_values(
    frame: pd.DataFrame, table: TaskTable, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the rows of another tool with unreadable values of optional columns replaced.

    Each distinct text in `epoch` or `draw` becomes a number, and so do empty cells; lists in
    `choices` become their lengths. Other columns of the wrong type, a `uuid` shared by items or
    models, and a `status` without any known value are left out with a notice. Answers such as
    `n/a` become empty. `table` has the columns of the task; `source` is the file.
    """
    changed: dict[str, pd.Series] = {}
    # Columns without which there is no judgment are checked later, with an error.
    needed = {*table.required, *chain.from_iterable(table.answers), "low", "high"}
    typed = {column.name for column in table.columns if column.kind != "text"}
    optional = {*typed, "epoch", "draw"} - needed
    for name, values in frame.items():  # notices have the order of the file's columns
        if name not in optional:
            continue
        kind: Kind = "flag" if table.kinds[name] == "flag" else "number"
        try:
            _typed_column(frame, name, kind, source)  # only to see whether it refuses the values
        except InvalidArgument:
            if name in ("epoch", "draw"):
                changed[name] = pd.Series(pd.factorize(values)[0], frame.index)
            elif name == "choices" and values.map(_list_length).notna().all():
                changed[name] = values.map(_list_length)
            else:
                changed[name] = pd.Series(None, frame.index, dtype=object)
                notices.append(f"{source}: the column {name!r} holds other values and was left out")
    if "uuid" in frame:
        samples = frame.loc[~_is_empty(frame["uuid"]), ["uuid", "item", "model"]].astype(str)
        if samples.drop_duplicates()["uuid"].duplicated().any():  # of several items or models
            changed["uuid"] = pd.Series("", frame.index, dtype=object)
            notices.append(f"{source}: the column 'uuid' is of no samples and was left out")
    frame = _replace_placeholder_answers(frame.assign(**changed))
    if "status" in frame and not set(frame["status"]) & STATUSES:
        notices.append(f"{source}: the column 'status' has none of this package's and was left out")
        return frame.drop(columns="status")
    return frame


def _drop_foreign_by(frame: pd.DataFrame, source: str, notices: list[str]) -> pd.DataFrame:
    """Return rows without a column `by` that holds other texts than `FIELD=VALUE`, with a notice.

    In files of this package `by` has the values of the fields of `--by`.
    """
    if "by" not in frame:
        return frame
    for text in frame["by"].dropna().unique():
        try:
            Condition.read(str(text))
        except ValueError:
            notices.append(f"{source}: the column 'by' holds other values and was left out")
            return frame.drop(columns="by")
    return frame


def _replace_placeholder_answers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with empty answers for placeholders such as `n/a`.

    An answer such as `IDK` stays; without grades in the frame it is graded "not attempted". A text
    that is the target of any row is an answer like others. NaN may stay; it counts as empty later.
    """
    if "answer" not in frame:
        return frame
    answers = frame["answer"].map(lambda value: str(value).strip().lower())
    targets = frame.get("target", pd.Series(dtype=object)).map(str).str.strip().str.lower()
    is_placeholder = answers.isin(MISSING - set(targets))
    changed = {"answer": frame["answer"].mask(is_placeholder, "")}
    is_declined = answers.isin(DECLINED_ANSWERS - set(targets))
    if GRADE not in frame and is_declined.any():
        changed[GRADE] = pd.Series("", frame.index).mask(is_declined, "NOT_ATTEMPTED")
    return frame.assign(**changed)


def _list_length(value: object) -> float:
    """Return the number of elements of a list or of a JSON array; NaN for anything else."""
    if isinstance(value, list | np.ndarray):
        return float(len(value))
    try:
        elements = json.loads(str(value))
    except (ValueError, RecursionError):
        return np.nan
    return float(len(elements)) if isinstance(elements, list) else np.nan


def _number_repetition_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with numbers in place of texts in `epoch` and `draw`.

    Texts such as `run-a` are numbered in the order of their first occurrence. A column with any
    number or empty cell stays as it is.
    """
    changed = {}
    for name in ("epoch", "draw"):
        if name not in frame:
            continue
        has_number = frame[name].map(read_number).notna().any()
        has_empty_cell = frame[name].map(is_missing).any()
        if not has_number and not has_empty_cell:
            changed[name] = pd.Series(pd.factorize(frame[name])[0], frame.index)
    return frame.assign(**changed)


def _fill_missing_model(
    frame: pd.DataFrame, model: str, source: str, notices: list[str]
) -> pd.DataFrame:
    """Return the frame with `model` as the name of the model in rows that name none.

    A notice gives their number if other rows name a model.
    """
    if "model" not in frame:
        return frame.assign(model=model)
    is_empty = _is_empty(frame["model"])
    if 0 < is_empty.sum() < len(frame):
        rows = counted(len(frame), "row")
        notices.append(
            f"{source}: no model in {is_empty.sum()} of {rows}, which count as of {model!r}; if a "
            "model is named in its first row only, name it in each"
        )
    return frame.assign(model=frame["model"].astype(object).mask(is_empty, model))


def _missing_name_notices(
    frame: pd.DataFrame, table: TaskTable, fields: Sequence[str], source: str
) -> Iterator[str]:
    """Yield a notice for each kind of names that rows lack while other rows have them.

    The kinds are data sets, methods, values of `--by`, and variants within a model and data set:
    judgments of several evals, some without a setting that varies, may be in one file. `table` has
    the method that rows without one get, and `fields` are those of `--by`.
    """
    rows = counted(len(frame), "row")
    for column, word in (("dataset", "data set"), ("method", "method"), ("variant", "variant")):
        if column not in frame:
            continue
        is_empty = _is_empty(frame[column])
        if column == "variant":
            keys = [frame[name].astype(str) for name in ("model", "dataset") if name in frame]
            is_empty &= ~is_empty.groupby(keys).transform("all")
        if not 0 < is_empty.sum() < len(frame):
            continue
        default = table.defaults.get(column)
        effect = f"of {default!r}" if default else f"a further {word}"
        yield (
            f"{source}: no {word} in {is_empty.sum()} of {rows}, which count as {effect}; if a "
            f"{word} is named in its first row only, name it in each"
        )
    for field in fields:
        is_empty = ~frame["by"].map(lambda text, name=field: name in Condition.read(text))
        if 0 < is_empty.sum() < len(frame):
            yield f"{source}: no {field} in {is_empty.sum()} of {rows}, which are in no group of it"


def _is_empty(cells: pd.Series) -> pd.Series:
    return cells.isna() | (cells.astype(str).str.strip() == "")


def _refuse_missing_items(frame: pd.DataFrame, source: str) -> None:
    """Refuse rows without an item, which would count as repeated answers to one question."""
    if "item" in frame and (is_empty := _is_empty(frame["item"])).any():
        remedy = "name the question in each row, or another column: --column item=COLUMN"
        raise RowMistake(source, frame.index[is_empty], "the column 'item' is empty", remedy)


def _parse_decimal_commas(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """Return the frame with its columns of numbers parsed with decimal commas.

    Grades are read later: they may be words. `table` has the kind of each column.
    """
    columns = {}
    for name in map(str, frame):
        if name != GRADE and table.kinds.get(name) == "number":
            columns[name] = _parse_numbers(frame[name], name, source, decimal_comma=True)
    return frame.assign(**columns)


def write_judgments(frames: dict[str, pd.DataFrame], path: Path) -> None:
    """Write all judgments into one csv or parquet file, which `read_file` reads back by task.

    Args:
        frames: Judgments by task, of at least one.
        path: The file; its ending decides the format.

    Raises:
        InvalidArgument: The file's name has another ending.
    """
    check_suffix(path)
    frame = pd.concat(frames.values(), ignore_index=True)
    if path.suffix != ".parquet":
        write_file(path, as_csv(frame))
        return
    # A parquet column has one type: a number for one task and a text for another become texts.
    kinds: dict[Hashable, set[Kind]] = {}
    for task in frames:
        for name, kind in all_tables()[task].kinds.items():
            kinds.setdefault(name, set()).add(kind)
    for column in frame:
        if len(kinds.get(column, ())) > 1:
            frame[column] = frame[column].map(str, na_action="ignore")
    content = BytesIO()
    frame.to_parquet(content, index=False)
    write_file(path, content.getvalue())


def check_suffix(path: Path) -> None:
    """Refuse a file name whose ending is neither csv nor parquet."""
    if path.suffix not in SUFFIXES:
        raise InvalidArgument(
            f"{path} has no ending of a file of judgments; use {' or '.join(SUFFIXES)}."
        )


def check_judgments(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """Return a user's rows as typed judgments, after checking that their values are possible.

    Args:
        frame: Rows of the user, whose index numbers them in errors.
        table: Columns and limits of their task.
        source: Name of the file, or of the frame, in errors.

    Raises:
        InvalidArgument: A required column is missing, a value has the wrong type or is impossible,
            or a status is not known.
    """
    judgments = typed_columns(frame, table, source)
    for violation in violations(judgments, table):
        positions = list(violation.reasons)
        problem, _, remedy = violation.reasons[positions[0]].partition("; ")
        remedy = remedy or "correct the cell, or leave out the row"
        raise RowMistake(source, frame.index[positions], problem, remedy)
    return judgments


def typed_columns(frame: pd.DataFrame, table: TaskTable, source: str) -> pd.DataFrame:
    """Return the frame with every column of the task, in order and of its kind.

    Missing columns are added, empty or with their default. A missing `status` is inferred, and a
    grade that means "no answer" makes a judgment `declined`.

    Raises:
        InvalidArgument: A required column is missing, a value has the wrong type, or a status is
            not known.
    """
    _refuse_missing_columns(frame, table, source)
    defaults = {**_COMMON_DEFAULTS, **table.defaults}
    columns = {}
    for name, kind in table.kinds.items():
        columns[name] = _typed_column(frame, name, kind, source, defaults.get(name))
    judgments = pd.DataFrame(columns, index=frame.index)
    # Columns that the file has may have empty cells, which get the defaults too.
    for name, number in _REPETITION_DEFAULTS.items():
        judgments[name] = judgments[name].fillna(number)
    for name, default in table.defaults.items():
        judgments[name] = judgments[name].where(judgments[name] != "", default)
    if "status" not in frame:  # inferred from empty cells
        judgments[["status", "reason"]] = _infer_statuses(frame, judgments, table)
    if GRADE in frame and not is_numeric_dtype(frame[GRADE]):
        # In a column of grades with `y`, `n` means no; otherwise it means "no answer".
        declines = partial(_is_declined, no_is_n=_has_y(frame[GRADE]))
        is_declined = map_cells(frame[GRADE], declines, bool, source=source, column=GRADE)
        # A sample that ended in an error has no answer that could be declined.
        is_declined &= judgments["status"] != "sample_error"
        reason = "the grade says that the model gave no answer"
        judgments.loc[is_declined, ["status", "reason"]] = ["declined", reason]
    if unknown := set(judgments["status"]) - STATUSES:
        raise InvalidArgument(
            f"{source}: {min(unknown)!r} in the column 'status' is not known; "
            f"{nearest(min(unknown), STATUSES)}"
        )
    return judgments.reset_index(drop=True)


def _infer_statuses(frame: pd.DataFrame, judgments: pd.DataFrame, table: TaskTable) -> pd.DataFrame:
    """Return `status` and `reason` of rows that have none.

    A row with a complete answer is `ok`. One that lacks only what a grader fills in, or a number of
    the question, is `scoring_failed`, one without any part of an answer is `no_response`, and any
    other is `invalid_response_format`. So is a row with a grade and no confidence, even if it has
    no answer: a grade is evidence of a reply. `judgments` are the rows of `frame` with typed
    columns, of which some were added; answers are sought only in the columns that `frame` has.
    """
    filled = judgments.notna() & (judgments != "")
    is_complete, is_ungraded, lacks_confidence = np.zeros((3, len(frame)), bool)
    is_empty = np.ones(len(frame), bool)
    for parts in map(set, table.answers):  # columns that make an answer, as answer and target
        if not parts <= set(frame):
            continue
        is_complete |= _has_all(filled, parts)
        is_empty &= ~_has_any(filled, parts - GRADER_COLUMNS - QUESTION_COLUMNS)
        if parts & CONFIDENCE_COLUMNS:
            has_other_part = _has_any(filled, parts - CONFIDENCE_COLUMNS - QUESTION_COLUMNS)
            lacks_confidence |= has_other_part & ~_has_all(filled, parts & CONFIDENCE_COLUMNS)
        if parts & GRADER_COLUMNS:
            is_ungraded |= _has_all(filled, parts - GRADER_COLUMNS)
    # Numbers of the question, such as the true value, without which an answer has no score.
    question_numbers = [name for name in table.required if table.kinds[name] == "number"]
    has_gap = is_complete & ~_has_all(filled, question_numbers)
    is_complete &= ~has_gap
    causes = [has_gap, is_ungraded, lacks_confidence, is_empty]  # the first that holds counts
    statuses = ["scoring_failed", "scoring_failed", "invalid_response_format", "no_response"]
    status = np.select(causes, statuses, "invalid_response_format")
    no_number = f"no {' or '.join(question_numbers)}{IN_FILE}"
    reasons = [no_number, _NO_GRADE, _NO_CONFIDENCE, _NO_ANSWER]
    reason = np.select(causes, reasons, f"no complete answer{IN_FILE}")
    columns = {
        "status": np.where(is_complete, "ok", status),
        "reason": np.where(is_complete, judgments["reason"], reason),
    }
    return pd.DataFrame(columns, index=frame.index)


def _refuse_missing_columns(frame: pd.DataFrame, table: TaskTable, source: str) -> None:
    """Refuse a frame without the columns that judgments of the task need; name the first one."""
    missing = _missing_columns(frame, table)
    if missing:
        forms = " or ".join(f"({', '.join(form)})" for form in table.answers)
        raise InvalidArgument(
            f"{source} lacks the column {missing[0]!r}; judgments of {table.task} need "
            f"{', '.join(table.required)}, and {forms}. Name it: --column {missing[0]}=COLUMN."
        )


def _missing_columns(frame: pd.DataFrame, table: TaskTable) -> list[str]:
    """Return the required columns that the frame lacks.

    If the task accepts several forms of answers (sets of columns), the form of which the fewest are
    missing counts.
    """
    present = set(frame)
    answer = min(table.answers, key=lambda form: len(set(form) - present))
    return [name for name in [*table.required, *answer] if name not in present]


def _has_all(filled: pd.DataFrame, columns: Iterable[str]) -> NDArray[np.bool_]:
    return filled[list(columns)].all(axis=1).to_numpy(bool)


def _has_any(filled: pd.DataFrame, columns: Iterable[str]) -> NDArray[np.bool_]:
    return filled[list(columns)].any(axis=1).to_numpy(bool)


def _typed_column(
    frame: pd.DataFrame, name: str, kind: Kind, source: str, default: object = None
) -> pd.Series:
    """Return a column with values of its kind; a missing column is filled with its default.

    An empty cell is NaN in a number, empty in a text, and None in a flag. A cell with another kind
    of value, or with an infinite number, is refused.
    """
    if default is None:
        default = np.nan if kind == "number" else ""
    if name not in frame:
        if kind == "flag":
            return pd.Series(np.full(len(frame), None), frame.index, dtype=object)
        return pd.Series(default, frame.index, dtype=float if kind == "number" else str)
    values = frame[name]
    if kind == "flag":
        return map_cells(values, _parse_flag, object, source=source, column=name)
    if kind == "text":
        text = values.where(values.notna(), "").astype(str)
        # Items named by numbers are text too, and 12 must be the same item as 12.0.
        is_name = name in ("item", CLUSTER)
        return text.str.replace(WHOLE_DECIMAL, r"\1", regex=True) if is_name else text
    if is_numeric_dtype(values):
        numbers = values.astype(float)
        if isinstance(values.dtype, np.dtype):  # not one of pandas' own types, with pd.NA
            # A float32 such as 0.9 becomes the nearest decimal, not 0.89999998.
            numbers = pd.Series(double_array(values), values.index)
    elif name == GRADE:
        parse = partial(_parse_grade, no_is_n=_has_y(values))
        numbers = map_cells(values, parse, float, source=source, column=GRADE)
    else:
        numbers = _parse_numbers(values, name, source)
    if np.isinf(numbers).any():
        problem = f"the column {name!r} holds an infinite number"
        remedy = "leave the cell empty where there is none"
        raise RowMistake(source, frame.index[np.isinf(numbers)], problem, remedy)
    return numbers


def _parse_flag(value: object) -> bool | None:
    """Return a cell's flag, None if it is empty; raise `ValueError` with what was expected."""
    if is_missing(value):
        return None
    flag = read_grade(value, no_is_n=True)  # "n" is no
    if flag not in (0, 1):
        raise ValueError("true or false")
    return bool(flag)


def _parse_numbers(
    values: pd.Series, name: str, source: str, *, decimal_comma: bool = False
) -> pd.Series:
    """Return texts and other objects as numbers, NaN for an empty cell; refuse others.

    A truth value is 1 or 0. Infinity is a number here.
    """
    parse = partial(_parse_number, decimal_comma=decimal_comma)
    return map_cells(values, parse, float, source=source, column=name)


def _parse_number(value: object, decimal_comma: bool) -> float:
    """Return a cell's number, NaN if empty, 1 or 0 for true or false; refuse other texts.

    Infinity has no sign here: the caller refuses it with a sentence of its own.
    """
    number = read_number(value, decimal_comma=decimal_comma)
    if not np.isnan(number) or is_missing(value):
        return number
    word = str(value).strip().lower()
    if word.lstrip("+-") in ("inf", "infinity"):
        return np.inf
    if word in ("true", "false"):
        return float(word == "true")
    raise ValueError("a number")


def _parse_grade(value: object, no_is_n: bool) -> float:
    """Return a cell's grade, NaN if it is empty or says that there is no answer.

    With `no_is_n` an `n` means no, as in a column with a `y`; otherwise it means no answer. Another
    cell is refused by a `ValueError`, which says what was expected.
    """
    # A comma is a decimal one in any file: grades are never as large as 1,000.
    grade = read_grade(value, no_is_n=no_is_n, decimal_comma=True)
    if not isinstance(grade, ParseFailure):
        return grade
    if grade.status != "declined" and not is_missing(value):
        raise ValueError("a grade such as 1, yes, C, correct or 0.5")
    return np.nan


def _is_declined(value: object, no_is_n: bool) -> bool:
    """Return whether a grade says that the model gave no answer; `n` does unless it means no."""
    grade = read_grade(value, no_is_n=no_is_n)
    return isinstance(grade, ParseFailure) and grade.status == "declined"


def _has_y(values: pd.Series) -> bool:
    """Return whether a value is `y` or `Y`."""
    return bool(values.astype(str).str.strip().str.lower().eq("y").any())


def _nearest_tasks(
    frame: pd.DataFrame, tables: Sequence[TaskTable], is_other_eval: bool
) -> Sequence[TaskTable]:
    """Return the tables of the tasks to which a frame most probably belongs.

    These are the tasks with a column of the frame that judgments of other packages' evals lack.
    Without one, a frame with a scale and no method belongs to a study of this package (the one on
    scales), unless options say that it is of another eval; any other frame is of another eval. If
    `tables` has none of another eval, all are returned.

    Args:
        frame: Rows of a file, under this package's column names.
        tables: Tables of the tasks whose required columns the frame has.
        is_other_eval: Whether the user's options apply only to evals of other packages.
    """
    other_evals = [table for table in tables if table.fallback]
    if not other_evals:
        return tables
    distinct_columns = set(frame) - _columns_of_other_evals(tables)
    with_distinct_column = [table for table in tables if distinct_columns & set(table.names)]
    if with_distinct_column:
        return with_distinct_column
    has_scale = {"low", "high"} <= set(frame) and "method" not in frame and not is_other_eval
    return [table for table in tables if not table.fallback] if has_scale else other_evals


def _columns_of_other_evals(tables: Iterable[TaskTable]) -> set[str]:
    """Return the columns of judgments of other packages' evals, if a table is theirs."""
    return set[str]().union(*(table.kinds for table in tables if table.fallback))


def _inferred_task(frame: pd.DataFrame, *, is_other_eval: bool) -> str | None:
    """Return the only task whose columns a frame has; None if there are none or several.

    Of several that fit, columns of their own and the user's options decide; `is_other_eval` says
    that the options are for evals of other packages.
    """
    all_tasks = all_tables().values()
    tables = [table for table in all_tasks if not _missing_columns(frame, table)]
    if len(tables) > 1:
        tables = list(_nearest_tasks(frame, tables, is_other_eval))
    return tables[0].task if len(tables) == 1 else None
