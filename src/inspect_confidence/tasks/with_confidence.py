"""Confidence in the answers to any eval: somebody's task, asked how sure it is."""

import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from copy import copy
from itertools import chain, count
from pathlib import Path
from types import ModuleType
from typing import Any

from inspect_ai import Task, task, task_with
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create, registry_info

from inspect_confidence import __version__, arguments
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.grades import score_name
from inspect_confidence.judges.model import expect_grader
from inspect_confidence.prompts import confidence as prompts
from inspect_confidence.scorers.agreement import compares
from inspect_confidence.scorers.confidence import confidence
from inspect_confidence.scorers.graded import OWN
from inspect_confidence.solvers.ask_confidence import (
    ConfidenceRequest,
    ask_confidence,
    ready_to_ask,
)
from inspect_confidence.tasks.provenance import provenance
from inspect_confidence.tasks.viewers import with_confidence_viewer

_OURS = "inspect_confidence"


@task
def with_confidence(
    task: Task | str | None = None,
    ways: str | list[str] = "stated",
    scale: str = "0-100",
    draws: int = 5,
    score: str | None = None,
    agreement: str = "auto",
    task_args: str | dict[str, Any] | None = None,
    **unknown: object,
) -> Task:
    """Ask how sure a model is of its answers to an eval, which stays as it is.

    Data set, solver, sandbox, epochs, scorers and metrics are the eval's, and so is the answer that
    they score. After its scorers a further one, `confidence`, asks and scores; calls a sample
    beside the eval's own: 1 for each way, `draws` for `consistency`, none for `logprob`.

    Args:
        task: The eval: a task, `package/name` of an installed one, or `path/to/file.py@name`.
        ways: Some of `stated` (in the same conversation, after the answer), `alone` (in a new one
            that shows question and answer), `before` (before the work), `p_true` (probability of
            True), `consistency` (further answers), `words` (a phrase) and `logprob` (of the
            answer's own token).
        scale: Of `stated`, `alone` and `before`: two whole numbers, as `0-100`.
        draws: How many further answers `consistency` asks for.
        score: The scorer whose score says what is right, `name` or `name.key`; needed where the
            eval has several.
        agreement: What says that two answers are the same: `auto`, `scorer`, `text` or `judge`
            (the model in the role grader, a call more for each draw).
        task_args: Arguments of the eval, where it is named: a dict, or JSON.
        **unknown: Refused.

    Raises:
        InvalidArgument: The eval isn't there, has no scorer, or several and `score` names none.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(with_confidence))
    if task is None:
        raise InvalidArgument(
            "with_confidence needs an eval: add -T task=package/name or -T task=path/to/file.py."
        )
    request = ConfidenceRequest.from_arguments(ways, scale, draws)
    if agreement == "judge" and "consistency" in request.methods:
        expect_grader("agreement=judge", "agreement=text")
    given = _task_args(task_args)
    plain = task if isinstance(task, Task) else _named(str(task), given)
    scorers = plain.scorer or []
    named = _score_of(plain, score)
    comparing = [one for one in scorers if compares(one)]
    judged = confidence(
        ways=list(request.methods),
        scale=scale,
        draws=request.draws,
        score=named,
        agreement=agreement,
        equality=comparing[0] if comparing else None,
    )
    setup: list[Solver] = [ready_to_ask(list(request.methods), agreement)]
    if "before" in request.methods:
        setup.append(ask_confidence("before", scale))
    own_setup = plain.setup if plain.setup is not None else []
    setup += [own_setup] if callable(own_setup) else list(own_setup)
    with_tokens = GenerateConfig(logprobs=True, top_logprobs=20)
    config = plain.config.merge(with_tokens) if "logprob" in request.methods else plain.config
    return task_with(
        copy(plain),
        name=plain.name,
        setup=setup,
        scorer=[*scorers, judged],
        config=config,
        viewer=with_confidence_viewer(plain.viewer, _names_of(scorers), request.methods),
        metadata={
            **(plain.metadata or {}),
            "confidence": {
                "package_version": __version__,
                "provenance": provenance((), ["confidence"]),
                # All that the eval was made with, defaults too, as its own log would have it.
                "task_args": vars(plain).get("__task_all_params__", given),
                **_costs(plain, request, agreement),
            },
        },
    )


def _costs(plain: Task, request: ConfidenceRequest, agreement: str) -> dict[str, object]:
    """For `plan`: what asking takes beside the eval itself."""
    judged = request.draws if agreement == "judge" and "consistency" in request.methods else 0
    return {
        "dataset": plain.name,
        "items": len(plain.dataset),
        "excluded": {},
        "calls_per_sample": request.calls,
        "draws_per_sample": request.draws if "consistency" in request.methods else 0,
        "grader_calls_per_sample": judged,
        "prompt_characters": len(prompts.ALONE),
        "output_tokens_per_call": _OUTPUT_TOKENS,
        "beside": "to ask for confidence, beside the eval's own; its answers, which are read again "
        "or made again, are not in what follows",
    }


_OUTPUT_TOKENS = 6
"""Of a reply such as `Confidence: 85`."""


def _names_of(scorers: Sequence[Scorer]) -> list[str]:
    """As Inspect calls their scores: those of one name are numbered."""
    names: list[str] = []
    for one in scorers:
        name = registry_info(one).name.rsplit("/", 1)[-1]
        numbered = (f"{name}{number}" for number in count(1))
        names.append(next(free for free in chain([name], numbered) if free not in names))
    return names


def _score_of(plain: Task, named: str | None) -> str | None:
    """The score that says what is right; refuses an eval whose correctness can't be told."""
    scorers = plain.scorer or []
    names = _names_of(scorers)
    if not names:
        raise InvalidArgument(
            f"The task {plain.name} has no scorer, so that nothing says which answers are right; "
            "give it one."
        )
    if OWN in names or plain.name.startswith(f"{_OURS}/"):
        raise InvalidArgument(f"The task {plain.name} asks for confidence itself; run it as it is.")
    if named is not None:
        name, _, key = named.partition(".")
        if name not in names:
            raise InvalidArgument(
                f"score={named} is no scorer of {plain.name}. {nearest(name, names)}"
            )
        if key and compares(scorers[names.index(name)]):
            raise InvalidArgument(f"score={named}: {name} gives one number; use score={name}.")
        return named
    headline = plain.headline_metric
    if headline and headline.scorer in names and (headline.score or len(names) > 1):
        return score_name(headline.scorer, headline.score or "")
    if len(names) > 1:
        raise InvalidArgument(
            f"The task {plain.name} has the scorers {', '.join(names)}: say whose score tells "
            f"right from wrong, as score={names[0]}."
        )
    return None


def _task_args(given: object) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = None
    if not isinstance(given, Mapping):
        raise InvalidArgument('task_args is no JSON object; give one, as {"cot": false}.')
    return dict(given)


def _named(name: str, given: Mapping[str, Any]) -> Task:
    """The task of that name or in that file, made with those arguments."""
    file, _, of_file = name.partition("@")
    try:
        if file.endswith(".py"):
            return _from_file(file, of_file, given)
        made: Any = registry_create("task", name, **given)
    except LookupError as error:
        if type(error) is not LookupError:  # of the task itself, as a KeyError is
            raise
        raise InvalidArgument(
            f"task={name}: no such task is installed; give package/name, or path/to/file.py@name."
        ) from None
    except TypeError as error:
        if not re.search(r"unexpected keyword argument|missing \d+ required", str(error)):
            raise
        raise InvalidArgument(f"task_args don't fit {name}: {error}.") from error
    return made if isinstance(made, Task) else made(**given)


def _from_file(file: str, name: str, given: Mapping[str, Any]) -> Task:
    path = _user_file(file)
    # As Inspect does: a task file reads what lies beside it.
    with chdir(path.parent):
        there = _tasks_in(_loaded(path))
        if not name and len(there) == 1:
            (name,) = there
        if name not in there:
            raise InvalidArgument(
                f"task={file}: name one of its tasks, as {file}@{next(iter(there), 'name')}. "
                f"{nearest(name, there)}"
            )
        return there[name](**given)


def _user_file(file: str) -> Path:
    """A file relative to where the user stands, also while Inspect loads another task file."""
    shell = Path(os.environ.get("PWD", "."))
    for folder in (Path(), shell):
        if (path := folder / Path(file).expanduser()).is_file():
            return path.resolve()
    raise InvalidArgument(f"task={file}: there is no such file; paths are relative to {shell}.")


def _loaded(path: Path) -> ModuleType:
    # By its path, as Inspect calls it: a file may have the name of a module of Python's.
    name = path.as_posix()
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidArgument(f"task={path}: the file can't be loaded as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        sys.modules[name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def _tasks_in(module: ModuleType) -> dict[str, Callable[..., Task]]:
    found = {}
    for one in vars(module).values():
        if callable(one):
            try:
                info = registry_info(one)
            except ValueError:
                continue
            # As Inspect does: what a file imports is none of its tasks.
            if info.type == "task" and one.__module__ == module.__name__:
                found[info.name.rsplit("/", 1)[-1]] = one
    return found
