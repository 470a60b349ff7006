"""Files from the internet: pinned by address and sha256, downloaded once."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pooch

from inspect_confidence.arguments import standing
from inspect_confidence.errors import DataUnavailable

CACHE_VARIABLE = "INSPECT_CONFIDENCE_DATA"
"""Environment variable that names the cache folder."""


@dataclass(frozen=True)
class Source:
    """A file as published.

    Attributes:
        name: Where it lies in the cache folder, as `fermi/questions.json`.
        url: Its address at a fixed revision.
        sha256: Of its bytes; None where the address names a revision and nobody has published it.
    """

    name: str
    url: str
    sha256: str | None


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


def cached(source: Source) -> Path | None:
    """The file in the cache if it is there and has the sha256; None otherwise."""
    path = cache_folder() / source.name
    there = path.is_file() and pooch.file_hash(str(path)) == source.sha256
    return path if there else None
