"""Provenance of a run, to audit and repeat it: data files, prompts, packages."""

import functools
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from inspect_confidence.datasets.cache import DataFile, data_file

PACKAGES = ("inspect_ai", "sentencex")
"""Other packages whose version can change the questions or how replies are read."""


def provenance(
    files: Iterable[str | Path], prompts: Sequence[str]
) -> dict[str, dict[str, str] | list[DataFile]]:
    """Return data files with revision and sha256, prompts' sha256 by file, and packages' versions.

    Args:
        files: Names of bundled files or of sources, or paths of the user. A source that isn't in
            the cache, such as that of an unused split, is left out.
        prompts: Modules of `inspect_confidence.prompts`. A user's wording is recorded elsewhere: as
            a fingerprint in the log's arguments `prompt` or `system`.
    """
    return {
        "data": list(filter(None, map(data_file, files))),
        "prompts": {f"prompts/{name}.py": prompt_hash(name) for name in prompts},
        "packages": {name: version(name) for name in PACKAGES},
    }


@functools.cache
def prompt_hash(name: str) -> str:
    """Return the sha256 of a module of prompts."""
    module = resources.files("inspect_confidence.prompts") / f"{name}.py"
    return hashlib.sha256(module.read_bytes()).hexdigest()


def prompt_hashes() -> dict[str, str]:
    """Return the sha256 of every module of prompts, by the name in logs."""
    folder = resources.files("inspect_confidence.prompts")
    files = [file.name for file in folder.iterdir() if file.name.endswith(".py")]
    return {f"prompts/{file}": prompt_hash(file.removesuffix(".py")) for file in files}
