"""Paired permutation tests of two scales: their level under the null, their power beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binom, binomtest, norm

from inspect_confidence.respondents.observer import draw_evidence, reported_share, reports
from inspect_confidence.studies.compare import Contrast, contrast, permutation_p
from inspect_confidence.studies.compare import tested as exchanged
from inspect_confidence.studies.study import Resampling

Record = Callable[[str, object], None]
FloatArray = NDArray[np.float64]

ITEMS, PERMUTATIONS = 150, 399
LEVELS = (0.05, 0.1, 0.25, 0.5)

TIED = ("accuracy",)
"""Metrics of few distinct differences: ties count against rejection, which then is rarer."""


@dataclass(frozen=True)
class Scale:
    """How judgments on one scale come about; two alike are exchangeable.

    Attributes:
        meta_d: Of the evidence.
        bias: Added to it before it is reported.
    """

    meta_d: float = 1.5
    bias: float = 0.5


def judged(
    scales: tuple[Scale, Scale], shared: float, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The same items judged on both scales, one judgment an item and scale."""
    # Whether an item is answered right (3 in 4) and how strong its evidence is have a correlation
    # of `shared` between the scales, each through a normal variable.
    rng = np.random.default_rng([seed, int(100 * shared)])
    of_item = rng.standard_normal((2, ITEMS))
    frames = []
    for scale in scales:
        alone = rng.standard_normal((2, ITEMS))
        ease, strength = np.sqrt(shared) * of_item + np.sqrt(1 - shared) * alone
        correct = (ease < norm.ppf(0.75)).astype(float)
        evidence = draw_evidence(correct, scale.meta_d, ndtr(strength))
        frames.append(
            pd.DataFrame(
                {
                    "item": [f"q{k}" for k in range(ITEMS)],
                    "status": "ok",
                    "choices": 4.0,
                    "confidence": reports(reported_share(evidence, scale.bias), 0, 100) / 100,
                    "correct": correct,
                }
            )
        )
    return frames[0], frames[1]


def paired_p(one: Contrast, seed: int) -> tuple[list[str], FloatArray]:
    """Names of the numbers and the package's p-values."""
    p = exchanged(one, Resampling(PERMUTATIONS, seed), None).p_values
    return [f"{metric} {condition}".rstrip() for condition, metric in one.names], p


def unpaired_p(one: Contrast, seed: int) -> FloatArray:
    """p-values with the scales' names shuffled over all judgments, whichever item they are of."""
    rng = np.random.default_rng(seed)
    names = np.repeat([[1.0, 0.0]], [one.units], axis=1)
    shuffled = np.vstack([names, rng.permuted(np.tile(names, (PERMUTATIONS, 1)), axis=1)])
    first, second = np.hsplit(shuffled, 2)
    differences = one.statistic(first, second) - one.statistic(1 - first, 1 - second)
    return permutation_p(differences[0], differences[1:])


@pytest.mark.slow
def test_level_under_the_null(record_property: Record) -> None:
    """Where the scales are exchangeable, p is at most a level as often as the level says."""
    # 399 exchanges and the observed one make p a multiple of 1/400, of which every level is one, so
    # that the number of rejections in 400 data sets is binomial. Rates lie within its central
    # 99.9%; where differences tie, only the upper end holds.
    data_sets = 400
    found = []
    for seed in range(data_sets):
        names, p = paired_p(contrast(*judged((Scale(), Scale()), 0.6, seed), (0.5,)), seed)
        found.append(p)
    p_values = np.array(found)
    assert not np.isnan(p_values).any()
    for name, p in zip(names, p_values.T, strict=True):
        rejected = [int((p <= level + 1e-12).sum()) for level in LEVELS]
        shown = ", ".join(f"{count / data_sets:.3f}" for count in rejected)
        record_property(
            "figure",
            f"paired permutation test, no difference, correlation .6, {data_sets} data sets of "
            f"{ITEMS} items: p of {name} at most .05, .1, .25, .5 in {shown}",
        )
        for level, count in zip(LEVELS, rejected, strict=True):
            low, high = binom(data_sets, level).ppf([0.0005, 0.9995])
            assert count <= high, (name, level)
            assert count >= low or name in TIED, (name, level)


@pytest.mark.slow
def test_pairing_has_power(record_property: Record) -> None:
    """A difference on correlated judgments is found by pairing more often than without."""
    # One-sided exact McNemar test, for each metric, on the data sets in which only one test
    # rejects.
    data_sets, metrics = 200, ("mean_confidence", "overconfidence", "auroc")
    both = np.zeros((data_sets, 2, len(metrics)), bool)
    for seed in range(data_sets):
        one = contrast(*judged((Scale(), Scale(meta_d=0.7, bias=0.75)), 0.8, seed), (0.5,))
        names, p = paired_p(one, seed)
        for way, values in enumerate((p, unpaired_p(one, seed))):
            both[seed, way] = [values[names.index(name)] <= 0.05 + 1e-12 for name in metrics]
    for name, (by_pairs, shuffled) in zip(metrics, both.transpose(2, 1, 0), strict=True):
        only_paired = int((by_pairs & ~shuffled).sum())
        only_shuffled = int((shuffled & ~by_pairs).sum())
        record_property(
            "figure",
            f"{name}, a true difference, correlation .8, {data_sets} data sets of {ITEMS} items: "
            f"p <= .05 in {by_pairs.mean():.3f} paired, {shuffled.mean():.3f} with names shuffled "
            f"over all judgments (only one of them in {only_paired} and {only_shuffled})",
        )
        discordant = only_paired + only_shuffled
        assert binomtest(only_paired, discordant, alternative="greater").pvalue < 0.001, name
