"""Runs in processes of their own that note each call, so that they can be killed after any."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import eval, eval_retry
from inspect_ai.model import ModelOutput

from conftest import CHECKOUT
from inspect_confidence import _registry
from inspect_confidence.respondents.provider import RespondentAPI

PACE = 0.03
"""Seconds that a reply takes."""


@dataclass(frozen=True)
class KilledCase:
    """A short run of a task with a simulated respondent.

    Attributes:
        task: Its function.
        model: The respondent.
        arguments: Of the task.
        judge: The respondent that judges, if any does.
        uniform: Whether all samples cost as many calls.
    """

    task: str
    model: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    judge: str = ""
    uniform: bool = True

    def __str__(self) -> str:
        """The task."""
        return self.task


CASES = (
    KilledCase("fermi_eval", "tunnel", {"dataset": "bundled", "items": 8, "levels": "80,90"}),
    KilledCase(
        "scale_variants",
        "metacognitive",
        {"dataset": "bundled", "items": 6, "scales": "0-100,0-20"},
    ),
    KilledCase("wep_elicitation", "surveyed", {"items": 4, "words": "likely,probable,unlikely"}),
    KilledCase("wep_choice", "chooser", {"items": 16}),
    KilledCase("life_eval", "actuary", {"items": 14}),
    KilledCase("question_sets", "metacognitive", {"dataset": "bundled", "items": 14}),
    KilledCase(
        "hedge_markers", "hedger", {"dataset": "bundled", "items": 4, "draws": 2}, "judge", False
    ),
    KilledCase("judge_check", "judge", {"items": 14}),
    KilledCase("abstain", "candid", {"items": 4, "targets": "0,0.5,0.75", "confidence": "after"}),
    KilledCase("commitment", "candid", {"items": 6, "pushback": "disagree"}),
    KilledCase("simple_qa", "candid", {"dataset": "facts", "items": 8, "judge": "rules"}),
    KilledCase(
        "with_confidence", "examinee", {"task": f"{CHECKOUT / 'examples' / 'quiz.py'}@quiz"}
    ),
)


def run(case: KilledCase, logs: Path, calls: Path) -> None:
    """A whole run, which notes its calls."""
    _note(calls)
    roles: Any = {"grader": f"respondent/{case.judge}"} if case.judge else None
    limit = 14 if case.task == "with_confidence" else None
    eval(
        getattr(_registry, case.task)(**case.arguments),
        model=f"respondent/{case.model}",
        model_roles=roles,
        log_dir=str(logs),
        limit=limit,
        **_HOW,
    )


def retry(log: str, logs: Path, calls: Path) -> None:
    """`inspect eval-retry`, which notes its calls."""
    _note(calls)
    eval_retry(log, log_dir=str(logs), display="none", log_buffer=1)


_HOW: dict[str, Any] = {
    **{"display": "none", "log_buffer": 1, "max_connections": 2, "max_samples": 2}
}


def _note(calls: Path) -> None:
    """From now on a call of a respondent takes a while, and leaves a line in a file."""
    file = os.open(calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    answer = RespondentAPI.generate

    async def noted(self: RespondentAPI, *arguments: Any, **settings: Any) -> ModelOutput:
        await anyio.sleep(PACE)
        os.write(file, b".\n")
        return await answer(self, *arguments, **settings)

    RespondentAPI.generate = noted  # type: ignore[method-assign]


def server() -> ForkServerContext:
    """Makes processes in which all this is imported already."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def exit_code_of(context: ForkServerContext, work: Callable[..., None], *arguments: Any) -> int:
    """How a process ended that did the work."""
    process = context.Process(target=work, args=arguments)
    process.start()
    process.join(120)
    assert process.exitcode is not None, "it hangs"
    return process.exitcode


def killed(
    context: ForkServerContext, after: int, later: float, calls: Path, *arguments: Any
) -> bool:
    """Whether the process could be killed so long after so many calls, before it was done."""
    process = context.Process(target=run, args=arguments)
    process.start()
    while process.is_alive() and count(calls) < after:
        time.sleep(0.002)
    time.sleep(later)
    was_alive = process.is_alive()
    assert process.pid
    if was_alive:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return was_alive


def count(calls: Path) -> int:
    """The calls noted in a file."""
    return calls.read_bytes().count(b"\n") if calls.exists() else 0
