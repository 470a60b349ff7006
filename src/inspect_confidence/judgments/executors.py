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
from typing import Any

from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.places import Log
from inspect_confidence.judgments.runs import encode, readers, record_of
from inspect_confidence.redaction import failure
from inspect_confidence.studies import NOTHING_SAID, Recorded

Executing = Executor | str | None
"""What public functions take for an executor; None reads in this process."""

AUTO = "auto"
"""Processes on this machine where there is so much to read that starting them pays."""

_FORM = re.compile(r"(auto|none)|(processes)(?::([1-9]\d*))?|dask://(\S+:\d+)")
_MANY, _LARGE = 8, 20_000_000
"""Logs, and bytes of them, up to which one process is as fast: another imports Inspect first."""

_IN_FLIGHT = 256
"""Logs that an executor has at once: enough for a cluster, and what they give fits in memory."""


def check_executor(text: str) -> str:
    """The text, if it names an executor.

    Raises:
        InvalidArgument: It doesn't.
    """
    if not _FORM.fullmatch(text):
        raise InvalidArgument(
            f"--executor {text}: say processes, processes:4, none or "
            "dask://HOST:PORT, the address of a Dask scheduler."
        )
    return text


def read_record(location: str, recorded: Recorded = NOTHING_SAID, reread: bool = False) -> bytes:
    """A log's judgments as a record file; runs in workers too, which know only its location."""
    # Inspect takes seconds to import, and what was read before needs none of it.
    from inspect_confidence.judgments.logs import read_run  # noqa: PLC0415

    return encode(read_run(location, reread=reread, recorded=recorded))


Outcome = bytes | str
"""The record file of a log, or why it can't be read."""


def read_records(
    logs: Sequence[Log],
    *,
    executor: Executing = None,
    recorded: Recorded = NOTHING_SAID,
    reread: bool = False,
    notices: list[str] | None = None,
) -> Iterator[tuple[int, Outcome]]:
    """Each log's number with what was read of it, in the order in which they are done.

    A log whose worker died, or that was lost on the way, is read in this process. A slow one keeps
    no other waiting.

    Args:
        logs: Which to read.
        executor: Reads them; a text starts one, as `--executor` does.
        recorded: What the user says about logs of others.
        reread: Whether replies are read again.
        notices: Is told how many logs the executor lost, if it did.
    """
    read = partial(_outcome, recorded=recorded, reread=reread)
    there = [number for number, log in enumerate(logs) if not log.unreadable]
    yield from ((number, log.unreadable) for number, log in enumerate(logs) if log.unreadable)
    if not there:
        return
    with _started(executor, [logs[number] for number in there]) as pool:
        if pool is None:
            yield from ((number, read(logs[number].location)) for number in there)
            return
        lost: list[BaseException] = []
        locations = [logs[number].absolute for number in there]
        for place, future in _in_any_order(pool, read, locations):
            number = there[place]
            if (error := future.exception()) is not None:
                lost.append(error)
            yield number, read(logs[number].location) if error else _same(future.result())
        if lost and notices is not None:
            notices.append(
                f"the executor lost {len(lost)} logs, which were read in this process: "
                f"{lost[0]!r:.200}"
            )


def _outcome(location: str, recorded: Recorded, reread: bool) -> Outcome:
    try:
        return read_record(location, recorded, reread)
    except Exception as error:  # a damaged log must not keep the others from being read
        return failure(error)


def _same(found: Outcome) -> Outcome:
    """What a worker read, if it would have been read so here."""
    if isinstance(found, bytes) and (theirs := record_of(found)["readers"]) != readers():
        raise InvalidArgument(
            f"A worker has {theirs}, and this is {readers()}: install the same there."
        )
    return found


def _in_any_order(
    pool: Executor, read: Callable[[str], Outcome], locations: Sequence[str]
) -> Iterator[tuple[int, "Future[Outcome]"]]:
    left = iter(range(len(locations)))
    running: dict[Future[Outcome], int] = {}
    try:
        while True:
            for number in left:
                running[_submitted(pool, read, locations[number])] = number
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


def _submitted(pool: Executor, read: Callable[[str], Outcome], location: str) -> "Future[Outcome]":
    try:
        return pool.submit(read, location)
    except Exception as error:  # a pool whose worker died takes nothing more
        future: Future[Outcome] = Future()
        future.set_exception(error)
        return future


@contextmanager
def _started(executor: Executing, logs: Sequence[Log]) -> Iterator[Executor | None]:
    """The executor; what was started for this reading ends with it."""
    if not isinstance(executor, str):
        yield executor
        return
    if executor == AUTO:
        large = len(logs) > _MANY and sum(log.size for log in logs) > _LARGE
        executor = "processes" if large and (os.cpu_count() or 1) > 1 else "none"
    found = _FORM.fullmatch(check_executor(executor))
    _, kind, count, address = found.groups() if found else ("", "", "", "")
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
