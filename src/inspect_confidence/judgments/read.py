"""Logs and files -> judgments: one tidy frame a task, one row an elicited judgment."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import pandas as pd

from inspect_confidence.arguments import user_path
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.files import SUFFIXES, read_file, typed
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
) -> Judgments:
    """Read judgments from logs, folders of logs, and csv or parquet files.

    Samples that stand in several logs (retries, copies, re-scored logs) are taken once, from the
    newest log. Whatever was set differently between the runs read stands in `variant`.

    Args:
        paths: One or several places: `.eval` logs, folders (any that Inspect reads), `.csv` or
            `.parquet` files.
        progress: Wraps the list of logs while they are read, to show how far it is.
        reread: Whether the replies in logs are read again by the present readers, as `inspect
            score` would, but without a model and without writing a log. Judgments by a model for a
            judge stay as they are, and so do files, which hold no replies; notices say so, and how
            many judgments changed.
        recorded: Where logs of other evals, and files, hold confidence and what is right, and the
            fields by which numbers are given too.

    Returns:
        A frame for each task, with the columns that docs/judgments.md lists, and notices.

    Raises:
        InvalidArgument: A path isn't there, a file can't be used, or no judgment was found.
    """
    places = [fspath(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
    files = [place for place in places if place.endswith(SUFFIXES)]
    parts: dict[str, list[pd.DataFrame]] = {}
    notices: list[str] = []
    lost: list[str] = []
    read = [read_file(user_path("PATH", file), recorded) for file in files]
    if folders := [place for place in places if place not in files]:
        read.append(_from_logs(folders, progress, reread, recorded, notices, lost))
    notices += _unused(recorded, files, folders)
    if reread:
        notices += [f"{file} holds no replies to read again: it stays as it is" for file in files]
    for frames in read:
        for task, frame in frames.items():
            parts.setdefault(task, []).append(frame)
    if not parts:
        nothing = f"No judgments in {', '.join(places)}; give Inspect's logs or a folder of them"
        raise InvalidArgument("; ".join([nothing, *notices]))
    once = {
        task: _once(pd.concat(some, ignore_index=True), notices) for task, some in parts.items()
    }
    return Judgments(once, notices, lost)


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
            name: typed(one.assign(task=name), tables[name], "the frame")
            for name, one in source.items()
        }
    )


def _unused(recorded: Recorded, files: Sequence[str], logs: Sequence[str]) -> Iterator[str]:
    """What was said of files, or of logs, where none is read."""
    if recorded.columns and not files:
        yield "--column is for csv and parquet files, and none is read"
    if (recorded.confidence or recorded.score) and not logs:
        yield "--confidence-from and --score are for logs, and none is read; --column is for files"


def _from_logs(
    places: Sequence[str],
    progress: Progress,
    reread: bool,
    recorded: Recorded,
    notices: list[str],
    lost: list[str],
) -> dict[str, pd.DataFrame]:
    # Inspect takes seconds to import, and files need none of it.
    from inspect_confidence.judgments.logs import Run, find_logs, read_run  # noqa: PLC0415

    runs: list[Run] = []
    for location in progress([log for place in places for log in find_logs(place)]):
        try:
            run = read_run(location, reread=reread, recorded=recorded)
        except Exception as error:  # a damaged log must not keep the others from being read
            lost.append(f"{location} could not be read and was left out: {error!r:.200}")
            notices.append(lost[-1])
            continue
        if run.without:
            notices.append(f"{location} was left out: {run.without}")
        else:
            runs.append(run)
            notices += [*run.lost, *run.notices]
    for task in dict.fromkeys(run.task for run in runs if run.changed):
        n = sum((run.changed for run in runs if run.task == task), Counter[str]())
        notices.append(
            f"{task}: {n['judgments']} judgments were read again; {n['status']} have another "
            f"status, {n['either'] - n['status']} others another value"
        )
    completed = {run.id for run in runs if not run.lost}
    lost += [notice for run in runs if run.id not in completed for notice in run.lost]
    rows: dict[str, list[dict[str, Any]]] = {}
    seen: set[tuple[str, str, int]] = set()
    again = 0
    shown = {run.kind: all_tables()[run.task].always_shown for run in runs}
    variants = variants_of([(run.kind, run.settings) for run in runs], shown)
    for run, variant in zip(runs, variants, strict=True):
        for key, judged in run.samples.items():
            again += key in seen
            if key not in seen:
                seen.add(key)
                rows.setdefault(run.task, []).extend({**row, "variant": variant} for row in judged)
    if again:
        notices.append(f"{again} samples stand in several logs and were taken from the newest")
    frames = {task: _frame(some, all_tables()[task]) for task, some in rows.items()}
    encoded = {one for frame in frames.values() if "by" in frame for one in frame["by"].unique()}
    fields = {name for one in encoded for name in Condition.read(one)}
    notices += [f"--by {one}: no sample has that field" for one in recorded.by if one not in fields]
    notices += [notice for frame in frames.values() for notice in _pooled(frame)]
    return frames


def _frame(rows: list[dict[str, Any]], table: TaskTable) -> pd.DataFrame:
    """Rows from logs with all columns of the task: a method fills only its own."""
    columns = dict.fromkeys([name for row in rows for name in row] + list(table.columns))
    return typed(pd.DataFrame(rows, columns=list(columns)), table, "the logs")


def _pooled(frame: pd.DataFrame) -> Iterator[str]:
    """Which runs differ in nothing, so that their judgments count as more of the same."""
    same = ["task", "model", "dataset", "variant"]
    # A run of other levels or methods only adds conditions to those of its like.
    shown = [name for name in ("method", "level") if name in frame]
    for key, rows in frame.groupby([*same, *shown], sort=False):
        if (runs := rows["run"].nunique()) > 1:
            task, model, dataset, *rest = map(str, key)
            which = " ".join(filter(None, rest))
            yield f"{runs} runs of {task} with {model} on {dataset} are pooled ({which})"


_PARTS = ("level", "sentence", "marker", "source", "method")
"""Columns that tell the judgments of one sample apart."""


def _once(frame: pd.DataFrame, notices: list[str]) -> pd.DataFrame:
    """The frame without rows that were read twice, from a log and from a file made of it."""
    identity = ["uuid", "draw", *(name for name in _PARTS if name in frame)]
    twice = frame.duplicated(identity) & (frame["uuid"] != "")
    if twice.any():
        counts = Counter(frame.loc[twice, "task"])
        notices += [f"{n} judgments of {task} were read twice" for task, n in counts.items()]
    return frame[~twice].reset_index(drop=True)
