"""The command that prints results."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspect_confidence.cli._options import (
    COMMON_ITEMS,
    CONVENTION,
    CSV,
    JSON,
    PATHS,
    RESAMPLES,
    SEED,
)
from inspect_confidence.cli._terminal import print_json, print_table, read

if TYPE_CHECKING:
    import pandas as pd


@click.command()
@PATHS
@JSON
@CSV
@RESAMPLES
@SEED
@click.option(
    "--penalty",
    default=10.0,
    show_default=True,
    help="Lambda of the decoding-temperature rule, where several temperatures were sampled.",
)
@click.option(
    "--thresholds",
    default="0.5,0.75",
    show_default=True,
    help="From which on stated confidence counts as high, for type-2 sensitivity.",
)
@CONVENTION
@click.option(
    "--survey",
    metavar="FILE",
    help="What people say that words mean: a csv file with a column a word.",
)
@click.option(
    "--groups",
    metavar="FILE",
    help="Means over groups of models: a csv file with the columns model and group.",
)
@COMMON_ITEMS
@click.option(
    "--markers",
    metavar="FILE",
    help="Which form stands for each hedge marker: json as `canonicalize` writes it.",
)
@click.option(
    "--marker-threshold",
    default="10",
    show_default=True,
    help="How many sentences a hedge marker needs; several with commas stand side by side.",
)
@click.option("--ddof", default=1, show_default=True, help="Of coefficients of variation.")
@click.option(
    "--correlation-clamp",
    default=0.9999,
    show_default=True,
    help="Greatest correlation of hedge markers before Fisher's transformation.",
)
def summarize(
    paths: Sequence[str],
    as_json: bool,
    csv: Path | None,
    resamples: int,
    seed: int,
    penalty: float,
    thresholds: str,
    convention: str | None,
    survey: str | None,
    groups: str | None,
    common_items: bool,
    markers: str | None,
    marker_threshold: str,
    ddof: int,
    correlation_clamp: float,
) -> None:
    """Print the results: every number with its 95% interval."""
    from inspect_confidence._arguments import numbers
    from inspect_confidence._spreadsheet import quoting
    from inspect_confidence._summarize import summarize as compute

    high = numbers("thresholds", thresholds, above=0, below=1.000001)
    results = compute(
        read(paths),
        resamples=resamples,
        seed=seed,
        penalty=penalty,
        thresholds=high,
        convention=convention,
        survey=survey,
        groups=groups,
        common_items=common_items,
        markers=markers,
        marker_thresholds=numbers("marker-threshold", marker_threshold, above=0, below=1e9),
        ddof=ddof,
        correlation_clamp=correlation_clamp,
    )
    if csv:
        results.to_csv(csv, index=False, lineterminator="\n", quoting=quoting(results))
    if as_json:
        print_json(results)
    else:
        _print_views(results)


def _print_views(results: "pd.DataFrame") -> None:
    from inspect_confidence.studies import STUDIES

    for study in STUDIES:
        mine = results[results["task"].isin([table.task for table in study.tables])]
        for view in study.views(mine) if len(mine) else ():
            print_table(view.table, view.title, view.caption)
