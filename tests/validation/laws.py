"""Laws of stated confidence and outcomes with exact true values, and the coverage under them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from inspect_confidence import metrics
from inspect_confidence.metrics import METRICS, Clusters, Costs, Interval
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.respondents.observer import MIDDLE, SPREAD
from inspect_confidence.results import Condition, Key
from inspect_confidence.studies import estimate
from inspect_confidence.studies.calibration import COMPARED_METRICS, Answers, confidence_statistics
from inspect_confidence.studies.compare import Pair, contrast_of_pairs, resample_contrast
from inspect_confidence.studies.study import Resampling
from validation.coverage import ALWAYS_TRUE, RUNS, Coverage

SIZES = (50, 30, 100, 198, 500, 1_319)
"""Items of the data sets that people use; the size at which most intervals failed first."""

VALUES = np.arange(21) / 20
"""Confidences on 0-100 in multiples of 5."""

OUTCOMES = np.array([1.0, 0.5, 0.0])
RESAMPLES = 1_000
"""Resamples of a sample: with 300, whose 8th value stands for a tail of .024, coverage is lower."""
POPULATION = 100_000
"""Judgments from which true values are computed."""

COSTS = Costs(1, -2, 0)
THRESHOLDS = 0.5, 0.95


@dataclass(frozen=True)
class Law:
    """Joint law of confidence and outcome of an item's judgments.

    Attributes:
        cells: Probability of each outcome in `OUTCOMES` with each confidence in `VALUES`, of shape
            (3, 21).
        epochs: Judgments of an item.
        cluster_size: Items that are drawn together; 1 if items are independent.
        repeated: Probability that a judgment is that of its cluster, or of its item where items are
            independent, and not drawn anew. The law of a single judgment is the same for any.
        unread: Share of judgments whose confidence could not be read.
    """

    cells: FloatArray
    epochs: int = 1
    cluster_size: int = 1
    repeated: float = 0.0
    unread: float = 0.0

    @property
    def clusters(self) -> Clusters | None:
        """Declaration of the clusters; None if items are independent."""
        return Clusters("clusters", 20) if self.cluster_size > 1 else None

    def can_resample(self, items: int) -> bool:
        """Return whether so many items have as many clusters as their resampling needs."""
        return self.clusters is None or items // self.cluster_size >= self.clusters.min_units

    def answers(self, positions: NDArray[np.float64], items: int) -> Answers:
        """Return the judgments at these positions of the cumulated cells, by epoch and item."""
        limits = np.cumsum(self.cells.ravel())
        cell = np.minimum(np.searchsorted(limits / limits[-1], positions), limits.size - 1)
        item = np.tile(np.arange(items), len(positions) // items)
        unit = item // self.cluster_size
        return Answers(
            unit,
            int(unit.max()) + 1,
            VALUES[cell % len(VALUES)],
            OUTCOMES[cell // len(VALUES)],
            item,
            4,
        )

    def sample(self, items: int, rng: np.random.Generator) -> Answers:
        """Return the judgments of a sample of items."""
        count = items * self.epochs
        item = np.tile(np.arange(items), self.epochs)
        common = rng.random(items)[item // self.cluster_size]
        is_repeated = rng.random(count) < self.repeated
        answers = self.answers(np.where(is_repeated, common, rng.random(count)), items)
        answers.confidence[rng.random(count) < self.unread] = np.nan
        return answers

    @cached_property
    def truths(self) -> dict[tuple[str, Condition], float]:
        """Exact values of all metrics, by metric and condition."""
        positions = (np.arange(POPULATION) + 0.5) / POPULATION
        answers = Law(self.cells).answers(positions, POPULATION)
        values = {}
        for statistics in _all_statistics(answers):
            row = statistics.statistic(np.ones((1, answers.unit_count))).reshape(-1)
            for one_estimate, value in zip(statistics.estimates, row, strict=True):
                values[one_estimate.metric, Condition(one_estimate.condition)] = float(value)
        # A population has no sampling variance, which the debiased statistic would subtract.
        for key, true_value in values.items():
            if key[0] == "debiased_squared_error" and not np.isnan(true_value):
                values[key] = self.squared_error
        return values

    @property
    def squared_error(self) -> float:
        """Mean squared difference between a confidence and the accuracy at it."""
        shares = self.cells.sum(axis=0)
        gap = shares * VALUES - OUTCOMES @ self.cells
        return float((gap[shares > 0] ** 2 / shares[shares > 0]).sum() / shares.sum())


def _all_statistics(
    answers: Answers, names: Collection[str] | None = None
) -> Iterable[estimate.Statistics]:
    """Statistics of metrics; one draw of the test of calibration, which has no interval."""
    settings = Resampling(1, thresholds=THRESHOLDS, costs=COSTS, metrics=names)
    return confidence_statistics(answers, {}, "", settings)


# Cells of laws


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

    def cells(self) -> FloatArray:
        """Probabilities of each report with a right, a half right and a wrong answer."""
        # The report is v where the evidence lies between what v - 2.5 and v + 2.5 take, and P(|x| >
        # t | right) = Phi(d/2 - t) / Phi(d/2), with minus d/2 where wrong.
        needed = MIDDLE - self.bias + SPREAD * norm.ppf(np.arange(2.5, 100, 5) / 100)
        edges = np.maximum(needed, 0)
        parts = []
        for mass, half in ((self.accuracy, self.meta_d / 2), (1 - self.accuracy, -self.meta_d / 2)):
            above = norm.cdf(half - np.array([0, *edges, np.inf])) / norm.cdf(half)
            parts.append(mass * -np.diff(above))
        return np.array([parts[0], np.zeros(len(VALUES)), parts[1]])


def cells_of(
    shares: Mapping[float, float], accuracy: Callable[[float], float], half: float = 0.0
) -> FloatArray:
    """Probabilities of cells where confidences have these shares and accuracies.

    `half` is the share of half right answers at every confidence.
    """
    cells = np.zeros((3, len(VALUES)))
    for value, share in shares.items():
        right = accuracy(value) * (1 - half)
        cells[:, round(20 * value)] = share * np.array([right, half, 1 - half - right])
    return cells


FEW = {0.7: 0.05, 0.8: 0.1, 0.85: 0.2, 0.9: 0.25, 0.95: 0.3, 1.0: 0.1}
TENS = {k / 10: 1 / 11 for k in range(11)}
HIGH = {0.5: 0.01, 0.7: 0.02, 0.8: 0.03, 0.9: 0.04, 0.95: 0.5, 1.0: 0.4}
"""Nine in ten reports are .95 or 1, as of most models."""
THREE = {0.7: 0.2, 0.9: 0.5, 1.0: 0.3}


def rising(shares: Mapping[float, float], accuracy: float, ratio: float = 3.0) -> FloatArray:
    """Cells in which the odds of being right rise by `ratio` from confidence 0.5 to 1.

    The accuracy over all is as named.
    """

    def cells(offset: float) -> FloatArray:
        return cells_of(
            shares, lambda value: 1 / (1 + np.exp(-offset - 2 * np.log(ratio) * (value - 1)))
        )

    low, high = -15.0, 15.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if cells(middle)[0].sum() < accuracy else (low, middle)
    return cells(low)


LAWS: Mapping[str, Law] = {
    "high reports, accuracy .98": Law(rising(HIGH, 0.98)),
    "high reports, accuracy .9": Law(rising(HIGH, 0.9)),
    "high reports, accuracy .5": Law(rising(HIGH, 0.5)),
    "high reports, accuracy .02": Law(rising(HIGH, 0.02)),
    "three values, accuracy .8": Law(rising(THREE, 0.8)),
    "1% zeros": Law(cells_of({0.0: 0.01, 0.95: 0.59, 1.0: 0.4}, lambda value: 0.2 + 0.7 * value)),
    "half-credit": Law(cells_of(FEW, lambda value: value - 0.2, half=0.3)),
    "five epochs": Law(rising(HIGH, 0.8), epochs=5, repeated=0.7),
    "two epochs, a fifth unreadable": Law(
        Observer(0.75, 1.5, 0).cells(), epochs=2, repeated=0.5, unread=0.2
    ),
    "clusters of five": Law(rising(FEW, 0.8), cluster_size=5, repeated=0.5),
    "observer, accuracy .75": Law(Observer(0.75, 1.5, 0).cells()),
    "ideal observer, accuracy .89": Law(Observer(0.89, 2 * norm.ppf(0.89), 0).cells()),
    "few values, overconfident": Law(cells_of(FEW, lambda value: 0.2 + 0.5 * value)),
    "calibrated": Law(cells_of(TENS, lambda value: value)),
    "every bin off by .05": Law(
        cells_of(TENS, lambda value: value + (0.05 if value < 0.5 else -0.05))
    ),
    "one bin off by .3": Law(cells_of(TENS, lambda value: value - 0.3 * (value == 0.9))),
    "always .95, accuracy .7": Law(cells_of({0.95: 1}, lambda _: 0.7)),
    "always 1, all right": Law(cells_of({1.0: 1}, lambda _: 1.0)),
    "always 1, all wrong": Law(cells_of({1.0: 1}, lambda _: 0.0)),
}
"""Laws of single models; the hardest one for most intervals first."""


@dataclass(frozen=True)
class PairLaw:
    """Laws of two contenders that answer the same items.

    Attributes:
        first: Law of the first contender.
        second: Law of the second one.
        shared: Share of items on which the same draw decides both judgments. Cells are ordered from
            right to wrong, so that with equal accuracy both answers are right or both wrong there.
    """

    first: Law
    second: Law
    shared: float


PAIRS: Mapping[str, PairLaw] = {
    "same answers, two scales": PairLaw(
        LAWS["three values, accuracy .8"], Law(rising(TENS, 0.8)), 1.0
    ),
    "high reports, accuracy .9 and .98": PairLaw(
        LAWS["high reports, accuracy .9"], LAWS["high reports, accuracy .98"], 0.5
    ),
    "high reports, equal models": PairLaw(
        LAWS["high reports, accuracy .9"], LAWS["high reports, accuracy .9"], 0.5
    ),
    "observers, accuracy .75 and .89": PairLaw(
        LAWS["observer, accuracy .75"], LAWS["ideal observer, accuracy .89"], 0.0
    ),
    "calibrated and off by .05": PairLaw(LAWS["calibrated"], LAWS["every bin off by .05"], 0.7),
}
"""Laws of two contenders; the hardest one first."""


# Coverage


@dataclass
class _Tally:
    """Counts of the samples of one metric, from which its `Coverage` is made.

    Attributes:
        undefined: Samples without a value.
        printed: Samples with an interval.
        held: Samples whose interval holds the true value.
        varies: Whether any value differs from the true one.
    """

    undefined: int = 0
    printed: int = 0
    held: int = 0
    varies: bool = False

    def add(self, value: float, interval: tuple[float, float], truth: float) -> None:
        """Count a sample."""
        low, high = interval
        self.undefined += bool(np.isnan(value))
        self.varies |= abs(value - truth) > 1e-6
        if not np.isnan(low):
            assert low - 1e-9 <= value <= high + 1e-9, (low, value, high)
            self.printed += 1
            self.held += low - 1e-9 <= truth <= high + 1e-9


@dataclass
class _Tallies:
    """Tallies of all metrics of a law.

    Attributes:
        design: Name of the law.
        items: Number of items of a sample.
        simulations: Number of samples.
        by_metric: Tally of each metric and condition.
    """

    design: str
    items: int
    simulations: int
    by_metric: dict[tuple[str, Condition], _Tally] = field(default_factory=dict)

    def figures(
        self,
        truths: Mapping[tuple[str, Condition], float],
        rule_of: Callable[[str], Interval],
        prefix: str = "",
    ) -> list[Coverage]:
        """Return the coverage of each metric that has a true value and a method."""
        figures = []
        for (name, condition), tally in self.by_metric.items():
            truth, rule = truths[name, condition], rule_of(name)
            if np.isnan(truth) or rule.method == "none":
                assert rule.method != "none" or not tally.printed, name
                continue
            wide = conservative_reason(rule)
            if not tally.varies:
                wide = ALWAYS_TRUE
            figures.append(
                Coverage(
                    f"{prefix}{name} {condition}".rstrip(),
                    self.design,
                    self.items,
                    truth,
                    self.simulations,
                    tally.printed,
                    tally.held,
                    wide,
                    tally.undefined,
                )
            )
        return figures


_WIDE = {
    "wilson": "the law of a count is discrete",
    "debiased": "joined of two intervals, the wider one near 0",
}
"""Why more than 98% is right for every rule of a method."""


def conservative_reason(rule: Interval) -> str:
    """Return why more than 98% is right for a rule; empty if it isn't."""
    return rule.conservative or _WIDE.get(rule.method, "")


def confidence_coverage(
    design: str,
    items: int,
    simulations: int = RUNS,
    *,
    first: int = 0,
    names: Collection[str] | None = None,
) -> list[Coverage]:
    """Coverage of the intervals of metrics of stated confidence, as the results have them.

    Samples are numbered from `first` on, and another `first` gives other samples. `names` are the
    metrics; None is all.
    """
    law = LAWS[design]
    rng = np.random.default_rng([items, len(design), first])
    tallies = _Tallies(design, items, simulations)
    for seed in range(first, first + simulations):
        answers = law.sample(items, rng)
        resampled = estimate.resample(
            _all_statistics(answers, names),
            answers.unit_count,
            Resampling(RESAMPLES, seed, metrics=names),
            clusters=law.clusters,
        )
        for row in estimate.results_of(resampled, Key("scale_variants", "m", "d")):
            key = row.metric, Condition.read(str(row.condition))
            tally = tallies.by_metric.setdefault(key, _Tally())
            tally.add(row.value, (row.ci_low, row.ci_high), law.truths[key])
    return tallies.figures(law.truths, lambda name: METRICS[name].interval.over(law.clusters))


def difference_coverage(
    design: str,
    items: int,
    simulations: int = RUNS,
    *,
    first: int = 0,
    names: Collection[str] | None = None,
) -> list[Coverage]:
    """Coverage of the intervals of the differences of compared metrics.

    `first` and `names` are as in `confidence_coverage`.
    """
    pair_law = PAIRS[design]
    rng = np.random.default_rng([items, len(design), 1, first])
    first_truths, second_truths = pair_law.first.truths, pair_law.second.truths
    truths = {key: first_truths[key] - second_truths[key] for key in first_truths}
    index = pd.RangeIndex(items)
    tallies = _Tallies(design, items, simulations)
    for seed in range(first, first + simulations):
        positions = rng.random(items)
        others = np.where(rng.random(items) < pair_law.shared, positions, rng.random(items))
        pair = Pair(
            index,
            index,
            pair_law.first.answers(positions, items),
            pair_law.second.answers(others, items),
        )
        contrast = contrast_of_pairs(
            [pair],
            THRESHOLDS,
            COMPARED_METRICS,
            requests=lambda name: names is None or name in names,
        )
        resampled = resample_contrast(contrast, Resampling(RESAMPLES, seed), None)
        for column, (condition, name) in enumerate(resampled.names):
            tally = tallies.by_metric.setdefault((name, Condition(condition)), _Tally())
            interval = resampled.test(column).interval
            key = name, Condition(condition)
            tally.add(float(resampled.values[column]), interval, truths[key])
    return tallies.figures(
        truths, lambda name: METRICS[name].interval.of_difference(), "difference: "
    )


def tables(counts: FloatArray) -> metrics.ConfidenceTables:
    """Rows of counts, of right answers before those of wrong ones, as tables."""
    k = len(VALUES)
    return metrics.ConfidenceTables(VALUES, counts[..., :k], counts[..., k:])
