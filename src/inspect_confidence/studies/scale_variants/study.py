"""The scale-design study: judgments -> results, comparisons and tables."""

from collections.abc import Iterable, Mapping

import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.scales import ALL, BASELINE
from inspect_confidence.studies.compare import (
    Tested,
    contrast,
    differences,
    mean_tested,
    results_of_tests,
    tested_against,
)
from inspect_confidence.studies.estimate import (
    Drawn,
    averaged,
    draw,
    results_of,
    runs,
    spread,
    workers_for,
)
from inspect_confidence.studies.scale_variants.judgments import completed, read_sample
from inspect_confidence.studies.scale_variants.numbers import (
    entropy_and_ratio,
    of_scale,
    over_scales,
)
from inspect_confidence.studies.scale_variants.shown import FIGURES, HEADLINES, detail, scale_tables
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable

TASK = "scale_variants"
MEAN = "mean"
"""What stands in `dataset` for the unweighted mean over data sets."""


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Each model's numbers, data set by data set and their mean; then what goes over models."""
    rows = completed(frames[TASK])
    tasks = [(*one, resampling) for one in runs(rows, ("model", "variant"))]
    parts = spread(_of_model, tasks, workers_for(len(rows), resampling))
    found = [one for part in parts for one in part]
    return [*found, *entropy_and_ratio(found)]


def _of_model(
    model: Key, condition: Condition, rows: pd.DataFrame, resampling: Resampling
) -> list[Result]:
    """Every data set by itself, then their mean."""
    drawn: dict[str, Drawn] = {}
    tests: dict[str, dict[str, Tested]] = {}
    order = _in_order(rows["scale"].unique())
    versus = str(BASELINE) if str(BASELINE) in order else order[0]
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
            for one in of_scale(said, units, condition.but(scale=scale), resampling)
        ]
        drawn[dataset] = draw(estimands, len(units), resampling, stream)
        baseline = judged.pop(versus, None)
        tests[dataset] = (
            {} if baseline is None else tested_against(baseline, judged, resampling, stream)
        )
    if len(drawn) > 1:
        drawn[MEAN] = averaged(drawn, ("top1_value", "n"), independent=True)
        tests[MEAN] = {
            scale: mean_tested([found[scale] for found in tests.values()])
            for scale in order
            if all(scale in found for found in tests.values())
        }
    results: list[Result] = []
    for dataset, numbers in drawn.items():
        key = Key(TASK, model.model, dataset)
        results += results_of(numbers, key)
        if moved := over_scales(numbers, condition):
            results += results_of(moved, key)
        against = condition.but(versus=versus)
        results += results_of_tests(tests[dataset], key, against, "scale")
    return results


def _in_order(scales: Iterable[str]) -> list[str]:
    """Scales in the study's order, then others."""
    order = {str(scale): place for place, scale in enumerate(ALL)}
    return sorted(scales, key=lambda scale: (order.get(scale, len(order)), scale))


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders, a row a metric, on the items that both answered readably."""
    return differences(contrast(completed(a), completed(b), resampling.thresholds), resampling)


SCALE_VARIANTS = Study(
    name="scale_variants",
    title="Scale variants: verbalised confidence on numeric scales",
    tables=(
        TaskTable(
            task=TASK,
            columns={
                "low": "number",
                "high": "number",
                "raw": "number",
                "confidence": "number",
                "clipped": "flag",
                "answer": "text",
                "target": "text",
                "choices": "number",
                "correct": "number",
            },
            required=("item",),
            answers=(
                ("low", "high", "raw", "correct"),
                ("low", "high", "raw", "answer", "target"),
                ("confidence", "correct"),
                ("confidence", "answer", "target"),
            ),
            arguments_shown=frozenset({"dataset", "items", "split", "scales", "prompt", "system"}),
            compared_within=(),
            read=read_sample,
        ),
    ),
    contenders=("low", "high"),
    summarize=summarize,
    compare=compare,
    views=scale_tables,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    reference=bibtex("dai2026rescaling"),
)
