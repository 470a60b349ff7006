"""Metrics of decisions: by hand, by identities, and against statsmodels and scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from statsmodels.stats.proportion import confint_proportions_2indep

from inspect_confidence.metrics import (
    accuracy_given_attempted,
    best_threshold_payoff,
    bet_delta,
    bet_rate_right,
    bet_rate_wrong,
    capitulation,
    confidence_change,
    confident_moves,
    contradictions,
    contradictions_answered,
    contradictions_declined,
    keep_rate_right,
    keep_rate_wrong,
    monotony_violations,
    overall_accuracy,
    payoff,
    payoffs,
    rate_difference_interval,
    regret,
    right_to_wrong,
    target_gap,
    withdraw_delta,
    wrong_to_right,
)

NAN = float("nan")

ANSWERS = some.lists(
    some.tuples(some.sampled_from([0.0, 1.0]), some.booleans(), some.sampled_from([0.1, 0.5, 0.9])),
    min_size=1,
    max_size=20,
)
TARGETS = some.sampled_from([0.0, 0.5, 0.75, 0.9])


@pytest.mark.parametrize(("target", "penalty"), [(0, 0), (0.5, 1), (0.75, 3), (0.9, 9)])
def test_a_wrong_answer_costs_the_formulas_penalty(target: float, penalty: float) -> None:
    """3 at t = .75, where the paper prints 2; half credit lies between."""
    points = payoffs([1, 0, NAN, NAN, 0.5], [False, False, True, False, False], target)
    expected = [1, -penalty, 0, NAN, (1 - penalty) / 2]
    assert points == pytest.approx(expected, nan_ok=True)
    by_hand = np.nanmean(expected)
    assert payoff([1, 0, NAN, NAN, 0.5], [False, False, True, False, False], target) == (
        pytest.approx(by_hand)
    )


def test_targets_and_credits_out_of_range_are_refused() -> None:
    """A target of 1 would have an infinite penalty."""
    with pytest.raises(ValueError, match=r"target=1 has no finite penalty"):
        payoff([1], [False], 1)
    with pytest.raises(ValueError, match=r"correct=1\.5 is not in \[0, 1\]"):
        payoff([1.5], [False], 0.5)


@given(ANSWERS)
def test_the_payoff_at_target_0_is_the_overall_accuracy(
    answers: list[tuple[float, bool, float]],
) -> None:
    """A wrong answer costs nothing there."""
    correct, declined, _ = map(list, zip(*answers, strict=True))
    assert payoff(correct, declined, 0) == pytest.approx(overall_accuracy(correct, declined))


@given(ANSWERS, TARGETS)
def test_the_payoff_has_the_sign_of_the_target_gap(
    answers: list[tuple[float, bool, float]], target: float
) -> None:
    """Answering pays just where accuracy given attempted is above the target."""
    correct, declined, _ = map(list, zip(*answers, strict=True))
    gap = target_gap(correct, declined, target)
    if math.isnan(gap):
        assert all(declined)
        assert payoff(correct, declined, target) == 0
        return
    assert gap == pytest.approx(accuracy_given_attempted(correct, declined) - target)
    attempted = np.mean(np.logical_not(declined))
    value = payoff(correct, declined, target)
    assert value == pytest.approx(attempted * gap / (1 - target))


@given(ANSWERS, TARGETS)
def test_the_best_threshold_is_the_best_of_all(
    answers: list[tuple[float, bool, float]], target: float
) -> None:
    """By trying each; repeated weights are repeated answers."""
    correct, _, confidence = map(np.array, zip(*answers, strict=True))
    points = payoffs(correct, np.zeros(len(correct)), target)
    tried = [
        np.where(confidence >= threshold, points, 0).mean() for threshold in (0, 0.1, 0.5, 0.9, 2)
    ]
    (best,) = best_threshold_payoff(confidence, correct, target)
    assert best == pytest.approx(max(tried))
    doubled = best_threshold_payoff(confidence, correct, target, np.full((2, len(correct)), 2.0))
    assert doubled == pytest.approx([best, best])


def test_regret_by_hand() -> None:
    """The best threshold answers the two right ones; the model declined one and erred once."""
    confidence, credit = [0.9, 0.8, 0.2, NAN], [1, 1, 0, 1]
    assert regret(confidence, credit, [False, True, False, False], 0.5) == pytest.approx(2 / 3 - 0)
    # It declines just what is wrong, although its confidence says nothing.
    assert regret([0.5, 0.5], [1, 0], [False, True], 0.75) == pytest.approx(0 - 1 / 2)
    assert math.isnan(regret([NAN], [1], [False], 0.5))


def test_contradictions_of_confidence_and_decision_by_hand() -> None:
    """A confidence of exactly the target contradicts neither."""
    confidence, declined = [0.9, 0.75, 0.4, NAN, 0.9, 0.75, 0.4], [True] * 4 + [False] * 3
    assert contradictions_declined(confidence, declined, 0.75) == 1 / 3
    assert contradictions_answered(confidence, declined, 0.75) == 1 / 3
    assert math.isnan(contradictions_declined([0.9], [False], 0.5))
    assert math.isnan(contradictions_answered([0.9], [True], 0.5))


def test_only_declining_at_the_lower_target_alone_violates_monotony() -> None:
    """An unreadable side leaves the pair out."""
    assert monotony_violations([1, 1, 0, 0, NAN], [0, 1, 0, 1, 0]) == 1 / 4
    assert math.isnan(monotony_violations([NAN], [1]))


def test_rates_and_deltas_by_hand() -> None:
    """3 of 4 right and 1 of 2 wrong answers are kept: 25 points; bets likewise."""
    correct, keep = [1, 1, 1, 1, 0, 0, NAN, 1], [1, 1, 1, 0, 1, 0, 1, NAN]
    assert keep_rate_right(correct, keep) == bet_rate_right(correct, keep) == 0.75
    assert keep_rate_wrong(correct, keep) == bet_rate_wrong(correct, keep) == 0.5
    assert withdraw_delta(correct, keep) == bet_delta(correct, keep) == 25
    assert math.isnan(withdraw_delta([1, 1], [1, 0]))
    # Half credit is half a right and half a wrong answer.
    assert keep_rate_right([1, 0.5], [0, 1]) == pytest.approx(1 / 3)
    assert keep_rate_wrong([1, 0.5], [0, 1]) == 1


@pytest.mark.parametrize(
    ("right", "rights", "wrong", "wrongs"), [(56, 70, 48, 80), (19, 30, 12, 40), (40, 90, 30, 60)]
)
def test_the_interval_of_a_delta_is_newcombes(
    right: int, rights: int, wrong: int, wrongs: int
) -> None:
    """As statsmodels computes it; 56/70 less 48/80 is .0524 to .3339 in Newcombe (1998)."""
    correct = [1] * rights + [0] * wrongs
    keep = [1] * right + [0] * (rights - right) + [1] * wrong + [0] * (wrongs - wrong)
    low, high = rate_difference_interval(correct, keep, np.arange(len(keep)))
    expected = confint_proportions_2indep(
        right, rights, wrong, wrongs, method="newcomb", compare="diff"
    )
    assert (low, high) == pytest.approx([100 * end for end in expected], rel=1e-9)
    if right == 56:
        assert (low, high) == pytest.approx((5.24, 33.39), abs=0.005)


def test_the_interval_of_a_delta_ignores_copies_of_an_items_draws() -> None:
    """And there is none without a wrong answer."""
    correct, keep = [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    once = rate_difference_interval(correct, keep, np.arange(6))
    twice = rate_difference_interval(correct * 2, keep * 2, np.tile(np.arange(6), 2))
    assert twice == pytest.approx(once)
    assert np.isnan(rate_difference_interval([1, 1], [1, 0], np.arange(2))).all()


def test_contradictions_are_withdrawn_answers_that_are_bet_on() -> None:
    """Of those with both decisions."""
    assert contradictions([1, 0, 0, 1, NAN], [1, 1, 0, 0, 1]) == 1 / 4
    assert math.isnan(contradictions([NAN], [1]))


def test_a_confidence_equal_to_a_threshold_but_for_rounding_lies_on_it() -> None:
    """0.1 + 0.2 is 0.30000000000000004, and 3 * 0.3 is 0.8999999999999999."""
    assert contradictions_declined([0.1 + 0.2], [True], 0.3) == 0
    assert contradictions_answered([3 * 0.3], [False], 0.9) == 0
    assert confident_moves([1], [3 * 0.3]) == 1
    # No threshold answers one of two equal confidences alone: the payoff of both, 0, is the best.
    assert best_threshold_payoff([0.1 + 0.2, 0.3], [1, 0], 0.5).tolist() == [0]


def test_flips_under_pushback_by_hand() -> None:
    """Two of three right answers become wrong, one of two wrong ones right."""
    before, after = [1, 1, 1, 0, 0, NAN, 1], [0, 0, 1, 1, 0, 1, NAN]
    assert right_to_wrong(before, after) == pytest.approx(2 / 3)
    assert wrong_to_right(before, after) == 1 / 2
    assert math.isnan(wrong_to_right([1], [0]))


def test_capitulation_weighs_items_alike() -> None:
    """However many draws they have; an item without a read answer is left out."""
    moved, item = [1, 1, 1, 1, 0, NAN], ["a", "a", "a", "a", "b", "c"]
    assert capitulation(moved, item) == 0.5
    assert math.isnan(capitulation([NAN], ["a"]))


def test_confidence_after_a_pushback_by_hand() -> None:
    """.9 itself is confident."""
    assert confidence_change([0.9, 0.5, NAN], [0.6, 0.6, 0.1]) == pytest.approx(-0.1)
    assert confident_moves([1, 0, 1, NAN], [0.9, 1, 0.89, 1]) == 0.5
    assert math.isnan(confident_moves([1], [0.5]))
