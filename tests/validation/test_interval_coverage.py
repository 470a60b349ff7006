"""How often the 95% intervals hold what they estimate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from inspect_confidence.metrics import (
    bootstrap,
    clustered_wilson_interval,
    interval_scores,
    mean_of,
    median_of,
    percentile_interval,
)
from inspect_confidence.respondents.belief import draw_beliefs, stated_bounds

Record = Callable[[str, object], None]


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.65, 0.9])
@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_clustered_wilson_covers(epochs: int, share: float, record_property: Record) -> None:
    """Wilson's interval at the effective sample size covers however alike an item's epochs are."""
    # Items differ in their probability of success (a beta law with mean `share` and intra-item
    # correlation 1/2), 200 items. The plain interval, which takes every judgment for independent,
    # is reported beside it.
    rng = np.random.default_rng([epochs, int(share * 100)])
    simulations, items = 2_000, 200
    held, plain = 0, 0
    for _ in range(simulations):
        chances = rng.beta(share, 1 - share, items)  # correlation 1/(share + 1 - share + 1)
        successes = rng.binomial(epochs, chances)
        low, high = clustered_wilson_interval(successes, np.full(items, epochs))
        held += low <= share <= high
        low, high = proportion_confint(successes.sum(), items * epochs, method="wilson")
        plain += low <= share <= high
    record_property(
        "figure",
        f"95% interval of a share of {share}, 200 items, {epochs} epochs: holds it in "
        f"{held / simulations:.3f} of 2,000 (judgments taken as independent: "
        f"{plain / simulations:.3f})",
    )
    # Between .93 and .97 in truth, then 99% of the binomial at 2,000 simulations around that.
    assert binom(simulations, 0.93).ppf(0.005) <= held <= binom(simulations, 0.97).ppf(0.995)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "floor"), [(80, 0.92), (90, 0.92), (99, 0.85)])
def test_bootstrap_of_scores_and_widths(level: int, floor: float, record_property: Record) -> None:
    """Bootstrap intervals of the mean interval score and the median width cover."""
    # A tunnel respondent of .65 on 109 items; the true values are those of 2 million items. At 99%
    # the score has a heavy tail (a miss costs 200 times its distance), so that percentile intervals
    # fall short of 95% there; the floor says by how much.
    rng = np.random.default_rng(level)

    def stated(items: int) -> tuple[np.ndarray, np.ndarray]:
        truth = np.zeros(items)
        lower, upper = stated_bounds(
            draw_beliefs(truth, rng), level, tunnel=0.65, place=rng.uniform(size=items)
        )
        return interval_scores(lower, upper, truth, level), upper - lower

    scores, widths = stated(2_000_000)
    true_score, true_median = scores.mean(), np.median(widths)
    items, simulations = 109, 1_000
    held_score = held_median = 0
    unit, strata = np.arange(items), np.zeros(items, np.int64)
    for simulation in range(simulations):
        scores, widths = stated(items)
        drawn = bootstrap(
            {"score": mean_of(scores, unit, items), "median": median_of(widths, unit)},
            strata,
            resamples=1_000,
            seed=simulation,
        )
        low, high = percentile_interval(drawn["score"])
        held_score += low <= true_score <= high
        low, high = percentile_interval(drawn["median"])
        held_median += low <= true_median <= high
    record_property(
        "figure",
        f"95% bootstrap interval at level {level}%, 109 items: holds the mean interval score in "
        f"{held_score / simulations:.3f}, the median width in {held_median / simulations:.3f} "
        "of 1,000",
    )
    assert held_score >= binom(simulations, floor).ppf(0.005)
    assert held_median >= binom(simulations, 0.92).ppf(0.005)
