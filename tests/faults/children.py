"""Commands in processes of their own, which are killed, run out of room, or may not write."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from inspect_confidence.cli import main

_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir"}
_LEFT = re.compile(r".*\.[0-9a-f]{32}\.new")
"""What a killed command leaves beside: hidden, or with an ending that nothing reads."""


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: Its exit code, or minus the signal that it died of.
        changes: How many changes of files it began below the watched folder.
        text: What it printed, errors included.
        crash: The exception that no line was made of.
    """

    code: int
    changes: int = 0
    text: str = ""
    crash: str = ""

    @property
    def errors(self) -> list[str]:
        """Its lines that begin as errors do."""
        return [line for line in self.text.splitlines() if line.startswith("Error")]


def run(
    words: Sequence[object],
    *,
    folder: Path | None = None,
    point: int = -1,
    before: Callable[..., object] | None = None,
    arguments: Sequence[Any] = (),
) -> Ended:
    """A command of ours in a process of its own.

    Args:
        words: Of the command line.
        folder: The folder whose changes are counted.
        point: Before which of them it is killed; not at all if negative.
        before: What is done in the process first.
        arguments: Its arguments.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(["inspect_confidence.judgments.logs", "faults.children"])
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(
        target=_child, args=(sender, list(map(str, words)), folder, point, before, arguments)
    )
    process.start()
    sender.close()
    try:
        ended: Ended = receiver.recv()
    except EOFError:
        ended = Ended(0)
    process.join()
    return ended if process.exitcode == 0 else Ended(process.exitcode or 0)


def _child(
    pipe: Connection,
    words: list[str],
    folder: Path | None,
    point: int,
    before: Callable[..., object] | None,
    arguments: Sequence[Any],
) -> None:
    changes = 0

    def watch(event: str, facts: tuple[Any, ...]) -> None:
        nonlocal changes
        writes = event == "open" and bool((facts[2] or 0) & (os.O_WRONLY | os.O_RDWR))
        if (event in _CHANGES or writes) and str(facts[0]).startswith(str(folder)):
            if changes == point:
                os.kill(os.getpid(), signal.SIGKILL)
            changes += 1

    if folder:
        sys.addaudithook(watch)
    if before:
        before(*arguments)
    done = CliRunner().invoke(main, words)
    crashed = done.exception and not isinstance(done.exception, SystemExit)
    pipe.send(Ended(done.exit_code, changes, done.output, repr(done.exception) if crashed else ""))


def full(room: int) -> None:
    """No file may be larger from now on: the system refuses as a full disk does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


def bound() -> None:
    """Permissions hold from now on, for root too: no capability is left that passes them by."""
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, none):
        raise OSError(ctypes.get_errno(), "capset")


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder and below, but for what killed commands left beside and for locks."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
        and file.name != ".lock"
        and not any(map(_LEFT.fullmatch, file.relative_to(folder).parts))
    }
