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

MIN_JUDGMENTS = 20_000
"""Number of judgments from which on processes save more time than the two seconds they start in."""

_THREADS_VARIABLE = "OMP_NUM_THREADS"
"""Environment variable with the number of threads of linear algebra."""


def workers_for(judgments: int, resampling: Resampling) -> int:
    """Return the number of processes for this number of judgments.

    It is 1 for fewer than 20,000 judgments, because starting processes takes longer than they save,
    and if `resampling.observe` is set, because the callback is in this process.
    """
    return 1 if resampling.observe or judgments < MIN_JUDGMENTS else resampling.workers


def run_tasks(
    function: Callable[..., OutcomeT],
    tasks: Sequence[tuple[Any, ...]],
    workers: int,
    progress: Progress = iter,
) -> list[OutcomeT]:
    """Call a function with each task's arguments, and return the values in the tasks' order.

    Args:
        function: Function at the top level of a module, because processes import it by name.
        tasks: Arguments of each call, which are copied to the processes.
        workers: Largest number of processes at once; with 1 (or one task) calls run in this one.
        progress: Function that wraps the tasks to show how many are done.

    Raises:
        InvalidArgument: A process could not start, or was ended from outside.
    """
    if workers == 1 or len(tasks) < 2:
        return [function(*task) for task in progress(tasks)]
    # Spawned, because a fork would copy locks that other threads of this process may hold.
    pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=get_context("spawn"))
    try:
        with pool, _one_thread():
            results = pool.map(function, *zip(*tasks, strict=True))
            return [next(results) for _ in progress(tasks)]
    except BrokenProcessPool as error:
        raise InvalidArgument(
            f"workers={workers}: a process ended before its work was done. In a script, call this "
            'below `if __name__ == "__main__":`, because each process imports it. If memory ran '
            "out, set fewer workers; workers=1 starts no process."
        ) from error


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit processes that are started in this context to one thread of linear algebra each.

    The processes share the cores. A limit that the user has set is kept.
    """
    unset = _THREADS_VARIABLE not in os.environ
    os.environ.setdefault(_THREADS_VARIABLE, "1")
    try:
        yield
    finally:
        if unset:
            del os.environ[_THREADS_VARIABLE]
