"""Differences of two contenders: how often p is below .05 where the metric is equal, and power."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from build import column_of
from inspect_confidence.metrics import TABLE_FUNCTIONS
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.studies.compare import confidence_contrast
from inspect_confidence.studies.compare import resample_contrast as resampled
from inspect_confidence.studies.study import Resampling
from validation.coverage import Rejections, misjudged
from validation.laws import OUTCOMES, VALUES, Observer, cells_of, tables

SIMULATIONS, RESAMPLES = 400, 300


def ideal(accuracy: float) -> FloatArray:
    """Cells of the observer whose confidence is what its evidence says: M-ratio 1."""
    return Observer(accuracy, 2 * norm.ppf(accuracy), 0).cells()


def as_sure(accuracy: float, auroc: float) -> FloatArray:
    """Cells of an observer of that accuracy and AUROC."""

    def observer(meta_d: float) -> Observer:
        return Observer(accuracy, meta_d, 0)

    def error(meta_d: float) -> float:
        population = tables(1e9 * observer(meta_d).cells()[[0, 2]].reshape(1, -1))
        return float(TABLE_FUNCTIONS["auroc"](population)[0]) - auroc

    meta_d_root = brentq(error, 0.2, 5)
    return observer(float(meta_d_root)).cells()


EVEN = {k / 10: 0.1 for k in range(10)}


@dataclass(frozen=True)
class Null:
    """Two contenders with one value of a metric.

    Attributes:
        metric: Which one.
        first: Cells of the first, by rightness and confidence.
        second: Of the second.
        shared: Correlation of what decides the cells, over items.
        items: How many there are.
    """

    metric: str
    first: FloatArray
    second: FloatArray
    shared: float = 0.0
    items: tuple[int, int] = (300, 1_000)


NULLS = {
    "M-ratio 1, accuracy .60 and .89": Null("m_ratio", ideal(0.6), ideal(0.89)),
    "AUROC .75, accuracy .65 and .85": Null("auroc", as_sure(0.65, 0.75), as_sure(0.85, 0.75)),
    # .85 (1 - .9)^2 + .15 .9^2 = .9 (1 - .7)^2 + .1 .7^2 = .13
    "Brier .13, accuracy .85 and .9": Null(
        "brier", cells_of({0.9: 1}, lambda _: 0.85), cells_of({0.7: 1}, lambda _: 0.9)
    ),
    "ECE .1, one confidence and ten": Null(
        "ece",
        cells_of({0.9: 1}, lambda _: 0.8),
        cells_of(EVEN, lambda v: v + 0.1 if v < 0.5 else v - 0.1),
    ),
    "ECE 0, both calibrated": Null(
        "ece", cells_of({0.8: 1}, lambda _: 0.8), cells_of(EVEN, lambda v: v)
    ),
    "same contender, correlated items": Null("auroc", ideal(0.75), ideal(0.75), 0.6),
    "same accuracy, ties": Null("accuracy", ideal(0.75), ideal(0.75), 0.6, (30, 100)),
    "same ECE, correlated items": Null("ece", ideal(0.75), ideal(0.75), 0.6),
}


def simulated_judgments(
    cells: FloatArray, latent: FloatArray, rng: np.random.Generator, shared: float
) -> pd.DataFrame:
    """Judgments of the items, each one of the cells; a twentieth can't be read."""
    items = len(latent)
    independent = rng.standard_normal(items)
    share = norm.cdf(np.sqrt(shared) * latent + np.sqrt(1 - shared) * independent)
    flat = np.cumsum(cells.ravel()) / cells.sum()
    cell = np.minimum(np.searchsorted(flat, share), flat.size - 1)
    return pd.DataFrame(
        {
            "item": np.arange(items),
            "status": np.where(rng.random(items) < 0.05, "no_number", "ok"),
            "choices": 2.0,
            "confidence": VALUES[cell % len(VALUES)],
            "correct": OUTCOMES[cell // len(VALUES)],
        }
    )


def rejections(null: Null, items: int) -> tuple[int, int]:
    """In how many simulations there is a p, and it is below .05; p agrees with the interval."""
    tested = rejected = 0
    for seed in range(SIMULATIONS):
        rng = np.random.default_rng([seed, items])
        latent = rng.standard_normal(items)
        sides = [
            simulated_judgments(cells, latent, rng, null.shared)
            for cells in (null.first, null.second)
        ]
        contrast_draws = resampled(
            confidence_contrast(sides[0], sides[1], (0.5,)), Resampling(RESAMPLES, seed), None
        )
        column = column_of(contrast_draws.names, 1).index(null.metric)
        verdict = contrast_draws.test(column)
        if np.isnan(verdict.p):
            continue
        low, high = verdict.interval
        assert np.isnan(low) or (verdict.p < 0.05) == (not low <= 0 <= high), (seed, verdict)
        assert np.isnan(low) or low <= contrast_draws.values[column] <= high
        tested += 1
        rejected += verdict.p < 0.05
    return tested, rejected


def nulls_and_items() -> list[tuple[str, int]]:
    """Each null with each of its numbers of items."""
    cases: list[tuple[str, int]] = []
    for name, null in NULLS.items():
        cases += product([name], null.items)
    return cases


@pytest.mark.slow
@pytest.mark.parametrize(("name", "items"), nulls_and_items())
def test_level(name: str, items: int) -> None:
    """Where the metric is equal, whatever else differs, p is below .05 in about 5%."""
    # Items that one side lacks are left out: a tenth of them.
    null = NULLS[name]
    tested, rejected = rejections(null, items)
    if tested < 0.35 * SIMULATIONS:  # too few in the rarest cell: hardly ever tested
        return
    # ECE's intervals are wide on purpose near 0, where errors must not hide; accuracy has ties.
    rare = null.metric in ("ece", "accuracy", "m_ratio")
    figure = Rejections(f"difference: {null.metric}", name, items, tested, rejected, discrete=rare)
    assert not misjudged([figure])


POWER = {
    "accuracy .75 and .89": Null("accuracy", ideal(0.75), ideal(0.89)),
    "AUROC .65 and .85": Null("auroc", as_sure(0.75, 0.65), as_sure(0.75, 0.85)),
    "ECE .05 and .3": Null(
        "ece", cells_of({0.8: 1}, lambda _: 0.75), cells_of(EVEN, lambda v: abs(v - 0.3))
    ),
    "M-ratio 1 and .5": Null(
        "m_ratio", ideal(0.75), Observer(0.75, float(norm.ppf(0.75)), 0).cells()
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(POWER))
def test_power(name: str) -> None:
    """A true difference is found in most samples of 1,000 items."""
    tested, rejected = rejections(POWER[name], 1_000)
    test = f"difference: {POWER[name].metric}"
    assert not misjudged([Rejections(test, name, 1_000, tested, rejected, power=True)])
    assert rejected / tested > 0.5
