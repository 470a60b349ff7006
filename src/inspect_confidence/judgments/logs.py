"""Reads `.eval` logs into judgments, through Inspect's sample summaries."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from inspect_ai import score
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)

from inspect_confidence.answers import RUN_STATUSES
from inspect_confidence.arguments import fingerprint
from inspect_confidence.grades import base_name
from inspect_confidence.judgments.archives import refuse_oversized
from inspect_confidence.judgments.repair import (
    Repairs,
    readable_text,
    repaired_rows,
    without_violations,
)
from inspect_confidence.judgments.requests import Unsent, read_unsent
from inspect_confidence.judgments.rewriting import check_members, edited_scores, seconds, written
from inspect_confidence.judgments.runs import Judged, Run, frame_of
from inspect_confidence.privacy import SECRET_NAME
from inspect_confidence.redaction import failure, scrub, without_keys
from inspect_confidence.scorers.confidence import texts_of_ways
from inspect_confidence.scorers.graded import is_own, numbers_of
from inspect_confidence.solvers.draws import stored_texts, tokens_of
from inspect_confidence.studies import (
    NOTHING_SAID,
    Recorded,
    SampleFacts,
    ScoreFacts,
    TaskTable,
    is_own_task,
    table_of,
    table_of_others,
)

# What Inspect's summaries put in the place of long values, and at the end of long texts.
_REMOVED = "Key removed from summary (> 1k)"
_SHORTENED = "..."
_HEAVY = {"messages", "events", "attachments"}
_BEYOND_SUMMARIES = ("output.", "store.")

OPERATIONAL = {
    *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
    *("adaptive_connections", "cache", "cache_prompt", "batch", "extra_headers"),
    *("logprobs", "top_logprobs"),
}
"""Settings that change how fast or how often a model is called, or what comes with its replies,
never what it is asked.
"""

_LONGEST_SETTING = 40


def read_run(location: str, *, reread: bool = False, recorded: Recorded = NOTHING_SAID) -> Run:
    """The judgments in a log.

    Args:
        location: Of the log.
        reread: Whether its replies are read again; a notice says what that changed, or why not.
        recorded: What the user says about logs of others.
    """
    refuse_oversized(location)
    check_members(location)
    repairs = Repairs()
    header = read_eval_log(location, header_only=True)
    name = _eval_name(header)
    table = log_table(header)
    facts = facts_of(header, table)
    cut = partial(_is_cut_of_others, recorded) if table.fallback else _is_cut
    every = [one for one in read_eval_log_sample_summaries(location) if one.completed]
    invalid = {one.uuid or "" for one in every if _is_invalid(location, header, one)}
    summaries = [one for one in every if (one.uuid or "") not in invalid]
    whole = ((one, _whole(location, one) if cut(one) else one) for one in summaries)
    unsent = read_unsent(header, every)
    judged = _judged(header, table, whole, unsent, repairs, recorded)
    unwritten = _unwritten(header, table, every)
    judged = {**judged, **unwritten}
    rows, without = table.complete_run(list(judged.values()))
    statuses = {row["status"] for judgments in rows for row in judgments}
    if facts and statuses and statuses <= RUN_STATUSES:  # ours, and it failed on every sample
        without = ""
    judged = dict(zip(judged, rows, strict=True))
    changed, why = Counter[str](), ""
    if reread and table.fallback:
        why = "replies to evals of others stay as they were read; `inspect score` reads them again"
    elif reread:
        judged, changed, why = _read_again(location, header, table, judged, unsent)
    kind = [name, *(str(header.eval.task_args.get(name)) for name in table.compared_within)]
    wanted = len(header.eval.dataset.sample_ids or ()) * (header.eval.config.epochs or 1)
    again = sum(_is_scored_again(one, table) for one in summaries)
    edits, unsearched = edited_scores(location, header)
    lost = f"the run is incomplete: {len(every)} of {wanted} samples are there ({header.status})"
    stopping = header.results.early_stopping if header.results else None
    stopped = f"stopped early (manager {stopping.manager}): " if stopping else ""
    keys = [key for key, rows in judged.items() for _ in rows]
    frame = without_violations(frame_of(judged, table), keys, table, repairs)
    return Run(
        *(header.eval.task_id, table.task, header.eval.model, " ".join(kind)),
        *(_settings(header, table, recorded, unsent), frame),
        samples=np.array([readable_text(key) for key in keys], dtype=object),
        empty=[one for one, some in judged.items() if not some],
        notices=[
            f"{count} items of {facts.get('dataset')} were not asked: {reason}"
            for reason, count in (facts.get("excluded") or {}).items()
        ]
        + [f"{len(invalid)} samples were declared invalid and left out"] * bool(invalid)
        + [f"{again} samples were scored again by the same scorer; what it said last counts"]
        * bool(again)
        + [f"{edits} scores were edited after the run; what they say now counts"] * bool(edits)
        + [f"{unsearched} samples are damaged: whether their scores were edited can't be told"]
        * bool(unsearched)
        + [f"{stopped}{len(every)} of {wanted} samples"] * bool(stopped)
        + repairs.notices()
        + [why] * bool(why),
        unsent=unsent.notices(),
        lost=[lost] if len(every) < wanted and not stopped else [],
        changed=changed,
        without=f"{_called(header, table)}: {without}" if without else "",
        failed=[*(_key(summary) for summary in summaries if summary.error), *unwritten],
        invalidated=sorted(invalid),
        ended=seconds(header.stats.completed_at or header.stats.started_at or header.eval.created),
        written=written(location),
    )


_Sample = EvalSampleSummary | EvalSample


def _eval_name(header: EvalLog) -> str:
    """Of the task, without its package's prefix."""
    return header.eval.task.rsplit("/", 1)[-1]


def log_table(header: EvalLog) -> TaskTable:
    """The table of a log's task; a task of somebody else's is another eval, whatever its name."""
    name = _eval_name(header)
    ours = header.eval.task.startswith("inspect_confidence/")
    ours = ours or "package_version" in (header.eval.metadata or {})
    return table_of(name) if ours or not is_own_task(name) else table_of_others()


def _called(header: EvalLog, table: TaskTable) -> str:
    """A log's task for people."""
    name = _eval_name(header)
    if table.fallback and is_own_task(name):
        return f"{header.eval.task}, which isn't the task of inspect_confidence"
    return name


def _judged(
    header: EvalLog,
    table: TaskTable,
    samples: Iterable[tuple[EvalSampleSummary, _Sample]],
    unsent: Unsent,
    repairs: Repairs,
    recorded: Recorded = NOTHING_SAID,
) -> Judged:
    """The judgments of samples that were completed, each sample after its summary."""
    common = _common(header, table)
    left_out = unsent.settings_of(header.eval.model)
    generation = header.plan.config.model_dump(exclude_none=True)
    epochs = header.eval.config.epochs or 1
    found = {}
    errors: list[Exception] = []
    for summary, sample in samples:
        identity = {"uuid": summary.uuid or "", "epoch": summary.epoch, "draw": 0}
        key = _key(summary)
        try:
            facts = replace(
                _facts(summary, sample, generation),
                unsent=left_out,
                epochs=epochs,
                recorded=recorded,
                whole=_fields_of(sample, recorded.confidence),
            )
            judgments = table.read(facts)
        except Exception as error:  # whatever a damaged sample makes its reader raise
            errors.append(error)
            reason = f"the sample could not be read: {failure(error)}"
            item = str(summary.metadata.get("item") or summary.id)
            judgments = [{"item": item, "status": "scoring_failed", "reason": reason}]
            repairs.refused[key] = reason
        rows = [
            {**common, **identity, **row, "reason": scrub(str(row.get("reason") or ""))}
            for row in judgments
        ]
        found[key] = repaired_rows(rows, key, table, repairs)
    if errors and len(errors) == len(found):  # a log of another format
        raise errors[0]
    return found


def _unwritten(header: EvalLog, table: TaskTable, samples: Sequence[EvalSampleSummary]) -> Judged:
    """A failed judgment of each sample that the log lacks, if the run failed on all that it has."""
    if header.status != "error" or not all(sample.error for sample in samples):
        return {}
    keys = {_key(sample) for sample in samples}
    message = header.error.message if header.error else "the run ended with an error"
    outcome = {"status": "sample_error", "reason": failure(message)}
    common = _common(header, table)
    judged: dict[str, list[dict[str, Any]]] = {}
    for epoch in range(1, (header.eval.config.epochs or 1) + 1):
        for sample_id in header.eval.dataset.sample_ids or ():
            key = f"{epoch} {sample_id}"
            if key not in keys:
                place = {
                    "uuid": "",
                    "epoch": epoch,
                    "draw": 0,
                    "item": readable_text(str(sample_id)),
                }
                judged[key] = [{**common, **place, **outcome}]
    return judged


def _key(summary: EvalSampleSummary) -> str:
    """A sample's name within its run."""
    return f"{summary.epoch} {summary.id}"


def _is_invalid(location: str, header: EvalLog, summary: EvalSampleSummary) -> bool:
    """Whether somebody declared the sample invalid, which only the whole of it says."""
    return bool(header.invalidated) and _whole(location, summary).invalidation is not None


def _is_scored_again(summary: EvalSampleSummary, table: TaskTable) -> bool:
    """Whether a scorer of ours scored twice; of others, some have two of the same name."""
    names = [one for one in summary.scores or {} if is_own(one) or not table.fallback]
    return len({base_name(name) for name in names}) < len(names)


def _read_again(
    location: str, header: EvalLog, table: TaskTable, stored: Judged, unsent: Unsent
) -> tuple[Judged, Counter[str], str]:
    """The judgments by the present readers of the stored replies, and how many changed.

    What a model judged stays as it is stored, and so does what can't be scored without a model;
    then with the reason.
    """
    # Imported here because it brings every scorer, and few logs are scored again.
    from inspect_confidence.judgments.rescoring import (  # noqa: PLC0415
        check_samples,
        create_scorer,
        remove_names,
    )

    scorers = header.eval.scorers or []
    if any((one.options or {}).get("judge") == "model" for one in scorers):
        why = "a model judged these replies; its judgments are kept, not made again"
        return stored, Counter(), why
    try:
        allowed = [create_scorer(scorer.name, scorer.options or {}) for scorer in scorers]
        log = read_eval_log(location)
        check_samples(log.samples or [])
        remove_names(log)
        # No model is at hand: neither a key is needed nor can a call be made.
        log = score(log, allowed, model="none/none", action="overwrite", display="none", copy=False)
    except Exception as error:  # whatever a scorer raises; what is stored can be used
        why = f"its replies couldn't be read again and stay as they were read: {failure(error)}"
        return stored, Counter(), why
    # Through summaries, which write texts on one line, as they are read from a log.
    both = ((one.summary(), one) for one in log.samples or [])
    whole = ((s, sample if _is_cut(s) else s) for s, sample in both if _key(s) in stored)
    fresh = _judged(header, table, whole, unsent, Repairs())
    pairs = [pair for key in stored for pair in zip_longest(stored[key], fresh.get(key, []))]
    changed = Counter(
        judgments=len(pairs),
        status=sum(_part(old, "status") != _part(new, "status") for old, new in pairs),
        either=sum(_part(old) != _part(new) for old, new in pairs),
    )
    return fresh, changed, ""


def _part(row: Mapping[str, Any] | None, *names: str) -> Mapping[str, str]:
    """Of a judgment its status, or all but the reason; as text, so that NaN equals NaN."""
    kept = names or [name for name in row or {} if name != "reason"]
    return {name: str(row[name]) for name in kept} if row else {}


Place = tuple[str, int, str]
"""Of a reply: the sample's uuid, the draw, and the way of asking where there are several."""


def read_replies(location: str, runs: Collection[str]) -> dict[Place, str]:
    """The text of each reply in a log of one of these runs."""
    refuse_oversized(location)
    if read_eval_log(location, header_only=True).eval.task_id not in runs:
        return {}
    log = read_eval_log(location, resolve_attachments="core", exclude_fields={"events"})
    found: dict[Place, str] = {}
    for sample in log.samples or []:
        uuid = sample.uuid or ""
        drawn = stored_texts(sample.store) or [sample.output.completion]
        found |= {(uuid, number, ""): text for number, text in enumerate(drawn)}
        for way, texts in texts_of_ways(sample.store, sample.scores or {}).items():
            found[uuid, 0, way] = "\n---\n".join(texts)
    return {place: readable_text(text) for place, text in found.items()}


def facts_of(header: EvalLog, table: TaskTable) -> Mapping[str, Any]:
    """What this package put into the log's metadata, which in other evals is theirs."""
    facts = header.eval.metadata or {}
    ours = facts.get("confidence", {}) if table.fallback else facts
    return ours if isinstance(ours, Mapping) else {}


def _common(header: EvalLog, table: TaskTable) -> dict[str, Any]:
    facts = facts_of(header, table)
    dataset = str(facts.get("dataset") or header.eval.dataset.name or "")
    return {
        "task": table.task,
        "task_version": str(header.eval.task_version),
        "package_version": str(facts.get("package_version", "")),
        "run": header.eval.task_id,
        "model": header.eval.model,
        "variant": "",
        "dataset": _eval_name(header) if table.fallback else dataset,
        "reason": "",
    }


def _whole(location: str, summary: EvalSampleSummary) -> EvalSample:
    """The sample of a summary that left out a part of it."""
    return read_eval_log_sample(location, summary.id, summary.epoch, exclude_fields=_HEAVY)


def _facts(
    summary: EvalSampleSummary, sample: _Sample, generation: Mapping[str, Any]
) -> SampleFacts:
    failed = None
    if summary.error:
        asked = summary.input
        if not isinstance(asked, str):
            asked = "\n".join(message.text for message in asked)
        failed = "sample_error", failure(summary.error.splitlines()[0], asked)
    elif summary.limit:
        failed = "limit_reached", f"the sample's {summary.limit} limit was reached"
    # A question that nobody can answer has no target.
    target = sample.target if isinstance(sample.target, str) else next(iter(sample.target), "")
    return SampleFacts(
        target=target,
        metadata=sample.metadata,
        scores={
            name: ScoreFacts(
                *(score.value, score.reason, score.metadata or {}, score.answer),
                numbers_of(score.value),
            )
            for name, score in (sample.scores or {}).items()
        },
        generation=generation,
        failure=failed,
        id=str(sample.id),
        choices=sample.choices or (),
    )


def _fields_of(sample: _Sample, names: Iterable[str]) -> dict[str, Any]:
    """Fields of `output` and `store`, which summaries don't have, where they are asked for."""
    wanted = [name for name in names if name.startswith(_BEYOND_SUMMARIES)]
    if not wanted or not isinstance(sample, EvalSample):
        return {}
    output = sample.output
    there: dict[str, Any] = {"output.completion": output.completion}
    if output.choices:
        there["output.logprobs"] = tokens_of(output.choices[0])
    stored = {f"store.{name}": value for name, value in sample.store.items()}
    return {**there, **stored}


def _is_cut_of_others(recorded: Recorded, summary: EvalSampleSummary) -> bool:
    """Whether what is needed of another eval's sample is left out."""
    if any(name.startswith(_BEYOND_SUMMARIES) for name in recorded.confidence):
        return True
    if recorded.confidence or recorded.by:
        return _is_cut(summary)
    ours = {name: one for name, one in (summary.scores or {}).items() if is_own(name)}
    return _is_cut(summary.model_copy(update={"metadata": {}, "scores": ours}))


def _is_cut(summary: EvalSampleSummary) -> bool:
    """Whether the summary left out a part of a metadata value."""
    kept = [summary.metadata, *(score.metadata or {} for score in (summary.scores or {}).values())]
    return any(
        isinstance(value, str) and (value == _REMOVED or value.endswith(_SHORTENED))
        for metadata in kept
        for value in metadata.values()
    )


def _settings(
    header: EvalLog, table: TaskTable, recorded: Recorded, unsent: Unsent
) -> dict[str, str]:
    """Everything that decides what was asked; a setting that was not sent decides nothing."""
    facts = facts_of(header, table)
    arguments, of_model = header.eval.task_args, header.eval.model_args
    if table.fallback:  # of the eval that was wrapped, not of the wrapping
        wrapped = arguments.get("task")
        inner = wrapped.get("params", {}) if isinstance(wrapped, Mapping) else {}
        own = {
            name: one for name, one in arguments.items() if table.default_arguments.get(name) != one
        }
        own |= {"score": recorded.score} if recorded.score else {}
        arguments = {**own, **inner, **(facts.get("task_args") or {})}
    settings = {name: arguments[name] for name in arguments if name not in table.arguments_shown}
    kept = ("prompt", "system", "data", "judge_prompts")
    settings |= {name: facts[name] for name in kept if facts.get(name)}
    for role, played in (header.eval.model_roles or {}).items():
        for config in played if isinstance(played, list) else [played]:
            said = [f"{k}={v}" for k, v in config.args.items() if not SECRET_NAME.search(k)]
            settings[role] = " ".join([config.model, *said])
    settings["task_version"] = header.eval.task_version
    settings["dataset"] = facts.get("dataset")
    generation = header.plan.config.model_dump(exclude_none=True)
    left_out = OPERATIONAL | unsent.settings_of(header.eval.model).keys()
    settings |= {name: generation[name] for name in generation if name not in left_out}
    settings |= {name: of_model[name] for name in of_model if not SECRET_NAME.search(name)}
    return {name: _short(value) for name, value in settings.items() if value is not None}


def _short(value: object) -> str:
    text = readable_text(without_keys(str(value)))
    return text if len(text) <= _LONGEST_SETTING and "\n" not in text else fingerprint(text)
