"""A confidence to act upon: above it, the share of wrong answers stays below a target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, xlogy

from inspect_confidence.metrics.arrays import (
    EDGE,
    FloatArray,
    IntArray,
    check_open_share,
    shares,
    unit_numbers,
)
from inspect_confidence.metrics.resample import clustered_wilson_interval

__all__ = ["RiskThreshold", "hoeffding_bentkus_p", "risk_threshold"]

GRID = 101
"""Distinct confidences up to which each is tried; of more, hundredths are."""

POWER = 0.8
"""Probability of passing its test that the second start should have."""


@dataclass(frozen=True)
class RiskThreshold:
    """A threshold of confidence, and the answers that reach it.

    Attributes:
        threshold: Answers of that confidence or more are given; NaN if none qualifies.
        p: p of the test of a risk above the target at the threshold.
        risk: Share of wrong answers among those given; every item weighs the same.
        coverage: Share of the judgments whose answer is given.
        ci_low: Lower end of the 95% interval of `coverage`.
        ci_high: Upper end of the 95% interval of `coverage`.
        answered: Number of items of which an answer is given.
        first: Threshold of the first test; NaN if none was made.
        reason: Why there is no threshold, or no lower one; empty if everything may be answered.
    """

    threshold: float = float("nan")
    p: float = float("nan")
    risk: float = float("nan")
    coverage: float = float("nan")
    ci_low: float = float("nan")
    ci_high: float = float("nan")
    answered: int = 0
    first: float = float("nan")
    reason: str = ""


@dataclass(frozen=True)
class _AnsweredShares:
    """Answers that are given from some confidence on, by item.

    Attributes:
        threshold: That confidence.
        answered: Share of each item's judgments whose answer is given.
        wrong: Share of each item's judgments whose answer is given and wrong.
    """

    threshold: float
    answered: FloatArray
    wrong: FloatArray

    @property
    def items(self) -> int:
        """Number of items of which an answer is given."""
        return int((self.answered > 0).sum())

    @property
    def risk(self) -> float:
        """Share of wrong answers among those given."""
        return float(self.wrong.sum() / self.answered.sum())

    def p(self, target: float) -> float:
        """Return p of the hypothesis that the risk, the share of wrong answers, exceeds the target.

        `self.answered` and `self.wrong` are the shares of each item's judgments with an answer, and
        with a wrong one. If all are 0 or 1, p is P(Binomial(answered items, target) <= wrong ones),
        otherwise `hoeffding_bentkus_p`. It is 1 if no item has an answer.
        """
        has_answer = self.answered > 0
        answered, wrong = self.answered[has_answer], self.wrong[has_answer]
        if np.isin(answered, (0, 1)).all() and np.isin(wrong, (0, 1)).all():
            return float(bdtr(wrong.sum(), len(wrong), target))
        # The mean of these values exceeds the target exactly if the risk does.
        return hoeffding_bentkus_p(wrong + target * (1 - answered), target)


@dataclass(frozen=True)
class _Judgments:
    """Judgments that have an outcome, or no confidence and therefore never an answer.

    Attributes:
        confidence: In [0, 1]; NaN without a confidence.
        correct: 1 right, 0 wrong, or the probability of being right.
        item: Index of each judgment's item.
    """

    confidence: FloatArray
    correct: FloatArray
    item: IntArray

    @classmethod
    def from_arrays(
        cls, confidence: ArrayLike, correct: ArrayLike, unit: IntArray | None
    ) -> "_Judgments":
        """Return the judgments without those that have a confidence and no outcome.

        Judgments without confidence (NaN) stay, as answers that are never given. `unit` is the
        index of each judgment's item; each is an item of its own if None.
        """
        confidences, outcomes = shares(confidence=confidence, correct=correct)
        item_names = unit_numbers(unit, len(confidences))
        usable = np.isnan(confidences) | ~np.isnan(outcomes)
        _, item = np.unique(item_names[usable], return_inverse=True)
        return cls(confidences[usable], outcomes[usable], item)

    def counts(self) -> IntArray:
        """Return the number of judgments of each item."""
        return np.bincount(self.item)

    def answered_from(self, threshold: float) -> _AnsweredShares:
        """Return the answers given at a threshold, those with at least that confidence.

        By item, they are the share of judgments with an answer given, and given and wrong. An
        answer without confidence (NaN) reaches no threshold.
        """
        is_answered = self.confidence >= threshold - EDGE
        wrong = np.where(is_answered, 1 - self.correct, 0.0)
        judgments = self.counts()  # of each item
        return _AnsweredShares(
            threshold,
            answered=np.bincount(self.item, is_answered) / judgments,
            wrong=np.bincount(self.item, wrong) / judgments,
        )

    def candidates(self) -> list[_AnsweredShares]:
        """Return the answers given at each threshold that is tried, from the highest down.

        Thresholds are the distinct confidences, or 1, 0.99, ... 0 if there are more than 101.
        """
        grid = np.unique(np.round(self.confidence[~np.isnan(self.confidence)], 12))[::-1]
        if len(grid) > GRID:
            grid = np.arange(100, -1, -1) / 100
        return list(map(self.answered_from, map(float, grid)))


def risk_threshold(
    confidence: ArrayLike,
    correct: ArrayLike,
    unit: IntArray | None = None,
    *,
    risk: float = 0.05,
    level: float = 0.95,
) -> RiskThreshold:
    """Return the least confidence from which on the risk stays below a target.

    The risk at t is the share of wrong answers among those of confidence t or more, for items like
    these. Learn-then-test: for each t of a grid, from high to low, the hypothesis that the risk
    exceeds the target is tested until one isn't rejected. The threshold is the last t at which it
    was rejected. In at most 1 - level of all samples the risk at the threshold exceeds the target.

    The grid has the distinct confidences, or hundredths if there are more than 101. Two sequences
    of tests are made, each with half of the error rate, (1 - level)/2. The first starts at the
    highest confidence whose answers could pass: 72 items without a mistake at a risk of 5%. The
    second, in case a mistake among the surest few ends the first, starts at the highest confidence
    that answers enough items for 80% power at half the target risk, or half of all items if that is
    less. If the first sequence reaches this start without a failure, the error rate of both, 1 -
    level, holds from there on. If both starts are the same, the only sequence has that error rate
    from the beginning (59 items). Starts depend on confidence alone, never on outcomes.

    p is the exact binomial one, P(Binomial(n, target) <= wrong) of n items answered, where each
    item is answered in all of its judgments alike; else `hoeffding_bentkus_p` of the items' means
    of (wrong - target * given) + target. Epochs of an item are one observation.

    Source: Angelopoulos, Bates, Candes, Jordan and Lei (2021), Learn then test, for the fixed
    sequence with several starts; Wiens (2003), Pharmaceutical Statistics 2, for the error rate that
    a sequence without a failure passes on.

    Args:
        confidence: In [0, 1], one per judgment; one without confidence (NaN) is never answered.
        correct: 1 right, 0 wrong, or the probability of being right; where it is NaN and there
            is a confidence, the judgment is left out.
        unit: Index of each judgment's item; each is an item of its own if None.
        risk: The target risk, between 0 and 1.
        level: Probability with which the risk stays below the target, between 0 and 1.

    Returns:
        The threshold, NaN if none passes, with the answers that reach it and the reason why there
        is none, or no lower one: the first test below the threshold that failed or, if none
        passes, the last test, that of the second sequence if there are two.

    Raises:
        ValueError: A value is out of its range, or lengths differ.

    Example:
        >>> sure, unsure = [0.9] * 200, [0.5] * 100
        >>> result = risk_threshold(sure + unsure, [1] * 198 + [0] * 2 + [0, 1] * 50)
        >>> result.threshold, result.risk, round(result.coverage, 2), round(result.p, 4)
        (0.9, 0.01, 0.67, 0.0023)
    """
    for name, value in (("risk", risk), ("level", level)):
        check_open_share(name, value)
    judgments = _Judgments.from_arrays(confidence, correct, unit)
    candidates = judgments.candidates()  # the answers from each t of the grid on
    error_rate_by_start = _error_rate_by_start(
        [candidate.items for candidate in candidates], risk, 1 - level
    )
    if not error_rate_by_start:
        needed = _min_items_without_mistake(risk, 1 - level)
        items = judgments.answered_from(0).items
        verb = "has" if items == 1 else "have"
        reason = f"{needed} items without a mistake are needed, and {items} {verb} an answer"
        return RiskThreshold(reason=reason)
    first = candidates[min(error_rate_by_start)].threshold
    passed, p, reason = _last_passed(candidates, error_rate_by_start, risk)
    if passed is None:
        return RiskThreshold(first=first, reason=reason)
    counts = judgments.counts()
    answered_counts = passed.answered * counts
    low, high = clustered_wilson_interval(answered_counts, counts)
    return RiskThreshold(
        threshold=passed.threshold,
        p=p,
        risk=passed.risk,
        coverage=float(answered_counts.sum() / counts.sum()),
        ci_low=low,
        ci_high=high,
        answered=passed.items,
        first=first,
        reason=reason,
    )


def _last_passed(
    candidates: Sequence[_AnsweredShares], error_rate_by_start: Mapping[int, float], risk: float
) -> tuple[_AnsweredShares | None, float, str]:
    """Test candidates in order, and return the last one that passed, its p, and a reason.

    A test that fails ends its sequence: tests go on at the next start. The reason describes the
    first failure after the last pass; it is empty if there is none. Without a pass the candidate is
    None, and the reason describes the last failure.

    Args:
        candidates: Answers from each threshold on, from the highest threshold to the lowest.
        error_rate_by_start: Error rate of each sequence, by the index of its first candidate.
        risk: The target risk.
    """
    passed, p_passed, reason, error_rate = None, np.nan, "", 0.0
    for k, candidate in enumerate(candidates):
        error_rate += error_rate_by_start.get(k, 0.0)
        if not error_rate:  # before the first start, or after a failure
            continue
        p = candidate.p(risk)
        if p <= error_rate:
            passed, p_passed, reason = candidate, p, ""
            continue
        if passed is None or not reason:
            p_text = "p > 0.99" if p > 0.99 else f"p = {p:.3g}"
            reason = (
                f"{100 * candidate.risk:.3g}% of {candidate.items:,} items from "
                f"{candidate.threshold:.4g} on are wrong, {p_text} (above {error_rate:.3g})"
            )
        error_rate = 0.0
    return passed, p_passed, reason


def _error_rate_by_start(sizes: Sequence[int], risk: float, error_rate: float) -> dict[int, float]:
    """Return the error rate of each sequence of tests, by the index of its start in the grid.

    A test passes if it shows that the risk is below the target, `risk`. The first sequence starts
    where just enough items are answered to pass without a mistake, the second where they give 80%
    power if the true risk is half the target, or are half of all items if that is less. Each has
    half of `error_rate`, a single one all of it. Empty if there are too few items for any test.
    `sizes` are the numbers of items answered from each threshold on, from the highest threshold to
    the lowest, so that they ascend.
    """
    all_items = sizes[-1] if sizes else 0
    half = error_rate / 2
    first_items = _min_items_without_mistake(risk, half)
    second_items = max(first_items, min(_min_items_for_power(risk, half), all_items // 2))
    if all_items >= second_items:
        first_start, second_start = np.searchsorted(sizes, [first_items, second_items]).tolist()
        if first_start < second_start:  # equal if a threshold adds many items at once
            return {first_start: half, second_start: half}
    # One start, with the whole error rate.
    only_items = _min_items_without_mistake(risk, error_rate)
    if all_items < only_items:
        return {}
    return {int(np.searchsorted(sizes, only_items)): error_rate}


def _min_items_without_mistake(risk: float, error_rate: float) -> int:
    """Return the least number of items whose test passes without a mistake."""
    return int(np.ceil(np.log(error_rate) / np.log(1 - risk)))


def _min_items_for_power(risk: float, error_rate: float) -> int:
    """Return the least number of items whose test passes in 80% of samples at half the risk.

    A test passes if P(Binomial(n, risk) <= wrong answers) is at most the error rate. The search
    ends at 40 / risk items, which is returned if fewer don't suffice.
    """
    n = np.arange(1, int(40 / risk) + 2)
    for max_wrong in range(1_000):  # more than any of these n passes with
        # Numbers of items that pass with so many wrong answers. Those that don't pass now don't
        # pass with more wrong answers.
        n = n[bdtr(max_wrong, n, risk) <= error_rate]
        if not len(n):
            break
        if bdtr(max_wrong, n[0], risk / 2) >= POWER:
            return int(n[0])
    return int(40 / risk)


def hoeffding_bentkus_p(values: ArrayLike, mean: float) -> float:
    """Return the Hoeffding-Bentkus p of the hypothesis that values' expectation is above `mean`.

    min(exp(-n h(m)), e P(Binomial(n, mean) <= ceil(n m))), with the values' mean m, h(m) =
    m log(m/mean) + (1 - m) log((1 - m)/(1 - mean)); 1 if m >= `mean`.

    Source: Bates, Angelopoulos, Lei, Malik and Jordan (2021), Distribution-free, risk-controlling
    prediction sets.

    Args:
        values: Independent values in [0, 1], one per item; NaN is left out.
        mean: Hypothetical expectation, between 0 and 1.

    Returns:
        A probability in (0, 1]; NaN where there is no value.

    Raises:
        ValueError: A value lies outside [0, 1], or the mean is not between 0 and 1.

    Example:
        >>> round(hoeffding_bentkus_p([0] * 100, 0.05), 4)  # 0.95^100
        0.0059
    """
    check_open_share("mean", mean)
    (array,) = shares(values=values)
    array = array[~np.isnan(array)]
    n = len(array)
    if not n:
        return float("nan")
    m = float(array.mean())
    if m >= mean:
        return 1.0
    divergence = xlogy(m, m / mean) + xlogy(1 - m, (1 - m) / (1 - mean))
    bentkus = np.e * bdtr(np.ceil(n * m - EDGE), n, mean)
    return float(min(np.exp(-n * divergence), bentkus, 1))
