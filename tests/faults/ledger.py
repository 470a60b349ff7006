"""What the package survives: each fault that was injected, for docs/reliability.md."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from figures import add

FILE = "FAULT_FIGURES"
"""The environment variable that names the csv file which faults are added to."""

ROWS = {
    "calls": "Calls that fail",
    "judge": "A judge that fails",
    "kills": "Runs that are killed",
    "writes": "Commands killed while they write",
    "disk": "Disks, caches and downloads",
    "logs": "Folders of logs",
    "tables": "Tables of users",
    "edits": "Files edited at random",
    "hostile": "Hostile text",
    "secrets": "Keys and names",
    "versions": "Versions",
    "extremes": "Extreme samples",
    "defects": "Faults seeded in our own code",
}
"""The parts of the page, and their titles."""


@dataclass(frozen=True)
class Fault:
    """A fault, injected some times.

    Attributes:
        part: One of `ROWS`.
        fault: What was done, in a few words.
        injected: How often.
        held: How often what must hold did.
        happened: What a user sees.
        lost: What is lost; "nothing" where nothing is.
    """

    part: str
    fault: str
    injected: int
    held: int
    happened: str
    lost: str = "nothing"


def held(part: str, fault: str, outcomes: dict[str, bool], happened: str, lost: str) -> list[str]:
    """Record a fault, and return the cases in which what must hold didn't.

    Args:
        part: One of `ROWS`.
        fault: What was done.
        outcomes: Whether it held, by case.
        happened: What a user sees.
        lost: What is lost.
    """
    assert part in ROWS
    record = Fault(part, fault, len(outcomes), sum(outcomes.values()), happened, lost)
    if path := os.environ.get(FILE):
        add(Path(path), record)
    return [case for case, good in outcomes.items() if not good]
