"""Results over the data sets of both tasks together, each judgment with the same weight."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import calibration, estimate
from inspect_confidence.studies.estimate import ResampledEstimates, Statistics, resample, results_of
from inspect_confidence.studies.life_eval import numbers
from inspect_confidence.studies.life_eval.columns import SETS, STATED
from inspect_confidence.studies.life_eval.judgments import decade_names
from inspect_confidence.studies.notes import describe_counts, describe_left_out, join_notes
from inspect_confidence.studies.study import Resampling

ALL_SETS = "pooled"
"""Value of `dataset` in results over all data sets together."""

_POOLED_METRICS = ("overconfidence", "ece")
_POOLED_COLUMNS = [
    *("model", "variant", "window", "dataset", "item", "unit", "source", "status"),
    *("confidence", "correct"),
]


def pooled_results(completed: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """Return pooled results of each model with several data sets, and of each group of models.

    A source of confidence that a model has on one data set only, such as tokens, is not pooled. The
    groups are those of the option `life_eval.groups`. Units are resampled within their data set:
    items, or in LifeEval the persons of a decade of age who are asked with the same radius. Each
    variant, and each `window` (rule by which ages near an answer are right; empty if the usual),
    has results of its own. `completed` are completed judgments by task.
    """
    parts = []
    for rows in completed.values():
        unit = decade_names(rows) if "radius" in rows else estimate.cluster_names(rows)
        parts.append(numbers.with_outcomes(rows).assign(unit=unit)[_POOLED_COLUMNS])
    # Data sets have different numbers of choices, so that no metric may use one: NaN for all.
    rows = pd.concat(parts, ignore_index=True).assign(choices=np.nan)
    # The data set tells apart items of the same name in two sets.
    for name in ("item", "unit"):
        rows[name] = rows["dataset"] + "\0" + rows[name]
    results: list[Result] = []
    for (variant, window), group in rows.groupby(["variant", "window"], sort=False):
        dataset_counts = group.groupby(["model", "source"])["dataset"].transform("nunique")
        pooled_rows = group[dataset_counts > 1]
        if len(pooled_rows):
            condition = Condition(variant=variant, window=window)
            results += _variant_results(pooled_rows, condition, resampling)
    return results


def _variant_results(
    rows: pd.DataFrame, condition: Condition, resampling: Resampling
) -> list[Result]:
    """Return pooled results of each model and group of models, all over the same resamples."""
    unit_rows = rows.drop_duplicates("unit")
    units = pd.Index(unit_rows["unit"])
    # Units are resampled within their data set, so that each keeps its share of the pool.
    strata = pd.factorize(unit_rows["dataset"])[0].astype(np.int64)
    by_model: dict[str, ResampledEstimates] = {}
    results: list[Result] = []
    for name, model_rows in rows.groupby("model", sort=False):
        model = str(name)
        statistics = _pooled_statistics(model_rows, units, condition, resampling)
        by_model[model] = resample(statistics, strata, resampling)
        results += results_of(by_model[model], Key(SETS, model, ALL_SETS))
    return results + list(
        numbers.group_results(rows, by_model, Key(SETS, "", ALL_SETS), resampling)
    )


def _pooled_statistics(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """Yield the statistics of one model for each source of confidence.

    `rows` are its judgments of all data sets, `units` the resampled units of all models; notes
    count the judgments of each data set.
    """
    for source, source_rows in rows.groupby("source", sort=True):
        source_condition = condition.but(source="" if source == STATED else source)
        answers = numbers.answers_of(source_rows, units)
        sizes = source_rows["dataset"].value_counts(sort=False).items()
        datasets = f"pooled: {', '.join(f'{name} {size:,}' for name, size in sizes)}"
        note = partial(_describe_pool, datasets, source_rows)
        columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}
        yield estimate.means(
            source_condition, columns, answers.unit_index, answers.unit_count, note
        )
        yield numbers.rounded_share(
            source_rows, answers, source_condition, resampling.convention, note=datasets
        )
        compared = numbers.compared_metrics(resampling.convention)
        pooled_metrics = [metric for metric in compared if metric.metric in _POOLED_METRICS]
        table_note = note(answers.confidence + answers.correct)  # NaN if either is missing
        yield calibration.table_statistics(
            answers, pooled_metrics, source_condition, table_note, resampling
        )
        yield numbers.unread_share(source_rows, answers, source_condition)
        count_note = join_notes(datasets, describe_left_out(source_rows["status"]))
        yield estimate.judgment_count(source_condition, len(source_rows), count_note)


def _describe_pool(datasets: str, rows: pd.DataFrame, values: FloatArray) -> str:
    """Describe the data sets, and the judgments whose value is NaN."""
    return join_notes(datasets, describe_counts(rows, ~np.isnan(values)))
