"""Tables that fit the terminal: columns that don't go beside each other go below each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inspect_confidence.printing import one_line
from inspect_confidence.studies.tables import Cell

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

PIPED = 80
"""Characters of a line where the output is no terminal; more where names are long."""

_NUMBER = re.compile(r"[-+<]?\d|-?inf|\[|-?$")
_GAP = 2
_LEAST, _PROSE, _WORD, _NAMES = 8, 40, 12, 0.45
"""Characters that a name keeps, that prose gets, that a word of a heading has before it is broken,
and the share of the width that names get."""


def _words(heading: str) -> list[str]:
    """What a heading may be broken between: words, and long ones after their slashes."""
    return [
        part
        for word in heading.split()
        for part in (re.findall(r"[^/]+/?|/", word) if len(word) > _WORD else [word])
    ]


@dataclass(frozen=True)
class Grid:
    """A table as text.

    Attributes:
        headings: Of the columns.
        lines: Their cells.
        names: How many columns name the lines; the others are numbers, or prose about them.
        widths: Characters of each column; more than one line where a cell has more.
    """

    headings: Sequence[str]
    lines: Sequence[Sequence[str]]
    names: int
    widths: Sequence[int] = ()

    @classmethod
    def of(cls, table: "pd.DataFrame") -> "Grid":
        """The table, whose first columns name its lines up to the first with a number."""
        lines = [list(line) for line in table.itertuples(index=False, name=None)]
        columns = list(zip(*lines, strict=True))
        known = any(isinstance(one, Cell) for column in columns for one in column)
        names = 0
        for column in columns:
            # An empty name is none, and no number either.
            told = [one for one in column if known or str(one) not in ("", "-")]
            if any(isinstance(one, Cell) if known else _NUMBER.match(str(one)) for one in told):
                break
            names += 1
        texts = [list(map(one_line, line)) for line in lines]
        return cls(list(map(one_line, table)), texts, names % max(1, len(columns)))

    def turned(self) -> "Grid":
        """The same with a line a number and a column a line."""
        named = [" ".join(filter(None, line[: self.names])) for line in self.lines]
        numbers = zip(*(line[self.names :] for line in self.lines), strict=True)
        pairs = zip(self.headings[self.names :], numbers, strict=True)
        return Grid(["", *named], [[heading, *cells] for heading, cells in pairs], 1)

    def fitted(self, width: int, *, whole: bool = False) -> list["Grid"]:
        """The same in parts of at most that width where no number has to be cut for it.

        Nor is a name or prose broken where they have to stay whole, for a search.
        """
        widths = [self._width(k) for k in range(len(self.headings))]
        if whole:
            width = max(width, sum(widths[: self.names]) + _GAP * self.names + PIPED // 2)
        elif sum(widths) + _GAP * len(widths) - _GAP > width:
            widths = [min(one, self._most(k)) for k, one in enumerate(widths)]
            numbers = widths[self.names :]
            room = width - sum(numbers) - _GAP * len(numbers)
            if room < _NAMES * width / 2:  # not all go beside each other, whatever names do
                room = min(int(_NAMES * width), width - max(numbers, default=0) - _GAP)
            while self.names and sum(widths[: self.names]) + _GAP * (self.names - 1) > room:
                widest = max(range(self.names), key=lambda k: widths[k])
                if widths[widest] <= _LEAST:
                    break
                widths[widest] -= 1
        beside = sum(widths[: self.names]) + _GAP * self.names
        parts: list[list[int]] = [[]]
        for k in range(self.names, len(widths)):
            taken = beside + sum(widths[one] + _GAP for one in parts[-1])
            if parts[-1] and taken + widths[k] > width:
                parts.append([])
            parts[-1].append(k)
        return [self._part([*range(self.names), *part], widths) for part in parts]

    @property
    def height(self) -> int:
        """Lines on the terminal, about."""
        lines = (
            max(-(-len(cell) // width) for cell, width in zip(line, self.widths, strict=True))
            for line in self.lines
        )
        return sum(lines) + max(map(len, self._heads()), default=1) + 2

    def _part(self, columns: Sequence[int], widths: Sequence[int]) -> "Grid":
        return replace(
            self,
            headings=[self.headings[k] for k in columns],
            lines=[[line[k] for k in columns] for line in self.lines],
            widths=[widths[k] for k in columns],
        )

    def _width(self, column: int) -> int:
        """What a column needs for its longest cell."""
        from rich.cells import cell_len

        cells = [line[column] for line in self.lines]
        words = _words(self.headings[column])
        least = cell_len(self.headings[column]) if column < self.names else 1
        return max(least, *map(cell_len, [*cells, *words]))

    def _most(self, column: int) -> int:
        """What a column gets where room is short: prose goes on in further lines."""
        prose = not all(_NUMBER.match(line[column]) for line in self.lines)
        longest = max(map(len, _words(self.headings[column])), default=1)
        return max(_PROSE, longest) if column >= self.names and prose else 10_000

    def _heads(self) -> list[list[str]]:
        """The lines of each heading, broken at blanks and after slashes."""
        found: list[list[str]] = []
        for heading, width in zip(self.headings, self.widths, strict=True):
            lines = [""]
            for word in _words(heading):
                glue = "" if lines[-1].endswith("/") or not lines[-1] else " "
                if len(lines[-1] + glue + word) > width and lines[-1]:
                    lines.append(word)
                else:
                    lines[-1] += glue + word
            found.append(lines)
        return found

    def print(self, where: "Console") -> None:
        """Print it, ruled where somebody looks at a terminal."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        box, gap = (SIMPLE_HEAD, 1) if where.is_terminal else (None, _GAP)
        shown = Table(box=box, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
        # As texts: names may hold brackets, which are markup otherwise.
        for k, (lines, width) in enumerate(zip(self._heads(), self.widths, strict=True)):
            prose = k >= self.names and not all(_NUMBER.match(line[k]) for line in self.lines)
            left = k < self.names or prose
            heading = Text("\n".join(lines))
            shown.add_column(
                heading, justify="left" if left else "right", width=width, overflow="fold"
            )
        for line in self.lines:
            shown.add_row(*map(Text, line))
        needed = sum(self.widths) + _GAP * len(self.widths)
        if needed > where.width:  # a line of the terminal may break, a number may not
            where = Console(width=needed, no_color=True)
        where.print(shown, highlight=False)
        where.print()
