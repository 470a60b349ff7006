"""Functions for other processes, in a module that a process imports in no time."""

import os

from inspect_confidence.errors import InvalidArgument


def process_of(number: int, factor: int) -> tuple[int, int]:
    """The product, and which process multiplied."""
    return number * factor, os.getpid()


def refuses(number: int) -> int:
    """An error that names its task."""
    if number == 2:
        raise InvalidArgument(f"number={number} is refused; give 1.")
    return number


def ends(number: int) -> int:
    """A process that is gone before it answers."""
    os._exit(number)


def threads(_: int) -> str:
    """How many threads linear algebra may have."""
    return os.environ.get("OMP_NUM_THREADS", "")
