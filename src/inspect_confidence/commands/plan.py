"""What a run would ask and cost, before it is paid for."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, ModelUsage, compute_model_cost

from inspect_confidence import _registry
from inspect_confidence.commands.design import (
    Entry,
    check_calibrated,
    check_model,
    read_design,
)
from inspect_confidence.commands.prices import price_of
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.solvers.draws import choices_in_one_call
from inspect_confidence.solvers.requests import dropped_names, dropped_settings, refuse_unsent
from inspect_confidence.studies import all_tables, study_of

CONNECTIONS = 10
"""Calls under way at once, as Inspect has it by default."""
_CHARACTERS_PER_TOKEN = 4
_SECONDS_PER_CALL, _TOKENS_PER_SECOND = 1, 50
_OWN_PRICES = "--model-cost-config FILE"


def plan_run(
    task: str,
    arguments: Sequence[str],
    model: str | None = None,
    epochs: int | None = None,
    cost_file: str | None = None,
    grader: str | None = None,
    *,
    limit: int | None = None,
    temperature: float | None = None,
    connections: int = CONNECTIONS,
) -> str:
    """Samples, calls, tokens, dollars and minutes of a run, and what it can't give; calls no model.

    The task is named with or without the package's prefix. Arguments (`name=value`), model, epochs,
    limit, temperature and a file of prices are as `inspect eval` takes them; the grader is the
    model in that role. Draws that a provider gives in one call are read for once. A judge is
    counted for replies of one sentence: at most where all draws differ, and where a fifth of them
    does. A call takes a second, and another for each 50 tokens that are written.

    Raises:
        InvalidArgument: An argument can't be used, as the task itself would say; or the task would
            be calibrated over a setting that is not sent to the model.
    """
    name = task.rsplit("/", 1)[-1].removesuffix(".py")
    tables = {table.function: table.task for table in all_tables().values()}
    if name not in tables:
        raise InvalidArgument(f"There is no task {task!r}. {nearest(name, tables)}")
    for argument in arguments:
        if "=" not in argument:
            raise InvalidArgument(f"-T {argument} is not of the form name=value.")
    for one in filter(None, (model, grader)):
        check_model(one)
    built: Task = getattr(_registry, name)(**dict(argument.split("=", 1) for argument in arguments))
    asked = _asked(built, model, epochs, limit)
    facts, epochs = asked.facts, asked.epochs
    settings = built.config.merge(GenerateConfig(temperature=temperature))
    unsent = []
    if model:
        unsent = list(_unsent_lines(facts, model, settings.model_dump(exclude_none=True)))
    metadata = [sample.metadata or {} for sample in built.dataset] * epochs
    lacks = study_of(tables[name]).lacking(tables[name], metadata)
    excluded = [f"  {count} left out: {why}" for why, count in facts["excluded"].items()]
    judged = facts.get("grader_calls_per_sample", 0) * asked.samples
    more = "more of the grader, at most, if replies have one sentence; not in what follows"
    at_a_time = f" (up to {asked.at_once} draws in a call)" if asked.at_once > 1 else ""
    split = "train_items" in facts
    parts = f" ({facts['train_items']} train, {facts['test_items']} test)" if split else ""
    beside = f" {facts['beside']}" if "beside" in facts else ""
    cost = _cost(model, asked.usage, cost_file)
    judge = asked.typically(grader, cost_file)
    both = cost.dollars + judge.dollars
    minutes = _minutes([asked.work(model), judge.work], connections)
    sources = dict.fromkeys(filter(None, (cost.source, judge.source)))
    return "\n".join(
        [
            f"{name} on {facts['dataset']}: {facts['items']} items{parts}",
            *excluded,
            *([_limited(built, limit, facts["items"])] if limit else []),
            f"samples: {asked.samples:,}" + (f" ({epochs} epochs)" if epochs > 1 else ""),
            f"calls:   {asked.calls:,}{at_a_time}{beside}",
            *([f"         {judged:,} {more}"] if judged else []),
            f"tokens:  about {asked.usage.input_tokens:,} in, {asked.usage.output_tokens:,} out "
            "(4 characters a token; reasoning not counted)",
            f"cost:    {cost.said}",
            *_judge_lines(asked, grader, cost_file),
            *([f"all:     {_money(both)}, the judge's typical calls included"] * judge.known),
            f"time:    about {minutes} at {connections} connections "
            f"({_SECONDS_PER_CALL} s a call, {_TOKENS_PER_SECOND} tokens a second)",
            *(f"prices:  {source}; yours: {_OWN_PRICES}" for source in sources),
            *(f"unsent:  {line}" for line in unsent),
            *(f"lacks:   {line}" for line in lacks),
        ]
    )


def plan_design(path: str, cost_file: str | None = None, *, connections: int | None = None) -> str:
    """Calls, dollars and minutes of a study design, by model and task; calls no model.

    A judge is counted with its typical calls.

    Raises:
        InvalidArgument: The design can't be used, or an argument of a task.
    """
    design = read_design(path)
    at_once = connections or design.settings.get("max_connections") or CONNECTIONS
    rows: dict[str, list[tuple[Entry, _Cost, _Cost]]] = {}
    for entry in design.entries:
        built = entry.built()
        for model in entry.models:
            check_calibrated(built, model, design.settings)
            asked = _asked(built, model, entry.repeats)
            cost = _cost(model, asked.usage, cost_file, calls=asked.calls)
            rows.setdefault(model, []).append(
                (entry, cost, asked.typically(entry.grader, cost_file))
            )
    lines = [f"{path}: {sum(map(len, rows.values()))} runs, logs in {design.logs}"]
    for model, some in rows.items():
        lines.append(f"{model:<48}{'calls':>10}{'dollars':>10}{'minutes':>10}")
        for entry, *costs in some:
            name = shorten(entry.name, 44, placeholder="...")
            lines.append(_row(f"  {name}", costs, at_once))
        if len(some) > 1:
            lines.append(_row("  all", [one for _, *costs in some for one in costs], at_once))
    costs = [one for some in rows.values() for _, *two in some for one in two if one.calls]
    lines.append(_row("all models, side by side", costs, at_once))
    unknown = dict.fromkeys(one.model for one in costs if not one.known)
    lines += [f"no price of {model} is known; give it with {_OWN_PRICES}" for model in unknown]
    sources = dict.fromkeys(one.source for one in costs if one.source)
    lines += [f"prices: {source}" for source in sources]
    lines.append(
        f"minutes: at {at_once} connections, {_SECONDS_PER_CALL} s a call and "
        f"{_TOKENS_PER_SECOND} tokens a second; a judge's typical calls are included"
    )
    return "\n".join(lines)


_TYPICAL = 0.2
"""Of the draws, the share that differ in more than their markers."""


@dataclass(frozen=True)
class _Judge:
    """What a judge is asked about a sample, as the task's metadata has it.

    Calls again are those for what can't be read of a reply about a whole sentence.
    """

    calls: int
    calls_per_reply: int
    questions: int
    characters: int
    characters_per_reply: int
    output_tokens: int
    output_tokens_per_reply: int
    calls_again: int
    calls_again_per_reply: int
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


@dataclass(frozen=True)
class _Cost:
    """Of calls of a model: dollars, 0 where its price isn't known, and what is said of them."""

    model: str
    calls: int
    usage: ModelUsage
    dollars: float = 0
    source: str = ""
    said: str = ""

    @property
    def known(self) -> bool:
        """Whether the price is."""
        return bool(self.source)

    @property
    def work(self) -> tuple[str, float]:
        """The model, and its seconds one call after the other."""
        return _work(self.model, self.calls, self.usage)


@dataclass(frozen=True)
class _Asked:
    """What a run asks of its model, `at_once` draws in a call, and of its judge, if there is one.

    `questions` are the characters of all questions.
    """

    facts: dict[str, Any]
    epochs: int
    samples: int
    calls: int
    at_once: int
    questions: int
    usage: ModelUsage
    judge: _Judge | None

    def work(self, model: str | None) -> tuple[str, float]:
        """The model, and its seconds one call after the other."""
        return _work(model or "", self.calls, self.usage)

    def typically(self, grader: str | None, cost_file: str | None) -> _Cost:
        """What the judge's typical calls cost; none where there is no judge."""
        if not self.judge:
            return _Cost("", 0, ModelUsage())
        different = math.ceil(_TYPICAL * self.judge.replies)
        calls, usage = self.judge.asked(self.samples, self.questions, different)
        return _cost(grader, usage, cost_file, "--grader", calls=calls)


def _asked(built: Task, model: str | None, epochs: int | None, limit: int | None = None) -> _Asked:
    facts: dict[str, Any] = built.metadata or {}
    facts = facts.get("confidence", facts)  # of an eval of others only that is ours
    epochs = epochs or built.epochs or 1
    dataset = list(built.dataset)[:limit]
    samples = len(dataset) * epochs
    replies, draws = samples * facts["calls_per_sample"], facts.get("draws_per_sample", 0)
    at_once = choices_in_one_call(model or "") if draws > 1 else 1
    a_sample = facts["calls_per_sample"] - draws + math.ceil(draws / at_once)
    calls = samples * a_sample
    questions = epochs * sum(
        len(str(sample.input)) + sum(map(len, sample.choices or [])) for sample in dataset
    )
    characters = questions * a_sample + calls * facts["prompt_characters"]
    usage = ModelUsage(
        input_tokens=characters // _CHARACTERS_PER_TOKEN,
        output_tokens=replies * facts["output_tokens_per_call"],
    )
    judge = _Judge(**facts["grader"]) if "grader" in facts else None
    return _Asked(facts, epochs, samples, calls, at_once, questions, usage, judge)


def _unsent_lines(
    facts: Mapping[str, Any], model: str, settings: Mapping[str, Any]
) -> Iterable[str]:
    """Sentences on settings that are not sent to the model, those of the task and the user."""
    calibrated = frozenset(facts.get("calibrated_settings", ()))
    refuse_unsent(model, settings, calibrated)
    for name in sorted(dropped_names(model, settings) & calibrated - settings.keys()):
        yield f"a {name} is not sent to {model}: there is none to choose, so run it once"
    for name, value in dropped_settings(model, settings).items():
        yield f"{name}={value} is not sent to {model}: the provider's own value holds"


def _limited(built: Task, limit: int, items: int) -> str:
    """How much of the items the first samples are, where a sample isn't an item."""
    asked = [(sample.metadata or {}).get("item", sample.id) for sample in built.dataset]
    whole = Counter(asked)
    share = sum(count / whole[item] for item, count in Counter(asked[:limit]).items())
    kept = f"limit:   {min(limit, len(asked)):,} of {len(asked):,} samples"
    if len(asked) == items:
        return kept
    return (
        f"{kept}, which are {share:.3g} of {items} items: a sample is not an item here; "
        f"-T items={max(1, math.ceil(share))} asks whole ones"
    )


def _judge_lines(asked: _Asked, grader: str | None, cost_file: str | None) -> list[str]:
    """Calls, tokens and dollars of the judge: at most, and typically."""
    judge = asked.judge
    if not judge:
        return []
    few = math.ceil(_TYPICAL * judge.replies)
    most = f"if replies have one sentence and all {judge.replies} draws differ"
    some = f"if {few} of them differ in more than their markers, as is typical"
    lines = []
    for different, what in ((judge.replies, most), (few, some)):
        calls, usage = judge.asked(asked.samples, asked.questions, different)
        cost = _cost(grader, usage, cost_file, "--grader")
        read = (
            f"{calls:,} calls, about {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
        )
        lines.append(f"         {read} {what}{f'; {cost.said}' if cost.known else ''}")
    lines[0] = lines[0].replace("        ", "judge:  ", 1)
    repeats = judge.calls_again + judge.calls_again_per_reply * judge.replies
    if repeats:
        condition = (
            "if none of its replies about a sentence can be read, and all is asked for again"
        )
        lines.append(f"         {repeats * asked.samples:,} calls more, at most, {condition}")
    return lines if cost.known else [*lines, f"         {cost.said}"]


def _cost(
    model: str | None,
    usage: ModelUsage,
    cost_file: str | None,
    option: str = "--model",
    *,
    calls: int = 0,
) -> _Cost:
    if model is None:
        return _Cost("", calls, usage, said=f"name a {option} to have it estimated")
    price = price_of(model, cost_file)
    if price is None:
        missing = f"no price of {model} is known; give it with {_OWN_PRICES}"
        return _Cost(model, calls, usage, said=missing)
    dollars = compute_model_cost(price.cost, usage)
    return _Cost(model, calls, usage, dollars, price.source, f"{_money(dollars)} for {model}")


def _row(name: str, costs: Sequence[_Cost], connections: int) -> str:
    asked = [one for one in costs if one.calls]
    dollars = sum(one.dollars for one in asked)
    known = "" if all(one.known for one in asked) else "?" if not dollars else ">"
    money = known if known == "?" else f"{known}{dollars:,.2f}"
    minutes = _minutes([one.work for one in asked], connections).removesuffix(" minutes")
    return f"{name:<48}{sum(one.calls for one in asked):>10,}{money:>10}{minutes:>10}"


def _money(dollars: float) -> str:
    return f"about ${dollars:,.2f}" if dollars == 0 or dollars >= 0.005 else "less than a cent"


def _work(model: str, calls: int, usage: ModelUsage) -> tuple[str, float]:
    return model, calls * _SECONDS_PER_CALL + usage.output_tokens / _TOKENS_PER_SECOND


def _minutes(work: Iterable[tuple[str, float]], connections: int) -> str:
    """Minutes of the model that takes longest: each has connections of its own."""
    seconds: dict[str, float] = {}
    for model, one in work:
        seconds[model] = seconds.get(model, 0) + one
    minutes = max(seconds.values(), default=0) / connections / 60
    return f"{minutes:,.0f} minutes" if minutes >= 10 else f"{max(minutes, 0.1):.1f} minutes"
