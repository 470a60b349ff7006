"""What Every Eval Ever itself says of exported files: the checks of its released package.

The package needs Python 3.12. On 3.11 its schemas, copied beside this file, stand for it; there a
slow test runs it in an environment that uv makes.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import jsonschema

SCHEMAS = Path(__file__).parent / "every_eval_ever_schemas"
IS_HERE = find_spec("every_eval_ever") is not None


def problems(folder: Path) -> list[str]:
    """What is wrong with the files of a folder, as far as this Python can tell."""
    files = sorted([*folder.rglob("data/**/*.json"), *folder.rglob("data/**/*.jsonl")])
    assert files
    check = _released if IS_HERE else _by_schema
    found_problems = []
    for file in files:
        found_problems += check(file, folder)
    return found_problems


def _released(file: Path, folder: Path) -> list[str]:
    from every_eval_ever.validator import validate_file  # noqa: PLC0415 # not on Python 3.11

    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    report = validate_file(
        file,
        repo_path=file.relative_to(folder).as_posix(),
        available_files=names,
        read_repo_file=lambda name: (folder / name).read_text("utf-8"),
        run_semantic_checks=True,
    )
    # It warns of models of tests, which no developer's name goes before.
    return [f"{file.name}: {error}" for error in report.errors]


def _by_schema(file: Path, folder: Path) -> list[str]:
    is_aggregate = file.suffix == ".json"
    name = "eval" if is_aggregate else "instance_level_eval"
    text = file.read_text("utf-8")
    texts = [text] if is_aggregate else text.split("\n")[:-1]
    records: list[Any] = list(map(json.loads, texts))
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    errors = chain.from_iterable(map(validator.iter_errors, records))
    return [f"{file.name}: {error.json_path}: {error.message}" for error in errors]
