"""Reading logs in this process, in processes of this machine, or on a cluster."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.places import Log
from inspect_confidence.judgments.runs import Run, decode, encode, reader_versions, record_of
from inspect_confidence.redaction import failure
from inspect_confidence.studies import SELF_DESCRIBING, Recorded

Executing = Executor | str | None
"""Executors that public functions accept; None reads in this process."""

AUTO = "auto"
"""Processes on this machine, if there are enough logs to repay starting them."""

_FORM = re.compile(r"(auto|none)|(processes)(?::([1-9]\d*))?|dask://(\S+:\d+)")
_MANY, _LARGE = 8, 20_000_000
"""Number and bytes of logs up to which one process is as fast, as others import Inspect first."""

_IN_FLIGHT = 256
"""Number of logs that an executor has at once: enough for a cluster, little enough for memory."""

_Outcome = TypeVar("_Outcome")


def check_executor(text: str) -> str:
    """Return the text if it names an executor.

    Raises:
        InvalidArgument: It doesn't.
    """
    if not _FORM.fullmatch(text):
        raise InvalidArgument(
            f"--executor {text}: say processes, processes:4, none or "
            "dask://HOST:PORT, the address of a Dask scheduler."
        )
    return text


def read_record(location: str, recorded: Recorded, reread: bool) -> bytes | str:
    """Return the judgments of a log as a record file, or why the log cannot be read.

    Workers run this function too; it needs nothing but the location of the log.
    """
    try:
        return encode(_read_run(location, recorded, reread))
    except Exception as error:  # a damaged log must not keep the others from being read
        return failure(error)


def _read_run(location: str, recorded: Recorded, reread: bool) -> Run:
    # Inspect takes seconds to import, and judgments from a store need none of it.
    from inspect_confidence.judgments.logs import read_run  # noqa: PLC0415

    return read_run(location, reread=reread, recorded=recorded)


def _read_here(location: str, recorded: Recorded, reread: bool) -> Run | str:
    try:
        return _read_run(location, recorded, reread)
    except Exception as error:  # as in `read_record`
        return failure(error)


def read_runs(
    logs: Sequence[Log],
    *,
    executor: Executing = None,
    recorded: Recorded = SELF_DESCRIBING,
    reread: bool = False,
    notices: list[str] | None = None,
) -> Iterator[tuple[int, Run | str]]:
    """Yield the number of each log with its run, or with the reason why it cannot be read.

    Args:
        logs: The logs to read.
        executor: Reads them; a text starts an executor, as `--executor` does.
        recorded: What the user says about logs of other evals.
        reread: Whether replies are read again.
        notices: Receives a notice of how many logs the executor lost.
    """
    read_here = partial(_read_here, recorded=recorded, reread=reread)
    read_in_worker = partial(read_record, recorded=recorded, reread=reread)
    for number, outcome in _outcomes(logs, read_here, read_in_worker, executor, notices):
        yield number, decode(outcome) if isinstance(outcome, bytes) else outcome


def read_records(
    logs: Sequence[Log],
    *,
    executor: Executing = None,
    recorded: Recorded = SELF_DESCRIBING,
    notices: list[str] | None = None,
) -> Iterator[tuple[int, bytes | str]]:
    """Yield the number of each log with its record file, or with why it cannot be read.

    The arguments are those of `read_runs`.
    """
    read = partial(read_record, recorded=recorded, reread=False)
    return _outcomes(logs, read, read, executor, notices)


def _outcomes(
    logs: Sequence[Log],
    read_here: Callable[[str], _Outcome],
    read_in_worker: Callable[[str], bytes | str],
    executor: Executing,
    notices: list[str] | None,
) -> Iterator[tuple[int, _Outcome | bytes | str]]:
    """Yield the outcomes in the order in which they are done: a slow log delays no other.

    A log that the executor lost, such as by the death of a worker, is read in this process.
    """
    numbers = []
    for number, log in enumerate(logs):
        if log.unreadable:
            yield number, log.unreadable
        else:
            numbers.append(number)
    if not numbers:
        return
    with _pool(executor, [logs[number] for number in numbers]) as pool:
        if pool is None:
            for number in numbers:
                yield number, read_here(logs[number].location)
            return
        errors: list[BaseException] = []
        locations = [logs[number].absolute for number in numbers]
        for position, future in _finished_futures(pool, read_in_worker, locations):
            number = numbers[position]
            error = future.exception()
            if error is None:
                yield number, _check_readers(future.result())
            else:
                errors.append(error)
                yield number, read_here(logs[number].location)
        if errors and notices is not None:
            notices.append(
                f"the executor lost {len(errors)} logs, which were read in this process: "
                f"{errors[0]!r:.200}"
            )


def _check_readers(outcome: bytes | str) -> bytes | str:
    """Return what a worker read, if its readers have the versions of this process."""
    if isinstance(outcome, bytes):
        versions = record_of(outcome)["readers"]
        if versions != reader_versions():
            raise InvalidArgument(
                f"A worker has {versions}, and this is {reader_versions()}: install the same there."
            )
    return outcome


def _finished_futures(
    pool: Executor, read: Callable[[str], bytes | str], locations: Sequence[str]
) -> Iterator[tuple[int, "Future[bytes | str]"]]:
    waiting = iter(range(len(locations)))
    running: dict[Future[bytes | str], int] = {}
    try:
        while True:
            for number in waiting:
                running[_submit(pool, read, locations[number])] = number
                if len(running) >= _IN_FLIGHT:
                    break
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future
    finally:
        for future in running:
            future.cancel()


def _submit(
    pool: Executor, read: Callable[[str], bytes | str], location: str
) -> "Future[bytes | str]":
    try:
        return pool.submit(read, location)
    except Exception as error:  # a pool whose worker died takes nothing more
        future: Future[bytes | str] = Future()
        future.set_exception(error)
        return future


@contextmanager
def _pool(executor: Executing, logs: Sequence[Log]) -> Iterator[Executor | None]:
    """Yield the executor; one that is started for this call ends with it."""
    if not isinstance(executor, str):
        yield executor
        return
    if executor == AUTO:
        large = len(logs) > _MANY and sum(log.size for log in logs) > _LARGE
        executor = "processes" if large and (os.cpu_count() or 1) > 1 else "none"
    match = _FORM.fullmatch(check_executor(executor))
    _, kind, count, address = match.groups() if match else ("", "", "", "")
    if address:
        with _cluster(address) as pool:
            yield pool
    elif kind:
        workers = min(int(count or os.cpu_count() or 1), len(logs))
        # A fork would copy the locks of this process's threads.
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
    else:
        yield None


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client  # noqa: PLC0415 # an optional package
    except ImportError:
        raise InvalidArgument(
            f"--executor dask://{address} needs Dask: install inspect_confidence[scale]."
        ) from None
    try:
        client: Any = Client(f"tcp://{address}", timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except OSError as error:
        raise InvalidArgument(
            f"--executor dask://{address}: no Dask scheduler answers there ({error!r:.100})."
        ) from None
    with client:
        # The same location may hold another log by now: nothing is taken from an earlier call.
        yield client.get_executor(pure=False)
