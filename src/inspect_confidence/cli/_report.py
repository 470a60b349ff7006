"""The command that writes the report."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from inspect_confidence.cli._options import CONVENTION, DIRECTORY, PATHS, RESAMPLES, SEED
from inspect_confidence.cli._terminal import read


@click.command()
@PATHS
@DIRECTORY
@click.option("--published", is_flag=True, help="Show the studies' published figures beside.")
@click.option(
    "--baseline",
    metavar="MODEL",
    help="Show every model's paired differences from this one, named as in the logs.",
)
@RESAMPLES
@SEED
@CONVENTION
def report(
    paths: Sequence[str],
    directory: Path,
    published: bool,
    baseline: str | None,
    resamples: int,
    seed: int,
    convention: str | None,
) -> None:
    """Write a page of all results, index.html, its figures and its tables to a folder."""
    from inspect_confidence.report import write_report

    page = write_report(
        read(paths),
        directory,
        logs=paths,
        published=published,
        baseline=baseline,
        workers=os.cpu_count() or 1,
        resamples=resamples,
        seed=seed,
        convention=convention,
    )
    click.echo(f"report written to {page}")
