"""Errors that a user can act on.

    Exception
    └── click.UsageError, ValueError
        └── InvalidArgument      an unusable task argument, option or file
            └── DataUnavailable  a data set that could not be downloaded or verified

The two bases serve two callers: Inspect's command line prints a `click.UsageError` as one line,
and Python code that checks arguments expects a `ValueError`.
"""

import difflib
import re
from collections.abc import Iterable

import click

from inspect_confidence.printing import one_line

_MOST_LISTED = 20
"""Number of names that an error lists at most."""
_SHORTEST_PART = 3
"""Number of characters from which on a name may be part of another one."""
_LONG_WORD = re.compile(r"(?<!\S)(?!\S{,500}://)(\S{500})\S+")
"""A value of thousands of characters, of which errors show the beginning; addresses stay whole."""


class InvalidArgument(click.UsageError, ValueError):
    """An unusable argument; the one-line message names the value and the remedy."""

    def __init__(self, message: str, ctx: click.Context | None = None) -> None:
        super().__init__(_LONG_WORD.sub(r"\1...", one_line(message)), ctx)


class DataUnavailable(InvalidArgument):
    """A data set that could not be downloaded, or differs from its pinned hash."""


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return a hint with the candidates nearest to a mistyped name, or else up to 20 candidates.

    The nearest is the first that begins with the name, as `accuracy` with `acc`. Otherwise it is
    the one that is most similar to it, if `difflib`'s ratio is at least .6; the second one is named
    too if both ratios are at least .8. Without such a one it is the first that contains the name.
    Capital letters don't matter.

    Example:
        >>> nearest("acc", ["mcc", "accuracy"]), nearest("", ["ece"])
        ("Did you mean 'accuracy'?", 'Known: ece.')
        >>> nearest("aurco", ["auroc", "aurc", "ece"])
        "Did you mean 'aurc' or 'auroc'?"
        >>> nearest("AUROC", ["auroc", "ece"])
        "Did you mean 'auroc'?"
        >>> nearest("theta", ["ece", "brunner_munzel_theta"])
        "Did you mean 'brunner_munzel_theta'?"
    """
    candidates = sorted(candidates)
    by_lower_case = {candidate.lower(): candidate for candidate in candidates}
    typed = name.lower()
    completions = [text for text in by_lower_case if typed and text.startswith(typed)]
    near_misses = difflib.get_close_matches(typed, by_lower_case, n=2, cutoff=0.8)
    best_match = difflib.get_close_matches(typed, by_lower_case, n=1, cutoff=0.6)
    containing = [text for text in by_lower_case if len(typed) >= _SHORTEST_PART and typed in text]
    if close := completions[:1] or near_misses or best_match or containing[:1]:
        return f"Did you mean {' or '.join(repr(by_lower_case[text]) for text in close)}?"
    more = f" and {len(candidates) - _MOST_LISTED} more" if len(candidates) > _MOST_LISTED else ""
    return f"Known: {', '.join(candidates[:_MOST_LISTED])}{more}."
