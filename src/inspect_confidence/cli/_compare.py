"""The command that prints paired differences."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspect_confidence.cli._options import CONVENTION, CSV, JSON, RESAMPLES, SEED
from inspect_confidence.cli._terminal import print_json, print_table, read

if TYPE_CHECKING:
    import pandas as pd


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="[B]", required=False)
@JSON
@CSV
@RESAMPLES
@SEED
@CONVENTION
def compare(
    a: str,
    b: str | None,
    as_json: bool,
    csv: Path | None,
    resamples: int,
    seed: int,
    convention: str | None,
) -> None:
    """Print paired differences between what is in A and what is in B, or within A alone.

    Models, variants and methods that answered the same items are compared on those items.
    """
    from inspect_confidence._compare import compare as compute
    from inspect_confidence._spreadsheet import quoting

    sides = [read([side]) for side in (a, b) if side]
    differences = compute(*sides, resamples=resamples, seed=seed, convention=convention)
    if csv:
        differences.to_csv(csv, index=False, lineterminator="\n", quoting=quoting(differences))
    if as_json:
        print_json(differences)
    else:
        _print_differences(differences)


def _print_differences(differences: "pd.DataFrame") -> None:
    for (a, b, dataset), rows in differences.groupby(["a", "b", "dataset"], sort=False):
        table = rows[["condition", "metric"]].copy()
        for name in ("value_a", "value_b", "difference"):
            table[name] = rows[name].map("{:.3g}".format)
        table["95% interval"] = [
            f"[{low:.3g}, {high:.3g}]"
            for low, high in zip(rows["ci_low"], rows["ci_high"], strict=True)
        ]
        table["items"] = rows["items"].astype(str)
        table["verdict"] = rows["verdict"]
        print_table(
            table, f"a: {a}\nb: {b}\non {dataset}", "p after Holm's adjustment over all rows."
        )
