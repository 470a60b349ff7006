"""Logs -> what to cite, and how the numbers came about."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike, fspath

from inspect_ai.log import EvalLog, read_eval_log

from inspect_confidence._bibtex import reference
from inspect_confidence._files import SUFFIXES
from inspect_confidence._judgments import Judgments, Paths, read_judgments
from inspect_confidence._logs import find_logs
from inspect_confidence._secrets import scrub
from inspect_confidence._settings import settings_of
from inspect_confidence.datasets._references import DATASETS, OWN, SURVEY
from inspect_confidence.studies import STUDIES, TABLES

# As CITATION.cff has them, which isn't in the installed package; a test compares the two.
_TITLE = "inspect_confidence"
_AUTHOR = "The inspect_confidence maintainers"
_ABSTRACT = "Confidence elicitation and its statistics for language models, as a plugin of Inspect."

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
    runs = {task: _runs(paths, task) for task in frames}
    headers = [one for some in runs.values() for one in some]
    named = sorted(_datasets(frames))
    entries = [
        _software(frames, headers),
        *(study.reference for study in STUDIES if any(one.task in frames for one in study.tables)),
        *(entry for name in named for entry in DATASETS.get(name, ())),
        *([SURVEY] if _SURVEYED in frames else []),
        *_inspect(headers),
    ]
    return Citation(
        list(dict.fromkeys(entries)),
        [settings_of(task, frames[task], runs[task]) for task in TABLES if task in frames],
        [scrub(name) for name in named if name not in DATASETS and name not in OWN],
    )


def _runs(paths: Paths, task: str) -> list[EvalLog]:
    """The headers of a task's runs, of the latest log where one was retried or copied."""
    found: dict[str, EvalLog] = {}
    for one in _headers(paths):
        if one.eval.task.rsplit("/", 1)[-1] == task:
            before = found.get(one.eval.task_id)
            if before is None or before.eval.created < one.eval.created:
                found[one.eval.task_id] = one
    return sorted(found.values(), key=lambda one: one.eval.created)


def _headers(paths: Paths) -> Iterator[EvalLog]:
    """Of every log that can be read; the others are in the judgments' notices."""
    places = [paths] if isinstance(paths, str | PathLike) else paths
    for place in [fspath(one) for one in places]:
        for location in () if place.endswith(SUFFIXES) else find_logs(place):
            with suppress(Exception):
                yield read_eval_log(location, header_only=True)


def _datasets(frames: Judgments) -> set[str]:
    """Names of data sets; one run may have several."""
    return {
        name
        for frame in frames.values()
        for text in frame["dataset"].unique()
        for name in str(text).split("+")
        if name
    }


def _software(frames: Judgments, headers: Sequence[EvalLog]) -> str:
    recorded = {name for frame in frames.values() for name in frame["package_version"].unique()}
    recorded |= {one.eval.packages.get(_TITLE, "") for one in headers}
    return reference(
        "software",
        _TITLE,
        organization=_AUTHOR,
        title=_TITLE,
        version=" and ".join(sorted(filter(None, recorded))),
        note=_ABSTRACT,
    )


def _inspect(headers: Sequence[EvalLog]) -> Iterator[str]:
    """The harness, where there are logs of its runs."""
    if headers:
        recorded = {one.eval.packages.get("inspect_ai", "") for one in headers}
        yield reference(
            "software",
            "inspect_ai",
            organization="UK AI Security Institute",
            title="Inspect AI: Framework for Large Language Model Evaluations",
            year=2024,
            version=" and ".join(sorted(filter(None, recorded))),
            url="https://github.com/UKGovernmentBEIS/inspect_ai",
        )
