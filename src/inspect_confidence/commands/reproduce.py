"""A log -> the command that makes its run again, and what has changed since."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any

import click
from inspect_ai import Task
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig
from inspect_ai.util import registry_create

from inspect_confidence import __version__, _registry
from inspect_confidence.commands.design import said, task_names
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.logs import OPERATIONAL, facts_of
from inspect_confidence.privacy import SECRET_NAME
from inspect_confidence.studies import TaskTable, table_of

_OURS = "inspect_confidence"
_ASIDE = OPERATIONAL - {"logprobs", "top_logprobs"}
"""Generation settings that a run needn't have again; log probabilities are read for confidence."""
_CONDITIONS = (
    *("sample_shuffle", "message_limit", "token_limit", "turn_limit", "time_limit"),
    *("working_limit", "cost_limit"),
)
"""What of Inspect's configuration of a run decides which samples are there, as it names options."""
_WORDINGS = {
    "prompt": "the wording",
    "system": "the system message",
    "judge_prompts": "the judge's wording",
    "data": "the data set",
}
"""Fingerprints in the metadata of a task, which cover the user's own files too."""


@dataclass(frozen=True)
class Reproduction:
    """How a log's run is made again.

    Attributes:
        command: A line for a shell, which runs where the first run was started.
        changes: What differs between then and now, so that judgments may too.
        notices: What the command doesn't have, and what the log doesn't tell.
    """

    command: str
    changes: Sequence[str]
    notices: Sequence[str]


def reproduce(location: str) -> Reproduction:
    """The `inspect eval` command of a log's run, and what has changed since; calls no model.

    Arguments of the task are in it where they were given, or where their default has changed;
    generation settings where they aren't the task's own. The task is built anew to see what it
    would ask now, so its data set is read, and downloaded if need be. Secrets, addresses and what
    only changes the speed of a run are left out. Models may answer differently each time, the
    provider's model may have changed, and neither is seen here.

    Raises:
        InvalidArgument: The log can't be read, or isn't of a task that this package reads.
    """
    log = _header(location)
    built, why = _built(log)
    notices = [why] if why else []
    words = ["inspect", "eval", _task(log), *_model(log, notices)]
    words += [word for one in _arguments(log, notices) for word in ("-T", one)]
    words += [*_run_options(log, built), *_generation(log, built, notices)]
    changes, untold = _changes(log, built)
    return Reproduction(shlex.join(words), changes, [*notices, *untold])


def _header(location: str) -> EvalLog:
    try:
        log = read_eval_log(location, header_only=True)
    except Exception as error:  # whatever a file system or a damaged file raises
        raise InvalidArgument(
            f"{location} can't be read as a log ({' '.join(str(error).split())[:200]}); name one "
            "log of Inspect's."
        ) from error
    if _table(log).of_others and not _facts(log):
        raise InvalidArgument(
            f"{location} is of {log.eval.task}, no task of this package's nor one within "
            "with_confidence; its settings are printed by `inspect log export-config`."
        )
    return log


def _facts(log: EvalLog) -> Mapping[str, Any]:
    return facts_of(log, _table(log))


def _table(log: EvalLog) -> TaskTable:
    return table_of(log.eval.task.rsplit("/", 1)[-1])


def _task(log: EvalLog) -> str:
    """The task: ours by its name, which holds wherever it is installed, others by file or name."""
    name = log.eval.task_registry_name or log.eval.task
    package, _, own = name.rpartition("/")
    if package in ("", _OURS) and own in task_names() and hasattr(_registry, own):
        return f"{_OURS}/{own}"
    return f"{log.eval.task_file}@{name}" if log.eval.task_file else name


def _built(log: EvalLog) -> tuple[Task | None, str]:
    """The task with these arguments as it is now, or why it can't be made."""
    try:
        made: Any = registry_create("task", _task(log), **log.eval.task_args_passed)
        return (made if isinstance(made, Task) else made()), ""
    except Exception as error:  # whatever a task raises that has changed, or lacks its data
        text = " ".join(str(getattr(error, "message", error)).split())
        return None, f"what is asked now can't be told, since the task can't be made: {text}"


def _model(log: EvalLog, notices: list[str]) -> Iterator[str]:
    yield from ("--model", log.eval.model)
    if log.eval.model_base_url:
        notices.append("the model was at an address of its own: add --model-base-url")
    for name, value in log.eval.model_args.items():
        if SECRET_NAME.search(name):
            notices.append(f"the model argument {name} is left out, as it may be secret: add -M")
        else:
            yield from ("-M", f"{name}={_written(value)}")
    for role, played in (log.eval.model_roles or {}).items():
        each = [_player(one, role, notices) for one in _several(played)]
        yield from ("--model-role", f"{role}={_flow(each)}")


def _several(played: ModelConfig | list[ModelConfig]) -> list[ModelConfig]:
    return played if isinstance(played, list) else [played]


def _player(one: ModelConfig, role: str, notices: list[str]) -> str | dict[str, Any]:
    """A model in a role, as `--model-role` takes it."""
    shown = {name: value for name, value in one.args.items() if not SECRET_NAME.search(name)}
    if one.base_url or len(shown) < len(one.args):
        notices.append(f"what may be secret of the {role} is left out of its --model-role")
    config = one.config.model_dump(exclude_none=True, exclude=_ASIDE)
    if not shown and not config:
        return one.model
    return {"model": one.model, **({"model_args": shown} if shown else {}), **config}


def _flow(each: Sequence[str | dict[str, Any]]) -> str:
    """One model or several, as names or as JSON."""
    if all(isinstance(one, str) for one in each):
        return ",".join(map(str, each))
    return json.dumps(each[0] if len(each) == 1 else list(each))


def _arguments(log: EvalLog, notices: list[str]) -> Iterator[str]:
    given, recorded = dict(log.eval.task_args_passed), log.eval.task_args
    defaults = _defaults(_task(log))
    given |= {
        name: value
        for name, value in recorded.items()
        if name not in given and name in defaults and defaults[name] != value
    }
    wrapped = given.get("task")
    if isinstance(wrapped, Mapping):  # an eval that was handed over as an object
        given["task"] = wrapped.get("name")
        given["task_args"] = wrapped.get("params") or None
        notices.append(
            "the eval was handed over in Python: the command names it, and works where its package "
            "is installed"
        )
    for name, value in given.items():
        yield f"{name}={_written(value)}"


def _defaults(task: str) -> dict[str, Any]:
    function = getattr(_registry, task.rsplit("/", 1)[-1], None)
    parameters = signature(function).parameters if function else {}
    return {name: one.default for name, one in parameters.items()}


def _written(value: object) -> str:
    """A value as Inspect's command line reads it, which is as YAML."""
    nested = isinstance(value, Mapping) or (
        isinstance(value, list | tuple) and any(isinstance(one, dict | list) for one in value)
    )
    if nested or value is None or isinstance(value, bool):
        return json.dumps(value)
    return said(value)


def _run_options(log: EvalLog, built: Task | None) -> Iterator[str]:
    """Which samples, how often, until when."""
    config = log.eval.config
    limit = config.limit
    if limit is not None:
        first_and_last = isinstance(limit, tuple) and f"{limit[0] + 1}-{limit[1]}"
        yield from ("--limit", first_and_last or str(limit))
    if config.sample_id is not None:
        ids = config.sample_id if isinstance(config.sample_id, list) else [config.sample_id]
        yield from ("--sample-id", said(ids))
    epochs = config.epochs or 1
    if epochs != ((built.epochs if built else None) or 1):
        yield from ("--epochs", str(epochs))
    recorded = config.model_dump(exclude_none=True)
    for name in _CONDITIONS:
        if name in recorded:
            yield from (_option(name), _written(recorded[name]))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _generation(log: EvalLog, built: Task | None, notices: list[str]) -> Iterator[str]:
    """The settings that aren't the task's own."""
    asked = log.eval.model_generate_config.merge(log.plan.config)
    own = (built.config if built else GenerateConfig()).model_dump()
    options = _options()
    for name, value in asked.model_dump(exclude_none=True, exclude=_ASIDE).items():
        if own.get(name) == value:
            continue
        option = options.get(name)
        if option is None or isinstance(value, Mapping):
            notices.append(f"{name} can't be given as an option: add it by --generate-config FILE")
        elif option.is_flag:
            names = option.opts if value else option.secondary_opts
            yield from names[:1]
        else:
            yield from (option.opts[0], _written(value))


def _options() -> dict[str, click.Option]:
    """The options of `inspect eval`, which has no public list of them."""
    from inspect_ai._cli.eval import eval_command  # noqa: PLC0415

    return {str(one.name): one for one in eval_command.params if isinstance(one, click.Option)}


def _changes(log: EvalLog, built: Task | None) -> tuple[list[str], list[str]]:
    """What differs between then and now, and what the log doesn't tell."""
    then = _facts(log)
    recorded: Mapping[str, Any] = then.get("provenance") or {}
    untold = [] if recorded else ["the log has no hashes of data files and prompts to compare"]
    changes = [*_versions(then, recorded, log)]
    if built is None:
        return changes, untold
    if (made := str(built.version)) != (was := str(log.eval.task_version)):
        changes.append(f"the task's version was {was}, and is {made}")
    metadata = built.metadata or {}
    now = metadata.get("confidence", metadata)
    changes += [
        f"{what} is another one: its fingerprint was {then[name]}, and is {now.get(name) or 'none'}"
        for name, what in _WORDINGS.items()
        if then.get(name) and then[name] != now.get(name)
    ]
    if recorded:
        changes += _hashes(recorded, now.get("provenance") or {})
    return [*changes, *_samples(log, built)], untold


def _versions(then: Mapping[str, Any], recorded: Mapping[str, Any], log: EvalLog) -> Iterator[str]:
    packages = {**log.eval.packages, **recorded.get("packages", {})}
    packages[_OURS] = then.get("package_version") or packages.get(_OURS, "")
    for name, was in packages.items():
        made = __version__ if name == _OURS else _installed(name)
        if was and made != was:
            yield f"{name} was {was}, and is {made or 'not installed'}"


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _hashes(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Files whose bytes differ; of a log, by name."""
    kinds: Iterable[tuple[str, Mapping[str, str], Mapping[str, str]]] = (
        ("data file", _by_file(then), _by_file(now)),
        ("prompts' file", then.get("prompts", {}), now.get("prompts", {})),
    )
    for what, was, made in kinds:
        for name, known in was.items():
            if name not in made:
                yield f"the {what} {name} isn't read any more"
            elif made[name] != known:
                yield f"the {what} {name} has changed: sha256 {known[:12]}, now {made[name][:12]}"
        yield from (f"the {what} {name} is new" for name in made if name not in was)


def _by_file(recorded: Mapping[str, Any]) -> dict[str, str]:
    return {one["file"]: one["sha256"] for one in recorded.get("data", [])}


def _samples(log: EvalLog, built: Task) -> Iterator[str]:
    asked = log.eval.dataset.sample_ids or []
    there = {sample.id for sample in built.dataset}
    gone = [name for name in asked if name not in there]
    if gone and None not in there:
        yield f"{len(gone)} of {len(asked)} samples aren't there any more, as {gone[0]}"
