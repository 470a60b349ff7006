"""Runs -> judgments by task, each sample once, wherever it stands."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from inspect_confidence.judgments.order import in_order
from inspect_confidence.judgments.runs import Run

Located = tuple[str, Run]
"""The location of a log and what was read of it."""

_NAMED = 5
"""Logs that a notice names; it counts the others."""


def joined(
    runs: Sequence[Located], variants: Sequence[str]
) -> tuple[dict[str, pd.DataFrame], Counter[str]]:
    """The judgments by task, in their own order: each sample once, with its run's variant.

    Of a sample that stands in several logs of a run, those count in which it didn't end in an
    error; of these the log whose eval ended last; of these the one that was written last, as when
    its replies were scored again. Times are those in the logs: files are copied and touched. Of
    logs of the same times the first one counts. A sample is invalid if it is in the last of the
    logs that have it, by its uuid.

    Args:
        runs: Of all logs, those of a run together or not.
        variants: Of each of them.

    Returns:
        The frames; and how many of the samples that stand in several logs were taken from which.
    """
    logs: dict[str, list[int]] = {}
    for number, (_, run) in enumerate(runs):
        logs.setdefault(run.id, []).append(number)
    kept = {number: run.frame for number, (_, run) in enumerate(runs)}
    taken: Counter[str] = Counter()
    for several in (mine for mine in logs.values() if len(mine) > 1):
        source, again = _sources([runs[number][1] for number in several])
        for place, number in enumerate(several):
            location, run = runs[number]
            mine = [sample for sample, one in source.items() if one == place]
            kept[number] = run.frame[pd.Series(run.samples, dtype=object).isin(mine)]
            taken[location] += sum(sample in again for sample in mine)
    frames: dict[str, list[pd.DataFrame]] = {}
    for (number, frame), variant in zip(kept.items(), variants, strict=True):
        if len(frame):
            frames.setdefault(runs[number][1].task, []).append(frame.assign(variant=variant))
    return {
        task: in_order(pd.concat(some, ignore_index=True)) for task, some in frames.items()
    }, +taken


def _sources(runs: Sequence[Run]) -> tuple[dict[str, int], set[str]]:
    """Of one run's logs: from which each sample is taken, and which samples several have."""
    newest = sorted(range(len(runs)), key=lambda one: (-runs[one].ended, -runs[one].written))
    invalid = _invalid([runs[one] for one in newest])
    there = [{*run.samples[~run.frame["uuid"].isin(invalid)], *run.empty} for run in runs]
    found: dict[str, int] = {}
    for failed in (False, True):
        for one in newest:
            errors = there[one] & {*runs[one].failed}
            for sample in errors if failed else there[one] - errors:
                found.setdefault(sample, one)
    counts = Counter(sample for one in there for sample in one)
    return found, {sample for sample, count in counts.items() if count > 1}


def _invalid(newest: Sequence[Run]) -> set[str]:
    """The uuids that are invalid in the last of the logs that have them."""
    if not any(run.invalidated for run in newest):
        return set()
    said: dict[str, bool] = {}
    for run in newest:
        said = {**dict.fromkeys(run.frame["uuid"], False), **said}
        said = {**dict.fromkeys(run.invalidated, True), **said}
    return {uuid for uuid, invalid in said.items() if invalid and uuid}


def said_again(taken: Mapping[str, int]) -> list[str]:
    """What is said of so many samples of several logs that `joined` took from each location."""
    if not taken:
        return []
    most = sorted(taken.items(), key=lambda one: (-one[1], one[0]))
    said = [f"{count} from {location}" for location, count in most[:_NAMED]]
    if rest := most[_NAMED:]:
        said.append(f"{sum(count for _, count in rest)} from {len(rest)} others")
    return [
        f"{sum(taken.values())} samples stand in several logs and were taken once: "
        + ", ".join(said)
    ]
