"""What a log keeps so that its run can be audited and made again: files, prompts, packages."""

import functools
import hashlib
from collections.abc import Iterable, Sequence
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from inspect_confidence.datasets.cache import DataFile, data_file

PACKAGES = ("inspect_ai", "sentencex")
"""Packages beside this one whose version can change what is asked or how replies are read."""


def provenance(
    files: Iterable[str | Path], prompts: Sequence[str]
) -> dict[str, dict[str, str] | list[DataFile]]:
    """Data files with revision and sha256, prompts' sha256 by file, packages' versions.

    Args:
        files: Names of bundled files or of sources, or paths of the user's own.
        prompts: Modules of `inspect_confidence.prompts`; a wording of the user's has a fingerprint
            beside it, as `prompt` or `system`.
    """
    found = (data_file(one) for one in files)
    return {
        "data": [one for one in found if one],
        "prompts": {f"prompts/{name}.py": prompt_hash(name) for name in prompts},
        "packages": {name: version(name) for name in PACKAGES},
    }


@functools.cache
def prompt_hash(name: str) -> str:
    """The sha256 of a module of prompts."""
    module = resources.files("inspect_confidence.prompts") / f"{name}.py"
    return hashlib.sha256(module.read_bytes()).hexdigest()


def prompt_hashes() -> dict[str, str]:
    """The sha256 of every module of prompts, under the names that logs have."""
    folder = resources.files("inspect_confidence.prompts")
    names = [file.name.removesuffix(".py") for file in folder.iterdir() if file.name[-3:] == ".py"]
    return {f"prompts/{name}.py": prompt_hash(name) for name in names}
