"""Whether time grows as the length of a text does, or faster."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import product
from time import process_time

SHORT, LONG, LONGER = 250, 2_000, 16_000
"""Characters of the texts that are compared, each eight times as long as the one before."""


def slow_texts(
    read: Callable[[str], object],
    pieces: Iterable[str],
    starts: Iterable[str] = ("",),
    ends: Iterable[str] = ("?",),
) -> list[tuple[str, str, str]]:
    """The starts, repeated pieces and ends of the texts that take more than linear time."""

    def text(start: str, piece: str, end: str) -> Callable[[int], str]:
        return lambda length: start + piece * (length // len(piece)) + end

    parts = product(starts, pieces, ends)
    return [part for part in parts if not grows_linearly(read, text(*part))]


def grows_linearly(read: Callable[[str], object], text: Callable[[int], str]) -> bool:
    """Whether eight times as long a text takes some eight times as long.

    What is quadratic takes sixty-four times as long. Processor time of this process is measured,
    to which a busy machine adds little. If it seems to be too much, longer texts are compared,
    several times and with more tolerance.
    """
    if _seconds(read, text(LONG)) < 10 * min(_seconds(read, text(SHORT)) for _ in range(3)):
        return True
    attempts = ((_seconds(read, text(LONG)), _seconds(read, text(LONGER))) for _ in range(4))
    return any(longer < 20 * long for long, longer in attempts)


def _seconds(read: Callable[[str], object], text: str) -> float:
    begun = process_time()
    read(text)
    return process_time() - begun


def doubles(read: Callable[[str], object], text: Callable[[int], str], length: int) -> bool:
    """Whether twice as long a text takes less than 2.5 times as long; the best of five attempts.

    If it takes more, a quick way through may have ended between the two, as that of objects does at
    100,000 characters, and the longer one alone takes the long way. Then eight times that length
    must take less than thirty times as long: fifteen times are linear, sixty-four quadratic.
    """
    short, long = text(length), text(2 * length)
    once = twice = math.inf
    for _ in range(5):
        once, twice = min(once, _seconds(read, short)), min(twice, _seconds(read, long))
        if twice < 2.5 * once:
            return True
    return any(_seconds(read, text(16 * length)) < 30 * twice for _ in range(2))
