"""The command that writes judgments to a file."""

from collections.abc import Sequence
from pathlib import Path

import click

from inspect_confidence.cli._options import OUTPUT, PATHS
from inspect_confidence.cli._terminal import read


@click.command()
@PATHS
@OUTPUT
def judgments(paths: Sequence[str], output: Path) -> None:
    """Write the judgments, one row each, to a csv or parquet file."""
    from inspect_confidence._files import write_file

    frames = read(paths)
    write_file(frames, output)
    click.echo(f"{sum(map(len, frames.values()))} judgments written to {output}")
