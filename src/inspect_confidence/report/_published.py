"""The studies' published figures beside the own ones."""

from typing import Any

import pandas as pd

from inspect_confidence._results import decode_condition, without
from inspect_confidence.plots import shortened
from inspect_confidence.published import read_published
from inspect_confidence.report._tables import Table, TableCell, compact, of_value
from inspect_confidence.studies import cell


def beside(results: pd.DataFrame) -> Table | None:
    """Own and published figures of the same metric and condition; None where there are none.

    Args:
        results: Of a study, their index what the page calls the row.
    """
    known = read_published()
    known, own = (
        rows.assign(
            condition=[without(text, "variant") for text in rows["condition"]],
            variant=[decode_condition(text).get("variant", "") for text in rows["condition"]],
        )
        for rows in (known[known["task"].isin(set(results["task"]))], results)
    )
    keys = ["task", "metric", "condition"]
    there = set(map(tuple, own[keys].to_numpy())) & set(map(tuple, known[keys].to_numpy()))
    lines = []
    for key in sorted(there):
        for index, row in _of(own, key).iterrows():
            number = of_value(cell({**row.to_dict(), "row": index}, 3))
            lines.append(_line(key, row, number, "own", ""))
        for _, row in _of(known, key).iterrows():
            number = TableCell(cell({**row.to_dict(), "row": -1, "note": ""}, 3))
            said = ". ".join(filter(None, (row["source"], row["definition"])))
            lines.append(_line(key, row, number, "published", said))
    if not lines:
        return None
    columns = ["metric", "condition", "data set", "model", "variant", "from", "value"]
    return compact(
        Table(
            "Own figures beside published ones",
            [*columns, "source and difference"],
            lines,
            "Published figures rest on the studies' own items and models at their time; where "
            "their definition or items differ from ours, the last column says so.",
        )
    )


def _of(rows: pd.DataFrame, key: tuple[str, ...]) -> pd.DataFrame:
    task, metric, condition = key
    return rows[
        (rows["task"] == task) & (rows["metric"] == metric) & (rows["condition"] == condition)
    ]


def _line(
    key: tuple[str, ...], row: "pd.Series[Any]", number: TableCell, origin: str, said: str
) -> list[TableCell]:
    return [
        TableCell(key[1], heads=True),
        TableCell(key[2].replace(";", "; ") or "-", heads=True),
        TableCell(shortened(str(row["dataset"]), 60) or "-"),
        TableCell(shortened(str(row["model"]), 80)),
        TableCell(shortened(str(row["variant"]), 60)),
        TableCell(origin),
        number,
        TableCell(said or "-"),
    ]
