"""Citations for judgments, and a description of how they were elicited."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import pandas as pd
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig

from inspect_confidence import __version__
from inspect_confidence.answers import REPLY_STATUSES
from inspect_confidence.commands.usage import usage_sentence
from inspect_confidence.judgments.archives import models_by_role, read_header
from inspect_confidence.judgments.locations import Paths, path_texts
from inspect_confidence.judgments.logs import OPERATIONAL, eval_name, facts_of, log_table
from inspect_confidence.judgments.read import Judgments, read_judgments
from inspect_confidence.judgments.requests import Unsent, read_unsent
from inspect_confidence.judgments.store import find_logs, store_at
from inspect_confidence.printing import counted
from inspect_confidence.privacy import model_arguments, model_name, setting_text
from inspect_confidence.redaction import scrub
from inspect_confidence.references import DATASETS, OWN, TASKS, bibtex
from inspect_confidence.studies import all_studies, all_tables


def _describe_judgments(
    task: str, judgments: pd.DataFrame, logs: Sequence[EvalLog], stored: Collection[str]
) -> str:
    """Return a paragraph on the settings and counts of a task's judgments, one row for each reply.

    `logs` are headers of its readable logs, and `stored` the ids of runs whose judgments are read
    from a store (a folder of parquet files, which keeps no settings). Judgments without a header
    have a sentence that says what is not recorded of them.
    """
    runs = _newest_of_runs(logs)
    run_ids = [run.eval.task_id for run in runs]
    judgments_without_header = judgments[~judgments["run"].isin(run_ids)]
    unrecorded_sentences = _unrecorded_sentences(judgments_without_header, stored)
    if not runs:
        return f"{task}: {unrecorded_sentences} {_counts_sentence(judgments)}"
    # Settings that a log records but that were not sent to the model, such as a temperature.
    unsent_settings = list(map(read_unsent, runs))
    model_settings = _merge_settings(model_arguments(run.eval.model_args) for run in runs)
    sentences = [
        _runs_sentence(runs),
        _settings_sentence("Task arguments", _merge_settings(map(_task_arguments, runs))),
        _generation_sentence(runs, unsent_settings),
        _settings_sentence("Model arguments", model_settings),
        _roles_sentence(runs, unsent_settings),
        _items_sentence(runs),
        usage_sentence(runs, logs),
        unrecorded_sentences,
        _counts_sentence(judgments),
    ]
    paragraph = " ".join(filter(None, sentences))
    # A run of another task may have judgments of this one, as `abstain` asked beside any eval.
    is_of_other_tasks = all(log_table(run).task != task for run in runs)
    return f"{task}: {paragraph}" if is_of_other_tasks else paragraph


def _generation_sentence(runs: Sequence[EvalLog], unsent_settings: Sequence[Unsent]) -> str:
    """Describe generation settings, `temperature=0 | 1` if runs differ.

    `unsent_settings` has for each run the settings that were not sent to a model, which are marked.
    """
    settings = []
    for run, run_unsent in zip(runs, unsent_settings, strict=True):
        unsent = run_unsent.settings_of(run.eval.model)
        settings.append(_generation_settings(run.plan.config, unsent))
    if not any(settings):
        return "Generation settings: the provider's defaults."
    return _settings_sentence(
        "Generation settings", _merge_settings(settings), "all others the provider's defaults"
    )


def _task_arguments(run: EvalLog) -> dict[str, str]:
    """Return the task arguments of a run as texts, without those that are None."""
    arguments = run.eval.task_args.items()
    return _setting_texts({name: value for name, value in arguments if value is not None})


def _unrecorded_sentences(judgments: pd.DataFrame, stored: Collection[str]) -> str:
    """Describe judgments without a readable log; empty if there are none.

    Those of a run in `stored` come from a store, whose log is gone; others from csv or parquet
    files.
    """
    is_stored = judgments["run"].isin(stored)
    of_stores, of_files = judgments[is_stored], judgments[~is_stored]
    sentences = []
    if len(of_stores):
        runs = of_stores["run"].nunique()
        logs = "the log of this run" if runs == 1 else f"the logs of these {runs} runs"
        sentences.append(
            f"{_judgments_were(of_stores)} read from a store, and {logs} can't be read any more: "
            "the settings are unknown."
        )
    if len(of_files):
        origin = "files, which don't record how confidence was elicited"
        sentences.append(f"{_judgments_were(of_files)} read from {origin}.")
    return " ".join(sentences)


def _judgments_were(judgments: pd.DataFrame) -> str:
    """Return the beginning of a sentence, such as "12 judgments of gpt-4o were"."""
    names = _join_words(map(model_name, judgments["model"].astype(str).unique()))
    return counted(len(judgments), f"judgment of {names} was", f"judgments of {names} were")


def _runs_sentence(runs: Sequence[EvalLog]) -> str:
    """Describe tasks, models, dates and software of runs, and how many did not finish."""
    days = sorted({run.eval.created[:10] for run in runs})
    period = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    versions = _join_words(str(run.eval.task_version) for run in runs)
    # As {"inspect_ai": "0.3.1 | 0.3.2"}, without the runs that did not record a package.
    versions_by_package = _merge_settings((run.eval.packages for run in runs), missing="")
    software = _join_words(map(" ".join, versions_by_package.items()))
    software_text = f", with {software}" if software else ""
    n_unfinished = sum(run.status != "success" for run in runs)
    unfinished_text = f"; {n_unfinished} did not finish" if n_unfinished else ""
    models = _join_words(model_name(run.eval.model) for run in runs)
    task_names = _join_words(map(eval_name, runs))
    n_runs = "one run" if len(runs) == 1 else f"{len(runs)} runs"
    return (
        f"{task_names} (version {versions}) asked {models} in {n_runs} {period}"
        f"{software_text}{unfinished_text}."
    )


def _setting_texts(settings: Mapping[str, object]) -> dict[str, str]:
    return {name: setting_text(value) for name, value in settings.items()}


def _generation_settings(config: GenerateConfig, unsent: Collection[str]) -> dict[str, str]:
    """Return the generation settings that change replies, as texts by name.

    Settings of speed (`OPERATIONAL`) are left out. Of a mapping, as `extra_body`, which may have
    keys of the user, only a fingerprint is told. Settings in `unsent`, which Inspect did not send
    to the model, are marked.
    """
    settings = config.model_dump(exclude=OPERATIONAL, exclude_none=True)
    texts = _setting_texts(settings)
    for name in texts.keys() & set(unsent):
        texts[name] += " (not sent)"
    return texts


def _roles_sentence(runs: Sequence[EvalLog], unsent_settings: Sequence[Unsent]) -> str:
    """Describe the models in roles, as `The grader was openai/gpt-4o (temperature=0)`.

    A role may have several models. Settings that were not sent to them, which `unsent_settings` has
    for each run, are marked.
    """
    sentences = set()
    for run, run_unsent in zip(runs, unsent_settings, strict=True):
        for role, configs in models_by_role(run).items():
            for config in configs:
                unsent = run_unsent.settings_of(config.model)
                settings = _generation_settings(config.config, unsent)
                pairs = ", ".join(map("=".join, (model_arguments(config.args) | settings).items()))
                settings_text = f" ({pairs})" if pairs else ""
                sentences.add(f"The {role} was {model_name(config.model)}{settings_text}.")
    return " ".join(sorted(sentences))


def _items_sentence(runs: Sequence[EvalLog]) -> str:
    """Describe the data set, items and epochs of runs, and items that were left out."""
    descriptions = dict.fromkeys(map(_describe_items, runs))
    excluded_items = set()
    for run in runs:
        facts = facts_of(run)
        dataset = setting_text(facts.get("dataset"))
        for reason, count in (facts.get("excluded") or {}).items():
            excluded_items.add(f"{count} of {dataset} were not asked: {scrub(str(reason))}")
    return ". ".join([f"Items: {'; '.join(descriptions)}", *sorted(excluded_items)]) + "."


def _describe_items(run: EvalLog) -> str:
    """Describe a run's items, as far as recorded: `9 of mmlu (4 train, 5 test), 2 epochs`.

    The data set's name is that of the task's metadata, else Inspect's, else that of the eval.
    """
    facts, config = facts_of(run), run.eval.config
    name = setting_text(facts.get("dataset") or run.eval.dataset.name or eval_name(run))
    split_counts = []
    for split in ("train", "test"):
        if f"{split}_items" in facts:
            split_counts.append(f"{facts[f'{split}_items']} {split}")
    split_text = f" ({', '.join(split_counts)})" if split_counts else ""
    limit = f", of which --limit {config.limit} kept a part" if config.limit else ""
    epochs = config.epochs or 1
    epochs_text = "one epoch" if epochs == 1 else f"{epochs} epochs"
    n_items = facts.get("items", run.eval.dataset.samples)
    items = "" if n_items is None else f"{n_items} "
    return f"{items}of {name}{split_text}, {epochs_text}{limit}"


def _counts_sentence(judgments: pd.DataFrame) -> str:
    """Describe how many judgments could be read, could not, and lack a reply or grade, by status.

    Those in which the model declined to answer count as read.
    """
    statuses = judgments["status"]
    declined = int((statuses == "declined").sum())
    declined_text = f" ({declined:,} declined the question)" if declined else ""
    is_read, is_unread = statuses.isin(["ok", "declined"]), statuses.isin(REPLY_STATUSES)
    counts = [
        f"{is_read.sum():,} could be read{declined_text}",
        _count_by_status(statuses[is_unread], "could not"),
    ]
    without_grade = statuses[~is_read & ~is_unread]
    if len(without_grade):
        counts.append(_count_by_status(without_grade, "have no reply or no grade"))
    return f"Judgments: {len(judgments):,}, of which {_join_words(counts)}."


def _count_by_status(statuses: "pd.Series[str]", words: str) -> str:
    """Return a number in words, with its parts by status: "3 could not (2 echo, 1 refusal)"."""
    counts = [f"{count:,} {status}" for status, count in statuses.value_counts().items()]
    return f"{len(statuses):,} {words}" + (f" ({', '.join(counts)})" if counts else "")


def _merge_settings(
    run_settings: Iterable[Mapping[str, object]], missing: str = "not set"
) -> dict[str, str]:
    """Return the settings of several runs as one mapping: `{"temperature": "0 | not set"}`.

    `missing` is the value of a setting that a run lacks; if it is empty, the run is left out.
    """
    runs = list(run_settings)
    merged = {}
    for name in sorted(set[str]().union(*runs)):
        values = dict.fromkeys(str(run.get(name, missing)) for run in runs)
        merged[name] = " | ".join(filter(None, values))
    return merged


def _settings_sentence(start: str, settings: Mapping[str, str], ending: str = "") -> str:
    """Return `start: name=value; ending.`; empty without settings."""
    if not settings:
        return ""
    parts = [*map("=".join, settings.items()), ending]
    return f"{start}: {'; '.join(filter(None, parts))}."


def _join_words(words: Iterable[str]) -> str:
    """Join the distinct words by commas, with `and` before the last one."""
    distinct = list(dict.fromkeys(words))
    return " and ".join(filter(None, [", ".join(distinct[:-1]), *distinct[-1:]]))


@dataclass(frozen=True)
class Citation:
    """References and descriptions for a report on judgments.

    Attributes:
        bibtex: Entries of this package, Inspect, the studies and the data sets.
        settings: A paragraph for each task on models, arguments, versions and counts.
        unknown: Data sets without a known reference, such as a user's files.
    """

    bibtex: Sequence[str]
    settings: Sequence[str]
    unknown: Sequence[str]


def cite(paths: Paths, *, judgments: Judgments | None = None) -> Citation:
    """Return references for judgments and the settings that their logs record.

    Keys, addresses and folders are redacted.

    Args:
        paths: Paths, as `read_judgments` takes them.
        judgments: Judgments that were read from the paths already, to save time.

    Raises:
        InvalidArgument: A path can't be read, or has no judgments.
    """
    frames = read_judgments(paths) if judgments is None else judgments
    logs = _read_headers(paths, _unique_values(frames, "run"))
    stored = _stored_runs(paths)
    headers = _newest_of_runs(logs)
    datasets = sorted(_dataset_names(frames))

    # References: package, studies, data sets, tasks, Inspect.
    entries = [
        _software_entry("inspect_confidence", headers, _unique_values(frames, "package_version"))
    ]
    for study in all_studies():
        if study.reference and not frames.keys().isdisjoint(study.tasks):
            entries.append(study.reference)
    for name in datasets:
        entries += map(bibtex, DATASETS.get(name, ()))
    for task in frames:
        entries += map(bibtex, TASKS.get(task, ()))
    if headers:
        entries.append(_software_entry("inspect_ai", headers))

    # A paragraph on the settings of each task.
    paragraphs = []
    for task, table in all_tables().items():
        if task in frames:
            replies = table.replies(frames[task])
            run_ids = set(frames[task]["run"])
            logs_of_task = [log for log in logs if log.eval.task_id in run_ids]
            paragraphs.append(_describe_judgments(task, replies, logs_of_task, stored))
    # The package's own data sets need no reference beside its own.
    unknown = [scrub(name) for name in datasets if name not in DATASETS and name not in OWN]
    return Citation(list(dict.fromkeys(entries)), paragraphs, unknown)


def _unique_values(frames: Judgments, column: str) -> set[str]:
    return set(chain.from_iterable(frame[column].unique() for frame in frames.values()))


def _read_headers(paths: Paths, run_ids: Collection[str]) -> list[EvalLog]:
    """Return the headers of the logs of the given runs.

    Unreadable logs are skipped, since the notices of the judgments name them.
    """
    headers = []
    for location in find_logs(paths):
        with suppress(Exception):
            header = read_header(location)
            if header.eval.task_id in run_ids:
                headers.append(header)
    return headers


def _newest_of_runs(headers: Iterable[EvalLog]) -> list[EvalLog]:
    """Return the newest header of each run, oldest first.

    Logs of a retried or copied run have the same id. Runs of the same second are ordered by task,
    model and id, since times of files differ between copies of a folder.
    """
    runs: dict[str, EvalLog] = {}
    for header in headers:
        newest = runs.setdefault(header.eval.task_id, header)
        if newest.eval.created < header.eval.created:
            runs[header.eval.task_id] = header
    return sorted(
        runs.values(), key=attrgetter("eval.created", "eval.task", "eval.model", "eval.task_id")
    )


def _stored_runs(paths: Paths) -> set[str]:
    """Return the ids of the runs in the stores among the paths."""
    run_ids: set[str] = set()
    for path in path_texts(paths):
        if store := store_at(path):
            run_ids |= {str(entry.record.get("id")) for entry in store.entries}
    return run_ids


def _dataset_names(frames: Judgments) -> set[str]:
    """Return the names of data sets; a run may have several, joined by `+`."""
    names: set[str] = set()
    for text in _unique_values(frames, "dataset"):
        names |= set(filter(None, str(text).split("+")))
    return names


def _software_entry(name: str, headers: Sequence[EvalLog], recorded: Iterable[str] = ()) -> str:
    """Return the entry of a package, with the versions that logs and judgments record.

    Without any, as for answers in a user's file, it is the version that computes their numbers.
    """
    versions = {*recorded, *(header.eval.packages.get(name, "") for header in headers)} - {""}
    if not versions and name == "inspect_confidence":
        versions = {__version__}
    return bibtex(name, version=" and ".join(sorted(versions)))
