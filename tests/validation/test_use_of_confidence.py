"""What is promised of thresholds and of numbers of items holds over many simulated runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from build import numbered
from inspect_confidence import metrics
from inspect_confidence.commands.sample_size import items_needed
from inspect_confidence.metrics.arrays import FloatArray
from inspect_confidence.results import Key
from inspect_confidence.studies import Resampling
from inspect_confidence.studies.calibration import Answers, confidence_metric, table_statistics
from inspect_confidence.studies.compare import Pair, contrast_of_pairs
from inspect_confidence.studies.compare import resample_contrast as resampled
from inspect_confidence.studies.estimate import resample, results_of

pytestmark = pytest.mark.slow

SPLITS = 1_000
VALUES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0])
STATED = np.array([0.05, 0.1, 0.1, 0.15, 0.25, 0.15, 0.2])

WRONG: dict[str, Sequence[float]] = {
    # Risk from .95 on is .0457, from .9 on .0504: just above the target.
    "just above": (0.5, 0.4, 0.3, 0.2, 0.057, 0.08, 0.02),
    "all below": (0.05, 0.05, 0.05, 0.045, 0.04, 0.04, 0.04),
    "all above": (0.3, 0.2, 0.1, 0.1, 0.052, 0.052, 0.052),
    "right at the top": (0.6, 0.5, 0.4, 0.3, 0.1, 0.115, 0.0),
    "not monotone": (0.02, 0.02, 0.3, 0.02, 0.02, 0.15, 0.01),
}
"""Share wrong at each value."""


@pytest.mark.parametrize("epochs", [1, 3])
@pytest.mark.parametrize("items", [150, 500, 2_000])
@pytest.mark.parametrize("design", list(WRONG))
def test_risk_is_kept(
    design: str, items: int, epochs: int, record_property: Callable[[str, object], None]
) -> None:
    """In at least 95% of samples the true risk at the threshold is at most the target.

    Epochs of an item agree with the first one in three of four.
    """
    rng = np.random.default_rng([items, epochs])
    wrong = np.array(WRONG[design])
    # Of all from each value on.
    risks = np.cumsum((STATED * wrong)[::-1]) / np.cumsum(STATED[::-1])
    true = dict(zip(VALUES.tolist(), risks[::-1].tolist(), strict=True))
    keeping = defined = 0
    for _ in range(SPLITS):
        place = rng.choice(len(VALUES), items, p=STATED)
        first = rng.random(items) < wrong[place]
        independent_answers = rng.random((epochs, items)) < wrong[place]
        is_repeated = rng.random((epochs, items)) < 0.75
        answers = np.where(is_repeated, first, independent_answers)
        choice = metrics.risk_threshold(
            np.tile(VALUES[place], epochs),
            1 - answers.ravel().astype(float),
            np.tile(np.arange(items), epochs),
        )
        defined += bool(not np.isnan(choice.threshold))
        keeping += np.isnan(choice.threshold) or true[choice.threshold] <= 0.05
    name = f"risk kept, {design}, {items} items, {epochs} epochs"
    record_property(
        "figure", f"{name}: {keeping / SPLITS:.3f}, a threshold in {defined / SPLITS:.3f}"
    )
    assert keeping / SPLITS >= 0.95
    if design == "not monotone" and (items, epochs) == (2_000, 1):
        assert defined / SPLITS > 0.8


def test_risk_is_kept_over_splits_of_the_atlas(
    shared_data: Path, record_property: Callable[[str, object], None]
) -> None:
    """Samples of 500 of a real model's 1,500 answers, which stand for all that it would answer."""
    rows = pd.read_csv(shared_data / "atlas" / "metacognitive_profile_results (3).csv")
    confidence = pd.to_numeric(rows["confidence"]).to_numpy(float) / 100
    correct = rows["is_correct"].to_numpy(float)
    rng = np.random.default_rng(0)
    keeping = defined = 0
    for _ in range(SPLITS):
        chosen = rng.integers(len(rows), size=500)
        choice = metrics.risk_threshold(confidence[chosen], correct[chosen])
        defined += bool(not np.isnan(choice.threshold))
        above = confidence >= choice.threshold - 1e-9
        keeping += bool(not above.any() or 1 - correct[above].mean() <= 0.05)
    record_property(
        "figure", f"risk kept, atlas: {keeping / SPLITS}, a threshold in {defined / SPLITS}"
    )
    assert keeping / SPLITS >= 0.95


# How many items

Runs = Callable[[int, np.random.Generator], list[tuple[FloatArray, FloatArray]]]


def two_models(*shape: tuple[float, float]) -> Runs:
    """Runs of models with accuracy .75 + slope (confidence - .75) - gap on items they share."""

    def drawn(n: int, rng: np.random.Generator) -> list[tuple[FloatArray, FloatArray]]:
        hard = rng.normal(size=n)
        runs = []
        for gap, slope in shape:
            confidence = rng.choice(VALUES, n, p=STATED)
            luck = ndtr(0.6 * hard + 0.8 * rng.normal(size=n))
            right = luck < np.clip(0.75 + slope * (confidence - 0.75) - gap, 0, 1)
            runs.append((confidence, right.astype(float)))
        return runs

    return drawn


def pilot(runs: Runs, n: int) -> pd.DataFrame:
    """A pilot as judgments."""
    frames = [
        pd.DataFrame(
            {
                "task": "any_eval",
                "model": model,
                "item": numbered("i", n),
                "confidence": confidence,
                "correct": right,
            }
        )
        for model, (confidence, right) in zip("ab", runs(n, np.random.default_rng(1)), strict=False)
    ]
    return pd.concat(frames, ignore_index=True)


def true_difference(metric: str, runs: Runs) -> float:
    """Of a million items."""
    statistic = getattr(metrics, metric)
    both_runs = runs(1_000_000, np.random.default_rng(2))
    first, second = (
        statistic(right) if metric == "accuracy" else statistic(confidence, right)
        for confidence, right in both_runs
    )
    return float(abs(first - second))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("metric", "second"),
    [
        ("ece", (0.11, 1.0)),
        ("accuracy", (0.11, 1.0)),
        ("brier", (0.06, 0.5)),
        ("auroc", (0.06, 0.5)),
    ],
)
def test_power_is_as_stated(
    metric: str, second: tuple[float, float], record_property: Callable[[str, object], None]
) -> None:
    """New runs of the number of items that is planned find the difference in 80%, within 5 points.

    The pilot's models are those of the runs, whose difference is the one asked for. Seeds move what
    is planned by 5%, which is 1.6 points of power; the runs' own error is 1.3: Bonferroni's 95%
    over the four is 5 points.
    """
    runs = two_models((0.06, 1.0), second)
    size = true_difference(metric, runs)
    planned = items_needed(pilot(runs, 5_000), detect=f"{metric}={size}", seed=3).iloc[0]
    n, detections, rng = int(planned["items"]), 0, np.random.default_rng(4)
    index = pd.RangeIndex(n)
    for seed in range(SPLITS):
        sides = [Answers(np.arange(n), n, *run, np.arange(n), None) for run in runs(n, rng)]
        contrast = contrast_of_pairs(
            [Pair(index, index, sides[0], sides[1])], (), [confidence_metric(metric)]
        )
        column = max(k for k, (_, name) in enumerate(contrast.names) if name == metric)
        detections += resampled(contrast, Resampling(1_000, seed), None).test(column).p < 0.05
    record_property(
        "figure",
        f"power, {metric} {size:.3f}, {n} items planned for .80: {detections / SPLITS:.3f}",
    )
    assert abs(detections / SPLITS - 0.8) <= 0.05


@pytest.mark.parametrize(("metric", "size"), [("auroc", 0.1), ("ece", 0.06), ("brier", 0.03)])
def test_width_is_as_stated(
    metric: str, size: float, record_property: Callable[[str, object], None]
) -> None:
    """New runs of that many items have an interval at most that wide in 80%.

    Widths hardly differ between runs, so that a few items more or less move that share by far:
    their 80% quantile is within 6% of the size: Bonferroni's 95% over the three, seeds moving what
    is planned by 5%, and widths with its square root.
    """
    runs = two_models((0.06, 1.0))
    planned = items_needed(pilot(runs, 5_000), width=f"{metric}={size}", seed=3).iloc[0]
    n, rng, widths = int(planned["items"]), np.random.default_rng(4), []
    for seed in range(SPLITS // 2):
        answers = Answers(np.arange(n), n, *runs(n, rng)[0], np.arange(n), None)
        estimand = table_statistics(answers, [confidence_metric(metric)], {}, "")
        (row,) = results_of(resample([estimand], n, Resampling(1_000, seed)), Key("", "", ""))
        widths.append(row.ci_high - row.ci_low)
    often = float(np.quantile(widths, 0.8))
    record_property(
        "figure", f"width, {metric} {size}, {n} items planned: 80% are below {often:.4f}"
    )
    assert abs(often / size - 1) <= 0.06
