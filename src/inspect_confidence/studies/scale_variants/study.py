"""The scale-design study: its record, and its results."""

from collections.abc import Mapping, Sequence
from itertools import chain

import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import ALL, BASELINE
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies import estimate, stated
from inspect_confidence.studies.scale_variants import numbers
from inspect_confidence.studies.scale_variants.columns import COLUMNS
from inspect_confidence.studies.scale_variants.numbers import MEAN
from inspect_confidence.studies.scale_variants.permutation import (
    Permutations,
    ScaleOptions,
    mean_permutations,
    permute,
    with_permutation_p,
)
from inspect_confidence.studies.scale_variants.shown import (
    CLAUSES,
    FIGURES,
    HEADLINES,
    detail,
    scale_tables,
)
from inspect_confidence.studies.study import Resampling, Study, TaskTable
from inspect_confidence.studies.workers import run_tasks, workers_for

TASK = "scale_variants"

_BASELINE = str(BASELINE)
_POSITIONS = {str(scale): position for position, scale in enumerate(ALL)}


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return each model's results, by data set and their mean, then results over models."""
    rows = stated.complete_judgments(frames[TASK])
    tasks = []
    for key, condition, model_rows in estimate.condition_groups(rows, ("model", "variant")):
        tasks.append((key, condition, model_rows, resampling))
    parts = run_tasks(_model_results, tasks, workers_for(len(rows), resampling))
    results = list(chain.from_iterable(parts))
    return [*results, *numbers.entropy_ratio_correlations(results), *numbers.items_not_common(rows)]


def _model_results(
    model: Key, condition: Condition, rows: pd.DataFrame, resampling: Resampling
) -> list[Result]:
    """Return a model's results by data set, then those of the mean over data sets.

    Each scale is tested against the baseline, or against the first scale without one. `model` is
    the key of the model, and `condition` names its variant.
    """
    by_dataset: dict[str, estimate.ResampledEstimates] = {}
    tests: dict[str, dict[str, contenders.ResampledDifferences]] = {}
    permutations: dict[str, dict[str, Permutations]] = {}
    permutes = resampling.options(ScaleOptions).test == "permutation"
    is_tested = resampling.requests_any(contenders.TEST_METRICS)
    order = sorted(rows["scale"].unique(), key=_scale_order)
    versus = _BASELINE if _BASELINE in order else order[0]
    for stream, (name, group) in enumerate(rows.groupby("dataset", sort=True)):
        # Items as objects, because sets of items are slow to make from pandas' own type of text.
        dataset_rows = group.astype({"item": object})
        rows_by_scale = dict(iter(dataset_rows.groupby("scale", sort=False)))
        ordered = {scale: rows_by_scale[scale] for scale in order if scale in rows_by_scale}
        units = pd.Index(estimate.unit_names(dataset_rows).unique())
        clusters = estimate.clusters_of(dataset_rows)
        statistics: list[estimate.Statistics] = []
        for scale, scale_rows in ordered.items():
            scale_condition = condition.but(scale=scale)
            statistics += stated.scale_statistics(scale_rows, units, scale_condition, resampling)
        by_dataset[str(name)] = estimate.resample(
            statistics, len(units), resampling, stream, clusters, unpaired=True
        )
        baseline = ordered.pop(versus, None)
        tests[str(name)] = {}
        if baseline is not None and is_tested:
            tests[str(name)] = contenders.differences_from_baseline(
                baseline, ordered, resampling, stream
            )
        permutations[str(name)] = {}
        if baseline is not None and is_tested and permutes:
            for scale, scale_rows in ordered.items():
                if permuted := permute(scale_rows, baseline, resampling, stream):
                    permutations[str(name)][scale] = permuted
    if len(by_dataset) > 1:
        # A mean of commonest values, or of counts, has no meaning.
        by_dataset[MEAN] = estimate.average_estimates(
            by_dataset,
            ("top1_value", "n"),
            independent=True,
            reported_if_missing=("meta_d", "m_ratio"),
        )
        tests[MEAN] = _mean_tests(list(tests.values()), order)
        datasets = list(permutations.values())
        permutations[MEAN] = {}
        for scale in order:
            if all(scale in by_scale for by_scale in datasets):
                parts = [by_scale[scale] for by_scale in datasets]
                permutations[MEAN][scale] = mean_permutations(parts)
    results: list[Result] = []
    for dataset, estimates in by_dataset.items():
        key = Key(TASK, model.model, dataset)
        results += estimate.results_of(estimates, key)
        if accuracy_spread := numbers.accuracy_spread(estimates, condition):
            results += estimate.results_of(accuracy_spread, key)
        against = condition.but(versus=versus)
        test_results = contenders.results_of_tests(tests[dataset], key, against, "scale")
        results += with_permutation_p(test_results, permutations[dataset])
    return results


def _scale_order(scale: str) -> tuple[int, str]:
    """Return the sort key of a scale: the study's scales come in its order, then others by name."""
    return _POSITIONS.get(scale, len(_POSITIONS)), scale


def _mean_tests(
    datasets: Sequence[Mapping[str, contenders.ResampledDifferences]], scales: Sequence[str]
) -> dict[str, contenders.ResampledDifferences]:
    """Return each scale's mean differences over data sets, if all data sets have the scale."""
    means = {}
    for scale in scales:
        if all(scale in tests for tests in datasets):
            means[scale] = contenders.mean_differences([tests[scale] for tests in datasets])
    return means


SCALE_VARIANTS = Study(
    name="scale_variants",
    title="Scale variants: verbalised confidence on numeric scales",
    question="Each model answers questions and states its confidence in each answer as a number, "
    "on several scales.",
    tables=(
        TaskTable(
            task=TASK,
            columns=COLUMNS,
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
            replies=stated.complete_judgments,
            stated=stated.complete_judgments,
            ordered=(("low", "high"),),
            contradictions={("low", "high"): stated.reasons_of_flat_scales},
        ),
    ),
    contenders=("low", "high"),
    summarize=summarize,
    compare=stated.compare,
    prepared=stated.complete_judgments,
    views=scale_tables,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    clauses=CLAUSES,
    sources={
        "accuracy_spread": ("accuracy",),
        "entropy_m_ratio_correlation": ("entropy_bits", "m_ratio"),
    },
    options=ScaleOptions,
    reference=bibtex("dai2026rescaling"),
)
