"""What the writers of all formats start from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import pandas as pd

from inspect_confidence._results import decode_condition
from inspect_confidence._secrets import (
    scrub,
    scrub_condition,
    scrubbed_conditions,
    scrubbed_names,
)
from inspect_confidence.export._names import judge_of, model, place, with_judge

if TYPE_CHECKING:
    from inspect_confidence.export._runs import Run


@dataclass(frozen=True)
class Material:
    """Judgments and results, without secrets.

    Attributes:
        frames: Judgments by task.
        results: In the layout of results.
        runs: What the logs say of each run, by its id; empty without logs.
        resamples: Bootstrap resamples that the intervals rest on.
        organization: Who publishes the results.
        relationship: Of the publisher to the models' makers, as Every Eval Ever names it.
    """

    frames: Mapping[str, pd.DataFrame]
    results: pd.DataFrame
    runs: Mapping[str, "Run"] = field(default_factory=dict)
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
