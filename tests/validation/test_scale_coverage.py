"""How often bootstrap intervals of stated confidence hold the exact values of a known observer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import binom, ks_2samp, norm

from inspect_confidence import metrics
from inspect_confidence.metrics import (
    Cells,
    ConfidenceTables,
    basic_interval,
    bootstrap,
    percentile_interval,
)
from inspect_confidence.respondents.observer import needed_evidence

Record = Callable[[str, object], None]
FloatArray = NDArray[np.float64]
Estimator = Callable[[ConfidenceTables], FloatArray]

VALUES = np.arange(21) / 20
"""Confidences on 0-100 in multiples of 5."""

SIMULATIONS, RESAMPLES = 2_000, 1_000

ESTIMATORS: Mapping[str, Estimator] = {
    "accuracy": metrics.accuracy.of,
    "auroc": metrics.auroc.of,
    "type2_dprime .5": lambda t: metrics.type2_dprime.of(t, threshold=0.5),
    "type2_dprime .75": lambda t: metrics.type2_dprime.of(t, threshold=0.75),
    "overconfidence": metrics.overconfidence.of,
    "mean_confidence": metrics.mean_confidence.of,
    "brier": metrics.brier.of,
    "meta_d_ideal .5": lambda t: metrics.meta_d_ideal.of(t, threshold=0.5),
    "meta_d_ideal .75": lambda t: metrics.meta_d_ideal.of(t, threshold=0.75),
    "meta_information": metrics.meta_information.of,
    "ece": metrics.ece.of,
}
REQUIRED = ("accuracy", "auroc", "type2_dprime .5", "type2_dprime .75", "overconfidence")


@dataclass(frozen=True)
class Observer:
    """A signal-detection observer who reports in multiples of 5.

    Attributes:
        accuracy: Share of right answers.
        meta_d: Of the evidence.
        bias: Added to it before it is reported.
    """

    accuracy: float
    meta_d: float
    bias: float

    def cells(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities of each report with a right and with a wrong answer."""
        # The report is v where the evidence lies between what v - 2.5 and v + 2.5 take, and P(|x| >
        # t | right) = Phi(d/2 - t) / Phi(d/2), with minus d/2 where wrong.
        edges = [max(needed_evidence(v / 100, self.bias), 0) for v in np.arange(2.5, 100, 5)]
        parts = []
        for mass, half in ((self.accuracy, self.meta_d / 2), (1 - self.accuracy, -self.meta_d / 2)):
            above = norm.cdf(half - np.array([0, *edges, np.inf])) / norm.cdf(half)
            parts.append(mass * -np.diff(above))
        return parts[0], parts[1]

    def truths(self) -> dict[str, float]:
        """The exact values of what `ESTIMATORS` estimate."""
        right, wrong = self.cells()
        both = right + wrong
        # A pair of a right and a wrong answer: surer when right, or as sure.
        wins = np.sign(VALUES[:, None] - VALUES)
        joint, apart = np.array([right, wrong]), np.outer([right.sum(), wrong.sum()], both)
        there = joint > 0
        bins = np.minimum(np.arange(21) // 2, 9)
        gaps = np.bincount(bins, both * VALUES - right)
        truths = {
            "accuracy": self.accuracy,
            "auroc": 0.5 + right @ wins @ wrong / (2 * right.sum() * wrong.sum()),
            "overconfidence": both @ VALUES - self.accuracy,
            "mean_confidence": both @ VALUES,
            "brier": right @ (1 - VALUES) ** 2 + wrong @ VALUES**2,
            "meta_d_ideal .5": self.meta_d,
            "meta_d_ideal .75": self.meta_d,
            "meta_information": np.sum(joint[there] * np.log2(joint[there] / apart[there])),
            "ece": np.abs(gaps).sum(),
        }
        for threshold in (0.5, 0.75):
            hit, false_alarm = (
                part[threshold <= VALUES].sum() / part.sum() for part in (right, wrong)
            )
            truths[f"type2_dprime {threshold:g}".replace("0.", ".")] = norm.ppf(hit) - norm.ppf(
                false_alarm
            )
        return {name: float(value) for name, value in truths.items()}

    def least_cell(self, items: int) -> float:
        """The smallest expected type-2 cell at the thresholds .5 and .75."""
        high = [threshold <= VALUES for threshold in (0.5, 0.75)]
        shares = [part[side].sum() for part in self.cells() for one in high for side in (one, ~one)]
        return float(items * min(shares))


def tables(counts: FloatArray) -> ConfidenceTables:
    """Rows of counts, of right answers before those of wrong ones, as tables."""
    return ConfidenceTables(VALUES, counts[..., :21], counts[..., 21:])


def held(
    observer: Observer, items: int, names: tuple[str, ...], seed: int
) -> tuple[dict[str, int], dict[str, int]]:
    """In how many data sets each value is defined, and its 95% interval holds the exact one."""
    rng = np.random.default_rng(seed)
    probabilities = np.concatenate(observer.cells())
    truths = observer.truths()
    defined, holding = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for counts in rng.multinomial(items, probabilities / probabilities.sum(), size=SIMULATIONS):
        seen = tables(counts[None].astype(float))
        drawn = tables(rng.multinomial(items, counts / items, size=RESAMPLES).astype(float))
        for name in names:
            if np.isnan(ESTIMATORS[name](seen)[0]):
                continue
            values = ESTIMATORS[name](drawn)
            if name == "meta_information":  # as the results have it
                low, high = basic_interval(float(ESTIMATORS[name](seen)[0]), values)
            else:
                low, high = percentile_interval(values)
            defined[name] += 1
            holding[name] += low <= truths[name] <= high
    return defined, holding


@pytest.mark.slow
def test_multinomial_is_the_bootstrap() -> None:
    """Tables drawn as multinomials of counts and tables of resampled items have the same law."""
    rng = np.random.default_rng(1)
    probabilities = np.concatenate(Observer(0.75, 1.5, 0.5).cells())
    cell = rng.choice(42, size=1_000, p=probabilities / probabilities.sum())
    confidence, correct = VALUES[cell % 21], (cell < 21).astype(float)
    cells = Cells.of(confidence, correct)
    by_items = bootstrap(
        {
            name: lambda weights, one=one: one(cells.tables(weights))  # type: ignore[misc]
            for name, one in ESTIMATORS.items()
        },
        np.zeros(1_000, np.int64),
        resamples=10_000,
    )
    counts = np.bincount(cell, minlength=42)
    drawn = tables(rng.multinomial(1_000, counts / 1_000, size=10_000).astype(float))
    for name, one in ESTIMATORS.items():
        p = ks_2samp(by_items[name], one(drawn)).pvalue
        assert p > 0.01 / len(ESTIMATORS), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("observer", "least"),
    [(Observer(0.75, 1.5, 0.5), 46), (Observer(0.93, 2.0, 0.5), 10)],
    ids=["moderate", "few wrong"],
)
def test_bootstrap_covers(observer: Observer, least: int, record_property: Record) -> None:
    """At 1,000 items and expected type-2 cells of 10 or more, 93 to 97% of intervals hold."""
    assert int(observer.least_cell(1_000)) == least
    defined, holding = held(observer, 1_000, tuple(ESTIMATORS), seed=least)
    shown = ", ".join(f"{name} {holding[name] / SIMULATIONS:.3f}" for name in ESTIMATORS)
    record_property(
        "figure",
        f"95% bootstrap intervals of {SIMULATIONS:,} data sets, 1,000 items, accuracy "
        f"{observer.accuracy:g}, meta-d' {observer.meta_d:g}, smallest expected type-2 cell "
        f"{observer.least_cell(1_000):.1f}: {shown}",
    )
    assert set(defined.values()) == {SIMULATIONS}
    for name in REQUIRED:
        assert 0.93 <= holding[name] / SIMULATIONS <= 0.97, name


def sparse_observer(accuracy: float, hit: float, false_alarm: float) -> Observer:
    """The observer with these type-2 rates at the threshold .5."""
    # z(H2 Phi(d/2)) - z(F2 Phi(-d/2)) = d gives its d'; reports of 50 and more take 47.5%.

    def excess(d: float) -> float:
        right, wrong = (norm.ppf(r * norm.cdf(s * d / 2)) for r, s in ((hit, 1), (false_alarm, -1)))
        return float(right - wrong - d)

    meta_d = float(brentq(excess, 1e-6, 8))
    criterion = meta_d / 2 - norm.ppf(hit * norm.cdf(meta_d / 2))
    return Observer(accuracy, meta_d, needed_evidence(0.475) - float(criterion))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "accuracy", "false_alarm"),
    [(1_000, 0.8, 0.97), (1_000, 0.9, 0.95), (1_000, 0.9, 0.97), (100, 0.8, 0.95)],
)
def test_sparse(items: int, accuracy: float, false_alarm: float, record_property: Record) -> None:
    """Where nearly all judgments are high, type-2 sensitivity is covered less: a figure."""
    names = ("accuracy", "auroc", "type2_dprime .5", "meta_d_ideal .5")
    observer = sparse_observer(accuracy, 0.99, false_alarm)
    right, wrong = observer.cells()
    np.testing.assert_allclose(
        [right[10:].sum() / right.sum(), wrong[10:].sum() / wrong.sum()], [0.99, false_alarm]
    )
    defined, holding = held(observer, items, names, seed=items + int(100 * false_alarm))
    least = items * min(right[:10].sum(), wrong[:10].sum())
    shown = ", ".join(
        f"{name} {holding[name] / defined[name]:.3f} of {defined[name]:,}" for name in names
    )
    record_property(
        "figure",
        f"95% bootstrap intervals, sparse (H2 .99, F2 {false_alarm:g}), {items:,} items, accuracy "
        f"{accuracy:g}, smallest expected type-2 cell {least:.1f}, where the value is defined: "
        f"{shown}",
    )
    # Nothing is sparse for accuracy: between .93 and .97 but for 99% of the binomial around that.
    low, high = binom(SIMULATIONS, 0.93).ppf(0.005), binom(SIMULATIONS, 0.97).ppf(0.995)
    assert low <= holding["accuracy"] <= high


@pytest.mark.slow
def test_bias_of_ece(record_property: Record) -> None:
    """The mean ECE of a perfectly calibrated observer, which should be 0, goes as 1/sqrt(n)."""
    # A bin's gap is about normal with variance sum m v (1 - v) / n over its values v of share m, so
    # that ECE's mean is about sum sqrt(2 / pi) sd over the bins.
    rng = np.random.default_rng(3)
    mass = np.sum(Observer(0.75, 1.5, 0.5).cells(), axis=0)
    probabilities = np.concatenate([mass * VALUES, mass * (1 - VALUES)])
    for bins in (10, 20):
        place = np.minimum(np.arange(21) * bins // 20, bins - 1)
        spread = np.sqrt(np.bincount(place, mass * VALUES * (1 - VALUES)))
        shown = []
        for items in (50, 100, 200, 500, 1_000):
            counts = rng.multinomial(items, probabilities / probabilities.sum(), size=10_000)
            found = metrics.ece.of(tables(counts.astype(float)), bins=bins)
            shown.append(f"{items:,}: {found.mean():.4f} (sd {found.std():.4f})")
            expected = np.sqrt(2 / np.pi / items) * spread.sum()
            assert found.mean() == pytest.approx(expected, rel=0.05 if items < 500 else 0.01)
        record_property(
            "figure",
            f"ECE of a perfectly calibrated observer, {bins} bins, mean of 10,000 at n = "
            f"{', '.join(shown)}",
        )
