"""How often the slope's interval holds, and whether question sets give back what was put in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from inspect_ai import eval
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import binomtest, norm

from inspect_confidence import metrics, read_judgments, summarize
from inspect_confidence.datasets.life_eval import study_items
from inspect_confidence.datasets.life_tables import read_life_table
from inspect_confidence.metrics import (
    ConfidenceTables,
    hard_easy_slope,
    meta_d,
    percentile_interval,
)
from inspect_confidence.respondents.actuary import actuarial_confidence
from inspect_confidence.tasks.question_sets import question_sets

Record = Callable[[str, object], None]
FloatArray = NDArray[np.float64]

SENSITIVITY = 0.4
SEEDS = 2_000


def clusters() -> tuple[FloatArray, list[tuple[int, float]]]:
    """Maximum achievable score, and decade of age and radius, of the 808 items."""
    lives, items = read_life_table("ssa-2022"), study_items()
    maximum = [lives.best_answer(i.sex, i.age, i.radius).probability for i in items]
    return np.array(maximum), [(i.age // 10, i.radius) for i in items]


def naive(y: FloatArray, x: FloatArray) -> tuple[float, float]:
    """The 95% interval with HC1 errors, as if judgments had nothing in common."""
    # Var b = n / (n - 2) sum (x - mean x)^2 e^2 / (sum (x - mean x)^2)^2.
    n, centred = len(x), x - x.mean()
    spread = centred @ centred
    slope = centred @ y / spread
    residuals = y - y.mean() - slope * centred
    error = np.sqrt(n / (n - 2) * (centred**2 @ residuals**2)) / spread
    return slope - 1.96 * error, slope + 1.96 * error


def test_naive_is_hc1() -> None:
    """The naive interval here is statsmodels' with HC1 errors."""
    maximum, _ = clusters()
    y = np.random.default_rng(0).normal(0, 0.05, len(maximum))
    fit = sm.OLS(y, sm.add_constant(1 - maximum)).fit(cov_type="HC1")
    low, high = naive(y, 1 - maximum)
    assert (low + high) / 2 == pytest.approx(fit.params[1], abs=1e-12)
    assert (high - low) / (2 * 1.96) == pytest.approx(fit.bse[1], rel=1e-9)


def holding(common: float, first_seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the clustered and the naive interval hold 1 - s, at each seed."""
    # Noise is normal(0, .05) an item, and normal(0, `common`) a cluster.
    maximum, names = clusters()
    place = np.unique(names, axis=0, return_inverse=True)[1].ravel()
    assert place.max() + 1 == 44  # eleven decades, the last of them the age of 100, by four radii
    held: list[tuple[bool, bool]] = []
    for seed in range(first_seed, first_seed + SEEDS):
        rng = np.random.default_rng(seed)
        noise = rng.normal(0, 0.05, len(maximum)) + rng.normal(0, common, 44)[place]
        said = actuarial_confidence(maximum, sensitivity=SENSITIVITY, noise=noise)
        found = hard_easy_slope(said - maximum, 1 - maximum, names)
        low, high = naive(said - maximum, 1 - maximum)
        truth = 1 - SENSITIVITY
        held.append((found.ci_low <= truth <= found.ci_high, low <= truth <= high))
    both = np.array(held)
    return both[:, 0], both[:, 1]


@pytest.mark.slow
def test_slope_interval_covers(record_property: Record) -> None:
    """With independent noise, 93 to 97% of clustered intervals hold the slope that was put in."""
    clustered, without = holding(0.0, first_seed=0)
    record_property(
        "figure",
        f"hard-easy slope {1 - SENSITIVITY:g}, 808 items, independent noise .05: 95% interval "
        f"clustered by decade and radius holds in {clustered[:500].mean():.3f} of 500 seeds, "
        f"{clustered.mean():.4f} of {SEEDS:,} (naive HC1: {without.mean():.4f})",
    )
    assert 0.93 <= clustered[:500].mean() <= 0.97
    assert 0.93 <= clustered.mean() <= 0.97
    assert 0.93 <= without.mean() <= 0.97


@pytest.mark.slow
def test_slope_interval_covers_with_correlated_residuals(record_property: Record) -> None:
    """Where a cluster's items err together, the clustered interval still holds; HC1's doesn't."""
    clustered, without = holding(0.05, first_seed=100_000)
    record_property(
        "figure",
        f"hard-easy slope {1 - SENSITIVITY:g}, 808 items, noise .05 an item and .05 a cluster: 95% "
        f"interval clustered by decade and radius holds in {clustered[:500].mean():.3f} of 500 "
        f"seeds, {clustered.mean():.4f} of {SEEDS:,}; naive HC1 {without.mean():.4f}",
    )
    assert 0.93 <= clustered[:500].mean() <= 0.97
    assert 0.93 <= clustered.mean() <= 0.97
    assert without.mean() < 0.8


ACCURACY, META_D, BIAS = 0.7, 1.5, 0.3
LEVEL = 1 - 0.05 / 8
"""Of eight intervals together 95%."""


def mean_confidence(options: int) -> float:
    """E [1/K + (1 - 1/K) Phi((|x| + bias - 1) / .8)], |x| as of an observer with d' = meta_d."""
    # Given that it is right |x| is normal(d'/2, 1) cut off at 0, given that it is wrong of -d'/2.
    share = 0.0
    for weight, mean in ((ACCURACY, META_D / 2), (1 - ACCURACY, -META_D / 2)):
        total = quad(
            lambda x, mean=mean: norm.cdf((x + BIAS - 1) / 0.8) * norm.pdf(x - mean), 0, np.inf
        )[0]
        share += weight * total / norm.cdf(mean)
    return float(1 / options + (1 - 1 / options) * share)


def tables(values: FloatArray, right: FloatArray, wrong: FloatArray) -> ConfidenceTables:
    """Counts of right and wrong answers by confidence."""
    return ConfidenceTables(values, right.astype(float), wrong.astype(float))


@pytest.mark.slow
def test_question_sets_give_back_parameters(tmp_path: Path, record_property: Record) -> None:
    """Accuracy, meta-d' and mean token confidence of a respondent, through the task and its log."""
    # 3,024 replies; intervals at 1 - .05/8: exact binomial for accuracy, bootstrap for meta-d',
    # normal for means. Judgments are independent, each with draws of its own.
    held: dict[str, tuple[float, float, float, float]] = {}
    rng = np.random.default_rng(7)
    for dataset, options, epochs in (("bundled", 4, 9), ("statements", 2, 12)):
        folder = tmp_path / dataset
        (log,) = eval(
            question_sets(dataset=dataset),
            model="respondent/metacognitive",
            model_args={"accuracy": ACCURACY, "meta_d": META_D, "bias": BIAS, "seed": 1},
            log_dir=str(folder),
            epochs=epochs,
            display="none",
        )
        assert log.status == "success", log.error
        rows = read_judgments(folder)["question_sets"]
        assert (rows["status"] == "ok").all()
        stated, token = (rows[rows["source"] == source] for source in ("stated", "token"))
        n = len(stated)
        assert n == len(token) == 1512
        right = int(stated["correct"].sum())
        accuracy = binomtest(right, n).proportion_ci(LEVEL)
        held[f"{dataset}: accuracy"] = (ACCURACY, right / n, accuracy.low, accuracy.high)
        sure = token["confidence"]
        half = norm.ppf((1 + LEVEL) / 2) * sure.std() / n**0.5
        held[f"{dataset}: mean token confidence"] = (
            mean_confidence(options),
            float(sure.mean()),
            float(sure.mean() - half),
            float(sure.mean() + half),
        )
        counts = pd.crosstab(stated["correct"], stated["confidence"])
        values = counts.columns.to_numpy(float)
        both = counts.to_numpy(float).ravel()
        drawn = rng.multinomial(n, both / n, size=2_000).astype(float)
        k = len(values)
        for threshold in (0.5, 0.75) if options == 4 else (0.75,):
            point, draws = (
                metrics.meta_d_ideal.of(tables(values, c[:, k:], c[:, :k]), threshold=threshold)
                for c in (both[None], drawn)
            )
            name = f"{dataset}: meta_d by meta_d_ideal {threshold:g}"
            held[name] = (META_D, float(point[0]), *percentile_interval(draws, LEVEL))
        if options == 2:
            held[f"{dataset}: meta_d by meta_d"] = fitted(stated, values, rng)
            results = summarize(folder, resamples=200)
            mine = results[
                (results["metric"] == "meta_d") & ~results["condition"].str.contains("token")
            ]
            assert len(mine) == 1
            record_property(
                "figure",
                f"respondent/metacognitive through question_sets, statements: meta_d in results "
                f"{mine['value'].iloc[0]:.3f}, 95% interval from {mine['ci_low'].iloc[0]:.3f} to "
                f"{mine['ci_high'].iloc[0]:.3f} (put in: {META_D:g})",
            )
            assert mine["ci_low"].iloc[0] <= META_D <= mine["ci_high"].iloc[0]
    assert len(held) == 8
    for name, (truth, value, low, high) in held.items():
        record_property(
            "figure",
            f"respondent/metacognitive through question_sets, {name} {value:.4f}, interval at "
            f"{LEVEL:.4f} from {low:.4f} to {high:.4f} (put in: {truth:.4f})",
        )
    for name, (truth, value, low, high) in held.items():
        assert low <= truth <= high, name
        assert low <= value <= high, name


def fitted(
    rows: pd.DataFrame, values: FloatArray, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """meta-d' of statements by maximum likelihood, with a bootstrap interval."""
    # Responses run from the surest True to the surest False.
    k = len(values)
    rating = np.searchsorted(values, rows["confidence"].to_numpy(float))
    place = np.where(rows["answer"] == "True", k - 1 - rating, k + rating)
    cell = place + 2 * k * (rows["target"] == "False").to_numpy(int)
    counts = np.bincount(cell, minlength=4 * k)
    drawn = rng.multinomial(len(rows), counts / len(rows), size=300).astype(float)
    padding = 1 / (2 * k)
    one = meta_d(counts[: 2 * k], counts[2 * k :], padding=padding)
    many = meta_d(drawn[:, : 2 * k], drawn[:, 2 * k :], padding=padding)
    low, high = percentile_interval(np.asarray(many.meta_d, np.float64), LEVEL)
    return META_D, float(one.meta_d), low, high
