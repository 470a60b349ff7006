"""What a run would ask and cost, before it is paid for."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from inspect_ai import Task
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost, get_model_info

from inspect_confidence import _registry
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.studies import all_tables, study_of

_CHARACTERS_PER_TOKEN = 4


def plan_run(
    task: str,
    arguments: Sequence[str],
    model: str | None = None,
    epochs: int | None = None,
    cost_file: str | None = None,
) -> str:
    """Samples, calls, tokens and dollars of a run, and what it can't give; calls no model.

    The task is named with or without the package's prefix. Arguments (`name=value`), model, epochs
    and a file of prices are as `inspect eval` takes them.

    Raises:
        InvalidArgument: An argument can't be used, as the task itself would say.
    """
    name = task.rsplit("/", 1)[-1].removesuffix(".py")
    tables = {table.function: table.task for table in all_tables().values()}
    if name not in tables:
        raise InvalidArgument(f"There is no task {task!r}. {nearest(name, tables)}")
    for argument in arguments:
        if "=" not in argument:
            raise InvalidArgument(f"-T {argument} is not of the form name=value.")
    built: Task = getattr(_registry, name)(**dict(argument.split("=", 1) for argument in arguments))
    facts: dict[str, Any] = built.metadata or {}
    facts = facts.get("confidence", facts)  # of an eval of others only that is ours
    epochs = epochs or built.epochs or 1
    samples = len(built.dataset) * epochs
    calls = samples * facts["calls_per_sample"]
    questions = epochs * sum(
        len(str(sample.input)) + sum(map(len, sample.choices or [])) for sample in built.dataset
    )
    characters = questions * facts["calls_per_sample"] + calls * facts["prompt_characters"]
    usage = ModelUsage(
        input_tokens=characters // _CHARACTERS_PER_TOKEN,
        output_tokens=calls * facts["output_tokens_per_call"],
    )
    metadata = [sample.metadata or {} for sample in built.dataset] * epochs
    lacks = study_of(tables[name]).lacking(tables[name], metadata)
    lacking = [f"lacks:   {line}" for line in lacks]
    excluded = [f"  {count} left out: {why}" for why, count in facts["excluded"].items()]
    judged = facts.get("grader_calls_per_sample", 0) * samples
    more = "more of the grader, at most, if replies have one sentence; not in what follows"
    split = "train_items" in facts
    parts = f" ({facts['train_items']} train, {facts['test_items']} test)" if split else ""
    return "\n".join(
        [
            f"{name} on {facts['dataset']}: {facts['items']} items{parts}",
            *excluded,
            f"samples: {samples:,}" + (f" ({epochs} epochs)" if epochs > 1 else ""),
            f"calls:   {calls:,}" + (f" {facts['beside']}" if "beside" in facts else ""),
            *([f"         {judged:,} {more}"] if judged else []),
            f"tokens:  about {usage.input_tokens:,} in, {usage.output_tokens:,} out "
            "(4 characters a token; reasoning not counted)",
            _price(model, usage, cost_file),
            *lacking,
        ]
    )


def _price(model: str | None, usage: ModelUsage, cost_file: str | None) -> str:
    if model is None:
        return "cost:    name a --model to have it estimated"
    cost = _cost(model, cost_file)
    if cost is None:
        return f"cost:    Inspect has no prices of {model}; give them with --model-cost-config FILE"
    return f"cost:    about ${compute_model_cost(cost, usage):,.2f} for {model}"


def _cost(model: str, cost_file: str | None) -> ModelCost | None:
    if cost_file:
        text = Path(cost_file).read_text(encoding="utf-8")
        prices = json.loads(text) if cost_file.endswith(".json") else yaml.safe_load(text)
        if model in prices:
            return ModelCost.model_validate(prices[model])
    info = get_model_info(model)
    return info.cost if info else None
