"""Any eval: judgments -> results, comparisons and tables."""

from collections.abc import Iterator, Mapping

import pandas as pd

from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate, judge_error, stated
from inspect_confidence.studies.any_eval.judgments import (
    EPOCHS,
    USUAL,
    complete_run,
    completed,
    judges_of,
    on_scales,
    read_sample,
)
from inspect_confidence.studies.any_eval.shown import (
    CLAUSES,
    FIGURES,
    HEADLINES,
    TASK,
    detail,
    tables,
)
from inspect_confidence.studies.estimate import Statistics
from inspect_confidence.studies.limits import limits
from inspect_confidence.studies.notes import tallied
from inspect_confidence.studies.study import Resampling, Study, TaskTable, kinds

MEAN = "mean"
"""What stands in `dataset` for the unweighted mean over evals."""


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Each model's numbers, eval by eval and method by method, and their mean over evals."""
    found: list[Result] = []
    for key, condition, mine in estimate.condition_groups(frames[TASK], ("model", "variant")):
        drawn: dict[str, estimate.ResampledEstimates] = {}
        for stream, (name, answered) in enumerate(completed(mine).groupby("dataset", sort=True)):
            units = pd.Index(answered["item"].unique())
            estimands = list(_of_eval(answered, units, condition, resampling))
            drawn[str(name)] = estimate.resample(
                estimands, len(units), resampling, stream, unpaired=True
            )
        if len(drawn) > 1:
            drawn[MEAN] = estimate.average_estimates(drawn, ("top1_value", "n"), independent=True)
        for dataset, one in drawn.items():
            found += estimate.results_of(one, Key(TASK, key.model, dataset))
    return found


def _of_eval(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """The numbers of each method, then of each value of the fields that were asked for."""
    for (method, scale), some in rows.groupby(["method", "scale"], sort=False):
        at = condition.but(method=method, **({"scale": scale} if scale else {}))
        yield from _of_method(some, units, at, resampling)
        fields = {text: Condition.read(text) for text in some["by"].unique()}
        for field in dict.fromkeys(name for one in fields.values() for name in one):
            values = some["by"].map({text: one.get(field, "") for text, one in fields.items()})
            for value, part in some.groupby(values[values != ""], sort=True):
                by = str(Condition({field: str(value)}))
                yield from _of_method(part, units, at.but(by=by), resampling)


def _of_method(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    yield from stated.scale_statistics(rows, units, condition, resampling, _agreement(rows))
    counted = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    at = estimate.unit_indices(rows, units), len(units), condition
    judge = judge_error.judge_of(judges_of(rows))
    yield from judge_error.corrected_correctness(counted, *at, resampling, judge)


def _agreement(rows: pd.DataFrame) -> str:
    """By which rules answers counted as the same, where they were compared."""
    counts = tallied(rows.loc[rows["agreement"] != "", "agreement"])
    said = ", ".join(f"{count} by {name}" for name, count in sorted(counts.items()))
    share = (
        "share of the commonest answer" if (rows["method"] == EPOCHS).any() else "share of others"
    )
    return f"confidence is the {share}, compared {said}" if said else ""


ANY_EVAL = Study(
    name="any_eval",
    title="Any eval: confidence in its answers",
    tables=(
        TaskTable(
            task=TASK,
            columns=kinds(
                "method:text low high raw confidence clipped:flag answer:text target:text choices "
                "correct phrase:text unseen_mass draws agreement:text by:text scorer:text"
            ),
            required=("item",),
            answers=tuple(
                (sure, *right)
                for right in (("correct",), ("answer", "target"))
                for sure in ("confidence", "raw")
            ),
            arguments_shown=frozenset({"task", "ways", "task_args", "scale"}),
            read=read_sample,
            defaults={"method": "recorded"},
            varied=("method",),
            fallback=True,
            task_function="with_confidence",
            default_arguments=USUAL,
            complete_run=complete_run,
            replies=on_scales,
            stated=completed,
            judges=judges_of,
            limits=limits(
                "confidence:reported choices:count correct:share unseen_mass:share draws:count"
            ),
            ordered=(("low", "high"),),
            contradictions={("low", "high"): stated.flat_scales},
        ),
    ),
    contenders=("method", "low", "high"),
    summarize=summarize,
    compare=stated.compare,
    prepared=completed,
    views=tables,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    clauses=CLAUSES,
    reference="",
    each_model=True,
)
