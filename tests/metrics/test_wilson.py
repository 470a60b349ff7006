"""Wilson's interval of clustered judgments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from inspect_confidence.metrics import clustered_wilson_interval
from metrics.strategies import fixed

Z = 1.959963984540054  # 97.5% quantile of the standard normal distribution


def wilson(p: float, n: float, z: float = Z) -> tuple[float, float]:
    """Wilson (1927): (p + z2/2n +- z sqrt(p(1-p)/n + z2/4n2)) / (1 + z2/n)."""
    middle = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


@pytest.mark.parametrize(
    ("successes", "trials", "p", "n"),
    [
        # One judgment an item: n is the number of items.
        ([0, 1, 0, 1], [1, 1, 1, 1], 1 / 2, 4),
        # Judgments of an item agree: v = (1 + 1)/16, n = (1/4)/v = 2, as if judged once.
        ([2, 0], [2, 2], 1 / 2, 2),
        # v = (1 + 0 + 1 + 0)/64, n = (1/4) * 32 = 8, as many as judgments.
        ([2, 1, 0, 1], [2, 2, 2, 2], 1 / 2, 8),
        # p = 4/6, v = (1 + 4/9 + 1/9)/36 = 14/324, n = (2/9)/v = 72/14.
        ([3, 0, 1], [3, 1, 2], 2 / 3, 72 / 14),
        # v = (1/4 + 1/4)/36 = 1/72, n = (1/4) * 72 = 18, but there are only 6 judgments.
        ([1, 2], [3, 3], 1 / 2, 6),
    ],
)
def test_examples_by_hand(successes: list[int], trials: list[int], p: float, n: float) -> None:
    """The interval is Wilson's formula at the share and the sample size worked out by hand."""
    expected = wilson(p, n)
    assert clustered_wilson_interval(successes, trials) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("judgments", [1, 3])
@pytest.mark.parametrize("items", [1, 2, 7, 12, 40])  # Rounding is off at 7 and 12.
def test_all_or_nothing(items: int, judgments: int) -> None:
    """At a share of 0 or 1 the sample size is the number of items and one limit is exact.

    Wilson's formula at p = 0 is [0, z2/(n + z2)], at p = 1 [n/(n + z2), 1].
    """
    trials = [judgments] * items
    low, high = clustered_wilson_interval([0] * items, trials)
    assert low == 0
    assert high == pytest.approx(Z**2 / (items + Z**2), rel=1e-12)
    low, high = clustered_wilson_interval(trials, trials)
    assert low == pytest.approx(items / (items + Z**2), rel=1e-12)
    assert high == 1


@fixed
@given(
    st.lists(st.booleans(), min_size=1, max_size=60),
    st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]),
)
def test_one_judgment_an_item_is_wilsons_own(outcomes: list[bool], confidence: float) -> None:
    """With one judgment an item the interval is that of statsmodels for independent judgments."""
    expected = proportion_confint(
        sum(outcomes), len(outcomes), alpha=1 - confidence, method="wilson"
    )
    got = clustered_wilson_interval(outcomes, [1] * len(outcomes), confidence)
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-15)


outcomes_of_items = st.lists(
    st.integers(1, 5).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))),
    min_size=1,
    max_size=20,
)


@fixed
@given(outcomes_of_items)
def test_never_more_sure_than_of_independent_judgments(items: list[tuple[int, int]]) -> None:
    """No limit lies inside Wilson's interval of as many independent judgments."""
    hits, total = np.array(items).T
    inner = wilson(hits.sum() / total.sum(), total.sum())
    low, high = clustered_wilson_interval(hits, total)
    assert low <= inner[0] + 1e-12
    assert high >= inner[1] - 1e-12


@fixed
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(2, 5))
def test_repeated_judgments_change_nothing(outcomes: list[bool], times: int) -> None:
    """Judging each item several times with the same outcome gives the interval of once."""
    hits = np.array(outcomes, float)
    once = clustered_wilson_interval(hits, np.ones(len(hits)))
    often = clustered_wilson_interval(hits * times, np.full(len(hits), times))
    assert often == pytest.approx(once, rel=1e-9, abs=1e-12)


def test_items_without_judgments_are_left_out() -> None:
    """Items that were never judged change nothing, even where the share is 0 and items count."""
    with_empty = clustered_wilson_interval([0, 2, 0, 1], [0, 3, 0, 1])
    assert with_empty == clustered_wilson_interval([2, 1], [3, 1])
    _, high = clustered_wilson_interval([0, 0, 0], [0, 1, 1])
    assert high == pytest.approx(Z**2 / (2 + Z**2), rel=1e-12)


@pytest.mark.parametrize("trials", [[], [0], [0, 0]])
def test_no_judgment_is_nan(trials: list[int]) -> None:
    """Without any judgment both limits are NaN."""
    low, high = clustered_wilson_interval([0] * len(trials), trials)
    assert math.isnan(low)
    assert math.isnan(high)


def test_mismatched_lengths_are_refused() -> None:
    """Successes of two items and judgments of three raise an error with both numbers."""
    with pytest.raises(ValueError, match="'successes': 2, 'trials': 3"):
        clustered_wilson_interval([1, 0], [1, 1, 1])


def test_clusters_are_covered_where_plain_wilson_fails() -> None:
    """Of items judged five times alike, the interval covers the true share about as often as said.

    Over 500 seeds of 60 items with true share 0.3; the band is the central 99.9% of a binomial
    count around coverages of 0.93 and 0.97. Wilson's interval of 300 independent judgments is
    narrower by sqrt(5), and covers with probability P(|Z| < 1.96/sqrt(5)) = 0.62.
    """
    rng = np.random.default_rng(3)
    hits = 5 * (rng.random((500, 60)) < 0.3)
    limits = np.array([clustered_wilson_interval(row, [5] * 60) for row in hits])
    share = ((limits[:, 0] <= 0.3) & (limits[:, 1] >= 0.3)).mean()
    # 3.29 standard errors of 500 draws: sqrt(0.93 * 0.07 / 500) = 0.0114, and 0.0076 at 0.97
    assert 0.93 - 3.29 * 0.0114 <= share <= 0.97 + 3.29 * 0.0076
