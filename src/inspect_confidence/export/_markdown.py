"""The studies' tables in Markdown."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspect_confidence.export._material import Material
from inspect_confidence.export._text import presentable, visible, write_text
from inspect_confidence.studies import STUDIES, Study, View

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LONGEST_CAPTION = 10_000


def write_markdown(material: Material, directory: Path) -> list[Path]:
    """All tables, in `tables.md`."""
    parts = ["# Results"]
    for study, views in views_of(material):
        parts.append(f"## {escaped(study.title)}")
        for view in views:
            parts += [f"### {escaped(view.title)}", _table(view)]
            if view.caption:
                parts.append(paragraph(view.caption))
    return [write_text(directory / "tables.md", "\n\n".join(parts) + "\n")]


def views_of(material: Material) -> Iterator[tuple[Study, Sequence[View]]]:
    """The tables of every study that has results."""
    results = presentable(material.results)
    for study in STUDIES:
        mine = results[results["task"].isin([table.task for table in study.tables])]
        if len(mine) and (views := study.views(mine)):
            yield study, views


def escaped(text: object, longest: int = 1_000) -> str:
    r"""Text that Markdown shows as it is, also in a cell of a table.

    Example:
        >>> escaped("a|b <i> [x](y)")
        'a\\|b &lt;i&gt; [x]\\(y)'
    """
    line = visible(text, longest)
    line = re.sub(r"[\\`*|~$]|(?<!\w)_|_(?!\w)|(?<=\])[(:\[]", r"\\\g<0>", line)
    return re.sub(r"[&<>]", lambda found: _ENTITIES[found[0]], line)


def paragraph(text: str) -> str:
    """A paragraph that is no list, heading or quotation."""
    line = escaped(text, _LONGEST_CAPTION).strip()
    line = re.sub(r"^(\d+)([.)])(?=\s)", r"\1\\\2", line)
    return re.sub(r"^[#+=-]", r"\\\g<0>", line)


def table_of(header: Sequence[object], rows: Sequence[Sequence[object]], left: int = 1) -> str:
    """A table, the first columns to the left and numbers to the right."""
    sides = [":--" if i < left else "--:" for i in range(len(header))]
    lines = [[escaped(cell) for cell in row] for row in (header, *rows)]
    lines.insert(1, sides)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _table(view: View) -> str:
    rows = [list(map(str, row)) for row in view.table.itertuples(index=False)]
    return table_of(list(map(str, view.table.columns)), rows)
