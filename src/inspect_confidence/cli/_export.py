"""The command that writes results in the formats of papers and leaderboards."""

from collections.abc import Sequence
from pathlib import Path

import click

from inspect_confidence.cli._options import CONVENTION, DIRECTORY, PATHS, RESAMPLES, SEED
from inspect_confidence.cli._terminal import read
from inspect_confidence.export import FORMATS, RELATIONSHIPS


@click.command()
@PATHS
@click.option("--format", "form", required=True, type=click.Choice(FORMATS), help="What to write.")
@DIRECTORY
@RESAMPLES
@SEED
@CONVENTION
@click.option(
    "--organization",
    default="unknown",
    show_default=True,
    help="Who evaluated, as every-eval-ever records it.",
)
@click.option(
    "--relationship",
    type=click.Choice(RELATIONSHIPS),
    default="other",
    show_default=True,
    help="What they are to the model's developer.",
)
def export(
    paths: Sequence[str],
    form: str,
    directory: Path,
    resamples: int,
    seed: int,
    convention: str | None,
    organization: str,
    relationship: str,
) -> None:
    """Write the results as tables, as a leaderboard, or for public collections of results."""
    from inspect_confidence.export import export as write

    for written in write(
        read(paths),
        form,
        directory,
        logs=paths,
        resamples=resamples,
        seed=seed,
        convention=convention,
        organization=organization,
        relationship=relationship,
    ):
        click.echo(written)
