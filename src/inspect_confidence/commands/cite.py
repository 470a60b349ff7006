"""Logs -> what to cite, and how the numbers came about."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from os import PathLike, fspath
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig

from inspect_confidence.commands.usage import usage_sentence
from inspect_confidence.judgments.files import SUFFIXES
from inspect_confidence.judgments.logs import OPERATIONAL, facts_of, log_table
from inspect_confidence.judgments.read import Judgments, Paths, read_judgments
from inspect_confidence.judgments.requests import Unsent, read_unsent
from inspect_confidence.judgments.store import find_logs, store_at
from inspect_confidence.privacy import model_arguments, model_name, setting_text
from inspect_confidence.redaction import scrub
from inspect_confidence.references import DATASETS, OWN, SURVEY, bibtex
from inspect_confidence.studies import all_studies, all_tables


def _paragraph(
    task: str, judgments: pd.DataFrame, runs: Sequence[EvalLog], stored: Collection[str]
) -> str:
    """On a task's judgments, one a reply, and the headers of its logs, which files have none of.

    Args:
        task: Its name.
        judgments: Of the task.
        runs: Headers of the logs that can be read.
        stored: Names of the runs in stores, whose logs may be gone.
    """
    elsewhere = judgments[~judgments["run"].isin([run.eval.task_id for run in runs])]
    without_log = elsewhere["run"].isin(stored)
    unrecorded = " ".join(
        filter(None, [_of_gone_logs(elsewhere[without_log]), _of_files(elsewhere[~without_log])])
    )
    if not runs:
        return f"{task}: {unrecorded} {_counts(judgments)}"
    arguments = ({k: v for k, v in run.eval.task_args.items() if v is not None} for run in runs)
    unsent = [read_unsent(run) for run in runs]
    generation = [
        _asked_with(run.plan.config, left_out.settings_of(run.eval.model))
        for run, left_out in zip(runs, unsent, strict=True)
    ]
    sentences = [
        _settings_runs(runs),
        _sentence("Task arguments", _merged(map(_texts, arguments))),
        _sentence("Generation settings", _merged(generation), "all others the provider's defaults")
        if any(generation)
        else "Generation settings: the provider's defaults.",
        _sentence("Model arguments", _merged(model_arguments(run.eval.model_args) for run in runs)),
        _roles(runs, unsent),
        _items(runs),
        usage_sentence(runs),
        unrecorded,
        _counts(judgments),
    ]
    return " ".join(filter(None, sentences))


def _of_gone_logs(judgments: pd.DataFrame) -> str:
    """Sentence on judgments that a store keeps of logs that can't be read any more."""
    if judgments.empty:
        return ""
    runs = judgments["run"].nunique()
    logs = "the log of this run" if runs == 1 else f"the logs of these {runs} runs"
    return (
        f"{len(judgments)} judgments of {_models(judgments)} were read from a store, and {logs} "
        "can't be read any more: the settings are unknown."
    )


def _of_files(judgments: pd.DataFrame) -> str:
    """Sentence on judgments that were read from csv or parquet files."""
    if judgments.empty:
        return ""
    return (
        f"{len(judgments)} judgments of {_models(judgments)} were read from files, which don't "
        "record how they were elicited."
    )


def _models(judgments: pd.DataFrame) -> str:
    return _listed(model_name(str(name)) for name in judgments["model"].unique())


def _settings_runs(runs: Sequence[EvalLog]) -> str:
    days = sorted({run.eval.created[:10] for run in runs})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    versions = _listed(f"{run.eval.task_version}" for run in runs)
    packages = _merged((run.eval.packages for run in runs), missing="")
    made = _listed(f"{name} {version}" for name, version in packages.items())
    unfinished = sum(run.status != "success" for run in runs)
    models = _listed(model_name(run.eval.model) for run in runs)
    evals = _listed(run.eval.task.rsplit("/", 1)[-1] for run in runs)
    return (
        f"{evals} (version {versions}) asked {models} in "
        f"{'one run' if len(runs) == 1 else f'{len(runs)} runs'} {when}"
        + (f", with {made}" if made else "")
        + (f"; {unfinished} did not finish" if unfinished else "")
        + "."
    )


def _texts(settings: Mapping[str, object]) -> dict[str, str]:
    return {name: setting_text(value) for name, value in settings.items()}


def _asked_with(config: GenerateConfig, unsent: Collection[str]) -> dict[str, str]:
    """The generation settings that decide what is asked, with a mark at those not sent."""
    texts = _texts(config.model_dump(exclude={*OPERATIONAL, "extra_body"}, exclude_none=True))
    return {name: f"{text} (not sent)" if name in unsent else text for name, text in texts.items()}


def _roles(runs: Sequence[EvalLog], unsent: Sequence[Unsent]) -> str:
    said = {
        f"The {role} was {_player(config, left_out.settings_of(config.model))}."
        for run, left_out in zip(runs, unsent, strict=True)
        for role, played in (run.eval.model_roles or {}).items()
        for config in (played if isinstance(played, list) else [played])
    }
    return " ".join(sorted(said))


def _player(config: ModelConfig, unsent: Collection[str]) -> str:
    settings = model_arguments(config.args) | _asked_with(config.config, unsent)
    set_to = ", ".join(f"{name}={value}" for name, value in settings.items())
    return model_name(config.model) + (f" ({set_to})" if set_to else "")


def _items(runs: Sequence[EvalLog]) -> str:
    """How many items of what were asked how often, and which were not."""
    said = dict.fromkeys(_asked(run) for run in runs)
    left_out = {
        f"{count} of {setting_text(_facts(run).get('dataset'))} were not asked: "
        + scrub(str(reason))
        for run in runs
        for reason, count in (_facts(run).get("excluded") or {}).items()
    }
    return ". ".join([f"Items: {'; '.join(said)}", *sorted(left_out)]) + "."


def _asked(run: EvalLog) -> str:
    facts, config = _facts(run), run.eval.config
    name = setting_text(facts.get("dataset") or run.eval.dataset.name or _task_name(run))
    split = ", ".join(
        f"{facts[f'{part}_items']} {part}" for part in ("train", "test") if f"{part}_items" in facts
    )
    limit = f", of which --limit {config.limit} kept a part" if config.limit else ""
    epochs = config.epochs or 1
    times = "one epoch" if epochs == 1 else f"{epochs} epochs"
    items = f"{facts['items']} " if "items" in facts else ""
    return f"{items}of {name}" + (f" ({split})" if split else "") + f", {times}{limit}"


def _facts(run: EvalLog) -> Mapping[str, Any]:
    return facts_of(run, log_table(run))


def _task_name(run: EvalLog) -> str:
    return run.eval.task.rsplit("/", 1)[-1]


def _counts(judgments: pd.DataFrame) -> str:
    """How many judgments could be read, and what became of the others."""
    statuses = judgments["status"].value_counts()
    read = int(statuses.get("ok", 0))
    others = ", ".join(f"{count} {name}" for name, count in statuses.items() if name != "ok")
    lost = len(judgments) - read
    return (
        f"Judgments: {len(judgments)}, of which {read} could be read and {lost} could not"
        + (f" ({others})" if others else "")
        + "."
    )


def _merged(settings: Iterable[Mapping[str, object]], missing: str = "not set") -> dict[str, str]:
    """Settings of several runs: every value that a name has, where it isn't one for all."""
    there = list(settings)
    return {
        name: " | ".join(filter(None, dict.fromkeys(str(one.get(name, missing)) for one in there)))
        for name in sorted({name for one in there for name in one})
    }


def _sentence(start: str, settings: Mapping[str, str], rest: str = "") -> str:
    parts = [f"{name}={value}" for name, value in settings.items()]
    return f"{start}: {'; '.join([*parts, *filter(None, [rest])])}." if parts else ""


def _listed(words: Iterable[str]) -> str:
    """Different words in their order, with `and` before the last one."""
    different = list(dict.fromkeys(words))
    return " and ".join(filter(None, [", ".join(different[:-1]), *different[-1:]]))


_SURVEYED = "wep_elicitation"
"""The task whose answers are compared with people's."""


@dataclass(frozen=True)
class Citation:
    """What a report of these judgments cites and says.

    Attributes:
        bibtex: Entries: this package, Inspect, the studies, and the data sets.
        settings: A paragraph a task: models, arguments, versions, counts.
        unknown: Data sets that no reference is known for, such as a user's files.
    """

    bibtex: Sequence[str]
    settings: Sequence[str]
    unknown: Sequence[str]


def cite(paths: Paths, *, judgments: Judgments | None = None) -> Citation:
    """What to cite of judgments, and the settings that their logs record.

    Neither keys, addresses nor folders are in it.

    Args:
        paths: As `read_judgments` takes them.
        judgments: What was read from them already, so that it isn't read twice.

    Raises:
        InvalidArgument: A path can't be used, or no judgment was found.
    """
    frames = read_judgments(paths) if judgments is None else judgments
    logged = _runs(paths, {run for frame in frames.values() for run in frame["run"].unique()})
    stored = _stored_runs(paths)
    runs = {task: logged.get(task, []) for task in frames}
    headers = [one for some in runs.values() for one in some]
    named = sorted(_datasets(frames))
    packaged = {name for frame in frames.values() for name in frame["package_version"].unique()}
    studies = [one for one in all_studies() if any(table.task in frames for table in one.tables)]
    entries = [
        _software("inspect_confidence", headers, packaged),
        *(study.reference for study in studies if study.reference),
        *(bibtex(key) for name in named for key in DATASETS.get(name, ())),
        *([bibtex(SURVEY)] if _SURVEYED in frames else []),
        *([_software("inspect_ai", headers)] if headers else []),
    ]
    return Citation(
        list(dict.fromkeys(entries)),
        [
            _paragraph(task, table.replies(frames[task]), runs[task], stored)
            for task, table in all_tables().items()
            if task in frames
        ],
        [scrub(name) for name in named if name not in DATASETS and name not in OWN],
    )


def _runs(paths: Paths, judged: Collection[str]) -> dict[str, list[EvalLog]]:
    """By task the headers of its judged runs, of the latest log of one that was retried or copied.

    Logs that can't be read are in the judgments' notices.
    """
    found: dict[str, dict[str, EvalLog]] = {}
    for place in _places(paths):
        for location in () if place.endswith(SUFFIXES) else find_logs(place):
            with suppress(Exception):
                one = read_eval_log(location, header_only=True)
                if one.eval.task_id not in judged:
                    continue
                runs = found.setdefault(log_table(one).task, {})
                before = runs.setdefault(one.eval.task_id, one)
                if before.eval.created < one.eval.created:
                    runs[one.eval.task_id] = one
    created = attrgetter("eval.created")
    return {task: sorted(runs.values(), key=created) for task, runs in found.items()}


def _places(paths: Paths) -> list[str]:
    places = [paths] if isinstance(paths, str | PathLike) else paths
    return [fspath(place) for place in places]


def _stored_runs(paths: Paths) -> set[str]:
    """Names of the runs that the stores among some paths hold."""
    folders = [place for place in _places(paths) if not place.endswith(SUFFIXES)]
    stores = [store for folder in folders if (store := store_at(folder))]
    return {str(entry.record.get("id")) for store in stores for entry in store.entries}


def _datasets(frames: Judgments) -> set[str]:
    """Names of data sets; one run may have several."""
    return {
        name
        for frame in frames.values()
        for text in frame["dataset"].unique()
        for name in str(text).split("+")
        if name
    }


def _software(name: str, headers: Sequence[EvalLog], recorded: Iterable[str] = ()) -> str:
    """The entry of a package, with the versions that logs and judgments record."""
    versions = {*recorded, *(one.eval.packages.get(name, "") for one in headers)}
    return bibtex(name, version=" and ".join(sorted(filter(None, versions))))
