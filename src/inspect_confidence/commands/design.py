"""Study files: models, tasks, task arguments and repeats of a set of runs."""

import inspect
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, product
from pathlib import Path
from typing import Annotated, Any

from inspect_ai import Task
from inspect_ai.model import GenerateConfig
from inspect_ai.util import registry_info
from pydantic import (
    BeforeValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    field_validator,
)

from inspect_confidence import _registry
from inspect_confidence.arguments import argument_names, parts
from inspect_confidence.commands.command_line import write_argument
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.solvers.requests import refuse_unsent, refuse_without_logprobs
from inspect_confidence.studies import all_tables
from inspect_confidence.user_files import FileSection, check_shape, read_yaml

MAX_RUNS = 1_000
"""Limit of the runs of a study, all of which Inspect builds before the first call."""
MAX_REPEATS = 1_000
"""Limit of the repeats of an item: Inspect lists all samples before the first call."""


def _as_list(models: object) -> object:
    return [models] if isinstance(models, str) else models


def _as_mapping(task: object) -> object:
    return {"task": task} if isinstance(task, str) else task


_Models = Annotated[list[str], BeforeValidator(_as_list)]
_Repeats = Annotated[int, Field(ge=1, le=MAX_REPEATS)]


class _Settings(FileSection, GenerateConfig):
    """Generation settings, by Inspect's names.

    Inspect's own types have no bounds: a provider would refuse each call, or ignore the setting.
    """

    max_connections: PositiveInt | None = None  # with 0 a run would never end
    max_retries: NonNegativeInt | None = None
    timeout: PositiveInt | None = None
    attempt_timeout: PositiveInt | None = None
    max_tokens: PositiveInt | None = None
    reasoning_tokens: NonNegativeInt | None = None
    temperature: NonNegativeFloat | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    num_choices: int | None = None

    @field_validator("num_choices")
    @classmethod
    def _check_num_choices(cls, number: int | None) -> int | None:
        """Refuse several replies to each call, all but one of which would be paid for nothing."""
        if number not in (None, 1):
            raise ValueError(
                f"of {number} replies to a call a task reads one; remove it, and write `repeats` "
                "to ask an item several times"
            )
        return number


class _Task(FileSection):
    """A task of a study file; missing fields default to those of the study."""

    task: str
    models: _Models | None = None
    grader: str | None = None
    extractor: str | None = None
    arguments: dict[str, Any] | None = None
    vary: dict[str, Annotated[list[Any], Field(min_length=1)]] | None = None
    repeats: _Repeats | None = None

    @property
    def combinations(self) -> int:
        """Number of combinations of varied arguments."""
        return math.prod(map(len, (self.vary or {}).values()))


class _Study(FileSection):
    """A study file."""

    tasks: Annotated[list[Annotated[_Task, BeforeValidator(_as_mapping)]], Field(min_length=1)]
    logs: str | None = None
    models: _Models | None = None
    grader: str | None = None
    extractor: str | None = None
    arguments: dict[str, Any] | None = None
    repeats: _Repeats | None = None
    settings: _Settings | None = None

    def models_of(self, task: _Task) -> list[str]:
        """Return the models of a task."""
        return task.models or self.models or []


@dataclass(frozen=True)
class StudyEntry:
    """A task of a study file with one combination of arguments.

    Attributes:
        task: Name of the task.
        arguments: Task arguments by name.
        models: Names of the models that it asks.
        repeats: Number of repeats of each item; None for the task's own.
        grader: Name of the model in the role `grader`.
        extractor: Name of the model in the role `extractor`.
    """

    task: str
    arguments: Mapping[str, Any]
    models: Sequence[str]
    repeats: int | None
    grader: str | None
    extractor: str | None = None

    @property
    def name(self) -> str:
        """The task and its arguments on one line."""
        arguments = [write_argument(name, value).text for name, value in self.arguments.items()]
        return " ".join([self.task, *arguments])

    def build(self) -> Task:
        """Build the task: check its arguments and download its data set if necessary."""
        try:
            task: Task = getattr(_registry, self.task)(**self.arguments)
        except InvalidArgument as error:  # or its subclass for data that is not available
            raise type(error)(f"{self.name}: {error.message}") from None
        return task


@dataclass(frozen=True)
class Design:
    """Content of a study file: folder of logs, runs, and generation settings of all runs."""

    logs: str
    entries: Sequence[StudyEntry]
    settings: Mapping[str, Any]


def read_design(path: str) -> Design:
    """Read a study file, which names runs, without building, downloading or calling anything.

    `models` and `tasks` are lists. A task is a name, or a mapping with `task`, `arguments`, `vary`
    (a list of values by argument; each value is a run), `repeats`, `models`, `grader` and
    `extractor`. Fields of the study apply to all tasks; its `arguments` apply to tasks with an
    argument of that name.

    Raises:
        InvalidArgument: The file is not a study file, or names an unknown task, argument, model
            or setting.
    """
    study = check_shape(path, read_yaml(Path(path)), _Study)  # fields as below, checked by type
    n_runs = sum(task.combinations * len(study.models_of(task)) for task in study.tasks)
    if n_runs > MAX_RUNS:
        raise InvalidArgument(
            f"{path} names {n_runs:.6g} runs, and a study has at most {MAX_RUNS:,}; vary less, "
            "or split the file."
        )
    shared_arguments = study.arguments or {}
    known_arguments = set(chain.from_iterable(map(_argument_names, task_names())))
    _check_names(f"{path}: arguments", shared_arguments, known_arguments)
    entries: list[StudyEntry] = []  # tasks with one combination of arguments
    for task in study.tasks:
        entries += _study_entries(path, task, study)
    unused = set(shared_arguments)
    for entry in entries:
        unused.difference_update(_argument_names(entry.task))
    if unused:
        raise InvalidArgument(
            f"{path}: none of the tasks has the argument {min(unused)!r}; remove it."
        )
    _refuse_equal_runs(path, entries)
    settings = study.settings or _Settings()
    # Only settings that the file names: the others keep the defaults of the task.
    values = {name: getattr(settings, name) for name in sorted(settings.model_fields_set)}
    return Design(study.logs or f"logs/{Path(path).stem}", entries, values)


def task_names() -> list[str]:
    """Return the names of the package's tasks."""
    return sorted({table.function for table in all_tables().values()})


def check_model(model: object) -> str:
    """Return a model's name if it has a provider that Inspect knows; no key is needed.

    Raises:
        InvalidArgument: The name lacks a provider or a model, the provider is unknown, or several
            models are named.
    """
    provider, slash, name = str(model).partition("/")
    if not name:
        lacking = "model after the provider" if slash else "provider"
        raise InvalidArgument(
            f"model {str(model)!r} has no {lacking}; name it as in openai/gpt-4o-mini."
        )
    if "," in name:  # Inspect's command line takes several
        raise InvalidArgument(
            f"model {str(model)!r} names several models; name one, or in a study file write a list."
        )
    if provider not in _provider_names():
        raise InvalidArgument(
            f"model {str(model)!r}: Inspect has no provider {provider!r}. "
            f"{nearest(provider, _provider_names())}"
        )
    return str(model)


def task_facts(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the facts that this package wrote into the metadata of a task or its log."""
    metadata = metadata or {}
    # A wrapped eval has further metadata of its own.
    facts: dict[str, Any] = metadata.get("confidence", metadata)
    return facts


def check_task_settings(task: Task, model: str, settings: Mapping[str, Any]) -> None:
    """Refuse a model to which Inspect does not send a setting that the task needs.

    The task's metadata name settings that it varies, as temperature, and say whether it needs log
    probabilities; `settings` are those of the run.
    """
    facts = task_facts(task.metadata)
    run_settings = {**task.config.model_dump(exclude_none=True), **settings}
    refuse_unsent(model, run_settings, facts.get("calibrated_settings", ()))
    if facts.get("needs_logprobs"):
        refuse_without_logprobs(model, run_settings)


def _study_entries(path: str, section: _Task, study: _Study) -> list[StudyEntry]:
    """Return an entry for each combination of the arguments that a task varies (`vary`).

    `section` is the task in the file: its models, roles, arguments and repeats, which default to
    those of the whole `study`. Unknown tasks, arguments and models, and no model, are refused.
    """
    task = section.task.removeprefix("inspect_confidence/")
    if task not in task_names():
        raise InvalidArgument(f"{path}: there is no task {task!r}. {nearest(task, task_names())}")
    argument_names_of_task = _argument_names(task)
    task_arguments, varied_arguments = section.arguments or {}, section.vary or {}
    _check_names(f"{path}: {task}: arguments", task_arguments, argument_names_of_task)
    _check_names(f"{path}: {task}: vary", varied_arguments, argument_names_of_task)
    models = list(map(check_model, study.models_of(section)))
    if not models:
        raise InvalidArgument(
            f"{path}: {task}: `models` is missing or empty; write models as [openai/gpt-4o-mini]."
        )
    # `model_fields_set` has the fields that the section names; null there means no model of a role.
    roles: dict[str, str | None] = {}
    for role in ("grader", "extractor"):
        name = getattr(section if role in section.model_fields_set else study, role)
        roles[role] = check_model(name) if name else None
    repeats = section.repeats if "repeats" in section.model_fields_set else study.repeats
    entries = []
    for combination in product(*varied_arguments.values()):
        arguments = dict(zip(varied_arguments, combination, strict=True))
        for defaults in (task_arguments, study.arguments or {}):
            for name, value in defaults.items():
                if name in argument_names_of_task:
                    arguments.setdefault(name, value)
        entries.append(StudyEntry(task, arguments, models, repeats, **roles))
    return entries


def _refuse_equal_runs(path: str, entries: Sequence[StudyEntry]) -> None:
    """Refuse runs of the same task, arguments, model and roles, which ask the same twice."""
    runs = set()
    for entry in entries:
        arguments = _equal_text({**_default_arguments(entry.task), **entry.arguments})
        for model in entry.models:
            key = (entry.task, arguments, model, entry.grader, entry.extractor)
            if key in runs:
                raise InvalidArgument(
                    f"{path}: {entry.name} asks {model} twice with equal arguments; write "
                    "`repeats` instead."
                )
            runs.add(key)


def _default_arguments(task: str) -> dict[str, Any]:
    """Return the default values of a task's arguments, by name."""
    parameters = inspect.signature(getattr(_registry, task)).parameters
    return {name: parameters[name].default for name in _argument_names(task)}


def _equal_text(value: object) -> str:
    """Return a text that is the same for all values that a task reads alike.

    Tasks read a number, a truth value and a list from text too (see `arguments`): `1` and `"1"`,
    or `[80, 90]` and `"80, 90.0"`, are the same argument. A text such as 007, which may name a
    file, is no number.
    """
    if isinstance(value, Mapping):
        return json.dumps({str(name): _equal_text(value[name]) for name in value}, sort_keys=True)
    if isinstance(value, list | tuple):
        return ",".join(map(_equal_text, value))
    if isinstance(value, str) and "," in value:
        return _equal_text(parts(value))  # the texts between commas
    text = str(value).strip()
    if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?(e\+?\d{1,2})?", text):
        return f"{Decimal(text).normalize():f}"
    return text.lower() if text.lower() in ("true", "false") else text


def _check_names(location: str, mapping: Mapping[str, Any], names: Collection[str]) -> None:
    """Refuse a key that is not among the names; `location` in the file begins the error."""
    for name in mapping:
        if name not in names:
            raise InvalidArgument(f"{location}: there is no {name!r}. {nearest(name, names)}")


def _argument_names(task: str) -> list[str]:
    return argument_names(getattr(_registry, task))


def _provider_names() -> list[str]:
    """Return the names before the slash in Inspect's names of models, such as `openai`."""
    # Inspect has no public list of its providers.
    from inspect_ai._util.registry import registry_find  # noqa: PLC0415

    providers = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_info(provider).name.rsplit("/", 1)[-1] for provider in providers})
