"""Counts of the equal judgments of a record file, made by DuckDB without loading its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from inspect_confidence.judgments.files import typed_columns
from inspect_confidence.judgments.order import sort_judgments
from inspect_confidence.judgments.runs import reader_versions
from inspect_confidence.studies import table_of
from inspect_confidence.studies.study import NEEDS_ROWS, too_different

_MEMORY_LIMIT = "1GB"
"""Memory that DuckDB may take before it writes to the disk."""

_MOST_ROWS = 5_000
"""Rows of a table of counts; a file with more different judgments is not worth counting."""


@dataclass(frozen=True)
class CountedRecord:
    """The judgments of a record file, equal ones counted.

    Attributes:
        datasets: The data sets.
        readers: Versions of the packages of the process that counted.
        frame: The first of all equal judgments, with their number in `count`, sorted; None if there
            is a problem.
        problem: Which metrics need each judgment, and why; empty if none does.
    """

    datasets: Sequence[str]
    readers: str
    frame: pd.DataFrame | None
    problem: str


def can_count() -> bool:
    """Return whether DuckDB, an optional package, is installed."""
    return find_spec("duckdb") is not None


def count_record(file: str, task: str) -> CountedRecord:
    """Count the equal judgments of a record file. Worker processes run this function too.

    The result has a problem (a text) in place of counts if an item has several judgments, if
    metrics need some judgment by itself, if more than 5,000 judgments are different, so that
    counting saves little, or if the task says why its judgments are not counted
    (`counting.problem`), such as too many different confidences. It also has the versions of the
    packages that read logs, because another version may count in another way.

    Args:
        file: The record file, whose judgments are all of the task.
        task: The task, which says how its judgments are counted.
    """
    table = table_of(task)
    counting = table.counting
    assert counting is not None  # callers count only tasks that say how
    # `needs_row` is an SQL condition for judgments that metrics need one by one; `RECORD_ROWS`
    # reads the file.
    by_dataset = query_records(
        "select dataset, max(n) as most, bool_or(needs_row) as needs_row from (select dataset, "
        f"item, count(*) as n, bool_or({counting.needs_row}) as needs_row from {RECORD_ROWS} "
        "group by dataset, item) group by dataset order by dataset",
        file,
    )
    datasets = by_dataset["dataset"].tolist()
    if (by_dataset["most"] > 1).any() or by_dataset["needs_row"].any():
        return CountedRecord(datasets, reader_versions(), None, NEEDS_ROWS)
    # One row for each different judgment: SQL expressions for the columns that metrics need.
    selected = [f'{expression} as "{name}"' for name, expression in counting.columns.items()]
    counts = query_records(
        f"select run, model, dataset, split, {', '.join(selected)}, min(item) as item, count(*) as "
        f"count from {RECORD_ROWS} group by all limit {_MOST_ROWS + 1}",
        file,
    )
    if len(counts) > _MOST_ROWS:
        return CountedRecord(datasets, reader_versions(), None, too_different(_MOST_ROWS))
    judgments = counts.reindex(columns=list(table.kinds)).assign(task=task)
    frame = typed_columns(judgments, table, file).assign(count=counts["count"])
    frame = sort_judgments(frame)
    for _dataset, rows in frame.groupby("dataset"):
        if problem := counting.problem(rows):
            return CountedRecord(datasets, reader_versions(), None, problem)
    return CountedRecord(datasets, reader_versions(), frame, "")


RECORD_ROWS = "read_parquet($files, hive_partitioning = false)"
"""The rows of record files, in a query of `query_records`."""


def query_records(query: str, files: str | Sequence[str]) -> pd.DataFrame:
    """Return the result of an SQL query on `RECORD_ROWS`, the rows of one or several record files.

    DuckDB must be installed; it writes what exceeds the memory limit into a temporary folder.
    """
    import duckdb  # noqa: PLC0415 # an optional package

    with TemporaryDirectory() as folder:
        settings: dict[str, Any] = {"memory_limit": _MEMORY_LIMIT, "temp_directory": folder}
        with duckdb.connect(config=settings) as connection:
            rows: pd.DataFrame = connection.execute(query, {"files": files}).df()
    return rows
