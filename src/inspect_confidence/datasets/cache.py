"""Cached downloads of the published files that `sources.toml` pins by address and sha256."""

import logging
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypedDict
from urllib.parse import urlsplit
from uuid import uuid4

import platformdirs
import pooch

from inspect_confidence.arguments import shell_folder
from inspect_confidence.datasets.forms import fault_of
from inspect_confidence.errors import DataUnavailable
from inspect_confidence.printing import excerpt
from inspect_confidence.redaction import scrub

CACHE_VARIABLE = "INSPECT_CONFIDENCE_DATA"
"""Environment variable that names the cache folder."""

BUNDLED_INSTEAD = "-T dataset=bundled"
"""Alternative to a download of questions, named in the error of a failed download."""


@dataclass(frozen=True)
class Source:
    """A published file and its pinned version.

    Attributes:
        name: Path in the cache folder, such as `fermi/questions.json`.
        url: Address at a fixed revision; empty for a converted file that has no address.
        sha256: Hash of the file's bytes; None if only the revision in the address is pinned.
        columns: Columns that a file without sha256 must have.
        rows: Name of the source with the same rows in another form. That file is read instead if
            somebody has put it into the cache folder.
    """

    name: str
    url: str = ""
    sha256: str | None = None
    columns: Sequence[str] = ()
    rows: str = ""


_PINNED = (resources.files("inspect_confidence.datasets") / "sources.toml").read_text("utf-8")

SOURCES = {name: Source(name, **pinned) for name, pinned in tomllib.loads(_PINNED).items()}
"""All downloadable files by name."""


def cache_folder() -> Path:
    """Return the folder of downloaded files: that of the environment variable, or the user's cache.

    A relative path in the variable is relative to the user's working folder.
    """
    configured = os.environ.get(CACHE_VARIABLE)
    if not configured:
        return Path(platformdirs.user_cache_dir("inspect_confidence"))
    return shell_folder() / Path(configured).expanduser()


def fetch(source: Source, *, alternative: str) -> Path:
    """Return the cached file of a source; download it first if it is absent or differs.

    `alternative` is what the user can do without the download, for the error message.

    Raises:
        DataUnavailable: The download failed or its content differs; the cache is unchanged.
    """
    folder = cache_folder()
    pooch.get_logger().setLevel(logging.WARNING)
    try:
        # pooch's own creation of folders fails if several processes download at once.
        (folder / source.name).parent.mkdir(parents=True, exist_ok=True)
        if source.sha256:
            known_hash = f"sha256:{source.sha256}"
            return Path(pooch.retrieve(source.url, known_hash, fname=source.name, path=folder))
        return _fetch_unpinned(source, folder)
    except Exception as error:  # requests, the file system and pooch raise different errors
        raise _download_error(source, folder, error, alternative) from error


def _fetch_unpinned(source: Source, folder: Path) -> Path:
    """Return the cached file of a source without sha256; download it if it is absent or broken.

    The download goes to a temporary file, which replaces the cached file only if it is valid.

    Raises:
        ValueError: The downloaded file has another form or lacks a column.
    """
    file = folder / source.name
    if file.exists() and not fault_of(file, source.columns, thorough=False):
        return file  # for speed only its columns are checked
    download = file.with_name(f"{uuid4().hex}{file.suffix}")
    name = download.relative_to(folder).as_posix()
    try:
        pooch.retrieve(source.url, None, fname=name, path=folder)
        if fault := fault_of(download, source.columns):
            raise ValueError(f"the downloaded file can't be used: {fault}")
        download.replace(file)
    finally:
        download.unlink(missing_ok=True)
    return file


def _download_error(
    source: Source, folder: Path, error: Exception, alternative: str
) -> DataUnavailable:
    """Return the error of a failed download, with the address, the cache path and a remedy."""
    if type(error).__name__ == "ConnectionError":  # of requests; its text repeats the address
        reason = f"no connection to {urlsplit(source.url).hostname}"
    elif str(error):
        # The error may quote a proxy's address with a password, which `scrub` removes.
        reason = excerpt(scrub(str(error).splitlines()[0]), 120)
    else:
        reason = type(error).__name__
    pinned = f" with sha256 {source.sha256}" if source.sha256 else ""
    if (folder / source.name).exists():
        difference = "has another sha256" if pinned else "is not valid"
        reason += f"; the file in the cache {difference}"
    return DataUnavailable(
        f"{source.url} could not be downloaded. Use {alternative}, or put the file{pinned} into "
        f"{folder} as {source.name}; {CACHE_VARIABLE} names another folder. Reason: {reason}"
    )


def fetch_text(name: str, *, alternative: str = BUNDLED_INSTEAD) -> str:
    """Return the text of the file of a source in `SOURCES`, downloaded if it is not cached.

    `alternative` is what the user can do without the download, for the error message.

    Raises:
        DataUnavailable: The file could not be downloaded.
    """
    return fetch(SOURCES[name], alternative=alternative).read_text(encoding="utf-8")


def file_of(name: str) -> Path:
    """Return the path of a source's file, or of the cached file with the same rows in another form.

    Raises:
        DataUnavailable: The file could not be downloaded.
    """
    return fetch(_preferred_source(name), alternative=BUNDLED_INSTEAD)


def version_of(name: str) -> str:
    """Return the sha256, or else the address, of the file that is read for a source."""
    source = _preferred_source(name)
    return source.sha256 or source.url


class DataFile(TypedDict):
    """Name and version of a data set's file, as written into a log.

    Attributes:
        file: Name of the source, `bundled/` and the file name, or the name of the user's file
            without its folders.
        revision: Commit named in the source's address; empty if it names none.
        sha256: Hash of the file's bytes.
    """

    file: str
    revision: str
    sha256: str


def data_file(file: str | Path) -> DataFile | None:
    """Return the name, revision and hash of a file that questions are read from.

    The file is a source or a bundled file (by name), or a user's file (by path). The result is None
    if a source isn't in the cache folder, for instance because its split isn't used.
    """
    if isinstance(file, Path):
        return {"file": file.name, "revision": "", "sha256": pooch.file_hash(str(file))}
    if file not in SOURCES:
        name = f"bundled/{file}"
        return {"file": name, "revision": "", "sha256": bundled_hashes()[name]}
    source = _preferred_source(file)
    path = cache_folder() / source.name
    if not path.is_file():
        return None
    sha256 = source.sha256 or pooch.file_hash(str(path))
    return {"file": source.name, "revision": revision_of(source), "sha256": sha256}


def bundled_hashes() -> dict[str, str]:
    """Return the sha256 of every bundled file, by its name in logs."""
    with resources.as_file(resources.files("inspect_confidence.datasets") / "bundled") as folder:
        files = [file for file in folder.iterdir() if file.is_file()]
        return {f"bundled/{file.name}": pooch.file_hash(str(file)) for file in files}


def revision_of(source: Source) -> str:
    """Return the commit that a source's address names, or an empty text.

    Example:
        >>> revision_of(SOURCES["fermi/questions.json"])
        'dea8a2595651160d4f247f8a47ad9ca4aa2ceeee'
    """
    match = re.search(r"/([0-9a-f]{40})/", source.url)
    return match[1] if match else ""


def _preferred_source(name: str) -> Source:
    """Return the source, or that with the same rows in another file format if it is cached.

    A cached file with another sha256 does not count.
    """
    source = SOURCES[name]
    other_format = SOURCES.get(source.rows, source)  # `rows` is that source's name, often empty
    path = cache_folder() / other_format.name
    is_valid = path.is_file() and pooch.file_hash(str(path)) == other_format.sha256
    return other_format if is_valid else source
