"""What every task has: items chosen, a system message, samples, and what it keeps in its log.

The log's facts are for `plan`, for judgments, and for telling variants apart.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info
from inspect_ai.viewer import ViewerConfig

from inspect_confidence import __version__
from inspect_confidence.arguments import choice, fingerprint, integer, read_text, user_path
from inspect_confidence.datasets.selection import Item, Selection


class Which(TypedDict):
    """Which items of a data set are asked, as its loader takes it."""

    items: str | int | None
    split: str
    seed: int


def which(items: str | int | None, split: object, seed: object) -> Which:
    """The arguments that all tasks have for their items; refuses a split or seed that is none."""
    known = choice("split", split, ("all", "train", "test"))
    return {"items": items, "split": known, "seed": integer("seed", seed)}


def system_message(system: str | None) -> str | None:
    """The text of the user's file with a system message, if there is one."""
    return read_text(user_path("system", system)) if system else None


def sample(
    item: Item,
    text: str,
    target: str | list[str],
    facts: Mapping[str, object],
    *,
    suffix: str = "",
    choices: Sequence[str] = (),
) -> Sample:
    """A sample about an item, its id with a suffix where an item has several; facts go with it."""
    return Sample(
        input=text,
        choices=list(choices) or None,
        target=target,
        id=f"{item.id}{suffix}",
        metadata={"item": item.id, "split": item.split, **facts},
    )


def composed(
    selection: Selection[Item],
    samples: list[Sample],
    solver: Solver,
    scorer: Scorer,
    viewer: Callable[[str], ViewerConfig],
    *,
    headline: str,
    facts: Mapping[str, object],
    config: GenerateConfig | None = None,
) -> Task:
    """A task of its parts, at temperature 0 unless a config is given; `viewer` takes the scorer."""
    return Task(
        dataset=MemoryDataset(samples, name=selection.name),
        solver=solver,
        scorer=scorer,
        config=config or GenerateConfig(temperature=0),
        version="1-A",
        headline_metric=HeadlineMetric(metric=headline),
        metadata=dict(facts),
        viewer=viewer(registry_info(scorer).name.rsplit("/", 1)[-1]),
    )


def log_facts(
    selection: Selection[Item],
    wordings: Sequence[str],
    system: str | None,
    *,
    output_tokens: int,
    calls: int = 1,
    read_again: int = 0,
    shown: str | None = None,
) -> dict[str, object]:
    """The metadata of a task.

    Args:
        selection: Of its items.
        wordings: Templates; what is read is estimated from the first.
        system: The system message.
        output_tokens: Of a call, about.
        calls: Model calls a sample.
        read_again: Characters that a call reads beside question, wording and system message.
        shown: All that a typical call reads beside the question, where it isn't the first wording
            and the system message.
    """
    return {
        **selection.facts(),
        "package_version": __version__,
        "prompt": fingerprint("\n".join(wordings)),
        "system": fingerprint(system) if system else "",
        "calls_per_sample": calls,
        "prompt_characters": read_again
        + (len(wordings[0]) + len(system or "") if shown is None else len(shown)),
        "output_tokens_per_call": output_tokens,
    }
