"""The command that prints what to cite."""

from collections.abc import Sequence

import click

from inspect_confidence.cli._options import PATHS
from inspect_confidence.cli._terminal import read


@click.command()
@PATHS
@click.option(
    "--only",
    type=click.Choice(["bibtex", "settings"]),
    help="Only the references, or only the paragraphs on how judgments came about.",
)
def cite(paths: Sequence[str], only: str | None) -> None:
    """Print BibTeX of what the judgments rest on, and a paragraph a task on its settings."""
    from inspect_confidence._cite import cite as compute

    found = compute(list(paths), judgments=read(paths))
    for name in found.unknown:
        click.echo(f"note: no reference is known for {name}; cite its source too.", err=True)
    shown = {"bibtex": found.bibtex, "settings": found.settings}
    parts = [one for name, some in shown.items() if only in (None, name) for one in some]
    click.echo("\n\n".join(parts))
