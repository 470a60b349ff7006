"""The command that fails when results don't meet requirements."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from inspect_confidence.cli._options import (
    COMMON_ITEMS,
    CONVENTION,
    JSON,
    PATHS,
    RESAMPLES,
    SEED,
)
from inspect_confidence.cli._terminal import print_json, print_table, read

if TYPE_CHECKING:
    import pandas as pd

_FAILED = 1
"""Exit code; errors of usage are 2, as click has them."""


@click.command()
@PATHS
@click.option(
    "--require",
    "requirements",
    multiple=True,
    required=True,
    metavar="REQUIREMENT",
    help="As 'ece<=0.10' or 'coverage>=0.85;level=90'; may be given several times.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Judge by the end of the 95% interval, not the value; fail where data were lost.",
)
@JSON
@RESAMPLES
@SEED
@CONVENTION
@COMMON_ITEMS
def check(
    paths: Sequence[str],
    requirements: Sequence[str],
    strict: bool,
    as_json: bool,
    resamples: int,
    seed: int,
    convention: str | None,
    common_items: bool,
) -> None:
    """Exit with 1 unless every matching result meets the requirements.

    A requirement is METRIC OP NUMBER[;key=value...]. Keys are parts of the condition, task, model
    and dataset; `key=` means that the part is absent.
    """
    from inspect_confidence._check import check as compute
    from inspect_confidence._requirement import read_requirement
    from inspect_confidence._summarize import summarize

    for requirement in requirements:  # a misspelt one shall not cost the reading of the logs
        read_requirement(requirement)
    judgments = read(paths, lost="not judged")
    results = summarize(
        judgments,
        resamples=resamples,
        seed=seed,
        convention=convention,
        common_items=common_items,
    )
    found = compute(results, requirements, strict=strict)
    if as_json:
        print_json(found)
    else:
        _print_found(found)
    if not found["passed"].all() or (strict and judgments.lost):
        click.get_current_context().exit(_FAILED)


def _print_found(found: "pd.DataFrame") -> None:
    """A table of all rows for each requirement, and how many requirements are met."""
    for requirement, rows in found.groupby("requirement", sort=False):
        table = rows[["task", "model", "dataset", "condition"]].copy()
        table["value"] = rows["value"].map("{:.4g}".format)
        table["95% interval"] = [
            "" if math.isnan(low) or math.isnan(high) else f"[{low:.4g}, {high:.4g}]"
            for low, high in zip(rows["ci_low"], rows["ci_high"], strict=True)
        ]
        table["n"] = rows["n"].astype(str)
        table["verdict"] = [
            "holds" if passed else f"fails: {reason}"
            for passed, reason in zip(rows["passed"], rows["reason"], strict=True)
        ]
        print_table(table, str(requirement), f"{rows['passed'].sum()} of {len(rows)} hold.")
    wanted = found["requirement"].nunique()
    met = wanted - found.loc[~found["passed"], "requirement"].nunique()
    click.echo(f"{met} of {wanted} requirements met.")
