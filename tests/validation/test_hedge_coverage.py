"""Coverage of the hedge study's intervals, of populations whose numbers are known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import betabinom, poisson

from inspect_confidence import metrics, summarize
from inspect_confidence.metrics import METRICS
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.metrics.markers import (
    MarkerTables,
    marker_mae,
    marker_variation,
    spread_interval,
)
from inspect_confidence.results import Condition, Key
from inspect_confidence.studies.over_models import correlate_over_models
from validation.coverage import RUNS, SIZES, Coverage, lacking

K, T, SETS, RESAMPLES = 20, 10, 4, 300
VALUES = np.arange(K + 1) / K

pytestmark = pytest.mark.slow


def confidences(mean: float, precision: float) -> FloatArray:
    """Probabilities of 0 to 20 agreeing draws where items differ."""
    if mean in (0, 1):
        return np.asarray(mean == VALUES, float)
    alpha, beta = mean * precision, (1 - mean) * precision
    return np.asarray(betabinom(K, alpha, beta).pmf(np.arange(K + 1)))


class Tally:
    """Counts of intervals that were given and held, by metric."""

    def __init__(self) -> None:
        self.printed, self.held = Counter[str](), Counter[str]()
        self.truths: dict[str, list[float]] = defaultdict(list)

    def add(self, metric: str, ends: tuple[float, float], truth: float, value: float) -> None:
        """One simulation's."""
        self.truths[metric].append(truth)
        if not np.isnan(ends[0]):
            assert ends[0] <= value <= ends[1]
            self.printed[metric] += 1
            self.held[metric] += ends[0] - 1e-9 <= truth <= ends[1] + 1e-9

    def figures(self, design: str, n: int, simulations: int, wide: str = "") -> Iterator[Coverage]:
        """Each metric's coverage."""
        for metric, truths in self.truths.items():
            truth = float(np.nanmean(truths))
            at_end = wide or ("the value is at the end of its range" if truth == 0 else "")
            counts = self.printed[metric], self.held[metric]
            yield Coverage(metric, design, n, truth, simulations, *counts, at_end)


# Over data sets


def mics(design: str, markers: int = 7) -> FloatArray:
    """True MICs of data sets' markers."""
    rng = np.random.default_rng(0)
    unstable = rng.uniform(0.2, 0.95, (SETS, markers))
    stable = np.tile(np.linspace(0.35, 0.95, markers), (SETS, 1))
    return {
        "stable markers": stable,
        "nearly stable": 0.9 * stable + 0.1 * unstable,
        "own in each data set": unstable,
        "all markers equal": np.full((SETS, markers), 0.7),
    }[design]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "design", ["stable markers", "nearly stable", "own in each data set", "all markers equal"]
)
def test_over_data_sets(design: str, n: int) -> None:
    """N replies of each data set's splits; true values of the markers that reach T."""
    true, simulations = mics(design), RUNS
    usage = 1 / np.sqrt(np.arange(1, true.shape[1] + 1))
    laws = np.array([confidences(mic, 8) for mic in true.ravel()])
    cells = laws.reshape(*true.shape, -1) * usage[:, None]
    population = np.repeat(cells / cells.sum(axis=(1, 2), keepdims=True), 2, axis=0)
    train, test = list(range(0, 2 * SETS, 2)), list(range(1, 2 * SETS, 2))
    same_set = list(zip(train, test, strict=True))
    pairs = {"id_mae": same_set, "cd_mae": sorted(set(product(train, test)) - set(same_set))}
    rng, tally = np.random.default_rng(n), Tally()

    def distances(counts: FloatArray) -> dict[str, FloatArray]:
        tables = MarkerTables(VALUES, counts, 0)
        return {name: marker_mae(tables, set_pairs) for name, set_pairs in pairs.items()}

    flat = population.reshape(2 * SETS, -1)
    for _ in range(simulations):
        sample = rng.multinomial(n, flat).astype(float)
        resampled_counts = np.stack(
            [rng.multinomial(n, row / n, RESAMPLES) for row in sample], axis=1
        )
        tables = sample.reshape(1, *population.shape)
        is_common = tables[0].sum(axis=-1, keepdims=True) >= T
        resampled = resampled_counts.reshape(RESAMPLES, *population.shape) * is_common
        tables, units = tables * is_common, int((tables * is_common).sum())
        values, draws = distances(tables), distances(resampled)
        truths = distances(n * population[None] * is_common)
        for name, value in values.items():
            rule = METRICS[name].interval
            ends, _ = metrics.interval_of(rule, value[0], draws[name], units)
            tally.add(name, ends, truths[name][0], value[0])
        mic = MarkerTables(VALUES, tables, 0).mic[:, train]
        of_draws = MarkerTables(VALUES, resampled, 0).mic[:, train]
        is_in_train = is_common[train, :, 0]
        true_mic = np.where(is_in_train, true, np.nan)
        for name, over, keep in (
            ("m_avg_cv", "groups", is_in_train.all(axis=0)[None]),
            ("d_avg_cv", "markers", is_in_train.sum(axis=1, keepdims=True) > 1),
        ):
            measured, truth = np.where(keep, mic[0], np.nan), np.where(keep, true_mic, np.nan)
            (value,) = marker_variation(measured[None], over=over)  # type: ignore[arg-type]
            (true_value,) = marker_variation(truth[None], over=over)  # type: ignore[arg-type]
            if not np.isnan(value):
                ends = spread_interval(measured, of_draws, over=over)  # type: ignore[arg-type]
                tally.add(name, ends, round(true_value, 12), value)
    assert not lacking(tally.figures(f"{SETS} data sets, {design}", n, simulations))


# Of one data set


@dataclass(frozen=True)
class Mean:
    """What a mean is of: probabilities of values."""

    metric: str
    design: str
    values: FloatArray
    masses: FloatArray


LENGTHS = np.arange(25.0)


def means() -> Iterator[Mean]:
    """Means of each metric, near the ends of its range and in its middle."""
    for metric in ("mean_internal_confidence", "mic"):
        for c, precision in ((0.7, 8), (0.97, 3), (0.995, 3), (1, 1)):
            yield Mean(metric, f"about {c}", VALUES, confidences(c, precision))
    for mean in (0.1, 2):
        masses = poisson(mean).pmf(LENGTHS)
        yield Mean("sentences_per_reply", f"1 + Poisson({mean})", 1 + LENGTHS, masses)
    for share in (0.5, 0.9):
        masses = np.array([1 - share, share - 0.02, 0.02])
        yield Mean("hedges_per_sentence", f"{share} of sentences", LENGTHS[:3], masses)
    gaps = np.abs(np.concatenate([VALUES - 0.9, VALUES - 0.6]))
    for c in (0.7, 0.95):
        design = f"decisiveness .9 or .6, confidence about {c}"
        masses = np.tile(confidences(c, 8), 2) / 2
        yield Mean("faithfulness", design, 1 - gaps, masses)
        yield Mean("decisiveness_gap", design, gaps, masses)
    for metric, rarer in product(("mean_decisiveness", "decisiveness_error"), (0.05, 0.6)):
        masses = np.array([1 - rarer, rarer / 2, rarer / 2])
        yield Mean(metric, f"{rarer} of sentences differ", np.array([0.9, 0.5, 0.2]), masses)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("mean", list(means()), ids=lambda mean: f"{mean.metric}, {mean.design}")
def test_means(mean: Mean, n: int) -> None:
    """Of n items, few of which may differ from the commonest value."""
    rng, tally, simulations = np.random.default_rng(n), Tally(), RUNS
    masses = mean.masses / mean.masses.sum()
    truth = float(masses @ mean.values)
    for _ in range(simulations):
        counts = rng.multinomial(n, masses)
        value = float(counts @ mean.values / n)
        # Half an item at either end of the range, or of the values if that is unbounded.
        about = METRICS[mean.metric]
        ends_of_range = [about.low, about.high]
        if not np.isfinite(about.high):
            ends_of_range = [mean.values[counts > 0].min(), mean.values[counts > 0].max()]
        weights = rng.dirichlet([*np.maximum(counts, 1e-9), 0.5, 0.5], RESAMPLES)
        draws = weights @ [*mean.values, *ends_of_range]
        ends, _ = metrics.interval_of(about.interval, value, draws, n)
        tally.add(mean.metric, ends, truth, value)
    # With about so few, those samples that have enough are those that vary most.
    is_rare = n * (1 - masses.max()) < 30
    assert not lacking(
        tally.figures(mean.design, n, simulations, "few items differ" if is_rare else "")
    )


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("share", [1.0, 0.97, 0.6])
def test_ratios_of_counts(share: float, n: int) -> None:
    """Precision and recall: items with none to three markers, found more often in some items."""
    rng, tally, simulations = np.random.default_rng(n), Tally(), RUNS
    for _ in range(simulations):
        marker_counts = rng.integers(0, 4, n)
        chance = rng.beta(share * 8, (1 - share) * 8, n) if share < 1 else np.ones(n)
        hits = rng.binomial(marker_counts, chance)
        ends = metrics.clustered_wilson_interval(hits, marker_counts)
        for metric in ("extraction_precision", "extraction_recall", "grader_failure_rate"):
            tally.add(metric, ends, share, hits.sum() / marker_counts.sum())
    discrete = "at the end of its range" if share == 1 else "discrete" if n * share > n - 10 else ""
    assert not lacking(tally.figures(f"share {share}", n, simulations, discrete))


@pytest.mark.parametrize("n", [4, 8, 30, 100])
@pytest.mark.parametrize("true", [0.0, 0.9, -0.5])
def test_correlation_over_models(true: float, n: int) -> None:
    """Of models from a normal population, which Fisher's z assumes."""
    rng, tally, simulations = np.random.default_rng(n), Tally(), RUNS
    names = ("accuracy", "cmfg", "range", "entropy_m_ratio")
    points = [(f"model {k}", "") for k in range(n)]
    for _ in range(simulations):
        x, noise = rng.normal(size=(2, n))
        y = true * x + np.sqrt(1 - true**2) * noise
        first, second = dict(zip(points, x, strict=True)), dict(zip(points, y, strict=True))
        for name in names:
            metric = f"{name}_correlation"
            key, condition = Key("hedge_markers", "", ""), Condition()
            (row,) = correlate_over_models(key, condition, metric, first, second)
            tally.add(metric, (row.ci_low, row.ci_high), true, row.value)
    assert not lacking(tally.figures(f"{n} models, correlation {true}", n, simulations))


# By the whole study


def judgments(rng: np.random.Generator, items: int, c: Mapping[str, float]) -> pd.DataFrame:
    """Two epochs of items, each with one marker; one reply in twenty can't be read."""
    rows = []
    for split in ("train", "test"):
        for i in range(items):
            marker = str(rng.choice(list(c)))
            probability = rng.beta(6 * c[marker], 6 * (1 - c[marker]))
            for epoch in (1, 2):
                row: dict[str, Any] = {"split": split, "item": f"{split}{i}", "epoch": epoch}
                if rng.uniform() < 0.05:
                    rows.append({**row, "status": "no_response", "marker": ""})
                    continue
                right, agreed = rng.uniform() < probability, rng.binomial(K, probability) / K
                rows.append(
                    row
                    | {"sentence": 1, "status": "ok", "marker": marker, "n_markers": 1}
                    | {"confidence": agreed, "decisiveness": 0.8, "correct": float(right)}
                    | {"punt": 0.0}
                )
    frame = pd.DataFrame(rows).assign(task="hedge_markers", model="m", dataset="d")
    return frame.assign(reason="")


def test_by_the_study() -> None:
    """Two epochs and unreadable replies; shares, means and MICs of 60 items."""
    rng, tally, simulations = np.random.default_rng(1), Tally(), 60
    c = {"probably": 0.7, "perhaps": 0.45}
    mean = float(np.mean(list(c.values())))
    gap = np.mean(
        [confidences(mean_confidence, 6) @ np.abs(VALUES - 0.8) for mean_confidence in c.values()]
    )
    truths: dict[str, Callable[[dict[str, Any]], float]] = {
        "accuracy": lambda row: mean,
        "mean_internal_confidence": lambda row: mean,
        "faithfulness": lambda row: 1 - float(gap),
        "format_failure_rate": lambda row: 0.05,
        "mic": lambda row: c["perhaps" if "perhaps" in row["condition"] else "probably"],
    }
    for _ in range(simulations):
        results = summarize(judgments(rng, 60, c), resamples=300)
        results = results[
            (results["dataset"] == "d") & ~results["condition"].str.contains("outcome|faithful")
        ]
        for row in results.to_dict("records"):
            fields = {str(key): value for key, value in row.items()}
            if row["metric"] in truths:
                ends = float(row["ci_low"]), float(row["ci_high"])
                tally.add(row["metric"], ends, truths[row["metric"]](fields), row["value"])
    assert not lacking(tally.figures("by the study, two epochs", 60, simulations))
