"""Composition of a task: the arguments that tasks share, samples, and the facts of its log.

The facts are for `plan`, for judgments, and for distinguishing variants.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import TypedDict

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info
from inspect_ai.viewer import ViewerConfig

from inspect_confidence import __version__, arguments
from inspect_confidence.datasets.selection import Item, Selection
from inspect_confidence.judges.model import expect_model, is_without_roles
from inspect_confidence.tasks.provenance import provenance
from inspect_confidence.versions import TASK_VERSIONS

_LOGGER = logging.getLogger(__name__)

JUDGES = ("model", "rules")


class ItemChoice(TypedDict):
    """Arguments of a data set's loader that choose its items."""

    items: str | int | None
    split: str
    seed: int


@dataclass(frozen=True)
class SharedArguments:
    """The arguments that tasks share, read and checked.

    Attributes:
        choice: The choice of items.
        template: The user's wording, if any.
        system: The user's system message, if any.
    """

    choice: ItemChoice
    template: str | None
    system: str | None


def read_shared(
    task: Callable[..., Task],
    unknown: Mapping[str, object],
    items: str | int | None,
    split: object,
    seed: object,
    prompt: str | None,
    fields: str,
    system: str | None,
) -> SharedArguments:
    """Read the arguments that a task shares with others; the docstrings of tasks explain them.

    `fields` is a template: the wording in the user's file `prompt` must have the same fields. The
    loader of the data set checks `items`. `unknown` has the arguments that `task` does not define.

    Raises:
        InvalidArgument: There is an unknown argument, or one cannot be used, or Inspect's command
            names no model.
    """
    arguments.refuse_unknown(unknown, arguments.argument_names(task))
    expect_model()
    choice: ItemChoice = {
        "items": items,
        "split": arguments.choice("split", split, ("all", "train", "test")),
        "seed": arguments.integer("seed", seed),
    }
    template = arguments.template("prompt", prompt, fields_of(fields)) if prompt else None
    system_message = arguments.prompt_text("system", system) if system else None
    return SharedArguments(choice, template, system_message)


def fields_of(text: str) -> frozenset[str]:
    """Return the names of a template's fields."""
    return frozenset(field for _, field, _, _ in Formatter().parse(text) if field)


def judge_of_run(task: str, judge: str | None, *, is_prompted: bool = False) -> str:
    """Return the kind of judge: the user's, by default a model.

    If the command names no model in a role, the default is rules, with a notice.

    Args:
        task: Name of the task, for the notice.
        judge: `model`, `rules`, or None if the user names none.
        is_prompted: Whether the user names prompts for a judge, which only a model reads.
    """
    if judge is None and not is_prompted and is_without_roles():
        _LOGGER.warning(
            "%s is judged by rules, which serve demos and tests only: name a judge with "
            "--model-role grader=NAME.",
            task,
        )
        return "rules"
    return arguments.choice("judge", judge or "model", JUDGES)


def sample(
    item: Item,
    text: str,
    target: str | list[str],
    facts: Mapping[str, object],
    *,
    suffix: str = "",
    choices: Sequence[str] = (),
) -> Sample:
    """Return a sample about an item, with facts in its metadata.

    An item with several samples has a suffix in the id of each.
    """
    cluster = {"cluster": item.cluster} if item.cluster else {}
    return Sample(
        input=text,
        choices=list(choices) or None,
        target=target,
        id=f"{item.id}{suffix}",
        metadata={"item": item.id, "split": item.split, **cluster, **facts},
    )


def log_facts(
    selection: Selection[Item],
    wordings: Sequence[str],
    system: str | None,
    *,
    output_tokens: int,
    prompts: Sequence[str] = (),
    files: Sequence[str | Path] = (),
    calls: int = 1,
    read_again: int = 0,
    typical_characters: int | None = None,
    further: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return the metadata of a task: its items, its provenance, and sizes from which costs follow.

    Args:
        selection: The task's items.
        wordings: Templates; the length of a prompt is estimated from the first.
        system: The system message.
        output_tokens: Approximate output tokens of a call.
        prompts: Modules of `inspect_confidence.prompts` that the wordings come from; empty for a
            task of another package.
        files: Data files, besides those of the selection.
        calls: Model calls per sample.
        read_again: Further characters that a call reads, such as its conversation before.
        typical_characters: Characters that a typical call reads besides the question; by default
            those of the first wording and the system message.
        further: Facts of this task alone, which replace those of the same name.
    """
    if typical_characters is None:
        typical_characters = len(wordings[0]) + len(system or "")
    return {
        **selection.facts(),
        "package_version": __version__,
        "prompt": arguments.fingerprint("\n".join(wordings)),
        "system": arguments.fingerprint(system) if system else "",
        "calls_per_sample": calls,
        "prompt_characters": typical_characters + read_again,
        "output_tokens_per_call": output_tokens,
        "provenance": provenance([*selection.files, *files], prompts),
        **(further or {}),
    }


def compose_task(
    task: Callable[..., Task],
    samples: list[Sample],
    solver: Solver,
    scorer: Scorer,
    viewer: Callable[[str], ViewerConfig],
    *,
    headline: str,
    facts: dict[str, object],
    config: GenerateConfig | None = None,
) -> Task:
    """Return the Inspect task of the function `task`, composed of its parts.

    `viewer` is called with the scorer's name, `facts` are those of `log_facts`; `headline` is the
    metric that Inspect shows first. Without a `config` the temperature is 0.
    """
    return Task(
        dataset=MemoryDataset(samples, name=str(facts["dataset"])),
        solver=solver,
        scorer=scorer,
        config=config or GenerateConfig(temperature=0),
        version=TASK_VERSIONS[task.__name__],
        headline_metric=HeadlineMetric(metric=headline),
        metadata=facts,
        viewer=viewer(registry_info(scorer).name.rsplit("/", 1)[-1]),
    )
