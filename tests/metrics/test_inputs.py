"""Arguments of metrics that a user may pass: other types, missing values, names of items."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_confidence import metrics

NAN, INF = float("nan"), float("inf")
CORRECT, DECLINED = [1, 0, 1, NAN], [0, 0, 1, 1]
ONE_STRATUM, MEAN = np.zeros(2, np.int64), metrics.ratio([0, 1], [1, 1])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", 0.5], "confidence holds 'a', which is no number"),
        ([{}, 0.5], "confidence holds {}, which is no number"),
        ([0.5 + 1j, 0.5], "confidence holds (0.5+1j), which is no number"),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), "no number"),
        ((value for value in [0.5, 0.5]), "confidence is a generator; give a list or an array"),
        ({0.5, 0.6}, "confidence is a set; give a list or an array"),
        ({"a": 0.5, "b": 0.6}, "confidence is a dict; give a list or an array"),
        ([[0.1, 0.2], [0.3]], "confidence holds lists of different lengths"),
    ],
)
def test_an_argument_that_holds_no_numbers_is_named(values: Any, message: str) -> None:
    """The error is a ValueError that names argument and value; nothing is cast silently."""
    with pytest.raises(ValueError, match="confidence") as error:
        metrics.brier(values, [1, 0])
    assert message in str(error.value)


@pytest.mark.parametrize(
    "missing",
    [
        [None, 0.9],
        pd.Series([None, 0.9], dtype="Float64"),
        pd.Series([None, 0.9], dtype="double[pyarrow]", index=[7, 3]),
        pd.Series([NAN, 0.9]).astype("category"),
        [NAN, Fraction(9, 10)],
    ],
)
def test_missing_values_of_other_types_are_left_out(missing: Any) -> None:
    """The right answer at .9 alone is left: (.9 - 1)^2."""
    assert metrics.brier(missing, [0, 1]) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        # The third decision is missing: a right and a wrong attempt, and a declined answer.
        (metrics.attempted_share, 2 / 3),
        (metrics.accuracy_given_attempted, 1 / 2),
        (metrics.overall_accuracy, 1 / 3),
        (metrics.f_score, 2 * 1 / (2 + 3)),
        (lambda correct, declined: metrics.payoff(correct, declined, 0.5), (1 - 1 + 0) / 3),
        (lambda correct, declined: metrics.target_gap(correct, declined, 0.25), 0.25),
    ],
)
@pytest.mark.parametrize("missing", [NAN, None])
def test_a_missing_decision_is_no_declined_answer(
    metric: Callable[..., float], expected: float, missing: Any
) -> None:
    """An answer that may have been declined is left out."""
    declined = [0, 0, missing, 1]
    assert metric(CORRECT, declined) == pytest.approx(expected)
    assert metric(CORRECT, pd.Series(declined, dtype="Int64")) == pytest.approx(expected)
    booleans = pd.Series([False, False, None, True], dtype="boolean")
    assert metric(CORRECT, booleans) == pytest.approx(expected)


def test_contradictions_and_regret_leave_out_missing_decisions() -> None:
    """Of the confidences at a target of .75 that of the missing decision does not count."""
    confidence, declined = [0.9, 0.5, 0.9], [1, 1, NAN]
    assert metrics.contradictions_declined(confidence, declined, 0.75) == 0.5
    assert metrics.contradictions_answered([0.9, 0.5, 0.5], [0, 0, NAN], 0.75) == 0.5
    # The best threshold answers both items, a point each; the model declined one.
    assert metrics.regret([0.9, 0.8, 0.7], [1, 1, 0], [0, 1, NAN], 0.5) == pytest.approx(0.5)


@pytest.mark.parametrize("declined", [["no", "no", "yes", "yes"], [0, 0, 0.5, 1], [0, 0, 2, 1]])
@pytest.mark.parametrize(
    "metric",
    [
        metrics.attempted_share,
        metrics.f_score,
        lambda correct, declined: metrics.payoff(correct, declined, 0.5),
    ],
)
def test_a_decision_is_yes_or_no(metric: Callable[..., float], declined: Any) -> None:
    """Text and shares would be taken for "declined"."""
    with pytest.raises(ValueError, match="declined"):
        metric(CORRECT, declined)


@pytest.mark.parametrize("target", [-0.1, 1.5])
def test_target_gap_refuses_a_target_that_is_no_share(target: float) -> None:
    """So do the other metrics of a target."""
    with pytest.raises(ValueError, match=f"target={target} is not in"):
        metrics.target_gap(CORRECT, DECLINED, target)


CONFIDENCE = np.repeat([0.6, 0.7, 0.8, 0.9], 20)
OUTCOME = np.tile([1, 1, 0, 1, 0], 16)
ITEM = np.repeat(np.arange(40), 2)
"""Two judgments an item."""


@pytest.mark.parametrize(
    "metric",
    [
        metrics.ece_interval,
        metrics.rms_calibration_error_interval,
        metrics.debiased_squared_error,
        metrics.debiased_squared_error_interval,
        metrics.smooth_ece_interval,
        metrics.brier_uncertainty_interval,
        metrics.calibration_p,
        metrics.rate_difference_interval,
        lambda *data: metrics.risk_threshold(*data, risk=0.5),
        lambda *data: metrics.fit_recalibration(*data, method="isotonic"),
        lambda *data: metrics.choose_recalibration(*data).recalibration,
    ],
)
@pytest.mark.parametrize(
    "named",
    [
        ITEM.tolist(),
        [f"q{number:02d}" for number in ITEM],
        pd.Series([f"q{number:02d}" for number in ITEM], index=range(100, 180)),
        ITEM * 10**15,
        ITEM - 40,
        ITEM.astype(float),
    ],
    ids=["list", "text", "series", "large", "negative", "float"],
)
def test_items_have_any_names(metric: Callable[..., Any], named: Any) -> None:
    """Ids of items are as good as their indices, which `unit` has in the package."""
    data = (
        (OUTCOME, OUTCOME) if metric is metrics.rate_difference_interval else (CONFIDENCE, OUTCOME)
    )
    assert metric(*data, named) == metric(*data, ITEM)


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        ([1, 2], "unit has the shape (2,); give the item of each of the 80 judgments"),
        ("abc", "unit has the shape ()"),
        ([None, *range(79)], "unit holds a missing value"),
        (np.full(80, NAN), "unit holds a missing value"),
    ],
)
def test_every_judgment_has_an_item(unit: Any, message: str) -> None:
    """The message names argument and remedy."""
    for metric in (metrics.ece_interval, metrics.calibration_p, metrics.risk_threshold):
        with pytest.raises(ValueError, match="unit") as error:
            metric(CONFIDENCE, OUTCOME, unit)
        assert message in str(error.value)


def test_capitulation_takes_items_of_any_name() -> None:
    """Half of item a's replies moved, and the only flag of item b: the mean of 1/2 and 1."""
    assert metrics.capitulation([1, 0, NAN, 1], ["a", "a", "b", "b"]) == 0.75
    with pytest.raises(ValueError, match="item has the shape"):
        metrics.capitulation([1, 0], ["a"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.ece([0.5], [1], bins=2.5), "bins=2.5 is not a whole number"),  # type: ignore[arg-type]
        (lambda: metrics.ece([0.5], [1], bins=NAN), "bins=nan is not a whole number"),  # type: ignore[arg-type]
        (lambda: metrics.cmfg([0.5], [1], bins="10"), "bins=10 is not a whole number"),  # type: ignore[arg-type]
        (lambda: metrics.kl_divergence([1], [2], high=INF), "high=inf make no bins"),
        (lambda: metrics.kl_divergence([1], [2], bins=0), "bins=0 is below 1"),
        (lambda: metrics.hle_calibration_error([0.5], [1], size=0), "size=0 is below 1"),
        (lambda: metrics.coverage_gap([1], [2], [3], "90"), "level=90 is not a percentage"),  # type: ignore[arg-type]
        (lambda: metrics.round_rate([1], multiple=0), "multiple=0 is not above 0"),
        (lambda: metrics.utilization([1], low=1, high=1), "low=1 and high=1 make no scale"),
        (lambda: metrics.percentile_interval([1, 2], 95), "confidence=95 is not between 0 and 1"),
        (
            lambda: metrics.conformal_offset_interval([1], [2], [3], 90, 95),
            "confidence=95 is not between 0 and 1",
        ),
        (lambda: metrics.brunner_munzel([1], [2], interval="x"), "interval='x' is not one of t"),  # type: ignore[arg-type]
        (
            lambda: metrics.smooth_ece([0.5], [1], bandwidth=INF),
            "bandwidth=inf is below 0.008, or infinite",
        ),
        (lambda: metrics.corp_band([0.5], draws=0), "draws=0 is below 1"),
        (lambda: metrics.corp_band([NAN]), "There is no confidence"),
        (lambda: metrics.sign_flips([1], resamples=0), "resamples=0 is below 1"),
        (lambda: metrics.bootstrap({}, ONE_STRATUM, resamples=0), "resamples=0 is below 1"),
        (
            lambda: metrics.bootstrap_pair(MEAN, MEAN, ONE_STRATUM, resamples=0),
            "resamples=0 is below 1",
        ),
        (lambda: metrics.hoeffding_bentkus_p([0], 1), "mean=1 is not between 0 and 1"),
        (lambda: metrics.ranks([0.1, NAN]), "loss holds NaN"),
        (lambda: metrics.rank_intervals([0.1, 0.2], [0.5, 0.5]), "p has the shape (2,)"),
        (lambda: metrics.rank_intervals([0.1], [[1]], level=95), "level=95 is not between 0 and 1"),
        (lambda: metrics.hard_easy_slope([0.1, 0.2], [1, INF]), "difficulty holds an infinite"),
        (lambda: metrics.hard_easy_slope([INF, 0.2], [1, 0]), "overconfidence holds an infinite"),
        (lambda: metrics.optimal_answer_gap([INF], [1]), "maximum=inf is not in [0, 1]"),
        (lambda: metrics.prediction_powered_mean([1, INF], [1, 1], []), "verdict is infinite"),
    ],
)
def test_a_wrong_option_is_an_error_that_names_it(call: Callable[[], Any], message: str) -> None:
    """No option gives a number, or an error of numpy, where it means nothing."""
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_infinite_intervals_have_infinite_scores_and_no_warning() -> None:
    """Of intervals with an infinite bound or truth; a truth on a bound lies at distance 0."""
    for lower, upper, truth in [(-INF, INF, 1), (0, INF, INF), (INF, INF, 2), (0, 1, -INF)]:
        assert metrics.interval_score([lower], [upper], [truth], 90) == INF
    assert np.isnan(metrics.interval_score([INF], [INF], [NAN], 90))
    assert metrics.mean_width([INF, 1], [INF, 3]) == 1
    assert metrics.median_width([-INF], [INF]) == INF
    assert metrics.conformity_scores([0, 0], [INF, 1], [INF, 3]).tolist() == [0, 2]


def test_prediction_powered_mean_leaves_out_missing_values() -> None:
    """As if those items were not there."""
    labels, verdicts, others = [1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1]
    expected = metrics.prediction_powered_mean(labels, verdicts, others)
    missing = metrics.prediction_powered_mean(
        [*labels, NAN, 1], [*verdicts, 1, NAN], [*others, NAN]
    )
    assert missing == expected
