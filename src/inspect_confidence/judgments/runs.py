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
from inspect_confidence.judgments.order import columns_in
from inspect_confidence.studies import ENTRY_POINTS, JudgmentColumn, Kind, TaskTable, table_of

FORMAT = 6
"""Version of record files and of a store's manifest; files of other versions are not used."""

RETRY_REMEDY = "the same `run`, or `inspect eval-retry`, completes it"
"""Remedy in the notice of an incomplete log."""

_RECORD_KEY = b"inspect_confidence"
_SAMPLE_COLUMN = "sample"
_ARROW_TYPES: Mapping[Kind, pa.DataType] = {
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
        samples: Key of each judgment's sample, its epoch and id: `1 item-7`.
        empty: Keys of samples without a judgment.
        notices: Notices for the user.
        unasked: How many items of the data set were not asked, and why, in one sentence.
        unsent: Settings of the run that no request contained, one sentence for each model.
        loss_notices: Notices about samples that the log lacks.
        changed: If replies were read again: number of `judgments`, number with another `status`,
            and number in which the status or `any_value` differs; otherwise empty.
        exclusion_reason: Why the log has no judgment of confidence, if it has none.
        failed: Keys of samples that ended in an error.
        invalidated: The uuids of samples that somebody declared invalid; they have no judgment.
        ended: When the eval was completed, or else started, in seconds since 1970.
        write_time: When the log was written, by the times in its archive, in seconds since 1970; 0
            for a json log.
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
    """Return judgments by task, each frame with the columns of its task.

    Args:
        run: The run of the judgments, which may be of several tasks.
        frame: All or some of the judgments of `run.frame`.
    """
    if not run.further_tasks:
        return {run.task: frame}
    frames = {}
    for task in (run.task, *run.further_tasks):
        frames[task] = frame.loc[frame["task"] == task, list(_column_kinds([task]))]
    return frames


def record_tasks(facts: Mapping[str, Any]) -> list[str]:
    """Return the tasks of a record file's judgments; `facts` are from `read_record_facts`."""
    return [facts["task"], *facts.get("further_tasks", ())]


SampleJudgments = Mapping[str, list[dict[str, Any]]]
"""Judgments of each sample as rows, by the sample's key (epoch and id)."""


def frame_from_rows(judgments: SampleJudgments, table: TaskTable) -> pd.DataFrame:
    """Return judgments, lists of rows by sample, as a typed frame with all columns of the task.

    Rows have the columns that all tasks share; without rows they come from the table, too.
    """
    rows = list(chain.from_iterable(judgments.values()))
    if not rows:
        empty = pd.DataFrame(columns=list(table.kinds))
        return typed_columns(empty, table, "the log")
    names = dict.fromkeys(chain(chain.from_iterable(rows), table.names))
    return typed_columns(pd.DataFrame(rows, columns=list(names)), table, "the log")


@cache
def reader_versions() -> str:
    """Return names and versions of the packages that read logs: this one, and those of studies."""
    study_entry_points = entry_points(group=ENTRY_POINTS)
    distributions = {point.dist for point in study_entry_points if point.dist}
    versions = sorted(f"{package.name} {package.version}" for package in distributions)
    return ", ".join([f"inspect_confidence {__version__}", *versions])


_COLUMNS_WITHIN_SAMPLE = (
    *("task", "level", "sentence", "marker", "source", "method"),
    *("confidence_target", "confidence_source"),
)
"""Columns that, with `draw`, tell the judgments of one sample apart."""


def is_repeated(frame: pd.DataFrame) -> pd.Series:
    """Return for each judgment whether it occurs earlier in the frame.

    Two judgments are the same if they have the uuid of one sample, and equal draws and other
    columns that tell a sample's judgments apart. Judgments without a uuid are never the same. One
    occurs twice if a file that was written from a log is read together with the log.
    """
    identity = ["uuid", "draw", *columns_in(frame, _COLUMNS_WITHIN_SAMPLE)]
    return frame.duplicated(identity) & (frame["uuid"] != "")


def encode_run(run: Run) -> bytes:
    """Return the content of a run's record file: its judgments as parquet, other facts as metadata.

    `decode_run` reverses this.
    """
    kinds = _column_kinds([run.task, *run.further_tasks])
    # A missing flag becomes null; NaN of a number stays NaN.
    columns = {
        name: pa.array(run.frame[name].to_numpy(), _ARROW_TYPES[kind], from_pandas=kind == "flag")
        for name, kind in kinds.items()
    }
    columns[_SAMPLE_COLUMN] = pa.array(run.samples, pa.string())
    members = {name: value for name, value in vars(run).items() if name not in ("frame", "samples")}
    # `twice` counts the judgments that repeat another one of the run.
    counts = {"rows": len(run.frame), "twice": int(is_repeated(run.frame).sum())}
    facts = json.dumps({**members, **counts, "format": FORMAT, "readers": reader_versions()})
    table = pa.table(columns).replace_schema_metadata({_RECORD_KEY: facts})
    buffer = BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_record_facts(record: bytes | Path) -> dict[str, Any]:
    """Return the facts about a run in its record file, without reading the judgments.

    These are the fields of `Run` but `frame` and `samples`; `rows`, the number of judgments;
    `twice`, how many of them repeat others; `readers`, the versions that read the log; and
    `format`.

    Args:
        record: The record file, or its content.
    """
    metadata = pq.read_metadata(_parquet_source(record)).metadata
    facts: dict[str, Any] = json.loads(metadata[_RECORD_KEY])
    return facts


def decode_run(record: bytes | Path) -> Run:
    """Return the run in a record file, with columns of their task's types.

    Args:
        record: The record file, or its content.
    """
    table = pq.ParquetFile(_parquet_source(record)).read()
    facts = json.loads(table.schema.metadata[_RECORD_KEY])
    kinds = _column_kinds(record_tasks(facts))
    frame = table.drop_columns([_SAMPLE_COLUMN]).to_pandas()
    flags = {name: object for name, kind in kinds.items() if kind == "flag" and name in frame}
    frame = frame.astype(flags)  # objects, because a missing flag is None
    if list(frame) != list(kinds):  # another version with other columns wrote it
        task_table = add_task_columns(table_of(facts["task"]), record_tasks(facts)[1:])
        frame = typed_columns(frame, task_table, str(record))
    samples = table[_SAMPLE_COLUMN].to_numpy(zero_copy_only=False)
    return replace(run_from_record(facts), frame=frame, samples=samples)


def run_from_record(facts: Mapping[str, Any]) -> Run:
    """Return a run without judgments; of a record file's facts, those count that `Run` has."""
    names = {attribute.name for attribute in fields(Run)}
    members = {name: value for name, value in facts.items() if name in names}
    members["changed"] = Counter(members["changed"])  # the facts are from JSON
    return Run(**members, frame=pd.DataFrame(), samples=np.empty(0, object))


RECORD_FILES = re.compile(r"[0-9a-f]{32}-[0-9a-f]+\.(parquet|[0-9a-f]{32}\.new)")
"""Names of record files, complete or interrupted in writing: no other file is removed."""


def _column_kinds(tasks: Sequence[str]) -> dict[str, Kind]:
    """Return the kind (number, text or flag) of each column of these tasks' judgments, in order."""
    kinds: dict[str, Kind] = {}
    for task in tasks:
        kinds |= table_of(task).kinds
    return kinds


def add_task_columns(table: TaskTable, further_tasks: Iterable[str]) -> TaskTable:
    """Return the table of a task with the columns of further tasks added.

    A column of the same name is taken from the first task that has it.
    """
    columns: dict[str, JudgmentColumn] = {}
    for task_table in (table, *map(table_of, further_tasks)):
        for column in task_table.columns:
            columns.setdefault(column.name, column)
    return replace(table, columns=list(columns.values()))


def _parquet_source(record: bytes | Path) -> BytesIO | Path:
    return BytesIO(record) if isinstance(record, bytes) else record
