"""Paired differences of every model from one of them."""

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from inspect_confidence._compare import compare
from inspect_confidence._errors import InvalidArgument
from inspect_confidence._secrets import scrub
from inspect_confidence.metrics import METRICS
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
        except InvalidArgument as error:  # no items in common
            found[study.name] = _nothing(baseline, str(error))
            continue
        found[study.name] = _table(compared, baseline)
    return found


def _table(compared: pd.DataFrame, baseline: str) -> Table:
    lines = [
        [
            TableCell(shortened(scrub(row["a"]), 80), heads=True),
            TableCell(shortened(scrub(row["b"]), 80), heads=True),
            TableCell(shortened(scrub(row["dataset"]), 60), heads=True),
            TableCell(row["condition"].replace(";", "; ")),
            TableCell(row["metric"]),
            TableCell(_text(row["value_a"])),
            TableCell(_text(row["value_b"])),
            _difference(row),
            TableCell(_text(row["p_holm"])),
            TableCell(f"{row['items']:,}"),
        ]
        for row in compared.to_dict("records")
    ]
    name = shortened(scrub(baseline), 60)
    columns = ["who", "against", "data set", "condition", "metric", "value", "its value"]
    columns += ["difference", "p", "items"]
    return Table(
        f"Differences from {name}",
        columns,
        lines,
        "Value less the baseline's on the items that both answered, with its 95% bootstrap "
        "interval; p of a permutation test that exchanges the two within items, after Holm's "
        "adjustment over all rows of the study.",
    )


def _difference(row: Mapping[Hashable, Any]) -> TableCell:
    if pd.isna(row["difference"]):
        return TableCell("-", note=f"{row['metric']}: {METRICS[row['metric']].undefined}")
    ends = [_text(row[name]) for name in ("ci_low", "ci_high")]
    interval = "" if ends == ["-", "-"] else f" [{', '.join(ends)}]"
    return TableCell(f"{_text(row['difference'])}{interval}")


def _text(value: float) -> str:
    return "-" if pd.isna(value) else f"{value:.3g}".replace("inf", "∞")


def _nothing(baseline: str, why: str) -> Table:
    name = shortened(scrub(baseline), 60)
    return Table(f"Differences from {name}", ["why there are none"], [[TableCell(why)]])
