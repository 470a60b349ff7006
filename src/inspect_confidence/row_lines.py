"""Lines of a text file on which its rows begin, as editors number them."""

import csv
from collections.abc import Iterator
from io import StringIO


def row_lines(
    text: str, separator: str | None = None, *, skip_empty: bool = False
) -> Iterator[int]:
    r"""Yield the first line, from 1, of each row of a text; blank lines hold no row.

    Args:
        text: Text of the file.
        separator: Separator of csv cells, which may hold line ends in quotation marks. None if each
            line is a row.
        skip_empty: Whether a csv row is skipped if all its cells are empty.

    Raises:
        csv.Error: A cell is longer than the csv module reads.

    Example:
        >>> list(row_lines('item,correct\n"two\nlines",1\n\nq2,0\n', ","))
        [1, 2, 5]
    """
    if separator is None:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield number
        return
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    first_line = 1
    for cells in reader:
        if any(cells) if skip_empty else cells:
            yield first_line
        # `line_num` is the last line of the row.
        first_line = reader.line_num + 1
