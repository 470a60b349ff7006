"""Files from the internet: pinned by address and sha256 in `sources.toml`, downloaded once."""

import logging
import os
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import platformdirs
import pooch

from inspect_confidence.arguments import standing
from inspect_confidence.errors import DataUnavailable

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
        rows: Name of the source with the same rows in another form, which is read instead where
            somebody has put it into the cache folder.
    """

    name: str
    url: str = ""
    sha256: str | None = None
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
        known = f"sha256:{source.sha256}" if source.sha256 else None
        path = pooch.retrieve(source.url, known, fname=source.name, path=folder)
    except Exception as error:  # requests, the file system and pooch each have their own
        reason = str(error).splitlines()[0][:400] if str(error) else type(error).__name__
        if (folder / source.name).exists():
            reason += "; the file that is there has another sha256"
        raise DataUnavailable(
            f"Could not get {source.url} with sha256 {source.sha256} into the cache folder "
            f"{folder} ({reason}). Put the file there as {source.name}, set {CACHE_VARIABLE} to a "
            f"folder that has it, or use {instead}."
        ) from error
    return Path(path)


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


def _chosen(name: str) -> Source:
    """The other form of a source's rows if its file is there and has the sha256, or the source."""
    source = SOURCES[name]
    rows = SOURCES.get(source.rows, source)
    path = cache_folder() / rows.name
    return rows if path.is_file() and pooch.file_hash(str(path)) == rows.sha256 else source
