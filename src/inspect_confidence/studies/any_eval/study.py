"""Any eval: its record, and its results."""

from collections.abc import Iterator, Mapping

import pandas as pd

from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import estimate, judge_error, stated
from inspect_confidence.studies.any_eval import judgments, shown
from inspect_confidence.studies.any_eval.columns import COLUMNS
from inspect_confidence.studies.any_eval.counting import COUNTING
from inspect_confidence.studies.any_eval.decisions import TASKS as DECISION_TASKS
from inspect_confidence.studies.any_eval.known_evals import needs_reply
from inspect_confidence.studies.estimate import Statistics, field_values
from inspect_confidence.studies.notes import count_texts, judgment_counts
from inspect_confidence.studies.study import Resampling, Study, TaskTable


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return the results of each model and variant, by eval and method, and their mean over evals.

    An eval is a data set here; variant and method are part of each result's condition. All methods
    of an eval are computed from the same resampled items. The evals of a model are numbered
    (`stream`), so that their resamples are independent. Shares of attempted answers are computed
    for evals in which any model declined.
    """
    results: list[Result] = []
    statuses = frames[shown.TASK]["status"]
    declining = set(frames[shown.TASK].loc[statuses == "declined", "dataset"])
    for key, condition, rows in estimate.condition_groups(frames[shown.TASK], ("model", "variant")):
        by_dataset: dict[str, estimate.ResampledEstimates] = {}
        for stream, (name, group) in enumerate(
            judgments.complete_judgments(rows).groupby("dataset", sort=True)
        ):
            units = estimate.ordered_units(group)
            statistics = _eval_statistics(
                group, units, condition, resampling, may_decline=name in declining
            )
            by_dataset[str(name)] = estimate.resample(
                statistics,
                len(units),
                resampling,
                stream,
                clusters=estimate.clusters_of(group),
                unpaired=True,  # no other resamples are compared with these
                counts=judgment_counts(group),
            )
        if len(by_dataset) > 1:
            # A mean of commonest values, or of counts, has no meaning.
            by_dataset[shown.MEAN] = estimate.average_estimates(
                by_dataset, ("top1_value", "n"), independent=True
            )
        for dataset, estimates in by_dataset.items():
            results += estimate.results_of(estimates, Key(shown.TASK, key.model, dataset))
    return results


def _eval_statistics(
    rows: pd.DataFrame,
    units: pd.Index,
    condition: Condition,
    resampling: Resampling,
    *,
    may_decline: bool,
) -> Iterator[Statistics]:
    """Yield the statistics of each method and scale, over all items and by the fields of `--by`.

    `rows` are a model's judgments of one eval. With `may_decline`, because some model declined an
    answer of this eval, every model has its shares of attempted answers.
    """
    for (method, scale), group in rows.groupby(["method", "scale"], sort=False):
        for by, is_chosen in field_values(group):
            yield from _method_statistics(
                group[is_chosen],
                units,
                condition.but(method=method, scale=scale, by=by),
                resampling,
                may_decline=may_decline,
            )


def _method_statistics(
    rows: pd.DataFrame,
    units: pd.Index,
    condition: Condition,
    resampling: Resampling,
    *,
    may_decline: bool,
) -> Iterator[Statistics]:
    """Yield the statistics of one method, then accuracy corrected for the errors of a judge.

    Scores of which only the order counts become ranks. The judge is the eval's scorer, if that is a
    model; without labels of its verdicts nothing is corrected.
    """
    is_ordinal_scale = bool((rows["scale"] == judgments.NO_SCALE).any())
    if is_ordinal_scale:
        rows = judgments.rank_confidence(rows)
    yield from stated.scale_statistics(
        rows,
        units,
        condition,
        resampling,
        remark=_describe_agreement(rows),
        may_decline=may_decline,
        order_only=is_ordinal_scale,
    )
    readable = rows.assign(confidence=rows["confidence"].where(rows["status"] == "ok"))
    unit_index = estimate.unit_indices(rows, units)
    judge = judge_error.judge_of(judgments.judges_of(rows))
    yield from judge_error.corrected_correctness(
        readable, unit_index, len(units), condition, resampling, judge
    )


def _describe_agreement(rows: pd.DataFrame) -> str:
    """Return a note on how confidence follows from compared answers; empty without these.

    It is the share of further answers that agree with the eval's or, for the method `epochs`, the
    share of the commonest answer. `agreement` has the rule by which answers were compared.
    """
    compared = rows[rows["agreement"] != ""]
    totals = count_texts(compared["agreement"], judgment_counts(compared))
    if not totals:
        return ""
    rules = ", ".join(f"{count} by {name}" for name, count in sorted(totals.items()))
    is_epochs = (rows["method"] == judgments.EPOCHS).any()
    share = "share of the commonest answer" if is_epochs else "share of others"
    return f"confidence is the {share}, compared {rules}"


ANY_EVAL = Study(
    name="any_eval",
    title="Any eval: confidence in the answers",
    question="Each model answers another eval and says how sure it is of its answers.",
    tables=(
        TaskTable(
            task=shown.TASK,
            columns=COLUMNS,
            required=("item",),
            answers=(
                ("confidence", "correct"),
                ("raw", "correct"),
                ("confidence", "answer", "target"),
                ("raw", "answer", "target"),
            ),
            arguments_shown=frozenset({"task", "ways", "task_args", "scale", "targets"}),
            read=judgments.read_sample,
            varied=("method",),
            fallback=True,
            further_tasks=DECISION_TASKS,
            task_function="with_confidence",
            default_arguments=judgments.DEFAULT_ARGUMENTS,
            complete_run=judgments.complete_run,
            needs_reply=needs_reply,
            complete_confidence=judgments.complete_confidence,
            replies=judgments.complete_scales,
            stated=judgments.complete_judgments,
            judges=judgments.judges_of,
            counting=COUNTING,
            ordered=(("low", "high"),),
            contradictions={("low", "high"): stated.reasons_of_flat_scales},
        ),
    ),
    contenders=("method", "low", "high"),
    summarize=summarize,
    compare=stated.compare,
    prepared=judgments.complete_judgments,
    views=shown.tables,
    detail=shown.detail,
    figures=shown.FIGURES,
    headlines=shown.HEADLINES,
    clauses=shown.CLAUSES,
    reference="",
    each_model=True,
)
