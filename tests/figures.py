"""Figures that long tests find, added to the files that the docs are made of."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from build import attributes_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = Callable[[str, object], None]
"""Pytest's fixture `record_property`, by which long tests print their figures."""


def add(path: Path, figure: DataclassInstance) -> None:
    """Add a line; one write, so that processes side by side don't mix theirs."""
    if not path.exists():
        path.write_text(",".join(attributes_of(fields(figure), "name")) + "\n")
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerow(asdict(figure).values())
