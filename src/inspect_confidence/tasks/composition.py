"""Composition of a task from its samples and its other parts."""

from collections.abc import Callable, Mapping, Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info
from inspect_ai.viewer import ViewerConfig

from inspect_confidence.datasets.selection import Item, Selection


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


def compose_task(
    selection: Selection[Item],
    samples: list[Sample],
    solver: Solver,
    scorer: Scorer,
    viewer: Callable[[str], ViewerConfig],
    *,
    headline: str,
    facts: dict[str, object],
    version: str,
    config: GenerateConfig | None = None,
) -> Task:
    """Return a task of these parts, at temperature 0 without a config.

    `viewer` is called with the scorer's name.
    """
    return Task(
        dataset=MemoryDataset(samples, name=selection.name),
        solver=solver,
        scorer=scorer,
        config=config or GenerateConfig(temperature=0),
        version=version,
        headline_metric=HeadlineMetric(metric=headline),
        metadata=facts,
        viewer=viewer(registry_info(scorer).name.rsplit("/", 1)[-1]),
    )
