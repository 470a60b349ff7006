"""Options that several commands have."""

from pathlib import Path

import click

PATHS = click.argument("paths", nargs=-1, required=True, metavar="PATH...")
OUTPUT = click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE"
)
DIRECTORY = click.option(
    "-o",
    "--output",
    "directory",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to; made if it isn't there.",
)
RESAMPLES = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Bootstrap resamples of the items.",
)
SEED = click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
CONVENTION = click.option(
    "--convention",
    type=click.Choice(["text", "authors"]),
    help="Where a study's text and its authors' code differ; each study has its own default.",
)
COMMON_ITEMS = click.option(
    "--common-items",
    is_flag=True,
    help="Count only items that every model of a data set answered readably.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print the rows as a JSON array.")
CSV = click.option("--csv", type=click.Path(path_type=Path), help="Write the rows to a csv file.")
