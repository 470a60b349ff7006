"""The leaderboard in Markdown and as a page."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from inspect_confidence import __version__
from inspect_confidence.export._boards import HEADER, Board
from inspect_confidence.export._markdown import escaped, paragraph, table_of
from inspect_confidence.export._text import visible, write_text

METHOD = (
    "A rank is 1 and the number of models that are better; models that tie share a rank. Its "
    "interval is that of the rank over {resamples} bootstrap resamples of the items. Models that "
    "answered the same items are resampled together, others by themselves; one without an interval "
    "of its rank counts at its value in those of others. Means over models are not ranked. Nothing "
    "corrects for the number of models: of many alike, one will be first."
)


def write_leaderboard(found: Sequence[Board], resamples: int, directory: Path) -> list[Path]:
    """`leaderboard.md` and `leaderboard.html`."""
    method = METHOD.format(resamples=f"{resamples:,}")
    return [
        write_text(directory / "leaderboard.md", _markdown(found, method)),
        write_text(directory / "leaderboard.html", _html(found, method)),
    ]


def _markdown(found: Sequence[Board], method: str) -> str:
    parts = ["# Leaderboard", paragraph(method)]
    study = ""
    for board in found:
        if board.study != study:
            study = board.study
            parts.append(f"## {escaped(study)}")
        cells = [line.cells for line in board.lines]
        parts += [
            f"### {escaped(board.title)}",
            paragraph(f"{board.where}. {board.metric}: {board.definition} {_said(board)}"),
            table_of(HEADER, cells, left=0),
        ]
    if not found:
        parts.append(NOTHING)
    return "\n\n".join(parts) + "\n"


NOTHING = "None of the numbers that stand for a study is in these results."


def _said(board: Board) -> str:
    return f"{board.direction[0].upper()}{board.direction[1:]}."


def _html(found: Sequence[Board], method: str) -> str:
    environment = Environment(
        loader=PackageLoader("inspect_confidence.export", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.globals["said"] = _said
    sections = [(study, list(some)) for study, some in groupby(found, lambda one: one.study)]
    page = environment.get_template("leaderboard.html.j2")
    return page.render(
        sections=sections, header=HEADER, method=method, nothing=NOTHING, version=__version__
    )
