"""The scale-design study: judgments -> results, comparisons and tables."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from inspect_confidence.references import bibtex
from inspect_confidence.results import Result
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
    spread,
    workers_for,
)
from inspect_confidence.studies.over_models import over_models
from inspect_confidence.studies.scale_variants.judgments import completed, read_sample
from inspect_confidence.studies.scale_variants.numbers import of_scale, over_scales
from inspect_confidence.studies.scale_variants.shown import FIGURES, HEADLINES, detail, scale_tables
from inspect_confidence.studies.study import Difference, Resampling, Study, TaskTable, View

TASK = "scale_variants"
MEAN = "mean"
"""What stands in `dataset` for the unweighted mean over data sets."""

_NAN = float("nan")


def summarize(frames: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """All results of the study.

    Args:
        frames: Judgments by task.
        resampling: How intervals are computed.
    """
    rows = completed(frames[TASK])
    tasks = [
        (answered, str(model), {"variant": variant}, resampling)
        for (model, variant), answered in rows.groupby(["model", "variant"], sort=False)
    ]
    parts = spread(_of_model, tasks, workers_for(len(rows), resampling))
    found = [one for part in parts for one in part]
    return [*found, *over_models(found)]


def _of_model(
    rows: pd.DataFrame, model: str, condition: Mapping[str, object], resampling: Resampling
) -> list[Result]:
    """Every data set by itself, then their mean."""
    drawn: dict[str, Drawn] = {}
    tests: dict[str, dict[str, Tested]] = {}
    versus = _baseline(rows)
    for stream, (dataset, answered) in enumerate(rows.groupby("dataset", sort=True)):
        drawn[str(dataset)] = _numbers(answered, condition, resampling, stream)
        tests[str(dataset)] = _tests(answered, versus, resampling, stream)
    if len(drawn) > 1:
        drawn[MEAN] = averaged(drawn, ("top1_value", "n"), independent=True)
        scales = [set(found) for found in tests.values()]
        tests[MEAN] = {
            scale: mean_tested([found[scale] for found in tests.values()])
            for scale in _in_order(set.intersection(*scales))
        }
    results: list[Result] = []
    for dataset, numbers in drawn.items():
        run = Result(TASK, model, dataset, "", "", _NAN, _NAN, _NAN, 0, "")
        results += results_of(numbers, run)
        if sum(one.metric == "accuracy" for one in numbers.numbers) > 1:
            results += results_of(over_scales(numbers, condition), run)
        results += results_of_tests(tests[dataset], condition, versus, run)
    return results


def _numbers(
    rows: pd.DataFrame, condition: Mapping[str, object], resampling: Resampling, stream: int
) -> Drawn:
    units = pd.Index(rows["item"].unique())
    by_scale = {str(scale): judged for scale, judged in rows.groupby("scale", sort=False)}
    families = [
        family
        for scale in _in_order(by_scale)
        for family in of_scale(by_scale[scale], units, {**condition, "scale": scale}, resampling)
    ]
    return draw(families, np.zeros(len(units), np.int64), resampling, stream)


def _tests(
    rows: pd.DataFrame, versus: str, resampling: Resampling, stream: int
) -> dict[str, Tested]:
    """Each scale against the baseline, on the items that both have."""
    # Sets of items, one a scale, are slow to make of pandas' own kind of text.
    rows = rows.astype({"item": object})
    by_scale = {str(scale): judged for scale, judged in rows.groupby("scale", sort=False)}
    if versus not in by_scale:
        return {}
    baseline = by_scale.pop(versus)
    others = {scale: by_scale[scale] for scale in _in_order(by_scale)}
    return tested_against(baseline, others, resampling, stream)


def _baseline(rows: pd.DataFrame) -> str:
    """The scale that others are compared with: 0-100, or the first there is."""
    scales = _in_order(rows["scale"].unique())
    return str(BASELINE) if str(BASELINE) in scales else scales[0]


def _in_order(scales: Iterable[str]) -> list[str]:
    """Scales in the study's order, then others."""
    order = [str(scale) for scale in ALL]
    return sorted(
        scales,
        key=lambda scale: (order.index(scale) if scale in order else len(order), scale),
    )


def compare(a: pd.DataFrame, b: pd.DataFrame, resampling: Resampling) -> list[Difference]:
    """Differences of two contenders, a row a metric, on the items that both answered readably."""
    one = contrast(completed(a), completed(b), resampling.thresholds)
    if not one.items:
        return []
    return differences(one.statistic, one.names, one.items, one.items, resampling)


def views(results: pd.DataFrame) -> list[View]:
    """The study's tables, a group of them a model, data set and variant."""
    return scale_tables(results)


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
    views=views,
    detail=detail,
    figures=FIGURES,
    headlines=HEADLINES,
    reference=bibtex("dai2026rescaling"),
)
