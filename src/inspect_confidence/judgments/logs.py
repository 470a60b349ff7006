"""Reads `.eval` logs into judgments, through Inspect's sample summaries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
    EvalSample,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)

from inspect_confidence.arguments import fingerprint
from inspect_confidence.privacy import SECRET_NAME
from inspect_confidence.studies import SampleFacts, ScoreFacts, TaskTable, all_tables

# What Inspect's summaries put in the place of long values, and at the end of long texts.
_REMOVED = "Key removed from summary (> 1k)"
_SHORTENED = "..."
_HEAVY = {"messages", "events", "store", "attachments"}

# Settings that change how fast or how often a model is called, never what it is asked.
_OPERATIONAL = {
    *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
    *("adaptive_connections", "cache", "cache_prompt", "batch", "extra_headers"),
}
_LONGEST_SETTING = 40


@dataclass(frozen=True)
class Run:
    """A log's judgments and what must be known of the run.

    Attributes:
        id: The same of a run and its retries.
        task: Without the package's prefix.
        kind: The task and the arguments that decide its other settings.
        settings: Everything that decides what was asked of the model, as text.
        samples: By id and epoch: the judgments of each sample.
        notices: For the user: what was never asked.
        lost: For the user: what should be in the log and isn't.
    """

    id: str
    task: str
    kind: str
    settings: Mapping[str, str]
    samples: Mapping[tuple[str, str, int], list[dict[str, Any]]]
    notices: list[str]
    lost: list[str]


def find_logs(location: str) -> list[str]:
    """The logs at a place (a log, or a folder of them anywhere Inspect reads), newest first."""
    if location.endswith((".eval", ".json")):
        return [location]
    found: list[EvalLogInfo] = list_eval_logs(location)
    return [log.name for log in sorted(found, key=lambda log: log.mtime or 0, reverse=True)]


def read_run(location: str) -> Run | None:
    """The judgments in a log; None where it is a log of somebody else's task."""
    header = read_eval_log(location, header_only=True)
    task = header.eval.task.rsplit("/", 1)[-1]
    table = all_tables().get(task)
    if table is None:
        return None
    common = _common(header, task)
    generation = header.plan.config.model_dump(exclude_none=True)
    samples = {}
    for summary in read_eval_log_sample_summaries(location):
        if summary.completed:
            facts = _facts(location, summary, generation)
            rows = [
                {**common, "uuid": summary.uuid or "", "epoch": summary.epoch, "draw": 0, **row}
                for row in table.read(facts)
            ]
            samples[header.eval.task_id, str(summary.id), summary.epoch] = rows
    kind = [task, *(str(header.eval.task_args.get(name)) for name in table.compared_within)]
    return Run(
        *(header.eval.task_id, task, " ".join(kind), _settings(header, table), samples),
        notices=[f"{location}: {notice}" for notice in _never_asked(header)],
        lost=[f"{location}: {notice}" for notice in _lost(header, len(samples))],
    )


def _common(header: EvalLog, task: str) -> dict[str, Any]:
    facts = header.eval.metadata or {}
    return {
        "task": task,
        "task_version": str(header.eval.task_version),
        "package_version": str(facts.get("package_version", "")),
        "run": header.eval.task_id,
        "model": header.eval.model,
        "variant": "",
        "dataset": str(facts.get("dataset") or header.eval.dataset.name or ""),
        "reason": "",
    }


def _facts(location: str, summary: EvalSampleSummary, generation: Mapping[str, Any]) -> SampleFacts:
    sample: EvalSampleSummary | EvalSample = summary
    if _is_cut(summary):
        sample = read_eval_log_sample(location, summary.id, summary.epoch, exclude_fields=_HEAVY)
    # A question that nobody can answer has no target.
    target = sample.target if isinstance(sample.target, str) else next(iter(sample.target), "")
    return SampleFacts(
        target=target,
        metadata=sample.metadata,
        scores={
            name: ScoreFacts(score.value, score.reason, score.metadata or {}, score.answer)
            for name, score in (sample.scores or {}).items()
        },
        generation=generation,
        failure=_failure(summary),
    )


def _is_cut(summary: EvalSampleSummary) -> bool:
    """Whether the summary left out a part of a metadata value."""
    kept = [summary.metadata, *(score.metadata or {} for score in (summary.scores or {}).values())]
    return any(
        isinstance(value, str) and (value == _REMOVED or value.endswith(_SHORTENED))
        for metadata in kept
        for value in metadata.values()
    )


def _failure(summary: EvalSampleSummary) -> tuple[str, str] | None:
    if summary.error:
        return "sample_error", summary.error.splitlines()[0][:200]
    if summary.limit:
        return "limit_reached", f"the sample's {summary.limit} limit was reached"
    return None


def _settings(header: EvalLog, table: TaskTable) -> dict[str, str]:
    facts = header.eval.metadata or {}
    settings = {
        name: value
        for name, value in header.eval.task_args.items()
        if name not in table.arguments_shown
    }
    kept = ("prompt", "system", "data", "judge_prompts")
    settings |= {name: facts[name] for name in kept if facts.get(name)}
    for role, played in (header.eval.model_roles or {}).items():
        for config in played if isinstance(played, list) else [played]:
            arguments = {k: v for k, v in config.args.items() if not SECRET_NAME.search(k)}
            settings[role] = " ".join([config.model, *(f"{k}={v}" for k, v in arguments.items())])
    settings["task_version"] = header.eval.task_version
    settings["dataset"] = facts.get("dataset")
    generation = header.plan.config.model_dump(exclude_none=True)
    settings |= {name: generation[name] for name in generation if name not in _OPERATIONAL}
    settings |= {
        name: value
        for name, value in header.eval.model_args.items()
        if not SECRET_NAME.search(name)
    }
    return {name: _short(value) for name, value in settings.items() if value is not None}


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_SETTING and "\n" not in text else fingerprint(text)


def _lost(header: EvalLog, there: int) -> Iterator[str]:
    samples = header.eval.dataset.sample_ids
    epochs = header.eval.config.epochs or 1
    if samples is not None and there < (wanted := len(samples) * epochs):
        yield f"the run is incomplete: {there} of {wanted} samples are there ({header.status})"


def _never_asked(header: EvalLog) -> Iterator[str]:
    facts = header.eval.metadata or {}
    for reason, count in (facts.get("excluded") or {}).items():
        yield f"{count} items of {facts.get('dataset')} were not asked: {reason}"
