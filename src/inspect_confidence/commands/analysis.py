"""What every command does first: its settings are read once, and judgments go to their studies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import nextafter
from os import PathLike
from typing import TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inspect_confidence.arguments import choice, integer, number, numbers, parts
from inspect_confidence.commands.judge_labels import read_judge_labels, refuse_other_judges
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.read import Source, common, judgments_of
from inspect_confidence.judgments.streams import Stream, stream_at
from inspect_confidence.metrics import Costs
from inspect_confidence.results import Result
from inspect_confidence.studies import Resampling, Study, all_studies
from inspect_confidence.studies.over_models import point_of
from inspect_confidence.studies.unread import METRICS as UNREAD
from inspect_confidence.studies.unread import unread

CONVENTIONS = ("text", "authors")

Observer = Callable[[Result, NDArray[np.float64]], None]
"""Is told a result with its values over the resamples."""


class Settings(TypedDict, total=False):
    """How numbers are computed: the keywords of every function that computes results.

    Attributes:
        resamples: Bootstrap resamples of the items for 95% intervals and differences; 10,000
            unless the function says otherwise.
        seed: Of both; 0 by default.
        thresholds: From which on stated confidence, in (0, 1], counts as high for type-2
            sensitivity; .5 and .75 by default.
        costs: What a right, a wrong and no answer are worth to you, as `{"right": 1, "wrong": -2,
            "abstain": 0}` or text, for the utility of answering from a confidence on; no such
            numbers where not given.
        judge_labels: Labelled judgments, as `commands.judge_labels.read_judge_labels` takes them:
            what their judge called right is given corrected for its errors, too; no such numbers
            where not given.
        convention: `text`, or `authors` where a study's text and its authors' code differ: of
            words chosen for numbers, `authors` counts the first letter of a reply; of question
            sets, `text` grades by the largest probability, and `authors` has the published bins of
            ECE and rule of rounding. None is each study's default, as its documentation says.
        common_items: Whether only items count that every model of a data set answered readably;
            notes say how many were left out.
        options: What one study alone asks for, by `study.name`, as `{"fermi_eval.penalty": 5}`;
            docs/judgments.md lists them.
        workers: Processes that work at once where a study has independent parts and many
            judgments: the models of the scale study. They import a script that calls this, so
            that the call must stand below `if __name__ == "__main__":` there.
    """

    resamples: int
    seed: int
    thresholds: Sequence[float] | str
    costs: Mapping[str, float] | str | None
    judge_labels: pd.DataFrame | PathLike[str] | str | None
    convention: str | None
    common_items: bool
    options: Mapping[str, object]
    workers: int


def resamplings(settings: Settings) -> dict[str, Resampling]:
    """How the numbers of each study are computed, by its name.

    Raises:
        InvalidArgument: A setting can't be used.
        TypeError: There is no such setting.
    """
    for name in settings:
        if name not in (names := Settings.__annotations__):
            raise TypeError(f"unexpected keyword {name!r}. {nearest(name, names)}")
    convention = settings.get("convention")
    if convention is not None:
        choice("convention", convention, CONVENTIONS)
    thresholds = settings.get("thresholds", Resampling.thresholds)
    listed = thresholds if isinstance(thresholds, str) else list(thresholds)
    every = Resampling(
        integer("resamples", settings.get("resamples", 10_000), least=1),
        integer("seed", settings.get("seed", 0)),
        tuple(numbers("thresholds", listed, above=0, below=nextafter(1, 2))),
        convention,
        integer("workers", settings.get("workers", 1), least=1),
        costs=read_costs(settings.get("costs")),
        judge_labels=read_judge_labels(settings.get("judge_labels")),
    )
    given = settings.get("options", {})
    known = {
        f"{study.name}.{one.name}": (study, one)
        for study in all_studies()
        for one in fields(study.options)
    }
    for name in given:
        if name not in known:
            raise InvalidArgument(f"There is no option {name!r}. {nearest(name, known)}")
    own: dict[str, dict[str, object]] = {study.name: {} for study in all_studies()}
    for name, value in given.items():
        study, one = known[name]
        own[study.name][one.name] = one.metadata["read"](name, value)
    return {
        study.name: replace(every, study_options=study.options(**own[study.name]))
        for study in all_studies()
    }


def read_costs(given: Mapping[str, float] | str | None) -> Costs | None:
    """The costs that are given as a mapping or as `right=1,wrong=-2,abstain=0`; None if none are.

    Raises:
        InvalidArgument: One is missing, unknown or no number, or they don't order the answers.
    """
    if given is None:
        return None
    names = [one.name for one in fields(Costs)]
    pairs = (one.partition("=")[::2] for one in parts(given)) if isinstance(given, str) else ()
    named = dict(given if isinstance(given, Mapping) else pairs)
    for name in named:
        choice("costs", name.strip(), names)
    if missing := [name for name in names if name not in map(str.strip, named)]:
        raise InvalidArgument(f"costs={given} lacks {missing[0]}; give right=1,wrong=-2,abstain=0.")
    try:
        return Costs(**{name.strip(): number(f"costs {name}", v) for name, v in named.items()})
    except ValueError as error:
        raise InvalidArgument(f"costs={given}: {error}") from error


@dataclass(frozen=True)
class Part:
    """A study with its judgments by task, and how its numbers are computed.

    Notes say by task and data set what the choice of common items left out of `asked`.
    """

    study: Study
    frames: Mapping[str, pd.DataFrame]
    asked: Mapping[str, pd.DataFrame]
    resampling: Resampling
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def results(self, observe: Observer | None = None) -> Iterator[Result]:
        """Its results, the last ones on replies that could not be read.

        The latter rest on all judgments: of the common items every reply was read.
        """
        resampling = replace(self.resampling, observe=observe)
        yield from map(self.noted, self.study.summarize(self.frames, resampling))
        for table in self.study.tables:
            if table.task in self.asked:
                yield from unread(table, self.asked[table.task], self.resampling)

    def noted(self, result: Result) -> Result:
        """A result, its note saying what its data set lost to the choice of common items."""
        if not self.notes:
            return result
        mine = {name: note for (task, name), note in self.notes.items() if task == result.task}
        each = "; ".join(f"{name}: {note}" for name, note in mine.items())
        note = mine.get(result.dataset, each)  # of all data sets where the result is over them
        return replace(result, note="; ".join(filter(None, (result.note, note))))


_FEW = 20_000
"""Judgments up to which Python's own text is quicker than it is large."""


def _small(frame: pd.DataFrame) -> pd.DataFrame:
    """The judgments, the text of few of them as objects: studies take many small parts of it."""
    if len(frame) > _FEW:
        return frame
    text = [name for name in frame if isinstance(frame[name].dtype, pd.StringDtype)]
    return frame.astype(dict.fromkeys(text, object))


def streamed(source: Source, settings: Settings) -> Source | Stream:
    """A store as a stream, unless a setting needs the judgments of all models at once."""
    if settings.get("common_items") or settings.get("judge_labels") is not None:
        return source
    return stream_at(source) or source


def results_of(source: Source | Stream, settings: Settings) -> Iterator[Result]:
    """The results of all studies; of a stream in the same order, a model after the other.

    Raises:
        InvalidArgument: As `parts_of`.
    """
    if not isinstance(source, Stream):
        for part in parts_of(source, settings):
            yield from part.results()
        return
    computed = resamplings(settings)
    for study in all_studies():
        found: list[Result] = []
        tasks = [table.task for table in study.tables]
        for read in source.frames(tasks, each_model=study.each_model):
            frames = {task: _small(read[task]) for task in tasks if task in read}
            found += Part(study, frames, frames, computed[study.name]).results()
        if study.each_model:
            order = source.order(tasks)
            found.sort(key=lambda one: (one.metric in UNREAD, order[point_of(one)[0]]))
        yield from found


def parts_of(source: Source, settings: Settings) -> Iterator[Part]:
    """Each study that has judgments, with them.

    Raises:
        InvalidArgument: A setting or the source can't be used, or there is no judgment.
    """
    computed = resamplings(settings)
    judgments = judgments_of(source)
    refuse_other_judges(next(iter(computed.values())).judge_labels, judgments)
    for study in all_studies():
        frames: dict[str, pd.DataFrame] = {}
        asked: dict[str, pd.DataFrame] = {}
        notes: dict[tuple[str, str], str] = {}
        for table in study.tables:
            if table.task in judgments:
                frame = asked[table.task] = _small(judgments[table.task])
                if settings.get("common_items", False):
                    frame, left_out = common(frame, table)
                    notes |= {(table.task, name): note for name, note in left_out.items()}
                frames[table.task] = frame
        if any(map(len, frames.values())):
            yield Part(study, frames, asked, computed[study.name], notes)
