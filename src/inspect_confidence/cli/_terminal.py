"""What commands read and print."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import pandas as pd

    from inspect_confidence._judgments import Judgments

_LEFT = ("condition", "metric", "verdict")


def read(paths: Iterable[str], *, lost: str = "note") -> "Judgments":
    """Judgments with a progress bar, and the notices on standard error.

    Args:
        paths: As `read_judgments` takes them.
        lost: What a notice of lost data begins with.
    """
    from rich.console import Console
    from rich.progress import track

    from inspect_confidence._judgments import read_judgments

    console = Console(stderr=True)
    frames = read_judgments(
        list(paths),
        progress=lambda logs: track(
            logs, "Reading logs", console=console, transient=True, disable=len(logs) < 2
        ),
    )
    for notice in frames.notices:
        click.echo(f"{lost if notice in frames.lost else 'note'}: {notice}", err=True)
    return frames


def print_json(frame: "pd.DataFrame") -> None:
    """A JSON array with null for NaN; infinite numbers as the texts Infinity and -Infinity."""
    import json
    import math

    def plain(value: object) -> object:
        if isinstance(value, float) and not math.isfinite(value):
            return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return value

    rows = [{name: plain(value) for name, value in row.items()} for row in frame.to_dict("records")]
    click.echo(json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False))


def print_table(table: "pd.DataFrame", title: str, caption: str) -> None:
    """A table for people; as wide as it needs to be where the output isn't a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console = Console(width=1_000)
    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    # As texts: names may hold brackets, which are markup otherwise.
    for column in table:
        shown.add_column(
            Text(str(column).replace(" ", "\n", 1)),
            justify="left" if column in _LEFT else "right",
        )
    for row in table.itertuples(index=False):
        shown.add_row(*(Text(str(value)) for value in row))
    console.print(title, style="bold", markup=False, emoji=False, highlight=False)
    console.print(shown, highlight=False)
    if caption:
        console.print(f"{caption}\n", markup=False, emoji=False, highlight=False)
