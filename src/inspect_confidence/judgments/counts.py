"""Counts of a store's judgments, made in its files, so that rows never fill memory."""

from collections.abc import Iterator, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from inspect_confidence.arguments import name_list
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.counting import RECORD_ROWS, can_count, query_records
from inspect_confidence.judgments.joining import LocatedRun, join_runs
from inspect_confidence.judgments.locations import location_text
from inspect_confidence.judgments.read import (
    JudgmentSource,
    drop_repeats,
    judgments_of,
    variants_of_runs,
)
from inspect_confidence.judgments.runs import Run, reader_versions, record_tasks
from inspect_confidence.judgments.store import Store, store_at
from inspect_confidence.studies import all_tables

COUNT_COLUMNS = ("model", "variant", "dataset", "confidence", "correct", "status")


def count_tables(
    source: JudgmentSource, task: str, *, by: str | Sequence[str] = COUNT_COLUMNS
) -> pd.DataFrame:
    """Count the judgments of a task by the values of some columns.

    The rows of a store are those of `read_judgments`: each sample counts once, from the newest log
    that has it. DuckDB counts if it is installed, else pyarrow; only the logs of a run with several
    logs are read as frames. It is assumed that a sample's uuid occurs in one run only.

    Args:
        source: A store; or another source of judgments, which is read.
        task: Name of the task.
        by: One or more columns. A missing number counts as a value. Without columns all judgments
            count together.

    Returns:
        A frame with these columns, sorted by them in order, and the count `n`. Its
        `attrs["notices"]` name logs that could not be read.

    Raises:
        InvalidArgument: There is no such task or column, or the source has no judgment of the task.
    """
    tables = all_tables()
    if task not in tables:
        raise InvalidArgument(f"There is no task {task!r}. {nearest(task, tables)}")
    by, columns = name_list(by), tables[task].kinds
    for name in by:
        if name not in columns:
            hint = nearest(name, columns)
            raise InvalidArgument(f"by={name}: judgments of {task} have no such column. {hint}")
    store = store_at(source)
    if store is None:
        judgments = judgments_of(source)
        counts_of_parts = [_count_frame(judgments[task], by)] if task in judgments else []
        notices = list(judgments.notices)
    else:
        store = store.verified()
        counts_of_parts, notices = list(_store_counts(store, task, by)), store.notices()
        for entry in store.entries:
            if entry.error:
                notices.append(f"{location_text(entry.log.location)}: {entry.error}")
    if not counts_of_parts:
        raise InvalidArgument(f"There is no judgment of {task}.")
    part_counts = pd.concat(counts_of_parts, ignore_index=True)
    counts = _sum_counts(part_counts, by)
    counts.attrs["notices"] = notices
    return counts


def _store_counts(store: Store, task: str, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Yield frames with the columns and `n`, which together count all judgments of a task.

    The file of a log's judgments is counted by variant, without being read into memory, if the log
    is its run's only one, no judgment repeats another, all are of one task, and the file is
    undamaged and was written by the installed versions of the packages. Other logs are read, and
    those of a run joined, so that each sample counts once. A log that cannot be read is left out.
    """
    entries = store.entries_with_judgments()
    records = [entry.record for entry in entries]
    variants = variants_of_runs(
        [(record["task"], record["kind"], record["settings"]) for record in records]
    )
    separate_files = store.separate_files() if store.readers == reader_versions() else set[str]()
    files_by_variant: dict[str, list[str]] = {}
    runs: list[LocatedRun] = []
    run_variants: list[str] = []
    for entry, record, variant in zip(entries, records, variants, strict=True):
        if task not in record_tasks(record) or not record["rows"]:
            continue
        if entry.file in separate_files:
            files_by_variant.setdefault(variant, []).append(str(store.folder / entry.file))
        elif isinstance(run := store.read(entry), Run):
            runs.append((entry.log.location, run))
            run_variants.append(variant)
    stored_columns = [name for name in columns if name != "variant"]
    count_rows = _count_with_duckdb if can_count() else _count_with_pyarrow
    for variant, files in files_by_variant.items():
        yield count_rows(files, stored_columns).assign(variant=variant)
    frames, _shared_counts = join_runs(runs, run_variants)
    if task in frames:
        yield _count_frame(drop_repeats(frames[task]), columns)


def _count_frame(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return each combination of values of the columns, with the number of its rows `n`."""
    return _sum_counts(frame[list(columns)].assign(n=1), columns)


def _sum_counts(counts: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the sum of `n` for each combination of values of the columns.

    Without columns that is one row.
    """
    if not columns:
        return pd.DataFrame({"n": [counts["n"].sum()]})
    return counts.groupby(list(columns), dropna=False, as_index=False).agg({"n": "sum"})


def _count_with_pyarrow(files: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """Return, by file, each combination of the columns' values with its number of rows `n`."""
    tables = []
    for file in files:
        table = pq.ParquetFile(file).read(list(columns))
        # No column and "count_all": the number of rows of each group.
        tables.append(table.group_by(list(columns)).aggregate([([], "count_all")]))
    counts: pd.DataFrame = pa.concat_tables(tables).to_pandas()
    return counts.rename(columns={"count_all": "n"})


def _count_with_duckdb(files: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """Return each combination of the columns' values with its number of rows `n` in all files."""
    quoted_names = ", ".join(f'"{name}"' for name in columns)
    query = f"select {quoted_names or 'null'}, count(*) as n from {RECORD_ROWS} group by all"
    return query_records(query, files)
