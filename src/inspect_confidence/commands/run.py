"""Run of a study file as one `eval_set` of Inspect."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval_set, task_with
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.file import filesystem
from inspect_ai.hooks import Hooks, RunStart, TaskEnd, hooks
from inspect_ai.hooks._startup import init_hooks
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model
from inspect_ai.util import DisplayType
from rich.text import Text

from inspect_confidence.commands.continued_logs import refuse_other_logs
from inspect_confidence.commands.design import (
    Design,
    StudyEntry,
    check_task_settings,
    read_design,
)
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.printing import counted, echo, excerpt, one_line
from inspect_confidence.writing import lock_folder

_SHOWN_ERROR = 300
"""Number of characters of a failed run's error that are printed."""


def run_design(
    path: str,
    *,
    logs: str | None = None,
    display: DisplayType | None = None,
    retries: int | None = None,
) -> bool:
    """Run a study file, except for runs and samples that its logs contain already.

    All tasks and models are built before the first call. An interrupted run is resumed, and a
    finished run is skipped.

    Args:
        path: The study file, as `read_design` takes it.
        logs: Folder of the logs, instead of the study file's.
        display: Value of `inspect eval-set --display`; `none` prints a line at the end of each run
            that succeeds.
        retries: Number of retries of failed runs; Inspect's default is ten.

    Returns:
        Whether all runs succeeded.

    Raises:
        InvalidArgument: The study file is invalid, a model lacks a key or a package, logs can't be
            written to the folder, another process writes to it, or its logs do not fit the file.
    """
    design = read_design(path)
    tasks = _build_tasks(design)
    folder = logs or design.logs
    _check_folder(folder)
    try:
        with ExitStack() as stack:
            if "://" not in folder:  # a folder of this machine
                stack.enter_context(lock_folder(Path(folder), _busy_text(folder)))
            refuse_other_logs(folder, tasks)
            echo(f"{counted(len(tasks), 'run')} of {path}, logs in {folder}")
            if display == "none":
                stack.enter_context(_print_ended_runs(len(tasks)))
            success, logs_of_runs = eval_set(
                tasks,
                log_dir=folder,
                display=display,
                retry_attempts=retries,
                retry_immediate=retries != 0,  # Inspect warns that it does nothing without retries
                **design.settings,
            )
    except PrerequisiteError as error:
        if "in log_dir is not associated" in str(error):  # Inspect's words for logs of other runs
            raise InvalidArgument(
                f"{folder} contains logs of runs with other tasks, arguments, models or settings "
                f"than {path}; name another folder by --log-dir, or remove these logs."
            ) from None
        raise InvalidArgument(_error_text(error)) from None
    failed_runs = [log for log in logs_of_runs if log.status != "success"]
    for log in failed_runs:
        echo(_failure_line(log))
    done = len(logs_of_runs) - len(failed_runs)
    remedy = "; the same command asks what is missing" if failed_runs else ""
    echo(f"{done} of {counted(len(tasks), 'run')} done, logs in {folder}{remedy}")
    return success


def _check_folder(folder: str) -> None:
    """Make the folder of the logs, and raise `InvalidArgument` if it can't be written to."""
    try:
        file_system = filesystem(folder)
        file_system.mkdir(folder, exist_ok=True)
        is_writeable, reason = file_system.is_writeable(folder), "no permission to write"
    except Exception as error:  # local and remote file systems raise many types
        is_writeable, reason = False, str(getattr(error, "strerror", None) or error)
    if not is_writeable:
        raise InvalidArgument(
            f"logs can't be written to {folder} ({reason}); name another folder by --log-dir."
        )


def _busy_text(folder: str) -> str:
    return (
        f"another process makes runs in {folder}; wait for its end, or name another folder by "
        "--log-dir."
    )


def _failure_line(log: EvalLog) -> str:
    """Describe a run that did not succeed: task, model, status and error."""
    error = f": {excerpt(one_line(log.error.message), _SHOWN_ERROR)}" if log.error else ""
    return f"{_task_of(log)} on {log.eval.model}: {log.status}{error}"


def _task_of(log: EvalLog) -> str:
    return log.eval.task.removeprefix("inspect_confidence/")


def _build_tasks(design: Design) -> list[Task]:
    """Return a task for each run of a study file; runs share the objects of models."""
    models: dict[str, Model] = {}
    for entry in design.entries:
        for name in (*entry.models, entry.grader, entry.extractor):
            if name and name not in models:
                models[name] = _get_model(name)
    tasks: list[Task] = []
    for entry in design.entries:
        tasks += _tasks_of_entry(entry, models, design.settings)
    return tasks


def _tasks_of_entry(
    entry: StudyEntry, models: dict[str, Model], settings: Mapping[str, Any]
) -> list[Task]:
    """Return a task for each model of an entry of a study file; all share one data set.

    An entry is a task with its arguments. `models` are by name. Invalid arguments, a judge without
    a model, and a model to which a setting that the task needs is not sent, are refused.
    """
    entry_task = entry.build()
    if "grader" in (entry_task.metadata or {}) and not entry.grader:
        raise InvalidArgument(f"{entry.name}: name a `grader`, the model that judges the replies.")
    for name in entry.models:
        check_task_settings(entry_task, name, settings)
    names = {"grader": entry.grader, "extractor": entry.extractor}
    roles = {role: models[name] for role, name in names.items() if name}
    tasks = []
    for name in entry.models:
        task = task_with(copy(entry_task), model=models[name])  # `task_with` changes its argument
        if roles:
            task = task_with(task, model_roles=dict(roles))
        if entry.repeats:
            task = task_with(task, epochs=entry.repeats)
        tasks.append(task)
    return tasks


def _get_model(name: str) -> Model:
    """Return a model; raise `InvalidArgument` if it lacks a key or a package."""
    try:
        return get_model(name)
    except InvalidArgument:  # is a ValueError too, with a message of its own
        raise
    except (PrerequisiteError, ValueError) as error:
        raise InvalidArgument(f"model {name!r}: {_error_text(error)}") from None


def _error_text(error: Exception) -> str:
    """Return the message of an error of Inspect on one line, without markup."""
    message = str(getattr(error, "message", None) or error)
    return " ".join(Text.from_markup(message).plain.removeprefix("ERROR: ").split())


@contextmanager
def _print_ended_runs(expected: int) -> Iterator[None]:
    """Print a line at the end of each run inside the context; `expected` runs are to end."""
    init_hooks()  # prints the list of the user's hooks, before ours is added
    _RunLines.expected, _RunLines.ended = expected, 0
    # The decorator makes an object of the class, whose methods Inspect calls from now on.
    hooks(name="inspect_confidence_lines", description="A line for each run that ends.")(_RunLines)
    try:
        yield
    finally:
        # Inspect has no way to remove a hook; with 0 expected runs it prints nothing.
        _RunLines.expected = 0


class _RunLines(Hooks):
    """Printer of a line for each run that ends, which Inspect calls unless the run fails."""

    expected = 0  # number of runs; 0 while nothing is printed
    ended = 0  # number of runs that have ended, now or by earlier commands

    def enabled(self) -> bool:
        return self.expected > 0

    async def on_run_start(self, data: RunStart) -> None:
        """Count the runs that are done; Inspect calls this before each round of all the others."""
        if self.expected:
            _RunLines.ended = self.expected - len(data.task_names)

    async def on_task_end(self, data: TaskEnd) -> None:
        """Print `[2/9] TASK on MODEL: 100 samples, success`.

        Inspect calls this after each run while the hook is enabled: while runs are expected.
        """
        log = data.log
        samples = log.results.completed_samples if log.results else 0
        _RunLines.ended += 1
        echo(
            f"[{self.ended}/{self.expected}] {_task_of(log)} on {log.eval.model}: "
            f"{counted(samples, 'sample')}, {log.status}"
        )
