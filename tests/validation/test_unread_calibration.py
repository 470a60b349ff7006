"""How often the share of unread replies is said to depend on the condition where it doesn't."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_confidence.metrics import unread_dependence
from validation.coverage import Rejections, misjudged

RUNS, CONDITIONS = 1_000, 5


@pytest.mark.slow
@pytest.mark.parametrize("items", [20, 100])
@pytest.mark.parametrize("epochs", [1, 2])
def test_false_alarms(items: int, epochs: int) -> None:
    """At .05 in no more runs than a binomial 99% band, items having shares of their own.

    Within items, and of whole items: epochs of an item go together, as an item's own share is
    drawn from Beta(.2, 1.8), a tenth on average.
    """
    figures = []
    for whole in (False, True):
        alarms = 0
        for seed in range(RUNS):
            rng = np.random.default_rng([seed, items, epochs])
            unread_rates = rng.beta(0.2, 1.8, (items, 1))
            replies = np.full((items, CONDITIONS), epochs)
            if whole:
                replies *= np.eye(CONDITIONS, dtype=int)[rng.integers(CONDITIONS, size=items)]
            p = unread_dependence(
                rng.binomial(replies, unread_rates), replies, resamples=499, seed=seed
            )
            alarms += p <= 0.05
        kind = "of whole items" if whole else "within items"
        figures.append(
            Rejections(
                "unread_dependence",
                f"{epochs} epochs, {CONDITIONS} conditions {kind}",
                items,
                RUNS,
                alarms,
                discrete=items < 100,
            )
        )
    assert not misjudged(figures)
