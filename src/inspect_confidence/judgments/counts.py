"""How many judgments a store has of each kind, counted where they lie: rows never fill memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.joining import Located, joined
from inspect_confidence.judgments.read import Source, judgments_of, once, variants_of_runs
from inspect_confidence.judgments.runs import Run, readers
from inspect_confidence.judgments.store import Store, store_at
from inspect_confidence.studies import COMMON_COLUMNS, all_tables

_SIZE = {"size": "n", "count_all": "n"}
CELLS = ("model", "variant", "dataset", "confidence", "correct", "status")


def count_tables(source: Source, task: str, *, by: Sequence[str] = CELLS) -> pd.DataFrame:
    """How many judgments of a task share the values of some columns.

    What is counted of a store are the rows that `read_judgments` gives of it: each sample once, of
    the newest log that has it, and with its variant. DuckDB counts where it is installed, pyarrow
    where it isn't; only logs of runs that stand in several logs are read as frames. A sample's
    uuid is taken to stand in one run, as Inspect makes them.

    Args:
        source: A store; or other judgments, which are read.
        task: Whose.
        by: The columns; missing numbers are a value too.

    Returns:
        A frame with these columns, in their order sorted, and `n`. Logs that couldn't be read are
        named in its `attrs["notices"]`.

    Raises:
        InvalidArgument: There is no such task or column, or the store has no judgment of it.
    """
    tables = all_tables()
    if task not in tables:
        raise InvalidArgument(f"There is no task {task!r}; {nearest(task, tables)}")
    columns = {**COMMON_COLUMNS, **tables[task].columns}
    if unknown := [name for name in by if name not in columns]:
        hint = nearest(unknown[0], columns)
        raise InvalidArgument(f"by={unknown[0]}: judgments of {task} have no such column. {hint}")
    store = store_at(fspath(source)) if isinstance(source, str | PathLike) else None
    if store is None:
        judgments = judgments_of(source)
        parts = [_counted(frame, by) for one, frame in judgments.items() if one == task]
        notices = list(judgments.notices)
    else:
        store = store.verified()
        parts, notices = list(_of_store(store, task, by)), store.notices()
        notices += [f"{one.log.location}: {one.error}" for one in store.entries if one.error]
    if not parts:
        raise InvalidArgument(f"There is no judgment of {task}.")
    every = pd.concat(parts, ignore_index=True)
    found = every.groupby(list(by), dropna=False, as_index=False).agg({"n": "sum"})
    found.attrs["notices"] = notices
    return found


def _of_store(store: Store, task: str, by: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Counts of one part of a store's judgments after the other."""
    entries = [one for one in store.entries if one.file and not one.record["without"]]
    told = [one.record for one in entries]
    variants = variants_of_runs([(one["task"], one["kind"], one["settings"]) for one in told])
    logs = Counter(one["id"] for one in told)
    plain: dict[str, list[str]] = {}
    others: list[tuple[Located, str]] = []
    for entry, one, variant in zip(entries, told, variants, strict=True):
        if one["task"] != task or not one["rows"]:
            continue
        in_one_log = logs[one["id"]] == 1 and not one["twice"]
        if in_one_log and not entry.reread and store.readers == readers():
            plain.setdefault(variant, []).append(str(store.folder / entry.file))
        elif isinstance(run := store.read(entry), Run):
            others.append(((entry.log.location, run), variant))
    stored = [name for name in by if name != "variant"]
    count = _by_duckdb() or _by_pyarrow
    for variant, files in plain.items():
        yield count(files, stored).assign(variant=variant)
    runs, theirs = [run for run, _ in others], [variant for _, variant in others]
    for frame in joined(runs, theirs)[0].values():
        yield _counted(once(frame), by)


def _counted(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    return frame.groupby(list(by), dropna=False, as_index=False).size().rename(columns=_SIZE)


def _by_pyarrow(files: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    counts = []
    for file in files:
        table = pq.ParquetFile(file).read(list(columns))
        counts.append(table.group_by(list(columns)).aggregate([([], "count_all")]))
    found: pd.DataFrame = pa.concat_tables(counts).to_pandas().rename(columns=_SIZE)
    return found


def _by_duckdb() -> Callable[[Sequence[str], Sequence[str]], pd.DataFrame] | None:
    """What counts with DuckDB, where that is installed."""
    try:
        import duckdb  # noqa: PLC0415 # an optional package
    except ImportError:
        return None

    def count(files: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
        named = ", ".join(f'"{name}"' for name in columns)
        query = f"select {named or 'null'}, count(*) as n from "
        query += "read_parquet($files, hive_partitioning = false) group by all"
        with duckdb.connect() as connection:
            found: pd.DataFrame = connection.execute(query, {"files": files}).df()
        return found

    return count
