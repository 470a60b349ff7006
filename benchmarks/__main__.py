"""Prints the tables of docs/benchmarks.md: `python benchmarks`, or some parts by name."""

import os
import platform
from collections.abc import Callable, Mapping
from contextlib import nullcontext

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
    click.echo(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    for name in parts or PARTS:
        # Beside peers on one thread; all else as a user runs it.
        with threadpool_limits(limits=1) if name in COMPARED else nullcontext():
            click.echo(f"\n{PARTS[name]()}")


if __name__ == "__main__":
    main()
