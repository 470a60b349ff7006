"""The threshold to act upon: by brute force, at two epochs, with unreadable replies."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from inspect_confidence import metrics


@cache
def enough(risk: float, error_rate: float) -> tuple[int, int]:
    """Items that can pass without a mistake, and with 80% power at half the risk."""
    needed = 0
    for n in range(1, 5_000):
        k = np.arange(n)
        passing = k[binom.cdf(k, n, risk) <= error_rate]
        needed = needed or (n if len(passing) else 0)
        if len(passing) and binom.cdf(passing[-1], n, risk / 2) >= 0.8:
            return needed, n
    raise AssertionError


def by_hand(confidence: np.ndarray, correct: np.ndarray, risk: float) -> tuple[float, float, float]:
    """Threshold, p and coverage by the rule as the docstring says it; NaN where none qualifies."""
    values = sorted(set(confidence[~np.isnan(confidence)]), reverse=True)
    counts = {t: int((confidence >= t).sum()) for t in values}
    needed, many = enough(risk, 0.025)
    begin = max(needed, min(many, (~np.isnan(confidence)).sum() // 2))
    first = [t for t in values if counts[t] >= needed][:1]
    second = [t for t in values if counts[t] >= begin][:1]
    start_rates = dict.fromkeys(first + second, 0.025)
    if first == second or not second:
        single = [t for t in values if counts[t] >= enough(risk, 0.05)[0]][:1]
        start_rates = dict.fromkeys(single, 0.05)
    expected, rate = (np.nan, np.nan, np.nan), 0.0
    for t in values:
        rate += start_rates.get(t, 0)
        answered = confidence >= t
        p = binom.cdf((1 - correct[answered]).sum(), counts[t], risk)
        if p <= rate:
            expected = t, p, counts[t] / len(confidence)
        else:
            rate = 0.0
    return expected


@pytest.mark.slow
def test_threshold_by_brute_force() -> None:
    """200 samples with ties, both ends, one class, and replies without confidence."""
    rng = np.random.default_rng(0)
    with_threshold = 0
    for k in range(200):
        n = int(rng.integers(30, 700))
        confidence = rng.choice(np.r_[0, rng.random(8).round(2), 1], n)
        share = 1 - (1 - confidence) * rng.choice([0.1, 0.3, 1.0])
        correct = (rng.random(n) < share).astype(float)
        if k % 10 == 0:
            correct[:] = k % 20 == 0
        confidence[rng.random(n) < 0.05] = np.nan
        risk = float(rng.choice([0.02, 0.05, 0.1, 0.2]))
        result = metrics.risk_threshold(confidence, correct, risk=risk)
        expected = by_hand(confidence, correct, risk)
        assert (result.threshold, result.p, result.coverage) == pytest.approx(
            expected, abs=1e-9, nan_ok=True
        )
        with_threshold += not np.isnan(result.threshold)
        assert result.reason or result.threshold == np.nanmin(confidence)
    assert 40 < with_threshold < 190


def test_epochs_of_an_item_count_once() -> None:
    """Asking all again with the same outcome changes nothing; with another, items are bounded."""
    rng = np.random.default_rng(1)
    confidence = rng.choice([0.5, 0.8, 0.9], 600, p=[0.2, 0.3, 0.5])
    correct = (rng.random(600) < np.where(confidence > 0.6, 0.985, 0.6)).astype(float)
    unit = np.arange(600)
    once = metrics.risk_threshold(confidence, correct, unit)
    twice = metrics.risk_threshold(np.tile(confidence, 2), np.tile(correct, 2), np.tile(unit, 2))
    assert once == twice
    assert once.threshold == 0.8
    # Half of the epochs of each wrong item are right: the items' means are tested, which are 0,
    # 1/2 or, of an item that isn't answered in one of its two epochs, moved by half the target.
    second = np.maximum(correct, rng.random(600) < 0.5)
    later = np.where(rng.random(600) < 0.1, np.nan, confidence)
    result = metrics.risk_threshold(
        np.r_[confidence, later], np.r_[correct, second], np.tile(unit, 2), risk=0.08
    )
    answered = [confidence >= result.threshold, np.nan_to_num(later) >= result.threshold]
    shares = (answered[0].astype(float) + answered[1]) / 2
    wrong = (answered[0] * (1 - correct) + answered[1] * (1 - second)) / 2
    answered_items = shares > 0
    values = (wrong - 0.08 * shares + 0.08)[answered_items]
    assert result.p == pytest.approx(metrics.hoeffding_bentkus_p(values, 0.08), abs=1e-12)
    assert result.risk == pytest.approx(wrong.sum() / shares.sum(), abs=1e-12)
    assert result.coverage == pytest.approx(shares.mean(), abs=1e-12)


def test_hoeffding_bentkus_p_is_the_lesser_bound() -> None:
    """The lesser of both bounds; 1 from the mean on; never below the binomial tail."""
    # Nine 0 and one 1/2 at 0.2: m = .05, h = .05 log .25 + .95 log(.95/.8); e P(Bin(10, .2) <= 1).
    divergence = 0.05 * np.log(0.25) + 0.95 * np.log(0.95 / 0.8)
    hoeffding = np.exp(-10 * divergence)
    bentkus = np.exp(1) * (0.8**10 + 10 * 0.2 * 0.8**9)
    expected = min(hoeffding, bentkus, 1)
    assert metrics.hoeffding_bentkus_p([0] * 9 + [0.5], 0.2) == pytest.approx(expected, abs=1e-12)
    assert metrics.hoeffding_bentkus_p([0.2, 0.2], 0.2) == 1
    assert np.isnan(metrics.hoeffding_bentkus_p([np.nan], 0.2))
    for n, wrong in [(50, 0), (200, 3), (400, 10)]:
        values = np.r_[np.ones(wrong), np.zeros(n - wrong)]
        assert metrics.hoeffding_bentkus_p(values, 0.05) >= binom.cdf(wrong, n, 0.05)


def test_no_threshold_has_a_reason() -> None:
    """Too few items, too great a risk, no confidence at all; nothing is made up."""
    too_few = metrics.risk_threshold([0.9] * 40, [1] * 40)
    assert np.isnan(too_few.threshold)
    assert too_few.reason == "59 items without a mistake are needed, and 40 have an answer"
    single = metrics.risk_threshold([0.9], [1])
    assert single.reason == "59 items without a mistake are needed, and 1 has an answer"
    wrong = metrics.risk_threshold([0.9] * 400, [1, 0] * 200)
    assert np.isnan(wrong.threshold)
    assert wrong.reason.startswith("50% of 400 items from 0.9 on are wrong, p > 0.99")
    none = metrics.risk_threshold([np.nan] * 100, [1] * 100)
    assert np.isnan(none.threshold)
    # Two unknown outcomes are left out, a reply without confidence isn't.
    all_answered = metrics.risk_threshold([0.9] * 102 + [np.nan], [1] * 100 + [np.nan] * 2 + [0])
    assert (all_answered.answered, all_answered.reason) == (100, "")
    assert all_answered.coverage == pytest.approx(100 / 101)
    with pytest.raises(ValueError, match=r"risk=5"):
        metrics.risk_threshold([0.9], [1], risk=5)


def test_surest_answers_without_a_mistake_have_a_threshold() -> None:
    """150 of 150 right at 1.0, whatever the other answers are; so have 59 of 59 alone."""
    confidence, correct = [1.0] * 150, [1.0] * 150
    assert metrics.risk_threshold(confidence, correct).threshold == 1
    result = metrics.risk_threshold(confidence + [0.8] * 1_350, correct + [0.0, 1.0] * 675)
    assert (result.threshold, result.answered) == (1, 150)
    assert result.p == pytest.approx(0.95**150)
    assert result.reason.startswith("45% of 1,500 items from 0.8 on")
    assert metrics.risk_threshold([1.0] * 59, [1.0] * 59).threshold == 1
    assert np.isnan(metrics.risk_threshold([1.0] * 58, [1.0] * 58).threshold)
    items = np.r_[np.tile(np.arange(150), 2), np.tile(np.arange(150, 160), 2)]
    twice = metrics.risk_threshold(confidence * 2 + [np.nan] * 20, correct * 2 + [0.0] * 20, items)
    assert (twice.threshold, twice.answered) == (1, 150)


def test_few_wrong_answers_at_the_top_do_not_end_the_tests() -> None:
    """4 of 80 wrong at 1.0, 2 of 920 at .9: the second start finds .9, at half of the error."""
    confidence = [1.0] * 80 + [0.9] * 920
    correct = [0.0] * 4 + [1.0] * 76 + [0.0] * 2 + [1.0] * 918
    result = metrics.risk_threshold(confidence, correct)
    assert (result.first, result.threshold, result.reason) == (1, 0.9, "")
    assert result.p == pytest.approx(binom.cdf(6, 1_000, 0.05))


def test_the_reason_is_the_first_failure_below_the_threshold_or_without_one_the_last() -> None:
    """A sequence starts at 1.0 (100 items, at least 72), a second one at .9, half of all items."""
    confidence = [1.0] * 100 + [0.9] * 900
    correct = [0.0] * 10 + [1.0] * 90 + [0.0] * 200 + [1.0] * 700
    both_failed = metrics.risk_threshold(confidence, correct)
    assert np.isnan(both_failed.threshold)
    assert both_failed.first == 1
    assert both_failed.reason.startswith("21% of 1,000 items from 0.9 on are wrong")
    passed = metrics.risk_threshold([1.0] * 100 + [0.9, 0.8] * 450, [1.0] * 100 + [0.0] * 900)
    assert passed.threshold == 1
    assert passed.reason.startswith("81.8% of 550 items from 0.9 on")  # 450 of 550


def test_continuous_confidence_is_tried_at_hundredths() -> None:
    """More than 101 distinct confidences."""
    rng = np.random.default_rng(2)
    confidence = rng.random(2_000)
    correct = (rng.random(2_000) < np.where(confidence > 0.6, 0.99, 0.5)).astype(float)
    result = metrics.risk_threshold(confidence, correct)
    assert round(result.threshold, 2) == result.threshold
    assert 0.5 < result.threshold <= 0.6
