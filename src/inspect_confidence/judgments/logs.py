"""Judgments of one log, read from Inspect's sample summaries, or whole samples if necessary."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai import score
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
)
from inspect_ai.model import ModelConfig

from inspect_confidence.answers import RUN_STATUSES
from inspect_confidence.answers.choices import names_several
from inspect_confidence.arguments import fingerprint
from inspect_confidence.grades import base_name
from inspect_confidence.judgments.archives import models_by_role, read_header, refuse_oversized
from inspect_confidence.judgments.clusters import CLUSTER, cluster_name
from inspect_confidence.judgments.repair import (
    Repairs,
    readable_text,
    repaired_rows,
    without_violations,
)
from inspect_confidence.judgments.requests import Unsent, read_unsent
from inspect_confidence.judgments.rewriting import (
    check_members,
    edited_scores,
    timestamp,
    write_time,
)
from inspect_confidence.judgments.runs import (
    RETRY_REMEDY,
    Run,
    SampleJudgments,
    add_task_columns,
    frame_from_rows,
)
from inspect_confidence.printing import counted
from inspect_confidence.privacy import SECRET_NAME
from inspect_confidence.redaction import failure, scrub, without_keys
from inspect_confidence.scorers.confidence import texts_by_method
from inspect_confidence.scorers.graded import grades_of, is_own
from inspect_confidence.scorers.parsed import exact_value
from inspect_confidence.solvers.decisions import stored_reply_texts
from inspect_confidence.solvers.draws import stored_texts, tokens_of
from inspect_confidence.studies import (
    SELF_DESCRIBING,
    Recorded,
    SampleFacts,
    ScoreFacts,
    TaskTable,
    is_own_task,
    table_of,
    table_of_others,
)

# Inspect's summaries replace long values by the first, and end shortened texts with the second.
_REMOVED_VALUE = "Key removed from summary (> 1k)"
_SHORTENED_END = "..."
_UNUSED_FIELDS = {"messages", "events", "attachments"}
_PREFIXES_OUTSIDE_SUMMARIES = ("output.", "store.")

OPERATIONAL = {
    *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
    *("adaptive_connections", "cache", "cache_prompt", "batch", "extra_headers"),
    *("logprobs", "top_logprobs"),
}
"""Settings of speed, number of calls or extras of replies, which never change what is asked."""

# Longer values would not fit into a variant; their fingerprint replaces them.
_MAX_SETTING_LENGTH = 40

_Sample = EvalSampleSummary | EvalSample


def read_run(location: str, *, reread: bool = False, recorded: Recorded = SELF_DESCRIBING) -> Run:
    """Read the judgments of a log, and the facts of its run.

    Args:
        location: Path or address of the log.
        reread: Whether its replies are read again. `Run.changed` counts the changes; if they cannot
            be read again, a notice gives the reason.
        recorded: Where logs of other evals record confidence and correctness.

    Raises:
        Exception: The log cannot be read; what is raised depends on the damage.
    """
    refuse_oversized(location)
    check_members(location)
    header = read_eval_log(location, header_only=True)
    table = log_table(header)
    repairs = Repairs()  # counts values that cannot be used, for notices
    # The samples that were completed, and that nobody declared invalid.
    completed = _completed_summaries(location, header)
    invalid = _invalidated_uuids(location, header, completed)
    summaries = [summary for summary in completed if _uuid(summary) not in invalid]
    # The judgments of these samples, and of all samples as a run.
    unsent = read_unsent(header, completed)  # settings that no request contained
    is_needed = partial(_is_whole_sample_needed, table=table, recorded=recorded)
    samples = _with_whole_samples(location, summaries, is_needed)
    judgments = _judgments_by_sample(header, table, samples, unsent, repairs, recorded)
    unwritten = _judgments_of_unwritten_samples(header, table, completed)
    # `problem`: the reason if none of the judgments can be used, else empty.
    judgments, problem, run_notices = _complete_run(header, table, {**judgments, **unwritten})
    # `fallback` marks the table for evals of others: such a log may lack the scores of confidence.
    if table.fallback and _has_unscored_replies(location, header, summaries, recorded):
        if problem:
            problem = _UNSCORED_REPLIES
        else:
            run_notices = [*run_notices, _UNSCORED_REPLIES]
    changed, reread_notices = Counter[str](), list[str]()
    if reread:
        judgments, changed, reread_notices = _read_again(location, header, table, judgments, unsent)
    # The frame of the judgments; a sample may hold judgments of further tasks too.
    tasks = {str(row["task"]) for row in chain.from_iterable(judgments.values())}
    further_tasks = sorted(tasks - {table.task})
    frame, keys = _judgment_frame(judgments, add_task_columns(table, further_tasks), repairs)
    loss_notices, stop_notices = _incomplete_run_notices(header, completed)
    if n_equal := len(summaries) - len(set(map(_sample_key, summaries))):
        text = counted(n_equal, "sample has", "samples have")
        loss_notices.append(
            f"{text} the id and epoch of a later one, which counts: separate the runs"
        )
    # Runs that differ in these arguments, such as a method, are of two kinds. A `variant` names
    # differences between runs of one kind only.
    kind_arguments = [str(header.eval.task_args.get(name)) for name in table.compared_within]
    return Run(
        id=header.eval.task_id,
        task=table.task,
        model=header.eval.model,
        kind=" ".join([eval_name(header), *kind_arguments]),
        settings=_run_settings(header, table, recorded, unsent),
        frame=frame,
        samples=np.array(list(map(readable_text, keys)), dtype=object),
        empty=[key for key, rows in judgments.items() if not rows],
        notices=[
            *_model_notices(header, unsent),
            *_edit_notices(location, header, table, summaries, invalid),
            *stop_notices,
            *run_notices,
            *repairs.notices(),
            *reread_notices,
        ],
        unasked=_unasked_items_notice(header),
        unsent=unsent.notices(),
        loss_notices=loss_notices,
        changed=changed,
        exclusion_reason=f"{_task_label(header, table)}: {problem}" if problem else "",
        failed=[*(_sample_key(summary) for summary in summaries if summary.error), *unwritten],
        invalidated=sorted(invalid),
        ended=timestamp(
            header.stats.completed_at or header.stats.started_at or header.eval.created
        ),
        write_time=write_time(location),
        further_tasks=further_tasks,
    )


def _judgment_frame(
    judgments: SampleJudgments, table: TaskTable, repairs: Repairs
) -> tuple[pd.DataFrame, list[str]]:
    """Return judgments as a typed frame, and each row's sample key; impossible values are emptied.

    `judgments` are lists of rows by sample key, `1 item-7` of epoch and id; `table` has their
    columns; `repairs` receives the samples with impossible values.
    """
    keys: list[str] = []
    for key, rows in judgments.items():
        keys += [key] * len(rows)
    return without_violations(frame_from_rows(judgments, table), keys, table, repairs), keys


def _completed_summaries(location: str, header: EvalLog) -> list[EvalSampleSummary]:
    """Return the summaries of completed samples.

    Logs until early 2025 do not say which samples are completed: then all count if the run
    succeeded, and none otherwise.
    """
    summaries = read_eval_log_sample_summaries(location)
    completed = [summary for summary in summaries if summary.completed]
    return summaries if header.status == "success" and not completed else completed


def _invalidated_uuids(
    location: str, header: EvalLog, summaries: Iterable[EvalSampleSummary]
) -> set[str]:
    """Return the uuids of samples that somebody declared invalid; only whole samples record it."""
    invalid = set[str]()
    if header.invalidated:  # else no sample is, and none has to be read
        # Every sample is read whole; the check of its type is for mypy.
        for summary, sample in _with_whole_samples(location, summaries, lambda _: True):
            if isinstance(sample, EvalSample) and sample.invalidation is not None:
                invalid.add(_uuid(summary))
    return invalid


def _uuid(summary: EvalSampleSummary) -> str:
    return summary.uuid or ""


def _is_whole_sample_needed(
    summary: EvalSampleSummary, table: TaskTable, recorded: Recorded
) -> bool:
    """Return whether a summary lacks a part of its sample that the judgments need.

    `recorded` are the user's options on where evals of other packages record confidence.
    """
    if not summary.completed:  # such summaries, of old logs, have no metadata either
        return True
    if table.fallback:  # the log is of another package's eval
        needs_reply = table.needs_reply(_score_facts(summary))
        return needs_reply or _is_summary_insufficient(recorded, summary)
    return _is_summary_shortened(summary)


_SAMPLES_AT_ONCE = 200
"""Samples that are read together: each reading begins with the index of the whole archive."""


def _with_whole_samples(
    location: str,
    summaries: Iterable[EvalSampleSummary],
    is_needed: Callable[[EvalSampleSummary], bool],
) -> Iterator[tuple[EvalSampleSummary, _Sample]]:
    """Yield each summary with its whole sample where that is needed, else with itself.

    A whole sample has all that its summary leaves out, but messages and events.
    """
    remaining = iter(summaries)
    while batch := list(islice(remaining, _SAMPLES_AT_ONCE)):
        keys = [(summary.id, summary.epoch) for summary in batch if is_needed(summary)]
        samples = read_eval_log_samples_by_id(location, keys, exclude_fields=_UNUSED_FIELDS)
        sample_by_key = dict(zip(keys, samples, strict=True))
        for summary in batch:
            yield summary, sample_by_key.get((summary.id, summary.epoch), summary)


_UNSCORED_REPLIES = (
    "the log keeps the replies on confidence, but not their scores: `inspect score LOG --action "
    "append --scorer inspect_confidence/confidence` reads them"
)


def _has_unscored_replies(
    location: str, header: EvalLog, summaries: Sequence[EvalSampleSummary], recorded: Recorded
) -> bool:
    """Return whether the first sample of a log keeps replies that no score of the log reads.

    `inspect score --action overwrite` with another scorer removes the scores. Logs in which the
    user names the field of confidence, or only grades are read, are not searched.
    """
    if recorded.confidence or recorded.only_grades or not summaries:
        return False
    was_asked = any(step.solver.endswith("ask_confidence") for step in header.plan.steps)
    if not was_asked and not facts_of(header):  # a run without this package keeps no reply to it
        return False
    score_names = chain.from_iterable(summary.scores or {} for summary in summaries)
    if any(map(is_own, score_names)):
        return False
    first = summaries[0]
    sample = read_eval_log_sample(location, first.id, first.epoch, exclude_fields=_UNUSED_FIELDS)
    return bool(texts_by_method(sample.store, {}))


def _complete_run(
    header: EvalLog, table: TaskTable, judgments: SampleJudgments
) -> tuple[SampleJudgments, str, Sequence[str]]:
    """Complete each sample's judgments by what the run's other samples have, as its study says.

    A sample that lacks a method that others have, for example, gets a failed judgment of it.

    Returns:
        The judgments, the reason if none of them can be used (else an empty text), and notices.
    """
    # `run.samples` are the completed rows of each sample, in the same order.
    run = table.complete_run(list(judgments.values()))
    statuses = {row["status"] for row in chain.from_iterable(run.samples)}
    # `RUN_STATUSES` are those of a sample without a reply to read. A run of this package (only its
    # logs have facts) in which every sample is one has no problem that would exclude it: its
    # failures are judgments.
    has_failures = facts_of(header) and statuses and statuses <= RUN_STATUSES
    problem = "" if has_failures else run.problem
    return dict(zip(judgments, run.samples, strict=True)), problem, run.notices


def _incomplete_run_notices(
    header: EvalLog, completed: Sequence[EvalSampleSummary]
) -> tuple[list[str], list[str]]:
    """Return notices about lost samples, and notices about an early stop, never both of them.

    In a run that crashed or was cancelled, samples with an error are lost: Inspect records an error
    for those that were under way. In any other run they are results with status `sample_error`.
    """
    n_failed = 0
    if header.status in ("error", "cancelled"):
        n_failed = sum(summary.error is not None for summary in completed)
    n_completed = len(completed) - n_failed
    config = header.eval.config
    n_expected = len(header.eval.dataset.sample_ids or ()) * (config.epochs or 1)
    stopping = header.results.early_stopping if header.results else None
    if stopping:
        counts = f"{n_completed} of {counted(n_expected, 'sample')}"
        return [], [f"stopped early (manager {stopping.manager}): {counts}"]
    if n_completed >= n_expected:  # all are there, or the log does not list its samples
        return [], []
    if config.log_samples is False and not completed:
        unlogged = counted(n_expected, "sample")
        return [f"the log has none of {unlogged}: run again without --no-log-samples"], []
    samples = counted(n_completed, f"of {n_expected} samples is", f"of {n_expected} samples are")
    state = "goes on, or was killed" if header.status == "started" else "is incomplete"
    without_error = " without an error" if n_failed else ""
    status = f"(status {header.status}; {RETRY_REMEDY})"
    return [f"the run {state}: {samples} in the log{without_error} {status}"], []


def _unasked_items_notice(header: EvalLog) -> list[str]:
    """Return a list of one sentence on the items that the run did not ask; empty if it asked all.

    Notices of a run are lists, which are joined.
    """
    facts = facts_of(header)
    excluded = facts.get("excluded") or {}
    if not excluded:
        return []
    reasons = ", ".join(f"{count} {reason}" for reason, count in excluded.items())
    dataset = facts.get("dataset")
    items = counted(sum(excluded.values()), f"item of {dataset} is", f"items of {dataset} are")
    return [f"{items} not asked: {reasons}"]


def _model_notices(header: EvalLog, unsent: Unsent) -> Iterator[str]:
    """Yield a notice if the run named no model, and if it paid for replies that no task reads."""
    if header.eval.model == "none/none":
        yield "the run names no model (none/none), which answers nothing; run it with --model NAME"
    number = header.plan.config.num_choices or 1
    is_sent = "num_choices" not in unsent.settings_of(header.eval.model)
    if number > 1 and is_sent and facts_of(header):  # other evals may read several
        yield (
            f"num_choices={number} asked each call for {number} replies, of which a task reads "
            "one, unless it asks for draws; use --epochs instead"
        )


def _edit_notices(
    location: str,
    header: EvalLog,
    table: TaskTable,
    summaries: Iterable[EvalSampleSummary],
    invalid_uuids: Collection[str],
) -> Iterator[str]:
    """Yield the notices about changes that were made to the log after its eval."""
    if invalid_uuids:
        samples = counted(len(invalid_uuids), "sample was", "samples were")
        yield f"{samples} declared invalid and left out"
    rescored = sum(_is_scored_twice(summary, table) for summary in summaries)
    if rescored:
        samples = counted(rescored, "sample was", "samples were")
        yield f"{samples} scored again by the same scorer; its last score counts"
    edited, damaged = edited_scores(location, header)
    if edited:
        scores = counted(edited, "score was", "scores were")
        yield f"{scores} edited after the run; the edited values count"
    if damaged:
        samples = counted(damaged, "sample is", "samples are")
        yield f"{samples} damaged: it is unknown whether scores were edited"


def eval_name(header: EvalLog) -> str:
    """Return the name of the log's task, without its package's prefix."""
    return header.eval.task.rsplit("/", 1)[-1]


def log_table(header: EvalLog) -> TaskTable:
    """Return the table of a log's task; for a task of another package that of other evals."""
    name = eval_name(header)
    is_own = header.eval.task.startswith("inspect_confidence/")
    # Tasks of this package also write this into the metadata, from whatever file they are run.
    is_own = is_own or "package_version" in (header.eval.metadata or {})
    # `table_of` gives the table of other evals for a name that this package has no task of. Another
    # package's task may have the name of one of this package's.
    return table_of(name) if is_own or not is_own_task(name) else table_of_others()


def _task_label(header: EvalLog, table: TaskTable) -> str:
    """Return the name of a log's task for notices; another package's task of equal name says so."""
    name = eval_name(header)
    if table.fallback and is_own_task(name):
        return f"{header.eval.task}, which isn't the task of inspect_confidence"
    return name


def _judgments_by_sample(
    header: EvalLog,
    table: TaskTable,
    samples: Iterable[tuple[EvalSampleSummary, _Sample]],
    unsent: Unsent,
    repairs: Repairs,
    recorded: Recorded = SELF_DESCRIBING,
) -> SampleJudgments:
    """Return the judgments of completed samples as rows, by the sample's key (epoch and id).

    A sample that cannot be read gets one `scoring_failed` judgment with the reason; if none can be
    read, the first sample's error is raised.

    Args:
        header: Header of the log.
        table: Table of its task, which reads a sample.
        samples: The summary of each sample, and its whole sample, or the summary again.
        unsent: Settings of the run that no request contained.
        repairs: Receives the samples with values that cannot be used.
        recorded: Where logs of other evals record confidence and correctness.
    """
    common = _common_columns(header, table)
    # A sample of another eval may also hold judgments of further tasks, such as decisions.
    combined_table = add_task_columns(table, table.further_tasks)
    run_facts = {
        "generation": header.plan.config.model_dump(exclude_none=True),
        "unsent": unsent.settings_of(header.eval.model),
        "epochs": header.eval.config.epochs or 1,
        "recorded": recorded,
    }
    # The field of metadata that names the cluster: the user's, or this package's. An eval of others
    # (`fallback`) may use the package's name for something else.
    cluster_field = recorded.cluster or ("" if table.fallback else CLUSTER)
    judgments: dict[str, list[dict[str, Any]]] = {}
    errors: list[Exception] = []
    for summary, sample in samples:
        identity = {"uuid": _uuid(summary), "epoch": summary.epoch, "draw": 0}
        if cluster_field:
            identity["cluster"] = cluster_name(sample.metadata.get(cluster_field))
        key = _sample_key(summary)
        try:
            sample_rows = table.read(_sample_facts(summary, sample, run_facts))
        except Exception as error:  # a damaged sample may raise anything
            errors.append(error)
            reason = f"the sample could not be read: {failure(error)}"
            item = str(summary.metadata.get("item") or summary.id)
            sample_rows = [{"item": item, "status": "scoring_failed", "reason": reason}]
            repairs.refused[key] = reason
        rows = []
        for row in sample_rows:
            reason = scrub(str(row.get("reason") or ""))
            rows.append({**common, **identity, **row, "reason": reason})
        judgments[key] = repaired_rows(rows, key, combined_table, repairs)
    if errors and len(errors) == len(judgments):  # no sample can be read: another format of logs
        raise errors[0]
    return judgments


def _judgments_of_unwritten_samples(
    header: EvalLog, table: TaskTable, samples: Sequence[EvalSampleSummary]
) -> SampleJudgments:
    """Return a failed judgment of each sample that the log lacks, if its run failed entirely.

    Otherwise there are none: a run with some results is incomplete, and says so in a notice.
    """
    if header.status != "error" or not all(sample.error for sample in samples):
        return {}
    keys = set(map(_sample_key, samples))
    message = header.error.message if header.error else "the run ended with an error"
    outcome = {"status": "sample_error", "reason": failure(message)}
    common = _common_columns(header, table)
    judgments: dict[str, list[dict[str, Any]]] = {}
    for epoch in range(1, (header.eval.config.epochs or 1) + 1):
        for sample_id in header.eval.dataset.sample_ids or ():
            key = f"{epoch} {sample_id}"
            if key not in keys:
                item = readable_text(str(sample_id))
                identity = {"uuid": "", "epoch": epoch, "draw": 0, "item": item}
                judgments[key] = [{**common, **identity, **outcome}]
    return judgments


def _sample_key(summary: EvalSampleSummary) -> str:
    """Return the key of a sample within its run: epoch and id."""
    return f"{summary.epoch} {summary.id}"


def _is_scored_twice(summary: EvalSampleSummary, table: TaskTable) -> bool:
    """Return whether a scorer scored the sample twice: Inspect then numbers its scores' names.

    In evals of other packages (`fallback`) only scorers of this package count: others' names may
    end in a number.
    """
    names = [name for name in summary.scores or {} if is_own(name) or not table.fallback]
    return len(set(map(base_name, names))) < len(names)


def _read_again(
    location: str, header: EvalLog, table: TaskTable, stored: SampleJudgments, unsent: Unsent
) -> tuple[SampleJudgments, Counter[str], list[str]]:
    """Return the judgments that the present readers make of the log's replies.

    Judgments by a judge model, of other evals, and of replies that cannot be scored without a model
    stay as they are in `stored`; then a notice gives the reason. Those of samples that the log
    lacks have no reply and stay, too.

    Returns:
        The judgments, the counts of `Run.changed`, and notices.
    """
    if table.fallback:
        notice = (
            "replies to evals of others stay as they were read; `inspect score` reads them again"
        )
        return stored, Counter(), [notice]
    scorers = header.eval.scorers or []
    if any((scorer.options or {}).get("judge") == "model" for scorer in scorers):
        notice = "a model judged these replies; its judgments are kept, not made again"
        return stored, Counter(), [notice]
    try:
        log = _score_again(location, header)
    except Exception as error:  # a scorer may raise anything; the stored judgments can be used
        notice = f"its replies cannot be read again and stay as they were read: {failure(error)}"
        return stored, Counter(), [notice]
    samples: list[tuple[EvalSampleSummary, _Sample]] = []
    for sample in log.samples or []:
        # The stored judgments were read from summaries, in which a text is on one line. From them
        # the new ones are read too, so that only other readings count as changes.
        summary = sample.summary()
        if _sample_key(summary) in stored:  # not a sample declared invalid, or not completed
            samples.append((summary, sample if _is_summary_shortened(summary) else summary))
    # The values to repair were counted for notices when the stored judgments were read.
    reread_judgments = _judgments_by_sample(header, table, samples, unsent, Repairs())
    before = {key: stored[key] for key in reread_judgments}
    return {**stored, **reread_judgments}, _count_changes(before, reread_judgments), []


def _score_again(location: str, header: EvalLog) -> EvalLog:
    """Return a log whose scorers read its replies again without a model; refuse other scorers."""
    # Imported here because it imports every scorer, and few logs are scored again.
    from inspect_confidence.judgments.rescoring import (  # noqa: PLC0415
        check_samples,
        create_scorer,
        remove_names,
    )

    scorers = header.eval.scorers or []
    allowed = [create_scorer(scorer.name, scorer.options or {}) for scorer in scorers]
    log = read_eval_log(location)
    # Logs are data: no file that a sample names is opened, no function that a log names is called.
    check_samples(log.samples or [])
    remove_names(log)
    # No model is at hand: neither a key is needed nor can a call be made.
    return score(log, allowed, model="none/none", action="overwrite", display="none", copy=False)


def _count_changes(before: SampleJudgments, after: SampleJudgments) -> Counter[str]:
    """Count the judgments, those whose `status` changed, and those in which any value changed.

    The last count is named `any_value`; it includes the status, but not the reason. Both arguments
    are lists of rows by the same sample keys. A judgment in only one of both lists counts as
    changed.
    """
    counts = Counter(judgments=0, status=0, any_value=0)
    for key, rows_before in before.items():
        for old_row, new_row in zip_longest(rows_before, after[key]):  # None if a list is shorter
            old_texts, new_texts = _values_as_text(old_row), _values_as_text(new_row)
            counts["judgments"] += 1
            counts["status"] += old_texts.get("status") != new_texts.get("status")
            counts["any_value"] += old_texts != new_texts
    return counts


def _values_as_text(row: Mapping[str, Any] | None) -> Mapping[str, str]:
    """Return a judgment's values but the reason as text, in which NaN equals NaN; none without."""
    return {name: str(value) for name, value in (row or {}).items() if name != "reason"}


ReplyKey = tuple[str, int, str]
"""Key of a reply: the sample's uuid, the draw, and the elicitation method if there are several."""


def read_replies(location: str, runs: Collection[str]) -> dict[ReplyKey, str]:
    """Return the replies in a log by sample, draw and method; none if its run is not in `runs`.

    Replies to the question have draws from 0 and an empty method. Replies to requests for
    confidence have the draw 0; those to several requests of one method are joined by `---` lines.
    Further replies of the tasks on decisions have the request's name as their method.

    Args:
        location: Path or address of the log.
        runs: Ids of runs, which logs of retries share.
    """
    if read_header(location).eval.task_id not in runs:
        return {}
    log = read_eval_log(location, resolve_attachments="core", exclude_fields={"events"})
    replies: dict[ReplyKey, str] = {}
    for sample in log.samples or []:
        uuid = sample.uuid or ""
        draws = stored_texts(sample.store) or [sample.output.completion]
        replies |= {(uuid, number, ""): text for number, text in enumerate(draws)}
        for method, texts in texts_by_method(sample.store, sample.scores or {}).items():
            replies[uuid, 0, method] = "\n---\n".join(texts)
        further_texts = stored_reply_texts(sample.store)
        replies |= {(uuid, 0, name): text for name, text in further_texts.items()}
    return {key: readable_text(text) for key, text in replies.items()}


def facts_of(header: EvalLog) -> Mapping[str, Any]:
    """Return the facts that this package wrote into the log's metadata; empty if there are none."""
    metadata = header.eval.metadata or {}
    # An eval of another package (`fallback`) has them under one key; else all metadata are facts.
    facts = metadata.get("confidence", {}) if log_table(header).fallback else metadata
    return facts if isinstance(facts, Mapping) else {}


def _common_columns(header: EvalLog, table: TaskTable) -> dict[str, Any]:
    """Return the columns with one value in all judgments of a log.

    A judgment's own `variant` or `reason`, if it has one, replaces the empty text later. A
    fallback table takes the evals of other packages; their data set is named after the eval.
    """
    facts = facts_of(header)
    dataset = str(facts.get("dataset") or header.eval.dataset.name or "")
    return {
        "task": table.task,
        "task_version": str(header.eval.task_version),
        "package_version": str(facts.get("package_version", "")),
        "run": header.eval.task_id,
        "model": header.eval.model,
        "variant": "",
        "dataset": eval_name(header) if table.fallback else dataset,
        "reason": "",
    }


def metadata_fields(location: str) -> set[str]:
    """Return the names of the metadata fields of a log's samples."""
    summaries = read_eval_log_sample_summaries(location)
    return set(chain.from_iterable(summary.metadata for summary in summaries))


def _sample_facts(
    summary: EvalSampleSummary, sample: _Sample, run_facts: Mapping[str, Any]
) -> SampleFacts:
    """Return a sample in plain types; `run_facts` are the fields that all samples of a run share.

    `sample` is the whole sample, or its summary if that suffices.
    """
    failure_outcome = None  # status and reason, of a sample that did not end well
    if summary.error:
        question = summary.input  # which `failure` removes from the error
        if not isinstance(question, str):
            question = "\n".join(message.text for message in question)
        failure_outcome = "sample_error", failure(summary.error.splitlines()[0], question)
    elif summary.limit:
        failure_outcome = "limit_reached", f"the sample's {summary.limit} limit was reached"
    # Of several targets the first counts. A question that nobody can answer has none.
    target = sample.target if isinstance(sample.target, str) else next(iter(sample.target), "")
    return SampleFacts(
        target=target,
        metadata=sample.metadata,
        scores=_score_facts(sample),
        failure=failure_outcome,
        id=str(sample.id),
        choices=sample.choices or (),
        has_several_right=names_several(sample.target, len(sample.choices or ())),
        requested_fields=_output_and_store_fields(sample),
        **run_facts,
    )


def _score_facts(sample: _Sample) -> dict[str, ScoreFacts]:
    """Return a sample's scores in plain types by scorer, with exact in place of rounded numbers."""
    scores = {}
    for name, sample_score in (sample.scores or {}).items():
        value = exact_value(sample_score.value, sample_score.metadata)
        scores[name] = ScoreFacts(
            value=value,
            reason=sample_score.reason,
            metadata=sample_score.metadata or {},
            answer=sample_score.answer,
            grades=grades_of(value, sample_score.reason),
        )
    return scores


def _output_and_store_fields(sample: _Sample) -> dict[str, Any]:
    """Return a whole sample's fields of `output` and `store`; empty for a summary without them."""
    if not isinstance(sample, EvalSample):
        return {}
    output = sample.output
    fields: dict[str, Any] = {"output.completion": output.completion}
    if output.choices:
        fields["output.logprobs"] = tokens_of(output.choices[0])
    stored = {f"store.{name}": value for name, value in sample.store.items()}
    return {**fields, **stored}


def _is_summary_insufficient(recorded: Recorded, summary: EvalSampleSummary) -> bool:
    """Return whether the summary of another eval's sample lacks a part that is read.

    Its metadata are read only for fields that `recorded`, the user's options, names; otherwise the
    scores of this package suffice. No summary has the fields of some prefixes, such as `output.`.
    """
    if any(name.startswith(_PREFIXES_OUTSIDE_SUMMARIES) for name in recorded.confidence):
        return True
    if recorded.confidence or recorded.by or recorded.cluster:
        return _is_summary_shortened(summary)
    own_scores = {name: score for name, score in (summary.scores or {}).items() if is_own(name)}
    return _is_summary_shortened(summary.model_copy(update={"metadata": {}, "scores": own_scores}))


def _is_summary_shortened(summary: EvalSampleSummary) -> bool:
    """Return whether the summary of a sample cut off or left out a value of metadata."""
    values = list(summary.metadata.values())
    for sample_score in (summary.scores or {}).values():
        values += (sample_score.metadata or {}).values()
    for value in values:
        if isinstance(value, str) and (value == _REMOVED_VALUE or value.endswith(_SHORTENED_END)):
            return True
    return False


def _run_settings(
    header: EvalLog, table: TaskTable, recorded: Recorded, unsent: Unsent
) -> dict[str, str]:
    """Return the settings that decide what the model was asked, as texts by name.

    These are task arguments, prompts, models of roles, versions, data set, generation settings and
    model arguments; a long text is replaced by its fingerprint. Left out are settings that were not
    sent or concern speed (`OPERATIONAL`), secrets, and arguments that have a column.
    """
    facts = facts_of(header)  # what the package's tasks record of themselves, such as the prompt
    arguments = _task_arguments(header, table, recorded)
    settings = {name: arguments[name] for name in arguments if name not in table.arguments_shown}
    for name in ("prompt", "system", "data", "judge_prompts"):
        if facts.get(name):
            settings[name] = facts[name]
    for role, configs in models_by_role(header).items():
        settings[role] = ", ".join(_role_model(config, unsent) for config in configs)
    settings["task_version"] = header.eval.task_version
    settings["dataset"] = facts.get("dataset")  # None, as any other value, is left out below
    generation = header.plan.config.model_dump(exclude_none=True)
    ignored_names = OPERATIONAL | unsent.settings_of(header.eval.model).keys()
    settings |= {name: value for name, value in generation.items() if name not in ignored_names}
    for name, value in header.eval.model_args.items():
        if not SECRET_NAME.search(name):
            settings[name] = value
    settings_texts = {}
    for name, value in settings.items():
        if value is not None:
            settings_texts[name] = _short_setting(value)
    return settings_texts


def _role_model(config: ModelConfig, unsent: Unsent) -> str:
    """Return a model of a role with its settings, such as `openai/gpt-4o temperature=0`.

    Left out are settings that cannot change a reply (`OPERATIONAL`), those that were not sent to
    the provider, and secrets.
    """
    values = dict(config.args)
    ignored_names = OPERATIONAL | unsent.settings_of(config.model).keys()
    for name, value in config.config.model_dump(exclude_none=True).items():
        if name not in ignored_names:
            values[name] = value
    pairs = [f"{name}={value}" for name, value in values.items() if not SECRET_NAME.search(name)]
    return " ".join([config.model, *pairs])


def _task_arguments(header: EvalLog, table: TaskTable, recorded: Recorded) -> Mapping[str, Any]:
    """Return the task's arguments.

    For another eval these are its own arguments, those of the task `with_confidence` that wraps it
    (without values in `default_arguments`, which count as not given), and the scorer that the user
    named. Its own arguments are in the record of the wrapped task, or in the facts of the log.
    """
    arguments = header.eval.task_args
    if not table.fallback:
        return arguments
    wrapped = arguments.get("task")  # Inspect's record of a task: its name and `params`
    wrapped_arguments = wrapped.get("params", {}) if isinstance(wrapped, Mapping) else {}
    changed = {}
    for name, value in arguments.items():
        if table.default_arguments.get(name) != value:
            changed[name] = value
    if recorded.score:
        changed["score"] = recorded.score
    return {**changed, **wrapped_arguments, **(facts_of(header).get("task_args") or {})}


def _short_setting(value: object) -> str:
    """Return a setting as text without secrets; its fingerprint if it is long or has lines."""
    text = readable_text(without_keys(str(value)))
    return text if len(text) <= _MAX_SETTING_LENGTH and "\n" not in text else fingerprint(text)
