"""Files from the internet: pinned by address and sha256 in `sources.toml`, downloaded once."""

import logging
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypedDict
from uuid import uuid4

import platformdirs
import pooch

from inspect_confidence.arguments import standing
from inspect_confidence.datasets.forms import fault_of
from inspect_confidence.errors import DataUnavailable
from inspect_confidence.redaction import scrub

CACHE_VARIABLE = "INSPECT_CONFIDENCE_DATA"
"""Environment variable that names the cache folder."""

BUNDLED_INSTEAD = "-T dataset=bundled"
"""What a user without a network can do where questions can't be downloaded."""


@dataclass(frozen=True)
class Source:
    """A file as published.

    Attributes:
        name: Where it lies in the cache folder, as `fermi/questions.json`.
        url: Its address at a fixed revision; empty for a form of its rows that has none.
        sha256: Of its bytes; None where the address names a revision and nobody has published it.
        columns: Of a file without sha256, those that it must have.
        rows: Name of the source with the same rows in another form, which is read instead where
            somebody has put it into the cache folder.
    """

    name: str
    url: str = ""
    sha256: str | None = None
    columns: Sequence[str] = ()
    rows: str = ""


_PINNED = (resources.files("inspect_confidence.datasets") / "sources.toml").read_text("utf-8")

SOURCES = {name: Source(name, **pinned) for name, pinned in tomllib.loads(_PINNED).items()}
"""Every file that can be downloaded, by name."""


def cache_folder() -> Path:
    """The folder that downloads are kept in."""
    named = os.environ.get(CACHE_VARIABLE)
    if not named:
        return Path(platformdirs.user_cache_dir("inspect_confidence"))
    return standing() / Path(named).expanduser()


def fetch(source: Source, *, instead: str) -> Path:
    """The file in the cache, downloaded first where it isn't there or differs.

    Args:
        source: What to fetch.
        instead: What a user without a network can do, for the error.

    Raises:
        DataUnavailable: The download failed or gave something else; the cache is as before.
    """
    folder = cache_folder()
    pooch.get_logger().setLevel(logging.WARNING)
    try:
        # Not left to pooch: of several processes it fails in all but one.
        (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
        if source.sha256:
            known = f"sha256:{source.sha256}"
            return Path(pooch.retrieve(source.url, known, fname=source.name, path=folder))
        return _unpinned(source, folder)
    except Exception as error:  # requests, the file system and pooch each have their own
        raise _not_had(source, folder, error, instead) from error


def _unpinned(source: Source, folder: Path) -> Path:
    """The file, downloaded beside its place first where it isn't there or isn't what it should be.

    Raises:
        ValueError: What came is not of the form or has not the columns.
    """
    file = folder / source.name
    if file.exists() and not fault_of(file, source.columns, thorough=False):
        return file
    beside = file.with_name(f"{uuid4().hex}{file.suffix}")
    name = beside.relative_to(folder).as_posix()
    try:
        pooch.retrieve(source.url, None, fname=name, path=folder)
        if fault := fault_of(beside, source.columns):
            raise ValueError(f"what came can't be used: {fault}")
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    return file


def _not_had(source: Source, folder: Path, error: Exception, instead: str) -> DataUnavailable:
    """The error of a file that could not be had: its address, its place, and what works without."""
    # A proxy's address may hold a password.
    reason = scrub(str(error).splitlines()[0][:400]) if str(error) else type(error).__name__
    pinned = f" with sha256 {source.sha256}" if source.sha256 else ""
    if (folder / source.name).exists():
        why = "has another sha256" if pinned else "is not what it should be"
        reason += f"; the file that is there {why}"
    return DataUnavailable(
        f"Could not get {source.url}{pinned} into the cache folder {folder} ({reason}). Put the "
        f"file there as {source.name}, set {CACHE_VARIABLE} to a folder that has it, or use "
        f"{instead}."
    )


def fetch_text(name: str, *, instead: str = BUNDLED_INSTEAD) -> str:
    """The text of a source's file.

    Raises:
        DataUnavailable: The file could not be downloaded.
    """
    return fetch(SOURCES[name], instead=instead).read_text(encoding="utf-8")


def file_of(name: str) -> Path:
    """A source's rows in another form where they lie in the cache folder, or the file as published.

    Raises:
        DataUnavailable: The file could not be downloaded.
    """
    return fetch(_chosen(name), instead=BUNDLED_INSTEAD)


def version_of(name: str) -> str:
    """What tells the file that is read from other versions of it."""
    chosen = _chosen(name)
    return chosen.sha256 or chosen.url


class DataFile(TypedDict):
    """A file of a data set, as a log keeps it.

    Attributes:
        file: Its name: of a source, `bundled/` and the name, or of the user's own without folders.
        revision: Of the repository that the source's address names; empty where it names none.
        sha256: Of its bytes.
    """

    file: str
    revision: str
    sha256: str


def data_file(file: str | Path) -> DataFile | None:
    """What tells a file that questions are read from apart from its other versions.

    Args:
        file: The name of a source or of a bundled file, or the path of a user's own.

    Returns:
        None where a source isn't in the cache folder, as of a split that nobody asked for.
    """
    if isinstance(file, Path):
        return {"file": file.name, "revision": "", "sha256": pooch.file_hash(str(file))}
    if file not in SOURCES:
        with resources.as_file(resources.files("inspect_confidence.datasets") / "bundled") as here:
            known = pooch.file_hash(str(here / file))
        return {"file": f"bundled/{file}", "revision": "", "sha256": known}
    source = _chosen(file)
    path = cache_folder() / source.name
    if not path.is_file():
        return None
    known = source.sha256 or pooch.file_hash(str(path))
    return {"file": source.name, "revision": revision_of(source), "sha256": known}


def bundled_hashes() -> dict[str, str]:
    """The sha256 of every bundled file, under the names that logs have."""
    with resources.as_file(resources.files("inspect_confidence.datasets") / "bundled") as folder:
        files = [file for file in folder.iterdir() if file.is_file()]
        return {f"bundled/{file.name}": pooch.file_hash(str(file)) for file in files}


def revision_of(source: Source) -> str:
    """The commit that a source's address names, or nothing.

    Example:
        >>> revision_of(SOURCES["fermi/questions.json"])
        'dea8a2595651160d4f247f8a47ad9ca4aa2ceeee'
    """
    found = re.search(r"/([0-9a-f]{40})/", source.url)
    return found[1] if found else ""


def _chosen(name: str) -> Source:
    """The other form of a source's rows if its file is there and has the sha256, or the source."""
    source = SOURCES[name]
    rows = SOURCES.get(source.rows, source)
    path = cache_folder() / rows.name
    return rows if path.is_file() and pooch.file_hash(str(path)) == rows.sha256 else source
