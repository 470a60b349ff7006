"""What readers of different answers have in common: empty, final, cut and refused replies."""

import re
from collections.abc import Callable
from typing import TypeVar

from inspect_confidence.answers._plain import CUT, plain
from inspect_confidence.answers._scan import Scan, scan
from inspect_confidence.answers._status import Unreadable
from inspect_confidence.answers._text import is_refusal

Found = TypeVar("Found")

_FINAL = re.compile(
    # "Final lower: 3, final upper: 7" is one answer.
    r"F(?=[LUlu])[^F]*F(?=[LUlu])[^F]*$"
    r"|F(?:[BEeC%N]+(?=[:\n(LUlubpT~X-])|(?=[:\n(LUluEX])|w?(?=X))[^F]*$"
)
_ATTEMPT = re.compile(r"p|[:|]~?\(?[bq]")


def read_reply(
    reply: str, find: Callable[[Scan], Found | Unreadable], *, truncated: bool
) -> Found | Unreadable:
    """What is found after the last "final answer" of a reply, or else in all of it."""
    text = plain(reply)
    if not text:
        return Unreadable("no_response", "the reply is empty")
    tokens = scan(text + CUT if truncated else text)
    found = _preferably_final(tokens, find)
    if not isinstance(found, Unreadable):
        return found
    if truncated:
        return Unreadable("truncated", "the reply is cut off before an answer was stated")
    if is_refusal(text) and not _ATTEMPT.search(tokens.codes):
        return Unreadable("refusal", "the reply declines to answer")
    return found


def _preferably_final(
    tokens: Scan, find: Callable[[Scan], Found | Unreadable]
) -> Found | Unreadable:
    final = _FINAL.search(tokens.codes)
    if final:
        found = find(tokens.after(final.start() + 1))
        # Where a final answer was begun and is cut off, an earlier one isn't the answer.
        if not isinstance(found, Unreadable) or tokens.codes.endswith("X"):
            return found
    return find(tokens)
