"""Settings of commands, and the division of judgments into studies."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from math import nextafter
from os import PathLike
from pathlib import PurePath
from typing import Any, TypedDict

import pandas as pd

from inspect_confidence.arguments import choice, integer, name_list, number, numbers, parts
from inspect_confidence.commands.judge_labels import read_judge_labels, refuse_other_judges
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.executors import ExecutorOption
from inspect_confidence.judgments.read import JudgmentSource, judgments_of, keep_common_items
from inspect_confidence.judgments.streams import Stream, stream_at
from inspect_confidence.metrics import METRICS, Costs
from inspect_confidence.results import Condition, Result, change_variant
from inspect_confidence.studies import Resampling, Study, all_studies
from inspect_confidence.studies.notes import UNNAMED_DATASET
from inspect_confidence.studies.over_models import point_and_condition
from inspect_confidence.studies.study import Observer
from inspect_confidence.studies.unread import UNREAD_SHARE, unread_shares

CONVENTIONS = ("text", "authors")
"""Values of the setting `convention`."""


class Settings(TypedDict, total=False):
    """Keywords of every function that computes results.

    Attributes:
        resamples: Bootstrap resamples of the items for 95% intervals and differences; 10,000
            unless the function says otherwise.
        seed: Seed of the resamples, a whole number from 0 on; 0 by default.
        thresholds: Confidences in (0, 1] from which on stated confidence counts as high for type-2
            sensitivity; .5 and .75 by default.
        costs: Utilities of a right answer, a wrong answer and no answer, as `{"right": 1,
            "wrong": -2, "abstain": 0}` or text. With them, the utility of answering
            only at or above a confidence threshold is computed.
        judge_labels: Labelled judgments, as `commands.judge_labels.read_judge_labels` takes them.
            With them, shares of right answers are also corrected for the judge's errors.
        convention: `text` or `authors`, if a study's text and its authors' code differ. For words
            chosen for numbers, `authors` counts the first letter of a reply. For question sets,
            `text` grades by the largest probability, and `authors` uses the published bins of ECE
            and rule of rounding. None is each study's default, which its documentation names.
        common_items: Whether only items count that every model of a data set answered readably
            (a declined answer was read); notes count the items left out.
        options: Options of single studies by `study.name`, as `{"fermi_eval.penalty": 5}`;
            docs/judgments.md lists them.
        workers: Number of processes for a study with independent parts and many judgments (the
            models of the scale study). The processes import the calling script, so that the call
            must be below `if __name__ == "__main__":`.
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


def read_settings(settings: Settings) -> dict[str, Resampling]:
    """Check settings and return each study's `Resampling`, the parsed settings, by study name.

    Raises:
        InvalidArgument: A setting is invalid.
        TypeError: A setting is unknown.
    """
    names = Settings.__annotations__
    for name in settings:
        if name not in names:
            raise TypeError(f"unexpected keyword {name!r}. {nearest(name, names)}")
    convention = settings.get("convention")
    if convention is not None:
        choice("convention", convention, CONVENTIONS)
    thresholds = settings.get("thresholds", Resampling.thresholds)
    # A list is read as it is; anything else, such as ".5,.75" or 0.5, as text.
    is_list = isinstance(thresholds, Iterable) and not isinstance(thresholds, str)
    threshold_entries = list(thresholds) if is_list else thresholds
    common_settings = Resampling(
        resamples=integer("resamples", settings.get("resamples", 10_000), minimum=1),
        seed=integer("seed", settings.get("seed", 0), minimum=0),
        # `below` excludes its own value, and a threshold of 1 is allowed.
        thresholds=tuple(numbers("thresholds", threshold_entries, above=0, below=nextafter(1, 2))),
        convention=convention,
        workers=integer("workers", settings.get("workers", 1), minimum=1),
        costs=read_costs(settings.get("costs")),
        judge_labels=read_judge_labels(settings.get("judge_labels")),
    )
    # To these each study adds its own options, and the choices that results name.
    options_by_study = _read_options(settings.get("options", {}))
    resampling_by_study = {}
    for study in all_studies():
        study_options = options_by_study[study.name]
        resampling_by_study[study.name] = replace(
            common_settings,
            study_options=study.options(**study_options),
            choices=_choices_by_task(study, study_options, settings),
        )
    return resampling_by_study


def _read_options(options: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the parsed options of each study: `{"fermi_eval": {"penalty": 5.0}}`.

    `options` are values as the user gives them, by `study.option`; invalid ones are refused.
    """
    known_options: dict[str, tuple[Study, Field[Any]]] = {}
    for study in all_studies():
        for option in fields(study.options):
            known_options[f"{study.name}.{option.name}"] = study, option
    for name in options:
        if name not in known_options:
            raise InvalidArgument(f"There is no option {name!r}. {nearest(name, known_options)}")
    parsed: dict[str, dict[str, object]] = {study.name: {} for study in all_studies()}
    for name, value in options.items():
        study, option = known_options[name]
        read_option = option.metadata["read"]  # raises `InvalidArgument` for an invalid value
        parsed[study.name][option.name] = read_option(name, value)
    return parsed


def _choices_by_task(
    study: Study, study_options: Mapping[str, object], settings: Settings
) -> dict[str, dict[str, str]]:
    """Return the analysis choices that change numbers, by task: `{"TASK": {"penalty": "5"}}`.

    `study_options` are parsed values by the option's name; `settings` has the options as given.
    """
    convention = settings.get("convention")
    choices: dict[str, dict[str, str]] = {}
    for table in study.tables:
        choices[table.task] = {}
        if convention in table.conventions:
            choices[table.task]["convention"] = str(convention)
    for option in fields(study.options):
        value = study_options.get(option.name, option.default)
        # If an option has several values, the condition of each number names its value.
        if value == option.default or (isinstance(value, tuple) and len(value) > 1):
            continue
        for task in option.metadata["changes"]:  # the tasks whose numbers the option changes
            setting = settings.get("options", {})[f"{study.name}.{option.name}"]
            choices[task][option.name] = option_text(setting)
    return choices


def option_text(value: object) -> str:
    """Return the value of an option as text for variants and captions.

    A path is written without its folder, and so is any other text with a slash.

    Example:
        >>> option_text("surveys/mine.csv"), option_text([2, 5]), option_text(3.0)
        ('mine.csv', '2,5', '3')
    """
    if isinstance(value, list | tuple):
        return ",".join(map(option_text, value))
    if isinstance(value, float):
        return f"{value:g}"
    return PurePath(str(value)).name


def add_choices_to_variants(frame: pd.DataFrame, task: str, resampling: Resampling) -> pd.DataFrame:
    """Return judgments whose variants name the analysis choices that change the task's numbers.

    Results of different choices, as `convention=authors`, then stay apart. Choices that are the
    defaults are not named; if all are defaults, the frame is unchanged.
    """
    if not resampling.choices.get(task):
        return frame
    renamed = {}
    for variant in frame["variant"].unique():
        renamed[variant] = change_variant(variant, **resampling.choices[task])
    return frame.assign(variant=frame["variant"].map(renamed))


def add_choices_to_all_variants(
    frames: Mapping[str, pd.DataFrame], settings: Settings
) -> dict[str, pd.DataFrame]:
    """Return judgments by task whose variants name analysis choices, as `convention=authors`."""
    resampling_by_study = read_settings(settings)
    frames_with_choices = dict(frames)
    for study in all_studies():
        for task in frames_with_choices.keys() & set(study.tasks):
            frames_with_choices[task] = add_choices_to_variants(
                frames_with_choices[task], task, resampling_by_study[study.name]
            )
    return frames_with_choices


def settings_text(settings: Settings) -> str:
    """Return `Analysis: name=value; ....` with the settings that were given; empty without any.

    Resamples, seed and workers, which change no definition of a number, are not named, nor are
    labels of a judge that were given as a frame.
    """
    texts = []
    for name in ("thresholds", "costs", "convention"):
        value = settings.get(name)
        if isinstance(value, Mapping):  # costs
            value = [f"{cost}={option_text(utility)}" for cost, utility in value.items()]
        if value is not None:
            texts.append(f"{name}={option_text(value)}")
    if settings.get("common_items"):
        texts.append("common_items=true")
    if isinstance(labels := settings.get("judge_labels"), str | PathLike):
        texts.append(f"judge_labels={option_text(labels)}")
    for name, option_value in settings.get("options", {}).items():
        texts.append(f"{name}={option_text(option_value)}")
    return f"Analysis: {'; '.join(texts)}." if texts else ""


def read_costs(costs: Mapping[str, float] | str | None) -> Costs | None:
    """Read costs from a mapping or from `right=1,wrong=-2,abstain=0`; None stands for no costs.

    Raises:
        InvalidArgument: A cost is missing, unknown or not a number, or the costs are not in the
            order wrong < abstain < right.
    """
    if costs is None:
        return None
    names = [cost.name for cost in fields(Costs)]
    values: dict[str, object] = {}
    if isinstance(costs, Mapping):
        values.update(costs)
    else:
        for pair in parts(costs):  # the texts between commas
            name, _, value = pair.partition("=")
            values[name] = value
    for name in values:
        choice("costs", name.strip(), names)
    for name in names:
        if name not in map(str.strip, values):
            raise InvalidArgument(f"costs={costs} lacks {name}; give right=1,wrong=-2,abstain=0.")
    numbers_by_name = {}
    for name, cost in values.items():
        numbers_by_name[name.strip()] = number(f"costs {name}", cost)
    try:
        return Costs(**numbers_by_name)
    except ValueError as error:
        raise InvalidArgument(f"costs={costs}: {error}") from error


@dataclass(frozen=True)
class StudyResults:
    """A study with its judgments by task and its resampling.

    Attributes:
        study: The study.
        frames: Judgments by task; only those of common items if this is set.
        all_frames: All judgments by task.
        resampling: Resampling and further settings.
        notes: By task and data set, a note of how many items are common to all models.
        metrics: Metrics whose results are wanted; None for all.
    """

    study: Study
    frames: Mapping[str, pd.DataFrame]
    all_frames: Mapping[str, pd.DataFrame]
    resampling: Resampling
    notes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    metrics: Collection[str] | None = None

    def results(
        self,
        observe: Observer | None = None,
        is_observed: Callable[[str, Condition], bool] | None = None,
    ) -> Iterator[Result]:
        """Yield the study's results, and then its shares of unread replies.

        The shares use all judgments (`all_frames`), since the items that all models answered (the
        setting `common_items`) have no unread replies.

        `observe` is called with each result and its values over resamples; `is_observed` says for
        which numbers these are needed, as in `Resampling`.
        """
        resampling = replace(self.resampling, observe=observe, is_observed=is_observed)
        if self.metrics is not None:
            # Some metrics are computed from others, such as ranks from the values of models.
            resampling = replace(resampling, metrics=self.study.with_sources(self.metrics))
        # Equal judgments stay apart if their items matter: resamples for a callback take the same
        # items of all models, and judge labels name items.
        needs_rows = observe is not None or resampling.judge_labels is not None
        frames, all_frames = self.frames, self.all_frames
        if not needs_rows:
            frames, all_frames = self._count_equal(frames), self._count_equal(all_frames)
        for result in self.study.summarize(frames, resampling):
            if self.metrics is None or result.metric in self.metrics:
                yield self._add_note(result)
        for table in self.study.tables:
            if table.task in all_frames:
                yield from unread_shares(table, all_frames[table.task])

    def _count_equal(self, frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
        """Return judgments by task, equal ones as a row with their count if the task allows it.

        This takes less time and changes no number.
        """
        counted = dict(frames)
        for table in self.study.tables:
            if table.counting and table.task in frames:
                counted[table.task] = table.counting.count_equal(frames[table.task])
        return counted

    def _add_note(self, result: Result) -> Result:
        """Return a result whose note also says how many items of its data set all models answered.

        `notes` is empty unless only these items are analyzed.
        """
        if not self.notes:
            return result
        note_by_dataset = {}  # of the result's task
        for (task, dataset), dataset_note in self.notes.items():
            if task == result.task:
                note_by_dataset[dataset] = dataset_note
        # A result over all data sets gets all notes.
        all_notes = "; ".join(
            f"{dataset or UNNAMED_DATASET}: {note}" for dataset, note in note_by_dataset.items()
        )
        note = note_by_dataset.get(result.dataset, all_notes)
        return replace(result, note="; ".join(filter(None, (result.note, note))))


_MAX_OBJECT_ROWS = 20_000
"""Number of judgments up to which texts are kept as Python objects: faster, but more memory."""


def _store_texts_as_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Return judgments with texts as Python objects, which are faster to group.

    More than 20,000 judgments are returned unchanged, since objects need more memory.
    """
    if len(frame) > _MAX_OBJECT_ROWS:
        return frame
    text_columns = [name for name in frame if isinstance(frame[name].dtype, pd.StringDtype)]
    return frame.astype(dict.fromkeys(text_columns, object))


def as_stream(
    source: JudgmentSource, settings: Settings, executor: ExecutorOption = None
) -> JudgmentSource | Stream:
    """Return a store as a stream, which is read model by model; other sources unchanged.

    A store is a folder of judgments that the command `ingest` wrote. It is unchanged, too, if a
    setting needs the judgments of all models at once. `executor` (processes, or a Dask cluster)
    counts equal judgments in the files of a store, so that metrics of counts need no rows.
    """
    if settings.get("common_items") or settings.get("judge_labels") is not None:
        return source
    return stream_at(source, executor) or source


def check_metrics(metrics: Collection[str]) -> None:
    """Refuse a metric that is not in the registry."""
    for metric in metrics:
        if metric not in METRICS:
            raise InvalidArgument(f"There is no metric {metric!r}. {nearest(metric, METRICS)}")


def compute_results(
    source: JudgmentSource | Stream, settings: Settings, metrics: Collection[str] | None = None
) -> Iterator[Result]:
    """Yield the results of all studies.

    A stream is read model by model if a study allows that; the order of results stays the same.

    Args:
        source: Judgments, or a stream of them.
        settings: Settings of the analysis.
        metrics: Metrics that are computed, beside the share of unread replies; None computes all.

    Raises:
        InvalidArgument: A setting or the source is invalid, a metric is unknown, or paths have no
            judgments; an empty frame has no results.
    """
    metrics = None if metrics is None else name_list(metrics)
    check_metrics(metrics or ())
    if not isinstance(source, Stream):
        for part in study_parts(source, settings):
            yield from replace(part, metrics=metrics).results()
        return
    resampling_by_study = read_settings(settings)
    for study in all_studies():
        yield from _results_of_stream(study, source, resampling_by_study[study.name], metrics)


def _results_of_stream(
    study: Study, stream: Stream, resampling: Resampling, metrics: Collection[str] | None
) -> list[Result]:
    """Return a study's results of some metrics, or of all if None, from judgments of a store.

    If the study allows it, one model is read after the other, which keeps memory small. The results
    are then sorted as without a stream: by model and variant, those on unread replies last.
    """
    results: list[Result] = []
    for stream_frames in stream.frames(study.tasks, each_model=study.each_model):
        frames = {}  # judgments by task, of one model or of all
        for task in study.tasks:
            if task in stream_frames:
                frame = add_choices_to_variants(stream_frames[task], task, resampling)
                frames[task] = _store_texts_as_objects(frame)
        # A stream is not limited to common items: `frames` and `all_frames` are the same.
        part = StudyResults(study, frames, frames, resampling, metrics=metrics)
        results += part.results()
    if study.each_model:
        order = {}  # positions by model and variant, as results name them
        for (model, variant), position in stream.order(study.tasks).items():
            for task in study.tasks:
                choices = resampling.choices.get(task, {})
                order[model, change_variant(variant, **choices)] = position
        # By model and variant, the first of `point_and_condition`. The second sort is stable: it
        # keeps this order within both groups.
        results.sort(key=lambda result: order[point_and_condition(result)[0]])
        results.sort(key=lambda result: result.metric == UNREAD_SHARE)
    return results


def study_parts(source: JudgmentSource, settings: Settings) -> Iterator[StudyResults]:
    """Yield each study that has judgments, with its judgments, settings and notes.

    With the setting `common_items`, results come from `frames` with only the items that all models
    answered, and shares of unread replies from `all_frames`; otherwise `frames` has all judgments.

    Raises:
        InvalidArgument: A setting or the source is invalid, or paths have no judgments.
    """
    resampling_by_study = read_settings(settings)
    judgments = judgments_of(source)
    any_resampling = next(iter(resampling_by_study.values()))  # all have the same judge labels
    refuse_other_judges(any_resampling.judge_labels, judgments)
    for study in all_studies():
        resampling = resampling_by_study[study.name]
        frames: dict[str, pd.DataFrame] = {}
        all_frames: dict[str, pd.DataFrame] = {}
        notes: dict[tuple[str, str], str] = {}
        for table in study.tables:
            if table.task not in judgments:
                continue
            frame = add_choices_to_variants(judgments[table.task], table.task, resampling)
            frame = _store_texts_as_objects(frame)
            all_frames[table.task] = frames[table.task] = frame
            if settings.get("common_items", False):
                frames[table.task], dataset_notes = keep_common_items(frame, table)
                for dataset, note in dataset_notes.items():
                    notes[table.task, dataset] = note
        if any(map(len, frames.values())):
            yield StudyResults(study, frames, all_frames, resampling, notes)
