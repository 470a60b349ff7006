"""The judgments of one log, and their record file for stores and worker processes."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.metadata import entry_points
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from inspect_confidence import __version__
from inspect_confidence.judgments.files import typed_columns
from inspect_confidence.studies import ENTRY_POINTS, Kind, TaskTable, table_of

FORMAT = 6
"""Version of record files and of a store's manifest; files of other versions are read anew."""

_RECORD = b"inspect_confidence"
_SAMPLE = "sample"
_TYPES: Mapping[Kind, pa.DataType] = {
    "number": pa.float64(),
    "text": pa.string(),
    "flag": pa.bool_(),
}


@dataclass(frozen=True)
class Run:
    """The judgments of a log, and the facts about its run that are needed to join and show them.

    Attributes:
        id: Identifier that a run and its retries share.
        task: Name of the task, without the package's prefix.
        model: Name of the model in Inspect.
        kind: The task and the arguments that decide its other settings.
        settings: Everything that decides what the model was asked, as text.
        frame: The judgments, typed; `variant` is empty, because it depends on the other runs.
        samples: The sample of each judgment, by epoch and id.
        empty: The samples without a judgment.
        notices: Notices for the user.
        unasked: How many items of the data set were not asked, and why, in one sentence.
        unsent: Settings of the run that no request contained, one sentence for each model.
        loss_notices: Notices about samples that the log lacks.
        changed: After reading again: number of `judgments`, of those with another `status`, and of
            those with `either` another status or another value.
        exclusion_reason: Why the log has no judgment of confidence, if it has none.
        failed: The samples that ended in an error.
        invalidated: The uuids of samples that somebody declared invalid; they have no judgment.
        ended: When the eval was completed, or else started, in seconds since 1970.
        write_time: When the log was written, according to its archive, in seconds since 1970.
        further_tasks: Other tasks that the frame has judgments of, with their columns.
    """

    id: str
    task: str
    model: str
    kind: str
    settings: Mapping[str, str]
    frame: pd.DataFrame
    samples: NDArray[np.object_]
    empty: Sequence[str] = ()
    notices: Sequence[str] = ()
    unasked: Sequence[str] = ()
    unsent: Sequence[str] = ()
    loss_notices: Sequence[str] = ()
    changed: Counter[str] = field(default_factory=Counter)
    exclusion_reason: str = ""
    failed: Sequence[str] = ()
    invalidated: Sequence[str] = ()
    ended: float = 0
    write_time: float = 0
    further_tasks: Sequence[str] = ()


def frames_by_task(run: Run, frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return judgments of a run by task, each with the columns of its task."""
    if not run.further_tasks:
        return {run.task: frame}
    frames = {}
    for task in (run.task, *run.further_tasks):
        frames[task] = frame.loc[frame["task"] == task, list(_kinds([task]))]
    return frames


def record_tasks(record: Mapping[str, Any]) -> list[str]:
    """Return the tasks of the judgments that a record file describes."""
    return [record["task"], *record.get("further_tasks", ())]


SampleJudgments = Mapping[str, list[dict[str, Any]]]
"""The judgments of each sample, by epoch and id."""


def frame_from_rows(judgments: SampleJudgments, table: TaskTable) -> pd.DataFrame:
    """Return the judgments as a typed frame with all columns of the task."""
    rows = list(chain.from_iterable(judgments.values()))
    if not rows:
        empty = pd.DataFrame(columns=list(table.kinds))
        return typed_columns(empty, table, "the log")
    names = dict.fromkeys(chain(chain.from_iterable(rows), table.names))
    return typed_columns(pd.DataFrame(rows, columns=list(names)), table, "the log")


@cache
def reader_versions() -> str:
    """Return the packages and versions that decide how a log is read."""
    points = entry_points(group=ENTRY_POINTS)
    distributions = {point.dist for point in points if point.dist}
    versions = sorted(f"{package.name} {package.version}" for package in distributions)
    return ", ".join([f"inspect_confidence {__version__}", *versions])


_PARTS = (
    *("task", "level", "sentence", "marker", "source", "method"),
    *("confidence_target", "confidence_source"),
)
"""Columns that tell the judgments of one sample apart."""


def is_repeated(frame: pd.DataFrame) -> pd.Series:
    """Return which judgments occur earlier in the frame, such as in a file written from a log."""
    identity = ["uuid", "draw", *(name for name in _PARTS if name in frame)]
    return frame.duplicated(identity) & (frame["uuid"] != "")


def encode_run(run: Run) -> bytes:
    """Return the run as a parquet file of its judgments; its metadata hold everything else."""
    kinds = _kinds([run.task, *run.further_tasks])
    columns = {
        name: pa.array(run.frame[name].to_numpy(), _TYPES[kind], from_pandas=kind == "flag")
        for name, kind in kinds.items()
    }
    columns[_SAMPLE] = pa.array(run.samples, pa.string())
    members = {name: value for name, value in vars(run).items() if name not in ("frame", "samples")}
    counts = {"rows": len(run.frame), "twice": int(is_repeated(run.frame).sum())}
    record = json.dumps({**members, **counts, "format": FORMAT, "readers": reader_versions()})
    table = pa.table(columns).replace_schema_metadata({_RECORD: record})
    sink = BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def read_record_facts(file: bytes | Path) -> dict[str, Any]:
    """Return what a record file says of its run apart from the judgments.

    Besides the fields of `Run`: `rows`, the number of judgments; `twice`, how many of them repeat
    others; `readers`, the versions that read the log; and `format`.
    """
    metadata = pq.read_metadata(_readable(file)).metadata
    record: dict[str, Any] = json.loads(metadata[_RECORD])
    return record


def decode_run(file: bytes | Path) -> Run:
    """Return the run stored in a record file; the columns have the types that they had."""
    table = pq.ParquetFile(_readable(file)).read()
    record = json.loads(table.schema.metadata[_RECORD])
    kinds = _kinds(record_tasks(record))
    frame = table.drop_columns([_SAMPLE]).to_pandas()
    flags = {name: object for name, kind in kinds.items() if kind == "flag" and name in frame}
    frame = frame.astype(flags)
    if list(frame) != list(kinds):  # as another version wrote it
        task_table = combined_table(table_of(record["task"]), record_tasks(record)[1:])
        frame = typed_columns(frame, task_table, str(file))
    samples = table[_SAMPLE].to_numpy(zero_copy_only=False)
    return replace(run_from_record(record), frame=frame, samples=samples)


def run_from_record(record: Mapping[str, Any]) -> Run:
    """Return the run that a record file describes, with none of its judgments."""
    members = {item.name: record[item.name] for item in fields(Run) if item.name in record}
    members["changed"] = Counter(members["changed"])
    return Run(**members, frame=pd.DataFrame(), samples=np.empty(0, object))


RECORD_FILES = re.compile(r"[0-9a-f]{32}-[0-9a-f]+\.(parquet|[0-9a-f]{32}\.new)")
"""Names of record files, complete or interrupted in writing: no other file is removed."""


def _kinds(tasks: Sequence[str]) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for task in tasks:
        kinds |= table_of(task).kinds
    return kinds


def combined_table(table: TaskTable, further_tasks: Iterable[str]) -> TaskTable:
    """Return the table with the columns of further tasks, and their limits, added."""
    columns = {column.name: column for column in table.columns}
    for task in further_tasks:
        for column in table_of(task).columns:
            columns.setdefault(column.name, column)
    return replace(table, columns=list(columns.values()))


def _readable(file: bytes | Path) -> BytesIO | Path:
    return BytesIO(file) if isinstance(file, bytes) else file
