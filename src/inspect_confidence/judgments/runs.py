"""What was read of a log, and the record file that keeps it: one form for store, cache, workers."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.metadata import entry_points
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from inspect_confidence import __version__
from inspect_confidence.judgments.files import typed
from inspect_confidence.studies import COMMON_COLUMNS, ENTRY_POINTS, Kind, TaskTable, table_of

FORMAT = 3
"""Of record files and of a store's manifest; files of another one are read anew."""

_RECORD = b"inspect_confidence"
_SAMPLE = "sample"
_TYPES: Mapping[Kind, pa.DataType] = {
    "number": pa.float64(),
    "text": pa.string(),
    "flag": pa.bool_(),
}


@dataclass(frozen=True)
class Run:
    """A log's judgments and what must be known of the run.

    Attributes:
        id: The same of a run and its retries.
        task: Without the package's prefix.
        model: As Inspect names it.
        kind: The task and the arguments that decide its other settings.
        settings: Everything that decides what was asked of the model, as text.
        frame: The judgments, typed; `variant` is empty, for it depends on the other runs.
        samples: Of each judgment which sample it belongs to, by epoch and id.
        empty: The samples without a judgment.
        notices: For the user: what was never asked.
        unsent: For the user: which settings were set and not sent, a sentence a model.
        lost: For the user: what should be in the log and isn't.
        changed: How many `judgments` were read again, of how many the `status` changed, and of how
            many `either` status or value.
        without: Why the log has no judgment of confidence, if that is so.
        failed: The samples that ended in an error.
        invalidated: The uuids of samples that somebody declared invalid; they have no judgment.
        ended: When the eval was completed, or else started, in seconds since 1970.
        written: When the log was written, as it says itself, in the same.
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
    unsent: Sequence[str] = ()
    lost: Sequence[str] = ()
    changed: Counter[str] = field(default_factory=Counter)
    without: str = ""
    failed: Sequence[str] = ()
    invalidated: Sequence[str] = ()
    ended: float = 0
    written: float = 0


Judged = Mapping[str, list[dict[str, Any]]]
"""The judgments of each sample, by its epoch and id."""


def frame_of(judged: Judged, table: TaskTable) -> pd.DataFrame:
    """Rows with all columns of the task, typed: a method fills only its own."""
    rows = [row for some in judged.values() for row in some]
    columns = dict.fromkeys([name for row in rows for name in row] + list(table.columns))
    if not rows:
        return typed(pd.DataFrame(columns=[*COMMON_COLUMNS, *table.columns]), table, "the log")
    return typed(pd.DataFrame(rows, columns=list(columns)), table, "the log")


@cache
def readers() -> str:
    """Packages and versions that decide what is read of a log."""
    others = {one.dist for one in entry_points(group=ENTRY_POINTS) if one.dist}
    named = sorted(f"{one.name} {one.version}" for one in others)
    return ", ".join([f"inspect_confidence {__version__}", *named])


_PARTS = ("level", "sentence", "marker", "source", "method")
"""Columns that tell the judgments of one sample apart."""


def repeated(frame: pd.DataFrame) -> pd.Series:
    """Which judgments stand further up already: in a file made of a log, a copy of a sample."""
    identity = ["uuid", "draw", *(name for name in _PARTS if name in frame)]
    return frame.duplicated(identity) & (frame["uuid"] != "")


def encode(run: Run) -> bytes:
    """The run as a record file: its judgments in parquet, the rest in the file's metadata."""
    kinds = _kinds(run.task)
    columns = {
        name: pa.array(run.frame[name].to_numpy(), _TYPES[kind], from_pandas=kind == "flag")
        for name, kind in kinds.items()
    }
    columns[_SAMPLE] = pa.array(run.samples, pa.string())
    kept = {name: value for name, value in vars(run).items() if name not in ("frame", "samples")}
    counts = {"rows": len(run.frame), "twice": int(repeated(run.frame).sum())}
    record = json.dumps({**kept, **counts, "format": FORMAT, "readers": readers()})
    table = pa.table(columns).replace_schema_metadata({_RECORD: record})
    sink = BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def record_of(file: bytes | Path) -> dict[str, Any]:
    """What a record file says of its run beside the judgments.

    Beside what a `Run` has: `rows`, how many judgments it has, `twice`, how many of them repeat
    others, and what `readers` read it, in what `format`.
    """
    metadata = pq.read_metadata(_opened(file)).metadata
    found: dict[str, Any] = json.loads(metadata[_RECORD])
    return found


def decode(file: bytes | Path) -> Run:
    """The run that a record file keeps: its columns have the types that they had."""
    table = pq.ParquetFile(_opened(file)).read()
    record = json.loads(table.schema.metadata[_RECORD])
    kinds = _kinds(record["task"])
    frame = table.drop_columns([_SAMPLE]).to_pandas()
    flags = {name: object for name, kind in kinds.items() if kind == "flag" and name in frame}
    frame = frame.astype(flags)
    if list(frame) != list(kinds):  # as another version wrote it
        frame = typed(frame, table_of(record["task"]), str(file))
    samples = table[_SAMPLE].to_numpy(zero_copy_only=False)
    return replace(without_judgments(record), frame=frame, samples=samples)


def without_judgments(record: Mapping[str, Any]) -> Run:
    """The run that a record file tells of, with none of its judgments."""
    known = {one.name: record[one.name] for one in fields(Run) if one.name in record}
    changed, none = Counter(known.pop("changed")), np.empty(0, object)
    return Run(**known, changed=changed, frame=pd.DataFrame(), samples=none)


OURS = re.compile(r"[0-9a-f]{32}-[0-9a-f]+\.(parquet|[0-9a-f]{32}\.new)")
"""Names of record files, and of those whose writing was broken off: no other file is removed."""


def _kinds(task: str) -> dict[str, Kind]:
    return {**COMMON_COLUMNS, **table_of(task).columns}


def _opened(file: bytes | Path) -> BytesIO | Path:
    return BytesIO(file) if isinstance(file, bytes) else file
