"""Prints the tables of docs/benchmarks.md: `python benchmarks`, or some parts by name."""

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

import click
from threadpoolctl import threadpool_limits

import commands
import counting
import elicitation
import many
import resampling
import sensitivity
import study
import whole_report

PARTS: Mapping[str, Callable[[], str]] = {
    "commands": commands.run,
    "resampling": resampling.run,
    "sensitivity": sensitivity.run,
    "study": study.run,
    "many": many.run,
    "stores": many.run_stores,
    "elicitation": elicitation.run,
    "report": whole_report.run,
    "counting": counting.run,
}

COMPARED = ("resampling", "sensitivity")
"""Parts with peers."""


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
def main(parts: tuple[str, ...]) -> None:
    """Time the given PARTS, or all of them."""
    if len(parts) == 1:
        click.echo(f"Python {platform.python_version()}, {os.cpu_count()} cores")
        (name,) = parts
        # Beside peers on one thread; all else as a user runs it.
        with threadpool_limits(limits=1) if name in COMPARED else nullcontext():
            click.echo(f"\n{PARTS[name]()}\n")
        return
    # The peak memory of a command counts that of the process which starts it, so that each part
    # has a process of its own.
    for name in parts or PARTS:
        subprocess.run([sys.executable, Path(__file__).parent, name], check=True)


if __name__ == "__main__":
    main()
