"""What the writers of all formats start from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Unpack

import numpy as np
import pandas as pd
from inspect_ai.log import read_eval_log

from inspect_confidence import privacy, redaction
from inspect_confidence.commands.analysis import Settings, parts_of
from inspect_confidence.headlines import FloatArray
from inspect_confidence.judgments.read import Judgments
from inspect_confidence.judgments.requests import read_unsent
from inspect_confidence.judgments.store import find_logs
from inspect_confidence.results import Condition, Result, results_frame
from inspect_confidence.studies import all_studies


@dataclass(frozen=True)
class Run:
    """One run of a task, with its arguments and the generation settings that were sent.

    Attributes:
        created: When it began, in ISO 8601.
        inspect: Version of inspect_ai.
        own_address: Whether the model was called at an address of the user's own.
    """

    created: str
    inspect: str
    task_args: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    generation: Mapping[str, Any] = field(default_factory=dict)
    own_address: bool = False


def read_runs(places: Iterable[str]) -> dict[str, Run]:
    """The runs of all logs at those places, by id; the newest log of each.

    Logs that can't be read are left out: reading their judgments has said so.
    """
    found: dict[str, Run] = {}
    for location in (log for where in places for log in find_logs(where)):
        try:
            header = read_eval_log(location, header_only=True)
            unsent = read_unsent(header).settings_of(header.eval.model)
        except Exception:  # a damaged log must not keep the others from being read
            continue
        run = header.eval
        config = header.plan.config.model_dump(exclude_none=True, exclude={*unsent})
        task_args, model_args, generation = (
            {name: value for name, value in privacy.argument(given).items() if value is not None}
            for given in (run.task_args, run.model_args, config)
        )
        found.setdefault(
            run.task_id,
            Run(
                created=run.created,
                inspect=run.packages.get("inspect_ai", "unknown"),
                task_args=task_args,
                model_args=model_args,
                generation=generation,
                own_address=bool(run.model_base_url) or "base_url" in run.model_args,
            ),
        )
    return found


@dataclass(frozen=True)
class Material:
    """Judgments by task and results, without secrets.

    Attributes:
        runs: What the logs say of each run, by its id; empty without logs.
        draws: Values of each row of the results over the resamples, for formats that need them;
            None where a number isn't resampled.
        resamples: Bootstrap resamples that the intervals rest on.
        organization: Who publishes the results.
        relationship: Of the publisher to the models' makers, as Every Eval Ever names it.
    """

    frames: Mapping[str, pd.DataFrame]
    results: pd.DataFrame
    runs: Mapping[str, Run] = field(default_factory=dict)
    draws: Sequence[FloatArray | None] = ()
    resamples: int = 10_000
    organization: str = "unknown"
    relationship: str = "other"

    def models(self) -> set[str]:
        """Models that gave answers, in contrast to means over models."""
        return {str(name) for frame in self.frames.values() for name in frame["model"].unique()}


@dataclass(frozen=True)
class ResultSet:
    """The rows of results of one way of running a model on one data set.

    Attributes:
        judgments: What they rest on; none where the numbers are over several data sets.
        origins: The judgments of that model and variant, where there are none of the data set.
    """

    task: str
    model: str
    dataset: str
    variant: str
    results: pd.DataFrame
    judgments: pd.DataFrame
    origins: pd.DataFrame

    def runs(self) -> list[str]:
        """The ids of its runs."""
        return sorted(set(self.origins["run"]) - {""})


def result_sets(material: Material) -> list[ResultSet]:
    """All results of models, a set for each task, model, data set and variant."""
    rows = material.results[material.results["model"].isin(material.models())]
    variants = [Condition.read(text).get("variant", "") for text in rows["condition"]]
    found = []
    by = ["task", "model", "dataset", "variant"]
    for key, mine in rows.assign(variant=variants).groupby(by, sort=False):
        task, model, dataset, variant = map(str, key)
        frame = material.frames[task]
        same = (frame["model"] == model) & (frame["variant"] == variant)
        judged = frame[same & (frame["dataset"] == dataset)]
        origins = judged if len(judged) else frame[same]
        results = mine.drop(columns="variant")
        found.append(ResultSet(task, model, dataset, variant, results, judged, origins))
    return found


def clean(
    frames: Mapping[str, pd.DataFrame], results: pd.DataFrame
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Judgments and results without secrets, models that differ still told apart."""
    ways = privacy.cleaners([*frames.values(), results])
    frames = {task: privacy.cleaned(one, ways, redaction.scrub) for task, one in frames.items()}
    return frames, privacy.cleaned(results, ways, redaction.scrub)


def observed(
    judgments: Judgments, **settings: Unpack[Settings]
) -> tuple[pd.DataFrame, list[FloatArray | None]]:
    """Results, and of each row of a headline metric its values over the resamples.

    Judgments are in their own order, so that the same draw takes the same items of every model that
    answered the same ones.
    """
    wanted = {(one.task, one.metric) for study in all_studies() for one in study.headlines}
    key = attrgetter("task", "model", "dataset", "condition", "metric")
    draws: dict[object, FloatArray] = {}

    def observe(result: Result, values: FloatArray) -> None:
        if (result.task, result.metric) in wanted:
            draws[key(result)] = np.array(values)

    found = [result for part in parts_of(judgments, settings) for result in part.results(observe)]
    return results_frame(found), [draws.get(key(result)) for result in found]
