"""Reading logs in this process, in processes of this machine, or on a cluster."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.counting import CountedRecord, count_record
from inspect_confidence.judgments.locations import Log, location_text
from inspect_confidence.judgments.runs import (
    Run,
    decode_run,
    encode_run,
    read_record_facts,
    reader_versions,
)
from inspect_confidence.printing import counted, excerpt
from inspect_confidence.redaction import failure
from inspect_confidence.studies import SELF_DESCRIBING, Recorded

ExecutorOption = Executor | str | None
"""Values of `executor` of public functions: an executor, or a text as for `--executor`.

None reads in this process.
"""

AUTO = "auto"
"""Processes on this machine, if there are enough logs to repay starting them."""

_EXECUTOR_TEXT = re.compile(
    r"auto|none|(?P<processes>processes)(?::(?P<workers>[1-9]\d*))?|dask://(?P<dask>\S+:\d+)"
)
_MANY_LOGS, _MANY_BYTES = 8, 20_000_000
"""Number and bytes of logs up to which one process is as fast: others first import Inspect."""

_MAX_SUBMITTED = 256
"""Number of logs that an executor has at once: enough for a cluster of machines, while their
records fit into memory."""

_Outcome = TypeVar("_Outcome")
_WorkerOutcome = TypeVar("_WorkerOutcome")


def check_executor(text: str) -> str:
    """Return a value of `--executor` unchanged, if it is valid.

    Raises:
        InvalidArgument: The text does not name an executor.
    """
    if not _EXECUTOR_TEXT.fullmatch(text):
        raise InvalidArgument(
            f"--executor {text}: this is not an executor; write auto, none, processes, processes:4 "
            "or dask://HOST:PORT, the address of a Dask scheduler."
        )
    return text


def log_as_record(location: str, recorded: Recorded, reread: bool) -> bytes | str:
    """Read a log; return the content of its record file, or why the log cannot be read.

    Worker processes run this function too.

    Args:
        location: Path or address of the log.
        recorded: Where logs of other evals record confidence and correctness.
        reread: Whether answers are read again from the replies, not taken from the log's scores.
    """
    try:
        return encode_run(_read_run(location, recorded, reread))
    except Exception as error:  # a damaged log must not keep the others from being read
        return _failure_to_read(error, location)


def _failure_to_read(error: Exception, location: str) -> str:
    """Return why a log cannot be read, without its name, which the message has already."""
    text = repr(error)
    for name in (location, location_text(location)):
        text = text.replace(name, "the log")
    return failure(text)


def _read_run(location: str, recorded: Recorded, reread: bool) -> Run:
    """Read a log; `recorded` is for logs of other evals, `reread` reads its replies again."""
    # `logs` imports Inspect, which takes seconds; judgments from a store are read without it.
    from inspect_confidence.judgments.logs import read_run  # noqa: PLC0415

    return read_run(location, reread=reread, recorded=recorded)


def _read_run_here(location: str, recorded: Recorded, reread: bool) -> Run | str:
    """Read a log in this process; return its run, or why it cannot be read."""
    try:
        return _read_run(location, recorded, reread)
    except Exception as error:  # as in `log_as_record`
        return _failure_to_read(error, location)


def read_runs(
    logs: Sequence[Log],
    *,
    executor: ExecutorOption = None,
    recorded: Recorded = SELF_DESCRIBING,
    reread: bool = False,
    notices: list[str] | None = None,
) -> Iterator[tuple[int, Run | str]]:
    """Yield the position of each log with its run, or with the reason why it cannot be read.

    Logs come in the order in which they are read; positions are those in `logs`.

    Args:
        logs: The logs to read.
        executor: Reads them; a text starts an executor, as `--executor` does.
        recorded: Where logs of other evals record confidence and correctness.
        reread: Whether answers are read again from the replies, not taken from the log's scores.
        notices: Receives a notice of how many logs the executor lost.
    """
    # A worker returns the bytes of a record file, which are faster to send than frames.
    read_here = partial(_read_run_here, recorded=recorded, reread=reread)
    read_in_worker = partial(log_as_record, recorded=recorded, reread=reread)
    for number, outcome in _read_each(logs, read_here, read_in_worker, executor, notices):
        yield number, decode_run(outcome) if isinstance(outcome, bytes) else outcome


def read_records(
    logs: Sequence[Log],
    *,
    executor: ExecutorOption = None,
    recorded: Recorded = SELF_DESCRIBING,
    notices: list[str] | None = None,
) -> Iterator[tuple[int, bytes | str]]:
    """Yield the position of each log with the content of its record file, or why there is none.

    The arguments are those of `read_runs`.
    """
    read = partial(log_as_record, recorded=recorded, reread=False)
    return _read_each(logs, read, read, executor, notices)


def count_records(
    files: Sequence[str],
    task: str,
    *,
    executor: ExecutorOption = None,
    notices: list[str] | None = None,
) -> list[CountedRecord]:
    """Return the counted judgments of record files, in their order.

    Args:
        files: The record files, which workers must find at the same paths.
        task: The task of their judgments.
        executor: Counts them; `auto` counts in this process, since DuckDB uses all cores.
        notices: Receives a notice of how many files the executor lost; they are counted here.
    """
    # `_read_each` takes locations as logs; it reads nothing but what `count` reads.
    logs, count = [Log(file) for file in files], partial(count_record, task=task)
    used_executor = None if executor == AUTO else executor
    counted_by_number = dict(_read_each(logs, count, count, used_executor, notices))
    records = []
    for number in range(len(files)):
        record = counted_by_number[number]
        assert isinstance(record, CountedRecord)  # not a text: only an unreadable log gives one
        records.append(record)
    return records


def _read_each(
    logs: Sequence[Log],
    read_here: Callable[[str], _Outcome],
    read_in_worker: Callable[[str], _WorkerOutcome],
    executor: ExecutorOption,
    notices: list[str] | None,
) -> Iterator[tuple[int, _Outcome | _WorkerOutcome | str]]:
    """Yield the position of each log with its outcome, in the order in which logs are read.

    A log that the executor lost, such as by the death of a worker, is read in this process.

    Args:
        logs: The logs; the outcome of one that is known to be unreadable is the reason.
        read_here: Reads a location in this process.
        read_in_worker: Reads a location in a worker.
        executor: Reads the logs: an executor, a value of `--executor`, or None for this process.
        notices: Receives a notice of how many logs the executor lost.
    """
    remaining = []  # positions of logs that are not known to be unreadable
    for position, log in enumerate(logs):
        if log.unreadable:
            yield position, log.unreadable
        else:
            remaining.append(position)
    if not remaining:
        return
    with _open_executor(executor, [logs[position] for position in remaining]) as running_executor:
        if running_executor is None:
            for position in remaining:
                yield position, read_here(logs[position].location)
            return
        errors: list[BaseException] = []
        # A worker may run in another folder, and so gets absolute locations.
        locations = [logs[position].absolute for position in remaining]
        for index, future in _submit_all(running_executor, read_in_worker, locations):
            position = remaining[index]
            error = future.exception()
            if error is None:
                yield position, _refuse_other_readers(future.result())
            else:
                errors.append(error)
                yield position, read_here(logs[position].location)
        if errors and notices is not None:
            notices.append(
                f"the executor lost {counted(len(errors), 'log')}; read in this process: "
                f"{excerpt(repr(errors[0]), 200)}"
            )


def _refuse_other_readers(outcome: _WorkerOutcome) -> _WorkerOutcome:
    """Return what a worker read (a record, counts, an error); refuse packages of other versions."""
    versions = reader_versions()  # an error records none and is returned
    if isinstance(outcome, bytes):
        versions = read_record_facts(outcome)["readers"]
    elif isinstance(outcome, CountedRecord):
        versions = outcome.readers
    if versions != reader_versions():
        raise InvalidArgument(
            f"A worker has {versions}, and this process has {reader_versions()}; install the "
            "same versions for the worker."
        )
    return outcome


def _submit_all(
    executor: Executor, read: Callable[[str], _WorkerOutcome], locations: Sequence[str]
) -> Iterator[tuple[int, "Future[_WorkerOutcome]"]]:
    """Yield the position of each location with its finished future, in the order of finishing.

    At most `_MAX_SUBMITTED` locations are submitted at once; if the caller stops, the rest is
    cancelled.
    """
    remaining = iter(range(len(locations)))
    running: dict[Future[_WorkerOutcome], int] = {}
    try:
        while True:
            for position in remaining:  # continues after the last one that was submitted
                running[_submit(executor, read, locations[position])] = position
                if len(running) >= _MAX_SUBMITTED:
                    break
            if not running:
                return
            done, _pending = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future
    finally:
        for future in running:
            future.cancel()


def _submit(
    executor: Executor, read: Callable[[str], _WorkerOutcome], location: str
) -> "Future[_WorkerOutcome]":
    """Return the future of reading a location; with the exception if it cannot be submitted."""
    try:
        return executor.submit(read, location)
    except Exception as error:  # a pool whose worker died takes nothing more
        future: Future[_WorkerOutcome] = Future()
        future.set_exception(error)
        return future


@contextmanager
def _open_executor(executor: ExecutorOption, logs: Sequence[Log]) -> Iterator[Executor | None]:
    """Yield the executor, or None to read in this process.

    A text, such as "processes:4", starts an executor, which is shut down at the end of the context.
    Number and size of the logs decide what "auto" means.
    """
    if not isinstance(executor, str):
        yield executor
        return
    if executor == AUTO:
        is_large = len(logs) > _MANY_LOGS and sum(log.size for log in logs) > _MANY_BYTES
        executor = "processes" if is_large and (os.cpu_count() or 1) > 1 else "none"
    match = _EXECUTOR_TEXT.fullmatch(check_executor(executor))
    options = match.groupdict() if match else {}
    if options.get("dask"):
        with _connect_to_dask(options["dask"]) as dask_executor:
            yield dask_executor
    elif options.get("processes"):
        workers = min(int(options["workers"] or os.cpu_count() or 1), len(logs))
        # A fork would copy the locks of this process's threads.
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
    else:
        yield None


@contextmanager
def _connect_to_dask(address: str) -> Iterator[Executor]:
    """Yield an executor of the Dask scheduler at `HOST:PORT`; refuse without Dask or scheduler."""
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
            f"--executor dask://{address}: no Dask scheduler answers there "
            f"({excerpt(repr(error), 100)})."
        ) from None
    with client:
        # The same location may hold another log by now: nothing is taken from an earlier call.
        yield client.get_executor(pure=False)
