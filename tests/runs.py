"""Runs in this process: tasks against a local server or a simulated respondent, and what they say.

Nothing here knows a task: what is asked and what it means stands beside the tests.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from inspect_ai import Task, eval
from inspect_ai._cli.main import inspect as inspect_command
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model
from rich.text import Text

from build import requests_to
from inspect_confidence import InvalidArgument
from inspect_confidence.cli import main
from provider_server import ProviderServer, Reply, Request

OPENAI, ANTHROPIC, GOOGLE = (
    "openai/gpt-4o-mini",
    "anthropic/claude-haiku-4-5",
    "google/gemini-2.0-flash",
)

Answer = Callable[[Request], Reply | Sequence[Reply]]
Values = dict[tuple[str, str], float]
"""Values by condition and metric."""

QUIET: dict[str, Any] = {"display": "log", "log_realtime": False}
"""Nothing to look at while it runs, which takes half of the time of a run without a far end."""


def connected(server: ProviderServer, model: str = OPENAI) -> Model:
    """A model as served by a local server; Inspect keeps none of it."""
    url = server.url + ("/v1" if model.startswith("openai/") else "")
    return get_model(model, base_url=url, api_key="test", memoize=False)


def run_task(
    task: Task, server: ProviderServer, folder: Path, model: str = OPENAI, **options: Any
) -> EvalLog:
    """The log of a run against an entered server, whatever became of it."""
    settings = {"log_dir": str(folder), "max_retries": 0, **QUIET, **options}
    (log,) = eval(task, connected(server, model), **settings)
    return log


def served(
    task: Task, folder: Path, answer: Answer, model: str = OPENAI, **options: Any
) -> tuple[EvalLog, list[Request]]:
    """The log of a successful run against a server of its own, and the requests it made."""
    with ProviderServer(answer) as server:
        log = run_task(task, server, folder, model, **options)
    assert not server.errors
    assert log.status == "success", log.error
    return log, requests_to(server)


def in_turn(*replies: Reply) -> Answer:
    """The replies, over and over."""
    turns = cycle(replies)
    return lambda _: next(turns)


def by_prompt(*replies: Reply) -> Answer:
    """The replies over and over, a prompt's draws all alike, in whatever order they are asked."""
    turns, lock = cycle(replies), Lock()
    reply_by_prompt: dict[str, Reply] = {}

    def answer(request: Request) -> Reply:
        with lock:
            if request.prompt not in reply_by_prompt:
                reply_by_prompt[request.prompt] = next(turns)
            return reply_by_prompt[request.prompt]

    return answer


def responded(task: Task, name: str, folder: Path, epochs: int = 1, **parameters: Any) -> EvalLog:
    """The log of a successful run that a simulated respondent answers."""
    (log,) = eval(
        task,
        model=f"respondent/{name}",
        model_args=parameters,
        log_dir=str(folder),
        epochs=epochs,
        **QUIET,
    )
    assert log.status == "success", log.error
    return log


def terminal_error(log: EvalLog) -> str:
    """The error that ended a run, as one line: a terminal shows it without Inspect's frames."""
    assert log.error
    lines = Text.from_ansi(log.error.traceback_ansi).plain.strip().splitlines()
    assert len(lines) <= 3, lines  # of 80 columns, after the name of the error's class
    error = " ".join(" ".join(lines).split())
    assert error.startswith("InvalidArgument: ")
    assert log.error.message in error
    return error


def log_metrics(log: EvalLog) -> dict[str, float]:
    """The log's own metrics by name, but for those of groups of samples."""
    assert log.results
    metrics = log.results.scores[0].metrics.items()
    return {name: metric.value for name, metric in metrics if "_by_" not in (metric.group or name)}


def values(results: pd.DataFrame | Iterable[Mapping[Any, Any]]) -> Values:
    """Values of results, as a frame or as rows of its JSON."""
    rows = results.to_dict("records") if isinstance(results, pd.DataFrame) else results
    return {(row["condition"], row["metric"]): row["value"] for row in rows}


def refusal(build: Callable[..., object], **arguments: object) -> str:
    """The one line that arguments end in, before any call."""
    with pytest.raises(InvalidArgument) as caught:
        build(**arguments)
    message = caught.value.format_message()
    assert "\n" not in message, (arguments, message)
    return message


def check_refusals(
    build: Callable[..., object], cases: Iterable[tuple[Mapping[str, object], str]]
) -> None:
    """Each of the arguments ends in one line that says what it should."""
    for arguments, says in cases:
        message = refusal(build, **arguments)
        assert says in message, (arguments, message)


def parameters_of(task: Callable[..., Task]) -> list[str]:
    """The arguments that a task names."""
    return [name for name in inspect.signature(task).parameters if name != "unknown"]


def printed(*words: object, code: int | None = 0) -> Result:
    """What our command line prints, in this process; None takes any code."""
    done = CliRunner().invoke(main, list(map(str, words)))
    crashed = done.exception and not isinstance(done.exception, SystemExit)
    assert not crashed, (words, done.exception)
    assert code in (None, done.exit_code), (words, done.output)
    return done


def inspect_printed(*words: object) -> Result:
    """What a successful command of Inspect prints, in this process."""
    done = CliRunner().invoke(inspect_command, list(map(str, words)))
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done


@contextmanager
def cached(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Inspect's cache of replies is in this folder."""
    with monkeypatch.context() as patch:
        for name in ("INSPECT_CACHE_DIR", "XDG_CACHE_HOME"):
            patch.setenv(name, str(folder))
        yield
