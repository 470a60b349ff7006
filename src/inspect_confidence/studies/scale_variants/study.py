"""The scale-design study: judgments -> results, comparisons and tables."""

from collections.abc import Mapping

import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import ALL, BASELINE
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies import estimate, stated
from inspect_confidence.studies.limits import limits
from inspect_confidence.studies.scale_variants import numbers
from inspect_confidence.studies.scale_variants.numbers import MEAN
from inspect_confidence.studies.scale_variants.shown import (
    CLAUSES,
    FIGURES,
    HEADLINES,
    detail,
    scale_tables,
)
from inspect_confidence.studies.study import Resampling, Study, TaskTable, kinds
from inspect_confidence.studies.workers import spread, workers_for

TASK = "scale_variants"

_BASELINE, _PLACES = str(BASELINE), {str(scale): place for place, scale in enumerate(ALL)}


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Each model's numbers, data set by data set and their mean; then what goes over models."""
    rows = stated.completed(frames[TASK])
    tasks = [(*one, resampling) for one in estimate.condition_groups(rows, ("model", "variant"))]
    parts = spread(_of_model, tasks, workers_for(len(rows), resampling))
    found = [one for part in parts for one in part]
    return [*found, *numbers.entropy_and_ratio(found), *numbers.not_common(rows)]


def _of_model(
    model: Key, condition: Condition, rows: pd.DataFrame, resampling: Resampling
) -> list[Result]:
    """Every data set by itself, then their mean."""
    drawn: dict[str, estimate.ResampledEstimates] = {}
    tests: dict[str, dict[str, contenders.ResampledDifferences]] = {}
    # Scales in the study's order, then others.
    order = sorted(rows["scale"].unique(), key=lambda one: (_PLACES.get(one, len(_PLACES)), one))
    versus = _BASELINE if _BASELINE in order else order[0]
    for stream, (name, answered) in enumerate(rows.groupby("dataset", sort=True)):
        dataset = str(name)
        # Sets of items, one a scale, are slow to make of pandas' own kind of text.
        answered = answered.astype({"item": object})  # noqa: PLW2901
        by_scale = dict(iter(answered.groupby("scale", sort=False)))
        judged = {scale: by_scale[scale] for scale in order if scale in by_scale}
        units = pd.Index(answered["item"].unique())
        estimands = [
            one
            for scale, said in judged.items()
            for one in stated.scale_statistics(said, units, condition.but(scale=scale), resampling)
        ]
        drawn[dataset] = estimate.resample(estimands, len(units), resampling, stream, unpaired=True)
        tests[dataset] = {}
        if (baseline := judged.pop(versus, None)) is not None:
            tests[dataset] = contenders.differences_from_baseline(
                baseline, judged, resampling, stream
            )
    if len(drawn) > 1:
        drawn[MEAN] = estimate.average_estimates(
            drawn,
            ("top1_value", "n"),
            independent=True,
            reported_if_missing=("meta_d", "m_ratio"),
        )
        tests[MEAN] = {
            scale: contenders.mean_differences([found[scale] for found in tests.values()])
            for scale in order
            if all(scale in found for found in tests.values())
        }
    results: list[Result] = []
    for dataset, one in drawn.items():
        key = Key(TASK, model.model, dataset)
        results += estimate.results_of(one, key)
        if moved := numbers.over_scales(one, condition):
            results += estimate.results_of(moved, key)
        against = condition.but(versus=versus)
        results += contenders.results_of_tests(tests[dataset], key, against, "scale")
    return results


SCALE_VARIANTS = Study(
    name="scale_variants",
    title="Scale variants: verbalised confidence on numeric scales",
    tables=(
        TaskTable(
            task=TASK,
            columns=kinds(
                "low high raw confidence clipped:flag answer:text target:text choices correct"
            ),
            required=("item",),
            answers=(
                ("low", "high", "raw", "correct"),
                ("low", "high", "raw", "answer", "target"),
                ("confidence", "correct"),
                ("confidence", "answer", "target"),
            ),
            arguments_shown=frozenset({"dataset", "items", "split", "scales", "prompt", "system"}),
            read=numbers.read_sample,
            varied=("scale",),
            replies=stated.completed,
            stated=stated.completed,
            limits=limits("confidence:reported choices:count correct:share"),
            ordered=(("low", "high"),),
            contradictions={("low", "high"): stated.flat_scales},
        ),
    ),
    contenders=("low", "high"),
    summarize=summarize,
    compare=stated.compare,
    prepared=stated.completed,
    views=scale_tables,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    clauses=CLAUSES,
    reference=bibtex("dai2026rescaling"),
)
