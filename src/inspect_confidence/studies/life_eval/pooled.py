"""The data sets of both tasks together: one row a model, every judgment with the same weight."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Condition, Key, Result
from inspect_confidence.studies import calibration, estimate
from inspect_confidence.studies.calibration import Answers
from inspect_confidence.studies.estimate import ResampledEstimates, Statistics, resample, results_of
from inspect_confidence.studies.life_eval import numbers
from inspect_confidence.studies.life_eval.judgments import STATED
from inspect_confidence.studies.notes import left_out, noted, rests_on
from inspect_confidence.studies.study import Resampling

ALL_SETS = "pooled"
"""What stands in `dataset` for all of them together."""

_TASK = "question_sets"
_METRICS = ("overconfidence", "ece")
_COLUMNS = [
    *("model", "variant", "window", "dataset", "item", "unit", "source", "status"),
    *("confidence", "correct"),
]


def of_all_sets(completed: Mapping[str, pd.DataFrame], resampling: Resampling) -> list[Result]:
    """The numbers of each model with several data sets, and the mean of each group of models.

    Items, of LifeEval decades of age by radius, are resampled within their data set. Runs of
    another variant or window are by themselves.
    """
    parts = [
        numbers.counted(rows).assign(unit=estimate.unit_names(rows))[_COLUMNS]
        for rows in completed.values()
    ]
    rows = pd.concat(parts, ignore_index=True).assign(choices=np.nan)
    # Items of two sets may have one name.
    for name in ("item", "unit"):
        rows[name] = rows["dataset"] + "\0" + rows[name]
    found: list[Result] = []
    for (variant, window), some in rows.groupby(["variant", "window"], sort=False):
        sets = some.groupby("model")["dataset"].transform("nunique")
        if len(several := some[sets > 1]):
            condition = Condition(variant=variant, window=window)
            found += _of_variant(several, condition, resampling)
    return found


def _of_variant(rows: pd.DataFrame, condition: Condition, resampling: Resampling) -> list[Result]:
    items = rows.drop_duplicates("unit")
    units, strata = pd.Index(items["unit"]), pd.factorize(items["dataset"])[0].astype(np.int64)
    drawn: dict[str, ResampledEstimates] = {}
    found: list[Result] = []
    for name, mine in rows.groupby("model", sort=False):
        made = _numbers(mine, units, condition, resampling)
        drawn[str(name)] = resample(made, strata, resampling)
        found += results_of(drawn[str(name)], Key(_TASK, str(name), ALL_SETS))
    groups = numbers.groups_of(list(drawn), resampling.options(numbers.LifeOptions).groups)
    for group, members in groups.items():
        shared = numbers.shared_items(rows, members)
        mean = numbers.group_mean({name: drawn[name] for name in members}, {}, shared)
        found += results_of(mean, Key(_TASK, f"mean of {group}", ALL_SETS))
    return found


def _numbers(
    rows: pd.DataFrame, units: pd.Index, condition: Condition, resampling: Resampling
) -> Iterator[Statistics]:
    """What one model stated, and what its tokens say."""
    for source, some in rows.groupby("source", sort=True):
        where = condition.but(source="" if source == STATED else source)
        answers = Answers.from_frame(some, units)
        at = (answers.unit, answers.units)
        sizes = some["dataset"].value_counts(sort=False).items()
        which = f"pooled: {', '.join(f'{name} {size:,}' for name, size in sizes)}"
        columns = {"accuracy": answers.correct, "mean_confidence": answers.confidence}

        def rests(values: FloatArray, pooled: str = which, some: pd.DataFrame = some) -> str:
            return noted(pooled, rests_on(some, ~np.isnan(values)))

        yield estimate.means(where, columns, *at, rests)
        yield numbers.rounding(some, answers, where, resampling.convention, which)
        forms = [form for form in numbers.forms(resampling.convention) if form.metric in _METRICS]
        made = calibration.table_statistics(
            answers, forms, where, rests(answers.confidence + answers.correct)
        )
        yield replace(made, estimates=[replace(one, n_asked=len(some)) for one in made.estimates])
        yield numbers.failures(some, answers, where)
        yield estimate.judgment_count(where, len(some), noted(which, left_out(some["status"])))
