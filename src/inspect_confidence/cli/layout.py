"""Layout of tables: columns that exceed the width continue in a further table below."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, filterfalse
from typing import TYPE_CHECKING

from inspect_confidence.printing import one_line, shortened
from inspect_confidence.studies.tables import Cell

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

PIPED = 80
"""Width in characters without a terminal and `COLUMNS`; long names exceed it."""

_NUMBER = re.compile(r"[-+<]?\d|-?inf|\[|-?$")
"""Beginning of a cell with a number, such as `<0.01`, or with an interval; a dash, or no text."""
_BETTER_CELL = re.compile(r"(higher|lower|neither|nearer to \S+)$")
"""Cell that says which numbers of its column are better."""
_GAP = 2
_MAX_NAME = 60  # maximum number of characters of a name that is not printed whole
_MIN_NAME, _MIN_PROSE, _MAX_PROSE, _LONG_WORD, _LONG_PART, _NAMES_SHARE = 8, 16, 40, 12, 20, 0.45
"""Minimum width of a name and of prose in the last column, maximum width of prose, lengths from
which on a word of a heading is broken at slashes, and a part of it at hyphens, and share of the
width for names."""


def _heading_words(heading: str) -> list[str]:
    """Split a heading into words, long ones after slashes, and their long parts after hyphens."""
    words: list[str] = []
    for word in heading.split():
        for part in re.findall(r"[^/]+/?|/", word) if len(word) > _LONG_WORD else [word]:
            words += re.findall(r"[^-]+-*|-+", part) if len(part) > _LONG_PART else [part]
    return words


_NAME_BREAK = re.compile(r"(?<=[\s_/;,=])(?=\S)|(?<=-)(?=[^\W\d])")
"""Places at which names are broken; a hyphen before a digit, as in 0-100, is none."""


def _break_name(name: str, width: int) -> list[str]:
    """Break a name into lines at its joints; a longer part is left for the terminal to fold.

    Example:
        >>> _break_name("scale_variants", 8), _break_name("wep_choice design", 12)
        (['scale_', 'variants'], ['wep_choice ', 'design'])
    """
    lines = [""]
    for part in _NAME_BREAK.split(name):
        if lines[-1] and len((lines[-1] + part).rstrip()) > width:
            lines.append(part)
        else:
            lines[-1] += part
    return lines


def _is_number(cell: object) -> bool:
    """Return whether the text of a cell begins like a number; an empty cell or a dash does not."""
    return str(cell) not in ("", "-") and bool(_NUMBER.match(str(cell)))


@dataclass(frozen=True)
class Grid:
    """A table as text.

    Attributes:
        headings: Headings of the columns.
        lines: Cells of each line.
        n_names: Number of leading columns that name the lines; the others are numbers or prose.
        widths: Characters of each column; longer cells are broken into several lines.
        names_are_labels: Whether the names are labels of numbers, which are printed whole.
    """

    headings: Sequence[str]
    lines: Sequence[Sequence[str]]
    n_names: int
    widths: Sequence[int] = ()
    names_are_labels: bool = False

    @classmethod
    def from_frame(cls, table: "pd.DataFrame") -> "Grid":
        """Build a grid whose names are the columns before the first column with a number.

        Without a column of numbers no column is a name.
        """
        lines = list(map(list, table.itertuples(index=False, name=None)))
        columns = list(zip(*lines, strict=True))
        has_cells = any(isinstance(cell, Cell) for cell in chain.from_iterable(columns))
        n_names = 0
        for column in columns:
            # A `Cell` is a number with its interval; tables without any have numbers as text.
            if any(isinstance(cell, Cell) if has_cells else _is_number(cell) for cell in column):
                break
            n_names += 1
        if n_names == len(columns):
            n_names = 0
        texts = [list(map(one_line, line)) for line in lines]
        return cls(list(map(one_line, table)), texts, n_names)

    def transpose(self) -> "Grid":
        """Return a grid with a line for each column of numbers and a column for each line."""
        headings = [" ".join(filter(None, line[: self.n_names])) for line in self.lines]
        columns = list(zip(*self.lines, strict=True))[self.n_names :]
        lines = [
            [heading, *cells]
            for heading, cells in zip(self.headings[self.n_names :], columns, strict=True)
        ]
        return Grid(["", *headings], lines, n_names=1, names_are_labels=True)

    def fit(self, width: int, *, whole: bool = False) -> list["Grid"]:
        """Split the columns into grids of at most a width, or as wide as a single wider column.

        Each grid begins with the `n_names` columns of names. With `whole`, names and prose are not
        broken, so that lines can be searched; the grids are then wider if names need the room.
        Otherwise names lose their middle from 60 characters on, unless two would become equal, or
        they are labels.
        """
        if not (whole or self.names_are_labels):
            shortened_lines = [self._short_names(line) for line in self.lines]
            names = [tuple(line[: self.n_names]) for line in self.lines]
            short_names = [tuple(line[: self.n_names]) for line in shortened_lines]
            if len(set(short_names)) == len(set(names)):
                return replace(self, lines=shortened_lines)._split_columns(width, whole=False)
        return self._split_columns(width, whole=whole)

    def _short_names(self, line: Sequence[str]) -> list[str]:
        """Return the cells of a line, of which the names have at most 60 characters."""
        names = [shortened(name, _MAX_NAME) for name in line[: self.n_names]]
        return [*names, *line[self.n_names :]]

    def _split_columns(self, width: int, *, whole: bool) -> list["Grid"]:
        """Split the columns into grids of at most `width`, each with the columns of names first.

        A grid always has a column beside the names, which may make it wider. With `whole` no column
        is narrowed, and wide names get a greater `width` instead.
        """
        widths = [self._needed_width(k) for k in range(len(self.headings))]
        if whole:  # beside the names stays room for numbers: half of the usual width, `PIPED`
            width = max(width, sum(widths[: self.n_names]) + _GAP * self.n_names + PIPED // 2)
        elif sum(widths) + _GAP * (len(widths) - 1) > width:
            widths = self._narrowed_widths(widths, width)
        names_width = sum(widths[: self.n_names]) + _GAP * self.n_names
        parts: list[list[int]] = [[]]  # indices of the columns of each grid, without the names
        used_width = names_width
        for k in range(self.n_names, len(widths)):
            if parts[-1] and used_width + widths[k] > width:
                parts.append([])
                used_width = names_width
            parts[-1].append(k)
            used_width += widths[k] + _GAP
        return [self._with_columns([*range(self.n_names), *part], widths) for part in parts]

    def _narrowed_widths(self, widths: Sequence[int], width: int) -> list[int]:
        """Return reduced widths of columns that are together wider than `width`.

        The `n_names` first columns, of names, get what the numbers leave of `width`. If that is
        less than 22.5% of it, the numbers need several tables in any case, and the names get up to
        45%, with room for the widest number. Prose, which is text after the names, gets at most 40
        characters; in the last column it gets what is left, if that is at least 16, and else goes
        to a further table.
        """
        narrowed = [min(size, self._max_width(k)) for k, size in enumerate(widths)]
        last = len(narrowed) - 1
        last_width = narrowed[last]
        if last >= self.n_names and self._is_prose(last):
            narrowed[last] = min(last_width, _MIN_PROSE)
        number_widths = narrowed[self.n_names :]
        names_room = width - sum(number_widths) - _GAP * len(number_widths)
        if names_room < _NAMES_SHARE * width / 2:
            beside_widest_number = width - max(number_widths, default=0) - _GAP
            names_room = min(int(_NAMES_SHARE * width), beside_widest_number)
        narrowed[: self.n_names] = self._shorten_names(narrowed[: self.n_names], names_room)
        # The last column gets what is left, up to its width before. If that is less than its
        # minimum, it goes to a further table, which has room for the width before.
        free_width = width - sum(narrowed[:last]) - _GAP * last
        narrowed[last] = min(last_width, free_width) if free_width >= narrowed[last] else last_width
        return narrowed

    def _shorten_names(self, widths: list[int], room: int) -> list[int]:
        """Return widths of the names' columns that fit into `room`; none is reduced below 8.

        The widest column gives up a character at a time.
        """
        longest_parts = [self._longest_part(k) for k in range(self.n_names)]
        while widths and sum(widths) + _GAP * (len(widths) - 1) > room:
            # A name is broken at its joints as long as possible, and within a part only then.
            breakable = [k for k, size in enumerate(widths) if size > longest_parts[k]]
            widest = max(breakable or range(len(widths)), key=widths.__getitem__)
            if widths[widest] <= _MIN_NAME:
                break
            widths[widest] -= 1
        return widths

    def _cells(self, column: int) -> list[str]:
        """Return the cells of a column."""
        return [line[column] for line in self.lines]

    def _longest_part(self, column: int) -> int:
        """Return the length of the longest part of a column's names that has no joint."""
        parts = chain.from_iterable(map(_NAME_BREAK.split, self._cells(column)))
        return max((len(part.rstrip()) for part in parts), default=0)

    def fits(self, width: int) -> bool:
        """Return whether the columns, as wide as they are set, fit into a width."""
        return sum(self.widths) + _GAP * (len(self.widths) - 1) <= width

    def _with_columns(self, columns: Sequence[int], widths: Sequence[int]) -> "Grid":
        """Return the grid of some columns, by their indices; `widths` are those of all columns."""
        return replace(
            self,
            headings=[self.headings[k] for k in columns],
            lines=[[line[k] for k in columns] for line in self.lines],
            widths=[widths[k] for k in columns],
        )

    def _needed_width(self, column: int) -> int:
        """Return the width that a column needs: that of its longest cell, or of its heading.

        The heading of a column of names stays whole; of other headings the longest word counts.
        """
        from rich.cells import cell_len

        cells, words = self._cells(column), _heading_words(self.headings[column])
        minimum = cell_len(self.headings[column]) if column < self.n_names else 1
        return max(minimum, *map(cell_len, [*cells, *words]))

    def _max_width(self, column: int) -> int:
        """Return the maximum width of a column: 40 characters for prose, no limit for others.

        A longer word in the heading of prose raises its limit.
        """
        longest = max(map(len, _heading_words(self.headings[column])), default=1)
        is_prose = column >= self.n_names and self._is_prose(column)
        return max(_MAX_PROSE, longest) if is_prose else 10_000

    def _is_prose(self, column: int) -> bool:
        """Return whether a column has other cells than numbers, or only empty ones.

        Cells that say which numbers are better, such as `higher`, do not count.
        """
        numbers = list(filterfalse(_BETTER_CELL.match, self._cells(column)))
        return not any(numbers) or not all(map(_NUMBER.match, numbers))

    def _heading_lines(self) -> list[list[str]]:
        """Break each heading into lines of its column's width, at blanks, slashes and hyphens.

        A part that is wider has its own line.
        """
        headings: list[list[str]] = []
        for heading, width in zip(self.headings, self.widths, strict=True):
            lines = [""]
            for word in _heading_words(heading):
                glue = "" if lines[-1].endswith(("/", "-")) or not lines[-1] else " "
                if len(lines[-1] + glue + word) > width and lines[-1]:
                    lines.append(word)
                else:
                    lines[-1] += glue + word
            headings.append(lines)
        return headings

    def print(self, console: "Console") -> None:
        """Print the grid, with a rule below the headings on a terminal.

        Names are broken into lines. A grid that is wider than the console is printed as wide as it
        is, without colours, since numbers are never broken.
        """
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        # The rule's box adds a column between columns, so that the gap is one less.
        box, gap = (SIMPLE_HEAD, 1) if console.is_terminal else (None, _GAP)
        table = Table(box=box, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
        # `Text` keeps brackets in names from being read as markup.
        for k, (lines, width) in enumerate(zip(self._heading_lines(), self.widths, strict=True)):
            is_left = k < self.n_names or self._is_prose(k)
            heading = Text("\n".join(lines))
            table.add_column(
                heading, justify="left" if is_left else "right", width=width, overflow="fold"
            )
        for line in self.lines:
            names = zip(line[: self.n_names], self.widths, strict=False)
            parts = ["\n".join(_break_name(text, width)) for text, width in names]
            table.add_row(*map(Text, [*parts, *line[self.n_names :]]))
        needed = sum(self.widths) + _GAP * len(self.widths)
        if needed > console.width:
            console = Console(width=needed, no_color=True)
        console.print(table, highlight=False)
        console.print()
