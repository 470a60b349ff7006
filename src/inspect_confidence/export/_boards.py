"""For each headline number the models by rank, as text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence._headlines import headline_rows
from inspect_confidence._results import without
from inspect_confidence._secrets import scrub, scrub_condition
from inspect_confidence.export._direction import direction_of
from inspect_confidence.export._names import place, with_judge
from inspect_confidence.export._ranks import Key, Rank, draws_of, ranks
from inspect_confidence.export._text import shortened
from inspect_confidence.metrics import METRICS
from inspect_confidence.studies import STUDIES

FloatArray = NDArray[np.float64]

HEADER = ("rank", "rank, 95% interval", "model", "variant", "value [95% interval]", "n", "note")


@dataclass(frozen=True)
class Line:
    """A model in a table; `cells` are as text, under `HEADER`."""

    rank: Rank
    cells: Sequence[str]


@dataclass(frozen=True)
class Board:
    """The models by one number on one data set.

    Attributes:
        study: Title of the study.
        title: What the number is.
        where: Task, data set and condition.
        metric: Its name in the registry.
        definition: Its definition.
        direction: What is better.
        lines: Models by rank; those without one last.
    """

    study: str
    title: str
    where: str
    metric: str
    definition: str
    direction: str
    lines: Sequence[Line]


def boards(
    results: pd.DataFrame,
    draws: Mapping[Key, FloatArray],
    models: set[str],
    names: Mapping[str, str] | None = None,
) -> list[Board]:
    """A table for each headline number, data set and condition.

    Args:
        results: In the layout of results.
        draws: Values over resamples.
        models: Those that are ranked, in contrast to means over models.
        names: What each model is called in public.
    """
    rows = headline_rows(results[results["model"].isin(models)])
    shared = [without(text, "variant") for text in rows["condition"]]
    keys = ["study", "task", "label", "metric", "dataset", "shared"]
    grouped = rows.assign(shared=shared).groupby(keys, sort=False)
    return [_board(mine, draws, names or {}) for _, mine in grouped]


def _board(rows: pd.DataFrame, draws: Mapping[Key, FloatArray], names: Mapping[str, str]) -> Board:
    first = rows.iloc[0]
    metric, condition = METRICS[str(first["metric"])], str(first["shared"])
    direction = direction_of(metric.name, condition)
    intervals = list(zip(rows["ci_low"], rows["ci_high"], strict=True))
    found = ranks(rows["value"].to_numpy(float), intervals, draws_of(rows, draws), direction)
    lines = [
        Line(rank, list(_cells(rank, row, names)))
        for rank, (_, row) in zip(found, rows.iterrows(), strict=True)
    ]
    titles = {study.name: study.title for study in STUDIES}
    dataset = shortened(place(str(first["dataset"])))
    where = [str(first["task"]), f"data set {dataset}", scrub_condition(with_judge(condition))]
    return Board(
        study=titles[str(first["study"])],
        title=str(first["label"]),
        where=", ".join(filter(None, where)),
        metric=metric.name,
        definition=metric.definition,
        direction=direction.text,
        lines=sorted(lines, key=lambda line: (np.isnan(line.rank.rank), line.rank.rank)),
    )


def _cells(rank: Rank, row: "pd.Series[Any]", names: Mapping[str, str]) -> Iterator[str]:
    value, low, high = (float(str(row[name])) for name in ("value", "ci_low", "ci_high"))
    model = str(row["model"])
    yield "-" if np.isnan(rank.rank) else f"{rank.rank:g}"
    yield "-" if np.isnan(rank.low) else f"{rank.low:g} to {rank.high:g}"
    yield shortened(names.get(model, model))
    yield shortened(scrub_condition(str(row["variant"])))
    interval = "" if np.isnan(low) else f" [{low:.3g}, {high:.3g}]"
    yield "-" if np.isnan(value) else f"{value:.3g}{interval}"
    yield f"{row['n']}"
    yield "; ".join(filter(None, (rank.note, scrub(str(row["note"])))))
