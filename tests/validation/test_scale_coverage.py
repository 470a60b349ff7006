"""How often bootstrap intervals of stated confidence hold the exact values of a known observer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import ks_2samp, norm

from inspect_confidence import metrics
from inspect_confidence.metrics import METRICS, ConfidenceTables, ItemTables, ValueTables, bootstrap
from inspect_confidence.respondents.observer import MIDDLE, SPREAD
from inspect_confidence.results import Condition, Key
from inspect_confidence.studies import estimate
from inspect_confidence.studies.calibration import (
    COMPARED_METRICS,
    DETAIL_METRICS,
    ConfidenceMetric,
    confidence_metric,
    threshold_metrics,
)
from inspect_confidence.studies.stated import scale_statistics
from inspect_confidence.studies.study import Resampling
from validation.coverage import SIZES, Coverage, lacking

Record = Callable[[str, object], None]
FloatArray = NDArray[np.float64]
Estimator = Callable[[ConfidenceTables], FloatArray]

VALUES = np.arange(21) / 20
"""Confidences on 0-100 in multiples of 5."""

SIMULATIONS, RESAMPLES = 1_000, 250

ESTIMATORS: Mapping[str, Estimator] = {
    "accuracy": metrics.TABLE_FUNCTIONS["accuracy"],
    "auroc": metrics.TABLE_FUNCTIONS["auroc"],
    "type2_dprime .5": lambda t: metrics.TABLE_FUNCTIONS["type2_dprime"](t, threshold=0.5),
    "type2_dprime .75": lambda t: metrics.TABLE_FUNCTIONS["type2_dprime"](t, threshold=0.75),
    "overconfidence": metrics.TABLE_FUNCTIONS["overconfidence"],
    "mean_confidence": metrics.TABLE_FUNCTIONS["mean_confidence"],
    "brier": metrics.TABLE_FUNCTIONS["brier"],
    "meta_d_ideal .5": lambda t: metrics.TABLE_FUNCTIONS["meta_d_ideal"](t, threshold=0.5),
    "meta_d_ideal .75": lambda t: metrics.TABLE_FUNCTIONS["meta_d_ideal"](t, threshold=0.75),
    "meta_information": metrics.TABLE_FUNCTIONS["meta_information"],
    "ece": metrics.TABLE_FUNCTIONS["ece"],
}


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
        needed = MIDDLE - self.bias + SPREAD * norm.ppf(np.arange(2.5, 100, 5) / 100)
        edges = np.maximum(needed, 0)
        parts = []
        for mass, half in ((self.accuracy, self.meta_d / 2), (1 - self.accuracy, -self.meta_d / 2)):
            above = norm.cdf(half - np.array([0, *edges, np.inf])) / norm.cdf(half)
            parts.append(mass * -np.diff(above))
        return parts[0], parts[1]

    def truths(self) -> dict[str, float]:
        """The exact values of what `ESTIMATORS` estimate."""
        right, wrong = self.cells()
        total = right + wrong
        # A pair of a right and a wrong answer: surer when right, or as sure.
        wins = np.sign(VALUES[:, None] - VALUES)
        joint, product = np.array([right, wrong]), np.outer([right.sum(), wrong.sum()], total)
        is_possible = joint > 0
        bins = np.minimum(np.arange(21) // 2, 9)
        gaps = np.bincount(bins, total * VALUES - right)
        truths = {
            "accuracy": self.accuracy,
            "auroc": 0.5 + right @ wins @ wrong / (2 * right.sum() * wrong.sum()),
            "overconfidence": total @ VALUES - self.accuracy,
            "mean_confidence": total @ VALUES,
            "brier": right @ (1 - VALUES) ** 2 + wrong @ VALUES**2,
            "meta_d_ideal .5": self.meta_d,
            "meta_d_ideal .75": self.meta_d,
            "meta_information": np.sum(
                joint[is_possible] * np.log2(joint[is_possible] / product[is_possible])
            ),
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


def tables(counts: FloatArray) -> ConfidenceTables:
    """Rows of counts, of right answers before those of wrong ones, as tables."""
    return ConfidenceTables(VALUES, counts[..., :21], counts[..., 21:])


@pytest.mark.slow
def test_multinomial_is_the_bootstrap() -> None:
    """Tables drawn as multinomials of counts and tables of resampled items have the same law."""
    rng = np.random.default_rng(1)
    probabilities = np.concatenate(Observer(0.75, 1.5, 0.5).cells())
    cell = rng.choice(42, size=1_000, p=probabilities / probabilities.sum())
    confidence, correct = VALUES[cell % 21], (cell < 21).astype(float)
    cells = ItemTables.from_judgments(confidence, correct)
    by_items = bootstrap(
        {
            name: lambda weights, estimator=estimator: estimator(cells.tables(weights))  # type: ignore[misc]
            for name, estimator in ESTIMATORS.items()
        },
        np.zeros(1_000, np.int64),
        resamples=10_000,
    )
    counts = np.bincount(cell, minlength=42)
    resampled_tables = tables(rng.multinomial(1_000, counts / 1_000, size=10_000).astype(float))
    for name, estimator in ESTIMATORS.items():
        p = ks_2samp(by_items[name], estimator(resampled_tables)).pvalue
        assert p > 0.01 / len(ESTIMATORS), name


def cells_of(shares: Mapping[float, float], accuracy: Callable[[float], float]) -> FloatArray:
    """Probabilities of cells where confidences have these shares and accuracies."""
    cells = np.zeros((2, len(VALUES)))
    for value, share in shares.items():
        right = share * accuracy(value)
        cells[:, round(20 * value)] = right, share - right
    return cells


FEW = {0.7: 0.05, 0.8: 0.1, 0.85: 0.2, 0.9: 0.25, 0.95: 0.3, 1.0: 0.1}
TENS = {k / 10: 1 / 11 for k in range(11)}

DESIGNS = {
    "observer, accuracy .75": np.array(Observer(0.75, 1.5, 0).cells()),
    "ideal observer, accuracy .89": np.array(Observer(0.89, 2 * norm.ppf(0.89), 0).cells()),
    "few values, overconfident": cells_of(FEW, lambda value: 0.2 + 0.5 * value),
}
ENDS = {
    "always .95, accuracy .7": cells_of({0.95: 1}, lambda _: 0.7),
    "always 1, all right": cells_of({1.0: 1}, lambda _: 1.0),
    "always 1, all wrong": cells_of({1.0: 1}, lambda _: 0.0),
}

FORMS = [
    *(confidence_metric(name) for name in ("mean_confidence", "brier_uncertainty")),
    *(form for form in (*COMPARED_METRICS, *DETAIL_METRICS) if form.interval is None),
    *threshold_metrics(0.5, 4),
]
"""But for ECE, which is tried by itself."""

WIDE = {
    "debiased": "joined of two intervals, the wider one near 0",
    "own": "errors hide best in what is taken for true",
    "skewness_corrected": "lengthened where draws are skewed; near no information draws spread "
    "up to a third more than estimates",
}
"""Why more than 97% is right, by method."""


def interval_of(
    form: ConfidenceMetric, counts: FloatArray, resampled_tables: ConfidenceTables
) -> tuple[float, tuple[float, float]]:
    """A number of a sample, given as counts, and its interval as the results have it."""
    sample_tables, items = tables(counts[None]), int(counts.sum())
    value = float(form.value(sample_tables)[0])
    rule = METRICS[form.metric].interval
    if form.interval is not None:
        confidence = np.repeat(np.tile(VALUES, 2), counts.astype(int))
        correct = np.repeat([1.0, 0.0], [int(half.sum()) for half in np.split(counts, 2)])
        interval = form.interval(confidence, correct)
        is_too_small = metrics.too_few(rule, items, form.rarest_count(sample_tables))
        return value, (np.nan, np.nan) if is_too_small else interval
    draws = form.value(resampled_tables)
    return value, metrics.interval_of(rule, value, draws, items, form.rarest_count(sample_tables))[
        0
    ]


def tried(
    forms: list[ConfidenceMetric],
    design: str,
    cells: FloatArray,
    items: int,
    simulations: int = SIMULATIONS,
) -> list[Coverage]:
    """The coverage of intervals of these numbers."""
    rng = np.random.default_rng([items, len(design)])
    share = cells.ravel() / cells.sum()
    truths = [float(form.value(tables(1e9 * share[None]))[0]) for form in forms]
    printed, holding = np.zeros((2, len(forms)), int)
    for counts in rng.multinomial(items, share, size=simulations).astype(float):
        resamples = rng.multinomial(items, counts / items, size=RESAMPLES).astype(float)
        resampled_tables = tables(resamples)
        for k, form in enumerate(forms):
            value, (low, high) = interval_of(form, counts, resampled_tables)
            if not np.isnan(low):
                assert low - 1e-12 <= value <= high + 1e-12, (form.metric, value, low, high)
                printed[k] += 1
                holding[k] += low - 1e-9 <= truths[k] <= high + 1e-9
    return [
        Coverage(
            f"{form.metric} {Condition(form.condition)}".rstrip(),
            design,
            items,
            truths[k],
            simulations,
            int(printed[k]),
            int(holding[k]),
            WIDE.get(METRICS[form.metric].interval.method, ""),
        )
        for k, form in enumerate(forms)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", list(DESIGNS))
def test_intervals_hold(design: str, items: int) -> None:
    """Of 95% intervals 93 to 97% hold the true value, or there is none."""
    assert not lacking(tried(FORMS, design, DESIGNS[design], items))


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", list(ENDS))
def test_at_the_ends(design: str, items: int) -> None:
    """One confidence, all right or all wrong: an interval that holds, or none."""
    assert not lacking(tried([*FORMS, confidence_metric("ece")], design, ENDS[design], items, 100))


OFF = {
    "calibrated": cells_of(TENS, lambda value: value),
    "few values, overconfident": DESIGNS["few values, overconfident"],
    "observer, accuracy .75": DESIGNS["observer, accuracy .75"],
    "every bin off by .05": cells_of(TENS, lambda value: value + (0.05 if value < 0.5 else -0.05)),
    "one bin off by .3": cells_of(TENS, lambda value: value - 0.3 * (value == 0.9)),
}


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
@pytest.mark.parametrize("design", list(OFF))
def test_interval_of_ece_holds(design: str, items: int) -> None:
    """Calibrated, slightly off in every bin or in one, far off; 10 and 20 bins."""
    forms = [confidence_metric("ece"), confidence_metric("ece", {"bins": 20}, bins=20)]
    assert not lacking(tried(forms, design, OFF[design], items, 300))


@pytest.mark.slow
@pytest.mark.parametrize("binning", ["own_top", "equal_mass"])
def test_interval_of_ece_in_other_bins(binning: str) -> None:
    """A bin for 1, and bins of equal mass that each sample has its own."""
    forms = [confidence_metric("ece", {"binning": binning}, binning=binning)]
    assert not lacking(
        figure
        for items in (100, 1_000)
        for design in ("few values, overconfident", "calibrated")
        for figure in tried(forms, design, OFF[design], items, 400)
    )


@pytest.mark.slow
@pytest.mark.parametrize("items", SIZES)
def test_shape_of_reports(items: int) -> None:
    """Entropy has an interval from 1,000 reports on; the interquartile range is discrete."""
    rng = np.random.default_rng(items)
    steep = np.exp(-np.arange(101) / 12)
    shares = {"101 values, steep": steep, "11 values": np.eye(11).sum(0), "3 values": [90, 5, 5]}
    shape: Mapping[str, Callable[[ValueTables], FloatArray]] = {
        "entropy_bits": metrics.TABLE_FUNCTIONS["entropy_bits"],
        "utilization": lambda t: metrics.TABLE_FUNCTIONS["utilization"](t, low=0, high=100),
    }
    figures = []
    for design, weights in shares.items():
        mass = np.asarray(weights, float)
        share = mass / mass.sum()
        values = np.arange(len(share), dtype=float)
        for metric, statistic in shape.items():
            truth = float(statistic(ValueTables(values, 1e9 * share[None]))[0])
            printed = holding = 0
            for counts in rng.multinomial(items, share, size=SIMULATIONS).astype(float):
                value = float(statistic(ValueTables(values, counts[None]))[0])
                resampled_counts = rng.multinomial(items, counts / items, size=RESAMPLES).astype(
                    float
                )
                draws = statistic(ValueTables(values, resampled_counts))
                rule = METRICS[metric].interval
                (low, high), reason = metrics.interval_of(rule, value, draws, items)
                printed += not reason
                holding += not reason and low - 1e-9 <= truth <= high + 1e-9
            wide = "discrete" if metric == "utilization" else "greatest with equal shares"
            counts = SIMULATIONS, printed, holding
            figures.append(Coverage(metric, design, items, truth, *counts, wide))
    assert not lacking(figures)


@pytest.mark.slow
def test_two_epochs_and_unreadable_replies() -> None:
    """Through the study's own numbers: each item asked twice, a fifth of the replies unreadable."""
    items, simulations, cells = 120, 300, DESIGNS["observer, accuracy .75"]
    metric_names = ("accuracy", "mean_confidence", "overconfidence", "ece", "brier", "auroc")
    truth = Observer(0.75, 1.5, 0).truths()
    printed, holding = (dict.fromkeys(metric_names, 0) for _ in range(2))
    for seed in range(simulations):
        rng = np.random.default_rng([seed, 7])
        first = rng.choice(cells.size, size=items, p=cells.ravel() / cells.sum())
        second = rng.choice(cells.size, size=items, p=cells.ravel() / cells.sum())
        # The second answer is the first one again for half of the items.
        cell = np.concatenate([first, np.where(rng.random(items) < 0.5, first, second)])
        read = rng.random(2 * items) < 0.8
        rows = pd.DataFrame(
            {
                "item": np.tile(np.arange(items), 2),
                "status": np.where(read, "ok", "no_number"),
                "confidence": np.where(read, VALUES[cell % 21], np.nan),
                "raw": np.where(read, 100 * VALUES[cell % 21], np.nan),
                "correct": np.where(read, cell < 21, np.nan),
                "low": 0.0,
                "high": 100.0,
                "choices": 4.0,
                "target": "A",
            }
        )
        resampling = Resampling(300, seed, thresholds=(0.5,))
        estimands = scale_statistics(rows, pd.Index(range(items)), Condition(), resampling)
        drawn_estimands = estimate.resample(estimands, items, resampling)
        for row in estimate.results_of(drawn_estimands, Key("scale_variants", "m", "d")):
            if row.metric in metric_names and not row.condition and not np.isnan(row.ci_low):
                assert row.asked == 2 * items
                assert row.n == read.sum()
                printed[row.metric] += 1
                holding[row.metric] += row.ci_low - 1e-9 <= truth[row.metric] <= row.ci_high + 1e-9
    design, wide = "two epochs, a fifth unreadable", {"ece": "widened where errors hide"}
    counts_by_metric = {
        name: (simulations, printed[name], holding[name], wide.get(name, ""))
        for name in metric_names
    }
    assert not lacking(
        Coverage(name, design, items, truth[name], *counts_by_metric[name]) for name in metric_names
    )


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
        texts = []
        for items in (50, 100, 200, 500, 1_000):
            counts = rng.multinomial(items, probabilities / probabilities.sum(), size=10_000)
            errors = metrics.TABLE_FUNCTIONS["ece"](tables(counts.astype(float)), bins=bins)
            texts.append(f"{items:,}: {errors.mean():.4f} (sd {errors.std():.4f})")
            expected = np.sqrt(2 / np.pi / items) * spread.sum()
            assert errors.mean() == pytest.approx(expected, rel=0.05 if items < 500 else 0.01)
        record_property(
            "figure",
            f"ECE of a perfectly calibrated observer, {bins} bins, mean of 10,000 at n = "
            f"{', '.join(texts)}",
        )
