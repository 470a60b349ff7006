"""Writes docs/reliability.md from the faults that `make thorough` injected."""

from pathlib import Path

import pandas as pd

from faults.ledger import ROWS

_HERE = Path(__file__).parent

_HEAD = """\
# Reliability

What the package survives, fault by fault: each was injected by a test as often as stands here, and
the page is made of what the tests found (`make thorough`, then `make docs`). *Held* counts the
times in which nothing was lost but what the last column names, nothing was guessed, and the command
ended as described, without a traceback. `make validate` injects a part of each in minutes. A row by
itself, here the runs that are killed, at twenty points each:

    KILL_POINTS=20 pytest -m slow tests/faults/test_kills.py

Other versions of what the package runs on are tried by hand and by continuous integration:

| versions | command | tests that passed |
|---|---|---|
| Python 3.12.1 and 3.13.0, numpy 2.5, pandas 3.1 | `make test PYTHON=python3.12` | 2,683 each |
| Python 3.11.7, lowest versions that pyproject.toml declares | `make lowest` | 1,134 of 1,134 |
| Debian's Python 3.11.2 | `pytest tests/answers` | 254 of 254 |

Python 3.14 was in no registry at hand.
"""


def _together(faults: pd.DataFrame) -> pd.DataFrame:
    """Faults that differ in what stands after the colon alone, and end alike, as one."""
    named = faults["fault"].str.partition(": ")
    faults = faults.assign(kind=named[0], of=named[2])
    kinds = faults.groupby(["kind", "happened", "lost"], sort=False)
    found = kinds.agg(injected=("injected", "sum"), held=("held", "sum"), of=("of", ", ".join))
    found = found.reset_index()
    said = (found["kind"] + ": " + found["of"]).str.removesuffix(": ")
    return found.assign(fault=said.str[0].str.upper() + said.str[1:])


def _part(title: str, faults: pd.DataFrame) -> str:
    head = f"\n## {title}\n\n| fault | injected | held | what happens | what is lost |\n"
    rows = [
        f"| {row.fault} | {row.injected:,} | {row.held:,} | {row.happened} | {row.lost} |\n"
        for row in _together(faults).itertuples()
    ]
    return head + "|---|---|---|---|---|\n" + "".join(rows)


def reliability() -> str:
    """The page, of all parts that have figures."""
    found = pd.read_csv(_HERE / "faults.csv", keep_default_na=False)
    parts = {part: found[found["part"] == part] for part in ROWS}
    return _HEAD + "".join(_part(ROWS[part], some) for part, some in parts.items() if len(some))


if __name__ == "__main__":
    (_HERE / "reliability.md").write_text(reliability(), encoding="utf-8")
