"""Input of all export writers: judgments, results and runs without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pandas as pd

from inspect_confidence import privacy, redaction
from inspect_confidence.judgments.archives import read_header
from inspect_confidence.judgments.locations import Paths
from inspect_confidence.judgments.requests import read_unsent
from inspect_confidence.judgments.store import find_logs
from inspect_confidence.results import ResultTable
from inspect_confidence.studies.study import ResampledValue


@dataclass(frozen=True)
class LogRun:
    """A run of a task.

    Attributes:
        created: Start of the run, in ISO 8601.
        inspect: Version of inspect_ai.
        task_args: Arguments of the task.
        model_args: Arguments of the model.
        generation: Generation settings that were sent to the model.
        own_address: Whether the model was called at an address set by the user.
    """

    created: str
    inspect: str
    task_args: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)
    own_address: bool = False


def read_runs(paths: Paths) -> dict[str, LogRun]:
    """Return the runs of all logs at these paths by id, each from its first log.

    A folder gives its newest log first. Unreadable logs are skipped, since the reader of judgments
    has already reported them.
    """
    runs: dict[str, LogRun] = {}
    for location in find_logs(paths):
        try:
            header = read_header(location)
            # Settings that the run had and that no request contained.
            unsent = read_unsent(header).settings_of(header.eval.model)
        except Exception:  # a damaged log must not prevent the reading of other logs
            continue
        run = header.eval
        config = header.plan.config.model_dump(exclude_none=True, exclude={*unsent})
        runs.setdefault(
            run.task_id,
            LogRun(
                created=run.created,
                inspect=run.packages.get("inspect_ai", "unknown"),
                task_args=_clean_arguments(run.task_args),
                model_args=_clean_arguments(run.model_args),
                generation=_clean_arguments(config),
                own_address=bool(run.model_base_url) or "base_url" in run.model_args,
            ),
        )
    return runs


def _clean_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments without secrets and without unset values."""
    cleaned = privacy.argument(arguments)
    return {name: value for name, value in cleaned.items() if value is not None}


@dataclass(frozen=True)
class Material:
    """Judgments by task and results, without secrets.

    Attributes:
        frames: Judgments by task.
        results: Table in the layout of results.
        runs: Runs by id; empty without logs.
        draws: Values over the resamples by row of the results, for formats that need them; a number
            that isn't resampled has none.
        resamples: Number of bootstrap resamples of the intervals.
        organization: Publisher of the results.
        relationship: Relationship of the publisher to the models' makers, in Every Eval Ever's
            terms.
    """

    frames: Mapping[str, pd.DataFrame]
    results: pd.DataFrame
    runs: Mapping[str, LogRun] = field(default_factory=dict)
    draws: Mapping[int, ResampledValue] = field(default_factory=dict)
    resamples: int = 10_000
    organization: str = "unknown"
    relationship: str = "other"

    def models(self) -> set[str]:
        """Return the names of the models with judgments, without means over models."""
        frames = self.frames.values()
        return set(map(str, chain.from_iterable(frame["model"].unique() for frame in frames)))


@dataclass(frozen=True)
class ResultSet:
    """Results of a task, model, variant and data set.

    Attributes:
        task: Name of the task.
        model: Name of the model.
        dataset: Name of the data set.
        variant: Variant of the model.
        results: Rows of the results.
        judgments: Judgments of the results; none for numbers over several data sets.
        origins: The judgments, or all judgments of the model and variant if there are none.
    """

    task: str
    model: str
    dataset: str
    variant: str
    results: ResultTable
    judgments: pd.DataFrame
    origins: pd.DataFrame

    def runs(self) -> list[str]:
        """Return the ids of the runs."""
        return sorted(set(self.origins["run"]) - {""})


def result_sets(material: Material) -> list[ResultSet]:
    """Return the results with their judgments by task, model, data set and variant."""
    rows = ResultTable.from_frame(material.results).among("model", material.models())
    sets = []
    for key, results in rows.groups("task", "model", "dataset", "variant"):
        task, model, dataset, variant = key
        frame = material.frames[task]
        frame = frame[(frame["model"] == model) & (frame["variant"] == variant)]
        judgments = frame[frame["dataset"] == dataset]
        # Results over several data sets have no judgments of their own, but come from all of these.
        origins = judgments if len(judgments) else frame
        sets.append(ResultSet(task, model, dataset, variant, results, judgments, origins))
    return sets


def clean(
    frames: Mapping[str, pd.DataFrame], results: pd.DataFrame
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Remove secrets from judgments and results; different models keep different names."""
    by_column = privacy.redactors([*frames.values(), results])
    clean_frames = {}
    for task, frame in frames.items():
        clean_frames[task] = privacy.redact_frame(frame, by_column, redaction.scrub)
    return clean_frames, privacy.redact_frame(results, by_column, redaction.scrub)
