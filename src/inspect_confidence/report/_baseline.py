"""Paired differences of every model from one of them."""

from collections.abc import Mapping

import pandas as pd

from inspect_confidence._compare import compare
from inspect_confidence._errors import InvalidArgument
from inspect_confidence._secrets import scrub
from inspect_confidence.plots import shortened
from inspect_confidence.report._tables import Table, TableCell
from inspect_confidence.studies import STUDIES


def differences(
    judged: Mapping[str, pd.DataFrame],
    baseline: str,
    *,
    resamples: int,
    seed: int,
    convention: str | None,
) -> dict[str, Table]:
    """By study a table of each model's numbers less the baseline's, on the items of both.

    Args:
        judged: Judgments by task.
        baseline: A model as the judgments name it.
        resamples: Of the items, and permutations.
        seed: Of both.
        convention: `text` or `authors`.
    """
    found = {}
    for study in STUDIES:
        frames = {table.task: judged[table.task] for table in study.tables if table.task in judged}
        base = {task: frame[frame["model"] == baseline] for task, frame in frames.items()}
        others = {task: frame[frame["model"] != baseline] for task, frame in frames.items()}
        there = [task for task in frames if len(base[task]) and len(others[task])]
        if not there:
            continue
        try:
            compared = compare(
                {task: others[task] for task in there},
                {task: base[task] for task in there},
                resamples=resamples,
                seed=seed,
                convention=convention,
            )
        except InvalidArgument:  # no items in common: nothing to show
            continue
        found[study.name] = _table(compared, baseline)
    return found


def _table(compared: pd.DataFrame, baseline: str) -> Table:
    lines = [
        [
            TableCell(shortened(scrub(row["a"]), 80), heads=True),
            TableCell(shortened(scrub(row["dataset"]), 60), heads=True),
            TableCell(row["condition"].replace(";", "; ")),
            TableCell(row["metric"]),
            TableCell(f"{row['value_a']:.3g}"),
            TableCell(f"{row['value_b']:.3g}"),
            TableCell(f"{row['difference']:.3g} [{row['ci_low']:.3g}, {row['ci_high']:.3g}]"),
            TableCell(f"{row['p_holm']:.3g}"),
            TableCell(f"{row['items']:,}"),
        ]
        for row in compared.to_dict("records")
    ]
    name = shortened(scrub(baseline), 60)
    columns = ["who", "data set", "condition", "metric", "value", name, "difference", "p", "items"]
    return Table(
        f"Differences from {name}",
        columns,
        lines,
        "Value less the baseline's on the items that both answered, with its 95% bootstrap "
        "interval; p of a permutation test that exchanges the two within items, after Holm's "
        "adjustment over all rows of the study.",
    )
