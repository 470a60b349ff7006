"""The command that repeats the run of a log, and the changes since.

Only the log's header and files of the installed package are read: nothing that the log names is
imported, called, opened or downloaded.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any

import click
import yaml

# Inspect has no public reader of its command line's options.
from inspect_ai._util.samples import parse_sample_id
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelConfig
from pydantic import BaseModel, ValidationError

from inspect_confidence import __version__, _registry
from inspect_confidence.commands.command_line import is_same, write_argument
from inspect_confidence.commands.design import task_names
from inspect_confidence.datasets.cache import SOURCES, bundled_hashes
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.archives import models_by_role, read_header
from inspect_confidence.judgments.logs import OPERATIONAL, facts_of, log_table
from inspect_confidence.printing import escape_control, excerpt
from inspect_confidence.privacy import SECRET_NAME
from inspect_confidence.prompts.confidence import PUBLISHED
from inspect_confidence.tasks.provenance import prompt_hashes
from inspect_confidence.versions import TASK_VERSIONS

_PACKAGE = "inspect_confidence"
_OMITTED_SETTINGS = OPERATIONAL - {"logprobs", "top_logprobs"}
"""Generation settings without effect on replies, which the command leaves out."""
_SAMPLE_OPTIONS = (
    *("sample_shuffle", "message_limit", "token_limit", "turn_limit", "time_limit"),
    *("working_limit", "cost_limit"),
)
"""Options of a run that change which samples it has, by their names in Inspect."""
_WORDING_ARGUMENTS = ("prompt", "system", "judge_prompts")
"""Arguments that may name a user's file with a wording."""


@dataclass(frozen=True)
class Reproduction:
    """Command that repeats a run, and its differences from the run.

    Attributes:
        command: Command line for a shell in the directory of the first run.
        changes: Recorded versions and hashes that differ from the installed ones.
        not_compared: Records that can't be compared with the installed package.
        notices: Settings that the command lacks, and facts that the log lacks.
    """

    command: str
    changes: Sequence[str]
    not_compared: Sequence[str]
    notices: Sequence[str]


class _DataFile(BaseModel):
    """Record of a file of questions."""

    file: str
    sha256: str


class _Provenance(BaseModel):
    """Record of files and packages in a log, checked by type."""

    data: list[_DataFile] = []
    prompts: dict[str, str] = {}
    packages: dict[str, str] = {}


def reproduce(location: str) -> Reproduction:
    """Return the `inspect eval` command that repeats a log's run, and the changes since.

    Only the log's header is read. Nothing that it names is imported, built, called, opened or
    downloaded, so that a log from an unknown source is safe. Recorded versions and hashes are
    compared with those of the installed packages.

    The command has all explicit task arguments, those whose default has changed, and all
    generation settings. Secrets, addresses and settings of speed are left out. Replies may differ
    from run to run, and the provider's model may have changed.

    Raises:
        InvalidArgument: The log can't be read, or its task is unknown to this package.
    """
    log = _checked_header(location)
    notices: list[str] = []
    words = ["inspect", "eval", _task_reference(log), *_model_options(log, notices)]
    arguments = _task_arguments(log, notices)
    for name, value in arguments.items():
        words += ["-T", _argument_text("-T", name, value, notices)]
    words += [*_run_options(log, notices), *_generation_options(log, notices)]
    command = shlex.join(words)
    if escape_control(command) != command:
        notices.append(
            "the command isn't exact: characters that a terminal doesn't show are printed as codes"
        )
    recorded = _provenance(log, notices)
    changed_files, unknown_files = _compare_data_files(recorded)
    changes = [
        *_changed_versions(log, recorded),
        *_changed_task_version(log),
        *_changed_prompts(recorded),
        *changed_files,
    ]
    not_compared = [*unknown_files, *_not_compared_wordings(log, arguments)]
    return Reproduction(command, changes, not_compared, notices)


def _checked_header(location: str) -> EvalLog:
    """Read the header of a log of this package, or of an eval that `with_confidence` wraps.

    Other logs are refused, and so are names of tasks that a command line would read as an option.
    """
    try:
        log = read_header(location)
    except Exception as error:  # file systems and damaged files raise many types
        raise InvalidArgument(
            f"{location} can't be read as a log ({excerpt(' '.join(str(error).split()), 200)}); "
            "name one log of Inspect's."
        ) from error
    # `fallback` marks tasks that are none of this package's; wrapped ones have facts in the log.
    if log_table(log).fallback and not facts_of(log):
        raise InvalidArgument(
            f"{location} is of {log.eval.task}, which is neither a task of this package nor "
            "wrapped by with_confidence; `inspect log export-config` prints its settings."
        )
    if _task_reference(log).startswith("-"):
        raise InvalidArgument(
            f"{location} names the task {excerpt(repr(_task_reference(log)), 80)}, which a "
            "command line reads as an option; no command can run it, so use another log."
        )
    return log


def _task_reference(log: EvalLog) -> str:
    """Return the task for the command line: of this package, of its file, or by its name only."""
    name = log.eval.task_registry_name or log.eval.task
    if task := _own_task_name(log):
        return f"{_PACKAGE}/{task}"
    return f"{log.eval.task_file}@{name}" if log.eval.task_file else name


def _own_task_name(log: EvalLog) -> str | None:
    """Return the name of the task if this package has it."""
    package, _, name = (log.eval.task_registry_name or log.eval.task).rpartition("/")
    is_installed = name in task_names() and hasattr(_registry, name)
    return name if package in ("", _PACKAGE) and is_installed else None


def _argument_text(option: str, name: str, value: object, notices: list[str]) -> str:
    """Return `name=value` for an option; append a notice if Inspect would read another value."""
    argument = write_argument(name, value)
    if not argument.is_exact:
        remedy = {"-T": " by --task-config FILE", "-M": " by --model-config FILE"}.get(option, "")
        notices.append(
            f"{option} {name} isn't exact: no text on a command line is read as "
            f"{excerpt(repr(value), 80)}; give it{remedy}"
        )
    return argument.text


def _model_options(log: EvalLog, notices: list[str]) -> Iterator[str]:
    """Yield the words of options for models, arguments and roles; append notices of secrets."""
    yield from ("--model", log.eval.model)
    if log.eval.model_base_url:
        notices.append("the model was at an address of its own: add --model-base-url")
    for name, value in log.eval.model_args.items():
        if SECRET_NAME.search(name):
            notices.append(f"the model argument {name} is left out, as it may be secret: add -M")
        else:
            yield from ("-M", _argument_text("-M", name, value, notices))
    for role, configs in models_by_role(log).items():
        role_values = [_role_value(config, role, notices) for config in configs]
        value = role_values[0] if len(role_values) == 1 else role_values
        yield from ("--model-role", _argument_text("--model-role", role, value, notices))


def _role_value(config: ModelConfig, role: str, notices: list[str]) -> str | dict[str, Any]:
    """Return the value of `--model-role`: the model, or a mapping with its arguments and settings.

    What may be secret is left out, with a notice.
    """
    arguments = {name: value for name, value in config.args.items() if not SECRET_NAME.search(name)}
    if config.base_url or len(arguments) < len(config.args):
        notices.append(
            f"--model-role {role} lacks arguments or an address that may be secret: add them"
        )
    settings = config.config.model_dump(exclude_none=True, exclude=_OMITTED_SETTINGS)
    if not arguments and not settings:
        return config.model
    if arguments:
        settings = {"model_args": arguments, **settings}
    return {"model": config.model, **settings}


def _task_arguments(log: EvalLog, notices: list[str]) -> dict[str, Any]:
    """Return the explicit task arguments, and those whose default has changed since, by name.

    Defaults are known of this package's tasks only. If `with_confidence` wrapped an eval that was
    an object in Python, the eval's name and arguments replace it, with a notice.
    """
    arguments = dict(log.eval.task_args_passed)
    own_task = _own_task_name(log)  # None for a task of the user
    parameters = signature(getattr(_registry, own_task)).parameters if own_task else {}
    for name, value in log.eval.task_args.items():  # with the defaults of the run
        if name not in arguments and name in parameters and parameters[name].default != value:
            arguments[name] = value
    wrapped_eval = arguments.get("task")
    if isinstance(wrapped_eval, Mapping):  # Inspect's record of an eval that is an object
        arguments["task"] = wrapped_eval.get("name")
        arguments["task_args"] = wrapped_eval.get("params") or None  # the default of `task_args`
        notices.append(
            "the eval was an object in Python: the command names it, and needs its package to be "
            "installed"
        )
    return arguments


def _run_options(log: EvalLog, notices: list[str]) -> Iterator[str]:
    """Yield the words of options for samples, epochs and limits; append notices where none fits."""
    config = log.eval.config
    limit = config.limit
    if isinstance(limit, tuple):  # start and end, counted from 0, of the option's 11-20
        yield from ("--limit", f"{limit[0] + 1}-{limit[1]}")
    elif limit is not None:
        yield from ("--limit", str(limit))
    if config.sample_id is not None:
        ids = config.sample_id if isinstance(config.sample_id, list) else [config.sample_id]
        text = ",".join(map(str, ids))
        if parse_sample_id(text) == list(map(str, ids)):  # Inspect reads the same ids
            yield from ("--sample-id", text)
        else:
            notices.append(
                "the samples' ids can't be given as an option, since some have a comma or a blank "
                "at an end: give sample_id in Python"
            )
    # Tasks of this package have one epoch; a wrapped eval may have several.
    epochs = config.epochs or 1
    if epochs != 1 or log_table(log).fallback:
        yield from ("--epochs", str(epochs))
    recorded = config.model_dump(exclude_none=True)
    for name in _SAMPLE_OPTIONS:  # limits of messages, tokens, time and cost, and the shuffle
        value = recorded.get(name)
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, Mapping | list):
            notices.append(f"{name} can't be given as an option: add it in Python")
        elif value is not None:
            yield from (option, value if isinstance(value, str) else json.dumps(value))


def _generation_options(log: EvalLog, notices: list[str]) -> Iterator[str]:
    """Yield the words of options for all generation settings, as `--temperature`, `0.5`.

    Settings of the task are among them, since the log doesn't tell them apart; those of speed are
    left out. A setting without an option, or whose value no text gives, has a notice instead.
    """
    settings = log.eval.model_generate_config.merge(log.plan.config)
    options = _inspect_options()
    for name, value in settings.model_dump(exclude_none=True, exclude=_OMITTED_SETTINGS).items():
        option = options.get(name)
        words = _option_words(option, value) if option else None
        if words is None:
            notices.append(f"{name} can't be given as an option: add it by --generate-config FILE")
        else:
            yield from words


def _option_words(option: click.Option, value: object) -> list[str] | None:
    """Return an option of `inspect eval` and a text that Inspect reads back as the value.

    Lists are tried as text with commas, and all values but text as JSON. The result is None if no
    printable text is read back, or a flag has no option for the value.
    """
    from inspect_ai._cli.eval import eval_command  # noqa: PLC0415
    from inspect_ai._util.generate_config_args import config_from_locals  # noqa: PLC0415

    if option.is_flag:
        names = option.opts if value else option.secondary_opts
        return names[:1] or None
    texts = [value] if isinstance(value, str) else [json.dumps(value)]
    if isinstance(value, list):
        texts.insert(0, ",".join(map(str, value)))
    for text in texts:
        try:
            parsed = option.type_cast_value(click.Context(eval_command), text)
            config = config_from_locals({str(option.name): parsed})
        except (ValueError, TypeError, yaml.YAMLError, click.ClickException):
            continue
        if escape_control(text) == text and is_same(config.get(str(option.name)), value):
            return [option.opts[0], text]
    return None


def _inspect_options() -> dict[str, click.Option]:
    """Return the options of `inspect eval`, which has no public list of them."""
    from inspect_ai._cli.eval import eval_command  # noqa: PLC0415

    options = [option for option in eval_command.params if isinstance(option, click.Option)]
    return {str(option.name): option for option in options}


def _provenance(log: EvalLog, notices: list[str]) -> _Provenance:
    """Return the record of files and packages in a log; empty, with a notice, if there is none."""
    recorded = facts_of(log).get("provenance")
    if not recorded:
        notices.append("the log has no hashes of data files and prompts to compare")
        return _Provenance()
    try:
        return _Provenance.model_validate(recorded)
    except ValidationError:
        notices.append("the log's hashes of data files and prompts can't be read")
        return _Provenance()


def _changed_versions(log: EvalLog, recorded: _Provenance) -> Iterator[str]:
    """Yield a sentence for each package whose installed version differs from the recorded one."""
    packages = {**log.eval.packages, **recorded.packages}
    # The task's own record of this package's version counts before Inspect's record.
    packages[_PACKAGE] = str(facts_of(log).get("package_version") or packages.get(_PACKAGE, ""))
    for name, recorded_version in packages.items():
        installed_version = __version__ if name == _PACKAGE else _installed_version(name)
        if recorded_version and installed_version != recorded_version:
            yield f"{name} was {recorded_version}, and is {installed_version or 'not installed'}"


def _installed_version(name: str) -> str:
    """Return the version of an installed package; empty if there is none of this name."""
    try:
        return version(name)
    except (PackageNotFoundError, ValueError):
        return ""


def _changed_task_version(log: EvalLog) -> Iterator[str]:
    installed_version = TASK_VERSIONS.get(_own_task_name(log) or "")
    if installed_version and installed_version != (before := str(log.eval.task_version)):
        yield f"the task's version was {before}, and is {installed_version}"


def _changed_prompts(recorded: _Provenance) -> Iterator[str]:
    """Yield a sentence for each file of prompts that changed; hashes in `recorded` are by name."""
    installed_hashes = prompt_hashes()
    for name, recorded_hash in recorded.prompts.items():
        if name not in installed_hashes:
            yield f"the prompts' file {name} isn't in the package any more"
        elif installed_hashes[name] != recorded_hash:
            yield _change_text(f"the prompts' file {name}", recorded_hash, installed_hashes[name])


def _compare_data_files(recorded: _Provenance) -> tuple[list[str], list[str]]:
    """Return texts on files of questions that changed or are gone, and on those not comparable.

    Files without a known hash are not comparable: unpinned downloads and files of the user.
    """
    changes, not_compared = list[str](), list[str]()
    pinned = {name: source.sha256 for name, source in SOURCES.items() if source.sha256}
    hashes = bundled_hashes() | pinned
    for file in recorded.data:
        name = file.file
        if name in hashes:
            if hashes[name] != file.sha256:
                changes.append(_change_text(f"the data file {name}", file.sha256, hashes[name]))
        elif name in SOURCES:
            not_compared.append(f"the data file {name}, which is downloaded and has no pinned hash")
        elif name.startswith("bundled/"):
            changes.append(f"the data file {name} isn't in the package any more")
        else:
            not_compared.append(f"the user's data file {name} (sha256 was {file.sha256[:12]})")
    return changes, not_compared


def _change_text(file: str, before: str, now: str) -> str:
    return f"{file} has changed: sha256 {before[:12]}, now {now[:12]}"


def _not_compared_wordings(log: EvalLog, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield texts for what cannot be compared: the user's wordings, and an eval that is wrapped.

    `arguments` are those of the task. The log records a wording by a fingerprint (hash), which a
    name may precede.
    """
    for name in _WORDING_ARGUMENTS:
        before = facts_of(log).get(name)
        # A published wording is in the prompts' file, whose hash is compared.
        if before and arguments.get(name) is not None and arguments[name] not in PUBLISHED:
            _, _, fingerprint = str(before).rpartition(" ")
            yield f"the wording of -T {name} (its fingerprint was {fingerprint:.12})"
    if log_table(log).fallback:  # the task is none of this package's
        yield f"the eval itself, {log.eval.task}"
