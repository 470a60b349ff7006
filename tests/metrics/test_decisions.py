"""Risk, coverage and utility of answering only where confidence is high, by brute force."""

import math
from collections.abc import Iterator
from itertools import pairwise, permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from build import column_of
from inspect_confidence import metrics
from inspect_confidence.metrics import Costs, augrc, aurc, expected_utility, prr, risk_at_coverage
from inspect_confidence.metrics.arrays import FloatArray
from metrics.oracles import falling_orders

NAN = float("nan")
COSTS = Costs(right=1, wrong=-2, abstain=0.25)


def samples(max_size: int = 40, count: int = 200) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Confidences with ties and ends, and outcomes, of one class in some samples."""
    rng = np.random.default_rng(max_size)
    for _ in range(count):
        n, values = int(rng.integers(1, max_size + 1)), int(rng.integers(1, 9))
        confidences = rng.integers(0, values + 1, n) / values
        yield confidences, (rng.random(n) < rng.choice([0, 0.3, 0.8, 1])).astype(float)


def thresholds(
    confidences: FloatArray, right: FloatArray
) -> list[tuple[float, float, float, float]]:
    """Each confidence, highest first: how many answers are at or above it, right and wrong."""
    rows = []
    for t in sorted(set(confidences), reverse=True):
        above = right[confidences >= t]
        rows.append((float(t), float(len(above)), float(above.sum()), float((1 - above).sum())))
    return rows


def test_risk_is_the_mean_over_the_orders_of_ties() -> None:
    """Of the k surest of n answers, in every order with confidence falling."""
    for confidences, right in samples(max_size=6, count=200):
        rows = list(zip(confidences, right, strict=True))
        orders = [1 - np.array(column_of(order, 1)) for order in falling_orders(rows)]
        for k in range(1, len(rows) + 1):
            expected = np.mean(np.array(orders)[:, :k])
            got = risk_at_coverage(confidences, right, coverage=k / len(rows))
            assert got == pytest.approx(expected, abs=1e-9)


def test_augrc_is_the_area_under_its_points() -> None:
    """Trapezoids through the share given and wrong at each threshold, as in its authors' code."""
    for confidences, right in samples():
        n = len(confidences)
        points = [
            (0.0, 0.0),
            *((k / n, bad / n) for _, k, _, bad in thresholds(confidences, right)),
        ]
        area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
        assert augrc(confidences, right) == pytest.approx(area, abs=1e-9)
        if 0 < right.sum() < n:
            a, auc = right.mean(), roc_auc_score(right, confidences)
            identity = (1 - auc) * a * (1 - a) + (1 - a) ** 2 / 2
            assert augrc(confidences, right) == pytest.approx(identity, abs=1e-9)


def test_prr_by_hand() -> None:
    """Of three answers the second is wrong: AURC 5/18, at random 1/3, of an oracle 1/9."""
    assert prr([0.9, 0.8, 0.2], [1, 0, 1]) == pytest.approx((1 / 3 - 5 / 18) / (1 / 3 - 1 / 9))
    assert prr([0.9, 0.8, 0.2], [1, 1, 0]) == pytest.approx(1)
    assert prr([0.2, 0.8, 0.9], [1, 1, 0]) < 0
    assert prr([0.7, 0.7, 0.7], [1, 1, 0]) == pytest.approx(0)


def test_prr_is_the_share_of_the_oracles_gain_in_aurc() -> None:
    """1 - (AURC - AURC of an oracle)/(AURC at random - that); NaN of one class, as it has none."""
    for confidences, right in samples():
        value = prr(confidences, right)
        if not 0 < right.sum() < len(right):
            assert math.isnan(value)
            continue
        oracle, random = aurc(right, right), aurc(np.full(len(right), 0.5), right)
        excess = (aurc(confidences, right) - oracle) / (random - oracle)
        assert value == pytest.approx(1 - excess, abs=1e-9)


def test_prr_is_the_mean_over_the_rejection_curves_of_all_orders_of_ties() -> None:
    """The mean error rate of the answers that are left, over all numbers of rejections."""
    for confidences, right in samples(max_size=6, count=100):
        if not 0 < right.sum() < len(right):
            continue
        rows = list(zip(confidences, right, strict=True))
        areas = []
        for order in permutations(rows):
            if (np.diff(column_of(order, 0)) <= 0).all():
                errors = 1 - np.array(column_of(order, 1))
                areas.append(np.mean(np.cumsum(errors) / np.arange(1, len(errors) + 1)))
        oracle = np.mean(np.cumsum(np.sort(1 - right)) / np.arange(1, len(right) + 1))
        base = 1 - right.mean()
        expected = (base - np.mean(areas)) / (base - oracle)
        assert prr(confidences, right) == pytest.approx(expected, abs=1e-9)


def test_utility_of_each_threshold() -> None:
    """The utility of answers at or above it, and of abstentions below."""
    for confidences, right in samples():
        n = len(confidences)
        utilities = {t: g - 2 * b + 0.25 * (n - k) for t, k, g, b in thresholds(confidences, right)}
        for t, total in utilities.items():
            got = expected_utility(confidences, right, costs=COSTS, threshold=t)
            assert got == pytest.approx(total / n, abs=1e-9)


def test_the_threshold_that_costs_imply() -> None:
    """Of calibrated confidence, it is where right and wrong answers' worth is that of none."""
    assert Costs(1, -2, 0).indifferent == pytest.approx(2 / 3)
    assert Costs(1, -1, 0.5).indifferent == pytest.approx(3 / 4)
    confidences = np.repeat(np.arange(11) / 10, 10)
    right = np.concatenate([np.arange(10) < k for k in range(11)]).astype(float)
    for costs in (Costs(1, -2, 0), Costs(1, -1, 0.5), Costs(3, -1, 0)):
        advised = expected_utility(confidences, right, costs=costs, threshold=costs.indifferent)
        worth = [
            expected_utility(confidences, right, costs=costs, threshold=t) for t in set(confidences)
        ]
        assert advised == pytest.approx(max(*worth, costs.abstain))


def test_no_judgment_is_nan_and_missing_values_are_left_out() -> None:
    """Nothing is NaN; a judgment that lacks confidence or outcome is left out."""
    forms = (
        lambda *rows: risk_at_coverage(*rows, coverage=0.5),
        augrc,
        prr,
        lambda *rows: expected_utility(*rows, costs=COSTS),
    )
    for form in forms:
        assert math.isnan(form([], []))
        with_gaps = form([0.9, NAN, 0.5, 0.3, 0.3], [1, 1, NAN, 0, 1])
        assert with_gaps == form([0.9, 0.3, 0.3], [1, 0, 1])


def test_bad_coverages_and_costs_raise() -> None:
    """A coverage of nothing, and costs by which confidence doesn't matter."""
    with pytest.raises(ValueError, match=r"coverage=0 is not above 0"):
        risk_at_coverage([0.5], [1], coverage=0)
    for wrong in ((1, 2, 0), (1, -1, 1), (math.inf, -1, 0), (NAN, -1, 0)):
        with pytest.raises(ValueError, match="wrong < abstain < right"):
            metrics.Costs(*wrong)
