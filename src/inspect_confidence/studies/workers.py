"""Running independent parts of a computation in processes."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeVar

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.studies.study import Resampling

OutcomeT = TypeVar("OutcomeT")

Progress = Callable[[Sequence[Any]], Iterable[Any]]
"""Function that wraps the tasks to show progress."""

LEAST = 20_000
"""Number of judgments from which on processes save more than the two seconds of their start."""

_THREADS = "OMP_NUM_THREADS"


def workers_for(judgments: int, resampling: Resampling) -> int:
    """Return the number of processes for that many judgments.

    It is 1 if resamples are observed, because the observer is in this process.
    """
    return 1 if resampling.observe or judgments < LEAST else resampling.workers


def run_tasks(
    function: Callable[..., OutcomeT],
    tasks: Sequence[tuple[Any, ...]],
    workers: int,
    progress: Progress = iter,
) -> list[OutcomeT]:
    """Return the function's value for each task, in the tasks' order.

    Args:
        function: Of a module, since processes import it by its name.
        tasks: Its arguments, which are copied to the processes.
        workers: Processes at once; 1 is this one alone.
        progress: Wraps the tasks, to show how many are done.

    Raises:
        InvalidArgument: A process could not start, or was ended from outside.
    """
    if workers == 1 or len(tasks) < 2:
        return [function(*task) for task in progress(tasks)]
    # Spawned: this process may have threads, which a fork would leave with locks held.
    pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=get_context("spawn"))
    try:
        with pool, _one_thread():
            results = pool.map(function, *zip(*tasks, strict=True))
            return [next(results) for _ in progress(tasks)]
    except BrokenProcessPool as error:
        raise InvalidArgument(
            f"workers={workers}: a process ended before its work was done. In a script, call this "
            'below `if __name__ == "__main__":`, since each process imports the script; where '
            "memory ran out, ask for fewer workers; workers=1 needs no processes."
        ) from error


@contextmanager
def _one_thread() -> Iterator[None]:
    """Give each process started within the context one thread for linear algebra.

    The processes share the cores.
    """
    unset = _THREADS not in os.environ
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if unset:
            del os.environ[_THREADS]
