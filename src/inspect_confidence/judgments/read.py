"""Logs and files -> judgments: one tidy frame a task, one row an elicited judgment."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath

import pandas as pd

from inspect_confidence.arguments import user_path
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.executors import Executing, read_records
from inspect_confidence.judgments.files import SUFFIXES, checked, read_file
from inspect_confidence.judgments.joining import Located, joined, said_again
from inspect_confidence.judgments.order import in_order
from inspect_confidence.judgments.places import Log, logs_at
from inspect_confidence.judgments.runs import decode, repeated
from inspect_confidence.judgments.store import Found, check_recorded, store_at
from inspect_confidence.results import Condition
from inspect_confidence.studies import NOTHING_SAID, Recorded, TaskTable, all_tables


def common(frame: pd.DataFrame, table: TaskTable) -> tuple[pd.DataFrame, dict[str, str]]:
    """The judgments of items that every model and variant of a data set answered readably.

    An item counts as answered by a model if each of its judgments is `ok`; a token's probability
    that is missing doesn't count against it. With the judgments kept goes, by data set, a note of
    how many items were left out.

    Raises:
        InvalidArgument: A data set has no such item.
    """
    kept, notes = [frame.iloc[:0]], {}
    for dataset, rows in frame.groupby("dataset", sort=False):
        key = pd.Series(list(rows[list(table.listwise)].itertuples(index=False)), rows.index)
        answers = pd.Series(True, rows.index)
        if "source" in rows and (rows["source"] != "token").any():
            answers = rows["source"] != "token"
        models = rows.groupby(["model", "variant"], sort=False).ngroup()
        asked = pd.DataFrame({"key": key, "model": models, "ok": rows["status"] == "ok"})[answers]
        readable = asked.groupby(["key", "model"])["ok"].all()
        by_all = readable.groupby("key").sum() == models.nunique()
        if not by_all.any():
            raise InvalidArgument(
                f"--common-items: no item of {dataset} was answered readably by all of "
                f"{models.nunique()} models and variants; leave the option out, or some of them."
            )
        chosen = key.isin(by_all.index[by_all])
        kept.append(rows[chosen])
        notes[str(dataset)] = (
            f"{int(by_all.sum())} of {len(by_all)} items that all {models.nunique()} models and "
            "variants answered readably"
        )
    return pd.concat(kept, ignore_index=True), notes


Settings = Mapping[str, str]


def variants_of(
    runs: Sequence[tuple[str, Settings]], shown: Mapping[str, Collection[str]] | None = None
) -> list[str]:
    """For each run the settings in which the runs of its kind differ, as `key=value` pairs.

    `dataset` has a column of its own and is never part of a variant; `data`, the data set's
    fingerprint, is one only where a data set of one name was read in several versions.

    Args:
        runs: Kind (the task, and what decides its other settings) and settings of each run.
        shown: By kind, settings that stand in its variants whether they differ or not.

    Example:
        >>> variants_of([("t", {"effort": "low", "seed": "0"}), ("t", {"seed": "0"})])
        ['effort=low', 'effort=default']
    """
    different = {
        kind: _different([s for k, s in runs if k == kind]) | set((shown or {}).get(kind, ()))
        for kind, _ in runs
    }
    return [
        str(Condition({name: settings.get(name, "default") for name in different[kind]}))
        for kind, settings in runs
    ]


def _different(runs: Sequence[Settings]) -> set[str]:
    names = {name for settings in runs for name in settings} - {"dataset", "data"}
    found = {name for name in names if len({settings.get(name) for settings in runs}) > 1}
    versions = {(settings.get("dataset"), settings.get("data")) for settings in runs}
    if len(versions) > len({dataset for dataset, _ in versions}):
        found.add("data")
    return found


Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
Progress = Callable[[Sequence[str]], Iterable[str]]


class Judgments(dict[str, pd.DataFrame]):
    """Judgments by task.

    Attributes:
        notices: What a reader must know: logs that could not be read, runs that are incomplete,
            duplicates dropped, items never asked.
        lost: Those of them that tell of lost data: logs that could not be read, incomplete runs
            that no retry completed.
    """

    def __init__(
        self, frames: dict[str, pd.DataFrame], notices: Iterable[str] = (), lost: Iterable[str] = ()
    ) -> None:
        super().__init__(frames)
        self.notices = tuple(notices)
        self.lost = tuple(lost)


def read_judgments(
    paths: Paths,
    *,
    progress: Progress = iter,
    reread: bool = False,
    recorded: Recorded = NOTHING_SAID,
    executor: Executing = None,
) -> Judgments:
    """Read judgments from logs, folders of logs, stores, and csv or parquet files.

    Samples that stand in several logs (retries, copies, re-scored logs) are taken once, where they
    didn't end in an error, and of the newest log by the times that logs say. Whatever was set
    differently between the runs read stands in `variant`.

    Args:
        paths: One or several places: `.eval` logs, folders (any that Inspect reads), stores that
            `ingest` wrote, `.csv` or `.parquet` files.
        progress: Wraps the list of logs while they are read, to show how far it is.
        reread: Whether the replies in logs are read again by the present readers, as `inspect
            score` would, but without a model and without writing a log. Judgments by a model for a
            judge stay as they are, and so do files, which hold no replies; notices say so, and how
            many judgments changed.
        recorded: Where logs of other evals, and files, hold confidence and what is right, and the
            fields by which numbers are given too.
        executor: Reads the logs: any `concurrent.futures.Executor`, or what `--executor` takes. A
            script that starts processes keeps its own work under `if __name__ == "__main__":`.

    Returns:
        A frame for each task, with the columns that docs/judgments.md lists, its rows in an order
        of their own, and notices.

    Raises:
        InvalidArgument: A path isn't there, a file can't be used, or no judgment was found.
    """
    places = [fspath(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
    files = [place for place in places if place.endswith(SUFFIXES)]
    parts: dict[str, list[pd.DataFrame]] = {}
    notices: list[str] = []
    lost: list[str] = []
    read = [read_file(user_path("PATH", file), recorded, notices) for file in files]
    if folders := [place for place in places if place not in files]:
        how = Reading(progress, reread, recorded, executor)
        read.append(_from_logs(folders, how, notices, lost))
    notices += _unused(recorded, files, folders)
    if reread:
        notices += [f"{file} holds no replies to read again: it stays as it is" for file in files]
    for frames in read:
        for task, frame in frames.items():
            parts.setdefault(task, []).append(frame)
    if not parts:
        nothing = f"No judgments in {', '.join(places)}; give Inspect's logs or a folder of them"
        raise InvalidArgument("; ".join([nothing, *notices]))
    every = {task: pd.concat(some, ignore_index=True) for task, some in parts.items()}
    whole = {task: in_order(once(frame)) for task, frame in every.items()}
    twice = {task: len(frame) - len(whole[task]) for task, frame in every.items()}
    return Judgments(whole, [*notices, *said_twice(twice)], lost)


Source = pd.DataFrame | Mapping[str, pd.DataFrame] | Paths
"""What public functions take for judgments: a frame, frames by task, or paths."""


def judgments_of(source: Source) -> Judgments:
    """Judgments from whatever a public function takes for them.

    Raises:
        InvalidArgument: It can't be used, or holds no judgment.
    """
    if isinstance(source, Judgments):
        return source
    if isinstance(source, pd.DataFrame):
        if "task" not in source:
            raise InvalidArgument(
                f"The frame has no column 'task'; known tasks: {', '.join(all_tables())}."
            )
        source = {str(task): frame for task, frame in source.groupby("task", sort=False)}
    if not isinstance(source, Mapping):
        return read_judgments(source)
    tables = all_tables()
    if unknown := [task for task in source if task not in tables]:
        raise InvalidArgument(f"There is no task {unknown[0]!r}; known: {', '.join(tables)}.")
    return Judgments(
        {
            name: in_order(
                checked(one.assign(task=name).reset_index(drop=True), tables[name], "the frame")
            )
            for name, one in source.items()
        }
    )


def _unused(recorded: Recorded, files: Sequence[str], logs: Sequence[str]) -> Iterator[str]:
    """What was said of files, or of logs, where none is read."""
    if recorded.columns and not files:
        yield "--column is for csv and parquet files, and none is read"
    if (recorded.confidence or recorded.score) and not logs:
        yield "--confidence-from and --score are for logs, and none is read; --column is for files"


@dataclass(frozen=True)
class Reading:
    """How logs are read; the arguments of `read_judgments` of these names."""

    progress: Progress
    reread: bool
    recorded: Recorded
    executor: Executing


def _from_logs(
    places: Sequence[str], how: Reading, notices: list[str], lost: list[str]
) -> dict[str, pd.DataFrame]:
    runs = told(_all_found(places, how, notices), notices, lost)
    variants = variants_of_runs([(run.task, run.kind, run.settings) for _, run in runs])
    frames, taken = joined(runs, variants)
    notices += said_again(taken)
    encoded = {one for frame in frames.values() if "by" in frame for one in frame["by"].unique()}
    fields = {name for one in encoded for name in Condition.read(one)}
    by = how.recorded.by
    notices += [f"--by {one}: no sample has that field" for one in by if one not in fields]
    notices += [notice for frame in frames.values() for notice in pooled(frame)]
    return frames


def told(every: Iterable[tuple[str, Found]], notices: list[str], lost: list[str]) -> list[Located]:
    """The runs that have judgments of what was found at each location; what is said of the rest."""
    runs: list[Located] = []
    for location, found in every:
        if isinstance(found, str):
            lost.append(f"{location} could not be read and was left out: {found}")
            notices.append(lost[-1])
        elif found.without:
            notices.append(f"{location} was left out: {found.without}")
        else:
            runs.append((location, found))
            notices += [f"{location}: {said}" for said in [*found.lost, *found.notices]]
    locations: dict[str, list[str]] = {}
    for location, run in runs:
        for unsent in run.unsent:
            locations.setdefault(unsent, []).append(location)
    notices += [
        f"{places[0] if len(places) == 1 else f'{len(places)} logs'}: {unsent}"
        for unsent, places in locations.items()
    ]
    for task in dict.fromkeys(run.task for _, run in runs if run.changed):
        n = sum((run.changed for _, run in runs if run.task == task), Counter[str]())
        notices.append(
            f"{task}: {n['judgments']} judgments were read again; {n['status']} have another "
            f"status, {n['either'] - n['status']} others another value"
        )
    completed = {run.id for _, run in runs if not run.lost}
    lost += [
        f"{location}: {said}"
        for location, run in runs
        if run.id not in completed
        for said in run.lost
    ]
    return runs


def _all_found(places: Sequence[str], how: Reading, notices: list[str]) -> list[tuple[str, Found]]:
    """Each log's location, in their order, with what was read of it."""
    logs: dict[str, Log] = {}
    known: dict[str, Callable[[], Found | None]] = {}
    for place in places:
        store = store_at(place)
        if store and not how.reread:
            store = store.verified()
        here = [one.log for one in store.entries] if store else logs_at(place)
        logs |= {log.location: log for log in here}
        if how.reread:
            continue
        if store:
            check_recorded(store, how.recorded)
            notices += store.notices()
            known |= {one.log.location: partial(store.read, one) for one in store.entries}
    bar = iter(how.progress(list(logs)))
    next(bar, None)
    found: dict[str, Found] = {}
    for location, one in _each(logs, known, how, notices):
        found[location] = one
        next(bar, None)
    return [(location, found[location]) for location in logs]


def _each(
    logs: Mapping[str, Log],
    known: Mapping[str, Callable[[], Found | None]],
    how: Reading,
    notices: list[str],
) -> Iterator[tuple[str, Found]]:
    """What was read of the logs, of those first that nothing must be read of now."""
    unknown = []
    for location, log in logs.items():
        there = known[location]() if location in known else None
        if there is None:
            unknown.append(log)
        else:
            yield location, there
    for number, record in read_records(
        unknown,
        executor=how.executor,
        recorded=how.recorded,
        reread=how.reread,
        notices=notices,
    ):
        log = unknown[number]
        yield log.location, decode(record) if isinstance(record, bytes) else record


def variants_of_runs(runs: Sequence[tuple[str, str, Settings]]) -> list[str]:
    """For each run, of which the task, kind and settings are given, its variant among all."""
    shown = {kind: all_tables()[task].always_shown for task, kind, _ in runs}
    return variants_of([(kind, settings) for _, kind, settings in runs], shown)


def pooled(frame: pd.DataFrame) -> Iterator[str]:
    """Which runs differ in nothing, so that their judgments count as more of the same, sorted."""
    same = ["task", "model", "dataset", "variant"]
    # A run of other levels or methods only adds conditions to those of its like.
    shown = [name for name in ("method", "level") if name in frame]
    for key, rows in frame.groupby([*same, *shown]):
        if (runs := rows["run"].nunique()) > 1:
            task, model, dataset, *rest = map(str, key)
            which = " ".join(filter(None, rest))
            yield f"{runs} runs of {task} with {model} on {dataset} are pooled ({which})"


def said_twice(counts: Mapping[str, int]) -> list[str]:
    """What is said of so many judgments of tasks that `once` left out."""
    return [f"{n} judgments of {task} were read twice" for task, n in counts.items() if n]


def once(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without rows that were read twice, from a log and from a file made of it."""
    twice = repeated(frame)
    return frame[~twice].reset_index(drop=True) if twice.any() else frame
