"""A study design in a file: which models are asked which tasks, with which arguments, how often."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from inspect_ai import Task
from inspect_ai.model import GenerateConfig
from inspect_ai.util import registry_info

from inspect_confidence import _registry
from inspect_confidence.arguments import argument_names
from inspect_confidence.commands.command_line import write_argument
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.solvers.requests import refuse_unsent
from inspect_confidence.studies import all_tables

_KEYS = ("logs", "models", "grader", "arguments", "repeats", "settings", "tasks")
_TASK_KEYS = ("task", "models", "grader", "arguments", "vary", "repeats")


@dataclass(frozen=True)
class Entry:
    """A task with its arguments, the models that are asked, and how often each item is."""

    task: str
    arguments: Mapping[str, Any]
    models: Sequence[str]
    repeats: int | None
    grader: str | None

    @property
    def name(self) -> str:
        """The task and its arguments, in a line."""
        arguments = [write_argument(name, value).text for name, value in self.arguments.items()]
        return " ".join([self.task, *arguments])

    def built(self) -> Task:
        """The task itself; its arguments are checked, and its data set is downloaded if need be.

        Raises:
            InvalidArgument: An argument can't be used.
        """
        try:
            task: Task = getattr(_registry, self.task)(**self.arguments)
        except InvalidArgument as error:
            raise type(error)(f"{self.name}: {error.message}") from None
        return task


@dataclass(frozen=True)
class Design:
    """What a file says: runs, where their logs go, and generation settings of all."""

    logs: str
    entries: Sequence[Entry]
    settings: Mapping[str, Any]


def read_design(path: str) -> Design:
    """A study design from a YAML file; nothing is built, downloaded or called.

    `models` and `tasks` are lists. A task is a name, or a mapping with `task`, `arguments`, `vary`
    (by argument a list, each of whose values is a run), `repeats`, `models` and `grader`. What
    stands above the tasks holds for all of them, `arguments` for those that have an argument of
    that name.

    Raises:
        InvalidArgument: The file has another shape, or names what there isn't.
    """
    given = _mapping(path, _loaded(path), _KEYS)
    known = {name for task in task_names() for name in _arguments(task)}
    shared = _mapping(f"{path}: arguments", given.get("arguments") or {}, known)
    tasks = given.get("tasks")
    if not isinstance(tasks, list) or not tasks:
        raise InvalidArgument(f"{path}: `tasks` is not a list; give one such as [fermi_eval].")
    entries = [one for task in tasks for one in _entries(path, task, given, shared)]
    unused = shared.keys() - {name for one in entries for name in _arguments(one.task)}
    if unused:
        raise InvalidArgument(
            f"{path}: none of the tasks has the argument {min(unused)!r}; remove it."
        )
    _refuse_twice(path, entries)
    settings = _mapping(f"{path}: settings", given.get("settings") or {}, _settings())
    return Design(str(given.get("logs") or f"logs/{Path(path).stem}"), entries, settings)


def task_names() -> list[str]:
    """What the package's tasks are called."""
    return sorted({table.function for table in all_tables().values()})


def check_model(model: object) -> str:
    """A model's name as Inspect takes it: of a provider that it knows; no key is needed.

    Raises:
        InvalidArgument: It is named otherwise.
    """
    provider, _, name = str(model).partition("/")
    if not name:
        raise InvalidArgument(
            f"model {str(model)!r} has no provider; name it as in openai/gpt-4o-mini."
        )
    if provider not in _providers():
        raise InvalidArgument(
            f"model {str(model)!r}: Inspect has no provider {provider!r}. "
            f"{nearest(provider, _providers())}"
        )
    return str(model)


def check_calibrated(built: Task, model: str, settings: Mapping[str, Any]) -> None:
    """Check that settings which the task is calibrated over are sent to the model.

    Raises:
        InvalidArgument: One is set and not sent, by the provider's rule.
    """
    calibrated = (built.metadata or {}).get("calibrated_settings", ())
    own = built.config.model_dump(exclude_none=True)
    refuse_unsent(model, {**own, **settings}, calibrated)


def _entries(
    path: str, given: object, top: Mapping[str, Any], shared: Mapping[str, Any]
) -> Iterable[Entry]:
    one = {"task": given} if isinstance(given, str) else _mapping(f"{path}: tasks", given)
    _mapping(f"{path}: {one.get('task')}", one, _TASK_KEYS)
    task = str(one.get("task", "")).removeprefix("inspect_confidence/")
    if task not in task_names():
        raise InvalidArgument(f"{path}: there is no task {task!r}. {nearest(task, task_names())}")
    where = f"{path}: {task}"
    own = _mapping(f"{where}: arguments", one.get("arguments") or {}, _arguments(task))
    vary = _mapping(f"{where}: vary", one.get("vary") or {}, _arguments(task))
    for name, values in vary.items():
        if not isinstance(values, list) or not values:
            raise InvalidArgument(f"{where}: vary: {name} is not a list of values.")
    common = {name: value for name, value in shared.items() if name in _arguments(task)}
    models = one.get("models") or top.get("models")
    if not models or not isinstance(models, str | list):
        raise InvalidArgument(f"{where}: `models` names none; give some as [openai/gpt-4o-mini].")
    asked = [check_model(model) for model in ([models] if isinstance(models, str) else models)]
    grader = one.get("grader", top.get("grader"))
    repeats: int | None = one.get("repeats", top.get("repeats"))  # type: ignore[assignment]
    if repeats is not None and (isinstance(repeats, bool) or not _positive(repeats)):
        raise InvalidArgument(f"{where}: repeats={repeats} is not a whole number from 1 on.")
    for values in itertools.product(*vary.values()):
        varied = dict(zip(vary, values, strict=True))
        arguments = common | own | varied
        arguments = {
            name: arguments[name] for name in (varied | own | common)
        }  # what differs first
        yield Entry(task, arguments, asked, repeats, check_model(grader) if grader else None)


def _positive(number: object) -> bool:
    return isinstance(number, int) and number > 0


def _refuse_twice(path: str, entries: Sequence[Entry]) -> None:
    """Inspect tells runs apart by task, arguments and models, so that two alike can't be told."""
    seen = set()
    for one in entries:
        for model in one.models:
            if (key := (one.name, model, one.grader)) in seen:
                raise InvalidArgument(
                    f"{path}: {one.name} asks {model} twice; ask for `repeats` instead."
                )
            seen.add(key)


def _loaded(path: str) -> object:
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidArgument(f"{path} can't be read ({error.strerror}).") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        said_ = " ".join(str(error).split())
        raise InvalidArgument(f"{path} is not YAML: {said_}") from None


def _mapping(where: str, given: object, known: Iterable[str] = ()) -> dict[str, Any]:
    """A mapping, of known names if there are any."""
    if not isinstance(given, dict):
        raise InvalidArgument(f"{where} is not of the form `name: value`.")
    names = list(known)
    for name in given:
        if names and name not in names:
            raise InvalidArgument(f"{where}: there is no {name!r}. {nearest(str(name), names)}")
    return {str(name): value for name, value in given.items()}


def _arguments(task: str) -> list[str]:
    return argument_names(getattr(_registry, task))


def _settings() -> list[str]:
    return list(GenerateConfig.model_fields)


def _providers() -> list[str]:
    # Inspect has no public list of its providers.
    from inspect_ai._util.registry import registry_find  # noqa: PLC0415

    found = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_info(one).name.rsplit("/", 1)[-1] for one in found})
