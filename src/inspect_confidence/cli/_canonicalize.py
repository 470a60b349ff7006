"""The command that groups hedge markers."""

from collections.abc import Sequence
from pathlib import Path

import click

from inspect_confidence.cli._options import OUTPUT, PATHS
from inspect_confidence.cli._terminal import read


@click.command()
@PATHS
@OUTPUT
@click.option(
    "--model", help="A model that groups the markers, as Inspect names it; else rules do."
)
def canonicalize(paths: Sequence[str], output: Path, model: str | None) -> None:
    """Write which form stands for each hedge marker, for `summarize --markers`."""
    from inspect_confidence._canonicalize import canonical_forms
    from inspect_confidence._marker_forms import write_forms

    forms = canonical_forms(read(paths), model=model)
    write_forms(forms, output)
    click.echo(f"{len(forms)} markers, {len(set(forms.values()))} forms written to {output}")
