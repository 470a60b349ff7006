"""What a run would ask and cost, before it is paid for."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from inspect_ai import Task
from inspect_ai.model import ModelCost, ModelUsage, compute_model_cost, get_model_info

from inspect_confidence import _registry
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.solvers.draws import choices_in_one_call
from inspect_confidence.studies import all_tables, study_of

_CHARACTERS_PER_TOKEN = 4


def plan_run(
    task: str,
    arguments: Sequence[str],
    model: str | None = None,
    epochs: int | None = None,
    cost_file: str | None = None,
    grader: str | None = None,
) -> str:
    """Samples, calls, tokens and dollars of a run, and what it can't give; calls no model.

    The task is named with or without the package's prefix. Arguments (`name=value`), model, epochs
    and a file of prices are as `inspect eval` takes them; the grader is the model in that role.
    Draws that a provider gives in one call are read for once. A judge is counted for replies of one
    sentence: at most where all draws differ, and where a fifth of them does.

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
    replies, draws = samples * facts["calls_per_sample"], facts.get("draws_per_sample", 0)
    at_once = choices_in_one_call(model or "") if draws > 1 else 1
    a_sample = facts["calls_per_sample"] - draws + math.ceil(draws / at_once)
    calls = samples * a_sample
    questions = epochs * sum(
        len(str(sample.input)) + sum(map(len, sample.choices or [])) for sample in built.dataset
    )
    characters = questions * a_sample + calls * facts["prompt_characters"]
    usage = ModelUsage(
        input_tokens=characters // _CHARACTERS_PER_TOKEN,
        output_tokens=replies * facts["output_tokens_per_call"],
    )
    judge = _Judge(**facts["grader"]) if "grader" in facts else None
    metadata = [sample.metadata or {} for sample in built.dataset] * epochs
    lacks = study_of(tables[name]).lacking(tables[name], metadata)
    lacking = [f"lacks:   {line}" for line in lacks]
    excluded = [f"  {count} left out: {why}" for why, count in facts["excluded"].items()]
    judged = facts.get("grader_calls_per_sample", 0) * samples
    more = "more of the grader, at most, if replies have one sentence; not in what follows"
    at_a_time = f" (up to {at_once} draws in a call)" if at_once > 1 else ""
    split = "train_items" in facts
    parts = f" ({facts['train_items']} train, {facts['test_items']} test)" if split else ""
    return "\n".join(
        [
            f"{name} on {facts['dataset']}: {facts['items']} items{parts}",
            *excluded,
            f"samples: {samples:,}" + (f" ({epochs} epochs)" if epochs > 1 else ""),
            f"calls:   {calls:,}{at_a_time}" + (f" {facts['beside']}" if "beside" in facts else ""),
            *([f"         {judged:,} {more}"] if judged else []),
            f"tokens:  about {usage.input_tokens:,} in, {usage.output_tokens:,} out "
            "(4 characters a token; reasoning not counted)",
            _price(model, usage, cost_file),
            *(_judge_lines(judge, samples, questions, grader, cost_file) if judge else []),
            *lacking,
        ]
    )


_TYPICAL = 0.2
"""Of the draws, the share that differ in more than their markers."""


@dataclass(frozen=True)
class _Judge:
    """What a judge is asked about a sample, as the task's metadata has it."""

    calls: int
    calls_per_reply: int
    questions: int
    characters: int
    characters_per_reply: int
    output_tokens: int
    output_tokens_per_reply: int
    replies: int

    def asked(self, samples: int, questions: int, different: int) -> tuple[int, ModelUsage]:
        """Calls and tokens if so many replies of each sample differ."""
        of_replies = self.calls_per_reply * different
        characters = questions * (self.questions + of_replies)
        characters += samples * (self.characters + self.characters_per_reply * different)
        written = self.output_tokens + self.output_tokens_per_reply * different
        return samples * (self.calls + of_replies), ModelUsage(
            input_tokens=characters // _CHARACTERS_PER_TOKEN, output_tokens=samples * written
        )


def _judge_lines(
    judge: _Judge, samples: int, questions: int, grader: str | None, cost_file: str | None
) -> list[str]:
    """Calls, tokens and dollars of the judge: at most, and typically."""
    few = math.ceil(_TYPICAL * judge.replies)
    most = f"if replies have one sentence and all {judge.replies} draws differ"
    some = f"if {few} of them differ in more than their markers, as is typical"
    lines, price = [], ""
    for different, what in ((judge.replies, most), (few, some)):
        calls, usage = judge.asked(samples, questions, different)
        price = _price(grader, usage, cost_file, "--grader").removeprefix("cost:").strip()
        dollars = f"; {price}" if "$" in price else ""
        read = (
            f"{calls:,} calls, about {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
        )
        lines.append(f"         {read} {what}{dollars}")
    lines[0] = lines[0].replace("        ", "judge:  ", 1)
    return lines if "$" in price else [*lines, f"         {price}"]


def _price(
    model: str | None, usage: ModelUsage, cost_file: str | None, option: str = "--model"
) -> str:
    if model is None:
        return f"cost:    name a {option} to have it estimated"
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
