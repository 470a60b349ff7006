"""Leaderboard of models in Markdown and HTML."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from math import floor, isfinite, isnan, log10
from operator import attrgetter
from pathlib import Path

import pandas as pd

from inspect_confidence import __version__
from inspect_confidence.directions import direction_of
from inspect_confidence.export.material import Material
from inspect_confidence.export.tables import markdown_escaped, paragraph, table_of
from inspect_confidence.export.text import cut_with_fingerprint, templates
from inspect_confidence.headlines import headline_rows
from inspect_confidence.metrics import METRICS, Metric
from inspect_confidence.overview.front import front_of
from inspect_confidence.overview.matrix import dataset_text
from inspect_confidence.overview.ranks import (
    RANKING,
    Rank,
    Ranks,
    headline_groups,
    headline_ranks,
    tasks_without_common_items,
)
from inspect_confidence.printing import format_estimate
from inspect_confidence.results import OTHER_ITEMS, ResultRow, ResultTable
from inspect_confidence.studies import all_studies
from inspect_confidence.writing import put

_HEADER = ("rank", "rank, 95% interval", "model", "variant", "value [95% interval]", "n", "note")
_TEXT_HEADINGS = {"model", "variant", "note"}
"""Headings of the columns of words, which are aligned to the left."""


@dataclass(frozen=True)
class Board:
    """A table of models by a headline number on a data set.

    Attributes:
        study: Name of the study.
        title: Name of the number and the data set.
        subtitle: Task, data set and condition.
        metric: Metric of the number.
        better: Sentence on the direction of better values.
        header: Headings of the columns.
        lines: Cells of each model, in the order of ranks.
    """

    study: str
    title: str
    subtitle: str
    metric: Metric
    better: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]


def _board(rows: Sequence[ResultRow], ranks: Ranks) -> Board:
    """Return the board, a table of models, of a headline number on a data set and condition.

    Columns that are empty for all models are left out; so are ranks if no value of the metric is
    better than another. `rows` have the number of each model and variant; `ranks` has the rank by a
    row's index.
    """
    first = rows[0]
    direction = direction_of(first["metric"], first.condition)
    lines = []
    form = _number_form([row.value for row in rows])
    rank_counts = Counter(ranks[row.index].rank for row in rows)
    ranked = [(ranks[row.index], row) for row in rows]
    # Undefined ranks come last.
    for rank, row in sorted(ranked, key=lambda pair: (isnan(pair[0].rank), pair[0].rank)):
        lines.append(_line_cells(rank, row, form, tied=rank_counts[rank.rank] > 1))
    table = pd.DataFrame(lines, columns=list(_HEADER), dtype=object)
    is_empty = table.isin(["", "-"]).all()
    # The rank and its interval (the first two columns) are shown even if all are undefined.
    is_empty[list(_HEADER[:2])] = not direction.ordered
    table = table.loc[:, ~is_empty]
    label = first["label"]
    name = first["dataset"]  # empty for answers in a file that names none
    dataset = f"data set {cut_with_fingerprint(name)}" if name else ""
    condition = str(first.condition.but(variant=""))
    return Board(
        study=first["study"],
        title=": ".join(filter(None, [f"{label[:1].upper()}{label[1:]}", dataset_text(first)])),
        subtitle=", ".join(filter(None, (first["task"], dataset, condition))),
        metric=METRICS[first["metric"]],
        better=f"{direction.label[0].upper()}{direction.label[1:]}.",
        header=list(table.columns),
        lines=table.to_numpy().tolist(),
    )


def _number_form(values: Sequence[float]) -> str:
    """Return the format of a column's numbers, which all have as many decimals.

    The largest finite one has three significant digits, but at most three decimals.
    """
    largest = max((abs(value) for value in values if isfinite(value)), default=0.0)
    digits = 2 - floor(log10(largest)) if largest else 3
    return f".{min(max(digits, 0), 3)}f"


def _line_cells(rank: Rank, row: ResultRow, form: str, *, tied: bool) -> list[str]:
    """Return the texts of a model's line, one for each entry of `_HEADER`.

    The value and its interval are written in the format `form`. A tied rank has `=`. A number has
    a dagger (`OTHER_ITEMS`) if its note has one.
    """
    number = format_estimate(row.value, row.low, row.high, form)
    if OTHER_ITEMS in row.note and not isnan(row.value):
        number += f" {OTHER_ITEMS}"
    notes = [rank.note, row.note]
    if rank.note.endswith("undefined") and row.note.startswith("undefined"):
        notes = [row.note]  # the rank's note says the same
    note = "; ".join(filter(None, notes))
    return [
        "-" if isnan(rank.rank) else f"{rank.rank:g}{'=' if tied else ''}",
        "-" if isnan(rank.low) else f"{rank.low:g} to {rank.high:g}",
        cut_with_fingerprint(row["model"]),
        cut_with_fingerprint(row["variant"]),
        number,
        str(row.n),
        note,
    ]


_EMPTY = "These results have no headline number of any study."


def write_leaderboard(material: Material, directory: Path) -> list[Path]:
    """Write ranked models for each headline number to `leaderboard.md` and `leaderboard.html`."""
    results = ResultTable.from_frame(material.results.reset_index(drop=True))
    uncompared = tasks_without_common_items(material.frames)
    ranks = headline_ranks(results, sorted(material.models()), material.draws, uncompared)
    rows = headline_rows(results.among("model", material.models()))
    boards = [_board(group, ranks) for group in headline_groups(rows)]
    titles = {study.name: study.title for study in all_studies()}
    by_study = groupby(boards, attrgetter("study"))  # boards of a study follow each other
    sections = [(study, titles[study], list(group)) for study, group in by_study]
    # Models in the order of the judgments, which is that of lines and colours.
    names = chain.from_iterable(frame["model"] for frame in material.frames.values())
    models = list(dict.fromkeys(map(str, names)))
    template = templates("inspect_confidence.export", "").get_template("leaderboard.html.j2")
    html = template.render(
        front=front_of(results, models, ranks, ranked=True),
        sections=sections,
        ranking=RANKING,
        empty_notice=_EMPTY,
        version=__version__,
    )
    return [
        put(directory / "leaderboard.md", _leaderboard_markdown(sections)),
        put(directory / "leaderboard.html", html),
    ]


def _leaderboard_markdown(sections: Sequence[tuple[str, str, Sequence[Board]]]) -> str:
    """Return the leaderboard as Markdown; a section is a study's name, title and boards."""
    parts = ["# Leaderboard", _plain_paragraph(RANKING)]
    for _, title, boards in sections:
        parts.append(f"## {markdown_escaped(title)}")
        for board in boards:
            metric = board.metric
            caption = f"{board.subtitle}. {metric.name}: {metric.definition} {board.better}"
            table = table_of(board.header, board.lines, _TEXT_HEADINGS.intersection(board.header))
            parts += [f"### {markdown_escaped(board.title)}", _plain_paragraph(caption), table]
    return "\n\n".join(parts if sections else [*parts, _EMPTY]) + "\n"


def _plain_paragraph(text: str) -> str:
    """Return a Markdown paragraph without the backticks of names, which would show as such."""
    return paragraph(text.replace("`", ""))
