"""Runs -> judgments by task, each sample once, however many logs contain it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import pandas as pd

from inspect_confidence.judgments.locations import location_text
from inspect_confidence.judgments.order import sort_judgments
from inspect_confidence.judgments.runs import Run, frames_by_task
from inspect_confidence.printing import counted

LocatedRun = tuple[str, Run]
"""The location of a log and its run."""

_MAX_LOGS_NAMED = 5
"""Number of logs that a notice names; it counts the others."""


def join_runs(
    runs: Sequence[LocatedRun], variants: Sequence[str]
) -> tuple[dict[str, pd.DataFrame], Counter[str]]:
    """Return the judgments by task, sorted, each sample once, with the variant of its run.

    A sample in several logs of a run is taken from a log in which it did not end in an error. Of
    several such logs the one counts whose eval ended last; of those, the one that was written last,
    such as after its replies were scored again; of those, the first. Times are those recorded in
    the logs, because files are copied and touched. A sample is left out if it was declared invalid
    in the last log that has it, by its uuid.

    Args:
        runs: Location and `Run` of each log; logs of one run have one id and need not be adjacent.
        variants: Variant of each run.

    Returns:
        The frames; and by location, how many of the samples in several logs were taken from there.
    """
    judgments, counts = _judgments_taken_once(runs)
    frames: dict[str, list[pd.DataFrame]] = {}
    for (_location, run), frame, variant in zip(runs, judgments, variants, strict=True):
        for task, rows in frames_by_task(run, frame).items():
            if len(rows):
                frames.setdefault(task, []).append(rows.assign(variant=variant))
    joined = {}
    for task, frames_of_task in frames.items():
        joined[task] = sort_judgments(pd.concat(frames_of_task, ignore_index=True))
    return joined, counts


def _judgments_taken_once(runs: Sequence[LocatedRun]) -> tuple[list[pd.DataFrame], Counter[str]]:
    """Return the judgments that are taken from each log, so that each sample of a run counts once.

    The counter has, by location, how many of the samples in several logs were taken from there.
    """
    positions_by_run: dict[str, list[int]] = {}  # in `runs`
    for position, (_location, run) in enumerate(runs):
        positions_by_run.setdefault(run.id, []).append(position)
    judgments = [run.frame for location, run in runs]
    counts: Counter[str] = Counter()
    for positions in positions_by_run.values():
        if len(positions) == 1:  # no other log has its samples
            continue
        sources, shared_samples = _sample_sources([runs[position][1] for position in positions])
        for index, position in enumerate(positions):
            location, run = runs[position]
            samples = {sample for sample, source in sources.items() if source == index}
            # `run.samples` has the key of each judgment's sample.
            judgments[position] = run.frame[pd.Series(run.samples, dtype=object).isin(samples)]
            counts[location] += len(samples & shared_samples)
    # The plus sign drops counts of 0.
    return judgments, +counts


def _sample_sources(runs: Sequence[Run]) -> tuple[dict[str, int], set[str]]:
    """Return the log from which each sample is taken, and the samples that are in several logs.

    `runs` are what was read from each log of one run. Samples are keys of epoch and id; their logs
    are positions in `runs`. A sample that was declared invalid in each log that has it is absent.
    """
    # Times are in seconds since 1970.
    newest_first = sorted(range(len(runs)), key=lambda i: (-runs[i].ended, -runs[i].write_time))
    invalid = _invalid_uuids([runs[position] for position in newest_first])
    samples = []
    for run in runs:
        valid = run.samples[~run.frame["uuid"].isin(invalid)]
        samples.append({*valid, *run.empty})  # `empty`: samples without a judgment
    sources: dict[str, int] = {}
    for position in newest_first:
        for sample in samples[position] - {*runs[position].failed}:
            sources.setdefault(sample, position)
    # A sample that ended in an error is taken only if it did so in all logs that have it.
    for position in newest_first:
        for sample in samples[position] & {*runs[position].failed}:
            sources.setdefault(sample, position)
    counts = Counter(chain.from_iterable(samples))
    return sources, {sample for sample, count in counts.items() if count > 1}


def _invalid_uuids(newest_first: Sequence[Run]) -> set[str]:
    """Return the uuids of samples that are invalid in the newest log that has them."""
    if not any(run.invalidated for run in newest_first):
        return set()
    is_invalid: dict[str, bool] = {}
    for run in newest_first:  # what a newer log says of a uuid is kept
        is_invalid = {**dict.fromkeys(run.frame["uuid"], False), **is_invalid}
        is_invalid = {**dict.fromkeys(run.invalidated, True), **is_invalid}
    # The empty uuid stands for all samples without one.
    return {uuid for uuid, invalid in is_invalid.items() if invalid and uuid}


def shared_sample_notices(counts: Mapping[str, int]) -> list[str]:
    """Return a list of the one notice about samples in several logs; empty if there are none.

    `counts` has, by the location of a log, how many of these samples were taken from it.
    """
    if not counts:
        return []
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    parts = [
        f"{count} from {location_text(location)}" for location, count in ordered[:_MAX_LOGS_NAMED]
    ]
    if unnamed := ordered[_MAX_LOGS_NAMED:]:
        others = counted(len(unnamed), "other")
        parts.append(f"{sum(dict(unnamed).values())} from {others}")
    samples = counted(
        sum(counts.values()),
        "sample is in several logs and was taken once",
        "samples are in several logs and were taken once",
    )
    return [f"{samples}: {', '.join(parts)}"]
