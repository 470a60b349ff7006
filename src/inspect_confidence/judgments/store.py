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
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inspect_confidence.arguments import fingerprint
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.executors import Executing, read_records
from inspect_confidence.judgments.files import SUFFIXES
from inspect_confidence.judgments.places import LOGS, Log, logs_at
from inspect_confidence.judgments.runs import (
    FORMAT,
    OURS,
    Run,
    decode,
    readers,
    record_of,
)
from inspect_confidence.studies import NOTHING_SAID, Recorded, all_tables
from inspect_confidence.writing import name_write_errors, write_whole

MANIFEST = "manifest.json"
_MADE_BY = "inspect-confidence ingest"
_PARTS = "judgments/*/*"


@dataclass(frozen=True)
class Entry:
    """A log of a store.

    Attributes:
        log: Which, and the state that was read.
        file: Its record file, from the store's folder; empty where the log can't be read.
        error: Then why.
        record: What the record file says beside the judgments.
        reread: The record, if it was read again from the log because its file is damaged.
    """

    log: Log
    file: str = ""
    error: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
    reread: bytes = b""


Found = Run | str
"""What was read of a log, or why it can't be read."""


@dataclass(frozen=True)
class Store:
    """A store as its manifest describes it.

    Attributes:
        folder: Where it lies.
        places: Whose logs it holds.
        recorded: What was said of logs of others.
        readers: What read the logs.
        build: How often all logs were read anew on request.
        entries: Its logs, in the order in which `read_judgments` reads them.
        whole: Whether any ingest has ended.
        unfinished: The build that an ingest has begun, and not ended; else None.
        damaged: Notices of record files that don't match their checksum.
    """

    folder: Path
    places: Sequence[str] = ()
    recorded: Sequence[Any] = ()
    readers: str = ""
    build: int = 0
    entries: Sequence[Entry] = ()
    whole: bool = False
    unfinished: int | None = None
    damaged: Sequence[str] = ()

    def read(self, entry: Entry) -> Found:
        """Read what the record of a log holds, or why there is none."""
        if not entry.file:
            return entry.error
        return decode(entry.reread or self.folder / entry.file)

    def verified(self) -> "Store":
        """Return the store with every record file compared with its checksum.

        A log whose record file is missing or damaged is read again. If that fails too, its entry
        has an error and no judgments.
        """
        entries, damaged = list[Entry](), list[str]()
        for entry in self.entries:
            if not entry.file or is_intact(self.folder / entry.file):
                entries.append(entry)
                continue
            ((_, outcome),) = read_records([entry.log], recorded=self._arguments())
            problem = f"its record {self.folder / entry.file} is damaged"
            if isinstance(outcome, bytes):
                record = record_of(outcome)
                entries.append(replace(entry, record=record, reread=outcome))
                damaged.append(
                    f"{entry.log.location}: {problem}, so the log was read again; `ingest` writes "
                    "the record anew"
                )
            else:
                entries.append(Entry(entry.log, error=f"{problem}, and so is the log: {outcome}"))
        return replace(self, entries=entries, damaged=damaged)

    def _arguments(self) -> Recorded:
        """The arguments that its logs were read with."""
        if not self.recorded:
            return NOTHING_SAID
        confidence, scale, score, by = self.recorded
        low_and_high = (scale[0], scale[1]) if scale else None
        return Recorded(tuple(confidence), low_and_high, score or None, tuple(by))

    def notices(self) -> list[str]:
        """What a reader of its judgments must know."""
        said = []
        if self.readers != readers():
            said.append(
                f"{self.folder} holds judgments as {self.readers} read them, and this is "
                f"{readers()}: ingest with --rebuild reads all logs again"
            )
        if self.unfinished is not None:
            said.append(
                f"{self.folder}: an ingest has not ended, and these are the judgments from before "
                "it; run it again"
            )
        return [*said, *self.damaged]


def read_arguments(recorded: Recorded) -> list[Any]:
    """The arguments that say how logs of other evals are read, as JSON returns them."""
    return [
        list(recorded.confidence),
        list(recorded.scale or ()),
        recorded.score or "",
        list(recorded.by),
    ]


def record_key(log: Log, recorded: Recorded, build: int) -> str:
    """Key of everything that decides what a record holds: log, state, readers and arguments."""
    text = json.dumps([FORMAT, readers(), log.state, read_arguments(recorded), build])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def is_intact(file: Path) -> bool:
    """Whether a record file is there and matches the checksum in its name."""
    try:
        with file.open("rb") as opened:
            checksum = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return False
    return file.stem.endswith(f"-{checksum}")


def store_at(place: str) -> Store | None:
    """The store at a place, if one is there.

    Raises:
        InvalidArgument: It can't be used: no ingest has ended, or another format.
    """
    store = _described(Path(place)) if "://" not in place else None
    if store and not store.whole:
        raise InvalidArgument(
            f"PATH={place}: the ingest of this store has not ended; run it again, and it goes on "
            "from where it was."
        )
    return store


def find_logs(place: str) -> list[str]:
    """The logs at a place (a log, a folder of them, or a store), newest first.

    Raises:
        InvalidArgument: There is no such place.
    """
    store = store_at(place)
    logs = [one.log for one in store.entries] if store else logs_at(place)
    return [log.location for log in logs if not log.unreadable]


def check_recorded(store: Store, recorded: Recorded) -> None:
    """Refuse other words on logs of others than those that the store was read with."""
    others = {task for task, table in all_tables().items() if table.fallback}
    held = any(entry.record.get("task") in others for entry in store.entries)
    if held and read_arguments(recorded) not in (read_arguments(NOTHING_SAID), store.recorded):
        raise InvalidArgument(
            f"PATH={store.folder}: its logs were not read with these --confidence-from, "
            "--confidence-scale, --score and --by; ingest them with the same, or name the logs."
        )


@dataclass(frozen=True)
class Ingested:
    """What an ingest did.

    Attributes:
        read: Logs that were read.
        known: Logs whose judgments were there.
        gone: Logs that the store had, and that are no longer at their places.
        judgments: In the store now.
        notices: Logs that can't be read, with the reason.
        unread: How many logs can't be read.
    """

    read: int
    known: int
    gone: int
    judgments: int
    notices: Sequence[str]
    unread: int = 0


Paths = str | PathLike[str] | Iterable[str | PathLike[str]]


def ingest(
    logs: Paths,
    store: str | PathLike[str],
    *,
    executor: Executing = None,
    rebuild: bool = False,
    recorded: Recorded = NOTHING_SAID,
    progress: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> Ingested:
    """Put the judgments of logs into a store; of logs that are there already only what changed.

    One log is in memory at a time. An ingest that was interrupted goes on where it was.

    Args:
        logs: Logs, or folders of them, anywhere Inspect reads. All that the store shall hold: logs
            that are gone from there go from the store.
        store: A local folder: new, empty, or a store.
        executor: Reads the logs: any `concurrent.futures.Executor`, or what `--executor` takes.
        rebuild: Whether all logs are read again.
        recorded: Where logs of other evals hold confidence and what is right.
        progress: Wraps the list of logs while they are read, to show how far it is.

    Raises:
        InvalidArgument: The folder holds something else, another ingest writes to it, the store was
            read by another version or holds the logs of other places (and `rebuild` isn't said),
            or a place isn't there.
    """
    folder = _usable(fspath(store))
    places = [_place(one) for one in ([logs] if isinstance(logs, str | PathLike) else logs)]
    listed = [log for place in places for log in logs_at(place)]
    with name_write_errors(folder), _alone(folder):
        before = _described(folder) or Store(folder)
        if not rebuild and before.whole:
            _check_same(before, places)
        build = before.build + rebuild if before.unfinished is None else before.unfinished
        wanted = {record_key(log, recorded, build): log for log in listed}
        files = {
            file.stem.partition("-")[0]: file
            for file in folder.glob(f"{_PARTS}/*.parquet")
            if is_intact(file)
        }
        new = {name: log for name, log in wanted.items() if name not in files}
        gone = {entry.log.absolute for entry in before.entries} - {log.absolute for log in listed}
        entries = {name: _entry(log, files[name]) for name, log in wanted.items() if name in files}
        write_manifest(replace(before, unfinished=build))
        unread, said = list(new), list[str]()
        bar = iter(progress([log.location for log in new.values()]))
        next(bar, None)
        for number, found in read_records(
            list(new.values()), executor=executor, recorded=recorded, notices=said
        ):
            name, log = unread[number], new[unread[number]]
            if isinstance(found, bytes):
                entries[name] = put(folder, log, name, found)
            else:
                entries[name] = Entry(log, error=found)
            next(bar, None)
        after = Store(
            *(folder, places, read_arguments(recorded), readers(), build),
            entries=[entries[name] for name in wanted],
            whole=True,
        )
        write_manifest(after)
        _clear(after)
    failed = [entry for entry in after.entries if entry.error]
    said += [
        f"{one.log.location} could not be read and was left out: {one.error}" for one in failed
    ]
    rows = sum(entry.record.get("rows", 0) for entry in after.entries)
    n = len(new) - len(failed), len(wanted) - len(new), len(gone), rows
    return Ingested(*n, said, len(failed))


def _usable(store: str) -> Path:
    if "://" in store or store.endswith((*SUFFIXES, *LOGS)):
        raise InvalidArgument(
            f"--output {store}: a store is a folder on this machine, and its name doesn't end as "
            "that of a file of judgments or of a log."
        )
    folder = Path(store).absolute()
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument(f"--output {store} is a file; a store is a folder.")
    there = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    ours = (f"{MANIFEST}.", ".lock")
    if MANIFEST in there:
        _described(folder, must=True)
    elif foreign := [name for name in there if not name.startswith(ours)]:
        raise InvalidArgument(
            f"--output {store}: {foreign[0]} is there, and no store; name a new or empty folder."
        )
    with name_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _place(place: str | PathLike[str]) -> str:
    """A place of logs, wherever one stands."""
    text = fspath(place)
    if text.endswith(SUFFIXES) or ("://" not in text and _described(Path(text))):
        raise InvalidArgument(f"{text}: logs are ingested; name them, or a folder of them.")
    return text if "://" in text else str(Path(text).absolute())


def _check_same(before: Store, places: Sequence[str]) -> None:
    if before.readers != readers():
        raise InvalidArgument(
            f"--output {before.folder}: {before.readers} read its logs, and this is {readers()}; "
            "--rebuild reads all of them again."
        )
    if left := [place for place in before.places if place not in places]:
        raise InvalidArgument(
            f"--output {before.folder}: it holds the logs of {left[0]} too. Name that again, or "
            "say --rebuild for a store of these logs alone."
        )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep a second ingest from the folder; whoever ends, or is ended, lets go of it."""
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


def put(folder: Path, log: Log, name: str, record: bytes) -> Entry:
    """Write what was read of a log to a store's folder, under that name."""
    said = record_of(record)
    part = folder / "judgments" / _named(said["task"]) / _named(said["model"])
    file = part / f"{name}-{hashlib.sha256(record).hexdigest()}.parquet"
    write_whole(file, record, durable=True)
    return _entry(log, file, said)


def _entry(log: Log, file: Path, record: Mapping[str, Any] | None = None) -> Entry:
    relative = "/".join(file.parts[-4:])
    return Entry(log, relative, record=record or record_of(file))


def _named(text: str) -> str:
    """The text as part of a path."""
    name = quote(text, safe=" ")
    usable = len(name) <= 200 and name.strip(".")  # dots alone lead to another folder
    return name if usable else f"{name[:180]}-{fingerprint(text)}"


def _described(folder: Path, *, must: bool = False) -> Store | None:
    """The store in a folder by its manifest, whose records are not read yet."""
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
        entries = [Entry(Log(**entry.pop("log")), **entry) for entry in manifest.pop("entries")]
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
    """The sha256 of what a manifest says, whatever its layout."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def write_manifest(store: Store) -> None:
    """Put a store's manifest in the place of the one before, its files being on the disk."""
    manifest = {name: value for name, value in vars(store).items() if name in _STORED}
    manifest["entries"] = [_described_entry(entry) for entry in store.entries]
    manifest = json.loads(json.dumps(manifest))  # tuples and lists have one checksum
    head = {"made_by": _MADE_BY, "format": FORMAT, "sha256": _checksum(manifest)}
    text = json.dumps({**head, **manifest}, indent=1)
    for part in [*store.folder.glob(_PARTS), store.folder]:
        _on_disk(part)
    write_whole(store.folder / MANIFEST, text.encode(), durable=True)
    _on_disk(store.folder)


def _described_entry(entry: Entry) -> dict[str, Any]:
    return {
        "log": asdict(entry.log),
        "file": entry.file,
        "error": entry.error,
        "record": entry.record,
    }


def _on_disk(folder: Path) -> None:
    """The names of its files too."""
    if os.name == "posix":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _clear(store: Store) -> None:
    """Remove files of ours that no longer count."""
    counting = {store.folder / entry.file for entry in store.entries}
    for part in store.folder.glob(_PARTS):
        for file in part.iterdir():
            if OURS.fullmatch(file.name) and file not in counting:
                file.unlink()
        if not any(part.iterdir()):
            part.rmdir()
    for left in store.folder.glob(f"{MANIFEST}.*.new"):
        left.unlink()
