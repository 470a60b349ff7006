"""Confidence in the answers to any eval: another task, with a scorer that asks for confidence."""

import importlib.util
import json
import logging
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
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Scorer, choice
from inspect_ai.solver import Solver, multiple_choice
from inspect_ai.util import registry_create, registry_info

from inspect_confidence import __version__, arguments
from inspect_confidence.arguments import fingerprint
from inspect_confidence.datasets.questions import load_questions
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.grades import score_name, split_score_name
from inspect_confidence.judges.model import expect_grader, expect_model
from inspect_confidence.prompts import confidence as prompts
from inspect_confidence.scorers.agreement import compares
from inspect_confidence.scorers.confidence import confidence
from inspect_confidence.scorers.eval_decisions import score_keys
from inspect_confidence.scorers.graded import OWN
from inspect_confidence.solvers.ask_confidence import (
    COMPARING,
    NEEDING_LOGPROBS,
    TARGETS,
    ConfidenceRequest,
    ask_confidence,
    ready_to_ask,
)
from inspect_confidence.solvers.requests import TOKENS
from inspect_confidence.tasks.provenance import provenance
from inspect_confidence.tasks.viewers import with_confidence_viewer
from inspect_confidence.ways import PUSHBACK, is_decision

_LOGGER = logging.getLogger(__name__)
_PACKAGE = "inspect_confidence"


@task
def with_confidence(
    task: Task | str | None = None,
    ways: str | list[str] = "stated",
    scale: str = "0-100",
    draws: int = 5,
    score: str | None = None,
    agreement: str = "auto",
    task_args: str | dict[str, Any] | None = None,
    prompt: str | None = None,
    targets: str | float | list[float] = TARGETS,
    **unknown: object,
) -> Task:
    """Ask for a model's confidence in its answers to an eval, which is not changed.

    Data set, solver, sandbox, epochs, scorers and metrics are those of the eval, and so is the
    answer that they score. A further scorer, `confidence`, runs after the eval's scorers; it asks
    for the confidence and scores it. Its calls per sample: 1 for each method, `draws` for
    `consistency`, 1 for each target of `decline`, none for `logprob`.

    Args:
        task: The eval: a task, `package/name` of an installed one, or `path/to/file.py@name`. By
            default a quiz of the bundled questions, with a notice.
        ways: Methods of elicitation, some of: `stated` (a confidence, asked in the same
            conversation after the answer), `alone` (a confidence, asked in a new conversation that
            shows question and answer), `before` (a confidence, asked before the model works on the
            question), `p_true` (the token probability of "True" when the model is asked whether its
            answer is true), `consistency` (the share of further answers that agree), `words` (a
            phrase of likelihood that the model chooses from a list), `logprob` (the probability of
            the answer's own token), `decline` (whether the model withdraws its answer when a wrong
            answer costs points), `keep` (whether the model keeps its answer, and bets on it) and
            `pushback` (whether the model keeps its answer after disagreement).
        scale: Scale of `stated`, `alone` and `before`: two numbers, such as `0-100`. `0.0-1.0`
            and `0-1` ask for a number with decimals.
        draws: Number of further answers for `consistency`.
        score: The scorer whose score defines correctness, `name` or `name.key`; needed if the eval
            has several.
        agreement: How two answers are compared: `auto`, `scorer`, `text` or `judge` (the model in
            the role grader, one more call per draw).
        task_args: Arguments of the eval, if it is given by name: a dict, or JSON.
        prompt: Wording of `stated`, `alone` and `before`: `simpleqa`, `hle`, `tian_2023`,
            `xiong_2024`, `xiong_2024_number`, or a file with some of the fields `{question}`,
            `{answer}`, `{low}` and `{high}`.
        targets: Confidence targets t of `decline`: a wrong answer costs t / (1 - t) points.
        **unknown: Refused.

    Raises:
        InvalidArgument: The eval does not exist, has no scorer, or has several and `score` names
            none; or neither Inspect's command nor the eval names a model.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(with_confidence))
    request = ConfidenceRequest.from_arguments(ways, scale, draws, prompt, targets)
    if agreement == "judge" and COMPARING.intersection(request.methods):
        expect_grader("agreement=judge", "agreement=text")
    eval_arguments = _task_args(task_args)
    if task is None:
        eval_task = _bundled_quiz(eval_arguments)
    else:
        eval_task = task if isinstance(task, Task) else _load_task(str(task), eval_arguments)
    if eval_task.model is None:
        expect_model()
    scorers = eval_task.scorer or []
    score_name = _score_name(eval_task, score)
    # Scorers that can tell whether two answers are the same.
    comparing = [scorer for scorer in scorers if compares(scorer)]
    confidence_scorer = confidence(
        ways=arguments.parts(ways),
        scale=scale,
        draws=request.draws,
        score=score_name,
        agreement=agreement,
        equality=comparing[0] if comparing else None,
        prompt=prompt,
        targets=targets,
        regrade=_scorer_of(eval_task, score_name) if PUSHBACK in request.methods else None,
    )
    # Before the eval's own setup: a check of models and roles, and the request `before`.
    setup: list[Solver] = [ready_to_ask(list(request.methods), agreement)]
    if "before" in request.methods:
        setup.append(ask_confidence("before", scale, prompt=prompt))
    eval_setup = eval_task.setup if eval_task.setup is not None else []
    setup += [eval_setup] if callable(eval_setup) else list(eval_setup)
    # TOKENS: settings that ask the provider for log probabilities.
    config = eval_task.config.merge(TOKENS) if "logprob" in request.methods else eval_task.config
    return task_with(
        copy(eval_task),
        name=eval_task.name,
        setup=setup,
        scorer=[*scorers, confidence_scorer],
        config=config,
        viewer=with_confidence_viewer(
            eval_task.viewer,
            _names_of(scorers),
            list(chain.from_iterable(map(score_keys, request.methods))),
            [f"{method}_ok" for method in request.methods if not is_decision(method)],
        ),
        metadata={
            **(eval_task.metadata or {}),
            "confidence": {
                **_provenance_of(eval_task, request, prompt, eval_arguments),
                **_costs(eval_task, request, agreement),
            },
        },
    )


def _provenance_of(
    eval_task: Task, request: ConfidenceRequest, prompt: str | None, eval_arguments: dict[str, Any]
) -> dict[str, object]:
    """Return the facts by which a log tells how confidence was asked for, and about which eval.

    `prompt` is the name or the file of the user's wording, which the fingerprint identifies.
    """
    return {
        "package_version": __version__,
        "provenance": provenance((), ["confidence", "decisions"]),
        "prompt": f"{prompt} {fingerprint(request.wording)}" if request.wording else "",
        # All arguments of the eval with defaults, as its own log would have them; of a task that
        # Inspect has not registered, those that the user gives.
        "task_args": vars(eval_task).get("__task_all_params__", eval_arguments),
    }


def _bundled_quiz(task_args: Mapping[str, Any]) -> Task:
    """Return an eval of the bundled questions with four choices, for a first run."""
    if task_args:
        raise InvalidArgument(
            "task_args without an eval: add -T task=package/name or -T task=path/to/file.py."
        )
    _LOGGER.warning(
        "with_confidence asks a quiz of bundled questions: name your eval with -T "
        "task=package/name or -T task=path/to/file.py."
    )
    samples = []
    for item in load_questions("knowledge").items:
        samples.append(
            Sample(
                id=item.id,
                input=item.question,
                choices=list(item.choices),
                target=item.target,
                metadata={"subject": item.part},
            )
        )
    return Task(dataset=samples, solver=multiple_choice(), scorer=choice(), name="quiz")


def _costs(eval_task: Task, request: ConfidenceRequest, agreement: str) -> dict[str, object]:
    """Return the costs of asking, without those of the eval itself, for `plan`.

    `output_tokens_per_call` are those of a confidence; `uncounted` names the calls and tokens that
    are not counted.
    """
    draws = request.draws if "consistency" in request.methods else 0
    compared = draws + (PUSHBACK in request.methods)  # answers that a judge compares
    grading = ""
    if PUSHBACK in request.methods:
        grading = ", and the grading of final answers by the eval's own scorer"
    return {
        "dataset": eval_task.name,
        "items": len(eval_task.dataset),
        "excluded": {},
        "calls_per_sample": request.calls,
        "draws_per_sample": draws,
        "grader_calls_per_sample": compared if agreement == "judge" else 0,
        "prompt_characters": len(request.wording or prompts.ALONE),
        "output_tokens_per_call": _OUTPUT_TOKENS,
        "needs_logprobs": bool(NEEDING_LOGPROBS.intersection(request.methods)),
        "uncounted": f"the calls of {eval_task.name} itself, and the text of its answers, "
        f"which the calls for confidence send or ask for again{grading}",
    }


_OUTPUT_TOKENS = 6
"""Output tokens of a reply such as `Confidence: 85`."""


def _names_of(scorers: Sequence[Scorer]) -> list[str]:
    """Return the names that Inspect gives to the scorers' scores; repeated names are numbered."""
    names: list[str] = []
    for scorer in scorers:
        name = registry_info(scorer).name.rsplit("/", 1)[-1]
        numbered = (f"{name}{number}" for number in count(1))  # match1, match2, ...
        candidates = chain([name], numbered)
        names.append(next(candidate for candidate in candidates if candidate not in names))
    return names


def _score_name(eval_task: Task, score: object) -> str | None:
    """Return the name of the score that defines correctness; None stands for the eval's only one.

    It is the user's `score`, or else the eval's headline metric. Refuse an eval without a scorer,
    with several if neither names one, or of this package, which asks for confidence itself.
    """
    scorers = eval_task.scorer or []
    names = _names_of(scorers)
    if not names:
        raise InvalidArgument(
            f"The task {eval_task.name} has no scorer, so that nothing says which answers are "
            "right; give it one."
        )
    if OWN in names or eval_task.name.startswith(f"{_PACKAGE}/"):
        raise InvalidArgument(
            f"The task {eval_task.name} asks for confidence itself; run it as it is."
        )
    if score is not None:
        if not isinstance(score, str):
            raise InvalidArgument(
                f"score={score} is not the name of a scorer. {nearest(str(score), names)}"
            )
        name, key = split_score_name(score, names)
        if name not in names:
            raise InvalidArgument(
                f"score={score} is no scorer of {eval_task.name}. {nearest(name, names)}"
            )
        # Scorers that compare two answers give a single number, which has no key.
        if key and compares(scorers[names.index(name)]):
            raise InvalidArgument(f"score={score}: {name} gives one number; use score={name}.")
        return score
    headline = eval_task.headline_metric
    # A single score without a key needs no name.
    if headline and headline.scorer in names and (headline.score or len(names) > 1):
        return score_name(headline.scorer, headline.score or "")
    if len(names) > 1:
        raise InvalidArgument(
            f"The task {eval_task.name} has the scorers {', '.join(names)}: say whose score tells "
            f"right from wrong, as -T score={names[0]}."
        )
    return None


def _scorer_of(eval_task: Task, name: str | None) -> Scorer:
    """Return the eval's scorer by the name of its score; without a name its only one."""
    scorers = eval_task.scorer or []
    names = _names_of(scorers)
    return scorers[names.index(split_score_name(name, names)[0])] if name else scorers[0]


def _task_args(task_args: object) -> dict[str, Any]:
    """Return the arguments of the eval; None is none, and a text is read as a JSON object."""
    if task_args is None:
        return {}
    if isinstance(task_args, str):
        try:
            task_args = json.loads(task_args)
        except ValueError:
            task_args = None  # refused below
    if not isinstance(task_args, Mapping):
        raise InvalidArgument('task_args is no JSON object; give one, as {"cot": false}.')
    return dict(task_args)


def _load_task(name: str, task_args: Mapping[str, Any]) -> Task:
    """Return the installed task of that name, or a file's; refuse arguments that it lacks."""
    file, _, name_in_file = name.partition("@")
    try:
        if file.endswith(".py"):
            return _load_from_file(file, name_in_file, task_args)
        loaded: Any = registry_create("task", name, **task_args)
    except LookupError as error:
        if type(error) is not LookupError:  # a KeyError is the task's own
            raise
        raise InvalidArgument(
            f"task={name}: no such task is installed; give package/name, or path/to/file.py@name."
        ) from None
    except TypeError as error:
        if not re.search(r"unexpected keyword argument|missing \d+ required", str(error)):
            raise
        raise InvalidArgument(f"task_args don't fit {name}: {error}.") from error
    # Inspect does not call a function without the return type `Task`.
    return loaded if isinstance(loaded, Task) else loaded(**task_args)


def _load_from_file(file: str, name: str, task_args: Mapping[str, Any]) -> Task:
    """Return the task of this name in a file; an empty name stands for the file's only task."""
    path = _user_file(file)
    # As in Inspect: a task file may read files in its folder.
    with chdir(path.parent):
        tasks = _tasks_in(_load_module(path))
        if not name and len(tasks) == 1:
            (name,) = tasks
        if name not in tasks:
            raise InvalidArgument(
                f"task={file}: name one of its tasks, as {file}@{next(iter(tasks), 'name')}. "
                f"{nearest(name, tasks)}"
            )
        return tasks[name](**task_args)


def _user_file(file: str) -> Path:
    """Return a file relative to the user's folder, also while Inspect loads another task file.

    Inspect then works in that file's folder, and the variable PWD names the user's. In a program
    that starts this one elsewhere, PWD may name another folder, so that it comes last.
    """
    folders = [Path.cwd(), Path(os.environ.get("PWD", "."))]
    for folder in folders:
        if (path := folder / Path(file).expanduser()).is_file():
            return path.resolve()
    places = " and ".join(dict.fromkeys(str(folder.resolve()) for folder in folders))
    raise InvalidArgument(f"task={file}: there is no such file; paths are relative to {places}.")


def _load_module(path: Path) -> ModuleType:
    """Run a task file as a module, which may import other files of its folder."""
    # Named by its path, as in Inspect: a file may have the name of a module of Python.
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
    """Return the tasks that a module defines, by name without the package."""
    tasks = {}
    for value in vars(module).values():
        if callable(value):
            try:
                info = registry_info(value)
            except ValueError:
                continue
            # As in Inspect: an imported task is not a task of the file.
            if info.type == "task" and value.__module__ == module.__name__:
                tasks[info.name.rsplit("/", 1)[-1]] = value
    return tasks
