"""Prints the tables of docs/benchmarks.md: `python benchmarks`, or some parts by name."""

import os
import platform
from collections.abc import Callable, Mapping

import click
from threadpoolctl import threadpool_limits

import counting
import elicitation
import many
import resampling
import sensitivity
import study
import whole_report

PARTS: Mapping[str, Callable[[], str]] = {
    "resampling": resampling.run,
    "sensitivity": sensitivity.run,
    "study": study.run,
    "many": many.run,
    "stores": many.run_stores,
    "elicitation": elicitation.run,
    "report": whole_report.run,
    "counting": counting.run,
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
def main(parts: tuple[str, ...]) -> None:
    """Time the given PARTS, or all of them, each on one thread of one process."""
    click.echo(f"Python {platform.python_version()}, {os.cpu_count()} cores, one thread")
    with threadpool_limits(limits=1):
        for name in parts or PARTS:
            click.echo(f"\n{PARTS[name]()}")


if __name__ == "__main__":
    main()
