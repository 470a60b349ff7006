"""Areas under curves and information, against scikit-learn, scipy and brute force."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import entropy
from sklearn.metrics import average_precision_score, mutual_info_score, roc_auc_score

from build import column_of
from inspect_confidence.metrics import auprc_error, aurc, auroc, meta_information
from metrics.oracles import falling_orders
from metrics.strategies import fixed

NAN = float("nan")
AnswerRows = list[tuple[int, int]]

up_to_six = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6)
# At least one right and one wrong answer, on 0-10.
with_both_outcomes = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 1)), max_size=40
).flatmap(
    lambda rows: st.tuples(st.integers(0, 10), st.integers(0, 10)).map(
        lambda pair: [(pair[0], 0), (pair[1], 1), *rows]
    )
)
weighted = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 4)), min_size=1, max_size=40)


def tenths(rows: AnswerRows, attempts: int = 1) -> tuple[list[float], list[float]]:
    """Confidences of reports on 0-10, and shares of attempts that were right."""
    reports, right = np.reshape(rows, (-1, 2)).T
    return (reports / 10).tolist(), (right / attempts).tolist()


def split(rows: AnswerRows) -> tuple[list[float], list[int], list[float]]:
    """Confidences, labels and weights: each judgment p right and 1 - p wrong, p in quarters."""
    confidences, outcome = tenths(rows, 4)
    labels = [1] * len(rows) + [0] * len(rows)
    return confidences * 2, labels, [*outcome, *(1 - np.array(outcome)).tolist()]


def test_aurc_of_many_answers_is_the_mean_error_rate_of_the_surest() -> None:
    """Of 500 answers in groups of five equal confidences, by the law of random orders."""
    rng = np.random.default_rng(0)
    confidence, correct = np.repeat(rng.random(100), 5), rng.integers(2, size=500)
    order = np.argsort(-confidence, kind="stable")
    wrong = 1 - correct[order]
    # A random order of ties has each group's error rate at each of its places.
    expected_wrong = np.repeat(wrong.reshape(-1, 5).mean(axis=1), 5)
    rates = np.cumsum(expected_wrong) / np.arange(1, 501)
    assert aurc(confidence, correct) == pytest.approx(rates.mean(), abs=1e-12)


def test_auroc_counts_ties_half() -> None:
    """The area is the share of pairs in order, ties counting half."""
    cases: list[tuple[list[float], list[float], float]] = [
        ([0.9, 0.1], [1, 0], 1),
        ([0.1, 0.9], [1, 0], 0),
        ([0.7, 0.7, 0.7], [1, 0, 1], 0.5),
        ([0.9, 0.5, 0.5], [1, 1, 0], 0.75),  # a pair in order and a tie
        ([0.9, 0.5], [0.5, 0.5], 0.5),  # weights 1/4: right .9 over wrong .5, and the other way
        ([0.9, 0.5], [1, 0.5], 5 / 6),  # wrong .5 is half, right 1 + 1/2: (1 + 1/4) / (3/2)
    ]
    for confidence, correct, expected in cases:
        assert auroc(confidence, correct) == pytest.approx(expected, abs=1e-15), confidence


@fixed
@given(with_both_outcomes)
def test_areas_are_scikit_learns(rows: AnswerRows) -> None:
    """And that of pairs; reversed it is the complement; stretching changes nothing."""
    confidences, right = map(np.array, tenths(rows))
    reports, outcome = np.transpose(rows)
    gaps = np.subtract.outer(reports[outcome == 1], reports[outcome == 0])
    share = float(np.mean((np.sign(gaps) + 1) / 2))
    got = auroc(confidences, right)
    assert got == pytest.approx(share, abs=1e-14)
    assert got == pytest.approx(roc_auc_score(right, confidences), abs=1e-12)
    assert auroc(1 - confidences, right) == pytest.approx(1 - got, abs=1e-14)
    assert auroc(confidences, 1 - right) == pytest.approx(1 - got, abs=1e-14)
    assert auroc(confidences**3 / 2, right) == got
    expected = average_precision_score(1 - right, -confidences)
    assert auprc_error(confidences, right) == pytest.approx(expected, abs=1e-12)


@fixed
@given(weighted)
def test_weighted_auroc_is_scikit_learns(rows: AnswerRows) -> None:
    """An outcome of p counts p as right and 1 - p as wrong; NaN where one of them has no weight."""
    confidences, labels, weights = split(rows)
    if sum(weights[: len(rows)]) in (0, len(rows)):
        assert math.isnan(auroc(*tenths(rows, 4)))
    else:
        expected = roc_auc_score(labels, confidences, sample_weight=weights)
        assert auroc(*tenths(rows, 4)) == pytest.approx(expected, abs=1e-12)


def test_auprc_is_the_mean_precision_of_finding_errors() -> None:
    """Errors at 0.1 and 0.6, one of two right answers between: precisions 1 and 2/3, then 2/4."""
    # steps in recall of 1/2 at 0.1 (1 of 1 wrong) and at 0.6 (2 of 3 seen are wrong)
    got = auprc_error([0.1, 0.3, 0.6, 0.9], [0, 1, 0, 1])
    assert got == pytest.approx((1 + 2 / 3) / 2, abs=1e-15)
    # tied with a right answer, the second error is found with precision 2/4
    tied = auprc_error([0.1, 0.3, 0.6, 0.6], [0, 1, 0, 1])
    assert tied == pytest.approx((1 + 2 / 4) / 2, abs=1e-15)
    assert auprc_error([0.5] * 8, [1, 1, 1, 1, 1, 1, 0, 0]) == 0.25  # the error rate


@fixed
@given(weighted.filter(lambda rows: min(column_of(rows, 1)) < 4))
def test_weighted_auprc_is_scikit_learns(rows: AnswerRows) -> None:
    """An outcome of p counts p as right and 1 - p as wrong."""
    confidences, labels, weights = split(rows)
    expected = average_precision_score(
        1 - np.array(labels), -np.array(confidences), sample_weight=weights
    )
    assert auprc_error(*tenths(rows, 4)) == pytest.approx(expected, abs=1e-12)


def mean_risk(errors: ArrayLike) -> float:
    """Mean over i of the error rate of the first i."""
    totals = np.cumsum(errors)
    return float(np.mean(totals / np.arange(1, len(totals) + 1)))


def test_aurc_is_the_mean_error_rate_of_the_surest_answers() -> None:
    """The area is the mean of the error rates of the surest one, two, three answers."""
    for confidence, correct, expected in [
        ([0.9, 0.6, 0.3], [1, 1, 0], 1 / 9),  # risks 0, 0, 1/3
        ([0.3, 0.6, 0.9], [1, 1, 0], (1 + 1 / 2 + 1 / 3) / 3),
        ([0.5, 0.5], [1, 0], 1 / 2),  # (0 + 1/2)/2 or (1 + 1/2)/2
        ([0.5], [1], 0),
    ]:
        assert aurc(confidence, correct) == pytest.approx(expected, abs=1e-14), confidence


@fixed
@given(up_to_six)
def test_aurc_is_the_mean_over_the_orders_of_ties(rows: AnswerRows) -> None:
    """Of all orders with confidence descending; where it never varies, the error rate."""
    risks = [mean_risk(1 - np.array(column_of(order, 1))) for order in falling_orders(rows)]
    assert aurc(*tenths(rows)) == pytest.approx(np.mean(risks), abs=1e-12)
    right = column_of(rows, 1)
    assert aurc([0.7] * len(rows), right) == pytest.approx(1 - np.mean(right), abs=1e-12)


@fixed
@given(st.lists(st.integers(0, 4), min_size=1, max_size=200), st.integers(0, 2**32 - 1))
def test_aurc_without_ties_is_one_order(attempts: list[int], seed: int) -> None:
    """With distinct confidences the area is that of the one order, also for probable outcomes."""
    confidences = np.random.default_rng(seed).permutation(len(attempts)) / len(attempts)
    outcome = np.array(attempts) / 4
    expected = mean_risk(list((1 - outcome)[np.argsort(-confidences)]))
    assert aurc(confidences, outcome) == pytest.approx(expected, abs=1e-12)


def test_areas_without_wrong_answers_are_nan_but_aurc_is_0() -> None:
    """Without a wrong answer there is no AUROC and no precision of finding one, but a risk of 0."""
    assert math.isnan(auroc([0.9, 0.5], [1, 1]))
    assert math.isnan(auroc([0.9, 0.5], [0, 0]))
    assert math.isnan(auprc_error([0.9, 0.5], [1, 1]))
    assert auprc_error([0.9, 0.5], [0, 0]) == 1
    assert aurc([0.9, 0.5], [1, 1]) == 0
    assert aurc([0.9, 0.5], [0, 0]) == pytest.approx(1, abs=1e-14)


# Mutual information of confidence and correctness against scikit-learn and scipy.


rows_of = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=1, max_size=60)


def test_information_is_the_drop_of_entropy() -> None:
    """The information is H(correct) - H(correct | confidence), worked out by hand."""
    cases: list[tuple[list[float], list[float], float]] = [
        ([0.9, 0.9, 0.2, 0.2], [1, 1, 0, 0], 1),
        ([0.2, 0.2, 0.9, 0.9], [1, 1, 0, 0], 1),  # direction doesn't matter
        ([0.9, 0.9, 0.2, 0.2], [1, 0, 1, 0], 0),
        ([0.9, 0.9, 0.9, 0.2], [1, 1, 0, 0], 1 - 0.75 * (math.log2(3) - 2 / 3)),
        ([0.9, 0.2], [1, 1], 0),
        ([0.9, 0.9], [1, 0], 0),
        ([0.9, 0.2], [0.5, 0.5], 0),  # as often right at both
        ([0.9, 0.2], [1, 0.5], 2 - 0.75 * math.log2(3) - 0.5),  # H(3/4) - (0 + 1)/2
    ]
    for confidence, correct, expected in cases:
        assert meta_information(confidence, correct) == pytest.approx(expected, abs=1e-14)


@fixed
@given(rows_of)
def test_information_is_scikit_learns(rows: AnswerRows) -> None:
    """The information is scikit-learn's in bits."""
    confidences, right = zip(*rows, strict=True)
    expected = mutual_info_score(confidences, right) / math.log(2)
    assert meta_information(np.array(confidences) / 6, right) == pytest.approx(expected, abs=1e-12)


@fixed
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=60))
def test_information_is_a_sum_of_entropies(rows: AnswerRows) -> None:
    """H(confidence) + H(correct) - H(both), by scipy, each outcome p being p right, 1 - p wrong."""
    joint = np.zeros((7, 2))
    for report, k in rows:
        joint[report] += [k / 4, 1 - k / 4]
    confidence_entropy = float(entropy(joint.sum(axis=1), base=2))
    outcome_entropy = float(entropy(joint.sum(axis=0), base=2))
    joint_entropy = float(entropy(joint.ravel(), base=2))
    reports, right = np.transpose(rows)
    got = meta_information(reports / 6, right / 4)
    assert got == pytest.approx(confidence_entropy + outcome_entropy - joint_entropy, abs=1e-12)
    assert 0 <= got <= outcome_entropy + 1e-12


@fixed
@given(rows_of)
def test_relabelling_changes_nothing(rows: AnswerRows) -> None:
    """Any one-to-one change of the confidences, and exchanging right and wrong, keeps the bits."""
    confidences, right = map(np.array, zip(*rows, strict=True))
    new = np.array([0.3, 1, 0, 0.7, 0.1, 0.9, 0.5])[confidences]
    expected = meta_information(confidences / 6, right)
    assert meta_information(new, right) == pytest.approx(expected, abs=1e-13)
    assert meta_information(confidences / 6, 1 - right) == pytest.approx(expected, abs=1e-13)
