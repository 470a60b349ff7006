"""Judgments -> results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike

import pandas as pd

from inspect_confidence.arguments import choice, integer, user_path
from inspect_confidence.datasets.wep_survey import read_survey
from inspect_confidence.errors import InvalidArgument
from inspect_confidence.judgments.files import typed
from inspect_confidence.judgments.read import Judgments, Paths, common, read_groups, read_judgments
from inspect_confidence.results import Result, results_frame
from inspect_confidence.studies import STUDIES, TABLES, Resampling
from inspect_confidence.studies.hedge_markers.forms import read_forms

Source = pd.DataFrame | Mapping[str, pd.DataFrame] | Paths


def summarize(
    source: Source,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    penalty: float = 10.0,
    thresholds: Sequence[float] = (0.5, 0.75),
    convention: str | None = None,
    survey: str | PathLike[str] | None = None,
    groups: str | PathLike[str] | None = None,
    common_items: bool = False,
    markers: str | PathLike[str] | None = None,
    marker_thresholds: Sequence[float] = (10,),
    ddof: int = 1,
    correlation_clamp: float = 0.9999,
    workers: int = 1,
) -> pd.DataFrame:
    """The results of all judgments: one row a number.

    Args:
        source: Judgments (a frame, or frames by task), or paths that `read_judgments` takes.
        resamples: Bootstrap resamples of the items for the 95% intervals.
        seed: Of the resampling.
        penalty: Lambda of FermiEval's decoding-temperature rule: mean interval score + lambda *
            max(0, nominal - coverage); used where several temperatures were sampled.
        thresholds: From which on stated confidence, in [0, 1], counts as high for type-2
            sensitivity.
        convention: `text`, or `authors` where a study's text and its authors' code differ: of
            words chosen for numbers, `authors` counts the first letter of a reply; of question
            sets, `text` grades by the largest probability, and `authors` has the published bins of
            ECE and rule of rounding. None is each study's default, as its documentation says.
        survey: A csv file of what people say that words mean, a column a word with values from 0
            to 100; by default the 123 people surveyed by W. Fagen-Ulmschneider.
        groups: A csv file with `model` and `group`, for means over groups of models; by default
            all models are one group.
        common_items: Whether only items count that every model of a data set answered readably;
            notes say how many were left out.
        markers: A json file that says which form stands for each hedge marker, as `canonicalize`
            writes it; by default rules decide.
        marker_thresholds: T: how many sentences a hedge marker needs in a data set's split; each
            of several has rows of its own.
        ddof: n - ddof divides the squares in coefficients of variation of markers.
        correlation_clamp: Correlations of markers are kept within it before Fisher's
            transformation.
        workers: Processes that work at once where a study has independent parts and many
            judgments: the models of the scale study. They import a script that calls this, so
            that the call must stand below `if __name__ == "__main__":` there.

    Returns:
        A frame with the columns `task, model, dataset, condition, metric, value, ci_low, ci_high,
        n, note`, as docs/judgments.md describes them.

    Raises:
        InvalidArgument: The source can't be used, or holds no judgment.
    """
    frames = judgments_of(source)
    for threshold in thresholds:
        if not 0 < threshold <= 1:
            raise InvalidArgument(f"thresholds={threshold} is not between 0 and 1, as 0.5 is.")
    if convention is not None:
        choice("convention", convention, ("text", "authors"))
    if ddof not in (0, 1):
        raise InvalidArgument(f"ddof={ddof} is neither 0 nor 1.")
    if not 0 < correlation_clamp <= 1:
        raise InvalidArgument(f"correlation_clamp={correlation_clamp} is not in (0, 1].")
    if not marker_thresholds or min(marker_thresholds) < 1:
        raise InvalidArgument(
            f"marker_thresholds={list(marker_thresholds)}: give numbers from 1 on, such as 10."
        )
    workers = integer("workers", workers, least=1)
    people = read_survey(user_path("survey", survey)) if survey else None
    members = read_groups(user_path("groups", groups)) if groups else None
    forms = read_forms(user_path("markers", markers)) if markers else None
    resampling = Resampling(
        resamples,
        seed,
        penalty,
        tuple(thresholds),
        convention,
        people,
        members,
        forms,
        tuple(marker_thresholds),
        ddof,
        correlation_clamp,
        workers,
    )
    found: list[Result] = []
    for study in STUDIES:
        mine: dict[str, pd.DataFrame] = {}
        notes: dict[tuple[str, str], str] = {}
        for table in study.tables:
            if table.task in frames:
                frame = frames[table.task]
                if common_items:
                    frame, left_out = common(frame, table)
                    notes |= {(table.task, name): note for name, note in left_out.items()}
                mine[table.task] = frame
        if any(map(len, mine.values())):
            found += [_noted(one, notes) for one in study.summarize(mine, resampling)]
    return results_frame(found)


def _noted(result: Result, notes: Mapping[tuple[str, str], str]) -> Result:
    """The result, its note saying what its data set lost to the choice of common items."""
    mine = {name: note for (task, name), note in notes.items() if task == result.task}
    each = "; ".join(f"{name}: {note}" for name, note in mine.items())
    note = mine.get(result.dataset, each)  # of all data sets where the result is over them
    return replace(result, note="; ".join(filter(None, (result.note, note))))


def judgments_of(source: Source) -> Judgments:
    """Judgments from whatever a public function takes for them.

    Raises:
        InvalidArgument: It can't be used, or holds no judgment.
    """
    if isinstance(source, Judgments):
        return source
    if isinstance(source, pd.DataFrame):
        if "task" not in source:
            raise InvalidArgument(
                f"The frame has no column 'task'; known tasks: {', '.join(TABLES)}."
            )
        source = {str(task): frame for task, frame in source.groupby("task", sort=False)}
    if isinstance(source, Mapping):
        for task in source:
            if task not in TABLES:
                raise InvalidArgument(f"There is no task {task!r}; known: {', '.join(TABLES)}.")
        return Judgments(
            {
                task: typed(frame.assign(task=task), TABLES[task], "the frame")
                for task, frame in source.items()
            }
        )
    return read_judgments(source)
