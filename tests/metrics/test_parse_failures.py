import math
from collections.abc import Iterable
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.contingency_tables import cochrans_q

from inspect_confidence.answers import INSTRUMENT_STATUSES, RUN_STATUSES
from inspect_confidence.metrics import format_failure_rate, unread_dependence
from inspect_confidence.metrics.arrays import IntArray
from metrics.strategies import fixed

FAILURES = (
    "invalid_response_format",
    "refusal",
    "no_response",
    "truncated",
    "out_of_range",
    "echo",
    "ambiguous",
)


def test_failure_rate_counts_replies_alone() -> None:
    """Two of four replies can't be read; no reply is NaN; an iterator is gone through once."""
    statuses = ["ok", "no_response", "ok", "echo", "limit_reached"]
    assert format_failure_rate(statuses) == 2 / 4
    for statuses in [[], ["sample_error", "grader_failed"]]:
        assert math.isnan(format_failure_rate(statuses)), statuses
    assert format_failure_rate(iter(["ok", "refusal"])) == 1 / 2


def test_every_status_that_is_no_reply_or_unreadable() -> None:
    """Each counts as one failure, or leaves the rate as it is."""
    for status in FAILURES:
        assert format_failure_rate(["ok", "ok", status]) == 1 / 3, status
    for status in sorted(RUN_STATUSES | INSTRUMENT_STATUSES):
        assert format_failure_rate(["ok", "refusal", status]) == 1 / 2, status


# Whether the share depends on the condition


def exact_p(unread: IntArray, replies: IntArray) -> float:
    """By all permutations: of each item's shares within it; of items where none recurs."""
    share = np.where(replies > 0, unread / np.maximum(replies, 1), np.nan)
    recurs = (replies > 0).sum(axis=1) > 1
    if recurs.any():
        rows = [list(row[~np.isnan(row)]) for row in share[recurs]]
        conditions = [list(np.flatnonzero(~np.isnan(row))) for row in share[recurs]]
    else:
        rows, conditions = [list(np.nansum(share, axis=1))], [list(np.argmax(replies > 0, axis=1))]

    def statistic(values: Iterable[Iterable[float]]) -> float:
        values_by_condition: dict[int, list[float]] = {}
        for row, places in zip(map(list, values), conditions, strict=True):
            for value, place in zip(row, places, strict=True):
                values_by_condition.setdefault(int(place), []).append(value - sum(row) / len(row))
        return sum(sum(group) ** 2 / len(group) for group in values_by_condition.values())

    statistics = [statistic(order) for order in product(*map(permutations, rows))]
    return float(np.mean(np.array(statistics) >= statistic(rows) - 1e-12))


def test_dependence_p_counts_exchanges_as_extreme() -> None:
    """Four items lose their reply under B alone: 2 of the 2^4 exchanges are as far out, 1/8."""
    unread = [[0, 1]] * 4
    p = unread_dependence(unread, [[1, 1]] * 4, resamples=20_000)
    assert p == pytest.approx(2 / 16, abs=0.01)
    # Two more that lose both, or none, change nothing.
    p_with_constant_items = unread_dependence(
        [*unread, [1, 1], [0, 0]], [[1, 1]] * 6, resamples=20_000
    )
    assert p_with_constant_items == pytest.approx(2 / 16, abs=0.01)
    # Six items of one condition each, both unread ones under B: 1 of 15 pairs.
    whole = [[0, 0]] * 4 + [[0, 1]] * 2
    replies = [[1, 0]] * 4 + [[0, 1]] * 2
    assert unread_dependence(whole, replies, resamples=20_000) == pytest.approx(1 / 15, abs=0.01)


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("form", ["whole", "gaps", "one each"])
def test_dependence_is_that_of_all_permutations(epochs: int, form: str) -> None:
    """Within items that have every condition, or some; and of whole items."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        replies = np.full((4, 3), epochs)
        if form == "gaps":
            replies[[0, 1], [2, 0]] = 0
            replies[3] = [0, 0, epochs]
        if form == "one each":
            replies = np.repeat(np.eye(3, dtype=int), [2, 3, 2], axis=0) * epochs
        unread = rng.binomial(replies, 0.4)
        p = unread_dependence(unread, replies, resamples=8_000, seed=1)
        # Four standard errors of the share of 8,000 permutations.
        assert p == pytest.approx(exact_p(unread, replies), abs=4 * 0.5 / 8_000**0.5)


def test_dependence_is_cochrans_q() -> None:
    """Its chi-square p, at one epoch and enough items, and the same of every reply twice."""
    rng = np.random.default_rng(5)
    for chance in ([0.1, 0.1, 0.1, 0.1], [0.1, 0.14, 0.17, 0.2]):
        unread = (rng.random((400, 4)) < chance).astype(int)
        expected = cochrans_q(unread).pvalue
        for epochs in (1, 2):
            p = unread_dependence(epochs * unread, np.full((400, 4), epochs))
            assert p == pytest.approx(expected, abs=0.02), (chance, epochs)


def test_dependence_that_is_undefined_or_refused() -> None:
    """All read, none read, one condition; no exchange that changes anything is p = 1."""
    ones = np.ones((5, 3))
    for unread, replies in ((0 * ones, ones), (ones, ones), (ones[:, :1] / 2, ones[:, :1])):
        assert math.isnan(unread_dependence(unread, replies))
    assert math.isnan(unread_dependence([[0, 0]], [[0, 0]]))
    assert unread_dependence([[1, 1], [0, 0]], [[1, 1], [1, 1]]) == 1
    refused: Any = ([[2]], [[1]]), ([1], [1]), ([[1]], [[1, 1]]), ([[-1]], [[1]])
    for unread, replies in refused:
        with pytest.raises(ValueError, match="must be of shape"):
            unread_dependence(unread, replies)
    with pytest.raises(ValueError, match="resamples=0"):
        unread_dependence([[0, 1]], [[1, 1]], resamples=0)


@fixed
@given(
    arrays(int, (6, 3), elements=st.integers(0, 2)),
    arrays(int, (6, 3), elements=st.integers(0, 2)),
    st.permutations(range(3)),
)
def test_dependence_p_does_not_depend_on_order(
    first: IntArray, second: IntArray, order: list[int]
) -> None:
    """It lies in (0, 1], and conditions and items in another order differ by chance alone."""
    replies, unread = np.maximum(first, second), np.minimum(first, second)
    p = unread_dependence(unread, replies, resamples=2_000)
    reordered_p = unread_dependence(unread[::-1, order], replies[::-1, order], resamples=2_000)
    assert math.isnan(p) or 0 < p <= 1
    # Five standard errors of a difference of two shares of 2,000.
    assert reordered_p == pytest.approx(p, abs=5 * (0.5 / 2_000) ** 0.5, nan_ok=True)
