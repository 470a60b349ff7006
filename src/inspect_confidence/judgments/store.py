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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain, filterfalse
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inspect_confidence.arguments import fingerprint
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.executors import ExecutorOption, read_records
from inspect_confidence.judgments.files import SUFFIXES
from inspect_confidence.judgments.locations import (
    LOG_SUFFIXES,
    Log,
    Paths,
    list_logs,
    location_text,
    path_texts,
)
from inspect_confidence.judgments.runs import (
    FORMAT,
    RECORD_FILES,
    Run,
    decode_run,
    read_record_facts,
    reader_versions,
    record_tasks,
)
from inspect_confidence.judgments.tables import is_table
from inspect_confidence.printing import excerpt
from inspect_confidence.studies import SELF_DESCRIBING, Recorded, all_tables
from inspect_confidence.writing import lock_folder, name_write_errors, write_whole

MANIFEST = "manifest.json"
_WRITER = "inspect-confidence ingest"
_MODEL_FOLDERS = "judgments/*/*"


@dataclass(frozen=True)
class StoredLog:
    """A log of a store.

    Attributes:
        log: The log, in the state that was read.
        file: Its record file, relative to the store's folder; empty if the log cannot be read.
        error: Why the log cannot be read; empty if it can.
        record: Facts about the run in the record file, as `read_record_facts` returns them.
        new_record: Content of a new record file, if the log was read again because its file is
            damaged; else empty.
    """

    log: Log
    file: str = ""
    error: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
    new_record: bytes = b""


ReadOutcome = Run | str
"""The run of a log, or why it cannot be read."""


@dataclass(frozen=True)
class Store:
    """A store as its manifest describes it.

    Attributes:
        folder: The folder of the store.
        places: Locations of its logs, or of folders with them, as `ingest` received them.
        recorded: The options by which logs of other evals were read, from `read_arguments`.
        readers: The versions that read the logs.
        build: Number of times that all logs were read again with `--rebuild`.
        entries: Its logs, in the order in which `read_judgments` reads them.
        whole: Whether any ingest has ended.
        unfinished: The build of an ingest that has begun and not ended; else None.
        damaged: Notices about record files that did not match their checksum.
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
        """Return the run of a log from its record file, or why the log cannot be read."""
        if not entry.file:
            return entry.error
        return decode_run(entry.new_record or self.folder / entry.file)

    def verified(self) -> "Store":
        """Return the store with every record file compared with its checksum.

        A log whose record file is missing or damaged is read again. If that fails too, its entry
        has an error and no judgments.
        """
        entries, notices = list[StoredLog](), list[str]()
        for entry in self.entries:
            was_unreadable = not entry.file  # no record file was written
            if was_unreadable or is_intact(self.folder / entry.file):
                entries.append(entry)
                continue
            # One log gives one pair: its position, and its record or the reason for none.
            ((_, outcome),) = read_records([entry.log], recorded=self._read_options())
            problem = f"its record {self.folder / entry.file} is damaged"
            if isinstance(outcome, bytes):
                record = read_record_facts(outcome)
                entries.append(replace(entry, record=record, new_record=outcome))
                notices.append(
                    f"{location_text(entry.log.location)}: {problem}, so the log was read again; "
                    "`ingest` writes the record anew"
                )
            else:
                entries.append(
                    StoredLog(entry.log, error=f"{problem}, and so is the log: {outcome}")
                )
        return replace(self, entries=entries, damaged=notices)

    def entries_with_judgments(self) -> list[StoredLog]:
        """Return the entries of the store's logs that have judgments of confidence."""
        entries = []
        for entry in self.entries:
            # `exclusion_reason` says why a log has no judgment of confidence.
            if entry.file and not entry.record["exclusion_reason"]:
                entries.append(entry)
        return entries

    def separate_files(self) -> set[str]:
        """Return the record files whose judgments need not be joined with those of other logs.

        These judgments are of one task and of the only log of their run, none of them repeats
        another, and the file is undamaged. A damaged one has a `new_record`, because its log was
        read again.
        """
        entries = self.entries_with_judgments()
        logs_of_run = Counter(entry.record["id"] for entry in entries)
        files = set()
        for entry in entries:
            record = entry.record
            has_repeats = logs_of_run[record["id"]] > 1 or record["twice"]
            if not has_repeats and len(record_tasks(record)) == 1 and not entry.new_record:
                files.add(entry.file)
        return files

    def _read_options(self) -> Recorded:
        """Return the options by which the logs of the store were read.

        The scale becomes a pair again, which JSON holds as a list.
        """
        options = dict(self.recorded)
        if scale := options.get("scale"):
            options["scale"] = tuple(scale)
        return Recorded(**options)

    def notices(self) -> list[str]:
        """Return notices about other versions, an unfinished ingest, and damaged record files."""
        notices = []
        if self.readers != reader_versions():
            notices.append(
                f"{self.folder} holds judgments that {self.readers} read, and this is "
                f"{reader_versions()}: `ingest --rebuild` reads all logs again"
            )
        if self.unfinished is not None:
            notices.append(
                f"{self.folder}: an ingest has not ended, and these are the judgments from before "
                "it; run it again"
            )
        return [*notices, *self.damaged]


def read_arguments(recorded: Recorded) -> dict[str, Any]:
    """Return the options by which logs of other evals are read, as lists and texts for JSON."""
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
    """Return the key of a log's record file: 32 hex digits, a hash of all that decides its content.

    Args:
        log: The log in its present state.
        recorded: The options by which logs of other evals are read.
        build: Number of times that all logs of the store were read again on request.
    """
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


def store_at(source: object) -> Store | None:
    """Return the store at a path; None for an address, a path without a store, and other objects.

    Raises:
        InvalidArgument: No ingest of the store has ended, or its manifest is damaged or of another
            version.
    """
    if not isinstance(source, str | PathLike):
        return None
    location = fspath(source)
    store = _read_manifest(Path(location)) if "://" not in location else None
    if store and not store.whole:
        raise InvalidArgument(
            f"PATH={location}: the ingest of this store has not ended; run it again to continue it."
        )
    return store


def find_logs(paths: Paths) -> Iterator[str]:
    """Yield the locations of the readable logs at paths of logs, folders of logs and stores.

    Logs of a folder come newest first, those of a store in its order. Tables among the paths have
    no logs.

    Raises:
        InvalidArgument: There is no such path, or a store cannot be used.
    """
    for path in filterfalse(is_table, path_texts(paths)):
        store = store_at(path)
        logs = [entry.log for entry in store.entries] if store else list_logs(path)
        yield from (log.location for log in logs if not log.unreadable)


def check_read_arguments(store: Store, recorded: Recorded) -> None:
    """Refuse options for reading logs of other evals that differ from those of the store.

    Without options, those of the store hold. If the store has no logs of other evals, only options
    with `--cluster` are compared: without such logs the rest of the options changes nothing.
    """
    # A `fallback` table is that of evals of other packages.
    foreign_tasks = {task for task, table in all_tables().items() if table.fallback}
    has_foreign_logs = any(entry.record.get("task") in foreign_tasks for entry in store.entries)
    differs = read_arguments(recorded) not in (read_arguments(SELF_DESCRIBING), store.recorded)
    if differs and (has_foreign_logs or recorded.cluster):
        raise InvalidArgument(
            f"PATH={store.folder}: its logs were read with another value of --confidence-from, "
            "--confidence-scale, --score, --by or --cluster; ingest them with the same values, or "
            "give the logs in place of the store."
        )


@dataclass(frozen=True)
class Ingested:
    """Counts and notices of one ingest.

    Attributes:
        logs_read: Logs that were read.
        logs_unchanged: Logs whose judgments the store had already.
        logs_removed: Logs that the store had, and that are not among the logs any more.
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
        logs: Logs, or folders of them, anywhere Inspect reads. The store then contains exactly
            these logs: a log that has been deleted is removed from the store.
        store: A local folder: new, empty, or a store.
        executor: Reads the logs: any `concurrent.futures.Executor`, or a value of `--executor`.
        rebuild: Whether all logs are read again.
        recorded: Where logs of other evals record confidence and correctness.
        progress: Wraps the list of logs while they are read, to show progress.

    Raises:
        InvalidArgument: The folder holds something else, or another ingest writes to it; a path
            does not exist; or, without `rebuild`, the store was read by other versions or holds
            logs of other locations.
    """
    folder = _prepare_folder(fspath(store))
    locations = list(map(_absolute_log_location, path_texts(logs)))
    found_logs = list(chain.from_iterable(list_logs(location) for location in locations))
    notices: list[str] = []
    busy = f"--output {folder}: another ingest writes to this store; wait for its end."
    with name_write_errors(folder), lock_folder(folder, busy):
        before = _read_manifest(folder) or Store(folder)
        if not rebuild and before.whole:
            _refuse_changed_sources(before, locations)
        # An interrupted ingest goes on with its own build number, so that it keeps the record files
        # that it has written; a rebuild has a new number, and so no record file of before.
        build = before.build + int(rebuild) if before.unfinished is None else before.unfinished
        # A key stands for a log in its present state and the build: a changed log has another key.
        log_by_key = {record_key(log, recorded, build): log for log in found_logs}
        entries = _stored_entries(folder, log_by_key)
        new = {key: log for key, log in log_by_key.items() if key not in entries}
        # Until the end the manifest lists the old logs, so that an interruption loses nothing.
        write_manifest(replace(before, unfinished=build))
        for key, entry in _new_entries(folder, new, executor, recorded, notices, progress):
            entries[key] = entry
        after = Store(
            folder,
            places=locations,
            recorded=read_arguments(recorded),
            readers=reader_versions(),
            build=build,
            entries=[entries[key] for key in log_by_key],
            whole=True,
        )
        write_manifest(after)
        _remove_old_files(after)
    # Logs that cannot be read have no record file, so that each ingest tries them as new ones.
    failed = [entry for entry in after.entries if entry.error]
    for entry in failed:
        location = location_text(entry.log.location)
        notices.append(f"{location} could not be read and was left out: {entry.error}")
    removed = {entry.log.absolute for entry in before.entries}
    removed -= {log.absolute for log in found_logs}
    return Ingested(
        logs_read=len(new) - len(failed),
        logs_unchanged=len(log_by_key) - len(new),
        logs_removed=len(removed),
        judgments=sum(entry.record.get("rows", 0) for entry in after.entries),
        notices=notices,
        logs_failed=len(failed),
    )


def _stored_entries(folder: Path, logs: Mapping[str, Log]) -> dict[str, StoredLog]:
    """Return the store's entries of logs whose record files are there and intact, by key."""
    entries = {}
    for file in folder.glob(f"{_MODEL_FOLDERS}/*.parquet"):
        key = file.stem.partition("-")[0]  # before the checksum
        if key in logs and is_intact(file):
            entries[key] = _entry_of_record(logs[key], file)
    return entries


def _new_entries(
    folder: Path,
    logs: Mapping[str, Log],
    executor: ExecutorOption,
    recorded: Recorded,
    notices: list[str],
    progress: Callable[[Sequence[str]], Iterable[str]],
) -> Iterator[tuple[str, StoredLog]]:
    """Read logs, write their record files into `folder`, and yield each log's key and entry.

    `logs` are by key. The entry of a log that cannot be read has the error and no file. The further
    arguments are those of `ingest`; `notices` receives how many logs the executor lost.
    """
    keys = list(logs)
    steps = iter(progress([log.location for log in logs.values()]))
    next(steps, None)  # asking for a location shows that the logs before it were read
    for number, record in read_records(
        list(logs.values()), executor=executor, recorded=recorded, notices=notices
    ):
        key = keys[number]
        if isinstance(record, bytes):
            yield key, write_record(folder, logs[key], key, record)
        else:
            yield key, StoredLog(logs[key], error=record)
        next(steps, None)


def _prepare_folder(store: str) -> Path:
    """Return the absolute folder of a store, created if it is new.

    Raises:
        InvalidArgument: It is an address or a file, its name ends like that of a file of judgments
            or a log, or it contains something else.
    """
    if "://" in store or store.endswith((*SUFFIXES, *LOG_SUFFIXES)):
        raise InvalidArgument(
            f"--output {store}: a store is a folder on this machine; give a path without the "
            "ending of a file of judgments or of a log."
        )
    folder = Path(store).absolute()
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"--output {store} is a file; give a new or empty folder.")
    names = [file.name for file in folder.iterdir()] if folder.is_dir() else []
    if MANIFEST in names:
        _read_manifest(folder, required=True)
    else:
        # An interrupted first ingest leaves its lock and its unfinished manifest.
        foreign = [name for name in names if not name.startswith((f"{MANIFEST}.", ".lock"))]
        if foreign:
            raise InvalidArgument(
                f"--output {store}: the folder contains {foreign[0]} and is not a store; give a "
                "new or empty folder."
            )
    with name_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _absolute_log_location(location: str) -> str:
    """Return the address or absolute path of logs; refuse a table and a store."""
    kind = ""
    if is_table(location):
        kind = "a table"
    elif "://" not in location and _read_manifest(Path(location)):
        kind = "a store"
    if kind:
        raise InvalidArgument(
            f"{location} is {kind}, not logs; give a log file or a folder of logs."
        )
    return Log(location).absolute


def _refuse_changed_sources(before: Store, places: Sequence[str]) -> None:
    """Refuse to update a store that other package versions read, or with logs outside `places`."""
    if before.readers != reader_versions():
        raise InvalidArgument(
            f"--output {before.folder}: {before.readers} read its logs, and this is "
            f"{reader_versions()}; --rebuild reads all logs again."
        )
    if missing := [place for place in before.places if place not in places]:
        raise InvalidArgument(
            f"--output {before.folder}: it holds the logs of {missing[0]} too. Give that path too, "
            "or --rebuild for a store of these logs alone."
        )


def write_record(folder: Path, log: Log, key: str, record: bytes) -> StoredLog:
    """Write the record file of a log into a store's folder; return the log's entry.

    Args:
        folder: Folder of the store.
        log: The log.
        key: Key of the record file, from `record_key`.
        record: Content of the record file.
    """
    facts = read_record_facts(record)
    model_folder = folder / "judgments" / _folder_name(facts["task"]) / _folder_name(facts["model"])
    file = model_folder / f"{key}-{hashlib.sha256(record).hexdigest()}.parquet"
    write_whole(file, record)
    return _entry_of_record(log, file, facts)


def _entry_of_record(log: Log, file: Path, facts: Mapping[str, Any] | None = None) -> StoredLog:
    relative = "/".join(file.parts[-4:])
    return StoredLog(log, relative, record=facts or read_record_facts(file))


def _folder_name(text: str) -> str:
    """Return a folder name for a text, such as a model's name: shortened with a hash if it is long.

    File systems allow 255 bytes; a name of dots alone would lead to another folder.
    """
    name = quote(text, safe=" ")
    is_usable = len(name) <= 200 and name.strip(".")
    return name if is_usable else f"{name[:180]}-{fingerprint(text)}"


def _read_manifest(folder: Path, *, required: bool = False) -> Store | None:
    """Return the store that a folder's manifest describes; its record files are not read.

    Without a readable manifest file the result is None. If its content is not that of a store's
    manifest, the result is None too; but the file is refused if a manifest is `required`, or if
    the folder has record files of a store.

    Raises:
        InvalidArgument: The manifest does not match its checksum, is of another version, or names a
            file that is not a record file.
    """
    try:
        content = (folder / MANIFEST).read_bytes()
    except OSError:
        return None
    try:
        manifest = json.loads(content)
        writer = manifest.pop("made_by")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        writer = None
    if writer != _WRITER:
        _refuse_other_manifest(folder, required=required)
        return None
    _check_manifest(manifest, folder)
    try:
        entries = [StoredLog(Log(**entry.pop("log")), **entry) for entry in manifest.pop("entries")]
        store = Store(folder, **manifest, entries=entries)
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidArgument(
            f"{folder}: its {MANIFEST} is of another version ({excerpt(error, 100)}); use that "
            "version."
        ) from error
    for entry in entries:
        if entry.file and not _RECORD_PATH.fullmatch(entry.file):
            raise InvalidArgument(
                f"{folder}: its {MANIFEST} names {entry.file!r:.80}, which is not a record file; "
                "ingest its logs into a new folder."
            )
    return store


def _refuse_other_manifest(folder: Path, *, required: bool) -> None:
    """Refuse a manifest that no ingest wrote, as damaged if the folder has record files of a store.

    Without record files it is refused only if it is `required`.
    """
    for file in folder.glob(f"{_MODEL_FOLDERS}/*.parquet"):
        if _RECORD_FILE.fullmatch(file.name):
            raise InvalidArgument(
                f"{folder}: its {MANIFEST} is damaged; ingest its logs into a new folder."
            )
    if required:
        raise InvalidArgument(
            f"--output {folder}: its {MANIFEST} is not that of a store; give a new or empty folder."
        )


def _check_manifest(manifest: dict[str, Any], folder: Path) -> None:
    """Refuse a manifest of another format, with a wrong checksum or with unknown fields.

    Format and checksum are removed from `manifest`.
    """
    if (version := manifest.pop("format", None)) != FORMAT:
        raise InvalidArgument(
            f"{folder} is a store of format {version!r:.20}, and this version reads {FORMAT}; "
            "ingest its logs into a new folder."
        )
    if manifest.pop("sha256", "") != _checksum(manifest):
        raise InvalidArgument(
            f"{folder}: its {MANIFEST} does not match its checksum; ingest its logs into a new "
            "folder."
        )
    if unknown := sorted(manifest.keys() - _MANIFEST_FIELDS):
        raise InvalidArgument(
            f"{folder}: its {MANIFEST} has {unknown[0]!r:.40}, which this version does not know; "
            "use the version that wrote it."
        )


_MANIFEST_FIELDS = {item.name for item in fields(Store)} - {"folder", "damaged"}
"""Fields of a store that its manifest holds."""
_RECORD_FILE = re.compile(r"[0-9a-f]{32}-[0-9a-f]{64}\.parquet")
"""Name of a record file: its key and its checksum."""
_RECORD_PATH = re.compile(rf"judgments/(?!\.+/)[^/]+/(?!\.+/)[^/]+/{_RECORD_FILE.pattern}")
"""Path of a record file in the store, by task and model; a folder of dots could leave the store."""


def _checksum(manifest: Mapping[str, Any]) -> str:
    """Return the sha256 of a manifest, which does not depend on spaces and the order of keys."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def write_manifest(store: Store) -> None:
    """Replace a store's manifest, after all files that it names are on the disk."""
    manifest = {name: value for name, value in vars(store).items() if name in _MANIFEST_FIELDS}
    manifest["entries"] = []
    for entry in store.entries:  # without `new_record`, which no file holds
        facts = {"file": entry.file, "error": entry.error, "record": entry.record}
        manifest["entries"].append({"log": asdict(entry.log), **facts})
    manifest = json.loads(json.dumps(manifest))  # tuples and lists have one checksum
    header = {"made_by": _WRITER, "format": FORMAT, "sha256": _checksum(manifest)}
    text = json.dumps({**header, **manifest}, indent=1)
    for written_folder in [*store.folder.glob(_MODEL_FOLDERS), store.folder]:
        _flush_folder(written_folder)
    write_whole(store.folder / MANIFEST, text.encode())
    _flush_folder(store.folder)


def _flush_folder(folder: Path) -> None:
    """Write a folder's list of files to the disk, so that a power cut cannot lose new files."""
    if os.name == "posix":  # Windows cannot open a folder
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _remove_old_files(store: Store) -> None:
    """Remove record files that the store no longer refers to, and unfinished manifests.

    Interrupted ingests leave such manifests. Files with names of another form are the user's.
    """
    current = {store.folder / entry.file for entry in store.entries}
    for model_folder in store.folder.glob(_MODEL_FOLDERS):
        for file in model_folder.iterdir():
            if RECORD_FILES.fullmatch(file.name) and file not in current:
                file.unlink()
        if not any(model_folder.iterdir()):
            model_folder.rmdir()
    for unfinished in store.folder.glob(f"{MANIFEST}.*.new"):
        unfinished.unlink()
