"""A store's judgments, some models at a time: what fills memory is a model, not the store."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath

import pandas as pd

from inspect_confidence.judgments.joining import Located, joined, said_again
from inspect_confidence.judgments.read import once, pooled, said_twice, told, variants_of_runs
from inspect_confidence.judgments.runs import Run, readers, without_judgments
from inspect_confidence.judgments.store import Entry, Store, store_at

Whose = tuple[str, str]
"""A model and variant."""


@dataclass(frozen=True)
class Stream:
    """A store's judgments, which are read when they are needed.

    They are those that `read_judgments` gives of it, each task and model by itself. A sample's
    uuid is taken to stand in one run, as Inspect makes them.

    Attributes:
        store: Whose.
        entries: Its logs with judgments, each with its variant.
        notices: As `read_judgments` gives them.
        lost: As `read_judgments` gives them.
    """

    store: Store
    entries: Sequence[tuple[Entry, str]]
    notices: Sequence[str]
    lost: Sequence[str]

    @property
    def rows(self) -> int:
        """How many judgments its logs have."""
        return sum(entry.record["rows"] for entry, _ in self.entries)

    def order(self, tasks: Collection[str]) -> Mapping[Whose, int]:
        """The place of each model and variant among the judgments of these tasks."""
        records = [(entry.record, variant) for entry, variant in self.entries]
        whose = [
            (str(one["model"]), variant)
            for one, variant in records
            if one["task"] in tasks and one["rows"]
        ]
        return {one: place for place, one in enumerate(sorted({*whose}))}

    def frames(
        self, tasks: Collection[str], *, each_model: bool
    ) -> Iterator[dict[str, pd.DataFrame]]:
        """The judgments of these tasks: of one model after the other, or of all at once."""
        mine = [one for one in self.entries if one[0].record["task"] in tasks]
        for some in _by(mine, "model") if each_model else [mine]:
            frames, _ = self._joined(some)
            if frames:
                yield {task: once(frame) for task, frame in frames.items()}

    def _joined(
        self, entries: Sequence[tuple[Entry, str]]
    ) -> tuple[dict[str, pd.DataFrame], Counter[str]]:
        runs, variants = list[Located](), list[str]()
        for entry, variant in entries:
            if isinstance(run := self.store.read(entry), Run):
                runs.append((entry.log.location, run))
                variants.append(variant)
        return joined(runs, variants)

    def said_of_judgments(self) -> Iterator[str]:
        """Notices that rest on judgments: on samples, runs and replies that stand there twice."""
        taken, twice, said = Counter[str](), Counter[str](), list[str]()
        for of_task in _by(self.entries, "task"):
            for mine in sorted(_by(of_task, "model"), key=lambda some: some[0][0].record["model"]):
                if len(mine) == 1 and not mine[0][0].record["twice"]:
                    continue
                frames, more = self._joined(mine)
                taken += more
                for task, frame in frames.items():
                    twice[task] += len(frame) - len(once(frame))
                    said += pooled(frame)
        yield from (*said_again(taken), *said, *said_twice(twice))


def _by(entries: Sequence[tuple[Entry, str]], name: str) -> list[list[tuple[Entry, str]]]:
    """The entries by what their records say."""
    found: dict[str, list[tuple[Entry, str]]] = {}
    for one in entries:
        found.setdefault(one[0].record[name], []).append(one)
    return list(found.values())


def stream_at(place: object) -> Stream | None:
    """The judgments of the store at a place.

    None where there is none to go through in parts: no store, one of another version, one without
    judgments, or one where logs of several models pass for the same run.
    """
    store = store_at(fspath(place)) if isinstance(place, str | PathLike) else None
    if store is None:
        return None
    store = store.verified()
    notices, lost = store.notices(), list[str]()
    every = [
        (one.log.location, without_judgments(one.record) if one.file else one.error)
        for one in store.entries
    ]
    runs = told(every, notices, lost)
    variants = variants_of_runs([(run.task, run.kind, run.settings) for _, run in runs])
    files = [one for one in store.entries if one.file and not one.record["without"]]
    owners = {(run.id, run.task, run.model) for _, run in runs}
    rows = sum(one.record["rows"] for one in files)
    if store.readers != readers() or not rows or len(owners) > len({run.id for _, run in runs}):
        return None
    found = Stream(store, list(zip(files, variants, strict=True)), (), lost)
    return Stream(store, found.entries, [*notices, *found.said_of_judgments()], lost)
