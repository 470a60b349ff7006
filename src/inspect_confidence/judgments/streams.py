"""Judgments of a store, a few models at a time: memory holds one model, not the whole store."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath

import pandas as pd

from inspect_confidence.judgments.joining import LocatedRun, join_runs, shared_sample_notices
from inspect_confidence.judgments.read import (
    drop_repeats,
    pooling_notices,
    repeat_notices,
    runs_with_judgments,
    variants_of_runs,
)
from inspect_confidence.judgments.runs import Run, reader_versions, record_tasks, run_from_record
from inspect_confidence.judgments.store import Store, StoredLog, store_at

ModelVariant = tuple[str, str]
"""A model and variant."""
EntryVariant = tuple[StoredLog, str]
"""A log of a store and the variant of its run."""


@dataclass(frozen=True)
class Stream:
    """The judgments of a store, read by task and model when they are needed.

    They equal those that `read_judgments` returns. It is assumed that a sample's uuid occurs in one
    run only.

    Attributes:
        store: The store.
        entries: Its logs with judgments, each with its variant.
        notices: Notices, as `read_judgments` gives them.
        loss_notices: Those about lost data.
    """

    store: Store
    entries: Sequence[EntryVariant]
    notices: Sequence[str]
    loss_notices: Sequence[str]

    @property
    def rows(self) -> int:
        """Number of judgments in the logs of the store."""
        return sum(entry.record["rows"] for entry, _ in self.entries)

    def order(self, tasks: Collection[str]) -> Mapping[ModelVariant, int]:
        """Return the position of each model and variant of these tasks in alphabetical order."""
        model_variants: set[ModelVariant] = set()
        for entry, variant in self.entries:
            if entry.record["rows"] and not set(tasks).isdisjoint(record_tasks(entry.record)):
                model_variants.add((str(entry.record["model"]), variant))
        return {key: position for position, key in enumerate(sorted(model_variants))}

    def frames(
        self, tasks: Collection[str], *, each_model: bool
    ) -> Iterator[dict[str, pd.DataFrame]]:
        """Yield the judgments of these tasks as frames by task.

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
            joined, _ = self._join(group)
            frames = {}
            for task, frame in joined.items():
                if task in tasks:
                    frames[task] = drop_repeats(frame)
            if frames:
                yield frames

    def _join(
        self, entries: Sequence[EntryVariant]
    ) -> tuple[dict[str, pd.DataFrame], Counter[str]]:
        runs, variants = list[LocatedRun](), list[str]()
        for entry, variant in entries:
            if isinstance(run := self.store.read(entry), Run):
                runs.append((entry.log.location, run))
                variants.append(variant)
        return join_runs(runs, variants)

    def judgment_notices(self) -> Iterator[str]:
        """Yield the notices about shared samples, pooled runs and repeats.

        Only models with several logs, or with repeats in a log, are read for them.
        """
        shared_samples, repeats, pooling = Counter[str](), Counter[str](), list[str]()
        for task_entries in _group_entries(self.entries, "task"):
            groups = _group_entries(task_entries, "model")
            for group in sorted(groups, key=lambda entries: entries[0][0].record["model"]):
                if len(group) == 1 and not group[0][0].record["twice"]:
                    continue
                frames, counts = self._join(group)
                shared_samples += counts
                for task, frame in frames.items():
                    repeats[task] += len(frame) - len(drop_repeats(frame))
                    pooling += pooling_notices(frame)
        yield from shared_sample_notices(shared_samples)
        yield from pooling
        yield from repeat_notices(repeats)


def _group_entries(entries: Sequence[EntryVariant], fact: str) -> list[list[EntryVariant]]:
    """Return the entries in groups with the same value of a fact in their records."""
    groups: dict[str, list[EntryVariant]] = {}
    for entry, variant in entries:
        groups.setdefault(entry.record[fact], []).append((entry, variant))
    return list(groups.values())


def stream_at(source: object) -> Stream | None:
    """Return the judgments of a store, or None if they cannot be read model by model.

    That is so if the source is not the path of a store, or if the store was read by other versions,
    has no judgments, or has a run with logs of several models or tasks.
    """
    store = store_at(fspath(source)) if isinstance(source, str | PathLike) else None
    if store is None:
        return None
    store = store.verified()
    notices, loss_notices = store.notices(), list[str]()
    outcomes: list[tuple[str, Run | str]] = []
    for entry in store.entries:
        outcome = run_from_record(entry.record) if entry.file else entry.error
        outcomes.append((entry.log.location, outcome))
    runs = runs_with_judgments(outcomes, notices, loss_notices)
    variants = variants_of_runs([(run.task, run.kind, run.settings) for _, run in runs])
    entries = store.entries_with_judgments()
    run_models = {(run.id, run.task, run.model) for _, run in runs}
    n_judgments = sum(entry.record["rows"] for entry in entries)
    has_mixed_run = len(run_models) > len({run.id for _, run in runs})
    if store.readers != reader_versions() or not n_judgments or has_mixed_run:
        return None
    stream = Stream(store, list(zip(entries, variants, strict=True)), (), loss_notices)
    return replace(stream, notices=[*notices, *stream.judgment_notices()])
