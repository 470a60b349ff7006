"""Estimates of a run's calls, tokens, dollars and minutes before it is paid for."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from textwrap import shorten
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelUsage, compute_model_cost

from inspect_confidence import _registry
from inspect_confidence.commands.design import (
    Design,
    check_model,
    check_task_settings,
    read_design,
    task_facts,
)
from inspect_confidence.commands.prices import is_simulated, price_of
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.printing import counted
from inspect_confidence.solvers.draws import choices_in_one_call
from inspect_confidence.solvers.requests import (
    dropped_names,
    dropped_settings,
    has_summary_call,
)
from inspect_confidence.studies import all_tables, study_of

CONNECTIONS = 10
"""Number of concurrent calls, Inspect's default."""
_CHARACTERS_PER_TOKEN = 4
_SECONDS_PER_CALL, _TOKENS_PER_SECOND = 1, 50
_PRICE_OPTION = "--model-cost-config FILE"
_NO_WAIT = "which answer at once; only this machine's own work takes time"


def plan_run(
    task: str,
    arguments: Sequence[str],
    model: str | None = None,
    epochs: int | None = None,
    cost_file: str | None = None,
    grader: str | None = None,
    *,
    extractor: str | None = None,
    limit: int | None = None,
    temperature: float | None = None,
    connections: int = CONNECTIONS,
) -> str:
    """Describe the samples, calls, tokens, dollars and minutes of a run without calling a model.

    The text also names settings that are not sent, and metrics that the run cannot give. Draws
    (sampled replies) of one call share its input tokens. A judge's calls are counted for replies of
    one sentence: at most (if all draws differ) and typically (if a fifth of them differ). It is
    assumed that a call takes a second, and another second for each 50 output tokens; simulated
    models answer at once.

    Args:
        task: Name of the task, with or without the package's prefix.
        arguments: Task arguments of the form `name=value`.
        model: Name of the model, for its price and its draws per call.
        epochs: Number of epochs; by default the task's own.
        cost_file: File with model prices, as `inspect eval --model-cost-config` takes it.
        grader: Name of the model in the role `grader`.
        extractor: Name of the model in the role `extractor`, if the run has one.
        limit: Number of samples, as `inspect eval --limit` takes it.
        temperature: Temperature, as `inspect eval --temperature` takes it.
        connections: Number of concurrent calls.

    Raises:
        InvalidArgument: An argument is invalid, or the task needs a setting that is not sent to
            the model.
    """
    name = task.rsplit("/", 1)[-1].removesuffix(".py")
    tables = {table.function: table.task for table in all_tables().values()}
    if name not in tables:
        hint = nearest(name, tables)
        if "@" in task or task.endswith(".py"):  # a task in a file of the user
            hint = f"Confidence beside an eval of yours: with_confidence -T task={task}"
        raise InvalidArgument(f"There is no task {task!r}. {hint}")
    values_by_name = _argument_values(arguments)
    for role_model in filter(None, (model, grader, extractor)):
        check_model(role_model)
    task_object: Task = getattr(_registry, name)(**values_by_name)
    settings = GenerateConfig(temperature=temperature).model_dump(exclude_none=True)
    if model:
        check_task_settings(task_object, model, settings)
    requests = _count_requests(task_object, model, epochs, extractor, limit)
    lines = _item_lines(name, task_object, requests.facts, limit)
    lines += _request_lines(requests)
    lines += _cost_lines(requests, model, grader, cost_file, connections)
    run_settings = {**task_object.config.model_dump(exclude_none=True), **settings}
    inspect_calls = _inspect_call_lines(model, (grader, extractor), run_settings)
    lines += map("more:    {}".format, inspect_calls)
    if model:
        lines += map("unsent:  {}".format, _unsent_lines(requests.facts, model, run_settings))
    # Metrics of several judgments of an item, for example, need several epochs.
    metadata = [sample.metadata or {} for sample in task_object.dataset] * requests.epochs
    impossible_metrics = study_of(tables[name]).lacking(tables[name], metadata)
    lines += map("lacks:   {}".format, impossible_metrics)
    return "\n".join(lines)


def _argument_values(arguments: Sequence[str]) -> dict[str, str]:
    """Return the values of `name=value` texts by name; refuse a text of another form."""
    values_by_name = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals:
            raise InvalidArgument(f"-T {argument} is not of the form name=value.")
        values_by_name[name] = value
    return values_by_name


def plan_design(path: str, cost_file: str | None = None, *, connections: int | None = None) -> str:
    """Describe calls, dollars and minutes of a study file, by model and task, without any call.

    A judge is counted with its typical calls.

    Args:
        path: The study file.
        cost_file: File with model prices, as `inspect eval --model-cost-config` takes it.
        connections: Number of concurrent calls; by default the study file's, or Inspect's.

    Raises:
        InvalidArgument: The study file or a task argument is invalid.
    """
    design = read_design(path)
    connections = connections or design.settings.get("max_connections") or CONNECTIONS
    runs = _planned_runs(design, cost_file)
    costs: list[_CallCost] = []
    remarks: dict[str, None] = {}  # of all runs, each once
    n_runs = counted(sum(map(len, runs.values())), "run")
    lines = [f"{path}: {n_runs}, logs in {design.logs}"]
    for model, model_runs in runs.items():
        lines.append(f"{model:<48}{'calls':>10}{'dollars':>10}{'minutes':>10}")
        model_costs: list[_CallCost] = []
        for run in model_runs:
            short_name = shorten(run.name, 44, placeholder="...")
            lines.append(_table_line(f"  {short_name}", run.costs, connections))
            model_costs += run.costs
            remarks |= dict.fromkeys(run.remarks)
        if len(model_runs) > 1:
            lines.append(_table_line("  all", model_costs, connections))
        costs += [cost for cost in model_costs if cost.calls]
    lines.append(_table_line("all models, side by side", costs, connections))
    lines += remarks
    unpriced = dict.fromkeys(cost.model for cost in costs if not cost.is_priced)
    lines += map(_missing_price, unpriced)
    sources = dict.fromkeys(cost.source for cost in costs if cost.source)
    lines += map("prices: {}".format, sources)
    if any(run.has_judge for run in chain.from_iterable(runs.values())):
        lines.append("calls: with a judge's typical calls in the line of the model that it judges")
    if not _are_simulated(costs):
        lines.append(
            f"minutes: at {connections} connections, {_SECONDS_PER_CALL} s a call and "
            f"{_TOKENS_PER_SECOND} tokens a second"
        )
    if any(is_simulated(cost.model) for cost in costs):
        lines.append(f"minutes: none for simulated models, {_NO_WAIT}")
    return "\n".join(lines)


def _missing_price(model: str) -> str:
    """Describe how to give the price of a study file's model; an empty name is that of a judge."""
    if not model:
        return "no model of the judge is named: name it as `grader` in the file, for its dollars"
    return f"no price of {model} is known; give it with {_PRICE_OPTION}"


@dataclass(frozen=True)
class _PlannedRun:
    """A run of a study file: name, costs of model, judge and extractor, and remarks."""

    name: str
    costs: Sequence["_CallCost"]
    has_judge: bool
    remarks: Sequence[str]


def _planned_runs(design: Design, cost_file: str | None) -> dict[str, list[_PlannedRun]]:
    """Return the runs of a study file by model; settings that a task can't use are an error."""
    runs: dict[str, list[_PlannedRun]] = {}
    for entry in design.entries:
        task = entry.build()
        for model in entry.models:
            check_task_settings(task, model, design.settings)
            requests = _count_requests(task, model, entry.repeats, entry.extractor)
            run_costs = requests.costs(model, entry.grader, cost_file)
            settings = {**task.config.model_dump(exclude_none=True), **design.settings}
            inspect_calls = _inspect_call_lines(model, (entry.grader, entry.extractor), settings)
            remarks = [
                *_uncounted_lines(entry.task, requests),
                *map("not counted: {}".format, inspect_calls),
                *map("unsent: {}".format, _unsent_lines(requests.facts, model, settings)),
            ]
            runs.setdefault(model, []).append(
                _PlannedRun(entry.name, run_costs, requests.judge is not None, remarks)
            )
    return runs


def _uncounted_lines(task: str, requests: "_Requests") -> list[str]:
    """Describe the calls of a run that its line in the plan of a study file does not count.

    `uncounted` in the task's metadata (`facts`) describes calls of unknown number. The line has the
    grader's calls only if their tokens are known (`judge`); otherwise their largest number is told.
    """
    lines = []
    if "uncounted" in requests.facts:
        lines.append(f"not counted: {requests.facts['uncounted']} ({task})")
    if not requests.judge and requests.other_judge_calls:
        n_calls = counted(requests.other_judge_calls, "call", form=",")
        lines.append(f"not counted: {n_calls} of the grader, at most ({task})")
    return lines


_TYPICAL_SHARE = 0.2
"""Assumed share of an item's draws that differ in more than their markers."""


@dataclass(frozen=True)
class _JudgeRequests:
    """Requests to a judge about one sample, as recorded in the task's metadata.

    Attributes:
        calls: Calls for each sample.
        calls_per_reply: Further calls for each reply that differs from the others.
        questions: Number of the calls for each sample that contain the question.
        characters: Characters of the prompts of `calls`, without the question.
        characters_per_reply: Those of the calls for a differing reply.
        output_tokens: Output tokens of `calls`.
        output_tokens_per_reply: Those of the calls for a differing reply.
        calls_again: Repeated calls if the judge's replies about a whole sentence are unreadable.
        calls_again_per_reply: Those for each differing reply.
        replies: Number of replies of the sample.
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

    @property
    def typical_replies(self) -> int:
        """Number of a sample's replies that typically differ from the others."""
        return math.ceil(_TYPICAL_SHARE * self.replies)

    def count(
        self, samples: int, question_characters: int, n_different: int
    ) -> tuple[int, ModelUsage]:
        """Return the calls and tokens of the judge of a run, given its requests about a sample.

        `question_characters` are those of the questions of all samples. Of each sample
        `n_different` replies differ from the others; fields that end in `per_reply` count for each.
        """
        reply_calls = self.calls_per_reply * n_different
        # `self.questions` calls, and each call about a reply, repeat the question.
        prompt_characters = question_characters * (self.questions + reply_calls)
        prompt_characters += samples * (self.characters + self.characters_per_reply * n_different)
        output_tokens = self.output_tokens + self.output_tokens_per_reply * n_different
        return samples * (self.calls + reply_calls), ModelUsage(
            input_tokens=prompt_characters // _CHARACTERS_PER_TOKEN,
            output_tokens=samples * output_tokens,
        )


@dataclass(frozen=True)
class _ExtractorRequests:
    """Requests to an extractor about one sample, as recorded in the task's metadata.

    `calls_of_grader` counts the grader's calls that list markers although there is an extractor.
    """

    calls: int
    characters: int
    output_tokens: int
    calls_of_grader: int
    model: str = ""


@dataclass(frozen=True)
class _CallCost:
    """Estimated cost of calls to a model.

    Attributes:
        model: Name of the model; empty if none is named.
        calls: Number of calls.
        usage: Tokens of all calls.
        dollars: Cost; 0 without a known price.
        source: Source of the price; empty without one.
        description: Cost in words, or how to have it estimated.
    """

    model: str
    calls: int
    usage: ModelUsage
    dollars: float = 0
    source: str = ""
    description: str = ""

    @property
    def is_priced(self) -> bool:
        """Whether the model's price is known."""
        return bool(self.source)

    @property
    def seconds(self) -> float:
        """Duration of the calls one after the other; 0 for a simulated model."""
        if is_simulated(self.model):
            return 0
        return self.calls * _SECONDS_PER_CALL + self.usage.output_tokens / _TOKENS_PER_SECOND


_NO_CALLS = _CallCost("", 0, ModelUsage())


@dataclass(frozen=True)
class _Requests:
    """Requests of a run to its model, and to its judge and extractor if it has any.

    Attributes:
        facts: Facts in the task's metadata.
        epochs: Number of epochs.
        samples: Number of samples over all epochs.
        calls: Number of calls to the model.
        draws_per_call: Number of draws in a call.
        question_characters: Characters of the questions of all samples.
        usage: Tokens of the calls to the model.
        judge: Requests to a judge about one sample.
        extractor: Requests to an extractor about one sample.
    """

    facts: dict[str, Any]
    epochs: int
    samples: int
    calls: int
    draws_per_call: int
    question_characters: int
    usage: ModelUsage
    judge: _JudgeRequests | None
    extractor: _ExtractorRequests | None = None

    @property
    def other_judge_calls(self) -> int:
        """Number of the grader's calls, at most, if replies have one sentence."""
        return int(self.facts.get("grader_calls_per_sample", 0)) * self.samples

    def with_extractor(self, model: str) -> "_Requests":
        """Return the requests of the run if a model in the role `extractor` lists hedge markers.

        Calls that the extractor makes in place of the judge are subtracted from the judge's.
        Nothing changes in a run without a judge.
        """
        if not self.judge:
            return self
        extractor = _ExtractorRequests(**self.facts["extractor"], model=model)
        judge = self.judge
        if not extractor.calls_of_grader:  # else the judge lists markers too, in calls of a batch
            judge = replace(
                judge,
                calls=judge.calls - extractor.calls,
                characters=judge.characters - extractor.characters,
                output_tokens=judge.output_tokens - extractor.output_tokens,
            )
        return replace(self, judge=judge, extractor=extractor)

    def costs(
        self, model: str | None, grader: str | None, cost_file: str | None
    ) -> tuple[_CallCost, _CallCost, _CallCost]:
        """Return the costs of the model, the judge and the extractor.

        The judge's are those of a typical share of differing replies. Prices in the user's
        `cost_file` are preferred to the known ones.
        """
        cost = _cost_of_calls(model, self.usage, cost_file, calls=self.calls)
        return cost, self._judge_cost(grader, cost_file), self._extractor_cost(cost_file)

    def _extractor_cost(self, cost_file: str | None) -> _CallCost:
        """Return the cost of the calls to the model that lists markers; 0 without such a model."""
        if not self.extractor:
            return _NO_CALLS
        usage = ModelUsage(
            input_tokens=self.samples * self.extractor.characters // _CHARACTERS_PER_TOKEN,
            output_tokens=self.samples * self.extractor.output_tokens,
        )
        calls = self.samples * self.extractor.calls
        return _cost_of_calls(
            self.extractor.model, usage, cost_file, option="--extractor", calls=calls
        )

    def _judge_cost(self, grader: str | None, cost_file: str | None) -> _CallCost:
        """Return the cost of the judge, which compares the replies that differ; 0 without a judge.

        A typical share of them is taken to differ.
        """
        if not self.judge:
            return _NO_CALLS
        calls, usage = self.judge.count(
            self.samples, self.question_characters, self.judge.typical_replies
        )
        return _cost_of_calls(grader, usage, cost_file, option="--grader", calls=calls)


def _count_requests(
    task: Task,
    model: str | None,
    epochs: int | None,
    extractor: str | None,
    limit: int | None = None,
) -> _Requests:
    """Count the requests of a task, from its metadata: calls, draws and characters of a sample.

    The model decides how many draws (replies to the same prompt) a call has; without a model it is
    one draw. `epochs` is None for the task's own, and `limit` is the number of samples, None for
    all.
    """
    facts = task_facts(task.metadata)
    epochs = epochs or task.epochs or 1
    dataset = list(task.dataset)[:limit]
    samples = len(dataset) * epochs
    # In the metadata each draw counts as a call.
    replies_per_sample, draws = facts["calls_per_sample"], facts.get("draws_per_sample", 0)
    draws_per_call = choices_in_one_call(model or "") if draws > 1 else 1
    calls_per_sample = replies_per_sample - draws + math.ceil(draws / draws_per_call)
    calls = samples * calls_per_sample
    question_characters = epochs * sum(_question_length(sample, facts) for sample in dataset)
    characters = question_characters * calls_per_sample + calls * facts["prompt_characters"]
    usage = ModelUsage(
        input_tokens=characters // _CHARACTERS_PER_TOKEN,
        output_tokens=samples * replies_per_sample * facts["output_tokens_per_call"],
    )
    judge = _JudgeRequests(**facts["grader"]) if "grader" in facts else None
    requests = _Requests(
        facts=facts,
        epochs=epochs,
        samples=samples,
        calls=calls,
        draws_per_call=draws_per_call,
        question_characters=question_characters,
        usage=usage,
        judge=judge,
    )
    return requests.with_extractor(extractor) if extractor else requests


def _question_length(sample: Sample, facts: Mapping[str, Any]) -> int:
    """Return the characters of a question with its choices and their letters.

    `facts` from the task's metadata say how the prompt lists choices.
    """
    question, choices = len(str(sample.input)), sample.choices or []
    if not choices or facts.get("question_has_choices"):
        return question
    letters = len(choices) * int(facts.get("characters_per_choice", 0))
    before_choices = int(facts.get("characters_before_choices", 0))
    return question + before_choices + letters + sum(map(len, choices))


def _item_lines(name: str, task: Task, facts: Mapping[str, Any], limit: int | None) -> list[str]:
    """Describe the items of a run, those left out with the reason, and the share a limit keeps.

    `facts` are the task's metadata, `name` is that of the task.
    """
    split = ""
    if "train_items" in facts:
        split = f" ({facts['train_items']} train, {facts['test_items']} test)"
    lines = [f"{name} on {facts['dataset']}: {counted(facts['items'], 'item')}{split}"]
    lines += [f"  {count} left out: {reason}" for reason, count in facts["excluded"].items()]
    if limit:
        lines.append(_limit_line(task, limit, facts["items"]))
    return lines


def _limit_line(task: Task, limit: int, items: int) -> str:
    """Describe how many samples a limit keeps, and how many items if an item has several.

    The samples of an item follow each other. If the last item is kept in part, the line names the
    option that asks whole ones.
    """
    ids = [(sample.metadata or {}).get("item", sample.id) for sample in task.dataset]
    line = f"limit:   {min(limit, len(ids)):,} of {counted(len(ids), 'sample', form=',')}"
    if len(ids) == items:
        return line
    samples_per_item = Counter(ids)
    # Two of three samples are two thirds of an item.
    kept_items = sum(count / samples_per_item[item] for item, count in Counter(ids[:limit]).items())
    line = f"{line}, which are {kept_items:.3g} of {items} items"
    if kept_items == int(kept_items):
        return line
    remedy = f"-T items={math.ceil(kept_items)} asks whole ones"
    return f"{line}: an item has several samples here; {remedy}"


def _request_lines(requests: _Requests) -> list[str]:
    """Describe samples, calls and tokens of a run."""
    facts, usage = requests.facts, requests.usage
    epochs = f" ({requests.epochs} epochs)" if requests.epochs > 1 else ""
    draws = ""
    if requests.draws_per_call > 1:
        draws = f" (up to {requests.draws_per_call} draws in a call)"
    extra_calls = ""
    if "uncounted" in facts:  # calls of unknown number, as those of a wrapped eval
        extra_calls = f" that ask for confidence. Not counted, here and below: {facts['uncounted']}"
    lines = [
        f"samples: {requests.samples:,}{epochs}",
        f"calls:   {requests.calls:,}{draws}{extra_calls}",
    ]
    judge_calls = requests.other_judge_calls  # those whose tokens are not known
    if judge_calls:
        lines.append(
            f"         {judge_calls:,} more of the grader, at most, if replies have one sentence; "
            "not in what follows"
        )
    lines.append(
        f"tokens:  about {usage.input_tokens:,} in, {usage.output_tokens:,} out "
        f"({_CHARACTERS_PER_TOKEN} characters a token; reasoning not counted)"
    )
    return lines


def _cost_lines(
    requests: _Requests,
    model: str | None,
    grader: str | None,
    cost_file: str | None,
    connections: int,
) -> list[str]:
    """Describe dollars and minutes of a run, with its judge's typical calls, and their sources."""
    costs = requests.costs(model, grader, cost_file)
    cost, judge_cost, extractor_cost = costs
    lines = [f"cost:    {cost.description}", *_judge_lines(requests, grader, cost_file)]
    if extractor_cost.calls:  # a model that lists markers in place of the judge
        usage = extractor_cost.usage
        lines.append(
            f"markers: {counted(extractor_cost.calls, 'call', form=',')}, about "
            f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out if replies have one "
            f"sentence; {extractor_cost.description}"
        )
    # A sum is printed if there is a judge, and if each part with calls has a price.
    parts_with_calls = [part for part in costs if part.calls]
    if judge_cost.calls and all(part.is_priced for part in parts_with_calls):
        total = _dollars_text(cost.dollars + judge_cost.dollars + extractor_cost.dollars)
        lines.append(f"all:     {total}, the judge's typical calls included")
    if _are_simulated(costs):
        lines.append(f"time:    no estimate for simulated models, {_NO_WAIT}")
    else:
        lines.append(
            f"time:    about {_minutes_text(costs, connections)} at {connections} connections "
            f"({_SECONDS_PER_CALL} s a call, {_TOKENS_PER_SECOND} tokens a second)"
        )
    sources = dict.fromkeys(filter(None, (part.source for part in costs)))
    lines += [f"prices:  {source}; yours: {_PRICE_OPTION}" for source in sources]
    return lines


def _judge_lines(requests: _Requests, grader: str | None, cost_file: str | None) -> list[str]:
    """Describe calls, tokens and dollars of the judge: at most, and typically.

    The judge is asked again for each draw (reply to the same prompt) that differs from the others.
    """
    judge = requests.judge
    if not judge:
        return []
    typical = judge.typical_replies
    at_most = f"if replies have one sentence and all {judge.replies} draws differ"
    typically = f"if {typical} of them differ in more than their markers, as is typical"
    cases = [(judge.replies, at_most), (typical, typically)]
    if not judge.replies:  # a judge of single answers, as of `simple_qa`: no draws to compare
        cases = [(0, "at most: declined and unreadable answers are not judged")]
    lines: list[str] = []
    for n_different, case in cases:
        calls, usage = judge.count(requests.samples, requests.question_characters, n_different)
        cost = _cost_of_calls(grader, usage, cost_file, option="--grader")
        tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
        price = f"; {cost.description}" if cost.is_priced else ""
        n_calls = counted(calls, "call", form=",")
        heading = "" if lines else "judge:"
        lines.append(f"{heading:<9}{n_calls}, about {tokens} {case}{price}")
    repeats = judge.calls_again + judge.calls_again_per_reply * judge.replies
    if repeats:
        lines.append(
            f"         {repeats * requests.samples:,} calls more, at most, if none of its replies "
            "about a sentence can be read, and all is asked for again"
        )
    # Without a price, the description says so, once for both cases.
    return lines if cost.is_priced else [*lines, f"         {cost.description}"]


def _inspect_call_lines(
    model: str | None, role_models: Iterable[str | None], settings: Mapping[str, Any]
) -> Iterable[str]:
    """Describe the calls that Inspect makes on its own account; no lines for most models.

    `settings` of the run are those of `model`; Inspect does not give them to models in roles. None
    stands for a model that is not named.
    """
    settings_by_model: dict[str | None, Mapping[str, Any]] = {model: settings}
    # A role has settings of its own, even if its model is the evaluated one.
    settings_by_model |= {name: {} for name in role_models}
    for name, own_settings in settings_by_model.items():
        if name and has_summary_call(name, own_settings):
            yield (
                f"1 call of Inspect's to {name}, to test whether it gives summaries of its "
                "reasoning; none with a reasoning_summary set"
            )


def _unsent_lines(
    facts: Mapping[str, Any], model: str, settings: Mapping[str, Any]
) -> Iterable[str]:
    """Describe settings that are not sent to the model.

    `facts` of the task name settings whose effect it measures as `calibrated_settings`, such as
    temperature. One of them that the run leaves to the provider, and that could not be sent, is
    described too.
    """
    calibrated = frozenset(facts.get("calibrated_settings", ()))
    not_set = calibrated - settings.keys()
    for name in sorted(dropped_names(model, settings) & not_set):
        yield f"a {name} is not sent to {model}: there is none to choose, so run it once"
    for name, value in dropped_settings(model, settings).items():
        yield f"{name}={value} is not sent to {model}: the provider's own value holds"


def _cost_of_calls(
    model: str | None,
    usage: ModelUsage,
    cost_file: str | None,
    option: str = "--model",
    *,
    calls: int = 0,
) -> _CallCost:
    """Return the cost of calls.

    Without a model or a price, dollars are 0 and the description says how to have them estimated:
    by the `option` that names the model, or by a file of prices. Prices of `cost_file` come before
    the known ones. `usage` has the tokens of all calls.
    """
    if model is None:
        return _CallCost("", calls, usage, description=f"name a {option} to have it estimated")
    price = price_of(model, cost_file)
    if price is None:
        missing = f"no price of {model} is known; give it with {_PRICE_OPTION}"
        return _CallCost(model, calls, usage, description=missing)
    dollars = compute_model_cost(price.cost, usage)
    description = f"{_dollars_text(dollars)} for {model}"
    return _CallCost(model, calls, usage, dollars, price.source, description)


def _table_line(name: str, costs: Sequence[_CallCost], connections: int) -> str:
    """Return a line of a table: name, sum of calls, sum of dollars, and minutes.

    The minutes are those of the slowest model, with `connections` calls at once. `?` stands for
    unknown prices, and `>1.20` for a sum without those that are unknown.
    """
    paid_costs = [cost for cost in costs if cost.calls]
    calls = sum(cost.calls for cost in paid_costs)
    dollars = sum(cost.dollars for cost in paid_costs)
    dollars_text = f"{dollars:,.2f}"
    if not all(cost.is_priced for cost in paid_costs):
        dollars_text = f">{dollars_text}" if dollars else "?"
    minutes = _minutes_text(paid_costs, connections).removesuffix(" minutes")
    return f"{name:<48}{calls:>10,}{dollars_text:>10}{minutes:>10}"


def _dollars_text(dollars: float) -> str:
    return f"about ${dollars:,.2f}" if dollars == 0 or dollars >= 0.005 else "less than a cent"


def _are_simulated(costs: Sequence[_CallCost]) -> bool:
    """Return whether there are calls, all to simulated models."""
    models = [cost.model for cost in costs if cost.calls]
    return bool(models) and all(map(is_simulated, models))


def _minutes_text(costs: Sequence[_CallCost], connections: int) -> str:
    """Return the minutes of the slowest model as text; each model has its own connections.

    A dash stands for models that are all simulated.
    """
    if _are_simulated(costs):
        return "-"
    seconds_by_model: dict[str, float] = {}
    for cost in costs:
        seconds_by_model[cost.model] = seconds_by_model.get(cost.model, 0) + cost.seconds
    minutes = max(seconds_by_model.values(), default=0) / connections / 60
    if minutes >= 10:
        return f"{minutes:,.0f} minutes"
    return f"{max(minutes, 0.1):.1f} minutes"  # a short run is not said to take 0.0
