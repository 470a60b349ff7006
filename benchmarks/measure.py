"""Timings and the tables that show them."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Timing:
    """Seconds that something took.

    Attributes:
        cpu: Of the processor's time that this process got: other work on the machine matters less.
        wall: Of the clock on the wall.
    """

    cpu: float = float("nan")
    wall: float = float("nan")

    def times(self, factor: float) -> "Timing":
        """What so many of it would take."""
        return Timing(factor * self.cpu, factor * self.wall)


@contextmanager
def timing() -> Iterator[Timing]:
    """Time what is done within; the seconds are there afterwards."""
    took = Timing()
    cpu, wall = time.process_time(), time.perf_counter()
    yield took
    took.cpu, took.wall = time.process_time() - cpu, time.perf_counter() - wall


def best(work: Callable[[], object], runs: int) -> Timing:
    """The run with the least processor time of several."""
    timings = []
    for _ in range(runs):
        with timing() as took:
            work()
        timings.append(took)
    return min(timings, key=lambda run: run.cpu)


def seconds(value: float) -> str:
    """Two significant digits or whole seconds."""
    return f"{value:#.2g}" if value < 9.9 else f"{value:,.0f}"


def times(value: float) -> str:
    """A ratio to two significant digits."""
    return f"{float(f'{value:.2g}'):,g}x"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table, its columns aligned to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows)
    )
