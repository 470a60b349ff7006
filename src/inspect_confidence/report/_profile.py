"""What a model's numbers say at a glance: one profile a model, over all studies."""

from collections.abc import Collection, Iterator
from pathlib import Path

import pandas as pd

from inspect_confidence._headlines import headline_rows
from inspect_confidence._results import COLUMNS
from inspect_confidence._spreadsheet import as_csv
from inspect_confidence.metrics import METRICS
from inspect_confidence.plots import shortened
from inspect_confidence.report._figures import Job, Planned, ReportFigure
from inspect_confidence.report._tables import Table, TableCell, compact, of_value
from inspect_confidence.studies import STUDIES, cell

_READS = (
    "One line a number that stands for a study, with its 95% interval; the mark on a line is the "
    "best that can be had."
)


def profiles(
    results: pd.DataFrame, models: Collection[str], directory: Path
) -> Iterator[tuple[str, Planned, Table]]:
    """For each model its name, its profile's figure, not drawn yet, and the same as a table.

    Args:
        results: In the layout of results, their index what the page calls the row.
        models: Those that answered, in contrast to means over models.
        directory: Where the figures' files go.
    """
    rows = headline_rows(results)
    rows = rows[rows["model"].isin(models)]
    for number, (model, mine) in enumerate(rows.groupby("model", sort=False), 1):
        name = f"profile-{number}"
        title = f"Confidence profile of {shortened(str(model), 60)}"
        used = list(dict.fromkeys(mine["metric"]))
        definitions = [(one, METRICS[one].definition) for one in used]
        figure = ReportFigure(name, title, _READS, definitions, mine[COLUMNS])
        (directory / f"{name}.csv").write_text(as_csv(mine[COLUMNS], "row"), encoding="utf-8")
        job = Job(name, "profile", title, mine, directory / name)
        yield shortened(str(model), 80), (figure, job), _table(mine)


def _table(rows: pd.DataFrame) -> Table:
    titles = {study.name: study.title.split(":")[0] for study in STUDIES}
    lines = []
    for index, row in zip(rows.index, rows.to_dict("records"), strict=True):
        number = cell({**row, "row": index}, 3)
        direction = METRICS[row["metric"]].direction
        lines.append(
            [
                TableCell(titles[row["study"]], heads=True),
                TableCell(str(row["label"]), heads=True),
                TableCell(shortened(row["dataset"], 60)),
                TableCell(shortened(row["variant"], 60)),
                TableCell(shortened(row["judge"], 60)),
                of_value(number),
                TableCell(direction if direction != "none" else "neither"),
                TableCell(f"{row['n']:,}"),
            ]
        )
    columns = ["study", "number", "data set", "variant", "judge", "value", "better", "n"]
    return compact(Table("", columns, lines))
