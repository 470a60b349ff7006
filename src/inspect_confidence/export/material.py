"""What the writers of all formats start from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Unpack

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, read_eval_log
from numpy.typing import NDArray

from inspect_confidence.commands.analysis import Settings, parts_of
from inspect_confidence.judgments.logs import find_logs
from inspect_confidence.judgments.read import Judgments
from inspect_confidence.privacy import (
    argument,
    judge_of,
    model,
    place,
    scrub,
    scrub_condition,
    scrubbed_conditions,
    scrubbed_names,
    with_judge,
)
from inspect_confidence.results import Result, decode_condition, results_frame
from inspect_confidence.studies import all_studies

FloatArray = NDArray[np.float64]
Key = tuple[str, str, str, str, str]
"""Task, model, data set, condition and metric of a row of results."""


@dataclass(frozen=True)
class Run:
    """One run of a task.

    Attributes:
        created: When it began, in ISO 8601.
        inspect: Version of inspect_ai.
        task_args: The task's arguments.
        model_args: The provider's arguments.
        generation: The generation settings that were set.
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
        except Exception:  # a damaged log must not keep the others from being read
            continue
        found.setdefault(header.eval.task_id, _run(header))
    return found


def _run(header: EvalLog) -> Run:
    arguments = header.eval.model_args
    return Run(
        created=header.eval.created,
        inspect=header.eval.packages.get("inspect_ai", "unknown"),
        task_args=_set(argument(header.eval.task_args)),
        model_args=_set(argument(arguments)),
        generation=_set(argument(header.plan.config.model_dump(exclude_none=True))),
        own_address=bool(header.eval.model_base_url) or "base_url" in arguments,
    )


def _set(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


@dataclass(frozen=True)
class Material:
    """Judgments and results, without secrets.

    Attributes:
        frames: Judgments by task.
        results: In the layout of results.
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
    """The results of one way of running a model on one data set.

    Attributes:
        task: Without the package's prefix.
        model: As Inspect names it.
        dataset: As the log names it.
        variant: The settings that tell the run from others.
        results: Its rows, in the layout of results.
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
    variants = [decode_condition(text).get("variant", "") for text in rows["condition"]]
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

    def told_apart(column: str, cleaner: Callable[[str], str]) -> Callable[[Any], Any]:
        named = (name for frame in (*frames.values(), results) for name in frame.get(column, ()))
        return scrubbed_names(map(str, named), cleaner).__getitem__

    variants = scrubbed_names(
        [
            *(str(name) for frame in frames.values() for name in frame["variant"]),
            *(decode_condition(text).get("variant", "") for text in results["condition"]),
        ],
        scrub_condition,
    )
    judges = scrubbed_names(
        [
            *(str(name) for frame in frames.values() for name in frame.get("judge", ())),
            *map(judge_of, results["condition"]),
        ],
        model,
    )
    named = {text: with_judge(text, judges.__getitem__) for text in results["condition"].unique()}
    conditions = scrubbed_conditions(named.values())
    ways: dict[str, Callable[[Any], Any]] = {
        "model": told_apart("model", model),
        "dataset": told_apart("dataset", place),
        "judge": lambda name: judges[str(name)],
        "condition": lambda text: conditions[named[text]],
        "variant": variants.__getitem__,
    }

    def cleaned(frame: pd.DataFrame) -> pd.DataFrame:
        columns = {
            name: frame[name].map(cache(ways.get(name, _scrubbed)))
            for name in map(str, frame.columns)
            if frame[name].dtype == object or pd.api.types.is_string_dtype(frame[name])
        }
        return frame.assign(**columns)

    return {task: cleaned(frame) for task, frame in frames.items()}, cleaned(results)


def _scrubbed(value: Any) -> Any:
    return scrub(value) if isinstance(value, str) else value


def observed(
    judgments: Judgments, **settings: Unpack[Settings]
) -> tuple[pd.DataFrame, dict[Key, FloatArray]]:
    """Results, and the headline metrics' values over the resamples.

    Items are put in one order first, so that the same draw takes the same items of every model
    that answered the same ones.
    """
    wanted = {(one.task, one.metric) for study in all_studies() for one in study.headlines}
    draws: dict[Key, FloatArray] = {}

    def observe(result: Result, values: FloatArray) -> None:
        if (result.task, result.metric) in wanted:
            key = (result.task, result.model, result.dataset, result.condition, result.metric)
            draws[key] = np.array(values)

    ordered = Judgments({task: _in_order(frame) for task, frame in judgments.items()})
    found = [
        part.noted(result)
        for part in parts_of(ordered, settings)
        for result in part.study.summarize(part.frames, replace(part.resampling, observe=observe))
    ]
    return results_frame(found), draws


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sort_values(["dataset", "split", "item"], kind="stable", ignore_index=True)


def draws_of(rows: pd.DataFrame, draws: Mapping[Key, FloatArray]) -> list[FloatArray | None]:
    """The draws of each row of results."""
    names = ["task", "model", "dataset", "condition", "metric"]
    return [draws.get(key) for key in rows[names].itertuples(index=False, name=None)]
