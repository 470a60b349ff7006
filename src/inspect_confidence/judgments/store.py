"""A store: the judgments of many logs in parquet, read once, and a manifest that lists the logs.

    STORE/manifest.json
    STORE/judgments/TASK/MODEL/KEY-SHA256.parquet    one record file a log

The key of a record file identifies the log, its state and the readers, so that an interrupted
ingest reads no log twice. The rest of the name is the file's checksum, which is compared before
the record is used. Files are never changed: a new manifest, which has a checksum of its own,
replaces the old one when all files it names are on the disk.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inspect_confidence.arguments import fingerprint
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.executors import ExecutorOption, read_records
from inspect_confidence.judgments.files import SUFFIXES
from inspect_confidence.judgments.locations import LOGS, Log, Paths, list_logs, location_text
from inspect_confidence.judgments.runs import (
    FORMAT,
    RECORD_FILES,
    Run,
    decode_run,
    read_record_facts,
    reader_versions,
)
from inspect_confidence.judgments.tables import is_table
from inspect_confidence.studies import SELF_DESCRIBING, Recorded, all_tables
from inspect_confidence.writing import name_write_errors, write_whole

MANIFEST = "manifest.json"
_MADE_BY = "inspect-confidence ingest"
_PARTS = "judgments/*/*"


@dataclass(frozen=True)
class StoredLog:
    """A log of a store.

    Attributes:
        log: The log, in the state that was read.
        file: Its record file, relative to the store's folder; empty if the log cannot be read.
        error: Why the log cannot be read.
        record: The description of the run in the record file, without the judgments.
        reread: The record, if it was read again from the log because its file is damaged.
    """

    log: Log
    file: str = ""
    error: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
    reread: bytes = b""


ReadOutcome = Run | str
"""The run of a log, or why it cannot be read."""


@dataclass(frozen=True)
class Store:
    """A store as its manifest describes it.

    Attributes:
        folder: The folder of the store.
        places: The places of its logs.
        recorded: The arguments about logs of other evals, from `read_arguments`.
        readers: The versions that read the logs.
        build: Number of times that all logs were read again on request.
        entries: Its logs, in the order in which `read_judgments` reads them.
        whole: Whether any ingest has ended.
        unfinished: The build of an ingest that has begun and not ended; else None.
        damaged: Notices of record files that don't match their checksum.
    """

    folder: Path
    places: Sequence[str] = ()
    recorded: Mapping[str, Any] = field(default_factory=dict)
    readers: str = ""
    build: int = 0
    entries: Sequence[StoredLog] = ()
    whole: bool = False
    unfinished: int | None = None
    damaged: Sequence[str] = ()

    def read(self, entry: StoredLog) -> ReadOutcome:
        """Return the run of a log, or why it cannot be read."""
        if not entry.file:
            return entry.error
        return decode_run(entry.reread or self.folder / entry.file)

    def verified(self) -> "Store":
        """Return the store with every record file compared with its checksum.

        A log whose record file is missing or damaged is read again. If that fails too, its entry
        has an error and no judgments.
        """
        entries, damaged = list[StoredLog](), list[str]()
        for entry in self.entries:
            if not entry.file or is_intact(self.folder / entry.file):
                entries.append(entry)
                continue
            ((_, outcome),) = read_records([entry.log], recorded=self._arguments())
            problem = f"its record {self.folder / entry.file} is damaged"
            if isinstance(outcome, bytes):
                record = read_record_facts(outcome)
                entries.append(replace(entry, record=record, reread=outcome))
                damaged.append(
                    f"{location_text(entry.log.location)}: {problem}, so the log was read again; "
                    "`ingest` writes the record anew"
                )
            else:
                entries.append(
                    StoredLog(entry.log, error=f"{problem}, and so is the log: {outcome}")
                )
        return replace(self, entries=entries, damaged=damaged)

    def entries_with_judgments(self) -> list[StoredLog]:
        """Return the entries of logs that have judgments of confidence."""
        entries = []
        for entry in self.entries:
            if entry.file and not entry.record["exclusion_reason"]:
                entries.append(entry)
        return entries

    def _arguments(self) -> Recorded:
        """Return the arguments that the logs of the store were read with."""
        arguments = dict(self.recorded)
        if scale := arguments.get("scale"):
            arguments["scale"] = tuple(scale)
        return Recorded(**arguments)

    def notices(self) -> list[str]:
        """Return the notices for readers of the store's judgments."""
        notices = []
        if self.readers != reader_versions():
            notices.append(
                f"{self.folder} holds judgments as {self.readers} read them, and this is "
                f"{reader_versions()}: ingest with --rebuild reads all logs again"
            )
        if self.unfinished is not None:
            notices.append(
                f"{self.folder}: an ingest has not ended, and these are the judgments from before "
                "it; run it again"
            )
        return [*notices, *self.damaged]


def read_arguments(recorded: Recorded) -> dict[str, Any]:
    """Return the arguments that decide how logs of other evals are read, as JSON returns them."""
    return {
        "confidence": list(recorded.confidence),
        "scale": list(recorded.scale) if recorded.scale else None,
        "score": recorded.score,
        "by": list(recorded.by),
        "cluster": recorded.cluster,
        "outcome": list(recorded.outcome),
        "only_grades": recorded.only_grades,
    }


def record_key(log: Log, recorded: Recorded, build: int) -> str:
    """Return the key of a record: a hash of log, state, readers and arguments."""
    text = json.dumps([FORMAT, reader_versions(), log.state, read_arguments(recorded), build])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def is_intact(file: Path) -> bool:
    """Return whether a record file exists and matches the checksum in its name."""
    try:
        with file.open("rb") as opened:
            checksum = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return False
    return file.stem.endswith(f"-{checksum}")


def store_at(place: str) -> Store | None:
    """Return the store at a path, or None if there is none.

    Raises:
        InvalidArgument: It can't be used: no ingest has ended, or another format.
    """
    store = _read_manifest(Path(place)) if "://" not in place else None
    if store and not store.whole:
        raise InvalidArgument(
            f"PATH={place}: the ingest of this store has not ended; run it again, and it goes on "
            "from where it was."
        )
    return store


def find_logs(place: str) -> list[str]:
    """Return the locations of the logs at a place: a log, a folder of logs (newest first), a store.

    Raises:
        InvalidArgument: There is no such place.
    """
    store = store_at(place)
    logs = [entry.log for entry in store.entries] if store else list_logs(place)
    return [log.location for log in logs if not log.unreadable]


def check_read_arguments(store: Store, recorded: Recorded) -> None:
    """Refuse arguments on the layout of logs that differ from those of the store."""
    foreign_tasks = {task for task, table in all_tables().items() if table.fallback}
    has_foreign_logs = any(entry.record.get("task") in foreign_tasks for entry in store.entries)
    is_read_otherwise = read_arguments(recorded) not in (
        read_arguments(SELF_DESCRIBING),
        store.recorded,
    )
    if is_read_otherwise and (has_foreign_logs or recorded.cluster):
        raise InvalidArgument(
            f"PATH={store.folder}: its logs were not read with these --confidence-from, "
            "--confidence-scale, --score, --by and --cluster; ingest them with the same, or name "
            "the logs."
        )


@dataclass(frozen=True)
class Ingested:
    """Counts and notices of one ingest.

    Attributes:
        logs_read: Logs that were read.
        logs_unchanged: Logs whose judgments the store had already.
        logs_removed: Logs that the store had, and that are no longer at their places.
        judgments: Judgments in the store after the ingest.
        notices: A notice for each log that cannot be read, and for logs lost by the executor.
        logs_failed: Logs that cannot be read.
    """

    logs_read: int
    logs_unchanged: int
    logs_removed: int
    judgments: int
    notices: Sequence[str]
    logs_failed: int = 0


def ingest(
    logs: Paths,
    store: str | PathLike[str],
    *,
    executor: ExecutorOption = None,
    rebuild: bool = False,
    recorded: Recorded = SELF_DESCRIBING,
    progress: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> Ingested:
    """Write the judgments of logs into a store; read only logs that are new or have changed.

    One log is in memory at a time. An interrupted ingest continues where it was.

    Args:
        logs: Logs, or folders of them, anywhere Inspect reads. The store will contain exactly
            these logs: a log that is gone from these places is removed from the store.
        store: A local folder: new, empty, or a store.
        executor: Reads the logs: any `concurrent.futures.Executor`, or a value of `--executor`.
        rebuild: Whether all logs are read again.
        recorded: Where logs of other evals record confidence and correctness.
        progress: Wraps the list of logs while they are read, to show progress.

    Raises:
        InvalidArgument: The folder holds something else, another ingest writes to it, the store was
            read by another version or holds logs of other places (without `rebuild`), or a place
            does not exist.
    """
    folder = _prepare_folder(fspath(store))
    paths = [logs] if isinstance(logs, str | PathLike) else logs
    places = [_absolute_place(path) for path in paths]
    found_logs = list(chain.from_iterable(list_logs(place) for place in places))
    notices: list[str] = []
    with name_write_errors(folder), _lock(folder):
        before = _read_manifest(folder) or Store(folder)
        if not rebuild and before.whole:
            _check_unchanged(before, places)
        build = before.build + rebuild if before.unfinished is None else before.unfinished
        current = {record_key(log, recorded, build): log for log in found_logs}
        entries = _stored_entries(folder, current)
        new = {key: log for key, log in current.items() if key not in entries}
        write_manifest(replace(before, unfinished=build))
        for key, entry in _new_entries(folder, new, executor, recorded, notices, progress):
            entries[key] = entry
        after = Store(
            folder,
            places,
            read_arguments(recorded),
            reader_versions(),
            build,
            entries=[entries[key] for key in current],
            whole=True,
        )
        write_manifest(after)
        _remove_old_files(after)
    failed = [entry for entry in after.entries if entry.error]
    for entry in failed:
        place = location_text(entry.log.location)
        notices.append(f"{place} could not be read and was left out: {entry.error}")
    removed = {entry.log.absolute for entry in before.entries}
    removed -= {log.absolute for log in found_logs}
    return Ingested(
        logs_read=len(new) - len(failed),
        logs_unchanged=len(current) - len(new),
        logs_removed=len(removed),
        judgments=sum(entry.record.get("rows", 0) for entry in after.entries),
        notices=notices,
        logs_failed=len(failed),
    )


def _stored_entries(folder: Path, logs: Mapping[str, Log]) -> dict[str, StoredLog]:
    """Return the entries of logs, by key, whose record files are in the folder and intact."""
    entries = {}
    for file in folder.glob(f"{_PARTS}/*.parquet"):
        key = file.stem.partition("-")[0]
        if key in logs and is_intact(file):
            entries[key] = _record_entry(logs[key], file)
    return entries


def _new_entries(
    folder: Path,
    logs: Mapping[str, Log],
    executor: ExecutorOption,
    recorded: Recorded,
    notices: list[str],
    progress: Callable[[Sequence[str]], Iterable[str]],
) -> Iterator[tuple[str, StoredLog]]:
    """Read logs, write their record files, and yield their keys and entries."""
    keys = list(logs)
    steps = iter(progress([log.location for log in logs.values()]))
    next(steps, None)
    for number, record in read_records(
        list(logs.values()), executor=executor, recorded=recorded, notices=notices
    ):
        key = keys[number]
        if isinstance(record, bytes):
            yield key, put(folder, logs[key], key, record)
        else:
            yield key, StoredLog(logs[key], error=record)
        next(steps, None)


def _prepare_folder(store: str) -> Path:
    """Return the folder of a store, created if it is new; refuse a folder of anything else."""
    if "://" in store or store.endswith((*SUFFIXES, *LOGS)):
        raise InvalidArgument(
            f"--output {store}: a store is a folder on this machine, and its name doesn't end as "
            "that of a file of judgments or of a log."
        )
    folder = Path(store).absolute()
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"--output {store} is a file; a store is a folder.")
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    if MANIFEST in names:
        _read_manifest(folder, must=True)
    else:
        # An interrupted first ingest leaves its lock and its unfinished manifest.
        foreign = [name for name in names if not name.startswith((f"{MANIFEST}.", ".lock"))]
        if foreign:
            raise InvalidArgument(
                f"--output {store}: {foreign[0]} is there, and no store; name a new or empty "
                "folder."
            )
    with name_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _absolute_place(place: str | PathLike[str]) -> str:
    """Return a place of logs as a path that does not depend on the working directory."""
    text = fspath(place)
    if is_table(text) or ("://" not in text and _read_manifest(Path(text))):
        raise InvalidArgument(f"{text}: logs are ingested; name them, or a folder of them.")
    return text if "://" in text else str(Path(text).absolute())


def _check_unchanged(before: Store, places: Sequence[str]) -> None:
    if before.readers != reader_versions():
        raise InvalidArgument(
            f"--output {before.folder}: {before.readers} read its logs, and this is "
            f"{reader_versions()}; --rebuild reads all of them again."
        )
    if missing := [place for place in before.places if place not in places]:
        raise InvalidArgument(
            f"--output {before.folder}: it holds the logs of {missing[0]} too. Name that again, or "
            "say --rebuild for a store of these logs alone."
        )


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep other ingests out of the folder until the process ends or leaves the context."""
    with (folder / ".lock").open("a") as lock:
        try:
            import fcntl  # noqa: PLC0415 # not on Windows, where nobody is kept away

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidArgument(
                f"--output {folder}: another ingest writes to this store; wait for its end."
            ) from None
        except (ImportError, OSError):  # a file system without locks
            pass
        yield


def put(folder: Path, log: Log, name: str, record: bytes) -> StoredLog:
    """Write the record of a log into a store's folder, under its key."""
    description = read_record_facts(record)
    part = folder / "judgments" / _path_part(description["task"]) / _path_part(description["model"])
    file = part / f"{name}-{hashlib.sha256(record).hexdigest()}.parquet"
    write_whole(file, record, durable=True)
    return _record_entry(log, file, description)


def _record_entry(log: Log, file: Path, record: Mapping[str, Any] | None = None) -> StoredLog:
    relative = "/".join(file.parts[-4:])
    return StoredLog(log, relative, record=record or read_record_facts(file))


def _path_part(text: str) -> str:
    """Return a text as one part of a path."""
    name = quote(text, safe=" ")
    usable = len(name) <= 200 and name.strip(".")  # dots alone lead to another folder
    return name if usable else f"{name[:180]}-{fingerprint(text)}"


def _read_manifest(folder: Path, *, must: bool = False) -> Store | None:
    """Return the store in a folder by its manifest; its records are not read yet."""
    try:
        content = (folder / MANIFEST).read_bytes()
    except OSError:
        return None
    try:
        manifest = json.loads(content)
        made_by = manifest.pop("made_by")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        made_by = None
    if made_by != _MADE_BY:
        if any(_RECORD_FILE.fullmatch(file.name) for file in folder.glob(f"{_PARTS}/*.parquet")):
            raise InvalidArgument(
                f"{folder}: its {MANIFEST} is damaged; ingest its logs into a new folder."
            )
        if must:
            raise InvalidArgument(f"--output {folder}: its {MANIFEST} is none of a store.")
        return None
    if (form := manifest.pop("format", None)) != FORMAT:
        raise InvalidArgument(
            f"{folder} is a store of format {form!r:.20}, and this version reads {FORMAT}: ingest "
            "its logs into a new folder."
        )
    if manifest.pop("sha256", "") != _checksum(manifest):
        raise InvalidArgument(
            f"{folder}: its {MANIFEST} does not match its checksum; ingest its logs into a new "
            "folder."
        )
    if unknown := sorted(manifest.keys() - _STORED):
        raise InvalidArgument(
            f"{folder}: its {MANIFEST} has {unknown[0]!r:.40}, which this version does not know; "
            "use the version that wrote it."
        )
    try:
        entries = [StoredLog(Log(**entry.pop("log")), **entry) for entry in manifest.pop("entries")]
        store = Store(folder, **manifest, entries=entries)
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidArgument(
            f"{folder}: its {MANIFEST} is of another version ({error!s:.100}); use that version."
        ) from error
    for entry in entries:
        if entry.file and not _RECORD_PATH.fullmatch(entry.file):
            raise InvalidArgument(
                f"{folder}: its {MANIFEST} names {entry.file!r:.80}, which is no record file."
            )
    return store


_STORED = {item.name for item in fields(Store)} - {"folder", "damaged"}
"""Fields of a store that its manifest holds."""
_RECORD_FILE = re.compile(r"[0-9a-f]{32}-[0-9a-f]{64}\.parquet")
_RECORD_PATH = re.compile(rf"judgments/(?!\.+/)[^/]+/(?!\.+/)[^/]+/{_RECORD_FILE.pattern}")


def _checksum(manifest: Mapping[str, Any]) -> str:
    """Return the sha256 of a manifest, whatever its layout."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def write_manifest(store: Store) -> None:
    """Replace a store's manifest, after all files that it names are on the disk."""
    manifest = {name: value for name, value in vars(store).items() if name in _STORED}
    manifest["entries"] = [_entry_record(entry) for entry in store.entries]
    manifest = json.loads(json.dumps(manifest))  # tuples and lists have one checksum
    head = {"made_by": _MADE_BY, "format": FORMAT, "sha256": _checksum(manifest)}
    text = json.dumps({**head, **manifest}, indent=1)
    for part in [*store.folder.glob(_PARTS), store.folder]:
        _flush_folder(part)
    write_whole(store.folder / MANIFEST, text.encode(), durable=True)
    _flush_folder(store.folder)


def _entry_record(entry: StoredLog) -> dict[str, Any]:
    return {
        "log": asdict(entry.log),
        "file": entry.file,
        "error": entry.error,
        "record": entry.record,
    }


def _flush_folder(folder: Path) -> None:
    """Write a folder's list of files to the disk."""
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _remove_old_files(store: Store) -> None:
    """Remove record files that the store no longer refers to, and unfinished manifests."""
    current = {store.folder / entry.file for entry in store.entries}
    for part in store.folder.glob(_PARTS):
        for file in part.iterdir():
            if RECORD_FILES.fullmatch(file.name) and file not in current:
                file.unlink()
        if not any(part.iterdir()):
            part.rmdir()
    for unfinished in store.folder.glob(f"{MANIFEST}.*.new"):
        unfinished.unlink()
