"""Paired permutation tests between scales, as in the study: an option beside the bootstrap's p."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from inspect_confidence import metrics
from inspect_confidence.arguments import choice
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.printing import counted
from inspect_confidence.results import Condition, Result
from inspect_confidence.studies.calibration import COMPARED_METRICS, Answers
from inspect_confidence.studies.compare import (
    ComparedName,
    add_means_and_sensitivity,
    restrict_to_common_items,
)
from inspect_confidence.studies.notes import join_notes
from inspect_confidence.studies.study import Resampling, option

TESTS = ("bootstrap", "permutation")
_PERMUTATIONS_AT_ONCE = 500  # which bounds the memory
_TIE_TOLERANCE = 1e-12
"""Distance from the observed difference up to which a difference counts as equally large."""


@dataclass(frozen=True)
class ScaleOptions:
    """Options of the scale study.

    Attributes:
        test: Test of a scale against the baseline: `bootstrap`, whose p agrees with the interval,
            or `permutation` as in the study, which exchanges both scales' replies to an item.
    """

    test: str = option(
        "bootstrap", lambda name, value: choice(name, value, TESTS), changes=["scale_variants"]
    )


@dataclass(frozen=True)
class Permutations:
    """Differences of a scale from the baseline, observed and under exchanges of the two.

    Attributes:
        names: Condition and metric of each difference.
        observed: The differences, of shape (metrics,).
        permuted: The differences under exchanges, of shape (permutations, metrics).
    """

    names: Sequence[ComparedName]
    observed: FloatArray
    permuted: FloatArray

    def p_values(self) -> dict[ComparedName, float]:
        """Return the two-sided p of each difference by name: (1 + k) / (1 + permutations).

        k counts the permutations (rows of `permuted`, a column for each name) with a difference at
        least as large as the observed one. The observed labels count as one more permutation (the
        1). Undefined differences count, too; `_TIE_TOLERANCE` allows for rounding. p is NaN if the
        observed difference is undefined.
        """
        is_large = ~(np.abs(self.permuted) < np.abs(self.observed) - _TIE_TOLERANCE)
        p = (1 + is_large.sum(axis=0)) / (1 + len(self.permuted))
        p = np.where(np.isnan(self.observed), np.nan, p)
        return dict(zip(self.names, map(float, p), strict=True))


def permute(
    rows: pd.DataFrame, baseline: pd.DataFrame, resampling: Resampling, stream: int
) -> Permutations | None:
    """Return a scale's differences from the baseline, observed and under permutations.

    Without a difference of the scales the labels "scale" and "baseline" of an item's judgments are
    exchangeable. Each permutation exchanges them in each item with probability 1/2, for all its
    judgments together. Only graded, readable judgments of items on both scales count; without such
    items return None.

    Args:
        rows: Completed judgments on a scale, of one data set.
        baseline: Completed judgments on the baseline.
        resampling: Number of permutations, seed and thresholds.
        stream: Number of the data set; permutations of different numbers are independent.
    """
    sides = [side[(side["status"] == "ok") & side["correct"].notna()] for side in (rows, baseline)]
    items, common = restrict_to_common_items(sides)
    if not len(items):
        return None
    # Each item is two units: one of its judgments on the scale, one of those on the baseline. All
    # units of the scale come first, so that weights can exchange them with those of the baseline.
    scale_rows = common[0].assign(unit="scale:" + common[0]["item"])
    baseline_rows = common[1].assign(unit="baseline:" + common[1]["item"])
    units = ("scale:" + items).append("baseline:" + items)
    answers = Answers.from_frame(pd.concat([scale_rows, baseline_rows]), units)
    compared = add_means_and_sensitivity(COMPARED_METRICS, resampling.thresholds, answers.choices)
    functions = [answers.value_function(metric) for metric in compared]
    count_tables = answers.count_tables()
    draws = np.random.default_rng([resampling.seed, stream])
    chunks = []
    for start in range(0, resampling.resamples, _PERMUTATIONS_AT_ONCE):
        count = min(_PERMUTATIONS_AT_ONCE, resampling.resamples - start)
        is_exchanged = draws.integers(0, 2, (count, len(items))).astype(float)
        chunks.append(_differences(count_tables, functions, is_exchanged))
    none_exchanged = np.zeros((1, len(items)))
    return Permutations(
        [(Condition(metric.condition), metric.metric) for metric in compared],
        observed=_differences(count_tables, functions, none_exchanged)[0],
        permuted=np.concatenate(chunks),
    )


def _differences(
    count_tables: metrics.ItemTables,
    functions: Sequence[Callable[[metrics.ConfidenceTables], FloatArray]],
    exchanged: FloatArray,
) -> FloatArray:
    """Return a scale's differences from the baseline, of shape (permutations, metrics).

    Args:
        count_tables: Tables of units: the items on the scale, then the same on the baseline.
        functions: For each metric, the function of the tables that computes it.
        exchanged: 1 for items whose judgments are exchanged, else 0: (permutations, items).
    """
    values = []
    # An exchanged item gives its judgments on the scale to the side of the baseline.
    for scale_weights in (1 - exchanged, exchanged):  # of the side of the scale, of the baseline
        tables = count_tables.tables(np.hstack([scale_weights, 1 - scale_weights]))
        values.append(np.column_stack([function(tables) for function in functions]))
    return np.asarray(values[0] - values[1])


def mean_permutations(parts: Sequence[Permutations]) -> Permutations:
    """Return the mean over data sets of their differences, observed and in each permutation.

    `parts`, at least one, have the same metrics and equally many permutations.
    """
    return Permutations(
        parts[0].names,
        np.mean([part.observed for part in parts], axis=0),
        np.mean([part.permuted for part in parts], axis=0),
    )


def with_permutation_p(
    results: Iterable[Result], permutations: Mapping[str, Permutations]
) -> Iterator[Result]:
    """Yield results in which the p of permutations, and its adjustments, replace the bootstrap's.

    Both are of one model, variant and data set; `permutations` are by scale. A result that is no p
    stays unchanged, and so does the p of a scale without permutations.
    """
    # p by scale; the key is the condition of the difference, whose part `of` names its metric.
    p_by_key: dict[Condition, dict[str, float]] = {}
    for scale, scale_permutations in permutations.items():
        for (compared, metric), scale_p in scale_permutations.p_values().items():
            p_by_key.setdefault(compared.but(of=metric), {})[scale] = scale_p
    for result in results:
        if result.metric not in ("p_value", "p_bonferroni", "p_holm"):
            yield result
            continue
        condition = Condition.read(result.condition)
        # An empty part is removed: what stays is a key. All results are of one variant.
        p_by_scale = p_by_key.get(condition.but(scale="", versus="", variant=""), {})
        scale = condition.get("scale", "")  # rows of a user's file may have no scale
        if scale not in p_by_scale:
            yield result
            continue
        p = np.array(list(p_by_scale.values()))
        note = f"{len(permutations[scale].permuted):,} permutations of the two scales within items"
        if result.metric != "p_value":  # adjustments are over the scales
            over = f"over {counted((~np.isnan(p)).sum(), 'comparison')} with {condition['versus']}"
            note = join_notes(note, over)
            p = metrics.holm(p) if result.metric == "p_holm" else metrics.bonferroni(p)
        value = float(p[list(p_by_scale).index(scale)])
        yield replace(result, value=value, note=result.note if np.isnan(value) else note)
