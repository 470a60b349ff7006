"""Judgments of logs and files: one tidy frame per task, one row per elicited judgment."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, filterfalse
from pathlib import Path

import pandas as pd

from inspect_confidence.answers import ANSWER_STATUSES
from inspect_confidence.arguments import user_path
from inspect_confidence.errors import InvalidArgument, nearest
from inspect_confidence.judgments.checks import name_notices
from inspect_confidence.judgments.clusters import has_clusters, join_clusters, unclustered_notices
from inspect_confidence.judgments.executors import ExecutorOption, read_runs
from inspect_confidence.judgments.files import check_judgments, read_file, split_by_task
from inspect_confidence.judgments.joining import LocatedRun, join_runs, shared_sample_notices
from inspect_confidence.judgments.locations import (
    Log,
    Paths,
    list_logs,
    location_text,
    path_texts,
)
from inspect_confidence.judgments.order import columns_in, sort_judgments
from inspect_confidence.judgments.outcomes import join_outcomes
from inspect_confidence.judgments.runs import RETRY_REMEDY, is_repeated
from inspect_confidence.judgments.store import ReadOutcome, check_read_arguments, store_at
from inspect_confidence.judgments.tables import file_stem, is_table
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, change_variant
from inspect_confidence.studies import SELF_DESCRIBING, Recorded, TaskTable, all_tables
from inspect_confidence.studies.notes import UNNAMED_DATASET
from inspect_confidence.studies.workers import Progress


def keep_common_items(frame: pd.DataFrame, table: TaskTable) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the judgments of items that every model and variant of a data set answered readably.

    A model answered an item readably if it has judgments of the item and each is `ok` or declined;
    judgments by token probability are ignored unless the data set has no others.

    Args:
        frame: Judgments of one task.
        table: Table of the task; its columns `listwise` identify an item.

    Returns:
        The judgments, and by data set a note of how many items they cover.

    Raises:
        InvalidArgument: A data set has no such item.
    """
    parts, notes = [frame.iloc[:0]], {}  # without rows, the result keeps the columns
    for dataset, rows in frame.groupby("dataset", sort=False):
        # An item of each row, as a tuple of the columns that identify it.
        items = pd.Series(list(rows[list(table.listwise)].itertuples(index=False)), rows.index)
        # Each pair of a model and a variant counts as a model.
        models = rows.groupby(["model", "variant"], sort=False).ngroup()
        n_models = models.nunique()
        readable_models = _count_readable_models(rows, items, models)
        is_common = readable_models == n_models
        if not is_common.any():
            name = str(dataset) or UNNAMED_DATASET
            raise InvalidArgument(
                f"--common-items: no item of {name} was answered readably "
                f"by all of {n_models} models and variants; leave the option out, or some of them."
            )
        parts.append(rows[items.isin(is_common.index[is_common])])
        notes[str(dataset)] = (
            f"{int(is_common.sum())} of {len(is_common)} items that all "
            f"{n_models} models and variants answered readably"
        )
    return pd.concat(parts, ignore_index=True), notes


def _count_readable_models(rows: pd.DataFrame, items: pd.Series, models: pd.Series) -> pd.Series:
    """Return by item the number of models that have judgments of it, all of them read.

    A declined answer was read: without it an item's attempted share and payoff would be lost.
    `items` and `models` identify item and model of each row. Judgments by token probability are
    ignored unless there are no others.
    """
    is_read = rows["status"].isin(["ok", *ANSWER_STATUSES])
    answers = pd.DataFrame({"item": items, "model": models, "read": is_read})
    if "source" in rows and (rows["source"] != "token").any():
        answers = answers[rows["source"] != "token"]
    is_readable = answers.groupby(["item", "model"])["read"].all()
    return is_readable.groupby("item").sum()


RunSettings = Mapping[str, str]


def variants_of_runs(runs: Sequence[tuple[str, str, RunSettings]]) -> list[str]:
    """Return the variant of each run: the settings in which runs of its kind differ.

    A variant is written as `key=value` pairs, with `default` for a setting that the run lacks. It
    also has the settings that the task always shows.
    `dataset` has a column of its own and is never part of a variant; `data`, the fingerprint of the
    data set, is part of it only if a data set of one name was read in several versions.

    Args:
        runs: Task of each run, its kind (`Run.kind`: the task and the arguments that decide its
            other settings), and its settings as texts by name.

    Example:
        >>> low, default = {"effort": "low", "seed": "0"}, {"seed": "0"}
        >>> variants_of_runs([("fermi_eval", "kind", low), ("fermi_eval", "kind", default)])
        ['effort=low', 'effort=default']
    """
    settings_by_kind: dict[str, list[RunSettings]] = {}
    names: dict[str, set[str]] = {}  # of the settings in variants, by kind
    for task, kind, settings in runs:
        settings_by_kind.setdefault(kind, []).append(settings)
        names[kind] = set(all_tables()[task].always_shown)
    for kind, settings_of_runs in settings_by_kind.items():
        names[kind] |= _differing_settings(settings_of_runs)
    variants = []
    for _task, kind, settings in runs:
        pairs = {name: settings.get(name, "default") for name in names[kind]}
        variants.append(str(Condition(pairs)))  # sorted by name
    return variants


def _differing_settings(runs: Sequence[RunSettings]) -> set[str]:
    """Return the names of the settings in which runs differ, but never `dataset`.

    `data`, a data set's fingerprint, counts only if it differs between runs on one `dataset`.
    """
    differing: set[str] = set()
    for name in set[str]().union(*runs) - {"dataset", "data"}:
        values = {settings.get(name) for settings in runs}
        if len(values) > 1:
            differing.add(name)
    versions: dict[str | None, set[str | None]] = {}
    for settings in runs:
        versions.setdefault(settings.get("dataset"), set()).add(settings.get("data"))
    if any(len(fingerprints) > 1 for fingerprints in versions.values()):
        differing.add("data")
    return differing


class Judgments(dict[str, pd.DataFrame]):
    """Judgments by task.

    Attributes:
        notices: Notices for the reader: logs that could not be read, incomplete runs, duplicates
            that were dropped, items that were never asked.
        loss_notices: The notices about lost data: logs that could not be read, and incomplete runs
            that no retry completed.
    """

    def __init__(
        self,
        frames: dict[str, pd.DataFrame],
        notices: Iterable[str] = (),
        loss_notices: Iterable[str] = (),
    ) -> None:
        """Make a dict of frames by task, with all notices and those about lost data."""
        super().__init__(frames)
        self.notices = tuple(notices)
        self.loss_notices = tuple(loss_notices)


def read_judgments(
    paths: Paths,
    *,
    progress: Progress = iter,
    reread: bool = False,
    recorded: Recorded = SELF_DESCRIBING,
    executor: ExecutorOption = None,
) -> Judgments:
    """Read judgments from logs, folders of logs, stores, and tables such as csv files.

    A sample in several logs (retries, copies, re-scored logs) counts once. It is taken from a log
    in which it did not end in an error; of several, from the newest by the times recorded in the
    logs. Settings that differ between the runs are written into `variant`.

    Args:
        paths: One or several paths: `.eval` logs, folders (any that Inspect reads), stores written
            by `ingest`, tables (csv, tsv, jsonl, json, parquet, also packed as `.gz`).
        progress: Wraps the list of logs while they are read, to show progress.
        reread: Whether the replies in logs are read again by the present readers, as `inspect
            score` would, but without a model and without writing a log. Judgments by a judge model
            stay as they are, and so do files, which contain no replies; notices report this, and
            how many judgments changed.
        recorded: Where logs of other evals, and files, record confidence and correctness, the
            fields by whose values results are given, too, and the field of the clusters.
        executor: Reads the logs: any `concurrent.futures.Executor`, or a value of `--executor`. A
            script that starts processes must run its own code under `if __name__ == "__main__":`.

    Returns:
        A frame for each task, with the columns that docs/judgments.md lists, its rows sorted, and
        notices.

    Raises:
        InvalidArgument: A path does not exist, a file cannot be used, or there is no judgment.
    """
    if not isinstance(recorded, Recorded):
        raise InvalidArgument(
            f"recorded={recorded} is no Recorded of inspect_confidence.studies; give one, "
            "such as Recorded(scale=(0, 100))."
        )
    locations = path_texts(paths)
    files = list(dict.fromkeys(filter(is_table, locations)))
    log_locations = list(filterfalse(is_table, locations))
    notices: list[str] = []
    loss_notices: list[str] = []
    sources = _read_files(files, recorded, notices)
    if log_locations:
        options = ReadOptions(progress, reread, recorded, executor)
        sources.append(_read_log_judgments(log_locations, options, notices, loss_notices))
    if reread:
        notices += [f"{file} has no replies to read again: it stays as it is" for file in files]
    frames: dict[str, list[pd.DataFrame]] = {}
    for source in sources:
        for task, frame in source.items():
            frames.setdefault(task, []).append(frame)
    if not frames:
        raise _no_judgments_error(locations, notices)
    notices += _unused_option_notices(recorded, files, log_locations)
    judgments: dict[str, pd.DataFrame] = {}
    repeats: dict[str, int] = {}
    for task, task_frames in frames.items():
        combined = pd.concat(task_frames, ignore_index=True)
        frame = sort_judgments(join_clusters(drop_repeats(combined)))
        judgments[task] = all_tables()[task].complete_confidence(frame)
        repeats[task] = len(combined) - len(frame)
    notices += repeat_notices(repeats)
    notices += name_notices(judgments.values())
    if recorded.cluster:
        notices += unclustered_notices(judgments, recorded.cluster)
    return Judgments(judgments, notices, loss_notices)


def _read_files(
    files: Sequence[str], recorded: Recorded, notices: list[str]
) -> list[dict[str, pd.DataFrame]]:
    """Return the judgments of each table by task; `notices` receives each notice with its files."""
    sources = []
    names = short_file_names(files)
    notices_of_files: list[tuple[str, str]] = []
    for file, name in zip(files, names, strict=True):
        path, file_notices = user_path("PATH", file), list[str]()
        sources.append(read_file(path, recorded, file_notices, name))
        for notice in file_notices:
            notices_of_files.append((str(path), notice.removeprefix(f"{path}: ")))
    notices += _merge_notices(notices_of_files, "files")
    notices += _mark_files_as_variants(sources, names)  # changes `variant` in the frames
    return sources


def _no_judgments_error(locations: Sequence[str], notices: Sequence[str]) -> InvalidArgument:
    """Return the error for locations without a judgment, with the first notice as the reason.

    Without a notice, a folder's tables are the reason: they are only read if they are named.
    """
    endings = "csv, tsv, jsonl, json, parquet, also .gz"
    reason = f"give Inspect's logs, a folder of them, or tables ({endings})"
    tables = [path for location in locations for path in _tables_in(location)]
    if notices:
        reason = _without_location(notices[0], locations[0])
    elif tables:
        reason = f"of a folder only Inspect's logs are read; name its tables, such as {tables[0]}"
    if len(notices) > 1:
        reason += f"; {len(notices) - 1} more notice{'s' if len(notices) > 2 else ''}"
    # The reason may be a sentence, such as the first error of a run.
    ending = "" if reason.endswith(".") else "."
    return InvalidArgument(f"No judgments in {', '.join(locations)}: {reason}{ending}")


def _tables_in(location: str) -> list[Path]:
    """Return the csv and other tables in a local folder and below it, in the order of their names.

    Files that may be no tables, such as notes in `.txt`, are left out.
    """
    if "://" in location or not Path(location).is_dir():
        return []
    paths = sorted(Path(location).rglob("*"))
    return [path for path in paths if path.suffix in (".csv", ".tsv", ".jsonl", ".parquet")]


def _without_location(notice: str, location: str) -> str:
    """Return a notice for a message that names the location already, without that name.

    Notices of other locations, such as of a log in the folder `location`, are returned as they are.

    Example:
        >>> _without_location("a.eval was left out: no confidence", "a.eval")
        'no confidence'
        >>> _without_location("a.eval could not be read and was left out: EOFError()", "a.eval")
        'it could not be read and was left out: EOFError()'
    """
    text = notice.removeprefix(location_text(location))
    if text.startswith((": ", " was left out: ")):
        return text.partition(": ")[2]
    return f"it{text}" if text.startswith(" could not be read") else notice


def short_file_names(files: Sequence[str]) -> list[str]:
    """Return a short name of each file: its stem, with as many folders as make names unique.

    The names are the whole paths if nothing shorter is unique.

    Example:
        >>> short_file_names(["runs/a/answers.csv", "runs/b/answers.csv"])
        ['a/answers', 'b/answers']
    """
    paths = list(map(Path, files))
    names = [file_stem(path.name) for path in paths]
    for depth in range(1, max((len(path.parts) for path in paths), default=0)):
        if len(set(names)) == len(set(paths)):
            break
        for position, path in enumerate(paths):
            folders = path.parts[:-1][-depth:]
            names[position] = "/".join([*folders, file_stem(path.name)])
    if len(set(names)) < len(set(paths)):
        return list(map(str, paths))
    return names


def _mark_files_as_variants(
    sources: Sequence[dict[str, pd.DataFrame]], names: Sequence[str]
) -> list[str]:
    """Write the file into `variant` if a model answers the same items in several files.

    `sources` are judgments of each file by task, which are changed; `names` are short names of the
    files. A notice for each task and such model is returned.
    """
    notices = []
    for task in dict.fromkeys(chain.from_iterable(sources)):
        frames = {file: source[task] for file, source in enumerate(sources) if task in source}
        for model, files in _files_with_same_items(frames).items():
            for file in files:
                frame = frames[file]
                with_file = {}
                for text in frame["variant"].unique():
                    with_file[text] = change_variant(text, file=names[file])
                variants = frame["variant"].map(with_file)
                frame["variant"] = frame["variant"].mask(frame["model"] == model, variants)
            file_list = ", ".join(names[file] for file in files)
            notices.append(
                f"{model} answers the same items in the files {file_list}: each file is a variant; "
                "number repetitions in a column 'epoch' to pool them"
            )
    return notices


def _files_with_same_items(frames: Mapping[int, pd.DataFrame]) -> dict[str, list[int]]:
    """Return by model the numbers of the files in which it answers an item of another file, too.

    Answers of different epochs, draws, variants, methods or levels are not of the same item here.
    `frames` are judgments of one task by the file's number. Models without such files are left out,
    and rows with a sample's uuid are ignored, since they come from logs.
    """
    identity = ["model", "variant", "dataset", "split", "item", "epoch", "draw"]
    identity += columns_in(next(iter(frames.values())), ("method", "level"))
    rows = []
    for file, frame in frames.items():
        rows.append(frame.loc[frame["uuid"] == "", identity].assign(file=file))
    joined = pd.concat(rows).drop_duplicates()  # a file may hold an answer twice
    repeated = joined[joined.duplicated(identity, keep=False)]
    files_by_model = {}
    for model in repeated["model"].unique():
        files_by_model[model] = sorted(repeated.loc[repeated["model"] == model, "file"].unique())
    return files_by_model


JudgmentSource = pd.DataFrame | Mapping[str, pd.DataFrame] | Paths
"""Sources of judgments that public functions accept: a frame, frames by task, or paths."""


def judgments_of(source: JudgmentSource) -> Judgments:
    """Return the judgments of any source that public functions accept.

    Raises:
        InvalidArgument: The source cannot be used, or is paths without a judgment. Frames may be
            empty.
    """
    if isinstance(source, Judgments):
        return source
    if isinstance(source, pd.DataFrame):
        if "task" not in source:
            raise InvalidArgument(
                "The frame has no column 'task'; add it, such as frame.assign(task='any_eval') for "
                "confidence and correctness of any eval."
            )
        source = split_by_task(source)
    if not isinstance(source, Mapping):
        return read_judgments(source)
    tables = all_tables()
    for task in source:
        if task not in tables:
            raise InvalidArgument(f"There is no task {task!r}; known: {', '.join(tables)}.")
    frames: dict[str, pd.DataFrame] = {}
    for task, frame in source.items():
        if not isinstance(frame, pd.DataFrame):
            raise InvalidArgument(
                f"{task!r}: {type(frame).__name__} is no frame; give a pandas frame for each task."
            )
        rows = frame.assign(task=task).reset_index(drop=True)
        typed_rows = check_judgments(rows, tables[task], "the frame")
        frames[task] = sort_judgments(join_clusters(typed_rows))
    return Judgments(frames)


def _unused_option_notices(
    recorded: Recorded, files: Sequence[str], logs: Sequence[str]
) -> Iterator[str]:
    """Yield a notice for each option that does not apply to the files, or logs, that are read."""
    if recorded.columns and not files:
        yield "--column is for tables such as csv files, and none is read"
    if recorded.order_only and logs:
        yield "--confidence-scale none is for tables, and was not applied to logs"
    if (recorded.confidence or recorded.score or recorded.outcome) and not logs:
        yield "--confidence-from, --score and --outcome are for logs, --column is for files"


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading logs; the arguments of `read_judgments` of the same names."""

    progress: Progress
    reread: bool
    recorded: Recorded
    executor: ExecutorOption


def _read_log_judgments(
    locations: Sequence[str], options: ReadOptions, notices: list[str], loss_notices: list[str]
) -> dict[str, pd.DataFrame]:
    """Return the judgments of logs, folders of logs and stores by task.

    `notices` receives all notices, `loss_notices` those about lost data.
    """
    runs = runs_with_judgments(_read_outcomes(locations, options, notices), notices, loss_notices)
    variants = variants_of_runs([(run.task, run.kind, run.settings) for location, run in runs])
    frames, counts = join_runs(runs, variants)
    notices += shared_sample_notices(counts)
    if options.recorded.outcome:
        _replace_grades(frames, options, notices, loss_notices)
    fields: set[str] = set()  # of `--by`, which a judgment has as a text such as `subject=law`
    for frame in frames.values():
        if "by" in frame:
            for condition in frame["by"].unique():
                fields.update(Condition.read(condition))
    _check_cluster_field(options.recorded.cluster, frames.values(), runs)
    for name in options.recorded.by:
        if name not in fields:
            notices.append(f"--by {name}: no sample has that field")
    for frame in frames.values():
        notices += pooling_notices(frame)
    return frames


def _replace_grades(
    frames: dict[str, pd.DataFrame],
    options: ReadOptions,
    notices: list[str],
    loss_notices: list[str],
) -> None:
    """Set the correctness of other evals' judgments to the grades in the logs of `--outcome`.

    The frames are replaced in `frames`. `notices` receives all notices, `loss_notices` those about
    lost data. If `frames` or those logs have no judgments of other evals, a notice says so.
    """
    recorded = options.recorded
    grade_options = replace(options, recorded=Recorded(score=recorded.score, only_grades=True))
    locations = list(recorded.outcome)
    outcomes = _read_log_judgments(locations, grade_options, notices, loss_notices)
    tasks = [task for task in frames if all_tables()[task].fallback and task in outcomes]
    if not tasks:
        location_names = ", ".join(locations)
        notices.append(
            f"--outcome {location_names}: no log of another eval has outcomes, or a confidence"
        )
    for task in tasks:
        frames[task], unmatched = join_outcomes(frames[task], outcomes[task])
        notices += unmatched


def _check_cluster_field(
    name: str, frames: Iterable[pd.DataFrame], runs: Sequence[LocatedRun]
) -> None:
    """Refuse a field of `--cluster` that names no cluster in any judgment of the logs.

    An empty name stands for no such option. `runs` are the logs, pairs of a location and a run, and
    empty if only tables are read; the error proposes a field of the first log.
    """
    if not name or not runs or any(map(has_clusters, frames)):
        return
    # Inspect takes seconds to import.
    from inspect_confidence.judgments.logs import metadata_fields  # noqa: PLC0415

    location, _run = runs[0]
    hint = nearest(name, metadata_fields(location))
    raise InvalidArgument(
        f"--cluster {name}: the samples of {location_text(location)} lack that field. {hint}"
    )


_COMPLETED = "another log of the run is complete"
"""Takes the place of the remedy in the notice of an incomplete log whose run was completed."""


def runs_with_judgments(
    outcomes: Iterable[tuple[str, ReadOutcome]], notices: list[str], loss_notices: list[str]
) -> list[LocatedRun]:
    """Return the runs that have judgments, and add notices about them and about the other logs.

    A run with an `exclusion_reason` has no judgment of confidence.

    Args:
        outcomes: Location of each log, and its run or the reason why it cannot be read.
        notices: Receives all notices.
        loss_notices: Receives the notices about lost data.
    """
    runs: list[LocatedRun] = []
    for location, outcome in outcomes:
        location_name = location_text(location)
        if isinstance(outcome, str):
            notice = f"{location_name} could not be read and was left out: {outcome}"
            loss_notices.append(notice)
            notices.append(notice)
        elif outcome.exclusion_reason:
            notices.append(f"{location_name} was left out: {outcome.exclusion_reason}")
        else:
            runs.append((location, outcome))
    # What one log of a run lacks is no loss if another log, of a retry, completed the run.
    completed = {run.id for location, run in runs if not run.loss_notices}
    for location, run in runs:
        run_notices = [f"{location_text(location)}: {text}" for text in run.loss_notices]
        if run.id in completed:
            notices += [notice.replace(RETRY_REMEDY, _COMPLETED) for notice in run_notices]
        else:
            notices += run_notices
            loss_notices += run_notices
    notices_of_logs: list[tuple[str, str]] = []
    for location, run in runs:
        # `unsent` are notices on settings that no request to the model contained.
        texts = (*run.notices, *run.unsent)
        notices_of_logs += [(location_text(location), text) for text in texts]
    notices += _merge_notices(notices_of_logs, "logs")
    # `unasked` names items that were not asked, which are the same in each run of a data set.
    notices += dict.fromkeys(chain.from_iterable(run.unasked for location, run in runs))
    notices += _reread_notices(runs)
    return runs


def _merge_notices(notices: Iterable[tuple[str, str]], noun: str) -> Iterator[str]:
    """Yield each notice once, with the log or file that has it, or with their number, as `3 logs`.

    Of many notices that differ in their numbers only, one stands for all. `notices` are pairs of a
    log or file and its notice; `noun` is `logs` or `files`.
    """
    origins_by_notice: dict[str, list[str]] = {}
    for origin, notice in notices:
        origins_by_notice.setdefault(notice, []).append(origin)
    notices_by_text: dict[str, list[str]] = {}  # by the text without numbers
    for notice in origins_by_notice:
        notices_by_text.setdefault(re.sub(r"\d+", "", notice), []).append(notice)
    for notices_alike in notices_by_text.values():
        first_notice = notices_alike[0]
        if len(notices_alike) > _MOST_ALIKE:
            all_origins = chain.from_iterable(map(origins_by_notice.__getitem__, notices_alike))
            origin, *further_origins = dict.fromkeys(all_origins)
            extent = "several times"
            if further_origins:
                extent = f"and {counted(len(further_origins), f'more {noun[:-1]}')}"
            yield f"{origin}, {extent} with other numbers: {first_notice}"
            continue
        for notice in notices_alike:
            origins = origins_by_notice[notice]
            subject = origins[0] if len(origins) == 1 else f"{len(origins)} {noun}"
            yield f"{subject}: {notice}"


_MOST_ALIKE = 3
"""Number of notices that are printed although they differ in their numbers only."""


def _reread_notices(runs: Sequence[LocatedRun]) -> Iterator[str]:
    """Yield a notice for each task whose replies were read again, with the number of changes."""
    changes: dict[str, Counter[str]] = {}
    for _location, run in runs:
        if run.changed:
            changes.setdefault(run.task, Counter()).update(run.changed)
    for task, count in changes.items():  # `any_value` includes judgments with another status
        judgments = counted(count["judgments"], "judgment was", "judgments were")
        yield (
            f"{task}: {judgments} read again; the status of "
            f"{count['status']} changed, and the value of "
            f"{count['any_value'] - count['status']} more"
        )


def _read_outcomes(
    locations: Sequence[str], options: ReadOptions, notices: list[str]
) -> list[tuple[str, ReadOutcome]]:
    """Return the location of each log with its run, or with why it cannot be read.

    The result is in the order of `locations`: logs, folders of logs, and stores. A log in a store
    is read from there, unless replies are read again. `notices` receives notices of stores, and of
    logs that the executor lost.
    """
    logs: dict[str, Log] = {}
    stored: dict[str, Callable[[], ReadOutcome]] = {}
    for location in locations:
        store = store_at(location)
        if store is None:
            for log in list_logs(location):
                logs[log.location] = log
            continue
        if not options.reread:
            store = store.verified()
            check_read_arguments(store, options.recorded)
            notices += store.notices()
        for entry in store.entries:
            logs[entry.log.location] = entry.log
            if not options.reread:
                stored[entry.log.location] = partial(store.read, entry)
    progress = iter(options.progress(list(logs)))
    next(progress, None)  # asking for a log shows that those before it were read
    outcomes: dict[str, ReadOutcome] = {}
    for location, outcome in _read_logs(logs, stored, options, notices):
        outcomes[location] = outcome
        next(progress, None)
    return [(location, outcomes[location]) for location in logs]


def _read_logs(
    logs: Mapping[str, Log],
    stored: Mapping[str, Callable[[], ReadOutcome]],
    options: ReadOptions,
    notices: list[str],
) -> Iterator[tuple[str, ReadOutcome]]:
    """Yield the location of each log with its run or error.

    Logs of a store come first, the others in the order in which the executor finishes. `logs` are
    by location; `stored` has, by location, a function that reads the log's run from a store.
    `notices` receives a notice of how many logs the executor lost.
    """
    logs_without_record = []
    for location, log in logs.items():
        if location in stored:
            yield location, stored[location]()
        else:
            logs_without_record.append(log)
    for number, outcome in read_runs(
        logs_without_record,
        executor=options.executor,
        recorded=options.recorded,
        reread=options.reread,
        notices=notices,
    ):
        yield logs_without_record[number].location, outcome


_CONDITIONS = (
    *("low", "high", "confidence_target", "format", "confidence_asked", "confidence_source"),
    *("pushback", "window", "cot", "word", "setting", "language"),
)
"""Columns of conditions that have results of their own, besides method and level."""


def pooling_notices(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a notice for each group of runs that differ in no setting and are therefore pooled.

    A run with other levels, methods or conditions (scales, targets) only adds conditions to runs of
    the same settings, and is not pooled with them.
    """
    identity = ["task", "model", "dataset", "variant", *columns_in(frame, ("method", "level"))]
    conditions = columns_in(frame, _CONDITIONS)
    for key, rows in frame.groupby(identity, dropna=False):  # a level may be missing
        if rows["run"].nunique() < 2:
            continue
        task, model, dataset, *settings = map(str, key)
        text = " ".join(setting for setting in settings if setting not in ("", "nan"))
        groups = (
            rows.groupby(conditions, dropna=False)["run"] if conditions else [(key, rows["run"])]
        )
        # Runs that are pooled in several conditions have one notice.
        for runs in dict.fromkeys(frozenset(run_ids) for condition, run_ids in groups):
            if len(runs) > 1:
                yield f"{len(runs)} runs of {task} with {model} on {dataset} are pooled ({text})"


def repeat_notices(counts: Mapping[str, int]) -> list[str]:
    """Return a notice for each task with repeats; `counts` has the number left out by task."""
    return [
        counted(n, f"judgment of {task} was read twice", f"judgments of {task} were read twice")
        for task, n in counts.items()
        if n
    ]


def drop_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the judgments without those that occur earlier in the frame, in the same order.

    A judgment of a log occurs twice if a file that was written from the log is read, too. Judgments
    without a sample's uuid are kept.
    """
    repeats = is_repeated(frame)
    return frame[~repeats].reset_index(drop=True) if repeats.any() else frame
