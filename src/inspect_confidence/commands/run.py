"""A study design -> its logs, as one `eval_set` of Inspect."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import Any

from inspect_ai import Task, eval_set, task_with
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.hooks._startup import init_hooks
from inspect_ai.model import Model, get_model
from inspect_ai.util import DisplayType
from rich.text import Text

from inspect_confidence.commands.design import Design, Entry, check_calibrated, read_design
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.printing import echo


def run_design(
    path: str,
    *,
    logs: str | None = None,
    display: DisplayType | None = None,
    retries: int | None = None,
) -> bool:
    """Ask what a study design asks; what its logs have already is not asked again.

    All tasks are built and all models looked up before the first call. A run that was interrupted
    goes on where it stopped; one that was done is skipped.

    Args:
        path: The design, as `read_design` takes it.
        logs: Where logs go, if not where the design says.
        display: As `inspect eval-set --display`; with `none`, a line is printed for each run that
            ends.
        retries: How often runs that failed are tried again; Inspect's default is ten times.

    Returns:
        Whether all runs succeeded.

    Raises:
        InvalidArgument: The design can't be used, or its models lack a key or a package.
    """
    design = read_design(path)
    tasks = _tasks(design)
    place = logs or design.logs
    echo(f"{len(tasks)} runs of {path}, logs in {place}")
    try:
        with _lines(len(tasks)) if display == "none" else nullcontext():
            success, found = eval_set(
                tasks,
                log_dir=place,
                display=display,
                retry_attempts=retries,
                **design.settings,
            )
    except PrerequisiteError as error:
        if "in log_dir is not associated" in str(error):
            raise InvalidArgument(
                f"{place} holds logs of runs that {path} does not name; give another folder with "
                "--log-dir, or remove them."
            ) from None
        raise InvalidArgument(_text(error)) from None
    done = sum(log.status == "success" for log in found)
    echo(f"{done} of {len(tasks)} runs done, logs in {place}")
    return success


def _tasks(design: Design) -> list[Task]:
    models = {
        name: _model(name)
        for name in dict.fromkeys(
            name for one in design.entries for name in (*one.models, one.grader) if name
        )
    }
    settings = design.settings
    return [task for one in design.entries for task in _each(one, models, settings)]


def _each(entry: Entry, models: dict[str, Model], settings: Mapping[str, Any]) -> list[Task]:
    """The task for each model: built once, its data set shared."""
    built = entry.built()
    if "grader" in (built.metadata or {}) and not entry.grader:
        raise InvalidArgument(f"{entry.name}: name a `grader`, the model that judges the replies.")
    for name in entry.models:
        check_calibrated(built, name, settings)
    tasks = [task_with(copy(built), model=models[name]) for name in entry.models]
    if entry.grader:
        tasks = [task_with(one, model_roles={"grader": models[entry.grader]}) for one in tasks]
    return [task_with(one, epochs=entry.repeats) for one in tasks] if entry.repeats else tasks


def _model(name: str) -> Model:
    try:
        return get_model(name)
    except InvalidArgument:
        raise
    except (PrerequisiteError, ValueError) as error:
        raise InvalidArgument(f"model {name!r}: {_text(error)}") from None


def _text(error: Exception) -> str:
    """What an error of Inspect's says, in one line and without colours."""
    message = str(getattr(error, "message", None) or error)
    return " ".join(Text.from_markup(message).plain.removeprefix("ERROR: ").split())


@contextmanager
def _lines(expected: int) -> Iterator[None]:
    """Prints a line for each run that ends meanwhile."""
    init_hooks()  # lists the hooks that the user has; ours, which comes after, is no news
    ended = itertools.count(1)
    here = True

    @hooks(name="inspect_confidence_lines", description="A line for each run that ends.")
    class _Lines(Hooks):
        def enabled(self) -> bool:
            return here

        async def on_task_end(self, data: TaskEnd) -> None:
            log = data.log
            task = log.eval.task.removeprefix("inspect_confidence/")
            samples = log.results.completed_samples if log.results else 0
            echo(
                f"[{next(ended)}/{expected}] {task} on {log.eval.model}: "
                f"{samples} samples, {log.status}"
            )

    try:
        yield
    finally:
        here = False
