"""The scale-design study: its record, and its results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import BASELINE
from inspect_confidence.studies import compare as contenders
from inspect_confidence.studies import estimate, stated
from inspect_confidence.studies.scale_variants import numbers, shown
from inspect_confidence.studies.scale_variants.columns import COLUMNS
from inspect_confidence.studies.scale_variants.numbers import MEAN
from inspect_confidence.studies.scale_variants.permutation import (
    Permutations,
    ScaleOptions,
    mean_permutations,
    permute,
    with_permutation_p,
)
from inspect_confidence.studies.study import Resampling, Study, TaskTable
from inspect_confidence.studies.workers import run_tasks, workers_for

TASK = "scale_variants"

_BASELINE = str(BASELINE)


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return each model's results, by data set and their mean, then results over models.

    The latter are correlations of the reports' entropy with M-ratio, and counts of items that were
    not asked of all models and scales.
    """
    rows = stated.complete_judgments(frames[TASK])
    tasks = []
    for key, condition, model_rows in estimate.condition_groups(rows, ("model", "variant")):
        tasks.append((key, condition, model_rows, resampling))
    parts = run_tasks(_model_results, tasks, workers_for(len(rows), resampling))
    results = list(chain.from_iterable(parts))
    return [*results, *numbers.entropy_ratio_correlations(results), *numbers.items_not_common(rows)]


@dataclass(frozen=True)
class _DatasetNumbers:
    """A model's numbers on one data set, or their means over data sets.

    Attributes:
        estimates: Estimates on all scales.
        tests: By scale, its differences from the baseline, if tests are requested.
        permutations: By scale, these differences under permutations, if that test is chosen.
    """

    estimates: estimate.ResampledEstimates
    tests: Mapping[str, contenders.ResampledDifferences]
    permutations: Mapping[str, Permutations]


def _model_results(
    model: Key, condition: Condition, rows: pd.DataFrame, resampling: Resampling
) -> list[Result]:
    """Return a model's results by data set, then those of the mean over several data sets.

    They are estimates on each scale, the spread of accuracy over scales, and tests of each scale
    against the baseline (against the first scale if the baseline was not used). `model` is the key
    of the model, and `condition` names its variant. Data sets are numbered (`stream`), so that
    their resamples are independent.
    """
    scales = sorted(rows["scale"].unique(), key=numbers.scale_sort_key)
    versus = _BASELINE if _BASELINE in scales else scales[0]
    by_dataset: dict[str, _DatasetNumbers] = {}
    for stream, (name, group) in enumerate(rows.groupby("dataset", sort=True)):
        by_dataset[str(name)] = _dataset_numbers(group, condition, versus, resampling, stream)
    if len(by_dataset) > 1:
        by_dataset[MEAN] = _mean_numbers(by_dataset, scales)
    results: list[Result] = []
    for dataset, dataset_numbers in by_dataset.items():
        key, estimates = Key(TASK, model.model, dataset), dataset_numbers.estimates
        results += estimate.results_of(estimates, key)
        if accuracy_spread := numbers.accuracy_spread(estimates, condition):
            results += estimate.results_of(accuracy_spread, key)
        against = condition.but(versus=versus)
        tests = contenders.results_of_tests(dataset_numbers.tests, key, against, "scale")
        results += with_permutation_p(tests, dataset_numbers.permutations)
    return results


def _dataset_numbers(
    rows: pd.DataFrame, condition: Condition, versus: str, resampling: Resampling, stream: int
) -> _DatasetNumbers:
    """Return a model's estimates on each scale of a data set, and its tests against `versus`.

    `versus` is the scale with which the others are compared; there are no tests if it was not used
    on this data set, or if none is requested. `stream` is the number of the data set; resamples of
    different numbers are independent.
    """
    # Items as objects, because sets of items are slow to make from pandas' own type of text.
    rows = rows.astype({"item": object})
    scales = sorted(rows["scale"].unique(), key=numbers.scale_sort_key)
    by_scale: dict[str, pd.DataFrame] = {scale: rows[rows["scale"] == scale] for scale in scales}
    # All scales have the same resamples of the items.
    units = estimate.ordered_units(rows)
    statistics: list[estimate.Statistics] = []
    for scale, scale_rows in by_scale.items():
        scale_condition = condition.but(scale=scale)
        statistics += stated.scale_statistics(scale_rows, units, scale_condition, resampling)
    clusters = estimate.clusters_of(rows)
    estimates = estimate.resample(
        statistics,
        len(units),
        resampling,
        stream,
        clusters,
        unpaired=True,  # tests against the baseline draw resamples of their own
    )
    baseline = by_scale.pop(versus, None)  # what stays is compared with it
    if baseline is None or not resampling.requests_any(contenders.TEST_METRICS):
        return _DatasetNumbers(estimates, {}, {})
    tests = contenders.differences_from_baseline(baseline, by_scale, resampling, stream)
    permutations = {}
    if resampling.options(ScaleOptions).test == "permutation":
        for scale, scale_rows in by_scale.items():
            if permuted := permute(scale_rows, baseline, resampling, stream):
                permutations[scale] = permuted
    return _DatasetNumbers(estimates, tests, permutations)


def _mean_numbers(
    by_dataset: Mapping[str, _DatasetNumbers], scales: Sequence[str]
) -> _DatasetNumbers:
    """Return the means over data sets; a scale is tested only if all of them have its tests.

    An estimate that a data set lacks is left out; only meta-d' and M-ratio are then reported, as
    undefined. Scales of confidence, such as 0-100, are tested against a baseline.
    """
    estimates = estimate.average_estimates(
        {name: part.estimates for name, part in by_dataset.items()},
        ("top1_value", "n"),  # left out: a mean of commonest values, or of counts, has no meaning
        independent=True,
        reported_if_missing=("meta_d", "m_ratio"),
    )
    parts = by_dataset.values()
    tests, permutations = {}, {}
    for scale in scales:
        if all(scale in part.tests for part in parts):
            tests[scale] = contenders.mean_differences([part.tests[scale] for part in parts])
        if all(scale in part.permutations for part in parts):
            permutations[scale] = mean_permutations([part.permutations[scale] for part in parts])
    return _DatasetNumbers(estimates, tests, permutations)


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
            complete_confidence=stated.complete_confidence,
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
    views=shown.scale_tables,
    detail=shown.detail,
    figures=shown.FIGURES,
    headlines=shown.HEADLINES,
    clauses=shown.CLAUSES,
    sources={
        "accuracy_spread": ("accuracy",),
        "entropy_m_ratio_correlation": ("entropy_bits", "m_ratio"),
    },
    options=ScaleOptions,
    reference=bibtex("dai2026rescaling"),
)
