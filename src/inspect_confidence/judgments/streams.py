"""Judgments of a store, counted or a few models at a time: memory need not hold the whole store."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from inspect_confidence.judgments.counting import CountedRecord, can_count
from inspect_confidence.judgments.executors import ExecutorOption, count_records
from inspect_confidence.judgments.joining import LocatedRun, join_runs, shared_sample_notices
from inspect_confidence.judgments.order import sort_judgments
from inspect_confidence.judgments.read import (
    drop_repeats,
    pooling_notices,
    repeat_notices,
    runs_with_judgments,
    variants_of_runs,
)
from inspect_confidence.judgments.runs import Run, reader_versions, record_tasks, run_from_record
from inspect_confidence.judgments.store import Store, StoredLog, store_at
from inspect_confidence.metrics.resample import MOST_UNITS
from inspect_confidence.studies import table_of
from inspect_confidence.studies.notes import COUNT
from inspect_confidence.studies.study import NEEDS_ROWS

ModelVariant = tuple[str, str]
"""A model and variant."""
EntryVariant = tuple[StoredLog, str]
"""A log of a store and the variant of its run."""


@dataclass(frozen=True)
class Stream:
    """The judgments of a store, read by task and model when they are needed.

    They equal those that `read_judgments` returns, except that the equal judgments of some logs are
    one row with their number in `count`. It is assumed that a sample's uuid occurs in one run only.

    Attributes:
        store: The store.
        entries: Its logs with judgments, each with its variant.
        notices: Notices, as `read_judgments` gives them.
        loss_notices: Those about lost data.
        counted: Counted judgments of logs, by their record file.
    """

    store: Store
    entries: Sequence[EntryVariant]
    notices: Sequence[str]
    loss_notices: Sequence[str]
    counted: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of judgments in the logs of the store."""
        return sum(entry.record["rows"] for entry, variant in self.entries)

    def order(self, tasks: Collection[str]) -> Mapping[ModelVariant, int]:
        """Return the alphabetical rank, from 0, of the store's models with judgments of the tasks.

        The keys are pairs of model and variant, such as `("openai/gpt-4o", "effort=low")`.
        """
        model_variants: set[ModelVariant] = set()
        for entry, variant in self.entries:
            if entry.record["rows"] and not set(tasks).isdisjoint(record_tasks(entry.record)):
                model_variants.add((str(entry.record["model"]), variant))
        return {key: position for position, key in enumerate(sorted(model_variants))}

    def frames(
        self, tasks: Collection[str], *, each_model: bool
    ) -> Iterator[dict[str, pd.DataFrame]]:
        """Yield the store's judgments of these tasks as frames by task, each sample once.

        Args:
            tasks: Names of the tasks.
            each_model: Whether the frames of each model are yielded one after the other, to keep
                memory small; otherwise all judgments are yielded at once.
        """
        entries = []
        for entry, variant in self.entries:
            if not set(tasks).isdisjoint(record_tasks(entry.record)):
                entries.append((entry, variant))
        for group in _group_entries(entries, "model") if each_model else [entries]:
            joined, _shared_counts = self._join_logs(group)
            frames = {}
            for task, frame in joined.items():
                if task in tasks:
                    frames[task] = drop_repeats(frame)
            if frames:
                yield frames

    def _join_logs(
        self, entries: Sequence[EntryVariant]
    ) -> tuple[dict[str, pd.DataFrame], Counter[str]]:
        """Return the judgments of some of the store's logs by task; logs of one run are joined.

        Logs whose judgments were counted (in `counted`, by record file) give one row for equal
        judgments, with their number. A log that cannot be read is left out.

        Args:
            entries: Logs of the store, each with its variant.

        Returns:
            The frames; and by location, how many of the samples in several logs were taken there.
        """
        runs, variants = list[LocatedRun](), list[str]()
        counted_frames: dict[str, list[pd.DataFrame]] = {}  # by task
        for entry, variant in entries:
            if entry.file in self.counted:
                frame = self.counted[entry.file].assign(variant=variant)
                counted_frames.setdefault(entry.record["task"], []).append(frame)
            elif isinstance(run := self.store.read(entry), Run):
                runs.append((entry.log.location, run))
                variants.append(variant)
        frames, counts = join_runs(runs, variants)
        for task, parts in counted_frames.items():
            joined = pd.concat([*parts, *([frames[task]] if task in frames else [])])
            # Rows that were not counted lack the column `count`: they are one judgment each.
            joined[COUNT] = joined[COUNT].fillna(1).astype(np.int64)
            frames[task] = sort_judgments(joined.reset_index(drop=True))
        return frames, counts

    def judgment_notices(self) -> Iterator[str]:
        """Yield the notices about the store's shared samples, pooled runs and repeated judgments.

        A shared sample is in several logs of a run, as after a retry, and counts once.
        The notices concern only models with several logs, or with repeats in a log (counted in the
        fact `twice` of the log's record); the logs of the other models are not read.
        """
        shared_samples, repeats, pooling = Counter[str](), Counter[str](), list[str]()
        for task_entries in _group_entries(self.entries, "task"):
            # Notices come in the order of the models' names.
            by_model = sorted(task_entries, key=lambda pair: pair[0].record["model"])
            for group in _group_entries(by_model, "model"):
                has_repeats = any(entry.record["twice"] for entry, variant in group)
                if len(group) == 1 and not has_repeats:
                    continue
                frames, counts = self._join_logs(group)
                shared_samples += counts
                for task, frame in frames.items():
                    repeats[task] += len(frame) - len(drop_repeats(frame))
                    pooling += pooling_notices(frame)
        yield from shared_sample_notices(shared_samples)
        yield from pooling
        yield from repeat_notices(repeats)


def _group_entries(entries: Sequence[EntryVariant], fact: str) -> list[list[EntryVariant]]:
    """Return logs of a store and their variants in groups with the same `fact`: model or task."""
    groups: dict[str, list[EntryVariant]] = {}
    for entry, variant in entries:
        groups.setdefault(entry.record[fact], []).append((entry, variant))
    return list(groups.values())


def stream_at(source: object, executor: ExecutorOption = None) -> Stream | None:
    """Return the judgments of a store, or None if they cannot be read model by model.

    That is so if the source is not the path of a store, or if the store was read by other package
    versions, has no judgments, or has a run with logs of several models or tasks.

    Args:
        source: Any source of judgments.
        executor: Counts equal judgments of the store's record files.
    """
    store = store_at(source)
    if store is None:
        return None
    store = store.verified()
    notices, loss_notices = store.notices(), list[str]()
    outcomes: list[tuple[str, Run | str]] = []
    for entry in store.entries:  # a log that cannot be read has no record file
        outcome = run_from_record(entry.record) if entry.file else entry.error
        outcomes.append((entry.log.location, outcome))
    runs = runs_with_judgments(outcomes, notices, loss_notices)
    variants = variants_of_runs([(run.task, run.kind, run.settings) for location, run in runs])
    entries = store.entries_with_judgments()
    # Logs with one id are of one run, which is joined as a whole: it must be of one model and task.
    run_models = {(run.id, run.task, run.model) for location, run in runs}
    n_judgments = sum(entry.record["rows"] for entry in entries)
    has_mixed_run = len(run_models) > len({run.id for location, run in runs})
    if store.readers != reader_versions() or not n_judgments or has_mixed_run:
        return None
    # `entries` and `runs` leave out the same logs: those without judgments of confidence.
    entry_variants = list(zip(entries, variants, strict=True))
    counted, problems = _count_entries(store, entry_variants, executor, notices)
    stream = Stream(store, entry_variants, notices=(), loss_notices=loss_notices, counted=counted)
    notices += _row_notices(entries, problems)
    return replace(stream, notices=[*notices, *stream.judgment_notices()])


def _count_entries(
    store: Store, entries: Sequence[EntryVariant], executor: ExecutorOption, notices: list[str]
) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """Count the judgments of record files where numbers need no more than the counts.

    `entries` are logs with judgments, each with the variant of its run; `notices` receives how many
    files the executor lost.

    Returns:
        The counted judgments by record file; and by record file with many judgments that are not
        counted a text: which metrics need each judgment, and why.
    """
    separate_files = store.separate_files()
    files_by_task: dict[str, list[str]] = {}
    problems: dict[str, str] = {}
    for entry, _variant in entries:
        record = entry.record
        if record["rows"] <= MOST_UNITS:
            continue  # up to 4,000 judgments are computed with one by one anyway
        if not all(table_of(task).counting for task in record_tasks(record)):
            problems[entry.file] = f"all metrics of {record['task']}"
        elif not can_count():
            problems[entry.file] = _NOT_INSTALLED
        elif entry.file not in separate_files:  # its judgments are joined, and so read
            problems[entry.file] = _JOINED
        else:
            files_by_task.setdefault(record["task"], []).append(entry.file)
    # The remaining files are counted, and refused where a count hides what a metric needs.
    records: dict[str, CountedRecord] = {}
    for task, files in files_by_task.items():
        paths = [str(store.folder / file) for file in files]
        counts = count_records(paths, task, executor=executor, notices=notices)
        records.update(zip(files, counts, strict=True))
    shared_files = _files_with_shared_datasets(store, entries, records)
    counted = {}
    for file, record_counts in records.items():
        if record_counts.frame is None or file in shared_files:
            # In a data set of several logs an item may have several judgments.
            problems[file] = record_counts.problem or NEEDS_ROWS
        else:
            counted[file] = record_counts.frame
    return counted, problems


def _files_with_shared_datasets(
    store: Store, entries: Sequence[EntryVariant], records: Mapping[str, CountedRecord]
) -> set[str]:
    """Return the record files with a data set of which the model has judgments in other logs.

    Their items may be the same, and counts do not tell which. Without counted `records`, no file
    is returned.
    """
    if not records:
        return set()
    logs_of_model = Counter((entry.record["model"], variant) for entry, variant in entries)
    files_of_dataset: dict[tuple[str, str, str, str], list[str]] = {}
    for entry, variant in entries:
        model, task = entry.record["model"], entry.record["task"]
        if logs_of_model[model, variant] == 1:
            continue
        if entry.file in records:
            datasets = records[entry.file].datasets
        else:  # a log that was not counted; its record is new if the file was damaged
            source = BytesIO(entry.new_record) if entry.new_record else store.folder / entry.file
            column = pq.ParquetFile(source).read(["dataset"])["dataset"]
            datasets = column.unique().to_pylist()
        for dataset in datasets:
            files_of_dataset.setdefault((task, model, variant, dataset), []).append(entry.file)
    shared = [files for files in files_of_dataset.values() if len(files) > 1]
    return set(chain.from_iterable(shared))


_JOINED = "all metrics, because several logs have judgments of a run, or of several tasks"
_NOT_INSTALLED = "all metrics, because DuckDB is missing: install inspect_confidence[scale]"

_MIN_ROWS_FOR_NOTICE = 100_000
"""Judgments from which on a notice says that they are read one by one."""


def _row_notices(entries: Sequence[StoredLog], problems: Mapping[str, str]) -> Iterator[str]:
    """Yield a notice of how many judgments are read one by one and why, if they are many.

    `problems` has the reason by record file; a file without a reason is small, or is read as counts
    of equal judgments.
    """
    totals = Counter[str]()
    for entry in entries:
        if problem := problems.get(entry.file):
            totals[problem] += entry.record["rows"]
    if totals.total() < _MIN_ROWS_FOR_NOTICE:
        return
    n_judgments = sum(entry.record["rows"] for entry in entries)
    reasons = "; ".join(f"{n:,} for {problem}" for problem, n in sorted(totals.items()))
    yield (
        f"{totals.total():,} of {n_judgments:,} judgments are read one by one, which takes ten "
        f"seconds or more for each million: {reasons}"
    )
