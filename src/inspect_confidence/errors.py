"""Errors that a user can act on.

    Exception
    └── click.UsageError, ValueError
        └── InvalidArgument      a task argument, option or file that can't be used
            └── DataUnavailable  a data set that could not be downloaded or verified

Both bases are on purpose: Inspect's command line prints a `click.UsageError` as one clean line,
and Python code that checks arguments expects a `ValueError`.
"""

import difflib
import re
from collections.abc import Iterable

import click

from inspect_confidence.printing import one_line

_LISTED = 20
"""Names that an error lists at most."""
_LONG_WORD = re.compile(r"(\S{500})\S+")
"""A value of thousands of characters, of which an error shows the beginning; no path is longer."""


class InvalidArgument(click.UsageError, ValueError):
    """An argument that can't be used; the message names the value and the remedy, on one line."""

    def __init__(self, message: str, ctx: click.Context | None = None) -> None:
        super().__init__(_LONG_WORD.sub(r"\1...", one_line(message)), ctx)


class DataUnavailable(InvalidArgument):
    """A data set that could not be had as it was pinned."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the known name nearest to a mistyped one, or the whole list."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"Did you mean {close[0]!r}?"
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return f"Known: {', '.join(known[:_LISTED])}{more}."
