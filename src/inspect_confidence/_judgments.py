"""Logs and files -> judgments: one tidy frame a task, one row an elicited judgment."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_confidence._arguments import user_path
from inspect_confidence._errors import InvalidArgument
from inspect_confidence._files import SUFFIXES, read_file, typed
from inspect_confidence._variants import variants_of
from inspect_confidence.studies import TABLES, TaskTable

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
        self,
        frames: dict[str, pd.DataFrame],
        notices: Iterable[str] = (),
        lost: Iterable[str] = (),
    ) -> None:
        super().__init__(frames)
        self.notices = tuple(notices)
        self.lost = tuple(lost)


def read_judgments(paths: Paths, *, progress: Progress = iter) -> Judgments:
    """Read judgments from logs, folders of logs, and csv or parquet files.

    Samples that stand in several logs (retries, copies, re-scored logs) are taken once, from the
    newest log. Whatever was set differently between the runs read stands in `variant`.

    Args:
        paths: One or several places: `.eval` logs, folders (any that Inspect reads), `.csv` or
            `.parquet` files.
        progress: Wraps the list of logs while they are read, to show how far it is.

    Returns:
        A frame for each task, with the columns that docs/judgments.md lists, and notices.

    Raises:
        InvalidArgument: A path isn't there, a file can't be used, or no judgment was found.
    """
    places = [fspath(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
    files = [place for place in places if place.endswith(SUFFIXES)]
    parts: dict[str, list[pd.DataFrame]] = {}
    for file in files:
        for task, frame in read_file(user_path("PATH", file)).items():
            parts.setdefault(task, []).append(frame)
    notices: list[str] = []
    lost: list[str] = []
    folders = [place for place in places if place not in files]
    if folders:
        for task, frame in _from_logs(folders, progress, notices, lost).items():
            parts.setdefault(task, []).append(frame)
    if not parts:
        raise InvalidArgument(
            "; ".join([f"No judgments of {', '.join(TABLES)} in {', '.join(places)}.", *notices])
        )
    frames = {task: pd.concat(some, ignore_index=True) for task, some in parts.items()}
    once = {task: _once(frame, notices) for task, frame in frames.items()}
    return Judgments(once, notices, lost)


def _from_logs(
    places: Sequence[str], progress: Progress, notices: list[str], lost: list[str]
) -> dict[str, pd.DataFrame]:
    # Inspect takes seconds to import, and files need none of it.
    from inspect_confidence._logs import Run, find_logs, read_run  # noqa: PLC0415

    runs: list[Run] = []
    for location in progress([log for place in places for log in _listed(place, find_logs)]):
        try:
            run = read_run(location)
        except Exception as error:  # a damaged log must not keep the others from being read
            lost.append(f"{location} could not be read and was left out: {error!r:.200}")
            notices.append(lost[-1])
            continue
        if run is None:
            notices.append(f"{location} is a log of another package's task and was left out")
        else:
            runs.append(run)
            notices += [*run.lost, *run.notices]
    completed = {run.id for run in runs if not run.lost}
    lost += [notice for run in runs if run.id not in completed for notice in run.lost]
    rows: dict[str, list[dict[str, Any]]] = {}
    seen: set[tuple[str, str, int]] = set()
    again = 0
    shown = {run.kind: TABLES[run.task].always_shown for run in runs}
    variants = variants_of([(run.kind, run.settings) for run in runs], shown)
    for run, variant in zip(runs, variants, strict=True):
        for key, judged in run.samples.items():
            again += key in seen
            if key not in seen:
                seen.add(key)
                rows.setdefault(run.task, []).extend({**row, "variant": variant} for row in judged)
    if again:
        notices.append(f"{again} samples stand in several logs and were taken from the newest")
    frames = {task: _frame(some, TABLES[task]) for task, some in rows.items()}
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
            yield f"{runs} runs of {task} with {model} on {dataset} are pooled ({' '.join(rest)})"


def _listed(place: str, find_logs: Callable[[str], list[str]]) -> list[str]:
    if "://" not in place and not Path(place).exists():
        raise InvalidArgument(f"PATH={place}: there is no such log, folder or file.")
    return find_logs(place)


_PARTS = ("level", "sentence", "marker", "source")
"""Columns that tell the judgments of one sample apart."""


def _once(frame: pd.DataFrame, notices: list[str]) -> pd.DataFrame:
    """The frame without rows that were read twice, from a log and from a file made of it."""
    identity = [
        "uuid",
        "draw",
        *(name for name in _PARTS if name in frame),
    ]
    twice = frame.duplicated(identity) & (frame["uuid"] != "")
    if twice.any():
        counts = Counter(frame.loc[twice, "task"])
        notices += [f"{n} judgments of {task} were read twice" for task, n in counts.items()]
    return frame[~twice].reset_index(drop=True)
